/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that use regions in every way, to be run while system calls fail: what they print and how they
 * end must not depend on it.  Their own output is one system call of their own.
 */
#include <pmu.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS 7
#define CALLS  5

static void nest(const char *outer, const char *inner)
{
	for (int i = 0; i < CALLS; i++) {
		pmu_region_begin(outer);
		pmu_region_begin(inner);
		pmu_region_end(inner);
		pmu_region_end(outer);
	}
}

static void *nest_on_a_thread(void *name)
{
	nest(name, "inner");
	return NULL;
}

/* Where no thread can be had, the program does its work itself. */
static void on_threads(void *(*work)(void *), void *arg)
{
	pthread_t thread[3];
	bool started[3];

	for (int i = 0; i < 3; i++) {
		started[i] = pthread_create(&thread[i], NULL, work, arg) == 0;
		if (!started[i])
			work(arg);
	}
	for (int i = 0; i < 3; i++)
		if (started[i])
			pthread_join(thread[i], NULL);
}

static void threads(void)
{
	char name[] = "threads";

	nest("first", "inner");
	on_threads(nest_on_a_thread, name);
}

static void children(void)
{
	int status = 0;
	pid_t pid;

	nest("parent", "inner");
	pmu_region_begin("around");
	pid = fork();
	if (pid == 0) {
		nest("child", "inner");
		pmu_region_end("around");
		exit(3);
	}
	if (pid > 0 && (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3))
		exit(1);
	pmu_region_end("around");
}

static pmu_context_t context;

static void *work_for_it(void *unused)
{
	(void)unused;
	pmu_context_enter(context);
	nest("piece", "inner");
	pmu_context_leave();
	return NULL;
}

static void contexts(void)
{
	pmu_region_begin("whole");
	context = pmu_context_get();
	on_threads(work_for_it, NULL);
	pmu_region_end("whole");
}

static void names(void)
{
	char name[40];

	for (int i = 0; i < 6000; i++) {
		snprintf(name, sizeof(name), "a region with number %d", i);
		pmu_region_begin(name);
		pmu_region_end(name);
	}
}

static void checkpoints(void)
{
	pmu_region_begin("long");
	nest("before", "inner");
	pmu_checkpoint(PMU_NEXT_GOES_ON);
	nest("after", "inner");
	pmu_region_end("long");
	pmu_region_reset("before");
	nest("before", "inner");
}

static void sessions(void)
{
	nest("one", "inner");
	pmu_fini();
	pmu_init(NULL);
	nest("two", "inner");
}

static void groups(void)
{
	nest("first", "inner");
	pmu_group_next();
	nest("second", "inner");
	pmu_group_next();
	nest("first", "inner");
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "threads", threads }, { "children", children },       { "contexts", contexts },
	{ "names", names },     { "checkpoints", checkpoints }, { "sessions", sessions },
	{ "groups", groups },
};

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (strcmp(modes[i].name, mode) != 0)
			continue;
		modes[i].run();
		if (syscall(SYS_write, STDOUT_FILENO, "done\n", 5) != 5)
			return 1;
		return STATUS;
	}
	return 2;
}
