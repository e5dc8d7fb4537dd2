/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What CPUID says of the PMU: every processor of tests/data/perfmon.csv, and registers that no
 * processor has.
 */
#include "machine/perfmon.h"

#include <limits.h>

#include "unit/part.h"

/* Columns of perfmon.csv. */
enum column {
	SOURCE,
	VENDOR,
	CORE_TYPE,
	SIGNATURE,
	MAX_LEAF,
	LEAF1_ECX,
	LEAF7_EDX,
	LEAF7_1_EAX,
	LEAF0A,
	LEAF1A_EAX,
	LEAF23,
	LEAF80000001_ECX,
	LEAF80000022,
	WHY,
	FAMILY,
	VERSION,
	GENERAL,
	GENERAL_BITS,
	FIXED,
	FIXED_BITS,
	EVENTS,
	ANY_THREAD,
	UMASK2,
	EQUAL,
	CORE,
	NB,
	L3,
	N_NB,
	N_UMC,
	COLUMNS,
};

/* Leaves of one processor; added in ascending order. */
struct leaves {
	struct pmu_cpuid cpuid;
	struct pmu_cpuid_entry entry[32];
};

static void add(struct leaves *leaves, uint32_t leaf, uint32_t subleaf, struct pmu_cpuid_regs regs)
{
	leaves->cpuid.entry = leaves->entry;
	leaves->entry[leaves->cpuid.n++] = (struct pmu_cpuid_entry){ leaf, subleaf, regs };
}

static uint32_t hex(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 16);
}

static struct pmu_cpuid_regs quad(const char *text)
{
	struct pmu_cpuid_regs regs = { 0 };

	if (sscanf(text, "%8" SCNx32 "-%8" SCNx32 "-%8" SCNx32 "-%8" SCNx32, &regs.eax, &regs.ebx,
		   &regs.ecx, &regs.edx) != 4)
		ok(false, "four registers in \"%s\"", text);
	return regs;
}

static struct pmu_cpuid_regs leaf0(uint32_t max, const char *vendor)
{
	struct pmu_cpuid_regs regs = { .eax = max };

	memcpy(&regs.ebx, vendor, 4);
	memcpy(&regs.edx, vendor + 4, 4);
	memcpy(&regs.ecx, vendor + 8, 4);
	return regs;
}

static void add_23(struct leaves *leaves, char *text)
{
	char *save = NULL;

	for (char *part = strtok_r(text, " ", &save); part; part = strtok_r(NULL, " ", &save))
		add(leaves, 0x23, (uint32_t)(part[0] - '0'), quad(part + 2));
}

static void build(struct leaves *leaves, char *const cell[COLUMNS])
{
	memset(leaves, 0, sizeof(*leaves));
	add(leaves, 0, 0, leaf0(hex(cell[MAX_LEAF]), cell[VENDOR]));
	add(leaves, 1, 0,
	    (struct pmu_cpuid_regs){ .eax = hex(cell[SIGNATURE]), .ecx = hex(cell[LEAF1_ECX]) });
	add(leaves, 7, 0, (struct pmu_cpuid_regs){ .edx = hex(cell[LEAF7_EDX]) });
	if (cell[LEAF7_1_EAX][0])
		add(leaves, 7, 1, (struct pmu_cpuid_regs){ .eax = hex(cell[LEAF7_1_EAX]) });
	if (cell[LEAF0A][0])
		add(leaves, 0xa, 0, quad(cell[LEAF0A]));
	if (cell[LEAF1A_EAX][0])
		add(leaves, 0x1a, 0, (struct pmu_cpuid_regs){ .eax = hex(cell[LEAF1A_EAX]) });
	add_23(leaves, cell[LEAF23]);
	add(leaves, 0x80000000, 0, (struct pmu_cpuid_regs){ .eax = 0x80000022 });
	add(leaves, 0x80000001, 0, (struct pmu_cpuid_regs){ .ecx = hex(cell[LEAF80000001_ECX]) });
	if (cell[LEAF80000022][0])
		add(leaves, 0x80000022, 0, quad(cell[LEAF80000022]));
}

static enum pmu_perfmon_family family_of(const char *text)
{
	return !strcmp(text, "intel") ? PMU_PERFMON_INTEL
	       : !strcmp(text, "amd") ? PMU_PERFMON_AMD
				      : PMU_PERFMON_NONE;
}

