# SPDX-License-Identifier: BSD-3-Clause
"""Reports as other programs' viewers get them, beside the report itself.

viewers.py make FOLDER          made-up reports
viewers.py check REPORT FOLDER  what was made of it there (all.folded, all.speedscope.json, callgrind.out.all, and what
                                `go tool pprof -raw` says of all.pb.gz in all.raw) has the report's numbers; prints how many of
                                them were compared
"""
import json
import os
import random
import re
import sys

S = 10**9
SAMPLES = object()  # the measure that is of functions


def values(of, counts, **more):
    calls, ns, numbers = of
    net = dict(zip(counts, numbers))
    return {"calls": calls, "time_ns": ns, "self_ns": ns, "time_own_ns": 0, "time_min_ns": 1, "time_mean_ns": 1, "time_max_ns": 1,
            "time_sd_ns": 0, "share": None, "open": 0, "flags": [], "raw": net, "net": net, "self": net, "metrics": {}, **more}


def report(groups, rows, n_threads, **more):
    """rows: (group, path of names, {thread: (calls, ns, [counts])}, flags)"""
    made = {"pmu_report": 1, "version": "0.1.0", "program": "made", "command": "./made up", "host": "here", "pid": 4711,
            "rank": None, "ranks": None, "nth": 1, "start_unix_ns": 1795522617734089972, "duration_ns": 10 * S,
            "machine": {"description": "Made Up 9000", "cpu": "MadeUp-1-2-3"}, "clock": {"name": "TSC", "hz": 2.5e9},
            "source": {"name": "perf", "detail": "made up"}, "refused": [], "pinning": "none", "died": None, "notes": [],
            "groups": [{"name": g, "read_ns": 1, "counts": [{"name": c, "unit": u} for c, u in counts], "metrics": []}
                       for g, counts in groups.items()],
            "doubts": [], "regions": [],
            "threads": [{"thread": t, "name": "made", "tid": 4711 + t, "cpu": t, "merged": 0, "finished": True,
                         "time_ns": 10**15, "minor_faults": 0, "major_faults": 0, "voluntary_switches": 0,
                         "involuntary_switches": 0, "cpu_ns": 10 * S} for t in range(n_threads)]}
    made.update(more)
    for group, names, threads, flags in rows:
        counts = [c for c, _ in groups[group]]
        path = "/".join(name.replace("\\", "\\\\").replace("/", "\\/") for name in names)
        row = {"name": names[-1], "path": path, "group": group, "depth": len(names) - 1, "n_threads": len(threads),
               "parent": "/".join(names[:-1]) or None, **values((1, 1, [1] * len(counts)), counts, flags=flags)}
        row["threads"] = [{"thread": t, **values(of, counts, flags=flags)} for t, of in threads.items()]
        made["regions"].append(row)
    return made


def grow(rng, group, n_counts, names, row, rows, depth):
    """Regions nested in a row; what they have together may be more where they overlap."""
    left = {t: [of[1], *of[2]] for t, of in row.items()}
    for i in range(rng.choice((0, 1, 2, 3)) if depth < 5 else 0):
        # a name twice on a path would be one region
        name = rng.choice([n for n in ("a", "b", "c d", "e::f<g>", "h", "i", "j") if n not in names])
        if any(r[0] == group and r[1] == names + [name] for r in rows):
            continue
        overlaps = rng.random() < 0.1
        nested = {}
        for t in row:
            if rng.random() < 0.3:
                continue
            part = [rng.randrange(v * 2 + 2) if overlaps else rng.randrange(v + 1) for v in left[t]]
            left[t] = [max(0, v - p) for v, p in zip(left[t], part)]
            nested[t] = (rng.randrange(1, 100), part[0],
                         [None if rng.random() < 0.05 else v for v in part[1:]])
        if not nested:
            continue
        flags = ["overlap"] if overlaps else rng.choice(([], [], [], ["recursive", "direct"], ["recursive"]))
        rows.append((group, names + [name], nested, flags))
        known = {t: (of[0], of[1], [0 if v is None else v for v in of[2]]) for t, of in nested.items()}
        grow(rng, group, n_counts, names + [name], known, rows, depth + 1)


