/* SPDX-License-Identifier: BSD-3-Clause */
/* Intel's metrics as groups: events, formulas, units, and why some cannot be had. */
#include "names/vendor/metric.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "names/vendor/metric_parts.h"
#include "unit/part.h"

#define FILES   TEST_SRCDIR "/tests/data/perfmon"
#define DEVICES TEST_SRCDIR "/tests/data/sysfs/skylake-server"

static struct pmu_group group;
static struct pmu_catalog catalog;

static void be(uint32_t model, uint32_t stepping, unsigned int threads, const char *files)
{
	pmu_catalog_close(&catalog);
	catalog = (struct pmu_catalog){ .event_files = files, .threads_per_core = threads };
	snprintf(catalog.id.vendor, sizeof(catalog.id.vendor), "GenuineIntel");
	catalog.id.family = 6;
	catalog.id.model = model;
	catalog.id.stepping = stepping;
	catalog.model = pmu_cpu_model_find(&catalog.id);
}

static const char *events(void)
{
	static char text[1024];

	text[0] = '\0';
	for (unsigned int i = 0; i < group.n_events; i++) {
		strcat(text, i ? " " : "");
		strcat(text, group.event[i].name);
	}
	return text;
}

static bool finds(const char *name)
{
	bool found = ok(!pmu_intel_metric_find(&catalog, name, &group), "%s is a group", name);

	if (!found)
		diag("%s", pmu_error_text());
	return found;
}

static void is_group(const char *name, const char *want_events, const char *formula,
		     const char *unit)
{
	if (!finds(name))
		return;
	is_str(events(), want_events, "  of these events");
	is_int(group.n_metrics, 1, "  with one metric");
	is_str(group.metric[0].formula, formula, "  of this formula");
	is_str(group.metric[0].unit, unit, "  in this unit");
}

static void is_none(const char *name, const char *why)
{
	pmu_error_clear();
	is_int(pmu_intel_metric_find(&catalog, name, &group), -ENOTSUP, name);
	has(pmu_error_text(), why, "  cannot be a group, and the sentence says why");
	has(pmu_error_text(), name, "  and which it is");
}

/* --- what comes of them --- */

static void a_ratio_has_its_two_events(void)
{
	be(0x55, 4, 2, FILES);
	is_group("cpi", "CPU_CLK_UNHALTED.THREAD INST_RETIRED.ANY",
		 "CPU_CLK_UNHALTED.THREAD / INST_RETIRED.ANY", "per instruction");
	is_str(group.name, "intel:cpi", "  under its name");
	has(group.about, "Cycles per instruction retired", "  with Intel's description");
	is_str(group.metric[0].name, "cpi", "  which the metric bears too");
	ok(group.event[0].slot.kind == PMU_SLOT_CORE &&
		   group.event[0].slot.config != group.event[1].slot.config,
	   "  by the core's counters");
	ok(group.event[0].slot.user && !group.event[0].slot.kernel && !group.event[0].optional,
	   "  at user level");
	ok(finds("CPI") && finds("metric_CPI"),
	   "case does not count, and the older name does as well");
}

static void time_and_the_time_stamp_counter_are_ours(void)
{
	be(0x55, 4, 2, FILES);
	is_group("cpu_operating_frequency", "CPU_CLK_UNHALTED.THREAD CPU_CLK_UNHALTED.REF_TSC",
		 "CPU_CLK_UNHALTED.THREAD / CPU_CLK_UNHALTED.REF_TSC * tsc_hz / 1000000000", "GHz");
	/* ticks of the time in the files' newer part */
	is_group("Info_System_CPUs_Utilized", "CPU_CLK_UNHALTED.REF_TSC",
		 "CPU_CLK_UNHALTED.REF_TSC / (time * tsc_hz)", "");
	is_group("cpu_utilization", "CPU_CLK_UNHALTED.REF_TSC:uk",
		 "100 * \"CPU_CLK_UNHALTED.REF_TSC:uk\" / (time * tsc_hz)", "%");
	is_group("Info_Memory_L1D_Cache_Fill_BW", "L1D.REPLACEMENT",
		 "64 * L1D.REPLACEMENT / 1000000000 / ((time * 1000) / 1000)", "");
}

