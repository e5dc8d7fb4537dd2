/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is begun by annotations that end without a name: a stack for each thread, and ranges with
 * numbers.
 */
#ifndef PMU_ANNOTATIONS_STACK_H
#define PMU_ANNOTATIONS_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bindings/annotations/aside.h"
#include "bindings/annotations/thread.h"
#include "pmu.h"

#pragma GCC visibility push(hidden)

/* --- stack.c's, for what is inline below --- */

extern bool annotation_paused;
int annotation_push_rarely(const void *domain, const char *name);
int annotation_pop_rarely(const void *domain);

/**
 * annotation_push() - begin a region on the calling thread, and remember it
 * @domain: any pointer but NULL, compared only
 * @name: of annotation_name(); NULL: nothing is begun, and its pop is expected all the same
 *
 * Beyond ANNOTATION_DEPTH nothing is begun, and pops are expected all the same.
 *
 * Return: how many this thread had open in @domain before.
 */
static inline int annotation_push(const void *domain, const char *name)
{
	struct annotation_thread *self = annotation_own;
	struct annotation_open *own;
	int depth;

	if (!annotation_likely(self && name && self->top != &self->open[ANNOTATION_DEPTH] &&
			       !__atomic_load_n(&annotation_paused, __ATOMIC_RELAXED)))
		return annotation_push_rarely(domain, name);
	if (self->top == self->open)
		depth = 0;
	else if (annotation_likely(self->top->domain == domain))
		depth = self->top->depth + 1;
	else
		return annotation_push_rarely(domain, name);
	own = ++self->top;
	own->domain = domain;
	own->name = name;
	own->depth = depth;
	/* last, for what comes after it is counted in the region; where it fails its end will, as by hand */
	(void)aside.begin(name);
	return depth;
}

/**
 * annotation_pop() - end the innermost that the calling thread has open in a domain
 *
 * Others' that are open above it stay.
 * Return: how many of the domain are open around it; -1 where there was none.
 */
static inline int annotation_pop(const void *domain)
{
	struct annotation_thread *self = annotation_own;
	struct annotation_open *own;
	int depth;

	if (!annotation_likely(self && self->top->domain == domain && !self->n_deeper &&
			       self->top->name))
		return annotation_pop_rarely(domain);
	own = self->top;
	depth = own->depth;
	self->top = own - 1;
	(void)aside.end(own->name);
	return depth;
}

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
