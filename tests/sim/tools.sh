#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rdmsr and wrmsr, written by others for the kernel's files, take the simulated ones for them.
# The files are laid over /dev/cpu in a mount namespace of our own.
set -u
export LC_ALL=C

build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
top=${TEST_SRCDIR:-$build}

if [ "${1:-}" != inside ]; then
	skip() {
		echo "1..0 # SKIP $*"
		exit 0
	}
	[ -x "$build/tests/sim/machine" ] || skip "built without FUSE (on Debian libfuse3-dev)"
	command -v rdmsr >/dev/null || skip "rdmsr is not installed (on Debian msr-tools)"
	[ -d /dev/cpu ] || mkdir /dev/cpu 2>/dev/null || skip "there is no folder /dev/cpu to lay anything over"
	unshare -m true 2>/dev/null || skip "this user cannot have a mount namespace"
	unshare -m sh "$0" inside
	status=$?
	rmdir /dev/cpu 2>/dev/null # where it is empty it was ours
	exit $status
fi

tmp=$(mktemp -d) || exit 1
mkdir "$tmp/machine" && mkfifo "$tmp/hold" "$tmp/ready" || exit 1
"$build/tests/sim/machine" --cpu westmere --topology "$top/tests/data/topologies/westmere-ep-2s6c2t.xml" \
	"$tmp/machine" <"$tmp/hold" >"$tmp/ready" 2>"$tmp/err" &
exec 3>"$tmp/hold"
read -r line <"$tmp/ready"
# shellcheck disable=SC2317 # called by trap
finish() {
	umount /dev/cpu 2>/dev/null
	exec 3>&-
	wait
	rm -rf "$tmp"
}
trap finish EXIT
if [ "$line" != ready ]; then
	echo "1..0 # SKIP $line"
	exit 0
fi
if ! mount --bind "$tmp/machine/cpu" /dev/cpu 2>"$tmp/err"; then
	echo "1..0 # SKIP $(head -n 1 "$tmp/err")"
	exit 0
fi
n=0 failed=0

# is STATUS:OUTPUT NAME COMMAND...
is() {
	want=$1 name=$2
	shift 2
	got=$("$@" 2>"$tmp/err")
	status=$?
	n=$((n + 1))
	if [ "$status:$got" = "$want" ]; then
		echo "ok $n - $name"
	else
		failed=1
		echo "not ok $n - $name"
		echo "# got \"$status:$got\", want \"$want\""
		sed 's/^/# /' "$tmp/err"
	fi
}

is 0:f "the global control after reset" rdmsr -p 3 0x38f
is 0: "a select is written" wrmsr -p 3 0x186 0x4300c0
is 0:4300c0 "and read" rdmsr -p 3 0x186
is 0:0 "on that processor alone" rdmsr -p 4 0x186
echo "count 3 0xc0 0 user 1000" >"$tmp/machine/ctl"
is 0:1000 "what happens is counted" rdmsr -p 3 -d 0xc1
is 0: "a register of the package is written" wrmsr -p 0 0x391 1
is 0:1 "and read on another processor of it" rdmsr -p 13 0x391
is 4: "an unknown register cannot be read" rdmsr -p 3 0x999
is 4: "a reserved bit cannot be set" wrmsr -p 3 0x38f 0x10
is 127: "there is no processor 24" rdmsr -p 24 0x38f
is 0:24 "all processors are found" sh -c 'rdmsr -a 0x38f | grep -c f'
echo "1..$n"
exit $failed
