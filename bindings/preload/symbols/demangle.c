/* SPDX-License-Identifier: BSD-3-Clause */
/* C++ names, by the C++ runtime of the program. */
#include <dlfcn.h>
#include <errno.h>

#include "bindings/preload/symbols/symbols.h"

/* Itanium C++ ABI, section 3.4 */
typedef char *demangle_function(const char *mangled, char *buffer, size_t *length, int *status);

static char *cannot(const char *mangled, char *buffer, size_t *length, int *status)
{
	(void)mangled;
	(void)buffer;
	(void)length;
	*status = -1;
	return NULL;
}

static demangle_function *find(void)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++abi.so.1",
						 "libc++.so.1" };
	const size_t n = sizeof(libraries) / sizeof(*libraries);
	void *found = dlsym(RTLD_DEFAULT, "__cxa_demangle"), *library;

	/* Loaded where only those see it that asked for it; then not loaded at all. */
	for (size_t i = 0; i < 2 * n && !found; i++) {
		library = dlopen(libraries[i % n],
				 RTLD_LAZY | RTLD_LOCAL | (i < n ? RTLD_NOLOAD : 0));
		if (library)
			found = dlsym(library, "__cxa_demangle");
	}
	if (!found)
		(void)dlerror(); /* the program's own errors are what it may ask for */
	return found ? (demangle_function *)found : cannot;
}

char *preload_demangle(const char *name)
{
	static demangle_function *demangle;
	demangle_function *now;
	int status = 0, saved = errno;
	char *text;

	if (name[0] != '_' || name[1] != 'Z')
		return NULL;
	now = __atomic_load_n(&demangle, __ATOMIC_ACQUIRE);
	if (!now) {
		now = find();
		__atomic_store_n(&demangle, now, __ATOMIC_RELEASE);
	}
	text = now(name, NULL, NULL, &status);
	errno = saved;
	return status ? NULL : text;
}
