/* SPDX-License-Identifier: BSD-3-Clause */
/* What `pmu info` shows, and its two ways of showing it. */
#ifndef PMU_COMMAND_INFO_H
#define PMU_COMMAND_INFO_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "machine/machine.h"

/** Yes, no, or nobody can tell. */
enum pmu_info_answer { PMU_INFO_NO, PMU_INFO_YES, PMU_INFO_UNKNOWN };

struct pmu_info {
	const struct pmu_machine *machine;
	enum pmu_info_answer full_width; /* writes to all bits of a counter */
	const char *full_width_by;       /* how we know, or what would tell; "" */
};

/** pmu_info_text() - for people. */
void pmu_info_text(const struct pmu_info *info, struct pmu_strbuf *out);

/** pmu_info_json() - for programs.  Return: 0 or -ENOMEM. */
int pmu_info_json(const struct pmu_info *info, struct pmu_strbuf *out);

/** pmu_info_doubt() - what CPUID leaves open about this machine's counters, a sentence; NULL. */
const char *pmu_info_doubt(const struct pmu_machine *machine, const struct pmu_perfmon *perfmon);

#endif
