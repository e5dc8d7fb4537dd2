#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tasks of oneTBB, wrapped by pmu.hpp: the TAP is tbb.cc's.
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
cxx=${TEST_CXX:-c++}
[ -z "${TEST_SANITIZERS:-}" ] || skip_all "oneTBB is not built with the sanitizer"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LD_LIBRARY_PATH="$build/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# shellcheck disable=SC2086 # a list of words
echo '#include <tbb/parallel_for.h>' | $cxx -std=c++17 -E -x c++ - >/dev/null 2>&1 ||
	skip_all "no C++ compiler with oneTBB"
# shellcheck disable=SC2086
$cxx -std=c++17 -Wall -Wextra -I"$top/include" -I"$top/bindings/cxx" -I"$top/tests" ${TEST_CFLAGS:-} -o "$tmp/tbb" \
	"$top/tests/bindings/tbb.cc" -L"$build/lib/.libs" -lpmu -ltbb -pthread >"$tmp/log" 2>&1 || {
	cat "$tmp/log"
	echo 'Bail out! the test program cannot be built'
	exit 1
}
exec "$tmp/tbb"
