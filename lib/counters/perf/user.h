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

/** A thread's part when it is read in user space. */
struct pmu_perf_user {
	struct pmu_perf_reader reader;
	const struct perf_event_mmap_page *page[PMU_MAX_SLOTS]; /* [reader.n], the leader's first */
	/* What their pages said when they were last looked at with care. */
	struct pmu_perf_seat {
		uint32_t index;
		int64_t offset;
	} seat[PMU_MAX_SLOTS];
};

/** pmu_perf_user_config1() - what to ask with, try after try.  Return: how many; 0: not
 * possible here. */
unsigned int pmu_perf_user_config1(uint64_t config1[2]);

/**
 * pmu_perf_user_map() - the pages of a group
 * @page: result, one for each event
 * Return: 0, or the negative errno of mmap with nothing mapped (-EPERM:
 * perf_event_mlock_kb).
 */
int pmu_perf_user_map(const struct pmu_perf_group *group, const struct perf_event_mmap_page **page);
void pmu_perf_user_unmap(const struct perf_event_mmap_page **page, uint32_t n);

/** pmu_perf_user_ready() - can all of an enabled group be read this way, now, by its
 * thread? */
bool pmu_perf_user_ready(const struct perf_event_mmap_page *const *page, uint32_t n);

/** pmu_perf_user_settle() - before the first read: remember where the events are counted. */
void pmu_perf_user_settle(struct pmu_perf_user *self);

/**
 * pmu_perf_user_is_settled() - they are still there: what was read while the kernel changed the
 * pages is right.
 */
bool pmu_perf_user_is_settled(const struct pmu_perf_user *self);

/** pmu_perf_user_read(), _sparse() - pmu_read_fns of a struct pmu_perf_user; _sparse:
 * slots are absent. */
uint32_t pmu_perf_user_read(void *thread, uint64_t *value);
uint32_t pmu_perf_user_read_sparse(void *thread, uint64_t *value);

/**
 * pmu_perf_user_count() - the count, from what the counter holds
 * @raw: of the counter, at least @width bits of it meaningful
 * @width: bits of the counter, 1 to 64
 * @offset: of the page: the count up to now less the counter's value, sign extended
 *
 * Source: include/uapi/linux/perf_event.h, struct perf_event_mmap_page.
 */
static inline uint64_t pmu_perf_user_count(uint64_t raw, unsigned int width, uint64_t offset)
{
	unsigned int unused = -width & 63;

	return (uint64_t)((int64_t)(raw << unused) >> unused) + offset;
}

/** pmu_perf_user_index_ok() - 0 says that the event is not on a counter. */
static inline bool pmu_perf_user_index_ok(uint32_t index)
{
#if defined(__aarch64__)
	return index - 1 <= 31; /* event counters 0 to 30, the cycle counter 31 */
#else
	return index != 0;
#endif
}

/**
 * pmu_perf_user_value() - one event by its page
 * @counter: the raw value of counter @index - 1; a function known here, so that it
 * disappears into the loop
 * @changed: becomes other than 0 where the page was changed meanwhile
 *
 * The kernel changes a page only while its event's thread does not run or is interrupted:
 * then the lock differs afterwards, and what was read may belong to no one moment.  It is not read
 * again here: what that takes would be counted by the events that come after this one.
 *
 * Return: false where the event is not on a counter.
 */
static inline __attribute__((always_inline)) bool pmu_perf_user_value(
	const struct perf_event_mmap_page *page, uint64_t (*counter)(uint32_t number),
	uint64_t *value, uint64_t *changed)
{
	uint32_t lock, index;

	lock = __atomic_load_n(&page->lock, __ATOMIC_RELAXED);
	pmu_compiler_barrier();
	index = __atomic_load_n(&page->index, __ATOMIC_RELAXED);
	if (unlikely(!pmu_perf_user_index_ok(index)))
		return false;
	*value = pmu_perf_user_count(counter(index - 1), page->pmc_width, (uint64_t)page->offset);
	pmu_compiler_barrier();
	*changed |= __atomic_load_n(&page->lock, __ATOMIC_RELAXED) ^ lock;
	return true;
}

/**
 * pmu_perf_user_whole() - has the group counted all the time it was enabled?
 * @page: of its leader
 */
static inline bool pmu_perf_user_whole(const struct perf_event_mmap_page *page)
{
	uint32_t lock;
	bool whole;

	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_RELAXED);
		pmu_compiler_barrier();
		whole = page->time_enabled == page->time_running;
		pmu_compiler_barrier();
	} while (unlikely(__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != lock));
	return whole;
}

#endif
