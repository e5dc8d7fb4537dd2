/* SPDX-License-Identifier: BSD-3-Clause */
/* How the store and the report grow with threads and regions. */
#include "bench/growth/scale.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
	"usage: scale [--json] [--quick] [PART]...\n"
	"\n"
	"  threads    up to 1,024 threads with 100 regions each: the store and its reports\n"
	"  regions    16 threads with up to 10,000 regions each: likewise\n"
	"  --quick    the two smallest sizes, each measured once\n"
	"  --json     for programs\n"
	"\n"
	"Without a PART both.  Times are processor times, medians of three processes, or of as\n"
	"many as a third of a second suffices for.  The growth is an exponent: 1 is proportional to the size, 2 is\n"
	"four times as much at twice the size; one that is above what it is to be at most, and by more than\n"
	"noise, says so.  The exit status is 1 where a value is missing.\n";

bool quick;

static const struct part {
	const char *name;
	void (*measure)(void);
} parts[] = {
	{ "threads", measure_threads },
	{ "regions", measure_regions },
};
#define N_PARTS (sizeof(parts) / sizeof(*parts))

static const struct child_task tasks[] = {
	{ "store", child_store },
};

/* Which parts, as bits; negative after a message. */
static int parse(char **argument, bool *json)
{
	int chosen = 0;

	for (; *argument; argument++) {
		int bit = 0;

		for (size_t i = 0; i < N_PARTS; i++)
			if (!strcmp(*argument, parts[i].name))
				bit = 1 << i;
		if (!strcmp(*argument, "--json"))
			*json = true;
		else if (!strcmp(*argument, "--quick"))
			quick = true;
		else if (bit)
			chosen |= bit;
		else {
			fprintf(stderr, "scale: there is no %s %s; try scale --help\n",
				**argument == '-' ? "option" : "part", *argument);
			return -1;
		}
	}
	return chosen ? chosen : (1 << N_PARTS) - 1;
}

int main(int argc, char **argv)
{
	bool json = false;
	int chosen;

	if (argc > 1 && !strcmp(argv[1], "--child"))
		return child_main(tasks, sizeof(tasks) / sizeof(*tasks), argv + 2);
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	chosen = parse(argv + 1, &json);
	if (chosen < 0)
		return 2;
	series_begin(json);
	for (size_t i = 0; i < N_PARTS; i++)
		if (chosen & (1 << i))
			parts[i].measure();
	return series_end() ? 1 : 0;
}
