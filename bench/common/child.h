/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs this program again with other settings: a process has one source of counts. */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#define CHILD_ARGUMENTS 12

/** This program once more, in an environment of its own. */
struct child {
	const char *const *tool; /* what runs it: words that end with NULL, or NULL */
	/* "PMU_X=y" words that end with NULL; no other PMU_ stays, but where registers are */
	const char *const *settings;
	const char *argument[CHILD_ARGUMENTS]; /* after --child */
	char *out, *err;                       /* result: what it wrote; for child_free() */
	char why[200];                         /* result: why it failed */
};

/** child_run() - Return: 0, or -1 where it could not be started or failed: why says it. */
int child_run(struct child *child);
void child_free(struct child *child);

/** environment_drop() - no variable of which @is_unwanted stays; it gets "NAME=VALUE" */
void environment_drop(bool (*is_unwanted)(const char *variable));

/**
 * child_environment() - for a process that was forked: PMU_ variables as in @settings, and no
 * others
 */
void child_environment(const char *const *settings);

/** What a child can be asked for. */
struct child_task {
	const char *name;
	int (*run)(char **argument); /* the words behind the name; Return: the exit status */
};

/**
 * child_main() - behind --child: do what @argument says.  Return: the exit status; 2 where there is
 * no such task.
 */
int child_main(const struct child_task *tasks, size_t n_tasks, char **argument);

/** resident_kib() - memory that this process has, of any kind.  Negative: unknown. */
double resident_kib(void);

#endif
