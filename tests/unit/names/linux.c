/* SPDX-License-Identifier: BSD-3-Clause */
/* Linux's event files, tools/perf/pmu-events, of AMD's, Arm's and RISC-V processors. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "names/vendor/vendor.h"
#include "plan/catalog.h"
#include "plan/event.h"
#include "unit/part.h"

#define FILES TEST_SRCDIR "/tests/data/pmu-events"

static const struct pmu_cpu_id zen3 = { .vendor = "AuthenticAMD", .family = 0x19, .model = 0x21 };
static const struct pmu_cpu_id zen4 = { .vendor = "AuthenticAMD", .family = 0x19, .model = 0x11 };
static const struct pmu_cpu_id neoverse_n1 = {
	.vendor = "ARM", .family = 0x41, .model = 0xd0c, .stepping = 0x31
};
static const struct pmu_cpu_id neoverse_v1 = { .vendor = "ARM", .family = 0x41, .model = 0xd40 };
static const struct pmu_cpu_id u74 = { .vendor = "RISC-V",
				       .family = 0x489,
				       .march = UINT64_C(0x8000000000000007),
				       .mimp = 0x20210427 };

static struct pmu_event event;

static int parse_in(const char *folder, const struct pmu_cpu_id *id, const char *text)
{
	struct pmu_catalog catalog = { .id = *id,
				       .model = pmu_cpu_model_find(id),
				       .event_files = folder };
	int rc = pmu_event_parse(text, &catalog, &event);

	pmu_catalog_close(&catalog);
	return rc;
}

static void is_event(const struct pmu_cpu_id *id, const char *text, const char *pmu,
		     uint64_t config)
{
	if (!is_int(parse_in(FILES, id, text), 0, text))
		diag("%s", pmu_error_text());
	is_u64(event.slot.config, config, "  its code");
	is_str(event.slot.pmu, pmu, "  its PMU");
}

static void is_refused(const struct pmu_cpu_id *id, const char *text, const char *words)
{
	is_int(parse_in(FILES, id, text), -EINVAL, text);
	has(pmu_error_text(), words, "  and says so");
}

static void amd_has_cores_and_units(void)
{
	is_event(&zen4, "ls_dispatch.ld_dispatch", "", 0x129);
	is_event(&zen4, "LS_DISPATCH:LD_DISPATCH:c=2", "", 0x2000129);
	is_event(&zen4, "de_no_dispatch_per_slot.no_ops_from_frontend", "", 0x1010401a0);
	is_event(&zen4, "umc_cas_cmd.rd", "amd_umc", 0x10a);
	is_event(&zen4, "df_beats", "amd_df", 0x20700fe9f);
	is_event(&zen4, "l3_latency", "amd_l3", 0x303c00000003fac);
	is_refused(&zen4, "l3_wide", "EventCode of l3_wide is not what it should be");
	is_refused(&zen4, "cmn_node", "EventidCode of cmn_node");
	is_refused(&zen4, "umc_cas_cmd.rd:c=1", "has no c=: its unit has none");
	is_refused(&zen4, "ls_dispatch.ld_dispatch:t", "has no t=");
	is_refused(&zen4, "ls_dispatch.ld_dispatc", "did you mean ls_dispatch.ld_dispatch?");
	/* a metric is no event */
	is_refused(&zen4, "dispatch_rate", "there is no event");
}

static void arm_has_standard_events(void)
{
	is_event(&neoverse_n1, "L1D_CACHE", "", 0x4);
	is_event(&neoverse_n1, "MEM_ACCESS", "", 0x13);
	is_event(&neoverse_n1, "OWN", "", 0xc7);
	is_event(&neoverse_n1, "FLUX", "hisi_sccl,ddrc", 0x3);
	is_refused(&neoverse_n1, "NOWHERE", "ArchStdEvent of NOWHERE");
	is_refused(&neoverse_n1, "backend_bound", "there is no event");
	is_refused(&neoverse_n1, "OWN:i", "has no i=");
}

static void riscv_has_firmware_events(void)
{
	is_event(&u74, "FW_SET_TIMER", "", UINT64_C(0x8000000000000005));
	is_event(&u74, "integer_load_retired", "", 0x200);
}

/* From the tree's top, from tools/perf/pmu-events, from arch, and the map's own folder. */
static void any_folder_above_the_map_will_do(void)
{
	is_int(parse_in(FILES "/arch", &neoverse_n1, "OWN"), 0, "arch");
	is_int(parse_in(FILES "/arch/arm64", &neoverse_n1, "OWN"), 0, "arch/arm64");
	is_int(parse_in(FILES "/arch/x86", &zen4, "df_beats"), 0, "arch/x86");
	is_int(parse_in(TEST_SRCDIR, &zen4, "df_beats"), -EINVAL, "one without a map");
	has(pmu_error_text(), "Linux's tools/perf/pmu-events", "  is told what has one");
}

