/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads libpfm4 when the first native event is named. */
#include "group/pfm/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"

/* Without a slash: where a setuid program may load from is the loader's to know. */
#define LIBRARY "libpfm.so.4"

static struct pmu_pfm_calls calls;

#define CALL(name)                                                 \
	{                                                          \
		"pfm_" #name, offsetof(struct pmu_pfm_calls, name) \
	}
static const struct {
	const char *symbol;
	size_t offset;
} table[] = {
	CALL(initialize),
	CALL(strerror),
	CALL(get_pmu_info),
	CALL(get_event_next),
	CALL(get_event_info),
	CALL(get_event_attr_info),
	CALL(get_os_event_encoding),
};
_Static_assert(sizeof(calls) == PMU_ARRAY_LEN(table) * sizeof(void *),
	       "every function is in the table");

static bool find_all(void *library)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(table); i++) {
		void *found = dlsym(library, table[i].symbol);

		if (!found)
			return false;
		memcpy((char *)&calls + table[i].offset, &found, sizeof(found));
	}
	return true;
}

int pmu_pfm_load(void)
{
	static enum { UNTRIED, TRYING, LOADED, FAILED } state;
	static char why[192];

	if (state == UNTRIED) {
		const char *text;
		void *library;

		state = TRYING;
		library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
		if (library && find_all(library)) {
			state = LOADED;
			return 0;
		}
		text = dlerror();
		snprintf(why, sizeof(why), "%s", text ? text : LIBRARY);
		state = FAILED;
	}
	if (state == LOADED)
		return 0;
	/*
	 * Trying again with the loader's lists as the other thread left them could end the program.
	 */
	if (state == TRYING)
		return pmu_fail(
			ENOTSUP,
			"native event names need libpfm4, which another thread was loading when this "
			"process was forked");
	return pmu_fail(ENOTSUP, "native event names need libpfm4 (Debian: libpfm4); %s", why);
}

const struct pmu_pfm_calls *pmu_pfm_calls(void)
{
	return &calls;
}
