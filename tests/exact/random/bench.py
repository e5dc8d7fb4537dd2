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

LIMIT_S = 300
LOADER = """#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	void *plugin = dlopen("case.so", RTLD_NOW);
	int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "run") : 0;
	return run ? run() : (fprintf(stderr, "%s\\n", dlerror()), 1);
}
"""
PLUGIN = ["-shared", "-fPIC", "-ftls-model=initial-exec", "-Dmain=run"]
GROUPS = ("FIRST", "SECOND")
GROUP = "[group]\nabout = %s of those that take turns\n[events]\ninstructions = instructions\n"


class Failed(Exception):
    pass


class Bench:
    def __init__(self, source, build, folder, oracle):
        self.source, self.build, self.oracle = pathlib.Path(source), pathlib.Path(build), oracle
        self.folder = pathlib.Path(folder)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("PMU_")}
        self.env["CCACHE_DISABLE"] = "1"  # no case is built twice
        self.env["GLIBC_TUNABLES"] = program.TUNABLES

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
        compiler, flags = case["build"]["compiler"], shlex.split(case["build"]["flags"])
        compiler = compiler if shutil.which(compiler) else "cc"
        common = ["-std=gnu11", "-fno-builtin", "-D_GNU_SOURCE", "-w", "-pthread", "-Wl,-z,now"]
        built = "case"
        if case["build"].get("plugin"):
            built, flags = "case.so", [f for f in flags if f not in ("-no-pie", "-pie", "-fPIE")] + PLUGIN
            (where / "loader.c").write_text(LOADER, encoding="utf-8")
            self.run([compiler, *common, "-o", "case", "loader.c", "-Wl,-rpath,$ORIGIN"], where)
        self.run([compiler, *flags, *common, "-I%s" % (self.source / "include"), "-I%s" % pathlib.Path(__file__).parent, "-o", built, "case.c",
                  "-L%s" % library, "-lpmu", "-Wl,-rpath,%s" % (run_path or library)], where)

    def want(self, case, where, *options):
        """With the settings that say which threads' work a region has, and which regions have a path"""
        settings = {k: v for k, v in case["settings"].items() if k in ("PMU_SCOPE", "PMU_MAX_REGIONS")}
        return judge.read_oracle(self.run([self.oracle, *options, "./case"], where, PMU_BACKEND="clock", PMU_OUTPUT="none", PMU_PIN="none",
                                          **settings))

    @staticmethod
    def groups(case, where):
        """Groups that take turns count the same: together they have what one has.  Return: settings for them"""
        if "PMU_ROTATE" not in case["settings"]:
            return {}
        for name in GROUPS:
            (where / (name + ".group")).write_text(GROUP % name, encoding="utf-8")
        return {"PMU_GROUP": ",".join(GROUPS)}

    def emulate(self, case, where):
        """By valgrind"""
        groups = self.groups(case, where)
        what = ["-g", groups["PMU_GROUP"]] if groups else ["-e", "instructions"]
        self.run([self.build / "pmu", "run", "--emulate=fast", "--auto", "none", *what, "-o", "got.json", "-o", "got.csv", "./case"],
                 where, PMU_GROUP_PATH=str(where), **case["settings"])
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
        settings = {**case["settings"], **self.groups(case, where)}
        if "PMU_GROUP" in settings:
            settings["PMU_GROUP_PATH"] = "/job/cases/" + where.name
        (where / "settings").write_text("".join("%s=%s\n" % s for s in settings.items()), encoding="utf-8")
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
        wants = self.want(case, where, "-s")
        rows, general = self.emulate(case, where)
        verdict = judge.compare(wants, rows)
        for text in general:
            verdict.marks[text] = verdict.marks.get(text, 0) + 1
        return verdict
