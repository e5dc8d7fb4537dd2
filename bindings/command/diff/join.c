/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what belongs together in two series, and says what does not. */
#include "bindings/command/diff/join.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/diff/levels.h"
#include "report/model/block.h"

void pmu_diff_note(struct pmu_diff *diff, const char *fmt, ...)
{
	const char **grown = reallocarray(diff->note, diff->n_notes + 1, sizeof(*grown));
	const char *text;
	va_list args;

	va_start(args, fmt);
	text = pmu_block_vtextf(&diff->blocks, fmt, args);
	va_end(args);
	if (grown)
		diff->note = grown;
	if (grown && text)
		grown[diff->n_notes++] = text;
}

/* --- whether sides are of one kind --- */

static void note_texts(struct pmu_diff *diff, bool any_program)
{
	static const enum pmu_series_text told[] = {
		PMU_SERIES_PROGRAM, PMU_SERIES_HOST,          PMU_SERIES_MACHINE, PMU_SERIES_CPU,
		PMU_SERIES_SOURCE,  PMU_SERIES_SOURCE_DETAIL, PMU_SERIES_PINNING,
	};

	for (size_t i = 0; i < PMU_ARRAY_LEN(told); i++) {
		const char *a = diff->a->text[told[i]], *b = diff->b->text[told[i]];
		const char *name = pmu_series_text_name(told[i]);

		if (strcmp(a, b) != 0 && !(any_program && told[i] == PMU_SERIES_PROGRAM))
			pmu_diff_note(diff, "%s differs: A %s, B %s", name, a[0] ? a : "none",
				      b[0] ? b : "none");
		if ((diff->a->differs | diff->b->differs) >> told[i] & 1)
			pmu_diff_note(diff, "%s is not the same in all runs of one side", name);
	}
}

/* Whether a measure can be compared at all. */
static bool comparable(const struct pmu_diff *diff, const struct pmu_series_measure *measure,
		       const struct pmu_diff_request *request)
{
	bool simulated = pmu_series_is_simulated(diff->a) || pmu_series_is_simulated(diff->b);

	switch (measure->kind) {
	case PMU_SERIES_CALLS:
		return true;
	case PMU_SERIES_TIME:
		return !simulated;
	case PMU_SERIES_COUNT:
		return pmu_series_is_simulated(diff->a) == pmu_series_is_simulated(diff->b);
	case PMU_SERIES_METRIC:
		return request->wants ||
		       (request->metric && !strcmp(request->metric, measure->name));
	}
	return false;
}

static void note_simulated(struct pmu_diff *diff)
{
	if (pmu_series_is_simulated(diff->a) != pmu_series_is_simulated(diff->b))
		pmu_diff_note(diff,
			      "one side was simulated by valgrind and the other was not: only "
			      "calls are compared");
	else if (pmu_series_is_simulated(diff->a))
		pmu_diff_note(diff, "times are of valgrind's simulation: they are not compared");
}

/* --- measures --- */

static int find_group_measure(const struct pmu_series_group *group,
			      const struct pmu_series_measure *measure)
{
	for (unsigned int i = 0; i < group->n_measures; i++)
		if (group->measure[i].kind == measure->kind &&
		    !strcmp(group->measure[i].name, measure->name))
			return (int)i;
	return -1;
}

static void note_lonely(struct pmu_diff *diff, const struct pmu_series_group *group,
			const struct pmu_series_group *other, const char *side)
{
	for (unsigned int i = 0; i < group->n_measures; i++)
		if (find_group_measure(other, &group->measure[i]) < 0)
			pmu_diff_note(diff, "%s: only %s has %s", group->name, side,
				      group->measure[i].name);
}

