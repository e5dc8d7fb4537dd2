/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that an object takes from others. */
#include "bindings/preload/symbols/imports.h"

#include <link.h>
#include <string.h>

#include "bindings/preload/symbols/plt.h"

struct search {
	uintptr_t code;
	const char *name;
	uintptr_t function; /* 0: only look */
	struct preload_mapping mapping;
	unsigned int n_found, n_set;
};

static void look_at_slot(const struct plt_object *object, const struct plt_slot *slot, void *data)
{
	struct search *search = data;

	if (strcmp(slot->name, search->name) != 0)
		return;
	search->n_found++;
	if (search->function &&
	    !plt_slot_write(object->info, slot->at, search->function, &search->mapping))
		search->n_set++;
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	struct plt_object object;

	(void)size;
	if (!plt_info_has(info, search->code, 1, PF_X))
		return 0;
	if (plt_object_read(info, &object))
		plt_object_slots(&object, look_at_slot, search);
	return 1;
}

bool preload_imports(const void *code, const char *name)
{
	struct search search = { .code = (uintptr_t)code, .name = name };

	dl_iterate_phdr(look_at_object, &search);
	return search.n_found > 0;
}

bool preload_import_instead(const void *code, const char *name, void *function)
{
	struct search search = { .code = (uintptr_t)code,
				 .name = name,
				 .function = (uintptr_t)function };

	dl_iterate_phdr(look_at_object, &search);
	return search.n_found > 0 && search.n_set == search.n_found;
}
