/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads we pinned, and the masks they had before. */
#ifndef PMU_MACHINE_PINNED_H
#define PMU_MACHINE_PINNED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "machine/mask.h"

/** Most threads that can be pinned at a time. */
#define PMU_PINNED_MAX 4096

/**
 * pmu_pinned_bind() - pin the calling thread and remember what it may use without us
 * @cpu: OS number
 * @original: its mask before; one per process as a rule, since equal masks are kept once
 *
 * Context: the session's lock is held.
 * Return: 0; -ENOSPC at PMU_PINNED_MAX threads or too many different masks; -ENOMEM; or
 * the kernel's refusal.
 */
int pmu_pinned_bind(int cpu, const struct pmu_mask *original);

/**
 * pmu_pinned_own_mask() - the calling thread's mask as if we had never pinned it
 * Return: 0 or a negative errno.
 */
int pmu_pinned_own_mask(struct pmu_mask *mask);

/** pmu_pinned_forget() - in a new process: this thread has its original mask and is not
 * pinned. */
void pmu_pinned_forget(void);

/** pmu_pinned_disown() - in a child of a fork that we do not wrap: put back the mask
 * from before the parent's pin. */
void pmu_pinned_disown(void);

/**
 * pmu_pinned_drop() - the program has bound a thread itself: that stands, we never undo
 * it
 * @tid: 0 for the calling thread
 */
void pmu_pinned_drop(int tid);
void pmu_pinned_drop_pthread(pthread_t thread);

/** pmu_pinned_original_pthread() - pmu_pin_original() for callers that have a
 * thread's handle. */
int pmu_pinned_original_pthread(pthread_t thread, size_t size, void *mask);

#endif
