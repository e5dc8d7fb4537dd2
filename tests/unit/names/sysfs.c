/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's PMUs in recorded trees of machines, and in hostile ones. */
#include "names/sysfs/sysfs.h"
#include "names/sysfs/format.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/boxes.h"
#include "machine/models.h"
#include "plan/catalog.h"
#include "unit/part.h"

#define TREES TEST_SRCDIR "/tests/data/sysfs/"

static const char *devices;
static struct pmu_event event;

/* --- events as the kernel counts them --- */

static void counts(const char *pmu, const char *terms, uint32_t type, uint64_t config,
		   const char *label)
{
	is_int(pmu_sysfs_event(devices, pmu, terms, &event), 0, label);
	is_int(event.slot.type, type, "  its type");
	is_u64(event.slot.config, config, "  its config");
	is_str(event.name, label, "  its name");
	if (tap->failed && pmu_error_text()[0])
		diag("%s", pmu_error_text());
}

static void is_scaled(double scale, const char *unit)
{
	ok(fabs(event.slot.scale - scale) <= scale * 1e-15, "  times %g", scale);
	is_str(event.unit, unit, "  its unit");
}

static void refuses(const char *pmu, const char *terms, int code, const char *words)
{
	char text[200];

	snprintf(text, sizeof(text), "%.60s/%.100s/", pmu, terms);
	pmu_error_clear();
	is_int(pmu_sysfs_event(devices, pmu, terms, &event), code, text);
	has(pmu_error_text(), words, "  and says so");
}

static void skylake_server_has_memory_channels(void)
{
	devices = TREES "skylake-server";
	counts("uncore_imc", "cas_count_read", 14, 0x304, "uncore_imc/cas_count_read/");
	is_scaled(64, "B");
	ok(event.slot.kind == PMU_SLOT_UNCORE && event.slot.unit == PMU_UNIT_NONE,
	   "  of the socket, by no register");
	is_str(event.slot.pmu, "uncore_imc", "  all its boxes");
	counts("uncore_imc", "clockticks", 14, 0, "uncore_imc/clockticks/");
	is_scaled(0, "");
	counts("uncore_imc", "cas_count_write,thresh=2", 14, 0x2000c04,
	       "uncore_imc/cas_count_write,thresh=0x2/");
	counts("UNCORE_IMC", "CAS_COUNT_READ", 14, 0x304, "uncore_imc/cas_count_read/");
	counts("uncore_imc_0", "umask=3,event=4", 14, 0x304, "uncore_imc_0/event=0x4,umask=0x3/");
	is_str(event.slot.pmu, "uncore_imc_0", "  one box alone");
	counts("uncore_cha", "event=0x35,umask=0x21,filter_opc_0=0x202,filter_loc", 30, 0x2135,
	       "uncore_cha/event=0x35,umask=0x21,filter_loc,filter_opc_0=0x~");
	is_u64(event.slot.config1, 0x202ull << 41 | 1ull << 33, "  its filters in config1");
	counts("uncore_upi", "event=0x102,umask=0xf0f", 60, 0xf00200f02,
	       "uncore_upi/event=0x102,umask=0xf0f/");
}

static void skylake_server_has_energy_and_states(void)
{
	counts("power", "energy-pkg", 20, 2, "power/energy-pkg/");
	is_scaled(2.3283064365386962890625e-10 * 1e6, "uJ");
	ok(event.slot.kind == PMU_SLOT_ENERGY && event.slot.unit == PMU_ENERGY_DOMAINS,
	   "  energy, by no register");
	counts("power", "energy-ram", 20, 3, "power/energy-ram/");
	counts("cstate_core", "c6-residency", 21, 2, "cstate_core/c6-residency/");
	is_int(event.slot.kind, PMU_SLOT_UNCORE, "  counted for a whole machine");
	counts("msr", "tsc", 9, 0, "msr/tsc/");
	is_int(event.slot.kind, PMU_SLOT_CORE, "  what runs on a processor");
	is_str(event.slot.pmu, "msr", "  by a PMU of its own");
	counts("msr", "event=0", 9, 0, "msr/event=0x0/");
	refuses("msr", "cpu_thermal_margin", -EINVAL, "level at a moment");
	refuses("intel_pt", "tsc", -EINVAL, "writes traces");
	refuses("software", "config=2", -EINVAL, "page-faults");
}

