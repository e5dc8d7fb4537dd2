/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that knows nothing of libpmu: its first argument says what it does.  "watch" runs
 * another one and prints how it ended.
 */
#include "preloaded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

char **words;
int number;

void work(void)
{
	volatile unsigned int sum = 0;

	for (unsigned int i = 0; i < 100000; i++)
		sum = sum + i;
}

void *work_in_thread(void *arg)
{
	work();
	return arg;
}

/*
 * The rest of the words are a command; what TEST_PRELOAD names is loaded into it, and not into this
 * one.
 */
static int watch(void)
{
	const char *preload = getenv("TEST_PRELOAD");
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (preload)
			setenv("LD_PRELOAD", preload, 1);
		execvp(words[0], words);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	if (WIFSIGNALED(status))
		printf("signal %d%s\n", WTERMSIG(status), WCOREDUMP(status) ? " core" : "");
	else
		printf("exit %d\n", WEXITSTATUS(status));
	return 0;
}

static const struct deed deeds_here[] = {
	{ "watch", watch },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	static const struct deed *const all[] = { deeds_here, deeds_ends, deeds_processes,
						  deeds_threads, deeds_signals };

	if (errno)
		return 99;
	words = argv + 2;
	number = argc > 2 ? atoi(argv[2]) : 0;
	for (size_t i = 0; argc > 1 && i < sizeof(all) / sizeof(*all); i++)
		for (const struct deed *deed = all[i]; deed->name; deed++)
			if (!strcmp(deed->name, argv[1]))
				return deed->run();
	fprintf(stderr, "%s: there is no such deed\n", argc > 1 ? argv[1] : "");
	return 98;
}
