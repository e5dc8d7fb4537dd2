#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Traces: `pmu run --trace`, PMU_TRACE, and what `pmu report` makes of them for Perfetto and in Chrome's format.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
# shellcheck source=tests/valgrind/common.sh
. "$source/tests/valgrind/common.sh"
# What is preloaded cannot have ThreadSanitizer; tests/unit/command/trace.c looks at threads under it.
case ${TEST_SANITIZERS:-} in *thread*) skip_all 'a library with ThreadSanitizer cannot be preloaded' ;; esac
mkdir -m 700 place
export XDG_RUNTIME_DIR="$tmp/place"
unset PMU_OUTPUT PMU_TRACE PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_PIN

cat >program.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "pmu.h"

static pmu_context_t context;

static void touch(int pages)
{
	char *at = malloc((size_t)pages << 12);

	memset(at, 1, (size_t)pages << 12);
	__asm__ volatile("" : : "r"(at) : "memory");
	free(at);
}

static void *help(void *unused)
{
	pmu_context_enter(context);
	pmu_region_begin("part");
	touch(200);
	pmu_region_end("part");
	pmu_context_leave();
	return unused;
}

static void work(int n)
{
	pthread_t thread[2];

	for (int i = 0; i < n; i++) {
		pmu_region_begin("outer");
		touch(100);
		pmu_region_begin("a \"name\" <b>\x01\xff\n");
		touch(150);
		pmu_region_end("a \"name\" <b>\x01\xff\n");
		pmu_region_end("outer");
	}
	pmu_region_begin("team");
	context = pmu_context_get();
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, help, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	pmu_region_end("team");
}

int main(int argc, char **argv)
{
	if (argc > 2 && fork() == 0) {
		work(atoi(argv[2]));
		return 0;
	}
	work(atoi(argv[1]));
	if (argc > 2)
		wait(NULL);
	if (argc > 3) {
		pmu_region_begin("doomed");
		work(3);
		pmu_region_begin("doomed, too");
		raise(9);
	}
	return 0;
}
END
sed -i 's/#include <stdlib.h>/#include <signal.h>\n&/' program.c
compile program program.c

