/* SPDX-License-Identifier: BSD-3-Clause */
/* Libraries that are loaded when they are needed, rather than with every program. */
#ifndef PMU_BASE_LIBRARY_H
#define PMU_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/lock.h"

/** One function of a library, and where among the pointers it belongs. */
struct pmu_library_call {
	const char *symbol;
	size_t offset;
};

/** Static, one for each library. */
struct pmu_library {
	/*
	 * without a slash: where setuid programs may load from is the loader's; NULL: see where()
	 */
	const char *file;
	/* paths to try, from 0 on; false: there are no more */
	bool (*where)(unsigned int nth, char *path, size_t size);
	/* how a sentence begins: "native event names need libpfm4 (Debian: libpfm4)" */
	const char *needs;
	void *calls; /* filled in: pointers to functions */
	const struct pmu_library_call *call;
	size_t n_calls;
	/* our own */
	struct pmu_lock lock;
	enum { PMU_LIBRARY_UNTRIED, PMU_LIBRARY_TRYING, PMU_LIBRARY_HERE, PMU_LIBRARY_NOT } state;
	char why[320];
};

/**
 * pmu_library_load() - loads it, once
 *
 * What is linked every program loads at its start: some 60 us for each library in the kernel and
 * the loader, and its relocations.
 *
 * Context: file system, loader's lock.  It is never unloaded.
 * Return: 0: the calls are filled in; -ENOTSUP with a sentence: not found, or not as it should be;
 * it is not looked for again.
 */
int pmu_library_load(struct pmu_library *library);

#endif
