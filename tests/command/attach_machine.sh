#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu attach --all-cpus` and `--cgroup`: what runs on all processors, or of it what is a cgroup's, by program and function.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
unset PMU_OUTPUT PMU_SAMPLE PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_REPORT
children=''
cgroup=''
# shellcheck disable=SC2154 # as pmu.sh has them
trap 'for child in $children; do kill -9 "$child" 2>/dev/null; wait "$child" 2>/dev/null; done
	[ -z "$cgroup" ] || rmdir "$cgroup/below" "$cgroup"; rm -rf "$tmp"' EXIT

run 2 'processes, or all of them?' attach -a $$
has err '--cgroup or --all-cpus?' '  is said'
run 2 'a cgroup, or all?' attach --all-cpus --cgroup /sys/fs/cgroup
run 1 'no such cgroup' attach --cgroup no/such.slice --for 10ms
has err 'there is no cgroup no/such.slice here' '  is said'

cat >program.c <<'END_C'
#include <unistd.h>

__attribute__((noinline)) void HOT(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
}
/* program [COMMAND...]: computes, and starts that over and over again */
int main(void)
{
	for (;;)
		HOT();
}
END_C
for name in first second; do
	${TEST_CC:-cc} -O2 -g -DHOT=hot_of_$name -o pmu_$name program.c >err 2>&1 ||
		{ sed 's/^/# /' err; exit 1; }
done

# What may be looked at depends on who asks.
"$pmu" attach -a --for 10ms -o all.txt 2>err
status=$?
if [ $status != 0 ] && grep -q 'is refused here' err; then
	skip 'all processors' "$(head -n 1 err)"
	finish
	exit 0
fi
if [ $status != 0 ]; then
	grep -q 'what all programs do may not be looked at.*kernel.perf_event_paranoid' err
	result $? 'who may not is told what it takes'
	finish
	exit 0
fi
if [ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ] &&
	su -s /bin/sh nobody -c "test -x '$pmu' && '$pmu' version" >/dev/null 2>&1; then
	su -s /bin/sh nobody -c "'$pmu' attach -a --for 10ms" >out 2>err
	is 'an ordinary user may not look at all programs' $? 1
	has err 'what all programs do may not be looked at' '  and is told so'
	has err 'kernel.perf_event_paranoid' '  and what it takes'
fi

# column FILE NAME REGION: of the sum of a CSV report
column() {
	awk -F, -v name="$2" -v region="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name || index($i, name " ") == 1) at = i; next }
		$3 == region && $5 == "all" { print $at }' "$1"
}
positive() { [ -n "$1" ] && [ "$1" -gt 0 ]; }
# functions FILE PATH: of a folded stack, those with most samples first
functions() { sed -n "s/^$2;\([^;]*\) \([0-9]*\)\$/\2 \1/p" "$1" | sort -rn | cut -d ' ' -f 2; }
# samples FILE PATH
samples() { awk -v path="$2;" 'index($0, path) == 1 { n += $NF } END { print n + 0 }' "$1"; }

./pmu_first &
first=$!
children="$children $first"
./pmu_second &
second=$!
children="$children $second"

# --- all ---

# however busy the machine is: until there are some samples of both
for time in 1s 4s 16s; do
	"$pmu" attach -a --for $time -g SOFTWARE -o all.csv -o all.json -o all.txt -o all.folded -o all.html -o all.pb 2>err
	status=$?
	[ "$(samples all.folded 'machine;pmu_first')" -lt 30 ] || [ "$(samples all.folded 'machine;pmu_second')" -lt 30 ] || break
done
is 'all processors are watched for a time' $status 0
has all.txt 'pmu: machine (on ' 'the report is of no process'
is '  with a thread for each processor' "$(awk -F, '$3 == "machine" && $5 != "all"' all.csv | wc -l)" "$(getconf _NPROCESSORS_ONLN)"
ok '  that counts what was done there' positive "$(column all.csv net:context-switches machine)"
is '  but no clock that also runs where it is idle' "$(column all.csv net:task-clock machine)" ''
for name in first second; do
	ok "pmu_$name has a row of its own" positive "$(column all.csv cpu_ns pmu_$name)"
	is '  its function is where it was' "$(functions all.folded "machine;pmu_$name" | head -n 1)" "hot_of_$name"
	is '  and nothing is counted by program' "$(column all.csv net:context-switches pmu_$name)" ''
	is '  one process' "$(column all.csv calls pmu_$name)" 1
done
busy=$(column all.csv cpu_ns machine)
ok 'what programs have together is what the processors were busy' awk -F, -v busy="$busy" '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cpu_ns") at = i; next }
	$4 == 1 && $5 == "all" { n += $at }
	END { exit !(n > 0 && n <= busy * 1.001 && n >= busy * 0.9) }' all.csv