def some_report(seed):
    rng = random.Random(seed)
    groups = {"ONE": [("cycles", ""), ("branch-misses", "")], "TWO": [("cycles", ""), ("moved", "B"), ("energy", "uJ")]}
    groups = dict(list(groups.items())[:rng.choice((1, 2))])
    rows, n_threads = [], rng.choice((1, 1, 2, 5))
    for group, counts in groups.items():
        for name in ("main", "other")[:rng.choice((1, 2))]:
            row = {t: (1, rng.randrange(10**rng.choice((2, 6, 12))), [rng.randrange(10**rng.choice((1, 6, 15))) for _ in counts])
                   for t in range(n_threads)}
            rows.append((group, [name], row, []))
            grow(rng, group, len(counts), [name], row, rows, 1)
    return report(groups, rows, n_threads)


def sampled_report():
    """Functions of two threads in the program, a library and the kernel; one is called as a region is."""
    made = report({"G": [("cycles", "")]}, [
        ("G", ["main"], {0: (1, 100, [30]), 1: (1, 90, [20])}, []), ("G", ["main", "solve"], {0: (5, 60, [9])}, []),
        ("G", ["main", "late"], {1: (1, 60, [9])}, ["overlap"])], 2)

    def functions(*of):
        return {"n": sum(n for _, _, n in of), "period_ns": 1000000,
                "functions": [{"name": name, "object": where, "n": n} for name, where, n in of]}

    main, solve, late = made["regions"]
    main["samples"] = functions(("main", "made", 40), ("memcpy", "libc.so.6", 7), ("c 12", "made", 3))
    main["threads"][0]["samples"] = functions(("main", "made", 30), ("memcpy", "libc.so.6", 7))
    main["threads"][1]["samples"] = functions(("main", "made", 10), ("c 12", "made", 3))
    solve["samples"] = solve["threads"][0]["samples"] = functions(("dgemm<double; 3>", "libblas.so", 90), ("memcpy", "made", 1))
    solve["samples"]["functions"][0]["lines"] = [{"file": "/src/dgemm.c", "line": 42, "n": 80}, {"file": "a.h", "line": 7, "n": 5}]
    late["samples"] = late["threads"][0]["samples"] = functions(("clear_page", "[kernel]", 5))
    return made


def called_report():
    """The same where callers are known: of main in its first thread alone, and of solve."""
    made = sampled_report()

    def called(samples, functions, *calls):
        samples["callers"] = {"functions": [{"name": name, "object": where} for name, where in functions], "calls": list(calls)}

    main, solve, _ = made["regions"]
    functions = (("main", "made"), ("memcpy", "libc.so.6"), ("copy; all", "made"))
    # main 40, main -> copy; all -> memcpy 6, memcpy 1, c 3
    called(main["samples"], (*functions, ("c 12", "made")), (0, 0, 40), (1, 2, 0), (2, 1, 6), (0, 1, 1), (0, 3, 3))
    called(main["threads"][0]["samples"], functions, (0, 0, 30), (1, 2, 0), (2, 1, 6), (0, 1, 1))
    # main -> dgemm -> dgemm 90, main -> memcpy 1
    solve["samples"] = json.loads(json.dumps(solve["samples"]))
    called(solve["samples"], (("main", "made"), ("dgemm<double; 3>", "libblas.so"), ("memcpy", "made")),
           (0, 0, 0), (1, 1, 50), (2, 1, 40), (1, 2, 1))
    solve["threads"][0]["samples"] = solve["samples"]
    return made


HOSTILE = ["a;b", "c 12", "c 1.5", "line\nfeed", "tab\tand\rreturn", "\"quotes\\", "\x01\x7f", "\\xff\\xfe", "(2) x", "\u00e9\u4e16",
           "<b>&amp;", "# no comment", "12", "fn=(1)", "%s%n", " blanks ", "x" * 3000, ""]


