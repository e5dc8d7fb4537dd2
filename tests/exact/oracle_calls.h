/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call of the library's means for the regions of its thread. */
#ifndef PMU_TESTS_EXACT_ORACLE_CALLS_H
#define PMU_TESTS_EXACT_ORACLE_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "oracle_regions.h"
#include "oracle_space.h"

/** A call that was made and has not returned. */
struct call {
	int function;
	uint64_t argument;
	char *name;  /* NULL: none, or none that can be read */
	uint64_t at; /* of its thread's instructions */
};

/** calls_find() - which function starts at @address.  Return: for calls_enter(), or as space_function() */
int calls_find(struct space *space, uint64_t address);

/** CALL_INSIDE - for calls_enter(): a function that is not exported: no region knows of it */
#define CALL_INSIDE FUNCTION_NONE

/**
 * calls_of_idle() - what matters where no region is open: the functions that open one, or reset what was counted
 * @address: where each that the program names starts in @space; 0: nowhere
 * Return: there are no more.
 */
#define N_CALLS_OF_IDLE 4
bool calls_of_idle(const struct space *space, uint64_t address[N_CALLS_OF_IDLE]);

/** calls_is_counted() - is what the function does in the regions that are open? */
bool calls_is_counted(int function);

/**
 * calls_enter() - it is called
 * @by_program: by the program, which has the instructions for arguments and call
 */
void calls_enter(struct call *call, int function, pid_t tid, const uint64_t argument[2],
		 struct regions *regions, bool by_program);

/** calls_return() - it has returned @value */
void calls_return(struct call *call, uint64_t value, struct regions *regions);

#endif
