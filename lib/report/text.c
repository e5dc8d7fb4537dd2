/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as text: its order, and what stands below the tables. */
#include "report/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/encode.h"
#include "report/table.h"

#define COLUMNS_DEFAULT 100u
#define THREADS_SHOWN   8u
#define PARTS_SHOWN     16u
#define DOUBTS_SHOWN    40u
#define LABEL_MARGIN    2u

static const struct {
	uint32_t legend;
	const char *sign;
	const char *text;
} legends[] = {
	{ PMU_LEGEND_UNKNOWN, "-", "unknown: it could not be counted or told apart" },
	{ PMU_LEGEND_OVERLAP, "o",
	  "overlap: ended after the region around it; self is unknown from here upwards" },
	{ PMU_LEGEND_RECURSIVE, "r",
	  "recursive: every call counts, its time once, from the outermost begin to its "
	  "end" },
	{ PMU_LEGEND_OPEN, "b",
	  "begun and not ended: its last call is counted in part or not at all" },
	{ PMU_LEGEND_FLAT, "f",
	  "flat: beyond the limit of regions per thread; kept by name, without what was "
	  "around it" },
	{ PMU_LEGEND_SHORT, "s",
	  "short: more than a tenth of what was measured in these calls was the library's own work" },
	{ PMU_LEGEND_DOUBT, "?", "see the doubts below" },
	{ PMU_LEGEND_DEEP, "(n)", "nested n deep, too deep to indent" },
};

const char *pmu_text_shown(struct pmu_text *t, const char *text)
{
	const char *shown;

	t->line.len = 0;
	if (!text || !text[0])
		return "";
	pmu_encode_line(&t->line, text);
	shown = t->line.failed ? NULL : pmu_block_text(&t->scratch, t->line.text, t->line.len);
	if (!shown)
		t->failed = true;
	return shown ? shown : "";
}

void pmu_text_wrap(struct pmu_text *t, const char *text, unsigned int indent)
{
	size_t column = indent;

	for (;;) {
		size_t len = strcspn(text, " ");
		size_t width = pmu_utf8_width(text) - pmu_utf8_width(text + len);

		if (column > indent && column + 1 + width > t->columns) {
			pmu_strbuf_add(t->out, "\n");
			pmu_strbuf_pad(t->out, t->out->len + indent, ' ');
			column = indent;
		} else if (column > indent) {
			pmu_strbuf_add(t->out, " ");
			column++;
		}
		pmu_strbuf_add_n(t->out, text, len);
		column += width;
		text += len + strspn(text + len, " ");
		if (!*text)
			break;
	}
	pmu_strbuf_add(t->out, "\n");
}

/* Doubts. */

static int compare_numbers(int a, int b)
{
	return (a > b) - (a < b);
}

int pmu_text_compare_doubts(const struct pmu_model_doubt *a, const struct pmu_model_doubt *b)
{
	int order = strcmp(a->region, b->region);

	if (!order)
		order = compare_numbers(a->thread, b->thread);
	return order ? order : compare_numbers(a->part, b->part);
}

static int by_place(const void *a, const void *b)
{
	const struct pmu_model_doubt *const *da = a, *const *db = b;

	return pmu_text_compare_doubts(*da, *db);
}

static void sort_doubts(struct pmu_text *t)
{
	t->doubtful = pmu_block_array(&t->scratch, t->model->n_doubts,
				      sizeof(struct pmu_model_doubt *));
	if (!t->doubtful) {
		t->failed = true;
		return;
	}
	for (unsigned int i = 0; i < t->model->n_doubts; i++)
		if (t->model->doubt[i].region && t->model->doubt[i].region[0])
			t->doubtful[t->n_doubtful++] = &t->model->doubt[i];
	if (t->n_doubtful)
		qsort(t->doubtful, t->n_doubtful, sizeof(struct pmu_model_doubt *), by_place);
}

static void put_doubt(struct pmu_text *t, const struct pmu_model_doubt *doubt)
{
	bool region = doubt->region && doubt->region[0];
	struct pmu_strbuf text = { 0 };
	struct pmu_cell count;

	pmu_encode_line(&text, doubt->region);
	if (doubt->thread >= 0)
		pmu_strbuf_addf(&text, region ? ", thread %d" : "thread %d", doubt->thread);
	pmu_strbuf_add(&text, region || doubt->thread >= 0 ? ": " : "");
	pmu_encode_line(&text, doubt->text);
	pmu_cell_exact(&count, doubt->count);
	if (doubt->count > 1)
		pmu_strbuf_addf(&text, " (%s times)", count.number);
	pmu_strbuf_add(t->out, "    ");
	pmu_text_wrap(t, pmu_strbuf_text(&text), 4);
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
}

