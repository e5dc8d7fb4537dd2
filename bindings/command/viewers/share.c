/* SPDX-License-Identifier: BSD-3-Clause */
/* What regions have by themselves. */
#include "bindings/command/viewers/share.h"

#include "report/model/finish.h"

/* @part <= @of */
static uint64_t scaled_part(uint64_t what, uint64_t part, uint64_t of)
{
	return of ? (uint64_t)((unsigned __int128)what * part / of) : 0;
}

/* What a row has with all that is nested in it, and asks for where it is nested itself. */
static void add_claims(struct pmu_share *row, unsigned int n)
{
	for (unsigned int i = n; i-- > 0;) {
		struct pmu_share *at = &row[i];

		at->claim = at->known ? at->value : at->nested;
		if (at->growing && at->claim < at->nested)
			at->claim = at->nested;
		if (at->around < 0)
			continue;
		row[at->around].nested = pmu_add_capped(row[at->around].nested, at->claim);
		row[at->around].n_nested++;
	}
}

/* What the row and those nested in it would have together. */
static uint64_t wanted(const struct pmu_share *row)
{
	return row->claim > row->nested ? row->claim : row->nested;
}

/*
 * The next piece of what a row was given: each ends where its share of the whole ends, rounded down, so
 * that the last one ends with the whole.
 */
static uint64_t hand_out(struct pmu_share *from, uint64_t claim)
{
	uint64_t upto;

	from->seen = pmu_add_capped(from->seen, claim);
	upto = scaled_part(from->all, from->seen, wanted(from));
	claim = upto - from->handed;
	from->handed = upto;
	return claim;
}

/* More than rounding alone takes away. */
static bool is_share_cut(const struct pmu_share *row, const struct pmu_share *around, bool rounded)
{
	uint64_t slack = rounded ? (uint64_t)around->n_nested + 1 : 0;

	return row->claim - row->all > slack;
}

void pmu_share_out(struct pmu_share *row, unsigned int n, bool rounded)
{
	add_claims(row, n);
	for (unsigned int i = 0; i < n; i++) {
		struct pmu_share *at = &row[i];
		struct pmu_share *around = at->around < 0 ? NULL : &row[at->around];

		at->all = around ? hand_out(around, at->claim) : at->claim;
		at->cut = around && is_share_cut(at, around, rounded);
		at->own = hand_out(at, wanted(at) - at->nested);
	}
}
