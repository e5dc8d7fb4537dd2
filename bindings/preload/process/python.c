/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that is a Python interpreter: libpmu-python.so makes the functions of what it runs
 * regions, where --functions asks for some.
 */
#include "bindings/preload/process/python.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bindings/preload/functions/filter.h"
#include "bindings/preload/inside.h"
#include "bindings/preload/preload.h"

#define LIBRARY "libpmu-python.so"

static void (*leave)(void);
static void (*end)(void);
static void (*thread)(void);

/* It lies beside this library. */
static void *open_library(void)
{
	char path[4096];
	const char *slash;
	Dl_info here;
	int len;

	if (!dladdr(&leave, &here) || !here.dli_fname || !(slash = strrchr(here.dli_fname, '/')))
		return NULL;
	len = snprintf(path, sizeof(path), "%.*s/" LIBRARY, (int)(slash - here.dli_fname),
		       here.dli_fname);
	return len < (int)sizeof(path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void say_unloaded(void)
{
	const char *why = dlerror();
	char text[256];

	snprintf(text, sizeof(text), "no Python function is a region: " LIBRARY ": %s",
		 why ? why : "it is not beside libpmu-preload.so");
	pmu_note(text);
}

void preload_python_start(void)
{
	const char *patterns = getenv("PMU_FUNCTIONS");
	int (*arm)(const char *);
	void *library;

	if (!preload_on(PRELOAD_FUNCTIONS) || !preload_filter_asks(patterns))
		return;
	if (dlsym(RTLD_DEFAULT, "PySys_AddAuditHook")) {
		library = open_library();
		arm = library ? (__typeof__(arm))dlsym(library, "pmu_python_arm") : NULL;
		if (!arm)
			say_unloaded();
		else if (arm(patterns) == 0) {
			leave = (__typeof__(leave))dlsym(library, "pmu_python_leave");
			thread = (__typeof__(thread))dlsym(library, "pmu_python_thread");
			end = (__typeof__(end))dlsym(library, "pmu_python_end");
		}
	}
	(void)dlerror(); /* what the program asks for is what it did itself */
}

void preload_python_thread(void)
{
	if (unlikely(thread))
		thread();
}

void preload_python_leave(void)
{
	if (leave)
		leave();
}

void preload_python_end(void)
{
	if (end)
		end();
}
