/* SPDX-License-Identifier: BSD-3-Clause */
/* The contenders' processes, as bench/compare has them: started, asked, ended. */
#ifndef BENCH_WORKERS_H
#define BENCH_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct worker {
	pid_t pid; /* 0: it does not run */
	int to, from, err;
	char version[40]; /* of its library, "" where it has none */
	char why[300];    /* it does not run, or could not answer */
};

/**
 * worker_start() - in an environment without the settings of any of the libraries
 * @program: its file's name, beside this program's
 * @what: it is to count, as worker.c has it
 *
 * Return: whether it is ready; else why.
 */
bool worker_start(struct worker *worker, const char *program, const char *what);

/**
 * worker_ask() - one line to it, and one back
 * @question: without the newline
 * @answer: result, likewise
 *
 * Return: whether it answered; else why, and where it did not even say so, it has ended.
 */
bool worker_ask(struct worker *worker, const char *question, char *answer, size_t size);

/** worker_end() - nothing where it does not run */
void worker_end(struct worker *worker);

#endif
