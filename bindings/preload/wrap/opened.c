/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlopen(): what it brings calls wrapped functions, too.
 *
 * It searches as the object that calls it says (DT_RUNPATH, DT_RPATH), and it knows that object by
 * where it will return.  So the function that stands in for it jumps (trampoline_*.S): to dlopen()
 * itself where the caller matters, and then what was loaded is looked at when something else is,
 * else to one that calls it.  dlmopen() is left alone: in other name spaces there is nothing of
 * ours.  So is dlsym(): its answer depends on the caller still more.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/markers/both.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/symbols/plt.h"
#include "bindings/preload/wrap/trampoline.h"

typedef void *open_function(const char *file, int mode);

static struct preload_behind behind[] = { { "dlopen", NULL } };

__attribute__((constructor(101))) static void find_behind(void)
{
	preload_behind_find(behind, PRELOAD_ARRAY_LEN(behind));
}

static void *open_and_look(const char *file, int mode)
{
	void *object = ((open_function *)preload_behind(behind))(file, mode);

	if (object)
		preload_wrap_loaded();
	return object;
}

/* For a libc without the function, which no program can have linked against. */
static void *cannot_open(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

struct paths {
	uintptr_t caller;
	size_t n;
	bool any_rpath, callers_runpath;
};

static int find_paths(struct dl_phdr_info *info, size_t size, void *data)
{
	struct paths *paths = data;
	struct plt_object object;
	unsigned int has;

	(void)size;
	if (plt_object_read(info, &object)) {
		has = plt_object_paths(&object);
		/* the program's own is searched for every caller */
		paths->any_rpath |= (has & PLT_RPATH) &&
				    (paths->n || plt_info_has(info, paths->caller, 1, 0));
		paths->callers_runpath |= (has & PLT_RUNPATH) &&
					  plt_info_has(info, paths->caller, 1, 0);
	}
	paths->n++;
	return 0;
}

/*
 * dl_load.c of glibc: a name without '/' is searched for; "$ORIGIN" is the caller's; RPATHs are
 * handed down.
 */
static bool caller_matters(const char *file, const void *caller)
{
	struct paths paths = { .caller = (uintptr_t)caller };

	if (strchr(file, '$'))
		return true;
	dl_iterate_phdr(find_paths, &paths);
	return paths.any_rpath || (paths.callers_runpath && !strchr(file, '/'));
}

void *trampoline_dlopen_by(const char *file, int mode, const void *caller)
{
	void *next = preload_behind(behind);

	if (unlikely(!next))
		return (void *)(uintptr_t)cannot_open;
	__atomic_fetch_add(&preload_other_loads, 1, __ATOMIC_RELAXED);
	if (!preload_wrap_active() || !file || mode & RTLD_NOLOAD || caller_matters(file, caller))
		return next;
	return (void *)(uintptr_t)open_and_look;
}
