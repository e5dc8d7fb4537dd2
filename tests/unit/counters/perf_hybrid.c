/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hybrid processors through perf_event: a recorded one's kinds of core, and groups on each of them.
 */
#include "counters/perf/hybrid.h"

#include "base/error.h"
#include "counters/perf/perf.h"
#include "plan/catalog.h"
#include "plan/group.h"
#include "pmu.h"
#include "tests/unit/counters/perf_fake.h"
#include "unit/part.h"

#define TREES           TEST_SRCDIR "/tests/data/sysfs/"
#define P_TYPE          4u
#define E_TYPE          10u
#define P_CPU           3
#define E_CPU           17
#define ON(type, event) ((uint64_t)(type) << 32 | PERF_COUNT_HW_##event)

static const struct pmu_backend *const perf = &pmu_backend_perf;

static struct pmu_plan plan_of(const char *events)
{
	struct pmu_catalog catalog = { .sysfs = TREES "hybrid" };
	struct pmu_plan plan = { 0 };
	struct pmu_group group;

	if (pmu_group_from_events(events, &catalog, &group)) {
		ok(false, "%s: %s", events, pmu_error_text());
		return plan;
	}
	pmu_group_plan(&group, &plan);
	return plan;
}

/* --- what there is --- */

static void finds_the_kinds_of_core(void)
{
	struct pmu_perf_hybrid hybrid;

	pmu_perf_hybrid_find(TREES "hybrid", &hybrid);
	is_int((int)hybrid.n, 2, "two kinds");
	ok(hybrid.kind[0].type == P_TYPE && hybrid.kind[0].core_type == PMU_SLOT_P,
	   "  P, whose type is that of raw events");
	ok(hybrid.kind[1].type == E_TYPE && hybrid.kind[1].core_type == PMU_SLOT_E, "  E");
	is_int(pmu_perf_hybrid_kind(&hybrid, 0), 0, "  the first processor");
	is_int(pmu_perf_hybrid_kind(&hybrid, 15), 0, "  the last P");
	is_int(pmu_perf_hybrid_kind(&hybrid, 16), 1, "  the first E");
	is_int(pmu_perf_hybrid_kind(&hybrid, 24), -1, "  one that there is not");
	is_int(pmu_perf_hybrid_kind(&hybrid, -1), -1, "  no number");
	pmu_perf_hybrid_find(TREES "skylake-server", &hybrid);
	is_int((int)hybrid.n, 0, "all cores alike");
	is_int(pmu_perf_hybrid_kind(&hybrid, 0), -1, "  are of no kind");
	pmu_perf_hybrid_find("/nowhere", &hybrid);
	is_int((int)hybrid.n, 0, "no folder at all");
}

#if defined(__aarch64__)

/* Four of them, in the order of their types. */
static void finds_those_of_arm64(void)
{
	struct pmu_perf_hybrid hybrid;

	pmu_perf_hybrid_find(TREES "arm64", &hybrid);
	is_int((int)hybrid.n, 4, "arm64: four kinds");
	ok(hybrid.kind[0].type == 7 && hybrid.kind[1].type == 8, "  Cortex-A53 and A72 first");
	is_int(pmu_perf_hybrid_kind(&hybrid, 3), 0, "  the last A53");
	is_int(pmu_perf_hybrid_kind(&hybrid, 4), 1, "  the first A72");
}

#else

static void finds_those_of_arm64(void)
{
	skip("kinds of core of arm64", "they are looked for there");
}

#endif

