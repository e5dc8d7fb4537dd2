/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a thread is in its code, as the kernel samples it: to which regions that belongs.
 *
 * The kernel writes a thread's samples, and that it was switched off and on, into a ring, and each time the
 * ring's head into a page.  There the thread leaves the address of its mark, as in the word that tells
 * when it is off its processor (machine/switches.h): one comparison is for both.
 *
 * Where nobody has asked for samples (PMU_SAMPLE=auto) threads that do not run for long must not pay for them.
 * Who collects opens the event of one that does, by itself, and cannot know its regions.  But it knows when the
 * thread was off its processor, and the thread finds that out at the next boundary: what was sampled from then on
 * until there was in one region, which the thread says as it is attached there.
 */
#ifndef PMU_SESSION_SAMPLES_H
#define PMU_SESSION_SAMPLES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmu_thread;
struct perf_event_mmap_page;
struct pmu_samples_marks;

struct pmu_samples {
	uint64_t *head; /* in the page; NULL: the thread is not sampled */
	struct perf_event_mmap_page *page;
	const char *ring; /* behind it */
	size_t ring_size;
	uint64_t seen; /* head of the ring, up to which the thread has looked */
	struct pmu_samples_marks *marks;
	/* The thread ends in a region: what was added since the last mark stays that one's, without a mark. */
	bool stays_open;
	bool is_late; /* to be sampled once it has run for a while */
	/* struct pmu_samples_hello */
	uint64_t before, alone_ns;
	/* of one that was attached late: how often it was off since it had run for so long */
	uint32_t n_off;
	uint64_t ran_ns;
};

/**
 * pmu_samples_hold_signals(), pmu_samples_release_signals() - around what maps or unmaps a thread's ring, until
 * the thread is known to have it or not: a handler's forked child, which has holes there, could not fill them
 */
void pmu_samples_hold_signals(sigset_t *before);
void pmu_samples_release_signals(const sigset_t *before);

/**
 * pmu_samples_attach() - the calling thread is sampled from now on, where that is asked for and can be
 *
 * Context: the session's lock.  Waits for who collects, up to a second, once.
 */
void pmu_samples_attach(struct pmu_thread *self);

/**
 * pmu_samples_are_due() - has the calling thread, which is to be attached late, run for long enough?  Not one that is
 * switched off often.
 * pmu_samples_attach_late() - at a boundary at which it finds that it has been off its processor
 * @row: of the region that was open, 0: none
 * @alone_ns: for so long it has been in no other one; 0: that is not known
 * Context: takes the session's lock.
 */
bool pmu_samples_are_due(struct pmu_thread *self);
void pmu_samples_attach_late(struct pmu_thread *self, uint32_t row, uint64_t alone_ns);

/**
 * pmu_samples_are_costly() - the calling thread was off its processor: has it been too often, since it was attached late?
 * pmu_samples_leave() - it is sampled no more; all is marked.  Context: takes the session's lock.
 */
bool pmu_samples_are_costly(struct pmu_thread *self);
void pmu_samples_leave(struct pmu_thread *self);

/** pmu_samples_why() - it is not, although that is wanted; "": it is as wanted */
const char *pmu_samples_why(const struct pmu_thread *self);

/**
 * pmu_samples_mark() - what was added to the ring since the last mark is @row's
 * @row: of the thread's rows; 0: no region was open
 * @other: the calling thread is another one, and @thread is asleep
 * Return: may @thread have been off its processor meanwhile?  True where it is not sampled.
 */
bool pmu_samples_mark(struct pmu_thread *thread, uint32_t row, bool other);

/** pmu_samples_detach() - on the thread itself: no more of it; what was added last is of no region but where it stays open */
void pmu_samples_detach(struct pmu_thread *self);

/** pmu_samples_shed() - in a forked child, of what is the parent's.  Async-signal-safe; may come twice. */
void pmu_samples_shed(const struct pmu_samples *samples);

#endif
