/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the text report share. */
#ifndef PMU_REPORT_TEXT_H
#define PMU_REPORT_TEXT_H

#include "plan/sample.h"
#include "report/cell.h"
#include "report/model/block.h"
#include "report/report.h"

/** What the foot of the tables has to explain. */
enum pmu_text_legend {
	PMU_LEGEND_UNKNOWN = 1,
	PMU_LEGEND_OVERLAP = 2,
	PMU_LEGEND_RECURSIVE = 4,
	PMU_LEGEND_OPEN = 8,
	PMU_LEGEND_FLAT = 16,
	PMU_LEGEND_SHORT = 32,
	PMU_LEGEND_DOUBT = 64,
	PMU_LEGEND_DEEP = 128,
	PMU_LEGEND_INTERRUPTED = 256,
	PMU_LEGEND_TEAM = 512,
	PMU_LEGEND_ESTIMATES = 1024,
	PMU_LEGEND_SAMPLES = 2048,
};

struct pmu_text {
	struct pmu_strbuf *out;
	const struct pmu_model *model;
	unsigned int columns;
	unsigned int rows;  /* most of them in one table */
	unsigned int top;   /* the same where it was asked for, else 0 */
	const char *sort;   /* NULL: a tree */
	const char *filter; /* NULL: all */
	bool color;
	bool threads;
	bool lines;
	bool callers;
	bool all;
	bool brief;
	size_t start; /* of this report in @out */
	/* of a report of ranks: what is spread over them, once it was asked for; made for this text */
	bool sought_ranks, told_ranks;
	const struct pmu_ranks *ranks;
	struct pmu_ranks *made_ranks;
	struct pmu_model_block *scratch;
	struct pmu_strbuf line; /* for pmu_text_shown() */
	uint32_t legend;        /* enum pmu_text_legend: what has come up so far */
	bool failed;            /* out of memory */
	struct pmu_sample_unit
		sample; /* between samples that are shown; of different events period 0 */
	bool has_mixed_samples;
	unsigned int n_doubtful;
	/* those of regions, by region, thread and, of a combined model, part */
	/* by region, thread and part, of which each has its own */
	struct pmu_model_doubt *doubtful;
};

/** pmu_text_shown() - text from outside, fit for a terminal; lives in scratch */
const char *pmu_text_shown(struct pmu_text *t, const char *text);

/**
 * pmu_text_wrap() - append words, broken at the report's width
 * @text: "" appends nothing
 * @indent: column that the line is in now, and that further lines start in
 */
void pmu_text_wrap(struct pmu_text *t, const char *text, unsigned int indent);

/**
 * pmu_text_left_out() - "and 4 more threads of at most 12 us of CPU time; PMU_REPORT=threads shows all of
 * them"
 * @of: what the time is of: "", " of CPU time"
 */
void pmu_text_left_out(struct pmu_text *t, unsigned int n, const char *what, uint64_t most_ns,
		       const char *of, const char *setting);

/** pmu_text_compare_doubts() - the order of @doubtful: below 0 where @a comes first */
int pmu_text_compare_doubts(const struct pmu_model_doubt *a, const struct pmu_model_doubt *b);

/** Rows of a table that are shown. */
struct pmu_text_choice {
	const struct pmu_model_row *row; /* [n] in their order; in a list of depth 0 */
	const unsigned int *at;          /* [n] their indexes among all */
	/* left out as less than these; as not what was asked for */
	unsigned int n, n_left, n_unmatched;
	uint64_t most_left; /* none left out has more */
	bool is_usual;      /* by time, or what stands in its place */
};

/**
 * pmu_text_choose() - by the report's filter, order and number of rows; @row: [@n] of one table in
 * tree order
 */
void pmu_text_choose(struct pmu_text *t, const struct pmu_model_section *section,
		     const struct pmu_model_row *row, unsigned int n,
		     struct pmu_text_choice *choice);

/** pmu_text_any_match() - is any of them what was asked for? */
bool pmu_text_any_match(const struct pmu_text *t, const struct pmu_model_row *row, unsigned int n);

/** pmu_text_sorts() - has the section what rows are to be sorted by? */
bool pmu_text_sorts(const struct pmu_text *t, const struct pmu_model_section *section);
/**
 * pmu_text_doubts() - what stands below the tables, the same of several regions together; in a few
 * lines unless all was asked for
 */
void pmu_text_doubts(struct pmu_text *t);

/** pmu_text_head() - program, machine, source and why not a better one, pinning, notes */
void pmu_text_head(struct pmu_text *t);

/** pmu_text_section() - a group's tables */
void pmu_text_section(struct pmu_text *t, const struct pmu_model_section *section);

/**
 * pmu_text_times() - how the times of single calls are spread, where that was asked for or counted
 * @row: [@n] of one table
 */
void pmu_text_times(struct pmu_text *t, const struct pmu_model_row *row, unsigned int n);

/**
 * pmu_text_waited() - "waited 80% of the time: blocked 4 s, for a processor 1 s", of a program with one
 * thread; nothing where it is not worth it
 */
void pmu_text_waited(struct pmu_text *t, const struct pmu_model_section *s);

/**
 * pmu_text_least() - what calls counted on average and at the least, where that was kept; @row:
 * [@n] of one table
 */
void pmu_text_least(struct pmu_text *t, const struct pmu_model_section *section,
		    const struct pmu_model_row *row, unsigned int n);

/**
 * pmu_text_estimates() - what all calls have done, where groups took turns; @row: [@n] of one table
 */
void pmu_text_estimates(struct pmu_text *t, const struct pmu_model_section *section,
			const struct pmu_model_row *row, unsigned int n);

/** pmu_text_topdown() - below all tables: the regions' trees, where a group of top-down analysis is */
void pmu_text_topdown(struct pmu_text *t);

/**
 * pmu_text_interrupted() - what interrupts may have added to counts, and how much at most; lives in
 * scratch
 */
const char *pmu_text_interrupted(struct pmu_text *t);

/**
 * pmu_text_own() - "the library's own work is about 0.3% of the time, and is taken out of the
 * counts: ..."
 */
void pmu_text_own(struct pmu_text *t);

/**
 * pmu_text_marks() - the letters behind a row, which the legend explains; lives in scratch
 * @sum: of a sum its index in the section
 */
const char *pmu_text_marks(struct pmu_text *t, const struct pmu_model_section *section,
			   const struct pmu_model_row *row, unsigned int sum);

/** pmu_text_row_name() - a row's name for the first column; lives in scratch */
const char *pmu_text_row_name(struct pmu_text *t, const struct pmu_model_row *row);

#endif
