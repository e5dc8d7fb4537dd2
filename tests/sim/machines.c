/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions on one simulated machine of each kind: what happens there is what the report says, and
 * nothing stays.
 */
#include "measure.h"

/*
 * Wide counters are brought close to their end in two steps, each as long as counting that far may
 * take: a counter that jumps by more was written by another program.  Where there are narrow ones,
 * too, which would overflow in such a wait, wide_counters_come_round() of narrow.c does that.
 */

#define N_ITEMS(array) (sizeof(array) / sizeof((array)[0]))

struct machine {
	const char *cpu, *pin, *events;
	const struct measure_litter *litter;
	const char *script;
	const struct measure_count *counts;
	const char *const *logged; /* accesses that must be in the log */
	const uint32_t *by_itself; /* registers that only the machine can write */
};

/* --- Core 2: 40 bits, no uncore, MUL on counter 1 alone --- */

static const struct measure_litter core2_litter[] = {
	{ 0x186, 0x134f0 },      { 0x187, 0x800a1 },
	{ 0xc1, 0x7fffffff },    { 0xc2, 0xff80000000 },
	{ 0x309, 0x123456789a }, { 0x30a, 0xffffffffff },
	{ 0x30b, 0x1 },          { 0x38d, 0x888 },
	{ 0x38f, 0x700000003 },  { 0, 0 },
};
static const char core2_script[] = "0 sim set 0 0x309 0xffffffffff\n"
				   "0 sim set 0 0xc1 0xfffffffff0\n"
				   "0 sim set 3 0xc2 0xffffffffff\n"
				   "0 begin a\n"
				   "0 sim count 0 0xc0 0 user 1000 fixed 1\n"
				   "0 sim count 0 0x3c 0 user 2000 fixed 2\n"
				   "0 sim count 0 0 0 user 1500 fixed 4\n"
				   "0 sim count 0 8 1 user 40\n"
				   "0 sim count 0 0x12 0 kernel 40\n"
				   "1 begin a\n"
				   "1 sim count 3 0x12 0 user 5\n"
				   "1 end a\n"
				   "0 end a\n";
static const struct measure_count core2_counts[] = {
	{ "a", "thread 0", "instructions", 1000 },
	{ "a", "thread 0", "cycles", 2000 },
	{ "a", "thread 0", "ref-cycles", 1500 },
	{ "a", "thread 0", "DTLB_MISSES.ANY", 40 },
	{ "a", "thread 0", "MUL", 0 },
	{ "a", "thread 1", "MUL", 5 },
	{ "a", "thread 1", "instructions", 0 },
	{ "a", "all", "instructions", 1000 },
	{ NULL, NULL, NULL, 0 },
};
static const char *const core2_logged[] = {
	"cpu 0 write 186H 0000000000410108 ok",
	"cpu 3 write 187H 0000000000410012 ok",
	NULL,
};

/* --- Nehalem: two sockets, offcore responses --- */

static const struct measure_litter nehalem_litter[] = {
	{ 0x186, 0x134f0 },
	{ 0x189, 0x8fb1 },
	{ 0xc1, 0x12345678 },
	{ 0xc2, 0xffff87654321 },
	{ 0x309, 0xffffffffffff },
	{ 0x1a6, 0x4321 },
	{ 0x391, 0x2 },
	{ 0x394, 0x77 },
	{ 0x3b0, 0xfedcba987654 },
	{ 0x3c0, 0x80010b },
	{ 0, 0 },
};
static const char nehalem_script[] = "0 later 4100\n"
				     "0 sim set 4 0xc2 0x7fffffffffff\n"
				     "* begin half way;* end half way\n"
				     "0 later 4100\n"
				     "0 sim set 4 0xc2 0xffffffffffff\n"
				     "0 begin a\n"
				     "0 sim count 0 0xc0 0 user 1000 fixed 1\n"
				     "0 sim count 0 0xc0 0 kernel 300 fixed 1\n"
				     "0 sim count 0 0x3c 0 user 20 fixed 2\n"
				     "0 sim count 0 0x3c 0 kernel 3 fixed 2\n"
				     "0 sim count 0 0xb7 1 user 6\n"
				     "0 sim uncore 0 uncore 9 3 50\n"
				     "0 end a\n"
				     "1 begin a\n"
				     "1 sim count 4 0x49 1 user 8\n"
				     "1 sim uncore 4 clock 0 0 900\n"
				     "1 end a\n";
