/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that is traced: instruction by instruction where the program's own code runs. */
#ifndef PMU_TESTS_EXACT_ORACLE_THREAD_H
#define PMU_TESTS_EXACT_ORACLE_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "oracle_calls.h"

#if defined(__x86_64__) && defined(__LP64__)
#define ORACLE_KNOWS_MACHINE
#endif

/** How far a thread goes until it is looked at again. */
enum pace {
	BY_SYSCALLS, /* there is no library in its process yet */
	BY_STEPS,
	BY_CALLS, /* no region is open: until a call that matters then */
	FREELY    /* in a call of the library's, until it returns */
};

#define MAX_CALLS    16
#define MAX_HANDLERS 16

struct process {
	pid_t pid;
	struct space *space;
	bool has_library;
	uint64_t
		init; /* where a breakpoint says that the library is about to be used; 0: not yet mapped */
	uint64_t init_text; /* what is there */
	int n_threads;
};

struct thread {
	pid_t tid;
	struct process *process; /* NULL: it has stopped before its parent said that it is there */
	struct regions *regions;
	enum pace pace;
	bool is_librarys; /* the library started it */
	bool is_main;
	uint64_t ip;     /* of the instruction that comes next */
	bool in_library; /* so is that */
	bool signalled;  /* a signal was handed on: the next stop may be in its handler */
	uint64_t signalled_sp;
	bool was_free;
	bool has_breakpoints, stops_at_them; /* of the processor, at calls_of_idle() */
	/* calls that have not returned, each by a handler that interrupted the one before */
	struct {
		struct call call;
		uint64_t sp, back;
		uint64_t interrupted_ip, interrupted_sp; /* 0: not */
	} call[MAX_CALLS];
	int n_calls;
	uint64_t handler
		[MAX_HANDLERS]; /* the stack pointer where each handler that runs was called */
	int n_handlers;
	uint64_t
		counted_until; /* the stack pointer, where a call that is counted returns; 0: none */
	struct thread *next;
};

/** thread_start() - it has stopped for the first time, or in another program */
void thread_start(struct thread *self);

/**
 * thread_wait_for_library() - have it, or another thread, stop when the library is about to be used
 * thread_is_at_library() - has it stopped there? The breakpoint is gone, then
 */
void thread_wait_for_library(struct thread *self);
bool thread_is_at_library(struct thread *self);

/** thread_trapped() - it has stopped where thread_go() had it stop */
void thread_trapped(struct thread *self);

/** thread_signal() - @signal is on the way to it */
void thread_signal(struct thread *self);

/** thread_leave_out_handlers() - what handlers do is not counted */
void thread_leave_out_handlers(void);

/** thread_go() - on; @signal: 0: none */
void thread_go(struct thread *self, int signal);

#endif
