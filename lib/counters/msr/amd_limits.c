/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which counters of an AMD core can count which events.
 *
 * Sources: AMD BKDG for family 15H, "Core Performance Events" (each names its counters); the BKDGs
 * of families 0FH to 16H, "Northbridge Performance Events"; AMD PPR families 17H and 19H, "Large
 * Increment per Cycle Events".
 */
#include "counters/msr/amd_limits.h"

#include <errno.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"

#define SEVERAL 2 /* unit masks */

/* Family 15H: events with other counters than their kind has; the first row that applies counts. */
static const struct {
	uint16_t first, last;
	uint8_t umask_bits; /* at least so many of the unit mask */
	uint8_t counters;
} exceptions[] = {
	{ 0x003, 0x003, 0, 0x08 }, { 0x004, 0x004, SEVERAL, 0x08 }, { 0x00b, 0x00b, 0, 0x08 },
	{ 0x00d, 0x00d, 0, 0x08 }, { 0x023, 0x023, 0, 0x07 },       { 0x02d, 0x02d, 0, 0x08 },
	{ 0x02e, 0x02e, 0, 0x09 }, { 0x031, 0x031, SEVERAL, 0 },    { 0x031, 0x031, 0, 0x07 },
	{ 0x043, 0x043, 0, 0x07 }, { 0x045, 0x046, 0, 0x07 },       { 0x054, 0x055, 0, 0x07 },
	{ 0x08f, 0x08f, 0, 0x01 }, { 0x0db, 0x0df, 0, 0x3f },       { 0x187, 0x188, 0, 0x01 },
	{ 0x1c0, 0x1c0, 0, 0x38 }, { 0x1d6, 0x1d6, 0, 0x3f },       { 0x1d8, 0x1d8, 0, 0x3f },
};

/*
 * Kinds, by bits 7 to 4 of the event: floating point, loads and stores, data cache, level 2,
 * instruction cache and decoding, retirement, decoding.  Nothing is known of AXH and BXH.
 */
static const uint8_t kinds[16] = {
	0x38, 0x38, 0x3f, 0x3f, 0x3f, 0x3f, 0x07, 0x07, 0x07, 0x07, 0, 0, 0x3f, 0x07, 0, 0,
};

static uint32_t counters_15h(const struct pmu_select *select)
{
	unsigned int bits = (unsigned int)__builtin_popcount(select->umask);

	/* pipes of both halves of the unit mask */
	if (select->event == 0 && select->umask & 0x0f && select->umask & 0xf0)
		return 0x08;
	for (size_t i = 0; i < PMU_ARRAY_LEN(exceptions); i++)
		if (select->event >= exceptions[i].first && select->event <= exceptions[i].last &&
		    bits >= exceptions[i].umask_bits)
			return exceptions[i].counters;
	return kinds[select->event >> 4 & 0xf];
}

int pmu_amd_limit(uint32_t family, const struct pmu_select *select, uint32_t *counters)
{
	/* every core of the node would count what all of them do */
	if (family >= 0x0f && family < 0x17 && (select->event & 0xe0) == 0xe0)
		return pmu_fail(ENOENT,
				"event %03XH is the northbridge's: no counter of one core has it",
				select->event);
	/* a counter adds at most 15 a cycle: here two of them have to be merged */
	if (family >= 0x17 && select->event == 0x003)
		return pmu_fail(
			ENOENT,
			"event 003H may add more than 15 a cycle, which takes two merged counters: the "
			"source perf has them, the source msr does not");
	if (family == 0x15)
		*counters &= counters_15h(select);
	if (!*counters)
		return pmu_fail(ENOENT, "no counter of this CPU counts event %03XH, umask %02XH",
				select->event, select->umask);
	return 0;
}
