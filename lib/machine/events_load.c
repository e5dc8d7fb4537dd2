/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds and loads libpmu-events.so. */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/library.h"
#include "machine/events.h"
#include "pmu.h"

#define FILE_NAME "libpmu-events.so"

/*
 * What is mapped at an address, by the kernel's list: the loader's own name may be relative to a
 * folder that the program has left since.
 */
static bool mapped_file(uintptr_t address, char *path, size_t size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to;
	char *line = NULL, *slash;
	size_t room = 0;
	bool found = false;

	while (maps && !found && getline(&line, &room, maps) > 0) {
		line[strcspn(line, "\n")] = '\0';
		slash = strchr(line, '/');
		found = sscanf(line, "%lx-%lx", &from, &to) == 2 && slash && address >= from &&
			address < to && (size_t)snprintf(path, size, "%s", slash) < size;
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

/* The folder of what this code is in: libpmu.so, or a program that it is linked into. */
static bool own_folder(char *folder, size_t size)
{
	Dl_info info;

	if (!dladdr(&pmu_events_get, &info) || !info.dli_fname)
		return false;
	if (info.dli_fname[0] != '/') {
		if (!mapped_file((uintptr_t)&pmu_events_get, folder, size))
			return false;
	} else if ((size_t)snprintf(folder, size, "%s", info.dli_fname) >= size) {
		return false;
	}
	*strrchr(folder, '/') = '\0';
	return true;
}

/* Where it is installed, wherever that was moved to; where it is built; where it was to be. */
static bool where_installed(unsigned int nth, char *path, size_t size)
{
	static const char *const beside[] = { "/pmu/" FILE_NAME, "/" FILE_NAME };
	char folder[512] = PMU_LIBDIR;

	if (nth < PMU_ARRAY_LEN(beside)) {
		own_folder(folder, sizeof(folder));
		snprintf(path, size, "%s%s", folder, beside[nth]);
		return true;
	}
	snprintf(path, size, "%s%s", folder, beside[0]);
	return nth == PMU_ARRAY_LEN(beside);
}

const struct pmu_events *pmu_events_get(void)
{
	static const struct pmu_events *found;
	static const struct pmu_library_call call = { "pmu_resolver", 0 };
	static struct pmu_library library = { .needs = "names of events and groups need libpmu's "
						       "own " FILE_NAME,
					      .where = where_installed,
					      .calls = &found,
					      .call = &call,
					      .n_calls = 1 };

	if (pmu_library_load(&library) < 0)
		return NULL;
	if (!strcmp(found->version, PMU_VERSION_STRING))
		return found;
	pmu_fail(ENOTSUP, "%s, and the one that is there is of version %s", library.needs,
		 found->version);
	return NULL;
}
