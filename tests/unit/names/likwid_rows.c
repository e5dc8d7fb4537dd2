/* SPDX-License-Identifier: BSD-3-Clause */
/* LIKWID's events that have other names with us: what a row of events.names may say. */
#include <errno.h>

#include "base/error.h"
#include "names/likwid/parts.h"
#include "tests/likwid/cpus.h"
#include "tests/unit/names/shown.h"
#include "unit/part.h"

#define TREES TEST_SRCDIR "/tests/data/sysfs/"

static struct pmu_group group;

/* On one of LIKWID's processors; @sysfs: its kernel's PMUs, "" not known. */
static int parse_as(const char *name, const char *sysfs, const char *text)
{
	struct pmu_catalog catalog = { .sysfs = sysfs };
	int rc;

	for (size_t i = 0; i < sizeof(likwid_cpus) / sizeof(likwid_cpus[0]); i++)
		if (!strcmp(likwid_cpus[i].name, name))
			catalog.id = likwid_cpus[i].id;
	catalog.model = pmu_cpu_model_find(&catalog.id);
	pmu_error_clear();
	rc = pmu_likwid_parse(text, strlen(text), "x/T.txt", "T", &catalog, &group);
	pmu_catalog_close(&catalog);
	return rc;
}

static void amds_cores_have_cycles(void)
{
	static const char *const names[] = { "zen", "zen2", "zen3", "zen4", "zen4c", "zen5" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		is_int(parse_as(names[i], "",
				"EVENTSET\nPMC0 RETIRED_INSTRUCTIONS\nPMC1 CPU_CLOCKS_UNHALTED\n\n"
				"METRICS\nCPI PMC1/PMC0\n"),
		       0, names[i]);
		is_str(shown_metrics(&group), "CPI [] = \"ls_not_halted_cyc\" / \"ex_ret_instr\"",
		       "  has cycles per instruction");
	}
	is_int(parse_as("k10", "", "EVENTSET\nPMC1 CPU_CLOCKS_UNHALTED\n"), 0, "K10, by code");
	is_str(shown_events(&group), "CPU_CLOCKS_UNHALTED", "  with LIKWID's name");
	is_u64(group.event[0].slot.config, 0x76, "  PMCx076");
}

static void a_code_takes_options(void)
{
	is_int(parse_as("haswell", "",
			"EVENTSET\nPMC0:EDGEDETECT UOPS_EXECUTED_THREAD\n"
			"PMC1:THRESHOLD=0x3:INVERT:KERNEL UOPS_EXECUTED_THREAD\n"),
	       0, "a code with options");
	is_str(shown_events(&group), "UOPS_EXECUTED_THREAD:c=1:e UOPS_EXECUTED_THREAD:c=3:i:uk",
	       "  they are in the name");
	is_u64(group.event[0].slot.config, 0x10401b1, "  edges of a threshold of 1");
	is_u64(group.event[1].slot.config, 0x38001b1, "  inverted, of 3");
	ok(group.event[1].slot.kernel && !group.event[0].slot.kernel, "  at its level");
	is_int(parse_as("sandybridge", "", "EVENTSET\nPMC0:ANYTHREAD UOPS_EXECUTED_STALL_CYCLES\n"),
	       -ENOTSUP, "one that it does not take");
	has(pmu_error_text(), "without such options", "  is told");
}

static void off_core_responses_are_in_a_second_register(void)
{
	is_int(parse_as("sandybridge", "",
			"EVENTSET\nPMC0:MATCH0=0x81:MATCH1=0x3fffc0 OFFCORE_RESPONSE_0_OPTIONS\n"
			"PMC1:MATCH0=0x81:MATCH1=0x1 OFFCORE_RESPONSE_1_OPTIONS\n"),
	       0, "requests and responses");
	is_u64(group.event[0].slot.extra, 0x1a6, "  the register");
	is_u64(group.event[0].slot.extra_value, 0x3fffc00081, "  what is in it");
	is_u64(group.event[0].slot.config1, 0x3fffc00081, "  and for the kernel");
	is_u64(group.event[1].slot.extra, 0x1a7, "  the other one");
	is_str(shown_events(&group),
	       "OFFCORE_RESPONSE_0_OPTIONS:0x3fffc00081 OFFCORE_RESPONSE_1_OPTIONS:0x10081",
	       "  told apart");
	is_int(parse_as("sandybridge", "", "EVENTSET\nPMC0:MATCH0=0x1 UOPS_ISSUED_ANY\n"), -ENOTSUP,
	       "of another event");
	has(pmu_error_text(), "MATCH0 and MATCH1 are for registers that are not set", "  refused");
}

