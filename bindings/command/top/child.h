/* SPDX-License-Identifier: BSD-3-Clause */
/* The command that `pmu top COMMAND` watches: a `pmu run` of its own. */
#ifndef PMU_COMMAND_TOP_CHILD_H
#define PMU_COMMAND_TOP_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct pmu_top_child {
	pid_t pid;  /* of `pmu run`; 0: none */
	int output; /* a file that has what is printed meanwhile; -1: it goes where ours goes */
	bool has_ended;
	int status; /* as of wait(2) */
};

/**
 * pmu_top_child_start() - `pmu run OPTION... -- COMMAND...`
 * @options: ends with NULL
 * @aside: keep what it prints, for the screen is taken; else it goes to standard error
 * Return: 0; a negative errno with a sentence.
 */
int pmu_top_child_start(const char *const *options, char **command, bool aside,
			struct pmu_top_child *child);

/** pmu_top_child_look() - has it ended? */
bool pmu_top_child_look(struct pmu_top_child *child);

/**
 * pmu_top_child_finish() - wait for its end, and print what was kept
 * Return: the command's exit status, as a shell has it.
 */
int pmu_top_child_finish(struct pmu_top_child *child);

#endif
