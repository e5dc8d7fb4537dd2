/* SPDX-License-Identifier: BSD-3-Clause */
/* The two faces of `pmu event`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bindings/command/event/event.h"
#include "bindings/command/json/cpu_id.h"
#include "report/json_put.h"

/* --- fields --- */

/* One field of an event select by its name; flags have the value 1. */
struct event_field {
	const char *name;
	bool flag;
	unsigned int value;
};
#define MOST_FIELDS 24

/* Those that are not 0.  Return: how many. */
static size_t fields_of_view(const struct pmu_event_view *view, struct event_field *field)
{
	struct pmu_select s;
	size_t n = 0;

	pmu_select_decode(view->layout, view->select, &s);
	const struct event_field all[] = {
		{ "event", false, s.event },
		{ "umask", false, s.umask },
		{ "umask2", false, s.umask2 },
		{ "cmask", false, s.cmask },
		{ "slices", false, s.slices },
		{ "slice", false, s.slice },
		{ "core", false, s.core },
		{ "threads", false, s.threads },
		{ "USR", true, s.user },
		{ "OS", true, s.os },
		{ "edge", true, s.edge },
		{ "PC", true, s.pin_control },
		{ "INT", true, s.interrupt },
		{ "ANY", true, s.any_thread },
		{ "EN", true, s.enable },
		{ "INV", true, s.invert },
		{ "IN_TX", true, s.in_tx },
		{ "IN_TXCP", true, s.in_txcp },
		{ "EQ", true, s.equal },
		{ "guest", true, s.guest_only },
		{ "host", true, s.host_only },
		{ "all slices", true, s.all_slices },
		{ "all cores", true, s.all_cores },
	};

	_Static_assert(PMU_ARRAY_LEN(all) <= MOST_FIELDS, "all of them fit");
	for (size_t i = 0; i < PMU_ARRAY_LEN(all); i++)
		if (all[i].value || i < 2)
			field[n++] = all[i];
	return n;
}

static const char *level_of_slot(const struct pmu_slot *slot)
{
	if (slot->kind == PMU_SLOT_NVML)
		return "whole machine";
	if (pmu_slot_is_socket(slot))
		return "whole socket";
	if (slot->user && slot->kernel)
		return "user level and kernel";
	return slot->user ? "user level" : "kernel";
}

static const char *boxes_of_slot(const struct pmu_slot *slot)
{
	static const char *const names[PMU_UNITS] = {
		[PMU_UNIT_UNCORE] = "any counter of the uncore",
		[PMU_UNIT_CLOCK] = "the fixed counter of the uncore's clock",
		[PMU_UNIT_CBO] = "each slice of the last level cache (CBo), added up",
		[PMU_UNIT_ARB] = "the arbiter of requests to memory (ARB)",
		[PMU_UNIT_L3] = "each level 3 cache of the socket, added up",
	};

	if (slot->kind == PMU_SLOT_SOFTWARE)
		return "the kernel";
	if (slot->kind == PMU_SLOT_SIMULATED)
		return "valgrind's simulation (pmu run --emulate)";
	if (slot->kind == PMU_SLOT_ENERGY)
		return "the socket's energy counter";
	if (slot->kind == PMU_SLOT_NVML)
		return "the driver of NVIDIA's cards";
	return slot->unit < PMU_UNITS ? names[slot->unit] : "";
}

/* --- text --- */

static void add_select(const struct pmu_event_view *view, struct pmu_strbuf *out)
{
	struct event_field field[MOST_FIELDS];
	size_t n = fields_of_view(view, field);

	pmu_strbuf_addf(out,
			view->select >> 32 ? "  select       0x%016" PRIX64 "  "
					   : "  select       0x%08" PRIX64 "  ",
			view->select);
	for (size_t i = 0; i < n; i++) {
		pmu_strbuf_addf(out, "%s%s", i ? ", " : "", field[i].name);
		if (!field[i].flag)
			pmu_strbuf_addf(out, " %02XH", field[i].value);
	}
	pmu_strbuf_add(out, "\n");
}

