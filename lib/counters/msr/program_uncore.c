/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Units outside the cores: which there are, and which counter counts what.
 *
 * Sources: Intel SDM vol. 3B, "Performance Monitoring Facility in the Uncore" (Nehalem), "Uncore
 * Performance Monitoring Facilities" (Sandy Bridge, Skylake); vol. 4, MSR_UNC_CBO_CONFIG; the
 * kernel's arch/x86/events/intel/uncore_snb.c (numbers of boxes, Ice Lake's strides, the arbiter's
 * counters); AMD PPR family 17H, "L3 Cache PMC".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "counters/msr/program_parts.h"
#include "counters/msr/registers.h"
#include "machine/mask.h"

#define CBO_CONFIG_BOXES 0xf

#define CBO(of, ctr, stride, most)                                                               \
	{                                                                                        \
		.layout = of, .unit = PMU_UNIT_CBO, .select_layout = PMU_SELECT_UNCORE_CLIENT,   \
		.select = MSR_UNC_CBO_0_PERFEVTSEL0, .counter = ctr, .step = 1, .n_counters = 2, \
		.box_step = stride, .max_boxes = most, .bits = 44, .enable = 22                  \
	}
#define ARB(of, which)                                                                         \
	{                                                                                      \
		.layout = of, .unit = PMU_UNIT_ARB, .select_layout = PMU_SELECT_UNCORE_CLIENT, \
		.select = MSR_UNC_ARB_PERFEVTSEL0, .counter = MSR_UNC_ARB_PERFCTR0, .step = 1, \
		.n_counters = 2, .max_boxes = 1, .bits = 44, .enable = 22, .models = which     \
	}
#define CLOCK(of)                                                                              \
	{                                                                                      \
		.layout = of, .unit = PMU_UNIT_CLOCK, .select = MSR_UNC_PERF_FIXED_CTRL,       \
		.counter = MSR_UNC_PERF_FIXED_CTR, .step = 1, .n_counters = 1, .max_boxes = 1, \
		.bits = 48, .enable = 22                                                       \
	}
#define L3(of, selects)                                                                     \
	{                                                                                   \
		.layout = of, .unit = PMU_UNIT_L3, .select_layout = selects,                \
		.select = MSR_AMD_L3_PERF_CTL0, .counter = MSR_AMD_L3_PERF_CTR0, .step = 2, \
		.n_counters = 6, .max_boxes = 255, .bits = 48, .enable = 22                 \
	}

static const struct pmu_msr_box_type types[] = {
	{ .layout = PMU_UNCORE_NEHALEM,
	  .unit = PMU_UNIT_UNCORE,
	  .select_layout = PMU_SELECT_UNCORE_NEHALEM,
	  .select = MSR_UNCORE_PERFEVTSEL0,
	  .counter = MSR_UNCORE_PMC0,
	  .step = 1,
	  .n_counters = 8,
	  .max_boxes = 1,
	  .bits = 48,
	  .enable = 22 },
	{ .layout = PMU_UNCORE_NEHALEM,
	  .unit = PMU_UNIT_CLOCK,
	  .select = MSR_UNCORE_FIXED_CTR_CTRL,
	  .counter = MSR_UNCORE_FIXED_CTR0,
	  .step = 1,
	  .n_counters = 1,
	  .max_boxes = 1,
	  .bits = 48,
	  .enable = 0 },
	CBO(PMU_UNCORE_SANDY_BRIDGE, MSR_UNC_CBO_0_PERFCTR0, 0x10, 4),
	ARB(PMU_UNCORE_SANDY_BRIDGE, PMU_MSR_ALL_MODELS),
	CLOCK(PMU_UNCORE_SANDY_BRIDGE),
	CBO(PMU_UNCORE_SKYLAKE, MSR_UNC_CBO_0_PERFCTR0, 0x10, 8),
	ARB(PMU_UNCORE_SKYLAKE, PMU_MSR_ALL_MODELS),
	CLOCK(PMU_UNCORE_SKYLAKE),
	CBO(PMU_UNCORE_ICE_LAKE, MSR_UNC_CBO_0_PERFCTR0_ICL, 0x8, 15),
	/*
	 * 10th Generation Intel Core Processor Family Specification Update, ICL068: counter 0
	 * cannot be used
	 */
	{ .layout = PMU_UNCORE_ICE_LAKE,
	  .unit = PMU_UNIT_ARB,
	  .select_layout = PMU_SELECT_UNCORE_CLIENT,
	  .select = MSR_UNC_ARB_PERFEVTSEL0 + 1,
	  .counter = MSR_UNC_ARB_PERFCTR0 + 1,
	  .step = 1,
	  .n_counters = 1,
	  .first = 1,
	  .max_boxes = 1,
	  .bits = 44,
	  .enable = 22,
	  .models = PMU_MSR_ICE_LAKE },
	ARB(PMU_UNCORE_ICE_LAKE, PMU_MSR_AFTER_ICE_LAKE),
	CLOCK(PMU_UNCORE_ICE_LAKE),
	L3(PMU_UNCORE_AMD_L3, PMU_SELECT_AMD_L3),
	L3(PMU_UNCORE_AMD_L3_19H, PMU_SELECT_AMD_L3_19H),
};

