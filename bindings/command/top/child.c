/* SPDX-License-Identifier: BSD-3-Clause */
/* The command that `pmu top COMMAND` watches: a `pmu run` of its own. */
#include "bindings/command/top/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/write.h"

#define MOMENT_NS 50000000l

/* --- what is printed meanwhile --- */

/* Nameless: nothing is left of it, however we end. */
static int open_aside(void)
{
	const char *tmp = getenv("TMPDIR");
	char name[] = "/tmp/pmu-top-XXXXXX";
	int fd = PMU_RETRY(open(tmp && tmp[0] == '/' ? tmp : "/tmp",
				O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600));

	if (fd >= 0)
		return fd;
	fd = mkostemp(name, O_APPEND | O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

/* From byte *@at on, which moves to its end. */
static void print_kept(int fd, off_t *at)
{
	char bytes[4096];
	ssize_t n;

	while ((n = PMU_RETRY(pread(fd, bytes, sizeof(bytes), *at))) > 0) {
		pmu_write_all(STDERR_FILENO, bytes, (size_t)n);
		*at += n;
	}
}

/* --- its process --- */

static char **words_of(const char *const *options, char **command)
{
	size_t n_options = 0, n_words = 0, n = 0;
	char **word;

	while (options[n_options])
		n_options++;
	while (command[n_words])
		n_words++;
	word = calloc(n_options + n_words + 4, sizeof(*word));
	if (!word)
		return NULL;
	word[n++] = (char *)"pmu";
	word[n++] = (char *)"run";
	for (size_t i = 0; i < n_options; i++)
		word[n++] = (char *)options[i];
	word[n++] = (char *)"--";
	memcpy(word + n, command, n_words * sizeof(*word));
	return word;
}

/* The terminal's keys are ours. */
static void become_program(char **word, const struct pmu_top_child *child)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null >= 0 && isatty(STDIN_FILENO))
		dup2(null, STDIN_FILENO);
	if (child->output >= 0) {
		if (isatty(STDERR_FILENO))
			dup2(child->output, STDERR_FILENO);
		dup2(child->output, STDOUT_FILENO);
	} else {
		dup2(STDERR_FILENO, STDOUT_FILENO);
	}
	execv("/proc/self/exe", word);
	fprintf(stderr, "pmu: cannot start 'pmu run': %s\n", strerror(errno));
	_exit(125);
}

int pmu_top_child_start(const char *const *options, char **command, bool aside,
			struct pmu_top_child *child)
{
	char **word = words_of(options, command);
	int rc = 0;

	*child = (struct pmu_top_child){ .output = -1 };
	if (!word)
		return pmu_fail(ENOMEM, "no memory");
	if (aside) {
		child->output = open_aside();
		if (child->output < 0)
			rc = pmu_fail(errno, "no place for what the command prints: %s; set TMPDIR",
				      strerror(errno));
	}
	if (!rc) {
		child->pid = fork();
		if (!child->pid)
			become_program(word, child);
		if (child->pid < 0)
			rc = pmu_fail(errno, "cannot create a process: %s", strerror(errno));
	}
	free(word);
	if (rc) {
		child->pid = 0;
		child->has_ended = true;
	}
	return rc;
}

bool pmu_top_child_look(struct pmu_top_child *child)
{
	if (child->pid && !child->has_ended)
		child->has_ended = waitpid(child->pid, &child->status, WNOHANG) == child->pid;
	return child->has_ended;
}

int pmu_top_child_finish(struct pmu_top_child *child)
{
	const struct timespec moment = { .tv_nsec = MOMENT_NS };
	off_t at = 0;

	/* the terminal's go to the command, too, and its report is still to come */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	while (!pmu_top_child_look(child)) {
		if (child->output >= 0)
			print_kept(child->output, &at);
		nanosleep(&moment, NULL);
	}
	if (child->output >= 0) {
		print_kept(child->output, &at);
		close(child->output);
	}
	return WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status)
					  : WEXITSTATUS(child->status);
}
