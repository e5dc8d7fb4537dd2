/* SPDX-License-Identifier: BSD-3-Clause */
/* From two looks at a store to what is shown of it: columns, and a row for each region. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/top/making.h"

static void *keep_array(struct pmu_top_making *m, size_t n, size_t size)
{
	void *memory = pmu_block_array(&m->program->blocks, n ? n : 1, size);

	m->failed |= !memory;
	return memory;
}

static const char *keep_text(struct pmu_top_making *m, const char *text)
{
	const char *kept = pmu_block_text(&m->program->blocks, text, strlen(text));

	m->failed |= !kept;
	return kept ? kept : "";
}

/* --- the program's columns and rows --- */

/* n_values: it has none of that name. */
static unsigned int find_value(const struct pmu_top_program *program, const char *name,
			       const char *unit, bool is_count)
{
	unsigned int i = 0;

	while (i < program->n_values &&
	       (program->value[i].is_count != is_count || strcmp(program->value[i].name, name) ||
		strcmp(program->value[i].unit, unit)))
		i++;
	return i;
}

static void add_program_value(struct pmu_top_program *program, const char *name, const char *unit,
			      bool is_count)
{
	if (find_value(program, name, unit, is_count) == program->n_values &&
	    program->n_values < PMU_TOP_VALUES)
		program->value[program->n_values++] = (struct pmu_top_value){ name, unit,
									      is_count };
}

/* Groups that take turns have counts of a part of the time each: those are left out. */
static void add_values(struct pmu_top_making *m)
{
	const struct pmu_model *model = m->now->model;
	struct pmu_top_program *program = m->program;
	size_t most = 0;

	for (unsigned int s = 0; s < model->n_sections; s++)
		most += (size_t)model->section[s].n_metrics + model->section[s].n_counts;
	program->value = keep_array(m, most, sizeof(*program->value));
	for (unsigned int s = 0; s < model->n_sections && !m->failed; s++)
		for (unsigned int i = 0; i < model->section[s].n_metrics; i++)
			add_program_value(program, keep_text(m, model->section[s].metric[i].name),
					  keep_text(m, model->section[s].metric[i].unit), false);
	for (unsigned int i = 0;
	     model->n_sections == 1 && i < model->section[0].n_counts && !m->failed; i++)
		add_program_value(program, keep_text(m, model->section[0].count[i].name),
				  keep_text(m, model->section[0].count[i].unit), true);
}

static void put_known_value(const struct pmu_top_program *program, unsigned int at, double number,
			    double *value)
{
	if (at < program->n_values && isnan(value[at]))
		value[at] = number;
}

static void put_sum_values(const struct pmu_top_program *program, const struct pmu_model_section *s,
			   const struct pmu_model_row *row, bool counts, double *value)
{
	for (unsigned int i = 0; i < s->n_metrics && row->metric; i++)
		put_known_value(program,
				find_value(program, s->metric[i].name, s->metric[i].unit, false),
				row->metric[i], value);
	for (unsigned int i = 0; counts && i < s->n_counts; i++)
		if (!(row->missing >> i & 1))
			put_known_value(
				program,
				find_value(program, s->count[i].name, s->count[i].unit, true),
				(double)row->net[i], value);
}

static bool is_row(const void *wanted, uintptr_t number)
{
	const struct pmu_top_making *m = ((const struct pmu_top_making *const *)wanted)[0];
	const struct pmu_model_row *sum = ((const struct pmu_model_row *const *)wanted)[1];

	return !strcmp(m->program->row[number - 1].path, sum->path);
}

static void empty_span(struct pmu_top_making *m, struct pmu_top_span *span)
{
	double *value = keep_array(m, m->program->n_values, sizeof(*value));

	*span = (struct pmu_top_span){ .time_ns = 0, .share = 0, .self = 0, .value = value };
	for (unsigned int i = 0; value && i < m->program->n_values; i++)
		value[i] = NAN;
}

/* The row of a region, which another group may have, too. */
static unsigned int take_region_row(struct pmu_top_making *m, const struct pmu_top_part *part,
				    const struct pmu_model_row *sum)
{
	const void *wanted[] = { m, sum };
	struct pmu_index_place *place = pmu_index_find(&m->rows, pmu_top_key(sum), is_row, wanted);
	struct pmu_top_row *row = &m->program->row[m->program->n_rows];

	if (place->thing)
		return (unsigned int)place->thing - 1;
	row->name = keep_text(m, sum->name);
	row->path = keep_text(m, sum->path);
	row->parent = sum->parent < 0 ? -1 : (int)part->row[sum->parent];
	row->depth = row->parent < 0 ? 0 : m->program->row[row->parent].depth + 1;
	row->in_ns = row->in_most_ns = 0;
	empty_span(m, &row->last);
	empty_span(m, &row->start);
	row->last.is_known = m->has_last;
	row->start.is_known = true;
	pmu_index_take(&m->rows, place, pmu_top_key(sum), ++m->program->n_rows);
	return m->program->n_rows - 1;
}

static double share_of(double ns, double of_ns)
{
	double share = ns > 0 ? ns / of_ns : 0;

	return !(of_ns > 0) ? NAN : share > 1 ? 1 : share;
}

