/* SPDX-License-Identifier: BSD-3-Clause */
/* Event selects, field by field. */
#include "plan/select.h"

#include <string.h>

#include "unit/part.h"

#define USR (1u << 16)
#define OS  (1u << 17)
#define EN  (1u << 22)

static const char *const names[] = {
	[PMU_SELECT_INTEL] = "Intel",
	[PMU_SELECT_AMD] = "AMD",
	[PMU_SELECT_UNCORE_NEHALEM] = "Nehalem's uncore",
	[PMU_SELECT_UNCORE_CLIENT] = "client uncore",
	[PMU_SELECT_AMD_L3] = "AMD L3, 17H",
	[PMU_SELECT_AMD_L3_19H] = "AMD L3, 19H",
};

/* Bits that each register has, by the manuals' figures. */
static const uint64_t all_bits[] = {
	[PMU_SELECT_INTEL] = 0xff13ffffffffull,
	[PMU_SELECT_AMD] = 0x30fffd7ffffull,
	[PMU_SELECT_UNCORE_NEHALEM] = 0xffd6ffffull,
	[PMU_SELECT_UNCORE_CLIENT] = 0x1fd4ffffull,
	[PMU_SELECT_AMD_L3] = 0xff0f00000040ffffull,
	[PMU_SELECT_AMD_L3_19H] = 0x0f07dc000040ffffull,
};

static void encodes_the_known_examples(void)
{
	struct pmu_select uops = { .event = 0x0e, .umask = 0x01, .user = true, .enable = true };
	struct pmu_select cycles = { .event = 0x3c,
				     .cmask = 2,
				     .invert = true,
				     .user = true,
				     .os = true,
				     .interrupt = true,
				     .enable = true };
	struct pmu_select every = { .event = 0xd1,
				    .umask = 0x20,
				    .any_thread = true,
				    .edge = true,
				    .pin_control = true,
				    .os = true,
				    .equal = true,
				    .umask2 = 0x12 };

	is_u64(pmu_select_encode(PMU_SELECT_INTEL, &uops), 0x0041010e,
	       "UOPS_ISSUED.ANY, user, Sandy Bridge");
	is_u64(pmu_select_encode(PMU_SELECT_INTEL, &cycles), 0x02d3003c,
	       "CPU_CLK_UNHALTED.TOTAL_CYCLES");
	is_u64(pmu_select_encode(PMU_SELECT_INTEL, &every), 0x1210002e20d1,
	       "OS, edge, PC, any, EQ and UMASK2");
}

static void splits_the_event_of_amd(void)
{
	struct pmu_select select = { .event = 0x1c7, .umask = 0x08, .user = true, .enable = true },
			  back;

	is_u64(pmu_select_encode(PMU_SELECT_AMD, &select), 0x1004108c7,
	       "event 1C7H: its top bits are at 32");
	is_u64(pmu_select_decode(PMU_SELECT_AMD, 0x1004108c7, &back), 0, "nothing is left over");
	is_u64(back.event, 0x1c7, "and together again");
}

static void cuts_what_does_not_fit(void)
{
	struct pmu_select select = { .event = 0x134,
				     .umask = 0x8f,
				     .cmask = 0x21,
				     .enable = true,
				     .user = true,
				     .os = true };

	is_u64(pmu_select_encode(PMU_SELECT_UNCORE_CLIENT, &select), 0x01408f34,
	       "eight bits of event, five of CMASK, no USR, no OS");
	is_u64(pmu_select_encode(PMU_SELECT_UNCORE_NEHALEM, &select), 0x21408f34,
	       "Nehalem has eight of CMASK");
	select.reset_occupancy = true;
	is_u64(pmu_select_encode(PMU_SELECT_UNCORE_NEHALEM, &select), 0x21428f34,
	       "and resets the occupancy where others have OS");
}

static void counts_all_of_an_l3(void)
{
	struct pmu_select select = {
		.event = 0x04, .umask = 0xff, .enable = true, .slices = 0xff, .threads = 0xff
	};

	is_u64(pmu_select_encode(PMU_SELECT_AMD_L3, &select), 0xff0f00000040ff04,
	       "family 17H: all of both masks");
	is_u64(pmu_select_encode(PMU_SELECT_AMD_L3_19H, &select), 0x0f00c0000040ff04,
	       "family 19H: all slices, all cores, both threads");
	select.slices = 0;
	select.threads = 3;
	select.slice = 5;
	select.core = 6;
	is_u64(pmu_select_encode(PMU_SELECT_AMD_L3_19H, &select), 0x030518000040ff04,
	       "one slice, one core");
}

/* Every bit by itself there and back: none is lost, none lands elsewhere. */
static void keeps_every_bit(void)
{
	for (unsigned int layout = 0; layout <= PMU_SELECT_AMD_L3_19H; layout++) {
		uint64_t known = 0;
		int wrong = 0;

		for (int bit = 0; bit < 64; bit++) {
			uint64_t value = UINT64_C(1) << bit;
			struct pmu_select select;
			uint64_t left = pmu_select_decode(layout, value, &select);

			if (!left)
				known |= value;
			wrong += left != 0 && left != value;
			wrong += pmu_select_encode(layout, &select) != (left ? 0 : value);
		}
		is_int(wrong, 0, names[layout]);
		is_u64(known, all_bits[layout], "  has the bits of the manual");
	}
}

static void tells_fields_apart(void)
{
	struct pmu_select s;

	is_u64(pmu_select_decode(PMU_SELECT_INTEL, 0xc053013cu | UINT64_C(1) << 34, &s),
	       UINT64_C(1) << 34, "what belongs to no field is told");
	ok(s.event == 0x3c && s.umask == 1 && s.cmask == 0xc0 && s.user && s.os && s.interrupt &&
		   s.enable && !s.edge && !s.invert && !s.any_thread && !s.pin_control,
	   "and the rest is read");
	pmu_select_decode(PMU_SELECT_AMD, UINT64_C(3) << 40 | 1u << 18, &s);
	ok(s.guest_only && s.host_only && s.edge, "AMD: guests and hosts");
	pmu_select_decode(PMU_SELECT_INTEL, UINT64_C(3) << 32, &s);
	ok(s.in_tx && s.in_txcp, "transactions");
}

static void places_fixed_counters(void)
{
	is_u64(pmu_select_fixed(0, false, true, false, false), 0x2, "user level of counter 0");
	is_u64(pmu_select_fixed(1, true, true, false, false), 0x30, "both levels of counter 1");
	is_u64(pmu_select_fixed(2, true, false, true, true), 0xd00, "OS, ANY and PMI of counter 2");
	is_u64(pmu_select_fixed(15, false, true, false, false), UINT64_C(2) << 60, "counter 15");
	is_u64(pmu_select_fixed(16, true, true, true, true), 0, "there is no counter 16");
}

UNIT_PART(select)
{
	encodes_the_known_examples();
	splits_the_event_of_amd();
	cuts_what_does_not_fit();
	counts_all_of_an_l3();
	keeps_every_bit();
	tells_fields_apart();
	places_fixed_counters();
	return done_testing();
}
