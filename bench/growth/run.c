/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes of their own for each size: their numbers, times and memory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/growth/scale.h"

/* --- numbers of a child --- */

static int take_numbers(const char *text, double *value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *end;

		value[i] = strtod(text, &end);
		if (end == text)
			return -1;
		text = end;
	}
	return 0;
}

/* Processes for one number; no more are started once they have taken so long. */
#define MOST_RUNS 3
#define LONG_NS   0.3e9

/* Is another one to be started, after @n since @start? */
static bool goes_on(int n, double start)
{
	return n < MOST_RUNS && !quick && now_ns() - start < LONG_NS;
}

/* Of two the shorter: the other was disturbed. */
static double median(double *number, int n)
{
	sort_numbers(number, (size_t)n);
	return number[(n - 1) / 2];
}

static int run_once(struct child *child, double *value, size_t n)
{
	int rc = child_run(child);

	if (!rc && take_numbers(child->out, value, n) < 0) {
		snprintf(child->why, sizeof(child->why), "the numbers of '%s' are unreadable",
			 child->argument[0]);
		rc = -1;
	}
	child_free(child);
	return rc;
}

int run_child(struct child *child, double *value, size_t n)
{
	double number[MOST_NUMBERS][MOST_RUNS], one[MOST_NUMBERS], start = now_ns();
	int runs = 0;

	if (n > MOST_NUMBERS)
		return -1;
	do {
		if (run_once(child, one, n) < 0)
			return -1;
		for (size_t i = 0; i < n; i++)
			number[i][runs] = one[i];
	} while (goes_on(++runs, start));
	for (size_t i = 0; i < n; i++)
		value[i] = median(number[i], runs);
	return 0;
}

/* --- the pmu command --- */

static void command_path(char *path, size_t size)
{
	const char *build = getenv("TEST_BUILDDIR");

	snprintf(path, size, "%s/pmu", build && *build ? build : TEST_BUILDDIR);
}

static void exec_command(const char *path, const char *const *word, const char *out)
{
	const char *argument[16] = { path };
	int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int nowhere = open("/dev/null", O_WRONLY);

	for (size_t i = 0; word[i] && i + 2 < sizeof(argument) / sizeof(*argument); i++)
		argument[i + 1] = word[i];
	if (fd < 0 || nowhere < 0)
		_exit(126);
	dup2(fd, STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
	execv(path, (char **)(uintptr_t)argument);
	_exit(127);
}

static double milliseconds(const struct timeval *time)
{
	return (double)time->tv_sec * 1e3 + (double)time->tv_usec / 1e3;
}

/* Return: its status, negative where it could not be started; the kernel counts in KiB. */
static int time_command(const char *path, const char *const *word, const char *out,
			struct taken *taken)
{
	struct rusage usage;
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0)
		exec_command(path, word, out);
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -1;
	taken->ms = milliseconds(&usage.ru_utime) + milliseconds(&usage.ru_stime);
	taken->peak_mib = (double)usage.ru_maxrss / 1024;
	return status;
}

int run_command(const char *const *word, const char *out, const char *size_of, struct taken *taken,
		char *why, size_t size)
{
	double ms[MOST_RUNS], peak_mib[MOST_RUNS], start = now_ns();
	char path[PATH_MAX];
	struct stat st;
	int runs = 0;

	command_path(path, sizeof(path));
	do {
		int status = time_command(path, word, out, taken);

		if (status) {
			snprintf(why, size, "%.100s %s failed with status %d", path, word[0],
				 status > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : status);
			return -1;
		}
		ms[runs] = taken->ms;
		peak_mib[runs] = taken->peak_mib;
	} while (goes_on(++runs, start));
	taken->ms = median(ms, runs);
	taken->peak_mib = median(peak_mib, runs);
	if (stat(size_of, &st) < 0 || st.st_size == 0) {
		snprintf(why, size, "pmu %s wrote nothing", word[0]);
		return -1;
	}
	taken->out_kib = (double)st.st_size / 1024;
	return 0;
}

/* --- folders --- */

int run_folder(char *path, size_t size, char *why, size_t why_size)
{
	const char *tmp = getenv("TMPDIR");
	const char *const parent[] = { "/dev/shm", tmp && *tmp ? tmp : "/tmp" };

	for (size_t i = 0; i < sizeof(parent) / sizeof(*parent); i++) {
		snprintf(path, size, "%s/scale-XXXXXX", parent[i]);
		if (mkdtemp(path))
			return 0;
	}
	snprintf(why, why_size, "no folder for files: %s", strerror(errno));
	path[0] = '\0';
	return -1;
}

static void empty_folder(const char *path, bool deep)
{
	DIR *dir = opendir(path);

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		char at[PATH_MAX];

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if ((size_t)snprintf(at, sizeof(at), "%s/%s", path, entry->d_name) >= sizeof(at))
			continue;
		if (unlink(at) == 0 || !deep)
			continue;
		empty_folder(at, false);
		rmdir(at);
	}
	if (dir)
		closedir(dir);
}

void run_folder_empty(const char *path)
{
	empty_folder(path, true);
}

void run_folder_remove(const char *path)
{
	if (!path[0])
		return;
	run_folder_empty(path);
	rmdir(path);
}
