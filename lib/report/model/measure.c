/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of one thread the time says where it went.  Where several are together, most of their time may be
 * that they wait for each other, a parent for its children as long as these compute: there it is the
 * time on a processor.
 */
#include "report/model/measure.h"

#include <math.h>

#include "report/model/fields.h"
#include "report/model/finish.h"

/* The kernel's CPU time of a thread and that of its regions are read one after the other. */
#define ROUNDING_NS   1000000u /* of all threads together */
#define ROUNDING_PART 100u

const struct pmu_measure pmu_measures[] = {
	[PMU_BY_TIME] = { "time_ns", "% time", "self", "time" },
	[PMU_BY_CPU] = { "cpu_ns", "% CPU", "self CPU", "CPU time" },
};

static bool is_several(const struct pmu_model *model)
{
	return model->n_threads > 1 || (model->n_threads == 1 && model->thread->n_merged > 1);
}

/* All threads' time on a processor; 0: not known. */
static uint64_t cpu_time(const struct pmu_model *model)
{
	uint64_t sum_ns = 0;

	for (unsigned int i = 0; i < model->n_threads; i++) {
		if (model->thread[i].cpu_ns < 0)
			return 0;
		sum_ns = pmu_add_capped(sum_ns, (uint64_t)model->thread[i].cpu_ns);
	}
	return sum_ns;
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

void pmu_measure_choose(const struct pmu_model *model, struct pmu_model_section *section)
{
	uint64_t cpu_ns = is_several(model) && knows_cpu(section) ? cpu_time(model) : 0;

	section->measure = cpu_ns ? PMU_BY_CPU : PMU_BY_TIME;
	section->whole = cpu_ns ? cpu_ns : pmu_model_span(model);
}

uint64_t pmu_measure_of(const struct pmu_model_row *row, enum pmu_model_measure measure)
{
	if (measure == PMU_BY_CPU)
		return pmu_model_cpu_known(row) ? row->cpu_ns : 0;
	return row->time_ns;
}

double pmu_measure_share(const struct pmu_model_row *row, enum pmu_model_measure measure,
			 uint64_t whole)
{
	uint64_t part = pmu_measure_of(row, measure), most = whole;

	if (measure == PMU_BY_CPU)
		most = pmu_add_capped(whole, whole / ROUNDING_PART + ROUNDING_NS);
	if (!pmu_model_time_known(row) || !whole || part > most)
		return NAN;
	return part < whole ? (double)part / (double)whole : 1;
}
