/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that have another share of a region's samples in B than in A. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "bindings/command/diff/join.h"
#include "bindings/command/stats/stats.h"
#include "report/model/block.h"
#include "report/model/samples.h"

/* Of both sides together: fewer can hardly differ by more than noise, and each test makes all others weaker. */
#define FEWEST 10

enum { A, B, SIDES };

/** What one run has of one function. */
struct seen {
	size_t function, run;
	double n;
};

/** One region of both sides, on its way.  Runs are those of A that were sampled, then those of B. */
struct sampled_row {
	struct pmu_model_block *blocks;
	struct pmu_diff_function *function; /* of the result, the only thing that stays */
	size_t n_functions;
	struct pmu_index by_name; /* of functions, from 1 */
	struct seen *seen;
	size_t n_seen;
	double *part, *of, *calls; /* [runs]; calls for each nanosecond of a sample */
	size_t n_runs[SIDES];
	double n[SIDES];
	bool calls_known;
	struct pmu_sample_unit unit;
	bool is_mixed; /* runs were sampled by different events: their shares are of different things */
};

/** All functions that are tested: a family of their own. */
struct function_family {
	struct pmu_diff_function **tested;
	double *p;
	size_t n, room;
	bool is_mixed; /* some region's samples are of different events */
};

/* --- what there is --- */

struct wanted_function {
	const struct sampled_row *row;
	const struct pmu_model_function *function;
};

/* A library of another version is the same: "libz.so.1.2.13" up to ".so". */
static size_t object_length(const char *object)
{
	const char *ending = strstr(object, ".so.");

	return ending ? (size_t)(ending - object) + strlen(".so") : strlen(object);
}

static bool is_same_object(const char *a, const char *b)
{
	size_t len = object_length(a);

	return len == object_length(b) && !memcmp(a, b, len);
}

static bool is_wanted_diff_function(const void *arg, uintptr_t number)
{
	const struct wanted_function *wanted = arg;
	const struct pmu_diff_function *is = &wanted->row->function[number - 1];

	return !strcmp(is->name, wanted->function->name) &&
	       is_same_object(is->object, wanted->function->object);
}

/* There is room for it. */
static size_t place_function(struct sampled_row *row, const struct pmu_model_function *function)
{
	const struct wanted_function wanted = { row, function };
	uint32_t hash = pmu_hash_text(function->name, strlen(function->name)) ^
			2 * pmu_hash_text(function->object, object_length(function->object));
	struct pmu_index_place *place = pmu_index_find(&row->by_name, hash, is_wanted_diff_function,
						       &wanted);

	if (place->thing)
		return place->thing - 1;
	row->function[row->n_functions++] = (struct pmu_diff_function){
		.name = function->name,
		.object = function->object,
		.p = NAN,
		.verdict = PMU_DIFF_UNKNOWN,
		.time = { NAN, NAN, NAN, NAN, NAN },
	};
	pmu_index_take(&row->by_name, place, hash, row->n_functions);
	return row->n_functions - 1;
}

static void take_sampled_run(struct sampled_row *row, const struct pmu_series_group *group,
			     size_t run, unsigned int region, int side)
{
	const struct pmu_model_samples *samples = pmu_series_samples(group, run, region);
	uint64_t calls = pmu_series_value(group, run, region, 0, PMU_SERIES_ALL);
	size_t at = row->n_runs[A] + row->n_runs[B];

	row->n_runs[side]++;
	if (!samples || !samples->unit.period || !pmu_sample_is_time(&samples->unit) ||
	    calls == PMU_SERIES_MISSING || !calls)
		row->calls_known = false;
	else
		row->calls[at] = (double)calls / (double)samples->unit.period;
	if (!samples)
		return;
	row->is_mixed |= !pmu_sample_unit_add(&row->unit, &samples->unit);
	row->of[at] = (double)samples->n;
	row->n[side] += row->of[at];
	for (unsigned int i = 0; i < samples->n_functions; i++) {
		double n = (double)samples->function[i].n_samples;
		size_t function = place_function(row, &samples->function[i]);

		row->function[function].n[side] += n;
		row->seen[row->n_seen++] = (struct seen){ function, at, n };
	}
}

