/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that has requests to callgrind of its own: what is counted from then on is not what a
 * region did.  Or its first region is in a signal handler.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <valgrind/callgrind.h>

#include "pmu.h"

static volatile int sum;

/* Long enough for counters that began anew to be higher than they were. */
static void work(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}

static void measure(const char *name)
{
	pmu_region_begin(name);
	work(1000);
	pmu_region_end(name);
}

static void measure_in_handler(int number)
{
	(void)number;
	measure("handler");
}

static int request(const char *what)
{
	if (!strcmp(what, "dump"))
		CALLGRIND_DUMP_STATS;
	else if (!strcmp(what, "zero"))
		CALLGRIND_ZERO_STATS;
	else if (!strcmp(what, "toggle"))
		CALLGRIND_TOGGLE_COLLECT;
	else if (strcmp(what, "none") != 0 && strcmp(what, "handler") != 0)
		return -1;
	return 0;
}

/* WHAT, between two regions or within one, and then REGION. */
int main(int argc, char **argv)
{
	int rc = argc == 4 ? 0 : -1;

	if (rc == 0 && !strcmp(argv[1], "handler")) {
		signal(SIGUSR1, measure_in_handler);
		raise(SIGUSR1);
	}
	if (rc == 0)
		measure("before");
	if (rc == 0 && !strcmp(argv[2], "within"))
		pmu_region_begin("around");
	work(1000);
	rc = rc ? rc : request(argv[1]);
	work(1000000);
	if (rc == 0 && !strcmp(argv[2], "within"))
		pmu_region_end("around");
	if (rc == 0)
		measure(argv[3]);
	if (rc)
		fputs("usage: taken dump|zero|toggle|handler|none within|between REGION\n", stderr);
	return rc ? 2 : 0;
}
