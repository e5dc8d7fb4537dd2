/* SPDX-License-Identifier: BSD-3-Clause */
/* What reading a group of LIKWID's is made of. */
#ifndef PMU_NAMES_LIKWID_PARTS_H
#define PMU_NAMES_LIKWID_PARTS_H

#include <stdbool.h>
#include <string.h>

#include "base/strbuf.h"
#include "names/likwid/likwid.h"
#include "names/vendor/vendor.h"

/* --- text --- */

/** Characters of the file, without a terminator. */
struct pmu_likwid_span {
	const char *at;
	size_t len;
};
static inline bool pmu_likwid_is_same(struct pmu_likwid_span a, struct pmu_likwid_span b)
{
	return a.len == b.len && !memcmp(a.at, b.at, a.len);
}

static inline bool pmu_likwid_is(struct pmu_likwid_span span, const char *text)
{
	return pmu_likwid_is_same(span, (struct pmu_likwid_span){ text, strlen(text) });
}

/** For "%.*s". */
#define PMU_LIKWID_SHOW(span) (int)((span).len < 80 ? (span).len : 80), (span).at

enum pmu_likwid_section {
	PMU_LIKWID_NONE,
	PMU_LIKWID_SHORT,
	PMU_LIKWID_NO_HT,
	PMU_LIKWID_EVENTSET,
	PMU_LIKWID_METRICS,
	PMU_LIKWID_LONG,
};

/** One line that means something. */
struct pmu_likwid_line {
	enum pmu_likwid_section section;
	/* EVENTSET: counter and event; METRICS: name and formula; SHORT: the text twice */
	struct pmu_likwid_span first, last;
};

struct pmu_likwid_scan {
	const char *text;
	size_t len, at;
	unsigned int number; /* of the line read last, from 1 on */
	const char *origin;
	enum pmu_likwid_section section;
	unsigned int seen; /* bits by enum pmu_likwid_section */
};

/** pmu_likwid_scan_line() - Return: 1, 0 at the end, -EINVAL with a sentence. */
int pmu_likwid_scan_line(struct pmu_likwid_scan *scan, struct pmu_likwid_line *line);

/** pmu_likwid_wrong() - "FILE:LINE: " and what is wrong.  Return: -EINVAL. */
int pmu_likwid_wrong(const struct pmu_likwid_scan *scan, unsigned int line, const char *fmt, ...)
	PMU_PRINTF(3, 4);

/* --- counters --- */

/** What a counter's name says. */
enum pmu_likwid_kind {
	PMU_LIKWID_FIXED,   /* a core's fixed counter */
	PMU_LIKWID_GENERAL, /* one of a core's general counters */
	PMU_LIKWID_ENERGY,
	PMU_LIKWID_UNCORE,
	PMU_LIKWID_UNKNOWN, /* nothing here counts it: why */
};

/** Units by the first letters of their counters. */
struct pmu_likwid_unit {
	const char *name; /* "MBOX" */
	enum pmu_likwid_kind kind;
	const char *pmus; /* of the kernel: "uncore_imc uncore_dmc"; the CPU's tables say which */
	const char *why;  /* of UNKNOWN */
};

/** A counter's name in parts. */
struct pmu_likwid_name {
	const struct pmu_likwid_unit *unit;
	int box;    /* MBOX3C0: 3; -1 none */
	int number; /* MBOX3C0: 0; -1 none: MBOX0FIX */
};

/** pmu_likwid_name() - Return: false: no counter is called so. */
bool pmu_likwid_name(struct pmu_likwid_span text, struct pmu_likwid_name *name);

/* --- events --- */

/** Options behind a counter. */
struct pmu_likwid_options {
	bool edge, invert, kernel, any_thread, in_tx, in_tx_cp;
	unsigned int threshold, state; /* 0: none */
	unsigned int match0, match1;   /* of off-core responses: requests, responses */
};

/** A line of the EVENTSET. */
struct pmu_likwid_counter {
	struct pmu_likwid_span spelled; /* "PMC3:EDGEDETECT" */
	struct pmu_likwid_span plain;   /* "PMC3" */
	struct pmu_likwid_span event;   /* as LIKWID writes it */
	unsigned int line;
	struct pmu_likwid_name name;
	struct pmu_likwid_options options;
	bool counted; /* else it is left out */
	bool nothing; /* nor is it missed */
	bool matched; /* what it counts has the options MATCH0 and MATCH1 in it */
	bool no_box;  /* the machine has boxes of its kind, but not this one */
	/* a count is so many of what LIKWID's would be; 0: one */
	double per;
	struct pmu_event counts;
	int family; /* the first counter of the same event in another box; itself */
	int slot;   /* in the group; -1 */
	/* it is a formula over several counts: parts of the reading, named there in quotes; else 0 */
	struct pmu_likwid_span stands_for;
	int first_part, n_parts;
};

