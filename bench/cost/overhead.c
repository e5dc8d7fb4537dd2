/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library costs the program that uses it. */
#include <stdio.h>
#include <string.h>

#include "overhead.h"
#include "plot.h"

static const char usage[] =
	"usage: overhead [--json] [--plot FILE] [PART]... [SUBJECT]\n"
	"\n"
	"  --pairs         time of a begin/end pair beside the bare reads (this is the default)\n"
	"  --sweep         the same over 1 to 10,000 names, depth 1 to 16, 1 to all processors' threads and\n"
	"                  0 to 8 counts, for each source of counts that works here\n"
	"  --instructions  instructions of a pair; needs valgrind\n"
	"  --counted       instructions of a pair that counts 1, 2, 4 and 8 events; needs a PMU\n"
	"  --syscalls      system calls of a pair; needs strace, or perf trace\n"
	"  --session       start and end of a session, and a report\n"
	"  --memory        the store, and resident memory with many threads\n"
	"  --all           all of these\n"
	"  --json          for programs\n"
	"  --plot FILE     a picture of the sweep, as .svg or .png; needs gnuplot\n"
	"  SUBJECT         of the pairs, only those with this in their name\n"
	"\n"
	"\"bare\" is the same number of plain time stamp reads (or of reads of the same counters: in user\n"
	"space where the kernel allows it, else by system calls) in the same loop, in blocks that take\n"
	"turns with those of the subject: ratios are medians of the ratios of neighbouring blocks.  With\n"
	"several threads a row is that of the one with the highest ratio.  The exit status is 1 where a row\n"
	"has no value, but not for a source of counts that cannot be had here.\n";

static const char *only, *picture;

static void pairs(void)
{
	measure_pairs(only);
}

static const struct part {
	const char *option;
	void (*measure)(void);
} parts[] = {
	{ "--pairs", pairs },
	{ "--sweep", measure_sweep },
	{ "--instructions", measure_instructions },
	{ "--counted", measure_counted },
	{ "--syscalls", measure_syscalls },
	{ "--session", measure_session },
	{ "--memory", measure_memory },
};
#define SWEEP   (1 << 1)
#define N_PARTS (sizeof(parts) / sizeof(*parts))

static const struct child_task tasks[] = {
	{ "pairs", child_pairs }, { "loop", child_loop },       { "start", child_start },
	{ "end", child_end },     { "counted", child_counted }, { "report", child_report },
	{ "store", child_store }, { "threads", child_threads },
};

static int refuse(const char *what, const char *argument)
{
	fprintf(stderr, "overhead: %s%s; try overhead --help\n", what, argument);
	return -1;
}

/* Which parts, as bits; negative after a message. */
static int parse(char **argument, bool *json)
{
	int chosen = 0;

	for (; *argument; argument++) {
		int bit = 0;

		for (size_t i = 0; i < N_PARTS; i++)
			if (!strcmp(*argument, parts[i].option) || !strcmp(*argument, "--all"))
				bit |= 1 << i;
		if (!strcmp(*argument, "--json"))
			*json = true;
		else if (!strcmp(*argument, "--plot") && !argument[1])
			return refuse("--plot wants a file", "");
		else if (!strcmp(*argument, "--plot") && !picture)
			picture = *++argument, chosen |= SWEEP;
		else if (bit)
			chosen |= bit;
		else if (!strcmp(*argument, "--plot"))
			return refuse("one --plot is enough: ", argument[1]);
		else if (**argument == '-')
			return refuse("there is no option ", *argument);
		else if (only)
			return refuse("one SUBJECT is enough: ", *argument);
		else
			only = *argument;
	}
	return chosen ? chosen : 1;
}

int main(int argc, char **argv)
{
	bool json = false;
	int chosen, rc;

	if (argc > 1 && !strcmp(argv[1], "--child"))
		return child_main(tasks, sizeof(tasks) / sizeof(*tasks), argv + 2);
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	chosen = parse(argv + 1, &json);
	if (chosen < 0)
		return 2;
	if (only && !pairs_has(only)) {
		fprintf(stderr, "overhead: no subject has \"%s\" in its name\n", only);
		return 2;
	}
	if (picture && (rc = plot_open(picture)))
		return rc;
	table_begin(json);
	for (size_t i = 0; i < N_PARTS; i++)
		if (chosen & (1 << i))
			parts[i].measure();
	rc = table_end() ? 1 : 0;
	if (picture && plot_draw())
		rc = 1;
	return rc;
}
