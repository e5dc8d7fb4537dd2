/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways out of a program and on to another one: what was measured until then is kept.  All of
 * them may be taken in signal handlers and in children of vfork(), where nothing of ours may be
 * done: the memory is the parent's.
 */
#include <errno.h>
#include <pty.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inside.h"
#include "preload.h"

/* Not declared by every libc that has them. */
pid_t __fork(void);
int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags);

#define FUNCTIONS(X)  \
	X(exit)       \
	X(quick_exit) \
	X(_exit)      \
	X(_Exit)      \
	X(fork)       \
	X(__fork)     \
	X(forkpty)    \
	X(daemon)     \
	X(execve)     \
	X(execv)      \
	X(execvp)     \
	X(execvpe)    \
	X(fexecve)    \
	X(execveat)

enum {
#define INDEX(name) NEXT_##name,
	FUNCTIONS(INDEX)
};

static struct preload_behind behind[] = {
#define ROW(name) { #name, NULL },
	FUNCTIONS(ROW)
};

__attribute__((constructor(101))) static void find_behind(void)
{
	preload_behind_find(behind, PRELOAD_ARRAY_LEN(behind));
}

#define BEHIND(name) ((__typeof__(&(name)))preload_behind(&behind[NEXT_##name]))

/* A libc without the function: nobody can have linked against it. */
static int no_such(void)
{
	errno = ENOSYS;
	return -1;
}

/* --- ends --- */

static __attribute__((noreturn)) void exit_now(int status)
{
	for (;;)
		syscall(SYS_exit_group, status);
}

/* No exit handler runs, and no report is made here: the store stays behind. */
static void leave(void)
{
	if (!preload_measured())
		return;
	preload_life_end();
	pmu_checkpoint(PMU_NEXT_EXIT);
}

/*
 * The bare calls.  That of a thread other than the first is left alone: one that clone() made may
 * have the thread-local variables of its maker, whose regions go on.
 */
void preload_exit_by_number(long number)
{
	if (number == SYS_exit_group || syscall(SYS_gettid) == getpid())
		leave();
}

PRELOAD_STANDS_IN void exit(int status)
{
	__typeof__(&exit) next = BEHIND(exit);

	/* what has been interrupted does not go on */
	if (!preload_life_end())
		pmu_checkpoint(PMU_NEXT_EXIT);
	if (likely(next))
		next(status);
	exit_now(status);
}

PRELOAD_STANDS_IN void quick_exit(int status)
{
	__typeof__(&quick_exit) next = BEHIND(quick_exit);

	leave();
	if (likely(next))
		next(status);
	exit_now(status);
}

PRELOAD_STANDS_IN void _exit(int status)
{
	__typeof__(&_exit) next = BEHIND(_exit);

	leave();
	if (likely(next))
		next(status);
	exit_now(status);
}

PRELOAD_STANDS_IN void _Exit(int status)
{
	__typeof__(&_Exit) next = BEHIND(_Exit);

	leave();
	if (likely(next))
		next(status);
	exit_now(status);
}

/* --- processes that go on with this program --- */

/* After the program's own fork handlers, on which malloc() may depend. */
static pid_t forked(bool ours, pid_t pid)
{
	if (pid == 0 && ours)
		preload_forked();
	return pid;
}

PRELOAD_STANDS_IN pid_t fork(void)
{
	__typeof__(&fork) next = BEHIND(fork);
	bool ours = preload_measured();

	return likely(next) ? forked(ours, next()) : no_such();
}

PRELOAD_STANDS_IN pid_t __fork(void)
{
	__typeof__(&__fork) next = BEHIND(__fork);
	bool ours = preload_measured();

	return likely(next) ? forked(ours, next()) : no_such();
}

PRELOAD_STANDS_IN int forkpty(int *terminal, char *name, const struct termios *settings,
			      const struct winsize *size)
{
	__typeof__(&forkpty) next = BEHIND(forkpty);
	bool ours = preload_measured();

	return likely(next) ? forked(ours, next(terminal, name, settings, size)) : no_such();
}

/* The parent ends in there. */
PRELOAD_STANDS_IN int daemon(int nochdir, int noclose)
{
	__typeof__(&daemon) next = BEHIND(daemon);
	bool ours = preload_measured();
	pid_t pid = getpid();
	int rc;

	if (unlikely(!next))
		return no_such();
	if (ours)
		pmu_checkpoint(PMU_NEXT_EXIT);
	rc = next(nochdir, noclose);
	if (ours && getpid() != pid)
		preload_forked();
	else if (ours)
		pmu_checkpoint(PMU_NEXT_GOES_ON);
	return rc;
}