/* Return: most functions that the runs of one side can have, which are counted in @n_runs. */
static size_t count_seen(const struct pmu_series *series, const struct pmu_series_group *group,
			 unsigned int region, size_t *n_runs)
{
	size_t n = 0;

	for (size_t run = 0; run < series->n_runs; run++) {
		const struct pmu_model_samples *samples = pmu_series_samples(group, run, region);

		*n_runs += group->values[run].samples != NULL;
		n += samples ? samples->n_functions : 0;
	}
	return n;
}

/* Return: 0; -ENOMEM. */
static int take_sampled(struct pmu_diff *diff, const struct pmu_diff_group *group,
			const struct pmu_diff_row *of, struct sampled_row *row)
{
	const struct pmu_series *series[] = { diff->a, diff->b };
	const struct pmu_series_group *in[] = { group->a, group->b };
	unsigned int region[] = { (unsigned int)of->a, (unsigned int)of->b };
	size_t n_seen = 0, n_runs = 0;

	for (int side = A; side < SIDES; side++)
		n_seen += count_seen(series[side], in[side], region[side], &n_runs);
	row->function = pmu_block_array(&diff->blocks, n_seen + 1, sizeof(*row->function));
	row->seen = pmu_block_array(&row->blocks, n_seen + 1, sizeof(*row->seen));
	row->part = pmu_block_array(&row->blocks, n_runs + 1, 3 * sizeof(*row->part));
	if (!row->function || !row->seen || !row->part || pmu_index_reserve(&row->by_name, n_seen))
		return -ENOMEM;
	row->of = row->part + n_runs;
	row->calls = row->of + n_runs;
	row->calls_known = true;
	for (int side = A; side < SIDES; side++)
		for (size_t run = 0; run < series[side]->n_runs; run++)
			if (in[side]->values[run].samples)
				take_sampled_run(row, in[side], run, region[side], side);
	return 0;
}

/* --- one function --- */

static struct pmu_diff_pace compare_pace(const struct pmu_sampled side[SIDES])
{
	double a = pmu_stats_rate(&side[A]), b = pmu_stats_rate(&side[B]);
	struct pmu_interval change = pmu_stats_rates(&side[A], &side[B], PMU_SERIES_LEVEL);

	return (struct pmu_diff_pace){ a, b, b - a, change.low, change.high };
}

static void compare_function(const struct sampled_row *row, struct pmu_diff_function *function)
{
	struct pmu_sampled side[] = { { row->part, row->of, row->n_runs[A] },
				      { row->part + row->n_runs[A], row->of + row->n_runs[A],
					row->n_runs[B] } };
	struct pmu_compared compared;

	pmu_stats_shares(&side[A], &side[B], PMU_SERIES_LEVEL, &compared);
	function->a = function->n[A] / row->n[A];
	function->b = function->n[B] / row->n[B];
	function->change = compared.shift;
	function->low = compared.interval.low;
	function->high = compared.interval.high;
	function->p = compared.p;
	if (!row->calls_known)
		return;
	side[A].of = row->calls;
	side[B].of = row->calls + row->n_runs[A];
	function->time = compare_pace(side);
}

static int add_to_family(struct function_family *family, struct pmu_diff_function *function)
{
	if (family->n == family->room) {
		size_t room = family->room ? 2 * family->room : 64;
		struct pmu_diff_function **grown = reallocarray(family->tested, room,
								sizeof(struct pmu_diff_function *));
		double *p;

		family->tested = grown ? grown : family->tested;
		p = reallocarray(family->p, room, sizeof(*p));
		family->p = p ? p : family->p;
		if (!grown || !p)
			return -ENOMEM;
		family->room = room;
	}
	family->p[family->n] = function->p;
	family->tested[family->n++] = function;
	return 0;
}

static int by_function(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return (x->function > y->function) - (x->function < y->function);
}

static int compare_functions(struct sampled_row *row, struct function_family *family)
{
	size_t n_runs = row->n_runs[A] + row->n_runs[B];
	int rc = 0;

	qsort(row->seen, row->n_seen, sizeof(*row->seen), by_function);
	for (size_t i = 0; i < row->n_seen && !rc;) {
		struct pmu_diff_function *function = &row->function[row->seen[i].function];

		memset(row->part, 0, n_runs * sizeof(*row->part));
		for (size_t f = row->seen[i].function;
		     i < row->n_seen && row->seen[i].function == f; i++)
			row->part[row->seen[i].run] += row->seen[i].n;
		compare_function(row, function);
		/* what is left out is left out for what both have together: it says nothing of a difference */
		if (function->n[A] + function->n[B] >= FEWEST)
			rc = add_to_family(family, function);
		else
			function->p = NAN;
	}
	return rc;
}

