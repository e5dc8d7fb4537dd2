/* SPDX-License-Identifier: BSD-3-Clause */
/* Two read(2) of a group of one event: the least that a count by the kernel can take. */
#include <stdint.h>
#include <stdlib.h>

#include "perf_event.h"
#include "worker.h"

/*
 * A group's, with its times: without them a reader cannot tell whether it was counted all the time.
 */
struct reading {
	uint64_t n, enabled, running, value;
};

static _Thread_local int fd = -1;
static _Thread_local volatile uint64_t sink;

static bool start(enum what what, char why[WHY_LEN])
{
	int first = perf_event(what, 0, why);

	if (first >= 0)
		close(first);
	return first >= 0;
}

static bool attach(enum what what, char why[WHY_LEN])
{
	fd = perf_event(what,
			PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				PERF_FORMAT_TOTAL_TIME_RUNNING,
			why);
	return fd >= 0;
}

static void one(size_t n_pairs)
{
	struct reading before, after;

	for (size_t i = 0; i < n_pairs; i++) {
		if (read(fd, &before, sizeof(before)) != sizeof(before) ||
		    read(fd, &after, sizeof(after)) != sizeof(after))
			abort();
		sink = after.value - before.value;
	}
}

static bool check(const struct done *done, char why[WHY_LEN])
{
	struct reading now;

	(void)done;
	if (read(fd, &now, sizeof(now)) != sizeof(now))
		return because(why, "the event was not on a counter any more");
	return now.running == now.enabled ||
	       because(why, "the event was counted part of the time only");
}

const struct contender contender = { .start = start, .attach = attach, .one = one, .check = check };
