/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a finished model's rows: which row they belong to, and its sum's. */
#include "report/model/samples.h"

#include <errno.h>
#include <stdlib.h>

#include "report/model/model.h"

/** Where a row is that was written by @who. */
struct pmu_samples_place {
	uint64_t who;
	unsigned int section, row;
};

static int by_who(const void *a, const void *b)
{
	const struct pmu_samples_place *x = a, *y = b;

	return (x->who > y->who) - (x->who < y->who);
}

static size_t count_writers(const struct pmu_model *model)
{
	size_t n = 0;

	for (unsigned int i = 0; i < model->n_sections; i++) {
		const struct pmu_model_section *s = &model->section[i];

		for (unsigned int k = 0; k < s->n_thread_rows; k++) {
			n += s->thread_row[k].who != 0;
			for (const struct pmu_model_writer *writer = s->thread_row[k].writers;
			     writer; writer = writer->next)
				n++;
		}
	}
	return n;
}

static void place_writers(struct pmu_model *model, unsigned int section, unsigned int row)
{
	const struct pmu_model_row *at = &model->section[section].thread_row[row];

	if (at->who)
		model->written[model->n_written++] = (struct pmu_samples_place){ at->who, section,
										 row };
	for (const struct pmu_model_writer *writer = at->writers; writer; writer = writer->next)
		model->written[model->n_written++] = (struct pmu_samples_place){ writer->who,
										 section, row };
}

/* Once, as there are as many to be found as there are rows. */
static int find_writers(struct pmu_model *model)
{
	size_t n = count_writers(model);

	if (model->written)
		return 0;
	model->n_written = 0;
	model->written = pmu_model_alloc(model, n * sizeof(*model->written));
	if (!model->written)
		return -ENOMEM;
	for (unsigned int i = 0; i < model->n_sections; i++)
		for (unsigned int k = 0; k < model->section[i].n_thread_rows; k++)
			place_writers(model, i, k);
	qsort(model->written, n, sizeof(*model->written), by_who);
	return 0;
}

struct pmu_model_row *pmu_model_samples_row(struct pmu_model *model, uint64_t who,
					    struct pmu_model_section **section)
{
	const struct pmu_samples_place wanted = { .who = who }, *place;

	if (find_writers(model) < 0 || !who)
		return NULL;
	place = bsearch(&wanted, model->written, model->n_written, sizeof(wanted), by_who);
	if (!place)
		return NULL;
	*section = &model->section[place->section];
	return &(*section)->thread_row[place->row];
}

int pmu_model_samples_attach(struct pmu_model *model, struct pmu_model_section *section,
			     struct pmu_model_row *thread_row,
			     const struct pmu_model_samples *samples)
{
	bool has_sum = thread_row->sum >= 0 && (unsigned int)thread_row->sum < section->n_rows;
	struct pmu_model_row *sum = has_sum ? &section->row[thread_row->sum] : NULL;
	const struct pmu_model_samples *of_row, *of_sum;

	if (!samples || !samples->n)
		return 0;
	of_row = of_sum = pmu_model_samples_add(model, thread_row->samples, samples);
	/* where nobody else has any, both have the same */
	if (sum && sum->samples && sum->samples != thread_row->samples)
		of_sum = pmu_model_samples_add(model, sum->samples, samples);
	if (!of_row || !of_sum)
		return -ENOMEM;
	thread_row->samples = of_row;
	if (sum)
		sum->samples = of_sum;
	return 0;
}

static bool any_samples(const struct pmu_model_row *row, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (row[i].samples && row[i].samples->n)
			return true;
	return false;
}

bool pmu_model_has_samples(const struct pmu_model *model)
{
	/* sums alone: threads' rows may be gone, and what they have is in there */
	for (unsigned int i = 0; i < model->n_sections; i++)
		if (any_samples(model->section[i].row, model->section[i].n_rows))
			return true;
	return false;
}
