/* SPDX-License-Identifier: BSD-3-Clause */
/* Results as a table for people. */
#include "bench/suite/suite.h"

#include <stdio.h>
#include <string.h>

#include "pmu.h"

#define AROUND 60 /* instructions of a pass, at most, beside its loop */

static struct {
	bool times, bare, counted[N_WHAT], any, differs; /* any: something was counted */
	const struct surroundings *where;
} shown;

static const char *const headings[N_WHAT] = {
	[INSTRUCTIONS] = "instructions",
	[BRANCHES] = "branches",
	[MISPREDICTED] = "mispredicted",
	[LINES] = "LL misses",
};

const char *size_text(size_t bytes)
{
	static char text[24];
	int unit = 0;

	for (; bytes && bytes % 1024 == 0 && unit < 3; unit++)
		bytes /= 1024;
	snprintf(text, sizeof(text), "%zu%.1s", bytes, unit ? &"KMG"[unit - 1] : "");
	return text;
}

/* Four digits that mean something, in @width columns; nothing for a number that is missing. */
static void number(double value, int width)
{
	double size = fabs(value);

	if (isnan(value))
		printf(" %*s", width, "");
	else
		printf(" %*.*f", width,
		       size >= 1000 || size == 0 ? 0
		       : size >= 100             ? 1
		       : size >= 10              ? 2
		       : size >= 1               ? 3
						 : 4,
		       value);
}

static void rate(double value, const char *unit)
{
	static const struct {
		double factor;
		const char *prefix;
	} prefixes[] = { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" } };
	/* as they are written: GB/s and Gflop/s, but G access/s */
	const char *space = strlen(unit) == 1 || !strcmp(unit, "flop") ? "" : " ";
	size_t i = 0;
	char text[40];

	while (i < 3 && value < prefixes[i].factor)
		i++;
	value /= prefixes[i].factor;
	snprintf(text, sizeof(text), "%.*f %s%s%s/s",
		 value < 10    ? 2
		 : value < 100 ? 1
			       : 0,
		 value, prefixes[i].prefix, space, unit);
	printf(" %18s", text);
}

static void head(const struct options *options, const struct surroundings *where)
{
	const struct {
		const char *name, *text;
	} lines[] = { { "machine", where->machine },
		      { "source", where->source },
		      { "", where->why_not },
		      { "", where->mend },
		      { "pinning", where->pinning } };

	printf("pmu-bench: ");
	if (options->calls)
		printf("%llu call%s of one pass", (unsigned long long)options->calls,
		       options->calls > 1 ? "s" : "");
	else
		printf("%g s a row", options->seconds);
	printf(" on %d thread%s; libpmu %s\n", options->n_threads,
	       options->n_threads > 1 ? "s" : "", PMU_VERSION_STRING);
	if (options->n_threads > where->processors)
		printf("  %-8s %d threads on %d processor%s: they take turns\n", "threads",
		       options->n_threads, where->processors, where->processors > 1 ? "s" : "");
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (*lines[i].text && (i < 2 || !where->simulated))
			printf("  %-8s %s\n", lines[i].name, lines[i].text);
	if (!options->cache && where->n_caches > 1)
		printf("  %-8s %d of %s in the last level\n", "caches", where->n_caches,
		       size_text(where->cache));
	else if (options->cache || where->cache)
		printf("  %-8s %s in the last level\n", "cache",
		       size_text(options->cache ? options->cache : where->cache));
}

static void text_begin(const struct options *options, const struct surroundings *where)
{
	bool any = false;

	shown.where = where;
	shown.times = !where->simulated;
	shown.bare = options->bare && shown.times;
	for (enum what what = 0; what < N_WHAT; what++)
		any |= shown.counted[what] = counts_name(what) != NULL;
	head(options, where);
	if (any) {
		printf("\nCounts are of one iteration.\n%*s",
		       25 + (shown.times ? 33 : 0) + (shown.bare ? 10 : 0), "");
		for (enum what what = 0; what < N_WHAT; what++)
			if (shown.counted[what])
				printf("  %17s", headings[what]);
	}
	printf("\n%-18s %6s", "kernel", "size");
	if (shown.times)
		printf(" %18s %13s", "rate", "iteration ns");
	if (shown.bare)
		printf(" %9s", "x bare");
	for (enum what what = 0; what < N_WHAT; what++)
		if (shown.counted[what])
			printf("  %8s %8s", "counted", "model");
	printf("\n");
	fflush(stdout);
}

/*
 * Of what is exact by nature; a predictor and a cache are only like their models.  What is around a
 * loop is in no model and as the compiler made it: it is seen where a pass is short.
 */
static bool differs(const struct result *result)
{
	double around = AROUND / result->iterations;

	for (enum what what = INSTRUCTIONS; what <= BRANCHES; what++)
		if (fabs(result->counted[what] - result->model[what]) >
		    0.01 * result->model[what] + around)
			return true;
	return false;
}

static void text_row(const struct result *result)
{
	printf("%-18s %6s", result->kernel->name, size_text(result->bytes));
	if (result->wrong) {
		printf("  %s\n", result->wrong);
		return;
	}
	if (shown.times) {
		rate(result->rate, result->kernel->unit);
		number(result->ns, 13);
	}
	if (shown.bare)
		printf(" %9.3f", result->of_bare);
	for (enum what what = 0; what < N_WHAT; what++) {
		shown.any |= !isnan(result->counted[what]);
		if (shown.counted[what]) {
			printf(" ");
			number(result->counted[what], 8);
			number(result->model[what], 8);
		}
	}
	if (differs(result)) {
		printf(" *");
		shown.differs = true;
	}
	printf("\n");
	fflush(stdout);
}

/* Why there is nothing beside the times. */
static const char *without_counts(void)
{
	if (!*shown.where->source)
		return "Measuring is switched off (PMU_ENABLE).";
	if (*shown.where->why_not && !shown.where->simulated)
		return "Nothing of this can be counted here; 'pmu-bench --emulate' counts by simulation.";
	return "Nothing is counted that has a place here.";
}

static void text_end(void)
{
	if (shown.differs)
		printf("\n* counted by more than 1 %% otherwise than the model has it\n");
	if (!shown.any)
		printf("\n%s\n", without_counts());
}

const struct writer suite_text = { text_begin, text_row, text_end };
