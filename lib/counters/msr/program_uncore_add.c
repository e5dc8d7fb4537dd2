/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is done to the registers outside the cores, phase by phase: once for each box, on one
 * processor.
 *
 * Source: Intel SDM vol. 3B, "Uncore Performance Monitoring Management Facility"; OCC_CTR_RST reads
 * as 0 and acts when it is written.
 */
#include "counters/msr/program_parts.h"
#include "counters/msr/registers.h"

/* Controls of a whole uncore, 0 for none. */
static const struct globals {
	uint32_t ctrl, status, clear;
	bool config; /* says how many boxes there are */
} globals[] = {
	[PMU_UNCORE_NONE] = { 0, 0, 0, false },
	[PMU_UNCORE_NEHALEM] = { MSR_UNCORE_PERF_GLOBAL_CTRL, MSR_UNCORE_PERF_GLOBAL_STATUS,
				 MSR_UNCORE_PERF_GLOBAL_OVF_CTRL, false },
	[PMU_UNCORE_SANDY_BRIDGE] = { MSR_UNC_PERF_GLOBAL_CTRL, 0, 0, true },
	[PMU_UNCORE_SKYLAKE] = { MSR_UNC_PERF_GLOBAL_CTRL_SKL, 0, 0, true },
	[PMU_UNCORE_ICE_LAKE] = { MSR_UNC_PERF_GLOBAL_CTRL_SKL, 0, 0, true },
	[PMU_UNCORE_AMD_L3] = { 0, 0, 0, false },
	[PMU_UNCORE_AMD_L3_19H] = { 0, 0, 0, false },
};

static const struct globals *globals_of(const struct pmu_msr_build *b)
{
	return &globals[b->machine->model ? b->machine->model->uncore : PMU_UNCORE_NONE];
}

static uint64_t select_value(const struct pmu_msr_box_type *type,
			     const struct pmu_msr_chosen *chosen)
{
	if (type->unit == PMU_UNIT_CLOCK)
		return 0;
	return pmu_select_encode(type->select_layout, &chosen->request.select);
}

static const struct pmu_msr_box_choice *choice_of(const struct pmu_msr_build *b,
						  const struct pmu_msr_box *box)
{
	const struct pmu_msr_box_choice *choice = b->type;

	while (choice->type != box->type)
		choice++;
	return choice;
}

/* --- one counter of one box --- */

struct place {
	struct pmu_msr_build *b;
	const struct pmu_msr_box *box;
	const struct pmu_msr_chosen *chosen;
	uint32_t select, counter;
	uint64_t old_select, old_counter;
	uint64_t enable;
};

static void put_box_register(const struct place *p, uint32_t address, uint64_t value)
{
	pmu_msr_add_write(p->b, p->box->cpu, p->box->package, address, value);
}

static void stop_box(const struct place *p)
{
	put_box_register(p, p->select, p->old_select & ~p->enable);
}

static void set_select(const struct place *p)
{
	uint64_t value = select_value(p->box->type, p->chosen);

	if (p->box->type->unit == PMU_UNIT_UNCORE) {
		struct pmu_select select = p->chosen->request.select;

		select.reset_occupancy = true;
		value = pmu_select_encode(p->box->type->select_layout, &select);
	}
	put_box_register(p, p->select, value);
}

static void zero(const struct place *p)
{
	put_box_register(p, p->counter, 0);
}

static void enable(const struct place *p)
{
	put_box_register(p, p->select, select_value(p->box->type, p->chosen) | p->enable);
}

static void counter_back(const struct place *p)
{
	put_box_register(p, p->counter, p->old_counter);
}

static void select_back(const struct place *p)
{
	put_box_register(p, p->select, p->old_select);
}

/* Something for each chosen counter of each box of a socket. */
static void each(struct pmu_msr_build *b, const struct pmu_msr_socket *socket,
		 void (*act)(const struct place *p))
{
	for (size_t n = socket->first_box; n < socket->first_box + socket->n_boxes; n++) {
		const struct pmu_msr_box *box = &b->box[n];
		const struct pmu_msr_box_choice *choice = choice_of(b, box);

		for (unsigned int i = 0; !box->absent && i < choice->n_chosen; i++) {
			unsigned int at = (unsigned int)choice->chosen[i].counter;

			act(&(struct place){
				.b = b,
				.box = box,
				.chosen = &choice->chosen[i],
				.select = box->select + at * box->type->step,
				.counter = box->counter + at * box->type->step,
				.old_select = pmu_msr_found_at(b, box->look + 2 * at),
				.old_counter = pmu_msr_found_at(b, box->look + 2 * at + 1),
				.enable = UINT64_C(1) << box->type->enable,
			});
		}
	}
}

/* --- one socket --- */

static void look_socket(struct pmu_msr_build *b, struct pmu_msr_socket *socket)
{
	const struct globals *all = globals_of(b);

	socket->look_global = b->program->n_ops;
	if (all->ctrl)
		pmu_msr_add_read(b, socket->cpu, socket->package, -1, all->ctrl);
	if (all->status)
		pmu_msr_add_read(b, socket->cpu, socket->package, -1, all->status);
	socket->look_config = b->program->n_ops;
	if (all->config)
		pmu_msr_add_read(b, socket->cpu, socket->package, -1, MSR_UNC_CBO_CONFIG);
	for (size_t n = socket->first_box; n < socket->first_box + socket->n_boxes; n++) {
		struct pmu_msr_box *box = &b->box[n];

		box->look = b->program->n_ops;
		for (unsigned int i = 0; i < box->type->n_counters; i++) {
			pmu_msr_add_read(b, box->cpu, box->package, -1,
					 box->select + i * box->type->step);
			pmu_msr_add_read(b, box->cpu, box->package, -1,
					 box->counter + i * box->type->step);
		}
	}
}