static void add_to_span(struct pmu_top_span *span, const struct pmu_model_row *row, double more_ns,
			double held_ns, double of_ns)
{
	const double ended_ns = (double)row->time_ns, ns = ended_ns + more_ns;

	span->calls += row->calls;
	span->time_ns += ended_ns;
	span->share += share_of(ns, of_ns);
	if (span->share > 1)
		span->share = 1;
	span->self += share_of(ns - held_ns, of_ns);
	if (!(of_ns > 0))
		span->share = span->self = NAN;
}

static void add_sum(struct pmu_top_making *m, struct pmu_top_part *part, unsigned int i)
{
	const struct pmu_model_row *sum = &part->now->row[i];
	const bool alone = m->now->model->n_sections == 1;
	struct pmu_top_row *row;

	part->row[i] = take_region_row(m, part, sum);
	if (m->failed)
		return;
	row = &m->program->row[part->row[i]];
	if (sum->n_threads > row->n_threads)
		row->n_threads = sum->n_threads;
	row->start.is_known &= !(sum->flags & PMU_ROW_TORN);
	row->start.is_about |= part->about_start[i];
	add_to_span(&row->start, sum, part->more_start[i], part->held_start[i],
		    (double)m->now->threads_ns);
	put_sum_values(m->program, part->now, sum, alone, (double *)row->start.value);
	pmu_top_take_samples(m, sum, part->was[i], row);
	row->last.is_known &= part->known[i];
	if (!part->known[i])
		return;
	row->last.is_about |= part->about_last[i];
	add_to_span(&row->last, &part->last.row[i], part->more_last[i], part->held_last[i],
		    m->threads_last_ns);
	put_sum_values(m->program, &part->last, &part->last.row[i], alone,
		       (double *)row->last.value);
}

static void add_program_rows(struct pmu_top_making *m)
{
	const struct pmu_model *model = m->now->model;
	size_t n = 0;

	for (unsigned int s = 0; s < model->n_sections; s++)
		n += model->section[s].n_rows;
	m->program->row = keep_array(m, n, sizeof(*m->program->row));
	m->failed |= pmu_index_reserve(&m->rows, n + 1) < 0;
	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int i = 0; i < model->section[s].n_rows && !m->failed; i++)
			add_sum(m, &m->part[s], i);
}

/* The one that is in it for the longest time, by what is known. */
static void add_in(struct pmu_top_making *m, const struct pmu_top_open *open)
{
	struct pmu_top_part *part = &m->part[open->section];
	struct pmu_top_row *row = &m->program->row[part->row[open->row->sum]];
	const double now_ns = (double)m->now->model->duration_ns;
	const double least = now_ns - open->latest_ns, most = now_ns - open->earliest_ns;

	if (!row->n_in++ || least > row->in_ns) {
		row->in_ns = least;
		row->in_most_ns = most;
	} else if (least == row->in_ns && most > row->in_most_ns) {
		row->in_most_ns = most;
	}
}

/* --- all of it --- */

static const char *groups_of(struct pmu_top_making *m)
{
	const struct pmu_model *model = m->now->model;
	size_t len = 1;
	char *text;

	for (unsigned int s = 0; s < model->n_sections; s++)
		len += strlen(model->section[s].group) + 1;
	text = keep_array(m, len, 1);
	for (unsigned int s = 0; s < model->n_sections && text; s++) {
		strcat(text, s ? "," : "");
		strcat(text, model->section[s].group);
	}
	return text;
}

static void describe_program(struct pmu_top_making *m)
{
	const struct pmu_model *model = m->now->model;
	struct pmu_top_program *program = m->program;

	program->program = keep_text(m, model->program);
	program->command = keep_text(m, model->command);
	program->host = keep_text(m, model->host);
	program->source = keep_text(m, model->source);
	program->groups = groups_of(m);
	program->remark = model->is_damaged ? "its store is damaged: what did when is not known"
			  : model->is_off   ? "measuring is off"
					    : "";
	program->store = "";
	program->pid = model->pid;
	program->nth = model->nth;
	program->start_unix_ns = model->start_unix_ns;
	program->state = model->died ? PMU_TOP_DIED : PMU_TOP_RUNS;
	program->running_ns = (double)model->duration_ns;
	program->last_ns = m->last_ns;
	for (unsigned int i = 0; i < model->n_threads; i++)
		program->n_threads += !model->thread[i].finished;
}

struct pmu_top_program *pmu_top_program_new(const struct pmu_top_look *before,
					    const struct pmu_top_look *now)
{
	struct pmu_top_making m = { .before = before, .now = now };

	m.program = calloc(1, sizeof(*m.program));
	if (!m.program)
		return NULL;
	pmu_top_differ(&m);
	if (!m.failed) {
		describe_program(&m);
		add_values(&m);
		add_program_rows(&m);
		pmu_top_keep_samples(&m);
	}
	for (unsigned int i = 0; i < now->n_open && !m.failed; i++)
		add_in(&m, &now->open[i]);
	for (unsigned int s = 0; s < now->model->n_sections && m.part; s++)
		pmu_index_free(&m.part[s].index);
	pmu_index_free(&m.rows);
	pmu_block_free(&m.scratch);
	if (m.failed) {
		pmu_top_program_free(m.program);
		return NULL;
	}
	return m.program;
}

void pmu_top_program_free(struct pmu_top_program *program)
{
	if (!program)
		return;
	pmu_block_free(&program->blocks);
	free(program);
}
