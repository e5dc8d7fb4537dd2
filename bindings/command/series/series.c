/* SPDX-License-Identifier: BSD-3-Clause */
/* A series and how it grows: groups, measures and regions by their names. */
#include "bindings/command/series/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "bindings/command/series/parts.h"

static const char *const text_names[] = {
	[PMU_SERIES_PROGRAM] = "program",
	[PMU_SERIES_COMMAND] = "command",
	[PMU_SERIES_HOST] = "host",
	[PMU_SERIES_MACHINE] = "machine",
	[PMU_SERIES_CPU] = "cpu",
	[PMU_SERIES_SOURCE] = "source",
	[PMU_SERIES_SOURCE_DETAIL] = "source_detail",
	[PMU_SERIES_CLOCK] = "clock",
	[PMU_SERIES_PINNING] = "pinning",
	[PMU_SERIES_VERSION] = "version",
};

const char *pmu_series_kind_name(enum pmu_series_kind kind)
{
	static const char *const names[] = {
		[PMU_SERIES_CALLS] = "calls",
		[PMU_SERIES_TIME] = "time",
		[PMU_SERIES_COUNT] = "count",
		[PMU_SERIES_METRIC] = "metric",
	};

	return names[kind];
}

const char *pmu_series_text_name(enum pmu_series_text which)
{
	return text_names[which];
}

void pmu_series_free(struct pmu_series *series)
{
	for (unsigned int i = 0; i < series->n_groups; i++) {
		struct pmu_series_group *group = &series->group[i];

		for (size_t run = 0; group->values && run < series->n_runs; run++)
			free(group->values[run].value);
		free(group->values);
		free(group->measure);
		free(group->region);
		free(group->order);
		pmu_index_free(&group->index);
	}
	free(series->group);
	free(series->run);
	free(series->remark);
	pmu_index_free(&series->remarks);
	pmu_noise_findings_free(&series->noise);
	pmu_block_free(&series->blocks);
	*series = (struct pmu_series){ .n_runs = 0 };
}

/* Room for one more; NULL without memory, and @list stays. */
static void *series_grow(void *list, unsigned int n, unsigned int *room, size_t size)
{
	unsigned int more = *room ? 2 * *room : 16;
	void *grown;

	if (n < *room)
		return list;
	grown = more > *room ? reallocarray(list, more, size) : NULL;
	if (grown)
		*room = more;
	return grown;
}

const char *pmu_series_keep(struct pmu_series *series, const char *text)
{
	const char *kept = text && text[0] ? pmu_block_text(&series->blocks, text, strlen(text))
					   : "";

	return kept ? kept : "";
}

/* --- runs --- */

