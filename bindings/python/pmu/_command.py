# SPDX-License-Identifier: BSD-3-Clause
"""The command `pmu` of a wheel: the program that is inside."""
import os
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "pmu")


def main():
    try:
        os.execv(PROGRAM, ["pmu"] + sys.argv[1:])
    except OSError as why:
        sys.exit("pmu: %s: %s" % (PROGRAM, why.strerror))
