#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a region costs a Python program: make python-cost.

Each subject takes turns with an empty `with` of a plain class, in short blocks; the ratio is the
median of those of neighbouring blocks.  The exit status is 1 where a region takes longer than the
target.
"""
import os
import sys
import time

os.environ.setdefault("PMU_BACKEND", "clock")
os.environ.setdefault("PMU_OUTPUT", "none")
import pmu  # noqa: E402: it reads the settings

ROUNDS = 101
PAIRS = 200
TARGET_NS = 2000  # a begin/end pair, however it is written


class Empty:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        pass


def empty_with():
    for _ in range(PAIRS):
        with Empty():
            pass


def with_region():
    for _ in range(PAIRS):
        with pmu.region("solve"):
            pass


def kept_region():
    solve = pmu.region("solve")
    for _ in range(PAIRS):
        with solve:
            pass


def begin_end():
    for _ in range(PAIRS):
        pmu.begin("solve")
        pmu.end("solve")


@pmu.region
def nothing():
    pass


def decorated():
    for _ in range(PAIRS):
        nothing()


def many_names():
    for i in range(PAIRS):
        with pmu.region(NAMES[i]):
            pass


NAMES = ["step %d" % i for i in range(PAIRS)]
SUBJECTS = (
    ('with pmu.region("solve")', with_region),
    ("a region that is kept", kept_region),
    ("pmu.begin, pmu.end", begin_end),
    ("@pmu.region", decorated),
    ("%d names in turn" % PAIRS, many_names),
)


def time_block(block):
    start = time.perf_counter_ns()
    block()
    return (time.perf_counter_ns() - start) / PAIRS


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]


def measure(block):
    """Nanoseconds of a pair (median, least), of an empty with, and the ratio."""
    block()  # everything is met for the first time
    pairs = []
    for _ in range(ROUNDS):
        bare = time_block(empty_with)
        pairs.append((time_block(block), bare))
    ns = [took for took, _ in pairs]
    return median(ns), min(ns), median([bare for _, bare in pairs]), median(
        [took / bare for took, bare in pairs])


def main():
    print("Python %d.%d, libpmu from %s" % (sys.version_info[:2] + (pmu.library(),)))
    print("%-28s %8s %8s %11s %7s" % ("", "ns", "least", "empty with", "ratio"))
    slow = False
    for name, block in SUBJECTS:
        ns, least, bare, ratio = measure(block)
        slow |= ns > TARGET_NS
        print("%-28s %8.0f %8.0f %11.0f %7.2f%s" % (
            name, ns, least, bare, ratio, "  over %d ns" % TARGET_NS if ns > TARGET_NS else ""))
    if pmu.read("solve") is None:
        print("nothing was measured: %s" % (pmu.last_error() or "PMU_ENABLE=0"))
        return 1
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