/* Each group has values for each run, also for one that never came to it. */
static int grow_values(struct pmu_series_group *group, size_t from, size_t room)
{
	struct pmu_series_values *grown = reallocarray(group->values, room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	memset(grown + from, 0, (room - from) * sizeof(*grown));
	group->values = grown;
	return 0;
}

static int grow_runs(struct pmu_series *series)
{
	size_t room = series->run_room ? 2 * series->run_room : 16;
	struct pmu_series_run *grown = reallocarray(series->run, room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	series->run = grown;
	for (unsigned int i = 0; i < series->n_groups; i++)
		if (grow_values(&series->group[i], series->run_room, room))
			return -ENOMEM;
	series->run_room = room;
	return 0;
}

int pmu_series_new_run(struct pmu_series *series)
{
	if (series->n_runs == PMU_SERIES_MAX_RUNS)
		return pmu_fail(E2BIG, "there are more than %u runs", PMU_SERIES_MAX_RUNS);
	if (series->n_runs == series->run_room && grow_runs(series))
		return pmu_fail(ENOMEM, "no memory for %zu runs", series->n_runs + 1);
	series->run[series->n_runs++] = (struct pmu_series_run){ .has_end = false };
	return 0;
}

/* --- what is found by its name --- */

struct pmu_series_group *pmu_series_group(struct pmu_series *series, const char *name)
{
	struct pmu_series_group *grown, *group;

	for (unsigned int i = 0; i < series->n_groups; i++)
		if (!strcmp(series->group[i].name, name))
			return &series->group[i];
	grown = reallocarray(series->group, series->n_groups + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	series->group = grown;
	group = &grown[series->n_groups];
	*group = (struct pmu_series_group){ .name = pmu_series_keep(series, name) };
	if (grow_values(group, 0, series->run_room))
		return NULL;
	series->n_groups++;
	/* these two come first */
	if (pmu_series_measure(series, group, "calls", "", PMU_SERIES_CALLS) < 0 ||
	    pmu_series_measure(series, group, "time", "ns", PMU_SERIES_TIME) < 0)
		return NULL;
	return group;
}

int pmu_series_measure(struct pmu_series *series, struct pmu_series_group *group, const char *name,
		       const char *unit, enum pmu_series_kind kind)
{
	struct pmu_series_measure *grown;

	for (unsigned int i = 0; i < group->n_measures; i++)
		if (group->measure[i].kind == kind && !strcmp(group->measure[i].name, name))
			return (int)i;
	grown = series_grow(group->measure, group->n_measures, &group->measure_room,
			    sizeof(*grown));
	if (!grown)
		return -1;
	group->measure = grown;
	grown[group->n_measures] = (struct pmu_series_measure){
		.name = pmu_series_keep(series, name),
		.unit = pmu_series_keep(series, unit),
		.kind = kind,
	};
	return (int)group->n_measures++;
}

struct sought {
	const struct pmu_series_group *group;
	const char *path;
	bool is_flat;
};

static bool same_region(const void *wanted, uintptr_t thing)
{
	const struct sought *sought = wanted;
	const struct pmu_series_region *region = &sought->group->region[thing - 1];

	return region->is_flat == sought->is_flat && !strcmp(region->path, sought->path);
}

static uint32_t hash_of(const struct sought *sought)
{
	return pmu_hash_text(sought->path, strlen(sought->path)) + sought->is_flat;
}

bool pmu_series_is_simulated(const struct pmu_series *series)
{
	const char *source = series->text[PMU_SERIES_SOURCE];

	return source && !strcmp(source, "valgrind");
}

unsigned int pmu_series_rank(const struct pmu_series *series, const struct pmu_series_group *group)
{
	const unsigned int time = 1;
	unsigned int rank = time;

	for (unsigned int m = group->n_measures; m-- > 0 && pmu_series_is_simulated(series);)
		if (group->measure[m].kind == PMU_SERIES_COUNT &&
		    (rank == time || strcmp(group->measure[rank].name, "instructions") != 0))
			rank = m;
	return rank;
}

int pmu_series_find(const struct pmu_series_group *group, const char *path, bool is_flat)
{
	const struct sought sought = { group, path, is_flat };
	struct pmu_index_place *place;

	if (!group->index.n_places)
		return -1;
	place = pmu_index_find(&group->index, hash_of(&sought), same_region, &sought);
	return place->thing ? (int)(place->thing - 1) : -1;
}

int pmu_series_region(struct pmu_series *series, struct pmu_series_group *group, const char *path,
		      bool is_flat, const char *name, int parent)
{
	const struct sought sought = { group, path, is_flat };
	struct pmu_index_place *place;
	struct pmu_series_region *grown;

	if (pmu_index_reserve(&group->index, 1))
		return -1;
	place = pmu_index_find(&group->index, hash_of(&sought), same_region, &sought);
	if (place->thing)
		return (int)(place->thing - 1);
	grown = series_grow(group->region, group->n_regions, &group->region_room, sizeof(*grown));
	if (!grown)
		return -1;
	group->region = grown;
	grown[group->n_regions] = (struct pmu_series_region){
		.name = pmu_series_keep(series, name),
		.path = pmu_series_keep(series, path),
		.parent = parent,
		.depth = parent < 0 ? 0 : grown[parent].depth + 1,
		.is_flat = is_flat,
	};
	pmu_index_take(&group->index, place, hash_of(&sought), group->n_regions + 1);
	return (int)group->n_regions++;
}

int pmu_series_values(const struct pmu_series_group *group, struct pmu_series_values *values)
{
	size_t n = (size_t)group->n_regions * group->n_measures * PMU_SERIES_SHARES;

	if (n > PMU_SERIES_MAX_VALUES)
		return pmu_fail(E2BIG, "group %s has %u regions with %u measures: too many",
				group->name, group->n_regions, group->n_measures);
	values->value = malloc((n ? n : 1) * sizeof(*values->value));
	if (!values->value)
		return pmu_fail(ENOMEM, "no memory for the values of %u regions", group->n_regions);
	for (size_t i = 0; i < n; i++)
		values->value[i] = PMU_SERIES_MISSING;
	values->n_regions = group->n_regions;
	values->n_measures = group->n_measures;
	return 0;
}

uint64_t pmu_series_value(const struct pmu_series_group *group, size_t run, unsigned int region,
			  unsigned int measure, enum pmu_series_share share)
{
	const struct pmu_series_values *values = &group->values[run];

	if (region >= values->n_regions || measure >= values->n_measures)
		return PMU_SERIES_MISSING;
	return pmu_series_at(values, region, measure)[share];
}

/* --- notes and doubts --- */

struct sought_remark {
	const struct pmu_series *series;
	const char *text, *region;
	bool is_doubt;
};

static bool same_remark(const void *wanted, uintptr_t thing)
{
	const struct sought_remark *sought = wanted;
	const struct pmu_series_remark *remark = &sought->series->remark[thing - 1];

	return remark->is_doubt == sought->is_doubt && !strcmp(remark->text, sought->text) &&
	       !strcmp(remark->region, sought->region);
}

int pmu_series_remark(struct pmu_series *series, const char *text, const char *region,
		      bool is_doubt, unsigned int n_runs)
{
	const struct sought_remark sought = { series, text, region, is_doubt };
	uint32_t hash = pmu_hash_text(text, strlen(text)) ^
			pmu_hash_number(pmu_hash_text(region, strlen(region)));
	struct pmu_index_place *place;
	struct pmu_series_remark *grown;

	if (pmu_index_reserve(&series->remarks, 1))
		return -ENOMEM;
	place = pmu_index_find(&series->remarks, hash, same_remark, &sought);
	if (place->thing) {
		struct pmu_series_remark *known = &series->remark[place->thing - 1];

		known->n_runs += known->last != series->n_runs ? n_runs : 0;
		known->last = series->n_runs;
		return 0;
	}
	grown = series_grow(series->remark, series->n_remarks, &series->remark_room,
			    sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	series->remark = grown;
	pmu_index_take(&series->remarks, place, hash, series->n_remarks + 1);
	grown[series->n_remarks++] = (struct pmu_series_remark){
		.text = pmu_series_keep(series, text),
		.region = pmu_series_keep(series, region),
		.is_doubt = is_doubt,
		.n_runs = n_runs,
		.last = series->n_runs,
	};
	return 0;
}

int pmu_series_note(struct pmu_series *series, const char *text)
{
	return pmu_series_remark(series, text, "", false, (unsigned int)series->n_runs);
}
