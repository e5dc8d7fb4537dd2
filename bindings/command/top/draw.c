/* SPDX-License-Identifier: BSD-3-Clause */
/* The view as it is drawn. */
#include <string.h>
#include <time.h>

#include "bindings/command/top/view.h"

#define HEAD_LINES 3 /* status, what stands above the titles, titles */

unsigned int pmu_top_width(void)
{
	return COLS > (int)PMU_TOP_LEAST_WIDTH ? (unsigned int)COLS : PMU_TOP_LEAST_WIDTH;
}

/* Bytes of as many characters as there is room for. */
static int n_fitting(const char *text, int room)
{
	size_t n = 0;

	while (text[n] && room > 0) {
		n++;
		while (((unsigned char)text[n] & 0xc0) == 0x80)
			n++;
		room--;
	}
	return (int)n;
}

/* Text that was made fit for a terminal; what this one cannot show is a question mark. */
static void put(const struct pmu_top_view *v, int y, int x, const char *text)
{
	char plain[1024];
	size_t n = 0;

	if (v->is_utf8) {
		mvaddnstr(y, x, text, n_fitting(text, COLS - x));
		return;
	}
	for (; *text && n + 1 < sizeof(plain); text++)
		if ((unsigned char)*text < 0x80)
			plain[n++] = *text;
		else if (((unsigned char)*text & 0xc0) != 0x80)
			plain[n++] = '?';
	plain[n] = '\0';
	mvaddnstr(y, x, plain, COLS - x);
}

static void put_buffer(const struct pmu_top_view *v, int y, int x, struct pmu_strbuf *text)
{
	put(v, y, x, pmu_strbuf_text(text));
	pmu_strbuf_free(text);
	*text = (struct pmu_strbuf){ 0 };
}

static int attributes(const struct pmu_top_view *v, enum pmu_top_color color)
{
	if (color == PMU_TOP_PLAIN)
		return A_NORMAL;
	return v->is_colored ? COLOR_PAIR(color) : A_BOLD;
}

static const char *title_of_field(const struct pmu_top_field *by)
{
	static const char *const names[] = {
		[PMU_TOP_NAME] = "name",           [PMU_TOP_CALLS] = "calls",
		[PMU_TOP_SHARE] = "share",         [PMU_TOP_SELF] = "self",
		[PMU_TOP_MEAN] = "time of a call", [PMU_TOP_VALUE] = "",
		[PMU_TOP_THREADS] = "threads",     [PMU_TOP_OPEN] = "open",
	};

	return by->what == PMU_TOP_VALUE ? by->value.name : names[by->what];
}

static void draw_status(const struct pmu_top_view *v)
{
	struct pmu_strbuf text = { 0 };
	const size_t n = v->watch->n_shown;
	char when[16] = "";
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(when, sizeof(when), "%H:%M:%S", &tm);
	pmu_strbuf_addf(&text, "pmu top  %s  %zu program%s", when, n, n == 1 ? "" : "s");
	if (v->watch->n_running < n)
		pmu_strbuf_addf(&text, ", %zu ended", n - v->watch->n_running);
	pmu_strbuf_addf(&text, "  every ");
	pmu_top_put_length(&text, (double)v->interval_ns);
	pmu_strbuf_addf(&text, "  by %s%s%s", title_of_field(&v->order.by),
			v->order.by.start ? " since start" : "",
			v->order.reverse ? ", least first" : "");
	if (v->filter[0])
		pmu_strbuf_addf(&text, "  only '%s'", v->filter);
	put_buffer(v, 0, 0, &text);
	if (v->is_paused) {
		attron(A_REVERSE);
		put(v, 0, (int)pmu_top_width() > 12 ? (int)pmu_top_width() - 8 : 0, " PAUSED ");
		attroff(A_REVERSE);
	}
}

bool pmu_top_is_sorted_by(const struct pmu_top_view *v, const struct pmu_top_field *field)
{
	const struct pmu_top_field *by = &v->order.by;

	return by->what == field->what && by->start == field->start &&
	       (by->what != PMU_TOP_VALUE || !strcmp(by->value.name, field->value.name));
}

static void draw_titles(const struct pmu_top_view *v)
{
	struct pmu_strbuf text = { 0 };

	attron(A_DIM);
	pmu_top_put_overs(&text, &v->layout);
	put_buffer(v, 1, 0, &text);
	attroff(A_DIM);
	pmu_top_put_titles(&text, &v->layout);
	attron(A_BOLD);
	put_buffer(v, 2, 0, &text);
	attroff(A_BOLD);
	for (unsigned int i = 0; i < v->layout.n_columns; i++) {
		const struct pmu_top_column *column = &v->layout.column[i];

		if (pmu_top_is_sorted_by(v, &column->field))
			mvchgat(2, (int)column->at, (int)column->width, A_BOLD | A_REVERSE, 0,
				NULL);
	}
	if (v->order.by.what == PMU_TOP_NAME)
		mvchgat(2, 0, 6, A_BOLD | A_REVERSE, 0, NULL);
}

