#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How often `pmu diff` and `pmu run --against` are right: make verdicts.

A program of thirty regions is compared with itself, and with one that differs in a known way.
Emulated runs are recorded once, and each comparison draws some of them at random; times are of runs
of their own.
"""
import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time

N_REGIONS = 30
COUNTED = ("10", "50")  # calls, turns: valgrind counts them one by one
TIMED = ("1", "4000")  # some 27 us each, 1 ms for all
MORE_TURNS = "120"  # 3 %
ALPHA = 0.05  # of PMU_DIFF_ALPHA
HEAD = ("comparison", "runs a side", "comparisons", "found", "flagged anything else", "took")


class Failed(Exception):
    pass


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.random = random.Random(options.seed)

    def path(self, name):
        return os.path.join(self.folder, name)

    def program(self, how, region=N_REGIONS, turns="0", instructions="0"):
        return [self.options.program, *how, "%02d" % region, turns, instructions]

    def pmu(self, *arguments):
        done = subprocess.run([self.options.pmu, *arguments], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Failed("pmu %s:\n%s" % (" ".join(arguments), done.stdout))

    def emulate(self, name, runs, **difference):
        """A series of emulated runs, as JSON has it."""
        self.pmu("run", "--emulate", "--repeat", str(runs), "-o", self.path(name), "--",
                 *self.program(COUNTED, **difference))
        with open(self.path(name)) as file:
            return json.load(file)

    def write(self, name, series):
        with open(self.path(name), "w") as file:
            json.dump(series, file)
        return self.path(name)

    def diff(self, a, b):
        """(region, measure) of what differs."""
        self.pmu("diff", a, b, "-o", self.path("diff.csv"))
        return self.differing()

    def differing(self):
        with open(self.path("diff.csv"), newline="") as file:
            return {(row["path"].split("/")[-1] or "the command", row["measure"])
                    for row in csv.DictReader(file) if row["verdict"] in ("differs", "new", "gone")}


def subset(series, chosen):
    """The chosen runs of a series; what is said of all its runs is left out."""
    def walk(value):
        if isinstance(value, list):
            return [walk(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {key: [each[run] for run in chosen] if key == "runs" else walk(each)
                for key, each in value.items()}
    return walk(dict(series, notes=[], doubts=[], noise=[]))


def row(name, runs, n, found, others, start):
    """One row of the table; others are (region, measure) of each comparison that flagged any."""
    told = "%d" % len(others)
    if len(others):
        told += " (%.1f %%)" % (100 * len(others) / n)
    print("| %s | %s | %d | %s | %s | %.0f s |" % (
        name, runs, n, "-" if found is None else "%d" % found, told, time.monotonic() - start),
        flush=True)
    if others and len(others) <= 12:
        print("\n".join("    %s" % ", ".join(" ".join(value) for value in sorted(each))
                        for each in others), file=sys.stderr)


def at_most(n):
    """So many of n comparisons may be wrong: three standard deviations above the rate."""
    return ALPHA * n + 3 * (n * ALPHA * (1 - ALPHA)) ** 0.5


# --- counts ---


def same_counts(bench, base, n):
    start, others = time.monotonic(), []
    half = len(base["runs"]) // 2
    for _ in range(n):
        runs = bench.random.sample(range(2 * half), 2 * half)
        found = bench.diff(bench.write("a.json", subset(base, runs[:half])),
                           bench.write("b.json", subset(base, runs[half:])))
        others += [found] if found else []
    row("the same, emulated counts", half, n, None, others, start)
    return not others


def one_more(bench, base, variants, n):
    start, n_found, others = time.monotonic(), 0, []
    regions = sorted(variants)
    for i in range(n):
        region = regions[i % len(regions)]
        n_runs = len(variants[region]["runs"])
        chosen = bench.random.sample(range(n_runs), max(n_runs - 2, 2))
        of_base = bench.random.sample(range(len(base["runs"])), 2 * len(chosen))
        found = bench.diff(bench.write("a.json", subset(base, of_base)),
                           bench.write("b.json", subset(variants[region], chosen)))
        wanted = ("r%02d" % region, "instructions")
        n_found += wanted in found
        if found - {wanted}:
            others.append(found - {wanted})
    row("one instruction more per call, emulated counts", "%d, %d" % (len(of_base), len(chosen)), n,
        n_found, others, start)
    return n_found == n and not others


def counts(bench):
    options = bench.options
    base = bench.emulate("base.json", options.emulated)
    regions = range(0, N_REGIONS, max(N_REGIONS // options.variants, 1))
    variants = {region: bench.emulate("more.json", options.variant_runs, region=region,
                                      instructions="1") for region in regions}
    right = same_counts(bench, base, options.same)
    return one_more(bench, base, variants, options.different) and right


# --- times ---


def same_times(bench):
    options, start, others = bench.options, time.monotonic(), []
    program = bench.program(TIMED)
    for _ in range(options.same):
        bench.pmu("run", "--against", " ".join(program), "--repeat", str(options.pairs), "-o",
                  bench.path("diff.csv"), "--", *program)
        found = bench.differing()
        others += [found] if found else []
    row("the same, times, --against", options.pairs, options.same, None, others, start)
    return len(others) <= at_most(options.same)


def consecutive(bench):
    """Each set of runs with the one before; how the machine drifts between them is no fault of diff."""
    options, start, others, before = bench.options, time.monotonic(), [], None
    for i in range(options.sets + 1):
        now = bench.path("set%d.json" % (i % 2))
        bench.pmu("run", "--repeat", str(options.pairs), "-o", now, "--", *bench.program(TIMED))
        found = bench.diff(before, now) if before else None
        others += [found] if found else []
        before = now
    row("the same, times, pmu diff of one set and the next", options.pairs, options.sets, None,
        others, start)
    return True


def slower(bench):
    """What the limit ended is counted by itself: there the precision is not what was asked for."""
    options, start, others, pairs = bench.options, time.monotonic(), [], []
    n_found, n = [0, 0], [0, 0]  # by whether the limit came first
    for i in range(options.slower):
        region = i % N_REGIONS
        wanted = "r%02d" % region
        bench.pmu("run", "--repeat", "auto", "--precision", "1%", "--limit", options.limit,
                  "--metric", wanted + ":time", "--against", " ".join(bench.program(TIMED)),
                  "-o", bench.path("diff.csv"), "-o", bench.path("diff.json"), "--",
                  *bench.program(TIMED, region=region, turns=MORE_TURNS))
        found = bench.differing()
        with open(bench.path("diff.json")) as file:
            report = json.load(file)
        pairs.append(report["pairs"])
        limited = any("--limit ended it" in note for note in report["notes"])
        n[limited] += 1
        n_found[limited] += (wanted, "time") in found
        rest = {value for value in found if value[0] != wanted}
        others += [rest] if rest else []
    pairs.sort()
    row("3 %% more time, --repeat auto --precision 1%% --limit %s" % options.limit,
        "%d to %d, half of them up to %d" % (pairs[0], pairs[-1], pairs[len(pairs) // 2]),
        options.slower, sum(n_found), others, start)
    print("    found %d of %d that were so precise, %d of %d that the limit ended" % (
        n_found[0], n[0], n_found[1], n[1]), file=sys.stderr)
    return n_found[0] >= 0.9 * n[0] and len(others) <= at_most(options.slower)


# --- size ---


def large(bench, name, n_regions, n_runs, seed):
    """A report of so many regions: each 1 ms with some noise, counts that vary and one that does not."""
    rng = random.Random(seed)
    measures = [("calls", "", "calls"), ("time", "ns", "time"), ("instructions", "", "count"),
                ("cycles", "", "count"), ("cache-misses", "", "count"), ("IPC", "", "metric"),
                ("cache misses per 1000 instructions", "", "metric")]

    def value(runs, own):
        text = {"runs": runs, "median": None, "low": None, "high": None}
        return dict(text, self=dict(text)) if own else text

    def region(i):
        time_ns = [int(1e6 * rng.gauss(1, 0.02)) for _ in range(n_runs)]
        cycles = [int(3e6 * rng.gauss(1, 0.02)) for _ in range(n_runs)]
        misses = [int(rng.gauss(1000, 30)) for _ in range(n_runs)]
        counted = 4000000 + i
        return {"name": "region %d" % i, "path": "region %d" % i, "parent": None, "flat": False,
                "values": [value([10] * n_runs, False), value(time_ns, True),
                           value([counted] * n_runs, True), value(cycles, True),
                           value(misses, True), value([counted / each for each in cycles], False),
                           value([1000 * each / counted for each in misses], False)]}

    known = ("program", "command", "host", "machine", "cpu", "source", "source_detail", "clock",
             "pinning", "version", "settings")
    return bench.write(name, dict(
        {"pmu_series": 1}, **{key: "x" for key in known}, differs=[], clock_hz=None, warmup=0,
        refused=[], noise=[], notes=[], doubts=[],
        runs=[{"start_unix_ns": 1, "duration_ns": 1, "end": None}] * n_runs,
        groups=[{"name": "CORE", "measures": [dict(zip(("name", "unit", "kind"), each))
                                              for each in measures],
                 "regions": [region(i) for i in range(n_regions)]}]))


def size(bench):
    print("\n| regions | runs a side | file | took | memory |\n|---|---|---|---|---|")
    right = True
    for n_regions, n_runs in ((10000, 20), (1000, 100), (10000, 100)):
        n_regions //= bench.options.shrink  # the last one is told, and has no limit
        a = large(bench, "a.json", n_regions, n_runs, 1)
        b = large(bench, "b.json", n_regions, n_runs, 2)
        start = time.monotonic()
        child = subprocess.Popen([bench.options.pmu, "diff", a, b], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        took = time.monotonic() - start
        cpu = usage.ru_utime + usage.ru_stime
        right &= not status and (n_regions * n_runs > 200000 or usage.ru_maxrss < 200000)
        print("| %d | %d | %.0f MB | %.2f s, %.2f s of the processor | %.0f MB |" % (
            n_regions, n_runs, os.path.getsize(a) / 1e6, took, cpu, usage.ru_maxrss / 1000),
            flush=True)
    return right


PARTS = {"counts": counts, "times": same_times, "sets": consecutive, "slower": slower, "size": size}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0],
                                     usage="%(prog)s [--quick] [OPTION]... [PART]...")
    parser.add_argument("parts", nargs="*", metavar="PART", help="of " + ", ".join(PARTS))
    parser.add_argument("--pmu", default="./pmu")
    parser.add_argument("--program", default="bench/regions")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    parser.add_argument("--quick", action="store_true", help="less of everything: a minute")
    quick = "--quick" in sys.argv
    for name, much, little, what in (
            ("same", 1000, 20, "comparisons of the same"),
            ("pairs", 12, 12, "runs a side of them"),
            ("sets", 200, 10, "comparisons of a set of runs with the next"),
            ("emulated", 60, 6, "emulated runs of the same"),
            ("variants", 30, 2, "regions that get an instruction more"),
            ("variant-runs", 8, 3, "emulated runs of each"),
            ("different", 100, 10, "comparisons with them"),
            ("slower", 100, 3, "comparisons of times of which one differs"),
            ("shrink", 1, 10, "size: so many times smaller")):
        parser.add_argument("--" + name, type=int, default=little if quick else much,
                            help="%s (%d)" % (what, much))
    parser.add_argument("--limit", default="5s" if quick else "20s", help="of each of these (20s)")
    options = parser.parse_args()
    for part in options.parts:
        if part not in PARTS:
            parser.error("%s is none of %s" % (part, ", ".join(PARTS)))
    return options


def main():
    options = parse()
    right = True
    print("| %s |\n|%s" % (" | ".join(HEAD), "---|" * len(HEAD)), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        try:
            for part in options.parts or PARTS:
                right &= PARTS[part](bench)
        except Failed as failed:
            print(failed, file=sys.stderr)
            return 2
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
