/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds of a group that was read from any text. */
#ifndef TESTS_FUZZ_CHECK_GROUP_H
#define TESTS_FUZZ_CHECK_GROUP_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/formula.h"
#include "plan/group.h"

struct checked_group {
	const struct pmu_group *group;
	const char *other; /* what its formulas know beside columns, time and tsc_hz */
};

/* A column, or what every formula knows. */
static inline int look_up(void *arg, const char *name, double *value)
{
	const struct checked_group *checked = arg;

	*value = 3;
	for (unsigned int i = 0; i < checked->group->n_events; i++)
		if (!strcmp(checked->group->event[i].name, name))
			return 0;
	return strcmp(name, "time") && strcmp(name, checked->other) && strcmp(name, "tsc_hz") ? -1
											      : 0;
}

static inline void check_group(const struct pmu_group *group, const char *other)
{
	struct checked_group checked = { group, other };
	double value;

	if (group->n_events > PMU_MAX_SLOTS || group->n_metrics > PMU_GROUP_MAX_METRICS ||
	    !memchr(group->note, '\0', sizeof(group->note)))
		abort();
	for (unsigned int i = 0; i < group->n_events; i++)
		if (!group->event[i].name[0] ||
		    !memchr(group->event[i].name, '\0', sizeof(group->event[i].name)))
			abort();
	for (unsigned int i = 0; i < group->n_metrics; i++) {
		const struct pmu_metric_text *metric = &group->metric[i];

		if (!metric->name[0] || !memchr(metric->unit, '\0', sizeof(metric->unit)) ||
		    pmu_metric_eval(metric->formula, look_up, &checked, &value) || isinf(value))
			abort();
	}
}

#endif