/* --- all of them --- */

static int compare_row(struct pmu_diff *diff, const struct pmu_diff_group *group,
		       struct pmu_diff_row *of, struct function_family *family)
{
	struct sampled_row row = { .n_functions = 0 };
	int rc = take_sampled(diff, group, of, &row);

	family->is_mixed |= row.is_mixed;
	if (!rc && !row.is_mixed && row.n[A] >= PMU_SAMPLES_FEW && row.n[B] >= PMU_SAMPLES_FEW) {
		of->function = row.function;
		of->n_functions = row.n_functions;
		of->n_samples[A] = row.n[A];
		of->n_samples[B] = row.n[B];
		memcpy(of->sampled, row.unit.event, sizeof(of->sampled));
		memcpy(diff->sampled, of->sampled, sizeof(diff->sampled));
		rc = compare_functions(&row, family);
	}
	pmu_index_free(&row.by_name);
	pmu_block_free(&row.blocks);
	return rc;
}

static void judge_functions(struct pmu_diff *diff, const struct function_family *family)
{
	for (size_t i = 0; i < family->n; i++) {
		struct pmu_diff_function *function = family->tested[i];

		function->p = family->p[i];
		function->verdict = function->p > PMU_DIFF_ALPHA ? PMU_DIFF_SAME
				    : function->n[A] == 0        ? PMU_DIFF_NEW
				    : function->n[B] == 0        ? PMU_DIFF_GONE
								 : PMU_DIFF_DIFFERS;
		diff->n_functions_differ += pmu_diff_function_differs(function);
	}
	diff->n_functions_compared = family->n;
}

bool pmu_diff_function_differs(const struct pmu_diff_function *function)
{
	return function->verdict != PMU_DIFF_SAME && function->verdict != PMU_DIFF_UNKNOWN;
}

/* What changed first, and of the rest what has most. */
static int by_change(const void *a, const void *b)
{
	const struct pmu_diff_function *x = a, *y = b;
	bool x_differs = pmu_diff_function_differs(x), y_differs = pmu_diff_function_differs(y);
	double of_x = x_differs ? fabs(x->change) : x->n[A] + x->n[B];
	double of_y = y_differs ? fabs(y->change) : y->n[A] + y->n[B];
	int order;

	if (x_differs != y_differs)
		return x_differs ? -1 : 1;
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->object, y->object);
}

static void finish_functions(struct pmu_diff_row *row)
{
	if (row->n_functions)
		qsort(row->function, row->n_functions, sizeof(*row->function), by_change);
	while (row->n_functions_differ < row->n_functions &&
	       pmu_diff_function_differs(&row->function[row->n_functions_differ]))
		row->n_functions_differ++;
}

int pmu_diff_functions(struct pmu_diff *diff)
{
	struct function_family family = { .n = 0 };
	int rc = 0;

	for (unsigned int g = 0; g < diff->n_groups; g++) {
		struct pmu_diff_group *group = &diff->group[g];

		for (unsigned int r = 0; !rc && group->a && r < group->n_rows; r++)
			if (group->row[r].a >= 0 && group->row[r].b >= 0)
				rc = compare_row(diff, group, &group->row[r], &family);
	}
	if (!rc)
		rc = pmu_stats_holm(family.p, family.n);
	if (!rc)
		judge_functions(diff, &family);
	if (family.is_mixed)
		pmu_diff_note(diff,
			      "A and B were sampled by different events: where their functions "
			      "are is not compared");
	for (unsigned int g = 0; g < diff->n_groups; g++)
		for (unsigned int r = 0; !rc && r < diff->group[g].n_rows; r++)
			finish_functions(&diff->group[g].row[r]);
	free(family.tested);
	free(family.p);
	return rc;
}

const char *pmu_diff_pace_name(const struct pmu_diff_pace *time)
{
	return isnan(time->change) ? ""
	       : time->low > 0     ? "slower"
	       : time->high < 0    ? "faster"
				   : "same";
}
