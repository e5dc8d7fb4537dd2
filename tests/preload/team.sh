#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A region counts its team: what any thread does for it stands below it.
# shellcheck source=tests/command/pmu.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/command/pmu.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'

tests=$source/tests/preload
export XDG_RUNTIME_DIR="$tmp" OMP_DYNAMIC=false OMP_WAIT_POLICY=passive
unset OMP_NUM_THREADS PMU_AUTO PMU_SCOPE

# builds PROGRAM COMPILER ARGUMENT...: false, and a line of TAP, where there is no such compiler
builds() {
	to=$1
	shift
	"$@" -I"$source/include" -L"$build/lib/.libs" -lpmu -o "$to" >out 2>err && return
	skip "$to" "cannot be compiled here"
	return 1
}

# measure PROGRAM ARGUMENT...: "PATH CALLS" of each region of all threads in paths, but waits, main's only as what is
# below
measure() {
	LD_LIBRARY_PATH=$build/lib/.libs "$pmu" run -o report.csv -o report.txt "$@" >out 2>err
	awk -F, '
		FNR > 1 && $5 == "all" && $2 != "main" && $2 !~ /\/wait / { sub("^main/", "", $2); print $2 " " $6 }' report.csv |
		LC_ALL=C sort >paths
	cat paths >>out
}

# makes NAME: these are standard input's
makes() {
	LC_ALL=C sort >want
	cmp -s want paths || diff want paths >>err
	cmp -s want paths
	result $? "$1"
}

calm() {
	! grep -q doubts report.txt || cat report.txt >>err
	! grep -q doubts report.txt
	result $? "$1: no doubts"
}

each_openmp() {
	for size in 1 2 4; do
		export OMP_NUM_THREADS=$size
		measure "./$1" loop bare
		makes "$1: $size threads, in a region and outside of any" <<-END
			loop 1
			loop/parallel loop:0 $size
			loop/parallel loop:0/step 40
			parallel bare:0 $size
			parallel bare:0/step 40
		END
		calm "$1: $size threads"
	done
	export OMP_NUM_THREADS=4
	measure "./$1" nest
	sed -i 's/parallel nest:0:0/parallel nest:1/' paths
	makes "$1: teams in a team" <<-END
		nest 1
		nest/parallel nest:0 2
		nest/parallel nest:0/part 2
		nest/parallel nest:0/part/parallel nest:1 4
		nest/parallel nest:0/part/parallel nest:1/leaf 4
	END
	calm "$1: teams in a team"
	PMU_SCOPE=thread measure "./$1" loop
	grep -q '^parallel loop:0 3$' paths && grep -q '^loop/parallel loop:0 1$' paths
	result $? "$1: each thread by itself, where that is asked for"
}

late_tasks() {
	[ "$(awk '/^tasks\/.*\/late [0-9]*$/ { n += $NF } END { print n }' paths)" = 40 ]
	result $? "$1: tasks left to the barrier at the end are below the region"
}

tasks_of_gcc() {
	measure ./gcc tasks
	late_tasks gcc
	[ "$(grep -cv '^tasks' paths)" = 0 ]
	result $? "gcc: tasks are below the region, whoever runs them"
	calm "gcc: tasks"
}

tasks_of_clang() {
	measure ./clang tasks
	late_tasks clang
	grep -v 'late\| tasks [0-9]*$' paths >kept
	mv kept paths
	makes "clang: tasks are in the region that made them, whoever runs them" <<-END
		tasks 1
		tasks/parallel tasks:0 4
		tasks/parallel tasks:0/make 1
		tasks/parallel tasks:0/make/behind 40
		tasks/parallel tasks:0/make/inner 40
		tasks/parallel tasks:0/make/task 40
	END
	calm "clang: tasks"
}

each_openmp_kind() {
	each_openmp "$1"
	"tasks_of_$1"
}

threads() {
	for deed in std async; do
		measure ./threads $deed
		makes "std::$deed" <<-END
			$deed 1
			$deed/thread 4
			$deed/thread/work 4
		END
		calm "std::$deed"
	done
	measure ./threads nested
	makes "threads that start threads" <<-END
		nested 1
		nested/thread 1
		nested/thread/outer 1
		nested/thread/outer/thread 4
		nested/thread/outer/thread/work 4
	END
	measure ./threads c11 posix
	makes "threads that end in other ways" <<-END
		c11 1
		c11/thread 1
		c11/thread/work 1
		posix 1
		posix/thread 2
		posix/thread/work 2
	END
	calm "threads that end in other ways"
}

linked() {
	for deed in std async; do
		LD_LIBRARY_PATH=$build/lib/.libs PMU_OUTPUT=report.csv,report.txt ./threads $deed >out 2>err
		awk -F, 'FNR > 1 && $5 == "all" { print $2 " " $6 }' report.csv >paths
		makes "std::$deed in a program that is linked with libpmu" <<-END
			$deed 1
			$deed/work 4
		END
		calm "std::$deed in a program that is linked with libpmu"
	done
	LD_LIBRARY_PATH=$build/lib/.libs PMU_OUTPUT=report.csv PMU_SCOPE=thread ./threads std >out 2>err
	awk -F, 'FNR > 1 && $5 == "all" { print $2 " " $6 }' report.csv >paths
	makes "each thread by itself, where that is asked for" <<-END
		std 1
		work 4
	END
}

ends() {
	measure ./threads outlives
	grep -q '^outlives/init/thread/work 1$' paths
	result $? "a thread that works when the region has ended is below it"
	[ "$(sed -n '/^  doubts/,$p' report.txt | grep -c 'had ended')" = 1 ]
	result $? "and one line says so"
	measure ./threads left_behind
	has report.txt endless "a thread that is inside a region when the program ends"
}

for cc in gcc clang; do
	builds $cc $cc -O2 -fopenmp "$tests/team.c" || continue
	each_openmp_kind $cc
done
if builds threads g++ -std=c++17 -O2 -pthread "$tests/team.cc"; then
	threads
	linked
	ends
fi
finish
