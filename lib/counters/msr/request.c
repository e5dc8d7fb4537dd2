/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of a core: generic ones by tables, raw ones by their bits.
 *
 * Sources: Intel SDM vol. 3B, tables "Architectural Performance Events" and "Association of
 * Fixed-Function Performance Counters with Architectural Performance Events"; AMD PPR, "Core
 * Performance Monitor Counters"; which events stand for the generic names on AMD: the kernel's
 * arch/x86/events/amd/core.c, on Zhaoxin's zhaoxin/core.c.
 */
#include "counters/msr/request.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "counters/msr/amd_limits.h"

#define NO_ARCH    PMU_ARCH_EVENTS
#define ANY_THREAD (UINT64_C(1) << 21)

/** A generic event of one vendor. */
struct generic {
	uint64_t config; /* PERF_COUNT_HW_ */
	uint16_t event;
	uint8_t umask;
	int8_t fixed;              /* the fixed counter of the same, -1 for none */
	bool fixed_only;           /* where there is one: what the select counts has another unit */
	enum pmu_arch_event needs; /* CPUID says whether a select can count it; NO_ARCH: it can */
};

static const struct generic intel[] = {
	{ PERF_COUNT_HW_INSTRUCTIONS, 0xc0, 0x00, 0, false, PMU_ARCH_INSTRUCTIONS },
	{ PERF_COUNT_HW_CPU_CYCLES, 0x3c, 0x00, 1, false, PMU_ARCH_CORE_CYCLES },
	/* fixed counter 2 ticks as the time stamp counter, 3CH/01H as the bus or crystal clock */
	{ PERF_COUNT_HW_REF_CPU_CYCLES, 0x3c, 0x01, 2, true, PMU_ARCH_REFERENCE_CYCLES },
	{ PERF_COUNT_HW_BUS_CYCLES, 0x3c, 0x01, -1, false, PMU_ARCH_REFERENCE_CYCLES },
	{ PERF_COUNT_HW_CACHE_REFERENCES, 0x2e, 0x4f, -1, false, PMU_ARCH_LLC_REFERENCES },
	{ PERF_COUNT_HW_CACHE_MISSES, 0x2e, 0x41, -1, false, PMU_ARCH_LLC_MISSES },
	{ PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0xc4, 0x00, -1, false, PMU_ARCH_BRANCHES },
	{ PERF_COUNT_HW_BRANCH_MISSES, 0xc5, 0x00, -1, false, PMU_ARCH_BRANCH_MISSES },
};

static const struct generic zhaoxin[] = {
	{ PERF_COUNT_HW_INSTRUCTIONS, 0xc0, 0x00, 0, false, NO_ARCH },
	{ PERF_COUNT_HW_CPU_CYCLES, 0x82, 0x00, 1, false, NO_ARCH },
	{ PERF_COUNT_HW_BUS_CYCLES, 0x83, 0x00, 2, false, NO_ARCH },
};

/* Families before 17H */
static const struct generic amd_old[] = {
	{ PERF_COUNT_HW_INSTRUCTIONS, 0xc0, 0x00, -1, false, NO_ARCH },
	{ PERF_COUNT_HW_CPU_CYCLES, 0x76, 0x00, -1, false, NO_ARCH },
	{ PERF_COUNT_HW_CACHE_REFERENCES, 0x7d, 0x07, -1, false, NO_ARCH },
	{ PERF_COUNT_HW_CACHE_MISSES, 0x7e, 0x07, -1, false, NO_ARCH },
	{ PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0xc2, 0x00, -1, false, NO_ARCH },
	{ PERF_COUNT_HW_BRANCH_MISSES, 0xc3, 0x00, -1, false, NO_ARCH },
	{ PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0xd0, 0x00, -1, false, NO_ARCH },
	{ PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0xd1, 0x00, -1, false, NO_ARCH },
};

/* Zen and later; also Hygon.  The last rows are in some of them only: see available(). */
static const struct generic amd_zen[] = {
	{ PERF_COUNT_HW_INSTRUCTIONS, 0xc0, 0x00, -1, false, NO_ARCH },
	{ PERF_COUNT_HW_CPU_CYCLES, 0x76, 0x00, -1, false, NO_ARCH },
	{ PERF_COUNT_HW_CACHE_REFERENCES, 0x60, 0xff, -1, false, NO_ARCH },
	{ PERF_COUNT_HW_CACHE_MISSES, 0x64, 0x09, -1, false, NO_ARCH },
	{ PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0xc2, 0x00, -1, false, NO_ARCH },
	{ PERF_COUNT_HW_BRANCH_MISSES, 0xc3, 0x00, -1, false, NO_ARCH },
	{ PERF_COUNT_HW_REF_CPU_CYCLES, 0x120, 0x01, -1, false, NO_ARCH },
};

