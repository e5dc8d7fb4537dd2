/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of pmu_model_combine() share. */
#ifndef PMU_REPORTS_COMBINE_COMBINING_H
#define PMU_REPORTS_COMBINE_COMBINING_H

#include <limits.h>

#include "base/index.h"
#include "base/strbuf.h"
#include "report/model/beside.h"
#include "reports/combine/combine.h"

/** A process of an input, on its way to be a part. */
struct pmu_origin {
	unsigned int from;        /* index of the input */
	unsigned int part;        /* of the input's own, where that is combined; else 0 */
	struct pmu_model_part is; /* its texts are the input's, the label is made at the end */
};

struct pmu_combining {
	struct pmu_gathering *gathering; /* NULL: the inputs have their rows */
	struct pmu_model *const *from;
	unsigned int n_from;
	enum pmu_combine how;
	struct pmu_model *model;
	bool ranked;    /* each part has a rank */
	bool own_ranks; /* and no two the same */
	bool one_host;
	unsigned int n_parts;
	struct pmu_origin *origin;  /* [n_parts] in the order of the parts */
	unsigned int *first_part;   /* [n_from] where an input's parts begin in new_part */
	unsigned int *new_part;     /* by input and its own part: index of the part */
	unsigned int *first_thread; /* [n_from] the same for threads, its sockets behind them */
	int *new_thread;
	struct pmu_index texts; /* that there are already: one copy each */
	bool failed;            /* no memory */
};

/**
 * pmu_combining_text() - the combined model's only copy of a text; "" for NULL and without memory
 */
const char *pmu_combining_text(struct pmu_combining *c, const char *text);

/**
 * pmu_combining_parts() - "ranks 0-2, 5", "gcc 4711, ld 4712", "12 of 40 processes"
 * @part: sorted, without doubles
 */
void pmu_combining_parts(const struct pmu_combining *c, struct pmu_strbuf *out,
			 const unsigned int *part, unsigned int n);

/* --- equal remarks of several parts --- */

/** The part of what a combined input says: its texts tell themselves. */
#define PMU_PART_TOLD UINT_MAX

/** A note, a refusal, a doubt, or a text of the head. */
struct pmu_remark {
	const char *text[3]; /* of the combined model, so that equal ones are the same pointer */
	unsigned int part;
	unsigned int nth; /* in the order of the inputs */
	int thread;       /* of a doubt */
	int doubt_part;
	const struct pmu_model_doubt *doubt; /* the input's, and which input */
	unsigned int from;
	uint64_t count;
};

/**
 * All remarks of one kind.  Sorted, equal ones are neighbours, in the order in which the first of
 * each came up.
 */
struct pmu_remarks {
	struct pmu_combining *c;
	struct pmu_remark *remark;
	unsigned int n;
	unsigned int *part; /* room to list parts */
};

/**
 * pmu_remarks_open() - room for @n; pmu_remarks_close() also after an error.  Return: 0 or -ENOMEM.
 */
int pmu_remarks_open(struct pmu_remarks *s, struct pmu_combining *c, size_t n);
void pmu_remarks_close(struct pmu_remarks *s);

/** pmu_remarks_add() - one more; texts may be NULL */
struct pmu_remark *pmu_remarks_add(struct pmu_remarks *s, unsigned int part, const char *a,
				   const char *b, const char *d);

void pmu_remarks_sort(struct pmu_remarks *s);

/** pmu_remarks_end() - the first one behind @i that is not equal to it */
unsigned int pmu_remarks_end(const struct pmu_remarks *s, unsigned int i);

/** pmu_remarks_who() - " (ranks 0-2)" of @i to @end - 1; nothing where all parts say so */
void pmu_remarks_who(struct pmu_remarks *s, struct pmu_strbuf *out, unsigned int i,
		     unsigned int end);

/* --- what is made of them --- */

/** pmu_part_end_ns() - the last moment that is known of a part */
static inline uint64_t pmu_part_end_ns(const struct pmu_model_part *part)
{
	return part->start_unix_ns > UINT64_MAX - part->duration_ns
		       ? UINT64_MAX
		       : part->start_unix_ns + part->duration_ns;
}

/** State of a combined group until it has its rows. */
struct pmu_joined {
	size_t n_rows;
	const char *count[PMU_MODEL_MAX_COUNTS]; /* the names that the inputs have */
};

/** State while an input's group is added to the combined one. */
struct pmu_joining {
	struct pmu_combining *c;
	struct pmu_joined *joined; /* [n_sections] */
	/* [n_parts] the group of an input that the process was last in, from 1 */
	unsigned int *seen;
	unsigned int nth;  /* that group */
	unsigned int from; /* index of the input */
	const struct pmu_model_section *old;
	struct pmu_model_section *into;
	struct pmu_joined *about;                    /* into */
	unsigned int count_at[PMU_MODEL_MAX_COUNTS]; /* where its counts are now */
	struct pmu_beside beside;                    /* of a row that is copied */
};

/** pmu_joining_section() - the combined group of that name; it is made where there is none */
int pmu_joining_section(struct pmu_joining *j);
/** pmu_joining_count() - where an input's count is now, or the number of counts */
unsigned int pmu_joining_count(const struct pmu_joining *j, unsigned int count);
/** pmu_joining_columns() - all of its columns.  Return: 0, -ENOMEM, -E2BIG. */
int pmu_joining_columns(struct pmu_joining *j);

/** What the team of a sum is, of those inputs that have come; in the model's memory. */
struct pmu_gathered_team;

/** pmu_gathered_team_new() - of none so far; NULL without memory */
struct pmu_gathered_team *pmu_gathered_team_new(struct pmu_model *model);
/**
 * pmu_gathered_team_add() - one more input's, where its section has teams
 * @sum: the input's
 * @opener, @is_known: where it has none, its only thread, and whether all of its time is known
 */
void pmu_gathered_team_add(struct pmu_gathered_team *to, const struct pmu_joining *j,
			   const struct pmu_model_row *sum, const struct pmu_model_thread *opener,
			   bool is_known);
struct pmu_finishing;
/** pmu_gathered_team_end() - the sum has it from now on, if it is one.  Return: 0 or -ENOMEM. */
int pmu_gathered_team_end(struct pmu_gathered_team *from, const struct pmu_finishing *f,
			  struct pmu_model_row *sum);

/** pmu_combining_head() - what the head says of all parts, once they and their labels are there */
void pmu_combining_head(struct pmu_combining *c);

/** pmu_combining_remarks() - notes, refusals and doubts; replaces doubts that are there */
int pmu_combining_remarks(struct pmu_combining *c);

/**
 * pmu_combining_sections() - groups, columns and the threads' rows.  Return: 0, -ENOMEM, -E2BIG.
 */
int pmu_combining_sections(struct pmu_combining *c);
/**
 * pmu_combining_tree() - gives programs the regions that started them, where those are known
 * Return: 0 or -ENOMEM.
 */
int pmu_combining_tree(struct pmu_combining *c);
/** pmu_gathering_sections() - the same of rows that are gone */
int pmu_gathering_sections(struct pmu_gathering *g);

/**
 * pmu_combining_make() - all of it, from from, n_from, how and an empty model, which is the result or
 * freed.  Return: as pmu_model_combine().
 */
int pmu_combining_make(struct pmu_combining *c, struct pmu_model **combined);

#endif
