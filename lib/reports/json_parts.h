/* SPDX-License-Identifier: BSD-3-Clause */
/* Of several processes, in JSON and CSV: see struct pmu_several. */
#ifndef PMU_REPORTS_JSON_PARTS_H
#define PMU_REPORTS_JSON_PARTS_H

#include "report/several.h"

int pmu_json_parts_open(struct pmu_several_rows **rows, const struct pmu_model *model,
			const struct pmu_model_section *section);
void pmu_json_parts_put(struct pmu_strbuf *out, const struct pmu_several_rows *rows,
			unsigned int sum);
void pmu_json_parts_close(struct pmu_several_rows *rows);
double pmu_parts_pick(const struct pmu_several_rows *rows, unsigned int sum, unsigned int what,
		      enum pmu_pick pick, int64_t *rank);
void pmu_json_ranks(struct pmu_strbuf *out, const struct pmu_model *model);

#endif
