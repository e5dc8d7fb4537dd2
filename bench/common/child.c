/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs this program again with other settings: a process has one source of counts. */
#include "bench/common/child.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_WORDS 32

extern char **environ;

/*
 * Where registers are is a fact of the machine, like its processor: no choice of what to measure.
 */
static bool says_where(const char *variable)
{
	static const char *const names[] = { "PMU_MSR_DEVICE=", "PMU_MSR_BATCH=",
					     "PMU_CPUID_FILE=" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(variable, names[i], strlen(names[i])))
			return true;
	return false;
}

static bool is_setting(const char *variable)
{
	return !strncmp(variable, "PMU_", 4) && !says_where(variable);
}

void environment_drop(bool (*is_unwanted)(const char *variable))
{
	for (char **at = environ; *at;) {
		char name[64];
		int len = (int)strcspn(*at, "=");

		if (is_unwanted(*at) && len < (int)sizeof(name)) {
			snprintf(name, sizeof(name), "%.*s", len, *at);
			unsetenv(name); /* the others move up */
		} else {
			at++;
		}
	}
}

void child_environment(const char *const *settings)
{
	environment_drop(is_setting);
	for (; settings && *settings; settings++)
		putenv((char *)(uintptr_t)*settings);
}

static void exec_self(const struct child *child, const char *program)
{
	const char *word[MAX_WORDS];
	size_t n = 0;

	for (const char *const *tool = child->tool;
	     tool && *tool && n < MAX_WORDS - 3 - CHILD_ARGUMENTS; tool++)
		word[n++] = *tool;
	word[n++] = program;
	word[n++] = "--child";
	for (size_t i = 0; i < CHILD_ARGUMENTS && child->argument[i]; i++)
		word[n++] = child->argument[i];
	word[n] = NULL;
	child_environment(child->settings);
	execvp(word[0], (char **)(uintptr_t)word);
	fprintf(stderr, "cannot run %s: %s\n", word[0], strerror(errno));
	_exit(127);
}

/* All of a stream, as one text. */
struct stream {
	int fd;
	char *text;
	size_t len, room;
};

static bool take_some(struct stream *stream)
{
	ssize_t got;

	if (stream->len + 1 >= stream->room) {
		size_t room = 2 * stream->room + 4096;
		char *more = realloc(stream->text, room);

		if (!more)
			return false;
		stream->text = more;
		stream->room = room;
	}
	got = read(stream->fd, stream->text + stream->len, stream->room - stream->len - 1);
	if (got <= 0)
		return false;
	stream->len += (size_t)got;
	return true;
}

static void take_all(struct stream *out, struct stream *err)
{
	struct stream *stream[2] = { out, err };
	struct pollfd wait[2] = { { .fd = out->fd, .events = POLLIN },
				  { .fd = err->fd, .events = POLLIN } };

	while (wait[0].fd >= 0 || wait[1].fd >= 0) {
		if (poll(wait, 2, -1) < 0)
			return;
		for (int i = 0; i < 2; i++)
			if (wait[i].revents && !take_some(stream[i]))
				wait[i].fd = -1;
	}
}

/* The first line of what it said. */
static void explain(struct child *child, int status)
{
	const char *said = child->err && *child->err ? child->err : "it says nothing";

	if (WIFSIGNALED(status))
		snprintf(child->why, sizeof(child->why), "killed by signal %d", WTERMSIG(status));
	else
		snprintf(child->why, sizeof(child->why), "%.*s", (int)strcspn(said, "\n"), said);
}

static int wait_for(struct child *child, pid_t pid, int out_fd, int err_fd)
{
	struct stream out = { .fd = out_fd }, err = { .fd = err_fd };
	int status = 0;

	take_all(&out, &err);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	child->out = out.text;
	child->err = err.text;
	if (out.text)
		out.text[out.len] = '\0';
	if (err.text)
		err.text[err.len] = '\0';
	if (status == 0 && out.text)
		return 0;
	explain(child, status);
	return -1;
}

int child_run(struct child *child)
{
	char program[4096];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	int out[2], err[2], rc;
	pid_t pid;

	child->out = child->err = NULL;
	program[len > 0 ? len : 0] = '\0';
	if (len <= 0 || pipe(out) < 0 || pipe(err) < 0 || (pid = fork()) < 0) {
		snprintf(child->why, sizeof(child->why), "cannot start a process: %s",
			 strerror(errno));
		return -1;
	}
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		for (int i = 0; i < 2; i++) {
			close(out[i]);
			close(err[i]);
		}
		exec_self(child, program);
	}
	close(out[1]);
	close(err[1]);
	rc = wait_for(child, pid, out[0], err[0]);
	close(out[0]);
	close(err[0]);
	return rc;
}

void child_free(struct child *child)
{
	free(child->out);
	free(child->err);
	child->out = child->err = NULL;
}

int child_main(const struct child_task *tasks, size_t n_tasks, char **argument)
{
	for (size_t i = 0; argument[0] && i < n_tasks; i++)
		if (!strcmp(tasks[i].name, argument[0]))
			return tasks[i].run(argument + 1);
	fprintf(stderr, "--child: no such task\n");
	return 2;
}

/* --- memory --- */

double resident_kib(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	double kib = -1;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmRSS: %lf", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}
