/* SPDX-License-Identifier: BSD-3-Clause */
/* Which values of a run are beyond what their baseline allows. */
#include "bindings/command/check/judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "names/branches.h"

bool pmu_check_is_exact(const char *measure)
{
	return !strcmp(measure, PMU_CONDITIONAL_BRANCHES) || !strcmp(measure, PMU_TAKEN_BRANCHES);
}

static struct pmu_limits_value limits_value_of(const struct pmu_diff_row *row,
					       const struct pmu_diff_measure *measure)
{
	return (struct pmu_limits_value){
		.name = row->path[0] ? row->name : "command",
		.path = row->path[0] ? row->path : "command",
		.measure = measure->name,
		.is_time = !strcmp(measure->unit, "ns"),
	};
}

static const struct pmu_limit *limit_of(const struct pmu_check *check,
					const struct pmu_diff_row *row,
					const struct pmu_diff_measure *measure)
{
	struct pmu_limits_value value = limits_value_of(row, measure);

	return pmu_limits_find(check->limits, &value);
}

/* --- what is compared --- */

static bool wants_limited(const void *arg, const struct pmu_diff_row *row,
			  const struct pmu_diff_measure *measure)
{
	const struct pmu_limit *limit = limit_of(arg, row, measure);

	return limit && !limit->is_none;
}

/* Misses and times of another processor say nothing of the program. */
static bool wants_default(const void *arg, const struct pmu_diff_row *row,
			  const struct pmu_diff_measure *measure)
{
	const struct pmu_check *check = arg;

	if (check->exact)
		return row->path[0] && measure->is_work && pmu_check_is_exact(measure->name) &&
		       !limit_of(check, row, measure);
	if (!row->path[0] || measure->kind == PMU_SERIES_METRIC || limit_of(check, row, measure))
		return false;
	return check->same_cpu || measure->is_work;
}

/* No statistics. */
static bool wants_no_test(const void *arg, const struct pmu_diff_row *row,
			  const struct pmu_diff_measure *measure)
{
	(void)arg;
	(void)row;
	(void)measure;
	return false;
}

/* --- breaches --- */

static void add_breach(struct pmu_check *check, const struct pmu_check_breach *breach)
{
	if (check->n_breaches == check->room) {
		size_t room = check->room ? 2 * check->room : 16;
		struct pmu_check_breach *grown = reallocarray(check->breach, room, sizeof(*grown));

		if (!grown) {
			check->no_memory = true;
			return;
		}
		check->breach = grown;
		check->room = room;
	}
	check->breach[check->n_breaches++] = *breach;
}

static bool is_constant_summary(const struct pmu_series_summary *s)
{
	return s->n > 1 && s->least == s->most;
}

/* One more than always before is more, also in a single run. */
static bool is_certain(const struct pmu_diff_measure *measure, const struct pmu_diff_value *value)
{
	return measure->is_work && is_constant_summary(&value->a) &&
	       value->b.least == value->b.most;
}

static bool is_beyond(const struct pmu_diff_value *value, char sign, double allowed)
{
	double more = value->change, less = -value->change;

	if (sign == '+')
		return more > allowed;
	return sign == '-' ? less > allowed : fabs(more) > allowed;
}

static double allowed_of(const struct pmu_limit *limit, const struct pmu_diff_value *value)
{
	return limit->most.unit == PMU_QUANTITY_SHARE ? limit->most.value * fabs(value->a.median)
						      : limit->most.value;
}

/* What is said of one value; a limit without noise known is held to the letter. */
static void judge_limited(struct pmu_check *check, const struct pmu_limit *limit,
			  const struct pmu_diff_row *row, const struct pmu_diff_measure *measure,
			  const struct pmu_diff_value *value)
{
	struct pmu_check_breach breach = {
		.limit = limit, .row = row, .measure = measure, .value = value
	};

	if (!value->a.n)
		return;
	check->n_checked++;
	if (!value->b.n || !measure->compared) {
		breach.kind = value->b.n || row->b >= 0 ? PMU_CHECK_UNCHECKED : PMU_CHECK_GONE;
		add_breach(check, &breach);
		return;
	}
	if (!is_beyond(value, limit->most.sign, allowed_of(limit, value)))
		return;
	breach.noise_is_unknown = value->verdict == PMU_DIFF_UNKNOWN && !is_certain(measure, value);
	if (value->verdict == PMU_DIFF_SAME)
		check->n_within_noise++;
	else
		add_breach(check, &breach);
}

static double spread_of(const struct pmu_diff_measure *measure, const struct pmu_diff_value *value)
{
	double spread = value->a.most - value->a.least;

	return measure->kind == PMU_SERIES_TIME ? fmax(spread, PMU_CHECK_TIME * value->a.median)
						: spread;
}

