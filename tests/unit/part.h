/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tests of one file, as a part of its folder's program: to link a program for each file takes longer than to run them.
 * main.c runs each part in a process of its own.
 */
#ifndef PMU_TESTS_UNIT_PART_H
#define PMU_TESTS_UNIT_PART_H

#include "tap.h"

struct unit_part {
	const char *name;
	int (*run)(struct tap *tap);
	struct unit_part *next;
};

/** unit_add() - @part is one of this program's; before main */
void unit_add(struct unit_part *part);

/** UNIT_PART() - main() of the part @of, which returns done_testing() or skip_all() */
#define UNIT_PART(of)                                                   \
	static int of##_part(void);                                     \
	static int of##_run(struct tap *shared)                         \
	{                                                               \
		tap = shared;                                           \
		return of##_part();                                     \
	}                                                               \
	__attribute__((constructor)) static void of##_add(void)         \
	{                                                               \
		static struct unit_part part = { #of, of##_run, NULL }; \
                                                                        \
		unit_add(&part);                                        \
	}                                                               \
	static int of##_part(void)

#endif
