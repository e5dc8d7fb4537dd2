#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# libpmu-events.so: when it is loaded, where it is found, and what the library says without it.
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
build=${TEST_BUILDDIR:-.}
libs=$build/lib/.libs
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset PMU_GROUP PMU_EVENTS PMU_GROUP_PATH PMU_OUTPUT
export HOME="$tmp"
evidence=$tmp/out

# demo [SETTING...]: runs a program with the libpmu.so in $tmp/at; its report is in $tmp/out
demo() {
	(cd "${from:-$tmp}" && env LD_LIBRARY_PATH="${at:-$tmp/at}" LD_DEBUG=files "$@" "$program") >"$tmp/out" 2>&1
}
said() { grep -qe "$1" "$tmp/out"; }
loaded() { grep -q "calling init: .*$1" "$tmp/out"; }
not() { ! "$@"; }

[ -e "$libs/libpmu-events.so" ] || skip_all 'no libpmu-events.so: configured with --disable-shared'
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
ok "without a request a session loads libpmu alone" said 'ran .*libpmu'
ok "and no names of events" not loaded libpmu-events
ok "nor hwloc before a region needs it, nor inih" not loaded inih
demo PMU_EVENTS=page-faults
ok "without libpmu-events.so a name of an event is refused" said "need libpmu's own libpmu-events.so"
ok "with where it was looked for" said "there is no $tmp/at/pmu/libpmu-events.so"
ok "and the program runs" said 'the program runs unmeasured'
demo PMU_GROUP=SOFTWARE
ok "so is a group" said 'PMU_GROUP: names of events and groups need'

cp -L "$libs/libpmu-events.so" "$tmp/at"
demo PMU_EVENTS=page-faults
ok "it is found beside libpmu.so" loaded at/libpmu-events.so
ok "and knows the event" said '  EVENTS;'
demo PMU_EVENTS=pagefaults
ok "its sentences are libpmu's" said 'did you mean page-faults?'
demo PMU_GROUP=SOFTWARE
ok "it has the groups" said '  SOFTWARE;'

cp -L "$libs/libpmu.so.0" "$tmp/moved/lib"
cp -L "$libs/libpmu-events.so" "$tmp/moved/lib/pmu"
at=$tmp/moved/lib demo PMU_EVENTS=page-faults
ok "it is found where it is installed, moved or not" loaded moved/lib/pmu/libpmu-events.so
from=$tmp/moved at=lib demo PMU_EVENTS=page-faults
ok "also by a relative path" loaded moved/lib/pmu/libpmu-events.so
printf 'no library\n' >"$tmp/moved/lib/pmu/libpmu-events.so"
at=$tmp/moved/lib demo PMU_EVENTS=page-faults
ok "one that is damaged is told" said 'libpmu-events.so: .*; the program runs unmeasured'
finish
