/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether two sides differ in a value by more than noise, and where that is worth telling first. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/diff/join.h"
#include "bindings/command/stats/stats.h"
#include "report/model/block.h"

/* Rows. */
#define LARGE 200

/* The runs of one side, of a value. */
struct side {
	const struct pmu_series *series;
	uint64_t *raw; /* [n] */
	double *value; /* [n] */
	size_t n;
};

struct testing {
	struct pmu_diff *diff;
	const struct pmu_diff_request *request;
	struct side a, b;
	double *pair; /* B - A of each, [n_pairs] */
	size_t n_pairs;
	bool is_large; /* so many values that their p are 1 after correction, or near 0 */
	double *p;     /* of all that was tested, [n_p] */
	struct pmu_diff_value **tested;
	size_t n_p, room;
	bool failed;
};

/* --- values of runs --- */

static uint64_t whole_of(const struct pmu_series_run *run, unsigned int measure)
{
	const uint64_t value[] = { run->end.elapsed_ns, run->end.user_ns, run->end.system_ns,
				   run->end.max_rss };

	return run->has_end ? value[measure] : PMU_SERIES_MISSING;
}

/* What a side's values are of. */
struct place {
	const struct pmu_series_group *group; /* NULL: the whole command */
	int region;                           /* -1: the side does not have it */
	unsigned int measure;
	enum pmu_series_share share;
};

static uint64_t value_at_place(const struct side *side, const struct place *place, size_t run)
{
	if (place->region < 0 || run >= side->series->n_runs)
		return PMU_SERIES_MISSING;
	return !place->group ? whole_of(&side->series->run[run], place->measure)
			     : pmu_series_value(place->group, run, (unsigned int)place->region,
						place->measure, place->share);
}

static void take_side(struct side *side, const struct place *place)
{
	side->n = 0;
	for (size_t run = 0; run < side->series->n_runs; run++) {
		uint64_t value = value_at_place(side, place, run);

		if (value != PMU_SERIES_MISSING)
			side->raw[side->n++] = value;
	}
}

/* A pair of runs of which one has no such value is left out. */
static void take_pairs(struct testing *t, const struct place *a, const struct place *b)
{
	t->a.n = t->b.n = 0;
	for (size_t run = 0; run < t->diff->n_pairs; run++) {
		uint64_t in_a = value_at_place(&t->a, a, run), in_b = value_at_place(&t->b, b, run);

		if (in_a == PMU_SERIES_MISSING || in_b == PMU_SERIES_MISSING)
			continue;
		t->a.raw[t->a.n++] = in_a;
		t->b.raw[t->b.n++] = in_b;
	}
}

static uint64_t least_of(const struct side *side, uint64_t least)
{
	for (size_t i = 0; i < side->n; i++)
		if (side->raw[i] < least)
			least = side->raw[i];
	return least;
}

/* Changes are compared as ratios where there are any: what makes all slower by a tenth does so to each. */
static double as_ratio(double value, double base)
{
	return base > 0 ? log1p(value / base) : value;
}

static double as_change(double ratio, double base, double median)
{
	return base > 0 ? expm1(ratio) * median : ratio;
}

/*
 * Numbers beyond 2^53 keep all that they differ in.
 * Return: what was taken off all of them; 0: nothing, and there are no ratios.
 */
static double as_numbers(struct testing *t, enum pmu_series_kind kind)
{
	uint64_t base = least_of(&t->a, least_of(&t->b, UINT64_MAX));
	struct side *const side[] = { &t->a, &t->b };

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < side[s]->n; i++) {
			if (kind == PMU_SERIES_METRIC)
				memcpy(&side[s]->value[i], &side[s]->raw[i], sizeof(double));
			else
				side[s]->value[i] = (double)(side[s]->raw[i] - base);
		}
	t->n_pairs = t->request->paired ? t->a.n : 0;
	if (kind == PMU_SERIES_METRIC || base == UINT64_MAX)
		base = 0;
	for (size_t i = 0; i < t->n_pairs; i++)
		t->pair[i] = as_ratio(t->b.value[i], (double)base) -
			     as_ratio(t->a.value[i], (double)base);
	return (double)base;
}

static struct pmu_series_summary summarize_side(const struct side *side, double base)
{
	struct pmu_series_summary s = { side->n, NAN, NAN, NAN, NAN, NAN };

