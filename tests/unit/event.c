/* SPDX-License-Identifier: BSD-3-Clause */
/* Events as people write them. */
#include "group/event.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/error.h"
#include "tests/tap.h"

static struct pmu_event event;

static void is_event(const char *text, uint32_t type, uint64_t config, const char *label)
{
	is_int(pmu_event_parse(text, &event), 0, text);
	is_int(event.slot.type, type, "  its type");
	is_u64(event.slot.config, config, "  its code");
	is_str(event.name, label, "  its label");
}

static void is_refused(const char *text, const char *words)
{
	is_int(pmu_event_parse(text, &event), -EINVAL, text);
	has(pmu_error_text(), words, "  and says so");
}

static void knows_generic_names(void)
{
	is_event("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
		 "instructions");
	is_int(event.slot.kind, PMU_SLOT_CORE, "  is counted by the core");
	ok(event.slot.user && !event.slot.kernel, "  at user level");
	is_str(event.unit, "", "  without a unit");
	is_event("branch-instructions", PERF_TYPE_HARDWARE,
		 PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches");
	is_event("cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles");
	is_event("reference-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES,
		 "ref-cycles");
	is_event("stalled-cycles-backend", PERF_TYPE_HARDWARE,
		 PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "stalled-cycles-backend");
}

/* numbers by perf_event_open(2): cache | operation << 8 | result << 16 */
static void knows_cache_names(void)
{
	is_event("L1-dcache-loads", PERF_TYPE_HW_CACHE, 0x000000, "L1-dcache-loads");
	is_event("L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x010000,
		 "L1-dcache-load-misses");
	is_event("LLC-stores", PERF_TYPE_HW_CACHE, 0x000102, "LLC-stores");
	is_event("dTLB-prefetch-misses", PERF_TYPE_HW_CACHE, 0x010203,
		 "dTLB-prefetch-misses");
	is_event("iTLB-load-misses", PERF_TYPE_HW_CACHE, 0x010004, "iTLB-load-misses");
	is_event("node-store-misses", PERF_TYPE_HW_CACHE, 0x010106, "node-store-misses");
}

static void knows_software_names(void)
{
	is_event("task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
		 "task-clock");
	is_str(event.unit, "ns", "  in nanoseconds");
	is_int(event.slot.kind, PMU_SLOT_SOFTWARE, "  is counted by the kernel");
	is_event("minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN,
		 "minor-faults");
	ok(event.slot.user && !event.slot.kernel, "  at user level");
	is_event("cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
		 "context-switches");
	ok(event.slot.user && event.slot.kernel, "  with the kernel, where it happens");
	is_event("migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS,
		 "cpu-migrations");
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

	for (const struct pmu_event_about *about = pmu_event_names; about->name;
	     about++) {
		if (pmu_event_parse(about->name, &event) ||
		    event.slot.config != about->config ||
		    event.slot.type != about->type || !about->about[0] ||
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
	is_event("cs:uk", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
		 "context-switches");
	is_event("cs:k", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
		 "context-switches:k");
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
	is_int(pmu_event_parse(text, &event), -EINVAL, "5000 letters");
	text[0] = 'r';
	memset(text + 1, 'f', sizeof(text) - 2);
	is_int(pmu_event_parse(text, &event), -EINVAL, "4998 digits");
}

static void reads_lists(void)
{
	struct pmu_event events[PMU_MAX_SLOTS];

	is_int(pmu_event_list_parse(" instructions , cycles:k,r1 ", events), 3,
	       "three events");
	is_str(events[0].name, "instructions", "  the first");
	is_str(events[1].name, "cycles:k", "  the second");
	is_str(events[2].name, "r1", "  the third");
	is_int(pmu_event_list_parse("cycles,cycles:k", events), 2,
	       "two levels are two events");
	is_int(pmu_event_list_parse("cycles,cpu-cycles", events), -EINVAL,
	       "one event twice");
	has(pmu_error_text(), "cycles is named twice", "  is named");
	is_int(pmu_event_list_parse("cycles,,r1", events), -EINVAL,
	       "nothing between commas");
	is_int(pmu_event_list_parse("cycles,", events), -EINVAL,
	       "nothing behind a comma");
	is_int(pmu_event_list_parse("", events), -EINVAL, "nothing at all");
	is_int(pmu_event_list_parse("r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,r10",
				    events),
	       16, "sixteen fit");
	is_int(pmu_event_list_parse(
		       "r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,r10,r11", events),
	       -E2BIG, "seventeen do not");
}

static void says_which_cache(void)
{
	pmu_event_parse("cache-misses", &event);
	is_str(pmu_event_cache(&event, "GenuineIntel"), "last level cache", "Intel");
	is_str(pmu_event_cache(&event, "AuthenticAMD"), "level 2 cache", "AMD");
	is_str(pmu_event_cache(&event, "ARM"), "level 1 data cache", "Arm");
	is_str(pmu_event_cache(&event, "nobody"), NULL, "unknown");
	pmu_event_parse("cycles", &event);
	is_str(pmu_event_cache(&event, "GenuineIntel"), NULL, "cycles have no cache");
	pmu_event_parse("major-faults", &event);
	is_str(pmu_event_cache(&event, "GenuineIntel"), NULL, "nor has a software event");
}

int main(void)
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
	says_which_cache();
	return done_testing();
}