static const struct measure_count nehalem_counts[] = {
	{ "a", "thread 0", "instructions", 1000 },
	{ "a", "thread 0", "instructions:k", 300 },
	{ "a", "thread 0", "cycles:uk", 23 },
	{ "a", "thread 0", "DTLB_MISSES.ANY", 0 },
	{ "a", "thread 0", "OFFCORE_RESPONSE_0.DEMAND_DATA_RD.ANY_LLC_MISS", 6 },
	{ "a", "thread 1", "DTLB_MISSES.ANY", 8 },
	{ "a", "socket 0", "UNC_LLC_MISS.ANY", 50 },
	{ "a", "socket 0", "uncore-clock", 0 },
	{ "a", "socket 1", "UNC_LLC_MISS.ANY", 0 },
	{ "a", "socket 1", "uncore-clock", 900 },
	{ "a", "all", "uncore-clock", 900 },
	{ NULL, NULL, NULL, 0 },
};
static const char *const nehalem_logged[] = {
	"write 1A6H 000000000000F801 ok",
	"write 188H 00000000004101B7 ok",
	NULL,
};

/* --- Sandy Bridge: slices added up, arbiter, energy in 2^-16 J --- */

static const struct measure_litter sandybridge_litter[] = {
	{ 0x186, 0x134f0 },       { 0x188, 0x8fb1 },
	{ 0xc1, 0x123456789abc }, { 0xc3, 0xffffffffffff },
	{ 0x309, 0x1 },           { 0x391, 0x2 },
	{ 0x394, 0x100000 },      { 0x395, 0x123456789abc },
	{ 0x700, 0x4010b },       { 0x706, 0xfffffffffff },
	{ 0x716, 0x1 },           { 0x736, 0x765 },
	{ 0x3b2, 0x184 },         { 0x3b0, 0x3 },
	{ 0x641, 0x1 },           { 0, 0 },
};
static const char sandybridge_script[] = "0 sim set 0 0x706 0xfffffffffff\n"
					 "0 sim set 0 0x3b0 0xffffffffff0\n"
					 "0 sim set 0 0x611 0xfffffff0\n"
					 "0 begin a\n"
					 "0 sim count 0 0x0e 1 user 70\n"
					 "0 sim count 0 0x48 1 user 11\n"
					 "0 sim uncore 0 cbo0 0x34 0x88 10\n"
					 "0 sim uncore 0 cbo1 0x34 0x88 20\n"
					 "0 sim uncore 0 cbo3 0x34 0x88 7\n"
					 "0 sim uncore 0 cbo2 0x34 0x08 1000\n"
					 "0 sim uncore 0 arb 0x81 1 99\n"
					 "0 sim uncore 0 clock 0 0 12345\n"
					 "0 sim energy 0 pkg 131072\n"
					 "0 sim energy 0 cores 3\n"
					 "0 end a\n"
					 "0 sim energy 0 gpu 65536\n"
					 /* 15.2588 uJ each: what is rounded off does not pile up */
					 "1 loop 200 e energy %c cores 1\n";
static const struct measure_count sandybridge_counts[] = {
	{ "a", "thread 0", "UOPS_ISSUED.ANY", 70 },
	{ "a", "thread 0", "L1D_PEND_MISS.PENDING", 11 },
	{ "a", "socket 0", "UNC_CBO_CACHE_LOOKUP.STATE_I.ANY_FILTER", 37 },
	{ "a", "socket 0", "uncore_arb/event=0x81,umask=0x1/", 99 },
	{ "a", "socket 0", "uncore-clock", 12345 },
	{ "a", "socket 0", "energy-pkg", 2000000 },
	{ "a", "socket 0", "energy-cores", 45 },
	{ "a", "socket 0", "energy-gpu", 0 },
	{ "e", "socket 0", "energy-cores", 3052 }, /* 203 * 15.2588 without 3 * 15.2588 */
	{ "e", "all", "energy-pkg", 0 },
	{ NULL, NULL, NULL, 0 },
};
static const char *const sandybridge_logged[] = {
	"cpu 0 write 186H 000000000041010E ok",
	"cpu 0 write 4C1H 0000000000000000 ok",
	"cpu 0 write 4C1H 0000123456789ABC ok",
	"cpu 0 write 391H 0000000020000002 ok",
	NULL,
};

