/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts a program together, phase by phase. */
#include "counters/msr/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "counters/msr/program_parts.h"

static const char *const phase_names[PMU_MSR_PHASES] = {
	[PMU_MSR_LOOK] = "look",     [PMU_MSR_STOP] = "stop",       [PMU_MSR_CLEAR] = "clear",
	[PMU_MSR_SELECT] = "select", [PMU_MSR_ZERO] = "zero",       [PMU_MSR_ENABLE] = "enable",
	[PMU_MSR_READ] = "read",     [PMU_MSR_RESTORE] = "restore",
};

const char *pmu_msr_phase_name(enum pmu_msr_phase phase)
{
	return (unsigned int)phase < PMU_MSR_PHASES ? phase_names[phase] : "?";
}

/* --- what the parts add --- */

static void add_msr_op(struct pmu_msr_build *b, const struct pmu_msr_op *op)
{
	struct pmu_msr_program *program = b->program;

	if (b->failed)
		return;
	if (program->n_ops == b->room) {
		size_t room = b->room ? 2 * b->room : 1024;
		struct pmu_msr_op *grown = realloc(program->op, room * sizeof(*grown));

		if (!grown) {
			b->failed = true;
			return;
		}
		program->op = grown;
		b->room = room;
	}
	program->op[program->n_ops++] = *op;
}

void pmu_msr_add_read(struct pmu_msr_build *b, int cpu, int socket, int slot, uint32_t address)
{
	add_msr_op(b, &(struct pmu_msr_op){ .address = address,
					    .cpu = cpu,
					    .phase = (uint8_t)b->phase,
					    .slot = (int8_t)slot,
					    .socket = (int16_t)socket });
}

void pmu_msr_add_masked(struct pmu_msr_build *b, int cpu, int socket, uint32_t address,
			uint64_t value, uint64_t mask)
{
	if (mask)
		add_msr_op(b, &(struct pmu_msr_op){ .address = address,
						    .cpu = cpu,
						    .phase = (uint8_t)b->phase,
						    .write = true,
						    .slot = -1,
						    .socket = (int16_t)socket,
						    .value = value & mask,
						    .mask = mask });
}

void pmu_msr_add_write(struct pmu_msr_build *b, int cpu, int socket, uint32_t address,
		       uint64_t value)
{
	pmu_msr_add_masked(b, cpu, socket, address, value, UINT64_MAX);
}

uint64_t pmu_msr_found_at(const struct pmu_msr_build *b, size_t op)
{
	return b->found ? b->found[op] : 0;
}

struct pmu_msr_unit *pmu_msr_add_unit(struct pmu_msr_build *b, int package, int cpu)
{
	struct pmu_msr_program *program = b->program;
	struct pmu_msr_unit *unit;

	if (b->failed)
		return NULL;
	if (program->n_units == b->units_room) {
		size_t room = b->units_room ? 2 * b->units_room : 8;
		struct pmu_msr_unit *grown = realloc(program->unit, room * sizeof(*grown));

		if (!grown) {
			b->failed = true;
			return NULL;
		}
		program->unit = grown;
		b->units_room = room;
	}
	unit = &program->unit[program->n_units++];
	memset(unit, 0, sizeof(*unit));
	unit->package = package;
	unit->cpu = cpu;
	return unit;
}

struct pmu_msr_counter *pmu_msr_unit_count(struct pmu_msr_unit *unit, int slot, uint32_t address,
					   unsigned int bits)
{
	struct pmu_msr_counter *counter;

	if (!unit || unit->n_counters == PMU_ARRAY_LEN(unit->counter))
		return NULL;
	counter = &unit->counter[unit->n_counters++];
	*counter = (struct pmu_msr_counter){
		.slot = slot, .address = address, .rdpmc = UINT32_MAX, .bits = bits
	};
	return counter;
}

bool pmu_msr_listed(const struct pmu_msr_build *b, enum pmu_slot_kind kind)
{
	for (unsigned int i = 0; i < b->plan->n_slots; i++)
		if (b->plan->slot[i].kind == kind)
			return true;
	return false;
}

bool pmu_msr_wanted(const struct pmu_msr_build *b, unsigned int slot, enum pmu_slot_kind kind)
{
	return !(b->plan->absent >> slot & 1) && b->plan->slot[slot].kind == kind;
}

/* The first refusal of an event that does not exist, else of one without a counter. */
static int first_error(const struct pmu_msr_build *b)
{
	int no_room = 0;

	for (unsigned int i = 0; i < b->plan->n_slots; i++) {
		int error = b->plan->absent >> i & 1 ? 0 : b->probe->error[i];

		if (error && error != -ENOSPC)
			return error;
		no_room = error ? error : no_room;
	}
	return no_room;
}

