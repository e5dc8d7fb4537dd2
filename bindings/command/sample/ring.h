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

#include "bindings/command/sample/chains.h"
#include "bindings/command/sample/hits.h"
#include "bindings/command/sample/maps.h"
#include "bindings/command/sample/record.h"
#include "store/samples.h"

/** What is known of a process's samples. */
struct pmu_sample_sums {
	struct pmu_sample_maps maps;
	struct pmu_sample_chains chains;
	struct pmu_sample_hits hits;
	uint64_t n_stretches; /* of rings or marks that were written over before they were read */
	/* samples of which it is not known whose they are; or there was no memory */
	uint64_t n_dropped;
	uint64_t n_unknown;   /* since this was set to 0, that were where nothing is mapped */
	uint64_t n_throttled; /* times that the kernel took none for a while */
	bool has_execed;      /* another program runs in the process */
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
	const struct perf_event_mmap_page *page; /* NULL: nothing more comes */
	const char *ring;
	uint32_t size;                         /* of the ring, a power of 2 */
	const struct pmu_samples_marks *marks; /* NULL: there are none, see outside.c */
	uint32_t n_places;                     /* likewise */
	uint64_t resting;                      /* struct pmu_samples_hello, as the next one */
	uint32_t tid;
	struct pmu_sample_sums *sums;
	/* Its own; all zero at first. */
	uint64_t position; /* up to which the ring was read */
	uint64_t n_marks;  /* and the marks */
	bool has_gap;   /* marks are missing before the next one: what that is for is not known */
	bool is_ending; /* the thread had said so before the last look */
	bool has_ended; /* nothing more comes */
	/* without marks: */
	bool was_off; /* the thread was off its processor since the ring is there */
	bool is_sure; /* what is from before then is of the same region */
	struct pmu_sample_hits unsure; /* that; who is 0 */
	uint32_t fill;                 /* bytes that the last look found in the ring */
	/* in the order of their positions; those before @first are given */
	struct pmu_sample_waiting *waiting;
	size_t first, n_waiting, room;
	struct pmu_sample_hits early; /* before all of @waiting, of the same region; who is 0 */
};

/** Room to copy rings to, for all of them; all zero at first, @at for free(). */
struct pmu_sample_scratch {
	char *at;
	size_t size;
};

/** pmu_sample_scratch() - at least @size bytes.  Return: whether there are. */
bool pmu_sample_scratch(struct pmu_sample_scratch *scratch, size_t size);

/**
 * pmu_sample_ring_read() - what the kernel has added since the last time
 *
 * What is mapped is known to all threads of the process then, so all are read before any of them is marked.
 */
void pmu_sample_ring_read(struct pmu_sample_ring *ring, struct pmu_sample_scratch *scratch);

/** pmu_sample_ring_mark() - gives what was read to the rows that it is marked for */
void pmu_sample_ring_mark(struct pmu_sample_ring *ring);

/** pmu_sample_ring_pending() - adds what no mark is for yet, as of PMU_SAMPLE_OPEN().  Return: 0 or -ENOMEM. */
int pmu_sample_ring_pending(const struct pmu_sample_ring *ring, struct pmu_sample_hits *hits);

/**
 * pmu_sample_ring_finish() - nothing more is marked: what is pending is in the sums, its memory is free
 * @who: whose that is, PMU_SAMPLE_OPEN() as a rule
 */
void pmu_sample_ring_finish(struct pmu_sample_ring *ring, uint64_t who);

#endif
