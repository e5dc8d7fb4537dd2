/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI's low-level interface: two readings of an event set that runs. */
#include "papi_common.h"

#include <stdlib.h>

static _Thread_local int set = PAPI_NULL;
static _Thread_local volatile long long sink;

static bool attach(enum what what, char why[WHY_LEN])
{
	int rc;

	if (!papi_set(what, &set, why))
		return false;
	rc = PAPI_start(set);
	return rc == PAPI_OK || because(why, "PAPI_start: %s", PAPI_strerror(rc));
}

static void one(size_t n_pairs)
{
	long long before, after;

	for (size_t i = 0; i < n_pairs; i++) {
		if (PAPI_read(set, &before) != PAPI_OK || PAPI_read(set, &after) != PAPI_OK)
			abort();
		sink = after - before;
	}
}

static bool check(const struct done *done, char why[WHY_LEN])
{
	long long count;
	int rc = PAPI_stop(set, &count);

	(void)done;
	return rc == PAPI_OK || because(why, "PAPI_stop: %s", PAPI_strerror(rc));
}

const struct contender contender = {
	.start = papi_start, .attach = attach, .one = one, .check = check, .version = papi_version
};
