/* SPDX-License-Identifier: BSD-3-Clause */
/* The view on a terminal, by ncurses: looks, draws, and waits for a key. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/time.h"
#include "bindings/command/top/view.h"

#define DELAY_MS 25 /* within which the rest of a key's sequence comes */

/* Of signals that ask us to go: the terminal is put back first. */
static volatile sig_atomic_t asked_to_go;

static void ask_to_go(int number)
{
	asked_to_go = number;
}

static void arrange(struct pmu_top_view *v)
{
	const size_t room = pmu_top_room();

	pmu_top_layout(&v->layout, v->watch->shown, v->watch->n_shown, pmu_top_width(),
		       v->first_value);
	v->first_value = v->layout.first_value;
	free(v->line);
	v->order.filter = v->filter;
	v->line = pmu_top_lines(v->watch->shown, v->watch->n_shown, &v->order, &v->n_lines);
	if (v->n_lines <= room)
		v->first = 0;
	else if (v->first > v->n_lines - room)
		v->first = v->n_lines - room;
}

/* --- the terminal --- */

const char *pmu_top_screen_why_not(void)
{
	return "";
}

static bool wants_color(void)
{
	const char *no_color = getenv("NO_COLOR");

	return !(no_color && *no_color) && has_colors();
}

static SCREEN *open_screen(struct pmu_top_view *v)
{
	SCREEN *screen;

	setlocale(LC_CTYPE, "");
	v->is_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return NULL;
	set_escdelay(DELAY_MS);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	v->is_colored = wants_color();
	if (v->is_colored) {
		start_color();
		use_default_colors();
		init_pair(PMU_TOP_WARN, COLOR_YELLOW, -1);
		init_pair(PMU_TOP_BAD, COLOR_RED, -1);
	}
	return screen;
}

static void close_screen(SCREEN *screen)
{
	endwin();
	delscreen(screen);
	setlocale(LC_CTYPE, "C");
}

/* Not restarted: a key that is waited for comes to nothing then. */
static void hold_signals(struct sigaction *before)
{
	const int number[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = ask_to_go };

	asked_to_go = 0;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < PMU_ARRAY_LEN(number); i++)
		sigaction(number[i], &action, &before[i]);
}

static void release_signals(const struct sigaction *before)
{
	const int number[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < PMU_ARRAY_LEN(number); i++)
		sigaction(number[i], &before[i], NULL);
}

/* --- all of it --- */

static int look_when_due(struct pmu_top_view *v)
{
	uint64_t now = pmu_time_now_ns(CLOCK_MONOTONIC);

	if (v->is_paused || now < v->next_ns)
		return 0;
	v->next_ns = now + v->interval_ns;
	if (pmu_top_watch_look(v->watch) < 0)
		return pmu_fail(ENOMEM, "no memory for what the stores hold");
	v->message = NULL;
	if (v->of->child->pid && pmu_top_child_look(v->of->child))
		v->message = "The command has ended; q leaves, and prints what it has printed.";
	else if (v->watch->n_unread)
		v->message = v->watch->why;
	else if (v->watch->wanted.pid && !v->watch->n_running)
		v->message = "The program has ended; q leaves.";
	/* one that had no regions has nothing to be seen */
	v->is_done |= v->of->child->has_ended && !v->watch->n_shown;
	v->is_done |= v->of->count && v->watch->n_looks > v->of->count;
	return 0;
}

static int until_next(const struct pmu_top_view *v)
{
	uint64_t now = pmu_time_now_ns(CLOCK_MONOTONIC);

	if (v->is_paused)
		return 200; /* signals that ask us to go */
	return now >= v->next_ns ? 0 : (int)((v->next_ns - now) / 1000000 + 1);
}

static int show_screen(struct pmu_top_view *v)
{
	int rc = 0;

	v->next_ns = pmu_time_now_ns(CLOCK_MONOTONIC) + v->interval_ns / 4;
	while (!rc && !v->is_done && !asked_to_go) {
		rc = look_when_due(v);
		arrange(v);
		if (!v->line && !rc)
			rc = pmu_fail(ENOMEM, "no memory for the lines of the view");
		if (rc)
			break;
		pmu_top_draw(v);
		timeout(until_next(v));
		pmu_top_take_key(v, getch());
	}
	return rc;
}

int pmu_top_screen_run(const struct pmu_top_screen *screen)
{
	struct pmu_top_view v = { .of = screen,
				  .watch = screen->watch,
				  .order = screen->order,
				  .interval_ns = screen->interval_ns };
	struct sigaction before[3];
	SCREEN *terminal;
	int rc;

	if (v.order.filter)
		snprintf(v.filter, sizeof(v.filter), "%s", v.order.filter);
	terminal = open_screen(&v);
	if (!terminal) {
		const char *term = getenv("TERM");

		return pmu_fail(
			ENOTTY,
			"this terminal is not known (TERM=%s); --once and --json do without one",
			term ? term : "");
	}
	hold_signals(before);
	rc = show_screen(&v);
	close_screen(terminal);
	release_signals(before);
	free(v.line);
	free(v.by_name);
	free(v.by_unit);
	if (asked_to_go > 0 && asked_to_go != SIGINT && screen->child->pid &&
	    !screen->child->has_ended)
		kill(screen->child->pid, asked_to_go);
	return rc;
}
