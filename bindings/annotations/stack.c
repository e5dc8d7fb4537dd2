/* SPDX-License-Identifier: BSD-3-Clause */
/* What threads have open by annotations, and whether they are paused. */
#include "bindings/annotations/stack.h"
#include "bindings/annotations/aside.h"

#include <stdio.h>
#include <string.h>

#include "bindings/preload/keep.h"
#include "pmu.h"

bool annotation_paused;

void annotation_pause(const char *tool)
{
	char line[200];

	if (__atomic_exchange_n(&annotation_paused, true, __ATOMIC_RELAXED))
		return;
	snprintf(
		line, sizeof(line),
		"the program pauses measuring (%s): what its annotations begin meanwhile is no region, "
		"what was begun before goes on",
		tool);
	(void)pmu_note(line);
}

void annotation_resume(void)
{
	__atomic_store_n(&annotation_paused, false, __ATOMIC_RELAXED);
}

static bool is_paused(void)
{
	return __builtin_expect(__atomic_load_n(&annotation_paused, __ATOMIC_RELAXED), 0);
}

/* --- the stack --- */

/* The innermost of a domain; NULL: none. */
static struct annotation_open *innermost(struct annotation_thread *self, const void *domain)
{
	for (struct annotation_open *own = self->top; own != self->open; own--)
		if (own->domain == domain)
			return own;
	return NULL;
}

/* How many of a domain are open. */
static int depth_in(struct annotation_thread *self, const void *domain)
{
	const struct annotation_open *below = innermost(self, domain);

	return below ? below->depth + 1 : 0;
}

int annotation_push_rarely(const void *domain, const char *name)
{
	struct annotation_thread *self = annotation_thread();
	struct annotation_open *own;
	int depth;

	if (!self)
		return 0;
	depth = depth_in(self, domain);
	if (self->top == &self->open[ANNOTATION_DEPTH]) {
		self->n_deeper++;
		return depth;
	}
	own = self->top + 1;
	own->domain = domain;
	own->name = is_paused() ? NULL : name;
	own->depth = depth;
	self->top = own;
	if (own->name)
		(void)aside.begin(name);
	return depth;
}

int annotation_pop_rarely(const void *domain)
{
	struct annotation_thread *self = annotation_thread();
	struct annotation_open *own = self ? innermost(self, domain) : NULL;
	const char *name;
	int depth;

	if (!own)
		return -1;
	depth = own->depth;
	if (self->n_deeper) {
		self->n_deeper--;
		return depth;
	}
	name = own->name;
	memmove(own, own + 1, (size_t)(self->top - own) * sizeof(*own));
	self->top--;
	if (name)
		(void)aside.end(name);
	return depth;
}

/* --- ranges --- */

/*
 * A place's word is its range's generation, and whether it is open: the thread that makes it odd
 * has the place.
 * The number of a range is its generation and, in the lower bits, its place.
 */
struct range {
	uint64_t word;
	const char *name;
};
#define OPEN       1u
#define PLACE_BITS 16
#define TRIES      1024 /* places looked at before it counts as full */
_Static_assert(ANNOTATION_RANGES == 1 << PLACE_BITS, "a number has room for its place");

/* Of the first use on, so that it is no memory of programs that have none; pages are there once they are used. */
static struct range *ranges;

static struct range *make_ranges(void)
{
	const size_t size = ANNOTATION_RANGES * sizeof(*ranges);
	struct range *made = preload_map(size), *there = NULL;

	if (!made)
		return NULL;
	if (__atomic_compare_exchange_n(&ranges, &there, made, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return made;
	preload_unmap(made, size);
	return there;
}

static struct range *all_ranges(void)
{
	struct range *there = __atomic_load_n(&ranges, __ATOMIC_ACQUIRE);

	return annotation_likely(there) ? there : make_ranges();
}

/* The first generation is 1, so no number is 0; nor does any become this one. */
#define UNKNOWN_RANGE UINT64_MAX

static uint64_t take(struct range *all, uint32_t place)
{
	uint64_t word = __atomic_load_n(&all[place].word, __ATOMIC_RELAXED), now;

	if (word & OPEN)
		return 0;
	now = word + 3; /* the next generation, and open */
	/* acquire: after the stop that gave it back */
	if (!__atomic_compare_exchange_n(&all[place].word, &word, now, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return 0;
	return now >> 1 << PLACE_BITS | place;
}

uint64_t annotation_range_start(const char *name)
{
	struct annotation_thread *self = annotation_thread();
	uint32_t place = self ? self->range % ANNOTATION_RANGES : 0;
	struct range *all = all_ranges();
	uint64_t number = 0;

	for (int i = 0; all && i < TRIES && !(number = take(all, place)); i++)
		place = (place + 1) % ANNOTATION_RANGES;
	if (!number)
		return UNKNOWN_RANGE;
	if (self)
		self->range = place;
	if (is_paused())
		name = NULL;
	__atomic_store_n(&all[place].name, name, __ATOMIC_RELAXED);
	if (name)
		(void)aside.begin(name);
	return number;
}

void annotation_range_stop(uint64_t number)
{
	struct annotation_thread *self = annotation_thread();
	uint32_t place = (uint32_t)(number % ANNOTATION_RANGES);
	uint64_t word = (number >> PLACE_BITS << 1) | OPEN;
	struct range *all = __atomic_load_n(&ranges, __ATOMIC_ACQUIRE);
	const char *name;

	if (!all)
		return;
	name = __atomic_load_n(&all[place].name, __ATOMIC_RELAXED);
	/* release: what was read of it is read; numbers that were never given out find nothing */
	if (!__atomic_compare_exchange_n(&all[place].word, &word, word - OPEN, false,
					 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return;
	if (self)
		self->range = place;
	if (name)
		(void)aside.end(name);
}
