/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `pmu msr plan` for programs.  Registers' values are hexadecimal strings: JSON numbers do not hold 64
 * bits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bindings/command/json/cpu_id.h"
#include "bindings/command/msr/plan.h"
#include "counters/msr/registers.h"
#include "report/json_put.h"

static void put_msr_value(struct pmu_strbuf *out, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%016" PRIX64, value);
	put_text(out, ", ", name, text);
}

static void put_address(struct pmu_strbuf *out, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%X", value);
	put_text(out, ", ", "address", text);
}

static void put_register(struct pmu_strbuf *out, const struct pmu_machine *machine, uint32_t value)
{
	char text[64];

	pmu_msr_name(machine, value, text, sizeof(text));
	put_text(out, ", ", "register", text);
}

static void put_msr_fields(struct pmu_strbuf *out, const struct pmu_machine *machine,
			   uint32_t where, uint64_t value)
{
	struct pmu_strbuf text = { 0 };

	pmu_msr_fields(machine, where, value, &text);
	put_text(out, ", ", "fields", pmu_strbuf_text(&text));
	out->failed |= text.failed;
	pmu_strbuf_free(&text);
}

static void put_slot_event(struct pmu_strbuf *out, const char *before,
			   const struct pmu_plan_shown *shown, int slot)
{
	put_nullable(out, before, "event", slot < 0 ? NULL : shown->group.event[slot].name);
}

/* The member of a kind or unit, and its end. */
static void put_msr_counters(struct pmu_strbuf *out, const struct pmu_plan_shown *shown,
			     const struct pmu_msr_counter *counter, unsigned int n)
{
	pmu_strbuf_add(out, ", \"counters\": [");
	for (unsigned int i = 0; i < n; i++) {
		next_line(out, !i, "      ");
		put_slot_event(out, "{", shown, counter[i].slot);
		put_register(out, shown->machine, counter[i].address);
		put_address(out, counter[i].address);
		put_u64(out, ", ", "bits", counter[i].bits);
		put_known(out, ", ", "rdpmc", counter[i].rdpmc != UINT32_MAX, counter[i].rdpmc);
		pmu_strbuf_add(out, "}");
	}
	end_list(out, !n, "    ");
	pmu_strbuf_add(out, "}");
}

static void put_plan_kinds(struct pmu_strbuf *out, const struct pmu_plan_shown *shown)
{
	pmu_strbuf_add(out, ",\n  \"kinds\": [");
	for (unsigned int k = 0; k < shown->machine->n_kinds; k++) {
		char type[32];

		pmu_plan_kind_name(shown->machine, k, type, sizeof(type));
		next_line(out, !k, "    ");
		put_text(out, "{", "type", type);
		put_msr_counters(out, shown, shown->program.counter[k],
				 shown->program.n_counters[k]);
	}
	end_list(out, !shown->machine->n_kinds, "  ");
}

static void put_plan_units(struct pmu_strbuf *out, const struct pmu_plan_shown *shown)
{
	pmu_strbuf_add(out, ",\n  \"units\": [");
	for (size_t u = 0; u < shown->program.n_units; u++) {
		const struct pmu_msr_unit *unit = &shown->program.unit[u];

		next_line(out, !u, "    ");
		pmu_strbuf_addf(out, "{\"socket\": %d, \"cpu\": %d", unit->package, unit->cpu);
		put_msr_counters(out, shown, unit->counter, unit->n_counters);
	}
	end_list(out, !shown->program.n_units, "  ");
}

static void put_plan_left_out(struct pmu_strbuf *out, const struct pmu_plan_shown *shown)
{
	bool first = true;

	pmu_strbuf_add(out, ",\n  \"left_out\": [");
	for (unsigned int i = 0; i < shown->fit.plan.n_slots; i++) {
		if (!(shown->fit.plan.absent >> i & 1))
			continue;
		next_line(out, first, "    ");
		put_slot_event(out, "{", shown, (int)i);
		put_text(out, ", ", "why", shown->fit.why[i]);
		pmu_strbuf_add(out, "}");
		first = false;
	}
	end_list(out, first, "  ");
}

static void put_operation(struct pmu_strbuf *out, const struct pmu_plan_shown *shown, size_t i)
{
	const struct pmu_msr_op *op = &shown->program.op[i];
	bool looked = op->phase == PMU_MSR_LOOK && shown->found;
	uint64_t value = looked ? shown->found[i] : op->value;

	put_text(out, "{", "phase", pmu_msr_phase_name((enum pmu_msr_phase)op->phase));
	put_i64(out, ", ", "cpu", op->cpu);
	put_i64(out, ", ", "socket", op->socket);
	put_address(out, op->address);
	put_register(out, shown->machine, op->address);
	put_bool(out, ", ", "write", op->write);
	if (op->write || looked) {
		put_msr_value(out, "value", value);
		put_msr_fields(out, shown->machine, op->address, value);
	}
	if (op->write)
		put_msr_value(out, "mask", op->mask);
	if (op->slot >= 0) {
		put_i64(out, ", ", "slot", op->slot);
		put_slot_event(out, ", ", shown, op->slot);
	}
	pmu_strbuf_add(out, "}");
}

static void put_plan_machine(struct pmu_strbuf *out, const struct pmu_machine *machine)
{
	key(out, ",\n  ", "machine");
	put_cpu_id(out, "{", ", ", &machine->id);
	put_text(out, ", ", "brand", machine->id.brand);
	put_u64(out, ", ", "processors", machine->n_cpus);
	put_u64(out, ", ", "cores", machine->n_cores);
	put_u64(out, ", ", "sockets", machine->n_packages);
	pmu_strbuf_add(out, "}");
}

void pmu_plan_json(const struct pmu_plan_shown *shown, struct pmu_strbuf *out)
{
	put_u64(out, "{\n  ", "pmu_plan", 1);
	put_plan_machine(out, shown->machine);
	put_text(out, ",\n  ", "group", shown->group.name);
	put_bool(out, ",\n  ", "looked", shown->found);
	put_nullable(out, ",\n  ", "not_looked", shown->found ? NULL : shown->unlooked);
	put_plan_kinds(out, shown);
	put_plan_units(out, shown);
	put_plan_left_out(out, shown);
	put_lines(out, ",\n  ", "left_alone", shown->program.taken);
	pmu_strbuf_add(out, ",\n  \"operations\": [");
	for (size_t i = 0; i < shown->program.n_ops; i++) {
		next_line(out, !i, "    ");
		put_operation(out, shown, i);
	}
	end_list(out, !shown->program.n_ops, "  ");
	pmu_strbuf_add(out, "\n}\n");
}
