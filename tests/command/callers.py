# SPDX-License-Identifier: BSD-3-Clause
"""What called what, in a JSON report.

callers.py REPORT PATH FUNCTION...  of the program's own functions the region's stacks have these alone, each called by the one
                                    before it or by itself; all of them together
                                    have samples, 30 at least: else the status is 2
callers.py same REPORT              each function has as many samples in stacks as in all
"""
import json
import sys


def find_rows(report):
    for region in report["regions"]:
        yield region
        # of runs that were merged one may have had none
        yield from (row for row in region["threads"] if "callers" in (row.get("samples") or {}))


def stacks(samples):
    """(functions, the outermost first; samples) of each call."""
    callers, made = samples["callers"], []
    for caller, function, n in callers["calls"]:
        assert caller <= len(made)
        made.append(((made[caller - 1][0] if caller else []) + [callers["functions"][function]], n))
    return made


def check_same(report):
    checked = 0
    for row in find_rows(report):
        samples = row.get("samples")
        if not samples:
            continue
        leaves = {}
        for stack, n in stacks(samples):
            key = stack[-1]["name"], stack[-1]["object"]
            leaves[key] = leaves.get(key, 0) + n
        leaves = {key: n for key, n in leaves.items() if n}
        assert leaves == {(f["name"], f["object"]): f["n"] for f in samples["functions"]}, row
        assert sum(leaves.values()) == samples["n"]
        checked += 1
    assert checked


def check_region(report, path, functions):
    n_last = 0
    for row in find_rows({"regions": [r for r in report["regions"] if path in ("all", r["path"])]}):
        for stack, n in stacks(row["samples"]) if row.get("samples") else []:
            names = [f["name"] for f in stack if f["object"] == "callers"]
            ours = [name for name in names if name not in ("main", "run_all", "cpu_ms")]
            assert set(ours) <= set(functions), (path, names)
            order = [functions.index(name) for name in ours]
            assert order == sorted(order), (path, names)
            # a sample in a function's first or last instructions lacks its caller
            n_last += n if set(ours) == set(functions) else 0
    if n_last < 30:
        sys.exit(2)


if sys.argv[1] == "same":
    with open(sys.argv[2]) as file:
        check_same(json.load(file))
else:
    with open(sys.argv[1]) as file:
        check_region(json.load(file), sys.argv[2], sys.argv[3:])
