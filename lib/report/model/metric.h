/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics: formulas over the counts of a row. */
#ifndef PMU_REPORT_MODEL_METRIC_H
#define PMU_REPORT_MODEL_METRIC_H

#include "report/model/model.h"

/**
 * pmu_metric_fill() - every metric of every row of a finished model
 *
 * Names: the section's counts (net), time (seconds), calls, tsc_hz (missing where the clock is
 * none).  In a formula with a count of sockets the time of a sum is that of its sockets' rows: a
 * rate is a socket's, however many threads were in. A formula that cannot be evaluated leaves its
 * metric missing, and so do calls that took less time than the reads of the counters around them.
 */
void pmu_metric_fill(struct pmu_model *model);

/** A section's formulas, parsed. */
struct pmu_metrics;

/** pmu_metrics_open() - NULL without memory; @section has to last as long */
struct pmu_metrics *pmu_metrics_open(const struct pmu_model *model,
				     const struct pmu_model_section *section);
/**
 * pmu_metrics_of() - of one call, or of several
 * @row: its net, missing, time_ns, calls
 * @value: [section->n_metrics] result
 */
void pmu_metrics_of(const struct pmu_metrics *metrics, const struct pmu_model_row *row,
		    double *value);
void pmu_metrics_close(struct pmu_metrics *metrics);

#endif
