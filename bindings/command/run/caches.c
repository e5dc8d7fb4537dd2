/* SPDX-License-Identifier: BSD-3-Clause */
/* The caches that `pmu run --emulate` has simulated: this machine's, or what valgrind is told. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "bindings/command/run/run.h"

/* A power of two that is that much less than the sets that there are gives a cache that is like it. */
#define FEWEST_SETS 4u

static const char *const names[PMU_CACHES] = {
	[PMU_CACHE_I1] = "I1",
	[PMU_CACHE_D1] = "D1",
	[PMU_CACHE_LL] = "LL",
};

/*
 * Cachegrind's, "the number of sets must be a power of two": of the same size, with more ways, as it is
 * the size that decides what fits.  Where none has that size, the nearest that is less.
 */
static struct pmu_cache nearest(const struct pmu_cache *cache)
{
	const uint64_t lines = cache->size / cache->line, there = lines / cache->ways;
	struct pmu_cache like = *cache;
	uint64_t most = 1, sets;

	while (most * 2 <= there)
		most *= 2;
	for (sets = most; sets > 1 && sets * FEWEST_SETS > there && lines % sets; sets /= 2)
		;
	if (lines % sets)
		sets = most;
	like.ways = (unsigned int)(lines / sets);
	like.size = like.ways * sets * like.line;
	return like;
}

static void add_cache_size(struct pmu_strbuf *out, uint64_t bytes)
{
	if (bytes && bytes % (1 << 20) == 0)
		pmu_strbuf_addf(out, "%" PRIu64 " MiB", bytes >> 20);
	else if (bytes && bytes % (1 << 10) == 0)
		pmu_strbuf_addf(out, "%" PRIu64 " KiB", bytes >> 10);
	else
		pmu_strbuf_addf(out, "%" PRIu64 " B", bytes);
}

static void add_cache(struct pmu_strbuf *out, const struct pmu_cache *cache)
{
	add_cache_size(out, cache->size);
	pmu_strbuf_addf(out, " %u-way", cache->ways);
	if (cache->line != 64)
		pmu_strbuf_addf(out, " with lines of %u B", cache->line);
}

/* As valgrind has it: size, ways, line. */
static void add_told(struct pmu_strbuf *out, const char *value)
{
	struct pmu_cache cache;

	if (sscanf(value, "%" SCNu64 ",%u,%u", &cache.size, &cache.ways, &cache.line) == 3)
		add_cache(out, &cache);
	else
		pmu_strbuf_add(out, value);
}

static void add_own(struct pmu_strbuf *out, const struct pmu_cache *cache, const char *name,
		    char *option, size_t size)
{
	struct pmu_cache like;

	if (!cache->size) {
		pmu_strbuf_add(out, "as valgrind finds it");
		return;
	}
	like = nearest(cache);
	snprintf(option, size, "--%s=%" PRIu64 ",%u,%u", name, like.size, like.ways, like.line);
	add_cache(out, &like);
	if (like.size == cache->size && like.ways == cache->ways)
		return;
	pmu_strbuf_add(out, " (the machine's: ");
	add_cache(out, cache);
	pmu_strbuf_add(out, ")");
}

void pmu_run_caches_find(struct pmu_run_caches *caches)
{
	struct pmu_cache own[PMU_CACHES];
	struct pmu_strbuf out = { 0 };

	if (pmu_topology_caches(own))
		pmu_error_clear();
	for (size_t i = 0; i < PMU_CACHES; i++) {
		char value[64];
		const char *where;

		pmu_strbuf_addf(&out, "%s%s ", i ? ", " : "", names[i]);
		if (pmu_run_valgrind_told(names[i], value, sizeof(value), &where))
			add_told(&out, value);
		else
			add_own(&out, &own[i], names[i], caches->option[i],
				sizeof(caches->option[i]));
	}
	snprintf(caches->text, sizeof(caches->text), "%s", pmu_strbuf_text(&out));
	pmu_strbuf_free(&out);
}
