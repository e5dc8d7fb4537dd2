/* SPDX-License-Identifier: BSD-3-Clause */
/* Work for programs that the oracle judges: 1 + 2 * n instructions, whichever compiler. */
#ifndef PMU_TESTS_EXACT_TURNS_H
#define PMU_TESTS_EXACT_TURNS_H

#define TURNS(n) __asm__ volatile("mov %0, %%ecx\n1: dec %%ecx\n jnz 1b" ::"i"(n) : "ecx", "cc")

#endif