static void put_doubts(struct pmu_text *t)
{
	unsigned int n = t->model->n_doubts;

	if (!n)
		return;
	pmu_strbuf_add(t->out, "\n  doubts\n");
	for (unsigned int i = 0; i < n && i < DOUBTS_SHOWN; i++)
		put_doubt(t, &t->model->doubt[i]);
	if (n > DOUBTS_SHOWN)
		pmu_strbuf_addf(t->out, "    and %u more, all of them in a JSON report\n",
				n - DOUBTS_SHOWN);
}

/* Threads. */

/* By thread; NULL without memory. */
static struct pmu_text_in_regions *find_in_regions(struct pmu_text *t)
{
	struct pmu_text_in_regions *in_regions = pmu_block_array(&t->scratch, t->model->n_threads,
								 sizeof(*in_regions));

	for (unsigned int i = 0; in_regions && i < t->model->n_sections; i++) {
		const struct pmu_model_section *s = &t->model->section[i];

		for (unsigned int k = 0; k < s->n_thread_rows; k++) {
			const struct pmu_model_row *row = &s->thread_row[k];

			if (row->thread < 0 || (unsigned int)row->thread >= t->model->n_threads ||
			    row->parent >= 0 || row->flags & PMU_ROW_FLAT)
				continue;
			in_regions[row->thread].time_ns += row->time_ns;
			in_regions[row->thread].open |= row->n_open > 0;
		}
	}
	return in_regions;
}

enum thread_column { TID, CPU, CORE, TIME, IN_REGIONS, FAULTS, SWITCHES, N_THREAD_COLUMNS };

static const char *const thread_titles[N_THREAD_COLUMNS] = { "tid",     "CPU",        "core",
							     "time",    "in regions", "faults",
							     "switches" };

/* "" and -1 of either part: unknown */
static void put_sum(struct pmu_cell *cell, int64_t a, int64_t b)
{
	if (a < 0 || b < 0)
		pmu_cell_none(cell);
	else
		pmu_cell_count(cell, (uint64_t)a + (uint64_t)b);
}

static void fill_thread(struct pmu_text *t, unsigned int i,
			const struct pmu_text_in_regions *in_regions, struct pmu_table_label *label,
			struct pmu_cell *const cell[N_THREAD_COLUMNS])
{
	const struct pmu_model_thread *thread = &t->model->thread[i];
	struct pmu_strbuf text = { 0 };
	struct pmu_cell merged;

	if (t->model->n_parts)
		pmu_strbuf_addf(&text, "%s: ", t->model->part[thread->part].label);
	pmu_strbuf_addf(&text, "%d ", thread->number);
	pmu_cell_exact(&merged, thread->n_merged);
	if (thread->n_merged)
		pmu_strbuf_addf(&text, "(%s finished)", merged.number);
	else
		pmu_strbuf_add(&text, thread->name ? thread->name : "");
	label->name = pmu_text_shown(t, pmu_strbuf_text(&text));
	text.len = 0;
	pmu_strbuf_addf(&text, "%lld", (long long)thread->tid);
	pmu_cell_text(&cell[TID][i], thread->tid > 0 ? pmu_strbuf_text(&text) : "");
	text.len = 0;
	pmu_strbuf_addf(&text, "%d", thread->cpu);
	pmu_cell_text(&cell[CPU][i], thread->cpu >= 0 ? pmu_strbuf_text(&text) : "");
	pmu_cell_text(&cell[CORE][i], thread->core_type ? thread->core_type : "");
	pmu_cell_time(&cell[TIME][i], (double)thread->time_ns);
	if (in_regions->open)
		pmu_cell_none(&cell[IN_REGIONS][i]);
	else
		pmu_cell_share(&cell[IN_REGIONS][i],
			       (double)in_regions->time_ns / (double)thread->time_ns);
	put_sum(&cell[FAULTS][i], thread->minor_faults, thread->major_faults);
	put_sum(&cell[SWITCHES][i], thread->voluntary_switches, thread->involuntary_switches);
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
}

/* Something in it that is neither blank nor unknown? */
static bool says_something(const struct pmu_cell *cell, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (cell[i].number[0] && strcmp(cell[i].number, "-") != 0)
			return true;
	return false;
}

