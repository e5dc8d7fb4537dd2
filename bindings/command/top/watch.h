/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that are looked at again and again. */
#ifndef PMU_COMMAND_TOP_WATCH_H
#define PMU_COMMAND_TOP_WATCH_H

#include "bindings/command/top/find.h"
#include "bindings/command/top/top.h"

/** Programs that have ended and are still shown. */
#define PMU_TOP_ENDED_SHOWN 8u

struct pmu_top_watched;

/** All zero but for what is wanted is a new one. */
struct pmu_top_watch {
	struct pmu_top_wanted wanted;
	struct pmu_top_watched *watched;
	size_t n, room;
	const struct pmu_top_program *
		*shown; /* as of the last look; in the order they were found */
	size_t n_shown;
	unsigned int n_running;
	unsigned int n_unread; /* that run, too; their stores have made no sense for some looks */
	char why[512];         /* "", or why one of the last could not be read: a sentence */
	unsigned int n_looks;
	struct pmu_code *code; /* names of what was sampled; NULL: nothing was yet */
};

/**
 * pmu_top_watch_look() - at all of them, and at those that have come
 * Return: 0 or -ENOMEM.  What cannot be read is passed over, and @why says why.
 */
int pmu_top_watch_look(struct pmu_top_watch *watch);
void pmu_top_watch_free(struct pmu_top_watch *watch);

#endif