static void add_counters(const struct pmu_event_view *view, struct pmu_strbuf *out)
{
	const char *joint = "";

	pmu_strbuf_add(out, "  counted by   ");
	if (view->event.slot.kind != PMU_SLOT_CORE) {
		const char *box = boxes_of_slot(&view->event.slot);

		pmu_strbuf_addf(out, "%s\n", *box ? box : view->event.slot.pmu);
		return;
	}
	if (view->fixed >= 0) {
		pmu_strbuf_addf(out, "fixed counter %d", view->fixed);
		joint = ", ";
	}
	if (view->has_select && view->any) {
		pmu_strbuf_addf(out, "%sany general counter", joint);
	} else if (view->has_select) {
		pmu_strbuf_addf(out, "%sgeneral counter", joint);
		joint = " ";
		for (unsigned int i = 0; i < 32; i++) {
			if (view->general >> i & 1) {
				pmu_strbuf_addf(out, "%s%u", joint, i);
				joint = ", ";
			}
		}
	}
	if (view->why[0])
		pmu_strbuf_addf(out, "no register: %s", view->why);
	pmu_strbuf_add(out, "\n");
}

static void add_perf(const struct pmu_slot *slot, struct pmu_strbuf *out)
{
	bool socket = pmu_slot_is_socket(slot);

	if (slot->type == PMU_TYPE_NONE && !slot->pmu[0])
		return;
	if (slot->type == PMU_TYPE_NONE)
		pmu_strbuf_addf(out, "  perf_event   type of %s, config 0x%" PRIx64, slot->pmu,
				slot->config);
	else
		pmu_strbuf_addf(out, "  perf_event   type %u, config 0x%" PRIx64, slot->type,
				slot->config);
	if (slot->config1)
		pmu_strbuf_addf(out, ", config1 0x%" PRIx64, slot->config1);
	if (slot->config2)
		pmu_strbuf_addf(out, ", config2 0x%" PRIx64, slot->config2);
	if (socket) {
		pmu_strbuf_add(out, "\n");
		return;
	}
	pmu_strbuf_addf(out, "%s%s\n", slot->user ? "" : ", exclude_user",
			slot->kernel ? "" : ", exclude_kernel");
}

static void add_cpu(const struct pmu_machine *machine, struct pmu_strbuf *out)
{
	if (machine->model)
		pmu_strbuf_addf(out, "%s (%02X_%02XH)", machine->model->microarchitecture,
				machine->id.family, machine->id.model);
	else if (machine->id.vendor[0])
		pmu_strbuf_addf(out, "%s %02X_%02XH", machine->id.vendor, machine->id.family,
				machine->id.model);
	else
		pmu_strbuf_add(out, "this CPU");
}

static void add_said(const struct pmu_vendor_event *said, struct pmu_strbuf *out)
{
	if (!said->name)
		return;
	if (said->deprecated)
		pmu_strbuf_addf(out, "  deprecated   %s%s\n",
				said->successor ? "the same is " : "by Intel",
				said->successor ? said->successor : "");
	if (said->errata[0]) {
		pmu_strbuf_add(out, "  errata       ");
		pmu_encode_line(out, said->errata);
		pmu_strbuf_add(out, "\n");
	}
}

void pmu_event_view_text(const struct pmu_event_view *view, const struct pmu_machine *machine,
			 struct pmu_strbuf *out)
{
	const struct pmu_slot *slot = &view->event.slot;

	if (out->len)
		pmu_strbuf_add(out, "\n");
	/* event files may hold anything */
	pmu_encode_line(out, view->event.name);
	pmu_strbuf_addf(out, "%s%s%s, %s, on ", view->event.unit[0] ? " [" : "", view->event.unit,
			view->event.unit[0] ? "]" : "", level_of_slot(slot));
	add_cpu(machine, out);
	if (slot->core_types)
		pmu_strbuf_add(out, slot->core_types == PMU_SLOT_P ? ", P cores" : ", E cores");
	pmu_strbuf_add(out, "\n");
	if (view->has_select)
		add_select(view, out);
	if (slot->extra)
		pmu_strbuf_addf(out, "  and          0x%08" PRIX64 "  in register %XH\n",
				slot->extra_value, slot->extra);
	add_counters(view, out);
	add_perf(slot, out);
	add_said(&view->said, out);
}

/* --- JSON --- */

/* A string, for 64 bits do not fit into every reader's numbers. */
static void put_hex(struct pmu_strbuf *out, const char *name, bool known, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	put_nullable(out, ", ", name, known ? text : NULL);
}

