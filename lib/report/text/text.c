/* SPDX-License-Identifier: BSD-3-Clause */
/* The report as text: its order, and what stands below the tables. */
#include "report/text/text.h"
#include "report/several.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/encode.h"
#include "report/text/longest.h"
#include "report/text/samples.h"
#include "report/text/table.h"
#include "report/text/terminal.h"

#define COLUMNS_DEFAULT 100u
#define THREADS_SHOWN   8u
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
	{ PMU_LEGEND_INTERRUPTED, "i", NULL }, /* these are made */
	{ PMU_LEGEND_TEAM, "t",
	  "team: what the thread did for a region that another one had open; in no region around it" },
	{ PMU_LEGEND_ESTIMATES, "~",
	  "estimated: of all calls, from those that the group has counted; in 95 of 100 cases the true value "
	  "is within +/- of it" },
	{ PMU_LEGEND_SAMPLES, "~", NULL },
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

		if (column > indent && column + 1 + width > t->columns &&
		    !pmu_begins_command(text)) {
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

void pmu_text_left_out(struct pmu_text *t, unsigned int n, const char *what, uint64_t most_ns,
		       const char *of, const char *setting)
{
	struct pmu_cell number, time;

	pmu_cell_exact(&number, n);
	pmu_cell_time(&time, (double)most_ns);
	pmu_strbuf_addf(t->out, "  and %s more %s", number.number, what);
	if (!pmu_model_is_simulated(t->model))
		pmu_strbuf_addf(t->out, " of at most %s%s%s", time.number, time.unit, of);
	pmu_strbuf_addf(t->out, "; PMU_REPORT=%s shows all of them\n", setting);
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

static int by_doubt_place(const void *a, const void *b)
{
	return pmu_text_compare_doubts(a, b);
}

static void add_doubtful(struct pmu_text *t, const struct pmu_model_doubt *doubt)
{
	if (!doubt->region || !doubt->region[0])
		return;
	if (!doubt->n_parts)
		t->doubtful[t->n_doubtful++] = *doubt;
	for (unsigned int i = 0; i < doubt->n_parts; i++) {
		t->doubtful[t->n_doubtful] = *doubt;
		t->doubtful[t->n_doubtful++].part = (int)doubt->parts[i];
	}
}

static void sort_doubts(struct pmu_text *t)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->model->n_doubts; i++)
		n += 1 + t->model->doubt[i].n_parts;
	t->doubtful = pmu_block_array(&t->scratch, n, sizeof(*t->doubtful));
	if (!t->doubtful) {
		t->failed = true;
		return;
	}
	for (unsigned int i = 0; i < t->model->n_doubts; i++)
		add_doubtful(t, &t->model->doubt[i]);
	if (t->n_doubtful)
		qsort(t->doubtful, t->n_doubtful, sizeof(*t->doubtful), by_doubt_place);
}

/* Threads. */

enum thread_column {
	TID,
	CPU,
	CORE,
	TIME,
	CPU_TIME,
	IN_REGIONS,
	FAULTS,
	SWITCHES,
	N_THREAD_COLUMNS
};

static const char *const thread_titles[N_THREAD_COLUMNS] = { "tid",    "CPU",      "core",
							     "time",   "CPU time", "in regions",
							     "faults", "switches" };

/* -1 of either part: unknown */
static int64_t sum_of(int64_t a, int64_t b)
{
	return a < 0 || b < 0 || a > INT64_MAX - b ? -1 : a + b;
}

static int64_t faults_of(const struct pmu_model_thread *thread)
{
	return sum_of(thread->minor_faults, thread->major_faults);
}

static int64_t switches_of(const struct pmu_model_thread *thread)
{
	return sum_of(thread->voluntary_switches, thread->involuntary_switches);
}

/* What one thread, or more, has most of. */
struct most {
	int64_t faults, switches;
};

static struct most find_most(const struct pmu_model *model)
{
	struct most most = { 0 };

	for (unsigned int i = 0; i < model->n_threads; i++) {
		int64_t faults = faults_of(&model->thread[i]),
			switches = switches_of(&model->thread[i]);

		most.faults = faults > most.faults ? faults : most.faults;
		most.switches = switches > most.switches ? switches : most.switches;
	}
	return most;
}

static void put_thread_cell(struct pmu_cell *cell, int64_t value, int64_t most)
{
	if (value < 0)
		pmu_cell_none(cell);
	else
		pmu_cell_count(cell, (uint64_t)value, (uint64_t)most);
}

