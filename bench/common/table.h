/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows that the measuring programs print, as text for people or as JSON. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>

/** One line. A value that was not measured is negative: it is left out. */
struct row {
	const char *subject;
	int threads;
	double value, min, max; /* median, least, most, in @unit */
	const char *unit;
	double bare;       /* what the bare reads took beside it */
	double ratio_bare; /* medians of the ratios of each round: to the bare reads, */
	double ratio_one;  /* and to one region alone */
	double ratio_ours; /* and to libpmu, where others are compared with it */
	double low, high;  /* ratios to the bare reads of several processes; -1: of one */
	enum target_of { NO_TARGET, OF_VALUE, OF_BARE, OF_ONE } target_of;
	double target;
	const char *note; /* why nothing was measured, or a remark; NULL */
	struct row_at {   /* where in a sweep; source NULL: in none */
		const char *source;
		int names, depth, counts;
	} at;
	bool optional; /* some machines lack it: without a value it is no failure */
};

/** A row of @subject in which nothing is measured yet. */
struct row row_for(const char *subject, const char *unit);

/** table_begin() - text on standard output, or one JSON object with "machine" and "rows" */
void table_begin(bool json);
/** table_heading() - of the rows that follow; @beside_bare: they are compared with bare
 * reads */
void table_heading(const char *text, bool beside_bare);
/** table_heading_ours() - likewise, of rows that are compared with bare reads and with libpmu */
void table_heading_ours(const char *text);
void table_row(const struct row *row);
/**
 * table_end() - Return: the number of rows that have no value and are not optional, and one more
 * where they could not be written.
 */
int table_end(void);

#endif
