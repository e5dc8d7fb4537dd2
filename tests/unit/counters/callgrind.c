/* SPDX-License-Identifier: BSD-3-Clause */
/* What callgrind says, and what a slot is made of from it. */
#include <errno.h>
#include <linux/perf_event.h>

#include "counters/backend.h"
#include "counters/valgrind/text.h"
#include "counters/valgrind/valgrind.h"
#include "plan/simulated.h"
#include "unit/part.h"

#define BIT(event) (1u << PMU_CALLGRIND_##event)

/* --- lines --- */

static void columns_are_found_by_name(void)
{
	struct pmu_callgrind_columns columns;

	ok(pmu_callgrind_line_columns(
		   "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim\n", &columns),
	   "all of them");
	is_int(columns.n, 13, "thirteen");
	is_u64(columns.known, (1u << PMU_CALLGRIND_EVENTS) - 1, "each is known");
	is_int(columns.event[9], PMU_CALLGRIND_BC, "Bc is the tenth");
	ok(pmu_callgrind_line_columns("events: Ir sysCount Bc\n", &columns),
	   "with one that is none of ours");
	is_int(columns.event[1], -1, "it has no number");
	is_u64(columns.known, BIT(IR) | BIT(BC), "and is not known");
	ok(!pmu_callgrind_line_columns("events:\n", &columns), "none at all");
	ok(!pmu_callgrind_line_columns("events-1: 1 2\n", &columns), "counts are no names");
	ok(!pmu_callgrind_line_columns(
		   "events: a b c d e f g h i j k l m n o p q r s t u v w x y z A B C D E F G\n",
		   &columns),
	   "too many");
}

static void counts_stand_in_the_order_of_the_columns(void)
{
	struct pmu_callgrind_columns columns;
	struct pmu_callgrind_answer answer = { .thread = 12 };

	pmu_callgrind_line_columns("events: Ir other Dr Bc\n", &columns);
	ok(pmu_callgrind_line_counts("events-12: 1000 7 340 55\n", &columns, &answer),
	   "a thread's");
	is_u64(answer.count[PMU_CALLGRIND_IR], 1000, "Ir");
	is_u64(answer.count[PMU_CALLGRIND_DR], 340, "Dr");
	is_u64(answer.count[PMU_CALLGRIND_BC], 55, "Bc");
	is_u64(answer.count[PMU_CALLGRIND_DW], 0, "Dw is not there");
	ok(pmu_callgrind_line_counts("events-12: 2000 7\n", &columns, &answer),
	   "with zeros at the end left out");
	is_u64(answer.count[PMU_CALLGRIND_IR], 2000, "Ir");
	is_u64(answer.count[PMU_CALLGRIND_BC], 0, "Bc is 0");
	ok(pmu_callgrind_line_counts("events-12: 18446744073709551615\n", &columns, &answer),
	   "the most there is");
	is_u64(answer.count[PMU_CALLGRIND_IR], UINT64_MAX, "all of it");
}

static void other_lines_change_nothing(void)
{
	static const char *const others[] = {
		"events-1: 1 2 3\n",      /* another thread's */
		"events-123: 1 2 3\n",    /* neither */
		"events-12-0: 1 2 3\n",   /* a function's */
		"events-12: 1 2 3 4 5\n", /* more than there are */
		"events-12: 1 x\n",
		"events-12: 18446744073709551616\n",
		"events-12 1\n",
		"frames-12: 3\n",
		"",
		"==4711== events-12: 1\n",
	};
	struct pmu_callgrind_columns columns;
	struct pmu_callgrind_answer answer = { .thread = 12, .count = { [PMU_CALLGRIND_IR] = 77 } };

	pmu_callgrind_line_columns("events: Ir Dr Dw Bc\n", &columns);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		ok(!pmu_callgrind_line_counts(others[i], &columns, &answer), "line %zu is none", i);
		is_u64(answer.count[PMU_CALLGRIND_IR], 77, "it is as before");
	}
}

static void a_dump_has_a_number(void)
{
	uint64_t part = 7;

	ok(pmu_callgrind_line_part("part: 2\n", &part), "the second");
	is_u64(part, 2, "it is told");
	ok(!pmu_callgrind_line_part("part: 2 3\n", &part), "two");
	ok(!pmu_callgrind_line_part("part: \n", &part), "none");
	ok(!pmu_callgrind_line_part("parts: 3\n", &part), "another line");
	is_u64(part, 2, "it is as before");
}

static void a_thread_has_a_number(void)
{
	is_int(pmu_callgrind_line_thread("current-tid: 3\n"), 3, "the third");
	is_int(pmu_callgrind_line_thread("current-tid: 0\n"), 0, "none");
	is_int(pmu_callgrind_line_thread("current-tid: 3 4\n"), 0, "two");
	is_int(pmu_callgrind_line_thread("current-tid: 99999999999999999999\n"), 0,
	       "no number that fits");
	is_int(pmu_callgrind_line_thread("threads: 1 2 3\n"), 0, "another line");
}

