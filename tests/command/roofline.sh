#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu report --roofline, pmu run --roofline: the table, the picture, what is said where something is missing.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_ENABLE PMU_REQUIRE PMU_ROTATE
export XDG_CACHE_HOME="$tmp/cache"
command -v python3 >/dev/null || skip_all 'no python3, which makes the reports'
subcommand=report

# Reports of a machine that is none: a section for each group, regions by [calls, ns, counts].
cat >make.py <<'END'
import json

S = G = 10**9
GROUPS = {
    "FLOPS_DP": (["d"], [("double precision", "GFLOP/s", "d / time / 1e9")]),
    "FLOPS_SP": (["s"], [("single precision", "GFLOP/s", "s / time / 1e9")]),
    "ANY": (["f"], [("any precision", "GFLOP/s", "f / time / 1e9")]),
    "MEM": (["r", "w"], [("memory read", "GB", "r / 1e9"), ("memory written", "GB", "w / 1e9")]),
    "CACHE": (["m"], [("last level misses", "GB/s", "64 * m / time / 1e9")]),
    "TIME": ([], []),
}

def values(of, counts, n):
    calls, ns, numbers = of
    shares = {c: v // n for c, v in zip(counts, numbers)}
    return {"calls": calls // n, "time_ns": ns // n, "self_ns": ns // n, "time_own_ns": 0, "time_min_ns": 1,
            "time_mean_ns": 1, "time_max_ns": 1, "time_sd_ns": 0, "share": None, "open": 0, "flags": [],
            "raw": shares, "net": shares, "self": shares, "metrics": {}}

def report(file, regions, **more):
    made = {"pmu_report": 1, "version": "0.1.0", "program": "made", "command": "./made up", "host": "here", "pid": 4711,
            "rank": None, "ranks": None, "nth": 1, "start_unix_ns": 1795522617734089972, "duration_ns": 10 * S,
            "machine": {"description": "Made Up 9000", "cpu": "MadeUp-1-2-3"}, "clock": {"name": "TSC", "hz": 2.5e9},
            "source": {"name": "perf", "detail": "made up"}, "refused": [], "pinning": "none", "died": None, "notes": [],
            "groups": [], "doubts": [], "regions": [],
            "threads": [{"thread": t, "name": "made", "tid": 4711 + t, "cpu": t, "merged": 0, "finished": True,
                         "time_ns": 10 * S, "minor_faults": 0, "major_faults": 0, "voluntary_switches": 0,
                         "involuntary_switches": 0, "cpu_ns": 10 * S} for t in range(4)]}
    made.update(more)
    for group, (counts, metrics) in GROUPS.items():
        rows = [(path, n, of[group]) for path, n, of in regions if group in of]
        if not rows:
            continue
        made["groups"].append({"name": group, "read_ns": 1, "counts": [{"name": c, "unit": ""} for c in counts],
                               "metrics": [{"name": m, "unit": u, "formula": f} for m, u, f in metrics]})
        for path, n, of in rows:
            names = path.split("/")
            row = {"name": names[-1], "path": path, "group": group, "depth": len(names) - 1, "n_threads": n,
                   "parent": "/".join(names[:-1]) or None, **values(of, counts, 1)}
            row["threads"] = [{"thread": t, **values(of, counts, n)} for t in range(n)]
            made["regions"].append(row)
    json.dump(made, open(file, "w"))

def usual(*of):  # calls, ns, FLOP in double, in single, read, written
    calls, ns, d, s, r, w = of
    return {"FLOPS_DP": (calls, ns, [d]), "FLOPS_SP": (calls, ns, [s]), "MEM": (calls, ns, [r, w])}

EVIL = "<b onload=\"x\">&'\x1f\x7f]]>--\ufffe\u202e"
report("usual.json", [
    ("main", 1, usual(1, 8 * S, 60 * G, 20 * G, 40 * G, 20 * G)),
    # calls differ by section
    ("main/triad", 1, {"FLOPS_DP": (100, S, [2 * G]), "FLOPS_SP": (50, S // 2, [0]), "MEM": (200, 2 * S, [32 * G, 16 * G])}),
    ("main/dgemm", 1, usual(10, 4 * S, 160 * G, 0, 2 * G, G)),
    ("main/sgemm", 1, usual(10, S, 0, 70 * G, G // 4, G // 8)),
    ("main/copy", 1, usual(10, S, 0, 0, 12 * G, 12 * G)),
    ("main/" + EVIL, 1, usual(10, S, G, 0, 6 * G, 2 * G)),
    ("main/a stencil whose name is longer than any table has room for, or a picture", 1, usual(10, S, 4 * G, 0, 12 * G, 4 * G)),
    ("team", 4, usual(4, 4 * S, 20 * G, 0, 24 * G, 8 * G)),
], program=EVIL)
report("many.json", [("main", 1, usual(1, 90 * S, 60 * G, 0, 40 * G, 20 * G))] +
       [("main/region %d" % i, 1, usual(100, S + i, (2 + i % 9) * G, 0, 3 * G, G)) for i in range(60)])
report("misses.json", [("solve", 4, {"FLOPS_DP": (8, 4 * S, [8 * G]), "CACHE": (4, 4 * S, [G // 16])})])
report("any.json", [("solve", 1, {"ANY": (8, S, [8 * G]), "MEM": (4, S, [G, G])})])
report("flops.json", [("solve", 1, {"FLOPS_DP": (8, S, [8 * G])})],
       notes=["group MEM cannot be counted here: nothing counts it"])
report("time.json", [("solve", 1, {"TIME": (8, S, [])})],
       refused=[{"source": "perf", "why": "this virtual machine shows no PMU", "mend": "run on bare metal"}])
report("plain.json", [("solve", 1, {"TIME": (8, S, [])})])
report("nothing.json", [])

def rates(one, times):
    return [{"median": one}, {"median": one * times}]

def ceilings(file, **more):
    made = {"pmu_ceilings": 1, "machine": "Made Up 9000", "host": "here", "cpu": "MadeUp-1-2-3", "unix_s": 1795522617,
            "threads": [1, 4],
            "flops": [{"precision": p, "vector_bits": bits, "rates": rates(one * by, 4)}
                      for p, by in (("double", 1), ("single", 2)) for bits, one in ((0, 10e9), (128, 20e9), (256, 60e9))],
            "levels": [{"name": name, "cache_bytes": size, "moves": [{"kind": "read", "rates": rates(one, times)}]}
                       for name, size, one, times in (("L1", 32768, 400e9, 4), ("L2", 1 << 20, 200e9, 4), ("memory", None, 25e9, 1.6))]}
    made.update(more)
    json.dump(made, open(file, "w"))

ceilings("ceilings.json")
ceilings("other.json", cpu="Other-1")
ceilings("negative.json", levels=[{"name": "memory", "cache_bytes": None, "moves": [{"kind": "read", "rates": rates(-1, 1)}]}])
END
python3 make.py >err 2>&1
result $? 'reports are made'

# --- the table ---

run 0 'a report and ceilings' --roofline --ceilings ceilings.json usual.json
grep -qE '^ +triad +1 +20\.00 M +240\.0 M +0\.08 +2\.00 +24\.00 +memory +96\.0%$' out
result $? 'intensity is of a call, rates are by the time of their section'
grep -qE '^ +dgemm +1 .* 53\.33 +40\.00 +0\.75 +compute +66\.7%$' out
result $? 'above the ridge'
grep -qE '^ +copy +1 .* 0\.00 +0\.00 +24\.00 +memory +96\.0%$' out
result $? 'without operations'
grep -qE '^ +team +4 .* 0\.63 +20\.00 +32\.00 +memory +80\.0%$' out
result $? 'four threads beside what four move'
has out 'dgemm has the most time of its own: bound by compute, it computes 40.00 of the 60.00 GFLOP/s' 'a sentence'
sed 's/[^ -~]//g' out | awk 'length > 100' >err && ! [ -s err ]
result $? 'within 100 columns'
! grep -q "$(printf '[\001-\010\013-\037]')" out
result $? 'no control characters'
run 0 'some of them' --roofline --ceilings ceilings.json --top 2 usual.json
has out 'main' 'those with the most time'
lacks out 'sgemm' 'and no others'
run 0 'by name' --roofline --ceilings ceilings.json --filter 'tri*' usual.json
has out 'triad' 'those that match'
lacks out 'dgemm' 'and no others, in the sentence neither'
run 0 'as many as a table has' --roofline --ceilings ceilings.json many.json

# --- where ceilings are ---

run 0 'no ceilings' --roofline usual.json
has out "none of this machine: 'pmu-bench --ceilings' measures them" 'it says how to get them'
grep -qE '^ +triad +1 .* 0\.08 +2\.00 +24\.00$' out
result $? 'intensities and rates are there'
lacks out 'bound by' 'and nothing else'
mkdir -p cache/pmu && cp ceilings.json cache/pmu/ceilings-here-MadeUp-1-2-3.json
run 0 'where pmu-bench writes them' --roofline usual.json
has out 'bound by' 'they are found by host and processor'
head -c 700 ceilings.json >cache/pmu/ceilings-here-MadeUp-1-2-3.json
run 0 'half a file' --roofline usual.json
has out 'not JSON' 'it says so'
has out 'measures them again' 'and how to mend it'
rm -r cache
run 1 'a file that is not there' --roofline --ceilings none.json usual.json
has err 'cannot open none.json' 'it says so'
run 1 'a file with nonsense' --roofline --ceilings negative.json usual.json
has err '"median" is missing or makes no sense' 'it says what'
run 0 "another machine's" --roofline --ceilings other.json usual.json
has out 'they are of another processor (Other-1' 'it says so'

# --- what is missing ---

run 0 'misses of caches' --roofline --ceilings ceilings.json misses.json
grep -qE '^ +solve +4 .* 1\.00 +8\.00 +4\.00 +memory +10\.0%$' out
result $? 'are lines of 64 bytes'
has out '64 for each miss of the last cache' 'it says so'
has out 'in double precision alone' 'and which operations'
run 0 'precisions that nobody tells apart' --roofline --ceilings ceilings.json any.json
has out 'which this processor does not tell apart' 'it says so'
run 0 'operations alone' --roofline --ceilings ceilings.json flops.json
has out 'group MEM cannot be counted here' 'it says why there are no bytes'
lacks out 'FLOP/byte' 'and has no intensity'
run 0 'no PMU' --roofline --ceilings ceilings.json time.json
has out 'no floating point operations were counted: this virtual machine shows no PMU' 'it says why'
! grep -qE '(^| )0\.00' out
result $? 'nothing is 0'
run 0 'nothing of the kind' --roofline plain.json
has out "'pmu run --roofline' counts them" 'it says how to count'
run 0 'no regions' --roofline nothing.json

# --- the picture ---

cat >svg.py <<'END'
import sys, xml.dom.minidom

text = open(sys.argv[1], encoding="utf-8").read()
svg = xml.dom.minidom.parseString(text.encode())
names = [t.firstChild.data for t in svg.getElementsByTagName("text") if t.getAttribute("class") == "name"]
dots = [c for c in svg.getElementsByTagName("circle")]
assert not svg.getElementsByTagName("script") and not svg.getElementsByTagName("b") and "href" not in text
assert not any(a.startswith("on") for e in svg.getElementsByTagName("*") for a in e.attributes.keys())
assert "nan" not in text and "prefers-color-scheme" in text
box = list(map(float, svg.documentElement.getAttribute("viewBox").split()))
for dot in dots:
    assert 0 < float(dot.getAttribute("cx")) < box[2] and 0 < float(dot.getAttribute("cy")) < box[3]
    assert "FLOP/byte" in dot.getElementsByTagName("title")[0].firstChild.data
print(len(dots), len(names))
for name in names:
    print(name)
END
for file in usual many misses any flops time plain nothing; do
	run 0 "a picture of $file" --roofline --ceilings ceilings.json -o $file.svg $file.json
	python3 svg.py $file.svg >seen 2>err
	result $? '  it is well-formed, with nothing that runs'
done
python3 svg.py usual.svg >seen
[ "$(head -n 1 seen)" = '7 7' ]
result $? 'a dot and a name for each region with operations'
grep -qF '<b onload="x">&' seen
result $? 'names are data'
python3 svg.py many.svg >seen
[ "$(head -n 1 seen | cut -d' ' -f1)" = 25 ] && grep -q '36 more regions with less time' many.svg
result $? 'not more than can be told apart, with the number of the others'
for text in 'double precision, 256 bits: 240 GFLOP/s' 'single precision, 256 bits: 480 GFLOP/s' 'memory 40 GB/s' 'L1 1600 GB/s'; do
	has usual.svg "$text" "ceilings have labels: $text"
done
run 0 'without ceilings' --roofline -o none.svg usual.json
has none.svg 'no ceilings: pmu-bench' 'it says so'
python3 svg.py none.svg >seen && [ "$(head -n 1 seen)" = '7 7' ]
result $? 'and has the regions all the same'
run 0 'several outputs' --roofline --ceilings ceilings.json -o both.svg -o both.json -o both.txt usual.json
"$pmu" report usual.json -o same.json && cmp -s same.json both.json
result $? 'JSON is the report itself'
has both.txt 'under its roofline' 'text is the table'

# --- options ---

run 2 'a picture of a report' usual.json -o usual.svg
has err 'no report is .svg' 'there is none'
run 2 'ceilings for nothing' --ceilings ceilings.json usual.json
run 2 'of nothing' --roofline

# --- run ---

subcommand=run
# A sanitizer's runtime has to be the first library of a program.
if [ -n "${TEST_SANITIZERS:-}" ]; then
	skip 'commands' 'what is preloaded has a sanitizer'
else
	run 0 'a command' --roofline --auto main -o run.txt -o run.svg -o run.json -- true
	has run.txt 'under its roofline' 'its table'
	python3 svg.py run.svg >seen 2>err
	result $? 'its picture'
	grep -q '"name": "FLOPS_DP"' run.json
	result $? 'operations were to be counted'
	run 0 'what is set' --roofline -- sh -c 'echo "$PMU_GROUP $PMU_ROTATE"'
	grep -qE '^FLOPS_DP,FLOPS_SP,(MEM|CACHE) 1$' out
	result $? 'groups, which take turns'
	run 0 'with a group of its own' --roofline -g FLOPS_DP -- sh -c 'echo "$PMU_GROUP $PMU_ROTATE"'
	has out 'FLOPS_DP 1' 'that is counted'
fi
run 2 'repeated' --roofline --repeat 3 -- true
run 125 'ceilings that are not there' --roofline --ceilings none.json -- touch started
[ ! -e started ]
result $? 'nothing was started'
run 125 'a picture without it' -o run.svg -- touch started
finish
