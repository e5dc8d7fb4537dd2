/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of one quantity at several sizes, and how it grows with them: as text for people or as JSON.
 */
#ifndef BENCH_SERIES_H
#define BENCH_SERIES_H

#include <stdbool.h>

#define MOST_SIZES 4

/** What grows. */
struct sizes {
	const char *of; /* "processors" */
	unsigned int n;
	unsigned int size[MOST_SIZES];
};

/**
 * One quantity.  Its growth is the exponent that leads from the first size to the last: 0 where it
 * stays the same, 1 where it is proportional, 2 where twice the size takes four times as much.
 */
struct series {
	const char *subject;
	const char *unit;
	double value[MOST_SIZES];                             /* negative: not measured */
	enum target { NO_TARGET, FLAT, LINEAR, NONE } target; /* NONE: every value is to be 0 */
	bool exact;     /* not a time: there is no noise in it */
	char note[200]; /* why something was not measured */
};

/** A row of @subject in which nothing is measured yet. */
struct series series_for(const char *subject, const char *unit, enum target target, bool exact);
/** series_fail() - why there is no value; the first reason stays */
void series_fail(struct series *row, const char *why);

/** series_begin() - text on standard output, or one JSON object with "rows" */
void series_begin(bool as_json);
/**
 * series_heading() - of the rows that follow, and the sizes of their values; both stay the caller's
 */
void series_heading(const char *text, const struct sizes *sizes);
void series_row(const struct series *row);
/**
 * series_end() - Return: the number of rows that lack a value, and one more where they could not be
 * written.
 */
int series_end(void);

#endif
