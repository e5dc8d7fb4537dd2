# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# In the guest, as root: programs that know how many instructions they do, attached to while they wait.
#
# What is left in /out: NAME.csv, NAME.json and NAME.txt of each.
export LD_LIBRARY_PATH=/job/lib

# begins TURNS THREADS: a program that waits
begins() {
	rm -f /tmp/in /tmp/said
	mkfifo /tmp/in
	./counted "$1" "$2" </tmp/in >/tmp/said &
	program=$! target=$program
	exec 3>/tmp/in
	until grep -q ready /tmp/said; do sleep 0.05; done
}

# watch NAME OPTION...: attaches to it; it waits for signals from when it counts on
watch() {
	name=$1
	shift
	# shellcheck disable=SC2086 # a number, or an option and its value
	bin/pmu attach $target "$@" -o "/out/$name.csv" -o "/out/$name.json" -o "/out/$name.txt" 2>"/out/$name.err" &
	watcher=$!
	until ls -l /proc/$watcher/fd 2>/dev/null | grep -q signalfd; do sleep 0.05; done
}

# works WATCHER...: the program does its work, and they stop
works() {
	echo >&3
	until grep -q done /tmp/said; do sleep 0.05; done
	for watcher; do
		kill -INT $watcher
		wait $watcher
		echo "status $?"
	done
	exec 3>&-
	wait $program
}

for threads in 0 1 8; do
	for turns in 1000000 3000000; do
		begins $turns $threads
		watch "$threads-$turns" -e instructions,branches,cycles:k --sample=off
		works $watcher
		begins $turns $threads
		watch "sampled-$threads-$turns" -e instructions,branches
		works $watcher
	done
done
# a cgroup with nothing else in it; until something is written there, Linux 6.1 has no perf_event in a hierarchy that was just mounted
mkdir -p /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
echo +pids >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/alone
for threads in 1 8; do
	for turns in 1000000 3000000; do
		begins $turns $threads
		echo $program >/sys/fs/cgroup/alone/cgroup.procs
		target='--cgroup alone'
		watch "cgroup-$threads-$turns" -e instructions,branches
		works $watcher
	done
done
begins 3000000 1
target=-a
watch machine -e instructions,branches
works $watcher
# by what they count, and none is held back, however long an interrupt takes here
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
begins 10000000 2
watch event -e instructions,branches --sample=instructions:100000
works $watcher
# as many as there are counters, twice
begins 100000000 1
watch crowded -e r010e,r02c2,r01c2,r81d0,r82d0,r0108 --sample=off
first=$watcher
watch crowding -e r010e,r02c2,r01c2,r81d0,r82d0,r0108 --sample=off
works $first $watcher
