/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a report that was written as JSON. */
#ifndef PMU_COMMAND_JSON_READ_H
#define PMU_COMMAND_JSON_READ_H

#include <stddef.h>

#include "report/model/model.h"

/**
 * pmu_json_read() - a JSON report as a finished model, metrics included
 * @text: @len bytes as lib/report/json.c writes them; nothing in them is trusted.  They are written
 *	to: what comes after is of no use
 *
 * Written as JSON again, the model gives the same text.
 *
 * Return: 0; -EINVAL (not JSON, or not such a report), -ENOTSUP (a newer schema),
 * -ENOMEM; each with a sentence that names the place.
 */
int pmu_json_read(char *text, size_t len, struct pmu_model **model);

struct pmu_value;
/** pmu_json_read_value() - the same of such a text's values, see pmu_value_parse() */
int pmu_json_read_value(const struct pmu_value *root, struct pmu_model **model);

#endif
