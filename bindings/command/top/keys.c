/* SPDX-License-Identifier: BSD-3-Clause */
/* The view's keys. */
#include <stdlib.h>
#include <string.h>

#include "bindings/command/top/view.h"

#define ESCAPE   27
#define LEAST_NS 100000000u
#define MOST_NS  60000000000u

static void do_quit(struct pmu_top_view *v)
{
	v->is_done = true;
}

static void do_help(struct pmu_top_view *v)
{
	v->is_helping = !v->is_helping;
}

static void do_pause(struct pmu_top_view *v)
{
	v->is_paused = !v->is_paused;
	v->next_ns = v->is_paused ? v->next_ns : 0;
}

static void do_flat(struct pmu_top_view *v)
{
	v->order.flat = !v->order.flat;
	v->first = 0;
}

static void do_functions(struct pmu_top_view *v)
{
	v->order.functions = !v->order.functions;
}

static void do_reverse(struct pmu_top_view *v)
{
	v->order.reverse = !v->order.reverse;
}

static void do_filter(struct pmu_top_view *v)
{
	v->is_typing = true;
	strcpy(v->typed, v->filter);
}

static void do_all(struct pmu_top_view *v)
{
	v->filter[0] = '\0';
}

/* A column's texts go with the look that it is of: the order keeps its own. */
static void sort_by(struct pmu_top_view *v, const struct pmu_top_field *field)
{
	const bool is_value = field->what == PMU_TOP_VALUE;
	char *name = is_value ? strdup(field->value.name) : NULL;
	char *unit = is_value && field->value.unit ? strdup(field->value.unit) : NULL;

	if (is_value && (!name || (field->value.unit && !unit))) {
		free(name);
		free(unit);
		return;
	}
	free(v->by_name);
	free(v->by_unit);
	v->by_name = name;
	v->by_unit = unit;
	v->order.by = *field;
	v->order.by.value.name = name;
	v->order.by.value.unit = unit;
}

/* Name, then the columns from the left: -1 is the name's place. */
static void sort_by_column(struct pmu_top_view *v, int step)
{
	static const struct pmu_top_field by_name = { .what = PMU_TOP_NAME };
	const int n = (int)v->layout.n_columns;
	int at = -1;

	for (int i = 0; i < n; i++)
		if (pmu_top_is_sorted_by(v, &v->layout.column[i].field))
			at = i;
	at = (at + 1 + step + n + 1) % (n + 1) - 1;
	sort_by(v, at < 0 ? &by_name : &v->layout.column[at].field);
}

static void do_sort_left(struct pmu_top_view *v)
{
	sort_by_column(v, -1);
}

static void do_sort_right(struct pmu_top_view *v)
{
	sort_by_column(v, 1);
}

static void do_more(struct pmu_top_view *v)
{
	v->first_value++;
}

static void do_fewer(struct pmu_top_view *v)
{
	v->first_value -= v->first_value > 0;
}

static void scroll_by(struct pmu_top_view *v, long lines)
{
	v->first = lines < 0 && v->first < (size_t)-lines ? 0 : v->first + (size_t)lines;
}

static void do_up(struct pmu_top_view *v)
{
	scroll_by(v, -1);
}

static void do_down(struct pmu_top_view *v)
{
	scroll_by(v, 1);
}

static void do_page_up(struct pmu_top_view *v)
{
	scroll_by(v, -(long)pmu_top_room());
}

static void do_page_down(struct pmu_top_view *v)
{
	scroll_by(v, (long)pmu_top_room());
}

static void do_begin(struct pmu_top_view *v)
{
	v->first = 0;
}

static void do_end(struct pmu_top_view *v)
{
	v->first = v->n_lines;
}

static void do_slower(struct pmu_top_view *v)
{
	v->interval_ns = 2 * v->interval_ns < MOST_NS ? 2 * v->interval_ns : MOST_NS;
}

static void do_faster(struct pmu_top_view *v)
{
	v->interval_ns = v->interval_ns / 2 > LEAST_NS ? v->interval_ns / 2 : LEAST_NS;
	v->next_ns = 0;
}

static void do_redraw(struct pmu_top_view *v)
{
	(void)v;
	clear();
}

const struct pmu_top_key pmu_top_keys[] = {
	{ { 'q', 'Q' }, do_quit, "q", "leave" },
	{ { '?', 'h', KEY_F(1) }, do_help, "? h", "this help" },
	{ { '<', ',' }, do_sort_left, "< >", "sort by the column to the left or right" },
	{ { '>', '.' }, do_sort_right, NULL, NULL },
	{ { 'r' }, do_reverse, "r", "the other way round" },
	{ { '/' },
	  do_filter,
	  "/",
	  "only regions with that in their path; * ? [ make it a pattern" },
	{ { ESCAPE }, do_all, "Esc", "all regions again" },
	{ { 't', 'T' }, do_flat, "t", "tree or list" },
	{ { 'f', 'F' }, do_functions, "f", "functions that samples saw, or regions alone" },
	{ { ' ', 'p' }, do_pause, "space p", "stand still; the programs go on" },
	{ { KEY_RIGHT, 'l' }, do_more, "left right", "other metrics and counts" },
	{ { KEY_LEFT }, do_fewer, NULL, NULL },
	{ { '+' }, do_slower, "+ -", "look half as often, or twice" },
	{ { '-' }, do_faster, NULL, NULL },
	{ { KEY_UP, 'k' }, do_up, "up down", "scroll; also by Page Up, Page Down, Home and End" },
	{ { KEY_DOWN, 'j' }, do_down, NULL, NULL },
	{ { KEY_PPAGE }, do_page_up, NULL, NULL },
	{ { KEY_NPAGE }, do_page_down, NULL, NULL },
	{ { KEY_HOME }, do_begin, NULL, NULL },
	{ { KEY_END }, do_end, NULL, NULL },
	{ { 'L' - 64 }, do_redraw, "Ctrl-L", "draw anew" },
	{ .act = NULL },
};

/* A line of text, as far as it is plain. */
static void type_key(struct pmu_top_view *v, int key)
{
	size_t len = strlen(v->typed);

	if (key == '\n' || key == '\r' || key == KEY_ENTER) {
		strcpy(v->filter, v->typed);
		v->is_typing = false;
		v->first = 0;
	} else if (key == ESCAPE) {
		v->is_typing = false;
	} else if (key == KEY_BACKSPACE || key == 127 || key == 8) {
		if (len)
			v->typed[len - 1] = '\0';
	} else if (key == 'U' - 64) {
		v->typed[0] = '\0';
	} else if (key >= ' ' && key < 127 && len + 1 < sizeof(v->typed)) {
		v->typed[len] = (char)key;
		v->typed[len + 1] = '\0';
	}
}

void pmu_top_take_key(struct pmu_top_view *v, int key)
{
	if (key == ERR || key == KEY_RESIZE || !key)
		return;
	if (v->is_typing) {
		type_key(v, key);
		return;
	}
	/* any key leaves the help, and does nothing else */
	if (v->is_helping && key != 'q') {
		v->is_helping = false;
		return;
	}
	for (const struct pmu_top_key *at = pmu_top_keys; at->act; at++)
		for (size_t i = 0; i < PMU_ARRAY_LEN(at->key); i++)
			if (at->key[i] == key) {
				at->act(v);
				return;
			}
}