static void skylake_server_has_a_core(void)
{
	counts("cpu", "cpu-cycles", 4, 0x3c, "cpu/cpu-cycles/");
	ok(event.slot.kind == PMU_SLOT_CORE && !event.slot.pmu[0], "  the core's own");
	counts("cpu", "inv,any,edge,cmask=1,umask=0x01,event=0x0e", 4, 0x1a4010e,
	       "cpu/event=0xe,umask=0x1,cmask=0x1,inv,edge,any/");
	counts("cpu", "event=0xd1,umask=0x20,in_tx,in_tx_cp", 4, 0x3000020d1,
	       "cpu/event=0xd1,umask=0x20,in_tx,in_tx_cp/");
	counts("cpu", "mem-loads", 4, 0x1cd, "cpu/mem-loads/");
	is_u64(event.slot.config1, 3, "  its latency");
	counts("cpu", "mem-loads,ldlat=0x10", 4, 0x1cd, "cpu/mem-loads,ldlat=0x10/");
	is_u64(event.slot.config1, 16, "  the user's wins");
	counts("cpu", "mem-loads,ldlat=3", 4, 0x1cd, "cpu/mem-loads/");
	counts("cpu", "mem-loads,ldlat=0", 4, 0x1cd, "cpu/mem-loads,ldlat=0x0/");
	is_u64(event.slot.config1, 0, "  also where it is none");
	counts("cpu", "config=0x1c2,config1=0x5", 4, 0x1c2, "cpu/config=0x1c2,config1=0x5/");
	is_u64(event.slot.config1, 5, "  its second word");
	counts("cpu", "config=0xffffffffffffffff", 4, UINT64_MAX, "cpu/config=0xffffffffffffffff/");
	refuses("cpu", "topdown-total-slots", -EINVAL, "multiplied by 2");
}

static void says_what_is_wrong(void)
{
	refuses("uncore_imx", "cas_count_read", -ENOENT, "did you mean uncore_imc?");
	refuses("nothing_like_it", "x", -ENOENT, "cpu, cstate_core");
	refuses("uncore_imc", "cas_count_reed", -ENOENT, "did you mean cas_count_read?");
	refuses("power", "energy_pkg", -ENOENT, "did you mean energy-pkg?");
	refuses("uncore_imc", "umsk=3", -ENOENT, "did you mean umask?");
	refuses("uncore_imc", "somethingelse", -ENOENT,
		"its terms: edge, event, inv, thresh, umask; its events: cas");
	refuses("uncore_imc", "", -ENOENT, "no \"\"");
	refuses("uncore_imc", "event=4,", -ENOENT, "no \"\"");
	refuses("uncore_imc", "event=0x100", -EINVAL, "event is at most 0xff");
	refuses("uncore_imc", "event=four", -EINVAL, "event=NUMBER");
	refuses("uncore_imc", "event=", -EINVAL, "event=NUMBER");
	refuses("uncore_imc", "event=4,event=4", -EINVAL, "twice");
	refuses("uncore_imc", "umask=3", -EINVAL, "say which event");
	refuses("cpu", "cpu-cycles,period=1000", -EINVAL, "period is for perf's samples");
	refuses("cpu", "name=mine,event=1", -EINVAL, "name is for perf's samples");
	refuses("cpu", "event=1,config=1", -EINVAL, "are the same bits");
	refuses("cpu", "cpu-cycles,config=1", -EINVAL, "are the same bits");
	refuses("cpu", "offcore_rsp=1,event=0xb7,ldlat=3", -EINVAL, "are the same bits");
	refuses("cpu", "config3=1", -ENOENT, "no \"config3\"");
	refuses("cpu", "event=1,cpu-cycles", -ENOENT, "\"cpu-cycles\"");
	refuses("../skylake-server/cpu", "event=1", -ENOENT, "no PMU");
	refuses("", "event=1", -ENOENT, "no PMU");
	refuses(".", "event=1", -ENOENT, "no PMU");
}

static void hybrids_have_two_cores(void)
{
	devices = TREES "hybrid";
	counts("cpu_core", "topdown-retiring", 4, 0x8000, "cpu_core/topdown-retiring/");
	counts("cpu_atom", "topdown-retiring", 10, 0xc2, "cpu_atom/topdown-retiring/");
	ok(event.slot.kind == PMU_SLOT_CORE && !event.slot.pmu[0], "  a core's own PMU");
	counts("uncore_imc_free_running", "data_read", 21, 0x20ff,
	       "uncore_imc_free_running/data_read/");
	is_scaled(64, "B");
	counts("power", "energy-psys", 24, 5, "power/energy-psys/");
	counts("uncore_cbox", "event=0x34,umask=0x8f,threshold=3", 12, 0x3008f34,
	       "uncore_cbox/event=0x34,umask=0x8f,threshold=0x3/");
	refuses("cpu_core", "event=1,any", -ENOENT, "no \"any\"");
}