static void put_threads(struct pmu_text *t, const struct pmu_text_in_regions *in_regions)
{
	unsigned int n = t->model->n_threads;
	struct pmu_cell *cell[N_THREAD_COLUMNS];
	struct pmu_table table = { .n_rows = n };

	table.label = pmu_block_array(&t->scratch, n, sizeof(*table.label));
	table.column = pmu_block_array(&t->scratch, N_THREAD_COLUMNS, sizeof(*table.column));
	t->failed |= !table.label || !table.column;
	for (unsigned int i = 0; i < N_THREAD_COLUMNS; i++) {
		cell[i] = pmu_block_array(&t->scratch, n, sizeof(*cell[i]));
		t->failed |= !cell[i];
	}
	if (t->failed)
		return;
	for (unsigned int i = 0; i < n; i++)
		fill_thread(t, i, &in_regions[i], &table.label[i], cell);
	for (unsigned int i = 0; i < N_THREAD_COLUMNS; i++)
		if (i == IN_REGIONS || says_something(cell[i], n))
			table.column[table.n_columns++] = (struct pmu_table_column){
				.title = thread_titles[i], .kind = "thread", .cell = cell[i]
			};
	pmu_strbuf_add(t->out, "\n");
	t->failed |= pmu_table_print(t->out, &table, t->columns, &t->scratch) < 0;
}

static bool threads_worth_a_table(const struct pmu_text *t)
{
	const struct pmu_model_thread *thread = t->model->thread;

	if (t->threads)
		return t->model->n_threads > 0;
	if (t->model->n_parts > 1)
		return false;
	if (t->model->n_threads > 1)
		return t->model->n_threads <= THREADS_SHOWN;
	return t->model->n_threads == 1 &&
	       (thread->minor_faults >= 0 || thread->voluntary_switches >= 0);
}

/* The processes and the threads. */
static void put_who(struct pmu_text *t)
{
	const struct pmu_text_in_regions *in_regions;
	bool parts = t->model->n_parts > 1 && (t->threads || t->model->n_parts <= PARTS_SHOWN);

	if (t->failed || !(parts || threads_worth_a_table(t)))
		return;
	in_regions = find_in_regions(t);
	t->failed |= !in_regions;
	if (!t->failed && parts)
		pmu_text_parts_table(t, in_regions);
	if (!t->failed && threads_worth_a_table(t))
		put_threads(t, in_regions);
}

static void put_legend(struct pmu_text *t)
{
	unsigned int width = t->legend & PMU_LEGEND_DEEP ? 3 : 1;
	size_t start = t->out->len;

	pmu_strbuf_add(t->out, "\n");
	for (size_t i = 0; i < PMU_ARRAY_LEN(legends); i++) {
		size_t line = t->out->len;

		if (!(t->legend & legends[i].legend))
			continue;
		pmu_strbuf_addf(t->out, "  %s", legends[i].sign);
		pmu_strbuf_pad(t->out, line + LABEL_MARGIN + width + 2, ' ');
		pmu_text_wrap(t, legends[i].text, LABEL_MARGIN + width + 2);
	}
	pmu_text_own(t);
	/* nothing to explain: no empty line either */
	if (!t->out->failed && t->out->len == start + 1)
		t->out->text[t->out->len = start] = '\0';
}

static bool has_rows(const struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_sections; i++)
		if (model->section[i].n_rows)
			return true;
	return false;
}

void pmu_write_text(struct pmu_strbuf *out, const struct pmu_model *model,
		    const struct pmu_text_options *options)
{
	struct pmu_text t = {
		.out = out,
		.model = model,
		.columns = options && options->columns ? options->columns : COLUMNS_DEFAULT,
		.rows = options && options->all ? UINT_MAX : PMU_TEXT_ROWS,
		.threads = options && options->threads,
		.all = options && options->all,
	};

	sort_doubts(&t);
	pmu_text_head(&t);
	for (unsigned int i = 0; i < model->n_sections && !t.failed; i++)
		if (model->section[i].n_rows)
			pmu_text_section(&t, &model->section[i]);
	if (has_rows(model))
		put_legend(&t);
	else
		pmu_strbuf_add(out, "\n  No region was used: there is nothing to show.\n");
	put_who(&t);
	put_doubts(&t);
	out->failed |= t.failed || t.line.failed;
	pmu_strbuf_free(&t.line);
	pmu_block_free(&t.scratch);
}
