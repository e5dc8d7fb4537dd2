/* SPDX-License-Identifier: BSD-3-Clause */
/* Which stores are of programs that run. */
#ifndef PMU_COMMAND_TOP_FIND_H
#define PMU_COMMAND_TOP_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** What is looked for. */
struct pmu_top_wanted {
	pid_t pid; /* this process's, also in a container; 0: all of this user's */
	pid_t run; /* what this `pmu run` has started; 0: whatever has */
};

/** Paths, each for itself. */
struct pmu_top_paths {
	char **path;
	size_t n, room;
};

/**
 * pmu_top_find() - the stores of programs that run, by no more than reading
 * @paths: all zero; for pmu_top_paths_free()
 * Return: 0 or -ENOMEM.
 */
int pmu_top_find(const struct pmu_top_wanted *wanted, struct pmu_top_paths *paths);
void pmu_top_paths_free(struct pmu_top_paths *paths);

/**
 * pmu_top_mapped() - the store that a line of /proc/PID/maps speaks of
 * @line: without its newline; changed
 * Return: its path as that process has it, in @line; NULL: none.
 */
char *pmu_top_mapped(char *line);

#endif
