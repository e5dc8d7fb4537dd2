/* SPDX-License-Identifier: BSD-3-Clause */
/* Native events by name, on CPUs of which none need be this one. */
#include "names/pfm/pfm.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "plan/catalog.h"
#include "plan/event.h"
#include "unit/part.h"

static struct pmu_event event;

static const struct pmu_cpu_model *model(const char *vendor, uint32_t family, uint32_t number,
					 uint32_t stepping)
{
	struct pmu_cpu_id id = { .family = family, .model = number, .stepping = stepping };

	snprintf(id.vendor, sizeof(id.vendor), "%s", vendor);
	return pmu_cpu_model_find(&id);
}

#define CORE2           model("GenuineIntel", 6, 0x17, 6)
#define NEHALEM         model("GenuineIntel", 6, 0x1a, 5)
#define WESTMERE        model("GenuineIntel", 6, 0x2c, 2)
#define SANDY_BRIDGE    model("GenuineIntel", 6, 0x2a, 7)
#define SAPPHIRE_RAPIDS model("GenuineIntel", 6, 0x8f, 8)
#define ALDER_LAKE      model("GenuineIntel", 6, 0x97, 2)
#define ZEN2            model("AuthenticAMD", 0x17, 0x31, 0)
#define ZEN3            model("AuthenticAMD", 0x19, 0x21, 0)

static void is_event(const struct pmu_cpu_model *cpu, const char *text, uint64_t config,
		     const char *label)
{
	if (!is_int(pmu_event_parse(text, &(struct pmu_catalog){ .model = cpu }, &event), 0, text))
		diag("%s", pmu_error_text());
	is_u64(event.slot.config, config, "  its select");
	is_str(event.name, label, "  its name");
}

static void is_refused(const struct pmu_cpu_model *cpu, const char *text, const char *words)
{
	is_int(pmu_event_parse(text, &(struct pmu_catalog){ .model = cpu }, &event), -EINVAL, text);
	has(pmu_error_text(), words, "  and says so");
}

static void encodes_the_known_examples(void)
{
	is_event(SANDY_BRIDGE, "UOPS_ISSUED.ANY", 0x010e, "UOPS_ISSUED.ANY");
	is_int(event.slot.type, PERF_TYPE_RAW, "  raw");
	ok(event.slot.user && !event.slot.kernel, "  at user level");
	is_event(CORE2, "DTLB_MISSES.ANY", 0x0108, "DTLB_MISSES.ANY");
	is_event(NEHALEM, "DTLB_MISSES.ANY", 0x0149, "DTLB_MISSES.ANY");
	is_event(WESTMERE, "DTLB_MISSES.ANY", 0x0149, "DTLB_MISSES.ANY");
	is_event(WESTMERE, "CPU_CLK_UNHALTED.TOTAL_CYCLES", 0x280003c,
		 "CPU_CLK_UNHALTED.TOTAL_CYCLES");
}