static bool is_zhaoxin(const struct pmu_cpu_id *id)
{
	return !strcmp(id->vendor, "CentaurHauls") || !strcmp(id->vendor, "  Shanghai  ") ||
	       !strcmp(id->vendor, "Shanghai");
}

static const struct generic *table(const struct pmu_machine *machine,
				   const struct pmu_perfmon *perfmon, size_t *n)
{
	if (perfmon->family == PMU_PERFMON_AMD) {
		bool zen = machine->id.family >= 0x17;

		*n = zen ? PMU_ARRAY_LEN(amd_zen) : PMU_ARRAY_LEN(amd_old);
		return zen ? amd_zen : amd_old;
	}
	*n = is_zhaoxin(&machine->id) ? PMU_ARRAY_LEN(zhaoxin) : PMU_ARRAY_LEN(intel);
	return is_zhaoxin(&machine->id) ? zhaoxin : intel;
}

static const struct generic *find_generic(const struct pmu_machine *machine,
					  const struct pmu_perfmon *perfmon, uint64_t config)
{
	size_t n;
	const struct generic *row = table(machine, perfmon, &n);

	for (size_t i = 0; i < n; i++)
		if (row[i].config == config)
			return &row[i];
	return NULL;
}

/* Does a select count it? */
static bool available(const struct pmu_perfmon *perfmon, const struct generic *row)
{
	/* AMD's event 120H came with Zen 4, as PerfMonV2 did */
	if (perfmon->family == PMU_PERFMON_AMD && row->event == 0x120)
		return perfmon->version >= 2;
	return row->needs == NO_ARCH || perfmon->events >> row->needs & 1;
}

static bool fixed_exists(const struct pmu_perfmon *perfmon, int index)
{
	return index >= 0 && index < 16 && perfmon->fixed >> index & 1;
}

static int generic_request(const struct pmu_machine *machine, const struct pmu_perfmon *perfmon,
			   const struct pmu_slot *slot, struct pmu_msr_request *request)
{
	const struct generic *row = find_generic(machine, perfmon, slot->config);

	if (!row)
		return pmu_fail(
			ENOENT,
			"registers of this CPU count no generic event %llu: name one of its own",
			(unsigned long long)slot->config);
	if (fixed_exists(perfmon, row->fixed))
		request->fixed = row->fixed;
	request->selectable = available(perfmon, row) && !(row->fixed_only && request->fixed >= 0);
	if (!request->selectable && request->fixed < 0)
		return perfmon->family == PMU_PERFMON_AMD
			       ? pmu_fail(
					 ENOENT,
					 "AMD's processors count it from Zen 4 on (event %02XH, umask %02XH, where "
					 "CPUID shows PerfMonV2)",
					 row->event, row->umask)
			       : pmu_fail(
					 ENOENT,
					 "by CPUID this CPU has no event %02XH, umask %02XH, and no fixed counter "
					 "for it",
					 row->event, row->umask);
	request->select.event = row->event;
	request->select.umask = row->umask;
	return 0;
}

/* A bit of the select that this kind of core does not have, NULL for none. */
static const char *foreign_bit(const struct pmu_perfmon *perfmon, const struct pmu_select *select)
{
	if (perfmon->family != PMU_PERFMON_INTEL)
		return NULL;
	if (select->any_thread && !perfmon->any_thread)
		return "AnyThread";
	if (select->pin_control && perfmon->version >= 4)
		return "pin control";
	if (select->umask2 && !perfmon->umask2)
		return "bits 40-47, UMASK2,";
	if (select->equal && !perfmon->equal)
		return "bit 36, EQ,";
	/* transactions came with Haswell; whether this part has them is not told here */
	if ((select->in_tx || select->in_txcp) && perfmon->version < 3)
		return "IN_TX";
	return NULL;
}

/* The fixed counter that counts just what a raw select does; AnyThread it has too. */
static int fixed_twin(const struct pmu_machine *machine, const struct pmu_perfmon *perfmon,
		      uint64_t config)
{
	static const uint64_t slots = 0x01a4; /* TOPDOWN.SLOTS: fixed counter 3 */
	size_t n;
	const struct generic *row = table(machine, perfmon, &n);

	if (perfmon->family != PMU_PERFMON_INTEL)
		return -1;
	if (config == slots && !is_zhaoxin(&machine->id))
		return fixed_exists(perfmon, 3) ? 3 : -1;
	for (size_t i = 0; i < n; i++)
		if (!row[i].fixed_only && config == ((uint64_t)row[i].umask << 8 | row[i].event))
			return fixed_exists(perfmon, row[i].fixed) ? row[i].fixed : -1;
	return -1;
}

