/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `pmu msr plan` for programs.  Registers' values are hexadecimal strings: JSON numbers do not hold 64
 * bits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bindings/command/json/made.h"
#include "bindings/command/msr/plan.h"
#include "counters/msr/registers.h"

static json_t *msr_hex(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%016" PRIX64, value);
	return json_string(text);
}

static json_t *address(uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%X", value);
	return json_string(text);
}

static json_t *name(const struct pmu_machine *machine, uint32_t value)
{
	char text[64];

	pmu_msr_name(machine, value, text, sizeof(text));
	return json_string(text);
}

static json_t *fields(const struct pmu_machine *machine, uint32_t where, uint64_t value)
{
	struct pmu_strbuf text = { 0 };
	json_t *string;

	pmu_msr_fields(machine, where, value, &text);
	string = json_string(pmu_strbuf_text(&text));
	pmu_strbuf_free(&text);
	return string;
}

static json_t *slot_event_name(const struct pmu_plan_shown *shown, int slot)
{
	return slot < 0 ? json_null() : json_string(shown->group.event[slot].name);
}

static json_t *counter_object(const struct pmu_plan_shown *shown,
			      const struct pmu_msr_counter *counter)
{
	return json_pack("{s:o, s:o, s:o, s:i, s:o}", "event",
			 slot_event_name(shown, counter->slot), "register",
			 name(shown->machine, counter->address), "address",
			 address(counter->address), "bits", (int)counter->bits, "rdpmc",
			 counter->rdpmc == UINT32_MAX ? json_null()
						      : json_integer((json_int_t)counter->rdpmc));
}

static json_t *plan_kinds(const struct pmu_plan_shown *shown)
{
	json_t *array = json_array();

	for (unsigned int k = 0; k < shown->machine->n_kinds; k++) {
		json_t *counters = json_array();
		char type[32];

		pmu_plan_kind_name(shown->machine, k, type, sizeof(type));
		for (unsigned int i = 0; i < shown->program.n_counters[k]; i++)
			json_array_append_new(counters,
					      counter_object(shown, &shown->program.counter[k][i]));
		json_array_append_new(array,
				      json_pack("{s:s, s:o}", "type", type, "counters", counters));
	}
	return array;
}

static json_t *units(const struct pmu_plan_shown *shown)
{
	json_t *array = json_array();

	for (size_t u = 0; u < shown->program.n_units; u++) {
		const struct pmu_msr_unit *unit = &shown->program.unit[u];
		json_t *counters = json_array();

		for (unsigned int i = 0; i < unit->n_counters; i++)
			json_array_append_new(counters, counter_object(shown, &unit->counter[i]));
		json_array_append_new(array, json_pack("{s:i, s:i, s:o}", "socket", unit->package,
						       "cpu", unit->cpu, "counters", counters));
	}
	return array;
}

static json_t *left_out(const struct pmu_plan_shown *shown)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < shown->fit.plan.n_slots; i++)
		if (shown->fit.plan.absent >> i & 1)
			json_array_append_new(array, json_pack("{s:o, s:s}", "event",
							       slot_event_name(shown, (int)i),
							       "why", shown->fit.why[i]));
	return array;
}

static json_t *left_alone(const struct pmu_plan_shown *shown)
{
	const char *at = shown->program.taken ? shown->program.taken : "";
	json_t *array = json_array();

	while (*at) {
		size_t len = strcspn(at, "\n");

		json_array_append_new(array, json_stringn(at, len));
		at += len + (at[len] == '\n');
	}
	return array;
}

static json_t *operation(const struct pmu_plan_shown *shown, size_t i)
{
	const struct pmu_msr_op *op = &shown->program.op[i];
	bool looked = op->phase == PMU_MSR_LOOK && shown->found;
	uint64_t value = looked ? shown->found[i] : op->value;
	json_t *object = json_pack("{s:s, s:i, s:o, s:o, s:o, s:b}", "phase",
				   pmu_msr_phase_name((enum pmu_msr_phase)op->phase), "cpu",
				   (int)op->cpu, "socket",
				   op->socket < 0 ? json_null() : json_integer(op->socket),
				   "address", address(op->address), "register",
				   name(shown->machine, op->address), "write", (int)op->write);

	if (op->write || looked) {
		json_object_set_new(object, "value", msr_hex(value));
		json_object_set_new(object, "fields", fields(shown->machine, op->address, value));
	}
	if (op->write)
		json_object_set_new(object, "mask", msr_hex(op->mask));
	if (op->slot >= 0) {
		json_object_set_new(object, "slot", json_integer(op->slot));
		json_object_set_new(object, "event", slot_event_name(shown, op->slot));
	}
	return object;
}

static json_t *operations(const struct pmu_plan_shown *shown)
{
	json_t *array = json_array();

	for (size_t i = 0; i < shown->program.n_ops; i++)
		json_array_append_new(array, operation(shown, i));
	return array;
}

static json_t *plan_machine_object(const struct pmu_machine *machine)
{
	return json_pack("{s:s, s:i, s:i, s:i, s:s, s:i, s:i, s:i}", "vendor", machine->id.vendor,
			 "family", (int)machine->id.family, "model", (int)machine->id.model,
			 "stepping", (int)machine->id.stepping, "brand", machine->id.brand,
			 "processors", (int)machine->n_cpus, "cores", (int)machine->n_cores,
			 "sockets", (int)machine->n_packages);
}

int pmu_plan_json(const struct pmu_plan_shown *shown, struct pmu_strbuf *out)
{
	json_t *root = json_pack("{s:i, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "pmu_plan",
				 1, "machine", plan_machine_object(shown->machine), "group",
				 shown->group.name, "looked", shown->found != NULL, "not_looked",
				 shown->found ? json_null() : json_string(shown->unlooked), "kinds",
				 plan_kinds(shown), "units", units(shown), "left_out",
				 left_out(shown), "left_alone", left_alone(shown), "operations",
				 operations(shown));

	return pmu_json_made(root, JSON_INDENT(1), out);
}
