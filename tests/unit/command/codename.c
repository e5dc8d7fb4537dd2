/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of a model's code names a processor has. */
#include "bindings/command/info/codename.h"

#include <limits.h>

#include "base/error.h"
#include "machine/libcpuid/libcpuid.h"
#include "unit/part.h"

#define INTEL "GenuineIntel"
#define AMD   "AuthenticAMD"

/* What libcpuid 0.6.2 says of processors of its public dumps, and what they are. */
static const struct {
	const char *vendor;
	uint32_t family, model, stepping;
	const char *brand, *said, *codename;
} rows[] = {
	/* one of the model's */
	{ INTEL, 0x06, 0x1a, 4, "Intel(R) Core(TM) i7 CPU 920 @ 2.67GHz", "Bloomfield (Core i7)",
	  "Bloomfield" },
	{ INTEL, 0x06, 0x17, 7, "Intel(R) Core(TM)2 Quad CPU Q9450 @ 2.66GHz",
	  "Yorkfield (Core 2 Quad) 6M", "Yorkfield" },
	{ INTEL, 0x06, 0x16, 1, "Intel(R) Celeron(R) CPU 420 @ 1.60GHz", "Conroe-L (Celeron)",
	  "Conroe-L" },
	{ INTEL, 0x06, 0x8e, 12, "Intel(R) Core(TM) i5-8265U CPU @ 1.60GHz",
	  "Whiskey Lake-U (Core i5)", "Whiskey Lake-U" },
	{ AMD, 0x17, 0x31, 0, "AMD Ryzen Threadripper PRO 3955WX 16-Cores",
	  "Threadripper (Castle Peak)", "Castle Peak" },
	{ AMD, 0x19, 0x50, 0, "AMD Ryzen 7 5800H with Radeon Graphics", "Ryzen 7 (Cezanne)",
	  "Cezanne" },
	{ AMD, 0x10, 0x09, 1, "AMD Opteron(tm) Processor 6168", "Magny-Cours Opteron",
	  "Magny-Cours" },
	{ AMD, 0x06, 0x08, 1, "AMD Duron(tm) processor", "Duron (Applebred)", "Applebred" },
	{ AMD, 0x0f, 0x24, 2, "AMD Turion(tm) 64 Mobile Technology ML-34",
	  "Turion 64 (Lancaster/1024K)", "Lancaster" },
	{ AMD, 0x0f, 0x2c, 2, "AMD Sempron(tm) Processor 2600+", "Sempron 64 (Palermo/128K)",
	  "Palermo" },
	{ AMD, 0x15, 0x30, 1, "AMD RX-427BB with AMD Radeon(tm) R7 Graphics", "Bald Eagle X4",
	  "Bald Eagle" },
	/* the model's only one, whatever libcpuid says */
	{ INTEL, 0x06, 0x2a, 7, "Intel(R) Core(TM) i7-2600K CPU @ 3.40GHz",
	  "Sandy Bridge (Core i7)", "Sandy Bridge" },
	{ INTEL, 0x06, 0xc5, 2, "Intel(R) Core(TM) Ultra 9 285H", "Pentium II (Deschutes)",
	  "Arrow Lake-H" },
	{ INTEL, 0x06, 0x37, 9, "Intel(R) Atom(TM) CPU E3827 @ 1.74GHz", "Xeon (Wolfdale)",
	  "Bay Trail" },
	{ AMD, 0x17, 0x91, 0, "AMD Custom APU 0932", "Athlon II X4 (Propus)", "Van Gogh" },
	{ AMD, 0x1a, 0x60, 0, "AMD Ryzen AI 7 PRO 350 w/ Radeon 860M", "Magny-Cours Opteron",
	  "Krackan Point" },
	/* none of the model's is said, or it has segments */
	{ AMD, 0x19, 0x75, 2, "AMD Ryzen 7 8700G w/ Radeon 780M Graphics", "Ryzen 7 (Raphael)",
	  "Phoenix, Hawk Point" },
	{ INTEL, 0x06, 0x97, 2, "12th Gen Intel(R) Core(TM) i7-12800HX", "Alder Lake-S (Core i7)",
	  "Alder Lake-S, -HX" },
	/* corrected */
	{ INTEL, 0x06, 0x0f, 11, "Intel(R) Core(TM)2 Duo CPU E6750 @ 2.66GHz",
	  "Conroe-L (Allendale)", "Conroe" },
	{ INTEL, 0x06, 0x0f, 13, "Intel(R) Pentium(R) Dual CPU E2160 @ 1.80GHz",
	  "Conroe (Core 2 Duo) 1024K", "Allendale" },
	{ INTEL, 0x06, 0x17, 6, "Intel(R) Core(TM)2 Duo CPU P8400 @ 2.26GHz",
	  "Wolfdale (Core 2 Duo) 3M", "Penryn" },
	{ INTEL, 0x06, 0x1e, 5, "Intel(R) Core(TM) CPU Q 820 @ 1.73GHz", "Lynnfield (Core i7)",
	  "Clarksfield" },
	{ INTEL, 0x06, 0x1e, 5, "Intel(R) Core(TM) i5 CPU 750 @ 2.67GHz", "Skylake (Core i5)",
	  "Lynnfield" },
	{ INTEL, 0x06, 0x2c, 1, "Intel(R) Xeon(R) CPU X5667 @ 3.07GHz", "Gulftown (Xeon)",
	  "Westmere-EP" },
	{ INTEL, 0x06, 0x2c, 2, "Intel(R) Core(TM) i7 CPU X 980 @ 3.33GHz", "Gulftown (Core i7)",
	  "Gulftown" },
	{ INTEL, 0x06, 0x8e, 12, "Intel(R) Core(TM) i3-10110U CPU @ 2.10GHz",
	  "Whiskey Lake-U (Core i3)", "Comet Lake-U" },
	{ INTEL, 0x06, 0x4d, 8, "Intel(R) Atom(TM) CPU C2758 @ 2.40GHz", "Pentium M (Dothan)",
	  "Rangeley" },
	{ INTEL, 0x06, 0x4d, 8, "Intel(R) Atom(TM) CPU C2750 @ 2.40GHz", "Pentium M (Dothan)",
	  "Avoton" },
	{ INTEL, 0x06, 0x4c, 3, "Intel(R) Celeron(R) CPU N3150 @ 1.60GHz", "Haswell (Core i7)",
	  "Braswell" },
	{ INTEL, 0x06, 0x5c, 9, "Intel(R) Pentium(R) CPU N4200 @ 1.10GHz", "Atom (Cedarview)",
	  "Apollo Lake" },
	{ INTEL, 0x0f, 0x04, 4, "Intel(R) Pentium(R) D CPU 2.80GHz", "Pentium 4 (Prescott)",
	  "Smithfield" },
	{ INTEL, 0x0f, 0x06, 8, "Intel(R) Xeon(TM) CPU 3.40GHz", "Xeon (Dempsey)", "Tulsa" },
	{ INTEL, 0x0f, 0x06, 2, "Genuine Intel(R) CPU 3.46GHz", "Pentium 4 (Cedar Mill)",
	  "Cedar Mill, Presler, Dempsey, Tulsa" },
	{ AMD, 0x10, 0x02, 10, "Quad-Core AMD Opteron(tm) Processor 2344 HE", "Abu Dhabi",
	  "Barcelona" },
	{ AMD, 0x10, 0x04, 2, "Quad-Core AMD Opteron(tm) Processor 2378", "Phenom II X4 (Deneb)",
	  "Shanghai" },
	{ AMD, 0x10, 0x08, 0, "Six-Core AMD Opteron(tm) Processor 2431", "Athlon X2 (Kuma)",
	  "Istanbul" },
	{ AMD, 0x15, 0x60, 1, "AMD FX-8800P Radeon R7, 12 Compute Cores 4C+8G", "Zambezi X2",
	  "Carrizo" },
	{ AMD, 0x1a, 0x44, 0, "AMD Ryzen 9 9950X 16-Core Processor", "Ryzen 9 (Rembrandt)",
	  "Granite Ridge" },
};

