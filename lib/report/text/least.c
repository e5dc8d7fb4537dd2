/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call counts on average, and at the least: the shortest path; and by how much interrupts
 * may have added to it.
 */
#include <string.h>

#include "report/encode.h"
#include "report/model/least.h"
#include "report/text/detail.h"

/* Of a single call the table above it has said all. */
static bool is_least_told(const struct pmu_model_row *row, unsigned int count)
{
	return row->calls > 1 && row->least && row->least->known >> count & 1;
}

static bool any_least_told(const struct pmu_model_row *row, unsigned int n, unsigned int count)
{
	for (unsigned int i = 0; i < n; i++)
		if (is_least_told(&row[i], count))
			return true;
	return false;
}

/* Times and energies as such; of events all digits, they are why this is asked for. */
static void put_least_value(struct pmu_cell *cell, const char *unit, double value)
{
	if (unit && !strcmp(unit, "ns"))
		pmu_cell_time(cell, value);
	else if (unit && !strcmp(unit, "uJ"))
		pmu_cell_energy(cell, (uint64_t)value);
	else
		pmu_cell_mean(cell, value);
}

static void add_least_column(struct pmu_text *t, struct pmu_table *table,
			     const struct pmu_model_section *s, const struct pmu_model_row *row,
			     unsigned int count, bool mean)
{
	struct pmu_strbuf title = { 0 };
	struct pmu_cell *cell;

	pmu_strbuf_addf(&title, "%s ", mean ? "mean" : "least");
	pmu_strbuf_add(&title, s->count[count].name);
	cell = pmu_text_detail_column(t, table, pmu_text_shown(t, pmu_strbuf_text(&title)),
				      "counts per call");
	for (unsigned int i = 0; cell && i < table->n_rows; i++) {
		const struct pmu_model_row *r = &row[i];

		if (is_least_told(r, count))
			put_least_value(&cell[i], s->count[count].unit,
					mean ? (double)r->net[count] / (double)r->calls
					     : (double)r->least->count[count]);
	}
	t->failed |= title.failed;
	pmu_strbuf_free(&title);
}

void pmu_text_least(struct pmu_text *t, const struct pmu_model_section *s,
		    const struct pmu_model_row *row, unsigned int n)
{
	int interrupts = pmu_section_interrupts(s);
	struct pmu_table table;

	if (!pmu_text_detail_begin(t, &table, row, n, 2 * s->n_counts))
		return;
	for (unsigned int c = 0; c < s->n_counts && !t->failed; c++) {
		if ((int)c == interrupts || !any_least_told(row, n, c))
			continue;
		add_least_column(t, &table, s, row, c, true);
		add_least_column(t, &table, s, row, c, false);
	}
	pmu_text_detail_end(t, &table);
}

/* --- interrupts --- */

static bool any_subtracted(const struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_sections; i++)
		if (pmu_section_less_interrupts(&model->section[i]) >= 0)
			return true;
	return false;
}

static uint64_t most_interrupts(const struct pmu_model *model)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < model->n_sections; i++) {
		const struct pmu_model_section *s = &model->section[i];
		int at = pmu_section_interrupts(s);

		for (unsigned int k = 0; at >= 0 && k < s->n_rows; k++)
			if (!(s->row[k].missing >> at & 1) && s->row[k].raw[at] > most)
				most = s->row[k].raw[at];
	}
	return most;
}

/* Of all threads; false where one does not know. */
static bool sum_page_faults(const struct pmu_model *model, uint64_t *faults)
{
	*faults = 0;
	for (unsigned int i = 0; i < model->n_threads; i++) {
		const struct pmu_model_thread *thread = &model->thread[i];

		if (thread->minor_faults < 0 || thread->major_faults < 0)
			return false;
		*faults += (uint64_t)thread->minor_faults + (uint64_t)thread->major_faults;
	}
	return true;
}

const char *pmu_text_interrupted(struct pmu_text *t)
{
	struct pmu_strbuf text = { 0 };
	struct pmu_cell cell;
	uint64_t faults;
	const char *shown;

	pmu_cell_exact(&cell, most_interrupts(t->model));
	pmu_strbuf_addf(
		&text,
		"interrupted: instructions may be too high by 1 for each interrupt and each page fault in "
		"these calls: in a region by at most %s",
		cell.number);
	if (sum_page_faults(t->model, &faults)) {
		pmu_cell_exact(&cell, faults);
		pmu_strbuf_addf(&text, ", and by the %s page faults of all threads", cell.number);
	} else {
		pmu_strbuf_add(&text, ", and by its page faults, which are not known");
	}
	pmu_strbuf_add(&text, any_subtracted(t->model)
				      ? "; the interrupts are taken off in \"instructions less "
					"interrupts\""
				      : "; this is a bound, not to be taken off");
	shown = pmu_text_shown(t, pmu_strbuf_text(&text));
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
	return shown;
}
