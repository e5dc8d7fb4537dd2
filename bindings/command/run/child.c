/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the command, passes signals on, and waits for its end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/time.h"
#include "bindings/command/command.h"
#include "bindings/command/run/run.h"
#include "machine/mask.h"

#define TICK_NS 500000000l
/* When a shell wakes all of a job, one process of it is awake before another. */
#define CONTINUE_NS 10000000l

/* Signals that another process sends to us are meant for the command. */
static const int passed_on[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

/* What is as before in the command, and here after its end. */
struct before {
	sigset_t mask;
	struct sigaction child;
};

/*
 * Signals are not handled but waited for: they are held back in this process from here on, and
 * SIGCHLD, which a parent may have had ignored, comes.
 */
static void hold_child_signals(struct before *before, sigset_t *held)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };

	sigemptyset(held);
	sigaddset(held, SIGCHLD);
	for (size_t i = 0; i < PMU_ARRAY_LEN(passed_on); i++)
		sigaddset(held, passed_on[i]);
	sigprocmask(SIG_BLOCK, held, &before->mask);
	sigaction(SIGCHLD, &by_default, &before->child);
}

/* Those of the command's end are over: the next one is meant for us. */
static void release_child_signals(const struct before *before, const sigset_t *held)
{
	const struct timespec now = { 0 };

	while (sigtimedwait(held, NULL, &now) > 0 || errno == EINTR)
		;
	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* --- the command's own process --- */

static void become_command(const struct pmu_run_start *start, const struct before *before,
			   int report_fd)
{
	int error = start->cpus ? -pmu_mask_apply(start->cpus) : 0;

	if (start->no_aslr)
		pmu_run_layout_fix(); /* it was tried before */
	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	if (!error && start->path)
		execve(start->path, start->command, start->environment);
	else if (!error)
		execvpe(start->command[0], start->command, start->environment);
	error = error ? error : errno;
	while (write(report_fd, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(PMU_EXIT_NOT_FOUND);
}

/* The descriptor closes when the command begins; 0 then, else why it did not. */
static int wait_for_exec(int report_fd)
{
	int error = 0;
	ssize_t n = PMU_RETRY(read(report_fd, &error, sizeof(error)));

	return n == (ssize_t)sizeof(error) ? error : 0;
}

/* --- waiting --- */

/*
 * Sent by a process other than the command itself; what the terminal sends, reaches the command too
 * (sigaction(2)).
 */
static void pass_on(pid_t pid, int number, const siginfo_t *info)
{
	bool sent = info->si_code <= 0;

	if (sent && info->si_pid != pid)
		kill(pid, number);
}

static bool in_foreground(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
	pid_t group = fd < 0 ? -1 : tcgetpgrp(fd);

	if (fd >= 0)
		close(fd);
	return group == getpgrp();
}

/*
 * A command that stops itself for its user, as editors do when they are told to, leaves the
 * terminal without a user unless we stop as well: the shell waits for us.
 */
static void stop_too(pid_t pid)
{
	const struct timespec while_others_go_on = { .tv_nsec = CONTINUE_NS };
	siginfo_t info = { .si_pid = 0 };

	nanosleep(&while_others_go_on, NULL);
	if (!in_foreground() ||
	    (!waitid(P_PID, (id_t)pid, &info, WCONTINUED | WNOHANG) && info.si_pid))
		return;
	raise(SIGSTOP);
	kill(pid, SIGCONT);
}

/* Return: whether it has ended. */
static bool look_after(struct pmu_run_end *end)
{
	pid_t pid;

	do {
		pid = wait4(end->pid, &end->status, WNOHANG | WUNTRACED, &end->usage);
		if (pid == end->pid && WIFSTOPPED(end->status))
			stop_too(pid);
	} while ((pid == end->pid && WIFSTOPPED(end->status)) || (pid < 0 && errno == EINTR));
	return pid != 0;
}

static void wait_for_end(const struct pmu_run_start *start, const sigset_t *held,
			 struct pmu_run_end *end)
{
	const struct timespec interval = { .tv_nsec = TICK_NS };
	siginfo_t info;
	int number;

	while (!look_after(end)) {
		number = sigtimedwait(held, &info, &interval);
		if (number < 0 && errno == EAGAIN)
			start->tick(start->arg);
		else if (number > 0 && number != SIGCHLD)
			pass_on(end->pid, number, &info);
	}
}

static uint64_t ns_of(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

static void describe_end(struct pmu_run_end *end, uint64_t elapsed_ns)
{
	const struct rusage *usage = &end->usage;

	end->run = (struct pmu_model_run){
		.status = WIFEXITED(end->status) ? WEXITSTATUS(end->status) : -1,
		.signal = WIFSIGNALED(end->status) ? WTERMSIG(end->status) : 0,
		.start_unix_ns = end->start_unix_ns,
		.elapsed_ns = elapsed_ns,
		.user_ns = ns_of(&usage->ru_utime),
		.system_ns = ns_of(&usage->ru_stime),
		.max_rss = (uint64_t)usage->ru_maxrss * 1024, /* getrusage(2): in KiB */
	};
}

int pmu_run_command(const struct pmu_run_start *start, struct pmu_run_end *end)
{
	struct before before;
	uint64_t start_ns;
	int report_fd[2];
	sigset_t held;
	int error;

	*end = (struct pmu_run_end){ .pid = -1 };
	if (pipe2(report_fd, O_CLOEXEC))
		return pmu_fail(errno, "cannot create a pipe: %s", strerror(errno));
	end->start_unix_ns = pmu_time_now_ns(CLOCK_REALTIME);
	start_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	hold_child_signals(&before, &held);
	end->pid = fork();
	error = errno;
	if (!end->pid)
		become_command(start, &before, report_fd[1]);
	close(report_fd[1]);
	if (end->pid > 0) {
		end->exec_errno = wait_for_exec(report_fd[0]);
		wait_for_end(start, &held, end);
		describe_end(end, pmu_time_now_ns(CLOCK_MONOTONIC) - start_ns);
	}
	close(report_fd[0]);
	release_child_signals(&before, &held);
	return end->pid < 0 ? pmu_fail(error, "cannot create a process: %s", strerror(error)) : 0;
}

void pmu_run_die(int signal_number)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	const struct rlimit none = { 0 };
	sigset_t one;

	/* core(5): a pipe to a program that takes cores knows no limit */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	sigaction(signal_number, &by_default, NULL);
	sigemptyset(&one);
	sigaddset(&one, signal_number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(signal_number);
}
