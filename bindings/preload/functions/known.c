/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gets to know instrumented functions: by name, wanted or not, and again when objects come and go.
 */
#include "bindings/preload/functions/known.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/preload/functions/filter.h"
#include "bindings/preload/keep.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/symbols/symbols.h"

#define FIRST_SHIFT 54u /* 1,024 slots */

struct preload_table *preload_table;

/* All under preload_lock(); the table is read without it too. */
static struct {
	size_t n_functions;
	const char *patterns;
	bool patterns_read;
} known;

/* --- patterns --- */

/* Once: a program may change its environment. */
static bool read_patterns(void)
{
	const char *text;

	if (!preload_lock())
		return false;
	text = known.patterns_read ? NULL : getenv("PMU_FUNCTIONS");
	if (text && *text)
		known.patterns = preload_keep_text(text, strlen(text));
	known.patterns_read = true;
	preload_unlock();
	return true;
}

const char *preload_patterns(void)
{
	return known.patterns;
}

/* --- the table --- */

static struct preload_slot *slot_for(struct preload_table *table, const void *code)
{
	size_t i = preload_slot_of(table, code);

	while (table->slot[i].code && table->slot[i].code != code)
		i = (i + 1) & table->mask;
	return &table->slot[i];
}

/* Readers may still be in the old one: it stays. */
static struct preload_table *grown(struct preload_table *old)
{
	unsigned int shift = old ? old->shift - 1 : FIRST_SHIFT;
	size_t room = (size_t)1 << (64 - shift);
	struct preload_table *table = preload_keep(sizeof(*table) + room * sizeof(*table->slot));

	if (!table)
		return NULL;
	table->shift = shift;
	table->mask = room - 1;
	for (size_t i = 0; old && i < room / 2; i++)
		if (old->slot[i].code)
			*slot_for(table, old->slot[i].code) = old->slot[i];
	__atomic_store_n(&preload_table, table, __ATOMIC_RELEASE);
	return table;
}

static bool enter_into_table(const void *code, struct preload_function *function)
{
	struct preload_table *table = preload_table;
	struct preload_slot *slot;

	if (!table || 2 * (known.n_functions + 1) > table->mask + 1)
		table = grown(table);
	if (!table)
		return false;
	slot = slot_for(table, code);
	__atomic_store_n(&slot->function, function, __ATOMIC_RELEASE);
	if (!slot->code) {
		known.n_functions++;
		__atomic_store_n(&slot->code, code, __ATOMIC_RELEASE);
	}
	return true;
}

/* --- functions --- */

static struct preload_function *new_function(const void *code, const struct preload_place *place,
					     struct preload_name *name, struct preload_seen seen)
{
	struct preload_function *function = preload_keep(sizeof(*function));

	if (!function || !name)
		return NULL;
	function->start = place->start;
	function->size = place->size;
	function->name = name;
	function->seen = seen;
	function->seen.object = place->object;
	/* main is a region already, that of the whole program */
	if (name->is_wanted && !(preload_is_main(code) && preload_on(PRELOAD_MAIN)))
		function->text = name->text;
	return enter_into_table(code, function) ? function : NULL;
}

struct preload_function *preload_get_to_know(const void *code)
{
	struct preload_seen seen = preload_seen_now();
	struct preload_function *function = preload_known(code);
	struct preload_place place;
	struct preload_name *name;
	bool is_wanted;

	if (function && function->seen.object && preload_seen_again(&function->seen, code))
		return function;
	if (!read_patterns() || preload_place_find(code, &place) < 0)
		return NULL;
	is_wanted = preload_filter_wants(known.patterns, place.name);
	if (!preload_lock())
		return NULL;
	function = preload_known(code);
	name = preload_name_of(place.name, is_wanted);
	/* another thread may have been faster */
	if (!function || function->seen.object != place.object || function->name != name)
		function = new_function(code, &place, name, seen);
	else
		__atomic_store_n(&function->seen.unloads, seen.unloads, __ATOMIC_RELAXED);
	preload_unlock();
	return function;
}