static void hyper_threading_decides_which_events_are_needed(void)
{
	be(0x55, 4, 2, FILES);
	is_group("Frontend_Bound", "IDQ_UOPS_NOT_DELIVERED.CORE CPU_CLK_UNHALTED.THREAD_ANY",
		 "100 * (IDQ_UOPS_NOT_DELIVERED.CORE / (4 * (CPU_CLK_UNHALTED.THREAD_ANY / 2)))",
		 "%");
	be(0x55, 4, 1, FILES);
	is_group("Frontend_Bound", "IDQ_UOPS_NOT_DELIVERED.CORE CPU_CLK_UNHALTED.THREAD",
		 "100 * (IDQ_UOPS_NOT_DELIVERED.CORE / (4 * CPU_CLK_UNHALTED.THREAD))", "%");
	be(0x55, 4, 0, FILES);
	is_none("Frontend_Bound", "whether Hyper-Threading is on");
}

static void modifiers_are_written_our_way(void)
{
	be(0x55, 4, 2, FILES);
	if (finds("ICache_Misses")) {
		is_str(group.event[1].name, "ICACHE_16B.IFDATA_STALL:c=1:e=1",
		       "a threshold and edges");
		is_u64(group.event[1].slot.config & 0xff040000, 0x01040000,
		       "  are in the encoding");
	}
	if (finds("FP_Vector")) {
		is_u64(group.event[0].slot.config, 0xfcc7, "a mask of its own is the event's");
		has(group.metric[0].formula, "\"FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE:u0xfc\"",
		    "  and in its name");
	}
	is_group("Info_System_Kernel_CPI", "CPU_CLK_UNHALTED.THREAD_P:k INST_RETIRED.ANY_P:k",
		 "\"CPU_CLK_UNHALTED.THREAD_P:k\" / \"INST_RETIRED.ANY_P:k\"", "per instruction");
	/* user level against everything */
	if (finds("Info_System_IpFarBranch"))
		is_str(events(), "INST_RETIRED.ANY:uk BR_INST_RETIRED.FAR_BRANCH",
		       "what has no level beside one that has is of all levels");
}

static void counts_of_a_socket_are_one_sockets(void)
{
	be(0x55, 4, 2, FILES);
	is_group("memory_bandwidth_total", "UNC_M_CAS_COUNT.RD UNC_M_CAS_COUNT.WR",
		 "(UNC_M_CAS_COUNT.RD + UNC_M_CAS_COUNT.WR) * 64 / 1000000 / time", "MB/s");
	is_int(group.event[0].slot.kind, PMU_SLOT_UNCORE, "  which are the socket's");
	is_none("uncore_frequency", "the number of a socket's cores");
	catalog.cores_per_socket = 28;
	is_group("uncore_frequency", "UNC_CHA_CLOCKTICKS",
		 "UNC_CHA_CLOCKTICKS / (28 * 1) / 1000000000 / time", "GHz");
}

static void what_cannot_be_counted_is_refused(void)
{
	be(0x55, 4, 2, FILES);
	is_none("Bottleneck_Mispredictions", "it counts 18 events, and a group has at most 16");
	if (finds("Ports_Utilization"))
		has(group.metric[0].formula, "if(", "  which chooses by what is counted");
	is_none("Remote_Cache", "its formula is longer than 511 characters");
	is_none("Info_System_CPU_Utilization", "it needs a number of the machine");
	is_none("Info_System_Time", "it counts nothing");
	is_none("Info_System_Socket_CLKS", "has \":one_unit\" to it");
	is_none("llc_data_read_mpi_demand_plus_prefetch", "has \":filter1=0x12D40433\" to it");
	be(0x8f, 6, 2, FILES);
	is_none("Info_Thread_Slots_Utilization", "has \":percore\" to it");
}

