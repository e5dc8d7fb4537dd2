#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The header by itself: with -DPMU_DISABLE nothing of it is left in an object file, and it
# compiles without a warning in C and C++.
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
cc=${TEST_CC:-cc} cxx=${TEST_CXX:-c++} nm=${TEST_NM:-nm}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# Programs that are older than inline functions.
printf '#include "pmu.h"\nint main(void) { return pmu_region_begin("r") + pmu_region_end("r"); }\n' >"$tmp/old.c"
ok 'C89' "$cc" -std=c89 -pedantic-errors -Wall -Wextra -Werror -I"$top/include" -c "$tmp/old.c" -o "$tmp/old.o"
ok 'C89, switched off' "$cc" -std=c89 -pedantic-errors -Wall -Wextra -Werror -DPMU_DISABLE -I"$top/include" -c "$tmp/old.c" \
	-o "$tmp/old.o"

# Every call and every macro of the header.
cat >"$tmp/all.c" <<'C'
#include "pmu.h"

int all(const char *name, int thread);
int all(const char *name, int thread)
{
	struct pmu_options options = { sizeof(options), 0, 0, 0, 0, 0, 0, 0 };
	struct pmu_region_counts counts;
	struct pmu_counters *counters = 0;
	uint64_t value[2] = { 0, 0 };
	uint32_t missing = 0;
	int rc = 0;

	PMU_REGION("scope");
	counts.size = sizeof(counts);
	rc |= pmu_init(&options);
	rc |= pmu_thread_attach();
	rc |= pmu_region_begin(name);
	rc |= pmu_region_end(name);
	rc |= pmu_region_begin_once(name);
	rc |= pmu_region_begin_n(name, 3);
	rc |= pmu_region_end_n(name, 3);
	rc |= pmu_region_read(name, thread, &counts);
	rc |= pmu_region_reset(name);
	rc |= pmu_region_is_open(name);
	rc |= pmu_group_next();
	rc |= pmu_count_name(0) != 0;
	rc |= pmu_report(name);
	rc |= pmu_counters_open("cycles", PMU_SCOPE_THREAD, &counters);
	rc |= pmu_counters_start(counters);
	rc |= pmu_counters_stop(counters);
	rc |= pmu_counters_read(counters, value, 2, &missing);
	rc |= pmu_counters_reset(counters);
	pmu_counters_close(counters);
	rc |= pmu_last_error()[0];
	rc |= pmu_strerror(rc)[0];
	rc |= pmu_version() != PMU_VERSION;
	rc |= pmu_fini();
	/* as statements too */
	pmu_init(0);
	pmu_region_begin(name);
	pmu_region_end(name);
	pmu_region_begin_once(name);
	pmu_region_begin_n(name, 3);
	pmu_region_end_n(name, 3);
	pmu_region_reset(name);
	pmu_thread_attach();
	pmu_group_next();
	pmu_report(0);
	pmu_fini();
	return rc;
}
C
cp "$tmp/all.c" "$tmp/all.cc"

# none OBJECT: no symbol of ours, defined or not; some: at least one of each call
none() {
	$nm "$1" >"$tmp/symbols" && ! grep 'pmu_' "$tmp/symbols"
}
some() {
	[ "$($nm "$1" | grep -c 'U pmu_')" -ge 20 ]
}
no_effect() {
	[ "$($nm -u "$1" | grep -vc '_GLOBAL_OFFSET_TABLE_\|mem\(set\|cpy\)\|__stack_chk_fail\|san_')" = 0 ]
}

warn="-Wall -Wextra -Werror"
for level in -O0 -O2; do
	ok "C, $level" $cc -std=c11 $warn $level -I"$top/include" -c "$tmp/all.c" -o "$tmp/on.o"
	ok "calls the library" some "$tmp/on.o"
	ok "C with -DPMU_DISABLE, $level" $cc -std=c11 $warn $level -DPMU_DISABLE \
		-I"$top/include" -c "$tmp/all.c" -o "$tmp/off.o"
	ok "leaves nothing of it" none "$tmp/off.o"
	ok "nor anything else" no_effect "$tmp/off.o"
	if ! command -v "${cxx%% *}" >/dev/null; then
		continue
	fi
	ok "C++, $level" $cxx -std=c++17 $warn $level -I"$top/include" -c "$tmp/all.cc" \
		-o "$tmp/on.o"
	ok "calls the library" some "$tmp/on.o"
	ok "C++ with -DPMU_DISABLE, $level" $cxx -std=c++17 $warn $level -DPMU_DISABLE \
		-I"$top/include" -c "$tmp/all.cc" -o "$tmp/off.o"
	ok "leaves nothing of it" none "$tmp/off.o"
	ok "nor anything else" no_effect "$tmp/off.o"
done
for std in c11 gnu11 c17; do
	ok "-std=$std -pedantic" sh -c "echo '#include \"pmu.h\"' | $cc -x c -std=$std -pedantic \
		-Wall -Wextra -Wshadow -Werror -I'$top/include' -c - -o '$tmp/o.o'"
done
if command -v "${cxx%% *}" >/dev/null; then
	for std in c++11 c++17 c++20; do
		ok "-std=$std -pedantic" sh -c "echo '#include \"pmu.h\"' | $cxx -x c++ -std=$std \
			-pedantic -Wall -Wextra -Wshadow -Werror -I'$top/include' -c - -o '$tmp/o.o'"
	done
fi
finish