	pmu_stats_sort(side->value, side->n);
	if (!side->n)
		return s;
	s.median = base + pmu_stats_median(side->value, side->n);
	s.least = base + side->value[0];
	s.most = base + side->value[side->n - 1];
	return s;
}

static void take_both(struct testing *t, const struct pmu_diff_group *group,
		      const struct pmu_diff_row *row, const struct pmu_diff_measure *measure,
		      enum pmu_series_share share)
{
	unsigned int whole = (unsigned int)(measure - group->measure);
	struct place a = { group->a, row->a, group->a ? measure->a : whole, share };
	struct place b = { group->b, row->b, group->b ? measure->b : whole, share };

	/* what only one side has makes no pairs; its medians are told all the same */
	if (t->request->paired && row->a >= 0 && row->b >= 0) {
		take_pairs(t, &a, &b);
	} else {
		take_side(&t->a, &a);
		take_side(&t->b, &b);
	}
}

/* --- one value --- */

static void remember(struct testing *t, struct pmu_diff_value *value)
{
	if (t->n_p == t->room) {
		size_t room = t->room ? 2 * t->room : 256;
		double *p = reallocarray(t->p, room, sizeof(*p));
		struct pmu_diff_value **tested;

		t->p = p ? p : t->p;
		tested = reallocarray(t->tested, room, sizeof(struct pmu_diff_value *));
		t->tested = tested ? tested : t->tested;
		if (!p || !tested) {
			t->failed = true;
			return;
		}
		t->room = room;
	}
	t->p[t->n_p] = value->p;
	t->tested[t->n_p++] = value;
}

static bool is_same_in_all(const struct pmu_series_summary *s)
{
	return s->n > 1 && s->least == s->most;
}

/*
 * What a program does each time needs no statistics: one more is more.  Other counts, as misses, may
 * be the same twice by chance.
 */
static bool is_exact_value(const struct pmu_diff_measure *measure,
			   const struct pmu_diff_value *value)
{
	return (measure->is_work || measure->depends_on_layout) && is_same_in_all(&value->a) &&
	       is_same_in_all(&value->b);
}

static void make_ratios(const struct side *side, double base)
{
	for (size_t i = 0; i < side->n; i++)
		side->value[i] = as_ratio(side->value[i], base);
}

/* @base: of as_numbers() */
static void test(struct testing *t, struct pmu_diff_value *value, double base)
{
	struct pmu_compared compared;
	int rc;

	make_ratios(&t->a, base);
	make_ratios(&t->b, base);
	rc = t->n_pairs    ? pmu_stats_signed_rank(t->pair, t->n_pairs, PMU_SERIES_LEVEL, &compared)
	     : t->is_large ? pmu_stats_rank_sum_quick(t->a.value, t->a.n, t->b.value, t->b.n,
						      PMU_SERIES_LEVEL, &compared)
			   : pmu_stats_rank_sum(t->a.value, t->a.n, t->b.value, t->b.n,
						PMU_SERIES_LEVEL, &compared);

	if (rc) {
		t->failed = true;
		return;
	}
	if (t->n_pairs)
		value->change = as_change(compared.shift, base, value->a.median);
	value->low = as_change(compared.interval.low, base, value->a.median);
	value->high = as_change(compared.interval.high, base, value->a.median);
	value->p = compared.p;
	if (isnan(compared.p)) /* all are equal */
		value->verdict = PMU_DIFF_SAME;
	else
		remember(t, value);
}

static bool is_test_wanted(const struct pmu_diff_request *request, const struct pmu_diff_row *row,
			   const struct pmu_diff_measure *measure)
{
	return measure->compared && (!request->wants || request->wants(request->arg, row, measure));
}

static void compare_sides(struct testing *t, const struct pmu_diff_row *row,
			  const struct pmu_diff_measure *measure, struct pmu_diff_value *value,
			  double base)
{
	value->change = value->b.median - value->a.median;
	if (!t->a.n || !t->b.n || !is_test_wanted(t->request, row, measure))
		return;
	if (is_exact_value(measure, value)) {
		value->low = value->high = value->change;
		value->verdict = value->change != 0 ? PMU_DIFF_DIFFERS : PMU_DIFF_SAME;
	} else if (t->a.n > 1 && t->b.n > 1) {
		test(t, value, base);
	}
}

