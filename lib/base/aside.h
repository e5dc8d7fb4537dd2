/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stand-ins: functions of ours that a program calls in the belief that they are another library's.  All that one does is taken
 * out of the regions that are open, and the regions that it begins and ends do not count it either: so it is called by
 * way of a function of libpmu's, which reads the counters before it and behind it (lib/region/aside/).
 */
#ifndef PMU_BASE_ASIDE_H
#define PMU_BASE_ASIDE_H

#ifndef __ASSEMBLER__
/**
 * What libpmu has for those of its own libraries that stand in for others.  They may be of two versions: with another
 * layout it gets another number.
 */
#define pmu_aside pmu_aside_1
struct pmu_aside_calls {
	/*
	 * A stand-in (PMU_STANDS_IN) jumps here: this calls the stand-in's work with the same arguments and returns what
	 * that returned.
	 */
	void (*enter)(void);
	/* where that work returns to: a function that returns here has its caller one frame further out */
	const void *back;
	/* pmu_region_begin() and pmu_region_end(), from what a stand-in does */
	int (*begin)(const char *name);
	int (*end)(const char *name);
	int (*begin_once)(const char *name);
	/*
	 * What a stand-in calls in place of @next, so that what @next does is the program's own; its arguments are in
	 * registers.
	 */
	void *(*hand_on)(void *next);
};
extern const struct pmu_aside_calls pmu_aside __attribute__((visibility("default")));

/*
 * A stand-in's code: on to the way in, with the address of struct { what it does; how many words of arguments it has on the
 * stack; }.  All of them have as many instructions.
 */
#if defined(__x86_64__)
#define PMU_STANDS_IN_CODE(name, way)                  \
	"	endbr64\n"                                   \
	"	lea	.Ldoes_" name "(%rip), %r11\n" \
	"	jmp	*" way "(%rip)\n"
#define PMU_STANDS_IN_PLAINLY "	jmp	*(%r11)\n"
#define PMU_STANDS_IN_TYPE    "@function"
#elif defined(__aarch64__)
#define PMU_STANDS_IN_CODE(name, way)                      \
	"	hint	#34\n"                                      \
	"	adrp	x17, .Ldoes_" name "\n"            \
	"	add	x17, x17, :lo12:.Ldoes_" name "\n" \
	"	adrp	x16, " way "\n"                    \
	"	ldr	x16, [x16, :lo12:" way "]\n"       \
	"	br	x16\n"
#define PMU_STANDS_IN_PLAINLY "	hint	#38\n	ldr	x16, [x17]\n	br	x16\n"
#define PMU_STANDS_IN_TYPE    "%function"
#endif

/**
 * PMU_STANDS_IN() - a stand-in, which does what a function called NAME_aside does
 * @seen: ".hidden NAME", or nothing
 * @way: a hidden pointer to the way in
 * @words: of its arguments on the stack, on x86-64; on arm64 there are none
 */
#define PMU_STANDS_IN(seen, name, way, words)                                                  \
	__asm__("	.pushsection .data.rel.ro, \"aw\"\n"                                         \
		"	.p2align 3\n"                                                                \
		".Ldoes_" name ":\n"                                                           \
		"	.quad	" name "_aside, " words "\n"                                   \
		"	.popsection\n"                                                               \
		"	.pushsection .text\n"                                                        \
		"	.p2align 4\n"                                                                \
		"	.globl	" name "\n"                                                    \
		"	" seen "\n"                                                            \
		"	.type	" name ", " PMU_STANDS_IN_TYPE "\n" name ":\n"                 \
		"	.cfi_startproc\n" PMU_STANDS_IN_CODE(name, way) "	.cfi_endproc\n"      \
									"	.size	" name \
									", . - " name "\n"     \
									"	.popsection\n")
#endif

#endif
