/* SPDX-License-Identifier: BSD-3-Clause */
/* What regions have by themselves, so that all of it together is what the outermost ones have. */
#ifndef PMU_COMMAND_VIEWERS_SHARE_H
#define PMU_COMMAND_VIEWERS_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/** A region's time or count. */
struct pmu_share {
	int around;   /* index of the region that this one's value is a part of; -1: none */
	bool known;   /* is there a value? */
	bool growing; /* a call is open: the value does not have yet what is nested in that one */
	uint64_t value;
	/* Results: */
	uint64_t own; /* without what is nested */
	uint64_t all; /* with it: own and all of theirs */
	bool cut;     /* all is less than it has */
	/* On the way there: */
	uint64_t claim, nested, seen, handed;
	uint32_t n_nested;
};

/**
 * pmu_share_out() - own values of regions
 * @row: those around others stand before them; all else 0
 * @rounded: values may be off by 1, as times are
 *
 * own is the value less what is nested.  What is nested in a region without a known value counts as
 * nested in the one around that; where there is none, the region has what is nested in it.  So it is,
 * at least, with one that is growing.
 *
 * Where regions nested in one have more than it has (they overlapped, were entered by way of each other,
 * or are threads side by side), what it has is shared out to them in proportion, down to the innermost.
 * So own values of a region and of all that is in it add up to what it was given, exactly, and an
 * outermost one is given its value.
 */
void pmu_share_out(struct pmu_share *row, unsigned int n, bool rounded);

#endif
