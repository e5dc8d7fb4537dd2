/* SPDX-License-Identifier: BSD-3-Clause */
/* Interrupts of one processor, as /proc/interrupts has them. */
#include "bench/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Which column is the processor's: those that are online have one.  Return: from 0; -1 without one.
 */
static int column_of(char *heading, int cpu)
{
	char want[16], *rest = heading, *word;

	snprintf(want, sizeof(want), "CPU%d", cpu);
	for (int column = 0; (word = strtok_r(rest, " \t\n", &rest)); column++)
		if (!strcmp(word, want))
			return column;
	return -1;
}

/*
 * "NMI:   12   34   Non-maskable interrupts"; lines with fewer numbers than that (ERR:, MIS:) are
 * of no processor.
 */
static double number_in(const char *line, int column)
{
	const char *at = strchr(line, ':');
	double number = 0;
	char *end;

	if (!at || !strncmp(line + strspn(line, " "), "ERR:", 4) ||
	    !strncmp(line + strspn(line, " "), "MIS:", 4))
		return 0;
	at++;
	for (int i = 0; i <= column; i++, at = end) {
		number = (double)strtoull(at, &end, 10);
		if (end == at)
			return 0;
	}
	return number;
}

double interrupts_of(int cpu)
{
	FILE *file = fopen("/proc/interrupts", "re");
	size_t room = 0;
	double sum = 0;
	char *line = NULL;
	int column;

	if (!file)
		return -1;
	column = getline(&line, &room, file) > 0 ? column_of(line, cpu) : -1;
	while (column >= 0 && getline(&line, &room, file) > 0)
		sum += number_in(line, column);
	free(line);
	fclose(file);
	return column < 0 ? -1 : sum;
}
