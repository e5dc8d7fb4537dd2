/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tracer that lets system calls fail.  A filter stops the program in the calls that may fail, and no
 * others; the one that is to fail is not made, and its result is the error.
 */
#include "inject.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callers.h"
#include "calls.h"
#include "registers.h"

const char *inject_name(enum inject_kind kind)
{
	static const char *const name[] = { "once", "from then on", "interrupted", "short" };

	return name[kind];
}

#if FAULTS_HAVE_REGISTERS
#define OPTIONS                                                                                   \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | \
	 PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL)

/* --- the program: its own process up to execve() --- */

#define STOP  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOAD(member) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, member))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, skip)

/* Where all are only counted, those of any kind. */
static bool is_of_interest(const struct faults_call *call, const struct injection *injection)
{
	for (enum inject_kind kind = 0; kind < INJECT_N_KINDS; kind++)
		if ((!injection->nth || kind == injection->kind) &&
		    faults_call_suits(call, kind, injection->whose))
			return true;
	return false;
}

/* New code is mapped: the tracer has to know.  Otherwise the calls that suit. */
static int filter_calls(const struct injection *injection)
{
	struct sock_filter filter[160] = {
		LOAD(nr),      UNLESS(SYS_mmap, 3),
		LOAD(args[2]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		STOP,          LOAD(nr),
	};
	struct sock_fprog program = { .len = 6, .filter = filter };

	for (size_t i = 0; i < faults_n_calls; i++) {
		if (!is_of_interest(&faults_call[i], injection))
			continue;
		filter[program.len++] = (struct sock_filter)UNLESS(faults_call[i].number, 1);
		filter[program.len++] = (struct sock_filter)STOP;
	}
	filter[program.len++] = (struct sock_filter)ALLOW;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

static void redirect(const char *folder, const char *name, int to)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || dup2(fd, to) < 0)
		_exit(125);
}

static pid_t start(char *const argv[], char *const env[], const char *folder,
		   const struct injection *injection)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		_exit(125);
	redirect(folder, "out", STDOUT_FILENO);
	redirect(folder, "err", STDERR_FILENO);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || filter_calls(injection) || raise(SIGSTOP))
		_exit(125);
	execve(argv[0], argv, env);
	_exit(125);
}

/* --- the tracer --- */

struct tracer {
	const struct injection *injection;
	struct injected *result;
	struct callers *callers;
	pid_t shortened; /* the thread that makes the shortened call */
	uint64_t length; /* which that call had */
	long stuck;      /* the system call that fails from now on; -1 */
};

static void cut(struct tracer *tracer, pid_t tid, struct registers *regs)
{
	tracer->shortened = tid;
	tracer->length = registers_length(regs);
	registers_set_length(regs, tracer->length > 1 ? tracer->length / 2 : tracer->length);
	registers_write(tid, regs);
}

/* Which error the call has; 0: short. */
static int error_of(const struct injection *injection, const struct faults_call *call)
{
	switch (injection->kind) {
	case INJECT_INTERRUPTED:
		return EINTR;
	case INJECT_SHORT:
		return 0;
	default:
		return faults_call_error(call, injection->error);
	}
}

static bool is_due(struct tracer *tracer, const struct faults_call *call)
{
	const struct injection *injection = tracer->injection;
	long *n_calls = tracer->result->n_calls;

	for (enum inject_kind kind = 0; kind < INJECT_N_KINDS; kind++)
		n_calls[kind] += faults_call_suits(call, kind, injection->whose);
	if (tracer->stuck >= 0)
		return tracer->stuck == call->number;
	if (!injection->nth || n_calls[injection->kind] != injection->nth)
		return false;
	if (injection->kind == INJECT_FROM_ON)
		tracer->stuck = call->number;
	tracer->result->call = call->name;
	tracer->result->error = error_of(injection, call);
	return true;
}

