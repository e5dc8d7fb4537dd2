/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that is linked with the library has the same regions by itself and under `pmu run`, but for these around. */
#include "bindings/command/diff/levels.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/command/diff/join.h"
#include "report/model/block.h"

static const struct {
	const char *name;
	bool is_outermost; /* nowhere else */
} level[] = { { "main", true }, { "thread", false } };

/* --- which there are --- */

static unsigned int levels_of(const struct pmu_series_group *group)
{
	unsigned int levels = 0;

	for (unsigned int i = 0; i < group->n_regions; i++)
		for (unsigned int k = 0; k < PMU_ARRAY_LEN(level); k++)
			if (!group->region[i].is_flat &&
			    !strcmp(group->region[i].name, level[k].name) &&
			    (group->region[i].parent < 0 || !level[k].is_outermost))
				levels |= 1u << k;
	return levels;
}

static void note_levels(struct pmu_diff *diff, const struct pmu_diff_group *group,
			unsigned int levels, const char *side)
{
	struct pmu_strbuf names = { 0 };

	for (unsigned int k = 0; k < PMU_ARRAY_LEN(level); k++)
		if (levels >> k & 1)
			pmu_strbuf_addf(&names, "%s\"%s\"", names.len ? " and " : "",
					level[k].name);
	if (names.len)
		pmu_diff_note(
			diff,
			"%s: only %s was made by pmu run, which puts %s around regions: paths "
			"are compared without",
			group->name, side, pmu_strbuf_text(&names));
	pmu_strbuf_free(&names);
}

/* What pmu run has made says how the command ended. */
static bool is_run(const struct pmu_series *series)
{
	return series->n_runs && series->run[0].has_end;
}

struct pmu_diff_levels pmu_diff_levels(struct pmu_diff *diff, const struct pmu_diff_group *group)
{
	unsigned int a = levels_of(group->a), b = levels_of(group->b);
	struct pmu_diff_levels levels = { is_run(diff->a) && !is_run(diff->b) ? a & ~b : 0,
					  is_run(diff->b) && !is_run(diff->a) ? b & ~a : 0 };

	note_levels(diff, group, levels.a, "A");
	note_levels(diff, group, levels.b, "B");
	return levels;
}

/* --- paths without them --- */

static bool is_level(unsigned int levels, const char *name, size_t len, bool is_first)
{
	for (unsigned int k = 0; k < PMU_ARRAY_LEN(level); k++)
		if (levels >> k & 1 && strlen(level[k].name) == len &&
		    !memcmp(level[k].name, name, len) && (is_first || !level[k].is_outermost))
			return true;
	return false;
}

const char *pmu_diff_levels_strip(unsigned int levels, const struct pmu_series_region *region,
				  struct pmu_strbuf *out)
{
	const char *path = region->path;

	if (!levels || region->is_flat)
		return path;
	out->len = 0;
	while (*path) {
		size_t len = pmu_diff_name_len(path);

		if (!is_level(levels, path, len, path == region->path)) {
			if (out->len)
				pmu_strbuf_add_n(out, "/", 1);
			pmu_strbuf_add_n(out, path, len);
		}
		path += len + (path[len] == '/');
	}
	return out->len ? pmu_strbuf_text(out) : "";
}

/* --- regions by these --- */

static int by_path(const void *a, const void *b)
{
	const struct pmu_diff_stripped *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : (x->region > y->region) - (x->region < y->region);
}

struct pmu_diff_stripped *pmu_diff_levels_sort(struct pmu_diff *diff, unsigned int levels,
					       const struct pmu_series_group *group)
{
	struct pmu_diff_stripped *sorted = pmu_block_array(
		&diff->blocks, (size_t)group->n_regions + 1, sizeof(*sorted));
	struct pmu_strbuf room = { 0 };
	bool failed = !sorted;

	for (unsigned int i = 0; !failed && i < group->n_regions; i++) {
		const struct pmu_series_region *region = &group->region[i];
		const char *path = pmu_diff_levels_strip(levels, region, &room);

		if (path != region->path)
			path = pmu_block_text(&diff->blocks, path, strlen(path));
		sorted[i] = (struct pmu_diff_stripped){ path, region };
		failed = !path || room.failed;
	}
	pmu_strbuf_free(&room);
	if (failed)
		return NULL;
	qsort(sorted, group->n_regions, sizeof(*sorted), by_path);
	return sorted;
}

int pmu_diff_levels_find(const struct pmu_diff_stripped *sorted,
			 const struct pmu_series_group *group, const char *path, bool is_flat,
			 const bool *taken)
{
	size_t first = 0, behind = group->n_regions;

	while (first < behind) {
		size_t middle = first + (behind - first) / 2;

		if (strcmp(sorted[middle].path, path) < 0)
			first = middle + 1;
		else
			behind = middle;
	}
	for (; first < group->n_regions && !strcmp(sorted[first].path, path); first++) {
		size_t index = (size_t)(sorted[first].region - group->region);

		if (sorted[first].region->is_flat == is_flat && !taken[index])
			return (int)index;
	}
	return -1;
}
