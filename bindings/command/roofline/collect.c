/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What regions computed and moved, from the metrics of whatever sections have them.
 *
 * A metric is known by its name and unit (lib/names/data): so another processor, or a group of
 * the user's own, needs no change here.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/roofline/parts.h"

/* A metric that is a part of something. */
enum part {
	DOUBLE,
	DOUBLE_E, /* of a hybrid's E cores; beside the others' */
	SINGLE,
	SINGLE_E,
	ANY, /* both groups count the same then */
	READ,
	WRITTEN,
	MISSES,
	FILLS,
	N_PARTS
};

static const struct {
	const char *name, *unit;
	enum part part;
} metrics[] = {
	{ "double precision", "GFLOP/s", DOUBLE },
	{ "double precision, E core", "GFLOP/s", DOUBLE_E },
	{ "single precision", "GFLOP/s", SINGLE },
	{ "single precision, E core", "GFLOP/s", SINGLE_E },
	{ "any precision", "GFLOP/s", ANY },
	{ "memory read", "GB", READ },
	{ "memory written", "GB", WRITTEN },
	{ "last level misses", "GB/s", MISSES },
	{ "L1 fills from memory", "GB/s", FILLS },
};

/* Of one region, from one section each. */
struct found {
	double per_call[N_PARTS]; /* operations or bytes; NaN: unknown */
	double rate[N_PARTS];     /* of all threads together, a second */
};

/* --- one section's row --- */

/* What a region was at work for, on each of its threads. */
static double elapsed_s(const struct pmu_model_row *row)
{
	return (double)row->time_ns * 1e-9 / (row->n_threads ? row->n_threads : 1);
}

static bool is_timed_team(const struct pmu_model_row *row)
{
	return row->team && row->team->has_others && row->team->time_known;
}

/* All of it: a rate is by the time of all threads together. */
static double amount(const struct pmu_model_section *section, unsigned int m,
		     const struct pmu_model_row *row)
{
	const char *unit = section->metric[m].unit;
	bool is_rate = strlen(unit) > 2 && !strcmp(unit + strlen(unit) - 2, "/s");
	bool team = is_rate && is_timed_team(row);
	double value = team ? row->team->all.metric[m] : row->metric[m];
	double seconds = (double)(team ? row->team->all.time_ns : row->time_ns) * 1e-9;

	return value >= 0 ? value * 1e9 * (is_rate ? seconds : 1) : NAN;
}

static void take_row_metrics(const struct pmu_model_section *section,
			     const struct pmu_model_row *row, struct found *found)
{
	double seconds = elapsed_s(row);

	if (!row->calls || !row->metric || !(seconds > 0))
		return;
	for (unsigned int m = 0; m < section->n_metrics; m++)
		for (size_t i = 0; i < PMU_ARRAY_LEN(metrics); i++) {
			enum part part = metrics[i].part;
			double all;

			if (strcmp(section->metric[m].name, metrics[i].name) != 0 ||
			    strcmp(section->metric[m].unit, metrics[i].unit) != 0 ||
			    !isnan(found->per_call[part]))
				continue;
			all = amount(section, m, row);
			found->per_call[part] = all / (double)row->calls;
			found->rate[part] = all / seconds;
		}
}

/* --- a region over its sections --- */