/* --- Skylake: version 4, energy in 2^-14 J --- */

/* A select with an event code is in use, even if not enabled: IA32_PERF_GLOBAL_INUSE. */
static const struct measure_litter skylake_litter[] = {
	{ 0x186, 0x13400 },       { 0x188, 0x80000 },
	{ 0xc1, 0x123456789abc }, { 0x30a, 0x3 },
	{ 0x38d, 0x880 },         { 0x1a6, 0x81 },
	{ 0xe01, 0x12 },          { 0x395, 0x123456789abc },
	{ 0x701, 0x4010b },       { 0x706, 0xfffffffffff },
	{ 0x716, 0x5 },           { 0, 0 },
};
static const char skylake_script[] = "0 sim set 0 0x716 0xffffffffffe\n"
				     "0 sim set 0 0x619 0xffffffff\n"
				     "0 begin a\n"
				     "1 begin a\n"
				     "1 sim count 3 0xb7 1 user 1\n"
				     "1 end a\n"
				     "0 sim count 0 0xc0 0 user 5 fixed 1\n"
				     "0 sim count 0 0x0e 1 user 70\n"
				     "0 sim count 0 0xb7 1 user 6\n"
				     "0 sim uncore 0 cbo0 0x34 0x88 10\n"
				     "0 sim uncore 0 cbo1 0x34 0x88 20\n"
				     "0 sim uncore 0 clock 0 0 44\n"
				     "0 sim energy 0 pkg 49152\n"
				     "0 sim energy 0 dram 16384\n"
				     "0 end a\n";
/* As the tables have it, and as libpfm4 has. */
#define SNOOPED        "OFFCORE_RESPONSE.DEMAND_DATA_RD.L3_HIT.SNOOP_HIT_NO_FWD"
#define SNOOPED_BY_PFM "OFFCORE_RESPONSE_0.DMND_DATA_RD.L3_HIT.SNP_HIT_NO_FWD"
static const struct measure_count skylake_counts[] = {
	{ "a", "thread 0", "instructions", 5 },
	{ "a", "thread 0", "UOPS_ISSUED.ANY:c=2:i", 70 },
	{ "a", "thread 0", SNOOPED, 6 },
	{ "a", "thread 1", SNOOPED, 1 },
	{ "a", "socket 0", "uncore_cbox/event=0x34,umask=0x88/", 30 },
	{ "a", "socket 0", "uncore-clock", 44 },
	{ "a", "socket 0", "energy-pkg", 3000000 },
	{ "a", "socket 0", "energy-ram", 1000000 },
	{ NULL, NULL, NULL, 0 },
};
static const char *const skylake_logged[] = {
	"cpu 0 write 1A6H 00000004001C0001 ok",
	"cpu 0 write 1A6H 0000000000000081 ok",
	"cpu 0 write E01H 0000000020000012 ok",
	NULL,
};

/* --- Ice Lake: four fixed counters, eight general ones --- */

static const struct measure_litter icelake_litter[] = {
	{ 0x186, 0x13400 },       { 0xc1, 0x123456789abc },
	{ 0xc8, 0xffffffffffff }, { 0x30c, 0xabcdef },
	{ 0x38d, 0x8008 },        { 0x38f, 0xf00000055 },
	{ 0x700, 0x4010b },       { 0x702, 0xfffffffffff },
	{ 0x71a, 0x5 },           { 0, 0 },
};
static const char icelake_script[] = "0 begin a\n"
				     "0 sim count 0 0xa4 1 user 4000 fixed 8\n"
				     "0 sim count 0 0xc0 0 user 1000 fixed 1\n"
				     "0 sim count 0 0xc4 0 user 12\n"
				     "0 sim count 0 0x2e 0x41 user 3\n"
				     "0 sim count 0 0x0e 1 user 5\n"
				     "0 sim count 0 0x51 1 user 6\n"
				     "0 sim uncore 0 cbo0 0x34 0x88 10\n"
				     "0 sim uncore 0 cbo3 0x34 0x88 20\n"
				     "0 sim uncore 0 arb 0x81 1 99\n"
				     "0 sim uncore 0 clock 0 0 44\n"
				     "0 end a\n"
				     "1 begin a\n"
				     "1 sim count 7 0xc5 0 user 9\n"
				     "1 end a\n";
