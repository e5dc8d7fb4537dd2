/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a thread's group by rdpmc (x86) or mrs (arm64). */
#include "counters/perf/user.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sysfile.h"
#include "base/systemcall.h"
#include "counters/refusable.h"

#if defined(__x86_64__)

/* The page's index already has bit 30 for a fixed counter. */
static inline __attribute__((always_inline)) uint64_t counter(const struct pmu_perf_seat *seat)
{
	return pmu_rdpmc(seat->counter);
}

static inline void find_instruction(struct pmu_perf_seat *seat)
{
	(void)seat;
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

/*
 * Arm ARM D24.5, PMEVCNTR<n>_EL0 and PMCCNTR_EL0: which one is part of the instruction.  So a seat
 * has the address of one that reads its counter into x0 and returns, changing nothing else.
 */
#if defined(__ARM_FEATURE_BTI_DEFAULT)
#define LAND             "	bti	c\n"
#define INSTRUCTION_SIZE 12
#else
#define LAND             ""
#define INSTRUCTION_SIZE 8
#endif
__asm__("	.pushsection .text\n"
	"	.balign	16\n"
	"	.type	pmu_perf_instructions, %function\n"
	"pmu_perf_instructions:\n"
	"	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, "
	"29, 30\n" LAND "	mrs	x0, pmevcntr\\n\\()_el0\n"
	"	ret\n"
	"	.endr\n" LAND "	mrs	x0, pmccntr_el0\n"
	"	ret\n"
	"	.size	pmu_perf_instructions, . - pmu_perf_instructions\n"
	"	.popsection\n");
extern const char pmu_perf_instructions[] __attribute__((visibility("hidden")));

static inline void find_instruction(struct pmu_perf_seat *seat)
{
	seat->read = (uintptr_t)pmu_perf_instructions + INSTRUCTION_SIZE * seat->counter;
}

static inline __attribute__((always_inline)) uint64_t counter(const struct pmu_perf_seat *seat)
{
	register uint64_t value __asm__("x0");

	__asm__ volatile("blr	%1" : "=r"(value) : "r"(seat->read) : "x30");
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

static inline __attribute__((always_inline)) uint64_t counter(const struct pmu_perf_seat *seat)
{
	(void)seat;
	return 0;
}

static inline void find_instruction(struct pmu_perf_seat *seat)
{
	(void)seat;
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

void pmu_perf_user_unmap(struct pmu_perf_seat *seat, uint32_t n)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	for (uint32_t i = 0; i < n; i++) {
		munmap((void *)seat[i].page, size);
		seat[i].page = NULL;
	}
}

int pmu_perf_user_map(const struct pmu_perf_group *group, struct pmu_perf_seat *seat)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	for (uint32_t i = 0; i < group->n; i++) {
		void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, group->fd[i], 0);

		if (at == MAP_FAILED) {
			int rc = -errno;

			pmu_perf_user_unmap(seat, i);
			return rc;
		}
		seat[i].page = at;
	}
	return 0;
}

bool pmu_perf_user_ready(const struct pmu_perf_seat *seat, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!seat[i].page->cap_user_rdpmc || !pmu_perf_user_index_ok(seat[i].page->index))
			return false;
	}
	return n > 0 && pmu_perf_user_whole(seat[0].page);
}

bool pmu_perf_user_settle(struct pmu_perf_user *self)
{
	const struct perf_event_mmap_page *leader = self->seat[0].page;
	uint32_t lock = pmu_load_relaxed(&leader->lock);
	bool can = true;

	pmu_compiler_barrier();
	for (uint32_t i = 0; i < self->reader.n; i++) {
		can &= pmu_perf_seat_take(&self->seat[i]);
		find_instruction(&self->seat[i]);
		can &= !(self->wide && self->seat[i].sign);
	}
	can &= pmu_perf_user_whole(leader);
	pmu_compiler_barrier();
	/* Of pages that changed meanwhile one part may be older than the other. */
	return can || pmu_load_relaxed(&leader->lock) != lock;
}

void pmu_perf_user_unsettle(void *thread, uint32_t tries)
{
	struct pmu_perf_user *self = thread;

	self->tries = tries;
	self->seat[0].lock ^= -(uint32_t)(tries != 0);
}

/* @wide: the counter is known to hold 64 bits */
static inline __attribute__((always_inline)) uint32_t read_seat(const struct pmu_perf_seat *seat,
								uint64_t *value, bool wide)
{
	uint64_t raw = counter(seat);

	*value = wide ? raw + seat->base : pmu_perf_seat_count(seat, raw);
	return pmu_perf_seat_moved(seat);
}

/*
 * Straight through, whatever happens, and as many instructions each time.  Return: other than 0
 * where the kernel has changed a page since it was looked at: then what was read means nothing.
 */
static inline __attribute__((always_inline)) uint32_t read_seats(const struct pmu_perf_user *self,
								 uint64_t *value, uint32_t n,
								 bool wide)
{
	uint32_t moved = 0;

	settle();
#pragma GCC unroll 16
	for (uint32_t i = 0; i < n; i++)
		moved |= read_seat(&self->seat[i], &value[i], wide);
	return moved;
}

