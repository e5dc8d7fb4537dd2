/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each instruction of a pass is executed as a step of its own (ptrace) and looked at, until the
 * loop begins again; from there on the process runs to where the loop ends, and goes on in steps.
 */
#include "bench/verify/around.h"

#include <elf.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/verify/bracket.h"
#include "bench/verify/branch.h"

#define MAX_STEPS 4096 /* before the loop begins again, and behind the innermost */

/* --- the traced one --- */

static __attribute__((noinline)) int mark_begin(const char *name)
{
	__asm__ volatile("" : : "r"(name), "i"(1));
	return 0;
}

/* Not the same as the other, or they would be one function. */
static __attribute__((noinline)) int mark_end(const char *name)
{
	__asm__ volatile("nop" : : "r"(name), "i"(2));
	return 0;
}

static _Noreturn void run_traced(const struct kernel *kernel, size_t bytes)
{
	static const struct bracket marks = { mark_begin, mark_end };
	struct share share = { .n_threads = 1, .bytes = bytes };

	if (kernel->common && !(share.common = kernel->common(bytes, 1)))
		_exit(1);
	if (kernel->prepare(&share) < 0 || ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(1);
	raise(SIGSTOP);
	bracket_pass(&marks, kernel->name, kernel, &share);
	_exit(0);
}

/* --- the one that traces --- */

static bool get(pid_t pid, struct user_regs_struct *registers)
{
	struct iovec room = { registers, sizeof(*registers) };

	return ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &room) == 0;
}

static bool set(pid_t pid, struct user_regs_struct *registers)
{
	struct iovec room = { registers, sizeof(*registers) };

	return ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &room) == 0;
}

#if defined(__x86_64__)
#define PC(registers) ((registers).rip)
#define TRAP_MASK     0xfful
#define TRAP          0xccul /* INT3 */

static uintptr_t return_address(pid_t pid, const struct user_regs_struct *registers)
{
	return (uintptr_t)ptrace(PTRACE_PEEKDATA, pid, (void *)registers->rsp, NULL);
}
#else
#define PC(registers) ((registers).pc)
#define TRAP_MASK     0xfffffffful
#define TRAP          0xd4200000ul /* BRK #0 */

static uintptr_t return_address(pid_t pid, const struct user_regs_struct *registers)
{
	(void)pid;
	return registers->regs[30];
}
#endif

static bool resume(pid_t pid, int how)
{
	int status;

	return ptrace(how, pid, NULL, NULL) == 0 && waitpid(pid, &status, 0) == pid &&
	       WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

static bool run_to(pid_t pid, uintptr_t address, struct user_regs_struct *registers)
{
	unsigned long word = (unsigned long)ptrace(PTRACE_PEEKTEXT, pid, (void *)address, NULL);

	if (ptrace(PTRACE_POKETEXT, pid, (void *)address, (void *)((word & ~TRAP_MASK) | TRAP)) !=
		    0 ||
	    !resume(pid, PTRACE_CONT) ||
	    ptrace(PTRACE_POKETEXT, pid, (void *)address, (void *)word) != 0 ||
	    !get(pid, registers))
		return false;
	PC(*registers) = address;
	return set(pid, registers);
}

/* The forked one has the same code at the same place. */
static const unsigned char *code_at(uintptr_t address)
{
	return (const unsigned char *)address;
}

static void note(struct around *around, uintptr_t address)
{
	uintptr_t target;
	unsigned int length;
	enum branch branch = branch_at(code_at(address), &length, &target);

	around->instructions++;
	around->branches += branch != BRANCH_NONE;
	around->conditional += branch == BRANCH_CONDITIONAL;
	around->indirect += branch == BRANCH_INDIRECT;
}

static void add(struct around *around, const struct around *more)
{
	around->instructions += more->instructions;
	around->branches += more->branches;
	around->conditional += more->conditional;
	around->indirect += more->indirect;
}

static bool step(pid_t pid, uintptr_t *at)
{
	struct user_regs_struct now;

	if (!resume(pid, PTRACE_SINGLESTEP) || !get(pid, &now))
		return false;
	*at = PC(now);
	return true;
}

/* All loops of a kernel have one head. */
struct loop {
	uintptr_t head;
	uintptr_t behind; /* the first branch that went back to it */
};

/* Until a branch goes back; what is before its target is noted. */
static bool step_to_loop(pid_t pid, uintptr_t start, struct loop *loop, struct around *around)
{
	uintptr_t passed[MAX_STEPS], target;
	unsigned int length;

	passed[0] = start;
	for (int n = 1; n < MAX_STEPS; n++) {
		uintptr_t before = passed[n - 1];

		if (!step(pid, &passed[n]))
			return false;
		if (passed[n] > before ||
		    branch_at(code_at(before), &length, &target) != BRANCH_CONDITIONAL ||
		    target != passed[n])
			continue;
		for (int i = 0; passed[i] != target; i++)
			note(around, passed[i]);
		*loop = (struct loop){ target, before + length };
		return true;
	}
	return false;
}

/*
 * From behind the innermost loop.  A branch to the head ends a loop around it, also where it does
 * not go there as that loop has one turn: what was noted until then belongs to it.
 */
static bool step_to_end(pid_t pid, const struct loop *loop, struct around *around)
{
	struct user_regs_struct now;
	uintptr_t at = loop->behind, next, target;
	struct around noted = { 0 };
	unsigned int length;

	if (!run_to(pid, at, &now))
		return false;
	for (int n = 0; n < MAX_STEPS && at != (uintptr_t)mark_end; n++, at = next) {
		bool back = branch_at(code_at(at), &length, &target) == BRANCH_CONDITIONAL &&
			    target == loop->head;

		if (back)
			noted = (struct around){ 0 };
		else
			note(&noted, at);
		if (!step(pid, &next))
			return false;
		if (!back || next != loop->head)
			continue;
		next = at + length;
		if (!run_to(pid, next, &now))
			return false;
	}
	add(around, &noted);
	return at == (uintptr_t)mark_end;
}

static bool trace(pid_t pid, struct around *around)
{
	struct user_regs_struct now;
	struct loop loop;
	uintptr_t start;
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    !run_to(pid, (uintptr_t)mark_begin, &now))
		return false;
	start = return_address(pid, &now);
	if (!run_to(pid, start, &now))
		return false;
	return step_to_loop(pid, start, &loop, around) && step_to_end(pid, &loop, around);
}

void around_find(const struct kernel *kernel, size_t bytes, struct around *around)
{
	pid_t pid = fork();

	*around = (struct around){ 0 };
	if (pid < 0)
		return;
	if (pid == 0)
		run_traced(kernel, bytes);
	around->known = trace(pid, around);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) == pid)
		;
	/* what the library takes for the calls themselves */
	around->instructions -= BRACKET_INSTRUCTIONS;
	around->branches -= BRACKET_BRANCHES;
	around->indirect -= BRACKET_BRANCHES;
}
