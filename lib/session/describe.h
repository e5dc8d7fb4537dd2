/* SPDX-License-Identifier: BSD-3-Clause */
/* What the store knows of program, machine and source. */
#ifndef PMU_SESSION_DESCRIBE_H
#define PMU_SESSION_DESCRIBE_H

#include <stddef.h>

#include "store/row.h"

/** pmu_session_tell() - a text for the store, and for those of children that are forked */
void pmu_session_tell(enum pmu_meta_key key, const char *text);

/**
 * pmu_session_machine() - "AMD EPYC, 2 processors, virtual machine (KVM)", "AuthenticAMD-26-2-1"
 * @cpu: "" where it is not known
 */
void pmu_session_machine(char *text, size_t size, char *cpu, size_t cpu_size);

/**
 * pmu_session_describe() - what the store should know of program, machine and source.  Context:
 * lock held.
 */
void pmu_session_describe(void);

/**
 * pmu_session_describe_pinning() - how threads are pinned by now, where that has changed.  Context:
 * lock held.
 */
void pmu_session_describe_pinning(void);

#endif