/* @i: row of the table */
static void fill_thread_row(struct pmu_text *t, const struct pmu_model_thread *thread,
			    unsigned int i, const struct most *most, struct pmu_table_label *label,
			    struct pmu_cell *const cell[N_THREAD_COLUMNS])
{
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
	pmu_cell_time(&cell[CPU_TIME][i], thread->cpu_ns < 0 ? NAN : (double)thread->cpu_ns);
	if (thread->in_part)
		pmu_cell_none(&cell[IN_REGIONS][i]);
	else
		pmu_cell_share(&cell[IN_REGIONS][i],
			       (double)thread->in_regions_ns / (double)thread->time_ns);
	put_thread_cell(&cell[FAULTS][i], faults_of(thread), most->faults);
	put_thread_cell(&cell[SWITCHES][i], switches_of(thread), most->switches);
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

/* A simulation's times are not. */
static bool is_of_program(const struct pmu_text *t, unsigned int column)
{
	return (column != TIME && column != IN_REGIONS) || !pmu_model_is_simulated(t->model);
}

/* Of many threads those that computed most; where that is not known, that lived longest. */
static bool choose_threads(struct pmu_text *t, bool by_cpu, struct pmu_longest *longest)
{
	unsigned int n = t->model->n_threads;
	uint64_t *time = pmu_block_array(&t->scratch, n, sizeof(*time));

	for (unsigned int i = 0; time && i < n; i++)
		time[i] = by_cpu ? (uint64_t)t->model->thread[i].cpu_ns
				 : t->model->thread[i].time_ns;
	t->failed |= !time ||
		     pmu_longest(longest, time, n, t->threads ? n : THREADS_SHOWN, &t->scratch) < 0;
	return !t->failed;
}

static void print_threads(struct pmu_text *t)
{
	const struct most most = find_most(t->model);
	struct pmu_cell *cell[N_THREAD_COLUMNS];
	const bool by_cpu = pmu_model_cpu_time(t->model) != PMU_NOT_KNOWN;
	struct pmu_longest longest;
	struct pmu_table table = { .color = t->color };
	unsigned int n;

	if (!choose_threads(t, by_cpu, &longest))
		return;
	table.n_rows = n = longest.n;
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
		fill_thread_row(t, &t->model->thread[longest.at[i]], i, &most, &table.label[i],
				cell);
	for (unsigned int i = 0; i < N_THREAD_COLUMNS; i++)
		if (is_of_program(t, i) && (i == IN_REGIONS || says_something(cell[i], n)))
			table.column[table.n_columns++] = (struct pmu_table_column){
				.title = thread_titles[i], .kind = "thread", .cell = cell[i]
			};
	pmu_strbuf_add(t->out, "\n");
	t->failed |= pmu_table_print(t->out, &table, t->columns, &t->scratch) < 0;
	if (longest.n_left)
		pmu_text_left_out(t, longest.n_left, longest.n_left == 1 ? "thread" : "threads",
				  longest.most_left, by_cpu ? " of CPU time" : "", "threads");
}

static bool threads_worth_a_table(const struct pmu_text *t)
{
	const struct pmu_model_thread *thread = t->model->thread;

	if (t->threads && !(t->model->ranks && !t->model->n_parts))
		return t->model->n_threads > 0;
	if (t->model->n_parts > 1 || t->model->ranks)
		return false;
	if (t->model->n_threads > 1)
		return true;
	return t->model->n_threads == 1 &&
	       (thread->minor_faults >= 0 || thread->voluntary_switches >= 0);
}

/* The processes and the threads. */
static void put_who(struct pmu_text *t)
{
	if (t->failed)
		return;
	if (t->model->n_parts > 1)
		t->model->several->put_table(t);
	if (!t->failed && threads_worth_a_table(t))
		print_threads(t);
}

static const char *make_legend(struct pmu_text *t, uint32_t legend)
{
	return legend == PMU_LEGEND_SAMPLES ? pmu_text_sampled(t) : pmu_text_interrupted(t);
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
		pmu_text_wrap(t,
			      legends[i].text ? legends[i].text : make_legend(t, legends[i].legend),
			      LABEL_MARGIN + width + 2);
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
		.sort = options ? options->sort : NULL,
		.filter = options ? options->filter : NULL,
		.color = options && options->color,
		.threads = options && options->threads,
		.lines = options && options->lines,
		.callers = options && options->callers,
		.all = options && options->all,
		.brief = options && options->brief,
		.start = out->len,
	};

	if (options && options->top)
		t.rows = t.top = options->top;
	sort_doubts(&t);
	if (!t.brief)
		pmu_text_head(&t);
	for (unsigned int i = 0; i < model->n_sections && !t.failed; i++)
		if (model->section[i].n_rows)
			pmu_text_section(&t, &model->section[i]);
	if (!t.failed && !t.brief)
		pmu_text_topdown(&t);
	if (!has_rows(model))
		pmu_strbuf_addf(out, "%s  No region was measured: there is nothing to show.\n",
				t.brief ? "" : "\n");
	else if (!t.brief)
		put_legend(&t);
	if (!t.brief) {
		put_who(&t);
		pmu_strbuf_add(out, t.color && model->n_doubts ? PMU_STYLE_WARN : "");
		pmu_text_doubts(&t);
		pmu_strbuf_add(out, t.color && model->n_doubts ? PMU_STYLE_END : "");
	}
	if (t.color)
		pmu_style_apply(out, t.start);
	out->failed |= t.failed || t.line.failed;
	pmu_strbuf_free(&t.line);
	if (model->several)
		model->several->end_text(&t);
	pmu_block_free(&t.scratch);
}