static void zen_has_caches_and_a_fabric(void)
{
	devices = TREES "zen";
	counts("cpu", "event=0x1c7,umask=2", 4, 0x1000002c7, "cpu/event=0x1c7,umask=0x2/");
	counts("cpu", "ref-cycles", 4, 0x100000120, "cpu/ref-cycles/");
	counts("amd_l3", "threadmask=3,event=4,coreid=2,sliceid=5", 15, 0x0305080000000004,
	       "amd_l3/event=0x4,coreid=0x2,sliceid=0x5,threadmask=0x3/");
	counts("amd_df", "event=0x3fff,umask=0xabc", 16, 0x3f0a00bcff,
	       "amd_df/event=0x3fff,umask=0xabc/");
	counts("amd_umc", "event=0xa,rdwrmask=1", 17, 0x10a, "amd_umc/event=0xa,rdwrmask=0x1/");
	counts("power", "energy-pkg", 30, 2, "power/energy-pkg/");
	refuses("power_core", "energy-core", -EINVAL, "more processors than can be added up");
	refuses("ibs_op", "cnt_ctl", -EINVAL, "takes samples");
	refuses("cpu", "event=0x1000", -EINVAL, "at most 0xfff");
}

static void arm_has_clusters(void)
{
	devices = TREES "arm64";
	counts("armv8_cortex_a72", "event=0x11", 8, 0x11, "armv8_cortex_a72/event=0x11/");
	ok(event.slot.kind == PMU_SLOT_CORE && !event.slot.pmu[0], "  a core's own PMU");
	counts("armv8_cortex_a72", "l1d_cache_refill", 8, 3, "armv8_cortex_a72/l1d_cache_refill/");
	counts("armv8_cortex_a53", "inst_retired,long", 7, 8,
	       "armv8_cortex_a53/inst_retired,long/");
	is_u64(event.slot.config1, 1, "  64 bits wide");
	counts("armv8_pmuv3_0", "event=0x11,threshold=0x21,threshold_compare=2", 12, 0x11,
	       "armv8_pmuv3_0/event=0x11,threshold=0x21,threshold_compare=0~");
	is_u64(event.slot.config1, 0x21 << 5 | 2 << 3, "  its threshold");
	refuses("armv8_pmuv3", "cpu_cycles", -EINVAL,
		"2 PMUs of different processors: name one of them, armv8_pmuv3_0");
	counts("arm_dsu", "l3d_cache_refill", 14, 0x2a, "arm_dsu/l3d_cache_refill/");
	is_int(event.slot.kind, PMU_SLOT_UNCORE, "  outside the cores");
	refuses("arm_spe_0", "ts_enable", -EINVAL, "takes samples");
}

static void asks_for_what_an_event_leaves_open(void)
{
	refuses("hv_24x7", "PM_CYC", -EINVAL, "core=NUMBER");
	counts("hv_24x7", "PM_CYC,core=5", 17, 0xe000050001, "hv_24x7/PM_CYC,core=0x5/");
	counts("hv_24x7", "pm_cyc,core=0", 17, 0xe000000001, "hv_24x7/PM_CYC,core=0x0/");
	refuses("hv_24x7", "PM_CYC,core=0x10000", -EINVAL, "at most 0xffff");
}

/* --- boxes --- */

static void finds_boxes_in_order(void)
{
	static const int more[] = {
		0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120
	};
	struct pmu_box box[16];
	bool ascending = true;

	is_int((long long)pmu_boxes_find(TREES "skylake-server", "uncore_cha", box, 16), 12,
	       "all boxes");
	for (unsigned int i = 0; i < 12; i++)
		ascending &= box[i].type == 30 + i && box[i].n_cpus == 2 && box[i].cpu[0] == 0 &&
			     box[i].cpu[1] == 28;
	ok(ascending, "by their numbers, not their letters; one processor a socket");
	is_str(box[10].name, "uncore_cha_10", "named as the kernel names them");
	is_int((long long)pmu_boxes_find(TREES "skylake-server", "uncore_cha", box, 2), 12,
	       "no room for all");
	is_int((long long)pmu_boxes_find(TREES "skylake-server", "uncore_cha_1", box, 16), 1,
	       "one alone");
	is_int(box[0].type, 31, "  that one");
	is_int((long long)pmu_boxes_find(TREES "skylake-server", "uncore", box, 16), 0,
	       "no part of a name");
	is_int((long long)pmu_boxes_find(TREES "nowhere", "cpu", box, 16), 0, "no folder");
	is_int((long long)pmu_boxes_find(TREES "zen", "amd_l3", box, 16), 1,
	       "one box with many processors");
	is_int(box[0].n_cpus, 16, "  one of each cache");
	ok(!memcmp(box[0].cpu, more, sizeof(more)) && !box[0].cut, "  all of them");
	is_int((long long)pmu_boxes_find(TREES "zen", "power_core", box, 16), 1,
	       "more processors than there is room");
	ok(box[0].cut && box[0].n_cpus == PMU_BOX_MAX_CPUS, "  says so");
	is_int((long long)pmu_boxes_find(TREES "zen", "msr", box, 16), 1, "a PMU of processors");
	is_int(box[0].n_cpus, 0, "  has no cpumask");
}

