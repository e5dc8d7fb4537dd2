# SPDX-License-Identifier: BSD-3-Clause
# For the tests of programs annotated for other tools: sourced, in a temporary folder from then on.
# shellcheck shell=sh disable=SC2034 # what is set here is used there
# shellcheck source=tests/command/pmu.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/command/pmu.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'
annotations=$build/bindings/.libs/libpmu-annotations.so
[ -e "$annotations" ] || skip_all "no $annotations: configured with --disable-shared"
# Of two programs that differ in their annotations alone gcc makes the same code between these; clang does not.
gcc=$(command -v gcc)
cc=${gcc:-${TEST_CC:-cc}} cxx=${TEST_CXX:-c++} valgrind=${TEST_VALGRIND:-valgrind}
warn='-Wall -Wextra -Wshadow -Werror'
unset INTEL_LIBITTNOTIFY64 INTEL_ITTNOTIFY_GROUPS NVTX_INJECTION64_PATH KOKKOS_TOOLS_LIBS KOKKOS_PROFILE_LIBRARY
unset PMU_STORE PMU_AUTO PMU_PREFIX PMU_OUTPUT PMU_ENABLE LD_PRELOAD OMP_NUM_THREADS
export XDG_RUNTIME_DIR="$tmp" PMU_BACKEND=clock
evidence='out err calls.list'

# measure OPTION... PROGRAM...: under pmu run; its output in out, its report in run.csv, calls in calls.list
measure() {
	rm -f run.csv
	"$pmu" run -o run.csv -o run.json "$@" >out 2>err
	got=$?
	calls_of run.csv >calls.list
	return $got
}

# calls_of CSV: "CALLS NAME" of each region, wherever it stands
calls_of() {
	awk -F, '/^group,/ || $5 != "all" { next } { n[$3] += $6 } END { for (name in n) print n[name], name }' "$1" | sort
}

# calls NAME: of one region; none where there is none
calls() {
	awk -v name="$1" '{ n = $1; sub(/^[0-9]+ /, "") } $0 == name { print n; any = 1 } END { if (!any) print "none" }' \
		calls.list
}

# each 'NAME CALLS': that many, of each line of standard input; the last word is the number
each() {
	while read -r line; do
		is "$1: ${line% *}" "$(calls "${line% *}")" "${line##* }"
	done
}

# same NAME COMMAND...: under pmu run it prints and returns what it does without
same() {
	name=$1
	shift
	"$@" >want.out 2>want.err
	want=$?
	measure "$@"
	got=$?
	[ $got = $want ] && cmp -s out want.out && cmp -s err want.err
	result $? "$name: same output and status"
}

# instructions CSV NAME: of a region, what the library does left out
instructions() {
	awk -F, -v name="$2" '
		/^group,/ { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$5 == "all" && $3 == name { sum += $(column["raw:instructions"]); n += $6 }
		END { print n ? int(sum / n + 0.5) : "none" }' "$1"
}

# beside NAME REGION MOST: under valgrind a call has as many instructions as by hand, and at most so many more, which
# are the client's and the other library's own; fewer by one for an end without an argument.  In annotated.csv and native.csv.
beside() {
	annotated=$(instructions annotated.csv "$2") native=$(instructions native.csv "$2")
	echo "# $2: $annotated instructions a call, $native by hand"
	[ "$gcc" ] || {
		skip "$1: $2" 'no gcc'
		return
	}
	[ "$annotated" -ge $((native - 1)) ] && [ "$annotated" -le $((native + $3)) ]
	result $? "$1: $2 counts what it does by hand"
}

# count CSV PROGRAM: with instructions, under valgrind
count() {
	TEST_ONE_THREAD=1 LD_LIBRARY_PATH=$build/lib/.libs PMU_BACKEND=auto \
		"$pmu" run --emulate=fast --auto main,markers -e instructions -o "$1" "$2" >out 2>err
}

# can_count: is there what count takes?
can_count() {
	[ -e "$build/bindings/valgrind/lib" ] && command -v "$valgrind" >valgrind.path 2>&1
}