static void judge_default(struct pmu_check *check, const struct pmu_diff_row *row,
			  const struct pmu_diff_measure *measure,
			  const struct pmu_diff_value *value)
{
	struct pmu_check_breach breach = { .row = row, .measure = measure, .value = value };

	if (value->a.n < 2 || !value->b.n)
		return;
	check->n_checked++;
	breach.allowed = spread_of(measure, value);
	if (!is_beyond(value, '+', breach.allowed))
		return;
	if (value->verdict == PMU_DIFF_DIFFERS || is_certain(measure, value))
		add_breach(check, &breach);
	else
		check->n_within_noise++;
}

/* No statistics: a path that some runs take in both is no change, one more in each run is. */
static void judge_exact(struct pmu_check *check, const struct pmu_diff_row *row,
			const struct pmu_diff_measure *measure, const struct pmu_diff_value *value)
{
	const struct pmu_series_summary *a = &value->a, *b = &value->b;

	if (!a->n || !b->n)
		return;
	check->n_checked++;
	if (b->least > a->most)
		add_breach(check, &(struct pmu_check_breach){ .row = row,
							      .measure = measure,
							      .value = value,
							      .is_exact = true });
	else if (b->most < a->least)
		check->n_fewer++;
	else if (a->least != a->most || b->least != b->most)
		check->n_varied++;
}

/* A region that was in each run of the baseline, and is in none. */
static bool is_lost(const struct pmu_check *check, const struct pmu_diff_row *row)
{
	return row->a >= 0 && row->b < 0 && row->value[0].a.n == check->base->n_runs;
}

static void judge_rows(struct pmu_check *check, const struct pmu_diff *diff, bool limited)
{
	for (unsigned int g = 0; g < diff->n_groups; g++) {
		const struct pmu_diff_group *group = &diff->group[g];

		for (unsigned int r = 0; r < group->n_rows; r++) {
			const struct pmu_diff_row *row = &group->row[r];

			if (!limited && is_lost(check, row))
				add_breach(check, &(struct pmu_check_breach){
							  .kind = PMU_CHECK_GONE, .row = row });
			for (unsigned int m = 0; m < group->n_measures; m++) {
				const struct pmu_diff_measure *measure = &group->measure[m];
				const struct pmu_limit *limit = limit_of(check, row, measure);

				if (limited && limit && !limit->is_none)
					judge_limited(check, limit, row, measure, &row->value[m]);
				else if (!limited && measure->compared &&
					 wants_default(check, row, measure))
					(check->exact ? judge_exact : judge_default)(
						check, row, measure, &row->value[m]);
			}
		}
	}
}

static void meet(struct pmu_check *check, const struct pmu_diff_group *group)
{
	for (unsigned int r = 0; r < group->n_rows; r++)
		for (unsigned int m = 0; m < group->n_measures; m++) {
			const struct pmu_diff_row *row = &group->row[r];
			struct pmu_limits_value value = limits_value_of(row, &group->measure[m]);

			if (row->value[m].a.n)
				pmu_limits_meet(check->limits, &value);
		}
}

/* A limit that applies to no value is a breach, too. */
static void judge_unmet(struct pmu_check *check)
{
	for (unsigned int g = 0; g < check->own.n_groups; g++)
		meet(check, &check->own.group[g]);
	for (size_t i = 0; i < check->limits->n; i++) {
		const struct pmu_limit *limit = &check->limits->limit[i];

		if (!limit->n_met && !limit->is_none)
			add_breach(check, &(struct pmu_check_breach){ .kind = PMU_CHECK_UNCHECKED,
								      .limit = limit });
	}
}

static bool has_limits(const struct pmu_limits *limits)
{
	for (size_t i = 0; i < limits->n; i++)
		if (!limits->limit[i].is_none)
			return true;
	return false;
}

int pmu_check_make(const struct pmu_series *base, const struct pmu_series *now,
		   struct pmu_limits *limits, bool exact, struct pmu_check *check)
{
	struct pmu_diff_request own = { .wants = exact ? wants_no_test : wants_default,
					.arg = check };
	struct pmu_diff_request whole = { .wants = wants_limited, .arg = check, .whole = true };
	bool simulated = pmu_series_is_simulated(base);
	int rc;

	*check = (struct pmu_check){ .base = base, .now = now, .limits = limits, .exact = exact };
	check->same_cpu = simulated ||
			  !strcmp(base->text[PMU_SERIES_CPU], now->text[PMU_SERIES_CPU]);
	for (size_t i = 0; i < limits->n; i++)
		limits->limit[i].n_met = 0;
	rc = pmu_diff_make(base, now, &own, &check->own);
	if (!rc && has_limits(limits))
		rc = pmu_diff_make(base, now, &whole, &check->whole);
	if (rc)
		return rc;
	judge_rows(check, &check->whole, true);
	judge_rows(check, &check->own, false);
	judge_unmet(check);
	return check->no_memory ? pmu_fail(ENOMEM, "no memory for what is beyond its limits") : 0;
}

void pmu_check_free(struct pmu_check *check)
{
	free(check->breach);
	pmu_diff_free(&check->own);
	pmu_diff_free(&check->whole);
	*check = (struct pmu_check){ .n_breaches = 0 };
}