static void long_names_are_cut_where_they_show(void)
{
	static const char name[] =
		"llc_data_read_demand_plus_prefetch_miss_latency_for_remote_requests";

	be(0x55, 4, 2, FILES);
	catalog.cores_per_socket = 28;
	is_int(pmu_intel_metric_find(&catalog, name, &group), -ENOTSUP, "a name of 67 characters");
	is_str(group.name, "intel:llc_data_read_demand_p...", "  is cut in the group's");
	is_str(group.metric[0].name,
	       "llc_data_read_demand_plus_prefetch_miss_latency_for_remote_r...",
	       "  and in the metric's");
}

/* --- made by hand --- */

static struct pmu_intel_metric made;

static void make(const char *unit, const char *formula, const char *a, const char *b)
{
	memset(&made, 0, sizeof(made));
	strcpy(made.name, "made");
	strcpy(made.unit, unit);
	strcpy(made.formula, formula);
	strcpy(made.event[0].name, a);
	strcpy(made.event[0].alias, "a");
	strcpy(made.event[1].name, b);
	strcpy(made.event[1].alias, "b");
	made.n_events = 2;
}

static int made_group(uint8_t core_type)
{
	pmu_error_clear();
	return pmu_intel_metric_group(&made, core_type, &catalog, &group);
}

static void rates_have_time_in_them(void)
{
	be(0x55, 4, 2, FILES);
	make("MB/sec", "a * 64 / 1000000", "UNC_M_CAS_COUNT.RD", "");
	is_int(made_group(0), -ENOTSUP, "a rate without time");
	has(pmu_error_text(), "it is in MB/s, and there is no time in its formula", "  is none");
	make("MB/sec", "a * 64 / 1000000 / DURATIONTIMEINSECONDS", "UNC_M_CAS_COUNT.RD", "");
	is_int(made_group(0), 0, "with time it is one");
	make("ns", "a / b", "UNC_M_CAS_COUNT.RD", "TSC");
	is_int(made_group(0), 0, "ticks are time");
	make("", "a * 64 / 1000000", "UNC_M_CAS_COUNT.RD", "");
	is_int(made_group(0), 0, "a number needs none");
	strcpy(made.domain, "GB/sec");
	is_int(made_group(0), -ENOTSUP, "the domain may say that it is a rate");
}

static void one_event_by_two_names_is_one_column(void)
{
	be(0x55, 4, 2, FILES);
	make("", "a / b", "INST_RETIRED.ANY", "inst_retired.any");
	is_int(made_group(0), 0, "two names");
	is_str(events(), "INST_RETIRED.ANY", "  one column");
	is_str(group.metric[0].formula, "INST_RETIRED.ANY / INST_RETIRED.ANY",
	       "  in the formula too");
}

static void metrics_of_one_kind_of_core_count_there(void)
{
	be(0x97, 2, 2, FILES);
	make("", "a", "INST_RETIRED.ANY", "");
	is_int(made_group(PMU_SLOT_E), 0, "instructions of E cores");
	is_int(group.event[0].slot.core_types, PMU_SLOT_E, "  are counted there alone");
	is_int(made_group(PMU_SLOT_P), 0, "of P cores");
	is_int(group.event[0].slot.core_types, PMU_SLOT_P, "  likewise");
	make("", "a", "UOPS_ISSUED.ANY", "");
	is_int(made_group(PMU_SLOT_P), 0, "an event that E cores have by another code");
	is_u64(group.event[0].slot.config, 0x01ae, "  by the P cores' code");
	is_int(made_group(PMU_SLOT_E), 0, "  is theirs there");
	is_u64(group.event[0].slot.config, 0x000e, "  by their code");
	ok(group.event[0].slot.core_types == PMU_SLOT_E && !group.event[0].slot.e_code.is_set,
	   "  and nothing else");
	make("", "a", "LD_BLOCKS.4K_ALIAS", "");
	is_int(made_group(PMU_SLOT_P), -ENOTSUP,
	       "what E cores alone have cannot be told of P cores");
	has(pmu_error_text(), "is one of the other kind of core", "  which is said");
}

