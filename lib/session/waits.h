/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time that a thread spends off its processor: blocked, or runnable and waiting for one.
 *
 * Both change only while the thread is switched off, and it finds out by itself when it has been
 * (machine/switches.h): only then the kernel is asked.
 */
#ifndef PMU_SESSION_WAITS_H
#define PMU_SESSION_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/switches.h"

struct pmu_thread;

/** ns since some moment */
struct pmu_wait {
	uint64_t off;    /* off its processor */
	uint64_t queued; /* of it, runnable */
};

struct pmu_waits {
	struct pmu_switches switches;
	bool are_known;       /* something tells of switches */
	bool are_lost;        /* they were, until the program unregistered its area */
	bool are_split;       /* the kernel says how long it was runnable */
	char path[40];        /* of the kernel's file of it */
	struct pmu_wait last; /* as of the last look; from no particular moment on */
	uint64_t mark;        /* what the thread looks at where it has no word of the kernel's */
};

/** pmu_waits_attach() - on the thread itself, which is sampled already or is not.  Context: the session's lock. */
void pmu_waits_attach(struct pmu_thread *self);

/** pmu_waits_attach_again() - samples, or none, are what tells the thread from now on.  Context: the session's lock. */
void pmu_waits_attach_again(struct pmu_thread *self);

/**
 * pmu_waits_hidden() - what pmu_thread.switched is while the library measures itself: what the thread did not
 * notice meanwhile it does behind it
 */
static inline uint64_t *pmu_waits_hidden(struct pmu_waits *waits)
{
	return &waits->mark;
}

/** pmu_waits_watch() - from now on it is known again when the thread has been off its processor */
void pmu_waits_watch(const struct pmu_thread *self);

/** pmu_waits_why() - nothing is known of its waits, although that is wanted; "": it is as wanted */
const char *pmu_waits_why(const struct pmu_thread *self);

/** pmu_waits_detach() - the kernel's word is as if we had not been there */
void pmu_waits_detach(struct pmu_thread *self);

/** pmu_waits_shed() - in a forked child, of what is the parent's.  Async-signal-safe. */
void pmu_waits_shed(struct pmu_thread *parents);

/** pmu_waits_note_lost() - nothing is known of the thread's waits where it is told no more */
void pmu_waits_note_lost(struct pmu_thread *self);

/**
 * pmu_waits_take() - since the last time; from now on it is known again when it is switched off
 * @thread: the calling one, or one that is asleep
 */
struct pmu_wait pmu_waits_take(struct pmu_thread *thread);

#endif