static void reads_every_writing(void)
{
	is_event(SANDY_BRIDGE, "snb::UOPS_ISSUED:ANY", 0x010e, "UOPS_ISSUED.ANY");
	is_event(SANDY_BRIDGE, "uops_issued:any", 0x010e, "UOPS_ISSUED.ANY");
	is_event(SANDY_BRIDGE, "UOPS_ISSUED.ANY:c=1:i", 0x0180010e, "UOPS_ISSUED.ANY:c=1:i");
	is_event(SANDY_BRIDGE, "UOPS_ISSUED.ANY:k:e:t:c=2", 0x0224010e,
		 "UOPS_ISSUED.ANY:e:t:c=2:k");
	ok(!event.slot.user && event.slot.kernel, "  kernel only");
	is_event(SANDY_BRIDGE, "snb::UOPS_ISSUED:ANY:k=0:u=1:e=0:i=0:c=0:t=0", 0x010e,
		 "UOPS_ISSUED.ANY");
	is_event(SANDY_BRIDGE, "UOPS_ISSUED.ANY:uk", 0x010e, "UOPS_ISSUED.ANY:uk");
	is_event(SANDY_BRIDGE, "UOPS_ISSUED.0x1", 0x010e, "UOPS_ISSUED.0x1");
	is_event(WESTMERE, "OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_LLC_MISS", 0x01b7,
		 "OFFCORE_RESPONSE_0.DMND_DATA_RD.ANY_LLC_MISS");
	is_int(event.slot.extra, 0x1a6, "  with its second register");
	is_u64(event.slot.extra_value, 0xf801, "  and what goes there");
	is_u64(event.slot.config1, 0xf801, "  the kernel's way too");
	is_event(WESTMERE, "OFFCORE_RESPONSE_1.ANY_REQUEST.REMOTE_DRAM:uk", 0x01bb,
		 "OFFCORE_RESPONSE_1.ANY_REQUEST.REMOTE_DRAM:uk");
	is_int(event.slot.extra, 0x1a7, "  the second of them");
}

static void tells_letters_from_modifiers(void)
{
	is_refused(CORE2, "L1D_CACHE_LD:I", "two ways: write L1D_CACHE_LD.I_STATE");
	is_event(CORE2, "L1D_CACHE_LD.I_STATE", 0x0140, "L1D_CACHE_LD.I_STATE");
	is_event(CORE2, "L1D_CACHE_LD:MESI:i=1", 0x800f40, "L1D_CACHE_LD.MESI:i=1");
	is_refused(SANDY_BRIDGE, "L2_LINES_IN:E", "two ways");
	is_event(SANDY_BRIDGE, "L2_LINES_IN.E", 0x04f1, "L2_LINES_IN.E");
}

/* By the code of a general counter where there is one, else by event 00H. */
static void finds_fixed_counters(void)
{
	is_event(SANDY_BRIDGE, "INST_RETIRED.ANY", 0xc0, "INST_RETIRED.ANY");
	is_event(SAPPHIRE_RAPIDS, "INST_RETIRED.ANY", 0xc0, "INST_RETIRED.ANY");
	is_event(SAPPHIRE_RAPIDS, "CPU_CLK_UNHALTED.THREAD", 0x3c, "CPU_CLK_UNHALTED.THREAD");
	is_event(CORE2, "UNHALTED_CORE_CYCLES", 0x3c, "UNHALTED_CORE_CYCLES");
	is_event(SANDY_BRIDGE, "UNHALTED_REFERENCE_CYCLES", 0x300, "UNHALTED_REFERENCE_CYCLES");
	is_event(SANDY_BRIDGE, "CPU_CLK_UNHALTED.REF_TSC", 0x300, "CPU_CLK_UNHALTED.REF_TSC");
	is_event(WESTMERE, "CPU_CLK_UNHALTED.REF", 0x300, "CPU_CLK_UNHALTED.REF");
	is_event(SAPPHIRE_RAPIDS, "TOPDOWN.SLOTS", 0x400, "TOPDOWN.SLOTS");
	is_event(SANDY_BRIDGE, "INST_RETIRED:c=1", 0x10000c0, "INST_RETIRED:c=1");
	is_event(SANDY_BRIDGE, "r100", 0xc0, "r100");
	is_refused(SAPPHIRE_RAPIDS, "TOPDOWN.BR_MISPREDICT_SLOTS", "share");
	is_refused(ZEN2, "INST_RETIRED.ANY", "no event");
}

