#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu diff` of reports with samples: functions whose share is another one, and what cannot be told of them.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
evidence='out err a.json b.json'

# sampled FILE PROGRAM CALLS PERIOD SAMPLES [NAME OBJECT N]...: a report of one region in main, 1 s of time, with samples
sampled() {
	file=$1 program=$2 calls=$3 samples="{\"n\": $5, \"period_ns\": $4, \"functions\": [" comma=''
	shift 5
	while [ $# -gt 0 ]; do
		samples="$samples$comma{\"name\": \"$1\", \"object\": \"$2\", \"n\": $3}" comma=', '
		shift 3
	done
	samples=", \"samples\": $samples]}"
	[ -n "$comma" ] || samples=''
	cat >"$file" <<END
{"pmu_report": 1, "version": "0.1.0", "program": "$program", "command": "./$program", "host": "h", "pid": 1, "rank": null,
"ranks": null, "nth": null, "start_unix_ns": 1, "duration_ns": 1000000000, "machine": {"description": "m", "cpu": "c"},
"clock": {"name": "k", "hz": 1000000000}, "source": {"name": "clock", "detail": "time only"}, "refused": [], "pinning": "none",
"died": null, "notes": [], "groups": [{"name": "TIME", "read_ns": null, "share_of": "time_ns", "counts": [], "metrics": []}],
"threads": [{"thread": 0, "name": "p", "tid": 1, "cpu": 0, "merged": 0, "finished": false, "time_ns": 1000000000,
"minor_faults": 0, "major_faults": 0, "voluntary_switches": 0, "involuntary_switches": 0, "cpu_ns": 1000000000}],
"regions": [{"name": "solve", "path": "solve", "group": "TIME", "depth": 0, "parent": null, "n_threads": 1, "calls": $calls,
"time_ns": 1000000000, "cpu_ns": null, "blocked_ns": null, "runnable_ns": null, "self_ns": 1000000000, "self_cpu_ns": null,
"time_own_ns": 0, "time_min_ns": 1, "time_mean_ns": 1, "time_max_ns": 1, "time_sd_ns": 0, "share": 1, "open": 0, "flags": [],
"raw": {}, "net": {}, "self": {}, "metrics": {}$samples,
"threads": [{"thread": 0, "calls": $calls, "time_ns": 1000000000, "cpu_ns": null, "blocked_ns": null, "runnable_ns": null,
"self_ns": 1000000000, "self_cpu_ns": null, "time_own_ns": 0, "time_min_ns": 1, "time_mean_ns": 1, "time_max_ns": 1,
"time_sd_ns": 0, "share": 1, "open": 0, "flags": [], "raw": {}, "net": {}, "self": {}, "metrics": {}$samples}]}],
"doubts": []}
END
}

# functions: VERDICT NAME of each that differs, in the order of out.json
functions() {
	awk '/^ *\{"name": .*"n_a"/ && !/"verdict": "(same|unknown)", "n_a"/ {
		name = verdict = $0
		sub(/^ *\{"name": "/, "", name)
		sub(/".*/, "", name)
		sub(/^.*"object": [^,]*, "verdict": "/, "", verdict)
		sub(/".*/, "", verdict)
		printf "%s%s %s", n++ ? "; " : "", verdict, name
	}' out.json
}

# 57, 31 and 12 % of 1000 samples; multiply is half as slow again in B, of which there are as many a call of all else
sampled a.json old 100 1000000 1000 multiply old 570 fill old 310 memset libc.so.6 120
sampled b.json new 100 1000000 1285 multiply new 855 fill new 310 memset libc.so.6 120
sampled same.json old 100 1000000 1010 multiply old 560 fill old 327 memset libc.so.6 123
run 0 'one function got slower' diff a.json b.json -o out.json -o -
is 'shares of all differ, most of all that one' "$(functions)" 'differs multiply; differs fill; differs memset'
has out 'pmu: the shares of 3 functions differ by more than noise, of 2 it cannot be told' 'which is said'
ok 'by how much' grep -Eq '^    multiply +57.0% +66.5% +\+9.5 +\+5.5 +\+13.5 +differs$' out
ok 'it is slower' grep -Eq '^      CPU time per call +5.700 ms +8.550 ms +\+50.00% +\+37.05% +\+63.05% +slower$' out
is 'of all others the time is the same' "$(grep -Ec 'CPU time per call .* same$' out)" 2
ok 'another library is named' grep -Eq '^    memset  libc.so.6 +12.0% +9.3% ' out
lacks out 'multiply  old' 'the program is not, whose name differs'
has out 'but that a run differs from the next' 'what single runs cannot tell is said'
run 0 'for people elsewhere' diff a.json b.json -o out.md -o out.csv -o out.html
ok 'in Markdown' grep -Fq '| solve | share of multiply | 57.0% | 66.5% | +9.5 points | +5.5 to +13.5 | differs, slower |' out.md
is 'CSV is of values alone' "$(wc -l <out.csv | tr -d ' ')" 3
has out.html '"functions_compared": 3' 'the page has them'
run 0 'the same' diff a.json same.json -o out.json -o -
is 'names none' "$(functions)" ''
lacks out 'multiply' 'nor does the text'
has out 'nothing differs by more than noise' 'which is said'
run 0 'the same, all of it' diff a.json same.json --all
ok 'has functions that do not differ' grep -Eq '^    fill +31.0% +32.4% +\+1.4 +-2.7 +\+5.4 +same$' out

# --- what cannot be told, and how much there is ---

sampled few.json old 100 1000000 29 multiply old 29
run 0 'fewer than 30 samples' diff a.json few.json --all -o out.json -o -
lacks out.json '"functions": [' 'tell nothing'
lacks out 'multiply' 'nor is a function named'
sampled none.json old 100 1000000 0
run 0 'a side without samples' diff a.json none.json --all -o out.json -o -
lacks out.json '"functions": [' 'tells nothing'
lacks out 'estimated' 'nor does the text'
sampled thirty.json old 100 1000000 30 other old 30
run 0 '30 samples' diff a.json thirty.json -o out.json
is 'tell what is new and gone' "$(functions)" 'new other; gone multiply; gone fill; gone memset'
run 0 'regions that one side alone has' diff --map solve=else a.json b.json -o out.json
lacks out.json '"functions": [' 'have nothing to be compared with'

# --- rates, calls ---

sampled often.json old 100 250000 4000 multiply old 2280 fill old 1240 memset libc.so.6 480
run 0 'four times the rate' diff a.json often.json --all -o out.json -o -
is 'is the same' "$(functions)" ''
is 'in time, too' "$(grep -Ec 'CPU time per call .* \+0.00% .* same$' out)" 3
sampled calls.json old 200 1000000 2000 multiply old 1140 fill old 620 memset libc.so.6 240
run 0 'twice the calls' diff a.json calls.json --all -o out
is 'are as long each' "$(grep -Ec 'CPU time per call .* \+0.00% .* same$' out)" 3
sampled nowhen.json old 100 0 1285 multiply old 855 fill old 310 memset libc.so.6 120
run 0 'samples of an unknown period' diff a.json nowhen.json -o out.json -o -
is 'have shares' "$(functions)" 'differs multiply; differs fill; differs memset'
lacks out 'CPU time per call' 'and no time'
has out.json '"time": null' 'nor in JSON'

# --- several runs a side ---

mkdir one two three
for run in 1 2 3 4; do
	sampled one/$run.json old 100 1000000 1000 multiply old $((560 + run)) fill old $((310 - run)) memset libc.so.6 130
	sampled two/$run.json old 100 1000000 1000 multiply old $((660 - run)) fill old $((210 + run)) memset libc.so.6 130
	# as two, but that each run is another one
	sampled three/$run.json old 100 1000000 1000 multiply old $((410 + 100 * run)) fill old $((460 - 100 * run)) memset libc.so.6 130
done
run 0 'four runs a side' diff one two -o out.json -o -
is 'differ as one does' "$(functions)" 'differs fill; differs multiply'
lacks out 'but that a run differs from the next' 'of several it is known how they vary'
run 0 'runs that vary as much as sides do' diff one three -o out.json
is 'tell nothing' "$(functions)" ''

# --- what else there may be ---

sampled newer.json old 100 1000000 1000 multiply old 570 fill old 310 memset libc.so.7.1 120
run 0 'a library of another version' diff a.json newer.json --all -o out.json -o -
is 'is the same' "$(functions)" ''
ok 'in one line' grep -Eq '^    memset  libc.so.6 +12.0% +12.0% ' out

long=$(printf '%0300d' 0)
sampled odd.json old 100 1000000 1000 "f(<b>|\\u001b[31m)" old 500 "$long" 'x.so' 500
run 0 'odd names' diff a.json odd.json -o out -o out.md -o out.html -o out.json
lacks out "$(printf '\033')" 'are no commands to a terminal'
lacks out.md '<b>' 'nor to Markdown'
sampled twice.json old 100 1000000 1000 multiply old 300 multiply old 270 fill old 310 memset libc.so.6 120
run 0 'a function that is there twice' diff a.json twice.json -o out.json
is 'is one' "$(functions)" ''
i=0
set --
while [ $i -lt 40 ]; do
	set -- "$@" "f$i" old 100
	i=$((i + 1))
done
sampled many.json old 100 1000000 4000 "$@"
i=0
set --
while [ $i -lt 40 ]; do
	set -- "$@" "f$i" old $((50 + 100 * (i % 2)))
	i=$((i + 1))
done
sampled others.json old 100 1000000 4000 "$@"
run 0 'many functions that differ' diff many.json others.json
is 'the five that changed most are shown' "$(grep -c 'differs$' out)" 5
has out 'and 35 more functions that differ; --all shows them' 'and how many more there are'
run 0 'all of them' diff --all many.json others.json
is 'are shown' "$(grep -c 'differs$' out)" 40
if command -v python3 >/dev/null; then
	ok 'the JSON is valid' python3 -m json.tool out.json
else
	skip 'the JSON is valid' 'no python3'
fi
finish
