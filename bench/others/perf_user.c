/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A counter that perf set up, read twice in user space: the least that a count by the processor can
 * take.
 */
#include <stdint.h>
#include <stdlib.h>

#include "bench/common/page_count.h"
#include "perf_event.h"
#include "worker.h"

#if defined(__x86_64__)
#include <sys/mman.h>

static _Thread_local const volatile struct perf_event_mmap_page *page;
static _Thread_local volatile uint64_t sink;

static bool start(enum what what, char why[WHY_LEN])
{
	int fd = perf_event(what, 0, why);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool attach(enum what what, char why[WHY_LEN])
{
	int fd = perf_event(what, 0, why);
	void *at;

	if (fd < 0)
		return false;
	at = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return because(why, "mmap of a perf event: %s", strerror(errno));
	page = at;
	return (page->cap_user_rdpmc && page->index) ||
	       because(why, "the kernel does not allow rdpmc here");
}

static void one(size_t n_pairs)
{
	for (size_t i = 0; i < n_pairs; i++) {
		uint64_t before = page_count(page);

		sink = page_count(page) - before;
	}
}

#else

static bool start(enum what what, char why[WHY_LEN])
{
	(void)what;
	return because(why, "this program reads counters in user space on x86-64 only");
}

static bool attach(enum what what, char why[WHY_LEN])
{
	return start(what, why);
}

static void one(size_t n_pairs)
{
	(void)n_pairs;
	abort();
}

#endif

const struct contender contender = { .start = start, .attach = attach, .one = one };
