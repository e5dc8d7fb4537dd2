#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the C++ test with the C++ compiler that configure found, against the library in the build
# folder, and runs it: its TAP is ours.
set -u

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${TEST_BUILDDIR:-.}
cxx=${TEST_CXX:-c++}

command -v "${cxx%% *}" >/dev/null || {
	echo "1..0 # SKIP no C++ compiler"
	exit 0
}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck disable=SC2086 # both hold options
$cxx -std=c++17 -Wall -Wextra -Werror ${TEST_CFLAGS:-} -I"$top/include" -I"$top/tests" \
	-o "$tmp/cxx" "$top/tests/bindings/cxx.cc" -L"$build/lib/.libs" -lpmu -pthread >"$tmp/log" 2>&1 || {
	sed 's/^/# /' "$tmp/log"
	echo "not ok 1 - a C++ program compiles and links"
	echo "1..1"
	exit 1
}
LD_LIBRARY_PATH="$build/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$tmp/cxx"
