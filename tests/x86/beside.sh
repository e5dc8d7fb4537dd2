#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What else goes on on a machine: perf for all processors, the watchdog, processors that go offline, threads that are moved, many
# threads, rdpmc forbidden meanwhile.  Every count is exact or missing, and where it is missing the report says why.
. "$(dirname "$0")/guest.sh"

prepare
compile net exact/net.c
compile work x86/work.c
compile beside x86/beside.c
cp "$here"/job_*.sh "$out/job/"
cat >"$out/machines" <<'MACHINES'
Haswell --cpu Haswell --smp 2 --perf
Genoa --cpu Genoa --smp 2 --perf
MACHINES
boots "sh job_beside.sh" <"$out/machines"

while read -r name options; do
	result "$(cat "$out/$name.rc")" "$name ($options): it ran to its end"
	# NAME of what went on, its status, regions, wrong, missing
	awk '
		/^== status / { print $3, regions + 0, wrong + 0, missing + 0, what; next }
		/^== / { what = substr($0, 4); regions = wrong = missing = 0; next }
		/^# net: / { regions += $3; wrong += $5; missing += $7 }' "$out/$name.log" >"$out/$name.sums"
	while read -r rc regions wrong missing what; do
		[ "$rc" -eq 0 ] && [ "$regions" -gt 0 ] && [ "$wrong" -eq 0 ]
		right=$?
		result $right "$name, $what: $regions regions, $wrong wrong, $missing missing"
		[ $right -eq 0 ] ||
			awk -v what="== $what" '$0 == what { on = 1 } on { print "#  ", $0 } on && /^== status/ { exit }' "$out/$name.log"
	done <"$out/$name.sums"
	[ "$(wc -l <"$out/$name.sums")" -eq 23 ]
	result $? "$name: nothing was left out"
	grep '^stat ' "$out/$name.log" | awk '
		{ rest = $5 - $9 - $10; rests[rest]; n++; print "# " $0 ", the rest " rest }
		END { for (rest in rests) different++; exit n != 4 || different != 1 }'
	result $? "$name: perf stat counts what the regions and the work outside of them have, and the same besides"
done <"$out/machines"
finish
