# SPDX-License-Identifier: BSD-3-Clause
"""Random programs, beside what the oracle says of them.

run.py [--seeds FROM-TO] [--programs N] [--for MINUTES] [--cases FOLDER] [--shrink] [--jobs N]
run.py [--seeds FROM-TO] [--cases FOLDER] --make JOB
run.py --judge RESULTS --made JOB --source SOURCE

Of each seed a case is made, built and run; the cases in a folder are those that were wrong once.  With --for seeds go on
from FROM until the time is over.  --programs puts N of them into each case, instead of a few: they are built and run at once,
which takes a tenth of the time.  The last lines say what came of each kind of program and each setting.  --shrink makes the smallest case of what is wrong,
which can be kept in tests/exact/cases.  --make and --judge are for machines that count (tests/x86/random.sh): programs are
built into a folder there, and reports that it has made of them are judged.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import bench
import judge
import program
import shrink

SHOWN = 5  # of what is wrong in a case
SHRINK_S = 300


def as_words(case):
    settings = " ".join("%s=%s" % s for s in case["settings"].items() if s[0] != "PMU_TRACE_SIZE")
    plugin = ", plugin" if case["build"].get("plugin") else ""
    return "%s %s" % (case["build"]["compiler"], case["build"]["flags"]) + plugin + (", " + settings if settings else "")


class Runner:
    def __init__(self, options):
        source = os.environ.get("TEST_SRCDIR") or pathlib.Path(__file__).resolve().parents[3]
        build = os.environ.get("TEST_BUILDDIR") or "."
        self.folder = tempfile.TemporaryDirectory()
        self.bench = bench.Bench(source, pathlib.Path(build).resolve(), self.folder.name, options.oracle)
        self.options, self.n, self.failed = options, 0, 0
        self.total = judge.Total()

    def verdict(self, name, case):
        """(verdict, None) or (None, why not)"""
        try:
            return self.bench.verdict(case, name), None
        except (bench.Failed, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
            return None, str(error)

    def say(self, good, text):
        self.n += 1
        self.failed += not good
        print("%sok %d - %s" % ("" if good else "not ", self.n, text), flush=True)

    def shrunk(self, name, case, paths):
        end = time.monotonic() + SHRINK_S

        def is_wrong(smaller):
            verdict, _ = self.verdict(name, smaller)
            return verdict is not None and bool(verdict.wrong)

        return shrink.shrink(case, paths, is_wrong, lambda: time.monotonic() < end)

    def tell(self, name, case, verdict, error):
        """What a case came to"""
        if verdict is None:
            self.say(False, "%s (%s) was built and run" % (name, as_words(case)))
            print("".join("# %s\n" % line for line in error.splitlines()[:20]), end="")
            return
        self.total.add(case, verdict)
        regions = [verdict.count(outcome) for outcome in range(3)]
        self.say(not verdict.wrong, "%s (%s): %d programs, %s" % (name, as_words(case), len(case["programs"]), judge.as_words(regions)))
        for path, what, got, want in verdict.wrong[:SHOWN]:
            print("#   %s: %s %s instead of %s" % (path[-100:], what, got, want))
        if verdict.wrong and self.options.shrink:
            case = self.shrunk(name, case, [path for path, *_ in verdict.wrong])
            print("# %s\n%s" % (json.dumps(case, ensure_ascii=False),
                                "".join("#   %s\n" % line for line in program.as_c(case).splitlines()[3:])), flush=True)

    def go(self, cases):
        """cases: (name, case)..., of which no more than are run at a time are made ahead"""
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            pending = []
            for name, case in cases:
                pending.append((name, case, pool.submit(self.verdict, name, case)))
                if len(pending) > self.options.jobs:
                    name, case, future = pending.pop(0)
                    self.tell(name, case, *future.result())
            for name, case, future in pending:
                self.tell(name, case, *future.result())

    def finish(self):
        total = self.total
        self.say(total.regions[0] > 3 * total.regions[1] and total.regions[0] >= 3 * total.cases,
                 "most of what %d programs did was compared: %s" % (total.programs, judge.as_words(total.regions)))
        print("# %-40s %9s %9s %9s %9s" % ("", "programs", "compared", "marked", "wrong"))
        for name, numbers in sorted(total.table.items()):
            print("# %-40s %9d %9d %9d %9d" % (name, *numbers))
        for text, n in sorted(total.marks.items(), key=lambda item: -item[1]):
            print("#   %5d %s" % (n, text))
        for name, why in program.EXCLUDED.items():
            print("#   not made: %s: %s" % (name, why))
        print("1..%d" % self.n)
        return bool(self.failed)


def chosen(options):
    for file in sorted(pathlib.Path(options.cases).glob("*.json")) if options.cases else ():
        yield file.stem, json.loads(file.read_text(encoding="utf-8"))
    first, _, last = options.seeds.partition("-")
    end = time.monotonic() + 60 * options.minutes
    seed = int(first)
    while time.monotonic() < end if options.minutes else seed <= int(last or first):
        yield "seed %d" % seed, program.make(seed, options.programs, program.PORTABLE_KINDS if options.make else program.ALL_KINDS)
        seed += 1


def make(options, runner):
    for name, case in chosen(options):
        runner.bench.make(case, name, pathlib.Path(options.make).resolve())
    return 0


def judge_results(options, runner):
    total = judge.Total()
    for name, case, verdict in runner.bench.judge(options.judge, options.made, options.source):
        total.add(case, verdict)
        for path, what, got, want in verdict.wrong[:SHOWN]:
            print("#   %s: %s: %s %s instead of %s" % (name, path[-60:], what, got, want))
    compared, marked, wrong = total.regions
    print("# sum: %d programs, %s" % (total.programs, judge.as_words(total.regions)))
    return wrong > 0 or compared <= 3 * marked or not total.cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0-19")
    parser.add_argument("--programs", type=int, default=0)
    parser.add_argument("--for", type=float, default=0, dest="minutes")
    parser.add_argument("--cases")
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--make")
    parser.add_argument("--judge")
    parser.add_argument("--made")
    parser.add_argument("--source")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--oracle", default="tests/exact/oracle")
    options = parser.parse_args()
    options.oracle = str(pathlib.Path(options.oracle).resolve())
    runner = Runner(options)
    if options.make:
        sys.exit(make(options, runner))
    if options.judge:
        sys.exit(judge_results(options, runner))
    runner.go(chosen(options))
    sys.exit(runner.finish())


main()
