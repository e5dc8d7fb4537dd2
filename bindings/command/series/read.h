/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a series that was written as JSON. */
#ifndef PMU_COMMAND_SERIES_READ_H
#define PMU_COMMAND_SERIES_READ_H

#include "bindings/command/json/value.h"
#include "bindings/command/series/series.h"

/** pmu_series_is() - is it one, and not a report of a single run? */
bool pmu_series_is(const struct pmu_value *root);

/**
 * pmu_series_read() - a JSON text's values as a finished series
 * @root: of a text as pmu_series_write_json() makes it; nothing in it is trusted
 * @series: all zero; it is again after an error
 *
 * Written as JSON again, the series gives the same text.
 *
 * Return: 0; -EINVAL (not such a report), -ENOTSUP (a newer schema), -E2BIG, -ENOMEM; each with a
 * sentence that names the place.
 */
int pmu_series_read(const struct pmu_value *root, struct pmu_series *series);

#endif
