#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu top` of a program that `pmu run --sample` has started: where its regions are in their code now.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
# shellcheck source=tests/command/apart.sh
. "$source/tests/command/apart.sh"
command -v python3 >/dev/null || skip_all 'there is no Python to read JSON'
unset PMU_STORE

cat >program.c <<'END'
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "pmu.h"

#define BURN(name, n)                                   \
	__attribute__((noinline)) static void name(void) \
	{                                               \
		for (volatile int i = 0; i < (n); i++)  \
			;                               \
	}
BURN(early, 30000)
BURN(late, 40000)
BURN(within, 20000)

/* may perf_event_open(2) be used? */
static int probe(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000000, .exclude_kernel = 1, .exclude_hv = 1 };

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0;
}

/* early until the file "change" is there, late until the file "stop" is */
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return probe();
	while (access("stop", F_OK)) {
		pmu_region_begin("solve");
		for (int i = 0; i < 20; i++)
			(access("change", F_OK) ? early : late)();
		pmu_region_begin("nested");
		for (int i = 0; i < 20; i++)
			within();
		pmu_region_end("nested");
		pmu_region_end("solve");
	}
	return 0;
}
END
compile program program.c
./program probe || skip_all 'perf_event_open is not allowed'
evidence='out err py.out'
: >py.out

# holds EXPRESSION: of our program in the lines of out, p; s(line, span, region): names of functions with at least a
# tenth of that region's samples, of which there have to be some
holds() {
	python3 - "$1" "$tmp" >py.out 2>&1 <<-'END'
		import json, sys
		p = [[x for x in json.loads(line)["programs"] if sys.argv[2] in x["store"]] for line in open("out", encoding="utf-8")]
		p = [x[0] if x else None for x in p]
		def of(line, span, region):
		    r = next((x for x in p[line]["regions"] if x["name"] == region), None) if p[line] else None
		    return r and r[span] and r[span].get("samples")
		def s(line, span, region):
		    x = of(line, span, region)
		    return {f["name"] for f in x["functions"] if f["n"] >= 0.1 * x["n"]} if x and x["n"] >= 10 else None
		assert eval(sys.argv[1]), (sys.argv[1], p)
	END
}
json() {
	holds "$1"
	result $? "$2"
}

# seen EXPRESSION NAME: at one of many looks that holds
seen() {
	for _ in $(seq 60); do
		"$pmu" top --json -n 1 -i 300ms >out 2>err
		holds "$1" && break
	done
	json "$1" "$2"
}

"$pmu" run --sample -o run.json ./program >run.out 2>&1 &
run=$!
seen 's(0, "last", "solve") == {"early"}' 'a region has its own functions'
seen 's(0, "last", "nested") == {"within"}' 'and so has one that is nested in it'
json 'of(0, "last", "solve")["n"] == sum(f["n"] for f in of(0, "last", "solve")["functions"])' 'samples are those of all functions'
json 'all(f["object"] is None for f in of(0, "last", "nested")["functions"] if f["name"] == "within")' 'the program is none of the libraries'
json 'p[0]["sample_period_ns"] > 900000' 'how often samples are'
: >change
seen 's(0, "last", "solve") == {"late"}' 'when it does something else, that'
seen 's(0, "start", "solve") == {"early", "late"}' 'since the start both'
"$pmu" top --once -i 0 >out 2>err
ok 'as text, below the region' grep -Eq '^      ~ +[0-9.]+%  late$' out
ok 'deeper where that is' grep -Eq '^        ~ +[0-9.]+%  within$' out
"$pmu" top --once -i 0 --regions >out 2>err
lacks out '~ ' 'or not, where regions are asked for alone'

# --- who comes to the socket ---

python3 - place <<-'END' >py.out 2>&1
	import glob, socket, struct, sys
	path = glob.glob("place/pmu/run-*/samples")[0]
	store = glob.glob("place/pmu/run-*/*.pmu")[0].split("/")[-1].encode()
	def say(bytes, wait=True):
	    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
	    s.settimeout(20)
	    s.connect(path)
	    s.send(bytes)
	    return s.recvmsg(64, 64) if wait else None
	answer = say(struct.pack("<II128s", 2, 0, store))
	assert answer[0] and answer[1], answer
	answer = say(struct.pack("<II128s", 2, 0, b"nothing.pmu"))
	assert answer[0] and not answer[1], answer
	for wrong in struct.pack("<II128s", 9, 0, store), struct.pack("<II", 2, 0) + b"x" * 128, struct.pack("<II", 2, 0), b"x" * 160:
	    assert not any(say(wrong)[:2]), wrong
	for i in range(100):
	    say(struct.pack("<II128s", 2, 0, store), wait=False)
END
result $? 'questions are answered, and what is none is not'
seen 's(0, "last", "solve") == {"late"}' 'it goes on'
: >stop
wait "$run"
is 'the program ends as it would' $? 0
lacks run.out 'not sampled' 'and who only asked was no thread that was not sampled'
"$pmu" report run.json -o text >out 2>&1
ok 'the report has all of it' grep -Eq '~ +[0-9.]+%  early' text
ok 'of both' grep -Eq '~ +[0-9.]+%  late' text

# --- without samples ---

rm -f stop change
"$pmu" run --sample=off -o plain.json ./program >run.out 2>&1 &
run=$!
seen 'p[0] and any(x["name"] == "nested" for x in p[0]["regions"])' 'a program that is not sampled is shown'
json 'of(0, "start", "solve") is None and "sample_period_ns" not in p[0]' 'without functions'
: >stop
wait "$run"

# --- a command of its own ---

rm -f stop
"$pmu" top --json -i 300ms --sample ./program >all 2>err &
top=$!
for _ in $(seq 60); do
	sleep 0.3
	# whole lines alone
	grep '}$' all >out
	holds 'any(x and s(i, "last", "nested") == {"within"} for i, x in enumerate(p))' && break
done
json 'any(x and s(i, "last", "nested") == {"within"} for i, x in enumerate(p))' 'a command that is run and sampled has its functions'
: >stop
wait "$top"
is 'and ends as it would' $? 0
run 2 'but not a process that runs' top --once --sample $$
finish
