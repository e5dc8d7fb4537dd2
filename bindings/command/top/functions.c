/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions in which regions were sampled, between two looks and since the start. */
#include <stdlib.h>
#include <string.h>

#include "bindings/command/top/making.h"
#include "report/model/samples.h"

static int by_name(const struct pmu_model_function *a, const struct pmu_model_function *b)
{
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->object, b->object);
}

static int compare_names(const void *a, const void *b)
{
	return by_name(*(const struct pmu_model_function *const *)a,
		       *(const struct pmu_model_function *const *)b);
}

/* Most samples first. */
static int compare_function_samples(const void *a, const void *b)
{
	const struct pmu_top_function *x = a, *y = b;
	int order;

	if (x->n_samples != y->n_samples)
		return x->n_samples > y->n_samples ? -1 : 1;
	order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->object, y->object);
}

/* By name: NULL without memory, and of none. */
static const struct pmu_model_function **sort_functions(struct pmu_top_making *m,
							const struct pmu_model_samples *samples)
{
	const struct pmu_model_function **sorted = NULL;

	if (!samples)
		return NULL;
	sorted = pmu_block_array(&m->scratch, (size_t)samples->n_functions + 1,
				 sizeof(const struct pmu_model_function *));
	m->failed |= !sorted;
	for (unsigned int i = 0; sorted && i < samples->n_functions; i++)
		sorted[i] = &samples->function[i];
	if (sorted && samples->n_functions)
		qsort(sorted, samples->n_functions, sizeof(const struct pmu_model_function *),
		      compare_names);
	return sorted;
}

/* There is room for it.  A region of another group may have had it, too. */
static void add_function_samples(struct pmu_top_samples *to, unsigned int n_had,
				 const struct pmu_model_function *function, uint64_t n)
{
	unsigned int i = 0;

	while (i < n_had && (strcmp(to->function[i].name, function->name) ||
			     strcmp(to->function[i].object, function->object)))
		i++;
	if (i == n_had) {
		i = to->n_functions++;
		to->function[i] = (struct pmu_top_function){ function->name, function->object, 0 };
	}
	to->function[i].n_samples += n;
	to->n += n;
}

static bool make_function_room(struct pmu_top_making *m, struct pmu_top_samples *to,
			       unsigned int more)
{
	struct pmu_top_function *grown = pmu_block_array(
		&m->scratch, (size_t)to->n_functions + more + 1, sizeof(*grown));

	m->failed |= !grown;
	if (!grown)
		return false;
	if (to->n_functions)
		memcpy(grown, to->function, to->n_functions * sizeof(*grown));
	to->function = grown;
	return true;
}

/*
 * What was pending at the look before was given to the region that was open then, and may have turned out another
 * one's since: less than there was is none.
 */
static void add_difference(struct pmu_top_making *m, const struct pmu_model_samples *now,
			   const struct pmu_model_samples *was, struct pmu_top_samples *to)
{
	const struct pmu_model_function **sorted = sort_functions(m, now);
	const struct pmu_model_function **before = sort_functions(m, was);
	unsigned int n_had = to->n_functions, at = 0;

	if (m->failed || !make_function_room(m, to, now->n_functions))
		return;
	for (unsigned int i = 0; i < now->n_functions; i++) {
		uint64_t n = sorted[i]->n_samples, n_before = 0;

		while (was && at < was->n_functions && by_name(before[at], sorted[i]) < 0)
			at++;
		if (was && at < was->n_functions && !by_name(before[at], sorted[i]))
			n_before = before[at]->n_samples;
		if (n > n_before)
			add_function_samples(to, n_had, sorted[i], n - n_before);
	}
}

void pmu_top_take_samples(struct pmu_top_making *m, const struct pmu_model_row *sum,
			  const struct pmu_model_row *was, struct pmu_top_row *row)
{
	if (!m->now->is_sampled || !sum->samples)
		return;
	pmu_sample_unit_add(&m->program->unit, &sum->samples->unit);
	add_difference(m, sum->samples, NULL, &row->start.samples);
	if (m->has_last && m->before->is_sampled)
		add_difference(m, sum->samples, was ? was->samples : NULL, &row->last.samples);
}

/* --- what stays --- */

static const char *keep_function_text(struct pmu_top_making *m, const char *text)
{
	const char *kept = pmu_block_text(&m->program->blocks, text, strlen(text));

	m->failed |= !kept;
	return kept ? kept : "";
}

static void keep_samples(struct pmu_top_making *m, struct pmu_top_samples *of)
{
	struct pmu_top_function *kept;

	if (!of->n_functions)
		return;
	qsort(of->function, of->n_functions, sizeof(*of->function), compare_function_samples);
	if (of->n_functions > PMU_TOP_FUNCTIONS)
		of->n_functions = PMU_TOP_FUNCTIONS;
	kept = pmu_block_array(&m->program->blocks, of->n_functions, sizeof(*kept));
	m->failed |= !kept;
	for (unsigned int i = 0; kept && i < of->n_functions; i++) {
		const char *object = of->function[i].object;

		kept[i] = of->function[i];
		kept[i].name = keep_function_text(m, kept[i].name);
		kept[i].object = strcmp(object, m->program->program) != 0
					 ? keep_function_text(m, object)
					 : "";
	}
	of->function = kept;
}

void pmu_top_keep_samples(struct pmu_top_making *m)
{
	for (unsigned int i = 0; i < m->program->n_rows && !m->failed; i++) {
		keep_samples(m, &m->program->row[i].last.samples);
		keep_samples(m, &m->program->row[i].start.samples);
	}
}
