/* SPDX-License-Identifier: BSD-3-Clause */
/* Why perf_event_open said no, and what would make it say yes. */
#ifndef PMU_COUNTERS_PERF_WHY_H
#define PMU_COUNTERS_PERF_WHY_H

#include "counters/backend.h"
#include "machine/cpu.h"

/** pmu_perf_refuses_slot() - is it this one event that is refused, or all there is? */
bool pmu_perf_refuses_slot(int code);

/**
 * pmu_perf_explain() - @why and @mend of a probe
 * @plan: what was asked for
 * @code: negative errno; -ENODEV: this machine shows no PMU; -ENOSPC: not all of it fits
 * @slot: the one that was refused
 * @probe: error[] is set: -ENOSPC where a slot does not fit
 */
void pmu_perf_explain(const struct pmu_plan *plan, int code, unsigned int slot,
		      struct pmu_probe *probe);

/**
 * pmu_perf_same_refusal() - -ENOENT for the kernel's other ways to say that there is no such event.
 */
int pmu_perf_same_refusal(int code);

/**
 * pmu_perf_explain_no_pmu_of() - the kernel has no PMU of that name
 * @pmu: "" where nothing is known of one
 * @id: the CPU we run on
 * @probe: why, and the module that would bring it, if that is not there already
 */
void pmu_perf_explain_no_pmu_of(const char *pmu, const struct pmu_cpu_id *id,
				struct pmu_probe *probe);

/** pmu_perf_note() - a few words for a thread's row. */
void pmu_perf_note(int code, char *text, size_t size);

#endif
