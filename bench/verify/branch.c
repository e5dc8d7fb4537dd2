/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/verify/branch.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "bench/kernels/kernel.h"

#if defined(__x86_64__)

static bool is_prefix(unsigned char byte)
{
	static const unsigned char prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64,
						  0x65, 0x66, 0x67, 0xf2, 0xf3 };

	/* the latter: REX */
	return memchr(prefixes, byte, sizeof(prefixes)) || (byte & 0xf0) == 0x40;
}

static enum branch conditional(const unsigned char *code, size_t opcode_end, size_t size,
			       unsigned int *length, uintptr_t *target)
{
	int32_t distance = (int8_t)code[opcode_end];

	if (size == 4)
		memcpy(&distance, code + opcode_end, 4);
	*length = (unsigned int)(opcode_end + size);
	*target = (uintptr_t)code + *length + (uintptr_t)(intptr_t)distance;
	return BRANCH_CONDITIONAL;
}

enum branch branch_at(const unsigned char *code, unsigned int *length, uintptr_t *target)
{
	size_t i = 0;

	while (i < 8 && is_prefix(code[i]))
		i++;
	if ((code[i] & 0xf0) == 0x70 || (code[i] & 0xfc) == 0xe0)
		return conditional(code, i + 1, 1, length, target);
	if (code[i] == 0x0f && (code[i + 1] & 0xf0) == 0x80)
		return conditional(code, i + 2, 4, length, target);
	switch (code[i]) {
	case 0xe8:
	case 0xe9:
	case 0xeb:
		return BRANCH_DIRECT;
	case 0xc2:
	case 0xc3:
		return BRANCH_RETURN;
	case 0xff: /* the middle of the next byte says which: 2, 3 calls, 4, 5 jumps */
		return (code[i + 1] >> 3 & 7) >= 2 && (code[i + 1] >> 3 & 7) <= 5 ? BRANCH_INDIRECT
										  : BRANCH_NONE;
	default:
		return BRANCH_NONE;
	}
}

#else

/* A distance of @bits bits, in instructions, from bit @at on. */
static uintptr_t goes_to(const unsigned char *code, uint32_t word, int at, int bits)
{
	int64_t distance = (int64_t)((uint64_t)word << (64 - at - bits)) >> (64 - bits);

	return (uintptr_t)code + (uintptr_t)(distance * 4);
}

enum branch branch_at(const unsigned char *code, unsigned int *length, uintptr_t *target)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	*length = sizeof(word);
	/* B.cond; CBZ, CBNZ */
	if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
		*target = goes_to(code, word, 5, 19);
		return BRANCH_CONDITIONAL;
	}
	if ((word & 0x7e000000) == 0x36000000) { /* TBZ, TBNZ */
		*target = goes_to(code, word, 5, 14);
		return BRANCH_CONDITIONAL;
	}
	if ((word & 0x7c000000) == 0x14000000) /* B, BL */
		return BRANCH_DIRECT;
	if ((word & 0xfe000000) == 0xd6000000) /* BR, BLR; RET, and with authentication */
		return (word >> 21 & 7) == 2 ? BRANCH_RETURN : BRANCH_INDIRECT;
	return BRANCH_NONE;
}

#endif
