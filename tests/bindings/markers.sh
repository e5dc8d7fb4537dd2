# SPDX-License-Identifier: BSD-3-Clause
# For the tests of programs annotated for other libraries: sourced, in a temporary folder from then on.
# shellcheck shell=sh disable=SC2034 # what is set here is used there
set -u
export LC_ALL=C
unset OMP_NUM_THREADS LD_PRELOAD

top=$(cd "${TEST_SRCDIR:-$(dirname "$0")/../..}" && pwd) || exit 1
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
. "$top/tests/tap.sh"
cc=${TEST_CC:-cc} cxx=${TEST_CXX:-c++} nm=${TEST_NM:-nm} fc=${TEST_FC:-gfortran}
lib=$build/lib/.libs preload=$build/bindings/.libs/libpmu-preload.so
warn="-Wall -Wextra -Wshadow -Wstrict-prototypes -Wpointer-arith -Wwrite-strings -Wundef -Werror"
cxxwarn="-Wall -Wextra -Wshadow -Wpointer-arith -Wwrite-strings -Wundef -Werror"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
evidence='out err report.csv'

[ -e "$lib/libpmu.so" ] || skip_all "no $lib/libpmu.so: configured with --disable-shared"

# openmp COMPILER: its option for OpenMP, or nothing: TSan knows nothing of what an OpenMP runtime waits for
openmp() {
	case ${TEST_SANITIZERS:-} in *thread*) return ;; esac
	echo 'int main(void) { return 0; }' >omp.c
	# shellcheck disable=SC2086
	if $1 -fopenmp omp.c -o omp >omp.log 2>&1; then echo -fopenmp; fi
}

# good NAME SETTING... PROGRAM SCENARIO: it says "done" and nothing else, on standard output.  The report is report.csv.
good() {
	name=$1
	shift
	rm -f report.csv
	env PMU_OUTPUT=report.csv "$@" >out 2>err
	rc=$?
	[ $rc = 0 ] && [ "$(cat out)" = "done" ] && [ ! -s err ]
	result $? "$name (status $rc)"
}

# calls REGION THREAD: of the region wherever it stands, in report.csv; THREAD "all" or a number
calls() {
	awk -F, -v name="$1" -v thread="$2" \
		'$3 == name && $5 == thread { sum += $6; any = 1 } END { print any ? sum : "none" }' report.csv
}

# same_threads REGION CALLS NAME: each of the three threads has so many
same_threads() {
	is "$3" "$(calls "$1" 0) $(calls "$1" 1) $(calls "$1" 2)" "$2 $2 $2"
}

# different_threads REGION NAME: the three threads have 1, 2 and 3, in any order
different_threads() {
	is "$2" "$(for t in 0 1 2; do calls "$1" $t; done | sort | tr '\n' ' ')" "1 2 3 "
}
