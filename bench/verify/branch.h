/* SPDX-License-Identifier: BSD-3-Clause */
/* Which instructions are branches, told from their bytes. */
#ifndef BENCH_BRANCH_H
#define BENCH_BRANCH_H

#include <stdint.h>

enum branch { BRANCH_NONE, BRANCH_CONDITIONAL, BRANCH_DIRECT, BRANCH_INDIRECT, BRANCH_RETURN };

/**
 * branch_at() - what the instruction at @code is
 * @code: its first byte; 16 bytes can be read
 * @length: result for a conditional branch: its bytes
 * @target: result for a conditional branch: where it goes
 * Source: Intel SDM vol. 2, opcodes 70H to 7FH, C2H, C3H, E0H to E3H, E8H, E9H, EBH, FFH, 0FH 80H
 * to 8FH; Arm ARM DDI 0487, C4.1, "Branches, Exception Generating and System instructions".
 */
enum branch branch_at(const unsigned char *code, unsigned int *length, uintptr_t *target);

#endif