static void knows_restricted_counters(void)
{
	static const struct {
		const char *text;
		uint32_t counters;
	} rows[] = {
		{ "UOPS_ISSUED.ANY", 0 },
		{ "L1D_PEND_MISS.PENDING", 1 << 2 },
		{ "INST_RETIRED.PREC_DIST", 1 << 1 },
		{ "MEM_TRANS_RETIRED.LATENCY_ABOVE_THRESHOLD", 1 << 3 },
		{ "CYCLE_ACTIVITY.CYCLES_L1D_PENDING", 1 << 2 },
		{ "cpu/event=0x48,umask=1/", 1 << 2 },
		{ "r148", 1 << 2 },
		{ "r248", 0 },
	};

	for (size_t i = 0; i < PMU_ARRAY_LEN(rows); i++) {
		is_int(pmu_event_parse(rows[i].text, &(struct pmu_catalog){ .model = SANDY_BRIDGE },
				       &event),
		       0, rows[i].text);
		is_int(event.slot.counters, rows[i].counters, "  its counters");
	}
	is_event(CORE2, "MUL", 0x12, "MUL");
	is_int(event.slot.counters, 2, "  counter 1");
	is_event(NEHALEM, "L1D.REPL", 0x151, "L1D.REPL");
	is_int(event.slot.counters, 3, "  counters 0 and 1");
	is_event(WESTMERE, "SNOOPQ_REQUESTS_OUTSTANDING.CODE", 0x4b3,
		 "SNOOPQ_REQUESTS_OUTSTANDING.CODE");
	is_int(event.slot.counters, 1, "  counter 0");
}

static void finds_the_uncore(void)
{
	is_event(WESTMERE, "UNC_LLC_MISS.READ", 0x109, "UNC_LLC_MISS.READ");
	ok(event.slot.kind == PMU_SLOT_UNCORE && event.slot.unit == PMU_UNIT_UNCORE,
	   "  the socket's");
	ok(event.slot.user && event.slot.kernel, "  at every level");
	is_event(WESTMERE, "wsm_unc::UNC_LLC_MISS:READ:c=4", 0x4000109, "UNC_LLC_MISS.READ:c=4");
	is_event(WESTMERE, "UNC_CLK_UNHALTED", 0, "UNC_CLK_UNHALTED");
	is_int(event.slot.unit, PMU_UNIT_CLOCK, "  the fixed clock");
	is_event(SANDY_BRIDGE, "snb_unc_cbo2::UNC_CBO_CACHE_LOOKUP:STATE_M:READ_FILTER", 0x1134,
		 "UNC_CBO_CACHE_LOOKUP.STATE_M.READ_FILTER");
	is_int(event.slot.unit, PMU_UNIT_CBO, "  all boxes, whichever is named");
	is_event(ZEN3, "UNC_L3_REQUESTS", 0x0f00c0000000ff04, "UNC_L3_REQUESTS");
	is_refused(WESTMERE, "UNC_LLC_MISS.READ:u", "belongs to the socket");
}

static void names_the_nearest(void)
{
	is_refused(SANDY_BRIDGE, "UOPS_ISSUE.ANY", "did you mean UOPS_ISSUED.ANY?");
	is_refused(SANDY_BRIDGE, "UOPS_ISSUED.ANI", "did you mean UOPS_ISSUED.ANY?");
	is_refused(SANDY_BRIDGE, "LD_BLOCKS", "say which: ");
	is_refused(SANDY_BRIDGE, "wsm::UOPS_ISSUED.ANY", "Sandy Bridge");
	is_refused(SANDY_BRIDGE, "nope::UOPS_ISSUED.ANY", "no events of \"nope\"");
	is_refused(SANDY_BRIDGE, "UOPS_ISSUED.ANY:c=256", "out of its range");
	is_refused(SANDY_BRIDGE, "UOPS_ISSUED.STALL_CYCLES:c=2", "by itself");
	is_refused(SANDY_BRIDGE, "UOPS_ISSUED.ANY:z=2", "no \"z=2\"");
	is_refused(SANDY_BRIDGE, "UOPS_ISSUED.ANY:u=0", "neither");
	is_refused(SANDY_BRIDGE, "UOPS_ISSUED..ANY", "nothing behind");
	is_refused(SANDY_BRIDGE, "UOPS_ISSUED.ANY.", "nothing behind");
	is_refused(SANDY_BRIDGE, "A.B.C.D.E.F.G.H.I.J.K.L.M", "more than");
	is_refused(SANDY_BRIDGE, "instrutions", "did you mean instructions?");
	is_refused(ALDER_LAKE, "UOPS_ISSUED.ANY", "does not know those of");
	is_refused(ALDER_LAKE, "UOPS_ISSUED.ANY", "or set PMU_EVENT_FILES");
	is_refused(SANDY_BRIDGE, "INST_RETIRED.ANY:c=1",
		   "INST_RETIRED.ANY: only a fixed counter counts it");
	is_refused(SANDY_BRIDGE, "CPU_CLK_UNHALTED.REF_TSC:e", "only a fixed counter counts it");
}

