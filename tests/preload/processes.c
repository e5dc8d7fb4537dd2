/* SPDX-License-Identifier: BSD-3-Clause */
/* Children, and other programs. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preloaded.h"

static int leave_by_exec(void)
{
	work();
	execvp(words[0], words);
	return 127;
}

static int leave_by_execl(void)
{
	work();
	execl("/bin/sh", "sh", "-c", "exit 12", (char *)NULL);
	return 127;
}

static int exec_that_fails(void)
{
	static char nowhere[] = "/nowhere/at/all", *const argv[] = { nowhere, NULL };
	int failed = 0;

	work();
	failed += execv(nowhere, argv) == -1 && errno == ENOENT;
	failed += execve(nowhere, argv, environ) == -1 && errno == ENOENT;
	failed += execvp(nowhere, argv) == -1 && errno == ENOENT;
	failed += execl(nowhere, "x", (char *)NULL) == -1 && errno == ENOENT;
	failed += execlp(nowhere, "x", (char *)NULL) == -1 && errno == ENOENT;
	failed += execle(nowhere, "x", (char *)NULL, environ) == -1 && errno == ENOENT;
	failed += fexecve(-1, argv, environ) == -1 && errno != 0;
	work();
	return failed;
}

static int status_of(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* As a pool ends its workers. */
static int stop_child(void)
{
	int ends[2], status;
	char byte = 0;
	pid_t pid;

	if (pipe(ends))
		return 1;
	pid = fork();
	if (pid == 0) {
		work();
		if (write(ends[1], &byte, 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	if (read(ends[0], &byte, 1) != 1 || kill(pid, SIGTERM))
		return 1;
	status = status_of(pid);
	work();
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 21 : 22;
}

static int fork_child(void)
{
	pid_t pid = fork();

	work();
	if (pid == 0)
		exit(13);
	return WEXITSTATUS(status_of(pid));
}

/* A child with an empty environment. */
static int fork_cleared(void)
{
	pid_t pid;

	clearenv();
	pid = fork();
	work();
	if (pid == 0)
		exit(13);
	return WEXITSTATUS(status_of(pid));
}

static int fork__exit(void)
{
	pid_t pid = fork();

	work();
	if (pid == 0)
		_exit(13);
	return WEXITSTATUS(status_of(pid));
}

static void *fork_in_thread(void *status)
{
	pid_t pid = fork();

	work();
	if (pid == 0)
		exit(13);
	*(int *)status = WEXITSTATUS(status_of(pid));
	return NULL;
}

static int fork_thread(void)
{
	pthread_t thread;
	int status = -1;

	pthread_create(&thread, NULL, fork_in_thread, &status);
	pthread_join(thread, NULL);
	return status;
}

static int fork_exec(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		work();
		execl("/bin/sh", "sh", "-c", "exit 14", (char *)NULL);
		_exit(127);
	}
	return WEXITSTATUS(status_of(pid));
}

static int fork_killed(void)
{
	pid_t pid = fork();

	work();
	if (pid == 0)
		raise(SIGTERM);
	return WTERMSIG(status_of(pid));
}

static int vfork_exec(void)
{
	pid_t pid;

	work();
	pid = vfork();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "exit 15", (char *)NULL);
		_exit(127);
	}
	return WEXITSTATUS(status_of(pid));
}

static int vfork__exit(void)
{
	pid_t pid;

	work();
	pid = vfork();
	if (pid == 0) {
		execl("/nowhere/at/all", "x", (char *)NULL);
		_exit(16);
	}
	work();
	return WEXITSTATUS(status_of(pid));
}

/* The child's death is its own. */
static int vfork_killed(void)
{
	pid_t pid;

	work();
	pid = vfork();
	if (pid == 0) {
		syscall(SYS_kill, syscall(SYS_getpid), SIGTERM);
		_exit(127);
	}
	work();
	return WTERMSIG(status_of(pid));
}

static int vfork_then_die(void)
{
	pid_t pid;

	work();
	pid = vfork();
	if (pid == 0) {
		execl("/nowhere/at/all", "x", (char *)NULL);
		_exit(16);
	}
	status_of(pid);
	return kill(getpid(), SIGKILL);
}

static int by_system(void)
{
	work();
	return WEXITSTATUS(system("exit 17"));
}

static int by_daemon(void)
{
	work();
	if (daemon(1, 1) < 0)
		return 10;
	work();
	return 18;
}

const struct deed deeds_processes[] = {
	{ "exec", leave_by_exec },
	{ "execl", leave_by_execl },
	{ "exec_that_fails", exec_that_fails },
	{ "stop", stop_child },
	{ "fork_child", fork_child },
	{ "fork_cleared", fork_cleared },
	{ "fork__exit", fork__exit },
	{ "fork_thread", fork_thread },
	{ "fork_exec", fork_exec },
	{ "fork_killed", fork_killed },
	{ "vfork_exec", vfork_exec },
	{ "vfork__exit", vfork__exit },
	{ "vfork_killed", vfork_killed },
	{ "vfork_then_die", vfork_then_die },
	{ "by_system", by_system },
	{ "by_daemon", by_daemon },
	{ NULL, NULL },
};