static void what_is_not_there_is_told(void)
{
	struct pmu_vendor_files *files;

	is_int(parse_in(FILES, &zen3, "ls_dispatch.ld_dispatch"), -EINVAL, "a folder is missing");
	has(pmu_error_text(), "amdzen3 is not there", "  and named");
	is_int(parse_in(FILES, &neoverse_v1, "OWN"), -EINVAL, "another one");
	has(pmu_error_text(), "arm/neoverse-v1 is not there", "  and named");
	is_int(pmu_vendor_open(FILES, &(struct pmu_cpu_id){ .vendor = "RISC-V", .family = 1 },
			       &files),
	       -ENODEV, "a processor that the map does not have");
	has(pmu_error_text(), "has no 0x1-0x0-0x0", "  is named");
}

static void see(void *arg, const struct pmu_vendor_event *e)
{
	unsigned int *n = arg;

	n[0]++;
	n[1] += !strcmp(e->about, "Memory, as this core has it");
	n[2] += !strcmp(e->about, "Accesses of the data cache");
}

static void all_are_listed(void)
{
	unsigned int n[3] = { 0 };
	struct pmu_vendor_files *files;

	if (!is_int(pmu_vendor_open(FILES, &neoverse_n1, &files), 0, "files of a processor"))
		return;
	ok(pmu_vendor_is_linux(files), "are Linux's");
	pmu_vendor_each(files, see, n);
	is_int(n[0], 5, "  every event");
	ok(n[1] == 1 && n[2] == 1, "  in its own words or the standard's");
	pmu_vendor_close(files);
}

static char cpus[] = "/tmp/pmu-cpus-XXXXXX";

static void put_midr(int cpu, const char *midr)
{
	static const char *const below[] = { "", "/regs", "/regs/identification" };
	char path[120];
	FILE *file;

	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/cpu%d%s", cpus, cpu, below[i]);
		mkdir(path, 0700);
	}
	snprintf(path, sizeof(path), "%s/cpu%d/regs/identification/midr_el1", cpus, cpu);
	file = fopen(path, "w");
	if (file) {
		fprintf(file, "%s\n", midr);
		fclose(file);
	}
}

static void remove_cpu(int cpu)
{
	static const char *const below[] = { "/regs/identification/midr_el1",
					     "/regs/identification", "/regs", "" };
	char path[120];

	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/cpu%d%s", cpus, cpu, below[i]);
		remove(path);
	}
}

static void is_on_all(const char *text, uint64_t config, int rc)
{
	struct pmu_slot slot = { .kind = PMU_SLOT_CORE, .config = config };

	pmu_error_clear();
	is_int(pmu_vendor_check_kinds(text, cpus, NULL, &slot), rc, text);
	if (rc)
		has(pmu_error_text(), "not the same on all cores of this machine (Cortex-A53, ",
		    "  and says whose");
}

/* Cores of one machine may have codes of their own for a name, or not have it. */
static void cores_of_several_kinds_agree_or_not(void)
{
	struct pmu_cpu_id kind[4];

	if (!mkdtemp(cpus))
		return;
	is_int(pmu_cpu_kinds(cpus, kind, 4), 0, "no processors");
	put_midr(0, "0x00000000410fd034");
	put_midr(1, "0x00000000410fd034");
	is_int(pmu_cpu_kinds(cpus, kind, 4), 1, "one kind of core");
	is_on_all("AGU_DEP_STALL", 0xe5, 0);
	put_midr(2, "0x00000000411fd083");
	put_midr(3, "nothing");
	is_int(pmu_cpu_kinds(cpus, kind, 4), 2, "two kinds, one core that does not tell");
	is_str(kind[1].brand, "Cortex-A72", "  the second one");
	is_on_all("BUS_ACCESS_RD", 0x60, 0);
	is_on_all("BUS_ACCESS_RD", 0x61, -ENOTSUP);
	is_on_all("AGU_DEP_STALL", 0xe5, -ENOTSUP);
	for (int i = 0; i < 4; i++)
		remove_cpu(i);
	rmdir(cpus);
}

UNIT_PART(linux)
{
	amd_has_cores_and_units();
	arm_has_standard_events();
	riscv_has_firmware_events();
	any_folder_above_the_map_will_do();
	what_is_not_there_is_told();
	all_are_listed();
	cores_of_several_kinds_agree_or_not();
	return done_testing();
}
