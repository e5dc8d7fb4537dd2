/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of the JSON report, for what has its regions in another form. */
#ifndef PMU_REPORT_JSON_H
#define PMU_REPORT_JSON_H

#include "base/strbuf.h"
#include "report/model/model.h"

/** pmu_json_before_regions() - from the first brace to the last member in front of "regions" */
void pmu_json_before_regions(struct pmu_strbuf *out, const struct pmu_model *model);

/** pmu_json_after_regions() - the members behind it, from their comma to the last brace */
void pmu_json_after_regions(struct pmu_strbuf *out, const struct pmu_model *model);

/** pmu_json_run() - an object of how a command ended; NULL: null */
void pmu_json_run(struct pmu_strbuf *out, const struct pmu_model_run *run);

/** pmu_json_refusals() - the member "refused", behind others: [{source, why, mend}] */
void pmu_json_refusals(struct pmu_strbuf *out, const struct pmu_model_refusal *refusal,
		       unsigned int n);

/** pmu_json_histogram() - [[ns, calls], ...] of a row's, which has one */
void pmu_json_histogram(struct pmu_strbuf *out, const struct pmu_model_row *row);

/** pmu_json_samples() - a row's; @with_code: also at which instructions, in pmu_json_objects() */
void pmu_json_samples(struct pmu_strbuf *out, const struct pmu_model_samples *samples,
		      bool with_code);
/** pmu_json_objects() - programs and libraries that samples are in, where that is known */
void pmu_json_objects(struct pmu_strbuf *out, const struct pmu_model *model);

/** pmu_json_flags() - ["overlap"]: names of what is set in enum pmu_model_row_flags */
void pmu_json_flags(struct pmu_strbuf *out, uint32_t flags);
/** pmu_json_flag() - the one of that name; 0: there is none */
uint32_t pmu_json_flag(const char *name);

#endif
