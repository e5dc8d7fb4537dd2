/* SPDX-License-Identifier: BSD-3-Clause */
/* A store's content as plain copies: consistent with each other, checked, not yet
 * interpreted. */
#ifndef PMU_STORE_READ_H
#define PMU_STORE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/read/check.h"
#include "store/read/snapshot.h"

/** What can be wrong with a store; each is counted and becomes one note. */
enum pmu_store_damage {
	PMU_DAMAGE_CHUNK, /* the walk ended at a chunk header */
	PMU_DAMAGE_KIND,
	PMU_DAMAGE_GROUP,
	PMU_DAMAGE_RECORD,
	PMU_DAMAGE_THREAD,
	PMU_DAMAGE_ORPHANS, /* rows of no thread */
	PMU_DAMAGE_ROWS,    /* more rows than their chunk holds, or the same ids twice */
	PMU_DAMAGE_PARENT,
	PMU_DAMAGE_NAME,
	PMU_DAMAGE_TORN,      /* a row changed at every try */
	PMU_DAMAGE_CHURN,     /* threads came and went at every try */
	PMU_DAMAGE_HISTOGRAM, /* lengths of calls of no row, or of one twice */
	PMU_DAMAGE_TURNS,     /* likewise sums over turns; or they are no numbers */
	PMU_DAMAGE_LEAST,     /* likewise least counts; or more than all calls have counted */
	PMU_DAMAGE_WAITS,     /* what rows have waited, of no row, or of one twice */
	PMU_DAMAGE_FLAGS,     /* rows with flags of another version */
	PMU_DAMAGE_COUNT
};

/** A row, both banks already made one. */
struct pmu_raw_row {
	uint32_t id;
	uint32_t name;
	uint32_t parent; /* as it stands in the store */
	uint32_t open;
	uint32_t unended;
	uint32_t unbegun;
	uint16_t moved;
	uint16_t flags;
	uint16_t missing;
	bool torn; /* totals could not be read */
	bool has_histogram, has_turns, has_waits, has_least;
	uint32_t outer[1 + PMU_MAX_SLOTS]; /* in ticks, and counts */
	uint64_t calls;
	uint64_t ticks;
	uint64_t min;
	uint64_t max;
	double square;
	uint64_t count[PMU_MAX_SLOTS];
	/* of pmu_raw.bucket: those of its histogram that are not 0 */
	size_t first_bucket, n_buckets;
	size_t turns;                  /* index into pmu_raw.turns */
	uint64_t off_ns, queued_ns;    /* each as it was when it was read: the second may be more */
	uint64_t least[PMU_MAX_SLOTS]; /* 1 + the least that a call counted; 0: not known */
};

/** So many of a row's calls were in that bucket. */
struct pmu_raw_bucket {
	uint32_t bucket;
	uint64_t calls;
};

/** A row's struct pmu_store_turns. */
struct pmu_raw_turns {
	double sum[PMU_TURNS_VALUES];
};

/** A thread's record in one group, and its rows by ascending id. */
struct pmu_raw_thread {
	struct pmu_store_thread record;
	uint32_t serial;
	uint32_t group;
	const struct pmu_store_chunk *chunk;
	struct pmu_raw_row *row;
	size_t n_rows;
};

/** pmu_raw_is_socket() - the record is a socket's, not a thread's */
static inline bool pmu_raw_is_socket(const struct pmu_raw_thread *thread)
{
	return thread->record.flags & PMU_THREAD_SOCKET &&
	       thread->record.state != PMU_THREAD_MERGED;
}

/** pmu_raw_find_row() - index of the row with that id; SIZE_MAX where there is none */
size_t pmu_raw_find_row(const struct pmu_raw_thread *thread, uint32_t id);

/** A text of the store; not terminated. */
struct pmu_raw_text {
	const char *text;
	uint32_t len;
	uint32_t id; /* META: key */
};

struct pmu_raw {
	bool has_group[PMU_STORE_MAX_GROUPS];
	struct pmu_group_copy group[PMU_STORE_MAX_GROUPS];
	struct pmu_raw_thread *thread;
	size_t n_threads;
	struct pmu_raw_text *meta;
	size_t n_meta;
	struct pmu_raw_text *name; /* [id]; those with len 0 are not known */
	size_t n_names;
	struct pmu_raw_bucket *bucket; /* of all rows */
	size_t n_buckets;
	struct pmu_raw_turns *turns; /* of all rows */
	size_t n_turns;
	uint64_t damage[PMU_DAMAGE_COUNT];
};

/** pmu_raw_find_thread() - the thread of that serial; NULL where there is none */
const struct pmu_raw_thread *pmu_raw_find_thread(const struct pmu_raw *raw, uint32_t serial);

/** pmu_store_head_of() - the head of a view; NULL where the first piece does not hold it.
 */
const struct pmu_store_head *pmu_store_head_of(const struct pmu_store_view *view);

/**
 * pmu_raw_read() - copy what a store holds
 * @live: its process may be writing to it
 * @raw: result, for pmu_raw_free() also after an error
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_raw_read(const struct pmu_store_view *view, bool live, struct pmu_raw *raw);
void pmu_raw_free(struct pmu_raw *raw);

#endif
