/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of text: labels, columns of numbers, as many tables as the width asks for. */
#ifndef PMU_REPORT_TABLE_H
#define PMU_REPORT_TABLE_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "report/cell.h"
#include "report/model/block.h"

struct pmu_table_label {
	const char *name; /* valid UTF-8 without control characters */
	unsigned int depth;
	const char *text; /* made by the table: the name, cut to the width */
};

struct pmu_table_column {
	const char *title;     /* valid UTF-8; broken after blanks and some signs */
	const char *kind;      /* those of one kind stay together; heads the labels */
	struct pmu_cell *cell; /* [n_rows] */
	/* made by the table */
	unsigned int part; /* the table it stands in, from 0 */
	unsigned int width;
	unsigned int unit_width;
	unsigned int n_lines;
};

/** "~ 55.7%  dgemm_kernel  libopenblas.so.0": a line below a row, in no column. */
struct pmu_table_line {
	unsigned int depth; /* below the row's own, from 1 on */
	const char *number; /* "55.7%"; those of one depth are aligned */
	const char *name;   /* as a label's; "" none */
	const char *of;     /* likewise, behind it */
};

struct pmu_table_below {
	unsigned int n;
	const struct pmu_table_line *line;
};

struct pmu_table {
	unsigned int n_rows;
	unsigned int n_columns;
	struct pmu_table_label *label;   /* [n_rows] */
	struct pmu_table_column *column; /* [n_columns] */
	const char **mark;               /* [n_rows] behind each row, may be NULL */
	/* [n_rows] below each row where it stands first; NULL: nothing */
	const struct pmu_table_below *below;
	bool color;   /* titles stand out; see report/text/terminal.h */
	int too_deep; /* result: some labels have "(DEPTH) " for their indentation */
};

/**
 * pmu_table_print() - lay out and append
 * @width: characters in a line; at least 60 are used
 * @scratch: working space
 *
 * Labels that do not fit are cut in the middle; labels of different names stay different.
 * Columns that do not fit beside the others go into further tables, kind by kind, with
 * the labels repeated; of rows that have nothing in there only those that stand around others.
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_table_print(struct pmu_strbuf *out, struct pmu_table *table, unsigned int width,
		    struct pmu_model_block **scratch);

#endif
