/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a group a source can count: events are given up until the rest fits. */
#ifndef PMU_SESSION_FIT_H
#define PMU_SESSION_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/backend.h"
#include "plan/group.h"

/** Why an event was given up. */
typedef char pmu_fit_why[sizeof(((struct pmu_probe *)NULL)->why)];

/** Events that are not counted, for one reason. */
struct pmu_fit_loss {
	char names[256]; /* "" none */
	pmu_fit_why why; /* one sentence for all of them */
	char mend[sizeof(((struct pmu_probe *)NULL)->mend)];
};

struct pmu_fit {
	struct pmu_plan plan;   /* absent: what was given up, and what the source leaves missing */
	uint32_t gone;          /* optional events given up: they need no column */
	struct pmu_probe first; /* the first refusal */
	pmu_fit_why *why;       /* [PMU_MAX_SLOTS] result: of those given up; NULL: not wanted */
	/* given up: those that do not exist here, those that did not fit */
	struct pmu_fit_loss lost[2];
	/*
	 * those that can only be missing here; without a name, @why is what else the source has to
	 * say
	 */
	struct pmu_fit_loss missing;
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
 * Events that do not exist here go first.  Of those that remain as many are kept as the source has
 * counters for: it counts as many as it can (struct pmu_backend, probe()), and an optional event
 * makes room for one that is needed where that helps.
 *
 * Return: 0, or the last refusal: nothing of use can be counted.
 */
int pmu_fit(const struct pmu_group *group, bool asked, bool keep, pmu_fit_probe *probe, void *arg,
	    struct pmu_fit *fit);

/**
 * pmu_fit_take() - what was found: optional events that were given up get no column
 * @group: that was fitted; loses them
 * @plan: result
 */
void pmu_fit_take(const struct pmu_fit *fit, struct pmu_group *group, struct pmu_plan *plan);

#endif
