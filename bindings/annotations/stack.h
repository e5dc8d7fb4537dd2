/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is begun by annotations whose end does not say the name: a stack for each thread, and ranges
 * that are named by a number.
 */
#ifndef PMU_ANNOTATIONS_STACK_H
#define PMU_ANNOTATIONS_STACK_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/**
 * annotation_push() - begin a region on the calling thread, and remember it
 * @domain: any pointer, compared only
 * @name: of annotation_name(); NULL: nothing is begun, and its pop is expected all the same
 *
 * Beyond ANNOTATION_DEPTH nothing is begun, and pops are expected all the same.
 *
 * Return: how many this thread had open in @domain before.
 */
int annotation_push(const void *domain, const char *name);

/**
 * annotation_pop() - end the innermost that the calling thread has open in a domain
 *
 * Others' that are open above it stay.
 * Return: how many of the domain are open around it; -1 where there was none.
 */
int annotation_pop(const void *domain);

/**
 * annotation_range_start() - begin a region on the calling thread that may overlap with others
 *
 * Return: its number, in this process no other's that is open; never 0.  Beyond ANNOTATION_RANGES
 * nothing is begun, and the number is one that no stop ends.
 */
uint64_t annotation_range_start(const char *name);
#define ANNOTATION_RANGES 65536

/**
 * annotation_range_stop() - end it, on the calling thread
 *
 * On another thread than it was begun on it is no region of that one's: the report then has it
 * among the doubts.
 */
void annotation_range_stop(uint64_t range);

/**
 * annotation_pause(), annotation_resume() - the whole process's: what is begun meanwhile is no region
 * @tool: for the line in the report that says so
 *
 * What was begun before goes on, and ends as it would.
 */
void annotation_pause(const char *tool);
void annotation_resume(void);

#pragma GCC visibility pop

#endif
