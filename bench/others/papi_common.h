/* SPDX-License-Identifier: BSD-3-Clause */
/* What both of PAPI's interfaces need here. */
#ifndef BENCH_PAPI_COMMON_H
#define BENCH_PAPI_COMMON_H

#include <pthread.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes" /* its header's */
#include <papi.h>
#pragma GCC diagnostic pop

#include "worker.h"

/** papi_event() - the name of what is counted; NULL: PAPI counts no such thing */
static inline const char *papi_event(enum what what)
{
	static const char *const event[] = {
		[TIME] = NULL, [PAGE_FAULTS] = "perf::PAGE-FAULTS", [INSTRUCTIONS] = "PAPI_TOT_INS"
	};

	return event[what];
}

/** papi_set() - an event set of the calling thread with that event; @set is its number */
static inline bool papi_set(enum what what, int *set, char why[WHY_LEN])
{
	int rc;

	*set = PAPI_NULL;
	if ((rc = PAPI_create_eventset(set)) != PAPI_OK)
		return because(why, "PAPI cannot make an event set: %s", PAPI_strerror(rc));
	if ((rc = PAPI_add_named_event(*set, papi_event(what))) != PAPI_OK)
		return because(why, "PAPI cannot add %s: %s", papi_event(what), PAPI_strerror(rc));
	return true;
}

/** papi_start() - the library, and whether it can count that event */
static inline bool papi_start(enum what what, char why[WHY_LEN])
{
	int rc = PAPI_library_init(PAPI_VER_CURRENT), set;

	if (!papi_event(what))
		return because(why, "PAPI's regions always count");
	if (rc != PAPI_VER_CURRENT)
		return because(why, "PAPI does not start: %s",
			       rc > 0 ? "another version than its header" : PAPI_strerror(rc));
	if ((rc = PAPI_thread_init(pthread_self)) != PAPI_OK)
		return because(why, "PAPI_thread_init: %s", PAPI_strerror(rc));
	if (!papi_set(what, &set, why))
		return false;
	if ((rc = PAPI_start(set)) != PAPI_OK)
		return because(why, "PAPI cannot count %s: %s", papi_event(what),
			       PAPI_strerror(rc));
	PAPI_stop(set, NULL);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	return true;
}

static inline const char *papi_version(void)
{
	static char text[40];
	int number = PAPI_get_opt(PAPI_LIB_VERSION, NULL);

	snprintf(text, sizeof(text), "PAPI %d.%d.%d", PAPI_VERSION_MAJOR(number),
		 PAPI_VERSION_MINOR(number), PAPI_VERSION_REVISION(number));
	return text;
}

#endif
