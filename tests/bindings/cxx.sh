#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the C++ test with the C++ compiler that configure found, against the library in the build
# folder, and runs it: its TAP is ours.
set -u

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
build=${TEST_BUILDDIR:-.}
cxx=${TEST_CXX:-c++}

command -v "${cxx%% *}" >/dev/null || skip_all 'no C++ compiler'
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck disable=SC2086 # both hold options
$cxx -std=c++17 -Wall -Wextra -Werror ${TEST_CFLAGS:-} -I"$top/include" -I"$top/tests" \
	-o "$tmp/cxx" "$top/tests/bindings/cxx.cc" -L"$build/lib/.libs" -lpmu -pthread >"$tmp/log" 2>&1 || {
	verdict 1 'a C++ program compiles and links' "$tmp/log"
	finish
}
LD_LIBRARY_PATH="$build/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$tmp/cxx"
