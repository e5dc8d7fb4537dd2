/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thirty regions that do the same, but for one: it can be longer by turns of its loop, or by one
 * instruction a call.  So runs are made that differ in what is known.
 *
 *	regions CALLS TURNS REGION MORE_TURNS MORE_INSTRUCTIONS
 *
 * REGION 30: none of them.  For counts to the instruction each argument needs as many digits in one
 * program as in the other.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "pmu.h"

#define N_REGIONS 30
#define SLOT      128 /* bytes of code a region */

/*
 * Multiplications that wait for each other: neither memory nor what runs on the core's other thread
 * is much in their way.  The longer one is the same code and a nop: to choose between them would need a
 * branch, and its mispredictions would differ, too.
 */
extern const char regions_loop[], regions_longer[], regions_end[];

/* clang-format off */
#define EIGHT(what) what what what what what what what what
#if defined(__x86_64__)
#define LOOP "1:" EIGHT("	imul	%rax, %rax\n") "	sub	$1, %rdi\n	jnz	1b\n"
#elif defined(__aarch64__)
#define LOOP "1:" EIGHT("	mul	x1, x1, x1\n") "	subs	x0, x0, #1\n	b.ne	1b\n"
#else
#error "a loop whose turns take the same time is needed here"
#endif

__asm__("	.pushsection .rodata\n"
	"	.balign	16\n"
	"regions_loop:\n"
	LOOP
	"	ret\n"
	"	.balign	16\n"
	"regions_longer:\n"
	LOOP
	"	nop\n"
	"	ret\n"
	"regions_end:\n"
	"	.popsection\n");
/* clang-format on */

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 10);
}

/* Return: where each region's loop is, at multiples of SLOT. */
static char *make_code(size_t longer)
{
	size_t size = (size_t)(N_REGIONS + 1) * SLOT;
	char *code = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return NULL;
	for (size_t i = 0; i < N_REGIONS; i++)
		memcpy(code + i * SLOT, regions_loop, (size_t)(regions_longer - regions_loop));
	memcpy(code + longer * SLOT, regions_longer, (size_t)(regions_end - regions_longer));
	__builtin___clear_cache(code, code + size);
	return mprotect(code, size, PROT_READ | PROT_EXEC) ? NULL : code;
}

int main(int argc, char **argv)
{
	uint64_t turns[N_REGIONS + 1], calls, other;
	char name[N_REGIONS][8], *code;

	if (argc != 6 || (other = number(argv[3])) > N_REGIONS || !(calls = number(argv[1])))
		return 2;
	code = make_code(number(argv[5]) ? other : N_REGIONS);
	if (!code)
		return 1;
	for (unsigned int i = 0; i < N_REGIONS; i++) {
		turns[i] = number(argv[2]);
		snprintf(name[i], sizeof(name[i]), "r%02u", i);
	}
	turns[other] = number(argv[2]) + number(argv[4]);
	for (uint64_t call = 0; call < calls; call++)
		for (unsigned int i = 0; i < N_REGIONS; i++) {
			pmu_region_begin(name[i]);
			((void (*)(uint64_t))(uintptr_t)(code + (size_t)i * SLOT))(turns[i]);
			pmu_region_end(name[i]);
		}
	return 0;
}
