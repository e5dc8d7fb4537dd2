/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrapped functions on x86-64: a stub each, which a slot of the procedure linkage leads to, and one way
 * for all.  It makes a frame like any other, so that exceptions, backtraces, longjmp and cancellation pass
 * through, calls the function with the same registers and a copy of the arguments on the stack, and
 * returns what it returned.
 *
 * The calling convention is that of the System V ABI, AMD64 supplement, section 3.2.3: arguments in rdi, rsi,
 * rdx, rcx, r8, r9 and xmm0 to 7, or the ymm and zmm that these are part of; al for variadic functions, r10
 * for nested ones; results in rax, rdx, xmm0, xmm1 and on the x87 stack, which is not touched.
 *
 * More than xmm is saved only where more is in use: restored zeros would count as use, and SSE code is slower
 * beside it (Intel optimization manual, "Mixing AVX code with SSE code").  Without AVX-512 a look at the upper halves
 * tells; with it XINUSE does (Intel SDM vol. 1, section 13.6: bit 2 for ymm, bit 6 for zmm).
 */
#if defined(__x86_64__)
#include "bindings/preload/wrap/trampoline.h"

/* From the frame pointer: the call; what is saved, later the arguments; wide vectors, and then the arguments. */
#define CALL (16 - TRAMPOLINE_CALL_BELOW)
#define SAVED (-TRAMPOLINE_ARGUMENTS - TRAMPOLINE_CALL_BELOW)
#define WIDE (SAVED - 512)
#define LOWER (WIDE - TRAMPOLINE_ARGUMENTS)
/* How the vectors were saved: in a spare word of the call. */
#define HOW (CALL + 20)
#define XINUSE_WIDE 0x44

/* Arguments keep their place within 64 bytes: __m512 is aligned to as many. */
#if (16 - SAVED) % 64 || (16 - LOWER) % 64
#error "the copy must lie as the original does"
#endif

	.hidden	trampoline_stubs, trampoline_enter, trampoline_leave, trampoline_copy
	.hidden	trampoline_vectors, trampoline_personality, trampoline_dlopen_by

	.macro save_general
	movq	%rdi, SAVED(%rbp)
	movq	%rsi, SAVED + 8(%rbp)
	movq	%rdx, SAVED + 16(%rbp)
	movq	%rcx, SAVED + 24(%rbp)
	movq	%r8, SAVED + 32(%rbp)
	movq	%r9, SAVED + 40(%rbp)
	movq	%rax, SAVED + 48(%rbp)
	movq	%r10, SAVED + 56(%rbp)
	.endm

	.macro restore_general
	movq	SAVED(%rbp), %rdi
	movq	SAVED + 8(%rbp), %rsi
	movq	SAVED + 16(%rbp), %rdx
	movq	SAVED + 24(%rbp), %rcx
	movq	SAVED + 32(%rbp), %r8
	movq	SAVED + 40(%rbp), %r9
	movq	SAVED + 48(%rbp), %rax
	movq	SAVED + 56(%rbp), %r10
	.endm

	/* the registers of a kind, in steps of so many bytes from an offset on */
	.macro save instruction, kind, offset, step, numbers:vararg
	.irp	n, \numbers
	\instruction	%\kind\n, \offset + \step * \n(%rbp)
	.endr
	.endm

	.macro restore instruction, kind, offset, step, numbers:vararg
	.irp	n, \numbers
	\instruction	\offset + \step * \n(%rbp), %\kind\n
	.endr
	.endm

	/* on, with vectors wider than xmm in use, to one of two labels */
	.macro branch_if_wide ymm, zmm, numbers:vararg
	movl	trampoline_vectors(%rip), %eax
	cmpl	$TRAMPOLINE_AVX, %eax
	jb	.Lnarrow\@
	jne	.Lask\@
	.irp	n, \numbers
	vptest	.Lupper_half(%rip), %ymm\n
	jnz	\ymm
	.endr
	jmp	.Lclean\@
.Lask\@:
	cmpl	$TRAMPOLINE_AVX512, %eax
	jne	\zmm
	movl	$1, %ecx
	xgetbv
	testb	$XINUSE_WIDE, %al
	jnz	\zmm
.Lclean\@:
	vzeroupper
.Lnarrow\@:
	.endm

	.macro call_enter
	leaq	CALL(%rbp), %rdi
	andq	$-16, %rsp
	call	trampoline_enter
	.endm

	.macro call_leave
	leaq	CALL(%rbp), %rdi
	andq	$-16, %rsp
	call	trampoline_leave
	.endm

	.text
	.p2align 4
	.globl	trampoline_stubs
	.type	trampoline_stubs, @function
trampoline_stubs:
	.cfi_startproc
	.set	index, 0
	.rept	TRAMPOLINE_STUBS
	.p2align 4
	.byte	0xf3, 0x0f, 0x1e, 0xfa /* endbr64 */
	movl	$index, %r11d
	jmp	trampoline
	.set	index, index + 1
	.endr
	.p2align 4
	.cfi_endproc
	.size	trampoline_stubs, . - trampoline_stubs

	.type	trampoline, @function