static const struct measure_count icelake_counts[] = {
	{ "a", "thread 0", "TOPDOWN.SLOTS", 4000 },
	{ "a", "thread 0", "instructions", 1000 },
	{ "a", "thread 0", "branches", 12 },
	{ "a", "thread 0", "cache-misses", 3 },
	{ "a", "thread 0", "UOPS_ISSUED.ANY", 5 },
	{ "a", "thread 0", "r151", 6 },
	{ "a", "thread 0", "branch-misses", 0 },
	{ "a", "thread 1", "branch-misses", 9 },
	{ "a", "socket 0", "uncore_cbox/event=0x34,umask=0x88/", 30 },
	{ "a", "socket 0", "uncore_arb/event=0x81,umask=0x1/", 99 },
	{ "a", "socket 0", "uncore-clock", 44 },
	{ NULL, NULL, NULL, 0 },
};
static const char *const icelake_logged[] = {
	/* r0151 needs one of the first four; so there is one that needs none of them elsewhere */
	"cpu 0 write 38DH 0000000000002222 ok",
	"cpu 0 write 18BH 00000000004100C4 ok",
	"cpu 0 write 38FH 0000000F0000007F ok",
	NULL,
};

/* --- Alder Lake: what one kind of core lacks is missing there --- */

static const struct measure_litter alderlake_litter[] = {
	{ 0x186, 0x13400 }, { 0xc1, 0x123456789abc }, { 0x309, 0x5 },
	{ 0x38d, 0x8 },     { 0x38f, 0x20 },          { 0, 0 },
};
static const char alderlake_script[] = "0 begin a\n"
				       "1 begin a\n"
				       "2 begin a\n"
				       "0 sim count 0 0xc0 0 user 100 fixed 1\n"
				       "1 sim count 12 0xc0 0 user 200 fixed 1\n"
				       "2 sim count 19 0xc0 0 user 400 fixed 1\n"
				       "0 sim count 0 0x2e 0x41 user 5\n"
				       "1 sim count 12 0x2e 0x41 user 6\n"
				       "0 sim count 0 0xc5 0 user 7\n"
				       "2 sim count 19 0xc5 0 user 8\n"
				       "1 sim count 12 0xc4 0 user 10\n"
				       "0 sim energy 5 pkg 16384\n"
				       "0 end a\n"
				       "1 end a\n"
				       "2 end a\n";
static const struct measure_count alderlake_counts[] = {
	{ "a", "thread 0", "instructions", 100 },
	{ "a", "thread 1", "instructions", 200 },
	{ "a", "thread 2", "instructions", 400 },
	{ "a", "all", "instructions", 700 },
	{ "a", "thread 0", "cpu_core/event=0x2e,umask=0x41/", 5 },
	{ "a", "thread 1", "cpu_core/event=0x2e,umask=0x41/", MISSING },
	{ "a", "thread 2", "cpu_core/event=0x2e,umask=0x41/", MISSING },
	{ "a", "all", "cpu_core/event=0x2e,umask=0x41/", MISSING },
	{ "a", "thread 0", "cpu_atom/event=0xc5/", MISSING },
	{ "a", "thread 1", "cpu_atom/event=0xc5/", 0 },
	{ "a", "thread 2", "cpu_atom/event=0xc5/", 8 },
	{ "a", "thread 1", "branches", 10 },
	{ "a", "socket 0", "energy-pkg", 1000000 },
	{ NULL, NULL, NULL, 0 },
};

/* --- Zen 3: core extension, a level 3 cache for each complex, energy of each core --- */

static const struct measure_litter zen3_litter[] = {
	{ 0xc0010200, 0x300130f0 },
	{ 0xc0010201, 0x123456789abc },
	{ 0xc001020a, 0x100000054 },
	{ 0xc001020b, 0x77 },
	{ 0xc0010230, 0x1122 },
	{ 0xc0010231, 0xffffffffffff },
	{ 0, 0 },
};
static const char zen3_script[] = "0 sim set 1 0xc001029a 0xfffffff0\n"
				  "0 begin a\n"
				  "0 sim count 0 0xc0 0 user 100\n"
				  "0 sim count 0 0xc0 0 kernel 1000\n"
				  "0 sim count 16 0xc0 0 user 1000\n"
				  "0 sim uncore 0 l3 4 0xff 10\n"
				  "1 sim uncore 25 l3 4 0xff 500\n"
				  "0 sim energy 0 core 65536\n"
				  "0 sim energy 17 core 131072\n"
				  "0 sim energy 9 core 262144\n"
				  "0 sim energy 9 pkg 655360\n"
				  "0 end a\n"
				  "1 begin a\n"
				  "1 sim count 9 0xc1 0 user 4\n"
				  "1 end a\n";
