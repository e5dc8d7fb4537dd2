/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers are put back before SIGINT or SIGTERM ends the program. */
#ifndef PMU_MSR_SIGNALS_H
#define PMU_MSR_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

#include "counters/msr/device.h"
#include "counters/msr/journal.h"

/** What a handler needs, all of it there beforehand. */
struct pmu_msr_rescue {
	pid_t pid; /* the process that programmed them */
	struct pmu_msr_device *device;
	struct pmu_msr_journal *journal;
	const struct pmu_msr_op *op; /* RESTORE */
	size_t n_ops;
};

/**
 * pmu_msr_signals_arm() - from now on
 *
 * Only where the program has left a signal at its default.  The handler puts the registers back,
 * then the default, and raises the signal again: the exit status is the same.  A forked child's
 * does the latter two alone.  A program that sets a handler of its own later just replaces ours.
 * Process 1 of a container gets none: by default these signals do not end it.
 *
 * @rescue: stays until pmu_msr_signals_disarm()
 */
void pmu_msr_signals_arm(const struct pmu_msr_rescue *rescue);

/**
 * pmu_msr_signals_hold(), pmu_msr_signals_let_go() - around every step that programs registers
 *
 * A handler in another thread waits for the step, and lets no further one begin: what it has put
 * back stays so.
 * Return: false where a handler is putting registers back: nothing must be written any more.
 */
bool pmu_msr_signals_hold(void);
void pmu_msr_signals_let_go(void);

/**
 * pmu_msr_signals_disarm() - handlers that still are ours go; one that is at work is waited for.
 */
void pmu_msr_signals_disarm(void);

#endif
