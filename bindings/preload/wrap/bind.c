/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up functions as the loader does (glibc: _dl_lookup_symbol_x(), check_match()). */
#include "bindings/preload/wrap/bind.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>

#include "bindings/preload/symbols/plt.h"

struct definition {
	const char *name;
	/* where it is defined first, and first in the version that is asked for */
	uintptr_t any, exact;
	bool same_object, unversioned;
	/* the program's own stub for it, which stands for its address in all pointers */
	bool is_plt;
	size_t n;
	char path[1024]; /* of the first library that defines it; one that is cut leads nowhere */
};

static int judge(struct dl_phdr_info *info, size_t size, void *data)
{
	struct definition *definition = data;
	bool is_program = definition->n++ == 0, read;
	struct plt_object object;

	(void)size;
	read = plt_object_read(info, &object);
	if (definition->is_plt) {
		if (!read || !plt_object_definitions(&object, definition->name, NULL))
			return 0;
		snprintf(definition->path, sizeof(definition->path), "%s", info->dlpi_name);
		return 1;
	}
	if (!plt_info_has(info, definition->any, 1, 0))
		return 0;
	definition->same_object = plt_info_has(info, definition->exact, 1, 0);
	if (!read || plt_object_definitions(&object, definition->name, &definition->unversioned) ||
	    !is_program)
		return 1;
	definition->is_plt = true;
	return 0;
}

static uintptr_t look_up_exactly(const struct candidate *candidate, void *where)
{
	return (uintptr_t)(candidate->version ? dlvsym(where, candidate->name, candidate->version)
					      : dlsym(where, candidate->name));
}

static uintptr_t look_up_in(const struct candidate *candidate, const char *path,
			    uintptr_t (*how)(const struct candidate *candidate, void *where))
{
	void *object = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	uintptr_t found;

	if (!object)
		return 0;
	found = how(candidate, object);
	dlclose(object);
	return found;
}

/*
 * What the loader takes is the first definition in the right version or without any, as of those
 * that stand in for a function of libc.  dlsym() knows of no version, dlvsym() of nothing without.
 */
static uintptr_t look_up(const struct candidate *candidate, void *where)
{
	struct definition definition = { .name = candidate->name,
					 .any = (uintptr_t)dlsym(where, candidate->name) };

	if (candidate->version)
		definition.exact = (uintptr_t)dlvsym(where, candidate->name, candidate->version);
	if (!definition.any)
		return definition.exact;
	dl_iterate_phdr(judge, &definition);
	if (definition.is_plt)
		return look_up_in(candidate, definition.path, look_up_exactly);
	if (!definition.exact || (definition.unversioned && !definition.same_object))
		return definition.any;
	return definition.exact;
}

uintptr_t wrap_bind(const struct candidate *candidate)
{
	uintptr_t found = look_up(candidate, RTLD_DEFAULT);

	return found || !candidate->object || !*candidate->object
		       ? found
		       : look_up_in(candidate, candidate->object, look_up);
}
