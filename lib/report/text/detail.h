/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables below a group's own, with a line for each of its rows. */
#ifndef PMU_REPORT_TEXT_DETAIL_H
#define PMU_REPORT_TEXT_DETAIL_H

#include "report/text/table.h"
#include "report/text/text.h"

/**
 * pmu_text_detail_begin() - a table with the names of @row [@n] and no columns yet
 * @most: columns that it may get
 * Return: whether there was memory.
 */
bool pmu_text_detail_begin(struct pmu_text *t, struct pmu_table *table,
			   const struct pmu_model_row *row, unsigned int n, unsigned int most);

/** pmu_text_detail_column() - one more.  Return: its cells, all empty; NULL: no memory. */
struct pmu_cell *pmu_text_detail_column(struct pmu_text *t, struct pmu_table *table,
					const char *title, const char *kind);

/** pmu_text_detail_end() - it is printed below an empty line, unless it has no columns */
void pmu_text_detail_end(struct pmu_text *t, struct pmu_table *table);

#endif
