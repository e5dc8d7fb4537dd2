/* SPDX-License-Identifier: BSD-3-Clause */
/* execl(), execlp() and execle() for whoever stands in for them. */
#ifndef PMU_BASE_EXECL_H
#define PMU_BASE_EXECL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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
	/* argv is char * for historical reasons; nobody writes to the words */
	for (; arg; arg = va_arg(*args, const char *))
		*argv++ = (char *)(uintptr_t)arg;
	*argv = NULL;
}

/*
 * On the stack: children of vfork() and signal handlers may not allocate.  @behind: takes what
 * follows.
 */
#define PMU_EXECL_WORDS(argv, arg, behind)                     \
	do {                                                   \
		va_list args;                                  \
		size_t n;                                      \
                                                               \
		va_start(args, arg);                           \
		n = pmu_execl_count(arg, &args);               \
		behind;                                        \
		va_end(args);                                  \
		(argv) = __builtin_alloca(n * sizeof(char *)); \
		va_start(args, arg);                           \
		pmu_execl_copy(argv, arg, &args);              \
		va_end(args);                                  \
	} while (0)

/**
 * PMU_EXECL_DEFINE() - the three of them
 * @linkage: attributes of each
 * @by_path, @by_name, @with_environment: execv(), execvp() and execve() as they are to be called
 */
#define PMU_EXECL_DEFINE(linkage, by_path, by_name, with_environment)           \
	linkage int execl(const char *path, const char *arg, ...)               \
	{                                                                       \
		char **argv;                                                    \
                                                                                \
		PMU_EXECL_WORDS(argv, arg, (void)0);                            \
		return by_path(path, argv);                                     \
	}                                                                       \
                                                                                \
	linkage int execlp(const char *file, const char *arg, ...)              \
	{                                                                       \
		char **argv;                                                    \
                                                                                \
		PMU_EXECL_WORDS(argv, arg, (void)0);                            \
		return by_name(file, argv);                                     \
	}                                                                       \
                                                                                \
	linkage int execle(const char *path, const char *arg, ...)              \
	{                                                                       \
		char *const *envp;                                              \
		char **argv;                                                    \
                                                                                \
		PMU_EXECL_WORDS(argv, arg, envp = va_arg(args, char *const *)); \
		return with_environment(path, argv, envp);                      \
	}                                                                       \
	_Static_assert(1, "a semicolon follows")

#endif
