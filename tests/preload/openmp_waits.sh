#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Who waits in an OpenMP program is a region below the parallel one, the same with each runtime, and no work.
# shellcheck source=tests/command/pmu.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/command/pmu.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'

for name in $(env | sed -n 's/^\(OMP_[A-Z_]*\|KMP_[A-Z_]*\|GOMP_[A-Z_]*\|PMU_[A-Z_]*\)=.*/\1/p'); do
	unset "$name"
done
export XDG_RUNTIME_DIR="$tmp" OMP_NUM_THREADS=2 OMP_DYNAMIC=false OMP_WAIT_POLICY=passive

measure() {
	"$pmu" run -o report.csv -o report.txt "./$1" "$2" >out 2>err
	cat report.csv >>out
}

# waits KIND THREAD: "CALLS NANOSECONDS" of a kind of wait below a parallel region
waits() {
	awk -F, -v name="wait ($1)" -v thread="$2" '
		$3 == name && $5 == thread && $2 ~ /\/parallel [^\/]*\/wait / { calls += $6; ns += $7 }
		END { printf "%d %d\n", calls, ns }' report.csv
}

# waited PROGRAM DEED KIND CALLS: so often on the first thread, half of 0.2 s at least
waited() {
	measure "$1" "$2"
	read -r n_calls ns <<-END
		$(waits "$3" 0)
	END
	[ "$n_calls" = "$4" ] && [ "$ns" -ge 100000000 ]
	result $? "$1, $2: wait ($3), $n_calls calls, 100 ms of $ns ns"
}

# never PROGRAM DEED KIND THREAD
never() {
	[ "$(waits "$3" "$4")" = '0 0' ]
	result $? "$1, $2: no wait ($3) on thread $4"
}

# efficiency PROGRAM DEED POLICY: one of two threads waits nearly all of the time, whether it spins or sleeps
efficiency() {
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "efficiency") column = i }
		$2 == "main" && $5 == "team" { print $column; exit !($column > 0 && $column < 0.8) }' report.csv >efficient
	result $? "$1, $2, $3: efficiency $(cat efficient)"
}

each_runtime() {
	for policy in passive active; do
		export OMP_WAIT_POLICY=$policy
		waited "$1" end barrier 1
		never "$1" end barrier 1
		efficiency "$1" end $policy
		waited "$1" critical critical 1
		efficiency "$1" critical $policy
	done
	export OMP_WAIT_POLICY=passive
	never "$1" critical critical 1
	waited "$1" named critical 1
	waited "$1" lock lock 1
	waited "$1" barrier barrier 2
	[ "$(waits barrier 1 | cut -d ' ' -f 1)" = 1 ]
	result $? "$1: one that comes last waits shortly"
	measure "$1" loops
	[ "$(waits barrier 0 | cut -d ' ' -f 1)" = 4 ] && [ "$(waits barrier 1 | cut -d ' ' -f 1)" = 3 ]
	result $? "$1: after each loop, sections and single"
	for deed in taskwait taskloop; do
		measure "$1-tasks" $deed
		read -r n_calls ns <<-END
			$(waits taskwait all)
		END
		[ "$n_calls" -ge 1 ] && [ "$ns" -ge 100000000 ]
		result $? "$1, $deed: for a task that another thread has ($n_calls calls, 100 ms of $ns ns)"
	done
	for deed in taskgroup tasks; do
		measure "$1-tasks" $deed
		ns=$(awk -F, '$3 ~ /^parallel / && $5 == "all" { ns += $8 } END { printf "%d\n", ns }' report.csv)
		[ "$ns" -ge 180000000 ]
		result $? "$1, $deed: what is done meanwhile is no wait (180 ms of $ns ns)"
	done
	! grep -q doubts report.txt
	result $? "$1: no doubts"
	measure "$1" nothing
	! grep -q 'wait (' report.csv
	result $? "$1: no row where nobody waits"
	for deed in end critical; do
		"$pmu" run --auto main,threads -o report.csv "./$1" $deed >out 2>err
		! grep -q 'wait (' report.csv
		result $? "$1, $deed: none where it is not asked for"
	done
}

for cc in gcc clang; do
	if $cc -O2 -Wall -fopenmp "$source/tests/preload/openmp_waits.c" -o $cc >out 2>err &&
		$cc -O2 -Wall -fopenmp -DTASKS "$source/tests/preload/openmp_waits.c" -o $cc-tasks >out 2>err; then
		each_runtime $cc
	else
		skip $cc "no $cc with OpenMP"
	fi
done
finish
