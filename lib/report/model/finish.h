/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two halves of pmu_model_finish() share. */
#ifndef PMU_REPORT_FINISH_H
#define PMU_REPORT_FINISH_H

#include "base/index.h"
#include "report/model/block.h"
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
	uint64_t hash;    /* of the names on its path, and whether it is flat */
	int last_thread;  /* that was added */
	bool indirect;    /* some thread's row is recursive and not DIRECT */
	uint32_t n_timed; /* rows with calls */
	bool unmeasured;  /* some thread's row took more than its thread was measured */
	uint32_t n_negative;
	int negative_thread;
	bool by_socket; /* some socket has a row of it */
};

struct pmu_finishing {
	struct pmu_model *model;
	struct pmu_model_section *section;
	uint64_t span_ns;            /* all threads' measured time */
	bool shared_sockets;         /* see pmu_model_shares_sockets() */
	struct pmu_nested *nested;   /* [n_thread_rows] */
	struct pmu_summing *summing; /* [n_rows] */
	struct pmu_index index;      /* of sums by path: their indices, from 1 on */
};

static inline uint64_t pmu_add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline const char *pmu_row_name(const struct pmu_model_row *row)
{
	return row->name ? row->name : "";
}

/**
 * pmu_rows_sort() - into tree order; parents and depths follow
 * @moved: moved[old index] becomes the new one; may be NULL
 * Return: 0 or -ENOMEM.
 */
int pmu_rows_sort(struct pmu_model_row *row, int n, int *moved);

/** pmu_rows_give_arrays() - room for counts and metrics; what was left out is missing */
int pmu_rows_give_arrays(struct pmu_model *model, const struct pmu_model_section *s,
			 struct pmu_model_row *row);

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

#endif
