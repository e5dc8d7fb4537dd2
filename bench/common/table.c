/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/common/table.h"

#include <math.h>
#include <stdio.h>

#include "bench/common/json_text.h"
#include "bench/common/machine.h"

static bool as_json;
static int n_rows, n_missing;
static const char *heading = "";
static bool with_bare; /* the columns that compare with the bare reads */
static bool with_ours; /* and with libpmu, not with one region */

struct row row_for(const char *subject, const char *unit)
{
	return (struct row){ .subject = subject,
			     .threads = 1,
			     .value = -1,
			     .min = -1,
			     .max = -1,
			     .unit = unit,
			     .bare = -1,
			     .ratio_bare = -1,
			     .ratio_one = -1,
			     .ratio_ours = -1,
			     .low = -1,
			     .high = -1 };
}

/* A number of @width characters with as many decimals as mean something. */
static void text_number(double value, int width, int decimals)
{
	if (value < 0)
		printf(" %*s", width, "");
	else
		printf(" %*.*f", width, value >= 10000 ? 0 : decimals, value);
}

/* What a target is for; -1 where that was not measured. */
static double aimed_at(const struct row *row)
{
	const double of[] = { -1, row->value, row->ratio_bare, row->ratio_one };

	return of[row->target_of];
}

static bool is_missed(const struct row *row)
{
	return aimed_at(row) > row->target && row->target_of != NO_TARGET;
}

static void text_target(const struct row *row)
{
	static const char *const of[] = { "", "", " x bare", " x one" };

	if (row->target_of == OF_VALUE)
		printf("  %g %s", row->target, row->unit);
	else if (row->target_of != NO_TARGET)
		printf("  %.2f%s", row->target, of[row->target_of]);
	if (is_missed(row))
		printf(", missed");
}

/* Where several processes do not agree. */
static void text_range(const struct row *row)
{
	if (row->low >= 0)
		printf("  (%.2f-%.2f x bare)", row->low, row->high);
}

static void text_row(const struct row *row)
{
	printf("%-40s %7d", row->subject, row->threads);
	text_number(row->value, 9, 2);
	text_number(row->min, 9, 2);
	text_number(row->max, 9, 2);
	printf(" %-5s", row->value < 0 ? "" : row->unit);
	if (with_bare) {
		text_number(row->bare, 9, 2);
		text_number(row->ratio_bare, 6, 3);
		if (with_ours)
			text_number(row->ratio_ours, 8, 2);
		else
			text_number(row->ratio_one, 6, 3);
	}
	text_target(row);
	text_range(row);
	if (row->note)
		printf("%s%s",
		       row->value >= 0 ? "  "
		       : row->optional ? "  not here: "
				       : "  not measured: ",
		       row->note);
	printf("\n");
	fflush(stdout);
}

static void json_number(const char *name, double value)
{
	if (value < 0 || !isfinite(value))
		printf(", \"%s\": null", name);
	else
		printf(", \"%s\": %.6g", name, value);
}

static void json_row(const struct row *row)
{
	static const char *const of[] = { "", "value", "bare", "one" };

	printf("%s\n  {", n_rows ? "," : "");
	json_text("part", heading);
	printf(", ");
	json_text("subject", row->subject);
	printf(", \"threads\": %d, ", row->threads);
	if (row->at.source) {
		json_text("source", row->at.source);
		printf(", \"names\": %d, \"depth\": %d, \"counts\": %d, ", row->at.names,
		       row->at.depth, row->at.counts);
	}
	json_text("unit", row->unit);
	json_number("value", row->value);
	json_number("min", row->min);
	json_number("max", row->max);
	json_number("bare", row->bare);
	json_number("ratio_bare", row->ratio_bare);
	json_number("ratio_one", row->ratio_one);
	json_number("ratio_libpmu", row->ratio_ours);
	json_number("ratio_bare_low", row->low);
	json_number("ratio_bare_high", row->high);
	json_number("target", row->target_of ? row->target : -1);
	printf(", \"missed\": %s", is_missed(row) ? "true" : "false");
	printf(", ");
	json_text("target_of", of[row->target_of]);
	printf(", \"optional\": %s, ", row->optional ? "true" : "false");
	json_text("note", row->note ? row->note : "");
	printf("}");
}

static void json_head(const struct machine *machine)
{
	printf("{\"version\": 1,\n \"machine\": {");
	json_text("description", machine->description);
	printf(", \"processors\": %d, ", machine->processors);
	json_text("kernel", machine->kernel);
	printf(", ");
	json_text("libpmu", machine->library);
	printf("},\n \"rows\": [");
}

void table_begin(bool json)
{
	as_json = json;
	if (json)
		json_head(machine_here());
	else
		printf("%s\n", machine_line());
}

static void head(const char *text, bool beside_bare, bool beside_ours)
{
	heading = text;
	with_bare = beside_bare;
	with_ours = beside_ours;
	if (as_json)
		return;
	printf("\n%s\n%-40s %7s %9s %9s %9s %-5s", text, "subject", "threads", "median", "min",
	       "max", "");
	if (with_ours)
		printf(" %9s %6s %8s", "bare", "x bare", "x libpmu");
	else if (with_bare)
		printf(" %9s %6s %6s", "bare", "x bare", "x one");
	printf("  target\n");
}

void table_heading(const char *text, bool beside_bare)
{
	head(text, beside_bare, false);
}

void table_heading_ours(const char *text)
{
	head(text, true, true);
}

void table_row(const struct row *row)
{
	if (as_json)
		json_row(row);
	else
		text_row(row);
	n_rows++;
	n_missing += row->value < 0 && !row->optional;
}

int table_end(void)
{
	if (as_json)
		printf("\n]}\n");
	if (fflush(stdout) || ferror(stdout)) {
		perror("cannot write the results");
		n_missing++;
	}
	return n_missing;
}