/* The name of the first thing that is not as its column says; NULL if all is. */
static const char *difference(const struct pmu_perfmon *got, char *const cell[COLUMNS])
{
	const struct {
		const char *name;
		uint32_t got, want;
	} check[] = {
		{ "family", got->family, family_of(cell[FAMILY]) },
		{ "core type", got->core_type, (uint32_t)atoi(cell[CORE_TYPE]) },
		{ "hybrid", got->hybrid, hex(cell[LEAF7_EDX]) >> 15 & 1 },
		{ "pdcm", got->pdcm, hex(cell[LEAF1_ECX]) >> 15 & 1 },
		{ "version", got->version, (uint32_t)atoi(cell[VERSION]) },
		{ "general", got->general, hex(cell[GENERAL]) },
		{ "n_general", got->n_general, (uint32_t)__builtin_popcount(hex(cell[GENERAL])) },
		{ "general_bits", got->general_bits, (uint32_t)atoi(cell[GENERAL_BITS]) },
		{ "fixed", got->fixed, hex(cell[FIXED]) },
		{ "n_fixed", got->n_fixed, (uint32_t)__builtin_popcount(hex(cell[FIXED])) },
		{ "fixed_bits", got->fixed_bits, (uint32_t)atoi(cell[FIXED_BITS]) },
		{ "events", got->events, hex(cell[EVENTS]) },
		{ "any_thread", got->any_thread, (uint32_t)atoi(cell[ANY_THREAD]) },
		{ "umask2", got->umask2, (uint32_t)atoi(cell[UMASK2]) },
		{ "equal", got->equal, (uint32_t)atoi(cell[EQUAL]) },
		{ "core extension", got->core_extension, (uint32_t)atoi(cell[CORE]) },
		{ "northbridge extension", got->nb_extension, (uint32_t)atoi(cell[NB]) },
		{ "L3 extension", got->l3_extension, (uint32_t)atoi(cell[L3]) },
		{ "n_nb", got->n_nb, (uint32_t)atoi(cell[N_NB]) },
		{ "n_umc", got->n_umc, (uint32_t)atoi(cell[N_UMC]) },
	};

	for (size_t i = 0; i < sizeof(check) / sizeof(check[0]); i++) {
		if (check[i].got == check[i].want)
			continue;
		diag("%s: got %" PRIx32 "H, want %" PRIx32 "H", check[i].name, check[i].got,
		     check[i].want);
		return check[i].name;
	}
	return NULL;
}

static void decode_row(char *line)
{
	struct pmu_perfmon perfmon;
	struct leaves leaves;
	char *cell[COLUMNS];
	size_t n = 0;

	line[strcspn(line, "\n")] = '\0';
	for (char *next = line; next && n < COLUMNS;)
		cell[n++] = strsep(&next, ",");
	if (n < COLUMNS) {
		ok(false, "a row of %d cells: %s", COLUMNS, line);
		return;
	}
	build(&leaves, cell);
	memset(&perfmon, 0xff, sizeof(perfmon));
	pmu_perfmon_decode(&leaves.cpuid, &perfmon);
	ok(!difference(&perfmon, cell), "%s %s", cell[SOURCE], cell[LEAF1A_EAX]);
	if ((perfmon.family == PMU_PERFMON_NONE) != (perfmon.why[0] != '\0'))
		ok(false, "a reason where there is no PMU, and only there: \"%s\"", perfmon.why);
}

static void decodes_every_processor(void)
{
	const char *top = getenv("TEST_SRCDIR");
	char path[PATH_MAX], line[1024];
	size_t n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/data/perfmon.csv", top ? top : ".");
	file = fopen(path, "r");
	if (!ok(file && fgets(line, sizeof(line), file), "%s can be read", path))
		return;
	for (; fgets(line, sizeof(line), file); n++)
		decode_row(line);
	fclose(file);
	is_u64(n, 279, "rows");
}

/* Leaf 0AH of an Intel processor, decoded. */
static struct pmu_perfmon decode(uint32_t max, uint32_t ecx1, struct pmu_cpuid_regs leaf0a)
{
	struct leaves leaves = { .cpuid = { 0, NULL } };
	struct pmu_perfmon perfmon;

	add(&leaves, 0, 0, leaf0(max, "GenuineIntel"));
	add(&leaves, 1, 0, (struct pmu_cpuid_regs){ .eax = 0x000206c2, .ecx = ecx1 });
	add(&leaves, 0xa, 0, leaf0a);
	pmu_perfmon_decode(&leaves.cpuid, &perfmon);
	return perfmon;
}

