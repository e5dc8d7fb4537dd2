/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of regions as lines of text, as wide as there is room. */
#ifndef PMU_COMMAND_TOP_TABLE_H
#define PMU_COMMAND_TOP_TABLE_H

#include "base/strbuf.h"
#include "bindings/command/top/order.h"

/** Narrower ones are cut. */
#define PMU_TOP_LEAST_WIDTH 40u
#define PMU_TOP_COLUMNS     (8 + 2 * PMU_TOP_VALUES)

/** Above the titles. */
enum pmu_top_over { PMU_TOP_OVER_LAST, PMU_TOP_OVER_START, PMU_TOP_OVER_NOW, PMU_TOP_OVERS };

struct pmu_top_column {
	struct pmu_top_field field;
	enum pmu_top_over over;
	char title[24];
	unsigned int at, width; /* where it begins, and how wide it is: numbers end where it does */
};

struct pmu_top_layout {
	unsigned int width, name_width;
	size_t n_programs;
	unsigned int n_columns; /* from the left */
	struct pmu_top_column column[PMU_TOP_COLUMNS];
	unsigned int n_values, first_value; /* that there are; that is shown first */
};

/**
 * pmu_top_layout() - the columns that there is room for
 * @first_value: so many counts and metrics are left out, for others that had no room; cut to what there
 *	are
 */
void pmu_top_layout(struct pmu_top_layout *layout, const struct pmu_top_program *const *program,
		    size_t n, unsigned int width, unsigned int first_value);

/** pmu_top_put_overs(), pmu_top_put_titles() - the two lines above the table, without newline */
void pmu_top_put_overs(struct pmu_strbuf *out, const struct pmu_top_layout *layout);
void pmu_top_put_titles(struct pmu_strbuf *out, const struct pmu_top_layout *layout);

/**
 * pmu_top_put_line() - a region's or a program's, without newline; never longer than the layout is wide
 * @tree: a region stands below what it is nested in, else its path tells
 */
void pmu_top_put_line(struct pmu_strbuf *out, const struct pmu_top_layout *layout,
		      const struct pmu_top_line *line, bool tree);

/** pmu_top_put_length() - "0.5 s", "12.3 s", "4:05", "1:04:05": a time that goes on */
void pmu_top_put_length(struct pmu_strbuf *out, double ns);

#endif