static void shares_are_formulas(void)
{
	is_int(parse_as("SPR", "",
			"EVENTSET\nFIXC3 TOPDOWN_SLOTS\nTMA0 RETIRING\nTMA2 FRONTEND_BOUND\n\n"
			"METRICS\nRetiring [%] TMA0*100\nSlots FIXC3\n"),
	       0, "shares of the slots");
	is_str(shown_events(&group), "TOPDOWN.SLOTS UOPS_RETIRED.SLOTS IDQ_BUBBLES.CORE",
	       "  are counts, each once");
	is_str(shown_metrics(&group),
	       "Retiring [%] = (\"UOPS_RETIRED.SLOTS\" / \"TOPDOWN.SLOTS\") * 100; "
	       "Slots [] = \"TOPDOWN.SLOTS\"",
	       "  by the slots");
	is_int(parse_as("SRF", "", "EVENTSET\nTMA0 RETIRING\nFIXC0 INSTR_RETIRED_ANY\n"), 0,
	       "a processor without");
	has(group.note, "without RETIRING", "  has none");
}

#define CHANNELS "EVENTSET\nMBOX0C0 CAS_COUNT_RD\nMBOX1C0 CAS_COUNT_RD\n\nMETRICS\n"

static void boxes_of_formulas_are_added_up(void)
{
	is_int(parse_as("GNR", "", CHANNELS "Read [B] (MBOX0C0+MBOX1C0)*64\n"), 0,
	       "two schedulers of each channel");
	is_str(shown_metrics(&group),
	       "Read [B] = (\"UNC_M_CAS_COUNT_SCH0.RD\" + \"UNC_M_CAS_COUNT_SCH1.RD\") * 64",
	       "  of all channels");
	is_int(parse_as("GNR", "", CHANNELS "Ratio MBOX0C0/MBOX1C0\n"), 0, "apart");
	is_str(shown_metrics(&group),
	       "Ratio [] = (\"uncore_imc_0/UNC_M_CAS_COUNT_SCH0.RD/\" + "
	       "\"uncore_imc_0/UNC_M_CAS_COUNT_SCH1.RD/\") / "
	       "(\"uncore_imc_1/UNC_M_CAS_COUNT_SCH0.RD/\" + "
	       "\"uncore_imc_1/UNC_M_CAS_COUNT_SCH1.RD/\")",
	       "  each channel's");
}

static void what_counts_nothing_is_not_missed(void)
{
	is_int(parse_as("zen2", "",
			"EVENTSET\nPMC2 RETIRED_SSE_AVX_FLOPS_ALL\nPMC3 MERGE\n\n"
			"METRICS\nFLOP PMC2\nNone PMC3\n"),
	       0, "a counter for the one beside it");
	is_str(shown_events(&group), "fp_ret_sse_avx_ops.all", "  is none here");
	is_str(shown_metrics(&group), "FLOP [] = \"fp_ret_sse_avx_ops.all\"",
	       "  and no metric's count");
	has(group.note, "without None", "  which is told");
}

static void reasons_are_the_tables(void)
{
	is_int(parse_as("nehalem", "", "EVENTSET\nPMC1 BR_MISP_RETIRED_ALL_BRANCHES\n"), -ENOTSUP,
	       "what this processor counts wrong");
	has(pmu_error_text(), "erratum AAJ80", "  says why");
	is_int(parse_as("zen4", "", "EVENTSET\nPWR0 RAPL_CORE_ENERGY\n"), -ENOTSUP,
	       "a core's energy");
	has(pmu_error_text(), "for sockets, not for a core", "  too");
}