static void a_path_has_the_process(void)
{
	char path[32];

	ok(pmu_callgrind_log_path("/run/log.%p", 4711, path, sizeof(path)), "with a number");
	is_str(path, "/run/log.4711", "it is put in");
	ok(pmu_callgrind_log_path("/a%%b", 1, path, sizeof(path)), "with a percent sign");
	is_str(path, "/a%b", "there is one");
	ok(!pmu_callgrind_log_path("/a%q", 1, path, sizeof(path)),
	   "what valgrind would take from elsewhere");
	ok(!pmu_callgrind_log_path("/a%", 1, path, sizeof(path)), "a percent sign at the end");
	ok(!pmu_callgrind_log_path("", 1, path, sizeof(path)), "nothing");
	ok(!pmu_callgrind_log_path("/0123456789/0123456789/012345678", 1, path, sizeof(path)),
	   "one byte too long");
	ok(pmu_callgrind_log_path("/0123456789/0123456789/01234567", 1, path, sizeof(path)),
	   "the longest");
}

/* --- slots --- */

static struct pmu_slot generic(uint64_t config)
{
	return (struct pmu_slot){
		.kind = PMU_SLOT_CORE, .type = PERF_TYPE_HARDWARE, .config = config, .user = true
	};
}

static void slots_are_sums(void)
{
	struct pmu_slot slot = generic(PERF_COUNT_HW_BRANCH_MISSES);

	is_u64(pmu_callgrind_sum(&slot), BIT(BCM) | BIT(BIM), "branch-misses");
	slot.kernel = true;
	is_u64(pmu_callgrind_sum(&slot), 0, "not with the kernel");
	slot = generic(PERF_COUNT_HW_CACHE_REFERENCES);
	is_u64(pmu_callgrind_sum(&slot), BIT(I1MR) | BIT(D1MR) | BIT(D1MW), "cache-references");
	slot.core_types = PMU_SLOT_P;
	is_u64(pmu_callgrind_sum(&slot), 0, "not of one kind of core");
	slot = generic(PERF_COUNT_HW_CPU_CYCLES);
	is_u64(pmu_callgrind_sum(&slot), 0, "no cycles");
	slot = (struct pmu_slot){ .kind = PMU_SLOT_SOFTWARE,
				  .type = PERF_TYPE_SOFTWARE,
				  .user = true };
	is_u64(pmu_callgrind_sum(&slot), 0, "nothing of the kernel's");
	slot = (struct pmu_slot){
		.kind = PMU_SLOT_CORE, .type = PERF_TYPE_RAW, .config = 1, .user = true
	};
	is_u64(pmu_callgrind_sum(&slot), 0, "no codes");
}

static void events_of_its_own_have_names(void)
{
	struct pmu_event event;

	is_int(pmu_event_parse("indirect-branch-misses", NULL, &event), 0, "is parsed");
	is_int(event.slot.kind, PMU_SLOT_SIMULATED, "simulated");
	is_u64(pmu_callgrind_sum(&event.slot), BIT(BIM), "Bim");
	ok(pmu_event_parse("indirect-branches:k", NULL, &event) < 0, "without levels");
}

/* --- elsewhere --- */

static void elsewhere_it_refuses(void)
{
	struct pmu_plan plan = { .n_slots = 1, .slot = { generic(PERF_COUNT_HW_INSTRUCTIONS) } };
	struct pmu_probe probe;

	is_int(pmu_backend_valgrind.probe(&plan, &probe), -ENOSYS, "a processor is no valgrind");
	ok(probe.why[0] && probe.mend[0], "it says why, and what to do");
	is_int(pmu_valgrind_refuse(&plan, &probe), 0, "and nothing against other sources");
}

/* --- what a report calls it --- */

static void columns_are_called_what_they_are(void)
{
	struct pmu_group group;

	is_int(pmu_group_find("CORE", NULL, &group), 0, "a group");
	pmu_group_simulated(&group, 1u << 1 | 1u << 6);
	is_str(group.event[0].name, "instructions", "instructions are instructions");
	is_str(group.event[2].name, "conditional and indirect branches", "branches are those");
	is_str(group.metric[2].formula,
	       "100 * \"conditional and indirect branch-misses\" / \"conditional and indirect branches\"",
	       "the formulas speak of them");
	is_int(group.n_metrics, 5, "and no metric comes with that");
	ok(pmu_group_estimate_cycles(&group, 1u << 1 | 1u << 6), "but where it is asked for");
	is_str(group.metric[group.n_metrics - 1].name, "estimated cycles", "cycles are estimated");
	is_str(group.metric[group.n_metrics - 1].formula,
	       "\"instructions\" + 10 * \"conditional and indirect branch-misses\" + 10 * \"cache-references\" + 100 * "
	       "\"cache-misses\"",
	       "by KCachegrind's formula");
	is_int(group.n_metrics, 6, "once");
	ok(!pmu_group_estimate_cycles(&group, 1u << 1 | 1u << 6), "and not again");
	is_int(group.n_metrics, 6, "as it is there");
}

static void nothing_is_estimated_from_half_of_it(void)
{
	struct pmu_group group;
	unsigned int n;

	is_int(pmu_group_from_events("instructions,branches,cache-misses", NULL, &group), 0,
	       "a list");
	n = group.n_metrics;
	ok(!pmu_group_estimate_cycles(&group, 0), "not estimated");
	is_int(group.n_metrics, n, "no metric more");
}

UNIT_PART(callgrind)
{
	columns_are_found_by_name();
	counts_stand_in_the_order_of_the_columns();
	other_lines_change_nothing();
	a_dump_has_a_number();
	a_thread_has_a_number();
	a_path_has_the_process();
	slots_are_sums();
	events_of_its_own_have_names();
	elsewhere_it_refuses();
	columns_are_called_what_they_are();
	nothing_is_estimated_from_half_of_it();
	return done_testing();
}
