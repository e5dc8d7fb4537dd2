/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work of so many instructions at user level, between two words: for what counts it from outside.
 *
 *   counted TURNS THREADS    2 TURNS instructions in each of the threads, one after another begun when the first
 *	byte comes on standard input, and what these take beside, the same whatever TURNS is
 *
 * Says "ready" and waits for a byte, works, says "done" and waits for the end of standard input.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t turns;

static void *work(void *unused)
{
	uint64_t n = turns;

	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
	return unused;
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

	turns = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	say("ready\n", 6);
	if (read(STDIN_FILENO, &byte, 1) != 1)
		return 1;
	/* the first of them brings what is done once: a stack that the next ones take up again */
	for (int i = 0; i < n_threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	if (!n_threads)
		work(NULL);
	say("done\n", 5);
	while (read(STDIN_FILENO, &byte, 1) == 1)
		;
	return 0;
}
