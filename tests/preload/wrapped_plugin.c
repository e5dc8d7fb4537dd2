/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin that calls a wrapped library. */
#include "wrapped_lib.h"

#include <stdio.h>

long plugin_run(long n);

long plugin_run(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += w_tail(i, NUMBER);
	return sum;
}

/* When it goes is part of what a program does. */
static __attribute__((destructor)) void go(void)
{
	if (NUMBER == 4)
		printf("plugin %d goes\n", NUMBER);
}
