/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured programs with known counts: what they do, what their report must say. */
#ifndef PMU_TESTS_SIM_MEASURE_H
#define PMU_TESTS_SIM_MEASURE_H

#include <sys/prctl.h>

#include "session.h"

/* A count that must not be there: null. */
#define MISSING UINT64_MAX

/* One number of a report. */
struct measure_count {
	const char *path, *whose; /* region; "all", "thread 1", "socket 0" */
	const char *name;         /* of the count */
	uint64_t value;
};

/* In the child. */
static int measure_become_work(void *arg)
{
	const char *build = getenv("TEST_BUILDDIR");
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/sim/work", build && *build ? build : TEST_BUILDDIR);
	setenv("TEST_SIM_CTL", sim.ctl, 1);
	/* The simulator reads and writes a batch in the memory of its caller. */
	prctl(PR_SET_PTRACER, sim.pid);
	execl(path, path, (const char *)arg, (char *)NULL);
	fprintf(stderr, "cannot start %s: %s\n", path, strerror(errno));
	return 127;
}

/* Run tests/sim/work (work.c) on the machine. */
__attribute__((unused)) static void measure(struct run *r, const char *script,
					    const char *const *env)
{
	char *copy = strdup(script);

	run(r, measure_become_work, copy, env);
	free(copy);
}

/* It ended as it should, and registers were its counters. */
__attribute__((unused)) static bool measure_good(const struct run *r, const char *name)
{
	bool good = run_good(r, name) && is_str(session_source(r), "msr", "counted by registers");

	if (!good && r->json)
		diag("%s", session_words(r));
	return good;
}

/* --- what a report says --- */

static const json_t *measure_row(const struct run *r, const char *path, const char *whose)
{
	const json_t *region = run_region(r->json, path);
	json_t *row;
	size_t i;
	char list[16];
	int n;

	if (!region || sscanf(whose, "%15s %d", list, &n) != 2)
		return region;
	strcat(list, "s"); /* "threads", "sockets" */
	json_array_foreach(json_object_get(region, list), i, row)
	{
		list[strlen(list) - 1] = '\0';
		if (run_int(row, list) == n)
			return row;
		strcat(list, "s");
	}
	return NULL;
}

/* As raw sum; UINT64_MAX - 1 where there is no such row or count at all. */
static uint64_t measure_value(const struct run *r, const struct measure_count *c)
{
	const json_t *value = json_object_get(
		json_object_get(measure_row(r, c->path, c->whose), "raw"), c->name);

	if (!value)
		return UINT64_MAX - 1;
	return json_is_integer(value) ? (uint64_t)json_integer_value(value) : MISSING;
}

static const char *measure_text(uint64_t value, char *text, size_t size)
{
	if (value == UINT64_MAX - 1)
		snprintf(text, size, "in no such row");
	else if (value == MISSING)
		snprintf(text, size, "missing");
	else
		snprintf(text, size, "%" PRIu64, value);
	return text;
}

__attribute__((unused)) static bool measure_is(const struct run *r, const struct measure_count *c)
{
	uint64_t got = measure_value(r, c);
	char want[32], is[32];
	bool same = ok(got == c->value, "%s, %s: %s is %s", c->path, c->whose, c->name,
		       measure_text(c->value, want, sizeof(want)));

	if (!same)
		diag("got %s", measure_text(got, is, sizeof(is)));
	return same;
}

/* All of them; the list ends with a NULL path. */
__attribute__((unused)) static void measure_counts(const struct run *r,
						   const struct measure_count *list)
{
	for (; list->path; list++)
		measure_is(r, list);
}

/* --- registers --- */

/* A register's value in the text of sim_state(); UINT64_MAX where it is not there. */
__attribute__((unused)) static uint64_t measure_state(const char *state, int cpu, uint32_t address)
{
	char want[40];
	size_t n = (size_t)snprintf(want, sizeof(want), "\n%d %XH ", cpu, address);
	const char *at;

	if (!strncmp(state, want + 1, n - 1))
		return strtoull(state + n - 1, NULL, 16);
	at = strstr(state, want);
	return at ? strtoull(at + n, NULL, 16) : UINT64_MAX;
}

/* The machine's next processor, in the order of sim_state(), which gives @at at first. */
__attribute__((unused)) static const char *measure_next_cpu(const char *at, int *cpu)
{
	int last = *cpu;

	for (; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		*cpu = atoi(at);
		if (*cpu != last)
			return at;
	}
	return NULL;
}

/* Something that a register holds before a session comes. */
struct measure_litter {
	uint32_t address;
	uint64_t value;
};

/* In all processors' registers; the list ends with address 0. */
__attribute__((unused)) static void measure_litter(const struct measure_litter *list)
{
	char *state = sim_state(&sim);
	int cpu = -1;

	for (const char *at = state; (at = measure_next_cpu(at, &cpu));)
		for (const struct measure_litter *l = list; l->address; l++)
			if (sim_send(&sim, "set %d %#x %#" PRIx64, cpu, l->address, l->value))
				ok(false, "litter for %XH of CPU %d", l->address, cpu);
	free(state);
}

/* Puts back registers that the machine alone can write, which it has changed. */
__attribute__((unused)) static void measure_forgive(const char *before, const uint32_t *address)
{
	int cpu = -1;

	for (const char *at = before; address && (at = measure_next_cpu(at, &cpu));)
		for (const uint32_t *a = address; *a; a++)
			if (measure_state(before, cpu, *a) != UINT64_MAX)
				sim_send(&sim, "set %d %#x %#" PRIx64, cpu, *a,
					 measure_state(before, cpu, *a));
}

#endif
