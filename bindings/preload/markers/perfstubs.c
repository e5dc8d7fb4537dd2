/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library that PerfStubs' clients find, for who asks for it by name: "all" and "markers" do not,
 * for a client prints that it has found a tool.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/preload.h"

#define LIBRARY "libpmu-perfstubs.so"

static bool is_asked_for(void)
{
	static const char word[] = "perfstubs";
	const char *text = getenv("PMU_AUTO");

	for (size_t len; text && *text; text += len + (text[len] != '\0')) {
		len = strcspn(text, ", ");
		if (len == strlen(word) && !strncmp(text, word, len))
			return true;
	}
	return false;
}

/* Where this library lies, whatever link led to it. */
static void *open_beside(void)
{
	char path[4096 + sizeof(LIBRARY)];
	void *library = NULL;
	char *real, *slash;
	Dl_info here;

	if (!dladdr(&is_asked_for, &here) || !here.dli_fname)
		return NULL;
	real = realpath(here.dli_fname, NULL);
	slash = real ? strrchr(real, '/') : NULL;
	if (slash && (size_t)snprintf(path, sizeof(path), "%.*s/" LIBRARY, (int)(slash - real),
				      real) < sizeof(path))
		library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	free(real);
	return library;
}

void preload_perfstubs_start(void)
{
	if (!is_asked_for() || open_beside())
		return;
	(void)dlerror();
	pmu_note("PerfStubs' timers are no regions: " LIBRARY " cannot be loaded");
}