/* Events that some of a unit's counters lack. */
static const struct {
	enum pmu_uncore_unit unit;
	uint16_t event;
	uint32_t counters;
} constraints[] = {
	{ PMU_UNIT_ARB, 0x80, 1u << 0 },
	{ PMU_UNIT_ARB, 0x83, 1u << 0 },
};

static enum pmu_uncore_layout uncore_layout_of(const struct pmu_msr_build *b)
{
	return b->machine->model ? b->machine->model->uncore : PMU_UNCORE_NONE;
}

/* --- what there is --- */

/* Client Ice Lake itself; Tiger and Rocket Lake have the same layout. */
static bool is_ice_lake(const struct pmu_cpu_id *id)
{
	return id->family == 6 && (id->model == 0x7d || id->model == 0x7e);
}

static bool is_here(const struct pmu_msr_build *b, const struct pmu_msr_box_type *type)
{
	if (type->layout != uncore_layout_of(b) || type->layout == PMU_UNCORE_NONE)
		return false;
	/* hypervisors hide it */
	if (type->unit == PMU_UNIT_L3 && !b->machine->kind[0].l3_extension)
		return false;
	return type->models == PMU_MSR_ALL_MODELS ||
	       (type->models == PMU_MSR_ICE_LAKE) == is_ice_lake(&b->machine->id);
}

/* Sockets with a processor that is counted on, ascending. */
static int find_sockets(struct pmu_msr_build *b)
{
	const struct pmu_machine *machine = b->machine;
	struct pmu_mask packages = { { 0 } }, counted = { { 0 } };

	for (size_t i = 0; i < b->n_cpus; i++)
		pmu_mask_set(&counted, b->cpu[i].cpu);
	for (size_t i = 0; i < machine->n_cpus; i++)
		if (pmu_mask_has(&counted, machine->cpu[i].pu.cpu))
			pmu_mask_set(&packages, machine->cpu[i].pu.package);
	b->socket = calloc(pmu_mask_count(&packages) + 1, sizeof(*b->socket));
	if (!b->socket)
		return pmu_fail(ENOMEM, "no memory for the plan of a session");
	for (int p = pmu_mask_next(&packages, 0); p >= 0; p = pmu_mask_next(&packages, p + 1))
		b->socket[b->n_sockets++] = (struct pmu_msr_socket){ .package = p, .cpu = -1 };
	return 0;
}

/* Its lowest-numbered processor, and how many cores. */
static void describe_socket(const struct pmu_msr_build *b, struct pmu_msr_socket *socket)
{
	struct pmu_mask cores = { { 0 } };

	for (size_t i = 0; i < b->machine->n_cpus; i++) {
		const struct pmu_pu *pu = &b->machine->cpu[i].pu;

		if (pu->package != socket->package)
			continue;
		if (socket->cpu < 0)
			socket->cpu = pu->cpu;
		pmu_mask_set(&cores, pu->core);
	}
	socket->n_cores = pmu_mask_count(&cores);
}

static void add_box(struct pmu_msr_build *b, struct pmu_msr_socket *socket,
		    const struct pmu_msr_box_type *type, unsigned int i, int cpu)
{
	if (b->n_boxes == b->boxes_room) {
		size_t room = b->boxes_room ? 2 * b->boxes_room : 16;
		struct pmu_msr_box *grown = realloc(b->box, room * sizeof(*grown));

		if (!grown) {
			b->failed = true;
			return;
		}
		b->box = grown;
		b->boxes_room = room;
	}
	b->box[b->n_boxes++] = (struct pmu_msr_box){ .type = type,
						     .package = socket->package,
						     .cpu = cpu,
						     .select = type->select + i * type->box_step,
						     .counter = type->counter +
								i * type->box_step };
	socket->n_boxes++;
}

/* One for each last level cache, from its lowest-numbered processor. */
static void add_l3_boxes(struct pmu_msr_build *b, struct pmu_msr_socket *socket,
			 const struct pmu_msr_box_type *type)
{
	struct pmu_mask seen = { { 0 } };

	for (size_t i = 0; i < b->machine->n_cpus; i++) {
		const struct pmu_machine_cpu *cpu = &b->machine->cpu[i];

		if (cpu->pu.package != socket->package || pmu_mask_has(&seen, cpu->l3))
			continue;
		pmu_mask_set(&seen, cpu->l3);
		add_box(b, socket, type, 0, cpu->pu.cpu);
	}
}