void pmu_msr_refuse(struct pmu_msr_build *b, unsigned int slot, int error, const char *why)
{
	bool first;

	if (!b->probe)
		return;
	first = !b->probe->why[0] || (error != -ENOSPC && first_error(b) == -ENOSPC);
	b->probe->error[slot] = error;
	if (first && why)
		snprintf(b->probe->why, sizeof(b->probe->why), "%s", why);
}

/* --- the whole --- */

static bool has_wanted(const struct pmu_msr_build *b, enum pmu_slot_kind kind)
{
	for (unsigned int i = 0; i < b->plan->n_slots; i++)
		if (pmu_msr_wanted(b, i, kind))
			return true;
	return false;
}

/* No counters in any core, and nothing asked for that a socket's registers might have. */
static int check_any_pmu(struct pmu_msr_build *b)
{
	const struct pmu_machine *machine = b->machine;
	const char *why = "";

	for (unsigned int k = 0; k < machine->n_kinds; k++) {
		if (machine->kind[k].family != PMU_PERFMON_NONE)
			return 0;
		if (!why[0])
			why = machine->kind[k].why;
	}
	if (!has_wanted(b, PMU_SLOT_CORE) &&
	    (has_wanted(b, PMU_SLOT_UNCORE) || has_wanted(b, PMU_SLOT_ENERGY)))
		return 0;
	return pmu_fail(ENODEV, "%s has no counters that registers program%s%s",
			machine->id.brand[0] ? machine->id.brand : "this processor",
			why[0] ? ": " : "", why);
}

static int start_build(struct pmu_msr_build *b)
{
	int rc = check_any_pmu(b);

	if (!rc)
		rc = pmu_msr_core_start(b);
	if (!rc)
		rc = pmu_msr_uncore_start(b);
	return rc;
}

/* Socket after socket: what is read there. */
static void add_units(struct pmu_msr_build *b)
{
	for (size_t i = 0; i < b->n_sockets; i++) {
		pmu_msr_uncore_units(b, &b->socket[i]);
		pmu_msr_energy_units(b, &b->socket[i]);
	}
}

static void read_units(struct pmu_msr_build *b)
{
	for (size_t i = 0; i < b->program->n_units; i++) {
		const struct pmu_msr_unit *unit = &b->program->unit[i];

		for (unsigned int c = 0; c < unit->n_counters; c++)
			pmu_msr_add_read(b, unit->cpu, unit->package, unit->counter[c].slot,
					 unit->counter[c].address);
	}
}

static void add_phase(struct pmu_msr_build *b, enum pmu_msr_phase phase)
{
	b->phase = phase;
	b->program->first[phase] = b->program->n_ops;
	pmu_msr_core_add(b);
	pmu_msr_uncore_add(b);
	pmu_msr_energy_add(b);
	if (phase == PMU_MSR_READ)
		read_units(b);
	for (unsigned int next = phase + 1; next <= PMU_MSR_PHASES; next++)
		b->program->first[next] = b->program->n_ops;
}

static void finish_build(struct pmu_msr_build *b)
{
	struct pmu_msr_program *program = b->program;
	uint32_t all = pmu_plan_mask(b->plan);

	for (unsigned int k = 0; k < PMU_MAX_KINDS; k++)
		program->missing[k] = all;
	for (unsigned int k = 0; k < b->machine->n_kinds; k++)
		for (unsigned int i = 0; i < b->core[k].n_chosen; i++)
			program->missing[k] &= ~(1u << b->core[k].chosen[i].slot);
	free(b->cpu);
	free(b->socket);
	free(b->box);
	if (b->taken.failed)
		b->failed = true;
	program->taken = b->taken.text ? b->taken.text : calloc(1, 1);
	if (!program->taken)
		b->failed = true;
	else if (b->stranger)
		program->stranger = program->taken + b->stranger - 1;
}

/* Those that are no registers' at all included. */
static int first_refusal(struct pmu_msr_build *b)
{
	for (unsigned int i = 0; i < b->plan->n_slots; i++)
		if (pmu_msr_wanted(b, i, PMU_SLOT_SOFTWARE))
			pmu_msr_refuse(b, i, -ENOENT,
				       "the kernel counts software events, registers do not");
		else if (pmu_msr_wanted(b, i, PMU_SLOT_SIMULATED))
			pmu_msr_refuse(b, i, -ENOENT, "only valgrind's simulation tells it");
	return first_error(b);
}

