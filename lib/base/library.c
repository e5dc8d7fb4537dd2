/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads a library when something of it is needed. */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static bool find_symbols(struct pmu_library *library, void *handle)
{
	for (size_t i = 0; i < library->n_calls; i++) {
		void *found = dlsym(handle, library->call[i].symbol);

		if (!found)
			return false;
		memcpy((char *)library->calls + library->call[i].offset, &found, sizeof(found));
	}
	return true;
}

/* The first path at which there is something; NULL: see why, or the loader's error */
static void *open_somewhere(struct pmu_library *library)
{
	char path[PATH_MAX];

	for (unsigned int i = 0; library->where(i, path, sizeof(path)); i++) {
		size_t len = strlen(library->why);

		if (access(path, F_OK) == 0)
			return dlopen(path, RTLD_NOW | RTLD_LOCAL);
		snprintf(library->why + len, sizeof(library->why) - len, "%s%s",
			 len ? ", nor " : "there is no ", path);
	}
	return NULL;
}

/* For dl_iterate_phdr(), which begins with the program: has it a loader? */
static int look_for_loader(struct dl_phdr_info *program, size_t size, void *found)
{
	(void)size;
	for (int i = 0; i < program->dlpi_phnum; i++)
		if (program->dlpi_phdr[i].p_type == PT_INTERP)
			*(bool *)found = true;
	return 1;
}

/*
 * In a program that is linked with -static a library would come with a second libc, which glibc bears
 * only where it is of the version that the program was linked with: another one can end it.
 */
static bool can_load(void)
{
	bool has_loader = false;

	dl_iterate_phdr(look_for_loader, &has_loader);
	return has_loader;
}

static void try(struct pmu_library *library)
{
	const char *text;
	void *handle;

	library->state = PMU_LIBRARY_TRYING;
	if (!can_load()) {
		snprintf(library->why, sizeof(library->why),
			 "this program is linked with -static, and loads no libraries");
		library->state = PMU_LIBRARY_NOT;
		return;
	}
	dlerror(); /* drops the program's last error */
	handle = library->file ? dlopen(library->file, RTLD_NOW | RTLD_LOCAL)
			       : open_somewhere(library);
	if (handle && find_symbols(library, handle)) {
		library->state = PMU_LIBRARY_HERE;
		return;
	}
	text = dlerror();
	if (text || !library->why[0])
		snprintf(library->why, sizeof(library->why), "%s",
			 text ? text : "it is of another kind");
	library->state = PMU_LIBRARY_NOT;
}

int pmu_library_load(struct pmu_library *library)
{
	int rc = 0;

	pmu_lock_take(&library->lock);
	if (library->state == PMU_LIBRARY_UNTRIED)
		try(library);
	if (library->state == PMU_LIBRARY_NOT)
		rc = pmu_fail(ENOTSUP, "%s; %s", library->needs, library->why);
	/*
	 * Trying again with the loader's lists as the other thread left them could end the program.
	 */
	else if (library->state == PMU_LIBRARY_TRYING)
		rc = pmu_fail(ENOTSUP,
			      "%s, which another thread was loading when this process was forked",
			      library->needs);
	pmu_lock_give(&library->lock);
	return rc;
}
