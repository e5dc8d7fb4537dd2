/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates the formulas of metrics over rows of counts. */
#include "report/model/metric.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "machine/clock.h"
#include "plan/formula.h"

/* Behind the counts. */
enum { TIME, CALLS, TSC_HZ, N_OTHERS };
static const char *const others[N_OTHERS] = { "time", "calls", "tsc_hz" };

/* One of a section's formulas. */
struct metric {
	const struct pmu_model *model;
	const struct pmu_model_section *section;
	unsigned int n_counts;
	bool of_socket; /* a count of sockets is in it */
	struct pmu_formula formula;
};

static int column_index(void *arg, const char *name)
{
	struct metric *metric = arg;

	for (unsigned int i = 0; i < metric->n_counts; i++) {
		const char *count = metric->section->count[i].name;

		if (!count || strcmp(count, name) != 0)
			continue;
		metric->of_socket |= metric->section->sockets >> i & 1;
		return (int)i;
	}
	for (unsigned int i = 0; i < N_OTHERS; i++)
		if (!strcmp(name, others[i]))
			return (int)(metric->n_counts + i);
	return -1;
}

/* Calls shorter than the two reads around them: the counts are of the reads, and no ratio of them
 * means anything. */
static bool drowned(const struct metric *metric, const struct pmu_model_row *row)
{
	bool socket = pmu_model_is_socket(metric->model, row);
	double read_ns = socket ? metric->section->socket_read_ns : metric->section->read_ns;

	return pmu_model_is_timed(row) && (double)row->time_ns < 2 * read_ns * (double)row->calls;
}

/* The clock that counts nanoseconds is no time stamp counter. */
static double tsc_hz(const struct pmu_model *model)
{
	if (model->clock && !strcmp(model->clock, pmu_clock_name(PMU_CLOCK_MONOTONIC)))
		return NAN;
	return model->clock_hz > 0 ? model->clock_hz : NAN;
}

/*
 * The times of threads that were in at once do not say how long a socket counted: in a sum the
 * sockets' do.
 */
static double evaluate(const struct metric *metric, const struct pmu_model_row *row)
{
	double value[PMU_MODEL_MAX_COUNTS + N_OTHERS];
	double *other = value + metric->n_counts;
	bool sockets_sum = metric->of_socket && row->thread < 0;

	for (unsigned int i = 0; i < metric->n_counts; i++)
		value[i] = row->missing >> i & 1 ? NAN : (double)row->net[i];
	other[TIME] = row->flags & PMU_ROW_UNTIMED
			      ? NAN
			      : (double)(sockets_sum ? row->socket_ns : row->time_ns) * 1e-9;
	other[CALLS] = (double)row->calls;
	other[TSC_HZ] = tsc_hz(metric->model);
	return pmu_formula_eval(&metric->formula, value);
}

static void fill_metric_rows(const struct metric *metric, unsigned int m, struct pmu_model_row *row,
			     unsigned int n_rows)
{
	for (unsigned int i = 0; i < n_rows; i++)
		if (row[i].metric && !drowned(metric, &row[i]))
			row[i].metric[m] = evaluate(metric, &row[i]);
}

/* A team's, of what it did; its calls are its openers'. */
static void fill_teams(const struct metric *metric, unsigned int m, const struct pmu_model_row *row,
		       unsigned int n_rows)
{
	for (unsigned int i = 0; i < n_rows; i++) {
		const struct pmu_model_team *team = row[i].team;
		struct pmu_model_row as_row = row[i];

		if (!team || !team->time_known)
			continue;
		as_row.time_ns = team->all.time_ns;
		as_row.net = team->all.net;
		as_row.missing = team->all.missing;
		if (!drowned(metric, &as_row))
			team->all.metric[m] = evaluate(metric, &as_row);
	}
}

/* A wrong formula is missing in every row. */
static bool parse_metric(struct metric *metric, const struct pmu_model *model,
			 const struct pmu_model_section *s, unsigned int m)
{
	const char *formula = s->metric[m].formula;

	metric->model = model;
	metric->section = s;
	metric->n_counts = s->n_counts < PMU_MODEL_MAX_COUNTS ? s->n_counts : PMU_MODEL_MAX_COUNTS;
	metric->of_socket = false;
	metric->formula.n_ops = 0;
	return formula && formula[0] &&
	       !pmu_formula_parse(formula, column_index, metric, &metric->formula);
}

static void fill_section(const struct pmu_model *model, const struct pmu_model_section *s)
{
	struct metric *metric = s->n_metrics ? calloc(1, sizeof(*metric)) : NULL;

	/* then they are missing */
	if (!metric)
		return;
	for (unsigned int m = 0; m < s->n_metrics; m++) {
		if (!parse_metric(metric, model, s, m))
			continue;
		fill_metric_rows(metric, m, s->row, s->n_rows);
		fill_teams(metric, m, s->row, s->n_rows);
		fill_metric_rows(metric, m, s->thread_row, s->n_thread_rows);
	}
	free(metric);
}

void pmu_metric_fill(struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_sections; i++)
		fill_section(model, &model->section[i]);
}

struct pmu_metrics {
	unsigned int n;
	struct metric metric[];
};

struct pmu_metrics *pmu_metrics_open(const struct pmu_model *model,
				     const struct pmu_model_section *section)
{
	struct pmu_metrics *metrics = calloc(
		1, sizeof(*metrics) + section->n_metrics * sizeof(*metrics->metric));

	if (!metrics)
		return NULL;
	metrics->n = section->n_metrics;
	for (unsigned int m = 0; m < metrics->n; m++)
		if (!parse_metric(&metrics->metric[m], model, section, m))
			metrics->metric[m].formula.n_ops = 0;
	return metrics;
}

void pmu_metrics_of(const struct pmu_metrics *metrics, const struct pmu_model_row *row,
		    double *value)
{
	for (unsigned int m = 0; m < metrics->n; m++)
		value[m] = drowned(&metrics->metric[m], row) ? NAN
							     : evaluate(&metrics->metric[m], row);
}

void pmu_metrics_close(struct pmu_metrics *metrics)
{
	free(metrics);
}
