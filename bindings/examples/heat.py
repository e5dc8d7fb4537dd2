#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The temperature of a plate with one hot edge, by Jacobi's method.

python3 heat.py [SWEEPS]
"""
import sys

import pmu

N = 64  # points on an edge
EVERY = 10  # sweeps from one look at the residual to the next


@pmu.region("init")
def init():
    return [[1.0] + [0.0] * (N - 1) for _ in range(N)]


def mean(plate, i, j):
    return 0.25 * (plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] + plate[i][j + 1])


@pmu.region("sweep")
def sweep(plate):
    swept = [row[:] for row in plate]
    for i in range(1, N - 1):
        for j in range(1, N - 1):
            swept[i][j] = mean(plate, i, j)
    return swept


@pmu.region("residual")
def residual(plate):
    """The largest difference between a point and the mean of its neighbours."""
    return max(abs(mean(plate, i, j) - plate[i][j])
               for i in range(1, N - 1) for j in range(1, N - 1))


def main():
    n_sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    left = 0.0
    plate = init()
    with pmu.region("solve"):
        for i in range(1, n_sweeps + 1):
            plate = sweep(plate)
            if i % EVERY == 0:
                left = residual(plate)
    print("after %d sweeps the residual is %.6e" % (n_sweeps, left))


main()