static uint64_t ours_alone(const struct pmu_msr_build *b)
{
	return b->uncore_shared ? 0 : b->uncore_bits;
}

static void put_global(struct pmu_msr_build *b, const struct pmu_msr_socket *socket, uint64_t value,
		       uint64_t mask)
{
	if (globals_of(b)->ctrl)
		pmu_msr_add_masked(b, socket->cpu, socket->package, globals_of(b)->ctrl, value,
				   mask);
}

static void clear(struct pmu_msr_build *b, const struct pmu_msr_socket *socket)
{
	if (globals_of(b)->clear)
		pmu_msr_add_write(b, socket->cpu, socket->package, globals_of(b)->clear,
				  b->uncore_bits);
}

static uint64_t found_global(const struct pmu_msr_build *b, const struct pmu_msr_socket *socket)
{
	return globals_of(b)->ctrl ? pmu_msr_found_at(b, socket->look_global) : 0;
}

static void add_uncore_stop(struct pmu_msr_build *b, struct pmu_msr_socket *socket)
{
	put_global(b, socket, found_global(b, socket) & ~ours_alone(b), UINT64_MAX);
	each(b, socket, stop_box);
}

static void add_uncore_clear(struct pmu_msr_build *b, struct pmu_msr_socket *socket)
{
	clear(b, socket);
}

static void add_uncore_select(struct pmu_msr_build *b, struct pmu_msr_socket *socket)
{
	each(b, socket, set_select);
}

static void add_uncore_zero(struct pmu_msr_build *b, struct pmu_msr_socket *socket)
{
	each(b, socket, zero);
}

static void add_uncore_enable(struct pmu_msr_build *b, struct pmu_msr_socket *socket)
{
	each(b, socket, enable);
	put_global(b, socket, found_global(b, socket) | b->uncore_bits, UINT64_MAX);
}

static void add_uncore_restore(struct pmu_msr_build *b, struct pmu_msr_socket *socket)
{
	put_global(b, socket, 0, ours_alone(b));
	each(b, socket, stop_box);
	each(b, socket, counter_back);
	clear(b, socket);
	each(b, socket, select_back);
	put_global(b, socket, found_global(b, socket), b->uncore_bits);
}

static void (*const adders[PMU_MSR_PHASES])(struct pmu_msr_build *b,
					    struct pmu_msr_socket *socket) = {
	[PMU_MSR_LOOK] = look_socket,
	[PMU_MSR_STOP] = add_uncore_stop,
	[PMU_MSR_CLEAR] = add_uncore_clear,
	[PMU_MSR_SELECT] = add_uncore_select,
	[PMU_MSR_ZERO] = add_uncore_zero,
	[PMU_MSR_ENABLE] = add_uncore_enable,
	[PMU_MSR_READ] = NULL,
	[PMU_MSR_RESTORE] = add_uncore_restore,
};

void pmu_msr_uncore_add(struct pmu_msr_build *b)
{
	if (!adders[b->phase] || !b->n_types || (b->phase != PMU_MSR_LOOK && !b->uncore_bits))
		return;
	for (size_t s = 0; s < b->n_sockets; s++)
		adders[b->phase](b, &b->socket[s]);
}

/* The highest byte of a select says which threads AMD's L3 counts for: some are kept as they are. */
#define OWN_BITS (UINT64_MAX >> 8)

static void count_box(struct pmu_msr_build *b, const struct pmu_msr_box *box,
		      const struct pmu_msr_chosen *chosen, struct pmu_msr_unit *unit)
{
	const struct pmu_msr_box_type *type = box->type;
	uint32_t at = (uint32_t)chosen->counter * type->step;
	uint64_t value = select_value(type, chosen) | UINT64_C(1) << type->enable;
	struct pmu_msr_counter *counter = pmu_msr_unit_count(unit, chosen->slot, box->counter + at,
							     type->bits);

	if (!counter)
		return;
	counter->hold[0] = (struct pmu_msr_hold){ box->select + at, OWN_BITS, value & OWN_BITS };
	counter->hold[1] = (struct pmu_msr_hold){ globals_of(b)->ctrl, b->uncore_bits,
						  b->uncore_bits };
}

void pmu_msr_uncore_units(struct pmu_msr_build *b, const struct pmu_msr_socket *socket)
{
	for (size_t n = socket->first_box; n < socket->first_box + socket->n_boxes; n++) {
		const struct pmu_msr_box *box = &b->box[n];
		const struct pmu_msr_box_choice *choice = choice_of(b, box);
		struct pmu_msr_unit *unit = NULL;

		for (unsigned int i = 0; !box->absent && i < choice->n_chosen; i++) {
			if (!unit)
				unit = pmu_msr_add_unit(b, box->package, box->cpu);
			count_box(b, box, &choice->chosen[i], unit);
		}
	}
}
