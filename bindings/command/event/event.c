/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu event`: what an event is in bits, on this CPU or another. */
#include "bindings/command/event/event.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/complete/complete.h"
#include "plan/catalog.h"

struct request {
	const char *cpu;
	struct pmu_machine_from from;
	const char *event_files;
	bool json;
	int n_names;
	char **name; /* of argv */
};

/* --- the CPU that has the events --- */

/* Without a vendor the first that has such a family and model. */
static const struct pmu_cpu_model *find_model(const char *vendor, struct pmu_cpu_id *id)
{
	static const char *const vendors[] = { "GenuineIntel", "AuthenticAMD", "HygonGenuine",
					       "CentaurHauls" };
	const struct pmu_cpu_model *model = NULL;

	for (size_t i = 0; i < PMU_ARRAY_LEN(vendors) && !model; i++) {
		if (vendor[0] && strcasecmp(vendor, vendors[i]) != 0)
			continue;
		snprintf(id->vendor, sizeof(id->vendor), "%s", vendors[i]);
		model = pmu_cpu_model_find(id);
	}
	return model;
}

/* "2A", "2AH", "0x2a" at the front of *@text, up to a joint or the end */
static bool take_joint_number(const char **text, int base, uint32_t *number)
{
	unsigned long value;
	char *end;

	if (!isxdigit((unsigned char)**text))
		return false;
	errno = 0;
	value = strtoul(*text, &end, base);
	if (errno || value > 0xffff)
		return false;
	*number = (uint32_t)value;
	if (base == 16 && (*end == 'H' || *end == 'h'))
		end++;
	*text = end;
	return true;
}

static bool take_joint(const char **text)
{
	if (**text != '-' && **text != '_')
		return false;
	++*text;
	return true;
}

/* 0x410fd0c0 and 0x00000000410fd0c0: Arm's MIDR_EL1, as the kernel shows it */
static bool is_midr(const char *text)
{
	size_t digits = !strncasecmp(text, "0x", 2) ? strspn(text + 2, "0123456789abcdefABCDEF")
						    : 0;

	return digits >= 8 && digits <= 16 && !text[2 + digits];
}

/*
 * 6-2A and 06_2AH as Intel's manuals write it, all hexadecimal; GenuineIntel-6-2A and
 * GenuineIntel-6-55-4 as Intel's event files and the kernel's perf do, where the family is decimal.
 */
static const struct pmu_cpu_model *cpu_by_text(const char *text, struct pmu_cpu_id *id)
{
	size_t len = strcspn(text, "-_");
	char vendor[16] = "";

	if (is_midr(text)) {
		pmu_cpu_midr(strtoull(text, NULL, 16), id);
		return id->vendor[0] ? pmu_cpu_model_find(id) : NULL;
	}
	memset(id, 0, sizeof(*id));
	if (!isxdigit((unsigned char)text[0]) || (len > 4 && isalpha((unsigned char)text[0]))) {
		if (len >= sizeof(vendor) || !text[len])
			return NULL;
		memcpy(vendor, text, len);
		text += len + 1;
	}
	if (!take_joint_number(&text, vendor[0] ? 10 : 16, &id->family) || !take_joint(&text) ||
	    !take_joint_number(&text, 16, &id->model))
		return NULL;
	if (*text && (!take_joint(&text) || !take_joint_number(&text, 16, &id->stepping) || *text))
		return NULL;
	return find_model(vendor, id);
}

const struct pmu_cpu_model *pmu_command_cpu(const struct pmu_command *self, const char *text,
					    struct pmu_cpu_id *id)
{
	const struct pmu_cpu_model *model = cpu_by_text(text, id);

	if (!model)
		pmu_command_usage_error(self,
					"no table has a CPU '%s'; write family and model like "
					"6-2A, 06_2AH or GenuineIntel-6-2A, or MIDR_EL1 of Arm's "
					"like 0x410fd0c0",
					text);
	return model;
}

/* "snb::UOPS_ISSUED:ANY" says itself which CPU it is about. */
static const struct pmu_cpu_model *model_of_prefix(const char *name, struct pmu_cpu_id *id)
{
	const char *colons = strstr(name, "::");
	size_t len = colons ? (size_t)(colons - name) : 0;

	for (const struct pmu_cpu_model *model = pmu_cpu_models; len && model->vendor; model++)
		if ((strlen(model->pfm) == len && !strncasecmp(model->pfm, name, len)) ||
		    (strlen(model->pfm_uncore) == len &&
		     !strncasecmp(model->pfm_uncore, name, len))) {
			*id = (struct pmu_cpu_id){ .family = model->family,
						   .model = model->model_first,
						   .stepping = model->stepping_first };
			return model;
		}
	return NULL;
}

/*
 * A machine of which only the model is known: it has what every one of its kind has.  How many
 * general counters that is depends on the part.
 */
static void imagine(const struct pmu_cpu_model *model, const struct pmu_cpu_id *id,
		    struct pmu_machine *machine)
{
	struct pmu_perfmon *perfmon = &machine->kind[0];
	bool intel = strcmp(model->vendor, "AuthenticAMD") != 0 &&
		     strcmp(model->vendor, "HygonGenuine") != 0;

	memset(machine, 0, sizeof(*machine));
	machine->id = *id;
	snprintf(machine->id.vendor, sizeof(machine->id.vendor), "%s", model->vendor);
	machine->model = model;
	machine->recorded = true;
	machine->n_kinds = 1;
	/* Arm's registers are the kernel's alone */
	if (pmu_cpu_arch(&machine->id) != PMU_ARCH_X86)
		return;
	perfmon->family = intel ? PMU_PERFMON_INTEL : PMU_PERFMON_AMD;
	perfmon->version = 3;
	perfmon->general = UINT32_MAX;
	perfmon->fixed = intel ? 0xf : 0;
	perfmon->events = (1u << PMU_ARCH_EVENTS) - 1;
	perfmon->any_thread = perfmon->umask2 = perfmon->equal = intel;
}

/* --- what it is --- */

static enum pmu_select_layout layout_of(const struct pmu_machine *machine,
					const struct pmu_slot *slot)
{
	if (slot->kind == PMU_SLOT_CORE)
		return machine->kind[0].family == PMU_PERFMON_AMD ? PMU_SELECT_AMD
								  : PMU_SELECT_INTEL;
	if (slot->unit == PMU_UNIT_L3)
		return machine->model && machine->model->uncore == PMU_UNCORE_AMD_L3
			       ? PMU_SELECT_AMD_L3
			       : PMU_SELECT_AMD_L3_19H;
	return slot->unit == PMU_UNIT_UNCORE ? PMU_SELECT_UNCORE_NEHALEM : PMU_SELECT_UNCORE_CLIENT;
}

static void look_at_core(const struct pmu_machine *machine, struct pmu_event_view *view)
{
	const struct pmu_slot *slot = &view->event.slot;
	unsigned int kind = 0;
	struct pmu_msr_request request;

	if (machine->id.vendor[0] && pmu_cpu_arch(&machine->id) != PMU_ARCH_X86) {
		snprintf(view->why, sizeof(view->why),
			 "the kernel alone programs this processor's counters");
		return;
	}
	for (unsigned int i = 0; i < machine->n_kinds; i++)
		if (slot->core_types == PMU_SLOT_E && machine->kind[i].core_type == PMU_CORE_E)
			kind = i;
	if (pmu_msr_request(machine, kind, slot, &request)) {
		snprintf(view->why, sizeof(view->why), "%s", pmu_error_text());
		return;
	}
	view->fixed = request.fixed;
	view->has_select = request.selectable;
	if (!request.selectable)
		return;
	request.select.enable = true;
	view->select = pmu_select_encode(view->layout, &request.select);
	view->any = request.general == machine->kind[kind].general;
	view->general = view->any && machine->kind[kind].general == UINT32_MAX ? 0
									       : request.general;
}

static void look_at_uncore(struct pmu_event_view *view)
{
	struct pmu_select select;

	if (view->event.slot.unit == PMU_UNIT_CLOCK || view->event.slot.unit == PMU_UNIT_NONE)
		return;
	pmu_select_decode(view->layout, view->event.slot.config, &select);
	select.enable = true;
	view->select = pmu_select_encode(view->layout, &select);
	view->has_select = view->any = true;
}

static void look_at_event(const struct pmu_machine *machine, struct pmu_event_view *view)
{
	const struct pmu_slot *slot = &view->event.slot;

	view->fixed = -1;
	view->layout = layout_of(machine, slot);
	if (slot->kind == PMU_SLOT_CORE)
		look_at_core(machine, view);
	else if (slot->kind == PMU_SLOT_UNCORE)
		look_at_uncore(view);
}

/* Hybrid: each kind of cores by its own code.  Return: how many there are. */
static size_t add_views(struct pmu_event_view *view)
{
	if (!view->event.slot.e_code.is_set)
		return 1;
	view[1] = view[0];
	pmu_slot_narrow(&view[0].event.slot, PMU_SLOT_P);
	pmu_slot_narrow(&view[1].event.slot, PMU_SLOT_E);
	return 2;
}

static int show_events(const struct request *request, const struct pmu_machine *machine,
		       const struct pmu_cpu_model *model)
{
	struct pmu_catalog catalog = {
		.model = model,
		.event_files = pmu_command_event_files(request->event_files),
		.keep_tables = true,
	};
	struct pmu_event_view *view = calloc(2 * (size_t)request->n_names, sizeof(*view));
	struct pmu_strbuf out = { 0 };
	size_t n = 0;
	int rc = 0;

	if (!view) {
		pmu_command_error("no memory");
		return PMU_EXIT_FAILED;
	}
	if (machine->recorded)
		catalog.id = machine->id;
	for (int i = 0; i < request->n_names && !rc; i++) {
		size_t first = n;

		catalog.said = &view[n].said;
		rc = pmu_event_parse(request->name[i], &catalog, &view[n].event);
		if (rc) {
			pmu_command_error("%s", pmu_error_text());
			break;
		}
		n += add_views(&view[n]);
		for (; first < n; first++) {
			look_at_event(machine, &view[first]);
			if (!request->json)
				pmu_event_view_text(&view[first], machine, &out);
		}
	}
	if (!rc && request->json)
		pmu_event_view_json(view, n, machine, &out);
	free(view);
	pmu_catalog_close(&catalog);
	if (!rc)
		return pmu_command_print(&out);
	pmu_strbuf_free(&out);
	return PMU_EXIT_FAILED;
}

/* The machine by a dump, by its model, by the event's own prefix, or the one we run on. */
static int show_on(const struct pmu_command *self, const struct request *request)
{
	const struct pmu_cpu_model *model = NULL;
	struct pmu_machine imagined, *machine;
	struct pmu_cpu_id id;
	int rc;

	if (request->cpu) {
		model = pmu_command_cpu(self, request->cpu, &id);
		if (!model)
			return PMU_EXIT_USAGE;
	} else if (!request->from.cpuid_file) {
		model = model_of_prefix(request->name[0], &id);
	}
	if (model) {
		imagine(model, &id, &imagined);
		return show_events(request, &imagined, model);
	}
	if (pmu_machine_load(&request->from, &machine)) {
		pmu_command_error("%s", pmu_error_text());
		return PMU_EXIT_FAILED;
	}
	rc = show_events(request, machine, machine->recorded ? machine->model : NULL);
	pmu_machine_free(machine);
	return rc;
}

/* --- options --- */

static const struct pmu_option event_options[] = {
	{ "--cpu", .argument = "FAMILY-MODEL", PMU_OPTION_TEXT(struct request, cpu),
	  .help = "of another CPU: 6-2A or 06_2AH, hexadecimal; GenuineIntel-6-2A or AuthenticAMD-23-31, the family decimal; a stepping may follow; 0x410fd0c0: MIDR_EL1 of an Arm processor" },
	{ "--cpuid", .argument = "DUMP", PMU_OPTION_TEXT(struct request, from.cpuid_file),
	  .complete = pmu_complete_files, .help = "of the CPU whose CPUID dump this file is" },
	{ "--event-files", .argument = "DIR", PMU_OPTION_TEXT(struct request, event_files),
	  .complete = pmu_complete_folders,
	  .help = "with event files: a checkout of intel/perfmon or of Linux; else that of PMU_EVENT_FILES" },
	{ "--json", PMU_OPTION_FLAG(struct request, json), .help = "for programs" },
	{ 0 },
};

static int run_event(const struct pmu_command *self, int argc, char **argv)
{
	struct request request = { .name = calloc((size_t)argc, sizeof(char *)) };
	int rc = 0;

	if (!request.name) {
		pmu_command_error("no memory");
		return PMU_EXIT_FAILED;
	}
	for (int i = 1; i < argc && !rc; i++) {
		if (argv[i][0] == '-')
			rc = pmu_command_option(self, event_options, &request, argv, &i);
		else
			request.name[request.n_names++] = argv[i];
	}
	if (!rc && request.cpu && request.from.cpuid_file)
		rc = pmu_command_usage_error(
			self, "--cpu and --cpuid both say which CPU; one of them is enough");
	if (!rc && !request.n_names)
		rc = pmu_command_usage_error(self, "say which event");
	if (!rc)
		rc = show_on(self, &request);
	free(request.name);
	return rc;
}

const struct pmu_command pmu_command_event = {
	.name = "event",
	.usage = "event [--cpu FAMILY-MODEL | --cpuid DUMP] [--event-files DIR] [--json] EVENT...",
	.about = "an event's encoding on this CPU or another",
	.help = "Prints what each event is in bits: the event select with its fields (USR, OS and EN as\n"
		"the event's level says), the counters that can count it, and what perf_event_open(2)\n"
		"is told.  An event is written as in PMU_EVENTS; 'pmu help events' has the ways.\n",
	.options = event_options,
	.run = run_event,
};
