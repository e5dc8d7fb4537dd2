/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report of a program beside the books of its threads: every region must have counted what it
 * did.
 */
#ifndef PMU_TESTS_EXACT_NET_H
#define PMU_TESTS_EXACT_NET_H

#include <pmu.h>

#include "steps.h"
#include "tap.h"

#define NET_THREADS 16
#define NET_FIELDS  64
#define NET_SHOWN   10

/* What is known of each count; the first one must be there. */
static const struct net_known {
	const char *title;
	enum steps_event event;
} net_known[] = {
	{ "net:instructions", STEPS_INSTRUCTIONS },
	{ "net:cycles", STEPS_INSTRUCTIONS },
	{ "net:branches", STEPS_BRANCHES },
};
#define NET_KNOWN (sizeof(net_known) / sizeof(*net_known))

/** Reads a report from its start; a line at a time is in @field. */
struct net_report {
	char *at;
	const char *field[NET_FIELDS];
	int n_fields;
	int path, thread, calls, count[NET_KNOWN]; /* which field; -1: none */
};

struct net_result {
	int regions, wrong, missing;
};

/* A field ends with a comma or its line; quotes around it and doubled ones in it are taken off. */
static char *net_field(char **at, bool *last)
{
	char *text = *at, *to = text, *from = text;
	bool quoted = *from == '"';

	from += quoted;
	while (*from && (quoted || (*from != ',' && *from != '\n'))) {
		if (quoted && *from == '"' && *++from != '"')
			quoted = false;
		else
			*to++ = *from++;
	}
	*last = *from != ',';
	*at = from + (*from != '\0');
	*to = '\0';
	return text;
}

static bool net_line(struct net_report *report)
{
	bool last = !*report->at;

	report->n_fields = 0;
	if (last)
		return false;
	while (!last && report->n_fields < NET_FIELDS)
		report->field[report->n_fields++] = net_field(&report->at, &last);
	return true;
}

static int net_column(const struct net_report *report, const char *title)
{
	for (int i = 0; i < report->n_fields; i++)
		if (!strcmp(report->field[i], title))
			return i;
	return -1;
}

static bool net_open(struct net_report *report, char *text)
{
	memset(report, 0, sizeof(*report));
	report->at = text;
	if (!net_line(report))
		return false;
	report->path = net_column(report, "path");
	report->thread = net_column(report, "thread");
	report->calls = net_column(report, "calls");
	for (size_t i = 0; i < NET_KNOWN; i++)
		report->count[i] = net_column(report, net_known[i].title);
	return report->path >= 0 && report->thread >= 0 && report->calls >= 0;
}

/* Rows come nearly in the order of the book. */
/* Under `pmu run` all of it may be in main, which is a region then, and in threads begun there. */
static const char *net_path(const struct net_report *report)
{
	const char *path = report->field[report->path];

	path += strncmp(path, "main/", 5) ? 0 : 5;
	return strncmp(path, "thread/", 7) ? path : path + 7;
}

static int net_find(const struct steps_book *book, const char *path, int *last)
{
	for (int i = 0; i < book->n_regions; i++) {
		int at = (*last + 1 + i) % book->n_regions;

		if (!strcmp(book->region[at].path, path))
			return *last = at;
	}
	return -1;
}

/* The row's thread; -1: none.  "team" before it: what it did for another thread's region. */
static int net_thread(const struct net_report *report)
{
	const char *thread = report->field[report->thread];

	if (!strncmp(thread, "team ", 5))
		thread += 5;
	return *thread >= '0' && *thread <= '9' ? atoi(thread) % NET_THREADS : -1;
}

static void net_compare(const struct net_report *report, const struct steps_region *region,
			struct net_result *result)
{
	bool wrong = strtoull(report->field[report->calls], NULL, 10) != region->calls,
	     missing = false;