static void add_uncore_boxes(struct pmu_msr_build *b, struct pmu_msr_socket *socket,
			     const struct pmu_msr_box_type *type)
{
	unsigned int n = type->unit == PMU_UNIT_CBO ? socket->n_cores : 1;

	if (type->unit == PMU_UNIT_L3) {
		add_l3_boxes(b, socket, type);
		return;
	}
	for (unsigned int i = 0; i < n && i < type->max_boxes; i++)
		add_box(b, socket, type, i, socket->cpu);
}

int pmu_msr_uncore_start(struct pmu_msr_build *b)
{
	bool uncore = pmu_msr_listed(b, PMU_SLOT_UNCORE);
	int rc;

	if (!uncore && !pmu_msr_listed(b, PMU_SLOT_ENERGY))
		return 0;
	rc = find_sockets(b);
	if (rc)
		return rc;
	for (size_t t = 0; uncore && t < PMU_ARRAY_LEN(types); t++)
		if (is_here(b, &types[t]))
			b->type[b->n_types++].type = &types[t];
	for (size_t s = 0; s < b->n_sockets; s++) {
		describe_socket(b, &b->socket[s]);
		b->socket[s].first_box = b->n_boxes;
		for (unsigned int t = 0; t < b->n_types; t++)
			add_uncore_boxes(b, &b->socket[s], b->type[t].type);
	}
	return 0;
}

/* --- how many boxes there really are --- */

/*
 * Slices of the cache by MSR_UNC_CBO_CONFIG; 0 where LOOK was not run.  Before Ice Lake it counts
 * the graphics' too, where there are any: at least one fewer, then, and one for each core, as
 * @looked is.
 */
static unsigned int configured_boxes(const struct pmu_msr_build *b,
				     const struct pmu_msr_socket *socket, unsigned int looked)
{
	unsigned int n = b->found ? pmu_msr_found_at(b, socket->look_config) & CBO_CONFIG_BOXES : 0;

	if (!n || uncore_layout_of(b) == PMU_UNCORE_ICE_LAKE)
		return n;
	return n - 1 > looked ? n - 1 : looked;
}

/*
 * Boxes of a socket that do not exist are dropped; 0, or -ENOENT where some could not be looked at.
 */
static int settle_socket(struct pmu_msr_build *b, struct pmu_msr_socket *socket,
			 const struct pmu_msr_box_type *type)
{
	unsigned int n, looked = 0, at = 0;

	for (size_t i = socket->first_box; i < socket->first_box + socket->n_boxes; i++)
		looked += b->box[i].type == type;
	n = configured_boxes(b, socket, looked);
	for (size_t i = socket->first_box; i < socket->first_box + socket->n_boxes; i++)
		if (b->box[i].type == type)
			b->box[i].absent = n && at++ >= n;
	if (n <= looked && socket->n_cores <= type->max_boxes)
		return 0;
	if (n <= looked)
		n = socket->n_cores;
	return pmu_fail(
		ENOENT,
		"socket %d has %u slices of last level cache and registers of %u of them can be reached: one for each "
		"of its cores that this process may use, at most %u",
		socket->package, n, looked, type->max_boxes);
}

/* A complex that no processor of ours belongs to would be left out of the socket's sum. */
static int settle_complexes(const struct pmu_msr_build *b)
{
	return b->machine->partial
		       ? pmu_fail(
				 ENOENT,
				 "this process may use only some of the machine's processors, and L3 "
				 "counters are those of each complex of cores")
		       : 0;
}

void pmu_msr_uncore_settle(struct pmu_msr_build *b)
{
	for (unsigned int t = 0; t < b->n_types; t++) {
		struct pmu_msr_box_choice *choice = &b->type[t];

		for (size_t s = 0;
		     s < b->n_sockets && choice->type->unit == PMU_UNIT_CBO && !choice->error; s++)
			choice->error = settle_socket(b, &b->socket[s], choice->type);
		if (choice->type->unit == PMU_UNIT_L3)
			choice->error = settle_complexes(b);
		if (choice->error)
			snprintf(choice->why, sizeof(choice->why), "%s", pmu_error_text());
	}
}

/* --- which counter counts what --- */

static uint32_t counters_of_box(const struct pmu_msr_box_type *type, const struct pmu_slot *slot,
				uint16_t event)
{
	uint32_t counters = ((1u << type->n_counters) - 1) << type->first;

	if (slot->counters && type->unit != PMU_UNIT_CLOCK)
		counters &= slot->counters;
	for (size_t i = 0; i < PMU_ARRAY_LEN(constraints); i++)
		if (constraints[i].unit == type->unit && constraints[i].event == event)
			counters &= constraints[i].counters;
	return counters >> type->first;
}