def make(folder):
    os.makedirs(folder, exist_ok=True)

    def put(name, made):
        with open(os.path.join(folder, name), "w") as file:
            json.dump(made, file)

    for seed in range(25):
        put("some%d" % seed, some_report(seed))
    one = {"G": [("cycles", ""), ("a b-c.d:e=1", ""), ("a b-c.d:e:1", ""), ("7", "ns")]}
    put("hostile", report(one, [("G", ["main"], {0: (1, 100 * S, [9, 9, 9, 9])}, [])] +
                          [("G", ["main", name], {0: (1, S, [1, 0, 1, 0])}, []) for name in HOSTILE], 1,
                          program="a\"b\nc", command="x\ny", notes=["two\nlines"]))
    many = [("G", ["main"], {0: (1, 200 * S, [1, 1, 1, 1])}, [])]
    many += [("G", ["main", "region %d of them" % i], {0: (1, 1000000 + i, [0, 0, 0, 0])}, []) for i in range(20000)]
    put("overlap", report({"G": [("cycles", "")]}, [
        ("G", ["main"], {0: (1, 100, [30])}, []), ("G", ["main", "io"], {0: (1, 10, [4])}, []),
        ("G", ["main", "io", "read"], {0: (1, 15, [9])}, ["overlap"]),
        ("G", ["main", "io", "read", "inner"], {0: (1, 5, [6])}, [])], 1))
    put("many", report(one, many, 1))
    put("sampled", sampled_report())
    put("called", called_report())


# --- what the report says ---

def value_of(row, group, measure):
    """Of all calls, with what teams did; None: unknown."""
    team = row.get("team")
    if measure is None:
        return (team or row)["time_ns"]
    if "sockets" in row and any(c["name"] == measure and c.get("socket") for c in group["counts"]):
        team = None
    return (team or row)["net"].get(measure)


class Places:
    """Where regions are shown: what ended after the region around it is in the next one out, if in any."""

    def __init__(self, made):
        self.parent = {r["path"]: r["parent"] for r in made["regions"]}
        self.moved = {r["path"] for r in made["regions"] if "overlap" in r["flags"]}
        self.name = {r["path"]: line_of(r["name"]) for r in made["regions"]}
        shown = [self.shown(path) for path in self.parent]
        self.common = {path for path in shown if shown.count(path) > 1} if self.moved else set()

    def around(self, path):
        up = self.parent[path]
        if path not in self.moved:
            return up
        while up in self.moved:
            up = self.parent[up]
        return up and self.parent[up]

    def shown(self, path):
        names = ()
        while path is not None:
            names = (self.name[path] + (" ~" if path in self.moved else ""),) + names
            path = self.around(path)
        return names


def samples_of(row):
    return sum(f["n"] for f in row.get("samples", {}).get("functions", []))


class Expected:
    """One measure of a report: of which paths it has which value."""

    def __init__(self, made, measure, groups, places):
        self.value, self.whole, self.is_exact, self.places = {}, 0, True, places
        if measure is SAMPLES:
            self.add_samples(made, places)
            return
        for row in made["regions"]:
            if row["group"] not in groups or "flat" in row["flags"]:
                continue
            value = value_of(row, groups[row["group"]], measure)
            outermost = places.around(row["path"]) is None or "program" in row["flags"]
            certain = value is not None and not row["open"]
            if outermost:
                self.whole += value or 0
                self.is_exact &= certain
            before = self.value.get(row["path"], 0)
            self.value[row["path"]] = None if before is None or not certain else before + value
        # a program is below a region that has nothing of it
        for row in made["regions"]:
            if "program" in row["flags"] and row["parent"] is not None and row["group"] in groups:
                up = row["parent"]
                while up is not None:
                    if self.value[up] is not None:
                        self.value[up] += value_of(row, groups[row["group"]], measure)
                    up = next(r["parent"] for r in made["regions"] if r["path"] == up)

    def add_samples(self, made, places):
        self.value = {row["path"]: 0 for row in made["regions"]}
        for row in made["regions"]:
            self.whole += samples_of(row)
            up = row["path"]
            while up is not None:
                self.value[up] += samples_of(row)
                up = places.around(up)


