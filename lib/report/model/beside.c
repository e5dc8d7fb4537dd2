/* SPDX-License-Identifier: BSD-3-Clause */
/* What rows have beside their numbers, added up. */
#include "report/model/beside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/least.h"
#include "report/model/rows.h"

/* A record of the size of a histogram's sum is made for the second row that has one. */
static int add_lengths(struct pmu_beside *beside, const struct pmu_model_histogram *histogram,
		       bool stays)
{
	beside->lacks_histogram |= !histogram;
	if (!histogram)
		return 0;
	if (!beside->n_histograms++ && stays) {
		beside->histogram_alone = histogram;
		return 0;
	}
	if (!beside->histogram)
		beside->histogram = calloc(1, sizeof(*beside->histogram));
	if (!beside->histogram)
		return -ENOMEM;
	pmu_histogram_add(beside->histogram, beside->histogram_alone);
	pmu_histogram_add(beside->histogram, histogram);
	beside->histogram_alone = NULL;
	return 0;
}

static void add_least(struct pmu_beside *beside, const struct pmu_model_least *least,
		      const struct pmu_columns *columns)
{
	beside->has_least = true;
	for (unsigned int i = 0; i < columns->n; i++) {
		unsigned int k = columns->at ? columns->at[i] : i;

		if (!(least->known >> i & 1) ||
		    (beside->known >> k & 1 && beside->least[k] <= least->count[i]))
			continue;
		beside->known |= UINT32_C(1) << k;
		beside->least[k] = least->count[i];
	}
}

int pmu_beside_add_samples(struct pmu_beside *beside, const struct pmu_model_samples *samples,
			   bool stays)
{
	const struct pmu_model_samples *alone = beside->samples_alone;

	if (!samples)
		return 0;
	if (!alone && !beside->samples && stays) {
		beside->samples_alone = samples;
		return 0;
	}
	beside->samples_alone = NULL;
	if (alone && pmu_samples_sum_add(&beside->samples, alone) < 0)
		return -ENOMEM;
	return pmu_samples_sum_add(&beside->samples, samples);
}

int pmu_beside_add(struct pmu_beside *beside, const struct pmu_model_row *row,
		   const struct pmu_columns *columns, bool is_thread, bool stays)
{
	if (row->least)
		add_least(beside, row->least, columns);
	if (row->turns) {
		beside->has_turns = true;
		if (!beside->turns)
			beside->turns = calloc(1, sizeof(*beside->turns));
		if (!beside->turns)
			return -ENOMEM;
		pmu_model_turns_add(beside->turns, row->turns, columns->at, columns->n);
	}
	if (pmu_beside_add_samples(beside, row->samples, stays) < 0)
		return -ENOMEM;
	return is_thread && row->calls ? add_lengths(beside, row->histogram, stays) : 0;
}

static const struct pmu_model_least *make_least(const struct pmu_beside *beside,
						struct pmu_model *model, unsigned int n_counts)
{
	struct pmu_model_least *least = pmu_model_least_new(model, n_counts);

	for (unsigned int i = 0; least && i < n_counts; i++)
		if (beside->known >> i & 1)
			pmu_model_least_keep(least, i, beside->least[i]);
	return least;
}

int pmu_beside_make(struct pmu_beside *beside, struct pmu_model *model, unsigned int n_counts,
		    struct pmu_model_row *sum)
{
	bool has_histogram = beside->n_histograms && !beside->lacks_histogram;
	bool is_failed;

	sum->histogram = has_histogram ? beside->histogram_alone : NULL;
	if (beside->n_histograms && !beside->histogram_alone) {
		const struct pmu_model_histogram *made = pmu_histogram_make(model,
									    beside->histogram);

		sum->histogram = has_histogram ? made : NULL;
	}
	sum->least = beside->has_least ? make_least(beside, model, n_counts) : NULL;
	sum->turns = beside->has_turns ? pmu_model_turns_make(model, beside->turns, n_counts)
				       : NULL;
	sum->samples = beside->samples ? pmu_samples_sum_make(model, beside->samples)
				       : beside->samples_alone;
	is_failed = (has_histogram && !sum->histogram) || (beside->has_least && !sum->least) ||
		    (beside->has_turns && !sum->turns) || (beside->samples && !sum->samples);
	pmu_samples_sum_free(beside->samples);
	*beside = (struct pmu_beside){ .histogram = beside->histogram, .turns = beside->turns };
	return is_failed ? -ENOMEM : 0;
}

void pmu_beside_free(struct pmu_beside *beside)
{
	free(beside->histogram);
	free(beside->turns);
	pmu_samples_sum_free(beside->samples);
}

/* --- sums --- */

static bool has_any(const struct pmu_model_section *section)
{
	for (unsigned int i = 0; i < section->n_thread_rows; i++) {
		const struct pmu_model_row *row = &section->thread_row[i];

		if (row->histogram || row->least || row->turns || row->samples)
			return true;
	}
	return false;
}

static int sum_beside(struct pmu_model *model, const struct pmu_model_section *s,
		      const struct pmu_rows_by_sum *index, unsigned int at,
		      struct pmu_beside *beside)
{
	const struct pmu_columns columns = { .n = s->n_counts };
	int rc = 0;

	for (unsigned int k = index->start[at]; !rc && k < index->start[at + 1]; k++) {
		const struct pmu_model_row *row = &s->thread_row[index->row[k]];

		if (row->flags & PMU_ROW_TEAM)
			rc = pmu_beside_add_samples(beside, row->samples, true);
		else
			rc = pmu_beside_add(beside, row, &columns, !pmu_model_is_socket(model, row),
					    true);
	}
	return rc ? rc : pmu_beside_make(beside, model, s->n_counts, &s->row[at]);
}

int pmu_besides_of_sums(struct pmu_model *model, struct pmu_model_section *section)
{
	/* not on the stack, which may be a program's thread's */
	struct pmu_beside *beside;
	struct pmu_rows_by_sum index;
	int rc;

	if (!has_any(section))
		return 0;
	beside = calloc(1, sizeof(*beside));
	if (!beside)
		return -ENOMEM;
	rc = pmu_rows_by_sum(&index, section);
	if (!rc) {
		for (unsigned int i = 0; !rc && i < section->n_rows; i++)
			rc = sum_beside(model, section, &index, i, beside);
		pmu_rows_by_sum_free(&index);
	}
	pmu_beside_free(beside);
	free(beside);
	return rc;
}
