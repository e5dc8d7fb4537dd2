/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library's own report says of a run. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <jansson.h>
#include <stddef.h>

/**
 * report_now() - the report of what is measured so far
 * @report: result, for json_decref()
 * Return: 0; what pmu_report_text() returns; -EPROTO where it is no JSON.
 */
int report_now(json_t **report);

/** report_text() - a text of it; "" where @value is none */
void report_text(char *text, size_t size, const json_t *value);

#endif
