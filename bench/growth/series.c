/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of one quantity at several sizes, and how it grows with them. */
#include "bench/growth/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/common/json_text.h"

/*
 * What noise adds to the exponent of a time, at most: 0.25 is 1.7 times as much at eight times the
 * size.
 */
#define NOISE 0.25
/* What is exact grows by whole pages and pieces. */
#define STEPS 0.02

static bool json;
static int n_rows, n_missing;
static const char *heading = "";
static const struct sizes *sizes;

struct series series_for(const char *subject, const char *unit, enum target target, bool exact)
{
	struct series row = { .subject = subject, .unit = unit, .target = target, .exact = exact };

	for (int i = 0; i < MOST_SIZES; i++)
		row.value[i] = -1;
	return row;
}

void series_fail(struct series *row, const char *why)
{
	if (!row->note[0])
		snprintf(row->note, sizeof(row->note), "%s",
			 why && *why ? why : "no reason is known");
}

void series_begin(bool as_json)
{
	json = as_json;
	if (json)
		printf("{\"version\": 1, \"rows\": [");
}

void series_heading(const char *text, const struct sizes *of)
{
	heading = text;
	sizes = of;
	if (json)
		return;
	printf("\n%s\n%-46s", text, of->of);
	for (unsigned int i = 0; i < of->n; i++)
		printf(" %9u", of->size[i]);
	printf(" %-6s %6s  at most\n", "", "growth");
}

/* --- how it grows --- */

static bool is_missing(const struct series *row)
{
	for (unsigned int i = 0; i < sizes->n; i++)
		if (row->value[i] < 0)
			return true;
	return false;
}

/* The slope between the first size and the last in logarithms; NAN where there is none. */
static double growth_of(const struct series *row)
{
	unsigned int last = sizes->n - 1;

	if (is_missing(row) || sizes->n < 2 || row->value[0] <= 0 || row->value[last] <= 0)
		return NAN;
	return log(row->value[last] / row->value[0]) /
	       log((double)sizes->size[last] / sizes->size[0]);
}

static bool is_too_much(const struct series *row)
{
	double most = (row->target == LINEAR) + (row->exact ? STEPS : NOISE);

	if (row->target == NONE)
		for (unsigned int i = 0; i < sizes->n; i++)
			if (row->value[i] > 0)
				return true;
	if (row->target != LINEAR && row->target != FLAT)
		return false;
	return growth_of(row) > most;
}

/* --- text --- */

static void text_value(double value)
{
	if (value < 0)
		printf(" %9s", "-");
	else
		printf(" %9.*f",
		       value >= 1000 || value == floor(value) ? 0
		       : value >= 10                          ? 1
							      : 2,
		       value);
}

static void text_row(const struct series *row)
{
	static const char *const most[] = {
		[NO_TARGET] = "", [FLAT] = "0", [LINEAR] = "1", [NONE] = "none"
	};
	double growth = growth_of(row);

	printf("%-46s", row->subject);
	for (unsigned int i = 0; i < sizes->n; i++)
		text_value(row->value[i]);
	printf(" %-6s", row->unit);
	if (isnan(growth))
		printf(" %6s", "");
	else
		printf(" %6.2f", growth);
	printf("  %s", most[row->target]);
	if (is_too_much(row))
		printf("  more than that");
	if (row->note[0])
		printf("  not measured: %s", row->note);
	printf("\n");
	fflush(stdout);
}

/* --- JSON --- */

static void json_number(double value, bool known)
{
	if (known)
		printf("%.9g", value);
	else
		printf("null");
}

static void json_row(const struct series *row)
{
	static const char *const target[] = {
		[NO_TARGET] = "", [FLAT] = "flat", [LINEAR] = "linear", [NONE] = "none"
	};
	double growth = growth_of(row);

	printf("%s\n  {", n_rows ? "," : "");
	json_text("part", heading);
	printf(", ");
	json_text("subject", row->subject);
	printf(", ");
	json_text("of", sizes->of);
	printf(", \"sizes\": [");
	for (unsigned int i = 0; i < sizes->n; i++)
		printf("%s%u", i ? ", " : "", sizes->size[i]);
	printf("], ");
	json_text("unit", row->unit);
	printf(", \"values\": [");
	for (unsigned int i = 0; i < sizes->n; i++) {
		printf("%s", i ? ", " : "");
		json_number(row->value[i], row->value[i] >= 0);
	}
	printf("], \"growth\": ");
	json_number(growth, !isnan(growth));
	printf(", ");
	json_text("target", target[row->target]);
	printf(", \"exact\": %s, \"too_much\": %s, ", row->exact ? "true" : "false",
	       is_too_much(row) ? "true" : "false");
	json_text("note", row->note);
	printf("}");
	fflush(stdout);
}

void series_row(const struct series *row)
{
	if (json)
		json_row(row);
	else
		text_row(row);
	n_rows++;
	n_missing += is_missing(row);
}

int series_end(void)
{
	if (json)
		printf("\n]}\n");
	if (fflush(stdout) || ferror(stdout)) {
		perror("scale: cannot write the results");
		n_missing++;
	}
	return n_missing;
}
