# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# job_exact.sh [PROCESSES]: in the guest, as root: programs that know what their regions do, by every source of counts.  With
# PROCESSES so many for each source and number of threads, without it one for most of these.
#
# What it prints: "== SOURCE THREADS" (0: the C++ program), what the program says, "== status N"; on standard error how far it is.
export LD_LIBRARY_PATH=/job/lib PMU_OUTPUT=none PMU_EVENTS=instructions,cycles,branches
rdpmc=/sys/bus/event_source/devices/cpu/rdpmc
modprobe msr

# Again where a count is wrong: on a busy host a processor of this machine may stand still in the middle of a read, and
# what the library takes off for that is its own measure of it.  What is wrong three times is wrong.
again() {
	for try in first second; do
		"$@" >/tmp/once 2>&1 && {
			cat /tmp/once
			return
		}
		sed "s/^/$try: /" /tmp/once
	done
	"$@"
}

one() { # SOURCE THREADS [WAY]
	program="./net $2"
	[ "$1" != process ] || program=./process
	[ "$2" -gt 0 ] || program=./scope
	case ${3:-} in
	'') ;;
	pool) program="./team pool $2" ;;
	linked) program="./team threads $2" ;;
	*) # preloaded it leaves threads where they are
		program="env LD_PRELOAD=/job/lib/libpmu-preload.so OMP_WAIT_POLICY=passive ./team $3 $2"
		[ "$1" != cpu ] || program="env PMU_PIN=compact $program"
		;;
	esac
	echo "== $1 $2"
	echo "exact: $1 $2${3:+ $3}" >&2
	case $1 in
	rdpmc) again env PMU_BACKEND=perf $program ;;
	read)
		echo 0 >$rdpmc
		again env PMU_BACKEND=perf $program
		rc=$?
		echo 1 >$rdpmc
		(exit $rc)
		;;
	msr) again env PMU_BACKEND=msr $program ;;
	cpu) again env PMU_BACKEND=perf PMU_COUNT=cpu $program ;;
	process) again env PMU_BACKEND=perf PMU_COUNT=process $program ;;
	esac 2>&1
	echo "== status $?"
}

# Groups in turns, of what all of these machines count; at user level, where no interrupt adds to it.
turns() { # NAME THREADS [SOURCE]
	(
		unset PMU_EVENTS
		export PMU_BACKEND=${3:-perf}
		. ./rotate.sh
		rotate_groups "/out/turns-$1" branches cycles branches:u cycles:u
		cd "/out/turns-$1" && rotate_run /job/rotate "$2"
	) 2>&1
	echo "turns: $1, status $?" >&2
}

# As again.
turns_twice() { # NAME CALLS THREADS [SOURCE]
	turns "$1" "$3" "${4:-perf}"
	(. ./rotate.sh && rotate_compare "/out/turns-$1" "$2") >/dev/null || turns "$1-again" "$3" "${4:-perf}"
}

# What counts a processor tells threads apart only where each has one to itself.
two=2
[ "$(nproc)" -ge 2 ] || two=1
if [ $# -eq 0 ]; then
	for threads in 0 1 2 4; do
		one rdpmc $threads
	done
	for source in read msr cpu; do
		one $source $two
		one $source $two openmp
	done
	for way in pool linked threads openmp nested; do
		for threads in 1 2 4; do
			one rdpmc $threads $way
		done
		one read 2 $way
	done
	one process 4
	turns_twice threads 1500 3
	# What else runs on the processor is counted, too: where there is another one, seldom twice.
	case $MODEL in
	Nehalem)
		turns_twice msr 500 1 msr
		;;
	esac
	exit 0
fi
for process in $(seq "$1"); do
	one process 4
	for threads in 0 1 2 4; do
		one rdpmc $threads
		one read $threads
		[ "$threads" -eq 0 ] || for way in pool linked threads openmp nested; do
			one rdpmc $threads $way
			one read $threads $way
		done
		[ "$threads" -le "$(nproc)" ] || continue
		one msr $threads
		one cpu $threads
	done
done
