#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# OpenMP programs that know nothing of libpmu, with it loaded into them: what they print is the same, and each
# parallel region has a row for every thread of its team.
# shellcheck source=tests/command/pmu.sh disable=SC2012,SC2094,SC2317
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/command/pmu.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'

preload=$build/bindings/.libs/libpmu-preload.so
library=$build/lib/.libs/libpmu.so.0
tests=$source/tests/preload
for name in $(env | sed -n 's/^\(OMP_[A-Z_]*\|KMP_[A-Z_]*\|GOMP_[A-Z_]*\|PMU_[A-Z_]*\)=.*/\1/p'); do
	unset "$name"
done
# passive: threads that spin would hold up the others where the machine is busy
export XDG_RUNTIME_DIR="$tmp" OMP_NUM_THREADS=2 OMP_DYNAMIC=false OMP_WAIT_POLICY=passive
behind='' # more to be loaded, behind ours

# builds PROGRAM COMPILER ARGUMENT...: false, and a line of TAP, where that compiler has no OpenMP
builds() {
	to=$1
	shift
	"$@" -o "$to" >out 2>err && return
	if command -v "$1" >/dev/null && echo 'int main(void) { return 0; }' >null.c &&
		"$1" -fopenmp null.c -o null 2>/dev/null; then
		false
		result $? "$to compiles"
	else
		skip "$to" "no $1 with OpenMP"
	fi
	return 1
}

# The calls of each region but main, thread, waits, and tasks that are left to the end: in the first thread, then in
# the others, most first.
calls() {
	awk -F, '
		FNR > 1 && $5 != "all" && $3 !~ /^main$|^thread$|^wait | tasks$/ { calls[$3 "," $5] += $6; names[$3] }
		END {
			for (name in names) {
				first = (name ",0") in calls ? calls[name ",0"] : "-"
				line = name " |" first
				for (most = 10000; most; most--)
					for (key in calls) {
						split(key, part, ",")
						if (part[1] == name && part[2] && calls[key] == most)
							line = line " " most
					}
				print line
			}
		}' "$@" | sort
}

# measure PROGRAM ARGUMENT...: plain.out without us; out, report*.csv and calls with
measure() {
	rm -f report*.csv
	LD_PRELOAD=$behind "$@" >plain.out 2>&1
	PMU_OUTPUT=report.csv LD_PRELOAD="$preload $behind" "$@" >out 2>err
	status=$?
	cmp out plain.out >>err && [ -s out ] && [ "$status" = 0 ]
	result $? "$* prints the same (status $status)"
	calls report*.csv >calls 2>>err
	cat calls >>out
}

# makes NAME: what has been measured last is standard input's
makes() {
	cat >want
	sort -o want want
	cmp -s want calls || diff want calls >>err
	cmp -s want calls
	result $? "$1"
}

# sum_ns NAME...: time in these regions, all threads
sum_ns() {
	awk -F, -v names="$(printf '%s,' "$@")" '
		BEGIN { n = split(names, name, ",") }
		$5 == "all" { for (i = 1; i < n; i++) if ($3 == name[i]) sum += $7 }
		END { printf "%d\n", sum }' report.csv
}

# --- one region after the other; what differs is how the compilers name them ---

each_kind() {
	p=./$1
	measure "$p" team
	makes "$1: a team of two" <<-E
		parallel team:0 |1 1
	E
	measure "$p" short
	makes "$1: a thousand short ones" <<-E
		parallel again:0 |1000 1000
	E
	OMP_SCHEDULE=dynamic,3 measure "$p" loops
	makes "$1: loops of every schedule" <<-E
		parallel static_loop:0 |1 1
		parallel dynamic_loop:0 |1 1
		parallel monotonic_loop:0 |1 1
		parallel guided_loop:0 |1 1
		parallel monotonic_guided_loop:0 |1 1
		parallel runtime_loop:0 |1 1
		parallel monotonic_runtime_loop:0 |1 1
	E
	measure "$p" two_loops two_loops
	makes "$1: several loops and barriers" <<-E
		parallel two_loops:0 |2 2
	E
	time_ns=$(sum_ns 'parallel two_loops:0')
	[ "$time_ns" -ge 8000000 ]
	result $? "$1: what comes after a barrier is in the region (8 ms of $time_ns ns)"
	measure "$p" idle
	time_ns=$(sum_ns 'parallel team:0')
	[ "$time_ns" -lt 400000000 ]
	result $? "$1: what comes after the region is not (400 ms, not in $time_ns ns)"
	measure "$p" sections task_reduction
	makes "$1: sections and reductions" <<-E
		parallel sections:0 |1 1
		parallel task_reduction:0 |1 1
	E
	measure "$p" three
	makes "$1: teams of three, one and two" <<-E
		parallel team:0 |3 2 1
	E
	measure "$p" only_nesting
	[ "$(wc -l <calls)" = 4 ] && [ "$(grep -c '^parallel only_nest' calls)" = 4 ]
	result $? "$1: those that hold nothing but another one have names of their own"
	OMP_CANCELLATION=true measure "$p" cancelled
	makes "$1: cancelled" <<-E
		parallel cancelled_loop:0 |1 1
		parallel cancelled_region:0 |2 2
	E
	measure "$p" waited_tasks
	makes "$1: tasks that are waited for are the region's" <<-E
		parallel waited_tasks:0 |1 1
	E
	measure "$p" forking
	makes "$1: a forked child has a team of its own" <<-E
		parallel team:0 |2 2
	E
	[ "$(ls report*.csv | wc -l)" = 2 ]
	result $? "$1: and a report"
}

