/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the text report share. */
#ifndef PMU_REPORT_TEXT_H
#define PMU_REPORT_TEXT_H

#include "report/block.h"
#include "report/cell.h"
#include "report/report.h"

/** What the foot of the tables has to explain. */
enum pmu_text_legend {
	PMU_LEGEND_UNKNOWN = 1,
	PMU_LEGEND_OVERLAP = 2,
	PMU_LEGEND_RECURSIVE = 4,
	PMU_LEGEND_OPEN = 8,
	PMU_LEGEND_FLAT = 16,
	PMU_LEGEND_SHORT = 32,
	PMU_LEGEND_DOUBT = 64,
	PMU_LEGEND_DEEP = 128,
};

struct pmu_text {
	struct pmu_strbuf *out;
	const struct pmu_model *model;
	unsigned int columns;
	unsigned int rows; /* most of them in one table */
	bool threads;
	struct pmu_model_block *scratch;
	struct pmu_strbuf line; /* for pmu_text_shown() */
	uint32_t legend;	/* enum pmu_text_legend: what has come up so far */
	bool failed;		/* out of memory */
	unsigned int n_doubtful;
	const struct pmu_model_doubt **doubtful; /* those of regions, sorted by region */
};

/** pmu_text_shown() - text from outside, fit for a terminal; lives in scratch */
const char *pmu_text_shown(struct pmu_text *t, const char *text);

/**
 * pmu_text_wrap() - append words, broken at the report's width
 * @text: "" appends nothing
 * @indent: column that the line is in now, and that further lines start in
 */
void pmu_text_wrap(struct pmu_text *t, const char *text, unsigned int indent);

/** pmu_text_head() - program, machine, source and why not a better one, pinning, notes */
void pmu_text_head(struct pmu_text *t);

/** pmu_text_section() - a group's tables */
void pmu_text_section(struct pmu_text *t, const struct pmu_model_section *section);

#endif