/* --- other programs: async-signal-safe, so what is variadic builds its argv on the stack --- */

static bool before_exec(void)
{
	bool ours = preload_measured();

	if (ours)
		pmu_checkpoint(PMU_NEXT_EXEC);
	return ours;
}

/* Nobody comes by here but those whose exec failed. */
static int after_exec(bool ours, int rc)
{
	if (ours)
		pmu_checkpoint(PMU_NEXT_GOES_ON);
	return rc;
}

/*
 * Bodies that both forms share: the names themselves may lead to functions of the program's, which
 * in turn call the variadic ones.
 */
static int run_execve(const char *path, char *const argv[], char *const envp[])
{
	__typeof__(&execve) next = BEHIND(execve);
	bool ours = before_exec();

	return after_exec(ours, likely(next) ? next(path, argv, envp)
					     : (int)syscall(SYS_execve, path, argv, envp));
}

static int run_execv(const char *path, char *const argv[])
{
	__typeof__(&execv) next = BEHIND(execv);
	bool ours = before_exec();

	return after_exec(ours, likely(next) ? next(path, argv)
					     : (int)syscall(SYS_execve, path, argv, environ));
}

static int run_execvp(const char *file, char *const argv[])
{
	__typeof__(&execvp) next = BEHIND(execvp);
	bool ours = before_exec();

	return after_exec(ours, likely(next) ? next(file, argv) : no_such());
}

PRELOAD_STANDS_IN int execve(const char *path, char *const argv[], char *const envp[])
{
	return run_execve(path, argv, envp);
}

PRELOAD_STANDS_IN int execv(const char *path, char *const argv[])
{
	return run_execv(path, argv);
}

PRELOAD_STANDS_IN int execvp(const char *file, char *const argv[])
{
	return run_execvp(file, argv);
}

PRELOAD_STANDS_IN int execvpe(const char *file, char *const argv[], char *const envp[])
{
	__typeof__(&execvpe) next = BEHIND(execvpe);
	bool ours = before_exec();

	return after_exec(ours, likely(next) ? next(file, argv, envp) : no_such());
}

PRELOAD_STANDS_IN int fexecve(int fd, char *const argv[], char *const envp[])
{
	__typeof__(&fexecve) next = BEHIND(fexecve);
	bool ours = before_exec();

	return after_exec(ours, likely(next) ? next(fd, argv, envp) : no_such());
}

PRELOAD_STANDS_IN int execveat(int dir, const char *path, char *const argv[], char *const envp[],
			       int flags)
{
	__typeof__(&execveat) next = BEHIND(execveat);
	bool ours = before_exec();

	return after_exec(ours, likely(next)
					? next(dir, path, argv, envp, flags)
					: (int)syscall(SYS_execveat, dir, path, argv, envp, flags));
}

/* Words from @arg up to the NULL, and that NULL; leaves @args behind it. */
static size_t count_words(const char *arg, va_list *args)
{
	size_t n = 1;

	for (; arg; n++)
		arg = va_arg(*args, const char *);
	return n;
}

static void copy_words(char **argv, const char *arg, va_list *args)
{
	/* argv is char * for historical reasons; nobody writes to the words */
	for (; arg; arg = va_arg(*args, const char *))
		*argv++ = (char *)(uintptr_t)arg;
	*argv = NULL;
}

#define WORDS_ON_STACK(n) __builtin_alloca((n) * sizeof(char *))

PRELOAD_STANDS_IN int execl(const char *path, const char *arg, ...)
{
	char **argv;
	va_list args;
	size_t n;

	va_start(args, arg);
	n = count_words(arg, &args);
	va_end(args);

	argv = WORDS_ON_STACK(n);
	va_start(args, arg);
	copy_words(argv, arg, &args);
	va_end(args);
	return run_execv(path, argv);
}

PRELOAD_STANDS_IN int execlp(const char *file, const char *arg, ...)
{
	char **argv;
	va_list args;
	size_t n;

	va_start(args, arg);
	n = count_words(arg, &args);
	va_end(args);

	argv = WORDS_ON_STACK(n);
	va_start(args, arg);
	copy_words(argv, arg, &args);
	va_end(args);
	return run_execvp(file, argv);
}

PRELOAD_STANDS_IN int execle(const char *path, const char *arg, ...)
{
	char *const *envp;
	char **argv;
	va_list args;
	size_t n;

	va_start(args, arg);
	n = count_words(arg, &args);
	envp = va_arg(args, char *const *);
	va_end(args);

	argv = WORDS_ON_STACK(n);
	va_start(args, arg);
	copy_words(argv, arg, &args);
	va_end(args);
	return run_execve(path, argv, envp);
}
