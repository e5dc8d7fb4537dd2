#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# setup.sh FROM DIR: puts what the x86-64 machine consists of into DIR, by the setup that FROM has (machine/README.md says
# what that is).  Safe to run again, quick when complete.  Where DIR has a machine already FROM need not exist.
#
#   DIR/run-x86vm.sh  boots it
#
# Status 77: not possible here, and the last line of the output says why.
set -eu
export LC_ALL=C

[ $# -eq 2 ] || {
	echo "usage: setup.sh FROM DIR" >&2
	exit 2
}
from=$1

impossible() {
	echo "$*"
	exit 77
}

is_complete() {
	[ -x "$1/run-x86vm.sh" ] && [ -e "$1/vmlinuz" ] && [ -e "$1/base.cpio" ] && [ -e "$1/perf.cpio" ] &&
		[ -x "$1/qemu/qemu-system-x86_64" ]
}

if [ ! -e "$from/setup-x86vm.sh" ]; then
	is_complete "$2" && exit 0
	impossible "no x86-64 machine whose counters are exact in $from (tests/x86/machine/README.md says how to make one)"
fi
for tool in apt-get dpkg-deb cpio flock; do
	command -v "$tool" >/dev/null || impossible "no $tool"
done
mkdir -p "$2"
dir=$(cd "$2" && pwd)
exec 9>"$dir/lock"
flock 9
self=$(cat "$from/setup-x86vm.sh" "$from/run-x86vm.sh" "$from/qemu-pmu.patch" | cksum)
[ "$(cat "$dir/complete" 2>/dev/null)" != "$self" ] || exit 0
! [ -e "$dir/vmlinuz" ] || [ -e "$dir/complete" ] || ! is_complete "$dir" || exit 0 # set up without this script

# What it needs of this machine it would install, which is for root to decide.
for package in libglib2.0-0 libpixman-1-0 libfdt1 zlib1g; do
	dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
		impossible "no $package"
done
rm -f "$dir/complete"
sh "$from/setup-x86vm.sh" "$dir" || impossible "the machine's packages cannot be fetched, or its parts not be put together"
"$dir/qemu/qemu-system-x86_64" --version >/dev/null || impossible "its qemu does not run here"
rm -rf "$dir/apt" "$dir/debs" "$dir/sysroot" "$dir/perfroot"
is_complete "$dir" || impossible "the machine's setup left something out"
echo "$self" >"$dir/complete"
