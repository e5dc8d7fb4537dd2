#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu-bench --ceilings: the loops do what they are said to do, to the instruction; what is measured is whole, and in an order
# that no machine contradicts.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
suite=$build/pmu-bench
pmu=$suite
valgrind=${TEST_VALGRIND:-valgrind}
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_ENABLE VALGRIND_OPTS

case $(uname -m) in
x86_64 | aarch64) ;;
*) skip_all 'no loops for this processor' ;;
esac

# --- what the loops do ---

# child KIND TURNS: a line for each loop with instructions that this processor has
child() {
	"$suite" --child ceiling "$@" >out 2>err
}

for kind in flops streams; do
	child $kind 65536
	result $? "$kind: the results of $(wc -l <out) loops are right"
done
child flops 0
[ $? = 2 ]
result $? 'no turns'

# counted KIND TURNS: instructions, loads and stores, of the whole program
counted() {
	"$valgrind" --tool=callgrind --callgrind-out-file=/dev/null --cache-sim=yes \
		"$suite" --child ceiling "$@" 2>&1 >out |
		awk '{ gsub(",", "") } /I +refs:/ { i = $4 } /D +refs:/ { d = $4 } END { print i, d }'
}

if [ -n "${TEST_SANITIZERS:-}" ] || ! command -v "$valgrind" >/dev/null; then
	skip 'counted by callgrind' 'no valgrind, or built with a sanitizer'
elif ! "$valgrind" -q --tool=callgrind --callgrind-out-file=/dev/null true 2>err; then
	skip 'counted by callgrind' "$(head -n 1 err)"
else
	# 2000 turns more of each loop, and nothing else but chance in how the program starts
	{
		counted flops 1000
		counted flops 3000
		cat out
	} >book
	awk 'NR == 1 { i = $1 } NR == 2 { i = $1 - i } NR > 2 { turn += $4 }
		END { print i / 2000, "instructions a turn of all, expected", turn
			exit turn < 20 || (i / 2000 - turn) ^ 2 > 0.1 }' book >err
	result $? "$(($(wc -l <book) - 2)) loops execute the instructions that their operations are reckoned from"
	{
		counted streams 1000
		counted streams 3000
		cat out
	} >book
	awk 'NR == 1 { d = $2 } NR == 2 { d = $2 - d } NR > 2 { turn += $3 / ($2 / 8) }
		END { print d / 2000, "loads and stores a turn of all, expected", turn
			exit turn < 20 || (d / 2000 - turn) ^ 2 > 0.1 }' book >err
	result $? "$(($(wc -l <book) - 2)) loops load and store the bytes that are said"
	"$valgrind" -q --tool=none "$suite" --ceilings >out 2>err
	[ $? = 1 ] && grep -q 'times mean nothing' err
	result $? 'no ceilings are measured there'
fi

# --- options ---

run 2 'a kernel' --ceilings copy
has err 'it has loops and sizes of its own' 'it says why not'
run 2 'a size' --ceilings --size 1M
run 2 'verified' --ceilings --verify
run 2 'a file without it' -o x.json copy

# --- what comes out ---

if ! command -v python3 >/dev/null; then
	skip 'what comes out' 'no python3'
	finish
fi
cat >check.py <<'END'
import json, sys

c = json.load(open(sys.argv[1]))
assert c["pmu_ceilings"] == 1 and c["host"] and c["cpu"] and c["unix_s"] > 1600000000
assert c["threads"][0] == 1 <= c["threads"][1]
median = lambda rates, team: rates[team]["median"]
for flops in c["flops"]:
    assert flops["precision"] in ("double", "single")
    for rate in flops["rates"]:
        assert 0 < rate["least"] <= rate["median"] <= rate["most"] < 1e16, rate
quiet = c["disturbed"] == 0
for team in (0, 1) if quiet else ():
    best = {p: max(median(f["rates"], team) for f in c["flops"] if f["precision"] == p) for p in ("double", "single")}
    scalar = min(median(f["rates"], team) for f in c["flops"] if f["vector_bits"] == 0)
    # a vector of two or more against one element; some processors do vectors by halves
    assert best["single"] > scalar and best["double"] > scalar / 2, (best, scalar)
names = [level["name"] for level in c["levels"]]
assert names[-1] == "memory" and len(set(names)) == len(names), names
for level in c["levels"]:
    assert (level["cache_bytes"] is None) == (level["name"] == "memory")
    assert {m["kind"] for m in level["moves"]} == {"read", "copy", "triad"}
    for move in level["moves"]:
        for rate in move["rates"]:
            assert 0 < rate["least"] <= rate["median"] <= rate["most"] < 1e16, rate
sizes = [level["data_bytes"][0] for level in c["levels"]]
assert sizes == sorted(sizes), sizes
if len(names) > 2 and quiet:
    first, memory = c["levels"][0]["moves"][0]["rates"], c["levels"][-1]["moves"][0]["rates"]
    assert median(first, 0) > median(memory, 0), (first, memory)
END
if [ -n "${TEST_SANITIZERS:-}" ]; then
	skip 'what comes out' 'built with a sanitizer'
	finish
fi
XDG_CACHE_HOME=$PWD/cache "$suite" --ceilings >out 2>err
result $? 'ceilings'
has err "written to $PWD/cache/pmu/ceilings-" 'where pmu looks for them'
grep -qE '^memory .*[0-9]' out && grep -qE '^double +scalar' out
result $? 'a table'
python3 check.py cache/pmu/ceilings-*.json 2>err
result $? 'and a file that is whole'
taskset -c "$(taskset -cp $$ | sed 's/.*[ ,-]//')" "$suite" --ceilings --json -o here.json >out 2>err
result $? 'on one processor, elsewhere'
python3 check.py here.json 2>err && cmp -s out here.json && python3 -c '
import json; assert json.load(open("here.json"))["threads"] == [1, 1]' 2>err
result $? 'the same as JSON'
run 1 'nowhere to write to' --ceilings -o /nonexistent/x.json
has err 'cannot write /nonexistent/x.json' 'it says so'
finish
