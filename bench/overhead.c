/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library costs the program that uses it. */
#include <stdio.h>
#include <string.h>

#include "overhead.h"

static const char usage[] =
	"usage: overhead [--json] [PART]... [SUBJECT]\n"
	"\n"
	"  --pairs         time of a begin/end pair beside the bare reads (this is the "
	"default)\n"
	"  --instructions  instructions of a pair; needs valgrind\n"
	"  --syscalls      system calls of a pair; needs strace\n"
	"  --session       start of a session, and a report\n"
	"  --memory        the store, and resident memory with many threads\n"
	"  --all           all of these\n"
	"  --json          for programs\n"
	"  SUBJECT         of the pairs, only those with this in their name\n"
	"\n"
	"\"bare\" is the same number of plain time stamp reads (or of read(2) calls on "
	"the same perf\n"
	"group) in the same loop, in blocks that take turns with those of the subject: "
	"ratios are\n"
	"medians of the ratios of neighbouring blocks.  The exit status is 1 where a row "
	"has no value.\n";

static const char *only;

static void pairs(void)
{
	measure_pairs(only);
}

static const struct part {
	const char *option;
	void (*measure)(void);
} parts[] = {
	{"--pairs", pairs},
	{"--instructions", measure_instructions},
	{"--syscalls", measure_syscalls},
	{"--session", measure_session},
	{"--memory", measure_memory},
};
#define N_PARTS (sizeof(parts) / sizeof(*parts))

static const struct {
	const char *name;
	int (*run)(char **argument);
} tasks[] = {
	{"pairs", child_pairs},	  {"loop", child_loop},	  {"start", child_start},
	{"report", child_report}, {"store", child_store}, {"threads", child_threads},
};

static int run_child(char **argument)
{
	for (size_t i = 0; argument[0] && i < sizeof(tasks) / sizeof(*tasks); i++)
		if (!strcmp(tasks[i].name, argument[0]))
			return tasks[i].run(argument + 1);
	fputs(usage, stderr);
	return 2;
}

/* Which parts, as bits; negative where an option is unknown. */
static int parse(char **argument, bool *json)
{
	int chosen = 0;

	for (; *argument; argument++) {
		int bit = 0;

		for (size_t i = 0; i < N_PARTS; i++)
			if (!strcmp(*argument, parts[i].option) ||
			    !strcmp(*argument, "--all"))
				bit |= 1 << i;
		if (!strcmp(*argument, "--json"))
			*json = true;
		else if (bit)
			chosen |= bit;
		else if (**argument == '-' || only)
			return -1;
		else
			only = *argument;
	}
	return chosen ? chosen : 1;
}

int main(int argc, char **argv)
{
	bool json = false;
	int chosen;

	if (argc > 1 && !strcmp(argv[1], "--child"))
		return run_child(argv + 2);
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	chosen = parse(argv + 1, &json);
	if (chosen < 0) {
		fputs(usage, stderr);
		return 2;
	}
	table_begin(json);
	for (size_t i = 0; i < N_PARTS; i++)
		if (chosen & (1 << i))
			parts[i].measure();
	return table_end() ? 1 : 0;
}
