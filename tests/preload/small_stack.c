/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * small_stack WAY PROGRAM N: a thread with the least stack that there is starts a program with N
 * variables, or with as many words, in one of the ways there are.  What it prints is the same with
 * and without libpmu.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LINKED
#include <pmu.h>
#else
#define pmu_region_begin(name) ((void)(name))
#define pmu_region_end(name)   ((void)(name))
#endif

static char *program;
static char word[] = "word", *const arguments[] = { word, word, NULL };

static int status_of(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int by_execve(void)
{
	return execve(program, arguments, environ);
}

static int by_execvp(void)
{
	return execvp(program, arguments);
}

#define TEN(x) x, x, x, x, x, x, x, x, x, x

static int by_execl(void)
{
	return execl(program, TEN(TEN(word)), (char *)NULL);
}

static int by_execle(void)
{
	return execle(program, TEN(TEN(word)), (char *)NULL, environ);
}

static int n_mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	int c, n = 0;

	while (file && (c = getc(file)) != EOF)
		n += c == '\n';
	if (file)
		fclose(file);
	return n;
}

/* Many times: what the children needed is no longer there. */
static int by_vfork(void)
{
	int status = 0, before = 0;

	for (int i = 0; i < 40; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			if (i & 1)
				execl(program, TEN(TEN(word)), (char *)NULL);
			else
				execve(program, arguments, environ);
			_exit(127);
		}
		status = status_of(pid);
		if (i == 3)
			before = n_mappings();
	}
	printf("%s\n", n_mappings() > before + 2 ? "memory was left behind" : "nothing was left");
	return status;
}

static int by_spawn(void)
{
	pid_t pid;

	return posix_spawn(&pid, program, NULL, NULL, arguments, environ) ? 127 : status_of(pid);
}

static int by_spawnp(void)
{
	pid_t pid;

	return posix_spawnp(&pid, program, NULL, NULL, arguments, environ) ? 127 : status_of(pid);
}

static int by_system(void)
{
	int status = system(program);

	return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

static int by_popen(void)
{
	FILE *stream = popen(program, "w");

	return stream ? WEXITSTATUS(pclose(stream)) : 127;
}

static const struct way {
	const char *name;
	int (*go)(void);
} ways[] = {
	{ "execve", by_execve },       { "execvp", by_execvp }, { "execl", by_execl },
	{ "execle", by_execle },       { "vfork", by_vfork },   { "posix_spawn", by_spawn },
	{ "posix_spawnp", by_spawnp }, { "system", by_system }, { "popen", by_popen },
};

static void *in_thread(void *way)
{
	int status;

	pmu_region_begin("thread");
	status = ((const struct way *)way)->go();
	printf("status %d, %s\n", status, status < 0 ? strerror(errno) : "no error");
	pmu_region_end("thread");
	return NULL;
}

/* By hand: setenv() compares each with all. */
static int add_variables(int n)
{
	char **more;
	int has = 0;

	while (environ[has])
		has++;
	more = malloc((size_t)(has + n + 1) * sizeof(*more));
	if (!more)
		return 0;
	memcpy(more, environ, (size_t)has * sizeof(*more));
	for (int i = 0; i < n; i++)
		if (asprintf(&more[has + i], "V%d=x", i) < 0)
			return 0;
	more[has + n] = NULL;
	environ = more;
	return 1;
}

int main(int argc, char **argv)
{
	pthread_attr_t small;
	pthread_t thread;
	size_t i = 0;

	if (argc != 4)
		return 99;
	program = argv[2];
	if (!add_variables(atoi(argv[3])))
		return 97;
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	while (i < sizeof(ways) / sizeof(ways[0]) && strcmp(ways[i].name, argv[1]) != 0)
		i++;
	if (i == sizeof(ways) / sizeof(ways[0]) || pthread_attr_init(&small) ||
	    pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN) ||
	    pthread_create(&thread, &small, in_thread, (void *)&ways[i]))
		return 98;
	pthread_join(thread, NULL);
	return 0;
}
