/* SPDX-License-Identifier: BSD-3-Clause */
/* A stopped thread's registers: which system call it is in, and how that one ends. */
#ifndef PMU_TESTS_FAULTS_REGISTERS_H
#define PMU_TESTS_FAULTS_REGISTERS_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>

struct registers {
#if defined(__x86_64__)
	struct user_regs_struct user;
#elif defined(__aarch64__)
	struct user_regs_struct user;
	int call;
#else
	int none;
#endif
};

#if defined(__x86_64__)
#define FAULTS_HAVE_REGISTERS 1
#define NO_CALL               UINT64_MAX
#define FIELD_CALL            user.orig_rax
#define FIELD_LENGTH          user.rdx
#define FIELD_RESULT          user.rax
#define FIELD_PC              user.rip
#define FIELD_SP              user.rsp
#define FIELD_LINK            user.rip /* there is none */
#elif defined(__aarch64__)
#define FAULTS_HAVE_REGISTERS 1
#define NO_CALL               -1
#define FIELD_CALL            call
#define FIELD_LENGTH          user.regs[2]
#define FIELD_RESULT          user.regs[0]
#define FIELD_PC              user.pc
#define FIELD_SP              user.sp
#define FIELD_LINK            user.regs[30]
#else
#define FAULTS_HAVE_REGISTERS 0
#endif

#if FAULTS_HAVE_REGISTERS
static inline bool registers_read(pid_t tid, struct registers *regs)
{
	struct iovec user = { &regs->user, sizeof(regs->user) };

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &user))
		return false;
#if defined(__aarch64__)
	regs->call = (int)regs->user.regs[8];
#endif
	return true;
}

static inline void registers_write(pid_t tid, struct registers *regs)
{
	struct iovec user = { &regs->user, sizeof(regs->user) };

#if defined(__aarch64__)
	struct iovec call = { &regs->call, sizeof(regs->call) };

	ptrace(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &call);
#endif
	ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &user);
}

static inline long registers_call(const struct registers *regs)
{
	return (long)regs->FIELD_CALL;
}

/* The third argument. */
static inline uint64_t registers_length(const struct registers *regs)
{
	return regs->FIELD_LENGTH;
}

static inline void registers_set_length(struct registers *regs, uint64_t length)
{
	regs->FIELD_LENGTH = length;
}

/* The call is not made: its result is the error. */
static inline void registers_refuse(pid_t tid, struct registers *regs, int error)
{
	regs->FIELD_CALL = NO_CALL;
	regs->FIELD_RESULT = (uint64_t) - (int64_t)error;
	registers_write(tid, regs);
}
#endif

#endif
