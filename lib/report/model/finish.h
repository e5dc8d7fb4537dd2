/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two halves of pmu_model_finish() share. */
#ifndef PMU_REPORT_FINISH_H
#define PMU_REPORT_FINISH_H

#include "base/index.h"
#include "report/model/block.h"
#include "report/model/fields.h"
#include "report/model/model.h"

/* What is known of a thread's row on the way to its self values. */
struct pmu_nested {
	uint32_t n;    /* rows nested directly in it */
	bool tangled;  /* it or a row around it was re-entered, maybe through others */
	bool negative; /* a self value came out below zero */
};

/* What is known of a sum on the way. */
struct pmu_summing {
	int parent;
	const char *name;
	uint64_t hash;        /* of the names on its path, and whether it is flat */
	int last_thread;      /* that was added */
	bool indirect;        /* some thread's row is recursive and not DIRECT */
	struct pmu_pool pool; /* of its rows */
	bool unmeasured;      /* some thread's row took more than its thread was measured */
	uint32_t n_negative;
	int negative_thread;
	bool by_socket;    /* some socket has a row of it */
	bool counted;      /* some thread's row has its counts in it */
	unsigned int made; /* so many sums there were before it */
};

struct pmu_finishing {
	struct pmu_model *model;
	struct pmu_model_section *section;
	uint64_t *thread_whole;      /* [n_threads + n_sockets] see pmu_measure_wholes() */
	bool shared_sockets;         /* see pmu_model_shares_sockets() */
	struct pmu_nested *nested;   /* [n_thread_rows] */
	struct pmu_summing *summing; /* [n_rows] */
	struct pmu_index index;      /* of sums by path: their indices, from 1 on */
};

static inline const char *pmu_row_name(const struct pmu_model_row *row)
{
	return row->name ? row->name : "";
}

/**
 * pmu_row_is_inside() - stands a row at the top that is part of outermost ones already?
 *
 * Flat ones are, but for those of teams, which are in no other row.
 */
static inline bool pmu_row_is_inside(const struct pmu_model_row *row)
{
	return (row->flags & (PMU_ROW_FLAT | PMU_ROW_TEAM)) == PMU_ROW_FLAT;
}

/**
 * pmu_rows_sort() - a section's rows into tree order, siblings with most of @measure first; parents
 * and depths follow
 * @moved: moved[old index] becomes the new one; may be NULL
 * Return: 0 or -ENOMEM.
 */
int pmu_rows_sort(const struct pmu_model_section *section, struct pmu_model_row *row, int n,
		  enum pmu_model_measure measure, int *moved);

/** pmu_rows_give_arrays() - room for counts and metrics; what was left out is missing */
int pmu_rows_give_arrays(struct pmu_model *model, const struct pmu_model_section *s,
			 struct pmu_model_row *row);

/** pmu_rows_mark() - flags that follow from what was counted */
void pmu_rows_mark(const struct pmu_model_section *s, struct pmu_model_row *row, unsigned int n);

/** pmu_model_span() - all threads' measured time */
uint64_t pmu_model_span(const struct pmu_model *model);

/*
 * Sums one by one: pmu_sums_make() does all of it with the section's threads' rows, a gathering
 * (reports/combine/gather.c) with rows that come and go.
 */

/**
 * pmu_sums_find() - the sum of a name in another one
 * @parent: -1 for none
 * @name: stays if it is new
 * Context: with room for one more in the index and in summing.
 * Return: its index; section->n_rows is one more where there was none, which has no row yet.
 */
int pmu_sums_find(struct pmu_finishing *f, int parent, const char *name, bool flat);
/** pmu_sums_row() - its row, empty so far.  Return: 0 or -ENOMEM. */
int pmu_sums_row(struct pmu_finishing *f, unsigned int sum);
/**
 * pmu_sums_add() - a thread's row, finished but for its sum
 * @thread: its number among all threads that have rows in the sums
 */
void pmu_sums_add(struct pmu_finishing *f, unsigned int sum, const struct pmu_model_row *row,
		  const struct pmu_columns *columns, int thread);
/** pmu_sums_add_socket() - a socket's: its counts alone, its times are not a thread's */
void pmu_sums_add_socket(struct pmu_finishing *f, unsigned int sum, const struct pmu_model_row *row,
			 const struct pmu_columns *columns);
/** pmu_sums_close() - all of them are added: sums in tree order, with paths.  Return: 0 or -ENOMEM. */
int pmu_sums_close(struct pmu_finishing *f);

/**
 * pmu_sums_make() - a section's sums and paths, from threads' rows with self values
 * Return: 0 or -ENOMEM.
 */
int pmu_sums_make(struct pmu_finishing *f);

/**
 * pmu_teams_make() - what sums have beside their own, where threads worked for others' regions
 * Return: 0 or -ENOMEM.
 */
int pmu_teams_make(struct pmu_finishing *f);
/**
 * pmu_team_add() - what one of its threads did, or another team
 * @is_known: its time is; else none of its counts is
 * @counts: as pmu_row_add_counts() has them; the others are missing
 */
void pmu_team_add(struct pmu_model_team *to, const struct pmu_model_row *row, bool is_known,
		  const struct pmu_columns *columns, uint32_t counts);
/** pmu_team_rate() - what follows from the rest of a sum's team */
void pmu_team_rate(const struct pmu_finishing *f, const struct pmu_model_row *sum);

#endif
