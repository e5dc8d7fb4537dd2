/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of one thread the time says where it went.  Where several are together, most of their time may be
 * that they wait for each other, a parent for its children as long as these compute: there it is the
 * time on a processor.  A simulation's times are not the program's: there it is a count.
 */
#include "report/model/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/fields.h"
#include "report/model/finish.h"

/* The kernel's CPU time of a thread and that of its regions are read one after the other. */
#define ROUNDING_NS   1000000u /* of all threads together */
#define ROUNDING_PART 100u

/* What is said of it; of a count its name is. */
static const struct {
	const char *key, *words, *share;
} says[] = {
	[PMU_BY_TIME] = { "time_ns", "time", "% time" },
	[PMU_BY_CPU] = { "cpu_ns", "CPU time", "% CPU" },
};

static const char *ranking_name(const struct pmu_model_section *section)
{
	const char *name = section->count[section->ranked - 1].name;

	return name ? name : "";
}

const char *pmu_measure_key(const struct pmu_model_section *section)
{
	return section->measure == PMU_BY_COUNT ? ranking_name(section)
						: says[section->measure].key;
}

const char *pmu_measure_words(const struct pmu_model_section *section)
{
	return section->measure == PMU_BY_COUNT ? ranking_name(section)
						: says[section->measure].words;
}

const char *pmu_measure_share_title(const struct pmu_model_section *section,
				    enum pmu_model_measure measure)
{
	if (measure != PMU_BY_COUNT)
		return says[measure].share;
	return strcmp(ranking_name(section), "instructions") ? "share" : "% instr.";
}

/* --- a simulation's --- */

static unsigned int ranked_by(const struct pmu_model *model, const struct pmu_model_section *s)
{
	if (!pmu_model_is_simulated(model) || !s->n_counts)
		return 0;
	for (unsigned int i = 0; i < s->n_counts; i++)
		if (!strcmp(s->count[i].name ? s->count[i].name : "", "instructions"))
			return i + 1;
	return 1;
}

void pmu_measure_rank(const struct pmu_model *model, struct pmu_model_section *section)
{
	section->ranked = ranked_by(model, section);
	section->measure = section->ranked ? PMU_BY_COUNT : PMU_BY_TIME;
	for (unsigned int i = 0; pmu_model_is_simulated(model) && i < section->n_thread_rows; i++) {
		section->thread_row[i].flags |= PMU_ROW_UNTIMED;
		section->thread_row[i].sd_ns = NAN;
		section->thread_row[i].histogram = NULL;
	}
}

enum pmu_model_measure pmu_measure_of_threads(const struct pmu_model_section *section)
{
	return section->ranked ? PMU_BY_COUNT : PMU_BY_TIME;
}

/* --- of all threads --- */

static bool is_several(const struct pmu_model *model)
{
	return model->n_threads > 1 || (model->n_threads == 1 && model->thread->n_merged > 1);
}

static bool knows_cpu(const struct pmu_model_section *section)
{
	for (unsigned int i = 0; i < section->n_rows; i++) {
		const struct pmu_model_row *row = &section->row[i];

		if (pmu_model_time_known(row) && !pmu_model_cpu_known(row))
			return false;
	}
	return true;
}

/* Does a row stand at the top, and is no part of another one? */
static bool is_row_outermost(const struct pmu_model_row *row)
{
	return (row->thread < 0 ? row->parent : row->holder) < 0 && !pmu_row_is_inside(row);
}

/* What outermost rows have, of threads, or sums where threads' are not kept. */
static uint64_t count_of_all(const struct pmu_model_section *s)
{
	const struct pmu_model_row *row = s->n_thread_rows ? s->thread_row : s->row;
	unsigned int n = s->n_thread_rows ? s->n_thread_rows : s->n_rows;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < n; i++)
		if (is_row_outermost(&row[i]))
			sum = pmu_add_capped(sum, pmu_measure_of(s, &row[i], PMU_BY_COUNT));
	return sum;
}

void pmu_measure_choose(const struct pmu_model *model, struct pmu_model_section *section)
{
	const uint64_t cpu_ns = pmu_model_cpu_time(model);

	if (section->measure == PMU_BY_COUNT) {
		section->whole = count_of_all(section);
		return;
	}
	section->measure = is_several(model) && cpu_ns && cpu_ns != PMU_NOT_KNOWN &&
					   knows_cpu(section)
				   ? PMU_BY_CPU
				   : PMU_BY_TIME;
	section->whole = section->measure == PMU_BY_CPU ? cpu_ns : pmu_model_span(model);
}

uint64_t *pmu_measure_wholes(const struct pmu_model *model, const struct pmu_model_section *section)
{
	unsigned int n = model->n_threads + model->n_sockets;
	uint64_t *whole = calloc((size_t)n + 1, sizeof(*whole));

	for (unsigned int i = 0; whole && i < n; i++)
		whole[i] = section->ranked ? 0 : model->thread[i].time_ns;
	for (unsigned int i = 0; whole && section->ranked && i < section->n_thread_rows; i++) {
		const struct pmu_model_row *row = &section->thread_row[i];

		if (row->thread >= 0 && (unsigned int)row->thread < n && is_row_outermost(row))
			whole[row->thread] = pmu_add_capped(
				whole[row->thread], pmu_measure_of(section, row, PMU_BY_COUNT));
	}
	return whole;
}

/* --- of a row --- */

static bool is_counted(const struct pmu_model_section *section, const struct pmu_model_row *row)
{
	return row->net && !(row->missing >> (section->ranked - 1) & 1);
}

uint64_t pmu_measure_of(const struct pmu_model_section *section, const struct pmu_model_row *row,
			enum pmu_model_measure measure)
{
	if (measure == PMU_BY_COUNT)
		return is_counted(section, row) ? row->net[section->ranked - 1] : 0;
	if (measure == PMU_BY_CPU)
		return pmu_model_cpu_known(row) ? row->cpu_ns : 0;
	return row->time_ns;
}

uint64_t pmu_measure_self(const struct pmu_model_section *section, const struct pmu_model_row *row,
			  enum pmu_model_measure measure)
{
	if (measure == PMU_BY_COUNT)
		return (row->missing | row->self_missing) >> (section->ranked - 1) & 1
			       ? PMU_NOT_KNOWN
			       : row->self[section->ranked - 1];
	if (measure == PMU_BY_CPU)
		return row->self_cpu_ns;
	return pmu_model_is_timed(row) && pmu_model_self_known(row) ? row->self_ns : PMU_NOT_KNOWN;
}

double pmu_measure_share(const struct pmu_model_section *section, const struct pmu_model_row *row,
			 enum pmu_model_measure measure, uint64_t whole)
{
	uint64_t part = pmu_measure_of(section, row, measure), most = whole;

	if (measure == PMU_BY_CPU)
		most = pmu_add_capped(whole, whole / ROUNDING_PART + ROUNDING_NS);
	if (measure == PMU_BY_COUNT ? !is_counted(section, row) : !pmu_model_is_timed(row))
		return NAN;
	if (!whole || part > most)
		return NAN;
	return part < whole ? (double)part / (double)whole : 1;
}