def measures_of(made):
    """name in a viewer: (name in the report, its groups)"""
    groups = {g["name"]: g for g in made["groups"]}
    names = [c["name"] for g in made["groups"] for c in g["counts"]]
    found = {"time": (None, groups)}
    if any(samples_of(row) for row in made["regions"]):
        found["samples"] = (SAMPLES, groups)
    for g in made["groups"]:
        for c in g["counts"]:
            title = c["name"] if names.count(c["name"]) == 1 else "%s (%s)" % (c["name"], g["name"])
            found[title] = (c["name"], {g["name"]: g})
    return found


def line_of(name):
    return name.replace("\n", "\\n").replace("\t", "\\t")


# --- what the viewers get: {measure: {path: own}} ---

def read_folded(file, title):
    owns = {}
    for line in open(file, encoding="utf-8", newline="\n"):
        # that of flamegraph.pl, and no second number before it
        stack, number = re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", line[:-1]).groups()
        assert not re.fullmatch(r"(.*)\s+?(\d+(?:\.\d*)?)", stack), line
        path = tuple(stack.split(";"))
        owns[path] = owns.get(path, 0) + int(number)
    return {title: owns}  # or an estimate of it


def read_speedscope(file):
    made = json.load(open(file, encoding="utf-8"))
    frames, found = [f["name"] for f in made["shared"]["frames"]], {}
    for p in made["profiles"]:
        assert p["endValue"] == sum(p["weights"]) and len(p["samples"]) == len(p["weights"])
        title, whose = p["name"].rsplit(", ", 1)
        if whose == "all threads":
            title = re.sub(r" \[.*\]$", "", title)
            owns = found.setdefault(title, {})
            for sample, weight in zip(p["samples"], p["weights"]):
                path = tuple(line_of(frames[i]) for i in sample)
                owns[path] = owns.get(path, 0) + weight
    return found


def read_pprof(file):
    lines = open(file, encoding="utf-8").read().split("\n")
    types, found, names = None, {}, {}
    for line in lines[lines.index("Locations") + 1:lines.index("Mappings")]:
        at, name = re.fullmatch(r" *(\d+): 0x0 (?:M=\d+ )?(.*) \S*:\d+ s=0(?:\(\))?", line).groups()
        names[at] = name
    for line in lines[lines.index("Samples:") + 1:lines.index("Locations")]:
        if types is None:
            types = re.findall(r"(\S.*?)/\S+(?: |$)", re.sub(r"\[dflt\]", "", line))
            continue
        sample = re.fullmatch(r" *([\d ]+): ([\d ]+) ", line)
        if not sample:
            continue
        path = tuple(names[at] for at in reversed(sample.group(2).split()))
        for name, number in zip(types, sample.group(1).split()):
            owns = found.setdefault(name, {})
            owns[path] = owns.get(path, 0) + int(number)
    return found


def read_callgrind(file):
    """{measure: {name: [exclusive, inclusive]}}, and {measure: total}: there are no paths in it."""
    names, titles, events, found, fn, cfn = {}, {}, [], {}, None, None
    summary = None

    def name_of(text):
        at, name = re.fullmatch(r"\((\d+)\)(?: (.*))?", text).groups()
        return names.setdefault(at, name)

    for line in open(file, encoding="utf-8", newline="\n"):
        key, _, rest = line[:-1].partition("=" if re.match(r"(ob|fl|fn|cfn|calls)=", line) else ":")
        if key == "event":
            titles[rest.split(" : ")[0].strip()] = re.sub(r" \[.*\]$", "", rest.split(" : ")[1])
        elif key == "events":
            events = rest.split()
            assert all(re.fullmatch("[A-Za-z][A-Za-z0-9]*", e) for e in events) and len(set(events)) == len(events)
        elif key == "summary":
            summary = [int(n) for n in rest.split()]
        elif key == "fn":
            fn, cfn = name_of(rest), None
        elif key == "cfn":
            cfn = name_of(rest)
        elif re.match(r"\d+ ", line):
            for e, n in zip(events, line.split()[1:]):
                at = found.setdefault(titles[e], {}).setdefault(fn, [0, 0])
                at[0] += 0 if cfn else int(n)
                at[1] += int(n)
            cfn = None
    return found, dict(zip((titles[e] for e in events), summary))


