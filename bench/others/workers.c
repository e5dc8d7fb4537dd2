/* SPDX-License-Identifier: BSD-3-Clause */
/* The contenders' processes, as bench/compare has them: started, asked, ended. */
#include "workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/common/child.h"

/* A block takes less than a millisecond; starting PAPI and LIKWID takes longest. */
#define ANSWER_MS 20000

/* What the user has set for a library would be measured instead of what is compared. */
static bool is_for_a_library(const char *variable)
{
	static const char *const prefix[] = { "PMU_", "PAPI_", "LIKWID_", "CALI_" };

	for (size_t i = 0; i < sizeof(prefix) / sizeof(*prefix); i++)
		if (!strncmp(variable, prefix[i], strlen(prefix[i])))
			return true;
	return false;
}

/* In the child. */
static void become(const char *program, const char *what, int in, int out, int err)
{
	char file[4096 + 64];
	ssize_t len = readlink("/proc/self/exe", file, 4096);
	char *end;

	file[len > 0 ? len : 0] = '\0';
	end = strrchr(file, '/');
	end = end ? end + 1 : file;
	snprintf(end, sizeof(file) - (size_t)(end - file), "%s", program);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	environment_drop(is_for_a_library);
	signal(SIGPIPE, SIG_DFL);
	execl(file, file, what, (char *)NULL);
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", file, strerror(errno));
	_exit(127);
}

/* What it wrote to standard error, its first line. */
static void add_complaint(struct worker *worker)
{
	char text[200];
	ssize_t len = pread(worker->err, text, sizeof(text) - 1, 0);
	size_t have = strlen(worker->why);

	text[len > 0 ? len : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (*text && !strstr(worker->why, text))
		snprintf(worker->why + have, sizeof(worker->why) - have, "%s%s", have ? ": " : "",
			 text);
}

/* It went away without an answer, or does not give one. */
static void give_up(struct worker *worker, const char *why)
{
	int status = 0;

	kill(worker->pid, SIGKILL);
	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (why)
		snprintf(worker->why, sizeof(worker->why), "%s", why);
	else if (WIFSIGNALED(status))
		snprintf(worker->why, sizeof(worker->why), "killed by signal %d", WTERMSIG(status));
	else
		snprintf(worker->why, sizeof(worker->why), "ended with status %d",
			 WEXITSTATUS(status));
	add_complaint(worker);
	worker->pid = 0;
	worker_end(worker);
}

/* A line, without its end. */
static bool take_line(struct worker *worker, char *line, size_t size)
{
	struct pollfd wait = { .fd = worker->from, .events = POLLIN };
	size_t len = 0;

	do {
		ssize_t got;
		int ready = poll(&wait, 1, ANSWER_MS);

		if (ready < 0 && errno == EINTR)
			continue;
		got = ready > 0 ? read(worker->from, line + len, size - 1 - len) : 0;
		if (got <= 0) {
			give_up(worker, ready == 0 ? "no answer in 20 seconds" : NULL);
			return false;
		}
		len += (size_t)got;
	} while (len < size - 1 && (len == 0 || line[len - 1] != '\n'));
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "cannot ", 7))
		return true;
	snprintf(worker->why, sizeof(worker->why), "%s", line + 7);
	add_complaint(worker);
	return false;
}

static bool start_failed(struct worker *worker)
{
	snprintf(worker->why, sizeof(worker->why), "cannot start a process: %s", strerror(errno));
	worker->pid = 0;
	worker_end(worker);
	return false;
}

bool worker_start(struct worker *worker, const char *program, const char *what)
{
	int to[2] = { -1, -1 }, from[2] = { -1, -1 };
	char line[300];

	*worker =
		(struct worker){ .to = -1, .from = -1, .err = memfd_create("stderr", MFD_CLOEXEC) };
	fflush(NULL); /* a child that cannot become the worker may write what is left */
	if (worker->err < 0 || pipe2(to, O_CLOEXEC) < 0)
		return start_failed(worker);
	worker->to = to[1];
	if (pipe2(from, O_CLOEXEC) < 0 || (worker->pid = fork()) < 0) {
		close(to[0]);
		return start_failed(worker);
	}
	if (worker->pid == 0)
		become(program, what, to[0], from[1], worker->err);
	worker->from = from[0];
	close(to[0]);
	close(from[1]);
	if (take_line(worker, line, sizeof(line)) && !strncmp(line, "ready ", 6)) {
		snprintf(worker->version, sizeof(worker->version), "%.39s", line + 6);
		return true;
	}
	if (!*worker->why)
		snprintf(worker->why, sizeof(worker->why), "it is no worker: it says %.100s", line);
	worker_end(worker);
	return false;
}

bool worker_ask(struct worker *worker, const char *question, char *answer, size_t size)
{
	char line[80];
	int len = snprintf(line, sizeof(line), "%s\n", question);

	if (write(worker->to, line, (size_t)len) != len) {
		give_up(worker, NULL);
		return false;
	}
	return take_line(worker, answer, size);
}

/* Until its end of the pipe is closed.  A library that never comes to its end is not waited for. */
static void await_end(const struct worker *worker)
{
	struct pollfd wait = { .fd = worker->from, .events = POLLIN };
	char rest[200];
	int ready;

	do
		ready = poll(&wait, 1, ANSWER_MS);
	while ((ready > 0 && read(worker->from, rest, sizeof(rest)) > 0) ||
	       (ready < 0 && errno == EINTR));
	if (ready == 0)
		kill(worker->pid, SIGKILL);
}

void worker_end(struct worker *worker)
{
	if (worker->to >= 0)
		close(worker->to);
	if (worker->pid > 0)
		await_end(worker);
	if (worker->from >= 0)
		close(worker->from);
	if (worker->err >= 0)
		close(worker->err);
	worker->to = worker->from = worker->err = -1;
	if (worker->pid > 0)
		while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
			;
	worker->pid = 0;
}
