/* SPDX-License-Identifier: BSD-3-Clause */
/* Event names to encodings. */
#ifndef PMU_PLAN_EVENT_H
#define PMU_PLAN_EVENT_H

#include "plan/plan.h"

struct pmu_catalog;

#define PMU_EVENT_NAME_MAX 64

/** One event as it was asked for. */
struct pmu_event {
	char name[PMU_EVENT_NAME_MAX]; /* label of the column: "cycles", "cycles:k", "r10e" */
	char unit[16];                 /* "" for a number of events, "ns", "B" */
	/* left out, and named, where the CPU lacks it or it does not fit */
	bool optional;
	struct pmu_slot slot;
};

/**
 * pmu_event_parse() - one event as people write it
 * @text: a generic name (instructions, cycles, ...), a software event (page-faults, ...), energy
 *        (energy-pkg, ...), a raw code rNNN (hexadecimal, PERF_TYPE_RAW), a CPU's own
 *        name, however it is spelled (UOPS_ISSUED.ANY:c=1:i, snb::UOPS_ISSUED:ANY), or terms
 *        (cpu/event=0x0e,umask=0x01/, uncore_cbox/.../, power/energy-pkg/, any PMU of the kernel's:
 *        uncore_imc/cas_count_read/, see sysfs.h); modifiers after ':' - u, k, uk, ku; blanks
 *        around it and the case of letters do not count
 * @catalog: where names are looked up; NULL: this machine, no event files
 * @event: result; its name is the same for every way to write the event
 *
 * User level by default; what belongs to the socket has no level and takes no modifier; software
 * events that happen in the kernel (context-switches, cpu-migrations) include the kernel, and are
 * refused with :u, where they are always 0.
 *
 * Return: 0; -EINVAL with a sentence that names the nearest valid choice.
 */
int pmu_event_parse(const char *text, struct pmu_catalog *catalog, struct pmu_event *event);

/** pmu_event_same_slot() - is the same counted, at the same level? */
bool pmu_event_same_slot(const struct pmu_slot *a, const struct pmu_slot *b);

/**
 * pmu_event_list_parse() - events separated by commas
 * @catalog: as for pmu_event_parse()
 * @events: room for PMU_MAX_SLOTS
 * Return: how many; -EINVAL (unknown, empty, named twice); -E2BIG for too many.
 */
int pmu_event_list_parse(const char *text, struct pmu_catalog *catalog, struct pmu_event *events);

/** Levels at which an event can be counted, and what it means without a modifier. */
enum pmu_event_level {
	PMU_LEVEL_EITHER, /* user, kernel or both; user */
	PMU_LEVEL_KERNEL, /* happens in the kernel: kernel or both; both */
	PMU_LEVEL_NONE,   /* cannot be told apart: no modifier */
	PMU_LEVEL_SOCKET, /* of the socket, at whatever level: no modifier; both */
	PMU_LEVEL_ALL,    /* of a PMU that has no levels ("msr"): no modifier; both */
};

/** One name that pmu_event_parse() knows. */
struct pmu_event_about {
	const char *name;
	const char *about; /* a line for people */
	const char *alias; /* of which name it is another, or NULL */
	const char *unit;
	enum pmu_slot_kind kind;
	enum pmu_event_level level;
	uint32_t type; /* perf_event_attr */
	uint64_t config;
	uint8_t part; /* struct pmu_slot, unit */
};
/** All names; ends with a NULL name. */
extern const struct pmu_event_about pmu_event_names[];

#endif
