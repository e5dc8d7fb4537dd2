#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu top for scripts: --once and --json, of all programs, of one, of a command, of one in a container; what
# becomes of a program that ends; and pmu report --watch.  The measured program is only looked at.
. "$(dirname "$0")/pmu.sh"
live=${TEST_LIVE:-$build/tests/command/live}
mkdir -m 700 run
export XDG_RUNTIME_DIR="$tmp/run" PMU_BACKEND=software PMU_OUTPUT=none
unset PMU_STORE
command -v python3 >/dev/null || skip_all 'there is no Python to read JSON'

# start_live: a program that runs until the file stop is there; its process in $pid
start_live() {
	rm -f stop
	"$live" stop >live.out 2>&1 &
	pid=$!
	for _ in $(seq 200); do
		store=$(echo "$tmp/run/pmu/$pid-"*.pmu)
		[ ! -s "$store" ] || return 0
		sleep 0.1
	done
}

# end_live: it has ended
end_live() {
	: >stop
	wait "$pid"
}

# wait_for FILE: is it there, within 20 s, with something in it?
wait_for() {
	for _ in $(seq 200); do
		[ ! -s "$1" ] || return 0
		sleep 0.1
	done
	return 1
}

# json EXPRESSION NAME: it holds of the lines in out, d; of our program in the first one, p, and its regions by path, r;
# of ours in each line, o.  Other tests' programs may run beside it.
json() {
	python3 - "$1" "${pid:-0}" "$tmp" >py.out 2>&1 <<-'END'
		import json, sys
		d = [json.loads(line) for line in open("out", encoding="utf-8")]
		o = [[x for x in y["programs"] if x["program"] == "live" and (sys.argv[3] in x["store"] or "/root/" in x["store"])] for y in d]
		o = [x[0] if x else None for x in o]
		p = o[0]
		r = {x["path"]: x for x in p["regions"]} if p else {}
		# with a sanitizer, which has its own pthread_create(), it is in no region
		idle = next((x for x in r.values() if x["name"] == "idle"), None)
		assert eval(sys.argv[1]), (sys.argv[1], d[0])
	END
	result $? "$2"
}
# calls_at_last: of main in the last of several reports
calls_at_last() {
	awk '/^pmu: live/ { calls = "" } /^  main / && calls == "" { calls = $2 } END { print calls }' out
}
evidence='out err py.out'
: >py.out
subcommand=top

# --- usage ---
run 2 'without a terminal'
has err '--once and --json do without' 'says what does'
run 2 'an interval that is none' --once -i often
run 2 'a tiny one' --once -i 1ns
run 2 'no count' --json -n 0
run 2 'two processes' --once 1 2
run 2 'a group without a command' --once -g CORE
run 2 'no command' --once --
run 1 'a process that is not there' --once 999999999
has err 'there is no process' 'says so'
run 1 'one that is not measured' --once $$
has err 'is not being measured' 'says so'
run 0 'whatever runs' --once -i 0
run 0 'the same as JSON' --json -i 0
json 'd[0]["pmu_top"] == 1 and p is None' 'has none of ours'

# --- a program ---
start_live
run 0 'a table' --once -i 300ms "$pid"
has out 'last interval' 'over the last interval'
has out 'since start' 'and since the start'
grep -Eq "^live +pid $pid +running .* 2 threads  software: SOFTWARE" out
result $? 'says whose it is'
grep -Eq '^ +solve +[1-9]' out
result $? 'with calls a second'
grep -Eq '^      assemble ' out
result $? 'a tree'
LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" out
is 'nothing in it controls a terminal' $? 1
has out 'odd \x1b' 'what would is shown'
run 0 'a list' --once -i 0 --flat --sort name --filter solve "$pid"
grep -q '^  main/solve/assemble ' out
result $? 'of paths'
lacks out 'idle' 'of what was asked for'
run 0 'JSON' --json -i 200ms -n 3 "$pid"
json 'len(d) == 3 and all(len(x["programs"]) == 1 for x in d)' 'a line for each interval'
json "p['pid'] == $pid and p['state'] == 'running' and p['threads'] == 2" 'of that process'
json 'r["main/solve"]["last"]["calls"] > 0 and r["main/solve"]["last"]["calls_per_s"] > 0' 'calls of now'
json 'r["main/solve"]["last"]["calls"] < r["main/solve"]["start"]["calls"]' 'are fewer than all'
json '[x["programs"][0]["last_ns"] > 0 for x in d] == [True] * 3' 'each of its time'
json 'r["main"]["in"] >= 1 and idle["in"] == 1' 'who is in what'
json 'r["main"]["open_ns_least"] == r["main"]["open_ns_most"] > 0' 'for how long, exactly'
json 'idle["last"]["calls"] == 0 and idle["last"]["share"] > 0.4' 'what goes on has its share'
json 'all(x["last"]["metrics"]["CPU share"] is None for x in (r["main"], idle))' 'and nothing counted'
json 'r["main/solve"]["start"]["counts"]["task-clock"] > 0' 'counts'
json 'p["units"]["CPU share"] == "%" and p["units"]["task-clock"] == "ns"' 'and their units'
run 0 'of all programs' --json -i 200ms -n 1
json 'p["state"] == "running" and r["main/solve"]["last"]["calls"] > 0' 'it is one'
run 0 'since the start alone' --json -i 0 "$pid"
json 'p["last_ns"] is None and r["main/solve"]["last"] is None' 'knows nothing of now'

