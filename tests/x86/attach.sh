#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu attach` beside counters that are exact: what a program and the threads that it begins do while it is watched is counted to
# the instruction, once.
. "$(dirname "$0")/guest.sh"

prepare
${TEST_CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -o "$out/job/counted" "$here/counted.c" -pthread -Wl,-z,now \
	>"$out/log" 2>&1 || bail_out "counted.c cannot be compiled"
compile sampled x86/sampled.c
cp "$here/job_attach.sh" "$here/job_sampled.sh" "$out/job/"
cat >"$out/machines" <<'MACHINES'
Haswell --cpu Haswell --smp 2
Genoa --cpu Genoa --smp 2
MACHINES
boots "sh job_attach.sh && sh job_sampled.sh" <"$out/machines"

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

# sampled NAME RUN REGION EVENT PERIOD: how many samples its sum has, where they are as it says
sampled() {
	python3 - "$out/$1/$2.json" "$3" "$4" "$5" <<-'END'
		import json, sys
		row = [r for r in json.load(open(sys.argv[1]))["regions"] if r["path"] == sys.argv[2]][0]
		samples = row.get("samples", {"n": 0})
		right = samples.get("event") == sys.argv[3] and samples.get("period") == int(sys.argv[4])
		print(samples["n"] if right else 0)
	END
}

# near NAME RUN REGION EVENT PERIOD WANT: two samples more or less: one of them is when the count has come so far, and an
# interrupt of a region's last instruction comes behind it; of two threads
near() {
	got=$(sampled "$1" "$2" "$3" "$4" "$5")
	[ "$got" -ge $(($6 - 2)) ] && [ "$got" -le $(($6 + 2)) ]
	right=$?
	result $right "$1, $2: each $5 $4 of $3 are a sample, $6 of them"
	[ $right -eq 0 ] || echo "# $got"
}

# net NAME RUN: what regions with a name have counted
net() {
	cut -d, -f2- "$out/$1/$2.csv" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^net:/) at[++n] = i; next }
		$1 ~ /outer/ && $4 == "all" { printf "%s", $1; for (i = 1; i <= n; i++) printf " %s", $(at[i]); print "" }'
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
	[ "$(grep -c '^status 0' "$out/$name.log")" -eq 20 ]
	result $? "$name: all that watched have written a report"
	for run in crowded crowding; do
		[ -z "$(count "$name" $run r10e)" ] && [ "$(count "$name" $run calls)" = 2 ]
		result $? "$name, $run: events that had a counter for some of the time are missing"
		grep -q 'given to something else' "$out/$name/$run.txt"
		result $? "  and the report says why"
	done
	near "$name" event counted instructions 100000 400
	[ "$(grep -c '^sampled status 0' "$out/$name.log")" -eq 5 ]
	result $? "$name: all runs that were sampled by an event have ended well"
	near "$name" instructions main/thread/outer instructions 100000 400
	near "$name" instructions main/thread/outer/inner instructions 100000 200
	near "$name" branches main/thread/outer branches 50000 400
	near "$name" branches main/thread/outer/inner branches 50000 200
	grep -q 'source msr writes' "$out/$name/msr.err"
	result $? "$name: counters that the library writes by itself take no samples"
	net "$name" plain >"$out/$name/plain.net"
	[ "$(wc -l <"$out/$name/plain.net")" -eq 2 ]
	result $? "$name: without samples both regions are counted"
	for run in instructions branches held; do
		net "$name" $run | diff "$out/$name/plain.net" - >"$out/log"
		right=$?
		result $right "$name, $run: and with them to the instruction as without"
		[ $right -eq 0 ] || sed 's/^/# /' "$out/log"
	done
	[ "$(sampled "$name" full main/thread/outer r208 10000)" -eq 0 ]
	result $? "$name: where counts have all counters there are no samples"
	tr -s '\n ' '  ' <"$out/$name/full.txt" | grep -q 'sampled for a part of the time, or not at all'
	result $? "  which is said"
	tr -s '\n ' '  ' <"$out/$name/held.txt" | grep -q 'the kernel held samples back'
	result $? "$name: and so it is where the kernel takes no more of them"
done <"$out/machines"
finish
