/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads a library when something of it is needed. */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static bool find_all(struct pmu_library *library, void *handle)
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

static void try(struct pmu_library *library)
{
	const char *text;
	void *handle;

	library->state = PMU_LIBRARY_TRYING;
	dlerror(); /* what somebody else has left */
	handle = library->file ? dlopen(library->file, RTLD_NOW | RTLD_LOCAL)
			       : open_somewhere(library);
	if (handle && find_all(library, handle)) {
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
