/* SPDX-License-Identifier: BSD-3-Clause */
/* Words that a forked child finds at zero: each thread's reentrancy guard, owners. */
#include "session/guard.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/races.h"

#define PAGE_BYTES 4096u
#define LINE_BYTES 64u
#define MAX_PAGES  16384u

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18 /* Linux 4.14 */
#endif

static char *page;       /* newest */
static uint32_t in_page; /* bytes taken from it */

/* For kernels without MADV_WIPEONFORK: all pages, which the fork handler wipes. */
static char **wiped_by_hand; /* [MAX_PAGES]; NULL: none yet */
static uint32_t n_wiped_by_hand;

static void wipe_in_child(void)
{
	for (uint32_t i = 0; i < n_wiped_by_hand; i++)
		memset(wiped_by_hand[i], 0, PAGE_BYTES);
}

static int mark(char *fresh)
{
	if (madvise(fresh, PAGE_BYTES, MADV_WIPEONFORK) == 0)
		return 0;
	if (!wiped_by_hand)
		wiped_by_hand = pmu_pages_alloc(MAX_PAGES * sizeof(*wiped_by_hand));
	if (!wiped_by_hand || n_wiped_by_hand == MAX_PAGES)
		return -1;
	if (!n_wiped_by_hand && pthread_atfork(NULL, NULL, wipe_in_child))
		return -1;
	wiped_by_hand[n_wiped_by_hand++] = fresh;
	return 0;
}

uint32_t *pmu_guard_alloc(void)
{
	uint32_t *guard;

	if (!page || in_page == PAGE_BYTES) {
		char *fresh = pmu_pages_alloc(PAGE_BYTES);

		if (!fresh)
			return NULL;
		if (mark(fresh) < 0) {
			pmu_pages_free(fresh, PAGE_BYTES);
			return NULL;
		}
		pmu_races_ignore(fresh, PAGE_BYTES);
		page = fresh;
		in_page = 0;
	}
	guard = (uint32_t *)(void *)(page + in_page);
	in_page += LINE_BYTES;
	return guard;
}
