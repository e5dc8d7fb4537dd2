/* SPDX-License-Identifier: BSD-3-Clause */
/* What the command tells programs of a machine, not of a run: values made first, then written. */
#ifndef PMU_COMMAND_JSON_MADE_H
#define PMU_COMMAND_JSON_MADE_H

#include <jansson.h>

#include "base/strbuf.h"

/** pmu_json_known_text() - NULL and "" are null: nothing to say, or not known */
json_t *pmu_json_known_text(const char *text);

/**
 * pmu_json_made() - a text of it, with a new line behind it
 * @root: is released; NULL: there was no memory for it
 * @flags: of json_dumps()
 * Return: 0 or -ENOMEM, also as @out->failed.
 */
int pmu_json_made(json_t *root, size_t flags, struct pmu_strbuf *out);

#endif
