#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu on and pmu off: a program that does what it is told, so that it is known what it did while measuring was on.
. "$(dirname "$0")/pmu.sh"
switched=${TEST_SWITCHED:-$build/tests/command/switched}
mkdir -m 700 run
export XDG_RUNTIME_DIR="$tmp/run" PMU_PIN=none
unset PMU_STORE PMU_ENABLE PMU_GROUP PMU_EVENTS PMU_OUTPUT PMU_BACKEND PMU_COUNT
export PMU_OUTPUT=report.json
evidence='out err program.err'
: >program.err

# start COMMAND...: the program, as that runs it; its process in $pid
start() {
	rm -f in answers report.json
	mkfifo in answers
	"$@" "$switched" <in >answers 2>program.err &
	started=$!
	exec 3>in 4<answers
	tell p
	pid=$answer
}

# tell LINE: and wait for its $answer
tell() {
	echo "$*" >&3
	read -r answer <&4 || answer=
}

# switch on|off [PROCESS]: it is asked for.  What is said about when depends on whether a call comes meanwhile.
switch() {
	run 0 "pmu $1" "$1" "${2:-$pid}"
}

# finish_program: its status in $status
finish_program() {
	exec 3>&- 4<&-
	wait "$started"
	status=$?
}

# calls NAME [REPORT]: of a region, wherever it is; 0 where it is not
calls() {
	python3 - "$1" "${2:-report.json}" <<-'END'
		import json, sys
		r = json.load(open(sys.argv[2], encoding="utf-8"))["regions"]
		print(sum(x["calls"] or 0 for x in r if x["name"] == sys.argv[1]))
	END
}

# note [REPORT]: what it says of that
notes() {
	python3 -c 'import json, sys; print("\n".join(json.load(open(sys.argv[1]))["notes"]))' "${1:-report.json}"
}

# never_unclear: no end or begin is one too many
never_unclear() {
	python3 - >py.out 2>&1 <<-'END'
		import json
		d = json.load(open("report.json", encoding="utf-8"))
		for r in d["regions"]:
		    assert not r.get("open") and "unended" not in str(r.get("doubts", "")), r
		assert not any("without" in n or "never" in n for n in d["notes"]), d["notes"]
	END
	result $? "$1"
}

command -v python3 >/dev/null || skip_all 'there is no Python to read JSON'

# --- one thread; whatever counts ---

for source in clock software 'software PMU_COUNT=process'; do
	# shellcheck disable=SC2086 # words
	start env PMU_BACKEND=$source
	tell c x 10
	switch off
	tell c x 100
	switch on
	tell c x 50
	finish_program
	is "$source: the program's status" $status 7
	is "$source: calls while it was on" "$(calls x)" 60
	ok "$source: the report says that it was off" grep -q '"measuring was off for [0-9.]* m\?s of [0-9.]* m\?s"' report.json
	ok "$source: and for how long" grep -q '"off_ns": [1-9]' report.json
done

PMU_ENABLE=later start
tell c x 100
switch on
tell c x 50
switch off
tell c x 25
switch on
tell c x 1
finish_program
is 'PMU_ENABLE=later: calls' "$(calls x)" 51
is 'PMU_ENABLE=later: the program'"'"'s status' $status 7

PMU_ENABLE=later start
tell c x 100
finish_program
is 'never on: no calls' "$(calls x)" 0
has report.json 'measuring was off for' 'never on: the report says so'

# --- regions that are open ---

start
tell b outer
tell c inner 3
switch off
tell e outer
is 'off: an end is no error' "$answer" 0
tell b lost
switch on
tell e lost
is 'an end of what began while it was off is no error' "$answer" 0
tell b whole
tell c inner 4
tell e whole
tell e stray
finish_program
is 'open when it went off: a call' "$(calls outer)" 1
is 'in it' "$(calls inner)" 7
is 'begun while it was off: none' "$(calls lost)" 0
is 'begun when it was on again' "$(calls whole)" 1
has report.json 'calls that were open when it went off (1)' 'how many calls were open is said'
never_unclear 'nothing stays open, and nothing ends without a begin'

start
tell b outer
switch off
switch on
tell e outer
is 'off and on between two calls' "$answer" 0
finish_program
is 'a region without a call in between' "$(calls outer)" 1
never_unclear 'it has ended'

# --- threads ---

start
tell w b busy
tell b outer
switch off
tell c x 5
tell w c x 5
tell t x 5
tell e outer
tell w e busy
switch on
tell w c x 2
tell t x 3
tell c x 4
finish_program
is 'threads: calls while it was on' "$(calls x)" 9
is 'threads: open in one that slept' "$(calls busy)" 1
is 'threads: open in the one that came first' "$(calls outer)" 1
never_unclear 'threads: nothing stays open'

start
tell b outer
tell g
tell w n
tell w b part
switch off
tell w e part
tell w l
tell e outer
switch on
tell w c x 2
tell b outer
tell g
tell w n
tell w c part 3
tell w l
tell e outer
finish_program
is 'contexts: calls of the region' "$(calls outer)" 2
is 'contexts: what is done for it' "$(calls part)" 4
is 'contexts: beside it' "$(calls x)" 2
never_unclear 'contexts: nothing stays open'

