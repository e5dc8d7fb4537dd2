/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way into stand-ins on arm64, as in enter_x86_64.S.  Arguments are those of the Procedure Call Standard for the Arm 64-bit
 * Architecture (AAPCS64), sections 6.4 and 6.5, that stand-ins have: eight general registers and a double.
 */
#if defined(__aarch64__)
#include "region/aside/aside.h"

/* From the stack pointer: what is saved, struct pmu_aside_call, x29 and x30. */
#define TARGET 72
#define CALL 96
#define FRAME (CALL + PMU_ASIDE_CALL)

	.hidden	pmu_aside_enter, pmu_aside_other, pmu_aside_back
	.hidden	pmu_aside_in, pmu_aside_out, pmu_aside_go, pmu_aside_come

	.macro save_arguments
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	mov	x29, sp
	.cfi_def_cfa_register 29
	sub	sp, sp, #FRAME
	stp	x0, x1, [sp]
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	str	x8, [sp, #64]
	str	q0, [sp, #80]
	.endm

	.macro restore_arguments
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldr	x8, [sp, #64]
	ldr	q0, [sp, #80]
	ldp	x0, x1, [sp]
	.endm

	.macro save_result
	str	x0, [sp]
	str	q0, [sp, #80]
	.endm

	.macro return_result
	ldr	x0, [sp]
	ldr	q0, [sp, #80]
	mov	sp, x29
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa 31, 0
	.cfi_restore 29
	.cfi_restore 30
	ret
	.endm

	.text
	.p2align 4
	.globl	pmu_aside_enter
	.type	pmu_aside_enter, %function
pmu_aside_enter:
	.cfi_startproc
	hint	#38 /* bti jc */
	/* of time alone there is nothing to take out */
	mrs	x16, tpidr_el0
	adrp	x9, :gottprel:pmu_own_1
	ldr	x9, [x9, #:gottprel_lo12:pmu_own_1]
	ldr	x16, [x16, x9]
	ldrb	w16, [x16, #PMU_ASIDE_TIME_ONLY]
	cbnz	w16, .Lplainly
	save_arguments
	str	x17, [sp, #TARGET]
	add	x0, sp, #CALL
	mov	x1, x29
	bl	pmu_aside_in
	ldr	x17, [sp, #TARGET]
	ldr	x17, [x17]
	restore_arguments
	blr	x17
	.globl	pmu_aside_back
pmu_aside_back:
	save_result
	add	x0, sp, #CALL
	mov	x1, x29
	bl	pmu_aside_out
	return_result
	.cfi_endproc
	.size	pmu_aside_enter, . - pmu_aside_enter

	.type	plainly, %function
plainly:
	.cfi_startproc
.Lplainly:
	ldr	x16, [x17]
	br	x16
	.cfi_endproc
	.size	plainly, . - plainly

	.p2align 4
	.globl	pmu_aside_other
	.type	pmu_aside_other, %function
pmu_aside_other:
	.cfi_startproc
	hint	#34 /* bti c */
	save_arguments
	add	x0, sp, #CALL
	bl	pmu_aside_go
	mov	x17, x0
	restore_arguments
	blr	x17
	save_result
	add	x0, sp, #CALL
	bl	pmu_aside_come
	return_result
	.cfi_endproc
	.size	pmu_aside_other, . - pmu_aside_other

	/* Branch targets are marked (ELF for the Arm 64-bit Architecture: GNU_PROPERTY_AARCH64_FEATURE_1_BTI). */
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000000, 4, 1, 0
#endif
	.section .note.GNU-stack, "", %progbits
