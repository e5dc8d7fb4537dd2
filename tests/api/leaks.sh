#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the library keeps until the end is no leak of a program's that LeakSanitizer looks into: that would be another exit status.
set -u
export LC_ALL=C

build=${TEST_BUILDDIR:-.}
source=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$source/tests/tap.sh"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'it is the library as it is installed that is looked at'
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
lib=$(cd "$build/lib/.libs" && pwd) || exit 1
export LD_LIBRARY_PATH="$lib" PMU_OUTPUT="$tmp/report"

cat >"$tmp/prog.c" <<'END'
#include <pmu.h>
#include <pthread.h>
#include <stdlib.h>
#ifdef LEAK
static char *volatile kept;
#endif
static void *work(void *arg)
{
	pmu_region_begin("work");
	pmu_region_end("work");
	return arg;
}
int main(void)
{
	pthread_t thread[2];
#ifdef LEAK
	kept = malloc(77);
	kept = NULL;
#endif
	work(NULL);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
END
compile() {
	${TEST_CC:-cc} -fsanitize=address "$@" -I"$source/include" "$tmp/prog.c" -L"$lib" -lpmu -pthread 2>"$tmp/err"
}
compile -o "$tmp/prog" || skip_all "the compiler has no AddressSanitizer: $(head -n 1 "$tmp/err")"
compile -DLEAK -o "$tmp/leaks" || exit 1
PMU_ENABLE=0 "$tmp/leaks" >"$tmp/err" 2>&1 &&
	skip_all 'LeakSanitizer finds nothing here'
grep -q '77 byte' "$tmp/err" || skip_all "LeakSanitizer does not run here: $(head -n 1 "$tmp/err")"

for settings in PMU_ENABLE=1 PMU_GROUP=SOFTWARE PMU_GROUP=SOFTWARE,TIME PMU_EVENTS=page-faults PMU_PIN=scatter PMU_HISTOGRAM=1; do
	ok "$settings" env "$settings" "$tmp/prog"
done
finish
