/* SPDX-License-Identifier: BSD-3-Clause */
/* The two faces of `pmu event`. */
#include <inttypes.h>
#include <string.h>

#include "bindings/command/event/event.h"
#include "bindings/command/json/made.h"
#include "report/encode.h"

/* --- fields --- */

size_t pmu_event_view_fields(const struct pmu_event_view *view, struct pmu_event_field *field)
{
	struct pmu_select s;
	size_t n = 0;

	pmu_select_decode(view->layout, view->select, &s);
	const struct pmu_event_field all[] = {
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

	_Static_assert(PMU_ARRAY_LEN(all) <= PMU_EVENT_MAX_FIELDS, "all of them fit");
	for (size_t i = 0; i < PMU_ARRAY_LEN(all); i++)
		if (all[i].value || i < 2)
			field[n++] = all[i];
	return n;
}

const char *pmu_event_view_level(const struct pmu_slot *slot)
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
	struct pmu_event_field field[PMU_EVENT_MAX_FIELDS];
	size_t n = pmu_event_view_fields(view, field);

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
			view->event.unit[0] ? "]" : "", pmu_event_view_level(slot));
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

/* 64 bits do not fit into every reader's numbers. */
static json_t *event_hex(uint64_t value)
{
	return json_sprintf("0x%" PRIx64, value);
}

/* The number of a PMU's type is another one at each boot: then it is given by its name. */
static json_t *json_perf(const struct pmu_slot *slot)
{
	if (slot->type == PMU_TYPE_NONE && !slot->pmu[0])
		return json_null();
	return json_pack("{s:o, s:o*, s:o, s:o, s:o*}", "type",
			 slot->type == PMU_TYPE_NONE ? json_null()
						     : json_integer((json_int_t)slot->type),
			 "pmu", slot->pmu[0] ? json_string(slot->pmu) : NULL, "config",
			 event_hex(slot->config), "config1", event_hex(slot->config1), "config2",
			 slot->config2 ? event_hex(slot->config2) : NULL);
}

static json_t *json_fields(const struct pmu_event_view *view)
{
	struct pmu_event_field field[PMU_EVENT_MAX_FIELDS];
	size_t n = pmu_event_view_fields(view, field);
	json_t *object = json_object();

	for (size_t i = 0; i < n; i++)
		json_object_set_new(object, field[i].name,
				    field[i].flag ? json_true()
						  : json_integer((json_int_t)field[i].value));
	return object;
}

static json_t *json_counters(const struct pmu_event_view *view)
{
	json_t *array;

	if (view->event.slot.kind != PMU_SLOT_CORE || !view->has_select ||
	    (view->any && !view->general))
		return view->has_select ? json_string("any") : json_array();
	array = json_array();
	for (unsigned int i = 0; i < 32; i++)
		if (view->general >> i & 1)
			json_array_append_new(array, json_integer((json_int_t)i));
	return array;
}

static json_t *json_view(const struct pmu_event_view *view)
{
	static const char *const kinds[] = {
		[PMU_SLOT_CORE] = "core",           [PMU_SLOT_SOFTWARE] = "software",
		[PMU_SLOT_UNCORE] = "uncore",       [PMU_SLOT_ENERGY] = "energy",
		[PMU_SLOT_SIMULATED] = "simulated", [PMU_SLOT_NVML] = "nvml",
	};
	const struct pmu_slot *slot = &view->event.slot;
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(view->event.name));
	json_object_set_new(object, "unit", json_string(view->event.unit));
	json_object_set_new(object, "kind", json_string(kinds[slot->kind]));
	json_object_set_new(object, "cores",
			    slot->core_types
				    ? json_string(slot->core_types == PMU_SLOT_P ? "P" : "E")
				    : json_null());
	json_object_set_new(object, "user", json_boolean(slot->user));
	json_object_set_new(object, "kernel", json_boolean(slot->kernel));
	json_object_set_new(object, "select",
			    view->has_select ? event_hex(view->select) : json_null());
	json_object_set_new(object, "fields", view->has_select ? json_fields(view) : json_null());
	json_object_set_new(object, "general", json_counters(view));
	json_object_set_new(object, "fixed",
			    view->fixed >= 0 ? json_integer(view->fixed) : json_null());
	json_object_set_new(object, "why", pmu_json_known_text(view->why));
	json_object_set_new(object, "register", slot->extra ? event_hex(slot->extra) : json_null());
	json_object_set_new(object, "register_value",
			    slot->extra ? event_hex(slot->extra_value) : json_null());
	json_object_set_new(object, "perf_event", json_perf(slot));
	json_object_set_new(object, "deprecated",
			    json_boolean(view->said.name && view->said.deprecated));
	json_object_set_new(object, "successor",
			    view->said.name && view->said.successor
				    ? json_string(view->said.successor)
				    : json_null());
	json_object_set_new(object, "errata",
			    view->said.name && view->said.errata[0] ? json_string(view->said.errata)
								    : json_null());
	return object;
}

int pmu_event_view_json(const struct pmu_event_view *view, size_t n,
			const struct pmu_machine *machine, struct pmu_strbuf *out)
{
	json_t *events = json_array();
	json_t *root;

	for (size_t i = 0; i < n; i++)
		json_array_append_new(events, json_view(&view[i]));
	root = json_pack("{s:{s:s, s:i, s:i, s:i, s:s}, s:o}", "cpu", "vendor", machine->id.vendor,
			 "family", (int)machine->id.family, "model", (int)machine->id.model,
			 "stepping", (int)machine->id.stepping, "microarchitecture",
			 machine->model ? machine->model->microarchitecture : "", "events", events);
	return pmu_json_made(root, JSON_INDENT(2), out);
}
