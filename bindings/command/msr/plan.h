/* SPDX-License-Identifier: BSD-3-Clause */
/* What `pmu msr plan` shows, and its two ways of showing it. */
#ifndef PMU_COMMAND_PLAN_H
#define PMU_COMMAND_PLAN_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "counters/msr/program.h"
#include "plan/group.h"
#include "session/fit.h"

struct pmu_plan_shown {
	const struct pmu_machine *machine;
	struct pmu_group group;
	struct pmu_fit fit;             /* its plan; absent: what is left out, */
	pmu_fit_why why[PMU_MAX_SLOTS]; /* and why */
	struct pmu_msr_program program;
	uint64_t *found;    /* in the order of LOOK; NULL: not read */
	char unlooked[320]; /* then: why */
};

/** pmu_plan_text() - for people; @all: each operation on a line of its own */
void pmu_plan_text(const struct pmu_plan_shown *shown, bool all, struct pmu_strbuf *out);

/** pmu_plan_json() - for programs. */
void pmu_plan_json(const struct pmu_plan_shown *shown, struct pmu_strbuf *out);

/** pmu_plan_kind_name() - "P core", "E core", "E core 2"; "core" where there is one kind */
void pmu_plan_kind_name(const struct pmu_machine *machine, unsigned int kind, char *name,
			size_t size);

#endif