/* A call that the filter stopped.  Return: is its end of interest? */
static bool at_call(struct tracer *tracer, pid_t tid)
{
	const struct injection *injection = tracer->injection;
	const struct faults_call *call;
	struct registers regs;

	if (!registers_read(tid, &regs))
		return false;
	call = faults_call_of(registers_call(&regs));
	if (registers_call(&regs) == SYS_mmap && registers_length(&regs) & PROT_EXEC)
		callers_changed(tracer->callers, tid);
	if (!call || !is_of_interest(call, injection) ||
	    !callers_are(tracer->callers, tid, &regs, injection->whose) || !is_due(tracer, call))
		return false;
	if (injection->kind == INJECT_SHORT)
		cut(tracer, tid, &regs);
	else
		registers_refuse(tid, &regs, error_of(injection, call));
	return injection->kind == INJECT_SHORT;
}

static void at_call_end(struct tracer *tracer, pid_t tid)
{
	struct registers regs;

	if (tid != tracer->shortened || !registers_read(tid, &regs))
		return;
	tracer->shortened = 0;
	registers_set_length(&regs, tracer->length);
	registers_write(tid, &regs);
}

/* Return: the request by which the thread goes on; @signal: what it is given. */
static int at_stop(struct tracer *tracer, pid_t tid, int status, int *signal)
{
	*signal = 0;
	switch (status >> 8) {
	case SIGTRAP | PTRACE_EVENT_SECCOMP << 8:
		return at_call(tracer, tid) ? PTRACE_SYSCALL : PTRACE_CONT;
	case SIGTRAP | PTRACE_EVENT_EXEC << 8:
		callers_exec(tracer->callers, tid);
		return PTRACE_CONT;
	case SIGTRAP | 0x80:
		at_call_end(tracer, tid);
		return PTRACE_CONT;
	default:
		/* events of forks, and how new processes and threads begin */
		if (status >> 16 || WSTOPSIG(status) == SIGSTOP)
			return PTRACE_CONT;
		*signal = WSTOPSIG(status);
		return PTRACE_CONT;
	}
}

static volatile sig_atomic_t is_late;

static void on_alarm(int number)
{
	(void)number;
	is_late = 1;
}

static void at_end(struct injected *result, pid_t tid, pid_t first, int status)
{
	int as_shell = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

	if (WIFSIGNALED(status) && !result->hung)
		result->killed = true;
	if (tid == first)
		result->status = as_shell;
}

/* Until no process is left. */
static void trace(struct tracer *tracer, pid_t first)
{
	for (;;) {
		int status, signal, request;
		pid_t tid = waitpid(-1, &status, __WALL);

		if (tid < 0 && errno != EINTR)
			return;
		if (is_late) {
			is_late = 0;
			tracer->result->hung = true;
			callers_kill_all(tracer->callers);
			kill(first, SIGKILL);
			alarm(1);
		}
		if (tid < 0)
			continue;
		if (!WIFSTOPPED(status)) {
			at_end(tracer->result, tid, first, status);
			callers_gone(tracer->callers, tid);
			continue;
		}
		callers_know(tracer->callers, tid);
		request = at_stop(tracer, tid, status, &signal);
		ptrace(request, tid, NULL, signal);
	}
}

int inject_run(char *const argv[], char *const env[], const char *folder, unsigned int seconds,
	       const struct injection *injection, struct injected *result)
{
	struct tracer tracer = { .injection = injection, .result = result, .stuck = -1 };
	struct sigaction action = { .sa_handler = on_alarm };
	int status;
	pid_t pid;

	*result = (struct injected){ .status = -1 };
	fflush(NULL);
	pid = start(argv, env, folder, injection);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -errno;
	if (!WIFSTOPPED(status) || ptrace(PTRACE_SETOPTIONS, pid, NULL, OPTIONS)) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return -ENOSYS;
	}
	tracer.callers = callers_new();
	if (!tracer.callers)
		return -ENOMEM;
	is_late = 0;
	sigaction(SIGALRM, &action, NULL);
	alarm(seconds);
	callers_know(tracer.callers, pid);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	trace(&tracer, pid);
	alarm(0);
	callers_free(tracer.callers);
	return 0;
}
#else
int inject_run(char *const argv[], char *const env[], const char *folder, unsigned int seconds,
	       const struct injection *injection, struct injected *result)
{
	(void)argv;
	(void)env;
	(void)folder;
	(void)seconds;
	(void)injection;
	*result = (struct injected){ .status = -1 };
	return -ENOSYS;
}
#endif
