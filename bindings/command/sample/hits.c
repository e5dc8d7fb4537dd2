/* SPDX-License-Identifier: BSD-3-Clause */
/* How many samples were taken where. */
#include "bindings/command/sample/hits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"

/* 1 GiB */
#define MOST_HITS ((size_t)1 << 25)

struct wanted {
	const struct pmu_sample_hits *hits;
	uint64_t who;
	struct pmu_sample_at at;
};

static bool is_same(const void *arg, uintptr_t thing)
{
	const struct wanted *wanted = arg;
	const struct pmu_sample_hit *hit = &wanted->hits->of[thing - 1];

	return hit->who == wanted->who && hit->at.at == wanted->at.at &&
	       hit->at.chain == wanted->at.chain && hit->at.file == wanted->at.file;
}

static bool make_hits_room(struct pmu_sample_hits *hits)
{
	size_t room = hits->room ? 2 * hits->room : 64;
	struct pmu_sample_hit *grown;

	if (hits->n < hits->room)
		return true;
	grown = room > MOST_HITS ? NULL : reallocarray(hits->of, room, sizeof(*grown));
	if (!grown)
		return false;
	hits->of = grown;
	hits->room = room;
	return true;
}

int pmu_sample_hits_add(struct pmu_sample_hits *hits, uint64_t who, struct pmu_sample_at at,
			uint64_t n)
{
	const struct wanted wanted = { hits, who, at };
	uint32_t place_hash = pmu_hash_number((uint64_t)at.chain << 32 | at.file);
	uint32_t hash = pmu_hash_number(at.at ^ (uint64_t)pmu_hash_number(who ^ place_hash) << 32);
	struct pmu_index_place *place;

	if (!make_hits_room(hits) || pmu_index_reserve(&hits->index, 1) < 0)
		return -ENOMEM;
	place = pmu_index_find(&hits->index, hash, is_same, &wanted);
	if (!place->thing) {
		hits->of[hits->n] = (struct pmu_sample_hit){ .who = who, .at = at };
		pmu_index_take(&hits->index, place, hash, ++hits->n);
	}
	hits->of[place->thing - 1].n += n;
	return 0;
}

void pmu_sample_hits_free(struct pmu_sample_hits *hits)
{
	free(hits->of);
	pmu_index_free(&hits->index);
	*hits = (struct pmu_sample_hits){ 0 };
}
