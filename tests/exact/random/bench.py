# SPDX-License-Identifier: BSD-3-Clause
"""Where cases are built and run: with the library as it was built, by the oracle and by a source of counts."""
import json
import os
import pathlib
import shlex
import shutil
import subprocess

import judge
import program

LIMIT_S = 120


class Failed(Exception):
    pass


class Bench:
    def __init__(self, source, build, folder, oracle):
        self.source, self.build, self.oracle = pathlib.Path(source), pathlib.Path(build), oracle
        self.folder = pathlib.Path(folder)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("PMU_")}
        self.env["CCACHE_DISABLE"] = "1"  # no case is built twice

    def run(self, command, where, **env):
        done = subprocess.run(command, cwd=where, env={**self.env, **env}, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=LIMIT_S, check=False)
        if done.returncode:
            raise Failed("%s: status %d\n%s" % (" ".join(map(str, command[:4])), done.returncode,
                                                (done.stderr or done.stdout).decode(errors="replace")[-2000:]))
        return done.stdout.decode()

    def place(self, name):
        where = self.folder / name / "job"
        where.mkdir(parents=True, exist_ok=True)
        return where

    def compile(self, case, where, library=None, run_path=None):
        library = library or self.build / "lib/.libs"
        (where / "case.c").write_text(program.as_c(case), encoding="utf-8")
        compiler = case["build"]["compiler"]
        self.run([compiler if shutil.which(compiler) else "cc", *shlex.split(case["build"]["flags"]), "-std=gnu11", "-D_GNU_SOURCE", "-w",
                  "-I%s" % (self.source / "include"), "-I%s" % pathlib.Path(__file__).parent, "-o", "case", "case.c",
                  "-L%s" % library, "-lpmu", "-pthread", "-Wl,-z,now", "-Wl,-rpath,%s" % (run_path or library)], where)

    def want(self, case, where):
        """With the setting that says whose work a region has"""
        settings = {k: v for k, v in case["settings"].items() if k == "PMU_SCOPE"}
        return judge.read_oracle(self.run([self.oracle, "./case"], where, PMU_BACKEND="clock", PMU_OUTPUT="none", PMU_PIN="none",
                                          **settings))

    def emulate(self, case, where):
        """By valgrind"""
        self.run([self.build / "pmu", "run", "--emulate=fast", "--auto", "none", "-e", "instructions", "-o", "got.json", "-o",
                  "got.csv", "./case"], where, **case["settings"])
        return judge.read_report([where / "got.json"])

    def make(self, case, name, job):
        """For another machine, where the library is in /job/lib: the program, and what the oracle says of it here"""
        where = pathlib.Path(job) / "cases" / name.replace(" ", "-")
        where.mkdir(parents=True)
        self.compile(case, where, pathlib.Path(job) / "lib", "/job/lib")
        self.env["LD_LIBRARY_PATH"] = "%s/lib" % job
        wants = self.want(case, where)
        (where / "case.json").write_text(json.dumps(case), encoding="utf-8")
        (where / "want.json").write_text(json.dumps(wants), encoding="utf-8")
        (where / "settings").write_text("".join("%s=%s\n" % s for s in case["settings"].items()), encoding="utf-8")
        sources = ["rdpmc", "read"] + ["msr"] * program.is_alone(case)
        (where / "sources").write_text(" ".join(sources), encoding="utf-8")

    @staticmethod
    def judge(results, made, source):
        """(name, case, verdict) of each case that another machine has counted by that source: of its runs the best, as a processor
        of an emulated machine may stand still in the middle of a read"""
        for where in sorted((pathlib.Path(made) / "cases").iterdir()):
            if source not in (where / "sources").read_text(encoding="utf-8").split():
                continue
            wants = json.loads((where / "want.json").read_text(encoding="utf-8"))
            folder = pathlib.Path(results) / where.name
            verdicts = []
            for run in "12":
                rows, _ = judge.read_report(sorted(folder.glob("%s.%s.*.json" % (source, run))))
                verdicts.append(judge.compare(wants, rows))
            yield where.name, json.loads((where / "case.json").read_text(encoding="utf-8")), min(verdicts, key=lambda v: len(v.wrong))

    def verdict(self, case, name):
        where = self.place(name)
        self.compile(case, where)
        wants = self.want(case, where)
        rows, general = self.emulate(case, where)
        verdict = judge.compare(wants, rows)
        for text in general:
            verdict.marks[text] = verdict.marks.get(text, 0) + 1
        return verdict
