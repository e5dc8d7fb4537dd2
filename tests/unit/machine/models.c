/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of processor models. */
#include "machine/models.h"

#include <limits.h>

#include "names/pfm/load.h"
#include "unit/part.h"

static const struct pmu_cpu_model *find(const char *vendor, uint32_t family, uint32_t model,
					uint32_t stepping)
{
	struct pmu_cpu_id id = { .family = family, .model = model, .stepping = stepping };

	snprintf(id.vendor, sizeof(id.vendor), "%s", vendor);
	return pmu_cpu_model_find(&id);
}

/* Intel's processors from 90 to 22 nm. */
static void knows_the_first_ones(void)
{
	static const struct {
		uint32_t family, model;
		unsigned int nm;
		const char *microarchitecture, *codename;
	} row[] = {
		{ 0x06, 0x3a, 22, "Ivy Bridge", "Ivy Bridge" },
		{ 0x06, 0x2a, 32, "Sandy Bridge", "Sandy Bridge" },
		{ 0x06, 0x2d, 32, "Sandy Bridge", "Sandy Bridge-E" },
		{ 0x06, 0x25, 32, "Westmere", "Arrandale, Clarkdale" },
		{ 0x06, 0x2c, 32, "Westmere", "Gulftown, Westmere-EP" },
		{ 0x06, 0x2f, 32, "Westmere", "Westmere-EX" },
		{ 0x06, 0x1e, 45, "Nehalem", "Clarksfield, Lynnfield" },
		{ 0x06, 0x1a, 45, "Nehalem", "Bloomfield" },
		{ 0x06, 0x2e, 45, "Nehalem", "Beckton" },
		{ 0x06, 0x1f, 45, "Nehalem", "Auburndale, Havendale" },
		{ 0x06, 0x17, 45, "Core (Penryn)", "Penryn" },
		{ 0x06, 0x1d, 45, "Core (Penryn)", "Dunnington" },
		{ 0x06, 0x0f, 65, "Core (Merom)", "Conroe" },
		{ 0x06, 0x16, 65, "Core (Merom)", "Conroe-L" },
		{ 0x0f, 0x06, 65, "NetBurst", "Cedar Mill" },
		{ 0x0f, 0x03, 90, "NetBurst", "Prescott" },
		{ 0x0f, 0x04, 90, "NetBurst", "Prescott" },
		{ 0x06, 0x0d, 90, "P6 (Pentium M)", "Dothan" },
		{ 0x06, 0x0e, 65, "P6 (Enhanced Pentium M)", "Yonah" },
		{ 0x06, 0x1c, 45, "Bonnell", "Diamondville" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct pmu_cpu_model *model = find("GenuineIntel", row[i].family,
							 row[i].model, 5);

		if (!ok(model != NULL, "%02X_%02XH is known", row[i].family, row[i].model))
			continue;
		is_u64(model->process_nm, row[i].nm, "process");
		is_str(model->microarchitecture, row[i].microarchitecture, "microarchitecture");
		has(model->codename, row[i].codename, "code name");
	}
}

static void knows_later_ones(void)
{
	static const struct {
		const char *vendor;
		uint32_t family, model, stepping;
		const char *microarchitecture, *pfm;
	} row[] = {
		{ "GenuineIntel", 0x06, 0x3f, 2, "Haswell", "hsw_ep" },
		{ "GenuineIntel", 0x06, 0x55, 4, "Skylake", "skx" },
		{ "GenuineIntel", 0x06, 0x55, 7, "Cascade Lake", "clx" },
		{ "GenuineIntel", 0x06, 0x55, 11, "Cascade Lake", "clx" },
		{ "GenuineIntel", 0x06, 0x7e, 5, "Sunny Cove", "icl" },
		{ "GenuineIntel", 0x06, 0xa7, 1, "Cypress Cove", "icl" },
		{ "GenuineIntel", 0x06, 0x8f, 8, "Golden Cove", "spr" },
		{ "GenuineIntel", 0x06, 0x97, 2, "Golden Cove and Gracemont", "" },
		{ "GenuineIntel", 0x06, 0xbd, 1, "Lion Cove and Skymont", "" },
		{ "GenuineIntel", 0x06, 0xad, 1, "Redwood Cove", "" },
		{ "GenuineIntel", 0x06, 0xdd, 0, "Darkmont", "" },
		{ "GenuineIntel", 0x06, 0xaf, 0, "Crestmont", "" },
		{ "GenuineIntel", 0x06, 0xcc, 0, "Cougar Cove and Darkmont", "" },
		{ "GenuineIntel", 0x12, 0x01, 0, "Coyote Cove and Arctic Wolf", "" },
		{ "GenuineIntel", 0x13, 0x01, 0, "Panther Cove", "" },
		{ "GenuineIntel", 0x06, 0x37, 9, "Silvermont", "slm" },
		{ "GenuineIntel", 0x06, 0x57, 1, "Knights Landing", "knl" },
		{ "AuthenticAMD", 0x0f, 0x05, 1, "K8", "amd64_k8_revb" },
		{ "AuthenticAMD", 0x0f, 0x05, 10, "K8", "amd64_k8_revc" },
		{ "AuthenticAMD", 0x10, 0x09, 1, "K10", "amd64_fam10h_istanbul" },
		{ "AuthenticAMD", 0x15, 0x60, 1, "Excavator", "amd64_fam15h_interlagos" },
		{ "AuthenticAMD", 0x16, 0x00, 1, "Jaguar", "amd64_fam16h" },
		{ "AuthenticAMD", 0x17, 0x01, 1, "Zen", "amd64_fam17h_zen1" },
		{ "AuthenticAMD", 0x17, 0x08, 2, "Zen+", "amd64_fam17h_zen1" },
		{ "AuthenticAMD", 0x17, 0x31, 0, "Zen 2", "amd64_fam17h_zen2" },
		{ "AuthenticAMD", 0x19, 0x01, 1, "Zen 3", "amd64_fam19h_zen3" },
		{ "AuthenticAMD", 0x19, 0x11, 1, "Zen 4", "amd64_fam19h_zen4" },
		{ "AuthenticAMD", 0x19, 0x75, 2, "Zen 4", "amd64_fam19h_zen4" },
		{ "AuthenticAMD", 0x17, 0x50, 0, "Zen", "amd64_fam17h_zen1" },
		{ "AuthenticAMD", 0x1a, 0x02, 0, "Zen 5", "" },
		{ "AuthenticAMD", 0x1a, 0x11, 0, "Zen 5c", "" },
		{ "AuthenticAMD", 0x1a, 0x44, 0, "Zen 5", "" },
		{ "AuthenticAMD", 0x1a, 0x50, 0, "Zen 6", "" },
		{ "HygonGenuine", 0x18, 0x00, 1, "Zen", "amd64_fam17h_zen1" },
		{ "CentaurHauls", 0x07, 0x3b, 1, "LuJiaZui", "" },
		{ "  Shanghai  ", 0x06, 0x19, 0, "ZhangJiang", "" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct pmu_cpu_model *model = find(row[i].vendor, row[i].family, row[i].model,
							 row[i].stepping);

		if (!ok(model != NULL, "%s %02X_%02XH is known", row[i].vendor, row[i].family,
			row[i].model))
			continue;
		is_str(model->microarchitecture, row[i].microarchitecture, "microarchitecture");
		is_str(model->pfm, row[i].pfm, "events");
	}
	ok(!find("GenuineIntel", 0x06, 0x02, 0), "a model that never was");
	ok(!find("AuthenticAMD", 0x06, 0x2c, 2), "another vendor's");
	ok(!find("", 0x06, 0x2c, 2), "nobody's");
}

/* Outside the cores the same address means different things on different models. */
static void knows_what_is_outside_the_cores(void)
{
	static const struct {
		const char *vendor;
		uint32_t family, model;
		enum pmu_uncore_layout uncore;
		enum pmu_rapl_layout rapl;
		uint32_t domains;
		bool dram_fixed_unit;
	} row[] = {
		{ "GenuineIntel", 6, 0x17, PMU_UNCORE_NONE, PMU_RAPL_NONE, 0, false },
		{ "GenuineIntel", 6, 0x1a, PMU_UNCORE_NEHALEM, PMU_RAPL_NONE, 0, false },
		{ "GenuineIntel", 6, 0x2c, PMU_UNCORE_NEHALEM, PMU_RAPL_NONE, 0, false },
		{ "GenuineIntel", 6, 0x2e, PMU_UNCORE_NONE, PMU_RAPL_NONE, 0, false },
		{ "GenuineIntel", 6, 0x2f, PMU_UNCORE_NONE, PMU_RAPL_NONE, 0, false },
		{ "GenuineIntel", 6, 0x2a, PMU_UNCORE_SANDY_BRIDGE, PMU_RAPL_INTEL_CLIENT, 0x7,
		  false },
		{ "GenuineIntel", 6, 0x2d, PMU_UNCORE_NONE, PMU_RAPL_INTEL_SERVER, 0xb, false },
		{ "GenuineIntel", 6, 0x3c, PMU_UNCORE_SANDY_BRIDGE, PMU_RAPL_INTEL_CLIENT, 0xf,
		  false },
		{ "GenuineIntel", 6, 0x3f, PMU_UNCORE_NONE, PMU_RAPL_INTEL_SERVER, 0x9, true },
		{ "GenuineIntel", 6, 0x5e, PMU_UNCORE_SKYLAKE, PMU_RAPL_INTEL_CLIENT, 0xf, false },
		{ "GenuineIntel", 6, 0x55, PMU_UNCORE_NONE, PMU_RAPL_INTEL_SERVER, 0x9, true },
		{ "GenuineIntel", 6, 0x7e, PMU_UNCORE_ICE_LAKE, PMU_RAPL_INTEL_CLIENT, 0xf, false },
		{ "GenuineIntel", 6, 0x97, PMU_UNCORE_NONE, PMU_RAPL_INTEL_CLIENT, 0x7, false },
		{ "GenuineIntel", 6, 0x37, PMU_UNCORE_NONE, PMU_RAPL_INTEL_SILVERMONT, 0x3, false },
		{ "AuthenticAMD", 0x15, 0x02, PMU_UNCORE_NONE, PMU_RAPL_NONE, 0, false },
		{ "AuthenticAMD", 0x17, 0x31, PMU_UNCORE_AMD_L3, PMU_RAPL_AMD, 0x3, false },
		{ "AuthenticAMD", 0x19, 0x01, PMU_UNCORE_AMD_L3_19H, PMU_RAPL_AMD, 0x3, false },
		{ "AuthenticAMD", 0x1a, 0x44, PMU_UNCORE_AMD_L3_19H, PMU_RAPL_AMD, 0x3, false },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct pmu_cpu_model *model = find(row[i].vendor, row[i].family, row[i].model,
							 0);

		ok(model && model->uncore == row[i].uncore && model->rapl == row[i].rapl &&
			   model->rapl_domains == row[i].domains &&
			   model->dram_fixed_unit == row[i].dram_fixed_unit,
		   "outside the cores of %s %02X_%02XH", row[i].vendor, row[i].family,
		   row[i].model);
	}
}

/* A row that an earlier one hides is a mistake. */
static bool is_reached(const struct pmu_cpu_model *row)
{
	for (uint32_t model = row->model_first; model <= row->model_last; model++)
		for (uint32_t stepping = row->stepping_first; stepping <= row->stepping_last;
		     stepping++)
			if (find(row->vendor, row->family, model, stepping) == row)
				return true;
	return false;
}

static void knows_arm_cores(void)
{
	static const struct {
		uint64_t midr;
		const char *microarchitecture, *pfm;
	} row[] = {
		{ 0x410fd083, "Cortex-A72", "arm_ac57" },
		{ 0x413fd0c1, "Neoverse N1", "arm_n1" },
		{ 0x410fd400, "Neoverse V1", "arm_v1" },
		{ 0x411fd0d0, "Cortex-A77", "" },
		{ 0x411fd840, "Neoverse V3", "" },
		{ 0x410fd850, "Cortex-X925", "" },
		{ 0x6d0fd490, "Cobalt 100", "arm_n2" },
		{ 0xc00fac30, "AmpereOne", "" },
		{ 0x612f0230, "Firestorm", "" },
		{ 0x611f0330, "Avalanche", "" },
		{ 0x410fdff0, "ARMv8", "" },
		{ 0x000f0510, "ARMv8", "" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct pmu_cpu_model *model;
		struct pmu_cpu_id id;

		pmu_cpu_midr(row[i].midr, &id);
		model = pmu_cpu_model_find(&id);
		if (!ok(model != NULL, "MIDR_EL1 %08" PRIX64, row[i].midr))
			continue;
		is_str(model->microarchitecture, row[i].microarchitecture, "  is");
		is_str(model->pfm, row[i].pfm, "  with the events of");
	}
}

/* As their own brands have it: "AMD 4700S 8-Core Processor Desktop Kit" is 17_47H. */
static void tells_kits_apart(void)
{
	has(find("AuthenticAMD", 0x17, 0x47, 0)->codename, "4700S", "17_47H");
	has(find("AuthenticAMD", 0x17, 0x84, 0)->codename, "4800S", "17_84H");
}

static void is_consistent(void)
{
	const struct pmu_cpu_model *row;
	bool sound = true;

	for (row = pmu_cpu_models; row->vendor; row++) {
		bool x86 = strlen(row->vendor) == 12;
		bool good = row->model_first <= row->model_last &&
			    row->model_last <= (x86 ? 0xff : 0xfff) &&
			    row->stepping_first <= row->stepping_last &&
			    row->stepping_last <= (x86 ? 15 : 0xff) && row->microarchitecture[0] &&
			    row->codename && row->pfm && row->pfm_e && row->pfm_uncore &&
			    (row->rapl != PMU_RAPL_NONE) == (row->rapl_domains != 0) &&
			    !(row->rapl_domains >> PMU_ENERGY_DOMAINS) && is_reached(row);

		if (!good)
			diag("%s %02X_%02XH", row->vendor, row->family, row->model_first);
		sound &= good;
	}
	ok(sound, "every row");
}

/* Every processor of perfmon.csv that has a PMU. */
static void knows_recorded_ones(void)
{
	const char *top = getenv("TEST_SRCDIR");
	char path[PATH_MAX], line[1024], vendor[16];
	size_t n = 0, unknown = 0;
	uint32_t signature;
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/data/perfmon.csv", top ? top : ".");
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		struct pmu_cpu_id id = { .vendor = "" };

		if (strstr(line, ",none,") ||
		    sscanf(line, "%*[^,],%12[^,],%*[^,],%" SCNx32, vendor, &signature) != 2)
			continue;
		pmu_cpu_signature(signature, &id);
		memcpy(id.vendor, vendor, sizeof(id.vendor));
		n++;
		if (pmu_cpu_model_find(&id))
			continue;
		diag("%s %02X_%02XH", id.vendor, id.family, id.model);
		unknown++;
	}
	if (file)
		fclose(file);
	ok(n > 200 && !unknown, "all %zu processors of %s", n, path);
}

/* --- a list of the processors of the last six years, of which TEST_MODELS says where it is --- */

/* The next of the line's values, in quotes or not; the line is cut up. */
static char *take_value(char **line)
{
	char *value = *line, *end;

	if (*value == '"') {
		end = strchr(++value, '"');
		if (end)
			*end++ = '\0';
		end = end && *end == ',' ? end : NULL;
	} else {
		end = strchr(value, ',');
	}
	if (end)
		*end++ = '\0';
	*line = end ? end : value + strlen(value);
	return value;
}

static bool is_called(const struct pmu_cpu_model *model, const char *name)
{
	bool x86 = model && strlen(model->vendor) == 12;

	if (!model || !*name)
		return false;
	if (!strcmp(name, "Zen 1"))
		return !strcmp(model->microarchitecture, "Zen");
	/* "M1 Icestorm" */
	return strstr(model->microarchitecture, name) || strstr(model->codename, name) ||
	       (!x86 && strstr(name, model->microarchitecture));
}

/* "Zen 1, Zen+": which of both is the model's; "Sunny Cove + Tremont": all that it has. */
static bool is_one_of(const struct pmu_cpu_model *model, char *names)
{
	char *name;

	while ((name = strsep(&names, ",/+()"))) {
		name += strspn(name, " ");
		for (size_t len = strlen(name); len && name[len - 1] == ' ';)
			name[--len] = '\0';
		if (is_called(model, name))
			return true;
	}
	return false;
}

/* Linux has it as Zen 5, and a later patch as Zen 6. */
static bool is_in_doubt(const char *vendor, uint32_t family, uint32_t model)
{
	return !strcmp(vendor, "AuthenticAMD") && family == 0x1a && model >= 0xd0;
}

static unsigned int compare_x86(const char *vendor, uint32_t family, char *models,
				const char *microarchitecture)
{
	unsigned int wrong = 0;
	char *range;

	while ((range = strsep(&models, ",("))) {
		uint32_t first, last;
		int n = sscanf(range, " %" SCNx32 "-%" SCNx32, &first, &last);

		for (uint32_t model = first; n > 0 && model <= (n == 2 ? last : first); model++) {
			char names[128];

			snprintf(names, sizeof(names), "%s", microarchitecture);
			if (is_in_doubt(vendor, family, model) ||
			    is_one_of(find(vendor, family, model, 0), names))
				continue;
			diag("%s %02X_%02XH is no %s", vendor, family, model, microarchitecture);
			wrong++;
		}
		if (strchr(range, ')'))
			break;
	}
	return wrong;
}

static unsigned int compare_arm(uint32_t implementer, const char *part, char *name)
{
	const struct pmu_cpu_model *model;
	struct pmu_cpu_id id;

	pmu_cpu_midr((uint64_t)implementer << 24 | strtoul(part, NULL, 0) << 4, &id);
	model = pmu_cpu_model_find(&id);
	if (model && strcmp(model->microarchitecture, "ARMv8") != 0 && is_one_of(model, name))
		return 0;
	diag("implementer %02x, part %s is no %s", implementer, part, name);
	return 1;
}

enum { VENDOR, FAMILY, NUMBER, NAME, CODENAME, MICROARCHITECTURE, COLUMNS };

static void knows_those_of_a_list(void)
{
	const char *list = getenv("TEST_MODELS"), *top = getenv("TEST_SRCDIR");
	unsigned int n = 0, wrong = 0;
	char path[PATH_MAX], line[2048], *column[COLUMNS];
	FILE *file;

	snprintf(path, sizeof(path), "%s/../shared/facts/models.csv", top ? top : ".");
	file = fopen(list ? list : path, "r");
	if (!file) {
		skip("the list of processors", "TEST_MODELS names none");
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		char *rest = line;

		for (int i = 0; i < COLUMNS; i++)
			column[i] = take_value(&rest);
		if (!n++)
			continue;
		if (!strcmp(column[VENDOR], "Intel") || !strcmp(column[VENDOR], "AMD"))
			wrong += compare_x86(column[VENDOR][0] == 'I' ? "GenuineIntel"
								      : "AuthenticAMD",
					     (uint32_t)strtoul(column[FAMILY], NULL, 10),
					     column[NUMBER], column[MICROARCHITECTURE]);
		else
			wrong += compare_arm((uint32_t)strtoul(column[FAMILY], NULL, 0),
					     column[NUMBER], column[NAME]);
	}
	fclose(file);
	ok(n > 100 && !wrong, "all %u processors of %s", n - 1, list ? list : path);
}

/* libpfm4 is built with the tables of its own architecture. */
#if defined(__x86_64__) || defined(__i386__)

static bool in_libpfm(const char *name)
{
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (pmu_pfm_calls()->get_pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS &&
		    !strcmp(info.name, name))
			return true;
	}
	return false;
}

static void names_tables_that_exist(void)
{
	const struct pmu_cpu_model *row;
	bool all = true;

	if (!ok(!pmu_pfm_load() && pmu_pfm_calls()->initialize() == PFM_SUCCESS, "libpfm4 starts"))
		return;
	for (row = pmu_cpu_models; row->vendor; row++) {
		const char *const name[] = { row->pfm, row->pfm_e, row->pfm_uncore };

		for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
			if (!name[i][0] || !strncmp(name[i], "arm_", 4) || in_libpfm(name[i]))
				continue;
			diag("there is no %s", name[i]);
			all = false;
		}
	}
	ok(all, "every table of events is in libpfm4");
}

#else

static void names_tables_that_exist(void)
{
	skip("tables of events", "libpfm4 has those of x86 on x86 only");
}

#endif

UNIT_PART(models)
{
	knows_the_first_ones();
	knows_later_ones();
	knows_what_is_outside_the_cores();
	knows_arm_cores();
	tells_kits_apart();
	is_consistent();
	knows_recorded_ones();
	knows_those_of_a_list();
	names_tables_that_exist();
	return done_testing();
}
