#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The table of groups and processors says what the command says.
set -u
export LC_ALL=C

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
build=$(cd "${TEST_BUILDDIR:-.}" && pwd) || exit 1
cd "${TEST_SRCDIR:-$(dirname "$0")/../..}" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
data=lib/names/data
evidence=$tmp/diff

case $(uname -m) in
x86_64) ;;
*) skip_all "libpfm4 has the events of x86 on x86 only" ;;
esac
sh $data/table.sh "$build/pmu" >"$tmp/table" 2>"$tmp/diff"
result $? "the table is made"
diff -u $data/README.md "$tmp/table" >"$tmp/diff"
result $? "it is that of $data/README.md: make update-groups"
evidence=
for file in "$data"/*.group; do
	group=$(basename "$file" .group)
	case $group in
	GPU | SOFTWARE | TIME | TMA[234]) continue ;;
	TMA_*)
		grep -q "^groups = .*$group" $data/TMA4.group
		result $? "$group is part of TMA4"
		continue
		;;
	esac
	grep -q "| $group |" $data/README.md
	result $? "$group is in it"
done
finish