static double plus(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

static double of_double(const double *part)
{
	return plus(part[DOUBLE], part[DOUBLE_E]);
}

static double of_single(const double *part)
{
	return plus(part[SINGLE], part[SINGLE_E]);
}

static double all_flops(const double *part)
{
	return isnan(part[ANY]) ? plus(of_double(part), of_single(part)) : part[ANY];
}

static double memory(const double *part)
{
	return part[READ] + part[WRITTEN];
}

static double misses(const double *part)
{
	return part[MISSES];
}

static double fills(const double *part)
{
	return part[FILLS];
}

static void take_bytes(const struct found *found, struct pmu_roofline_row *row)
{
	/* the best first */
	static const struct {
		enum pmu_roofline_bytes by;
		double (*of)(const double *part);
	} ways[] = { { PMU_BYTES_MEMORY, memory },
		     { PMU_BYTES_MISSES, misses },
		     { PMU_BYTES_FILLS, fills } };

	row->bytes = row->byte_rate = NAN;
	for (size_t i = 0; i < PMU_ARRAY_LEN(ways) && row->bytes_by == PMU_BYTES_NONE; i++) {
		if (isnan(ways[i].of(found->per_call)))
			continue;
		row->bytes = ways[i].of(found->per_call);
		row->byte_rate = ways[i].of(found->rate);
		row->bytes_by = ways[i].by;
	}
}

static void take_found(struct pmu_roofline *roofline, const struct found *found,
		       struct pmu_roofline_row *row)
{
	row->flop[PMU_DOUBLE] = of_double(found->per_call);
	row->flop[PMU_SINGLE] = of_single(found->per_call);
	row->flop_any = found->per_call[ANY];
	row->flops = all_flops(found->per_call);
	row->flop_rate = all_flops(found->rate);
	take_bytes(found, row);
	row->intensity = row->flops / row->bytes; /* 0 / 0 is unknown, too */
	roofline->has_flop[PMU_DOUBLE] |= !isnan(row->flop[PMU_DOUBLE]);
	roofline->has_flop[PMU_SINGLE] |= !isnan(row->flop[PMU_SINGLE]);
	roofline->has_any_flop |= !isnan(row->flop_any);
	roofline->has_bytes[row->bytes_by] = true;
}

/* Rows without a measurement only stand around others. */
static bool is_region(const struct pmu_model_row *row)
{
	return !(row->flags & PMU_ROW_PROGRAM) && pmu_model_is_timed(row);
}

/* A section's row. */
struct entry {
	const struct pmu_model_row *row;
	unsigned int section, index;
};

static int compare_numbers(unsigned int a, unsigned int b)
{
	return (a > b) - (a < b);
}

/* What is the same region stands together, by section. */
static int by_region(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->row->path, y->row->path);

	if (!order)
		order = compare_numbers(x->row->flags & PMU_ROW_FLAT, y->row->flags & PMU_ROW_FLAT);
	return order ? order : compare_numbers(x->section, y->section);
}

static bool is_same_region(const struct entry *a, const struct entry *b)
{
	return (a->row->flags & PMU_ROW_FLAT) == (b->row->flags & PMU_ROW_FLAT) &&
	       !strcmp(a->row->path, b->row->path);
}

static int by_row_place(const void *a, const void *b)
{
	const struct pmu_roofline_row *x = a, *y = b;
	int order = compare_numbers(x->section, y->section);

	return order ? order : compare_numbers(x->index, y->index);
}

/* @entry: @n of the same region */
static void add_region(struct pmu_roofline *roofline, const struct entry *entry, size_t n)
{
	struct pmu_roofline_row *row = &roofline->row[roofline->n_rows++];
	struct found found;

	for (int i = 0; i < N_PARTS; i++)
		found.per_call[i] = found.rate[i] = NAN;
	*row = (struct pmu_roofline_row){
		.name = entry->row->name,
		.path = entry->row->path,
		.depth = entry->row->depth,
		.section = entry->section,
		.index = entry->index,
	};
	for (size_t i = 0; i < n; i++) {
		const struct pmu_model_row *from = entry[i].row;

		row->time_ns += from->time_ns;
		row->self_ns += pmu_model_self_known(from) ? from->self_ns : 0;
		if (from->n_threads > row->threads)
			row->threads = from->n_threads;
		if (is_timed_team(from) && from->team->n_threads > row->threads)
			row->threads = from->team->n_threads;
		take_row_metrics(&roofline->model->section[entry[i].section], from, &found);
	}
	take_found(roofline, &found, row);
}

static size_t list_entries(const struct pmu_model *model, struct entry *entry)
{
	size_t n = 0;

	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int r = 0; r < model->section[s].n_rows; r++)
			if (is_region(&model->section[s].row[r]))
				entry[n++] = (struct entry){ &model->section[s].row[r], s, r };
	return n;
}

int pmu_roofline_collect(struct pmu_roofline *roofline)
{
	const struct pmu_model *model = roofline->model;
	struct entry *entry;
	size_t n = 0, same;

	for (unsigned int s = 0; s < model->n_sections; s++)
		n += model->section[s].n_rows;
	entry = calloc(n + 1, sizeof(*entry));
	roofline->row = calloc(n + 1, sizeof(*roofline->row));
	if (!entry || !roofline->row) {
		free(entry);
		return -ENOMEM;
	}
	n = list_entries(model, entry);
	qsort(entry, n, sizeof(*entry), by_region);
	for (size_t i = 0; i < n; i += same) {
		for (same = 1; i + same < n && is_same_region(&entry[i], &entry[i + same]); same++)
			;
		add_region(roofline, &entry[i], same);
	}
	free(entry);
	qsort(roofline->row, roofline->n_rows, sizeof(*roofline->row), by_row_place);
	return 0;
}
