/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way into stand-ins on x86-64, one for all: from a stand-in's first instruction to the read, and from the read behind it to
 * its return, are as many instructions whichever it is.
 *
 * It makes a frame like any other, so that exceptions, backtraces and longjmp pass through.  Arguments are those of the
 * System V ABI, AMD64 supplement, section 3.2.3, that stand-ins have: six general registers and a double.
 */
#if defined(__x86_64__)
#include "region/aside/aside.h"

/* From the frame pointer: what is saved, and struct pmu_aside_call. */
#define SAVED (-80)
#define CALL (SAVED - PMU_ASIDE_CALL)

	.hidden	pmu_aside_enter, pmu_aside_other, pmu_aside_back
	.hidden	pmu_aside_in, pmu_aside_out, pmu_aside_go, pmu_aside_come

	.macro save_arguments
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	addq	$CALL, %rsp
	movq	%rdi, SAVED(%rbp)
	movq	%rsi, SAVED + 8(%rbp)
	movq	%rdx, SAVED + 16(%rbp)
	movq	%rcx, SAVED + 24(%rbp)
	movq	%r8, SAVED + 32(%rbp)
	movq	%r9, SAVED + 40(%rbp)
	movups	%xmm0, SAVED + 64(%rbp)
	.endm

	.macro restore_arguments
	movq	SAVED(%rbp), %rdi
	movq	SAVED + 8(%rbp), %rsi
	movq	SAVED + 16(%rbp), %rdx
	movq	SAVED + 24(%rbp), %rcx
	movq	SAVED + 32(%rbp), %r8
	movq	SAVED + 40(%rbp), %r9
	movups	SAVED + 64(%rbp), %xmm0
	.endm

	.macro save_result
	movq	%rax, SAVED(%rbp)
	movups	%xmm0, SAVED + 64(%rbp)
	.endm

	.macro return_result
	movq	SAVED(%rbp), %rax
	movups	SAVED + 64(%rbp), %xmm0
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.endm

	.text
	.p2align 4
	.globl	pmu_aside_enter
	.type	pmu_aside_enter, @function
pmu_aside_enter:
	.cfi_startproc
	endbr64
	/* of time alone there is nothing to take out */
	movq	pmu_own_1@gottpoff(%rip), %rax
	movq	%fs:(%rax), %rax
	cmpb	$0, PMU_ASIDE_TIME_ONLY(%rax)
	jne	.Lplainly
	save_arguments
	movq	%r11, SAVED + 48(%rbp)
	leaq	CALL(%rbp), %rdi
	movq	%rbp, %rsi
	call	pmu_aside_in
	movq	SAVED + 48(%rbp), %r11
	movq	8(%r11), %rcx
	testq	%rcx, %rcx
	jnz	.Lcopy
.Lgo:
	restore_arguments
	call	*(%r11)
	.globl	pmu_aside_back
pmu_aside_back:
	save_result
	leaq	CALL(%rbp), %rdi
	movq	%rbp, %rsi
	call	pmu_aside_out
	.cfi_remember_state
	return_result
	.cfi_restore_state

	/* A known number of arguments on the stack. */
.Lcopy:
	leaq	1(%rcx), %rax
	andq	$-2, %rax
	shlq	$3, %rax
	subq	%rax, %rsp
	movq	%rsp, %rdi
	leaq	16(%rbp), %rsi
	rep movsq
	jmp	.Lgo
	.cfi_endproc
	.size	pmu_aside_enter, . - pmu_aside_enter

	.type	plainly, @function
plainly:
	.cfi_startproc
.Lplainly:
	jmp	*(%r11)
	.cfi_endproc
	.size	plainly, . - plainly

	.p2align 4
	.globl	pmu_aside_other
	.type	pmu_aside_other, @function
pmu_aside_other:
	.cfi_startproc
	endbr64
	save_arguments
	leaq	CALL(%rbp), %rdi
	call	pmu_aside_go
	movq	%rax, %r11
	restore_arguments
	call	*%r11
	save_result
	leaq	CALL(%rbp), %rdi
	call	pmu_aside_come
	return_result
	.cfi_endproc
	.size	pmu_aside_other, . - pmu_aside_other

	/* Indirect branch tracking and shadow stacks are kept to (ABI supplement: GNU_PROPERTY_X86_FEATURE_1_AND). */
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 3, 0
#endif
	.section .note.GNU-stack, "", %progbits
