#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Fortran module and its test with the Fortran compiler that configure found, and runs
# it with and without OpenMP: its TAP is ours.
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
fc=${TEST_FC:-gfortran}
command -v "${fc%% *}" >/dev/null || skip_all "no Fortran compiler"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all "built with a sanitizer"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
export LD_LIBRARY_PATH="$build/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

case $fc in
*gfortran*) warn="-std=f2008 -Wall -Wextra -pedantic -Werror" openmp=-fopenmp ;;
*) warn='' openmp='' ;;
esac

# compile NAME FLAG...: the module and the program
compile() {
	name=$1
	shift
	# shellcheck disable=SC2086 # lists of words
	$fc "$@" -c "$top/bindings/fortran/pmu.f90" >log 2>&1 &&
		$fc "$@" -o fortran "$top/tests/bindings/fortran.f90" pmu.o -L"$build/lib/.libs" -lpmu >>log 2>&1
	compiled=$?
	verdict $compiled "compiles: $name" log
	return $compiled
}

# run NAME: all checks of the program are one here
run() {
	./fortran >out 2>&1 && ! grep -q '^not ok' out
	verdict $? "$1" out
}

# shellcheck disable=SC2086
compile "no warning" $warn -O2 && run "runs"
# Variables that are not the caller's would be shared by threads: gfortran makes them so silently.
! ${TEST_NM:-nm} pmu.o | grep ' [bdC] ' >variables
verdict $? 'the module has no variables of its own' variables
# shellcheck disable=SC2086
compile "without optimization, with checks" -O0 -g ${warn:+-fcheck=all} && run "runs"
if [ -n "$openmp" ] && compile "OpenMP" $openmp -O2; then
	run "runs on every thread of a team"
	grep -q '^# 4 threads' out
	verdict $? 'four of them' out
fi
finish