# --- it is only looked at ---
if [ -z "${TEST_SANITIZERS:-}" ] && command -v strace >/dev/null && strace -o probe true 2>/dev/null; then
	before=$(stat -c '%i %s %a %h' "$store")
	strace -f -o trace "$pmu" top --json -i 100ms -n 3 >out 2>err
	result $? 'under strace'
	grep -F "$tmp/run" trace | grep -E '^[0-9]+ +(open|openat|creat)' >opened
	ok 'it opens the store' grep -q "$pid-" opened
	ok 'for reading alone' sh -c '! grep -vE "O_RDONLY|ENOENT" opened'
	ok 'maps it for reading alone' sh -c '! grep -E "mmap\(.*MAP_SHARED" trace | grep -q PROT_WRITE'
	ok 'sends no signal' sh -c '! grep -E " (kill|tkill|tgkill|pidfd_send_signal)\(" trace | grep -vE "\([0-9]+, 0\)"'
	ok 'stops nobody, locks nothing, removes nothing' sh -c \
		'! grep -qE " (ptrace|process_vm_writev|process_vm_readv|flock|unlink|unlinkat|rename|renameat2?|fchmod|chmod|ftruncate|utimensat)\(|F_SETLK|F_OFD_SETLK" trace'
	is 'and leaves the file as it is' "$(stat -c '%i %s %a %h' "$store")" "$before"
else
	skip 'it is only looked at' 'strace cannot be used here'
fi

# --- stores that say anything ---
python3 - "$store" <<-'END'
	import random, sys
	random.seed(19)
	whole = open(sys.argv[1], "rb").read()
	for i in range(30):
	    damaged = bytearray(whole)
	    for _ in range(200):
	        damaged[random.randrange(256, 16384)] = random.choice((0, 1, 27, 127, 255, random.randrange(256)))
	    open(sys.argv[1].replace("-1.pmu", "-%d.pmu" % (i + 2)), "wb").write(damaged[: 65536 if i % 3 else 5000 + 100 * i])
END
chmod 600 "$tmp/run/pmu/"*.pmu
run 0 'damaged ones beside it' --json -i 100ms -n 2
json "any(x['pid'] == $pid and x['store'].endswith('-1.pmu') and x['regions'] for x in d[1]['programs'])" 'keep it from nothing'
run 0 'as text' --once -i 100ms
LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" out
is 'no control of a terminal either' $? 1
find "$tmp/run/pmu" -name '*.pmu' ! -name "$pid-*-1.pmu" -delete

# --- it ends ---
rm -f out
"$pmu" top --json -i 200ms "$pid" >out 2>err &
top=$!
wait_for out
end_live
wait "$top"
is 'top ends with its process' $? 0
json 'o[-1]["state"] == "ended"' 'says that it has ended'
json 'o[-1]["regions"][0]["start"]["calls"] == 1' 'and what it had done at the very end'
json 'all(x["in"] == 0 for x in o[-1]["regions"])' 'with nothing open'

start_live
rm -f out
"$pmu" top --json -i 200ms "$pid" >out 2>err &
top=$!
wait_for out
# as if its disk had lost it
kill -STOP "$pid"
truncate -s 100 "$store"
wait "$top"
is 'a store that loses its end is no harm to who looks at it' $? 0
json 'o[-1]["state"] == "killed" and o[-1]["regions"]' 'the last look stays'
kill -KILL "$pid"
wait "$pid" 2>/dev/null
rm -f "$store"
start_live
rm -f out
"$pmu" top --json -i 200ms "$pid" >out 2>err &
top=$!
wait_for out
kill -KILL "$pid"
wait "$pid" 2>/dev/null
wait "$top"
json 'o[-1]["state"] == "killed"' 'or was killed'
rm -f "$store"

# counts FILE: what regions of a report counted, as it was read
counts() {
	python3 -c '
import json, sys
def walk(x):
    for y in x.values() if isinstance(x, dict) else x if isinstance(x, list) else []:
        yield from walk(y)
    if isinstance(x, dict) and "raw" in x and "path" in x:
        yield str((x["path"], x["raw"]))
print("\n".join(walk(json.load(open(sys.argv[1])))))' "$1"
}

