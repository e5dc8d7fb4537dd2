/* SPDX-License-Identifier: BSD-3-Clause */
/* From copies of a store's rows to the model's: times in ns, net counts, doubts. */
#ifndef PMU_STORE_CONVERT_H
#define PMU_STORE_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "report/model/beside.h"
#include "report/model/model.h"
#include "store/read/raw.h"

/** What is known of the process that wrote the store. */
enum pmu_program_state {
	PMU_PROGRAM_RUNS,
	PMU_PROGRAM_ENDED, /* cleanly; its report was written */
	PMU_PROGRAM_DIED,
	PMU_PROGRAM_UNKNOWN, /* of another machine, boot or container */
};

/** A doubt before equal ones are added up. */
struct pmu_raw_doubt {
	const char *text;
	const char *region;
	int thread;
	uint64_t count;
};

/** Everything between the copies and the model. */
struct pmu_convert {
	struct pmu_raw *raw;
	struct pmu_model *model;
	enum pmu_program_state state;
	uint32_t next;           /* enum pmu_next */
	uint32_t other_user;     /* not 0: it executed a program as one */
	double ns_per_tick;      /* 0: not known */
	uint64_t first_ticks;    /* when the session began */
	uint64_t last_ticks;     /* now, or the last moment that is known of a program that is
				gone */
	unsigned int *thread_of; /* [raw->n_threads] index into model->thread */
	const char **name;       /* [raw->n_names] as the model has them; NULL: not yet */
	struct pmu_histogram_sum *histogram; /* empty; for a function that makes one */
	struct pmu_raw_doubt *doubt;
	size_t n_doubts, doubt_room;
};

/** pmu_convert_ns() - a duration in ticks as ns, at most UINT64_MAX / 4. */
uint64_t pmu_convert_ns(const struct pmu_convert *convert, uint64_t ticks);

/**
 * pmu_convert_set_rate() - ns_per_tick, from two moments of the clock.  Return: its Hz; 0: not
 * known.
 */
double pmu_convert_set_rate(struct pmu_convert *convert, enum pmu_clock_kind clock,
			    const struct pmu_clock_point *first,
			    const struct pmu_clock_point *last);

/* --- one row --- */

/** What the library itself did in the regions nested in a row: ticks, then one per slot. */
struct pmu_nested {
	uint64_t cost[1 + PMU_MAX_SLOTS];
};

/**
 * pmu_convert_nest() - add a row's to that of the row around it
 * @in: of those nested in it
 * @outer: [1 + @n_slots]; what one of its own @pairs adds to the region around it
 */
void pmu_convert_nest(struct pmu_nested *around, const struct pmu_nested *in, uint64_t pairs,
		      const uint32_t *outer, uint32_t n_slots);

/** pmu_convert_is_visible() - something is known of it; so are those around it, then */
static inline bool pmu_convert_is_visible(const struct pmu_raw_row *row)
{
	return row->calls || row->open || row->unended || row->torn;
}

/** pmu_convert_has_totals() - its counts are of something */
static inline bool pmu_convert_has_totals(const struct pmu_raw_row *row)
{
	return row->calls || row->flags & PMU_STORE_ROW_PARTIAL;
}

/**
 * pmu_convert_calls() - what is open is no call yet; but its time and counts up to a checkpoint are
 * in the totals
 */
static inline uint64_t pmu_convert_calls(const struct pmu_raw_row *row)
{
	return row->torn ? 0 : row->calls + (row->open && row->flags & PMU_STORE_ROW_PARTIAL);
}

/**
 * pmu_convert_pairs() - how many begins and ends of it are in the counts of regions around it: as if
 * those had ended that never did, or go on when a region around it has ended
 */
static inline uint64_t pmu_convert_pairs(const struct pmu_raw_row *row)
{
	bool open = row->flags & (PMU_STORE_ROW_PARTIAL | PMU_STORE_ROW_DETACHED);

	return pmu_add_capped(row->calls, (uint64_t)row->unended + (open ? row->open : 0));
}

/**
 * pmu_convert_times() - times of a row that has its calls already
 * @convert: its ns_per_tick
 * @record: of the row's thread
 */
void pmu_convert_times(const struct pmu_convert *convert, const struct pmu_store_thread *record,
		       const struct pmu_raw_row *from, const struct pmu_nested *in,
		       struct pmu_model_row *to);

/**
 * pmu_convert_counts() - what it counted, with and without the library's own
 * @to: with memory for its counts, all 0
 * @too_much: set where the library's own was more than there is
 */
void pmu_convert_counts(const struct pmu_group_copy *group, const struct pmu_store_thread *record,
			const struct pmu_raw_row *from, const struct pmu_nested *in,
			struct pmu_model_row *to, bool *too_much);

/** pmu_convert_threads() - model->thread, one for each number.  Return: 0 or -ENOMEM. */
int pmu_convert_threads(struct pmu_convert *convert);

/** pmu_convert_section() - the rows of one group.  Return: 0 or -ENOMEM. */
int pmu_convert_section(struct pmu_convert *convert, uint32_t group,
			struct pmu_model_section *section);

/** Rows of a section by thread, place and name; of use only where a thread has several
 * records. */
struct pmu_fold {
	bool is_needed;           /* else every row is the only one of its kind */
	struct pmu_index index;   /* indices of rows, from 1 on */
	struct pmu_beside beside; /* of two rows on their way to be one */
};

int pmu_fold_open(struct pmu_fold *fold, const struct pmu_convert *convert, uint32_t group,
		  size_t n_rows);
void pmu_fold_close(struct pmu_fold *fold);
/** pmu_fold_add() - a row into the section, or onto the one it belongs to.  Return: its
 * index. */
unsigned int pmu_fold_add(struct pmu_fold *fold, struct pmu_convert *convert,
			  struct pmu_model_section *section, const struct pmu_model_row *row);

/** pmu_convert_doubt() - count one more doubt; @text and @region live as long as the
 * model. */
int pmu_convert_doubt(struct pmu_convert *convert, const char *text, const char *region, int thread,
		      uint64_t count);

/** pmu_convert_doubts() - all of them, added up, into the model.  Return: 0 or -ENOMEM.
 */
int pmu_convert_doubts(struct pmu_convert *convert);

#endif