static void make_value(struct testing *t, const struct pmu_diff_group *group,
		       const struct pmu_diff_row *row, unsigned int m)
{
	const struct pmu_diff_measure *measure = &group->measure[m];
	struct pmu_diff_value *value = &row->value[m];
	bool nests = group->a && !t->request->whole &&
		     (measure->kind == PMU_SERIES_TIME || measure->kind == PMU_SERIES_COUNT);
	double base;

	*value = (struct pmu_diff_value){
		.low = NAN, .high = NAN, .p = NAN, .verdict = PMU_DIFF_UNKNOWN
	};
	take_both(t, group, row, measure, PMU_SERIES_ALL);
	base = as_numbers(t, measure->kind);
	value->a = value->all_a = summarize_side(&t->a, base);
	value->b = value->all_b = summarize_side(&t->b, base);
	if (nests) {
		size_t n_a = t->a.n, n_b = t->b.n;

		take_both(t, group, row, measure, PMU_SERIES_OWN);
		value->is_own = t->a.n == n_a && t->b.n == n_b;
		if (!value->is_own)
			take_both(t, group, row, measure, PMU_SERIES_ALL);
		base = as_numbers(t, measure->kind);
		value->a = summarize_side(&t->a, base);
		value->b = summarize_side(&t->b, base);
	}
	compare_sides(t, row, measure, value, base);
}

/* --- verdicts --- */

/* Return: the largest p before its correction that could still be flagged; the rest is noise. */
static int judge_tests(struct testing *t)
{
	struct pmu_diff *diff = t->diff;
	size_t n_a = diff->a->n_runs, n_b = diff->b->n_runs;
	double least = diff->n_pairs ? pmu_stats_smallest_p_signed_rank(diff->n_pairs)
				     : pmu_stats_smallest_p_rank_sum(n_a, n_b);
	bool hopeless = t->n_p && least * (double)t->n_p > PMU_DIFF_ALPHA;

	if (pmu_stats_holm(t->p, t->n_p))
		return -ENOMEM;
	for (size_t i = 0; i < t->n_p; i++) {
		t->tested[i]->p = t->p[i];
		t->tested[i]->verdict = t->p[i] <= PMU_DIFF_ALPHA ? PMU_DIFF_DIFFERS
					: hopeless                ? PMU_DIFF_UNKNOWN
								  : PMU_DIFF_SAME;
	}
	diff->n_compared = t->n_p;
	if (n_a < 2 || n_b < 2)
		pmu_diff_note(diff,
			      "%s one run: whether a change is noise cannot be told; pmu run "
			      "--repeat makes more",
			      n_a < 2 && n_b < 2 ? "each side has" : "one side has");
	else if (hopeless)
		pmu_diff_note(diff,
			      "%zu and %zu runs are too few to tell a change from noise among %zu "
			      "values; more runs, or fewer regions, can",
			      n_a, n_b, t->n_p);
	return 0;
}

/* What rows are sorted by: time, or the first count where times say nothing. */
static const struct pmu_diff_measure *weighty(const struct pmu_diff_group *group)
{
	const struct pmu_diff_measure *count = NULL;

	for (unsigned int m = 0; m < group->n_measures; m++) {
		const struct pmu_diff_measure *measure = &group->measure[m];

		if (measure->compared && measure->kind == PMU_SERIES_TIME)
			return measure;
		if (measure->compared && measure->kind == PMU_SERIES_COUNT && !count)
			count = measure;
	}
	return count;
}

static void weigh(const struct pmu_diff_group *group, struct pmu_diff_row *row)
{
	const struct pmu_diff_measure *measure = weighty(group);

	row->differs = row->a < 0 || row->b < 0 || row->n_functions_differ;
	for (unsigned int m = 0; m < group->n_measures; m++) {
		const struct pmu_diff_value *value = &row->value[m];
		double a = value->a.n ? value->a.median : 0, b = value->b.n ? value->b.median : 0;

		row->differs |= value->verdict == PMU_DIFF_DIFFERS;
		if (&group->measure[m] == measure)
			row->weight = fabs(b - a);
	}
}

