/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that has requests to callgrind of its own: what is counted from then on is not what a
 * region did.  Or its first region is in a signal handler.
 */
#include <signal.h>
#include <stdbool.h>
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

static const char *const requests[] = { "dump", "zero", "toggle", "handler", "none" };
#define N_REQUESTS (int)(sizeof(requests) / sizeof(*requests))

static void request(int which)
{
	switch (which) {
	case 0:
		CALLGRIND_DUMP_STATS;
		break;
	case 1:
		CALLGRIND_ZERO_STATS;
		break;
	case 2:
		CALLGRIND_TOGGLE_COLLECT;
		break;
	}
}

/* WHAT, between two regions or within one, and then REGION. */
int main(int argc, char **argv)
{
	int which = 0;
	bool is_within;

	/* before the region: how long it takes depends on where the arguments lie */
	while (argc == 4 && which < N_REQUESTS && strcmp(argv[1], requests[which]) != 0)
		which++;
	if (argc != 4 || which == N_REQUESTS) {
		fputs("usage: taken dump|zero|toggle|handler|none within|between REGION\n", stderr);
		return 2;
	}
	is_within = !strcmp(argv[2], "within");
	if (!strcmp(argv[1], "handler")) {
		signal(SIGUSR1, measure_in_handler);
		raise(SIGUSR1);
	}
	measure("before");
	if (is_within)
		pmu_region_begin("around");
	work(1000);
	request(which);
	work(1000000);
	if (is_within)
		pmu_region_end("around");
	measure(argv[3]);
	return 0;
}
