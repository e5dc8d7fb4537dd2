/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a thread's group by rdpmc (x86) or mrs (arm64). */
#include "counters/perf/user.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sysfile.h"

#if defined(__x86_64__)

/* Intel SDM vol. 2B, RDPMC; the page's index already has bit 30 for a fixed counter. */
static inline __attribute__((always_inline)) uint64_t counter(uint32_t number)
{
	return __builtin_ia32_rdpmc((int)number);
}

/* As with the time stamp: no fence, see clock.h. */
static inline void settle(void)
{
}

unsigned int pmu_perf_user_config1(uint64_t config1[2])
{
	config1[0] = 0;
	return 1;
}

#elif defined(__aarch64__)

#define CASE(n)                                                               \
	case n:                                                               \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); \
		break

/* Arm ARM D24.5, PMEVCNTR<n>_EL0 and PMCCNTR_EL0: which one is part of the instruction.
 */
static inline __attribute__((always_inline)) uint64_t counter(uint32_t number)
{
	uint64_t value;

	switch (number) {
		CASE(0);
		CASE(1);
		CASE(2);
		CASE(3);
		CASE(4);
		CASE(5);
		CASE(6);
		CASE(7);
		CASE(8);
		CASE(9);
		CASE(10);
		CASE(11);
		CASE(12);
		CASE(13);
		CASE(14);
		CASE(15);
		CASE(16);
		CASE(17);
		CASE(18);
		CASE(19);
		CASE(20);
		CASE(21);
		CASE(22);
		CASE(23);
		CASE(24);
		CASE(25);
		CASE(26);
		CASE(27);
		CASE(28);
		CASE(29);
		CASE(30);
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		break;
	default: /* kept out by pmu_perf_user_index_ok() */
		__builtin_unreachable();
	}
	return value;
}

/* One for the whole group: what came before is counted, what comes after is not. */
static inline void settle(void)
{
	__asm__ volatile("isb" ::: "memory");
}

/*
 * Bit 1 asks for user access, bit 0 for a 64-bit counter, which not every PMU has beside
 * the cycle counter. Source: Documentation/arch/arm64/perf.rst.
 */
unsigned int pmu_perf_user_config1(uint64_t config1[2])
{
	uint64_t allowed;

	if (pmu_sysfile_u64("/proc/sys/kernel/perf_user_access", &allowed) || !allowed)
		return 0;
	config1[0] = 3;
	config1[1] = 2;
	return 2;
}

#else

static inline __attribute__((always_inline)) uint64_t counter(uint32_t number)
{
	(void)number;
	return 0;
}

static inline void settle(void)
{
}

unsigned int pmu_perf_user_config1(uint64_t config1[2])
{
	(void)config1;
	return 0;
}

#endif

void pmu_perf_user_unmap(const struct perf_event_mmap_page **page, uint32_t n)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	for (uint32_t i = 0; i < n; i++) {
		munmap((void *)page[i], size);
		page[i] = NULL;
	}
}

int pmu_perf_user_map(const struct pmu_perf_group *group, const struct perf_event_mmap_page **page)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	for (uint32_t i = 0; i < group->n; i++) {
		void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, group->fd[i], 0);

		if (at == MAP_FAILED) {
			int rc = -errno;

			pmu_perf_user_unmap(page, i);
			return rc;
		}
		page[i] = at;
	}
	return 0;
}

bool pmu_perf_user_ready(const struct perf_event_mmap_page *const *page, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!page[i]->cap_user_rdpmc || !pmu_perf_user_index_ok(page[i]->index))
			return false;
	}
	return n > 0 && pmu_perf_user_whole(page[0]);
}

/* A pinned group that is off its counters while its thread runs has lost them. */
static PMU_COLD uint32_t taken(struct pmu_perf_user *self)
{
	return pmu_perf_lost(&self->reader, PMU_SOURCE_TAKEN);
}

void pmu_perf_user_settle(struct pmu_perf_user *self)
{
	for (uint32_t i = 0; i < self->reader.n; i++) {
		self->seat[i].index = self->page[i]->index;
		self->seat[i].offset = self->page[i]->offset;
	}
}

/*
 * Where the kernel schedules an event out and in again it goes on where it was, as a rule: on the
 * same counter, with the same offset.  Then whatever it changed between two loads, their sum is the
 * count at the moment of the counter's.
 */
bool pmu_perf_user_is_settled(const struct pmu_perf_user *self)
{
	for (uint32_t i = 0; i < self->reader.n; i++)
		if (self->page[i]->index != self->seat[i].index ||
		    self->page[i]->offset != self->seat[i].offset)
			return false;
	return true;
}

/*
 * Events have moved: what was read may be nonsense, and is read again.  What that counts cannot be
 * told apart.
 */
static uint32_t read_late(struct pmu_perf_user *self, uint64_t *value)
{
	uint64_t changed;

	do {
		changed = 0;
		pmu_perf_user_settle(self);
		for (uint32_t i = 0; i < self->reader.n; i++)
			if (!pmu_perf_user_value(self->page[i], counter,
						 &value[self->reader.slot[i]], &changed))
				return taken(self);
	} while (changed);
	__atomic_store_n(&self->reader.source.shifted, self->reader.source.shifted + 1,
			 __ATOMIC_RELAXED);
	return self->reader.missing;
}

/* The kernel has changed a page in the middle of a read, or the counts have a hole for good. */
static PMU_COLD uint32_t look_again(struct pmu_perf_user *self, uint64_t *value)
{
	if (!pmu_perf_user_whole(self->page[0]))
		return taken(self);
	if (pmu_perf_user_is_settled(self))
		return self->reader.missing | PMU_READ_DELAYED;
	return read_late(self, value);
}

/* Straight through, whatever happens: up to the last counter it is always as many instructions. */
static inline __attribute__((always_inline)) uint32_t read_all(struct pmu_perf_user *self,
							       uint64_t *value, bool sparse)
{
	const struct perf_event_mmap_page *leader = self->page[0];
	uint32_t n = self->reader.n;
	uint64_t changed = 0;

	settle();
	for (uint32_t i = 0; i < n; i++) {
		uint32_t slot = sparse ? self->reader.slot[i] : i;

		if (unlikely(!pmu_perf_user_value(self->page[i], counter, &value[slot], &changed)))
			return taken(self);
	}
	changed |= leader->time_enabled ^ leader->time_running;
	if (unlikely(changed))
		return look_again(self, value);
	return self->reader.missing;
}

PMU_HOT uint32_t pmu_perf_user_read(void *thread, uint64_t *value)
{
	return read_all(thread, value, false);
}

PMU_HOT uint32_t pmu_perf_user_read_sparse(void *thread, uint64_t *value)
{
	return read_all(thread, value, true);
}