/* The number of a PMU's type is another one at each boot: then it is given by its name. */
static void put_perf(struct pmu_strbuf *out, const struct pmu_slot *slot)
{
	bool numbered = slot->type != PMU_TYPE_NONE;

	if (!numbered && !slot->pmu[0]) {
		put_null(out, ", ", "perf_event");
		return;
	}
	key(out, ", ", "perf_event");
	put_known(out, "{", "type", numbered, slot->type);
	if (slot->pmu[0])
		put_text(out, ", ", "pmu", slot->pmu);
	put_hex(out, "config", true, slot->config);
	put_hex(out, "config1", true, slot->config1);
	if (slot->config2)
		put_hex(out, "config2", true, slot->config2);
	pmu_strbuf_add(out, "}");
}

static void put_fields(struct pmu_strbuf *out, const struct pmu_event_view *view)
{
	struct event_field field[MOST_FIELDS];
	size_t n = fields_of_view(view, field);

	key(out, ", ", "fields");
	for (size_t i = 0; i < n; i++)
		if (field[i].flag)
			put_bool(out, i ? ", " : "{", field[i].name, true);
		else
			put_u64(out, i ? ", " : "{", field[i].name, field[i].value);
	pmu_strbuf_add(out, "}");
}

static void put_general(struct pmu_strbuf *out, const struct pmu_event_view *view)
{
	bool any = view->has_select &&
		   (view->event.slot.kind != PMU_SLOT_CORE || (view->any && !view->general));
	const char *before = "";

	if (any) {
		put_text(out, ", ", "general", "any");
		return;
	}
	pmu_strbuf_add(out, ", \"general\": [");
	for (unsigned int i = 0; view->has_select && i < 32; i++) {
		if (!(view->general >> i & 1))
			continue;
		pmu_strbuf_addf(out, "%s%u", before, i);
		before = ", ";
	}
	pmu_strbuf_add(out, "]");
}

static void put_said(struct pmu_strbuf *out, const struct pmu_vendor_event *said)
{
	put_bool(out, ", ", "deprecated", said->name && said->deprecated);
	put_nullable(out, ", ", "successor", said->name ? said->successor : NULL);
	put_known_text(out, ", ", "errata", said->name ? said->errata : NULL);
}

static void put_view(struct pmu_strbuf *out, const struct pmu_event_view *view)
{
	static const char *const kinds[] = {
		[PMU_SLOT_CORE] = "core",           [PMU_SLOT_SOFTWARE] = "software",
		[PMU_SLOT_UNCORE] = "uncore",       [PMU_SLOT_ENERGY] = "energy",
		[PMU_SLOT_SIMULATED] = "simulated", [PMU_SLOT_NVML] = "nvml",
	};
	const struct pmu_slot *slot = &view->event.slot;

	put_text(out, "{", "name", view->event.name);
	put_text(out, ", ", "unit", view->event.unit);
	put_text(out, ", ", "kind", kinds[slot->kind]);
	put_nullable(out, ", ", "cores",
		     !slot->core_types                ? NULL
		     : slot->core_types == PMU_SLOT_P ? "P"
						      : "E");
	put_bool(out, ", ", "user", slot->user);
	put_bool(out, ", ", "kernel", slot->kernel);
	put_hex(out, "select", view->has_select, view->select);
	if (view->has_select)
		put_fields(out, view);
	else
		put_null(out, ", ", "fields");
	put_general(out, view);
	put_i64(out, ", ", "fixed", view->fixed);
	put_known_text(out, ", ", "why", view->why);
	put_hex(out, "register", slot->extra, slot->extra);
	put_hex(out, "register_value", slot->extra, slot->extra_value);
	put_perf(out, slot);
	put_said(out, &view->said);
	pmu_strbuf_add(out, "}");
}

void pmu_event_view_json(const struct pmu_event_view *view, size_t n,
			 const struct pmu_machine *machine, struct pmu_strbuf *out)
{
	key(out, "{\n  ", "cpu");
	put_cpu_id(out, "{", ", ", &machine->id);
	put_text(out, ", ", "microarchitecture",
		 machine->model ? machine->model->microarchitecture : "");
	pmu_strbuf_add(out, "},\n  \"events\": [");
	for (size_t i = 0; i < n; i++) {
		next_line(out, !i, "    ");
		put_view(out, &view[i]);
	}
	end_list(out, !n, "  ");
	pmu_strbuf_add(out, "\n}\n");
}
