/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a row's calls took. */
#include "report/model/histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/finish.h"
#include "report/model/rows.h"

const struct pmu_percentile pmu_percentiles[PMU_PERCENTILES] = {
	{ 500, "p50", "time_p50_ns" },
	{ 900, "p90", "time_p90_ns" },
	{ 990, "p99", "time_p99_ns" },
	{ 999, "p99.9", "time_p99_9_ns" },
};

uint64_t pmu_histogram_calls(const struct pmu_model_histogram *histogram)
{
	uint64_t calls = 0;

	for (unsigned int i = 0; histogram && i < histogram->n; i++)
		calls = pmu_add_capped(calls, histogram->bucket[i].calls);
	return calls;
}

/*
 * The call that it is the length of, counted from the shortest, from 1; rounded up, and in parts:
 * no overflow.
 */
static uint64_t rank_of_percentile(uint64_t calls, unsigned int per_mille)
{
	uint64_t rank = calls / 1000 * per_mille + (calls % 1000 * per_mille + 999) / 1000;

	return rank ? rank : 1;
}

bool pmu_row_percentile(const struct pmu_model_row *row, unsigned int per_mille, uint64_t *ns)
{
	uint64_t calls = pmu_histogram_calls(row->histogram),
		 rank = rank_of_percentile(calls, per_mille), passed = 0;
	unsigned int i;

	*ns = 0;
	if (!calls)
		return false;
	for (i = 0; i + 1 < row->histogram->n; i++) {
		passed = pmu_add_capped(passed, row->histogram->bucket[i].calls);
		if (passed >= rank)
			break;
	}
	*ns = pmu_length_ns(row->histogram->bucket[i].bucket);
	if (*ns > row->max_ns)
		*ns = row->max_ns;
	if (*ns < row->min_ns)
		*ns = row->min_ns;
	return true;
}

void pmu_histogram_add(struct pmu_histogram_sum *sum, const struct pmu_model_histogram *histogram)
{
	for (unsigned int i = 0; histogram && i < histogram->n; i++) {
		const struct pmu_model_bucket *from = &histogram->bucket[i];

		if (from->bucket < PMU_LENGTH_BUCKETS)
			sum->calls[from->bucket] = pmu_add_capped(sum->calls[from->bucket],
								  from->calls);
	}
}

static struct pmu_model_histogram *new_histogram(struct pmu_model *model, size_t n)
{
	struct pmu_model_histogram *histogram = pmu_model_alloc(
		model, sizeof(*histogram) + n * sizeof(histogram->bucket[0]));

	if (histogram)
		histogram->n = (unsigned int)n;
	return histogram;
}

const struct pmu_model_histogram *pmu_histogram_make(struct pmu_model *model,
						     struct pmu_histogram_sum *sum)
{
	struct pmu_model_histogram *histogram;
	size_t n = 0;

	for (uint32_t i = 0; i < PMU_LENGTH_BUCKETS; i++)
		n += sum->calls[i] > 0;
	histogram = new_histogram(model, n);
	n = 0;
	for (uint32_t i = 0; histogram && i < PMU_LENGTH_BUCKETS; i++)
		if (sum->calls[i])
			histogram->bucket[n++] = (struct pmu_model_bucket){ i, sum->calls[i] };
	memset(sum, 0, sizeof(*sum));
	return histogram;
}

const struct pmu_model_histogram *pmu_histogram_copy(struct pmu_model *model,
						     const struct pmu_model_histogram *histogram)
{
	struct pmu_model_histogram *copy = histogram ? new_histogram(model, histogram->n) : NULL;

	if (copy && copy->n)
		memcpy(copy->bucket, histogram->bucket, copy->n * sizeof(copy->bucket[0]));
	return copy;
}

static bool section_has(const struct pmu_model_section *s)
{
	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		if (s->thread_row[i].histogram)
			return true;
	/* where the threads' rows are not there any more */
	for (unsigned int i = 0; i < s->n_rows; i++)
		if (s->row[i].histogram)
			return true;
	return false;
}

bool pmu_model_has_histograms(const struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_sections; i++)
		if (section_has(&model->section[i]))
			return true;
	return false;
}