bool pmu_diff_is_work(const struct pmu_series_measure *measure)
{
	static const char *const work[] = { "instructions", "branches",
					    "conditional and indirect branches",
					    "conditional-branches", "taken-branches" };

	for (size_t i = 0; i < PMU_ARRAY_LEN(work); i++)
		if (measure->kind == PMU_SERIES_COUNT && !strcmp(measure->name, work[i]))
			return true;
	return measure->kind == PMU_SERIES_CALLS;
}

static int join_measures(struct pmu_diff *diff, struct pmu_diff_group *group,
			 const struct pmu_diff_request *request)
{
	group->measure = pmu_block_array(&diff->blocks, group->a->n_measures + 1,
					 sizeof(*group->measure));
	if (!group->measure)
		return -ENOMEM;
	for (unsigned int i = 0; i < group->a->n_measures; i++) {
		const struct pmu_series_measure *measure = &group->a->measure[i];
		int at = find_group_measure(group->b, measure);

		if (at >= 0)
			group->measure[group->n_measures++] = (struct pmu_diff_measure){
				.name = measure->name,
				.unit = measure->unit,
				.kind = measure->kind,
				.a = i,
				.b = (unsigned int)at,
				.compared = comparable(diff, measure, request),
				.is_work = pmu_diff_is_work(measure),
				.depends_on_layout = measure->kind == PMU_SERIES_COUNT &&
						     pmu_series_is_simulated(diff->a) &&
						     !pmu_diff_is_work(measure),
			};
	}
	note_lonely(diff, group->a, group->b, "A");
	note_lonely(diff, group->b, group->a, "B");
	return 0;
}

/* --- regions --- */

size_t pmu_diff_name_len(const char *path)
{
	size_t len = 0;

	while (path[len] && path[len] != '/')
		len += path[len] == '\\' && path[len + 1] ? 2 : 1;
	return len;
}

/* The path that a region of A has in B. */
static void rename_path(const struct pmu_diff_request *request, const char *path,
			struct pmu_strbuf *out)
{
	out->len = 0;
	for (;;) {
		const char *to = NULL;
		size_t len = pmu_diff_name_len(path);

		for (size_t i = 0; i < request->n_renames; i++)
			if (request->rename[i].from_len == len &&
			    !memcmp(request->rename[i].from, path, len))
				to = request->rename[i].to;
		if (to)
			pmu_strbuf_add(out, to);
		else
			pmu_strbuf_add_n(out, path, len);
		path += len;
		if (!*path)
			return;
		pmu_strbuf_add_n(out, path++, 1);
	}
}

static void join_row(struct pmu_diff_group *group, const struct pmu_series_region *region, int a,
		     int b)
{
	group->row[group->n_rows++] =
		(struct pmu_diff_row){ .name = region->name, .path = region->path, .a = a, .b = b };
}

/* Those that both sides have, and of A alone; @taken: [regions of B]. */
static int join_known(struct pmu_diff_group *group, const struct pmu_diff_request *request,
		      const struct pmu_diff_levels *levels, const struct pmu_diff_stripped *sorted,
		      bool *taken)
{
	struct pmu_strbuf path = { 0 }, room = { 0 };

	for (unsigned int i = 0; i < group->a->n_regions; i++) {
		const struct pmu_series_region *region = &group->a->region[i];
		const char *stripped = pmu_diff_levels_strip(levels->a, region, &room);
		int b;

		if (!*stripped)
			continue;
		rename_path(request, stripped, &path);
		b = pmu_diff_levels_find(sorted, group->b, pmu_strbuf_text(&path), region->is_flat,
					 taken);
		if (b >= 0)
			taken[b] = true;
		join_row(group, b < 0 ? region : &group->b->region[b], (int)i, b);
	}
	pmu_strbuf_free(&path);
	pmu_strbuf_free(&room);
	return path.failed || room.failed ? -ENOMEM : 0;
}

