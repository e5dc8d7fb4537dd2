/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many instructions the library takes to read its counters in user space, beside the
 * fewest that the protocol of the kernel's pages allows.
 */
#include "base/compiler.h"
#include "base/error.h"
#include "counters/perf/perf.h"
#include "plan/event.h"
#include "pmu.h"
#include "tap.h"

#define CALLS    1000
#define N_EVENTS 2

/* --- the protocol, as include/uapi/linux/perf_event.h tells it
 * -------------------------------- */

#define COUNTER(n)                                                          \
	case n + 1:                                                         \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(raw)); \
		break
#define COUNTERS(n)    \
	COUNTER(n##0); \
	COUNTER(n##1); \
	COUNTER(n##2); \
	COUNTER(n##3); \
	COUNTER(n##4); \
	COUNTER(n##5); \
	COUNTER(n##6); \
	COUNTER(n##7); \
	COUNTER(n##8); \
	COUNTER(n##9)

/* Without any check that there is something to read. */
static inline uint64_t bare_event(const volatile struct perf_event_mmap_page *page)
{
	uint64_t raw, count;
	uint32_t lock;

	do {
		lock = page->lock;
		pmu_compiler_barrier();
		switch (page->index) {
			COUNTERS();
			COUNTERS(1);
			COUNTERS(2);
			COUNTER(30);
		case 32:
			__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(raw));
			break;
		default:
			__builtin_unreachable();
		}
		raw <<= 64 - page->pmc_width;
		count = (uint64_t)((int64_t)raw >> (64 - page->pmc_width)) + (uint64_t)page->offset;
		pmu_compiler_barrier();
	} while (page->lock != lock);
	return count;
}

static uint32_t bare_read(void *thread, uint64_t *value)
{
	const struct pmu_perf_thread *self = thread;

	__asm__ volatile("isb" ::: "memory");
	for (int i = 0; i < N_EVENTS; i++)
		value[i] = bare_event(self->user.seat[i].page);
	return 0;
}

/* --- counting calls
 * --------------------------------------------------------------------------- */

static struct pmu_perf_thread thread;
static pmu_read_fn *read_counts;

/* What one of CALLS calls takes, from the call itself to the return: the loop has four
 * more. */
static uint64_t per_call(pmu_read_fn *function, void *arg, uint64_t *value)
{
	uint64_t before[PMU_MAX_SLOTS], after[PMU_MAX_SLOTS];
	uint64_t left = CALLS;

	read_counts(&thread, before);
	__asm__ volatile("1:	mov	x0, %1\n"
			 "	mov	x1, %2\n"
			 "	blr	%3\n"
			 "	subs	%0, %0, #1\n"
			 "	b.ne	1b\n"
			 : "+&r"(left)
			 : "r"(arg), "r"(value), "r"(function)
			 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
			   "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x30", "v0", "v1", "v2",
			   "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21",
			   "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
			   "cc", "memory");
	read_counts(&thread, after);
	return (after[0] - before[0]) / CALLS - 4;
}

static uint32_t one_pair(void *name, uint64_t *unused)
{
	(void)unused;
	pmu_region_begin(name);
	pmu_region_end(name);
	return 0;
}

static bool attach(void)
{
	static struct pmu_plan plan;
	struct pmu_event event[PMU_MAX_SLOTS];
	struct pmu_attachment got;
	void *state;

	plan.n_slots = N_EVENTS;
	if (!is_int(pmu_event_list_parse("instructions,cycles", NULL, event), N_EVENTS,
		    "the events are known"))
		return false;
	for (int i = 0; i < N_EVENTS; i++)
		plan.slot[i] = event[i].slot;
	if (!is_int(pmu_backend_perf.open(&state, &plan), 0, "the source opens") ||
	    !is_int((long long)pmu_backend_perf.thread_size(&plan), sizeof(thread),
		    "a thread's part is what its header says") ||
	    !is_int(pmu_backend_perf.attach(state, &thread, -1, &read_counts, &got), 0,
		    "a thread attaches"))
		return false;
	if (!ok(got.user_read && !got.missing, "its counts are read in user space"))
		diag("%s", got.note);
	return got.user_read && !got.missing;
}

int main(void)
{
	uint64_t library[PMU_MAX_SLOTS], bare[PMU_MAX_SLOTS], of_library, of_bare;
	static char name[] = "region";

	if (!attach())
		return done_testing();
	of_library = per_call(read_counts, &thread, library);
	of_bare = per_call(bare_read, &thread, bare);
	read_counts(&thread, library);
	bare_read(&thread, bare);
	ok(bare[0] - library[0] < 200 && bare[1] - library[1] < 200,
	   "both ways read the same counters");
	diag("instructions to read %d counts: %" PRIu64 ", the bare protocol %" PRIu64, N_EVENTS,
	     of_library, of_bare);
	ok(of_bare > 10 && of_library * 2 <= of_bare * 3, "at most 1.5 times the bare protocol");

	one_pair(name, NULL);
	diag("instructions of a begin and its end: %" PRIu64, per_call(one_pair, name, NULL));
	return done_testing();
}
