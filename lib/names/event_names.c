/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of events that mean the same on every CPU. */
#include <linux/perf_event.h>

#include "base/compiler.h"
#include "counters/nvml.h"
#include "counters/valgrind/events.h"
#include "machine/models.h"
#include "names/branches.h"
#include "plan/event.h"
#include "plan/interrupts.h"

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
#define SOFTWARE(event, code, of, u, l, text)                                                    \
	{                                                                                        \
		.name = event, .about = text, .alias = of, .unit = u, .kind = PMU_SLOT_SOFTWARE, \
		.level = l, .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##code           \
	}
#define ENERGY(event, domain, text)                                                              \
	{                                                                                        \
		.name = event, .about = text, .unit = "uJ", .kind = PMU_SLOT_ENERGY,             \
		.level = PMU_LEVEL_SOCKET, .type = PMU_TYPE_NONE, .config = PMU_ENERGY_##domain, \
		.part = PMU_ENERGY_##domain                                                      \
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
		CACHE(event "-load-misses", id, READ, MISS, "loads that missed the " text)
#define CACHE_WRITE(event, id, text)                                      \
	CACHE(event "-stores", id, WRITE, ACCESS, "stores to the " text), \
		CACHE(event "-store-misses", id, WRITE, MISS, "stores that missed the " text)
#define CACHE_PREFETCH(event, id, text)                                              \
	CACHE(event "-prefetches", id, PREFETCH, ACCESS, "prefetches to the " text), \
		CACHE(event "-prefetch-misses", id, PREFETCH, MISS,                  \
		      "prefetches that missed the " text)

#define SIMULATED(event, of, text)                                                                 \
	{                                                                                          \
		.name = event, .about = text, .unit = "", .kind = PMU_SLOT_SIMULATED,              \
		.level = PMU_LEVEL_NONE, .type = PMU_TYPE_NONE, .config = 1u << PMU_CALLGRIND_##of \
	}

#define NVML(event, of, u, text)                                                        \
	{                                                                               \
		.name = event, .about = text, .unit = u, .kind = PMU_SLOT_NVML,         \
		.level = PMU_LEVEL_ALL, .type = PMU_TYPE_NONE, .config = PMU_NVML_##of, \
		.part = PMU_UNIT_NONE                                                   \
	}

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
	/* where the processor has an event for them it is that: branches.c */
	SIMULATED(PMU_CONDITIONAL_BRANCHES, BC,
		  "conditional branches, taken or not: the same in each run"),
	{ .name = PMU_TAKEN_BRANCHES,
	  .about = "taken branches, on Arm: the same in each run",
	  .unit = "",
	  .type = PMU_TYPE_NONE },
	SIMULATED("conditional-branch-misses", BCM, "those of them that were predicted wrongly"),
	SIMULATED("indirect-branches", BI, "jumps and calls to where a register or memory says"),
	SIMULATED("indirect-branch-misses", BIM, "those of them that were predicted wrongly"),
	/* which event that is, and at which level, is the processor's: interrupts.c */
	{ .name = PMU_INTERRUPTS,
	  .about = "interrupts that the processor took",
	  .unit = "",
	  .type = PMU_TYPE_NONE,
	  .level = PMU_LEVEL_ALL },
	SOFTWARE("task-clock", TASK_CLOCK, NULL, "ns", PMU_LEVEL_NONE,
		 "time the thread was on a CPU"),
	SOFTWARE("cpu-clock", CPU_CLOCK, NULL, "ns", PMU_LEVEL_NONE, "the same by the CPU's clock"),
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
	ENERGY("energy-pkg", PACKAGE, "energy of the whole socket"),
	ENERGY("energy-cores", CORES, "energy of the socket's cores"),
	ENERGY("energy-gpu", GRAPHICS, "energy of the graphics unit in the socket"),
	ENERGY("energy-ram", DRAM, "energy of the socket's memory"),
	{ .name = "uncore-clock",
	  .about = "cycles of the socket outside its cores",
	  .unit = "",
	  .kind = PMU_SLOT_UNCORE,
	  .level = PMU_LEVEL_SOCKET,
	  .type = PMU_TYPE_NONE,
	  .part = PMU_UNIT_CLOCK },
	NVML("nvml/energy/", ENERGY, "uJ", "energy of NVIDIA's cards, all of them"),
	NVML("nvml/throttled-power/", THROTTLED_POWER, "ns",
	     "time their clocks were held back by the limit of power"),
	NVML("nvml/throttled-thermal/", THROTTLED_THERMAL, "ns", "the same, of temperature"),
	{ .name = NULL },
};
_Static_assert(PMU_ARRAY_LEN(pmu_event_names) <= 128, "the nearest of them is found");
