/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways to end. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preloaded.h"

static int leave_by_return(void)
{
	work();
	return 3;
}

static __attribute__((noinline)) void deeper(void)
{
	work();
	exit(4);
}

static int leave_by_exit(void)
{
	deeper();
	return 1;
}

/* The main thread is on its way to where it waits for this one. */
static void *exit_in_thread(void *arg)
{
	char text[256] = "";

	(void)arg;
	work();
	for (int tries = 0; tries < 1000 && !strstr(text, ") S "); tries++) {
		int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

		usleep(1000);
		if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
			break;
		close(fd);
	}
	exit(5);
}

static int leave_by_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exit_in_thread, NULL);
	pthread_join(thread, NULL);
	return 10;
}

static int leave_by__exit(void)
{
	work();
	_exit(6);
}

static int leave_by__Exit(void)
{
	work();
	_Exit(7);
}

static int leave_by_quick_exit(void)
{
	work();
	quick_exit(8);
}

static int leave_by_exit_group(void)
{
	work();
	return (int)syscall(SYS_exit_group, 21);
}

static int leave_by_exit_syscall(void)
{
	work();
	return (int)syscall(SYS_exit, 22);
}

static int leave_by_err(void)
{
	work();
	errno = ENOENT;
	err(9, "as err() does");
}

static int leave_by_abort(void)
{
	work();
	abort();
}

static int leave_by_kill(void)
{
	work();
	kill(getpid(), number);
	return 10; /* not fatal, or ignored */
}

static void *kill_in_thread(void *arg)
{
	work();
	raise(number);
	return arg;
}

static int leave_by_kill_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, kill_in_thread, NULL);
	pthread_join(thread, NULL);
	return 10;
}

static int leave_by_fault(void)
{
	static volatile int zero;
	int *nowhere = (int *)(uintptr_t)(16 + (unsigned int)zero);

	work();
	*(volatile int *)nowhere = 1;
	return 10;
}

static __attribute__((noinline)) int deep(volatile char *above, unsigned int left)
{
	volatile char here[4096];

	here[0] = above ? above[0] : 0;
	return left ? deep(here, left - 1) + here[0] : here[0];
}

static int leave_by_overflow(void)
{
	work();
	return deep(NULL, -1u);
}

static void exit_handler(int signal)
{
	(void)signal;
	exit(11);
}

static int leave_by_exit_in_handler(void)
{
	signal(SIGUSR1, exit_handler);
	work();
	raise(SIGUSR1);
	return 10;
}

/* A handler set and taken away again. */
static int leave_by_default_again(void)
{
	struct sigaction usual = { .sa_handler = SIG_DFL, .sa_flags = SA_SIGINFO };

	signal(number, exit_handler);
	if (signal(number, SIG_DFL) != exit_handler)
		return 10;
	signal(number, exit_handler);
	sigaction(number, &usual, NULL);
	work();
	raise(number);
	return 10;
}

static int leave_by_default_by_signal(void)
{
	signal(number, exit_handler);
	signal(number, SIG_DFL);
	work();
	raise(number);
	return 10;
}

static int leave_by_pthread_exit(void)
{
	pthread_t thread;

	work();
	pthread_create(&thread, NULL, work_in_thread, NULL);
	pthread_detach(thread);
	pthread_exit(NULL);
}

/*
 * Killed by any system call but those of its own that follow.  Return: whether it was not refused.
 */
static bool shut_in(bool by_number)
{
#define ALLOW(call)                                      \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_exit),
		ALLOW(SYS_kill),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(*filter), .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == 0)
		return false;
	if (by_number)
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The word says how it ends. */
static int shut_in_and_leave(bool by_number)
{
	pid_t pid = getpid();

	signal(SIGUSR1, SIG_DFL);
	work();
	if (!shut_in(by_number))
		return 10;
	work();
	if (!strcmp(words[0], "_exit"))
		_exit(15);
	if (!strcmp(words[0], "exit_syscall"))
		syscall(SYS_exit, 17);
	if (!strcmp(words[0], "kill"))
		kill(pid, SIGTERM);
	if (!strcmp(words[0], "kill_default"))
		kill(pid, SIGUSR1);
	return 16;
}

static int leave_by_prctl(void)
{
	return shut_in_and_leave(false);
}

static int leave_by_seccomp(void)
{
	return shut_in_and_leave(true);
}

/* Only read, write and exit are left. */
static int leave_by_strict(void)
{
	work();
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		return 10;
	syscall(SYS_exit, 18);
	return 19;
}

/*
 * From here on the time stamp counter is a fault, and with it what reads a clock without a system
 * call.
 */
static int without_tsc(void)
{
	work();
#ifdef __x86_64__
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		return 10;
#endif
	work();
	return 20;
}

const struct deed deeds_ends[] = {
	{ "return", leave_by_return },
	{ "exit", leave_by_exit },
	{ "thread", leave_by_thread },
	{ "_exit", leave_by__exit },
	{ "_Exit", leave_by__Exit },
	{ "quick_exit", leave_by_quick_exit },
	{ "exit_group", leave_by_exit_group },
	{ "exit_syscall", leave_by_exit_syscall },
	{ "err", leave_by_err },
	{ "abort", leave_by_abort },
	{ "kill", leave_by_kill },
	{ "kill_in_thread", leave_by_kill_in_thread },
	{ "fault", leave_by_fault },
	{ "overflow", leave_by_overflow },
	{ "exit_in_handler", leave_by_exit_in_handler },
	{ "default_again", leave_by_default_again },
	{ "default_by_signal", leave_by_default_by_signal },
	{ "pthread_exit", leave_by_pthread_exit },
	{ "prctl", leave_by_prctl },
	{ "seccomp", leave_by_seccomp },
	{ "strict", leave_by_strict },
	{ "tsc", without_tsc },
	{ NULL, NULL },
};
