/* SPDX-License-Identifier: BSD-3-Clause */
/* Arm's scalable vectors, of which only the processor tells how long they are. */
#ifndef BENCH_CEILINGS_SVE_H
#define BENCH_CEILINGS_SVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>

#define SVE_HWCAP (1ul << 22) /* HWCAP_SVE of Linux, arch/arm64/include/uapi/asm/hwcap.h */

/** sve_has() - are there such vectors, of @bits bits? */
static inline bool sve_has(int bits)
{
	uint64_t bytes;

	if (!(getauxval(AT_HWCAP) & SVE_HWCAP))
		return false;
	__asm__(".arch_extension sve\n\trdvl %0, #1" : "=r"(bytes));
	return bytes == (uint64_t)bits / 8;
}

static bool has_sve256(void)
{
	return sve_has(256);
}

static bool has_sve512(void)
{
	return sve_has(512);
}

#endif
