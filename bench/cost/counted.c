/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the instructions of a pair that counts, with a counter of its own beside the library's. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "overhead.h"
#include "pmu.h"

#define N_PAIRS 1000

/* --- in the child --- */

typedef int call_fn(const char *name);

/* Two instructions: what a call of the library's has beyond them is its own. */
static __attribute__((noinline)) int nothing(const char *name)
{
	__asm__ volatile("" : : "r"(name));
	return 0;
}
#define NOTHING 2

static __attribute__((noinline)) void call_pairs(call_fn *begin, call_fn *end, long n)
{
	for (; n > 0; n--) {
		begin("fifteen letters");
		end("fifteen letters");
	}
}

static int open_counter(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_HW_INSTRUCTIONS,
					.exclude_kernel = 1,
					.exclude_hv = 1 };

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A pair's, by the difference of two lengths; negative: it was not counted. */
static double of_a_pair(int fd, call_fn *begin, call_fn *end)
{
	long long at[3] = { 0 };
	bool counted = true;

	counted &= read(fd, &at[0], sizeof(at[0])) == sizeof(at[0]);
	call_pairs(begin, end, N_PAIRS);
	counted &= read(fd, &at[1], sizeof(at[1])) == sizeof(at[1]);
	call_pairs(begin, end, 2 * N_PAIRS);
	counted &= read(fd, &at[2], sizeof(at[2])) == sizeof(at[2]);
	return counted ? (double)(at[2] - at[1] - (at[1] - at[0])) / N_PAIRS : -1;
}

/* counted N-COUNTS: what a pair takes inside the library, and how many counts a region has */
int child_counted(char **argument)
{
	call_fn *volatile none = nothing;
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	int fd = open_counter(), n = 0;
	double pair, call;

	(void)argument;
	if (fd < 0) {
		perror("cannot count instructions here");
		return 1;
	}
	call_pairs(pmu_region_begin, pmu_region_end, 10);
	pair = of_a_pair(fd, pmu_region_begin, pmu_region_end);
	call = of_a_pair(fd, none, none);
	if (pmu_region_read("fifteen letters", PMU_THREAD_SELF, &counts) == 0)
		for (uint32_t i = 0; i < counts.n_counts; i++)
			n += !(counts.missing >> i & 1);
	if (pair <= 0 || call < 0) {
		fprintf(stderr, "no counter is left for the benchmark\n");
		return 1;
	}
	printf("%.6f %d\n", pair - call + 2 * NOTHING, n);
	return 0;
}

/* --- in the parent --- */

/* Events that each machine with a PMU has: two, at each level; and branches. */
static const char *const events[] = {
	"instructions",   "cycles",   "instructions:uk", "cycles:uk",
	"instructions:k", "cycles:k", "branches",        "branches:uk"
};

static void set_events(char *text, size_t size, int n)
{
	size_t len = (size_t)snprintf(text, size, "PMU_EVENTS=");

	for (int i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s", i ? "," : "", events[i]);
}

static void measure(const char *how, const char *setting, int n, double target)
{
	char subject[64], chosen[200], note[sizeof(((struct child *)0)->why) + 8] = "";
	const char *const settings[] = { "PMU_BACKEND=perf", "PMU_OUTPUT=none", chosen, setting,
					 NULL };
	struct child child = { .settings = settings, .argument = { "counted" } };
	struct row row;
	int counts = 0;

	set_events(chosen, sizeof(chosen), n);
	snprintf(subject, sizeof(subject), "%d count%s, %s", n, n > 1 ? "s" : "", how);
	row = row_for(subject, "instr");
	row.optional = true;
	row.target_of = target < 0 ? NO_TARGET : OF_VALUE;
	row.target = target;
	if (child_run(&child) < 0)
		snprintf(note, sizeof(note), "%s", child.why);
	else if (sscanf(child.out, "%lf %d", &row.value, &counts) != 2 || counts != n) {
		row.value = -1;
		snprintf(note, sizeof(note),
			 "only %d can be counted here at once, beside the benchmark's", counts);
	}
	child_free(&child);
	row.note = note[0] ? note : NULL;
	table_row(&row);
}

void measure_counted(void)
{
	static const struct {
		int n;
		double target; /* of user-space reads */
	} size[] = { { 1, -1 }, { 2, 250 }, { 4, 360 }, { 8, 580 } };

	table_heading(
		"Instructions of a pair that counts, a literal of 15 bytes (counted from outside)",
		false);
	for (size_t i = 0; i < sizeof(size) / sizeof(*size); i++)
		measure("in user space", "PMU_USER_READ=1", size[i].n, size[i].target);
	for (size_t i = 0; i < sizeof(size) / sizeof(*size); i++)
		measure("read(2)", "PMU_USER_READ=0", size[i].n, -1);
}