static void units_are_the_kernels(void)
{
	static const char clocks[] = "EVENTSET\nFIXC1 ACTUAL_CPU_CLOCK\nFIXC2 MAX_CPU_CLOCK\n";

	is_int(parse_as("zen4", TREES "zen", clocks), 0, "clocks of a kernel's msr");
	is_str(shown_events(&group), "msr/aperf/? msr/mperf/?", "  by its names");
	is_int(parse_as("zen4", "", clocks), 0, "of one that is not known");
	is_str(group.event[1].slot.pmu, "msr", "  its PMU");
	is_u64(group.event[1].slot.config, 2, "  and code");
	is_int(parse_as("zen4", TREES "client", clocks), -ENOTSUP, "of one without");
	has(pmu_error_text(), "nothing counts \"msr/", "  it is told");
	is_int(parse_as(
		       "zen4", TREES "zen",
		       "EVENTSET\nUMC0C0 CAS_CMD_RD\nUMC1C0 CAS_CMD_RD\nCPMC0 L3_LOOKUP_STATE_MISS\n"
		       "\nMETRICS\nFirst [B] UMC0C0*64\n"),
	       0, "memory and L3");
	is_str(shown_events(&group),
	       "amd_umc_0/umc_cas_cmd.rd/? amd_umc_1/umc_cas_cmd.rd/? l3_lookup_state.l3_miss?",
	       "  are units with boxes");
	is_int(parse_as("interlagos", "", "EVENTSET\nUPMC0 UNC_READ_REQ_TO_L3_ALL\n"), 0,
	       "a northbridge");
	is_str(group.event[0].slot.pmu, "amd_nb", "  is the kernel's");
	is_u64(group.event[0].slot.config, UINT64_C(0x40000f7e0), "  with twelve bits of event");
}

/* Seventeen channels: as one count where they are added up, but not one by one. */
static void boxes_that_do_not_fit_take_their_metrics_alone(void)
{
	char text[2048] = "EVENTSET\nFIXC0 INSTR_RETIRED_ANY\n", sum[512] = "MBOX0C0";

	for (int i = 0; i < 17; i++) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "MBOX%dC0 CAS_COUNT_RD\n", i);
		if (i)
			snprintf(sum + strlen(sum), sizeof(sum) - strlen(sum), "+MBOX%dC0", i);
	}
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		 "\nMETRICS\nAll %s\nFirst MBOX0C0\nCode FIXC0\n", sum);
	is_int(parse_as("SPR", "", text), 0, "boxes that are too many apart");
	is_str(shown_events(&group), "instructions UNC_M_CAS_COUNT.RD?", "  are one count");
	is_str(shown_metrics(&group), "All [] = \"UNC_M_CAS_COUNT.RD\"; Code [] = \"instructions\"",
	       "  in what adds them up");
	has(group.note, "without First: x/T.txt:23: more than 16 counts at once",
	    "  the rest is told");
}

static bool is_microarchitecture(const char *name, size_t len)
{
	for (const struct pmu_cpu_model *model = pmu_cpu_models; model->vendor; model++)
		if (strlen(model->microarchitecture) == len &&
		    !memcmp(model->microarchitecture, name, len))
			return true;
	return len == 1 && *name == '*';
}

/* A name that no model has would be a section for nobody. */
static void sections_are_of_models(void)
{
	int n = 0;

	for (const char *at = pmu_likwid_names; *at; at = strchr(at, '\n') + 1) {
		if (*at != '[')
			continue;
		for (const char *name = at + 1; name[-1] != ']';) {
			size_t len = strcspn(name, ",]");

			ok(is_microarchitecture(name, len), "%.*s is a model's", (int)len, name);
			n++;
			name += len + 1;
			name += *name == ' ' && name[-1] == ',';
		}
	}
	ok(n > 50, "sections are read");
}

UNIT_PART(likwid_rows)
{
	amds_cores_have_cycles();
	a_code_takes_options();
	off_core_responses_are_in_a_second_register();
	shares_are_formulas();
	boxes_of_formulas_are_added_up();
	what_counts_nothing_is_not_missed();
	reasons_are_the_tables();
	units_are_the_kernels();
	boxes_that_do_not_fit_take_their_metrics_alone();
	sections_are_of_models();
	return done_testing();
}
