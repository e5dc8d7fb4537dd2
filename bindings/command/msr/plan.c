/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu plan`: which registers a session would read and write, in which order. */
#include "bindings/command/msr/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/complete/complete.h"
#include "counters/msr/device.h"
#include "group/catalog.h"

struct request {
	struct pmu_machine_from from;
	const char *events, *group, *event_files;
	bool all, json;
};

/* --- the command line --- */

static const struct pmu_option plan_options[] = {
	{ "--events", 'e', "EVENTS", PMU_OPTION_TEXT(struct request, events),
	  .complete = pmu_complete_events, .help = "as in PMU_EVENTS" },
	{ "--group", 'g', "GROUP", PMU_OPTION_TEXT(struct request, group),
	  .complete = pmu_complete_groups, .help = "as in PMU_GROUP; CORE without either" },
	{ "--cpuid", .argument = "DUMP", PMU_OPTION_TEXT(struct request, from.cpuid_file),
	  .complete = pmu_complete_files,
	  .help = "for another machine: its CPUID leaves as text, see 'pmu help info'" },
	{ "--topology", .argument = "XML", PMU_OPTION_TEXT(struct request, from.topology),
	  .complete = pmu_complete_files, .help = "its topology, as 'lstopo --of xml' writes it" },
	{ "--event-files", .argument = "DIR", PMU_OPTION_TEXT(struct request, event_files),
	  .complete = pmu_complete_folders,
	  .help = "with event files: a checkout of intel/perfmon or of Linux; else that of PMU_EVENT_FILES" },
	{ "--all", PMU_OPTION_FLAG(struct request, all),
	  .help = "a line for each operation, in their order, instead of one for all processors that do the same" },
	{ "--json", PMU_OPTION_FLAG(struct request, json),
	  .help = "for programs: every operation" },
	{ NULL },
};

static int parse(const struct pmu_command *self, int argc, char **argv, struct request *request)
{
	for (int i = 1; i < argc; i++) {
		int rc = pmu_command_option(self, plan_options, request, argv, &i);

		if (rc)
			return rc;
	}
	if (request->events && request->group)
		return pmu_command_usage_error(self, "events or a group, not both");
	return 0;
}

/* --- the plan --- */

static int load_group(const struct request *request, const struct pmu_machine *machine,
		      struct pmu_group *group)
{
	/* a machine that no table has is not the one we run on */
	static const struct pmu_cpu_model unknown = { .vendor = "",
						      .microarchitecture = "",
						      .codename = "",
						      .pfm = "",
						      .pfm_e = "",
						      .pfm_uncore = "" };
	struct pmu_catalog catalog = { .model = machine->model ? machine->model : &unknown,
				       .id = machine->id,
				       .event_files = pmu_command_event_files(
					       request->event_files) };
	int rc;

	pmu_command_machine_numbers(machine, &catalog);
	if (request->events)
		rc = pmu_group_from_events(request->events, &catalog, group);
	else
		rc = pmu_group_find(request->group ? request->group : "CORE", &catalog, group);
	pmu_catalog_close(&catalog);
	if (!rc && group->groups[0])
		rc = pmu_fail(EINVAL, "group %s stands for %s: a plan is of one of them",
			      group->name, group->groups);
	else if (!rc && !group->n_events)
		rc = pmu_fail(EINVAL, "group %s counts no events", group->name);
	return rc;
}

/* Reads every register that the plan depends on.  0, or a negative errno with a sentence. */
static int read_registers(struct pmu_plan_shown *shown, const struct pmu_machine_from *from)
{
	struct pmu_msr_fault fault = { 0 };
	struct pmu_msr_device device;
	struct pmu_msr_program look;
	int rc = pmu_msr_device_try(from);

	if (rc)
		return rc;
	rc = pmu_msr_program_look(shown->machine, &shown->fit.plan, &look);
	if (!rc)
		rc = pmu_msr_device_open(&device, shown->machine, from);
	if (rc) {
		pmu_msr_program_free(&look);
		return rc;
	}
	shown->found = calloc(look.n_ops + 1, sizeof(*shown->found));
	rc = shown->found
		     ? pmu_msr_device_run(&device, look.op, look.n_ops, shown->found, false, &fault)
		     : -ENOMEM;
	if (rc)
		rc = pmu_fail(rc, "cannot read register %XH of CPU %d: %s", fault.op.address,
			      fault.op.cpu, strerror(-rc));
	pmu_msr_device_close(&device);
	pmu_msr_program_free(&look);
	return rc;
}

static void look(struct pmu_plan_shown *shown, const struct pmu_machine_from *from)
{
	if (shown->machine->recorded && !from->msr_device) {
		snprintf(shown->unlooked, sizeof(shown->unlooked),
			 "this is another machine's description");
		return;
	}
	if (read_registers(shown, from)) {
		free(shown->found);
		shown->found = NULL;
		snprintf(shown->unlooked, sizeof(shown->unlooked), "%s", pmu_error_text());
	}
}

static int make(void *arg, const struct pmu_plan *plan, struct pmu_probe *probe)
{
	struct pmu_plan_shown *shown = arg;

	pmu_msr_program_free(&shown->program);
	return pmu_msr_program_make(shown->machine, plan, shown->found, &shown->program, probe);
}

static int show(const struct request *request, struct pmu_plan_shown *shown, struct pmu_strbuf *out)
{
	int rc = load_group(request, shown->machine, &shown->group);

	if (rc)
		return rc;
	pmu_group_plan(&shown->group, &shown->fit.plan);
	look(shown, &request->from);
	shown->fit.why = shown->why;
	rc = pmu_fit(&shown->group, true, true, make, shown, &shown->fit);
	if (rc)
		return pmu_fail(rc, "%s", shown->fit.first.why);
	if (request->json)
		return pmu_plan_json(shown, out);
	pmu_plan_text(shown, request->all, out);
	return 0;
}

static int run_plan(const struct pmu_command *self, int argc, char **argv)
{
	struct request request = { .all = false };
	struct pmu_plan_shown shown = { .machine = NULL };
	struct pmu_machine *machine = NULL;
	struct pmu_strbuf out = { 0 };
	int rc = parse(self, argc, argv, &request);

	if (rc)
		return rc;
	pmu_command_machine_else(&request.from);
	rc = pmu_machine_load(&request.from, &machine);
	shown.machine = machine;
	if (!rc)
		rc = show(&request, &shown, &out);
	if (rc)
		pmu_command_error("%s", pmu_error_text());
	pmu_msr_program_free(&shown.program);
	free(shown.found);
	if (machine)
		pmu_machine_free(machine);
	if (!rc)
		return pmu_command_print(&out);
	pmu_strbuf_free(&out);
	return PMU_EXIT_FAILED;
}

const struct pmu_command pmu_command_plan = {
	.name = "plan",
	.usage =
		"plan [-e EVENTS | -g GROUP] [--cpuid DUMP] [--topology XML] [--event-files DIR] [--all] [--json]",
	.about = "show which registers the source msr would program, in which order",
	.help = "Registers are read, where they can be, to see which counters are free; nothing is written.\n",
	.options = plan_options,
	.run = run_plan,
};