/* Rows: what an event is on a CPU, and where it can be counted. */
static bool check_row(char *line)
{
	struct pmu_catalog catalog = { 0 };
	char *field[7];
	uint32_t counters;
	int rc;

	for (size_t i = 0; i < PMU_ARRAY_LEN(field); i++)
		field[i] = strsep(&line, ",\n");
	catalog.model = model(field[0], (uint32_t)strtoul(field[1], NULL, 10),
			      (uint32_t)strtoul(field[2], NULL, 16),
			      (uint32_t)strtoul(field[3], NULL, 16));
	rc = pmu_event_parse(field[4], &catalog, &event);
	counters = (uint32_t)strtoul(field[6], NULL, 16);
	if (!rc && event.slot.config == strtoull(field[5], NULL, 16) &&
	    (!event.slot.counters || !counters || event.slot.counters == counters))
		return true;
	diag("%s-%s-%s %s: %s, not %#llx on counters %#x", field[0], field[1], field[2], field[4],
	     rc ? pmu_error_text() : field[5], (unsigned long long)event.slot.config,
	     event.slot.counters);
	return false;
}

static void agrees_with_the_manuals(void)
{
	FILE *file = fopen(TEST_SRCDIR "/tests/data/events.csv", "r");
	int rows = 0, wrong = 0;
	char line[256];

	if (!ok(file != NULL, "tests/data/events.csv"))
		return;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	while (fgets(line, sizeof(line), file)) {
		rows++;
		wrong += !check_row(line);
	}
	fclose(file);
	ok(rows > 150, "there are rows in it");
	is_int(wrong, 0, "every one is right");
}

/* What the program has in its environment, and what it does to it, is as without us. */
static void leaves_the_environment_alone(void)
{
	is_str(getenv("LIBPFM_ENCODE_INACTIVE"), NULL,
	       "LIBPFM_ENCODE_INACTIVE is not set after all this");
}

static void *parse_many(void *arg)
{
	struct pmu_event mine;
	long wrong = 0;

	for (int i = 0; i < 50; i++)
		wrong += pmu_event_parse("UOPS_ISSUED.ANY:c=1",
					 &(struct pmu_catalog){ .model = arg }, &mine) ||
			 mine.slot.config != 0x100010e;
	return (void *)wrong;
}

/* The first thing that happens: libpfm4 is initialised once. */
static void threads_may_ask_at_once(void)
{
	pthread_t thread[4];
	long wrong = 0;
	void *result;

	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, parse_many, (void *)(uintptr_t)SANDY_BRIDGE))
			exit(2);
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], &result);
		wrong += (long)result;
	}
	is_int(wrong, 0, "four threads at once");
}

UNIT_PART(pfm)
{
	threads_may_ask_at_once();
	encodes_the_known_examples();
	reads_every_writing();
	tells_letters_from_modifiers();
	finds_fixed_counters();
	knows_restricted_counters();
	finds_the_uncore();
	names_the_nearest();
	agrees_with_the_manuals();
	leaves_the_environment_alone();
	return done_testing();
}
