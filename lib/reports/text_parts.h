/* SPDX-License-Identifier: BSD-3-Clause */
/* Of several processes, in the text: see struct pmu_several. */
#ifndef PMU_REPORTS_TEXT_PARTS_H
#define PMU_REPORTS_TEXT_PARTS_H

#include "report/text/text.h"

const char *pmu_text_parts_word(const struct pmu_text *t);
void pmu_text_parts_title(struct pmu_text *t);
const char *pmu_text_parts_missing(struct pmu_text *t);
void pmu_text_over_parts(struct pmu_text *t, const struct pmu_model_section *section,
			 const unsigned int *at, unsigned int n);
void pmu_text_parts_table(struct pmu_text *t);
void pmu_text_parts_close(struct pmu_text *t);

#endif
