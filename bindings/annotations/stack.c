/* SPDX-License-Identifier: BSD-3-Clause */
/* What threads have open by annotations, and whether they are paused. */
#include "bindings/annotations/stack.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bindings/annotations/thread.h"
#include "pmu.h"

static bool paused;

void annotation_pause(const char *tool)
{
	char line[200];

	if (__atomic_exchange_n(&paused, true, __ATOMIC_RELAXED))
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
	__atomic_store_n(&paused, false, __ATOMIC_RELAXED);
}

static bool is_paused(void)
{
	return __builtin_expect(__atomic_load_n(&paused, __ATOMIC_RELAXED), 0);
}

/* --- the stack --- */

/* The innermost of a domain; NULL: none. */
static struct annotation_open *innermost(struct annotation_thread *self, const void *domain)
{
	for (uint32_t i = self->n_open; i > 0; i--)
		if (self->open[i - 1].domain == domain)
			return &self->open[i - 1];
	return NULL;
}

int annotation_push(const void *domain, const char *name)
{
	struct annotation_thread *self = annotation_thread();
	struct annotation_open *below, *own;
	uint32_t depth;

	if (!self)
		return 0;
	below = innermost(self, domain);
	depth = below ? below->depth + 1 : 0;
	if (self->n_open == ANNOTATION_DEPTH) {
		self->n_deeper++;
		return (int)depth;
	}
	/* what was not begun is not ended either */
	if (is_paused() || (name && pmu_region_begin(name)))
		name = NULL;
	own = &self->open[self->n_open++];
	own->domain = domain;
	own->name = name;
	own->depth = depth;
	return (int)depth;
}

int annotation_pop(const void *domain)
{
	struct annotation_thread *self = annotation_thread();
	struct annotation_open *own;
	const char *name;
	int depth;

	if (!self)
		return -1;
	own = innermost(self, domain);
	if (self->n_deeper) {
		self->n_deeper--;
		return own ? (int)own->depth : -1;
	}
	if (!own)
		return -1;
	name = own->name;
	depth = (int)own->depth;
	self->n_open--;
	if (__builtin_expect(own != &self->open[self->n_open], 0))
		memmove(own, own + 1, (size_t)(&self->open[self->n_open] - own) * sizeof(*own));
	if (name)
		(void)pmu_region_end(name);
	return depth;
}

/* --- ranges --- */

/*
 * A place's word is its range's generation, and whether it is open: who makes it odd has the place.
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

static struct range ranges[ANNOTATION_RANGES]; /* pages that are not used are never there */

/* The first generation is 1, so no number is 0; nor does any become this one. */
#define UNKNOWN_RANGE UINT64_MAX

static uint64_t take(uint32_t place)
{
	uint64_t word = __atomic_load_n(&ranges[place].word, __ATOMIC_RELAXED), now;

	if (word & OPEN)
		return 0;
	now = word + 3; /* the next generation, and open */
	/* acquire: after the stop that gave it back */
	if (!__atomic_compare_exchange_n(&ranges[place].word, &word, now, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return 0;
	return now >> 1 << PLACE_BITS | place;
}

uint64_t annotation_range_start(const char *name)
{
	struct annotation_thread *self = annotation_thread();
	uint32_t place = self ? self->range % ANNOTATION_RANGES : 0;
	uint64_t number = 0;

	for (int i = 0; i < TRIES && !(number = take(place)); i++)
		place = (place + 1) % ANNOTATION_RANGES;
	if (!number)
		return UNKNOWN_RANGE;
	if (self)
		self->range = place;
	if (is_paused() || (name && pmu_region_begin(name)))
		name = NULL;
	__atomic_store_n(&ranges[place].name, name, __ATOMIC_RELAXED);
	return number;
}

void annotation_range_stop(uint64_t number)
{
	struct annotation_thread *self = annotation_thread();
	uint32_t place = (uint32_t)(number % ANNOTATION_RANGES);
	uint64_t word = (number >> PLACE_BITS << 1) | OPEN;
	const char *name = __atomic_load_n(&ranges[place].name, __ATOMIC_RELAXED);

	/* release: what was read of it is read; numbers that were never given out find nothing */
	if (!__atomic_compare_exchange_n(&ranges[place].word, &word, word - OPEN, false,
					 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return;
	if (self)
		self->range = place;
	if (name)
		(void)pmu_region_end(name);
}
