/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What it takes to make one report of a job's ranks: bytes that a rank sends, and the time that the
 * first one spends, by how many ranks there are.  The ranks are simulated: each has its numbers,
 * and sends real bytes; only the network is missing.
 *
 *   ranks [REGIONS [MOST]]   20 regions, and up to 65,536 ranks
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reports/ranks/ranks.h"

#define COUNTS 4u

static unsigned int n_regions = 20;

/* Of one job. */
static struct {
	double first_s;      /* that rank 0 spends */
	double worst_step_s; /* of it in one step */
	size_t bytes, most_bytes, first_bytes;
	unsigned int messages, first_messages;
} cost;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t noise(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static struct pmu_model *model_of(uint32_t rank)
{
	static const struct pmu_model_count count[COUNTS] = { { "cycles", "" },
							      { "instructions", "" },
							      { "branches", "" },
							      { "branch-misses", "" } };
	struct pmu_model *model = pmu_model_new();
	uint64_t state = rank * 2654435761u + 1, sum = 0;
	struct pmu_model_section *s;

	if (!model)
		abort();
	model->program = "simulated";
	model->host = pmu_model_textf(model, "node%u", rank / 64);
	model->thread = pmu_model_alloc(model, sizeof(*model->thread));
	model->section = s = pmu_model_alloc(model, sizeof(*s));
	model->n_threads = model->n_sections = 1;
	s->group = "CORE";
	s->n_counts = COUNTS;
	s->count = (struct pmu_model_count *)(uintptr_t)count;
	s->thread_row = pmu_model_alloc(model, n_regions * sizeof(*s->thread_row));
	s->n_thread_rows = n_regions;
	for (unsigned int i = 0; i < n_regions; i++) {
		struct pmu_model_row *row = &s->thread_row[i];

		/* a tree of four below each, times that differ by half */
		row->name = pmu_model_textf(model, "region %u", i);
		row->parent = i ? (int)(i - 1) / 4 : -1;
		row->calls = 100 + noise(&state) % 50;
		row->time_ns = 4000000000u / (i + 1) + noise(&state) % (2000000000u / (i + 1));
		row->min_ns = row->time_ns / row->calls / 2;
		row->max_ns = 2 * row->time_ns / row->calls;
		row->raw = pmu_model_alloc(model, (size_t)3 * COUNTS * sizeof(*row->raw));
		row->net = row->raw + COUNTS;
		row->cost = row->net + COUNTS;
		for (unsigned int k = 0; k < COUNTS; k++)
			row->raw[k] = row->net[k] = row->time_ns * (k + 1) + noise(&state);
		sum += row->time_ns;
	}
	model->thread->time_ns = sum;
	if (pmu_model_finish(model))
		abort();
	return model;
}

/* The bytes that @rank sends, or at the root the record itself. */
static struct pmu_ranks *reduce(uint32_t rank, uint32_t below, uint32_t n)
{
	struct pmu_model *model = model_of(rank);
	struct pmu_ranks *ranks = NULL;
	double from = now_s(), spent;

	if (pmu_ranks_of(model, rank, &ranks))
		abort();
	pmu_model_free(model);
	spent = now_s() - from;
	for (uint32_t step = 1; step < below && rank + step < n; step *= 2) {
		struct pmu_ranks *other = reduce(rank + step, step, n), *received = NULL;
		struct pmu_strbuf bytes = { 0 };

		pmu_ranks_encode(other, &bytes);
		pmu_ranks_free(other);
		from = now_s();
		if (pmu_ranks_decode(bytes.text, bytes.len, &received) ||
		    pmu_ranks_merge(ranks, received))
			abort();
		pmu_ranks_free(received);
		spent += now_s() - from;
		if (!rank && now_s() - from > cost.worst_step_s)
			cost.worst_step_s = now_s() - from;
		cost.bytes += bytes.len;
		cost.messages++;
		cost.first_messages += !rank;
		cost.first_bytes += rank ? 0 : bytes.len;
		if (bytes.len > cost.most_bytes)
			cost.most_bytes = bytes.len;
		pmu_strbuf_free(&bytes);
	}
	if (!rank)
		cost.first_s = spent;
	return ranks;
}

int main(int argc, char **argv)
{
	uint32_t most = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 65536;

	if (argc > 1)
		n_regions = (unsigned int)strtoul(argv[1], NULL, 10);
	if (!n_regions || n_regions > 10000 || !most || most > 1u << 22) {
		fprintf(stderr, "usage: ranks [REGIONS [MOST]]\n");
		return 2;
	}
	printf("%u regions with %u counts each\n", n_regions, COUNTS);
	printf("%8s %6s %12s %12s %14s %12s %12s\n", "ranks", "steps", "bytes/rank", "most bytes",
	       "rank 0 gets", "rank 0 takes", "step at most");
	for (uint32_t n = 1; n <= most; n *= 4) {
		uint32_t below = n;
		struct pmu_model *model = NULL;
		double from;

		memset(&cost, 0, sizeof(cost));
		from = now_s();
		if (pmu_ranks_model(reduce(0, below, n), &model))
			abort();
		printf("%8u %6u %12.0f %12zu %14zu %9.3f ms %9.3f ms  (simulated in %.1f s)\n", n,
		       cost.first_messages,
		       cost.messages ? (double)cost.bytes / cost.messages : 0.0, cost.most_bytes,
		       cost.first_bytes, 1e3 * cost.first_s, 1e3 * cost.worst_step_s,
		       now_s() - from);
		fflush(stdout);
		if ((uint32_t)model->n_ranks != n)
			return 1;
		pmu_model_free(model);
	}
	return 0;
}
