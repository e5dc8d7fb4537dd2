/* SPDX-License-Identifier: BSD-3-Clause */
/* Events as people write them. */
#include "plan/event.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/error.h"
#include "machine/models.h"
#include "plan/catalog.h"
#include "unit/part.h"

static struct pmu_event event;

/* The same on whatever processor this runs: some have codes of their own for generic names. */
static struct pmu_catalog *a_haswell(void)
{
	static const struct pmu_cpu_id id = { .vendor = "GenuineIntel",
					      .family = 6,
					      .model = 0x3c };
	static struct pmu_catalog catalog;

	catalog.model = pmu_cpu_model_find(&id);
	return &catalog;
}

static void is_event(const char *text, uint32_t type, uint64_t config, const char *label)
{
	is_int(pmu_event_parse(text, a_haswell(), &event), 0, text);
	is_int(event.slot.type, type, "  its type");
	is_u64(event.slot.config, config, "  its code");
	is_str(event.name, label, "  its label");
}

static void is_refused(const char *text, const char *words)
{
	is_int(pmu_event_parse(text, NULL, &event), -EINVAL, text);
	has(pmu_error_text(), words, "  and says so");
}

static void knows_generic_names(void)
{
	is_event("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions");
	is_int(event.slot.kind, PMU_SLOT_CORE, "  is counted by the core");
	ok(event.slot.user && !event.slot.kernel, "  at user level");
	is_str(event.unit, "", "  without a unit");
	is_event("branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		 "branches");
	is_event("cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles");
	is_event("reference-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES,
		 "ref-cycles");
	is_event("stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
		 "stalled-cycles-backend");
}

/* numbers by perf_event_open(2): cache | operation << 8 | result << 16 */
static void knows_cache_names(void)
{
	is_event("L1-dcache-loads", PERF_TYPE_HW_CACHE, 0x000000, "L1-dcache-loads");
	is_event("L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x010000, "L1-dcache-load-misses");
	is_event("LLC-stores", PERF_TYPE_HW_CACHE, 0x000102, "LLC-stores");
	is_event("dTLB-prefetch-misses", PERF_TYPE_HW_CACHE, 0x010203, "dTLB-prefetch-misses");
	is_event("iTLB-load-misses", PERF_TYPE_HW_CACHE, 0x010004, "iTLB-load-misses");
	is_event("node-store-misses", PERF_TYPE_HW_CACHE, 0x010106, "node-store-misses");
}

static void knows_software_names(void)
{
	is_event("task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock");
	is_str(event.unit, "ns", "  in nanoseconds");
	is_int(event.slot.kind, PMU_SLOT_SOFTWARE, "  is counted by the kernel");
	is_event("minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor-faults");
	ok(event.slot.user && !event.slot.kernel, "  at user level");
	is_event("cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches");
	ok(event.slot.user && event.slot.kernel, "  with the kernel, where it happens");
	is_event("migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations");
}

static void knows_raw_codes(void)
{
	is_event("r10e", PERF_TYPE_RAW, 0x10e, "r10e");
	is_event("R10E", PERF_TYPE_RAW, 0x10e, "r10e");
	is_event("rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX, "rffffffffffffffff");
	is_event("r1b:k", PERF_TYPE_RAW, 0x1b, "r1b:k");
	is_refused("r10000000000000000", "no event");
	is_refused("r", "no event");
	is_refused("r10g", "no event");
}

static void every_name_parses_to_its_own_entry(void)
{
	int wrong = 0;

	for (const struct pmu_event_about *about = pmu_event_names; about->name; about++) {
		/* whether there is one, and which, is the processor's: interrupts.c, branches.c beside this */
		if (!strcmp(about->name, "interrupts") ||
		    !strcmp(about->name, "conditional-branches") ||
		    !strcmp(about->name, "taken-branches"))
			continue;
		if (pmu_event_parse(about->name, a_haswell(), &event) ||
		    event.slot.config != about->config || event.slot.type != about->type ||
		    !about->about[0] ||
		    strcmp(event.name, about->alias ? about->alias : about->name))
			wrong++;
	}
	is_int(wrong, 0, "every name of the table parses");
}

static void reads_levels(void)
{
	is_event("cycles:u", PERF_TYPE_HARDWARE, 0, "cycles");
	is_event("cycles:k", PERF_TYPE_HARDWARE, 0, "cycles:k");
	ok(!event.slot.user && event.slot.kernel, "  kernel only");
	is_event("cycles:uk", PERF_TYPE_HARDWARE, 0, "cycles:uk");
	ok(event.slot.user && event.slot.kernel, "  both");
	is_event("CYCLES:KU", PERF_TYPE_HARDWARE, 0, "cycles:uk");
	is_event("cs:uk", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches");
	is_event("cs:k", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches:k");
	is_refused("PERF_METRICS.RETIRING", "the group TOPDOWN");
	is_refused("topdown-fe-bound", "no count");
	is_refused("cs:u", "always 0");
	is_refused("task-clock:k", "does not tell");
	is_refused("cycles:x", "u (user level)");
	is_refused("cycles:", "u (user level)");
	is_refused("cycles:u:k", "u (user level)");
}

static void names_the_nearest(void)
{
	is_refused("instrutions", "did you mean instructions?");
	is_refused("page-fault", "did you mean page-faults?");
	is_refused("page_faults", "did you mean page-faults?");
	is_refused("L1_dcache_loads", "did you mean L1-dcache-loads?");
	is_refused("cycles instructions", "events are written with commas between them");
	is_refused("cycles;instructions", "events are written with commas between them");
	is_refused("something-else-entirely", "try instructions");
	is_refused("", "without a name");
	is_refused("   ", "without a name");
	is_refused(":u", "no event");
}

static void does_not_choke_on_length(void)
{
	char text[5000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	is_int(pmu_event_parse(text, NULL, &event), -EINVAL, "5000 letters");
	text[0] = 'r';
	memset(text + 1, 'f', sizeof(text) - 2);
	is_int(pmu_event_parse(text, NULL, &event), -EINVAL, "4998 digits");
}

static void reads_lists(void)
{
	struct pmu_event events[PMU_MAX_SLOTS];

	is_int(pmu_event_list_parse(" instructions , cycles:k,r1 ", NULL, events), 3,
	       "three events");
	is_str(events[0].name, "instructions", "  the first");
	is_str(events[1].name, "cycles:k", "  the second");
	is_str(events[2].name, "r1", "  the third");
	is_int(pmu_event_list_parse("cycles,cycles:k", NULL, events), 2,
	       "two levels are two events");
	is_int(pmu_event_list_parse("cycles,cpu-cycles", NULL, events), -EINVAL, "one event twice");
	has(pmu_error_text(), "cycles is named twice", "  is named");
	is_int(pmu_event_list_parse("cycles,,r1", NULL, events), -EINVAL, "nothing between commas");
	is_int(pmu_event_list_parse("cycles,", NULL, events), -EINVAL, "nothing behind a comma");
	is_int(pmu_event_list_parse("", NULL, events), -EINVAL, "nothing at all");
	is_int(pmu_event_list_parse("r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,r10", NULL,
				    events),
	       16, "sixteen fit");
	is_int(pmu_event_list_parse("r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,r10,r11", NULL,
				    events),
	       -E2BIG, "seventeen do not");
}

static const struct pmu_cpu_model westmere = { .vendor = "GenuineIntel",
					       .microarchitecture = "Westmere",
					       .pfm = "wsm_dp",
					       .pfm_e = "",
					       .pfm_uncore = "wsm_unc",
					       .uncore = PMU_UNCORE_NEHALEM };
static const struct pmu_cpu_model skylake = { .vendor = "GenuineIntel",
					      .microarchitecture = "Skylake",
					      .pfm = "skl",
					      .pfm_e = "",
					      .pfm_uncore = "",
					      .uncore = PMU_UNCORE_SKYLAKE };
static const struct pmu_cpu_model zen2 = { .vendor = "AuthenticAMD",
					   .microarchitecture = "Zen 2",
					   .pfm = "amd64_fam17h_zen2",
					   .pfm_e = "",
					   .pfm_uncore = "",
					   .uncore = PMU_UNCORE_AMD_L3 };
static const struct pmu_cpu_model zen3 = { .vendor = "AuthenticAMD",
					   .microarchitecture = "Zen 3",
					   .pfm = "amd64_fam19h_zen3",
					   .pfm_e = "",
					   .pfm_uncore = "amd64_fam19h_zen3_l3",
					   .uncore = PMU_UNCORE_AMD_L3_19H };
static const struct pmu_cpu_model *model;

static void are_terms(const char *text, enum pmu_slot_kind kind, unsigned int unit, uint64_t config,
		      const char *label)
{
	is_int(pmu_event_parse(text, &(struct pmu_catalog){ .model = model, .sysfs = "" }, &event),
	       0, text);
	ok(event.slot.kind == kind && event.slot.unit == unit, "  what it is");
	is_u64(event.slot.config, config, "  its select");
	is_str(event.name, label, "  its label");
}

static void are_refused(const char *text, const char *words)
{
	is_int(pmu_event_parse(text, &(struct pmu_catalog){ .model = model, .sysfs = "" }, &event),
	       -EINVAL, text);
	has(pmu_error_text(), words, "  and says so");
}

static void reads_terms(void)
{
	model = &westmere;
	are_terms("cpu/event=0x0e,umask=0x01,cmask=1,inv,edge,any/", PMU_SLOT_CORE, 0, 0x1a4010e,
		  "cpu/event=0xe,umask=0x1,cmask=0x1,inv,edge,any/");
	is_int(event.slot.type, PERF_TYPE_RAW, "  raw");
	are_terms("CPU/umask=1,event=14,inv=0/", PMU_SLOT_CORE, 0, 0x10e,
		  "cpu/event=0xe,umask=0x1/");
	are_terms("cpu/event=0x3c/k", PMU_SLOT_CORE, 0, 0x3c, "cpu/event=0x3c/:k");
	ok(!event.slot.user && event.slot.kernel, "  kernel only");
	are_terms("cpu/event=0x3c/:uk", PMU_SLOT_CORE, 0, 0x3c, "cpu/event=0x3c/:uk");
	are_terms("cpu/event=0xb7,umask=1,offcore_rsp=0x10/", PMU_SLOT_CORE, 0, 0x1b7,
		  "cpu/event=0xb7,umask=0x1,offcore_rsp=0x10/");
	ok(event.slot.extra == 0x1a6 && event.slot.extra_value == 0x10, "  its second register");
	are_terms("cpu/instructions/k", PMU_SLOT_CORE, 0, 1, "instructions:k");
	are_terms("cpu_atom/event=0x3c/", PMU_SLOT_CORE, 0, 0x3c, "cpu_atom/event=0x3c/");
	is_int(event.slot.core_types, PMU_SLOT_E, "  of the E cores");
	model = &zen2;
	are_terms("cpu/event=0x1c7,umask=2/", PMU_SLOT_CORE, 0, 0x1000002c7,
		  "cpu/event=0x1c7,umask=0x2/");
	are_refused("cpu/event=0x1c7,any/", "no any=1");
	are_refused("cpu/event=0x11c7/", "no event=0x11c7");
}

static void reads_terms_of_the_socket(void)
{
	model = &westmere;
	are_terms("uncore/event=0x09,umask=0x01,cmask=0x20/", PMU_SLOT_UNCORE, PMU_UNIT_UNCORE,
		  0x20000109, "uncore/event=0x9,umask=0x1,cmask=0x20/");
	ok(event.slot.user && event.slot.kernel, "  at every level");
	are_terms("uncore-clock", PMU_SLOT_UNCORE, PMU_UNIT_CLOCK, 0, "uncore-clock");
	are_refused("uncore/event=9/u", "belongs to the socket");
	are_refused("uncore/event=9,any/", "no any");
	are_refused("uncore_cbox/event=0x34/", "Westmere has no uncore_cbox");
	model = &skylake;
	are_terms("uncore_cbox_3/event=0x34,umask=0x8f,cmask=31/", PMU_SLOT_UNCORE, PMU_UNIT_CBO,
		  0x1f008f34, "uncore_cbox/event=0x34,umask=0x8f,cmask=0x1f/");
	are_refused("uncore_cbox/event=0x34,cmask=32/", "no cmask=32");
	are_terms("uncore_arb/event=0x81,umask=1/", PMU_SLOT_UNCORE, PMU_UNIT_ARB, 0x181,
		  "uncore_arb/event=0x81,umask=0x1/");
	are_terms("uncore_clock/clockticks/", PMU_SLOT_UNCORE, PMU_UNIT_CLOCK, 0, "uncore-clock");
	model = &zen2;
	are_terms("amd_l3/event=0x04,umask=0xff/", PMU_SLOT_UNCORE, PMU_UNIT_L3, 0xff0f00000000ff04,
		  "amd_l3/event=0x4,umask=0xff/");
	are_terms("amd_l3/event=4,slicemask=3,threadmask=1/", PMU_SLOT_UNCORE, PMU_UNIT_L3,
		  0x0103000000000004, "amd_l3/event=0x4,slicemask=0x3,threadmask=0x1/");
	model = &zen3;
	are_terms("amd_l3/event=0x04,umask=0xff/", PMU_SLOT_UNCORE, PMU_UNIT_L3, 0x0f00c0000000ff04,
		  "amd_l3/event=0x4,umask=0xff/");
	are_terms("amd_l3/event=4,threadmask=3,sliceid=5,coreid=2/", PMU_SLOT_UNCORE, PMU_UNIT_L3,
		  0x0305080000000004, "amd_l3/event=0x4,threadmask=0x3,sliceid=0x5,coreid=0x2/");
	are_refused("amd_l3/event=4,slicemask=3/", "no slicemask");
}

static void reads_energy(void)
{
	static const char *const names[] = { "energy-pkg", "energy-cores", "energy-gpu",
					     "energy-ram" };
	char text[64];

	model = NULL;
	for (unsigned int i = 0; i < 4; i++) {
		are_terms(names[i], PMU_SLOT_ENERGY, i, i, names[i]);
		is_str(event.unit, "uJ", "  in microjoules");
		snprintf(text, sizeof(text), "power/%s/", names[i]);
		are_terms(text, PMU_SLOT_ENERGY, i, i, names[i]);
	}
	ok(event.slot.type != PERF_TYPE_HARDWARE, "it is no event of the kernel's by number");
	are_refused("energy-pkg:u", "belongs to the socket");
	are_refused("power/energy-pkg/k", "belongs to the socket");
	are_refused("power/cycles/", "power counts no cycles");
	are_refused("cpu/energy-pkg/", "cpu counts no energy-pkg");
	are_refused("energy-pk", "did you mean energy-pkg?");
}

static void refuses_terms(void)
{
	model = &westmere;
	are_refused("cpu/event=1", "second slash");
	are_refused("cpu//", "no \"\"");
	are_refused("cpu/event=1,/", "no \"\"");
	are_refused("cpu/umask=1,inv/", "say which event");
	are_refused("cpu/event=1,event=2/", "twice");
	are_refused("cpu/evnt=1,inv/", "did you mean event?");
	are_refused("cpu/event=x/", "NUMBER");
	are_refused("cpu/event/", "no event \"event\"");
	are_refused("cpu/event=-1/", "NUMBER");
	are_refused("cpu/event=0x10000000000000000/", "NUMBER");
	are_refused("cpu/event=1,inv=2/", "0 or 1");
	are_refused("cpu/event=0x1c7/", "no event=0x1c7");
	are_refused("cpuu/event=1/", "did you mean cpu/.../?");
	are_refused("nobody/event=1/", "nothing counts");
	are_refused("cpu/event=1/x", "after the colon");
	are_refused("/event=1/", "nothing counts");
	are_refused("uncore/nothing/", "say which event");
}

static void keeps_terms_together_in_lists(void)
{
	struct pmu_catalog of_westmere = { .model = &westmere };
	struct pmu_event events[PMU_MAX_SLOTS];

	is_int(pmu_event_list_parse("cycles,cpu/event=0x0e,umask=0x01/k,energy-pkg", &of_westmere,
				    events),
	       3, "commas between slashes part nothing");
	is_str(events[1].name, "cpu/event=0xe,umask=0x1/:k", "  the second");
	is_int(pmu_event_list_parse("cycles,energy-pkg", NULL, events), 2,
	       "energy is not cycles, though both have number 0");
	is_int(pmu_event_list_parse("energy-pkg,uncore-clock", &of_westmere, events), 2,
	       "nor are two things of the socket one");
	is_int(pmu_event_list_parse("UOPS_ISSUED.ANY,cpu/umask=1,event=0xe/", &of_westmere, events),
	       -EINVAL, "one event in two writings");
	has(pmu_error_text(), "is UOPS_ISSUED.ANY by another name", "  is named twice");
}

UNIT_PART(event)
{
	knows_generic_names();
	knows_cache_names();
	knows_software_names();
	knows_raw_codes();
	every_name_parses_to_its_own_entry();
	reads_levels();
	names_the_nearest();
	does_not_choke_on_length();
	reads_lists();
	reads_terms();
	reads_terms_of_the_socket();
	reads_energy();
	refuses_terms();
	keeps_terms_together_in_lists();
	return done_testing();
}
