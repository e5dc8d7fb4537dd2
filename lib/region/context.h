/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts, for the library itself. */
#ifndef PMU_REGION_CONTEXT_H
#define PMU_REGION_CONTEXT_H

struct pmu_thread;

/** pmu_context_leave_now() - as pmu_context_leave() of the team that the thread is in.  Context: inside. */
void pmu_context_leave_now(struct pmu_thread *self);

#endif
