/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of several processes as one: groups and their columns. */
#include <errno.h>
#include <string.h>

#include "report/model/block.h"
#include "reports/combine/combining.h"

static bool same_or_none(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* NULL: of threads */
static const char *scope_of(const struct pmu_model_section *s, unsigned int count)
{
	if (s->process >> count & 1)
		return "process";
	return s->sockets >> count & 1 ? "socket" : NULL;
}

int pmu_joining_section(struct pmu_joining *j)
{
	struct pmu_model *model = j->c->model;
	unsigned int i = 0;

	while (i < model->n_sections && !same_or_none(model->section[i].group, j->old->group))
		i++;
	j->into = &model->section[i];
	j->about = &j->joined[i];
	if (i < model->n_sections) {
		j->into->in_turns |= j->old->in_turns;
		return 0;
	}
	model->n_sections++;
	j->into->in_turns = j->old->in_turns;
	j->into->group = pmu_combining_text(j->c, j->old->group);
	j->into->index = j->old->index;
	j->into->count = pmu_block_array(&model->blocks, PMU_MODEL_MAX_COUNTS,
					 sizeof(*j->into->count));
	return j->into->count ? 0 : -ENOMEM;
}

unsigned int pmu_joining_count(const struct pmu_joining *j, unsigned int count)
{
	const struct pmu_model_count *is = &j->old->count[count];
	unsigned int i = 0;

	while (i < j->into->n_counts &&
	       !(same_or_none(j->about->count[i], is->name) &&
		 same_or_none(j->into->count[i].unit, is->unit) &&
		 same_or_none(scope_of(j->into, i), scope_of(j->old, count))))
		i++;
	return i;
}

/*
 * If a name has two meanings the first one keeps it; the other gets what tells it apart appended.
 */
static const char *name_of_count(const struct pmu_joining *j, unsigned int count)
{
	const struct pmu_model_count *is = &j->old->count[count];
	const char *unit = is->unit && is->unit[0] ? is->unit : "number";
	const char *scope = scope_of(j->old, count);

	for (unsigned int i = 0; i < j->into->n_counts; i++)
		if (same_or_none(j->about->count[i], is->name))
			return pmu_model_textf(j->c->model, "%s (%s)", j->about->count[i],
					       scope ? scope : unit);
	return pmu_combining_text(j->c, is->name);
}

static int add_count(const struct pmu_joining *j, unsigned int count)
{
	unsigned int i = pmu_joining_count(j, count);

	if (i < j->into->n_counts)
		return 0;
	if (i == PMU_MODEL_MAX_COUNTS)
		return -E2BIG;
	j->into->count[i] = (struct pmu_model_count){
		.name = name_of_count(j, count),
		.unit = pmu_combining_text(j->c, j->old->count[count].unit),
	};
	j->about->count[i] = pmu_combining_text(j->c, j->old->count[count].name);
	j->into->sockets |= (j->old->sockets >> count & 1) << i;
	j->into->process |= (j->old->process >> count & 1) << i;
	j->into->n_counts++;
	return 0;
}

/*
 * A metric with different formulas cannot be computed for the sum: its column is kept, without a
 * formula.
 */
static int join_metric(const struct pmu_joining *j, const struct pmu_model_metric *metric)
{
	struct pmu_model_section *s = j->into;
	struct pmu_model_metric *more;

	for (unsigned int i = 0; i < s->n_metrics; i++) {
		if (!same_or_none(s->metric[i].name, metric->name) ||
		    !same_or_none(s->metric[i].unit, metric->unit))
			continue;
		if (same_or_none(s->metric[i].formula, metric->formula) ||
		    same_or_none(s->metric[i].formula, ""))
			return 0;
		s->metric[i].formula = "";
		return pmu_model_add_note(
			j->c->model,
			pmu_model_textf(
				j->c->model,
				"%s of %s is left out: it is not made by the same formula everywhere",
				s->metric[i].name, s->group));
	}
	more = pmu_block_array(&j->c->model->blocks, s->n_metrics + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	if (s->n_metrics)
		memcpy(more, s->metric, s->n_metrics * sizeof(*more));
	more[s->n_metrics++] = (struct pmu_model_metric){
		.name = pmu_combining_text(j->c, metric->name),
		.unit = pmu_combining_text(j->c, metric->unit),
		.formula = pmu_combining_text(j->c, metric->formula),
	};
	s->metric = more;
	return 0;
}

int pmu_joining_columns(struct pmu_joining *j)
{
	int rc = 0;

	for (unsigned int i = 0; !rc && i < j->old->n_counts; i++)
		rc = add_count(j, i);
	for (unsigned int i = 0; !rc && i < j->old->n_metrics; i++)
		rc = join_metric(j, &j->old->metric[i]);
	if (rc)
		return rc;
	if (j->old->read_ns > j->into->read_ns)
		j->into->read_ns = j->old->read_ns;
	if (j->old->socket_read_ns > j->into->socket_read_ns)
		j->into->socket_read_ns = j->old->socket_read_ns;
	return 0;
}
