/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu top`: what the regions of running programs do now. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "base/time.h"
#include "bindings/command/command.h"
#include "bindings/command/complete/complete.h"
#include "bindings/command/top/child.h"
#include "bindings/command/top/json.h"
#include "bindings/command/top/screen.h"
#include "bindings/command/top/table.h"
#include "bindings/command/top/watch.h"
#include "report/report.h"
#include "report/text/terminal.h"

#define SECOND_NS   1000000000u
#define PLAIN_WIDTH 100u

/** The command line. */
struct request {
	bool once, json, flat, regions, sample;
	const char *interval, *count, *sort, *filter;
	const char *group, *events, *output; /* for `pmu run` */
	uint64_t interval_ns, n;
	struct pmu_top_wanted wanted;
	char **command; /* NULL: none */
	struct pmu_top_order order;
};

/* --- the command line --- */

static const struct {
	const char *name;
	enum pmu_top_what what;
} keys[] = {
	{ "name", PMU_TOP_NAME },  { "calls", PMU_TOP_CALLS },     { "share", PMU_TOP_SHARE },
	{ "time", PMU_TOP_SHARE }, { "self", PMU_TOP_SELF },       { "mean", PMU_TOP_MEAN },
	{ "open", PMU_TOP_OPEN },  { "threads", PMU_TOP_THREADS },
};

/* A name that is none of them is a metric or count, not known before the first look. */
static void set_order(struct request *request)
{
	struct pmu_top_field *by = &request->order.by;

	request->order.flat = request->flat;
	request->order.filter = request->filter;
	/* JSON has them in each region */
	request->order.functions = !request->json && !request->regions;
	by->start = request->interval_ns == 0;
	by->what = request->sort ? PMU_TOP_VALUE : request->flat ? PMU_TOP_SELF : PMU_TOP_SHARE;
	by->value.name = request->sort;
	for (size_t i = 0; request->sort && i < PMU_ARRAY_LEN(keys); i++)
		if (!strcmp(request->sort, keys[i].name))
			by->what = keys[i].what;
}

static int take_interval(const struct pmu_command *self, struct request *request)
{
	int rc = pmu_command_interval(self, request->interval, &request->interval_ns);

	if (!rc && !request->interval_ns && !request->once && !request->json)
		return pmu_command_usage_error(
			self, "--interval 0 is of --once and --json: what was since the start");
	return rc;
}

static int take_count(const struct pmu_command *self, struct request *request)
{
	request->n = request->once || !request->interval_ns ? 1 : 0;
	if (request->count && (pmu_parse_u64(request->count, &request->n) < 0 || !request->n))
		return pmu_command_usage_error(self, "--count %s: say how many looks",
					       request->count);
	return 0;
}

/* A number is a process; anything else, and whatever follows "--", a command. */
static int take_words(const struct pmu_command *self, int n, char **word, bool is_command,
		      struct request *request)
{
	uint64_t pid;

	if (!n && is_command)
		return pmu_command_usage_error(self, "which command?");
	if (!n)
		return 0;
	if (is_command || pmu_parse_u64(word[0], &pid) < 0) {
		request->command = word;
		return 0;
	}
	if (n > 1)
		return pmu_command_usage_error(
			self, "one process; behind -- a command that is called %s", word[0]);
	if (!pid || pid > INT32_MAX)
		return pmu_command_usage_error(self, "%s is no process", word[0]);
	request->wanted.pid = (pid_t)pid;
	return 0;
}

static int check_top(const struct pmu_command *self, const struct request *request)
{
	if ((request->group || request->events || request->output || request->sample) &&
	    !request->command)
		return pmu_command_usage_error(
			self, "-g, -e, -o and --sample are of a command that is run");
	if (request->once && request->count)
		return pmu_command_usage_error(self, "--once or --count?");
	return 0;
}

static const struct pmu_option top_options[] = {
	{ "--once", PMU_OPTION_FLAG(struct request, once),
	  .help = "no view: a table after one interval" },
	{ "--json", PMU_OPTION_FLAG(struct request, json),
	  .help = "no view: a line of JSON after each interval" },
	{ "--interval", 'i', "TIME", PMU_OPTION_TEXT(struct request, interval),
	  .help = "1s if not said otherwise: 200ms; 0 with --once or --json: at once, and what was since the start alone" },
	{ "--count", 'n', "N", PMU_OPTION_TEXT(struct request, count),
	  .help = "so many looks; without it until 'q', or until PID or COMMAND has ended" },
	{ "--flat", PMU_OPTION_FLAG(struct request, flat), .help = "a list instead of a tree" },
	{ "--regions", PMU_OPTION_FLAG(struct request, regions),
	  .help = "regions alone: not the functions below them, in which 'pmu run' has sampled them" },
	{ "--sort", .argument = "KEY", PMU_OPTION_TEXT(struct request, sort),
	  .words = "share self calls mean open threads name",
	  .help = "by share, self, calls, mean (time of a call), open, threads, name, or the name of a metric or count" },
	{ "--filter", .argument = "TEXT", PMU_OPTION_TEXT(struct request, filter),
	  .help = "only regions in whose name or path it is; or whose name or path matches, where there is a *, ? or [ in it" },
	{ "--group", 'g', "GROUP", PMU_OPTION_TEXT(struct request, group),
	  .complete = pmu_complete_groups, .help = "what is counted of COMMAND, as for 'pmu run'" },
	{ "--events", 'e', "EVENTS", PMU_OPTION_TEXT(struct request, events),
	  .complete = pmu_complete_events, .help = "likewise" },
	{ "--sample", PMU_OPTION_FLAG(struct request, sample),
	  .help = "more often in which functions COMMAND spends its time: 'pmu run --sample'" },
	{ "--output", 'o', "OUT", PMU_OPTION_TEXT(struct request, output),
	  .complete = pmu_complete_outputs, .help = "where its report goes when it has ended" },
	{ 0 },
};

static int parse_top(const struct pmu_command *self, int argc, char **argv, struct request *request)
{
	bool is_command = false;
	int i, rc = 0;

	for (i = 1; i < argc && argv[i][0] == '-' && !is_command && !rc; i++) {
		is_command = !strcmp(argv[i], "--");
		if (!is_command)
			rc = pmu_command_option(self, top_options, request, argv, &i);
	}
	if (!rc)
		rc = take_words(self, argc - i, argv + i, is_command, request);
	if (!rc)
		rc = take_interval(self, request);
	if (!rc)
		rc = take_count(self, request);
	if (!rc)
		rc = check_top(self, request);
	if (!rc)
		set_order(request);
	return rc;
}

/* --- for scripts --- */

static void put_plain_table(struct pmu_strbuf *out, const struct pmu_top_watch *watch,
			    const struct request *request)
{
	struct pmu_text_options options = { .columns = PLAIN_WIDTH };
	struct pmu_top_layout layout;
	struct pmu_top_line *line;
	size_t n = 0;

	if (!watch->n_shown) {
		pmu_strbuf_add(out, "No program is being measured.\n");
		return;
	}
	pmu_terminal_fit(&options, STDOUT_FILENO);
	pmu_top_layout(&layout, watch->shown, watch->n_shown, options.columns, 0);
	line = pmu_top_lines(watch->shown, watch->n_shown, &request->order, &n);
	pmu_top_put_overs(out, &layout);
	pmu_strbuf_add(out, "\n");
	pmu_top_put_titles(out, &layout);
	pmu_strbuf_add(out, "\n");
	for (size_t i = 0; i < n; i++) {
		pmu_top_put_line(out, &layout, &line[i], !request->flat);
		pmu_strbuf_add(out, "\n");
	}
	out->failed |= !line;
	free(line);
}

static int print(const struct pmu_top_watch *watch, const struct request *request, bool first)
{
	struct pmu_strbuf out = { 0 };

	if (request->json) {
		pmu_top_put_json(&out, watch->shown, watch->n_shown, &request->order,
				 pmu_time_now_ns(CLOCK_REALTIME));
	} else {
		pmu_strbuf_add(&out, first ? "" : "\n");
		put_plain_table(&out, watch, request);
	}
	return pmu_command_print(&out);
}

/* A second after the last one, however long that took. */
static void wait_until(uint64_t ns)
{
	const struct timespec at = { .tv_sec = (time_t)(ns / SECOND_NS),
				     .tv_nsec = (long)(ns % SECOND_NS) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

/* Each time that there are more of them. */
static void tell_unread(const struct pmu_top_watch *watch, unsigned int *told)
{
	if (watch->n_unread > *told)
		pmu_command_error("%s", watch->why);
	*told = watch->n_unread;
}

static int run_plain(struct pmu_top_watch *watch, const struct request *request,
		     struct pmu_top_child *child)
{
	uint64_t at = pmu_time_now_ns(CLOCK_MONOTONIC), printed = 0;
	unsigned int told = 0;
	int rc = 0;

	while (!rc && (!request->n || printed < request->n)) {
		/* a command that has ended by now is looked at once more */
		bool over = request->command && pmu_top_child_look(child);

		if (request->interval_ns && !over) {
			at += request->interval_ns;
			wait_until(at);
		}
		if (request->interval_ns && pmu_top_watch_look(watch) < 0) {
			pmu_command_error("no memory");
			return PMU_EXIT_FAILED;
		}
		rc = print(watch, request, !printed++);
		tell_unread(watch, &told);
		if (over || (request->wanted.pid && !watch->n_running))
			break;
	}
	return rc;
}

/* --- all of it --- */

static int start_child(const struct request *request, bool aside, struct pmu_top_child *child)
{
	const char *options[2 * 3 + 2] = { NULL };
	size_t n = 0;
	const struct {
		const char *name, *value;
	} given[] = { { "-g", request->group },
		      { "-e", request->events },
		      { "-o", request->output } };

	for (size_t i = 0; i < PMU_ARRAY_LEN(given); i++) {
		if (!given[i].value)
			continue;
		options[n++] = given[i].name;
		options[n++] = given[i].value;
	}
	if (request->sample)
		options[n++] = "--sample";
	if (!pmu_top_child_start(options, request->command, aside, child))
		return 0;
	pmu_command_error("%s", pmu_error_text());
	return PMU_EXIT_FAILED;
}

/* Where nothing is found of the one process that was asked for. */
static int refuse_process(const struct request *request)
{
	const long pid = (long)request->wanted.pid;

	if (kill(request->wanted.pid, 0) && errno == ESRCH)
		pmu_command_error("there is no process %ld", pid);
	else
		pmu_command_error("process %ld is not being measured, or its store cannot be read "
				  "by this user; 'pmu report' lists the stores that can",
				  pid);
	return PMU_EXIT_FAILED;
}

static int run_screen(struct pmu_top_watch *watch, const struct request *request,
		      struct pmu_top_child *child)
{
	const struct pmu_top_screen screen = { .watch = watch,
					       .child = child,
					       .order = request->order,
					       .interval_ns = request->interval_ns,
					       .count = request->n };

	if (!pmu_top_screen_run(&screen))
		return 0;
	pmu_command_error("%s", pmu_error_text());
	return PMU_EXIT_FAILED;
}

static int run(const struct request *request, bool plain)
{
	struct pmu_top_child child = { .output = -1 };
	struct pmu_top_watch watch = { .wanted = request->wanted };
	int rc = request->command ? start_child(request, !plain, &child) : 0;

	if (rc)
		return rc;
	watch.wanted.run = child.pid;
	if (pmu_top_watch_look(&watch) < 0) {
		pmu_command_error("no memory");
		rc = PMU_EXIT_FAILED;
	} else if (request->wanted.pid && !watch.n) {
		rc = refuse_process(request);
	} else {
		rc = plain ? run_plain(&watch, request, &child)
			   : run_screen(&watch, request, &child);
		if (!rc && request->wanted.pid && !watch.n_shown && watch.why[0]) {
			if (!plain || !watch.n_unread)
				pmu_command_error("%s", watch.why);
			rc = PMU_EXIT_FAILED;
		}
	}
	pmu_top_watch_free(&watch);
	if (child.pid) {
		int status = pmu_top_child_finish(&child);

		rc = rc ? rc : status;
	}
	return rc;
}

static int run_top(const struct pmu_command *self, int argc, char **argv)
{
	struct request request = { 0 };
	int rc = parse_top(self, argc, argv, &request);
	bool plain = request.once || request.json;

	if (rc)
		return rc;
	if (!plain && request.filter && strlen(request.filter) >= PMU_TOP_FILTER_MAX)
		return pmu_command_usage_error(
			self, "--filter: the view takes %d characters; --once and --json take more",
			PMU_TOP_FILTER_MAX - 1);
	if (!plain && (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)))
		return pmu_command_usage_error(self,
					       "it takes a terminal; --once and --json do without");
	if (!plain && pmu_top_screen_why_not()[0]) {
		pmu_command_error("no view on a terminal: %s; --once and --json do without",
				  pmu_top_screen_why_not());
		return PMU_EXIT_FAILED;
	}
	return run(&request, plain);
}

const struct pmu_command pmu_command_live = {
	.name = "top",
	.usage = "top [OPTION]... [PID | [--] COMMAND...]",
	.about = "watch the regions of programs that are running",
	.help = "Shows what the regions of all measured programs of this user do, of process PID, also one in a\n"
		"container, or of a COMMAND that it runs as 'pmu run' does: over the last second and since the start.\n"
		"It reads their stores, and asks 'pmu run' for what it has sampled, functions below regions;\n"
		"the programs do not notice.\n",
	.dashes = "what follows is the command",
	.options = top_options,
	.more = "In the view '?' tells the keys. 'q' leaves it; what COMMAND has printed comes then, and its end is\n"
		"waited for.  With --once and --json it goes to standard error.\n",
	.run = run_top,
};
