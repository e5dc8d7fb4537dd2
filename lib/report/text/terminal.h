/* SPDX-License-Identifier: BSD-3-Clause */
/* Text on a terminal: as wide as it is, and in colour where it wants that. */
#ifndef PMU_REPORT_TERMINAL_H
#define PMU_REPORT_TERMINAL_H

#include <stddef.h>

#include "base/strbuf.h"
#include "report/report.h"

/*
 * What is to stand out while a text is made, in the text itself: one byte each, which nothing else
 * in it has, at the beginning and the end of lines, where it moves no column.
 */
#define PMU_STYLE_HEAD "\001"
#define PMU_STYLE_WARN "\002"
#define PMU_STYLE_END  "\003"

/**
 * pmu_terminal_fit() - columns and colour for text that goes to @fd; no terminal changes nothing
 */
void pmu_terminal_fit(struct pmu_text_options *options, int fd);

/** pmu_style_apply() - the above as a terminal takes it; from byte @start of @out on */
void pmu_style_apply(struct pmu_strbuf *out, size_t start);

#endif