# Where the compilers differ.  With PMU_SCOPE=thread the report says which thread joined a nested team.
gcc_kinds() {
	PMU_SCOPE=thread measure ./gcc nesting
	makes "gcc: nested, in parallel and not" <<-E
		parallel nested:0 |2 2
		parallel nested:1 |2 2 1 1
	E
	measure ./gcc serial
	makes "gcc: teams of one" <<-E
		parallel alone:0 |1
		parallel not_parallel:0 |3 1
	E
	measure ./gcc teams
	makes "gcc: a team in each of a league" <<-E
		parallel teams:1 |2 2
	E
	measure ./gcc tasks
	makes "gcc: tasks are no regions" <<-E
		parallel tasks:0 |1 1
	E
	time_ns=$(sum_ns 'parallel tasks:0')
	[ "$time_ns" -ge 40000000 ]
	result $? "gcc: all tasks run inside the region (40 ms of $time_ns ns)"
}

clang_kinds() {
	PMU_SCOPE=thread measure ./clang nesting
	makes "clang: nested, in parallel and not" <<-E
		parallel nested:0 |2 2
		parallel nested:0:0 |2 2 1 1
	E
	measure ./clang serial
	makes "clang: teams of one" <<-E
		parallel alone:0 |1
		parallel not_parallel:0 |2
		parallel not_parallel:1 |1 1
	E
	# the runtime lets those in a league have one thread each
	measure ./clang teams
	makes "clang: a team in each of a league" <<-E
		parallel teams:0:0 |1 1
	E
	measure ./clang tasks
	makes "clang: tasks are in no thread's share" <<-E
		parallel tasks:0 |1 1
	E
	time_ns=$(sum_ns 'parallel tasks:0' 'parallel tasks:0 tasks')
	[ "$time_ns" -ge 40000000 ]
	result $? "clang: those left for the end have a row, but for the first thread's (40 ms of $time_ns ns)"
}

# --- names ---

stripped() {
	strip -o "$1-stripped" "$1" || return
	measure "./$1" team loops two_loops short
	sed 's/.*|//' calls | sort >counts
	measure "./$1-stripped" team loops two_loops short
	sed 's/.*|//' calls | sort >stripped-counts
	cmp counts stripped-counts >>err
	result $? "$1 without symbols: the same counts"
	! grep -v "^parallel $1-stripped+0x[0-9a-f]* |" calls >>err
	result $? "$1 without symbols: named by address"
}

# --- switched off ---

switched_off() {
	PMU_AUTO=main,threads measure "./$1" team
	makes "$1: none where other parts are asked for" </dev/null
	PMU_ENABLE=0 measure "./$1" team loops nesting tasks
	! [ -e report.csv ]
	result $? "$1: switched off"
}

# --- where threads run ---

# pinned PROGRAM THREADS DEED: processors of its threads, in out and in the report
pinned() {
	rm -f report.json
	OMP_NUM_THREADS=$2 PMU_PIN=compact PMU_OUTPUT=report.json LD_PRELOAD="$preload $library" \
		"./$1" "$3" >out 2>err
	sed -n 's/^thread [0-9]* on //p' out | sort >places
	sed -n 's/.*"thread": [0-9]*, "name".*"cpu": \([0-9]*\),.*/\1/p' report.json | sort >reported
	cmp places reported >>err
	result $? "$1: $2 threads, $3: the report says where each is"
	distinct=$2
	[ "$distinct" -le "$(nproc)" ] || distinct=$(nproc)
	[ "$(wc -l <places)" = "$2" ] && ! grep -q '[-,]' places && [ "$(uniq places | wc -l)" = "$distinct" ]
	result $? "$1: $2 threads, $3: on $distinct processors, one each"
	! grep -q '^processors' out || [ "$(grep -c "^processors $(nproc)" out)" = 2 ]
	result $? "$1: $2 threads, $3: it sees all of them"
}

