/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tables below a group's own have in common. */
#include "report/text/detail.h"

bool pmu_text_detail_begin(struct pmu_text *t, struct pmu_table *table,
			   const struct pmu_model_row *row, unsigned int n, unsigned int most)
{
	*table = (struct pmu_table){ .n_rows = n, .color = t->color };
	table->label = pmu_block_array(&t->scratch, n, sizeof(*table->label));
	table->column = pmu_block_array(&t->scratch, most, sizeof(*table->column));
	t->failed |= !table->label || !table->column;
	for (unsigned int i = 0; i < n && !t->failed; i++) {
		table->label[i].name = pmu_text_row_name(t, &row[i]);
		table->label[i].depth = (unsigned int)row[i].depth;
	}
	return !t->failed;
}

struct pmu_cell *pmu_text_detail_column(struct pmu_text *t, struct pmu_table *table,
					const char *title, const char *kind)
{
	struct pmu_cell *cell = pmu_block_array(&t->scratch, table->n_rows, sizeof(*cell));

	t->failed |= !cell;
	if (cell)
		table->column[table->n_columns++] =
			(struct pmu_table_column){ .title = title, .kind = kind, .cell = cell };
	return cell;
}

void pmu_text_detail_end(struct pmu_text *t, struct pmu_table *table)
{
	if (t->failed || !table->n_columns)
		return;
	pmu_strbuf_add(t->out, "\n");
	t->failed |= pmu_table_print(t->out, table, t->columns, &t->scratch) < 0;
	if (table->too_deep)
		t->legend |= PMU_LEGEND_DEEP;
}