static void arm64_has_a_pmu_for_each_kind(void)
{
	struct pmu_perf_hybrid hybrid = {
		.n = 2,
		.kind = { { .type = 7, .core_type = PMU_PERF_OTHER },
			  { .type = 8, .core_type = PMU_PERF_OTHER } },
	};
	struct pmu_plan plan = { .n_slots = 4 }, a53, a72;

	plan.slot[0] = (struct pmu_slot){ .type = PERF_TYPE_HARDWARE };
	plan.slot[1] = (struct pmu_slot){ .type = PERF_TYPE_RAW, .config = 0x1a };
	plan.slot[2] = (struct pmu_slot){ .type = 8, .config = 0x11, .pmu = "armv8_cortex_a72" };
	plan.slot[3] = (struct pmu_slot){ .kind = PMU_SLOT_SOFTWARE, .type = PERF_TYPE_SOFTWARE };
	is_int((int)pmu_perf_hybrid_cores(&hybrid, &plan), 0x7, "arm64: what cores count");
	pmu_perf_hybrid_plan(&hybrid, 0, true, &plan, &a53);
	pmu_perf_hybrid_plan(&hybrid, 1, false, &plan, &a72);
	is_int((int)a53.absent, 0x4, "  A53: without what A72 alone counts");
	is_int((int)a72.absent, 0x8, "  A72: without the rest");
	is_u64(a53.slot[0].config, ON(7, CPU_CYCLES), "  generic: A53");
	is_u64(a72.slot[0].config, ON(8, CPU_CYCLES), "    and A72");
	ok(a53.slot[1].type == 7 && a72.slot[1].type == 8, "  a code: each kind's");
	ok(a72.slot[2].type == 8 && a72.slot[2].config == 0x11, "  by its name as it is");
}

static void directs_events_to_a_kind(void)
{
	struct pmu_plan
		plan = plan_of(
			"instructions,LLC-loads,r10e,page-faults,msr/tsc/,cpu_atom/event=0x3c/,"
			"cpu_core/event=0xc0/,cpu_atom/cycles/"),
		p, e;
	struct pmu_perf_hybrid hybrid;

	pmu_perf_hybrid_find(TREES "hybrid", &hybrid);
	is_int((int)pmu_perf_hybrid_cores(&hybrid, &plan), 0xe7, "what cores count");
	pmu_perf_hybrid_plan(&hybrid, 0, true, &plan, &p);
	pmu_perf_hybrid_plan(&hybrid, 1, false, &plan, &e);
	is_int((int)p.absent, 0xa0, "P: without what E cores alone count");
	is_int((int)e.absent, 0x58, "E: without what P cores alone count, and without the rest");
	is_u64(p.slot[0].config, ON(P_TYPE, INSTRUCTIONS), "generic: P");
	is_u64(e.slot[0].config, ON(E_TYPE, INSTRUCTIONS), "  and E");
	ok(p.slot[0].type == PERF_TYPE_HARDWARE && e.slot[0].type == PERF_TYPE_HARDWARE,
	   "  of the same type");
	is_u64(e.slot[1].config, (uint64_t)E_TYPE << 32 | PERF_COUNT_HW_CACHE_LL,
	       "caches likewise");
	ok(p.slot[2].type == P_TYPE && e.slot[2].type == E_TYPE, "raw: the kind's own type");
	ok(p.slot[2].config == 0x10e && e.slot[2].config == 0x10e, "  and the code as it is");
	ok(p.slot[3].type == PERF_TYPE_SOFTWARE && p.slot[3].config == PERF_COUNT_SW_PAGE_FAULTS,
	   "software as it is");
	ok(p.slot[4].type == plan.slot[4].type && p.slot[4].config == plan.slot[4].config,
	   "other PMUs as they are");
	ok(e.slot[5].type == E_TYPE && e.slot[5].config == 0x3c, "an E core's event");
	ok(p.slot[6].type == P_TYPE && p.slot[6].config == 0xc0, "a P core's");
	is_u64(e.slot[7].config, ON(E_TYPE, CPU_CYCLES), "a generic one on E alone");
}

