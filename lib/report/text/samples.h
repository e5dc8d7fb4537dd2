/* SPDX-License-Identifier: BSD-3-Clause */
/* Below a region the functions in which its own time goes, by samples. */
#ifndef PMU_REPORT_TEXT_SAMPLES_H
#define PMU_REPORT_TEXT_SAMPLES_H

#include "report/text/table.h"
#include "report/text/text.h"

/** pmu_text_samples() - what stands below the rows of a table; @row: [@n], nothing where none has any */
void pmu_text_samples(struct pmu_text *t, struct pmu_table *table, const struct pmu_model_row *row,
		      unsigned int n);

/** pmu_text_sampled() - what the legend says of them; lives in scratch */
const char *pmu_text_sampled(struct pmu_text *t);

/**
 * pmu_text_add_period() - ", one each 1.003 ms of CPU time", ", one each 10,007 branch-misses (precise)"; nothing
 * where the period is 0
 * pmu_text_sampled_what() - "time", or the event, whose memory it is
 */
void pmu_text_add_period(struct pmu_strbuf *out, const struct pmu_sample_unit *unit);
const char *pmu_text_sampled_what(const struct pmu_sample_unit *unit);

#endif
