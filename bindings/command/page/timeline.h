/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of traces as a page has them. */
#ifndef PMU_COMMAND_PAGE_TIMELINE_H
#define PMU_COMMAND_PAGE_TIMELINE_H

#include <stddef.h>

#include "base/strbuf.h"

/** Calls in a page; where there are more, it has the longest. */
#define PMU_PAGE_SLICES ((size_t)1000000)

/**
 * pmu_page_timeline() - of stores that have a trace, see timeline.c
 * @store: [@n] their files
 *
 * Takes 60 bytes and its counts for each call that a page can have, however many there are.
 * Return: 0; a negative errno with a sentence: -ENODATA where none of them has a trace.
 */
int pmu_page_timeline(struct pmu_strbuf *json, const char *const *store, size_t n);

#endif