/* Linux, tools/perf/pmu-events/arch/x86/alderlake: UOPS_ISSUED.ANY of either kind of cores. */
static void a_name_of_both_kinds_has_two_codes(void)
{
	struct pmu_plan plan = plan_of("r1ae"), p, e;
	struct pmu_slot of_e = { .config = 0x0e, .config1 = 7 };
	struct pmu_perf_hybrid hybrid;

	pmu_slot_set_e_code(&plan.slot[0], &of_e);
	pmu_perf_hybrid_find(TREES "hybrid", &hybrid);
	pmu_perf_hybrid_plan(&hybrid, 0, true, &plan, &p);
	pmu_perf_hybrid_plan(&hybrid, 1, false, &plan, &e);
	ok(!p.absent && p.slot[0].type == P_TYPE && p.slot[0].config == 0x1ae, "the P cores'");
	ok(!e.absent && e.slot[0].type == E_TYPE && e.slot[0].config == 0x0e &&
		   e.slot[0].config1 == 7,
	   "the E cores', in the same column");
}

/* --- threads --- */

static struct pmu_perf_thread thread;
static struct pmu_attachment got;
static pmu_read_fn *read_it;

static void *open_on(const char *devices, struct pmu_plan *plan)
{
	void *state = NULL;

	fake_forget();
	fake_system.devices = devices;
	is_int(perf->open(&state, plan), 0, "  opened");
	fake_forget();
	return state;
}

static void attach(void *state, int cpu)
{
	fake_forget();
	is_int(perf->attach(state, &thread, cpu, &read_it, &got), 0, "  attached");
}

static void close_all(void *state)
{
	perf->detach(state, &thread);
	perf->close(state);
	is_int(fake_descriptors(), 0, "  nothing stays open");
}

static void an_unpinned_thread_has_a_group_for_each_kind(void)
{
	struct pmu_plan plan = plan_of("instructions,cycles,page-faults,cpu_core/event=0xc4/");
	void *state = open_on(TREES "hybrid", &plan);
	unsigned int wrong = 0;

	attach(state, -1);
	is_int((int)fake_n, 6, "three events on P, two on E, and what is of no kind");
	is_int((int)got.missing, 0, "  none is missing");
	is_u64(fake_event[0].attr.config, ON(P_TYPE, INSTRUCTIONS), "  P leads with instructions");
	ok(fake_event[1].leader == fake_event[0].id && fake_event[2].leader == fake_event[0].id,
	   "  a group");
	is_u64(fake_event[3].attr.config, ON(E_TYPE, INSTRUCTIONS), "  E likewise");
	ok(fake_event[3].leader == fake_event[3].id && fake_event[4].leader == fake_event[3].id,
	   "  of its own");
	ok(fake_event[5].leader == fake_event[5].id &&
		   fake_event[5].attr.type == PERF_TYPE_SOFTWARE,
	   "  page faults in none of the two: they would stand still on the other kind");
	for (unsigned int i = 0; i < fake_n; i++) {
		const struct fake_event *event = &fake_event[i];
		bool leader = event->leader == event->id;

		wrong += event->pid != 0 || event->cpu != -1 || event->attr.pinned != leader ||
			 !event->attr.exclude_kernel || !event->attr.exclude_hv ||
			 (leader && !event->enabled);
	}
	is_int((int)wrong, 0, "  all of the thread, wherever it runs, at user level, pinned");
	close_all(state);
}

static void a_thread_is_the_sum_of_its_kinds(void)
{
	struct pmu_plan plan = plan_of("instructions,cycles,page-faults,cpu_core/event=0xc4/");
	void *state = open_on(TREES "hybrid", &plan);
	uint64_t value[PMU_MAX_SLOTS] = { 0 };

	attach(state, -1);
	fake_give(&fake_event[0], 1000000, 1000000, (uint64_t[]){ 1000, 2000, 30 });
	fake_give(&fake_event[3], 1000000, 0, (uint64_t[]){ 0, 0 });
	fake_give(&fake_event[5], 1000000, 1000000, (uint64_t[]){ 7 });
	is_int((int)read_it(&thread, value), 0, "on P so far");
	ok(value[0] == 1000 && value[1] == 2000 && value[2] == 7 && value[3] == 30,
	   "  P's counts, and the rest");
	is_int((int)thread.user.reader.source.core_types, PMU_SLOT_P, "  it has been on P");
	fake_give(&fake_event[0], 3000000, 1000000, (uint64_t[]){ 1000, 2000, 30 });
	fake_give(&fake_event[3], 3000000, 2000000, (uint64_t[]){ 500, 900 });
	fake_give(&fake_event[5], 3000000, 3000000, (uint64_t[]){ 8 });
	is_int((int)read_it(&thread, value), 0, "then on E");
	ok(value[0] == 1500 && value[1] == 2900 && value[2] == 8, "  the sum of the two");
	is_u64(value[3], 30, "  what P cores alone count stays as it was");
	is_int((int)thread.user.reader.source.core_types, PMU_SLOT_P | PMU_SLOT_E,
	       "  it has been on both");
	close_all(state);
}