static void tells_each(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmu_cpu_id id = { .family = rows[i].family,
					 .model = rows[i].model,
					 .stepping = rows[i].stepping };
		char name[128];

		strcpy(id.vendor, rows[i].vendor);
		strcpy(id.brand, rows[i].brand);
		pmu_info_codename(&id, pmu_cpu_model_find(&id), rows[i].said, name, sizeof(name));
		is_str(name, rows[i].codename, rows[i].brand);
	}
}

/* Without libcpuid, and where nothing tells whether it knows the processor. */
static void does_without(void)
{
	struct pmu_cpu_id id = { .vendor = INTEL, .family = 6, .model = 0x1a, .brand = "i7" };
	char name[128], few[8];

	pmu_info_codename(&id, pmu_cpu_model_find(&id), "", name, sizeof(name));
	is_str(name, "Bloomfield, Gainestown (Nehalem-EP)", "all of the model's");
	pmu_info_codename(&id, pmu_cpu_model_find(&id), "Bloomfield-X Gainestowns xBloomfield",
			  name, sizeof(name));
	is_str(name, "Bloomfield, Gainestown (Nehalem-EP)", "a part of a word is no name");
	pmu_info_codename(&id, pmu_cpu_model_find(&id), "Bloomfield", few, sizeof(few));
	is_str(few, "Bloomfi", "as much as there is room");
	pmu_info_codename(&id, NULL, "Pentium II (Deschutes)", name, sizeof(name));
	is_str(name, "", "a model that no table has");
}