ok '  threads of the kernel'\''s that there are for each processor have one name' [ "$(cut -d, -f3 all.csv | grep -c '^ksoftirqd/\|^kworker/\|^migration/')" = 0 ]
ok '  a page is made' test -s all.html
run 0 'the JSON report is read again' report all.json
has out 'pmu: machine (on ' '  and says the same'
has out 'hot_of_first' '  with functions'

"$pmu" attach -a --for 50ms --sample=off -o off.csv -o off.folded 2>err
is 'without samples counts are there' $? 0
ok '  of all of it' positive "$(column off.csv cpu_ns machine)"
is '  and no programs' "$(awk -F, '$4 == 1' off.csv | wc -l)" 0

# Programs that are shorter than a look: each forks, executes the next, and is gone.
cat >short.sh <<'END_SH'
while :; do
	/bin/sh -c 'exec /bin/sh -c "i=0; while [ \$i -lt 3000 ]; do i=\$((i + 1)); done; exit 0"'
done
END_SH
cp "$(command -v sh)" pmu_short && sed -i "s|/bin/sh|$tmp/pmu_short|g" short.sh
kill -STOP $first $second
"$tmp/pmu_short" short.sh &
short=$!
children="$children $short"
for time in 1s 4s 16s; do
	"$pmu" attach -a --for $time -o short.csv -o short.folded 2>err
	[ "$(samples short.folded 'machine;pmu_short')" -lt 100 ] || break
done
calls=$(column short.csv calls pmu_short)
ok 'processes that begin and end meanwhile are in the row of their name' [ "${calls:-0}" -gt 3 ]
kill -9 $short
kill -CONT $first $second

# --- a cgroup ---

for folder in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	if [ -e $folder/cgroup.controllers ] && mkdir "$folder/pmu_test_$$" 2>/dev/null; then
		cgroup=$folder/pmu_test_$$
		break
	fi
done
if [ -z "$cgroup" ] || ! mkdir "$cgroup/below" || ! echo $first >"$cgroup/cgroup.procs" || ! echo $second >"$cgroup/below/cgroup.procs"; then
	skip 'a cgroup' 'none can be made here below /sys/fs/cgroup: it takes root, and version 2'
	finish
	exit 0
fi
if ! "$pmu" attach --cgroup "$cgroup" --for 10ms >out 2>&1 && grep -q 'hierarchy' out; then
	skip 'a cgroup' "$(cat out)"
	finish
	exit 0
fi
"$pmu" attach --cgroup "${cgroup%/*}" --for 10ms >out 2>err
is 'the root of all cgroups is refused' $? 1
has err 'pmu attach -a' '  with what does it'
run 1 'a folder that is no cgroup' attach --cgroup "$tmp" --for 10ms
has err 'but no cgroup' '  is said'
name=${cgroup##*/}
used() { sed -n 's/^usage_usec //p' "$cgroup/cpu.stat"; }
for time in 1s 4s 16s; do
	before=$(used)
	"$pmu" attach --cgroup "$name" --for $time -g SOFTWARE -o group.csv -o group.txt -o group.folded 2>err
	status=$?
	after=$(used)
	[ "$(samples group.folded "$name;pmu_first")" -lt 30 ] || [ "$(samples group.folded "$name;pmu_second")" -lt 30 ] || break
done
is 'a cgroup is watched, by its name' $status 0
for program in first second; do
	ok "pmu_$program has a row of its own" positive "$(column group.csv cpu_ns pmu_$program)"
	is '  its function is where it was' "$(functions group.folded "$name;pmu_$program" | head -n 1)" "hot_of_$program"
done
is '  and nothing else has' "$(awk -F, '$4 == 1 && $5 == "all"' group.csv | wc -l)" 2
cpu=$(column group.csv cpu_ns "$name")
clock=$(column group.csv net:task-clock "$name")
ok 'its CPU time is not more than the system has on its account' [ "$cpu" -le $(((after - before) * 1000 + 1000000)) ]
said=$(tr -s ' \n' ' ' <group.txt | sed -n 's/.*had \([0-9.]*\) s of CPU time meanwhile.*/\1/p')
ok '  and is what that has for the same time' awk -v cpu="$cpu" -v said="${said:-0}" \
	'BEGIN { d = cpu / 1e9 - said; exit !(said > 0 && d < 0.02 * said + 0.01 && -d < 0.02 * said + 0.01) }'
ok '  as the task clock is' awk -v cpu="$cpu" -v clock="${clock:-0}" \
	'BEGIN { d = (cpu - clock) / 1e9; exit !(clock > 0 && d < 0.05 && -d < 0.05) }'
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ] &&
	su -s /bin/sh nobody -c "test -x '$pmu' && '$pmu' version" >/dev/null 2>&1; then
	su -s /bin/sh nobody -c "'$pmu' attach --cgroup '$cgroup' --for 10ms" >out 2>err
	is 'an ordinary user may not look at a cgroup' $? 1
	has err "pmu attach \$(cat $cgroup/cgroup.procs)" '  but at processes of theirs in it'
fi
finish
