/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No byte of a report depends on the order in which rows came, nor on what was added up first: 1,000
 * random jobs, each put together three times, in one of three ways.
 */
#include "unit/part.h"

#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "report/model/histogram.h"
#include "report/model/least.h"
#include "report/model/metric.h"
#include "report/model/turns.h"
#include "report/report.h"
#include "reports/combine/combine.h"
#include "reports/ranks/ranks.h"
#include "unit/model_sample.h"

#define JOBS    1000u
#define RANKS   5u
#define THREADS 3u
#define NAMES   6u

/* Each below the one that it is in. */
static const struct {
	const char *name;
	int parent;
} region[NAMES] = { { "main", -1 },  { "solve", 0 },   { "kernel", 1 },
		    { "output", 0 }, { "helper", -1 }, { "leaf", 2 } };

static uint64_t random_of(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Of any size, up to 2^@bits. */
static uint64_t random_size(uint64_t *state, unsigned int bits)
{
	return random_of(state) >> (63 - random_of(state) % bits);
}

static double random_part(uint64_t *state)
{
	return (double)(random_of(state) >> 11) * 0x1p-53;
}

static void shuffle(uint64_t *state, unsigned int *order, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		order[i] = i;
	for (unsigned int i = n; i > 1; i--) {
		unsigned int k = (unsigned int)(random_of(state) % i), last = order[i - 1];

		order[i - 1] = order[k];
		order[k] = last;
	}
}

/* --- a job --- */

static void add_beside(struct pmu_model *model, struct pmu_model_row *row, uint64_t *state)
{
	struct pmu_model_turns *turns = pmu_model_turns_new(model, SAMPLE_COUNTS);
	struct pmu_model_least *least = pmu_model_least_new(model, SAMPLE_COUNTS);
	struct pmu_model_histogram *histogram = pmu_model_alloc(
		model, sizeof(*histogram) + sizeof(histogram->bucket[0]));

	if (!turns || !least || !histogram)
		abort();
	turns->n = (double)(random_of(state) % 50 + 2);
	turns->calls = (double)row->calls;
	turns->calls_square = (double)row->calls * random_part(state);
	for (unsigned int i = 0; i < SAMPLE_COUNTS; i++) {
		turns->count[i].sum = (double)row->raw[i];
		turns->count[i].square = (double)row->raw[i] * (double)row->raw[i] / 3;
		turns->count[i].product = (double)row->raw[i] * random_part(state);
		pmu_model_least_keep(least, i, random_size(state, 30));
	}
	histogram->n = 1;
	histogram->bucket[0] = (struct pmu_model_bucket){ pmu_length_bucket(row->time_ns),
							  row->calls };
	row->turns = turns;
	row->least = least;
	row->histogram = histogram;
}

/* A thread's row of a region is the same in whatever order rows are added. */
static void add_row(struct pmu_model *model, unsigned int job, unsigned int thread, unsigned int at,
		    int parent)
{
	uint64_t state = ((uint64_t)job * RANKS + (unsigned int)model->rank) * 1000 + thread * 100 +
			 at;
	bool is_open = random_of(&state) % 32 == 0;
	uint64_t calls = is_open ? 0 : random_size(&state, 20) + 1;
	uint64_t ns = random_size(&state, job % 10 ? 45 : 60) | 1u << 20;
	struct pmu_model_row *row;

	/* what is nested fits in */
	if (parent >= 0 && model->section->thread_row[parent].time_ns) {
		uint64_t most = model->section->thread_row[parent].time_ns / 32;

		ns = most + ns % (most + 1);
	}
	ns = calls ? ns : 0;
	row = sample_row(model, model->section, (int)thread, parent, region[at].name, calls, ns);
	row->sd_ns = calls ? random_part(&state) * (double)ns / (double)calls : NAN;
	row->cost_ns = random_size(&state, 10);
	if (random_of(&state) % 16 == 0)
		row->missing = 1u << random_of(&state) % SAMPLE_COUNTS;
	if (random_of(&state) % 32 == 0)
		row->flags = PMU_ROW_RECURSIVE | PMU_ROW_DIRECT;
	if (is_open) {
		row->n_open = 1;
		row->flags |= PMU_ROW_OPEN;
	}
	if (job % 4 == 0)
		add_beside(model, row, &state);
}

/* @order: for the order of threads and of regions */
static struct pmu_model *rank_model(unsigned int job, unsigned int rank, uint64_t *order)
{
	uint64_t state = (uint64_t)job << 32 | rank;
	unsigned int n = (unsigned int)(random_of(&state) % THREADS) + 1, thread[THREADS];
	struct pmu_model *model = sample_head();

	model->nth = 1;
	model->pid = (int64_t)rank + 1000;
	model->rank = (int)rank;
	model->start_unix_ns += rank;
	sample_threads(model, n, UINT64_C(1) << 50);
	sample_sections(model, 1, n * NAMES);
	sample_core(model, model->section);
	model->section->in_turns = job % 4 == 0;
	shuffle(order, thread, n);
	for (unsigned int i = 0; i < n; i++) {
		unsigned int next[NAMES];
		int at[NAMES], left = NAMES;

		memset(at, -1, sizeof(at));
		while (left > 0) {
			shuffle(order, next, NAMES);
			for (unsigned int k = 0; k < NAMES; k++) {
				unsigned int r = next[k];

				if (at[r] >= 0 ||
				    (region[r].parent >= 0 && at[region[r].parent] < 0))
					continue;
				at[r] = (int)model->section->n_thread_rows;
				add_row(model, job, thread[i], r,
					region[r].parent < 0 ? -1 : at[region[r].parent]);
				left--;
			}
		}
	}
	if (pmu_model_finish(model))
		abort();
	return model;
}

/* --- ways to put it together --- */

static char *render(struct pmu_model *model)
{
	const struct pmu_text_options options = { .all = true };
	struct pmu_strbuf out = { 0 };

	pmu_metric_fill(model);
	for (int format = PMU_REPORT_TEXT; format <= PMU_REPORT_CSV; format++)
		pmu_report_render(&out, model, (enum pmu_report_format)format, &options);
	if (out.failed)
		abort();
	pmu_model_free(model);
	return out.text;
}

static struct pmu_model *combine(struct pmu_model **part, unsigned int n)
{
	struct pmu_model *model = NULL;

	if (pmu_model_combine(part, n, PMU_COMBINE_RANKS, &model))
		abort();
	for (unsigned int i = 0; i < n; i++)
		pmu_model_free(part[i]);
	return model;
}

/* Some neighbours become one. */
static unsigned int combine_some(struct pmu_model **part, unsigned int n, uint64_t *order)
{
	unsigned int left = 0;

	for (unsigned int i = 0, size; i < n; i += size) {
		size = (unsigned int)(random_of(order) % (n - i)) + 1;
		part[left++] = size > 1 ? combine(&part[i], size) : part[i];
	}
	return left;
}

static struct pmu_model *gather(struct pmu_model **part, unsigned int n)
{
	struct pmu_gathering *gathering = pmu_gather_new(true);
	struct pmu_model *model = NULL;

	for (unsigned int i = 0; i < n; i++) {
		if (!gathering || pmu_gather_add(gathering, part[i]))
			abort();
		pmu_model_free(part[i]);
	}
	if (pmu_gather_end(gathering, &model))
		abort();
	return model;
}

/* Merges records two at a time, encoded and decoded. */
static struct pmu_model *reduce(struct pmu_model **part, unsigned int n, uint64_t *order)
{
	struct pmu_ranks *record[RANKS];
	struct pmu_model *model = NULL;

	for (unsigned int i = 0; i < n; i++) {
		if (pmu_ranks_of(part[i], (uint32_t)part[i]->rank, &record[i]))
			abort();
		pmu_model_free(part[i]);
	}
	for (; n > 1; n--) {
		struct pmu_strbuf bytes = { 0 };
		struct pmu_ranks *copy = NULL;
		unsigned int to = (unsigned int)(random_of(order) % (n - 1));

		pmu_ranks_encode(record[n - 1], &bytes);
		if (pmu_ranks_decode(bytes.text, bytes.len, &copy) ||
		    pmu_ranks_merge(record[to], copy))
			abort();
		pmu_ranks_free(copy);
		pmu_ranks_free(record[n - 1]);
		pmu_strbuf_free(&bytes);
	}
	if (pmu_ranks_model(record[0], &model))
		abort();
	return model;
}

enum way { COMBINED, GATHERED, REDUCED, WAYS };

static char *report_of(unsigned int job, enum way way, uint64_t *order)
{
	unsigned int n = RANKS, nth[RANKS];
	struct pmu_model *part[RANKS];

	shuffle(order, nth, n);
	for (unsigned int i = 0; i < n; i++)
		part[i] = rank_model(job, nth[i], order);
	if (way == REDUCED)
		return render(reduce(part, n, order));
	if (random_of(order) % 2)
		n = combine_some(part, n, order);
	return render(way == GATHERED ? gather(part, n) : combine(part, n));
}

static void says_the_same(enum way way, const char *name)
{
	bool same = true;

	for (unsigned int job = way; same && job < JOBS; job += WAYS) {
		uint64_t order = job;
		char *first = report_of(job, way, &order);

		for (int i = 0; same && i < 2; i++) {
			char *again = report_of(job, way, &order);
			size_t at = 0;

			same = !strcmp(first, again);
			while (!same && first[at] == again[at])
				at++;
			if (!same)
				diag("job %u: %.80s / %.80s", job, first + at, again + at);
			free(again);
		}
		free(first);
	}
	ok(same, "%s: the same bytes", name);
}

UNIT_PART(order)
{
	says_the_same(COMBINED, "reports in one");
	says_the_same(GATHERED, "reports that are added up as they come");
	says_the_same(REDUCED, "ranks that make one report");
	return done_testing();
}
