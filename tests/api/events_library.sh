#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# libpmu-events.so: when it is loaded, where it is found, and what is said without it.
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${TEST_BUILDDIR:-.}
libs=$build/lib/.libs
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset PMU_GROUP PMU_EVENTS PMU_GROUP_PATH PMU_OUTPUT
export HOME="$tmp"
n=0 failed=0

# check NAME COMMAND...: does it succeed?
check() {
	n=$((n + 1))
	what=$1
	shift
	if "$@"; then
		echo "ok $n - $what"
	else
		failed=1
		echo "not ok $n - $what"
		sed 's/^/# /' "$tmp/out"
	fi
}

# demo [SETTING...]: runs a program with the libpmu.so in $tmp/at; its report is in $tmp/out
demo() {
	(cd "${from:-$tmp}" && env LD_LIBRARY_PATH="${at:-$tmp/at}" LD_DEBUG=files "$@" "$program") >"$tmp/out" 2>&1
}
said() { grep -qe "$1" "$tmp/out"; }
loaded() { grep -q "calling init: .*$1" "$tmp/out"; }
not() { ! "$@"; }

if ! [ -e "$libs/libpmu-events.so" ]; then
	echo "1..0 # SKIP no libpmu-events.so: configured with --disable-shared"
	exit 0
fi
program=$tmp/program
cat >"$program.c" <<'C'
#include <pmu.h>

int main(void)
{
	for (int i = 0; i < 2; i++)
		pmu_region_begin("here"), pmu_region_end("here");
	return 0;
}
C
# shellcheck disable=SC2086 # a list of words
${TEST_CC:-cc} ${TEST_CFLAGS:-} -I"$top/include" "$program.c" -o "$program" "$libs/libpmu.so" || exit 1
mkdir -p "$tmp/at" "$tmp/moved/lib/pmu"
cp -L "$libs/libpmu.so.0" "$tmp/at"

demo A=
check "without a request a session loads libpmu alone" said 'ran .*libpmu'
check "and no names of events" not loaded libpmu-events
check "nor hwloc before a region needs it, nor inih" not loaded inih
demo PMU_EVENTS=page-faults
check "without libpmu-events.so a name of an event is refused" said "need libpmu's own libpmu-events.so"
check "with where it was looked for" said "there is no $tmp/at/pmu/libpmu-events.so"
check "and the program runs" said 'the program runs unmeasured'
demo PMU_GROUP=SOFTWARE
check "so is a group" said 'PMU_GROUP: names of events and groups need'

cp -L "$libs/libpmu-events.so" "$tmp/at"
demo PMU_EVENTS=page-faults
check "it is found beside libpmu.so" loaded at/libpmu-events.so
check "and knows the event" said '  EVENTS;'
demo PMU_EVENTS=pagefaults
check "its sentences are libpmu's" said 'did you mean page-faults?'
demo PMU_GROUP=SOFTWARE
check "it has the groups" said '  SOFTWARE;'

cp -L "$libs/libpmu.so.0" "$tmp/moved/lib"
cp -L "$libs/libpmu-events.so" "$tmp/moved/lib/pmu"
at=$tmp/moved/lib demo PMU_EVENTS=page-faults
check "it is found where it is installed, moved or not" loaded moved/lib/pmu/libpmu-events.so
from=$tmp/moved at=lib demo PMU_EVENTS=page-faults
check "also by a relative path" loaded moved/lib/pmu/libpmu-events.so
printf 'no library\n' >"$tmp/moved/lib/pmu/libpmu-events.so"
at=$tmp/moved/lib demo PMU_EVENTS=page-faults
check "one that is damaged is told" said 'libpmu-events.so: .*; the program runs unmeasured'
echo "1..$n"
exit $failed
