/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI's high-level interface: named regions.  It keeps cycles and time of each beside what is
 * counted.
 */
#include "papi_common.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_int failed; /* the last code that was not PAPI_OK */

static bool start(enum what what, char why[WHY_LEN])
{
	/* before that, it would count its default events instead of one that it cannot count */
	if (!papi_start(what, why))
		return false;
	setenv("PAPI_EVENTS", papi_event(what), 1);
	return true;
}

static inline void pair(const char *name)
{
	int begun = PAPI_hl_region_begin(name), ended = PAPI_hl_region_end(name);

	if (begun != PAPI_OK || ended != PAPI_OK)
		atomic_store(&failed, begun != PAPI_OK ? begun : ended);
}

static bool attach(enum what what, char why[WHY_LEN])
{
	(void)what;
	pair("attached"); /* it opens the thread's counters */
	return !failed || because(why, "PAPI_hl_region_begin or _end: %s", PAPI_strerror(failed));
}

static void one(size_t n_pairs)
{
	for (size_t i = 0; i < n_pairs; i++)
		pair(THE_NAME);
}

static void named(size_t n_rounds)
{
	for (size_t i = 0; i < n_rounds; i++)
		for (size_t k = 0; k < N_NAMES; k++)
			pair(names[k]);
}

static bool check(const struct done *done, char why[WHY_LEN])
{
	int rc;

	(void)done;
	if (failed)
		return because(why, "PAPI_hl_region_begin or _end: %s", PAPI_strerror(failed));
	rc = PAPI_hl_stop();
	return rc == PAPI_OK || because(why, "PAPI_hl_stop: %s", PAPI_strerror(rc));
}

const struct contender contender = { .start = start,
				     .attach = attach,
				     .one = one,
				     .named = named,
				     .check = check,
				     .version = papi_version };