/* The same through the library that is here, from dumps. */
static void asks_libcpuid(const char *dump_name, const char *codename)
{
	const char *top = getenv("TEST_SRCDIR");
	struct pmu_libcpuid_identity identity;
	struct pmu_cpuid_dump dump;
	char path[PATH_MAX], name[128];

	snprintf(path, sizeof(path), "%s/tests/data/cpuid/%s", top ? top : ".", dump_name);
	if (pmu_cpuid_load(path, &dump)) {
		ok(false, "%s: %s", path, pmu_error_text());
		return;
	}
	is_int(pmu_libcpuid_identify(&dump.cpu[0], &identity), 0, dump_name);
	pmu_info_codename(&identity.id, pmu_cpu_model_find(&identity.id), identity.codename, name,
			  sizeof(name));
	is_str(name, codename, "code name");
	pmu_cpuid_dump_free(&dump);
}

static void knows_every_dump(void)
{
	static const struct {
		const char *dump, *codename;
	} row[] = {
		{ "alderlake-i9-12900k.txt", "Alder Lake-S, -HX" },
		{ "arrowlake-ultra9-285h.txt", "Arrow Lake-H" },
		{ "core2-q9450.txt", "Yorkfield" },
		{ "haswell-i7-4770.txt", "Haswell" },
		{ "icelake-i7-1065g7.txt", "Ice Lake-U, -Y" },
		{ "nehalem-i7-920.txt", "Bloomfield" },
		{ "pentium4-no-leaf-0ah.txt", "Northwood" },
		{ "sandybridge-i5-2400-8gp.txt", "Sandy Bridge" },
		{ "sandybridge-i7-2600k.txt", "Sandy Bridge" },
		{ "silvermont-e3827.txt", "Bay Trail" },
		{ "skylake-i3-6100.txt", "Skylake-S, -H" },
		{ "westmere-ep-x5667.txt", "Westmere-EP" },
		{ "zen2-apu-0932.txt", "Van Gogh" },
		{ "zen3-5950x.txt", "Vermeer" },
		{ "zen4-8700g.txt", "Phoenix, Hawk Point" },
		{ "zen5-ai7-350.txt", "Krackan Point" },
	};

	if (!pmu_libcpuid_version()[0]) {
		skip("dumps", "%s", pmu_error_text());
		return;
	}
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		asks_libcpuid(row[i].dump, row[i].codename);
}

UNIT_PART(codename)
{
	tells_each();
	does_without();
	knows_every_dump();
	return done_testing();
}
