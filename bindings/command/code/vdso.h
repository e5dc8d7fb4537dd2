/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's code in every process. */
#ifndef PMU_COMMAND_CODE_VDSO_H
#define PMU_COMMAND_CODE_VDSO_H

/** pmu_code_vdso() - as a file in memory.  Return: its descriptor; -1: there is none. */
int pmu_code_vdso(void);

#endif
