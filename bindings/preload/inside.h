/* SPDX-License-Identifier: BSD-3-Clause */
/* What load.c, main.c, leave.c, death.c and threads.c share beyond preload.h. */
#ifndef PMU_PRELOAD_INSIDE_H
#define PMU_PRELOAD_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu.h"

#pragma GCC visibility push(hidden)

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/** What is rare, with a frame of its own. */
#define PRELOAD_COLD __attribute__((cold, noinline))

#define PRELOAD_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/** A function behind ours. */
struct preload_behind {
	const char *name;
	void *function;
};

/**
 * preload_behind_find() - look up those of a table that are not known yet
 *
 * dlsym() is no function for signal handlers and children of vfork(): each file does this in a
 * constructor.
 */
void preload_behind_find(struct preload_behind *table, size_t n);

/**
 * PRELOAD_BEHIND() - the table of a file that stands in for functions, and its constructor
 * @FUNCTIONS: their list: FUNCTIONS(X) is X(name) for each; behind[NEXT_name] is its row
 */
#define PRELOAD_BEHIND(FUNCTIONS)                                                  \
	enum next { FUNCTIONS(PRELOAD_BEHIND_INDEX) };                             \
	static struct preload_behind behind[] = { FUNCTIONS(PRELOAD_BEHIND_ROW) }; \
	__attribute__((constructor(101))) static void find_behind(void)            \
	{                                                                          \
		preload_behind_find(behind, PRELOAD_ARRAY_LEN(behind));            \
	}
#define PRELOAD_BEHIND_INDEX(name) NEXT_##name,
#define PRELOAD_BEHIND_ROW(name)   { #name, NULL },

/**
 * preload_behind() - one of them; looked up now where another object's constructor comes before
 * ours.
 */
static inline void *preload_behind(struct preload_behind *row)
{
	void *function = __atomic_load_n(&row->function, __ATOMIC_RELAXED);

	if (likely(function))
		return function;
	preload_behind_find(row, 1);
	return __atomic_load_n(&row->function, __ATOMIC_RELAXED);
}

/**
 * preload_possible() - may this process be measured at all: not switched off, and not privileged?
 *
 * Nothing is loaded for it.
 */
bool preload_possible(void);

/** preload_started() - what preload_on() says now holds from now on. */
bool preload_started(void);

/**
 * preload_measured() - there is a session, and it is this process's: false in a child of vfork().
 */
bool preload_measured(void);

/** preload_is_libpmu() - is it code of libpmu's? */
bool preload_is_libpmu(uintptr_t address);

/** preload_forked() - in a child that fork() has made: from here on it is measured by itself. */
void preload_forked(void);

/**
 * preload_forward_open() - what pmu.h declares is to be found here.  Return: false where it is no
 * libpmu that we know.
 */
bool preload_forward_open(void *library);

/**
 * preload_life_begin(), preload_life_end() - the region that lasts as long as the calling thread
 * @name: a string that stays; "main" or "thread"
 * @context: what the thread is for; 0: nothing
 *
 * It ends when the thread does, however that comes about, or here, if that is earlier.
 * Return of the end: false where it was refused: in a signal handler that interrupted libpmu.
 */
void preload_life_begin(const char *name, pmu_context_t context);
bool preload_life_end(void);

/** preload_life_go_on() - in a forked child: the calling thread's goes on from zero. */
void preload_life_go_on(void);

/** preload_life_waits() - such a child has begun nothing yet: a checkpoint is all that its end takes. */
bool preload_life_waits(void);

/**
 * preload_exit_by_number() - before syscall(SYS_exit) and syscall(SYS_exit_group).  Context: any.
 */
void preload_exit_by_number(long number);

/**
 * preload_exec_by_number() - in place of syscall(SYS_execve) and syscall(SYS_execveat).  Context:
 * any.
 */
long preload_exec_by_number(long number, long a, long b, long c, long d, long e);

/** preload_is_main() - is it the program's main, whatever symbols it has? */
bool preload_is_main(const void *code);

/** preload_life_start() - before the first of them. */
void preload_life_start(void);

/** preload_death_start() - from here on handle signals that would end the program */
void preload_death_start(void);

/** preload_death_stop() - they no longer do. */
void preload_death_stop(void);

/**
 * preload_stop() - from here on nothing is measured, and no system call is made for it
 * @why: for the report
 *
 * Nothing to do in a process that is not measured, or in a child of vfork().
 */
void preload_stop(const char *why);

/** preload_main_end() - before a process's last report: its last notes */
void preload_main_end(void);

#pragma GCC visibility pop

#endif
