#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu attach` beside counters that are exact: what a program and the threads that it begins do while it is watched is counted to
# the instruction, once.
. "$(dirname "$0")/guest.sh"

prepare
${TEST_CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -o "$out/job/counted" "$here/counted.c" -pthread -Wl,-z,now \
	>"$out/log" 2>&1 || bail_out "counted.c cannot be compiled"
cp "$here/job_attach.sh" "$out/job/"
cat >"$out/machines" <<'MACHINES'
Haswell --cpu Haswell --smp 2
Genoa --cpu Genoa --smp 2
MACHINES
boots "sh job_attach.sh" <"$out/machines"

# count NAME RUN EVENT: of all its threads together; calls: how many threads they were
count() {
	awk -F, -v event="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "net:" event || (event == "calls" && $i == event)) at = i; next }
		$2 == region && $5 == "all" { print at ? $at : "none" }' region="${4:-counted}" "$out/$1/$2.csv"
}

# twice NAME RUN THREADS EVENT EACH: three times the turns are two million more, of EACH events
twice() {
	less=$(count "$1" "$2$3-1000000" "$4")
	more=$(count "$1" "$2$3-3000000" "$4")
	workers=$(($3 ? $3 : 1))
	[ "$((more - less))" -eq $((workers * $5 * 2000000)) ]
	right=$?
	result $right "$1: $4 of ${2:+samples beside, }$3 threads that begin while it is watched: all are counted, once"
	[ $right -eq 0 ] || echo "# $less, then $more"
	[ "$(count "$1" "$2$3-3000000" calls)" = $((1 + $3)) ]
	result $? "  and each is a call of its row"
}

while read -r name options; do
	result "$(cat "$out/$name.rc")" "$name ($options): it ran to its end"
	for run in '' sampled-; do
		for threads in 0 1 8; do
			twice "$name" "$run" $threads instructions 2
			twice "$name" "$run" $threads branches 1
		done
	done
	for threads in 1 8; do
		for event in instructions:2 branches:1; do
			less=$(count "$name" cgroup-$threads-1000000 ${event%:*} alone)
			more=$(count "$name" cgroup-$threads-3000000 ${event%:*} alone)
			[ $((more - less)) -eq $((threads * ${event#*:} * 2000000)) ]
			result $? "$name: ${event%:*} of $threads threads of a cgroup, on any processor: all, once"
		done
	done
	[ "$(count "$name" machine instructions machine)" -ge 6000000 ]
	result $? "$name: those of a whole machine are not less than those of a program"
	[ "$(grep -c '^status 0' "$out/$name.log")" -eq 19 ]
	result $? "$name: all that watched have written a report"
	for run in crowded crowding; do
		[ -z "$(count "$name" $run r10e)" ] && [ "$(count "$name" $run calls)" = 2 ]
		result $? "$name, $run: events that had a counter for some of the time are missing"
		grep -q 'given to something else' "$out/$name/$run.txt"
		result $? "  and the report says why"
	done
done <"$out/machines"
finish
