# SPDX-License-Identifier: BSD-3-Clause
# For tests of the example in Go, which source it: go builds with the library of the build folder, without
# network, and writes into $tmp alone.
# shellcheck shell=sh disable=SC2154 # set by the test that sources it
mkdir "$tmp/pc"
sed "s|^libdir=.*|libdir=$build/lib/.libs|; s|^includedir=.*|includedir=$top/include|" "$build/pmu.pc" \
	>"$tmp/pc/pmu.pc"
export PKG_CONFIG_PATH="$tmp/pc" CC="${TEST_CC:-cc}" CGO_CFLAGS="-O2 -Wall -Werror"
export GOCACHE="$tmp/gocache" GOPATH="$tmp/gopath" GOPROXY=off GOTOOLCHAIN=local GOFLAGS=-buildvcs=false