static const struct measure_count zen3_counts[] = {
	{ "a", "thread 0", "instructions", 100 },
	{ "a", "thread 1", "instructions", 0 },
	{ "a", "thread 1", "RETIRED_OPS", 4 },
	{ "a", "socket 0", "UNC_L3_REQUESTS.ALL", 510 },
	{ "a", "socket 0", "energy-cores", 7000000 },
	{ "a", "socket 0", "energy-pkg", 10000000 },
	{ NULL, NULL, NULL, 0 },
};

/* --- Zen 4: PerfMonV2's global control; an event code of 12 bits --- */

static const struct measure_litter zen4_litter[] = {
	{ 0xc0010200, 0x300130f0 }, { 0xc0010201, 0x123456789abc }, { 0xc0010205, 0x77 },
	{ 0xc0000301, 0x15 },       { 0xc0010230, 0x1122 },         { 0, 0 },
};
static const char zen4_script[] = "0 later 4100\n"
				  "0 sim set 0 0xc0010205 0x7fffffffffff\n"
				  "* begin half way;* end half way\n"
				  "0 later 4100\n"
				  "0 sim set 0 0xc0010205 0xffffffffffff\n"
				  "0 begin a\n"
				  "0 sim count 0 0xc0 0 user 100\n"
				  "0 sim count 0 0x120 1 user 50\n"
				  "0 sim count 0 0x20 1 user 5000\n"
				  "0 sim uncore 0 l3 4 0xff 10\n"
				  "0 end a\n"
				  "1 begin a\n"
				  "1 sim count 8 0x76 0 user 4\n"
				  "1 end a\n";
static const struct measure_count zen4_counts[] = {
	{ "a", "thread 0", "instructions", 100 },
	{ "a", "thread 0", "ref-cycles", 50 },
	{ "a", "thread 0", "cycles", 0 },
	{ "a", "thread 1", "cycles", 4 },
	{ "a", "socket 0", "amd_l3/event=0x4,umask=0xff/", 10 },
	{ NULL, NULL, NULL, 0 },
};
static const char *const zen4_logged[] = {
	"cpu 0 write C0010204H 0000000100410120 ok",
	"cpu 0 write C0000301H 0000000000000017 ok",
	"cpu 0 write C0000302H 0000000000000007 ok",
	NULL,
};

/* Energy; overflow status of a client's uncore. */
static const uint32_t sandybridge_by_itself[] = { 0x611, 0x639, 0x641, 0x392, 0 };
static const uint32_t client_by_itself[] = { 0x611, 0x619, 0x639, 0x641, 0xe02, 0 };
static const uint32_t zen_by_itself[] = { 0xc001029a, 0xc001029b, 0 };

