/* SPDX-License-Identifier: BSD-3-Clause */
/* All threads and processes of a program, as the kernel tells of them. */
#include "oracle_trace.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oracle_text.h"
#include "oracle_thread.h"

#ifdef ORACLE_KNOWS_MACHINE

#define OPTIONS                                                                               \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | \
	 PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)

static struct thread *threads;
static bool has_started;

/* --- threads and processes --- */

static struct thread *find(pid_t tid)
{
	struct thread *thread = threads;

	while (thread && thread->tid != tid)
		thread = thread->next;
	return thread;
}

static struct thread *add(pid_t tid)
{
	struct thread *thread = text_alloc(sizeof(*thread));

	thread->tid = tid;
	thread->next = threads;
	return threads = thread;
}

static struct process *new_process(pid_t pid)
{
	struct process *process = text_alloc(sizeof(*process));

	process->pid = pid;
	process->space = space_new(pid);
	return process;
}

static void remove_thread(struct thread *thread)
{
	struct thread **at = &threads;

	while (*at != thread)
		at = &(*at)->next;
	*at = thread->next;
	if (thread->process && !--thread->process->n_threads) {
		space_free(thread->process->space);
		free(thread->process);
	}
	free(thread);
}

static void belong(struct thread *thread, struct process *process)
{
	thread->process = process;
	process->n_threads++;
}

/* --- what happens to them --- */

static struct process *process_of_child(const struct thread *parent, pid_t pid)
{
	struct process *process = text_alloc(sizeof(*process));

	process->pid = pid;
	process->space = space_copy(parent->process->space, pid);
	process->has_library = parent->process->has_library;
	process->init = parent->process->init;
	process->init_text = parent->process->init_text;
	return process;
}

/* Its own first stop comes before or after this. */
static void start_child(const struct thread *parent, bool is_thread)
{
	unsigned long tid = 0;
	struct thread *child;
	bool has_stopped;

	ptrace(PTRACE_GETEVENTMSG, parent->tid, NULL, &tid);
	child = find((pid_t)tid);
	has_stopped = child;
	child = child ? child : add((pid_t)tid);
	belong(child, is_thread ? parent->process : process_of_child(parent, (pid_t)tid));
	child->is_librarys = parent->pace == FREELY;
	child->is_main = !is_thread;
	child->regions = is_thread ? regions_new(parent->process->pid)
				   : regions_forked(parent->regions, (int)tid);
	if (!has_stopped)
		return;
	thread_start(child);
	thread_go(child, 0);
}

/* All other threads of the process are gone, or will be. */
static void exec(struct thread *self)
{
	unsigned long before = 0;
	struct thread *leader = NULL;

	ptrace(PTRACE_GETEVENTMSG, self->tid, NULL, &before);
	if ((pid_t)before != self->tid && (leader = find((pid_t)before)))
		remove_thread(leader);
	if (!--self->process->n_threads) {
		space_free(self->process->space);
		free(self->process);
	}
	has_started = true;
	belong(self, new_process(self->tid));
	self->regions = regions_new(self->tid);
	self->n_calls = self->n_handlers = 0;
	self->is_librarys = self->signalled = self->was_free = false;
	self->has_breakpoints = self->stops_at_them = false;
	self->counted_until = 0;
	thread_start(self);
}

/* Each of its threads goes by steps from now on. */
static void note_library(struct thread *self)
{
	struct process *process = self->process;

	process->has_library = true;
	self->is_main |= self->tid == process->pid;
	for (struct thread *thread = threads; thread; thread = thread->next)
		if (thread != self && thread->process == process)
			ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL);
	thread_start(self);
}

static void on_syscall(struct thread *self)
{
	long number = ptrace(PTRACE_PEEKUSER, self->tid,
			     (void *)offsetof(struct user_regs_struct, orig_rax), NULL);

	if (!self->process->init && number == SYS_mmap)
		thread_wait_for_library(self);
}

static void on_event(struct thread *self, int event, int signal)
{
	switch (event) {
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		start_child(self, event == PTRACE_EVENT_CLONE);
		break;
	case PTRACE_EVENT_EXEC:
		exec(self);
		break;
	case PTRACE_EVENT_STOP:
		if (signal != SIGTRAP) { /* the whole process is stopped */
			ptrace(PTRACE_LISTEN, self->tid, NULL, NULL);
			return;
		}
		if (!self->ip && self->pace != FREELY)
			thread_start(self);
		break;
	}
	thread_go(self, 0);
}

static void on_stop(struct thread *self, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;

	if (!self->process)
		return; /* until its parent says that it is there */
	if (event) {
		on_event(self, event, signal);
	} else if (signal == (SIGTRAP | 0x80)) {
		on_syscall(self);
		thread_go(self, 0);
	} else if (signal == SIGTRAP && self->pace == BY_SYSCALLS && thread_is_at_library(self)) {
		note_library(self);
		thread_go(self, 0);
	} else if (signal == SIGTRAP && self->pace != BY_SYSCALLS) {
		thread_trapped(self);
		thread_go(self, 0);
	} else {
		thread_signal(self);
		thread_go(self, signal);
	}
}

static int follow(pid_t first)
{
	int status, first_status = 0;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		struct thread *thread = tid > 0 ? find(tid) : NULL;

		if (tid < 0)
			continue;
		if (WIFSTOPPED(status)) {
			on_stop(thread ? thread : add(tid), status);
			continue;
		}
		if (tid == first)
			first_status = status;
		if (thread)
			remove_thread(thread);
	}
	return first_status;
}

/* --- the program --- */

/* Waits until it is traced. */
static pid_t start(char **argv)
{
	int go[2];
	char byte = 0;
	pid_t pid;

	if (pipe(go) < 0 || (pid = fork()) < 0)
		fail("cannot start a process: %s", strerror(errno));
	if (!pid) {
		close(go[1]);
		if (read(go[0], &byte, 1) != 1)
			_exit(127);
		close(go[0]);
		execvp(argv[0], argv);
		fprintf(stderr, "oracle: cannot execute %s: %s\n", argv[0], strerror(errno));
		_exit(125);
	}
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)(long)OPTIONS)) {
		fprintf(stderr, "oracle: cannot trace: %s\n", strerror(errno));
		kill(pid, SIGKILL);
		exit(TRACE_IMPOSSIBLE);
	}
	close(go[0]);
	if (write(go[1], &byte, 1) != 1)
		fail("cannot start the program: %s", strerror(errno));
	close(go[1]);
	return pid;
}

int trace(char **argv)
{
	pid_t first = start(argv);
	int status;

	belong(add(first), new_process(first));
	threads->regions = regions_new(first);
	status = follow(first);
	if (!has_started) /* it has said why */
		exit(125);
	return status;
}

#else

int trace(char **argv)
{
	(void)argv;
	fputs("oracle: it knows x86-64 alone\n", stderr);
	exit(TRACE_IMPOSSIBLE);
}

#endif
