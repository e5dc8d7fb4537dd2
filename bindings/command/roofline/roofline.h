/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roofline: what regions compute beside what the machine can, given how much they move for it.
 *
 * Source: Williams, Waterman, Patterson, Roofline: an insightful visual performance model for
 * multicore architectures, CACM 52(4), 2009.
 */
#ifndef PMU_COMMAND_ROOFLINE_H
#define PMU_COMMAND_ROOFLINE_H

#include <math.h>

#include "base/strbuf.h"
#include "bindings/command/roofline/ceilings.h"
#include "report/report.h"

/** How a region's bytes were counted. */
enum pmu_roofline_bytes {
	PMU_BYTES_NONE,
	PMU_BYTES_MEMORY, /* by the memory controllers, for all processes */
	PMU_BYTES_MISSES, /* misses of the last level, of its own threads */
	PMU_BYTES_FILLS,  /* lines that the first level got from memory, of its own threads */
	PMU_N_BYTES
};

enum pmu_roofline_bound { PMU_BOUND_UNKNOWN, PMU_BOUND_COMPUTE, PMU_BOUND_MEMORY };

/** A region, with what is nested in it.  NaN is unknown. */
struct pmu_roofline_row {
	const char *name, *path;     /* the model's */
	unsigned int section, index; /* where it is first */
	int depth;
	uint64_t time_ns, self_ns; /* of all sections together; unknown is 0 */
	unsigned int threads;      /* side by side */
	/* of a call: operations in double, in single and in an unknown precision */
	double flop[PMU_N_PRECISIONS], flop_any;
	double flops; /* of a call: all that are known; NaN: none is */
	double bytes; /* of a call */
	enum pmu_roofline_bytes bytes_by;
	double intensity; /* operations a byte */
	/* of all threads together, a second */
	double flop_rate, byte_rate;
	/* what these threads reach at most, a second: operations, bytes, operations at its intensity */
	double peak, bandwidth, roof;
	enum pmu_roofline_bound bound;
	double reached; /* of what bounds it, 0 to 1 and beyond */
};

struct pmu_roofline {
	const struct pmu_model *model;
	const struct pmu_ceilings *ceilings; /* NULL: there are none */
	struct pmu_roofline_row *row;        /* [n_rows] in the order of the first section's tree */
	unsigned int n_rows;
	bool has_flop[PMU_N_PRECISIONS], has_any_flop, has_bytes[PMU_N_BYTES];
};

/**
 * pmu_roofline_make() - of a finished model with metrics
 * @ceilings: NULL: rows have intensities and rates alone
 * @roofline: result, for pmu_roofline_free(); points into both
 *
 * What sections count is put together by a region's path, a call each: sections have calls and times
 * of their own.
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_roofline_make(const struct pmu_model *model, const struct pmu_ceilings *ceilings,
		      struct pmu_roofline *roofline);
void pmu_roofline_free(struct pmu_roofline *roofline);

/** pmu_roofline_has_place() - are both its operations and its bytes known, so that it can be drawn? */
static inline bool pmu_roofline_has_place(const struct pmu_roofline_row *row)
{
	return isfinite(row->intensity) && row->intensity > 0 && isfinite(row->flop_rate) &&
	       row->flop_rate > 0;
}
/** pmu_roofline_is_measured() - has any row a place? */
bool pmu_roofline_is_measured(const struct pmu_roofline *roofline);

/** pmu_roofline_why_no_flop() - a sentence for a roofline without operations */
void pmu_roofline_why_no_flop(const struct pmu_roofline *roofline, struct pmu_strbuf *out);
/** pmu_roofline_why_no_bytes() - likewise */
void pmu_roofline_why_no_bytes(const struct pmu_roofline *roofline, struct pmu_strbuf *out);

/**
 * pmu_roofline_choose() - which rows are shown, as options say: --filter, --top, --all
 * @shown: result, [n_rows]
 * Return: how many are left out though they match.
 */
unsigned int pmu_roofline_choose(const struct pmu_roofline *roofline,
				 const struct pmu_text_options *options, bool *shown);

typedef int pmu_roofline_write(struct pmu_strbuf *out, const struct pmu_roofline *roofline,
			       const struct pmu_text_options *options);

/**
 * pmu_roofline_write_text() - a table
 * @why: why there are no ceilings; unused where there are
 * Return: 0 or -ENOMEM.
 */
int pmu_roofline_write_text(struct pmu_strbuf *out, const struct pmu_roofline *roofline,
			    const char *why, const struct pmu_text_options *options);

/**
 * pmu_roofline_write_svg() - a picture: logarithmic axes, ceilings, a dot for each region
 *
 * One file without scripts, fonts or links, for light and for dark pages.  Names are escaped.
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_roofline_write_svg(struct pmu_strbuf *out, const struct pmu_roofline *roofline,
			   const struct pmu_text_options *options);

/**
 * pmu_ceilings_find() - those of a file, or of a report's machine
 * @file: NULL: the machine's
 * @why: result: why the machine has none; unused where there are any
 *
 * What is not there, or not to be read, is said; but where the file was named it is an error.
 *
 * Return: 0; -ENOENT with @why; else what is wrong with @file, with a sentence, or -ENOMEM.
 */
int pmu_ceilings_find(const struct pmu_model *model, const char *file,
		      struct pmu_ceilings *ceilings, char *why, size_t size);

/**
 * pmu_roofline_render() - of a report
 * @file: of ceilings; NULL: those of the report's host and processor
 * @picture: a writer; NULL: the table
 * Return: 0; -ENOMEM; what is wrong with @file, with a sentence.
 */
int pmu_roofline_render(struct pmu_strbuf *out, const struct pmu_model *model, const char *file,
			pmu_roofline_write *picture, const struct pmu_text_options *options);

#endif