static const struct machine machines[] = {
	{ "core2", "PMU_PIN=cpus:0,3",
	  "PMU_EVENTS=instructions,cycles,ref-cycles,DTLB_MISSES.ANY,MUL", core2_litter,
	  core2_script, core2_counts, core2_logged, NULL },
	{ "nehalem", "PMU_PIN=cpus:0,4",
	  "PMU_EVENTS=instructions,instructions:k,cycles:uk,DTLB_MISSES.ANY,"
	  "OFFCORE_RESPONSE_0.DMND_DATA_RD.ANY_LLC_MISS,UNC_LLC_MISS.ANY,uncore-clock",
	  nehalem_litter, nehalem_script, nehalem_counts, nehalem_logged, NULL },
	{ "sandybridge", "PMU_PIN=cpus:0,5",
	  "PMU_EVENTS=instructions,UOPS_ISSUED.ANY,L1D_PEND_MISS.PENDING,UNC_CBO_CACHE_LOOKUP.STATE_I.ANY_FILTER,"
	  "uncore_arb/event=0x81,umask=1/,uncore-clock,energy-pkg,energy-cores,energy-gpu",
	  sandybridge_litter, sandybridge_script, sandybridge_counts, sandybridge_logged,
	  sandybridge_by_itself },
	{ "skylake", "PMU_PIN=cpus:0,3",
	  "PMU_EVENTS=instructions,UOPS_ISSUED.ANY:c=2:i," SNOOPED_BY_PFM ","
	  "uncore_cbox/event=0x34,umask=0x88/,uncore-clock,energy-pkg,energy-ram",
	  skylake_litter, skylake_script, skylake_counts, skylake_logged, client_by_itself },
	{ "icelake", "PMU_PIN=cpus:0,7",
	  "PMU_EVENTS=instructions,cycles,ref-cycles,TOPDOWN.SLOTS,branches,branch-misses,cache-misses,UOPS_ISSUED.ANY,"
	  "cache-references,r0151,uncore_cbox/event=0x34,umask=0x88/,uncore_arb/event=0x81,umask=1/,uncore-clock",
	  icelake_litter, icelake_script, icelake_counts, icelake_logged, client_by_itself },
	{ "alderlake", "PMU_PIN=cpus:0,12,19",
	  "PMU_EVENTS=instructions,cycles,ref-cycles,cpu_core/event=0x2e,umask=0x41/,cpu_atom/event=0xc5/,branches,"
	  "energy-pkg",
	  alderlake_litter, alderlake_script, alderlake_counts, NULL, client_by_itself },
	{ "zen3", "PMU_PIN=cpus:0,9",
	  "PMU_EVENTS=instructions,cycles,RETIRED_OPS,UNC_L3_REQUESTS.ALL,energy-pkg,energy-cores",
	  zen3_litter, zen3_script, zen3_counts, NULL, zen_by_itself },
	{ "zen4", "PMU_PIN=cpus:0,8",
	  "PMU_EVENTS=instructions,cycles,ref-cycles,amd_l3/event=4,umask=0xff/", zen4_litter,
	  zen4_script, zen4_counts, zen4_logged, zen_by_itself },
};

static void the_log_has(const char *const *wanted)
{
	char *log = sim_log(&sim);

	for (; wanted && *wanted; wanted++)
		ok(log && strstr(log, *wanted), "%s", *wanted);
	free(log);
}

/* Of threads 0, 1 and 2; all cores alike: of none. */
static void kinds_of_core_are_told(const struct run *r, const char *machine)
{
	static const char *const hybrid[] = { "P", "E", "E" };
	bool is_hybrid = !strcmp(machine, "alderlake");
	const json_t *thread;
	size_t i;

	json_array_foreach(json_object_get(r->json, "threads"), i, thread)
	{
		const char *kind = json_string_value(json_object_get(thread, "core_type"));

		if (is_hybrid && i < N_ITEMS(hybrid))
			is_str(kind ? kind : "none", hybrid[i], "kind of core");
		else
			ok(!kind, "no kind of core");
	}
}

static void what_happens_is_what_is_reported(const struct machine *machine, const char *session)
{
	struct run r;
	char *before;

	measure_litter(machine->litter);
	before = sim_state(&sim);
	sim_send(&sim, "forget");
	measure(&r, machine->script,
		session_env("PMU_BACKEND=msr", machine->pin, machine->events, NULL));
	if (measure_good(&r, session))
		measure_counts(&r, machine->counts);
	kinds_of_core_are_told(&r, machine->cpu);
	the_log_has(machine->logged);
	measure_forgive(before, machine->by_itself);
	session_is_back(before, "every register is as it was");
	run_done(&r);
}

int main(void)
{
	static const struct {
		int flags;
		const char *session;
	} modes[] = { { 0, "a session register by register" },
		      { SIM_BATCH, "a session in batches" } };

	for (size_t i = 0; i < N_ITEMS(machines) * N_ITEMS(modes); i++) {
		const struct machine *machine = &machines[i / N_ITEMS(modes)];
		int rc = sim_start(&sim, machine->cpu, modes[i % N_ITEMS(modes)].flags);

		if (rc > 0)
			return skip_all(sim.why);
		if (ok(!rc, "a machine with %s starts", machine->cpu))
			what_happens_is_what_is_reported(machine,
							 modes[i % N_ITEMS(modes)].session);
		else
			diag("%s", sim.why);
		ok(!sim_stop(&sim), "and ends well");
	}
	return done_testing();
}
