/* SPDX-License-Identifier: BSD-3-Clause */
/* For the code that makes findings. */
#ifndef PMU_COMMAND_NOISE_FINDINGS_H
#define PMU_COMMAND_NOISE_FINDINGS_H

#include "bindings/command/noise/noise.h"

/**
 * pmu_noise_find_more() - one more; beyond the most there are, none
 * @text, @mend: taken over by copy; an empty mend is none
 */
void pmu_noise_find_more(struct pmu_noise_findings *findings, enum pmu_noise_severity severity,
			 const char *name, const char *text, const char *mend);

/** pmu_noise_findings_sort() - by severity; of one they stay in their order */
void pmu_noise_findings_sort(struct pmu_noise_findings *findings);

/** pmu_noise_add_percent() - "12 to 37 %", "4 %", "0.5 %" of shares */
void pmu_noise_add_percent(struct pmu_strbuf *out, double least, double most);

#endif
