/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrapped functions on arm64, as in trampoline_x86_64.S.
 *
 * The calling convention is that of the Procedure Call Standard for the Arm 64-bit Architecture (AAPCS64),
 * sections 6.4 and 6.5: arguments in x0 to x7 and v0 to v7, x8 the place of a result in memory, results
 * in x0, x1 and v0 to v3; x9 to x17 and v16 to v31 are free.  Functions with another one (vectors of SVE or more
 * that stays) carry STO_AARCH64_VARIANT_PCS and are not wrapped.
 */
#if defined(__aarch64__)
#include "bindings/preload/wrap/trampoline.h"

/* From the stack pointer up: what is saved meanwhile, later the arguments; 16 bytes; the call; x29 and x30. */
#define FRAME (TRAMPOLINE_ARGUMENTS + TRAMPOLINE_CALL_BELOW)
#define CALL (FRAME + 16 - TRAMPOLINE_CALL_BELOW)

	.hidden	trampoline_stubs, trampoline_enter, trampoline_leave, trampoline_copy
	.hidden	trampoline_personality, trampoline_dlopen_by

	.text
	.p2align 4
	.globl	trampoline_stubs
	.type	trampoline_stubs, %function
trampoline_stubs:
	.cfi_startproc
	.set	index, 0
	.rept	TRAMPOLINE_STUBS
	.p2align 4
	hint	#38 /* bti jc */
	mov	w17, #index
	b	trampoline
	.set	index, index + 1
	.endr
	.p2align 4
	.cfi_endproc
	.size	trampoline_stubs, . - trampoline_stubs

	.macro restore_arguments base
	ldp	q0, q1, [\base, #80]
	ldp	q2, q3, [\base, #112]
	ldp	q4, q5, [\base, #144]
	ldp	q6, q7, [\base, #176]
	ldp	x2, x3, [\base, #16]
	ldp	x4, x5, [\base, #32]
	ldp	x6, x7, [\base, #48]
	ldr	x8, [\base, #64]
	ldp	x0, x1, [\base]
	.endm

	.type	trampoline, %function
trampoline:
	.cfi_startproc
	.cfi_personality 0x1b, trampoline_personality
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	mov	x29, sp
	.cfi_def_cfa_register 29
	sub	sp, sp, #FRAME
	str	w17, [sp, #CALL + TRAMPOLINE_CALL_INDEX]
	stp	x0, x1, [sp]
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	str	x8, [sp, #64]
	stp	q0, q1, [sp, #80]
	stp	q2, q3, [sp, #112]
	stp	q4, q5, [sp, #144]
	stp	q6, q7, [sp, #176]
	add	x0, sp, #CALL
	bl	trampoline_enter
	ldr	w2, [sp, #CALL + TRAMPOLINE_CALL_READABLE]
	cmp	w2, #TRAMPOLINE_ARGUMENTS
	b.ne	.Lshort
	restore_arguments sp
	/* over what was saved */
	.set	at, 0
	.rept	TRAMPOLINE_ARGUMENTS / 32
	ldp	q16, q17, [x29, #16 + at]
	stp	q16, q17, [sp, #at]
	.set	at, at + 32
	.endr
.Lgo:
	ldr	x17, [x29, #CALL - FRAME + TRAMPOLINE_CALL_TARGET]
	blr	x17
	stp	x0, x1, [sp]
	stp	q0, q1, [sp, #16]
	stp	q2, q3, [sp, #48]
	add	x0, x29, #CALL - FRAME
	bl	trampoline_leave
	ldp	x0, x1, [sp]
	ldp	q0, q1, [sp, #16]
	ldp	q2, q3, [sp, #48]
	.cfi_remember_state
	mov	sp, x29
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa 31, 0
	.cfi_restore 29
	.cfi_restore 30
	ret
	.cfi_restore_state

	/* Seldom: a stack that ends soon. */
.Lshort:
	sub	sp, sp, #TRAMPOLINE_ARGUMENTS
	mov	x0, sp
	add	x1, x29, #16
	bl	trampoline_copy /* w2 holds how much */
	add	x9, sp, #TRAMPOLINE_ARGUMENTS
	restore_arguments x9
	b	.Lgo
	.cfi_endproc
	.size	trampoline, . - trampoline

	/* A jump, not a call: dlopen() looks at where it will return, and searches as that object wants it. */
	.p2align 4
	.globl	dlopen
	.type	dlopen, %function
dlopen:
	.cfi_startproc
	hint	#34 /* bti c */
	stp	x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	mov	x2, x30
	bl	trampoline_dlopen_by
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_def_cfa_offset 0
	.cfi_restore 29
	.cfi_restore 30
	br	x16
	.cfi_endproc
	.size	dlopen, . - dlopen

	/* Branch targets are marked (ELF for the Arm 64-bit Architecture: GNU_PROPERTY_AARCH64_FEATURE_1_BTI). */
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000000, 4, 1, 0
#endif
	.section .note.GNU-stack, "", %progbits