	for (size_t i = 0; i < NET_KNOWN; i++) {
		const char *got = report->count[i] < 0 || report->count[i] >= report->n_fields
					  ? ""
					  : report->field[report->count[i]];
		uint64_t want = region->want.of[net_known[i].event];

		if (report->count[i] < 0 && i > 0)
			continue;
		if (!*got) {
			missing = true;
		} else if (strtoull(got, NULL, 10) != want) {
			if (!wrong && result->wrong < NET_SHOWN)
				diag("%.60s: %s %s instead of %" PRIu64 " in %s calls",
				     region->path, net_known[i].title + 4, got, want,
				     report->field[report->calls]);
			wrong = true;
		}
	}
	result->regions++;
	result->wrong += wrong;
	result->missing += missing && !wrong;
}

/* Which book is that of the report's thread: the first region of each has a name of its own. */
static void net_threads(const struct steps_book *const book[], int n, int which[NET_THREADS],
			char *text)
{
	struct net_report report;

	for (int i = 0; i < NET_THREADS; i++)
		which[i] = -1;
	for (bool more = net_open(&report, text); more; more = net_line(&report))
		for (int i = 0; i < n; i++)
			if (report.n_fields > report.calls &&
			    !strcmp(net_path(&report), book[i]->region[0].path) &&
			    net_thread(&report) >= 0)
				which[net_thread(&report)] = i;
}

static struct net_result net_rows(const struct steps_book *const book[],
				  const int which[NET_THREADS], char *text)
{
	struct net_result result = { 0, 0, 0 };
	struct net_report report;
	int last[NET_THREADS] = { 0 };

	for (bool more = net_open(&report, text) && net_line(&report); more;
	     more = net_line(&report)) {
		int i, at;

		if (report.n_fields <= report.calls || net_thread(&report) < 0)
			continue;
		i = which[net_thread(&report)];
		/* the opener keeps these open and does no known work */
		if (i < 0 && !strncmp(net_path(&report), "opener's", 8))
			continue;
		at = i < 0 ? -1 : net_find(book[i], net_path(&report), &last[i]);
		if (at < 0 && (!strcmp(report.field[report.path], "main") ||
			       !strcmp(report.field[report.path], "main/thread")))
			continue;
		if (at < 0) {
			diag("nobody began %s in thread %s", report.field[report.path],
			     report.field[report.thread]);
			result.wrong++;
			continue;
		}
		net_compare(&report, &book[i]->region[at], &result);
	}
	return result;
}

/* Lines that were broken, in one. */
static void net_join(char *text)
{
	char *to = text;

	for (char *from = text; *from; from++)
		if (!strchr(" \n", *from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
}

__attribute__((unused)) static bool net_says_why(void)
{
	static const char *const reason[] = { "could not count ",
					      "cannot count ",
					      "not perf",
					      "not msr",
					      "nothing was counted from then on",
					      "missing from then on" };
	bool found = false;
	char *text;

	if (pmu_report_text("text", &text))
		return false;
	net_join(text);
	for (size_t i = 0; i < sizeof(reason) / sizeof(*reason); i++)
		found |= strstr(text, reason[i]) != NULL;
	if (!found)
		diag("no reason in the report: ... %s",
		     strlen(text) > 1500 ? text + strlen(text) - 1500 : text);
	free(text);
	return found;
}

/**
 * net_judge() - compare the report as it is now with what threads did
 * @book: of each thread; its first region has a name that no other thread uses
 * @n: threads
 *
 * With TEST_MISSING=1 counts may be missing where the report tells why.
 */
__attribute__((unused)) static void net_judge(const struct steps_book *const book[], int n)
{
	bool may_miss = getenv("TEST_MISSING") && atoi(getenv("TEST_MISSING"));
	struct net_result result;
	int which[NET_THREADS], want = 0;
	char *text, *again;

	for (int i = 0; i < n; i++)
		want += book[i]->n_regions;
	if (!is_int(pmu_report_text("csv", &text), 0, "a report"))
		return;
	again = strdup(text);
	net_threads(book, n, which, text);
	result = net_rows(book, which, again);
	ok(result.regions == want && !result.wrong, "%d regions are exact", want);
	ok(!result.missing || (may_miss && net_says_why()), "and no count is missing%s",
	   may_miss ? " without its reason" : "");
	diag("net: %d regions, %d wrong, %d missing", want, result.wrong + want - result.regions,
	     result.missing);
	free(text);
	free(again);
}

#endif
