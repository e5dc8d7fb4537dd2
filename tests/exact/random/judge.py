# SPDX-License-Identifier: BSD-3-Clause
"""A report beside what an oracle says: calls and net instructions of every path are the same, or the row has a mark."""
import csv
import json
import re
from dataclasses import dataclass, field

# What doubts say that leave a row's counts right.
HARMLESS = ("overlaps: ", "ended without a begin")
CYCLE = "recursive by way of each other"
FORMULA = ("\\x3d", "\\x2b", "\\x2d", "\\x40")
# What doubts say of a row with calls that have not ended.
OPEN = ("still open ", "never ended")


COMPARED, MARKED, WRONG = range(3)


@dataclass
class Verdict:
    outcome: dict = field(default_factory=dict)  # of each path COMPARED, MARKED or WRONG
    wrong: list = field(default_factory=list)  # (path, what, got, want)
    marks: dict = field(default_factory=dict)  # how many rows a doubt was about

    def refuse(self, path, what, got, want):
        self.outcome[path] = WRONG
        self.wrong.append((path, what, got, want))

    def count(self, outcome):
        return sum(o == outcome for o in self.outcome.values())


@dataclass
class Total:
    """Of the verdicts on several cases"""
    cases: int = 0
    programs: int = 0
    regions: list = field(default_factory=lambda: [0, 0, 0])  # COMPARED, MARKED, WRONG
    table: dict = field(default_factory=dict)  # of each kind and setting: programs, and regions likewise
    marks: dict = field(default_factory=dict)

    def row(self, name):
        return self.table.setdefault(name, [0, 0, 0, 0])

    def add_kinds(self, case, verdict):
        """Each program by itself; regions of other threads are below none of them"""
        kinds = [p.get("kind", "by hand") for p in case["programs"]]
        for kind in kinds:
            self.row("kind " + kind)[0] += 1
        for path, outcome in verdict.outcome.items():
            own = re.match(r"p([0-9]+)(?:/|$)", path)
            self.row("kind " + kinds[int(own[1])] if own else "other threads")[1 + outcome] += 1

    def add(self, case, verdict):
        self.cases += 1
        self.programs += len(case["programs"])
        regions = [verdict.count(outcome) for outcome in (COMPARED, MARKED, WRONG)]
        self.regions = [a + b for a, b in zip(self.regions, regions)]
        self.add_kinds(case, verdict)
        for name in ["plugin"] * bool(case["build"].get("plugin")) + [case["build"]["compiler"], *case["build"]["flags"].split(), *("%s=%s" % s for s in case["settings"].items())]:
            row = self.row(name)
            row[:] = [a + b for a, b in zip(row, [len(case["programs"]), *regions])]
        for text, n in verdict.marks.items():
            self.marks[text] = self.marks.get(text, 0) + n


def as_begun(path):
    """The first byte of a cell is shown by its value where it would make it a formula: not behind a program's name"""
    return chr(int(path[2:4], 16)) + path[4:] if path[:4] in FORMULA else path


def read_oracle(text):
    """{path: (calls, instructions)} of lines CALLS INSTRUCTIONS PATH, with "team " before what was done for another thread's region"""
    wants = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        calls, instructions, path = line.removeprefix("team ").split(" ", 2)
        path = as_begun(path)
        before = wants.get(path, (0, 0))
        wants[path] = (before[0] + int(calls), before[1] + int(instructions))
    return wants


def around_cycles(regions):
    """Paths of rows with counts that cannot all be told apart, as pmu(7) says: they have no self because the region, or one
    around it, was entered again by way of others"""
    cycles = [r["path"] for r in regions if "recursive" in r["flags"] and "direct" not in r["flags"]]
    return {r["path"] for r in regions for c in cycles if "no_self" in r["flags"] and (r["path"] + "/").startswith(c + "/")}


def add_rows(rows, json_file):
    """Adds a report's to rows.  Return: doubts that are about no region"""
    with open(json_file, encoding="utf-8") as file:
        report = json.load(file)
    above = [r["path"] + "/" for r in report["regions"] if "program" in r["flags"]]

    def below(path):
        """Without the program's name"""
        return as_begun(next((path[len(a):] for a in above if path.startswith(a)), path))

    with open(json_file.with_suffix(".csv"), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if not (row["thread"] == "all" or row["thread"].startswith("team ")) or row["path"] + "/" in above:
                continue
            calls, count = int(row["calls"]), row["net:instructions"]
            seen = rows.setdefault(below(row["path"]), [0, 0, []])
            seen[0] += calls
            seen[1] = None if count == "" or seen[1] is None else seen[1] + int(count)
    marks = [(path, CYCLE) for path in around_cycles(report["regions"])]
    marks += [(r["path"], "still open ") for r in report["regions"] if r.get("open")]
    marks += [(d["region"], d["text"]) for d in report["doubts"]
              if d["region"] is not None and not d["text"].startswith(HARMLESS)]
    for path, text in marks:
        seen = rows.get(below(path)) or rows.get(path)
        if seen:
            seen[2].append(text)
    return [d["text"] for d in report["doubts"] if d["region"] is None]


def read_report(json_files):
    """{path: [calls, instructions or None, [doubt...]]}, summed over groups and processes, and doubts that are about no region;
    each JSON report has a CSV one beside it"""
    rows, general = {}, []
    for file in json_files:
        general += add_rows(rows, file)
    return rows, general


def compare(wants, rows):
    verdict = Verdict()
    for path, (calls, instructions) in wants.items():
        got = rows.get(path)
        if got is None:
            if calls:
                verdict.refuse(path, "row", None, calls)
            continue
        is_open = any(t.startswith(OPEN) for t in got[2])
        if got[0] != calls and not is_open:
            verdict.refuse(path, "calls", got[0], calls)
        elif got[2] or got[1] is None:
            verdict.outcome[path] = MARKED
            for text in {t.split(" (")[0] for t in got[2]} or {"missing"}:
                verdict.marks[text] = verdict.marks.get(text, 0) + 1
        elif got[1] != instructions:
            verdict.refuse(path, "instructions", got[1], instructions)
        else:
            verdict.outcome[path] = COMPARED
    for path in rows.keys() - wants.keys():
        if rows[path][0]:
            verdict.refuse(path, "row", rows[path][0], None)
    return verdict


def as_words(regions):
    return "%d regions compared, %d marked, %d wrong" % tuple(regions)
