/* SPDX-License-Identifier: BSD-3-Clause */
/* execl(), execlp() and execle() for the libraries that stand in for them. */
#ifndef PMU_BASE_EXECL_H
#define PMU_BASE_EXECL_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/execroom.h"

/** Words that are on the stack; with more of them all are in a room. */
#define PMU_EXECL_FEW 32

/* Words from @arg up to the NULL, and that NULL; leaves @args behind it. */
static inline size_t pmu_execl_count(const char *arg, va_list *args)
{
	size_t n = 1;

	for (; arg; n++)
		arg = va_arg(*args, const char *);
	return n;
}

static inline void pmu_execl_copy(char **argv, const char *arg, va_list *args)
{
	/* argv is char * for historical reasons; the words are not written to */
	for (; arg; arg = va_arg(*args, const char *))
		*argv++ = (char *)(uintptr_t)arg;
	*argv = NULL;
}

/*
 * A function's body.  Children of vfork() and signal handlers may not allocate.
 * @behind: takes what follows the words; @run: the exec, of argv
 */
#define PMU_EXECL_BODY(arg, behind, run)                                    \
	char *few[PMU_EXECL_FEW], **argv = few, **room = NULL;              \
	va_list args;                                                       \
	size_t n;                                                           \
	int rc;                                                             \
                                                                            \
	va_start(args, arg);                                                \
	n = pmu_execl_count(arg, &args);                                    \
	behind;                                                             \
	va_end(args);                                                       \
	if (n > PMU_EXECL_FEW) {                                            \
		argv = room = pmu_execroom_take(n * sizeof(char *), false); \
		if (!room) {                                                \
			errno = ENOMEM;                                     \
			return -1;                                          \
		}                                                           \
	}                                                                   \
	va_start(args, arg);                                                \
	pmu_execl_copy(argv, arg, &args);                                   \
	va_end(args);                                                       \
	rc = run;                                                           \
	pmu_execroom_give(room);                                            \
	return rc

/**
 * PMU_EXECL_DEFINE() - the three of them
 * @linkage: attributes of each
 * @by_path, @by_name, @with_environment: execv(), execvp() and execve() as they are to be called
 */
#define PMU_EXECL_DEFINE(linkage, by_path, by_name, with_environment)   \
	linkage int execl(const char *path, const char *arg, ...)       \
	{                                                               \
		PMU_EXECL_BODY(arg, (void)0, by_path(path, argv));      \
	}                                                               \
                                                                        \
	linkage int execlp(const char *file, const char *arg, ...)      \
	{                                                               \
		PMU_EXECL_BODY(arg, (void)0, by_name(file, argv));      \
	}                                                               \
                                                                        \
	linkage int execle(const char *path, const char *arg, ...)      \
	{                                                               \
		char *const *envp;                                      \
                                                                        \
		PMU_EXECL_BODY(arg, envp = va_arg(args, char *const *), \
			       with_environment(path, argv, envp));     \
	}                                                               \
	_Static_assert(1, "a semicolon follows")

#endif