pins() {
	if [ "$(nproc)" -lt 2 ]; then
		skip "$1: pins" "one processor"
		return
	fi
	pinned "$1" 2 places
	pinned "$1" 2 unasked_places
	pinned "$1" 4 places
	pinned "$1" 4 unasked_places
	measure "./$1" places unasked_places # where no setting asks for pins
	[ "$1" != clang ] || OMP_TOOL=disabled pinned "$1" 2 unasked_places
	first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	last=$(taskset -cp $$ | sed 's/.*[-, ]//')
	for policy in none compact; do
		export OMP_PROC_BIND=true OMP_PLACES="{$last},{$first}"
		"./$1" places unasked_places >plain.out 2>&1
		PMU_PIN=$policy PMU_OUTPUT=none LD_PRELOAD="$preload $library" "./$1" places unasked_places >out 2>err
		unset OMP_PROC_BIND OMP_PLACES
		cmp out plain.out >>err && grep -q "^thread 0 on $last$" out
		result $? "$1: threads that the runtime has bound stay there ($policy)"
	done
}

# --- runtimes and tools ---

# libgomps_functions RUNTIME: nothing for libgomp
libgomps_functions() {
	behind=$1
	measure ./gomp
	behind=''
	# beyond the fourth they are the runtime's to tell of
	grep -v '^parallel go_deep:0 ' calls >functions
	mv functions calls
	for fn in whole whole_static whole_dynamic whole_guided whole_runtime nonmonotonic_dynamic \
		nonmonotonic_guided nonmonotonic_runtime maybe_runtime whole_sections started \
		started_static started_dynamic started_guided started_runtime started_sections outer inner; do
		echo "parallel ${fn}_fn |3 3"
	done >functions
	echo "parallel deep_fn |12" >>functions
	makes "each function of libgomp${1:+, in the runtime of LLVM}" <functions
}

not_twice() {
	behind=$libomp
	measure ./gcc team short two_loops
	behind=''
	makes "gcc's program with LLVM's runtime: nothing is counted twice" <<-E
		parallel team:0 |1 1
		parallel again:0 |1000 1000
		parallel two_loops:0 |1 1
	E
}

other_tools() {
	builds tool.so clang -shared -fPIC -I"$source/bindings/preload/openmp" "$tests/ompt_tool.c" || return
	OMP_TOOL_LIBRARIES=$tmp/tool.so measure ./clang team
	grep -q 'another tool' out && ! grep -q parallel calls
	result $? "a tool that the user names goes first"
	behind=./tool.so
	measure ./clang team
	behind=''
	grep -q 'another tool' out && ! grep -q parallel calls
	result $? "so does one that stands behind ours"
	PMU_OUTPUT=report.json LD_PRELOAD="$preload ./tool.so" ./clang team >out 2>err
	has report.json 'another tool watches this OpenMP runtime' "and the report says so"
	OMP_TOOL=disabled measure ./clang team
	! grep -q parallel calls
	result $? "a runtime that takes no tool"
}

plugins() {
	builds host gcc "$tests/openmp_plugin.c" -ldl || return
	set --
	for cc in gcc clang; do
		[ -x $cc ] && builds $cc.so $cc -DPLUGIN -O2 -fopenmp -shared -fPIC "$tests/openmp_plugin.c" &&
			set -- "$@" ./$cc.so
	done
	[ $# = 2 ] || return
	measure ./host libgomp.so.1 ./gcc.so ./gcc.so
	makes "a library with a runtime of its own, loaded twice" <<-E
		parallel plugin:0 |2 2
		parallel plugin:1 |2 2
	E
	strip -o stripped.so gcc.so
	measure ./host libgomp.so.1 ./stripped.so
	makes "one without symbols: by the function that is exported" <<-E
		parallel plugin:0 |1 1
		parallel plugin:1 |1 1
	E
	measure ./host libgomp.so.1 ./gcc.so ./clang.so
	[ "$(grep -c '|1 1$' calls)" = 4 ]
	result $? "two of them, with two runtimes"
}

languages() {
	for cxx in g++ clang++; do
		builds "$cxx.out" $cxx -fopenmp "$tests/openmp.cc" || continue
		measure "./$cxx.out"
		sed -i 's/main::[^|]*operator/main::LAMBDA::operator/' calls
		makes "$cxx: names as the programmer wrote them" <<-E
			parallel main::LAMBDA::operator()() const:0 |1 1
			parallel outer::solver<int>::solve():0 |5 5
			parallel outer::solver<long>::solve():0 |1 1
		E
	done
	builds fortran gfortran -fopenmp "$tests/openmp.f90" || return
	measure ./fortran
	makes "gfortran" <<-E
		parallel MAIN__:0 |1 1
		parallel solve_:0 |3 3
	E
}

libomp=''
for cc in gcc clang; do
	builds $cc $cc -Wall -fopenmp "$tests/openmp.c" || continue
	[ $cc = gcc ] || libomp=$(ldd clang | sed -n 's/.*=> \(.*libomp[^ ]*\) .*/\1/p')
	each_kind $cc
	${cc}_kinds
	stripped $cc
	switched_off $cc
	pins $cc
done
if builds gomp gcc "$tests/gomp.c" -lgomp; then
	libgomps_functions ''
	[ -z "$libomp" ] || libgomps_functions "$libomp"
fi
[ -z "$libomp" ] || ! [ -x gcc ] || not_twice
[ -z "$libomp" ] || other_tools
plugins
languages
finish