static void time_on_a_core_of_no_kind_is_a_hole(void)
{
	struct pmu_plan plan = plan_of("instructions,cycles");
	void *state = open_on(TREES "hybrid", &plan);
	uint64_t value[PMU_MAX_SLOTS] = { 0 };

	attach(state, -1);
	fake_give(&fake_event[0], 1000000000, 600000000, (uint64_t[]){ 1, 1 });
	fake_give(&fake_event[2], 1000000000, 399990000, (uint64_t[]){ 1, 1 });
	is_int((int)read_it(&thread, value), 0, "ten microseconds of a second");
	fake_give(&fake_event[0], 2000000000, 1000000000, (uint64_t[]){ 1, 1 });
	fake_give(&fake_event[2], 2000000000, 900000000, (uint64_t[]){ 1, 1 });
	is_int((int)read_it(&thread, value), 3, "a tenth of a second");
	is_int((int)thread.user.reader.source.lost, PMU_SOURCE_TAKEN, "  is a hole");
	is_int((int)read_it(&thread, value), 3, "  for good");
	close_all(state);
}

static void one_kind_alone_may_stand_still(void)
{
	struct pmu_plan plan = plan_of("cpu_atom/cycles/");
	void *state = open_on(TREES "hybrid", &plan);
	uint64_t value[PMU_MAX_SLOTS] = { 0 };

	attach(state, -1);
	is_int((int)fake_n, 1, "an event of E cores");
	fake_give(&fake_event[0], 2000000000, 0, (uint64_t[]){ 0 });
	is_int((int)read_it(&thread, value), 0, "  a thread that was on P all the time");
	is_u64(value[0], 0, "  has none of it");
	close_all(state);
}

static void counters_that_are_taken_end_the_counts(void)
{
	struct pmu_plan plan = plan_of("instructions,page-faults");
	void *state = open_on(TREES "hybrid", &plan);
	uint64_t value[PMU_MAX_SLOTS] = { 0 };

	attach(state, -1);
	fake_give(&fake_event[0], 10, 10, (uint64_t[]){ 1 });
	close(fake_event[1].end);
	fake_event[1].end = -1;
	is_int((int)read_it(&thread, value), 3, "the E cores' group has no counters any more");
	is_int((int)thread.user.reader.source.lost, PMU_SOURCE_TAKEN, "  which is remembered");
	close_all(state);
}

static void a_pinned_thread_has_its_cores_group(void)
{
	struct pmu_plan plan = plan_of("instructions,page-faults,cpu_core/event=0xc4/");
	void *state = open_on(TREES "hybrid", &plan);
	uint64_t value[PMU_MAX_SLOTS] = { 0 };

	attach(state, E_CPU);
	is_int((int)fake_n, 2, "on E: what E cores count, and the rest");
	is_u64(fake_event[0].attr.config, ON(E_TYPE, INSTRUCTIONS), "  by their PMU");
	ok(fake_event[1].leader == fake_event[0].id, "  in one group");
	is_int((int)got.missing, 4, "  P's own event is missing");
	is_int((int)thread.user.reader.source.core_types, PMU_SLOT_E, "  it is on E");
	fake_give(&fake_event[0], 10, 10, (uint64_t[]){ 5, 6 });
	is_int((int)read_it(&thread, value), 4, "  in each read");
	ok(value[0] == 5 && value[1] == 6, "  the others are there");
	perf->detach(state, &thread);
	attach(state, P_CPU);
	is_int((int)fake_n, 3, "on P: all of it");
	is_u64(fake_event[0].attr.config, ON(P_TYPE, INSTRUCTIONS), "  by their PMU");
	is_int((int)got.missing, 0, "  nothing is missing");
	is_int((int)thread.user.reader.source.core_types, PMU_SLOT_P, "  it is on P");
	close_all(state);
}