/* What of a raw code is ours to say: USR, OS, INT and EN. */
static uint64_t without_ours(uint64_t config)
{
	return config &
	       ~(UINT64_C(1) << 16 | UINT64_C(1) << 17 | UINT64_C(1) << 20 | UINT64_C(1) << 22);
}

/*
 * Intel's files and the kernel write fixed counter n as event 00H, umask n + 1: no select counts
 * that.
 */
static int pseudo_request(const struct pmu_perfmon *perfmon, const struct pmu_slot *slot,
			  struct pmu_msr_request *request)
{
	int fixed = request->select.umask - 1;

	if (without_ours(slot->config) & ~(UINT64_C(0xff00) | ANY_THREAD) ||
	    !fixed_exists(perfmon, fixed))
		return pmu_fail(ENOENT, "event 00H, umask %02XH is no fixed counter of this CPU",
				request->select.umask);
	request->fixed = fixed;
	return 0;
}

static int raw_request(const struct pmu_machine *machine, const struct pmu_perfmon *perfmon,
		       const struct pmu_slot *slot, struct pmu_msr_request *request)
{
	bool amd = perfmon->family == PMU_PERFMON_AMD;
	uint64_t foreign = pmu_select_decode(amd ? PMU_SELECT_AMD : PMU_SELECT_INTEL, slot->config,
					     &request->select);
	const char *bit = foreign_bit(perfmon, &request->select);

	if ((slot->config1 && !slot->extra) || slot->config2)
		return pmu_fail(ENOENT,
				"event code %llXH needs a second register that is not known",
				(unsigned long long)slot->config);
	if (foreign)
		return pmu_fail(
			EINVAL,
			"event code %llXH has bits that the event selects of this CPU lack: %llXH",
			(unsigned long long)slot->config, (unsigned long long)foreign);
	if (bit)
		return pmu_fail(EINVAL,
				"event code %llXH: the event selects of this CPU have no %s",
				(unsigned long long)slot->config, bit);
	if (!amd && request->select.event == 0)
		return pseudo_request(perfmon, slot, request);
	request->selectable = true;
	if (!slot->extra)
		request->fixed = fixed_twin(machine, perfmon,
					    without_ours(slot->config) & ~ANY_THREAD);
	if (slot->counters)
		request->general &= slot->counters;
	if (request->select.in_txcp)
		request->general &= 1u << 2; /* Intel SDM vol. 3B: IA32_PERFEVTSEL2 alone has it */
	if (!request->general && request->fixed < 0)
		return pmu_fail(
			ENOENT,
			"no counter of this CPU counts event code %llXH: it has none of those it needs",
			(unsigned long long)slot->config);
	return 0;
}

int pmu_msr_request(const struct pmu_machine *machine, unsigned int kind,
		    const struct pmu_slot *slot, struct pmu_msr_request *request)
{
	const struct pmu_perfmon *perfmon = &machine->kind[kind];
	int rc;

	memset(request, 0, sizeof(*request));
	request->fixed = -1;
	request->general = perfmon->general;
	if (perfmon->family == PMU_PERFMON_NONE)
		return pmu_fail(ENOENT, "this core has no counters: %s", perfmon->why);
	switch (slot->type) {
	case PERF_TYPE_HARDWARE:
		rc = generic_request(machine, perfmon, slot, request);
		break;
	case PERF_TYPE_RAW:
		rc = raw_request(machine, perfmon, slot, request);
		break;
	default:
		if (slot->pmu[0])
			return pmu_fail(ENOENT,
					"the kernel's PMU %s counts it, registers of this source "
					"do not",
					slot->pmu);
		return pmu_fail(
			ENOENT,
			"registers count no event of type %u, code %llXH: name one of this CPU's own",
			slot->type, (unsigned long long)slot->config);
	}
	if (!rc && perfmon->family == PMU_PERFMON_AMD)
		rc = pmu_amd_limit(machine->id.family, &request->select, &request->general);
	if (rc)
		return rc;
	/* the slot says at which level; an interrupt would be of no use */
	request->select.user = slot->user;
	request->select.os = slot->kernel;
	request->select.interrupt = request->select.enable = false;
	request->extra = slot->extra;
	request->extra_value = slot->extra_value;
	return 0;
}
