#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Fortran module and its test with the Fortran compiler that configure found, and runs
# it with and without OpenMP: its TAP is ours.
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
fc=${TEST_FC:-gfortran}
skip() {
	echo "1..0 # SKIP $1"
	exit 0
}
command -v "${fc%% *}" >/dev/null || skip "no Fortran compiler"
[ -z "${TEST_SANITIZERS:-}" ] || skip "built with a sanitizer"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
export LD_LIBRARY_PATH="$build/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
n=0 failed=0

case $fc in
*gfortran*) warn="-std=f2008 -Wall -Wextra -pedantic -Werror" openmp=-fopenmp ;;
*) warn='' openmp='' ;;
esac

# compile NAME FLAG...: the module and the program
compile() {
	name=$1
	shift
	n=$((n + 1))
	# shellcheck disable=SC2086 # lists of words
	if $fc "$@" -c "$top/bindings/fortran/pmu.f90" >log 2>&1 &&
		$fc "$@" -o fortran "$top/tests/bindings/fortran.f90" pmu.o -L"$build/lib/.libs" -lpmu >>log 2>&1; then
		echo "ok $n - compiles: $name"
		return
	fi
	failed=1
	echo "not ok $n - compiles: $name"
	sed 's/^/# /' log
	return 1
}

# run NAME: its checks are one of ours
run() {
	n=$((n + 1))
	if ./fortran >out 2>&1 && ! grep '^not ok' out; then
		echo "ok $n - $1"
	else
		failed=1
		echo "not ok $n - $1"
		grep -v '^ok ' out | sed 's/^/# /'
	fi
}

# shellcheck disable=SC2086
compile "no warning" $warn -O2 && run "runs"
# Variables that are not the caller's would be shared by threads: gfortran makes them so silently.
n=$((n + 1))
if ${TEST_NM:-nm} pmu.o | grep ' [bdC] '; then
	failed=1
	echo "not ok $n - the module has no variables of its own"
else
	echo "ok $n - the module has no variables of its own"
fi
# shellcheck disable=SC2086
compile "without optimization, with checks" -O0 -g ${warn:+-fcheck=all} && run "runs"
if [ -n "$openmp" ] && compile "OpenMP" $openmp -O2; then
	run "runs on every thread of a team"
	grep '^# 4 threads' out >/dev/null || {
		failed=1
		echo "not ok $((n += 1)) - four of them"
	}
fi
echo "1..$n"
exit $failed