# --- side by side ---

def inclusive(owns):
    found = {}
    for path, own in owns.items():
        for i in range(1, len(path) + 1):
            found[path[:i]] = found.get(path[:i], 0) + own
    return found


def is_marked(path):
    return any(name.endswith(" ~") for name in path)


def compare(what, title, expected, owns, slack, frames):
    """Return: how many numbers."""
    shown, n = inclusive(owns), 0
    assert all(own >= 0 for own in owns.values())
    if expected.is_exact:
        assert sum(owns.values()) == expected.whole, "%s, %s: %d, not %d" % (what, title, sum(owns.values()), expected.whole)
        n += 1
    for at, value in expected.value.items():
        path, up = expected.places.shown(at), at
        # of what is unknown, or nested in it, there is more or less
        while up is not None and expected.value.get(up) is not None:
            up = expected.places.around(up)
        # what was moved may have the place of another one, or be cut, too
        if up is not None or path in expected.places.common or is_marked(path):
            continue
        # what is cut has another name, and so has what is in it
        if path not in shown and any(name + " ~" in frames for name in path):
            continue
        got = shown.get(path, 0)
        assert abs(got - value) <= slack, "%s, %s: %s has %d, not %d" % (what, title, path, got, value)
        n += 1
    return n


def check(file, folder):
    made = json.load(open(file, encoding="utf-8"))
    measures, n, places = measures_of(made), 0, Places(made)
    slack = len(made["regions"])  # nanoseconds that rounding moves
    first = "samples" if "samples" in measures else "time"
    read = {"folded": read_folded(folder + "/all.folded", first), "speedscope": read_speedscope(folder + "/all.speedscope.json")}
    frames = {f["name"] for f in json.load(open(folder + "/all.speedscope.json"))["shared"]["frames"]}
    if os.path.exists(folder + "/all.raw"):
        read["pprof"] = read_pprof(folder + "/all.raw")
    callgrind, totals = read_callgrind(folder + "/callgrind.out.all")
    for title, (name, groups) in measures.items():
        expected = Expected(made, name, groups, places)
        for what, found in read.items():
            at = title if title in found else "~" + title if "~" + title in found else None
            # where a thread's is unknown pprof has those of the others, all the same
            partly = what == "pprof" and any(r["net"].get(name, 0) is None for r in made["regions"]) if name else False
            # estimates of turns are another matter, and those of several threads are not that of all
            estimated = at is not None and at[0] == "~" and (what == "pprof" or any(g.get("in_turns") for g in groups.values()))
            if at is None or partly or estimated:
                continue
            n += compare(what, title, expected, found[at], 0 if name else slack, frames)
        title = title if title in totals else "~" + title
        if title in totals:
            whole = read["speedscope"].get(title, {})
            assert totals[title] == sum(whole.values()), title
            assert totals[title] == sum(own for own, _ in callgrind[title].values()), title
            assert totals[title] == callgrind[title]["(root)"][1], title
            n += 3
            # functions are in one place there, wherever they are called from
            if title == "samples" and any("callers" in row.get("samples", {}) for row in made["regions"]):
                continue
            shown = {}
            for path, value in inclusive(whole).items():
                shown[path[-1]] = shown.get(path[-1], 0) + value
            for name, value in shown.items():
                assert callgrind[title][name][1] == value, "callgrind, %s: %s" % (title, name)
            n += len(shown)
    print(n)


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
