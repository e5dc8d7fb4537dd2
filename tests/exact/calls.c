/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each public call adds to a region that it is made in.  Prints a line for each of them: its name, and how
 * many instructions more than the region "nothing" its own may have at most, or "counted" where pmu.h says that it
 * is in regions.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu.h"

#define TIMES 10
/* The program's own: arguments, the jump, what becomes of the result. */
#define PLAIN 8
/* Putting several arguments together, which pmu.h has. */
#define SEVERAL 32
#define COUNTED (-1)

static struct pmu_counters *counters;
static struct pmu_region_counts counts = { .size = sizeof(counts) };
static uint64_t value[PMU_MAX_COUNTS];
static char *text;
static pmu_context_t context;
static char too_long[PMU_NAME_MAX + 2];
static volatile uintptr_t result;

#define CALL(name, ...)        \
	static void name(void) \
	{                      \
		(__VA_ARGS__); \
	}
CALL(nothing, (void)0)
CALL(init, pmu_init(NULL))
CALL(begin_null, pmu_region_begin(NULL))
CALL(begin_long, pmu_region_begin(too_long))
CALL(begin_once, pmu_region_begin_once(NULL))
CALL(begin_n, pmu_region_begin_n(NULL, 5))
CALL(end_unbegun, pmu_region_end("never begun"))
CALL(end_n, pmu_region_end_n("never begun", 5))
CALL(attach, pmu_thread_attach())
CALL(read_name, pmu_region_read("other", PMU_THREAD_SELF, &counts))
CALL(read_path, pmu_region_read("other", 0, &counts))
CALL(read_refused, pmu_region_read("", 0, &counts))
CALL(reset, pmu_region_reset("other"))
CALL(reset_unknown, pmu_region_reset("never begun"))
CALL(is_open, pmu_region_is_open("other"))
CALL(get, context = pmu_context_get())
CALL(enter, pmu_context_enter(0), pmu_context_leave())
CALL(leave, pmu_context_leave())
CALL(group_next, pmu_group_next())
CALL(count_name, result = (uintptr_t)pmu_count_name(0))
CALL(report, pmu_report("calls.json"))
CALL(report_refused, pmu_report("calls.xml"))
CALL(report_text, pmu_report_text("csv", &text))
CALL(report_text_refused, pmu_report_text("xml", &text))
CALL(note, pmu_note("a line"))
CALL(goes_on, pmu_checkpoint(PMU_NEXT_GOES_ON))
CALL(exits, pmu_checkpoint(PMU_NEXT_EXIT))
CALL(execs, pmu_checkpoint(PMU_NEXT_EXEC))
CALL(dies, pmu_checkpoint(PMU_NEXT_SIGNAL))
CALL(open_set, pmu_counters_open("page-faults", PMU_SCOPE_THREAD, &counters))
CALL(open_refused, pmu_counters_open("no such event", PMU_SCOPE_THREAD, &counters))
CALL(start_set, pmu_counters_start(counters))
CALL(stop_set, pmu_counters_stop(counters))
CALL(read_set, pmu_counters_read(counters, value, PMU_MAX_COUNTS, NULL))
CALL(reset_set, pmu_counters_reset(counters))
CALL(close_set, pmu_counters_close(counters), counters = NULL)
CALL(last_error, result = (uintptr_t)pmu_last_error())
CALL(error_name, result = (uintptr_t)pmu_strerror(-22))
CALL(version, result = (uintptr_t)pmu_version())

static const struct {
	const char *name; /* of the function, and how it is called */
	void (*call)(void);
	int most;
} calls[] = {
	{ "nothing", nothing, 0 },
	{ "pmu_init", init, PLAIN },
	{ "pmu_region_begin", begin_null, PLAIN },
	{ "pmu_region_begin too long", begin_long, PLAIN },
	{ "pmu_region_begin_n", begin_n, PLAIN },
	{ "pmu_region_begin_once", begin_once, PLAIN },
	{ "pmu_region_end", end_unbegun, PLAIN },
	{ "pmu_region_end_n", end_n, PLAIN },
	{ "pmu_thread_attach", attach, COUNTED },
	{ "pmu_region_read", read_name, SEVERAL },
	{ "pmu_region_read of a path", read_path, SEVERAL },
	{ "pmu_region_read refused", read_refused, SEVERAL },
	{ "pmu_region_reset", reset, PLAIN },
	{ "pmu_region_reset unknown", reset_unknown, PLAIN },
	{ "pmu_region_is_open", is_open, SEVERAL },
	{ "pmu_context_get", get, PLAIN },
	{ "pmu_context_enter", enter, PLAIN },
	{ "pmu_context_leave", leave, PLAIN },
	{ "pmu_group_next", group_next, PLAIN },
	{ "pmu_count_name", count_name, SEVERAL },
	{ "pmu_report", report, PLAIN },
	{ "pmu_report refused", report_refused, PLAIN },
	{ "pmu_report_text", report_text, SEVERAL },
	{ "pmu_report_text refused", report_text_refused, SEVERAL },
	{ "pmu_note", note, PLAIN },
	{ "pmu_checkpoint", goes_on, PLAIN },
	{ "pmu_checkpoint before _exit", exits, PLAIN },
	{ "pmu_checkpoint before exec", execs, PLAIN },
	{ "pmu_checkpoint before a signal", dies, PLAIN },
	{ "pmu_counters_open refused", open_refused, SEVERAL },
	{ "pmu_counters_open", open_set, SEVERAL },
	{ "pmu_counters_start", start_set, COUNTED },
	{ "pmu_counters_stop", stop_set, COUNTED },
	{ "pmu_counters_read", read_set, COUNTED },
	{ "pmu_counters_reset", reset_set, SEVERAL },
	{ "pmu_counters_close", close_set, SEVERAL },
	{ "pmu_last_error", last_error, COUNTED },
	{ "pmu_strerror", error_name, COUNTED },
	{ "pmu_version", version, COUNTED },
	{ "pmu_fini", NULL, COUNTED }, /* no region goes on after it */
};

/* So that a region with too little is one, too. */
static void work(void)
{
	for (volatile int i = 0; i < 1000; i++)
		;
}

/* What a call leaves behind for free(), or for the next one. */
static void tidy(void)
{
	free(text);
	text = NULL;
}

static void measure(const char *name, void (*call)(void))
{
	pmu_region_begin(name);
	work();
	call();
	pmu_region_end(name);
	tidy();
}

int main(void)
{
	const size_t n = sizeof(calls) / sizeof(calls[0]);

	memset(too_long, 'x', sizeof(too_long) - 1);
	pmu_region_begin("other");
	pmu_region_end("other");
	/* once without being looked at: what is found out the first time only */
	for (int i = 0; i <= TIMES; i++)
		for (size_t k = 0; k < n; k++)
			if (calls[k].call)
				measure(i ? calls[k].name : "first", calls[k].call);
	for (size_t k = 0; k < n; k++)
		if (calls[k].most == COUNTED)
			printf("%s\tcounted\n", calls[k].name);
		else
			printf("%s\t%d\n", calls[k].name, calls[k].most);
	return 0;
}