/* 0 and the select and counters, or -EINVAL, -ENOENT with a sentence. */
static int request(const struct pmu_msr_box_type *type, const struct pmu_slot *slot,
		   struct pmu_msr_request *request)
{
	struct pmu_select *select = &request->select;
	uint64_t foreign = 0;

	memset(request, 0, sizeof(*request));
	request->fixed = -1;
	if (type->unit != PMU_UNIT_CLOCK)
		foreign = pmu_select_decode(type->select_layout, slot->config, select);
	if (foreign)
		return pmu_fail(
			EINVAL,
			"event code %llXH has bits that the event selects of its unit lack: %llXH",
			(unsigned long long)slot->config, (unsigned long long)foreign);
	select->enable = select->interrupt = select->reset_occupancy = false;
	/* no slices and threads given: those of all */
	if (type->unit == PMU_UNIT_L3 && !(slot->config >> 32)) {
		select->slices = 0xff;
		select->threads = 0xff;
	}
	request->general = counters_of_box(type, slot, select->event);
	if (!request->general)
		return pmu_fail(ENOENT, "no counter of its unit counts event %02XH on this CPU",
				select->event);
	return 0;
}

/* Slots of one unit, as far as they are possible at all.  Return: how many. */
static unsigned int collect_box_events(struct pmu_msr_build *b,
				       const struct pmu_msr_box_choice *choice,
				       struct pmu_msr_chosen *chosen)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < b->plan->n_slots; i++) {
		const struct pmu_slot *slot = &b->plan->slot[i];
		int rc;

		if (!pmu_msr_wanted(b, i, PMU_SLOT_UNCORE) || slot->unit != choice->type->unit)
			continue;
		b->counted |= 1u << i;
		if (choice->error) {
			pmu_msr_refuse(b, i, choice->error, choice->why);
			continue;
		}
		rc = request(choice->type, slot, &chosen[n].request);
		if (rc) {
			pmu_msr_refuse(b, i, rc, pmu_error_text());
			continue;
		}
		chosen[n++].slot = (int)i;
	}
	return n;
}

static uint64_t global_bit(const struct pmu_msr_box_type *type, int counter)
{
	if (type->layout != PMU_UNCORE_NEHALEM)
		return UINT64_C(1) << 29; /* one for all */
	return UINT64_C(1) << (type->unit == PMU_UNIT_CLOCK ? 32 : counter);
}

static void choose_type(struct pmu_msr_build *b, struct pmu_msr_box_choice *choice)
{
	const struct pmu_msr_box_type *type = choice->type;
	struct pmu_msr_chosen chosen[PMU_MAX_SLOTS];
	pmu_counters can[PMU_MAX_SLOTS], all = (1u << type->n_counters) - 1;
	int counter[PMU_MAX_SLOTS];
	unsigned int n = collect_box_events(b, choice, chosen);

	for (unsigned int i = 0; i < n; i++)
		can[i] = chosen[i].request.general;
	pmu_assign(can, n, all & ~choice->taken, counter);
	for (unsigned int i = 0; i < n; i++) {
		if (counter[i] < 0) {
			pmu_msr_refuse(b, (unsigned int)chosen[i].slot, -ENOSPC, "");
			continue;
		}
		chosen[i].counter = counter[i];
		choice->chosen[choice->n_chosen++] = chosen[i];
		b->uncore_bits |= global_bit(type, counter[i]);
	}
	/* boxes that others use count by the same bit: it is not ours to clear */
	b->uncore_shared |= choice->taken && type->layout != PMU_UNCORE_NEHALEM;
}

static void refuse_box(struct pmu_msr_build *b, unsigned int slot)
{
	const struct pmu_slot *asked = &b->plan->slot[slot];
	const char *pmu = asked->pmu;
	char why[160];

	if (asked->unit == PMU_UNIT_L3 && !b->machine->kind[0].l3_extension) {
		pmu_msr_refuse(b, slot, -ENOENT, "CPUID shows no counters of the level 3 cache");
		return;
	}
	snprintf(why, sizeof(why), "on this CPU no register that is known counts %s%s",
		 pmu[0] ? "what the kernel calls " : "it outside of the cores", pmu);
	pmu_msr_refuse(b, slot, -ENOENT, why);
}

void pmu_msr_uncore_choose(struct pmu_msr_build *b)
{
	for (unsigned int t = 0; t < b->n_types; t++)
		choose_type(b, &b->type[t]);
	for (unsigned int i = 0; i < b->plan->n_slots; i++)
		if (pmu_msr_wanted(b, i, PMU_SLOT_UNCORE) && !(b->counted >> i & 1))
			refuse_box(b, i);
}