# --- to the instruction ---
if [ -z "${TEST_SANITIZERS:-}" ] && "${TEST_VALGRIND:-valgrind}" -q --tool=none true 2>/dev/null; then
	emulate() {
		env -u PMU_BACKEND -u PMU_OUTPUT "$pmu" run --emulate --auto none -e instructions -o "$1" -- "$live" 300 >live.out 2>&1
	}
	emulate alone.json
	result $? 'a program that counts its instructions'
	counts alone.json | grep main/solve >/dev/null
	result $? 'by region'
	rm -f stop
	(until [ -e stop ]; do "$pmu" top --json -i 10ms -n 20; done) >watched.out 2>&1 &
	top=$!
	emulate watched.json
	: >stop
	wait "$top"
	ok 'it was watched meanwhile' grep -q '"path": "main/solve"' watched.out
	is 'and counted the same, to the instruction' "$(counts watched.json)" "$(counts alone.json)"
else
	skip 'counts are the same, to the instruction' 'valgrind cannot be used here'
fi

# --- a command: without sanitizers, which the preloaded library cannot have ---
if [ -z "${TEST_SANITIZERS:-}" ]; then
	rm -f stop
	(sleep 2 && : >stop) &
	run 3 'a command, with its status' --json -i 200ms -e task-clock -o report.json -- "$live" stop
	has err 'the program says goodbye' 'its output is no JSON'
	json 'o[-1]["regions"] and o[-1]["groups"] == "EVENTS"' 'its regions'
	json 'any(x["path"].endswith("solve") and x["last"] and x["last"]["calls"] for y in o if y for x in y["regions"])' \
		'while it runs'
	has report.json '"pmu_report"' 'and its report is where it was to go'
	run 127 'one that is not there' --json -i 100ms -- "$tmp/nothing"
	has err 'cannot run' 'says so'
fi

run 2 'a filter that the view has no room for' --filter "$(printf '%0128d' 0)"
has err '127 characters' 'is not dropped'
run 2 'one look and several' --once --count 2
has err 'once or --count' 'make no sense together'

# --- again and again ---
subcommand=report
start_live
rm -f out
"$pmu" report --watch -i 200ms "$store" >out 2>err &
watch=$!
wait_for out
sleep 0.5
end_live
wait "$watch"
is 'report --watch ends with its program' $? 0
[ "$(grep -c '^pmu: live' out)" -ge 2 ]
result $? 'there were several'
is 'the last one is whole' "$(calls_at_last)" 1
start_live
run 0 'a report of it so far' "$store" -o before.json
ln -s before.json link.json
rm -f out
"$pmu" report --watch -i 100ms before.json link.json "$store" >out 2>err &
watch=$!
wait_for out
sleep 0.5
end_live
wait "$watch"
is 'report --watch of JSON reports, one behind a link, beside a program' $? 0
lacks err 'cannot' 'they are read each time'
[ "$(grep -c '^pmu: live' out)" -ge 6 ]
result $? 'and shown'
run 2 'of no file' --watch
run 2 'an interval of none' -i 1s x.pmu
run 2 'no time between' --watch -i 0 x.pmu

# --- in a container ---
subcommand=top
mkdir inside
if unshare --user --map-root-user --pid --mount --fork true 2>unshare.err; then
	rm -f stop
	unshare --user --map-root-user --pid --mount --fork --mount-proc sh -c '
		mount -t tmpfs none inside && mkdir -m 700 inside/run && export XDG_RUNTIME_DIR=$PWD/inside/run &&
		exec "$1" stop' sh "$live" >live.out 2>&1 &
	outer=$!
	pid=''
	for _ in $(seq 100); do
		pid=$(pgrep -P "$outer" -x live) && break
		sleep 0.1
	done
	sleep 0.5
	[ ! -e inside/run ]
	result $? 'its store is nowhere here'
	evidence='out err py.out live.out'
	run 0 'a program in a container' --json -i 200ms -n 1 "$pid"
	json 'p["pid"] == 1 and p["state"] == "running" and r["main/solve"]["last"]["calls"] > 0' 'is watched from outside'
	store=/proc/$pid/root$(python3 -c 'import json; print(json.loads(open("out").readline())["programs"][0]["store"].split("/root", 1)[1])')
	subcommand=report
	run 0 'the report of its store' "$store"
	grep -q 'another machine, boot or container' out
	is 'knows that it runs' $? 1
	rm -f out
	"$pmu" report --watch -i 200ms "$store" >out 2>err &
	watch=$!
	wait_for out
	: >stop
	wait "$outer"
	wait "$watch"
	is 'report --watch ends with it' $? 0
	is 'its last one is whole' "$(calls_at_last)" 1
else
	skip 'a program in a container' "no namespaces for this user: $(cat unshare.err)"
fi
finish
