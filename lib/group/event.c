/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses what people ask to count: the kernel's generic and software events, and raw
 * codes. */
#include "group/event.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/strbuf.h"

/* How much of somebody's text a sentence repeats. */
#define SHOWN 60

#define HARDWARE(event, code, text)                                                   \
	{                                                                             \
		.name = event, .about = text, .unit = "", .type = PERF_TYPE_HARDWARE, \
		.config = PERF_COUNT_HW_##code                                        \
	}
#define HARDWARE_ALIAS(event, of, code)                                             \
	{                                                                           \
		.name = event, .about = "the same as " of, .alias = of, .unit = "", \
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##code          \
	}
#define SOFTWARE(event, code, of, u, l, text)                                      \
	{                                                                          \
		.name = event, .about = text, .alias = of, .unit = u,              \
		.kind = PMU_SLOT_SOFTWARE, .level = l, .type = PERF_TYPE_SOFTWARE, \
		.config = PERF_COUNT_SW_##code                                     \
	}
/* perf_event_open(2): cache | operation << 8 | result << 16 */
#define CACHE(event, id, op, result, text)                                              \
	{                                                                               \
		.name = event, .about = text, .unit = "", .type = PERF_TYPE_HW_CACHE,   \
		.config = PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
			  PERF_COUNT_HW_CACHE_RESULT_##result << 16                     \
	}
#define CACHE_READ(event, id, text)                                      \
	CACHE(event "-loads", id, READ, ACCESS, "loads from the " text), \
		CACHE(event "-load-misses", id, READ, MISS,              \
		      "loads that missed the " text)
#define CACHE_WRITE(event, id, text)                                      \
	CACHE(event "-stores", id, WRITE, ACCESS, "stores to the " text), \
		CACHE(event "-store-misses", id, WRITE, MISS,             \
		      "stores that missed the " text)
#define CACHE_PREFETCH(event, id, text)                                              \
	CACHE(event "-prefetches", id, PREFETCH, ACCESS, "prefetches to the " text), \
		CACHE(event "-prefetch-misses", id, PREFETCH, MISS,                  \
		      "prefetches that missed the " text)

const struct pmu_event_about pmu_event_names[] = {
	HARDWARE("instructions", INSTRUCTIONS, "instructions retired"),
	HARDWARE("cycles", CPU_CYCLES, "core cycles, at the core's changing frequency"),
	HARDWARE_ALIAS("cpu-cycles", "cycles", CPU_CYCLES),
	HARDWARE("branches", BRANCH_INSTRUCTIONS, "branch instructions retired"),
	HARDWARE_ALIAS("branch-instructions", "branches", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-misses", BRANCH_MISSES, "mispredicted branches"),
	HARDWARE("cache-references", CACHE_REFERENCES,
		 "cache accesses; of which cache depends on the CPU"),
	HARDWARE("cache-misses", CACHE_MISSES, "misses of the same cache"),
	HARDWARE("ref-cycles", REF_CPU_CYCLES, "cycles at a constant frequency"),
	HARDWARE_ALIAS("reference-cycles", "ref-cycles", REF_CPU_CYCLES),
	HARDWARE("bus-cycles", BUS_CYCLES, "bus cycles"),
	HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND,
		 "cycles without instructions to issue"),
	HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND,
		 "cycles that could not take instructions"),
	CACHE_READ("L1-dcache", L1D, "level 1 data cache"),
	CACHE_WRITE("L1-dcache", L1D, "level 1 data cache"),
	CACHE_PREFETCH("L1-dcache", L1D, "level 1 data cache"),
	CACHE_READ("L1-icache", L1I, "level 1 instruction cache"),
	CACHE_PREFETCH("L1-icache", L1I, "level 1 instruction cache"),
	CACHE_READ("LLC", LL, "last level cache"),
	CACHE_WRITE("LLC", LL, "last level cache"),
	CACHE_PREFETCH("LLC", LL, "last level cache"),
	CACHE_READ("dTLB", DTLB, "data TLB"),
	CACHE_WRITE("dTLB", DTLB, "data TLB"),
	CACHE_PREFETCH("dTLB", DTLB, "data TLB"),
	CACHE_READ("iTLB", ITLB, "instruction TLB"),
	CACHE_READ("branch", BPU, "branch prediction unit"),
	CACHE_READ("node", NODE, "memory of this NUMA node"),
	CACHE_WRITE("node", NODE, "memory of this NUMA node"),
	CACHE_PREFETCH("node", NODE, "memory of this NUMA node"),
	SOFTWARE("task-clock", TASK_CLOCK, NULL, "ns", PMU_LEVEL_NONE,
		 "time the thread was on a CPU"),
	SOFTWARE("cpu-clock", CPU_CLOCK, NULL, "ns", PMU_LEVEL_NONE,
		 "the same by the CPU's clock"),
	SOFTWARE("page-faults", PAGE_FAULTS, NULL, "", PMU_LEVEL_EITHER,
		 "page faults of both kinds"),
	SOFTWARE("faults", PAGE_FAULTS, "page-faults", "", PMU_LEVEL_EITHER,
		 "the same as page-faults"),
	SOFTWARE("minor-faults", PAGE_FAULTS_MIN, NULL, "", PMU_LEVEL_EITHER,
		 "page faults without a disk access"),
	SOFTWARE("major-faults", PAGE_FAULTS_MAJ, NULL, "", PMU_LEVEL_EITHER,
		 "page faults that read from a disk"),
	SOFTWARE("context-switches", CONTEXT_SWITCHES, NULL, "", PMU_LEVEL_KERNEL,
		 "times the thread left its CPU"),
	SOFTWARE("cs", CONTEXT_SWITCHES, "context-switches", "", PMU_LEVEL_KERNEL,
		 "the same as context-switches"),
	SOFTWARE("cpu-migrations", CPU_MIGRATIONS, NULL, "", PMU_LEVEL_KERNEL,
		 "times the thread changed its CPU"),
	SOFTWARE("migrations", CPU_MIGRATIONS, "cpu-migrations", "", PMU_LEVEL_KERNEL,
		 "the same as cpu-migrations"),
	SOFTWARE("alignment-faults", ALIGNMENT_FAULTS, NULL, "", PMU_LEVEL_EITHER,
		 "unaligned accesses mended by the kernel"),
	SOFTWARE("emulation-faults", EMULATION_FAULTS, NULL, "", PMU_LEVEL_EITHER,
		 "instructions emulated by the kernel"),
	{.name = NULL},
};