static void cpus_are_counted_by_their_kind(void)
{
	static const int cpus[] = { P_CPU, E_CPU };
	struct pmu_plan plan = plan_of("instructions,cpu_core/event=0xc4/");
	void *state = NULL;

	plan.scope = PMU_COUNT_CPU;
	plan.cpu = cpus;
	plan.n_cpus = 2;
	fake_forget();
	fake_system.devices = TREES "hybrid";
	is_int(perf->open(&state, &plan), 0, "a P and an E core");
	is_int((int)fake_n, 3, "  two events and one");
	ok(fake_event[0].cpu == P_CPU && fake_event[0].attr.config == ON(P_TYPE, INSTRUCTIONS),
	   "  P's");
	ok(fake_event[2].cpu == E_CPU && fake_event[2].attr.config == ON(E_TYPE, INSTRUCTIONS),
	   "  E's");
	is_int(perf->attach(state, &thread, E_CPU, &read_it, &got), 0, "  a thread on E");
	is_int((int)got.missing, 2, "  lacks P's event");
	is_int((int)thread.user.reader.source.core_types, PMU_SLOT_E, "  and is marked");
	perf->detach(state, &thread);
	perf->close(state);
	is_int(fake_descriptors(), 0, "  nothing stays open");
}

static void software_alone_needs_no_kinds(void)
{
	struct pmu_plan plan = plan_of("page-faults,task-clock");
	void *state = open_on(TREES "hybrid", &plan);

	attach(state, -1);
	is_int((int)fake_n, 2, "what the kernel counts in software");
	ok(fake_event[1].leader == fake_event[0].id, "  is one group on any processor");
	is_int((int)thread.user.reader.source.core_types, 0, "  and says nothing of cores");
	close_all(state);
}

static void alike_cores_are_as_ever(void)
{
	struct pmu_plan plan = plan_of("instructions,cycles");
	void *state = open_on(TREES "skylake-server", &plan);

	attach(state, -1);
	is_int((int)fake_n, 2, "all cores alike: one group");
	is_u64(fake_event[0].attr.config, PERF_COUNT_HW_INSTRUCTIONS, "  of no PMU in particular");
	close_all(state);
}

static void what_has_no_levels_excludes_none(void)
{
	struct pmu_plan plan = plan_of("msr/tsc/,instructions");
	void *state = open_on(TREES "skylake-server", &plan);

	attach(state, -1);
	ok(!fake_event[0].attr.exclude_user && !fake_event[0].attr.exclude_kernel &&
		   !fake_event[0].attr.exclude_hv,
	   "a PMU without levels");
	ok(fake_event[1].attr.exclude_kernel && fake_event[1].attr.exclude_hv,
	   "  beside one that has them");
	close_all(state);
}

/* --- by hand --- */