static void says_why_there_is_none(void)
{
	const struct pmu_cpuid_regs usual = { 0x07300403, 0, 0, 0x603 };
	struct pmu_perfmon perfmon = decode(0xb, 0, usual);

	is_int(perfmon.family, PMU_PERFMON_INTEL, "the usual leaf 0AH");
	perfmon = decode(0x5, 0, usual);
	is_int(perfmon.family, PMU_PERFMON_NONE, "above the highest leaf");
	has(perfmon.why, "highest CPUID leaf 05H", "why");
	perfmon = decode(0xb, 0, (struct pmu_cpuid_regs){ 0 });
	has(perfmon.why, "version 0", "version 0");
	perfmon = decode(0xb, 1u << 31, (struct pmu_cpuid_regs){ 0 });
	has(perfmon.why, "hypervisor hides it", "version 0 under a hypervisor");
	perfmon = decode(0xb, 0, (struct pmu_cpuid_regs){ .eax = 0x07300002 });
	has(perfmon.why, "no counter", "a version without counters");
}

static void does_not_believe_nonsense(void)
{
	struct pmu_perfmon perfmon;

	for (uint32_t n = 0; n < 256; n++) {
		for (uint32_t bits = 0; bits < 256; bits += 5) {
			perfmon = decode(
				0xb, 0,
				(struct pmu_cpuid_regs){ 0xff000000 | bits << 16 | n << 8 | 5, 0,
							 0xffffffff, 48 << 5 | (n & 31) });
			if (perfmon.n_general > 32 || perfmon.general_bits > 64 ||
			    perfmon.fixed_bits > 64 || perfmon.events >> PMU_ARCH_EVENTS)
				ok(false, "%u counters of %u bits", n, bits);
		}
	}
	perfmon = decode(0xb, 0, (struct pmu_cpuid_regs){ 0x665b5001, 0, 0, 0x007b7040 });
	is_int(perfmon.family, PMU_PERFMON_NONE, "80 counters are none");
	has(perfmon.why, "makes no sense", "why");
}

/* Registers that no processor of the table has. */
static void reads_its_fields_alone(void)
{
	struct pmu_perfmon perfmon;

	perfmon = decode(0xb, 0,
			 (struct pmu_cpuid_regs){ 0x07300403, 0, 0xff, 33 << 5 | 3 | 0x6000 });
	is_u64(perfmon.n_fixed, 3, "the width's lowest bit is not the count's");
	is_u64(perfmon.fixed_bits, 33, "nor are the bits above it the width's");
	is_u64(perfmon.fixed, 0x7, "before version 5 there is no bitmap");
	perfmon = decode(0xb, 0, (struct pmu_cpuid_regs){ 0x07300405, 0, 0x77, 48 << 5 | 3 });
	is_u64(perfmon.fixed, 0x77, "from version 5 the bitmap adds to the count");
	perfmon = decode(0xb, 0, (struct pmu_cpuid_regs){ 0x07300405, 0, 0x4, 48 << 5 | 1 });
	is_u64(perfmon.fixed, 0x5, "and the count to the bitmap");
	perfmon = decode(0xb, 0,
			 (struct pmu_cpuid_regs){ 0x07300405, 0, 0x7, 48 << 5 | 3 | 1 << 15 });
	ok(!perfmon.any_thread, "AnyThread can be deprecated");
	perfmon = decode(0xb, 0, (struct pmu_cpuid_regs){ 0x02300401, 0, 0x7, 48 << 5 | 3 });
	ok(!perfmon.fixed && !perfmon.fixed_bits && perfmon.events == 0x3,
	   "version 1 has no fixed counters");
}

static void refuses_strangers(void)
{
	struct leaves leaves = { .cpuid = { 0, NULL } };
	struct pmu_perfmon perfmon;

	pmu_perfmon_decode(&leaves.cpuid, &perfmon);
	has(perfmon.why, "leaf 01H", "a dump of nothing");
	add(&leaves, 0, 0, leaf0(0xb, "Genuine RDC "));
	add(&leaves, 1, 0, (struct pmu_cpuid_regs){ .eax = 0x000206c2 });
	add(&leaves, 0xa, 0, (struct pmu_cpuid_regs){ 0x07300403, 0, 0, 0x603 });
	pmu_perfmon_decode(&leaves.cpuid, &perfmon);
	is_int(perfmon.family, PMU_PERFMON_NONE, "an unknown vendor");
	has(perfmon.why, "Genuine RDC", "why");
}

static void names_the_events(void)
{
	is_str(pmu_arch_event_name(PMU_ARCH_CORE_CYCLES), "core_cycles", "the first");
	is_str(pmu_arch_event_name(PMU_ARCH_BRANCH_MISSES), "branch_misses", "the seventh");
	is_str(pmu_arch_event_name(PMU_ARCH_EVENTS), "", "one that is none");
}

UNIT_PART(perfmon)
{
	decodes_every_processor();
	says_why_there_is_none();
	does_not_believe_nonsense();
	reads_its_fields_alone();
	refuses_strangers();
	names_the_events();
	return done_testing();
}