/* Slots between them are absent. */
static inline __attribute__((always_inline)) uint32_t read_sparse(const struct pmu_perf_user *self,
								  uint64_t *value)
{
	uint32_t moved = 0;

	settle();
	for (uint32_t i = 0; i < self->reader.n; i++)
		moved |= read_seat(&self->seat[i], &value[self->reader.slot[i]], false);
	return moved;
}

/*
 * A pinned group that is off its counters while its thread runs has lost them.  But a vfork child,
 * which is in its parent's memory, has no counters, and takes away none.
 */
static PMU_COLD uint32_t counters_taken(struct pmu_perf_user *self)
{
	if (pmu_system_call2(SYS_gettid, 0, 0) != self->tid)
		return self->reader.all;
	return pmu_perf_lost(&self->reader, PMU_SOURCE_TAKEN);
}

/*
 * The thread was off its processor, or its events have moved to other counters: where they are now
 * is looked up, and all are read again.  What that counts is known for each try (struct
 * pmu_source_thread, tries).
 */
static __attribute__((noinline)) uint32_t read_moved(struct pmu_perf_user *self, uint64_t *value)
{
	uint32_t tries = 0, least = self->tries, moved;

	if (self->reader.source.lost)
		return self->reader.all;
	do {
		if (unlikely(!pmu_perf_user_settle(self)))
			return counters_taken(self);
		moved = read_sparse(self, value);
		tries++;
		/*
		 * not ||: a try that was asked for takes as many instructions as one that had to be
		 */
	} while (unlikely(moved | (uint32_t)(tries < least)));
	self->tries = 0;
	self->reader.source.tries = tries;
	return self->reader.missing | PMU_READ_DELAYED;
}

static PMU_HOT uint32_t read_user(void *thread, uint64_t *value)
{
	struct pmu_perf_user *self = thread;

	if (unlikely(read_sparse(self, value)))
		return read_moved(self, value);
	return self->reader.missing;
}

/* One for each number of counters: a loop takes a third more instructions. */
#define READ(name, n, wide)                                                                     \
	static PMU_HOT uint32_t read_##name(void *thread, uint64_t *value)                      \
	{                                                                                       \
		return unlikely(read_seats(thread, value, n, wide)) ? read_moved(thread, value) \
								    : 0;                        \
	}
READ(1, 1, false)
READ(2, 2, false)
READ(3, 3, false)
READ(4, 4, false)
READ(5, 5, false)
READ(6, 6, false)
READ(7, 7, false)
READ(8, 8, false)
static pmu_read_fn *const straight[] = { read_1, read_2, read_3, read_4,
					 read_5, read_6, read_7, read_8 };

#if defined(__aarch64__)
/* Counters that hold 64 bits (PMUv3p5, the cycle counter) need no sign: three instructions less each. */
READ(wide_1, 1, true)
READ(wide_2, 2, true)
READ(wide_3, 3, true)
READ(wide_4, 4, true)
READ(wide_5, 5, true)
READ(wide_6, 6, true)
READ(wide_7, 7, true)
READ(wide_8, 8, true)
static pmu_read_fn *const straight_wide[] = { read_wide_1, read_wide_2, read_wide_3, read_wide_4,
					      read_wide_5, read_wide_6, read_wide_7, read_wide_8 };
#else
#define straight_wide straight
#endif

static uint32_t read_lost(void *thread, uint64_t *value)
{
	const struct pmu_perf_user *self = thread;

	(void)value;
	return self->reader.all;
}

/*
 * In a signal handler, in the middle of a read: that one is to come to nothing, and no other is to
 * be tried.
 */
static void user_read_refused(void *thread)
{
	struct pmu_perf_user *self = thread;

	pmu_perf_lost(&self->reader, PMU_SOURCE_REFUSED);
	for (uint32_t i = 0; i < self->reader.n; i++)
		self->seat[i].lock = ~self->seat[i].page->lock;
	*self->read = read_lost;
}

void pmu_perf_user_watch(struct pmu_perf_user *self, pmu_read_fn **read)
{
	self->read = read;
	pmu_refusable_guard();
	pmu_refusable_watch(user_read_refused, self);
}

void pmu_perf_user_unwatch(const struct pmu_perf_user *self)
{
	if (self->tid && pmu_system_call2(SYS_gettid, 0, 0) == self->tid)
		pmu_refusable_watch(NULL, NULL);
}

/* How wide an event's counter is depends on the event: a page that came to say otherwise is not read. */
static bool is_wide(const struct pmu_perf_user *self)
{
	bool wide = true;

	for (uint32_t i = 0; i < self->reader.n; i++)
		wide &= !self->seat[i].sign;
	return wide;
}

pmu_read_fn *pmu_perf_user_read(struct pmu_perf_user *self)
{
	uint32_t n = self->reader.n;

	if (self->reader.missing || n > PMU_ARRAY_LEN(straight))
		return read_user;
	self->wide = is_wide(self);
	return (self->wide ? straight_wide : straight)[n - 1];
}
