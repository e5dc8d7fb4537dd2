/* SPDX-License-Identifier: BSD-3-Clause */
/* An event that samples are taken by: as this machine has it, or why it has not. */
#ifndef PMU_SESSION_SAMPLE_EVENT_H
#define PMU_SESSION_SAMPLE_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "plan/sample.h"

/** Why the processor's events take no samples beside a source that writes its counters, past the kernel. */
#define PMU_SAMPLE_REGISTERS                                                                        \
	"no samples were taken: the source msr writes the processor's counters by itself, so that " \
	"the kernel cannot sample by them; PMU_BACKEND=perf can have both"

/** Room for a sentence of these. */
#define PMU_SAMPLE_WHY_MAX 768

/**
 * pmu_sample_event_open() - a thread's event, as pmu_samples_open(), which names no kind of core
 * @why: [PMU_SAMPLE_WHY_MAX] a sentence, where it is refused
 * Return: a descriptor or a negative errno.
 */
int pmu_sample_event_open(int32_t tid, struct pmu_sample_event *event, bool callers, char *why);

/**
 * pmu_sample_event_check() - can it be opened on the calling thread?
 * @event: as precise as it is taken here afterwards
 * Return: 0 or a negative errno, with @why.
 */
int pmu_sample_event_check(struct pmu_sample_event *event, char *why);

#endif
