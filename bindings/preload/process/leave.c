/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exit(), exec() and their kin: what was measured until then is kept.  All may be called in signal
 * handlers and in children of vfork(), where nothing may be done here: the memory is the parent's.
 */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/execl.h"
#include "base/spawning.h"

#include "bindings/preload/inside.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/process/fit.h"

/* Not declared by every libc that has them. */
pid_t __fork(void);
int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags);

__attribute__((visibility("default"))) int pmu_spawning_word;

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

PRELOAD_BEHIND(FUNCTIONS)
#define BEHIND(name) ((__typeof__(&(name)))preload_behind(&behind[NEXT_##name]))

/* For a libc without the function, which no program can have linked against. */
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
 * Exits by system call.  That of a thread other than the first is left alone: a thread that clone()
 * made may have its parent's thread-local variables, and the parent's regions go on.
 */
void preload_exit_by_number(long number)
{
	/* asked first: a process that forbade itself system calls is not measured any more */
	if (preload_measured() && (number == SYS_exit_group || syscall(SYS_gettid) == getpid()))
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

#define LEAVES(name)                                   \
	PRELOAD_STANDS_IN void name(int status)        \
	{                                              \
		__typeof__(&name) next = BEHIND(name); \
                                                       \
		leave();                               \
		if (likely(next))                      \
			next(status);                  \
		exit_now(status);                      \
	}

LEAVES(quick_exit)
LEAVES(_exit)
LEAVES(_Exit)

/* --- processes that go on with this program --- */

static bool before_fork(void)
{
	pmu_spawning_begin(&pmu_spawning_word);
	return preload_measured();
}

/* After the program's own fork handlers, on which malloc() may depend. */
static pid_t forked(bool ours, pid_t pid)
{
	if (pid)
		pmu_spawning_end(&pmu_spawning_word);
	else
		pmu_spawning_forget(&pmu_spawning_word);
	if (pid == 0 && ours)
		preload_forked();
	return pid;
}

PRELOAD_STANDS_IN pid_t fork(void)
{
	__typeof__(&fork) next = BEHIND(fork);
	bool ours = before_fork();

	return forked(ours, likely(next) ? next() : no_such());
}

PRELOAD_STANDS_IN pid_t __fork(void)
{
	__typeof__(&__fork) next = BEHIND(__fork);
	bool ours = before_fork();

	return forked(ours, likely(next) ? next() : no_such());
}

PRELOAD_STANDS_IN int forkpty(int *terminal, char *name, const struct termios *settings,
			      const struct winsize *size)
{
	__typeof__(&forkpty) next = BEHIND(forkpty);
	bool ours = before_fork();

	return forked(ours, likely(next) ? next(terminal, name, settings, size) : no_such());
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
	pmu_spawning_begin(&pmu_spawning_word);
	rc = next(nochdir, noclose);
	if (getpid() != pid)
		pmu_spawning_forget(&pmu_spawning_word);
	else
		pmu_spawning_end(&pmu_spawning_word);
	if (ours && getpid() != pid)
		preload_forked();
	else if (ours)
		pmu_checkpoint(PMU_NEXT_GOES_ON);
	return rc;
}

/* --- other programs: async-signal-safe --- */

static bool before_exec(void)
{
	bool ours = preload_measured();

	/* no more than that: a child of vfork() must leave nothing behind in its parent's memory */
	pmu_spawning_wait(&pmu_spawning_word);
	if (ours)
		pmu_checkpoint(PMU_NEXT_EXEC);
	return ours;
}

/* Reached only where exec failed. */
static int after_exec(bool ours, int rc, char **fit, char *const envp[])
{
	fit_give(fit, envp);
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
	size_t needs = fit_needs(AT_FDCWD, path, envp);
	char **fit = fit_take(needs, envp);
	bool ours = before_exec();

	return after_exec(ours,
			  likely(next) ? next(path, argv, fit)
				       : (int)syscall(SYS_execve, path, argv, fit),
			  fit, envp);
}

static int run_execv(const char *path, char *const argv[])
{
	__typeof__(&execv) next = BEHIND(execv);
	bool ours;

	if (fit_needs(AT_FDCWD, path, environ) || unlikely(!next))
		return run_execve(path, argv, environ);
	ours = before_exec();
	return after_exec(ours, next(path, argv), NULL, NULL);
}

static int run_execvpe(const char *file, char *const argv[], char *const envp[])
{
	__typeof__(&execvpe) next = BEHIND(execvpe);
	size_t needs = fit_needs_command(file, envp);
	char **fit = fit_take(needs, envp);
	bool ours = before_exec();

	return after_exec(ours, likely(next) ? next(file, argv, fit) : no_such(), fit, envp);
}

static int run_execvp(const char *file, char *const argv[])
{
	__typeof__(&execvp) next = BEHIND(execvp);
	bool ours;

	if (fit_needs_command(file, environ))
		return run_execvpe(file, argv, environ);
	ours = before_exec();
	return after_exec(ours, likely(next) ? next(file, argv) : no_such(), NULL, NULL);
}

/* By the bare call: execve(), execveat(). */
long preload_exec_by_number(long number, long a, long b, long c, long d, long e)
{
	if (number == SYS_execve)
		return run_execve((const char *)a, (char *const *)b, (char *const *)c);
	return execveat((int)a, (const char *)b, (char *const *)c, (char *const *)d, (int)e);
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
	return run_execvpe(file, argv, envp);
}

PRELOAD_STANDS_IN int fexecve(int fd, char *const argv[], char *const envp[])
{
	__typeof__(&fexecve) next = BEHIND(fexecve);
	size_t needs = fit_needs(fd, "", envp);
	char **fit = fit_take(needs, envp);
	bool ours = before_exec();

	return after_exec(ours, likely(next) ? next(fd, argv, fit) : no_such(), fit, envp);
}

PRELOAD_STANDS_IN int execveat(int dir, const char *path, char *const argv[], char *const envp[],
			       int flags)
{
	__typeof__(&execveat) next = BEHIND(execveat);
	size_t needs = fit_needs(dir, path, envp);
	char **fit = fit_take(needs, envp);
	bool ours = before_exec();

	return after_exec(ours,
			  likely(next) ? next(dir, path, argv, fit, flags)
				       : (int)syscall(SYS_execveat, dir, path, argv, fit, flags),
			  fit, envp);
}

PMU_EXECL_DEFINE(PRELOAD_STANDS_IN, run_execv, run_execvp, run_execve);
