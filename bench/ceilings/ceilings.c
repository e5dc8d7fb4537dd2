/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu-bench --ceilings: what is measured, in which order, and what becomes of it. */
#include "bench/ceilings/ceilings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/common/report.h"
#include "bench/suite/suite.h"
#include "pmu.h"

#define WAKE 4 /* measurements that do not count, some 30 ms each */

/* --- where it runs --- */

/* Before the library has a say in where this thread runs. */
static int find_processors(struct ceilings *ceilings)
{
	cpu_set_t set;
	int n = 0;

	if (sched_getaffinity(0, sizeof(set), &set) < 0) {
		CPU_ZERO(&set);
		CPU_SET(0, &set);
	}
	ceilings->cpus = calloc((size_t)CPU_COUNT(&set), sizeof(*ceilings->cpus));
	if (!ceilings->cpus) {
		fputs("pmu-bench: there is no memory\n", stderr);
		return -1;
	}
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, &set))
			ceilings->cpus[n++] = cpu;
	ceilings->n_threads[TEAM_ONE] = 1;
	ceilings->n_threads[TEAM_ALL] = n;
	return 0;
}

/* As reports have it: a report finds the ceilings of its machine by these. */
static int find_machine(struct ceilings *ceilings)
{
	struct pmu_options quiet = { .size = sizeof(quiet),
				     .enable = "1",
				     .events = "",
				     .backend = "clock",
				     .pin = "none",
				     .output = "none" };
	json_t *report, *machine;
	int rc = pmu_init(&quiet);

	if (rc == 0 || rc == -EALREADY)
		rc = report_now(&report);
	if (rc < 0) {
		fprintf(stderr, "pmu-bench: the library does not start: %s\n", pmu_strerror(rc));
		return -1;
	}
	machine = json_object_get(report, "machine");
	report_text(ceilings->machine, sizeof(ceilings->machine),
		    json_object_get(machine, "description"));
	report_text(ceilings->cpu, sizeof(ceilings->cpu), json_object_get(machine, "cpu"));
	report_text(ceilings->host, sizeof(ceilings->host), json_object_get(report, "host"));
	json_decref(report);
	return 0;
}

/* --- what is measured --- */

static void choose_loops(struct ceilings *ceilings)
{
	for (const struct flops_kernel *kernel = flops_kernels; kernel->precision; kernel++)
		if (flops_best(kernel) && ceilings->n_flops < CEILINGS_MAX_FLOPS)
			ceilings->flops[ceilings->n_flops++] = kernel;
	for (const struct stream_kernel *kernel = stream_kernels; kernel->kind; kernel++)
		if (streams_best(kernel) && ceilings->n_kinds < CEILINGS_MAX_KINDS)
			ceilings->kind[ceilings->n_kinds++] = kernel;
}

static int measure_team(struct ceilings *ceilings, enum team team)
{
	int disturbed = ceilings->n_disturbed, rc = 0;
	struct rate woken;

	/* processors that slept, virtual ones above all, are slow at first */
	for (int i = 0; i < WAKE && !rc; i++)
		rc = team_flops(ceilings, team, ceilings->flops[0], &woken);
	ceilings->n_rates -= WAKE;
	ceilings->n_disturbed = disturbed;
	for (size_t i = 0; i < ceilings->n_flops && !rc; i++)
		rc = team_flops(ceilings, team, ceilings->flops[i], &ceilings->flops_rate[i][team]);
	for (size_t i = 0; i < ceilings->n_levels; i++)
		for (size_t k = 0; k < ceilings->n_kinds && !rc; k++)
			rc = team_stream(ceilings, team, ceilings->kind[k], &ceilings->level[i],
					 &ceilings->level[i].rate[k][team]);
	return rc;
}

static int measure(struct ceilings *ceilings)
{
	int rc = 0;

	if (levels_find(ceilings) < 0) {
		snprintf(ceilings->wrong, sizeof(ceilings->wrong), "there is no memory");
		return -1;
	}
	choose_loops(ceilings);
	ceilings->unix_s = (int64_t)time(NULL);
	for (enum team team = 0; team < N_TEAMS && !rc; team++)
		rc = measure_team(ceilings, team);
	return rc;
}

/* The table, or with --json the file's text; and the file. */
static int put_out(const struct ceilings *ceilings, const struct options *options)
{
	if (!strcmp(ceilings->path, "-"))
		return ceilings_write(ceilings, "-");
	if (options->json && ceilings_write(ceilings, "-") < 0)
		return -1;
	if (!options->json)
		ceilings_print(ceilings);
	if (ceilings_write(ceilings, ceilings->path) < 0)
		return -1;
	if (!options->output)
		fprintf(stderr, "pmu-bench: written to %s\n", ceilings->path);
	return 0;
}

int ceilings_run(const struct options *options)
{
	struct ceilings *ceilings;
	int rc = 1;

	if (surroundings_simulated()) {
		fputs("pmu-bench: --ceilings: under valgrind times mean nothing\n", stderr);
		return 1;
	}
	ceilings = calloc(1, sizeof(*ceilings));
	if (!ceilings) {
		fputs("pmu-bench: there is no memory\n", stderr);
		return 1;
	}
	/* first of all where it goes: to find out afterwards would be late */
	if (find_processors(ceilings) == 0 && find_machine(ceilings) == 0 &&
	    ceilings_place(ceilings, options->output) == 0) {
		rc = measure(ceilings) < 0;
		if (rc)
			fprintf(stderr, "pmu-bench: %s\n", ceilings->wrong);
	}
	if (rc == 0)
		rc = put_out(ceilings, options) < 0;
	levels_free(ceilings);
	free(ceilings->cpus);
	free(ceilings);
	return rc;
}

/* --- for tests: the loops by themselves --- */

/* Return: is the result right? */
static bool run_flops(const struct flops_kernel *kernel, uint64_t turns)
{
	printf("%s %d %s %d\n", kernel->precision, kernel->vector_bits,
	       kernel->fused ? "fused" : "apart", kernel->instructions);
	return flops_right(kernel, turns, kernel->run(turns));
}

static bool run_stream(const struct stream_kernel *kernel, uint64_t turns)
{
	static char memory[3 * STREAM_TURN] __attribute__((aligned(64)));
	struct streams at = { memory, memory + STREAM_TURN, memory + (size_t)2 * STREAM_TURN,
			      STREAM_TURN };

	streams_fill(&at);
	printf("%s %d %d\n", kernel->kind, kernel->vector_bits, kernel->arrays * STREAM_TURN);
	kernel->run(&at, 0, STREAM_TURN, turns);
	return streams_right(kernel, &at, 0, STREAM_TURN);
}

int ceilings_child(char **argument)
{
	bool flops = argument[0] && !strcmp(argument[0], "flops");
	bool streams = argument[0] && !strcmp(argument[0], "streams"), right = true;
	unsigned long long turns = argument[0] && argument[1] ? strtoull(argument[1], NULL, 10) : 0;

	if ((!flops && !streams) || turns == 0 || turns > FLOPS_MAX_TURNS) {
		fputs("pmu-bench: ceiling flops TURNS, or ceiling streams TURNS\n", stderr);
		return 2;
	}
	for (const struct flops_kernel *kernel = flops_kernels; flops && kernel->precision;
	     kernel++)
		if (kernel->is_there())
			right = run_flops(kernel, turns) && right;
	for (const struct stream_kernel *kernel = stream_kernels; streams && kernel->kind; kernel++)
		if (kernel->is_there())
			right = run_stream(kernel, turns) && right;
	return !right;
}
