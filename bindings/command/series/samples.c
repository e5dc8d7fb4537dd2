/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run's samples say of a region: by function. */
#include "report/model/samples.h"

#include <errno.h>
#include <string.h>

#include "bindings/command/series/parts.h"

static const struct pmu_model_samples *copy_samples(struct pmu_series *series,
						    const struct pmu_model_samples *from,
						    const char *program)
{
	struct pmu_model_samples *copy = pmu_block_alloc(&series->blocks, sizeof(*copy));
	struct pmu_model_function *function = pmu_block_array(
		&series->blocks, (size_t)from->n_functions + 1, sizeof(*function));

	if (!copy || !function)
		return NULL;
	for (unsigned int i = 0; i < from->n_functions; i++) {
		const struct pmu_model_function *of = &from->function[i];

		/* two programs are compared, of any names */
		function[i] = (struct pmu_model_function){
			.name = pmu_series_keep(series, of->name),
			.object = strcmp(of->object, program) != 0
					  ? pmu_series_keep(series, of->object)
					  : "",
			.n_samples = of->n_samples,
		};
	}
	*copy = (struct pmu_model_samples){ .n = from->n,
					    .unit = from->unit,
					    .n_functions = from->n_functions,
					    .function = function };
	return copy;
}

int pmu_series_take_samples(struct pmu_series *series, struct pmu_series_values *values,
			    unsigned int region, const struct pmu_model_samples *samples,
			    const char *program)
{
	if (!samples || !samples->n)
		return 0;
	if (!values->samples)
		values->samples = pmu_block_array(&series->blocks, (size_t)values->n_regions + 1,
						  sizeof(*values->samples));
	if (!values->samples)
		return -ENOMEM;
	values->samples[region] = copy_samples(series, samples, program);
	return values->samples[region] ? 0 : -ENOMEM;
}

const struct pmu_model_samples *pmu_series_samples(const struct pmu_series_group *group, size_t run,
						   unsigned int region)
{
	const struct pmu_series_values *values = &group->values[run];

	return values->samples && region < values->n_regions ? values->samples[region] : NULL;
}
