/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts read without the kernel: the page it keeps for each event, and the processor's
 * own instruction. */
#ifndef PMU_COUNTERS_PERF_USER_H
#define PMU_COUNTERS_PERF_USER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "counters/perf/group.h"

/**
 * Where an event is counted, as its page said when it was looked at with care.
 *
 * The kernel counts the page's lock up whenever it changes anything there: as long as the lock is
 * the same, so is the rest.  Then the counter's number is right, whatever has happened to the
 * thread meanwhile.
 */
struct pmu_perf_seat {
	const struct perf_event_mmap_page *page;
	uint32_t lock;
	uint32_t counter; /* the page's index - 1 */
	uintptr_t read;   /* arm64: the code that reads it */
	/*
	 * The counter holds so many bits of a number that may be negative: (((raw & mask) ^ sign) +
	 * base) is the count.  Where it holds all 64, @sign is 0: raw + base is the count.
	 */
	uint64_t mask, sign;
	uint64_t base; /* the page's offset - sign */
};

/** A thread's part when it is read in user space. */
struct pmu_perf_user {
	struct pmu_perf_reader reader;
	bool wide;          /* each of its counters holds 64 bits, and is read so */
	uint32_t tries;     /* at least so many more at the next read that must be made again */
	pmu_read_fn **read; /* where the thread's pmu_read_fn is kept */
	/* has the counters: a vfork child of it has none, and is in its memory */
	pid_t tid;
	struct pmu_perf_seat seat[PMU_MAX_SLOTS]; /* [reader.n], the leader's first */
};

/** pmu_perf_user_config1() - what to ask with, try after try.  Return: how many; 0: not
 * possible here. */
unsigned int pmu_perf_user_config1(uint64_t config1[2]);

/**
 * pmu_perf_user_map() - the pages of a group
 * @seat: result, one with a page for each event
 * Return: 0, or the negative errno of mmap with nothing mapped (-EPERM:
 * perf_event_mlock_kb).
 */
int pmu_perf_user_map(const struct pmu_perf_group *group, struct pmu_perf_seat *seat);
void pmu_perf_user_unmap(struct pmu_perf_seat *seat, uint32_t n);

/** pmu_perf_user_ready() - can all of an enabled group be read this way, now, by its
 * thread? */
bool pmu_perf_user_ready(const struct pmu_perf_seat *seat, uint32_t n);

/**
 * pmu_perf_user_settle() - look where the events are counted
 * Return: false where one is on no counter, or on one that must not be read so, or the group has a
 * hole; true also where the kernel has changed a page meanwhile, which the next read notices.
 */
bool pmu_perf_user_settle(struct pmu_perf_user *self);

/**
 * pmu_perf_user_watch() - where its thread is refused a counter, its counts have ended
 * @read: where the thread's pmu_read_fn is kept as long as it is attached
 *
 * Context: its thread, which must pmu_perf_user_unwatch().
 */
void pmu_perf_user_watch(struct pmu_perf_user *self, pmu_read_fn **read);
void pmu_perf_user_unwatch(const struct pmu_perf_user *self);

/** pmu_perf_user_unsettle() - as struct pmu_backend has it, for a struct pmu_perf_user. */
void pmu_perf_user_unsettle(void *thread, uint32_t tries);

/** pmu_perf_user_read() - the pmu_read_fn for it: one that suits its counters, which are settled */
pmu_read_fn *pmu_perf_user_read(struct pmu_perf_user *self);

/**
 * pmu_perf_user_index_ok() - is it a counter that can be read?
 *
 * 0 says that the event is on none.  Source: x86, Intel SDM vol. 2B, RDPMC: bit 30 stands for fixed
 * counters; bit 29 for PERF_METRICS, four or eight shares and no count.  Arm
 * ARM D24.5: event counters 0 to 30, the cycle counter 31.
 */
static inline bool pmu_perf_user_index_ok(uint32_t index)
{
#if defined(__aarch64__)
	return index - 1 <= 31;
#else
	return index != 0 && !((index - 1) >> 29 & 1);
#endif
}

/**
 * pmu_perf_seat_take() - what a page says now
 *
 * The lock is taken first: where it is the same after the counter was read, all of it belonged
 * together.  A seat that cannot be read stands for counter 0, which every processor has: reads come
 * before they are judged.
 *
 * Return: can it be read?  If not, it counts as moved until it is taken again.
 * Source: include/uapi/linux/perf_event.h, struct perf_event_mmap_page.
 */
static inline bool pmu_perf_seat_take(struct pmu_perf_seat *seat)
{
	const struct perf_event_mmap_page *page = seat->page;
	unsigned int width;
	uint32_t index;
	bool can;

	seat->lock = pmu_load_relaxed(&page->lock);
	pmu_compiler_barrier();
	width = page->pmc_width;
	index = pmu_load_relaxed(&page->index);
	can = pmu_perf_user_index_ok(index);
	seat->counter = can ? index - 1 : 0;
	seat->sign = width < 64 ? UINT64_C(1) << (width - 1) : 0;
	seat->mask = 2 * seat->sign - 1;
	seat->base = (uint64_t)page->offset - seat->sign;
	if (!can)
		seat->lock = ~seat->lock;
	pmu_compiler_barrier();
	return can;
}

/**
 * pmu_perf_seat_count() - the count, from what the counter holds
 *
 * RDPMC gives 0 for bits that a counter does not have (Intel SDM vol. 2B, RDPMC; AMD APM vol. 3,
 * RDPMC); on arm64 they may be ones, as the kernel lets 32-bit events count in the low half of a
 * 64-bit counter.
 */
static inline uint64_t pmu_perf_seat_count(const struct pmu_perf_seat *seat, uint64_t raw)
{
#if !defined(__x86_64__)
	raw &= seat->mask;
#endif
	return (raw ^ seat->sign) + seat->base;
}

/** pmu_perf_seat_moved() - other than 0 where the page has changed since it was taken */
static inline uint32_t pmu_perf_seat_moved(const struct pmu_perf_seat *seat)
{
	pmu_compiler_barrier();
	return pmu_load_relaxed(&seat->page->lock) ^ seat->lock;
}

/**
 * pmu_perf_user_whole() - has the group counted all the time it was enabled?
 * @page: of its leader
 */
static inline bool pmu_perf_user_whole(const struct perf_event_mmap_page *page)
{
	return pmu_load_relaxed(&page->time_enabled) == pmu_load_relaxed(&page->time_running);
}

#endif
