/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics: formulas over the counts of a row. */
#ifndef PMU_GROUP_METRIC_H
#define PMU_GROUP_METRIC_H

#include "report/model.h"

/**
 * pmu_metric_eval() - the value of a formula, once
 * @formula: + - * / ( ) min(a,b) max(a,b), decimal numbers and names.  A name that is not a plain
 *           word ([A-Za-z_][A-Za-z0-9_.]*) stands in double quotes: "branch-misses" / branches
 * @lookup: value of a name; NaN where it is missing, -1 returned where it is unknown
 * @value: NaN (missing) where anything in it is missing or a division by zero is asked for
 *
 * Return: 0; -EINVAL with a sentence that names the column of a syntax error or unknown name.
 */
int pmu_metric_eval(const char *formula, int (*lookup)(void *arg, const char *name, double *value),
		    void *arg, double *value);

/**
 * pmu_metric_fill() - every metric of every row of a finished model
 *
 * Names: the section's counts (net), time (seconds), calls, tsc_hz (missing where the clock is
 * none).  In a formula with a count of sockets the time of a sum is that of its sockets' rows: a
 * rate is a socket's, however many threads were in. A formula that cannot be evaluated leaves its
 * metric missing, and so do calls that took less time than the reads of the counters around them.
 */
void pmu_metric_fill(struct pmu_model *model);

#endif
