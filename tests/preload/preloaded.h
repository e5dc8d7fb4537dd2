/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that knows nothing of libpmu: what its parts share. */
#ifndef PMU_TESTS_PRELOADED_H
#define PMU_TESTS_PRELOADED_H

/** What the program is asked to do. */
struct deed {
	const char *name;
	int (*run)(void); /* returns the program's status */
};

extern const struct deed deeds_ends[], deeds_processes[], deeds_threads[], deeds_signals[];

/** What follows the first argument, and the first of these as a number. */
extern char **words;
extern int number;

/** work() - so that each region has a time. */
void work(void);
void *work_in_thread(void *arg);

#endif