# --- forks ---

start
export PMU_OUTPUT=report.%p.json
finish_program
start
tell c x 1
switch off
tell c x 1
tell f
child=$answer
tell c x 100 # its store is made by the first of them
run 0 'pmu on of a child' on "$child"
tell c x 5
tell q
tell c x 100
switch on
tell c x 7
finish_program
is 'forked while it was off: the child has what was on there' "$(calls x "report.$child.json")" 5
is 'forked while it was off: the parent' "$(calls x "report.$pid.json")" 8
start
tell c x 1
tell f
child=$answer
tell c x 2
switch off
tell c x 10
tell q
tell c x 10
finish_program
is 'switching the parent leaves a child alone' "$(calls x "report.$child.json")" 12
is 'and its calls are not the parent'"'"'s' "$(calls x "report.$pid.json")" 1
start
tell c x 1
tell f
child=$answer
run 1 'pmu off of a child that has made no call yet' off "$child"
has err 'is not being measured' 'is not its parent'"'"'s'
tell c x 5
tell q
tell c x 2
finish_program
is 'both go on' "$(calls x "report.$child.json") $(calls x "report.$pid.json")" '5 3'
start
tell c x 1
tell d
child=$answer
tell c x 4
exec 3>&-
cat <&4 >rest
exec 4<&-
wait "$started"
is 'a child that the library did not see begin goes on when its parent has ended' \
	"$(calls x "report.$child.json") $(calls x "report.$pid.json")" '4 1'
export PMU_OUTPUT=report.json

case ${TEST_SANITIZERS:-} in
*thread*)
	skip 'under pmu run' 'what looks for races cannot be preloaded'
	finish
	;;
esac

# --- the end, while it is switched off ---

# a thread finds it out, another one has a region open
start "$pmu" run -q -o report.json --
tell c x 1
tell b open
switch off
tell w c x 1
tell k
finish_program
is 'a program that ends while not all threads have found out' "$status $(calls x) $(calls open)" '7 1 1'

# --- pmu run ---

start "$pmu" run -q -o report.json --
tell c x 1
switch off
tell c x 10
switch on
tell c x 2
finish_program
is 'pmu run: status' $status 7
is 'pmu run: calls' "$(calls x)" 3
is 'pmu run: they are in main' "$(python3 -c 'import json; print([r["path"] for r in json.load(open("report.json"))["regions"] if r["name"] == "x"])')" "['main/x']"
never_unclear 'pmu run: nothing stays open'

start "$pmu" run -o report.txt --idle --
tell c x 10
finish_program
is 'pmu run --idle, never on: status' $status 7
tr -s ' \n' ' ' <report.txt >out
has out 'measuring was off all the time' 'pmu run --idle, never on: the report says so'

start "$pmu" run -q -o report.json --sample=997 --trace=run.trace.json --
tell c x 1
switch off
tell c x 10
switch on
tell c x 2
finish_program
is 'sampled and traced: calls' "$(calls x)" 3
is 'sampled and traced: calls in the trace' "$(grep -o '"name": *"x"' run.trace.json | wc -l)" 3

start "$pmu" run -q -o report.json --idle --
tell c x 10
run 0 'pmu run --idle: by the number of pmu run' on "$started"
tell c x 2
switch off
tell c x 4
kill -9 "$pid"
finish_program
is 'killed while it was off: calls' "$(calls x)" 2
ok 'killed while it was off: the report says both' grep -q 'measuring was off for' report.json

# --- simulated: counts that are the same each time ---

if valgrind -q true 2>/dev/null && [ -z "${TEST_SANITIZERS:-}" ]; then
	start "$pmu" run -q -o report.json --emulate -e instructions --
	tell c x 1
	tell b outer
	switch off
	tell c x 10
	switch on
	tell e outer
	tell c x 2
	finish_program
	is 'simulated: status' $status 7
	is 'simulated: calls' "$(calls x)" 3
	is 'simulated: open when it went off' "$(calls outer)" 1
	never_unclear 'simulated: nothing stays open'
else
	skip 'simulated' 'no valgrind, or a sanitizer'
fi

# --- pmu top, and what is refused ---

PMU_OUTPUT=none start
tell c x 3
switch off
tell c x 3
run 0 'pmu top of a program that is off' top --once "$pid"
has out '(measuring is off)' 'it says so'
run 0 'off again' off "$pid"
has out 'is off already' 'that is no error'
run 1 'a process that is not measured' on $$
has err 'is not being measured' 'says why'
run 1 'no process' on 4194305
has err 'there is no process' 'says so'
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$pmu" 2>/dev/null; then
	env -u XDG_RUNTIME_DIR setpriv --reuid=65534 --regid=65534 --clear-groups "$pmu" off "$pid" >out 2>err
	is "another user's: status" $? 1
	has err "another user's" "another user's: says so"
else
	skip "another user's" 'only root can be another user'
fi
run 2 'no number' off here
run 2 'nothing' off
finish_program
is 'status of a program that is off' $status 7

finish
