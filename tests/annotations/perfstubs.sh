#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# PerfStubs' timers are regions where they are asked for by name; else its clients find no tool, and say nothing.
# shellcheck source=tests/bindings/markers.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/bindings/markers.sh"
# shellcheck source=tests/annotations/standins.sh
. "$top/tests/annotations/standins.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a sanitizer cannot be preloaded'
# What a client does, from its documentation.
cat >client.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static void (*initialize)(void), (*thread)(void), (*start)(void *), (*stop)(void *), (*finalize)(void);
static void (*start_string)(const char *), (*stop_string)(const char *), (*phase)(const char *, int), (*ends)(const char *, int);
static void *(*create)(const char *);
static void *work(void *timer)
{
	if (thread)
		thread();
	for (int i = 0; i < 10 && start; i++) {
		start(timer);
		start_string("inner");
		stop_string("inner");
		stop(timer);
	}
	return timer;
}
int main(void)
{
	pthread_t other;
	void *timer = NULL;
	char name[] = "timer";
	initialize = (__typeof__(initialize))dlsym(RTLD_DEFAULT, "ps_tool_initialize");
	if (initialize) {
		puts("Found ps_tool_initialize(), registering tool");
#define FIND(what, name) what = (__typeof__(what))dlsym(RTLD_DEFAULT, "ps_tool_" name)
		FIND(thread, "register_thread");
		FIND(create, "timer_create");
		FIND(start, "timer_start");
		FIND(stop, "timer_stop");
		FIND(start_string, "start_string");
		FIND(stop_string, "stop_string");
		FIND(phase, "dynamic_phase_start");
		FIND(ends, "dynamic_phase_stop");
		FIND(finalize, "finalize");
		initialize();
		timer = create(name);
		name[0] = 'T';
	}
	if (pthread_create(&other, NULL, work, timer))
		return 1;
	work(timer);
	pthread_join(other, NULL);
	for (int i = 0; i < 3 && phase; i++) {
		phase("phase", i);
		ends("phase", i);
	}
	if (finalize)
		finalize();
	puts("done");
	return 0;
}
C
ok "a client" "$cc" -O2 client.c -o client -pthread -ldl
measured "not asked for" ./client
measured "PMU_AUTO=markers" PMU_AUTO=markers ./client
is "PMU_AUTO=markers: no region" "$(regions)" ""
rm -f report.csv
PMU_BACKEND=clock PMU_AUTO=main,perfstubs LD_LIBRARY_PATH=$lib PMU_OUTPUT=report.csv LD_PRELOAD=$preload ./client >out 2>err
is "PMU_AUTO=main,perfstubs: the client has found a tool" "$(head -n 1 out)" "Found ps_tool_initialize(), registering tool"
regions_are "PMU_AUTO=main,perfstubs: regions and calls" "timer 20" "inner 20" "phase 3"
"$build/pmu" run --auto perfstubs -o report.csv -- ./client >out 2>err
regions_are "pmu run --auto perfstubs: regions and calls" "timer 20" "inner 20" "phase 3"
finish