static int join_regions(struct pmu_diff *diff, struct pmu_diff_group *group,
			const struct pmu_diff_request *request)
{
	const struct pmu_diff_levels levels = pmu_diff_levels(diff, group);
	size_t most = (size_t)group->a->n_regions + group->b->n_regions;
	bool *taken = calloc(group->b->n_regions + 1, sizeof(*taken));
	struct pmu_diff_stripped *sorted = pmu_diff_levels_sort(diff, levels.b, group->b);
	int rc = -ENOMEM;

	group->row = pmu_block_array(&diff->blocks, most + 1, sizeof(*group->row));
	if (taken && sorted && group->row)
		rc = join_known(group, request, &levels, sorted, taken);
	for (unsigned int i = 0; !rc && i < group->b->n_regions; i++)
		if (!taken[sorted[i].region - group->b->region] && *sorted[i].path)
			join_row(group, sorted[i].region, -1,
				 (int)(sorted[i].region - group->b->region));
	free(taken);
	return rc;
}

/* --- groups --- */

static const struct pmu_series_group *find_group(const struct pmu_series *series, const char *name)
{
	for (unsigned int i = 0; i < series->n_groups; i++)
		if (!strcmp(series->group[i].name, name))
			return &series->group[i];
	return NULL;
}

static void note_group(struct pmu_diff *diff, const struct pmu_series *series,
		       const struct pmu_series *other, const char *side)
{
	for (unsigned int i = 0; i < series->n_groups; i++)
		if (!find_group(other, series->group[i].name))
			pmu_diff_note(diff, "only %s counted the group %s", side,
				      series->group[i].name);
}

/* The command itself: what the kernel says of it. */
static int add_whole(struct pmu_diff *diff)
{
	static const struct pmu_diff_measure whole[] = {
		{ .name = "elapsed", .unit = "ns", .kind = PMU_SERIES_TIME },
		{ .name = "user", .unit = "ns", .kind = PMU_SERIES_TIME },
		{ .name = "system", .unit = "ns", .kind = PMU_SERIES_TIME },
		{ .name = "memory", .unit = "B", .kind = PMU_SERIES_COUNT },
	};
	struct pmu_diff_group *group = &diff->group[diff->n_groups];

	if (!diff->a->run[0].has_end || !diff->b->run[0].has_end)
		return 0;
	group->name = "the whole command";
	group->measure = pmu_block_array(&diff->blocks, PMU_ARRAY_LEN(whole), sizeof(whole[0]));
	group->row = pmu_block_array(&diff->blocks, 1, sizeof(*group->row));
	if (!group->measure || !group->row)
		return -ENOMEM;
	memcpy(group->measure, whole, sizeof(whole));
	group->n_measures = PMU_ARRAY_LEN(whole);
	for (unsigned int m = 0; m < group->n_measures; m++)
		group->measure[m].compared = !pmu_series_is_simulated(diff->a) &&
					     !pmu_series_is_simulated(diff->b);
	group->n_rows = 1;
	group->row[0] = (struct pmu_diff_row){ .name = "", .path = "" };
	diff->n_groups++;
	return 0;
}

int pmu_diff_join(struct pmu_diff *diff, const struct pmu_diff_request *request)
{
	int rc;

	/* two commands are named in turns because they are two */
	note_texts(diff, request->paired);
	note_simulated(diff);
	note_group(diff, diff->a, diff->b, "A");
	note_group(diff, diff->b, diff->a, "B");
	diff->group = pmu_block_array(&diff->blocks, diff->a->n_groups + 1, sizeof(*diff->group));
	if (!diff->group)
		return -ENOMEM;
	rc = add_whole(diff);
	for (unsigned int i = 0; !rc && i < diff->a->n_groups; i++) {
		struct pmu_diff_group *group = &diff->group[diff->n_groups];

		group->a = &diff->a->group[i];
		group->b = find_group(diff->b, group->a->name);
		if (!group->b)
			continue;
		group->name = group->a->name;
		diff->n_groups++;
		rc = join_measures(diff, group, request);
		if (!rc)
			rc = join_regions(diff, group, request);
	}
	return rc;
}
