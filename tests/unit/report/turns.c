/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates of all calls, from those of a group's turns: how often the interval holds what is true. */
#include "report/model/turns.h"

#include <math.h>
#include <stdlib.h>

#include "unit/part.h"

#define RUNS   1000
#define GROUPS 6
#define CALLS  4000

static uint64_t state = 20240717;

static uint64_t draw(uint64_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 0x2545f4914f6cdd1du >> 32) % below;
}

/* --- programs: what their calls count --- */

/* Any of these as likely. */
static uint64_t even(uint64_t before)
{
	(void)before;
	return 1000 + draw(1000);
}

/* Most are short, one in ten is long. */
static uint64_t skewed(uint64_t before)
{
	(void)before;
	return draw(10) ? 500 + draw(100) : 5000 + draw(3000);
}

/* Most often as the one before: calls that follow each other are alike. */
static uint64_t alike(uint64_t before)
{
	return before && draw(20) ? before : 1000 + draw(9000);
}

static uint64_t constant(uint64_t before)
{
	(void)before;
	return 123457;
}

/* --- one run --- */

struct turn {
	double calls, count;
};

static void add(struct pmu_model_turns *turns, const struct turn *turn)
{
	turns->n += 1;
	turns->calls += turn->calls;
	turns->calls_square += turn->calls * turn->calls;
	turns->count[0].sum += turn->count;
	turns->count[0].square += turn->count * turn->count;
	turns->count[0].product += turn->count * turn->calls;
}

static void shuffle(unsigned int *order)
{
	for (unsigned int i = GROUPS - 1; i > 0; i--) {
		unsigned int k = (unsigned int)draw(i + 1), was = order[i];

		order[i] = order[k];
		order[k] = was;
	}
}

/* Turns of @least to twice as many calls; group 0 is the one that is looked at. */
static bool holds(uint64_t (*count_of)(uint64_t before), uint64_t least,
		  struct pmu_model_estimate *estimate, double *truth)
{
	_Alignas(struct pmu_model_turns) char
		room[sizeof(struct pmu_model_turns) + 3 * sizeof(double)] = { 0 };
	struct pmu_model_turns *turns = (void *)room;
	unsigned int order[GROUPS], at = GROUPS;
	uint64_t net = 0, calls = 0, last = 0;
	const struct pmu_model_section section = { .n_counts = 1 };
	struct pmu_model_row row = { .net = &net, .whole_calls = CALLS, .turns = turns };

	for (unsigned int i = 0; i < GROUPS; i++)
		order[i] = i;
	*truth = 0;
	for (uint64_t done = 0; done < CALLS;) {
		uint64_t n = least + draw(least + 1);
		struct turn turn = { 0, 0 };

		if (at == GROUPS) {
			shuffle(order);
			at = 0;
		}
		for (; n && done < CALLS; n--, done++) {
			last = count_of(last);
			turn.calls += 1;
			turn.count += (double)last;
		}
		*truth += turn.count;
		if (order[at++])
			continue;
		add(turns, &turn);
		calls += (uint64_t)turn.calls;
		net += (uint64_t)turn.count;
	}
	row.calls = calls;
	pmu_model_turns_estimate(&section, &row, estimate);
	return fabs(estimate->value - *truth) <= estimate->margin;
}

static void intervals_hold(uint64_t (*count_of)(uint64_t before), uint64_t least, int most,
			   const char *name)
{
	struct pmu_model_estimate estimate;
	double truth, error = 0, off = 0;
	int n = 0;

	for (int i = 0; i < RUNS; i++) {
		n += holds(count_of, least, &estimate, &truth);
		error += estimate.error / truth;
		off += (estimate.value - truth) / truth;
	}
	ok(n >= 930 && n <= most, "%s: the interval holds what is true in %d of %d runs", name, n,
	   RUNS);
	ok(fabs(off / RUNS) < 0.2 * error / RUNS, "%s: no side is preferred", name);
	diag("%s: standard error %.2f %%, off by %.3f %%", name, 100 * error / RUNS,
	     100 * off / RUNS);
}

UNIT_PART(turns)
{
	struct pmu_model_estimate estimate;
	double truth;

	intervals_hold(even, 1, 970, "even, a call a turn");
	intervals_hold(even, 10, 970, "even, turns of 10 to 20 calls");
	intervals_hold(skewed, 1, 970, "skewed, a call a turn");
	intervals_hold(skewed, 10, 970, "skewed, turns of 10 to 20 calls");
	/* rounds spread a group's turns more evenly than chance: the interval is wider than it need be */
	intervals_hold(alike, 10, RUNS, "alike, turns of 10 to 20 calls");
	ok(holds(constant, 7, &estimate, &truth), "what is constant");
	ok(fabs(estimate.value - truth) < 0.5 && estimate.error == 0, "is known, for sure");
	return done_testing();
}