/* --- shares in PERF_METRICS --- */

#define SUM "( x + y + z + w )"

/* A metric over a share, called s, and the four of level 1. */
static void make_share(const char *share, const char *formula)
{
	static const char *const four[] = { "RETIRING", "BAD_SPECULATION", "FRONTEND_BOUND",
					    "BACKEND_BOUND" };

	make("", formula, "INT_MISC.UOP_DROPPING", "TOPDOWN.SLOTS:perf_metrics");
	for (unsigned int i = 0; i < 4; i++) {
		struct pmu_intel_named *event = &made.event[made.n_events++];

		snprintf(event->name, sizeof(event->name), "PERF_METRICS.%s", four[i]);
		snprintf(event->alias, sizeof(event->alias), "%c", "xyzw"[i]);
	}
	snprintf(made.event[made.n_events].name, sizeof(made.event[0].name), "PERF_METRICS.%s",
		 share);
	strcpy(made.event[made.n_events++].alias, "s");
}

static void is_by_general(const char *share, const char *formula, const char *want)
{
	make_share(share, formula);
	if (!is_int(made_group(0), 0, share))
		diag("%s", pmu_error_text());
	is_str(group.metric[0].formula, want, "  of this formula");
	is_str(group.note, "intel:made: by general counters in place of PERF_METRICS",
	       "  which is noted");
}

static void shares_are_counted_by_general_counters(void)
{
	be(0x8f, 6, 2, FILES);
	is_group("Frontend_Bound", "INT_MISC.UOP_DROPPING TOPDOWN.SLOTS IDQ_BUBBLES.CORE",
		 "100 * (IDQ_BUBBLES.CORE / TOPDOWN.SLOTS - INT_MISC.UOP_DROPPING / TOPDOWN.SLOTS)",
		 "%");
	has(group.note, "by general counters in place of PERF_METRICS", "  as a note says");
	be(0x8f, 6, 2, NULL);
	is_by_general("MEMORY_BOUND", "s / " SUM, "TOPDOWN.MEMORY_BOUND_SLOTS / TOPDOWN.SLOTS");
	is_by_general("FETCH_LATENCY", "2 * s / " SUM,
		      "2 * (6 * IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE) / TOPDOWN.SLOTS");
	is_by_general("HEAVY_OPERATIONS", "s / (y+w+ z + x) - b",
		      "UOPS_RETIRED.HEAVY / TOPDOWN.SLOTS - TOPDOWN.SLOTS");
	be(0x6a, 6, 2, NULL);
	is_by_general("FRONTEND_BOUND", "s / " SUM, "IDQ_UOPS_NOT_DELIVERED.CORE / TOPDOWN.SLOTS");
	be(0xbd, 1, 1, NULL);
	is_by_general("FETCH_LATENCY", "s / " SUM,
		      "TOPDOWN.SLOTS * IDQ_BUBBLES.FETCH_LATENCY / CPU_CLK_UNHALTED.THREAD / "
		      "TOPDOWN.SLOTS");
	is_by_general("BAD_SPECULATION", "s / " SUM,
		      "max(TOPDOWN.SLOTS - UOPS_RETIRED.SLOTS - IDQ_BUBBLES.CORE - "
		      "TOPDOWN.BACKEND_BOUND_SLOTS, 0) / TOPDOWN.SLOTS");
}

