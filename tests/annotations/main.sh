#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program that marks its own main, which is a region under the preload already: one region, one call of it, whichever
# way it is marked and however the program ends.
# shellcheck source=tests/bindings/markers.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/bindings/markers.sh"
# shellcheck source=tests/annotations/standins.sh
. "$top/tests/annotations/standins.sh"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all "a sanitizer cannot be preloaded"

cat >program.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef MARK_GPTL
int GPTLstart(const char *name), GPTLstop(const char *name);
#define BEGIN(name) GPTLstart(name)
#define END(name)   GPTLstop(name)
#elif defined(MARK_TAU)
void Tau_start(const char *name), Tau_stop(const char *name);
#define BEGIN(name) Tau_start(name)
#define END(name)   Tau_stop(name)
#elif defined(MARK_CALIPER)
void cali_begin_string_byname(const char *attribute, const char *value), cali_end_byname(const char *attribute);
#define BEGIN(name) cali_begin_string_byname("function", name)
#define END(name)   cali_end_byname("function")
#else
#include <pmu.h>
#define BEGIN(name) pmu_region_begin(name)
#define END(name)   pmu_region_end(name)
#endif

static int n;

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	BEGIN("main");
	BEGIN("solve");
	END("solve");
	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "fork")) {
		if (fork() == 0)
			exit(0);
		wait(NULL);
	}
	if (!strcmp(how, "recursion") && n++ < 2)
		main(argc, argv);
	END("main");
	if (!strcmp(how, "twice")) {
		BEGIN("main");
		END("main");
	}
	return 0;
}
C
cat >stubs.c <<'C'
int GPTLstart(const char *name) { return !name; }
int GPTLstop(const char *name) { return !name; }
void Tau_start(const char *name) { (void)name; }
void Tau_stop(const char *name) { (void)name; }
void cali_begin_string_byname(const char *attribute, const char *value) { (void)attribute; (void)value; }
void cali_end_byname(const char *attribute) { (void)attribute; }
C
ok "libraries with such functions" shared stubs
libpmu="-I$top/include -L$lib -Wl,-rpath,$lib -lpmu"
for way in GPTL TAU CALIPER PMU; do
	links="-L. -lstubs"
	[ $way != PMU ] || links=$libpmu
	# shellcheck disable=SC2086 # a list of words
	ok "$way: a program" "$cc" -O1 -w -DMARK_$way program.c -o $way $links
done

# is_called NAME PROGRAM HOW CALLS: its main, in one row; nothing is in doubt
is_called() {
	rm -f report.csv report.json
	env LD_LIBRARY_PATH=. PMU_BACKEND=clock PMU_OUTPUT=report.csv,report.json LD_PRELOAD="$preload" ./"$2" "$3" \
		>out 2>err
	is "$1: calls" "$(awk -F, '$3 == "main" && $5 == "all" { print $6 }' report.csv)" "$4"
	is "$1: no doubt" "$(tr -d " \n" <report.json | grep -c "\"doubts\":\[\]")" 1
}

for way in GPTL TAU CALIPER PMU; do
	is_called "$way" $way "" 1
	is_called "$way, exit() inside" $way exit 1
	is_called "$way, recursion" $way recursion 3
	is_called "$way, again later" $way twice 2
	is_called "$way, fork" $way fork 1
done
env PMU_AUTO=markers LD_LIBRARY_PATH=. PMU_BACKEND=clock PMU_OUTPUT=report.csv LD_PRELOAD="$preload" ./GPTL recursion
is "without a main of ours: each is a call" "$(calls main all)" 3
finish
