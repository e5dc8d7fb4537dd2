# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# In the guest, as root: programs that know what their regions do, while something else goes on.
#
# What it prints: "== NAME", what the program says and a line "# net: R regions, W wrong, M missing", "== status N".
export LD_LIBRARY_PATH=/job/lib PMU_OUTPUT=none PMU_BACKEND=perf TEST_MISSING=1
few=instructions,cycles,branches
many=instructions,cycles,branches,branch-misses,cache-misses,cache-references
rdpmc=/sys/bus/event_source/devices/cpu/rdpmc
watchdog=/proc/sys/kernel/nmi_watchdog
cpu1=/sys/devices/system/cpu/cpu1/online
modprobe msr

# once SURROUNDING PROGRAM...: what it says is in /tmp/output
once() {
	surrounding=$1
	shift
	"$@" >/tmp/output 2>&1 &
	program=$!
	while kill -0 $program 2>/dev/null; do
		$surrounding
	done
	wait $program
}

# during NAME SURROUNDING PROGRAM...: the program, and the shell function SURROUNDING over and over until it has ended.  What a
# switch in the middle of a read takes is measured, and measured wrong now and then: what is wrong twice is wrong.
during() {
	name=$1
	shift
	echo "== $name"
	once "$@"
	rc=$?
	if [ $rc -ne 0 ] || grep -qE '^# net: [0-9]+ regions, [1-9][0-9]* wrong' /tmp/output; then
		sed 's/^/first: /' /tmp/output
		once "$@"
		rc=$?
	fi
	cat /tmp/output
	echo "== status $rc"
}

# beside NAME COMMAND PROGRAM...: the program, and the command beside it all the time
beside() {
	name=$1
	shift
	sh -c "exec $1" >/tmp/beside 2>&1 &
	other=$!
	sleep 0.3
	shift
	during "$name" "sleep 0.1" "$@"
	kill $other
	wait $other 2>/dev/null
}

# known PROGRAM...: of work's "want" lines and its report
known() {
	rm -f /tmp/known.csv
	PMU_OUTPUT=/tmp/known.csv "$@" >/tmp/want || return
	awk -F, '
		NR == FNR { split($0, w, " "); calls[w[2]] = w[3]; want[w[2]] = w[4]; branches[w[2]] = w[5]; n++; next }
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		function count(event) { return at["net:" event] ? $at["net:" event] : "" }
		function differs(event, is) {
			if (count(event) == "" || count(event) == is)
				return 0
			print "# " $2 ": " event " " count(event) " instead of " is
			return 1
		}
		$5 == "all" && $2 in want {
			seen++
			if ($6 != calls[$2]) { print "# " $2 ": " $6 " calls instead of " calls[$2]; wrong++ }
			else if (differs("instructions", want[$2]) || differs("branches", branches[$2])) wrong++
			else if (count("instructions") == "") missing++
		}
		END { print "# net: " n " regions, " wrong + n - seen " wrong, " missing + 0 " missing" }' /tmp/want /tmp/known.csv
}

# sampled PROGRAM...: the same while the kernel samples its threads, and there are samples of it
sampled() {
	rm -f /tmp/sampled.json
	known /job/bin/pmu run --auto none --sample=4000 -o /tmp/known.csv -o /tmp/sampled.json -- "$@"
	grep -q '"samples": {' /tmp/sampled.json
}

nothing() { sleep 0.1; }
toggle() { # FILE A B
	echo "$2" >"$1"
	usleep 60000
	echo "$3" >"$1"
	usleep 60000
}
watchdog() { toggle $watchdog 1 0; }
offline() { toggle $cpu1 0 1; }
lower() { toggle $rdpmc 0 1; }
lower_2() { toggle $rdpmc 1 2; }
stat() { perf stat -a -e cycles,instructions,cache-misses,branch-misses,r010e sleep 0.02 2>/dev/null; }
move() { ./beside move $program; }

export PMU_EVENTS=$few
during "nothing else" nothing ./net 2
during "perf stat -a comes and goes" stat ./net 2
for events in few many; do
	eval "PMU_EVENTS=\$$events"
	beside "all processors' counters taken 20 times a second, $events" "./beside flicker" ./net 2
	during "the watchdog comes and goes, $events" watchdog ./net 2
done
PMU_EVENTS=$few
beside "all counters are held" "./beside pinned" ./net 2
during "a processor goes and comes back" offline ./net 2
during "a processor goes and comes back, not pinned" offline env PMU_PIN=none ./net 2
during "threads are moved" move ./net 2
during "threads are moved, not pinned" move env PMU_PIN=none ./net 4
during "rdpmc is forbidden and allowed" lower ./net 2
echo 1 >$rdpmc
echo 2 >$rdpmc
during "rdpmc goes from 2 to 1 and back" lower_2 ./net 2
echo 2 >$rdpmc
# Pages for the counters of one thread (2 * 8 kB), so that the other one is read by read(2).
locked=$(cat /proc/sys/kernel/perf_event_mlock_kb)
echo 8 >/proc/sys/kernel/perf_event_mlock_kb
during "pages for one thread of two" nothing su -s /bin/sh nobody -c "ulimit -l 0; exec ./net 2"
echo "$locked" >/proc/sys/kernel/perf_event_mlock_kb
# What runs on its processor would be counted, too.
taskset -p 2 $$ >/dev/null
during "rdpmc goes from 2 to 1 and back, msr" lower_2 taskset 1 env PMU_BACKEND=msr PMU_PIN=compact ./net 1
during "perf stat -a comes and goes, msr" stat taskset 1 env PMU_BACKEND=msr PMU_PIN=compact ./net 1
during "counters by hand in a third of the calls, msr" nothing known taskset 1 env PMU_BACKEND=msr TEST_BY_HAND=1 PMU_PIN=compact ./work 30
taskset -p 3 $$ >/dev/null
echo 1 >$rdpmc
during "threads are sampled" nothing sampled ./work 20
during "threads are sampled, 4 threads" nothing sampled ./work 20 4
during "threads are sampled, counters are read by read(2)" nothing sampled env PMU_USER_READ=0 ./work 20 4
during "200 threads" nothing known ./work 3 200
during "a vfork child has regions" nothing known env TEST_VFORK=1 ./work 20
during "a vfork child has regions, 4 threads" nothing known env TEST_VFORK=1 ./work 20 4
wait

# --- perf stat of a program of known work ---

# The total less what is known is the library's own work and the program's: the same each time, where nothing depends on an
# address.
echo 0 >/proc/sys/kernel/randomize_va_space
mkfifo /tmp/control /tmp/ack
for turns in "1000 1000" "5000 1000" "1000 7000" "3000 9000"; do
	# Something else that gets the processor meanwhile may move the counters, and the next reads take longer: once more then.
	for try in 1 2 3 4 5 6 7 8; do
		# shellcheck disable=SC2086 # two numbers
		PMU_WAIT=0 taskset 1 perf stat -x, -D -1 --control fifo:/tmp/control,/tmp/ack -e instructions:u -o /tmp/stat \
			./beside stat $turns /tmp/control /tmp/ack >/tmp/numbers 2>/tmp/switches
		switches=$(sed -n 's/^switches //p' /tmp/switches)
		[ "$switches" != 0 ] || break
		echo "-- stat $turns, try $try: $switches switches"
	done
	echo "stat $turns: total $(sed -n 's/,.*instructions.*//p' /tmp/stat) regions and outside $(od -An -t u8 /tmp/numbers | tr -s '\n ' '  ')"
done