static void is_refused(const char *share, const char *formula, const char *why)
{
	make_share(share, formula);
	is_int(made_group(0), -ENOTSUP, share);
	has(pmu_error_text(), why, "  is refused, and why");
	is_str(group.note, "", "  without a note");
}

static void what_stands_for_no_share_is_refused(void)
{
	be(0x8f, 6, 2, FILES);
	is_refused("BAD_SPECULATION", "s / " SUM, "PERF_METRICS.BAD_SPECULATION is a share");
	is_refused("MEMORY_BOUND", "s / ( x + y + z + z )", "BAD_SPECULATION is a share");
	is_refused("SOMETHING_NEW", "s / " SUM, "PERF_METRICS.SOMETHING_NEW is a share");
	be(0x6a, 6, 2, NULL);
	is_refused("MEMORY_BOUND", "s / " SUM, "is not known for this CPU");
	be(0x55, 4, 2, FILES);
	is_refused("RETIRING", "s / " SUM, "is not known for this CPU");
	/* too large for what the file may have */
	be(0x8f, 6, 2, FILES);
	make_share("FETCH_LATENCY", "s");
	for (size_t len = 1; len + 4 < sizeof(made.formula); len += 4)
		memcpy(made.formula + len, " + s", 5);
	is_int(made_group(0), -ENOTSUP, "a formula that outgrows its room");
	has(pmu_error_text(), "its formula is too long by events of general counters",
	    "  is refused, and why");
	make_share("FETCH_LATENCY", "s");
	made.n_events = PMU_INTEL_METRIC_EVENTS;
	strcpy(made.event[6].alias, "s");
	is_int(made_group(0), -ENOTSUP, "no room for another event");
	has(pmu_error_text(), "more events than could be counted", "  is refused, and why");
}

/* --- names, files, numbers --- */

static void unknown_names_and_files_are_told(void)
{
	be(0x55, 4, 2, FILES);
	is_int(pmu_intel_metric_find(&catalog, "cpu_utilisation", &group), -EINVAL, "a slip");
	has(pmu_error_text(), "did you mean intel:cpu_utilization?", "  gets the nearest");
	is_int(pmu_intel_metric_find(&catalog, "", &group), -EINVAL, "nothing");
	has(pmu_error_text(), "'pmu list groups intel:'", "  is told where they are listed");
	is_int(pmu_group_find("Intel:cpi", &catalog, &group), 0,
	       "groups are asked for as intel:NAME");
	be(0x55, 4, 2, NULL);
	is_int(pmu_intel_metric_find(&catalog, "cpi", &group), -EINVAL, "without event files");
	has(pmu_error_text(), "set PMU_EVENT_FILES", "  is told how to have some");
	is_int(pmu_intel_metric_find(NULL, "cpi", &group), -EINVAL, "without a catalog");
	be(0x55, 4, 2, "/nonexistent/perfmon");
	is_int(pmu_intel_metric_find(&catalog, "cpi", &group), -EINVAL,
	       "a folder that is not there");
	has(pmu_error_text(), "/nonexistent/perfmon", "  is named");
	be(0x2a, 7, 2, FILES);
	is_int(pmu_intel_metric_find(&catalog, "cpi", &group), -EINVAL, "a CPU without metrics");
	has(pmu_error_text(), "GenuineIntel-6-2A", "  is named");
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	if (file) {
		fputs(text, file);
		fclose(file);
	}
}

static int n_shown;

static void count_shown(void *arg, const char *name, const char *about, const char *unit,
			const char *note, const char *why_not)
{
	(void)arg, (void)name, (void)about, (void)unit, (void)note, (void)why_not;
	n_shown++;
}

