/* SPDX-License-Identifier: BSD-3-Clause */
/* A process's trace as its store has it: rows, and a ring of calls for each thread. */
#ifndef PMU_COMMAND_TRACE_SOURCE_H
#define PMU_COMMAND_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/model/model.h"
#include "store/read/raw.h"

#define PMU_TRACE_NO_ROW UINT32_MAX

/** A row of any thread. */
struct pmu_trace_row {
	const struct pmu_raw_thread *thread; /* its record in the row's group */
	const struct pmu_raw_row *raw;
	uint32_t parent;  /* index; PMU_TRACE_NO_ROW: none */
	uint32_t missing; /* slots that are not known */
	/* hash of the names from the outermost region that its thread was in, as contexts have them */
	uint64_t path;
};

/** The calls of a thread that are kept, in the order of their ends, and in between what it waited. */
struct pmu_trace_ring {
	const struct pmu_raw_thread *thread; /* its first record */
	const char *records;
	char *copy; /* of a process that still runs; to be freed */
	uint32_t record_size, n_counts;
	uint64_t n_places, first; /* record 0 is in the place @first % @n_places */
	uint64_t n;
	uint64_t n_waits;  /* of them, that are no calls */
	uint64_t lost;     /* calls that there was no room for */
	uint64_t left_out; /* that were too short for it */
};

/** A record, copied. */
struct pmu_trace_call {
	uint64_t begin, end; /* ticks; never end < begin */
	uint32_t row;        /* index; PMU_TRACE_NO_ROW: of no row, and to be left out */
	uint32_t flags;      /* enum pmu_trace_flags */
	uint64_t waited_ns;  /* of a record that is no call: PMU_TRACE_WAITED */
};

struct pmu_trace_source {
	struct pmu_raw raw;
	struct pmu_model *model; /* what it is of, its groups and metrics; finished */
	struct pmu_clock_point start;
	char boot_id[40];
	struct pmu_trace_row *row;
	uint32_t n_rows;
	uint32_t *first_row; /* [raw.n_threads] index of the thread's first */
	struct pmu_trace_ring *ring;
	size_t n_rings;
	uint64_t dropped; /* calls of threads with rows that were added up */
	bool is_cut;      /* the file ends before the store does, or a part of it makes no sense */
	uint64_t n_damaged; /* rings that are none */
	uint64_t min_ticks;
	bool is_file; /* of rings without a copy, too */
};

/**
 * pmu_trace_source_open() - of a view, which has to last as long
 * @is: enum pmu_store_is
 * Return: 0; -ENOMEM; -ENODATA with a sentence where nothing was traced.  For _close() also then.
 */
int pmu_trace_source_open(struct pmu_trace_source *source, const struct pmu_store_view *view,
			  unsigned int is);
void pmu_trace_source_close(struct pmu_trace_source *source);

/**
 * pmu_trace_call_at() - record @i of a ring
 * @count: [PMU_MAX_SLOTS] result: its counts as read; NULL: they are not wanted
 */
struct pmu_trace_call pmu_trace_call_at(const struct pmu_trace_source *source,
					const struct pmu_trace_ring *ring, uint64_t i,
					uint64_t *count);

#endif