struct modifiers {
	const char *text; /* as the column's label has it */
	bool user, kernel;
};

/* --- names --- */

static const struct pmu_event_about *find_name(const char *name)
{
	for (const struct pmu_event_about *about = pmu_event_names; about->name;
	     about++) {
		if (!strcasecmp(about->name, name))
			return about;
	}
	return NULL;
}

static int unknown(const char *name)
{
	const char *names[PMU_ARRAY_LEN(pmu_event_names)];
	const char *closest;
	size_t n = 0;

	for (; pmu_event_names[n].name; n++)
		names[n] = pmu_event_names[n].name;
	names[n] = NULL;
	closest = pmu_closest(name, names);
	if (closest)
		return pmu_fail(EINVAL, "there is no event \"%.*s\"; did you mean %s?",
				SHOWN, name, closest);
	return pmu_fail(EINVAL,
			"there is no event \"%.*s\"; try instructions, cycles, branches, "
			"page-faults "
			"or a raw code like r10e",
			SHOWN, name);
}

/* r and one to sixteen hexadecimal digits: no name looks like that */
static bool parse_raw(const char *name, uint64_t *code)
{
	size_t digits;

	if (name[0] != 'r' && name[0] != 'R')
		return false;
	digits = strspn(name + 1, "0123456789abcdefABCDEF");
	if (!digits || digits > 16 || name[1 + digits])
		return false;
	*code = strtoull(name + 1, NULL, 16);
	return true;
}

static int parse_name(const char *name, struct pmu_event_about *about, char *label,
		      size_t size)
{
	const struct pmu_event_about *known = find_name(name);
	uint64_t code;

	if (known) {
		*about = *known;
		snprintf(label, size, "%s", known->alias ? known->alias : known->name);
		return 0;
	}
	if (!parse_raw(name, &code))
		return unknown(name);
	*about = (struct pmu_event_about){
		.unit = "", .type = PERF_TYPE_RAW, .config = code};
	snprintf(label, size, "r%llx", (unsigned long long)code);
	return 0;
}

/* --- levels --- */

static const struct modifiers known_modifiers[] = {
	{"u", true, false}, {"k", false, true}, {"uk", true, true}, {"ku", true, true}};

static int parse_modifiers(const char *name, const char *text,
			   const struct modifiers **found)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(known_modifiers); i++) {
		if (!strcasecmp(text, known_modifiers[i].text)) {
			*found = &known_modifiers[i];
			return 0;
		}
	}
	return pmu_fail(
		EINVAL,
		"\"%.*s:%.*s\": after the colon stands u (user level), k (kernel) or uk "
		"(both)",
		SHOWN, name, SHOWN, text);
}

