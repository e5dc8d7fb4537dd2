#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu/benchmark.hpp: counts in the results of Google Benchmark, of loops of known instructions.
# shellcheck disable=SC2317 # functions are called by ok
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
cxx=${TEST_CXX:-c++}
[ -z "${TEST_SANITIZERS:-}" ] || skip_all "Google Benchmark is not built with the sanitizer"
# shellcheck disable=SC2086 # a list of words
echo '#include <benchmark/benchmark.h>' | $cxx -std=c++11 -E -x c++ - >/dev/null 2>&1 ||
	skip_all "no C++ compiler with Google Benchmark"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LD_LIBRARY_PATH="$build/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND
flags="-std=c++11 -O2 -Wall -Wextra -Werror -I$top/include -I$top/bindings/cxx"
evidence="$tmp/out $tmp/err"

# compiled OUT COMPILER...
compiled() {
	to=$1
	shift
	# shellcheck disable=SC2086
	"$@" $flags -o "$to" "$top/tests/bindings/benchmark.cc" -L"$build/lib/.libs" -lbenchmark -lpmu -pthread
}
# count NAME COUNT: of JSON in $tmp/out; nothing where there is none
count() {
	awk -v name="\"name\": \"$1\"" -v key="\"$2\":" '
		index($0, "\"name\":") { mine = index($0, name) }
		mine && index($0, key) { sub(/,$/, "", $2); print $2 + 0 }' "$tmp/out"
}
# near A B: less than a tenth of an instruction apart, of 1000 iterations' some 20 outside the loop
near() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a - b < 0.1 && b - a < 0.1) }'
}

# shellcheck disable=SC2086
ok "compiles without a warning" compiled "$tmp/prog" $cxx
for other in g++ clang++; do
	! command -v $other >/dev/null || ok "and with $other" compiled "$tmp/$other" $other
done

# --- without a source of counts ---

ok "runs with the clock alone" sh -c "PMU_BACKEND=clock PMU_EVENTS=instructions,cycles '$tmp/prog' \
	--benchmark_format=json >'$tmp/out' 2>'$tmp/err'"
is "what was not counted is not there" "$(count hundred/iterations:1000 instructions)" ""
ok "and is named" grep -q "^libpmu: not counted: instructions, cycles" "$tmp/err"
is "once" "$(grep -c 'not counted' "$tmp/err")" 1
ok "times are" within "$(count hundred/iterations:1000 real_time)" 0.1 1e9
is "no report of its own" "$(grep -c ' region ' "$tmp/err")" 0
for backend in auto perf; do
	PMU_BACKEND=$backend "$tmp/prog" --benchmark_filter='after|two_hundred' >"$tmp/out" 2>"$tmp/err"
	if grep -q 'instructions=' "$tmp/out"; then
		skip "with $backend, why there are no counts is said once" "there are"
	else
		is "with $backend, why there are no counts is said once" "$(grep -c '^libpmu: ' "$tmp/err")" 1
	fi
done

# --- exact counts ---

if ! command -v valgrind >/dev/null; then
	skip "counts" "no valgrind"
	finish
fi
PMU_EVENTS=instructions,cycles "$build/pmu" run --emulate -o /dev/null "$tmp/prog" --benchmark_format=json \
	>"$tmp/out" 2>"$tmp/err"
result $? "runs by simulation"
one=$(count hundred/iterations:1000 instructions)
two=$(count two_hundred/iterations:1000 instructions)
ok "an iteration is its 100 instructions and the loop's few" within "$one" 100 106
ok "100 more are 100 more" near "$two" "$(awk -v a="$one" 'BEGIN { print a + 100 }')"
ok "of two threads, the same for each iteration" \
	near "$(count hundred/iterations:1000/threads:2 instructions)" "$one"
ok "KeepRunning() is counted too" within "$(count keeps_running/iterations:1000 instructions)" 100 108
ok "what is paused is not counted" within "$(count paused/iterations:1000 instructions)" 100 150
is "a benchmark with an error has no counts" "$(count skipped instructions)" ""
ok "nor has the next one its counts" near "$(count after/iterations:1000 instructions)" "$one"
is "cycles are not simulated, and not 0" "$(count hundred/iterations:1000 cycles)" ""
ok "which is said" grep -q "^libpmu: not counted: cycles" "$tmp/err"

printf '#include <pmu/benchmark.hpp>\nvoid f(); void f() {}\n' >"$tmp/second.cc"
two_files() {
	# shellcheck disable=SC2086
	$cxx $flags -o "$tmp/two" "$top/tests/bindings/benchmark.cc" "$tmp/second.cc" -L"$build/lib/.libs" \
		-lbenchmark -lpmu -pthread
}
ok "two files may include it" two_files
finish