# decode FILE: lines "begin TIME TRACK NAME", "end TIME TRACK NAME=VALUE...", "counter TIME TRACK VALUE", "flow ID", "track ..."
decode() {
	protoc --decode perfetto.protos.Trace -I "$source/tests/command" perfetto.proto <"$1" >decoded || return
	awk '
		function text(line) { sub(/^[^"]*"/, "", line); sub(/"$/, "", line); return line }
		/^packet {/ { type = time = track = args = iid = ""; depth = 0; sequence = 0 }
		/ trusted_packet_sequence_id:/ { sequence = $2 }
		/ timestamp:/ && !/^      / { time = $2 }
		/ event_names {/ { kind = "event" }
		/ debug_annotation_names {/ { kind = "annotation" }
		/ debug_annotations {/ { kind = "value" }
		/ iid:/ { iid = $2 }
		/^      name:/ { name[kind, iid] = text($0) }
		/ type: TYPE_/ { type = $2; sub("TYPE_", "", type) }
		/^    name_iid:/ { event = $2 }
		/^      name_iid:/ { column = $2 }
		/ int_value:/ { values[++n] = column " " $2 }
		/ track_uuid:/ { track = $2 }
		/ thread_name:/ { print "thread", text($0) }
		/ process_name:/ { print "process", text($0) }
		/ unit_name:/ { print "unit", text($0) }
		/flow_ids:/ { print $1, $2 }
		/^}/ {
			if (type == "SLICE_BEGIN") {
				if (time < last[track]) print "backwards", time
				last[track] = time
				stack[track, ++deep[track]] = name["event", event]
			}
			if (type == "SLICE_END") {
				if (time < last[track] || !deep[track]) print "backwards", time
				last[track] = time
				region = stack[track, deep[track]--]
				calls[region]++
				for (i = 1; i <= n; i++) {
					split(values[i], value, " ")
					sum[region, value[1]] += value[2]
					columns[value[1]] = 1
				}
			}
			if (type == "COUNTER") counters++
			n = 0
		}
		END {
			for (track in deep) if (deep[track]) print "open", deep[track]
			for (region in calls) {
				printf "region %s: calls %d", region, calls[region]
				# what was waited is as it comes
				for (column in columns) if ((region, column) in sum && name["annotation", column] !~ /_ns$/)
					printf " %s %d", name["annotation", column], sum[region, column]
				print ""
			}
			print "counters", counters + 0
		}' decoded | sort
}

# net FILE COUNT: the same of a CSV report
net() {
	report "$1" | awk -F '\t' -v count="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["thread"] == "all" {
			n = split($at["path"], part, "/")
			calls[part[n]] += $at["calls"]
			sum[part[n]] += $at["net:" count]
		}
		END { for (region in calls) printf "region %s: calls %d %s %d\n", region, calls[region], count, sum[region] }' | sort
}

# --- Perfetto ----------------------------------------------------------------------------------------------

subcommand=run
counted='--source software -e page-faults'
# shellcheck disable=SC2086 # options are words
run 0 'a run with a trace for Perfetto' $counted --auto none --trace run.pftrace -o run.csv ./program 50
[ ! -s err ]
result $? 'nothing is to be said'
if command -v protoc >/dev/null; then
	ok 'protoc takes it' decode run.pftrace
	decode run.pftrace >seen
	lacks seen backwards 'no time goes back'
	lacks seen open 'what begins ends'
	has seen 'region outer: calls 50 page-faults' 'slices by name'
	grep -c '^thread' seen | grep -qx 3
	result $? 'a track for each thread'
	[ "$(grep -c '^flow_ids' seen)" = 2 ] && [ "$(grep -c '^terminating_flow_ids' seen)" = 2 ]
	result $? 'arrows from the opener to its workers'
	# what a worker did is in a region of its opener, which has the opener's calls alone
	grep '^region \(outer\|part\)' seen >got
	net run.csv page-faults | grep '^region \(outer\|part\)' >wanted
	ok 'calls and counts are those of the report' diff got wanted
	tool=$("$pmu" run --emulate=fast true 2>&1) || :
	if echo "$tool" | grep -q 'built without'; then
		skip 'net counts' "$(echo "$tool" | head -n 1)"
	elif [ -n "${TEST_SANITIZERS:-}" ]; then
		skip 'net counts' 'no program with a sanitizer runs under valgrind'
	else
		run 0 'a run whose counts have the library to be taken off' --emulate=fast --auto none -e instructions --trace fast.pftrace \
			-o fast.csv ./program 50
		decode fast.pftrace | grep '^region \(outer\|part\)' >got
		net fast.csv instructions | grep '^region \(outer\|part\)' >wanted
		ok 'net counts of slices add up to those of the report, to the instruction' diff got wanted
	fi
else
	skip 'Perfetto' 'no protoc'
fi

# --- Chrome ------------------------------------------------------------------------------------------------

run 0 'a run with a trace in the format of Chrome' --source clock --auto none --trace run.json.gz -o chrome.csv ./program 50
if command -v jq >/dev/null; then
	gzip -dc run.json.gz >run.trace.json
	ok 'it is JSON' jq -e '.traceEvents | length > 100' run.trace.json
	ok 'each slice has what it needs' jq -e '[.traceEvents[] | select(.ph == "X")
		| select((.ts | type) != "number" or .dur < 0 or (.pid | type) != "number" or .name == "")] == []' run.trace.json
	ok 'they are calls' jq -e '[.traceEvents[] | select(.ph == "X" and .name == "outer")] | length == 50' run.trace.json
	took=$(jq '[.traceEvents[] | select(.ph == "X" and .name == "outer") | .dur] | add * 1000 | round' run.trace.json)
	said=$(value chrome.csv outer all time_ns)
	[ $((took - said)) -le 100 ] && [ $((said - took)) -le 100 ]
	result $? 'their times add up to that of the report, but for a nanosecond or two each'
	ok 'arrows' jq -e '([.traceEvents[] | select(.ph == "s")] | length == 2) and
		([.traceEvents[] | select(.ph == "f")] | length == 2)' run.trace.json
	ok 'nothing was lost' jq -e '.otherData["lost calls"] == 0' run.trace.json
else
	skip 'Chrome' 'no jq'
fi

# --- waits -------------------------------------------------------------------------------------------------

cat >naps.c <<'END'
#include <pmu.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 10; i++) {
		pmu_region_begin("naps");
		usleep(2000);
		pmu_region_end("naps");
	}
	return 0;
}
END
compile naps naps.c
run 0 'a program that sleeps' --source clock --auto none --trace naps.trace.json -o naps.csv ./naps
if ! command -v jq >/dev/null; then
	skip 'waits' 'no jq'
elif [ -z "$(value naps.csv naps all cpu_ns)" ]; then
	skip 'waits' 'threads are not told here when they are off their processor'
else
	ok 'each slice knows what it waited' jq -e '[.traceEvents[] | select(.name == "naps") | .args
		| select(.blocked_ns + (.runnable_ns // 0) >= 1.9e6 or .waited_ns >= 1.9e6)] | length == 10' naps.trace.json
	ok 'which is the rest of its time' jq -e '[.traceEvents[] | select(.name == "naps")
		| (.dur * 1000 - .args.cpu_ns - (.args.blocked_ns // 0) - (.args.runnable_ns // 0) - (.args.waited_ns // 0))
		| select(. < -1 or . > 1)] == []' naps.trace.json
fi
if command -v protoc >/dev/null && [ -n "$(value naps.csv naps all cpu_ns)" ]; then
	run 0 'the same for Perfetto' --source clock --auto none --trace naps.pftrace -o none ./naps
	protoc --decode perfetto.protos.Trace -I "$source/tests/command" perfetto.proto <naps.pftrace >naps.txt
	ok 'there, too' grep -q '"cpu_ns"' naps.txt
fi

# --- processes, files --------------------------------------------------------------------------------------

run 0 'a trace of two processes' --source clock --auto none --trace two.trace.json -o none ./program 5 7
[ "$(grep -c process_name two.trace.json)" = 2 ]
result $? 'both are in one file'
[ "$(grep -c '"name":"outer"' two.trace.json)" = 12 ]
result $? 'with all of their calls'
run 0 'the same, raw' --source clock --auto none --trace two.trace -o none ./program 5 7
[ "$(find . -maxdepth 1 -name 'two*.trace' | wc -l)" = 2 ]
result $? 'a file each'
subcommand=report
run 0 'which report makes one of' two*.trace -o again.trace.json
[ "$(grep -c '"name":"outer"' again.trace.json)" = 12 ]
result $? 'with all of their calls'
PMU_OUTPUT=none PMU_TRACE=alone.trace PMU_BACKEND=clock ./program 9 2>log
mkdir hosts
cp alone.trace hosts/a.trace
cp alone.trace hosts/b.trace
# it is another boot, and so another host, of the same time of day
printf 'x' | dd of=hosts/b.trace bs=1 seek=56 conv=notrunc 2>log
run 0 'of two hosts' hosts/a.trace hosts/b.trace -o hosts.trace.json
[ "$(grep -c '"name":"outer"' hosts.trace.json)" = 18 ] && [ "$(grep '"ph":"X"' hosts.trace.json | grep -o '"pid":[0-9]*' | sort -u | wc -l)" = 2 ]
result $? 'each has its processes'
grep '"name":"outer"' hosts.trace.json | sed 's/.*"pid":\([0-9]*\),.*"ts":\([0-9.]*\),.*/\1 \2/' | awk '
	!($1 in first) { first[$1] = $2; at[++n] = $2 }
	END { apart = at[1] - at[2]; exit !(n == 2 && apart < 1000 && apart > -1000) }'
result $? 'on one clock: what was at the same time of day is together'
grep -q '"process_name".*process [0-9]*)"' hosts.trace.json
result $? 'those of another host are called so'
run 0 'a trace is a store, too' two.trace
has out outer 'with its report'
run 0 'of a program by itself' alone.trace -o alone.trace.json
[ "$(grep -c '"name":"outer"' alone.trace.json)" = 9 ]
result $? 'with its calls'
[ "$(du -k alone.trace | cut -f 1)" -lt 512 ]
result $? 'the file is as large as it has to be'
run 1 'a report has no calls' run.csv -o no.pftrace
[ ! -e no.pftrace ]
result $? 'and nothing is written'
run 1 'once more' run.csv -o no.pftrace
has err run.csv 'the message names the file'
run 1 'a trace that cannot be written' two*.trace --each -o nowhere/no.pftrace -o each-%p.json
[ "$(find . -name 'each-*.json' | wc -l)" = 2 ]
result $? 'keeps no other output from being written'
: >empty.trace
run 1 'a trace of files of which some are none' empty.trace two*.trace run.csv -o some.trace.json
[ "$(grep -c '"name":"outer"' some.trace.json)" = 12 ]
result $? 'has what there is'
has err '2 files are not in some.trace.json; the first: cannot read empty.trace' 'what is not in it is said'
ok 'it is whole' sh -c '! command -v jq >/dev/null || jq -e .traceEvents some.trace.json'
run 2 'of a trace again and again' --watch alone.trace -o no.pftrace
has err 'leave --watch out' 'there is no use in that'
PMU_OUTPUT=none PMU_BACKEND=clock PMU_TRACE=x.pftrace ./program 1 2>err
has err 'pmu report run.trace -o x.pftrace' 'a program says who writes other formats'
subcommand=run
for rank in 0 1; do
	OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 run 0 'a rank' --source clock --auto none --trace rank-%r.trace -o none ./program 4
done
subcommand=report run 0 'ranks become one trace' rank-0.trace rank-1.trace -o job.trace.json
grep -q '"rank 0: program"' job.trace.json && grep -q '"rank 1: program"' job.trace.json && [ "$(grep -c '"name":"outer"' job.trace.json)" = 8 ]
result $? 'of all of them, by their ranks'
run 137 'a program that is killed' --source clock --auto none --trace killed.trace.json -o none ./program 30 0 kill
[ "$(grep -c '"name":"outer"' killed.trace.json)" = 33 ]
result $? 'leaves its calls'
[ "$(grep '"name":"doomed' killed.trace.json | grep -c '"had not ended')" = 2 ]
result $? 'what had not ended is there, and marked'
run 0 'of few calls that are kept' --source clock --auto none --trace few.trace.json --trace-size 64KiB -o few.txt ./program 9000
has err 'calls are not in few.trace.json' 'how many are not is said'
has few.txt 'calls are not in the trace' 'in the report, too'
has few.trace.json '"lost calls":1' 'and in the trace'
run 0 'an ending in capitals' --source clock --auto none --trace LOUD.TRACE.JSON -o none ./program 5
has LOUD.TRACE.JSON '"name":"outer"' 'is the same'
run 2 'another ending' --trace run.json ./program 1
has err .json.gz 'those there are'
run 2 'no size' --trace run.pftrace --trace-size 1 ./program 1
has err '--trace-size 1: say a size' 'said of the option'
run 2 'of repeated runs' --trace run.pftrace --repeat 3 ./program 1
finish