static void counters_by_hand_are_the_sum_of_all_kinds(void)
{
	struct pmu_counters *counters = NULL;
	uint64_t value[2];
	uint32_t missing;

	fake_forget();
	fake_system.devices = TREES "hybrid";
	is_int(pmu_counters_open("instructions,cycles", PMU_SCOPE_THREAD, &counters), 0,
	       "counters by hand");
	/* tried on both kinds first */
	is_int((int)fake_n, 8, "  a group for each kind");
	ok(!fake_event[4].enabled && !fake_event[6].enabled, "  that do not count yet");
	is_int(pmu_counters_start(counters), 0, "  started");
	ok(fake_event[4].enabled && fake_event[6].enabled, "  both");
	is_int(pmu_counters_read(counters, value, 2, &missing), 2, "  read");
	fake_give(&fake_event[4], 5000, 2000, (uint64_t[]){ 1, 10 });
	fake_give(&fake_event[6], 5000, 3000, (uint64_t[]){ 2, 20 });
	is_int(pmu_counters_read(counters, value, 2, &missing), 2, "  and again");
	is_int((int)missing, 0, "  nothing is missing");
	ok(value[0] == 3 && value[1] == 30, "  the sum of the two");
	fake_give(&fake_event[4], 1000000000, 2000, (uint64_t[]){ 1, 10 });
	fake_give(&fake_event[6], 1000000000, 3000, (uint64_t[]){ 2, 20 });
	pmu_counters_read(counters, value, 2, &missing);
	is_int((int)missing, 3, "  time on a core of no kind: missing");
	pmu_counters_close(counters);
	is_int(fake_descriptors(), 0, "  nothing stays open");
}

/* --- refusals --- */

static int no_cycles_on_e(const struct fake_event *event, unsigned int place)
{
	(void)place;
	return event->attr.config == ON(E_TYPE, CPU_CYCLES) ? -ENOENT : 0;
}

static int two_on_e(const struct fake_event *event, unsigned int place)
{
	return event->attr.config >> 32 == E_TYPE && place == 2 ? -EINVAL : 0;
}

static int nothing_on_e(const struct fake_event *event, unsigned int place)
{
	(void)place;
	return event->attr.config >> 32 == E_TYPE || event->attr.type == E_TYPE ? -ENOENT : 0;
}

static void probes_all_kinds(void)
{
	struct pmu_plan plan = plan_of("instructions,cycles,branches");
	struct pmu_probe probe;

	fake_forget();
	fake_system.devices = TREES "hybrid";
	is_int(perf->probe(&plan, &probe), 0, "both kinds count it");
	is_int((int)fake_n, 6, "  as was tried");
	fake_refuse = no_cycles_on_e;
	is_int(perf->probe(&plan, &probe), -ENOENT, "one event is missing on E");
	ok(!probe.error[0] && probe.error[1] == -ENOENT && !probe.error[2],
	   "  that one is refused: half of it is no count");
	fake_refuse = two_on_e;
	is_int(perf->probe(&plan, &probe), -ENOSPC, "two counters on E");
	ok(!probe.error[0] && !probe.error[1] && probe.error[2] == -ENOSPC, "  the third has none");
	plan = plan_of("cpu_core/cycles/,cpu_core/event=0xc0/");
	fake_refuse = nothing_on_e;
	is_int(perf->probe(&plan, &probe), 0, "events of P cores need no E");
	is_int(fake_descriptors(), 0, "a probe leaves nothing open");
}

UNIT_PART(perf_hybrid)
{
	fake_system.cpus = "/nowhere";
	pmu_perf_system = &fake_system;
	finds_the_kinds_of_core();
	finds_those_of_arm64();
	arm64_has_a_pmu_for_each_kind();
	directs_events_to_a_kind();
	a_name_of_both_kinds_has_two_codes();
	an_unpinned_thread_has_a_group_for_each_kind();
	a_thread_is_the_sum_of_its_kinds();
	time_on_a_core_of_no_kind_is_a_hole();
	one_kind_alone_may_stand_still();
	counters_that_are_taken_end_the_counts();
	a_pinned_thread_has_its_cores_group();
	cpus_are_counted_by_their_kind();
	software_alone_needs_no_kinds();
	alike_cores_are_as_ever();
	what_has_no_levels_excludes_none();
	counters_by_hand_are_the_sum_of_all_kinds();
	probes_all_kinds();
	fake_forget();
	return done_testing();
}
