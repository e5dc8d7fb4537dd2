/* SPDX-License-Identifier: BSD-3-Clause */
/* The two ways in which an interpreter tells of its functions' beginnings and ends. */
#ifndef PMU_PYTHON_WAYS_H
#define PMU_PYTHON_WAYS_H

#include "bindings/python/functions/api.h"

#pragma GCC visibility push(hidden)

/* Both under the interpreter's lock.  Start returns 0 or a negative errno. */
struct python_way {
	int (*start)(void);
	void (*stop)(void);
	/** The calling thread is about to start another. */
	void (*thread)(void);
	/** An audit event, in any thread; without an error set, and none is left. */
	void (*audit)(const char *event);
	/** Before the report. */
	void (*note)(void);
};

/** python_profile - the C profile function of each thread: every version */
extern const struct python_way python_profile;

/** python_monitoring - sys.monitoring, of the whole interpreter: from 3.12 on, where it is cheaper */
extern const struct python_way python_monitoring;

#pragma GCC visibility pop

#endif
