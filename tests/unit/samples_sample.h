/* SPDX-License-Identifier: BSD-3-Clause */
/* Hand-made samples for a model's rows. */
#ifndef PMU_TESTS_SAMPLES_SAMPLE_H
#define PMU_TESTS_SAMPLES_SAMPLE_H

#include "report/model/model.h"
#include "report/model/samples.h"

#define SAMPLES_PERIOD_NS 1003009u
#define SAMPLES_UNIT                        \
	{                                   \
		.period = SAMPLES_PERIOD_NS \
	}

/* So many of a function of "demo", and of its lines hot.c:42 and hot.c:43. */
struct samples_of {
	const char *function;
	uint64_t n, lines[2];
};

__attribute__((unused)) static const struct pmu_model_samples *make_samples(
	struct pmu_model *model, const struct samples_of *of, unsigned int n)
{
	struct pmu_model_samples *samples = pmu_model_alloc(model, sizeof(*samples));
	struct pmu_model_function *function = pmu_model_alloc(model, n * sizeof(*function));
	struct pmu_model_line *line = pmu_model_alloc(model, 2 * n * sizeof(*line));

	*samples = (struct pmu_model_samples){ .n = 0,
					       .unit = { .period = SAMPLES_PERIOD_NS },
					       .n_functions = n,
					       .function = function };
	for (unsigned int i = 0; i < n; i++) {
		unsigned int n_lines = of[i].lines[1] ? 2 : of[i].lines[0] ? 1 : 0;

		function[i] = (struct pmu_model_function){ .name = of[i].function,
							   .object = "demo",
							   .n_samples = of[i].n,
							   .n_lines = n_lines,
							   .line = &line[2 * i] };
		for (unsigned int k = 0; k < n_lines; k++)
			line[2 * i + k] = (struct pmu_model_line){ "hot.c", 42 + k,
								   of[i].lines[k] };
		samples->n += of[i].n;
	}
	return samples;
}

/* To the first row of that name that the thread has in the first section. */
__attribute__((unused)) static int attach_samples(struct pmu_model *model, int thread,
						  const char *name, const struct samples_of *of,
						  unsigned int n)
{
	struct pmu_model_section *s = model->section;

	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		if (s->thread_row[i].thread == thread && !strcmp(s->thread_row[i].name, name))
			return pmu_model_samples_attach(model, s, &s->thread_row[i],
							make_samples(model, of, n));
	return -1;
}

#endif