/** One of several counts in place of one of LIKWID's. */
#define PMU_LIKWID_MAX_PARTS 64
struct pmu_likwid_part {
	struct pmu_event counts;
	int slot; /* in the group; -1 */
};

struct pmu_likwid_metric {
	struct pmu_likwid_span name, formula;
	unsigned int line;
	bool apart;    /* it has boxes of a unit other than as the sum of all */
	bool left_out; /* for want of slots; it is told already */
};

/** A file while it is read. */
struct pmu_likwid_reading {
	struct pmu_likwid_scan scan;
	struct pmu_catalog *catalog; /* keeps its tables meanwhile */
	struct pmu_group *group;
	bool no_ht;
	int n_counters, n_metrics, n_parts;
	struct pmu_likwid_counter counter[PMU_LIKWID_MAX_COUNTERS];
	struct pmu_likwid_metric metric[PMU_LIKWID_MAX_METRICS];
	struct pmu_likwid_part part[PMU_LIKWID_MAX_PARTS];
	/* family: its boxes are counted each for itself; and whatever the formulas have */
	bool apart[PMU_LIKWID_MAX_COUNTERS], apart_anyway[PMU_LIKWID_MAX_COUNTERS];
	struct pmu_strbuf left_out; /* events and metrics, as they are written */
	char why[224];              /* of the first that is left out */
};

/** pmu_likwid_options() - ":EDGEDETECT:THRESHOLD=0x1"; -EINVAL, -ENOTSUP with a sentence */
int pmu_likwid_options(struct pmu_likwid_span text, struct pmu_likwid_options *options);

/**
 * pmu_likwid_event() - what a counter counts
 * Return: 0; -EINVAL, -ENOTSUP with a sentence: it cannot be counted; -ENOMEM.
 */
int pmu_likwid_event(struct pmu_likwid_reading *r, struct pmu_likwid_counter *counter);

/** events.names, without what is for people. */
extern const char pmu_likwid_names[];

/** A row of it. */
struct pmu_likwid_row {
	struct pmu_likwid_span ours; /* what counts it */
	double per;                  /* so many of ours are one of LIKWID's; 0: one */
};

/**
 * pmu_likwid_row() - a row that is about a counter's event, on the catalog's processor
 * @n: which of them, from 0 on
 * Return: whether there are so many.
 */
bool pmu_likwid_row(const struct pmu_catalog *catalog, const struct pmu_likwid_counter *counter,
		    unsigned int n, struct pmu_likwid_row *row);

/**
 * pmu_likwid_by_rows() - what a counter counts by the first row that can be counted
 * Return: 0; 1: no row is about it; -EINVAL, -ENOTSUP with a sentence; -ENOMEM.
 */
int pmu_likwid_by_rows(struct pmu_likwid_reading *r, struct pmu_likwid_counter *counter);

/**
 * pmu_likwid_spelling() - the processor's own name of an event as LIKWID writes it
 * @pmus: names of the kernel's PMUs with blanks between, one of which has it; NULL: a core's
 * @name: result, as pmu_event_parse() takes it
 * Return: 0; -EINVAL with a sentence: there is none, or more than one that differ; -ENOMEM.
 */
int pmu_likwid_spelling(struct pmu_likwid_reading *r, struct pmu_likwid_span event,
			const char *pmus, char *name, size_t size);

/* --- slots --- */

/**
 * pmu_likwid_leave_out() - from the group
 * @what: a name of that line; why says pmu_error_text()
 */
void pmu_likwid_leave_out(struct pmu_likwid_reading *r, unsigned int line,
			  struct pmu_likwid_span what);

/**
 * pmu_likwid_slots() - what is counted, as slots of the group
 *
 * Where there are more than fit, metrics that tell boxes of a unit apart are left out.
 *
 * Return: 0; -EINVAL, -ENOTSUP with a sentence.
 */
int pmu_likwid_slots(struct pmu_likwid_reading *r);

/* --- formulas --- */

/**
 * pmu_likwid_formula() - a metric's formula over the columns of the group
 * @out: NULL: it is looked through only, and families that it has other than as the sum of all
 *       boxes are told @apart
 * Return: 1; 0: a counter of it is not counted; -EINVAL, -ENOTSUP with a sentence; -ENOMEM.
 */
int pmu_likwid_formula(struct pmu_likwid_reading *r, const struct pmu_likwid_metric *metric,
		       struct pmu_strbuf *out);

#endif
