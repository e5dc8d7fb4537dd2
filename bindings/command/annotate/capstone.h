/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of capstone. */
#ifndef PMU_COMMAND_CAPSTONE_H
#define PMU_COMMAND_CAPSTONE_H

#include <capstone.h>

#define PMU_CAPSTONE_CALLS(CALL) \
	CALL(cs_close)           \
	CALL(cs_disasm_iter)     \
	CALL(cs_free)            \
	CALL(cs_malloc)          \
	CALL(cs_open)            \
	CALL(cs_option)

struct pmu_capstone_calls {
#define PMU_CAPSTONE_CALL(name) __typeof__(name) *name;
	PMU_CAPSTONE_CALLS(PMU_CAPSTONE_CALL)
};

/**
 * pmu_capstone_load() - loads it, once
 * Return: its functions; NULL with a sentence.
 */
const struct pmu_capstone_calls *pmu_capstone_load(void);

#endif
