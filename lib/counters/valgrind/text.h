/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of callgrind's answer. */
#ifndef PMU_COUNTERS_VALGRIND_TEXT_H
#define PMU_COUNTERS_VALGRIND_TEXT_H

#include "counters/valgrind/log.h"

/**
 * pmu_callgrind_line_columns() - "events: Ir Dr Dw ..."
 * @line: ends with a newline or NUL
 * Return: was it that?
 */
bool pmu_callgrind_line_columns(const char *line, struct pmu_callgrind_columns *columns);

/**
 * pmu_callgrind_line_thread() - "current-tid: 3".  Return: 3; 0: it is another line, or no number
 * that a thread has.
 */
int pmu_callgrind_line_thread(const char *line);

/** pmu_callgrind_line_part() - "part: 2".  Return: was it that? */
bool pmu_callgrind_line_part(const char *line, uint64_t *part);

/**
 * pmu_callgrind_line_counts() - "events-3: 1200 340 12"; columns at its end that are left out are 0
 * Return: was it that, of thread answer->thread?  The counts are untouched where it was not.
 */
bool pmu_callgrind_line_counts(const char *line, const struct pmu_callgrind_columns *columns,
			       struct pmu_callgrind_answer *answer);

/**
 * pmu_callgrind_log_path() - "%p" in @format is @pid, "%%" is "%".  Return: whether it fits and
 * says nothing else.
 */
bool pmu_callgrind_log_path(const char *format, int pid, char *path, size_t size);

#endif
