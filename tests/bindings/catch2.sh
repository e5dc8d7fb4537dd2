#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu/catch2.hpp: counts of Catch2's benchmarks, of known instructions.
# shellcheck disable=SC2317 # functions are called by ok
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
cxx=${TEST_CXX:-c++}
[ -z "${TEST_SANITIZERS:-}" ] || skip_all "times of a sanitizer's program"
# shellcheck disable=SC2086 # a list of words
echo '#include <catch2/catch.hpp>' | $cxx -std=c++11 -E -x c++ - >/dev/null 2>&1 ||
	skip_all "no C++ compiler with Catch2 2.x"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LD_LIBRARY_PATH="$build/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND
flags="-std=c++11 -Wall -Wextra -Werror -I$top/include -I$top/bindings/cxx"
samples="--benchmark-samples 10 --benchmark-no-analysis"
evidence="$tmp/out $tmp/err"

compiled() {
	# shellcheck disable=SC2086
	$cxx $flags -O1 -o "$tmp/prog" "$top/tests/bindings/catch2.cc" -L"$build/lib/.libs" -lpmu
}
# instructions NAME: of an iteration
instructions() {
	sed -n "s/^libpmu: $1: .* ns, \([0-9.]*\) instructions.*/\1/p" "$tmp/err"
}

ok "compiles without a warning" compiled
for other in g++ clang++; do
	# shellcheck disable=SC2086
	! command -v $other >/dev/null ||
		ok "and with $other" $other $flags -fsyntax-only "$top/tests/bindings/catch2.cc"
done

# shellcheck disable=SC2086
PMU_BACKEND=clock PMU_EVENTS=instructions "$tmp/prog" $samples >"$tmp/out" 2>"$tmp/err"
result $? "runs with the clock alone"
ok "a count that is missing is not 0" grep -Eq '^libpmu: one: [0-9.]+ ns, - instructions$' "$tmp/err"
is "standard output is the reporter's" "$(grep -c '^libpmu: ' "$tmp/out")" 0

if ! command -v valgrind >/dev/null; then
	skip "counts" "no valgrind"
	finish
fi
# shellcheck disable=SC2086
PMU_EVENTS=instructions "$build/pmu" run --emulate -o "$tmp/run.json" "$tmp/prog" $samples >"$tmp/out" 2>"$tmp/err"
result $? "runs by simulation"
one=$(instructions one)
ok "an iteration is its 100 instructions and the loop's few" within "$one" 100 112
ok "100 more are 100 more" \
	within "$(awk -v a="$one" -v b="$(instructions two)" 'BEGIN { print b - a }')" 99.8 100.2
ok "what is outside measure() is not counted" within "$(instructions 'measured alone')" 100 112
ok "each benchmark is a region of the report" grep -q '"measured alone"' "$tmp/run.json"
finish
