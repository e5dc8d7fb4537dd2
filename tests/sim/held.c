/* SPDX-License-Identifier: BSD-3-Clause */
/* A measured program that stays in its region until its standard input ends. */
#include <stdio.h>
#include <unistd.h>

#include "pmu.h"

int main(void)
{
	char byte;

	pmu_region_begin("work");
	puts("in");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	pmu_region_end("work");
	return 7;
}
