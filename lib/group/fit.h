/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a group a source can count: events are given up until the rest fits. */
#ifndef PMU_GROUP_FIT_H
#define PMU_GROUP_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/backend.h"
#include "group/group.h"

/** Why an event was given up. */
typedef char pmu_fit_why[sizeof(((struct pmu_probe *)NULL)->why)];

struct pmu_fit {
	struct pmu_plan plan;   /* absent: what was given up, and what the source leaves missing */
	uint32_t gone;          /* optional events given up: they need no column */
	struct pmu_probe first; /* the first refusal */
	pmu_fit_why *why;       /* [PMU_MAX_SLOTS] result: of those given up; NULL: not wanted */
	char given_up[256];     /* names, for a note */
	char left_missing[256]; /* names of those that can only be missing here */
};

/** Can it be counted?  As struct pmu_backend's probe(). */
typedef int pmu_fit_probe(void *arg, const struct pmu_plan *plan, struct pmu_probe *probe);

/**
 * pmu_fit() - give up events until @probe takes the rest
 * @asked: these very events were asked for: also those that are not optional can be left out, as
 *	missing
 * @keep: no event loses its column
 * @fit: plan and why set, the rest 0: the result
 *
 * Events that do not exist here go first.  Of those that do not fit, the ones without a counter of
 * their own go, if all of them are optional; else the last event of the group, optional ones before
 * others.
 *
 * Return: 0, or the last refusal: nothing of use can be counted.
 */
int pmu_fit(const struct pmu_group *group, bool asked, bool keep, pmu_fit_probe *probe, void *arg,
	    struct pmu_fit *fit);

#endif