static void is_damaged(const char *text, const char *why)
{
	char folder[] = "/tmp/pmu-metrics-XXXXXX", path[64];

	if (!mkdtemp(folder))
		return;
	write_file(
		folder, "mapfile.csv",
		"Family-model,Version,Filename,EventType\nGenuineIntel-6-55,V1,/m.json,metrics\n");
	write_file(folder, "m.json", text);
	be(0x55, 4, 2, folder);
	pmu_error_clear();
	n_shown = 0;
	is_int(pmu_intel_metric_find(&catalog, "cpi", &group), -EINVAL, why);
	has(pmu_error_text(), why, "  is what the sentence says");
	is_int(pmu_intel_metric_each(&catalog, count_shown, NULL),
	       strstr(why, "no metric") ? 0 : -EINVAL, "  all of them");
	be(0x55, 4, 2, FILES);
	snprintf(path, sizeof(path), "%s/m.json", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/mapfile.csv", folder);
	unlink(path);
	rmdir(folder);
}

static void damaged_files_are_told_with_their_line(void)
{
	is_damaged("", "m.json");
	is_damaged("[]", "m.json: no file of metrics");
	is_damaged("{}", "no \"Metrics\" in it");
	is_damaged("{\"Metrics\": [\n{\"MetricName\": \"cpi\",\n\"Events\": [", "m.json:3: ");
	is_damaged("{\"Metrics\": [1, [], \"cpi\", {\"MetricName\": 5}, {}]}",
		   "Intel has no metric \"cpi\"");
	is_int(n_shown, 0, "  which shows none");
	is_damaged(
		"{\"Metrics\": [{\"MetricName\": \"x\", \"Formula\": {\"a\": [1]}, \"Events\": {}, \"Constants\": 3}]}",
		"Intel has no metric \"cpi\"");
	is_int(n_shown, 1, "  which shows one");
}

/* A column's name has room for 63 bytes. */
#define LONG_NAME "OFFCORE_RESPONSE.DEMAND_DATA_RD.L3_MISS_REMOTE_HOP1_DRAM.SNOOP_MISS_"

static void two_events_that_are_cut_alike_are_no_group(void)
{
	char folder[] = "/tmp/pmu-metrics-XXXXXX", path[64];

	if (!mkdtemp(folder))
		return;
	write_file(folder, "mapfile.csv",
		   "Family-model,Version,Filename,EventType\nGenuineIntel-6-55,V1,/e.json,core\n");
	write_file(folder, "e.json",
		   "[{\"EventName\": \"" LONG_NAME
		   "A\", \"EventCode\": \"0xd1\", \"UMask\": \"1\", \"Counter\": \"0\"},\n"
		   "{\"EventName\": \"" LONG_NAME
		   "B\", \"EventCode\": \"0xd1\", \"UMask\": \"2\", \"Counter\": \"0\"}]");
	be(0x55, 4, 2, folder);
	make("", "a / b", LONG_NAME "A", LONG_NAME "B");
	is_int(made_group(0), -ENOTSUP, "two long names");
	has(pmu_error_text(), "two of its events are called OFFCORE_RESPONSE.",
	    "  are not taken for one event");
	make("", "a / b", LONG_NAME "A", LONG_NAME "A");
	is_int(made_group(0), 0, "the same one twice is one");
	be(0x55, 4, 2, FILES);
	snprintf(path, sizeof(path), "%s/e.json", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/mapfile.csv", folder);
	unlink(path);
	rmdir(folder);
}

static struct pmu_intel_term constant(const char *name, bool top_down)
{
	static struct pmu_intel_metric metric;
	struct pmu_intel_term term = { .alias = "x" };

	metric.top_down = top_down;
	pmu_intel_constant(&metric, name, &catalog, &term);
	return term;
}

static void numbers_of_the_machine_are_known_or_not(void)
{
	be(0x55, 4, 2, FILES);
	ok(constant("HYPERTHREADING_ON", false).number == 1 &&
		   constant("THREADS_PER_CORE", false).number == 2,
	   "two threads of a core");
	ok(constant("20", false).number == 20, "a number stands for itself");
	ok(constant("SOCKET_COUNT", false).number == 1, "one socket");
	is_str(constant("SYSTEM_TSC_FREQ", false).text, "tsc_hz", "ticks per second");
	is_str(constant("SYSTEM_TSC_FREQ", true).text, "(time * tsc_hz)", "  or ticks of the time");
	ok(constant("CHAS_PER_SOCKET", false).why != NULL, "another machine's boxes are not known");
	catalog.sysfs = DEVICES;
	ok(constant("CHAS_PER_SOCKET", false).number == 12 &&
		   !constant("CHAS_PER_SOCKET", false).why,
	   "  where its kernel shows them they are");
	ok(constant("12x", false).why != NULL && constant("", false).why != NULL,
	   "what nobody knows");
	/* this machine, whatever it is */
	catalog = (struct pmu_catalog){ .threads_per_core = 0 };
	ok(constant("THREADS_PER_CORE", false).why ||
		   constant("THREADS_PER_CORE", false).number >= 1,
	   "this machine's threads of a core: %g", constant("THREADS_PER_CORE", false).number);
	ok(constant("CORES_PER_SOCKET", false).why ||
		   constant("CORES_PER_SOCKET", false).number >= 1,
	   "this machine's cores: %g", constant("CORES_PER_SOCKET", false).number);
}

/* --- whole files --- */

struct total {
	unsigned int groups, others, unsaid;
};

static void look_at_one(void *arg, const char *name, const char *about, const char *unit,
			const char *note, const char *why_not)
{
	struct total *total = arg;

	(void)about, (void)unit, (void)note;
	if (why_not[0])
		total->others++;
	else
		total->groups++;
	/* what is shown as a group is one */
	if ((pmu_intel_metric_find(&catalog, name, &group) == 0) == (why_not[0] != '\0'))
		total->unsaid++;
}

static void every_metric_is_a_group_or_has_a_reason(const char *files, uint32_t model,
						    uint32_t stepping, unsigned int at_least,
						    unsigned int all)
{
	struct total total = { 0 };

	be(model, stepping, 2, files);
	if (!ok(!pmu_intel_metric_each(&catalog, look_at_one, &total), "all metrics of model %XH",
		model))
		diag("%s", pmu_error_text());
	ok(total.groups >= at_least && total.groups + total.others >= all,
	   "  %u are groups, %u have a reason", total.groups, total.others);
	is_int(total.unsaid, 0, "  and finding them says the same");
}

static void whole_files(void)
{
	const char *files = getenv("TEST_PERFMON");

	if (!files) {
		skip("whole files of intel/perfmon", "TEST_PERFMON names no checkout of it");
		return;
	}
	every_metric_is_a_group_or_has_a_reason(files, 0x55, 4, 200, 260);
	every_metric_is_a_group_or_has_a_reason(files, 0x8f, 6, 230, 308);
}

UNIT_PART(intel_metric)
{
	a_ratio_has_its_two_events();
	time_and_the_time_stamp_counter_are_ours();
	hyper_threading_decides_which_events_are_needed();
	modifiers_are_written_our_way();
	counts_of_a_socket_are_one_sockets();
	what_cannot_be_counted_is_refused();
	long_names_are_cut_where_they_show();
	rates_have_time_in_them();
	one_event_by_two_names_is_one_column();
	metrics_of_one_kind_of_core_count_there();
	shares_are_counted_by_general_counters();
	what_stands_for_no_share_is_refused();
	unknown_names_and_files_are_told();
	damaged_files_are_told_with_their_line();
	two_events_that_are_cut_alike_are_no_group();
	numbers_of_the_machine_are_known_or_not();
	every_metric_is_a_group_or_has_a_reason(FILES, 0x55, 4, 14, 26);
	every_metric_is_a_group_or_has_a_reason(FILES, 0x8f, 6, 2, 7);
	whole_files();
	pmu_catalog_close(&catalog);
	return done_testing();
}
