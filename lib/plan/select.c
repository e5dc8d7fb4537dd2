/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event selects as tables of fields.
 *
 * Sources: Intel SDM vol. 3B, "Performance Monitoring": "Architectural Performance Monitoring",
 * figures of IA32_PERFEVTSELx, MSR_UNCORE_PERFEVTSELx (Nehalem) and MSR_UNC_CBO_N_PERFEVTSELx
 * (Sandy Bridge); AMD APM vol. 2, "Core Performance Event-Select Registers"; AMD PPR for families
 * 17H and 19H, L3 PERF_CTL.
 */
#include "plan/select.h"

#include <stddef.h>
#include <string.h>

#include "base/compiler.h"

/* Bits from..from+bits-1 of the register hold the member from its bit skip on. */
struct field {
	uint8_t member; /* offset in struct pmu_select */
	uint8_t size;   /* its bytes */
	uint8_t from;
	uint8_t bits;
	uint8_t skip;
};

#define PART(name, first, n, low)                                                            \
	{                                                                                    \
		.member = offsetof(struct pmu_select, name),                                 \
		.size = sizeof(((struct pmu_select *)NULL)->name), .from = first, .bits = n, \
		.skip = low                                                                  \
	}
#define FIELD(name, first, n) PART(name, first, n, 0)
#define FLAG(name, bit)       PART(name, bit, 1, 0)

#define MAX_FIELDS 18

static const struct field layouts[][MAX_FIELDS] = {
	[PMU_SELECT_INTEL] = {
		FIELD(event, 0, 8), FIELD(umask, 8, 8), FLAG(user, 16), FLAG(os, 17), FLAG(edge, 18),
		FLAG(pin_control, 19), FLAG(interrupt, 20), FLAG(any_thread, 21), FLAG(enable, 22),
		FLAG(invert, 23), FIELD(cmask, 24, 8), FLAG(in_tx, 32), FLAG(in_txcp, 33), FLAG(equal, 36),
		FIELD(umask2, 40, 8),
	},
	[PMU_SELECT_AMD] = {
		FIELD(event, 0, 8), FIELD(umask, 8, 8), FLAG(user, 16), FLAG(os, 17), FLAG(edge, 18),
		FLAG(interrupt, 20), FLAG(enable, 22), FLAG(invert, 23), FIELD(cmask, 24, 8),
		PART(event, 32, 4, 8), FLAG(guest_only, 40), FLAG(host_only, 41),
	},
	[PMU_SELECT_UNCORE_NEHALEM] = {
		FIELD(event, 0, 8), FIELD(umask, 8, 8), FLAG(reset_occupancy, 17), FLAG(edge, 18),
		FLAG(interrupt, 20), FLAG(enable, 22), FLAG(invert, 23), FIELD(cmask, 24, 8),
	},
	[PMU_SELECT_UNCORE_CLIENT] = {
		FIELD(event, 0, 8), FIELD(umask, 8, 8), FLAG(edge, 18), FLAG(interrupt, 20), FLAG(enable, 22),
		FLAG(invert, 23), FIELD(cmask, 24, 5),
	},
	[PMU_SELECT_AMD_L3] = {
		FIELD(event, 0, 8), FIELD(umask, 8, 8), FLAG(enable, 22), FIELD(slices, 48, 4),
		FIELD(threads, 56, 8),
	},
	[PMU_SELECT_AMD_L3_19H] = {
		FIELD(event, 0, 8), FIELD(umask, 8, 8), FLAG(enable, 22), FIELD(core, 42, 3),
		FLAG(all_slices, 46), FLAG(all_cores, 47), FIELD(slice, 48, 3), FIELD(threads, 56, 4),
	},
};

static uint64_t ones(unsigned int bits)
{
	return (UINT64_C(1) << bits) - 1;
}

static uint16_t get_select_field(const struct pmu_select *select, const struct field *field)
{
	const unsigned char *at = (const unsigned char *)select + field->member;
	uint16_t value;

	if (field->size == 1)
		return *at;
	memcpy(&value, at, sizeof(value));
	return value;
}

/* Adds bits: a member may lie in two places of the register. */
static void add_select_bits(struct pmu_select *select, const struct field *field, uint16_t bits)
{
	unsigned char *at = (unsigned char *)select + field->member;
	uint16_t value = get_select_field(select, field) | bits;

	if (field->size == 1)
		*at = (unsigned char)value;
	else
		memcpy(at, &value, sizeof(value));
}

uint64_t pmu_select_encode(enum pmu_select_layout layout, const struct pmu_select *select)
{
	struct pmu_select all = *select;
	uint64_t value = 0;

	/*
	 * numbers instead of masks: one mask that is asked for with all its bits has a bit of its
	 * own
	 */
	all.all_slices |= select->slices == 0xff;
	all.all_cores |= select->threads == 0xff;
	for (const struct field *f = layouts[layout]; f < layouts[layout] + MAX_FIELDS && f->bits;
	     f++)
		value |= ((uint64_t)get_select_field(&all, f) >> f->skip & ones(f->bits))
			 << f->from;
	return value;
}

uint64_t pmu_select_decode(enum pmu_select_layout layout, uint64_t value, struct pmu_select *select)
{
	uint64_t known = 0;

	memset(select, 0, sizeof(*select));
	for (const struct field *f = layouts[layout]; f < layouts[layout] + MAX_FIELDS && f->bits;
	     f++) {
		known |= ones(f->bits) << f->from;
		add_select_bits(select, f,
				(uint16_t)((value >> f->from & ones(f->bits)) << f->skip));
	}
	return value & ~known;
}

uint64_t pmu_select_fixed(unsigned int index, bool os, bool user, bool any_thread, bool interrupt)
{
	uint64_t nibble = (uint64_t)os | (uint64_t)user << 1 | (uint64_t)any_thread << 2 |
			  (uint64_t)interrupt << 3;

	return index < 16 ? nibble << 4 * index : 0;
}
