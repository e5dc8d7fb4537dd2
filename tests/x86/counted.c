/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work of so many instructions at user level, between two words: for what counts it from outside.
 *
 *   counted TURNS THREADS    2 TURNS instructions in each of the threads, one begun after the other, the first when the
 *	first byte comes on standard input, and what these take beside, the same whatever TURNS is
 *
 * Says "ready" and waits for a byte, works, says "done" and waits for the end of standard input.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 64

static uint64_t turns;

static void do_turns(void)
{
	uint64_t n = turns;

	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

/*
 * Says that it is done and stays, in one system call, a byte more than a pipe takes: how many instructions a join is, and what
 * a thread that ends does, depends on which of both is faster.
 */
static void *work(void *into)
{
	static char full[1 << 20];

	do_turns();
	if (write(*(int *)into, full, sizeof(full)) < 0)
		abort();
	return NULL;
}

/* No function of stdio: what these do depends on what is in their buffers. */
static void say(const char *word, size_t len)
{
	if (write(STDOUT_FILENO, word, len) != (ssize_t)len)
		abort();
}

int main(int argc, char **argv)
{
	int n_threads = argc > 2 ? atoi(argv[2]) : 1;
	char byte;

	if (n_threads > MAX_THREADS)
		return 1;
	turns = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	say("ready\n", 6);
	if (read(STDIN_FILENO, &byte, 1) != 1)
		return 1;
	for (int i = 0; i < n_threads; i++) {
		static int pipes[MAX_THREADS][2];
		pthread_t thread;

		if (pipe(pipes[i]) || pthread_create(&thread, NULL, work, &pipes[i][1]) ||
		    read(pipes[i][0], &byte, 1) != 1)
			return 1;
	}
	if (!n_threads)
		do_turns();
	say("done\n", 5);
	while (read(STDIN_FILENO, &byte, 1) == 1)
		;
	return 0;
}
