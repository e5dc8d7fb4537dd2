/* SPDX-License-Identifier: BSD-3-Clause */
/* What to count and where: all that a source of counts is told. */
#ifndef PMU_PLAN_PLAN_H
#define PMU_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slots.h"

/** What kind of thing a slot counts; a source takes the kinds it knows. */
enum pmu_slot_kind {
	PMU_SLOT_CORE,     /* a counter of the core's PMU: type/config of perf_event */
	PMU_SLOT_SOFTWARE, /* an event of the kernel: PERF_TYPE_SOFTWARE */
	PMU_SLOT_UNCORE,   /* a counter of the socket, outside its cores */
	PMU_SLOT_ENERGY,   /* energy of the socket or a part of it, in microjoules */
	/* what only a simulation tells: config is a set of enum pmu_callgrind_event */
	PMU_SLOT_SIMULATED,
	PMU_SLOT_NVML, /* of NVIDIA's cards: config is an enum pmu_nvml_count */
};

/** Units outside the cores; boxes of one kind count the same event and are added up. */
enum pmu_uncore_unit {
	PMU_UNIT_UNCORE, /* Nehalem's and Westmere's one unit for all of it */
	PMU_UNIT_CLOCK,  /* the fixed counter of the uncore's clock */
	PMU_UNIT_CBO,    /* slices of the last level cache */
	PMU_UNIT_ARB,    /* the arbiter of requests to memory */
	PMU_UNIT_L3,     /* AMD: L3 complexes */
	PMU_UNITS,
	PMU_UNIT_NONE = PMU_UNITS, /* one that the kernel counts and registers here do not */
};

/** The kernel numbers these sources anew at each boot. */
#define PMU_TYPE_NONE UINT32_MAX
/** The kernel had no PMU of that name when the event was read: config means nothing. */
#define PMU_TYPE_ABSENT (UINT32_MAX - 1)

struct pmu_backend;
struct pmu_machine_from;

/** Another encoding of the same event. */
struct pmu_slot_code {
	bool is_set;
	uint32_t counters, extra;
	uint64_t config, config1, extra_value; /* as in struct pmu_slot */
};

/** One thing to count. */
struct pmu_slot {
	enum pmu_slot_kind kind;
	uint32_t type; /* perf_event_attr.type; PMU_TYPE_NONE of UNCORE and ENERGY */
	/*
	 * perf_event_attr.config; for PERF_TYPE_RAW on x86 it is the event select without USR, OS,
	 * INT and EN, and so is the config of UNCORE.  Event 00H, umask n is what fixed counter n -
	 * 1 alone counts.
	 */
	uint64_t config;
	uint64_t config1; /* perf_event_attr.config1 */
	uint64_t config2; /* perf_event_attr.config2 */
	bool user;        /* count at user level */
	bool kernel;      /* count at kernel level */
	/* Of CORE and UNCORE: what registers need to know beyond the encoding. */
	uint32_t counters;    /* bit i: general counter i can count it; 0: any */
	uint8_t core_types;   /* hybrid: PMU_SLOT_P, PMU_SLOT_E; 0: any core */
	uint8_t unit;         /* UNCORE: enum pmu_uncore_unit; ENERGY: enum pmu_energy_domain */
	uint32_t extra;       /* address of a second register that the event needs, 0 for none */
	uint64_t extra_value; /* what goes there (offcore responses) */
	/*
	 * The kernel's PMU without its boxes' numbers, "uncore_imc": of UNCORE and ENERGY through
	 * perf_event, of CORE where it is not a core's own ("msr": its events cannot leave out a
	 * level); "" none.
	 */
	char pmu[32];
	double scale; /* a count is raw * scale, rounded; 0: as it is */
	/* a set of enum pmu_callgrind_event: a simulation counts these for a code of the processor's */
	uint32_t simulated;
	/* hybrid: the E cores', where they have the event under another code than the P cores */
	struct pmu_slot_code e_code;
};
#define PMU_SLOT_P 1
#define PMU_SLOT_E 2

/** pmu_slot_use_e_code() - what the E cores count of a slot that has a code for them */
static inline void pmu_slot_use_e_code(struct pmu_slot *slot)
{
	const struct pmu_slot_code code = slot->e_code;

	if (!code.is_set)
		return;
	slot->config = code.config;
	slot->config1 = code.config1;
	slot->counters = code.counters;
	slot->extra = code.extra;
	slot->extra_value = code.extra_value;
	slot->e_code = (struct pmu_slot_code){ .is_set = false };
}

