/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread's ring of samples and its marks, read beside the kernel and the thread that write them.
 *
 * Both write on whether they are read or not: what was copied is good if neither has come round to it
 * meanwhile.
 */
#ifndef PMU_COMMAND_SAMPLE_RING_H
#define PMU_COMMAND_SAMPLE_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bindings/command/sample/hits.h"
#include "bindings/command/sample/maps.h"
#include "store/samples.h"

/** What is known of a process's samples. */
struct pmu_sample_sums {
	struct pmu_sample_maps maps;
	struct pmu_sample_hits hits;
	uint64_t n_stretches; /* of rings or marks that were written over before they were read */
	uint64_t
		n_dropped; /* samples of which it is not known whose they are; or there was no memory */
};

/** One whose region is not marked yet. */
struct pmu_sample_waiting {
	uint64_t position;
	struct pmu_sample_at at;
};

/** struct pmu_sample_hit's who: the row that the thread had open innermost in the end */
#define PMU_SAMPLE_OPEN(tid)     ((uint64_t)(tid) << 32 | UINT32_MAX)
#define PMU_SAMPLE_IS_OPEN(who)  ((uint32_t)(who) == UINT32_MAX)
#define PMU_SAMPLE_OPEN_TID(who) ((uint32_t)((who) >> 32))

struct pmu_sample_ring {
	/* Given. */
	const struct perf_event_mmap_page *page;
	const char *ring;
	uint32_t size; /* of the ring, a power of 2 */
	const struct pmu_samples_marks *marks;
	uint32_t n_places; /* likewise */
	uint64_t resting;  /* struct pmu_samples_hello, as the next one */
	uint32_t tid;
	struct pmu_sample_sums *sums;
	/* Its own; all zero at first. */
	uint64_t position;                  /* up to which the ring was read */
	uint64_t n_marks;                   /* and the marks */
	bool has_ended;                     /* nothing more comes */
	uint32_t fill;                      /* bytes that the last look found in the ring */
	struct pmu_sample_waiting *waiting; /* in the order of their positions */
	size_t n_waiting, room;
	struct pmu_sample_hits
		early; /* of more than there is room for, the first: before all of @waiting */
	char *copy;    /* [size] */
};

/** pmu_sample_ring_drain() - what came since the last time */
void pmu_sample_ring_drain(struct pmu_sample_ring *ring);

/** pmu_sample_ring_finish() - nothing more is marked: what no mark is for is of PMU_SAMPLE_OPEN() */
void pmu_sample_ring_finish(struct pmu_sample_ring *ring);

/** pmu_sample_ring_free() - its own memory */
void pmu_sample_ring_free(struct pmu_sample_ring *ring);

#endif
