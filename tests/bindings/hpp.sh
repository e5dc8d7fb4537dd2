#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu.hpp with every C++ compiler there is: no warning, with and without exceptions, and nothing
# left of it with -DPMU_DISABLE.
# shellcheck disable=SC2317 # functions are called by ok
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
cxx=${TEST_CXX:-c++} nm=${TEST_NM:-nm}
command -v "${cxx%% *}" >/dev/null || skip_all 'no C++ compiler'
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LD_LIBRARY_PATH="$build/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
include="-I$top/include -I$top/bindings/cxx -I$top/tests"
warn="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"

# whole NAME COMPILER FLAG...: the test program, built and run; its checks are one here
whole() {
	what=$1 with=$2
	shift 2
	# shellcheck disable=SC2086 # lists of words
	ok "$what: compiles" $with "$@" $warn $include -o "$tmp/hpp" "$top/tests/bindings/hpp.cc" \
		-L"$build/lib/.libs" -lpmu -pthread
	ok "$what: runs" "$tmp/hpp"
	rm -f "$tmp/hpp"
}

# shellcheck disable=SC2086
whole "C++17" "$cxx" -std=c++17 ${TEST_CFLAGS:-}
# shellcheck disable=SC2086
whole "C++20 without exceptions" "$cxx" -std=c++20 -fno-exceptions ${TEST_CFLAGS:-}
# Sanitizers belong to the compiler that built the library.
for other in g++ clang++; do
	if [ -n "${TEST_SANITIZERS:-}" ] || ! command -v $other >/dev/null; then
		continue
	fi
	whole "$other -O0" $other -std=c++17 -O0
	whole "$other -O3, neither exceptions nor run-time types" $other -std=c++17 -O3 -fno-rtti \
		-fno-exceptions
done

# --- what is left in an object file ---

cat >"$tmp/literal.cc" <<'C'
#include <pmu.hpp>
void work();
void literal()
{
	pmu::region r{"literal"};
	work();
}
C
# Nothing but the two calls that a C program makes.
two_calls() {
	# shellcheck disable=SC2086
	$cxx -std=c++17 -O2 -fno-exceptions $include -c "$tmp/literal.cc" -o "$tmp/literal.o" &&
		$nm -u "$tmp/literal.o" | awk '{ print $2 }' | grep -v _GLOBAL_OFFSET_TABLE_ |
		sort | tr '\n' ' ' >"$tmp/symbols" && cat "$tmp/symbols" &&
		[ "$(cat "$tmp/symbols")" = "_Z4workv pmu_region_begin pmu_region_end " ]
}
ok "a literal's region is a begin and an end" two_calls

cat >"$tmp/all.cc" <<'C'
#include <pmu.hpp>
void work();
int everything(const std::string &name)
{
	pmu::options its;
	std::error_code code;
	int rc = pmu::init(its).value();

	pmu::region literal{"literal"};
	pmu::region copied{name};
	work();
	copied.end();
	rc |= pmu::begin(name) | pmu::begin("x") | pmu::end(name) | pmu::end("x") | pmu::note(name);
	rc |= pmu::thread_attach().value();
	pmu::report();
	pmu::report(name);
	pmu::report(name, code);
	rc |= pmu::report_text() != "" || pmu::report_text("csv", code) != "";
	rc |= pmu::read(name) || pmu::read(name, 0, code);
	rc |= pmu::reset(name) && pmu::group_next();
	pmu::entered scope{pmu::context::here()};
	pmu::in_context([&] { rc |= 1; })();
	pmu::counters set{"cycles"};
	rc |= set.start() || set.stop() || !set.read().empty();
	return rc | pmu::fini().value();
}
C
none() {
	$nm "$tmp/all.o" >"$tmp/symbols" && ! grep '[UT] pmu_' "$tmp/symbols"
}
for level in -O0 -O2; do
	# shellcheck disable=SC2086
	ok "-DPMU_DISABLE $level compiles" $cxx -std=c++17 $level -DPMU_DISABLE $warn $include \
		-c "$tmp/all.cc" -o "$tmp/all.o"
	ok "and calls nothing" none
done

# One file with it and one without, in one program: neither takes the other's functions.
cat >"$tmp/main.cc" <<'C'
#include <pmu.hpp>
void work();
void literal();
int everything(const std::string &name);
void work()
{
}
int main()
{
	pmu::region r{std::string("in main, which is measured")};
	everything("in a file that is not");
	literal();
	return pmu::read("literal")->calls != 1 || pmu::read("in a file that is not");
}
C
both() {
	# shellcheck disable=SC2086
	$cxx -std=c++17 -O0 -DPMU_DISABLE $include -c "$tmp/all.cc" -o "$tmp/all.o" &&
		$cxx -std=c++17 -O0 ${TEST_CFLAGS:-} $include "$tmp/all.o" "$tmp/main.cc" \
			"$tmp/literal.cc" -o "$tmp/both" -L"$build/lib/.libs" -lpmu &&
		PMU_BACKEND=clock PMU_OUTPUT=none "$tmp/both"
}
ok "measured and disabled files in one program" both
finish