void pmu_msr_program_taken(const char *taken, char *text, size_t size)
{
	unsigned int others = 0;
	char more[40] = "";

	for (const char *line = strchr(taken, '\n'); line; line = strchr(line + 1, '\n'))
		others++;
	if (others)
		snprintf(more, sizeof(more), ", and %u more counter%s", others,
			 others > 1 ? "s" : "");
	snprintf(text, size, "%.*s%s", (int)strcspn(taken, "\n"), taken, more);
}

/* How many events fit, and what uses the other counters. */
static void explain_no_counter(struct pmu_msr_build *b)
{
	unsigned int asked = 0, out = 0;
	char taken[240];

	pmu_msr_program_taken(pmu_strbuf_text(&b->taken), taken, sizeof(taken));
	for (unsigned int i = 0; i < b->plan->n_slots; i++) {
		asked += !(b->plan->absent >> i & 1);
		out += b->probe->error[i] == -ENOSPC;
	}
	if (!b->probe->why[0])
		snprintf(b->probe->why, sizeof(b->probe->why),
			 "%u of %u events fit the counters at the same time%s%s", asked - out,
			 asked, taken[0] ? "; " : "", taken);
	snprintf(
		b->probe->mend, sizeof(b->probe->mend), "%s",
		taken[0]
			? "end what else counts on this machine (sysctl kernel.nmi_watchdog=0; perf; another session), "
			  "or ask for fewer events"
			: "ask for fewer events");
}

static int choose_counters(struct pmu_msr_build *b)
{
	int rc;

	pmu_msr_uncore_settle(b);
	pmu_msr_core_taken(b);
	pmu_msr_uncore_taken(b);
	pmu_msr_core_choose(b);
	pmu_msr_uncore_choose(b);
	pmu_msr_energy_choose(b);
	rc = first_refusal(b);
	if (rc == -ENOSPC)
		explain_no_counter(b);
	if (rc)
		return pmu_fail(rc, "%s", b->probe->why);
	add_units(b);
	return 0;
}

/* Not on the stack: a program's thread may have a small one. */
static struct pmu_msr_build *new_build(const struct pmu_machine *machine,
				       const struct pmu_plan *plan, struct pmu_msr_program *program)
{
	struct pmu_msr_build *b = calloc(1, sizeof(*b));

	memset(program, 0, sizeof(*program));
	program->machine = machine;
	if (!b)
		return NULL;
	b->machine = machine;
	b->plan = plan;
	b->program = program;
	return b;
}

#define NO_MEMORY "no memory for the plan of a session"

int pmu_msr_program_look(const struct pmu_machine *machine, const struct pmu_plan *plan,
			 struct pmu_msr_program *program)
{
	struct pmu_msr_build *b = new_build(machine, plan, program);
	int rc;

	if (!b)
		return pmu_fail(ENOMEM, NO_MEMORY);
	rc = start_build(b);
	if (!rc)
		add_phase(b, PMU_MSR_LOOK);
	finish_build(b);
	if (!rc && b->failed)
		rc = pmu_fail(ENOMEM, NO_MEMORY);
	free(b);
	return rc;
}

int pmu_msr_program_make(const struct pmu_machine *machine, const struct pmu_plan *plan,
			 pmu_msr_found found, struct pmu_msr_program *program,
			 struct pmu_probe *probe)
{
	struct pmu_msr_build *b = new_build(machine, plan, program);
	struct pmu_probe unused;
	int rc;

	if (!probe)
		probe = &unused;
	memset(probe, 0, sizeof(*probe));
	if (!b)
		return pmu_fail(ENOMEM, NO_MEMORY);
	b->found = found;
	b->probe = probe;
	rc = start_build(b);
	if (!rc) {
		add_phase(b, PMU_MSR_LOOK);
		rc = b->failed ? 0 : choose_counters(b);
	}
	for (unsigned int phase = PMU_MSR_LOOK + 1; !rc && phase < PMU_MSR_PHASES; phase++)
		add_phase(b, phase);
	finish_build(b);
	if (!rc && b->failed)
		rc = pmu_fail(ENOMEM, NO_MEMORY);
	if (rc && !probe->why[0])
		snprintf(probe->why, sizeof(probe->why), "%s", pmu_error_text());
	free(b);
	return rc;
}

void pmu_msr_program_free(struct pmu_msr_program *program)
{
	free(program->op);
	free(program->unit);
	free(program->taken);
	memset(program, 0, sizeof(*program));
}
