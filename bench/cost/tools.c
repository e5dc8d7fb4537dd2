/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts instructions and system calls of a pair: two run lengths under a tool, and their
 * difference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "overhead.h"
#include "pmu.h"

#define N_INSTRUCTIONS 20000
#define N_SYSCALLS     2000
#define MAX_RUNS       3

static const char *const on_clock[] = { "PMU_BACKEND=clock", "PMU_OUTPUT=none", NULL };
static const char *const on_software[] = { "PMU_BACKEND=software", "PMU_EVENTS=" LOOP_EVENTS,
					   "PMU_OUTPUT=none", NULL };
static const char *const off[] = { "PMU_ENABLE=0", NULL };

static const char *const callgrind[] = { "valgrind", "--tool=callgrind",
					 "--callgrind-out-file=/dev/null", NULL };
static const char *const inside[] = { "valgrind",
				      "--tool=callgrind",
				      "--callgrind-out-file=/dev/null",
				      "--toggle-collect=pmu_region_begin",
				      "--toggle-collect=pmu_region_end",
				      NULL };
static const char *const strace[] = { "strace", "-f", NULL };
/* room for all of it: the loop is quicker than perf writes */
static const char *const perf_trace[] = { "perf", "trace", "--mmap-pages", "4096", NULL };

/* --- in the child --- */

/* Nothing here calls it otherwise: it shows where the loop begins and ends. */
static void mark(void)
{
	syscall(SYS_getppid);
}

static const char *literal(const char *len)
{
	static const char *const literals[] = { "a", "fifteen letters",
						"a name of thirty-one characters" };

	for (size_t i = 0; i < sizeof(literals) / sizeof(*literals); i++)
		if (strlen(literals[i]) == strtoul(len, NULL, 10))
			return literals[i];
	return NULL;
}

/* loop literal|heap LENGTH-OF-THE-NAME PAIRS */
int child_loop(char **argument)
{
	struct loop loop = { 0 };

	if (!argument[0] || !argument[1] || !argument[2] ||
	    loop_names(&loop, 1, strtoul(argument[1], NULL, 10)) < 0)
		return 2;
	if (!strcmp(argument[0], "literal"))
		loop.name[0] = literal(argument[1]);
	loop_named(&loop, 10);
	mark();
	loop_named(&loop, strtoul(argument[2], NULL, 10));
	mark();
	puts("done");
	return 0;
}

/* --- in the parent --- */

struct tool {
	const char *const *words;
	double (*total)(const char *said); /* negative: it did not say */
	int n_pairs;
	int n_runs; /* odd; up to MAX_RUNS */
};

/* "Collected : 123456", the first number being the instructions. */
static double instructions(const char *said)
{
	const char *at = strstr(said, "Collected :");

	return at ? strtod(at + strlen("Collected :"), NULL) : -1;
}

/* The rest of a call's line, after another thread's or the tool's own came in between. */
static bool goes_on(const char *line, size_t len)
{
	return memmem(line, len, "[continued]", 11) || memmem(line, len, "resumed>", 8);
}

static double calls_between_marks(const char *said)
{
	const char *first = strstr(said, "getppid("), *last, *line;
	double n = 0;

	last = first ? strstr(first + 1, "getppid(") : NULL;
	if (!last || strstr(said, "LOST ")) /* perf's word for what it was too slow to see */
		return -1;
	for (line = strchr(first, '\n') + 1;; line += strcspn(line, "\n") + 1) {
		size_t len = strcspn(line, "\n");

		if (line + len >= last) /* the second mark's own line */
			return n;
		n += !goes_on(line, len);
	}
}

static const struct tool instruction_tool = { callgrind, instructions, N_INSTRUCTIONS, 1 };
static const struct tool inside_tool = { inside, instructions, N_INSTRUCTIONS, 1 };
/* several runs: now and then the library measures itself once more in between */
static const struct tool syscall_tools[] = { { strace, calls_between_marks, N_SYSCALLS, MAX_RUNS },
					     { perf_trace, calls_between_marks, N_SYSCALLS,
					       MAX_RUNS } };

static double total(const struct tool *tool, struct child *child, int n_pairs)
{
	char n_text[16];
	double n = -1;

	snprintf(n_text, sizeof(n_text), "%d", n_pairs);
	child->argument[3] = n_text;
	if (child_run(child) == 0 && (!child->err || (n = tool->total(child->err)) < 0))
		snprintf(child->why, sizeof(child->why), "%s gives no total", tool->words[0]);
	child_free(child);
	return n;
}

/*
 * What one pair more costs.  Return: 0, or -1 where the tool does not tell: @child has the reason.
 */
static int difference(const struct tool *tool, struct child *child, struct row *row)
{
	double number[MAX_RUNS];

	child->tool = tool->words;
	for (int run = 0; run < tool->n_runs; run++) {
		double once = total(tool, child, tool->n_pairs);
		double twice = once < 0 ? -1 : total(tool, child, 2 * tool->n_pairs);

		if (twice < 0)
			return -1;
		number[run] = (twice - once) / tool->n_pairs;
	}
	sort_numbers(number, (size_t)tool->n_runs);
	row->value = number[tool->n_runs / 2];
	if (tool->n_runs > 1) {
		row->min = number[0];
		row->max = number[tool->n_runs - 1];
	}
	return 0;
}

/* By the first of @n tools that tells. */
static void measure(const struct tool *tool, int n, const char *subject, const char *unit,
		    const char *const *settings, const char *text, const char *len, double target)
{
	struct child child = { .settings = settings, .argument = { "loop", text, len } };
	struct row row = row_for(subject, unit);
	char note[2 * sizeof(child.why)] = "";

	row.target_of = target < 0 ? NO_TARGET : OF_VALUE;
	row.target = target;
	for (int i = 0; i < n && row.value < 0; i++) {
		size_t said = strlen(note);

		if (difference(&tool[i], &child, &row) < 0)
			snprintf(note + said, sizeof(note) - said, "%s%s", said ? "; " : "",
				 child.why);
		else if (i)
			snprintf(note, sizeof(note), "by %s %s", tool[i].words[0],
				 tool[i].words[1]);
	}
	row.note = note[0] ? note : NULL;
	table_row(&row);
}

void measure_instructions(void)
{
	const struct tool *all = &instruction_tool, *in = &inside_tool;

	table_heading("Instructions of a pair (callgrind)", false);
	measure(all, 1, "literal of 1 byte", "instr", on_clock, "literal", "1", 180);
	measure(all, 1, "literal of 15 bytes", "instr", on_clock, "literal", "15", 180);
	measure(all, 1, "literal of 31 bytes", "instr", on_clock, "literal", "31", -1);
	measure(all, 1, "15 bytes in memory that may change", "instr", on_clock, "heap", "15", -1);
	measure(all, 1, "PMU_ENABLE=0", "instr", off, "literal", "15", -1);
	measure(in, 1, "inside the library, literal of 15 bytes", "instr", on_clock, "literal",
		"15", 180);
	measure(in, 1, "inside the library, PMU_ENABLE=0", "instr", off, "literal", "15", 10);
}

void measure_syscalls(void)
{
	table_heading("System calls of a pair (strace, or perf trace)", false);
	measure(syscall_tools, 2, "clock", "calls", on_clock, "literal", "15", 0);
	measure(syscall_tools, 2, "software", "calls", on_software, "literal", "15", 2);
}