static int check_level(const struct pmu_event_about *about, const struct modifiers *asked)
{
	if (about->level == PMU_LEVEL_NONE)
		return pmu_fail(EINVAL,
				"%s does not tell user level from kernel: write %s",
				about->name, about->name);
	if (about->level == PMU_LEVEL_KERNEL && !asked->kernel)
		return pmu_fail(EINVAL,
				"%s happen in the kernel, at user level they are always "
				"0: write %s",
				about->name, about->name);
	return 0;
}

/* The label says what differs from the event's default. */
static int apply_level(struct pmu_event *event, const struct pmu_event_about *about,
		       const struct modifiers *asked)
{
	size_t len = strlen(event->name);
	int rc;

	event->slot.user = true;
	event->slot.kernel = about->level == PMU_LEVEL_KERNEL;
	if (!asked)
		return 0;
	rc = check_level(about, asked);
	if (rc)
		return rc;
	if (asked->user != event->slot.user || asked->kernel != event->slot.kernel)
		snprintf(event->name + len, sizeof(event->name) - len, ":%s",
			 asked->user ? "uk" : "k");
	event->slot.user = asked->user;
	event->slot.kernel = asked->kernel;
	return 0;
}

/* --- one event, many events --- */

/* @text without the blanks around it, in a buffer of its own */
static int copy_word(const char *text, size_t len, char *word, size_t size)
{
	while (len && isspace((unsigned char)text[0]))
		text++, len--;
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	if (!len)
		return pmu_fail(EINVAL,
				"an event without a name; try instructions or cycles");
	if (len >= size)
		return pmu_fail(EINVAL, "there is no event \"%.*s...\"", SHOWN, text);
	memcpy(word, text, len);
	word[len] = '\0';
	return 0;
}

static int parse_part(const char *text, size_t len, struct pmu_event *event)
{
	const struct modifiers *asked = NULL;
	struct pmu_event_about about = {.unit = ""};
	char word[PMU_EVENT_NAME_MAX];
	char *colon;
	int rc = copy_word(text, len, word, sizeof(word));

	if (rc)
		return rc;
	colon = strchr(word, ':');
	if (colon)
		*colon = '\0';
	memset(event, 0, sizeof(*event));
	/* room for ":uk" is kept: the longest name is a third of it */
	rc = parse_name(word, &about, event->name, sizeof(event->name) - 3);
	if (!rc && colon)
		rc = parse_modifiers(word, colon + 1, &asked);
	if (rc)
		return rc;
	snprintf(event->unit, sizeof(event->unit), "%s", about.unit);
	event->slot = (struct pmu_slot){
		.kind = about.kind, .type = about.type, .config = about.config};
	if (!about.name)
		about.name = word;
	return apply_level(event, &about, asked);
}

int pmu_event_parse(const char *text, struct pmu_event *event)
{
	return parse_part(text, strlen(text), event);
}

static bool same_slot(const struct pmu_slot *a, const struct pmu_slot *b)
{
	return a->type == b->type && a->config == b->config && a->user == b->user &&
	       a->kernel == b->kernel;
}

static int check_twice(const struct pmu_event *events, int n)
{
	for (int i = 0; i < n; i++) {
		if (same_slot(&events[i].slot, &events[n].slot))
			return pmu_fail(EINVAL, "%s is named twice", events[n].name);
	}
	return 0;
}

int pmu_event_list_parse(const char *text, struct pmu_event *events)
{
	int n = 0, rc;

	for (;;) {
		size_t len = strcspn(text, ",");

		if (n == PMU_MAX_SLOTS)
			return pmu_fail(E2BIG, "more than %d events in one group",
					PMU_MAX_SLOTS);
		rc = parse_part(text, len, &events[n]);
		if (!rc)
			rc = check_twice(events, n);
		if (rc)
			return rc;
		n++;
		if (!text[len])
			return n;
		text += len + 1;
	}
}

/* --- what the generic cache events are --- */

const char *pmu_event_cache(const struct pmu_event *event, const char *vendor)
{
	static const char *const caches[][2] = {
		{"GenuineIntel", "last level cache"}, {"AuthenticAMD", "level 2 cache"},
		{"HygonGenuine", "level 2 cache"},    {"ARM", "level 1 data cache"},
		{"Ampere", "level 1 data cache"},
	};
	const struct pmu_slot *slot = &event->slot;

	if (slot->type != PERF_TYPE_HARDWARE ||
	    (slot->config != PERF_COUNT_HW_CACHE_REFERENCES &&
	     slot->config != PERF_COUNT_HW_CACHE_MISSES))
		return NULL;
	for (size_t i = 0; i < PMU_ARRAY_LEN(caches); i++) {
		if (!strcmp(vendor, caches[i][0]))
			return caches[i][1];
	}
	return NULL;
}
