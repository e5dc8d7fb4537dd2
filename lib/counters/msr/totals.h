/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that are read together, as 64-bit totals: those of one processor, or those of one
 * socket.  Each reader, any thread there or the poller, brings the totals forward.
 */
#ifndef PMU_MSR_TOTALS_H
#define PMU_MSR_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "counters/backend.h"
#include "counters/msr/device.h"

/** Counters narrower than this wrap too soon to be left alone. */
#define PMU_MSR_WIDE_BITS 48
/** Most time between two reads of such a counter. */
#define PMU_MSR_NARROW_NS (60 * 1000000000ull)
/**
 * The same for wider ones, by the poller: they wrap after hours, but some regions take days.
 */
#define PMU_MSR_WIDE_NS (1200 * 1000000000ull)

/** One counter. */
struct pmu_msr_entry {
	int cpu, fd;
	uint32_t address;
	uint32_t rdpmc; /* UINT32_MAX: not that way */
	uint8_t bits, slot;
	uint64_t last;                   /* what it held when it was last read */
	const struct pmu_msr_hold *hold; /* [PMU_MSR_HOLDS], of the program */
};

/** Of one processor, or of one socket. */
struct pmu_msr_totals {
	uint32_t lock;    /* everything below */
	int cpu;          /* its number; -1: a socket's */
	bool stopped;     /* registers are being put back, or are */
	bool narrow;      /* has a counter that must not be left alone */
	uint32_t missing; /* slots that it does not count, or not any more */
	uint32_t all;     /* every slot of the plan */
	uint32_t settled; /* of @missing: they counted for us up to a read that is known */
	uint32_t
		spoiled; /* of @missing: another program has counted by them from an unknown time */
	bool used;       /* a thread has been there, or they are a socket's */
	enum pmu_source_lost lost;
	uint64_t read_ns; /* when it was last read; CLOCK_MONOTONIC */
	unsigned int n_entries;
	struct pmu_msr_entry *entry;
	const struct pmu_msr_device *device; /* for its identities */
	const struct pmu_machine *machine;   /* for its registers' names */
	uint64_t total[PMU_MAX_SLOTS];       /* in the counters' own units */
	/* The first thing that went wrong, for people. */
	char trouble[200];
	bool told;
};

/** pmu_msr_totals_now() - CLOCK_MONOTONIC to some milliseconds; always as many instructions */
uint64_t pmu_msr_totals_now(void);

/**
 * pmu_msr_totals_start() - the entries are complete, and what they held at @now_ns is where the
 * totals begin
 */
void pmu_msr_totals_start(struct pmu_msr_totals *totals, uint64_t now_ns);

/**
 * pmu_msr_totals_read() - bring the totals forward
 * @now_ns: pmu_msr_totals_now(); a counter that was left alone for longer than its width bears is
 *	missing from then on
 * @by_instruction: RDPMC where the thread is on the processor that they are of
 * @total: [PMU_MAX_SLOTS] result, NULL: not wanted
 * @lost: result where the descriptors are not ours any more; NULL: not wanted
 *
 * A wide counter that has grown by more than it can have since it was last read was written by
 * another program, or the processor was asleep.  It is missing from then on too, and with it the
 * processor's other counters: the library's own work, which is taken off, is not what it was.
 *
 * Context: any thread; keeps errno; no allocation, no point of cancellation.
 * Return: the slots that mean nothing.
 */
uint32_t pmu_msr_totals_read(struct pmu_msr_totals *totals, uint64_t now_ns, bool by_instruction,
			     uint64_t *total, enum pmu_source_lost *lost);

/**
 * pmu_msr_totals_check() - does everything that controls the counters still hold what it was set to?
 *
 * What is counted where it does not is something else's: missing, from before too.  What cannot be
 * read says nothing.
 *
 * Context: any thread, at slow moments: two reads and more for each counter; keeps errno.
 * Return: the slots of which no count is one.
 */
uint32_t pmu_msr_totals_check(struct pmu_msr_totals *totals);

/** pmu_msr_totals_poll() - read them if that is due, so that no counter wraps unseen. */
void pmu_msr_totals_poll(struct pmu_msr_totals *totals, uint64_t now_ns);

/** pmu_msr_totals_stop() - from now on reads give nothing; none is under way when it returns. */
void pmu_msr_totals_stop(struct pmu_msr_totals *totals);

/** pmu_msr_totals_trouble() - what went wrong, once; false where nothing did. */
bool pmu_msr_totals_trouble(struct pmu_msr_totals *totals, char *text, size_t size);

#endif