trampoline:
	.cfi_startproc
	.cfi_personality 0x1b, trampoline_personality
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	addq	$SAVED, %rsp
	movl	%r11d, CALL + TRAMPOLINE_CALL_INDEX(%rbp)
	save_general
	branch_if_wide .Lenter_ymm, .Lenter_zmm, 0, 1, 2, 3, 4, 5, 6, 7
	save	movups, xmm, SAVED + 64, 16, 0, 1, 2, 3, 4, 5, 6, 7
	call_enter
	cmpl	$TRAMPOLINE_ARGUMENTS, CALL + TRAMPOLINE_CALL_READABLE(%rbp)
	jne	.Lenter_short
	leaq	SAVED(%rbp), %rsp
	restore	movups, xmm, SAVED + 64, 16, 0, 1, 2, 3, 4, 5, 6, 7
	restore_general
	/* over what was saved; no argument is in xmm8 and up */
	.set	at, 0
	.rept	TRAMPOLINE_ARGUMENTS / 32
	movups	16 + at(%rbp), %xmm8
	movups	32 + at(%rbp), %xmm9
	movups	%xmm8, SAVED + at(%rbp)
	movups	%xmm9, SAVED + 16 + at(%rbp)
	.set	at, at + 32
	.endr
.Lgo:
	call	*CALL + TRAMPOLINE_CALL_TARGET(%rbp)
	movq	%rax, SAVED(%rbp)
	movq	%rdx, SAVED + 8(%rbp)
	branch_if_wide .Lleave_ymm, .Lleave_zmm, 0, 1
	save	movups, xmm, SAVED + 64, 16, 0, 1
	call_leave
	restore	movups, xmm, SAVED + 64, 16, 0, 1
.Lback:
	movq	SAVED(%rbp), %rax
	movq	SAVED + 8(%rbp), %rdx
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.cfi_restore_state

	/* Seldom: wide vectors, or a stack that ends soon. */
.Lenter_ymm:
	leaq	LOWER(%rbp), %rsp
	save	vmovups, ymm, WIDE, 64, 0, 1, 2, 3, 4, 5, 6, 7
	vzeroupper
	call_enter
	movl	$TRAMPOLINE_AVX, HOW(%rbp)
	jmp	.Llower
.Lenter_zmm:
	leaq	LOWER(%rbp), %rsp
	save	vmovups, zmm, WIDE, 64, 0, 1, 2, 3, 4, 5, 6, 7
	vzeroupper
	call_enter
	movl	$TRAMPOLINE_AVX512, HOW(%rbp)
	jmp	.Llower
.Lenter_short:
	movl	$TRAMPOLINE_SSE, HOW(%rbp)
.Llower:
	leaq	LOWER(%rbp), %rsp
	movq	%rsp, %rdi
	leaq	16(%rbp), %rsi
	movl	CALL + TRAMPOLINE_CALL_READABLE(%rbp), %edx
	andq	$-16, %rsp
	call	trampoline_copy
	leaq	LOWER(%rbp), %rsp
	movl	HOW(%rbp), %eax
	cmpl	$TRAMPOLINE_AVX, %eax
	je	.Lrestore_ymm
	ja	.Lrestore_zmm
	restore	movups, xmm, SAVED + 64, 16, 0, 1, 2, 3, 4, 5, 6, 7
.Lrestored:
	restore_general
	jmp	.Lgo
.Lrestore_ymm:
	restore	vmovups, ymm, WIDE, 64, 0, 1, 2, 3, 4, 5, 6, 7
	jmp	.Lrestored
.Lrestore_zmm:
	restore	vmovups, zmm, WIDE, 64, 0, 1, 2, 3, 4, 5, 6, 7
	jmp	.Lrestored

.Lleave_ymm:
	leaq	LOWER(%rbp), %rsp
	save	vmovups, ymm, WIDE, 64, 0, 1
	vzeroupper
	call_leave
	restore	vmovups, ymm, WIDE, 64, 0, 1
	jmp	.Lback
.Lleave_zmm:
	leaq	LOWER(%rbp), %rsp
	save	vmovups, zmm, WIDE, 64, 0, 1
	vzeroupper
	call_leave
	restore	vmovups, zmm, WIDE, 64, 0, 1
	jmp	.Lback
	.cfi_endproc
	.size	trampoline, . - trampoline

	/* A jump, not a call: dlopen() looks at where it will return, and searches as that object wants it. */
	.p2align 4
	.globl	dlopen
	.type	dlopen, @function
dlopen:
	.cfi_startproc
	.byte	0xf3, 0x0f, 0x1e, 0xfa
	movq	(%rsp), %rdx
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	trampoline_dlopen_by
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*%rax
	.cfi_endproc
	.size	dlopen, . - dlopen

	.section .rodata.cst32, "aM", @progbits, 32
	.p2align 5
.Lupper_half:
	.quad	0, 0, -1, -1

	/* Indirect branch tracking and shadow stacks are kept to (ABI supplement: GNU_PROPERTY_X86_FEATURE_1_AND). */
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 3, 0
#endif
	.section .note.GNU-stack, "", %progbits