static int by_weight(const void *a, const void *b)
{
	const struct pmu_diff_row *x = a, *y = b;

	if (x->differs != y->differs)
		return x->differs ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* Runs of one program do not tell what another layout of it would: nor does their spread. */
static bool is_layout(const struct pmu_diff_measure *measure, const struct pmu_diff_value *value)
{
	return measure->depends_on_layout &&
	       fabs(value->change) <=
		       fmax(PMU_DIFF_LAYOUT_SHARE * value->a.median, PMU_DIFF_LAYOUT_COUNT);
}

static void finish_group(struct pmu_diff *diff, struct pmu_diff_group *group,
			 const struct pmu_diff_request *request)
{
	for (unsigned int r = 0; r < group->n_rows; r++) {
		struct pmu_diff_row *row = &group->row[r];

		for (unsigned int m = 0; m < group->n_measures; m++) {
			struct pmu_diff_value *value = &row->value[m];

			if (row->a < 0)
				value->verdict = PMU_DIFF_NEW;
			else if (row->b < 0)
				value->verdict = PMU_DIFF_GONE;
			else if (value->verdict == PMU_DIFF_DIFFERS &&
				 is_layout(&group->measure[m], value))
				value->verdict = PMU_DIFF_SAME;
			diff->n_differs += value->verdict == PMU_DIFF_DIFFERS;
			diff->n_unknown += value->verdict == PMU_DIFF_UNKNOWN && value->a.n &&
					   value->b.n &&
					   is_test_wanted(request, row, &group->measure[m]);
		}
		weigh(group, row);
	}
	qsort(group->row, group->n_rows, sizeof(*group->row), by_weight);
}

static int make_group(struct testing *t, struct pmu_diff_group *group)
{
	struct pmu_diff_value *value = pmu_block_array(
		&t->diff->blocks, (size_t)group->n_rows * group->n_measures + 1, sizeof(*value));

	if (!value)
		return -ENOMEM;
	t->is_large = group->n_rows >= LARGE;
	for (unsigned int r = 0; r < group->n_rows; r++) {
		group->row[r].value = value + (size_t)r * group->n_measures;
		for (unsigned int m = 0; m < group->n_measures; m++)
			make_value(t, group, &group->row[r], m);
	}
	return t->failed ? -ENOMEM : 0;
}

static bool make_side(struct side *side, const struct pmu_series *series)
{
	side->series = series;
	side->raw = calloc(series->n_runs + 1, sizeof(*side->raw));
	side->value = calloc(series->n_runs + 1, sizeof(*side->value));
	return side->raw && side->value;
}

/* Values and verdicts.  Return: 0 or -ENOMEM. */
static int test_diff(struct pmu_diff *diff, const struct pmu_diff_request *request)
{
	struct testing t = { .diff = diff, .request = request };
	bool made_a = make_side(&t.a, diff->a), made_b = make_side(&t.b, diff->b);
	size_t least = diff->a->n_runs < diff->b->n_runs ? diff->a->n_runs : diff->b->n_runs;
	int rc;

	t.pair = calloc(least + 1, sizeof(*t.pair));
	rc = made_a && made_b && t.pair ? 0 : -ENOMEM;
	diff->n_pairs = request->paired ? least : 0;
	for (unsigned int g = 0; !rc && g < diff->n_groups; g++)
		rc = make_group(&t, &diff->group[g]);
	if (!rc)
		rc = judge_tests(&t);
	for (unsigned int g = 0; !rc && g < diff->n_groups; g++)
		finish_group(diff, &diff->group[g], request);
	free(t.a.raw);
	free(t.a.value);
	free(t.b.raw);
	free(t.b.value);
	free(t.pair);
	free(t.p);
	free(t.tested);
	return rc;
}

int pmu_diff_make(const struct pmu_series *a, const struct pmu_series *b,
		  const struct pmu_diff_request *request, struct pmu_diff *diff)
{
	int rc;

	*diff = (struct pmu_diff){ .a = a, .b = b };
	rc = pmu_diff_join(diff, request);
	if (!rc && request->functions)
		rc = pmu_diff_functions(diff);
	if (!rc)
		rc = test_diff(diff, request);
	return rc ? pmu_fail(rc, "no memory for the comparison") : 0;
}

void pmu_diff_free(struct pmu_diff *diff)
{
	free(diff->note);
	pmu_block_free(&diff->blocks);
	*diff = (struct pmu_diff){ .n_groups = 0 };
}

const char *pmu_diff_verdict_name(enum pmu_diff_verdict verdict)
{
	static const char *const names[] = {
		[PMU_DIFF_SAME] = "same",       [PMU_DIFF_UNKNOWN] = "unknown",
		[PMU_DIFF_DIFFERS] = "differs", [PMU_DIFF_NEW] = "new",
		[PMU_DIFF_GONE] = "gone",
	};

	return names[verdict];
}
