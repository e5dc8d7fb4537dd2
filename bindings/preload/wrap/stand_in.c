/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of functions that stand in for others without being exported. */
#include "bindings/preload/wrap/stand_in.h"

#include <string.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/wrap/list.h"

/* What valgrind's tools preload, and call while they create a thread. */
#define VALGRINDS "vgpreload_"

static const struct wrap_stand_in *stand_ins;
static size_t n_stand_ins;

void wrap_stand_in(const struct wrap_stand_in *table, size_t n)
{
	stand_ins = table;
	n_stand_ins = n;
}

bool wrap_has_stand_ins(void)
{
	return n_stand_ins > 0;
}

const struct wrap_stand_in *wrap_stand_in_find(const char *name)
{
	for (size_t i = 0; i < n_stand_ins; i++)
		if (!strcmp(name, stand_ins[i].name))
			return &stand_ins[i];
	return NULL;
}

bool wrap_is_allocator(const struct plt_object *object)
{
	return plt_object_definitions(object, "malloc", NULL) > 0;
}

bool wrap_stands_in(const struct plt_object *object)
{
	static const char *const runtimes[] = { "libgomp", "libomp", "libiomp5" };

	for (size_t i = 0; i < PRELOAD_ARRAY_LEN(runtimes); i++)
		if (wrap_starts(runtimes[i], object->name))
			return false;
	return n_stand_ins && strncmp(object->name, VALGRINDS, strlen(VALGRINDS)) != 0 &&
	       !wrap_is_allocator(object);
}