static int attributes_of(const struct pmu_top_view *v, const struct pmu_top_line *line)
{
	static const enum pmu_top_color colors[] = { [PMU_TOP_RUNS] = PMU_TOP_PLAIN,
						     [PMU_TOP_ENDED] = PMU_TOP_WARN,
						     [PMU_TOP_DIED] = PMU_TOP_BAD };

	if (line->row < 0)
		return A_BOLD |
		       attributes(v, line->program->remark[0] ? PMU_TOP_WARN
							      : colors[line->program->state]);
	return line->is_match && !line->function ? A_NORMAL : A_DIM;
}

size_t pmu_top_room(void)
{
	return LINES > HEAD_LINES + 1 ? (size_t)(LINES - HEAD_LINES - 1) : 1;
}

static void draw_lines(const struct pmu_top_view *v)
{
	struct pmu_strbuf text = { 0 };

	for (size_t i = v->first; i < v->n_lines && i < v->first + pmu_top_room(); i++) {
		const int attributes = attributes_of(v, &v->line[i]);

		pmu_top_put_line(&text, &v->layout, &v->line[i], !v->order.flat);
		attron(attributes);
		put_buffer(v, HEAD_LINES + (int)(i - v->first), 0, &text);
		attroff(attributes);
	}
	if (v->watch->n_shown && v->filter[0] && v->n_lines == v->watch->n_shown)
		put(v, HEAD_LINES + (int)v->n_lines + 1, 0,
		    "No region is called so.  Esc shows all of them again.");
	if (!v->watch->n_shown && v->of->child->pid)
		put(v, HEAD_LINES + 1, 0, "The command has no regions yet.");
	else if (!v->watch->n_shown)
		put(v, HEAD_LINES + 1, 0,
		    "No program is being measured.  Start one: pmu run COMMAND, or pmu top COMMAND.");
}

static void draw_foot(const struct pmu_top_view *v)
{
	struct pmu_strbuf text = { 0 };
	const int y = LINES - 1;

	if (v->is_typing) {
		pmu_strbuf_addf(&text, "filter: %s", v->typed);
		put_buffer(v, y, 0, &text);
		attron(A_REVERSE);
		addch(' ');
		attroff(A_REVERSE);
		return;
	}
	attron(A_DIM);
	put(v, y, 0,
	    v->message
		    ? v->message
		    : "q quit  ? help  < > sort  r reverse  / filter  t tree or list  space pause");
	attroff(A_DIM);
	if (v->n_lines > pmu_top_room()) {
		pmu_strbuf_addf(&text, " %zu-%zu of %zu", v->first + 1,
				v->first + pmu_top_room() < v->n_lines ? v->first + pmu_top_room()
								       : v->n_lines,
				v->n_lines);
		if ((int)text.len + 72 < (int)pmu_top_width())
			put(v, y, (int)pmu_top_width() - (int)text.len, pmu_strbuf_text(&text));
		pmu_strbuf_free(&text);
	}
}

static const char *const help_words[] = {
	"calls/s    calls that have ended, a second",
	"% time     of all threads; of calls that go on, too",
	"self       the same without regions nested in it",
	"a call     time of one, on average",
	"thr        threads that are in it now, of those that have been",
	"open       how long the first one has been in it; <1 s: less, >5 s: more",
	"~          an estimate: a call is in it in part",
	"~ 50%      a function's share of the region's own samples",
	"A blank is a number that is not known.",
};

static void draw_help(const struct pmu_top_view *v)
{
	int y = 0;

	attron(A_BOLD);
	put(v, y++, 0, "pmu top");
	attroff(A_BOLD);
	for (const struct pmu_top_key *key = pmu_top_keys; key->act; key++) {
		if (!key->label)
			continue;
		put(v, y, 2, key->label);
		put(v, y++, 14, key->help);
	}
	y++;
	for (size_t i = 0; i < PMU_ARRAY_LEN(help_words); i++)
		put(v, y++, 2, help_words[i]);
}

void pmu_top_draw(const struct pmu_top_view *v)
{
	erase();
	if (v->is_helping) {
		draw_help(v);
	} else {
		draw_status(v);
		draw_titles(v);
		draw_lines(v);
		draw_foot(v);
	}
	refresh();
}
