/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the libraries that ours stand in for. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>

#include "bindings/preload/markers/both.h"

unsigned long preload_other_loads;
__thread const void *preload_other_in;

/*
 * Of an object that dlopen() has brought, with the library as its own.  It stays loaded: its
 * function is kept.
 */
static void *find_from(const char *name, const void *caller)
{
	struct link_map *object = NULL;
	void *handle, *function;
	Dl_info where, own;

	if (!dladdr1(caller, &where, (void **)&object, RTLD_DL_LINKMAP) || !object)
		return NULL;
	handle = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	function = dlsym(handle, name);
	/* of what the program itself is linked with ours come first */
	if (function && (!dladdr(function, &where) || !dladdr(&preload_other_loads, &own) ||
			 where.dli_fbase == own.dli_fbase ||
			 !dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)))
		function = NULL;
	dlclose(handle);
	return function;
}

void *preload_other_find(struct preload_other *other, const void *caller)
{
	unsigned long now = __atomic_load_n(&preload_other_loads, __ATOMIC_RELAXED) + 1;
	int saved = errno;
	void *function;

	if (__atomic_load_n(&other->none, __ATOMIC_RELAXED) == now)
		return NULL;
	function = preload_next(other->name);
	if (!function)
		function = find_from(other->name, caller);
	/* the last thing that one of its functions does is a jump, and the return address is ours */
	if (!function && preload_other_in)
		function = find_from(other->name, preload_other_in);
	if (function) {
		__atomic_store_n(&other->function, function, __ATOMIC_RELAXED);
	} else {
		(void)dlerror(); /* what the program asks for is what it did itself */
		__atomic_store_n(&other->none, now, __ATOMIC_RELAXED);
	}
	errno = saved;
	return function;
}
