/* SPDX-License-Identifier: BSD-3-Clause */
/* What a page knows of a report beside what the JSON report has in front of its regions. */
#ifndef PMU_COMMAND_PAGE_DATA_H
#define PMU_COMMAND_PAGE_DATA_H

#include "base/strbuf.h"
#include "report/model/model.h"

struct pmu_annotate_request;
struct pmu_roofline;

/** pmu_page_sections() - a member "sections": the regions, see sections.c */
void pmu_page_sections(struct pmu_strbuf *out, const struct pmu_model *model);

/**
 * pmu_page_roofline() - a member "roofline": what regions compute beside what the machine can
 * @why: why there are no ceilings; "" where there are
 */
void pmu_page_roofline(struct pmu_strbuf *out, const struct pmu_roofline *roofline,
		       const char *why);

/**
 * pmu_page_annotations() - a member "annotations": listings of functions, see annotations.c
 * Return: 0; a negative errno with a sentence, -ENOMEM also without.
 */
int pmu_page_annotations(struct pmu_strbuf *out, const struct pmu_model *model,
			 const struct pmu_annotate_request *request);

#endif
