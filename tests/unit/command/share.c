/* SPDX-License-Identifier: BSD-3-Clause */
/* Own values: what adds up, what does not, what is not known. */
#include "bindings/command/viewers/share.h"

#include "unit/part.h"

#define MOST 64

/* Values, and own ones that are expected of them; around as in struct pmu_share. */
struct expected {
	int around;
	uint64_t value, own;
	unsigned int is;
};

enum { UNKNOWN = 1, GROWING = 2, CUT = 4 };

static void check(const struct expected *want, unsigned int n, bool rounded, const char *name)
{
	struct pmu_share row[MOST] = { 0 };
	bool same = true;

	for (unsigned int i = 0; i < n; i++) {
		row[i].around = want[i].around;
		row[i].known = !(want[i].is & UNKNOWN);
		row[i].growing = want[i].is & GROWING;
		row[i].value = want[i].value;
	}
	pmu_share_out(row, n, rounded);
	for (unsigned int i = 0; i < n; i++)
		same &= row[i].own == want[i].own && row[i].cut == !!(want[i].is & CUT);
	ok(same, "%s", name);
	for (unsigned int i = 0; i < n && !same; i++)
		diag("row %u: own %" PRIu64 ", all %" PRIu64 "%s; want own %" PRIu64 "%s", i,
		     row[i].own, row[i].all, row[i].cut ? ", cut" : "", want[i].own,
		     want[i].is & CUT ? ", cut" : "");
}

#define CHECK(rows, rounded, name) check(rows, sizeof(rows) / sizeof(*(rows)), rounded, name)

static void what_adds_up(void)
{
	static const struct expected nested[] = {
		{ -1, 100, 30, 0 }, { 0, 60, 50, 0 }, { 1, 10, 10, 0 },
		{ 0, 10, 10, 0 },   { -1, 7, 7, 0 },
	};
	static const struct expected nothing[] = { { -1, 0, 0, 0 }, { 0, 0, 0, 0 } };
	static const struct expected large[] = { { -1, UINT64_MAX, UINT64_MAX - 5, 0 },
						 { 0, 5, 5, 0 } };

	CHECK(nested, false, "a value less what is nested");
	CHECK(nothing, false, "nothing");
	CHECK(large, false, "the largest there is");
}

static void what_does_not(void)
{
	static const struct expected overlap[] = { { -1, 100, 90, 0 },
						   { 0, 10, 0, 0 },
						   { 1, 15, 10, CUT } };
	/* 10 to three that have 5 each: 3, 3 and 4 */
	static const struct expected threads[] = {
		{ -1, 10, 0, 0 },
		{ 0, 5, 3, CUT },
		{ 0, 5, 3, CUT },
		{ 0, 5, 4, CUT },
	};
	/* half of what it has goes down to its own and to what is nested in it */
	static const struct expected deep[] = {
		{ -1, 50, 0, 0 },
		{ 0, 100, 20, CUT },
		{ 1, 60, 30, CUT },
	};
	static const struct expected rounding[] = { { -1, 99, 0, 0 },
						    { 0, 60, 59, 0 },
						    { 0, 40, 40, 0 } };
	static const struct expected exact[] = { { -1, 99, 0, 0 },
						 { 0, 60, 59, CUT },
						 { 0, 40, 40, 0 } };

	CHECK(overlap, false, "one that went on after the one around it");
	CHECK(threads, false, "threads side by side");
	CHECK(deep, false, "down to the innermost");
	CHECK(rounding, true, "a nanosecond is nothing to be told");
	CHECK(exact, false, "an event is");
}

static void what_is_not_known(void)
{
	static const struct expected around[] = { { -1, 0, 0, UNKNOWN }, { 0, 60, 60, 0 } };
	static const struct expected between[] = { { -1, 100, 70, 0 },
						   { 0, 0, 0, UNKNOWN },
						   { 1, 30, 30, 0 } };
	static const struct expected inside[] = { { -1, 100, 100, 0 }, { 0, 0, 0, UNKNOWN } };
	static const struct expected growing[] = { { -1, 10, 0, GROWING }, { 0, 17, 17, 0 } };
	static const struct expected grown[] = { { -1, 20, 3, GROWING }, { 0, 17, 17, 0 } };

	CHECK(around, false, "around what is known");
	CHECK(between, false, "what is in it is in the one around it");
	CHECK(inside, false, "what it has stays with the one around it");
	CHECK(growing, false, "an open one has at least what is in it");
	CHECK(grown, false, "and what it has had before");
}

static uint64_t some(uint64_t *state, uint64_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return below ? (*state >> 33) % below : 0;
}

static void make_any(uint64_t *state, struct pmu_share *row, unsigned int n)
{
	static const uint64_t sizes[] = { 3, 100, UINT64_C(1) << 31 };
	uint64_t size = sizes[some(state, 3)];

	for (unsigned int i = 0; i < n; i++)
		row[i] = (struct pmu_share){
			.around = (int)some(state, i + 1) - 1,
			.known = some(state, 8) > 0,
			.growing = some(state, 8) == 0,
			.value = some(state, size) * (some(state, 4) ? 1 : size),
		};
}

/* Whatever they are: a row has its own and what those in it have, and outermost ones have theirs. */
static bool adds_up(const struct pmu_share *row, unsigned int n)
{
	uint64_t in[MOST] = { 0 };

	for (unsigned int i = n; i-- > 0;) {
		in[i] += row[i].own;
		if (in[i] != row[i].all || row[i].all > row[i].claim)
			return false;
		if (row[i].around >= 0)
			in[row[i].around] += in[i];
		else if (row[i].known && !row[i].growing && row[i].all != row[i].value)
			return false;
	}
	return true;
}

static void any_tree_adds_up(void)
{
	uint64_t state = 20260101;
	unsigned int n_wrong = 0, n_cut = 0;

	for (int i = 0; i < 100000; i++) {
		struct pmu_share row[MOST];
		unsigned int n = 1 + (unsigned int)some(&state, MOST - 1);

		make_any(&state, row, n);
		pmu_share_out(row, n, i % 2);
		n_wrong += !adds_up(row, n);
		for (unsigned int k = 0; k < n; k++)
			n_cut += row[k].cut;
	}
	is_u64(n_wrong, 0, "any tree adds up to what its outermost regions have");
	ok(n_cut > 100000, "also where too much is nested");
}

UNIT_PART(share)
{
	what_adds_up();
	what_does_not();
	what_is_not_known();
	any_tree_adds_up();
	return done_testing();
}