/** pmu_slot_narrow() - to one kind of core */
static inline void pmu_slot_narrow(struct pmu_slot *slot, uint8_t core_type)
{
	if (core_type == PMU_SLOT_E)
		pmu_slot_use_e_code(slot);
	slot->e_code = (struct pmu_slot_code){ .is_set = false };
	slot->core_types = core_type;
}

/** pmu_slot_set_e_code() - what another slot counts is what the E cores count */
static inline void pmu_slot_set_e_code(struct pmu_slot *slot, const struct pmu_slot *e)
{
	slot->e_code = (struct pmu_slot_code){ .is_set = true,
					       .counters = e->counters,
					       .extra = e->extra,
					       .config = e->config,
					       .config1 = e->config1,
					       .extra_value = e->extra_value };
}

/** Is it counted once per socket or machine rather than on each thread or processor? */
static inline bool pmu_slot_is_socket(const struct pmu_slot *slot)
{
	return slot->kind == PMU_SLOT_UNCORE || slot->kind == PMU_SLOT_ENERGY ||
	       slot->kind == PMU_SLOT_NVML;
}

/** Which work is counted. */
enum pmu_count_scope {
	PMU_COUNT_THREAD,
	PMU_COUNT_CPU,
	PMU_COUNT_PROCESS, /* of all threads of the process, those that never call us included */
};

/** What runs a program in place of a processor. */
enum pmu_emulation {
	PMU_EMULATION_NONE,
	PMU_EMULATION_FULL, /* callgrind */
	PMU_EMULATION_FAST, /* our tool of valgrind's, which counts instructions alone */
};

/** A group's slots, in the order of the report's columns. */
struct pmu_plan {
	unsigned int n_slots;
	struct pmu_slot slot[PMU_MAX_SLOTS];
	uint32_t absent; /* bit i: slot i is not to be counted; it is missing in every read */
	enum pmu_count_scope scope;
	/* PMU_COUNT_CPU: OS numbers of the CPUs to count on, ascending; owned by the caller */
	const int *cpu;
	unsigned int n_cpus;
	/*
	 * it is asked what will be counted once the program runs under valgrind, where it does not
	 * yet
	 */
	enum pmu_emulation emulated;
	bool by_kernel; /* each read is the kernel's, also where a thread could read by itself */
	/* The machine that is counted on, where it is not simply this one; NULL: it is. */
	const struct pmu_machine_from *from;
	/* the one of several sources that counts what the others leave (several.h); else NULL */
	const struct pmu_backend *main;
};

/** pmu_plan_mask() - a bit for each slot of the plan, absent ones included */
static inline uint32_t pmu_plan_mask(const struct pmu_plan *plan)
{
	return (1u << plan->n_slots) - 1;
}

/** pmu_plan_kinds() - the slots of these kinds: a bit for each enum pmu_slot_kind */
static inline uint32_t pmu_plan_kinds(const struct pmu_plan *plan, uint32_t kinds)
{
	uint32_t mask = 0;

	for (unsigned int i = 0; i < plan->n_slots; i++)
		mask |= (kinds >> plan->slot[i].kind & 1) << i;
	return mask;
}

/** pmu_plan_sockets() - the slots that are counted once per socket */
static inline uint32_t pmu_plan_sockets(const struct pmu_plan *plan)
{
	uint32_t mask = 0;

	for (unsigned int i = 0; i < plan->n_slots; i++)
		if (pmu_slot_is_socket(&plan->slot[i]))
			mask |= 1u << i;
	return mask;
}

/**
 * pmu_plan_shared() - the slots that are counted once for several threads: per socket, or for the
 * process
 */
static inline uint32_t pmu_plan_shared(const struct pmu_plan *plan)
{
	uint32_t sockets = pmu_plan_sockets(plan);

	return plan->scope == PMU_COUNT_PROCESS ? pmu_plan_mask(plan) & ~sockets : sockets;
}

/**
 * pmu_plan_levels() - "user level", "user and kernel level", ...: at which levels its slots count
 */
const char *pmu_plan_levels(const struct pmu_plan *plan);

#endif