static void stems_are_without_numbers(void)
{
	static const struct {
		const char *name;
		size_t len;
	} rows[] = { { "uncore_imc_0", 10 },
		     { "uncore_imc_12", 10 },
		     { "uncore_imc", 10 },
		     { "uncore_imc_", 11 },
		     { "cpu", 3 },
		     { "_1", 2 },
		     { "", 0 },
		     { "12", 2 },
		     { "amd_l3", 6 },
		     { "a_1234567890", 12 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_int((long long)pmu_box_stem(rows[i].name), (long long)rows[i].len, rows[i].name);
}

/* --- all of them --- */

struct seen {
	char text[16384];
	size_t len;
};

static void see_pmu(void *arg, const char *name, unsigned int n_boxes)
{
	struct seen *seen = arg;

	seen->len += (size_t)snprintf(seen->text + seen->len, sizeof(seen->text) - seen->len,
				      "%s*%u\n", name, n_boxes);
}

static void see_event(void *arg, const char *pmu, const char *name, const char *terms,
		      const char *unit)
{
	struct seen *seen = arg;

	seen->len += (size_t)snprintf(seen->text + seen->len, sizeof(seen->text) - seen->len,
				      " %s/%s/ %s [%s]\n", pmu, name, terms, unit);
}

static void lists_everything(void)
{
	static struct seen seen;

	pmu_sysfs_each(TREES "skylake-server", see_pmu, see_event, &seen);
	has(seen.text, "cpu*1\n cpu/branch-instructions/ event=0xc4 []\n", "sorted, with terms");
	has(seen.text,
	    "uncore_imc*6\n uncore_imc/cas_count_read/ event=0x04,umask=0x03 [B]\n"
	    " uncore_imc/cas_count_write/ event=0x04,umask=0x0c [B]\n uncore_imc/clockticks/",
	    "boxes once");
	has(seen.text, "power/energy-pkg/ event=0x02 [uJ]\n", "with units");
	ok(!strstr(seen.text, ".scale") && !strstr(seen.text, ".snapshot"),
	   "no files about events");
	ok(!strstr(seen.text, "intel_pt") && !strstr(seen.text, "software"),
	   "no PMUs that count nothing");
}

/* Each named event of the trees is either understood or refused by purpose. */
static const char *tree;
static int understood, refused;

static void no_pmu(void *arg, const char *name, unsigned int n_boxes)
{
	(void)arg;
	(void)name;
	(void)n_boxes;
}

static void try_event(void *arg, const char *pmu, const char *name, const char *terms,
		      const char *unit)
{
	(void)arg;
	(void)terms;
	(void)unit;
	if (!pmu_sysfs_event(tree, pmu, name, &event)) {
		understood++;
		return;
	}
	refused++;
	if (!strstr(pmu_error_text(), "multiplied") && !strstr(pmu_error_text(), "moment") &&
	    !strstr(pmu_error_text(), "NUMBER") && !strstr(pmu_error_text(), "name one of them") &&
	    !strstr(pmu_error_text(), "added up"))
		ok(false, "%s/%s/: %s", pmu, name, pmu_error_text());
}

static void understands_every_event(void)
{
	static const char *const trees[] = { "skylake-server", "hybrid", "zen", "arm64" };

	for (int i = 0; i < 4; i++) {
		char path[1000];

		snprintf(path, sizeof(path), "%s%s", TREES, trees[i]);
		tree = path;
		pmu_sysfs_each(path, no_pmu, try_event, NULL);
	}
	is_int(understood, 90, "named events of all trees");
	is_int(refused, 8, "and those that are not counted");
}

/* --- through pmu_event_parse(): what registers need beside it --- */

static const struct pmu_cpu_model skylake_x = { .vendor = "GenuineIntel",
						.microarchitecture = "Skylake",
						.pfm = "skx",
						.pfm_e = "",
						.pfm_uncore = "" };
static const struct pmu_cpu_model skylake = { .vendor = "GenuineIntel",
					      .microarchitecture = "Skylake",
					      .pfm = "skl",
					      .pfm_e = "",
					      .pfm_uncore = "",
					      .uncore = PMU_UNCORE_SKYLAKE };
static const struct pmu_cpu_model zen4 = { .vendor = "AuthenticAMD",
					   .family = 0x19,
					   .model_first = 0x11,
					   .model_last = 0x11,
					   .microarchitecture = "Zen 4",
					   .pfm = "amd64_fam19h_zen4",
					   .pfm_e = "",
					   .pfm_uncore = "",
					   .uncore = PMU_UNCORE_AMD_L3_19H };
static struct pmu_catalog catalog;

static void reads(const char *text, const char *label)
{
	is_int(pmu_event_parse(text, &catalog, &event), 0, text);
	is_str(event.name, label, "  its name");
}

static void rejects(const char *text, const char *words)
{
	is_int(pmu_event_parse(text, &catalog, &event), -EINVAL, text);
	has(pmu_error_text(), words, "  and says so");
}

static void a_slot_serves_perf_and_registers(void)
{
	catalog = (struct pmu_catalog){ .model = &skylake_x, .sysfs = TREES "skylake-server" };
	reads("power/energy-pkg/", "energy-pkg");
	ok(event.slot.type == 20 && event.slot.config == 2 &&
		   event.slot.unit == PMU_ENERGY_PACKAGE && !strcmp(event.slot.pmu, "power"),
	   "  for both");
	is_str(event.unit, "uJ", "  in microjoules");
	reads("energy-ram", "energy-ram");
	ok(event.slot.type == 20 && event.slot.config == 3 && event.slot.unit == PMU_ENERGY_DRAM,
	   "  also without a PMU's name");
	ok(event.slot.user && event.slot.kernel, "  at every level");
	reads("energy-gpu", "energy-gpu");
	ok(event.slot.type == PMU_TYPE_NONE && !event.slot.pmu[0],
	   "  which the kernel does not count here");
	reads("uncore_imc/cas_count_read/", "uncore_imc/cas_count_read/");
	ok(event.slot.unit == PMU_UNIT_NONE && event.slot.user && event.slot.kernel,
	   "  for perf alone");
	rejects("uncore_imc/cas_count_read/u", "belongs to the socket");
	rejects("uncore_cbox/event=0x34/", "Skylake has no uncore_cbox");
	reads("cpu/event=0xb7,umask=1,offcore_rsp=0x10/k",
	      "cpu/event=0xb7,umask=0x1,offcore_rsp=0x10/:k");
	ok(event.slot.type == PERF_TYPE_RAW && event.slot.config1 == 0x10 &&
		   event.slot.extra == 0x1a6 && event.slot.extra_value == 0x10 &&
		   !event.slot.user && event.slot.kernel,
	   "  for both");
	reads("cpu/config=0x5300c0/", "cpu/config=0x5300c0/");
	is_u64(event.slot.config, 0xc0, "  levels and enable bits are not the event's");
	reads("cpu/instructions/", "instructions");
	is_int(event.slot.type, PERF_TYPE_HARDWARE, "  the generic one");
	reads("cpu/topdown-slots-retired/", "cpu/topdown-slots-retired/");
	is_u64(event.slot.config, 0x2c2, "  the kernel's");
	reads("msr/tsc/", "msr/tsc/");
	ok(event.slot.user && event.slot.kernel && event.slot.kind == PMU_SLOT_CORE,
	   "  at both levels");
	rejects("msr/tsc/u", "does not tell user level");
	rejects("uncore_imx/clockticks/", "did you mean uncore_imc");
}

static void a_client_has_boxes(void)
{
	catalog = (struct pmu_catalog){ .model = &skylake, .sysfs = TREES "hybrid" };
	reads("uncore_cbox/event=0x34,umask=0x8f/", "uncore_cbox/event=0x34,umask=0x8f/");
	ok(event.slot.unit == PMU_UNIT_CBO && event.slot.type == 12 && event.slot.config == 0x8f34,
	   "  for both");
	reads("uncore_cbox_1/event=0x34,umask=0x8f/", "uncore_cbox_1/event=0x34,umask=0x8f/");
	ok(event.slot.unit == PMU_UNIT_NONE, "  one box alone is not what registers count");
	reads("uncore_clock/clockticks/", "uncore-clock");
	ok(event.slot.unit == PMU_UNIT_CLOCK && event.slot.type == 19 && event.slot.config == 0xff,
	   "  for both");
	reads("uncore-clock", "uncore-clock");
	is_int(event.slot.type, 19, "  also by its other name");
	catalog.model = &zen4;
	reads("uncore_cbox/event=0x34/", "uncore_cbox/event=0x34/");
	ok(event.slot.unit == PMU_UNIT_NONE, "  no registers that the model has");
	catalog.sysfs = TREES "zen";
	reads("amd_l3/event=4,umask=0xff/", "amd_l3/event=0x4,umask=0xff/");
	ok(event.slot.unit == PMU_UNIT_L3 && event.slot.type == 15 && event.slot.config == 0xff04,
	   "  for both");
}

static void a_kind_of_core_is_kept(void)
{
	catalog = (struct pmu_catalog){ .model = &skylake, .sysfs = TREES "hybrid" };
	reads("cpu_atom/event=0x3c/", "cpu_atom/event=0x3c/");
	ok(event.slot.core_types == PMU_SLOT_E && event.slot.type == PERF_TYPE_RAW,
	   "  of the E cores");
	reads("cpu_core/slots/", "cpu_core/slots/");
	ok(event.slot.core_types == PMU_SLOT_P && event.slot.config == 0x400, "  of the P cores");
	reads("cpu_atom/cycles/k", "cpu_atom/cycles/:k");
	ok(event.slot.core_types == PMU_SLOT_E && event.slot.type == PERF_TYPE_HARDWARE &&
		   !event.slot.user,
	   "  a generic one of the E cores");
	reads("cycles", "cycles");
	is_int(event.slot.core_types, 0, "  of all cores");
	catalog.sysfs = "";
	reads("cpu_core/instructions/", "cpu_core/instructions/");
	is_int(event.slot.core_types, PMU_SLOT_P, "  also where the kernel shows nothing");
}

/*
 * What libpfm4 names is counted by the kernel's PMU of that unit, where there is one: perf and
 * registers count the same.
 */
static void native_names_are_the_kernels(void)
{
	static const struct pmu_cpu_model westmere = { .vendor = "GenuineIntel",
						       .microarchitecture = "Westmere",
						       .pfm = "wsm",
						       .pfm_e = "",
						       .pfm_uncore = "wsm_unc",
						       .uncore = PMU_UNCORE_NEHALEM };
	static const char read[] = "UNC_QMC_NORMAL_READS.ANY";
	uint64_t config;

	catalog = (struct pmu_catalog){ .model = &westmere, .sysfs = TREES "client" };
	is_int(pmu_event_parse(read, &catalog, &event), 0,
	       "an uncore event without the kernel's module");
	ok(event.slot.type == PMU_TYPE_NONE && !event.slot.pmu[0], "  is the registers' alone");
	config = event.slot.config;
	catalog.sysfs = TREES "westmere";
	reads(read, read);
	is_int(event.slot.type, 9, "  with it, it has the PMU's type");
	is_str(event.slot.pmu, "uncore", "  and name");
	is_u64(event.slot.config, config, "  the same code");
	ok(event.slot.kind == PMU_SLOT_UNCORE && event.slot.unit == PMU_UNIT_UNCORE,
	   "  and registers still count it");
	reads("UNC_QMC_NORMAL_READS.ANY:c=2:i", "UNC_QMC_NORMAL_READS.ANY:c=2:i");
	is_u64(event.slot.config, config | 2ull << 24 | 1ull << 23, "  a threshold is kept");
}

static void generic_names_go_by_the_cpu(void)
{
	static const struct pmu_cpu_model zen3 = { .vendor = "AuthenticAMD",
						   .microarchitecture = "Zen 3",
						   .pfm = "amd64_fam19h_zen3",
						   .pfm_e = "",
						   .pfm_uncore = "" };

	catalog = (struct pmu_catalog){ .model = &zen4, .sysfs = "" };
	reads("ref-cycles", "ref-cycles");
	ok(event.slot.type == PERF_TYPE_RAW && event.slot.config == 0x100000120,
	   "  Zen 4: its own event 120H, umask 01H");
	reads("ref-cycles:k", "ref-cycles:k");
	is_u64(event.slot.config, 0x100000120, "  at kernel level, too");
	reads("cycles", "cycles");
	is_int(event.slot.type, PERF_TYPE_HARDWARE, "  others are the kernel's");
	catalog.model = &zen3;
	reads("ref-cycles", "ref-cycles");
	is_int(event.slot.type, PERF_TYPE_HARDWARE, "  Zen 3 has none of its own");
}

/* What is listed as being there is what the kernel has, nothing that only the model could have. */
static void lists_what_is_there(void)
{
	catalog = (struct pmu_catalog){ .model = &zen4, .sysfs = TREES "westmere" };
	rejects("nobody/event=1/", "there are uncore");
	ok(!strstr(pmu_error_text(), "amd_l3") && !strstr(pmu_error_text(), "power"),
	   "  neither a cache nor energy");
	catalog.keep_absent = true;
	catalog.sysfs = TREES "client";
	reads("uncore_imc_free_running/data_read/", "uncore_imc_free_running/data_read/");
	is_int(event.slot.type, PMU_TYPE_ABSENT,
	       "a PMU of other machines, alike as it is to one of this: absent");
	rejects("uncore_imk/data_read/", "did you mean uncore_imc");
}

static void another_machine_has_no_kernel(void)
{
	catalog = (struct pmu_catalog){ .model = &skylake };
	is_str(pmu_catalog_devices(&catalog), NULL, "a model alone");
	rejects("msr/tsc/", "nothing counts");
	is_str(pmu_catalog_devices(NULL), PMU_SYSFS_DEVICES, "nobody's is ours");
	catalog.model = NULL;
	is_str(pmu_catalog_devices(&catalog), PMU_SYSFS_DEVICES, "no model is ours");
	catalog.id.vendor[0] = 'x';
	is_str(pmu_catalog_devices(&catalog), NULL, "an unknown CPU of a dump is not");
}

/* --- hostile trees --- */

static void puts_values_in_place_of_others(void)
{
	uint64_t config[PMU_SYSFS_CONFIGS] = { UINT64_MAX, 7, 0 };
	struct pmu_sysfs_format format;

	is_int(pmu_sysfs_format_parse("config:0-7,32-35", &format), 0, "a format in two parts");
	is_u64(pmu_sysfs_format_max(&format), 0xfff, "  of twelve bits");
	pmu_sysfs_format_put(&format, 0xfff5a5, config);
	is_u64(config[0], 0xfffffff5ffffffa5,
	       "  a value replaces what was there, and nothing else");
	is_int(pmu_sysfs_format_parse("config1:63", &format), 0, "one bit");
	pmu_sysfs_format_put(&format, 1, config);
	is_u64(config[1], 1ull << 63 | 7, "  at the end of the second word");
}

static char scratch[] = "/tmp/pmu-sysfs-XXXXXX";

static void put(const char *path, const char *text)
{
	char full[300], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", scratch, path);
	for (slash = full + sizeof(scratch); (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(full, 0700);
	}
	file = fopen(full, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static void refuses_bad_formats(void)
{
	static const char *const bad[] = { "config:5-3",
					   "config:64",
					   "config:0-64",
					   "config",
					   "config:",
					   "config:a",
					   "config:1-",
					   "config:1,",
					   "config:1,1",
					   "config:0-7,7-9",
					   "config:1 2",
					   "konfig:1",
					   "",
					   "config:-1",
					   "config:001",
					   "config10:1",
					   "config:1-2-3",
					   "config 1",
					   "config:+1" };

	devices = scratch;
	put("bad/type", "40\n");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put("bad/format/event", bad[i]);
		refuses("bad", "event=1", -EINVAL, "not understood");
	}
	put("bad/format/event", "config9:0-7\n");
	refuses("bad", "event=1", -EINVAL, "config9, which cannot be set");
	put("bad/format/event", "config:0-7\nconfig:8\n");
	refuses("bad", "event=1", -EINVAL, "more than one line");
	put("bad/format/event", "config2:63,0-1\n");
	counts("bad", "event=5", 40, 0, "bad/event=0x5/");
	is_u64(event.slot.config2, 1ull << 63 | 1,
	       "low bits go to low bits, whatever the file's order");
	put("bad/format/wide", "config:0-63\n");
	counts("bad", "wide=0xffffffffffffffff,event=0", 40, UINT64_MAX,
	       "bad/event=0x0,wide=0xffffffffffffffff/");
}

static void refuses_bad_events(void)
{
	put("bad/format/event", "config:0-7\n");
	put("bad/events/huge", "");
	put("bad/events/odd", "event=1,nothing=2\n");
	put("bad/events/over", "event=0x100\n");
	put("bad/events/empty", "\n");
	put("bad/events/twice", "event=1,event=1\n");
	put("bad/events/escape", "event=\033[31m\n");
	refuses("bad", "odd", -EINVAL, "the kernel's event bad/odd/ is not understood");
	refuses("bad", "over", -EINVAL, "at most 0xff");
	refuses("bad", "empty", -EINVAL, "not understood");
	refuses("bad", "twice", -EINVAL, "twice");
	refuses("bad", "escape", -EINVAL, "plain text");
	if (truncate(strcat(strcpy((char[300]){ 0 }, scratch), "/bad/events/huge"), 1 << 30))
		abort();
	refuses("bad", "huge", -EINVAL, "File too large");
}

static void refuses_bad_scales(void)
{
	static const char *const bad[] = { "nan", "inf", "-1", "0", "x", "1e999", "1,5", "" };

	put("bad/events/one", "event=1\n");
	put("bad/events/one.unit", "MiB\n");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put("bad/events/one.scale", bad[i]);
		refuses("bad", "one", -EINVAL, "is no number");
	}
	put("bad/events/one.scale", "1e308\n");
	refuses("bad", "one", -EINVAL, "too large");
	put("bad/cpumask", "0\n");
	put("bad/events/one.scale", "3.814697266e-6\n");
	counts("bad", "one", 40, 1, "bad/one/");
	is_scaled(4, "B");
	put("bad/events/one.unit", "furlongs\n");
	counts("bad", "one", 40, 1, "bad/one/");
	is_scaled(0, "");
	put("bad/events/one.scale", "1\n");
	counts("bad", "one", 40, 1, "bad/one/");
	is_scaled(0, "furlongs");
	put("bad/events/one.unit", "a unit that is too long for a column\n");
	counts("bad", "one", 40, 1, "bad/one/");
	is_scaled(0, "");
}

static void refuses_bad_boxes(void)
{
	static const char *const bad[] = {
		"",    "a",  "0-",     "3-1", "0,0", "1,0", "0,,1", "8192", "99999999999999999999",
		"0 1", "-1", "0-8192", "0\n1"
	};
	struct pmu_box box;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put("bad/cpumask", bad[i]);
		is_int((long long)pmu_boxes_find(scratch, "bad", &box, 1), 0, "a bad cpumask");
	}
	put("bad/cpumask", "0-3,8\n");
	is_int((long long)pmu_boxes_find(scratch, "bad", &box, 1), 1, "a good one");
	is_int(box.n_cpus, 5, "  with ranges");
	put("bad/type", "4294967295\n");
	is_int((long long)pmu_boxes_find(scratch, "bad", &box, 1), 0, "no type");
	put("bad/type", "4294967294\n");
	is_int((long long)pmu_boxes_find(scratch, "bad", &box, 1), 1, "the largest type");
	put("many_04/type", "3\n");
	put("many_04/cpumask", "0\n");
	put("many_3/type", "3\n");
	put("many_3/cpumask", "0\n");
	put("many_20/type", "4\n");
	put("many_20/cpumask", "0\n");
	put("many_100000000000/type", "5\n");
	is_int((long long)pmu_boxes_find(scratch, "many", &box, 1), 2,
	       "numbers that are none are no boxes");
	is_str(box.name, "many_3", "  the first");
}

/* HiSilicon's: a die, and the unit of that die. */
static void boxes_may_have_two_numbers(void)
{
	static const char *const names[] = { "hisi_sccl3_ddrc1", "hisi_sccl1_ddrc0",
					     "hisi_sccl3_ddrc0", "hisi_sccl3_ddrc0_1",
					     "hisi_sccl_ddrc2",  "hisi_sccl1_ddrc",
					     "hisi_sccl1_hha0",  "hisi_sccl70000_ddrc1" };
	struct pmu_box box[4];
	char path[80];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/type", names[i]);
		put(path, "7\n");
		snprintf(path, sizeof(path), "%s/cpumask", names[i]);
		put(path, "0\n");
	}
	is_int((long long)pmu_boxes_find(scratch, "hisi_sccl,ddrc", box, 4), 3, "three boxes");
	is_str(box[0].name, "hisi_sccl1_ddrc0", "  the first");
	is_str(box[2].name, "hisi_sccl3_ddrc1", "  the last");
	is_int((long long)pmu_boxes_find(scratch, "hisi_sccl,l3c", box, 4), 0, "  no others");
	is_int((long long)pmu_boxes_find(scratch, ",", box, 4), 0, "  nor of nothing");
}

static void survives_many_boxes_and_loops(void)
{
	char path[100], target[300];

	for (int i = 0; i < 1500; i++) {
		snprintf(path, sizeof(path), "crowd_%d/type", i);
		put(path, "7\n");
		snprintf(path, sizeof(path), "crowd_%d/cpumask", i);
		put(path, "0\n");
	}
	put("crowd_0/format/event", "config:0-7\n");
	is_int((long long)pmu_boxes_find(scratch, "crowd", NULL, 0), 1024,
	       "no more boxes than any machine has");
	refuses("crowd", "event=1", -EINVAL, "more processors than can be added up");
	snprintf(path, sizeof(path), "%s/loop", scratch);
	if (symlink("loop", path))
		abort();
	refuses("loop", "event=1", -ENOENT, "no PMU");
	snprintf(target, sizeof(target), "%s/bad/events/loop", scratch);
	if (symlink("loop", target))
		abort();
	refuses("bad", "loop", -EINVAL, "cannot read");
	refuses("a_name_that_is_longer_than_any_of_the_kernels_names_of_pmus_0123456789", "event=1",
		-ENOENT, "no PMU");
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

UNIT_PART(sysfs)
{
	skylake_server_has_memory_channels();
	skylake_server_has_energy_and_states();
	skylake_server_has_a_core();
	says_what_is_wrong();
	hybrids_have_two_cores();
	zen_has_caches_and_a_fabric();
	arm_has_clusters();
	asks_for_what_an_event_leaves_open();
	finds_boxes_in_order();
	stems_are_without_numbers();
	lists_everything();
	understands_every_event();
	a_slot_serves_perf_and_registers();
	a_client_has_boxes();
	a_kind_of_core_is_kept();
	native_names_are_the_kernels();
	generic_names_go_by_the_cpu();
	lists_what_is_there();
	another_machine_has_no_kernel();
	if (!mkdtemp(scratch))
		return 1;
	puts_values_in_place_of_others();
	refuses_bad_formats();
	refuses_bad_events();
	refuses_bad_scales();
	refuses_bad_boxes();
	boxes_may_have_two_numbers();
	survives_many_boxes_and_loops();
	nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return done_testing();
}
