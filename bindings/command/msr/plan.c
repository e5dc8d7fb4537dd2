/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu msr plan`: which registers a session would read and write, in which order. */
#include "bindings/command/msr/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/msr/msr.h"
#include "counters/msr/device.h"
#include "plan/catalog.h"

static int load_group(const struct pmu_command_msr *request, const struct pmu_machine *machine,
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

static void look_at_registers(struct pmu_plan_shown *shown, const struct pmu_machine_from *from)
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

static int show_plan(const struct pmu_command_msr *request, const struct pmu_machine_from *from,
		     struct pmu_plan_shown *shown, struct pmu_strbuf *out)
{
	int rc = load_group(request, shown->machine, &shown->group);

	if (rc)
		return rc;
	pmu_group_plan(&shown->group, &shown->fit.plan);
	look_at_registers(shown, from);
	shown->fit.why = shown->why;
	rc = pmu_fit(&shown->group, true, true, make, shown, &shown->fit);
	if (rc)
		return pmu_fail(rc, "%s", shown->fit.first.why);
	if (request->json)
		pmu_plan_json(shown, out);
	else
		pmu_plan_text(shown, request->all, out);
	return 0;
}

int pmu_command_msr_plan(const struct pmu_command *self, const struct pmu_command_msr *request)
{
	struct pmu_plan_shown shown = { .machine = NULL };
	struct pmu_machine_from from = request->from;
	struct pmu_machine *machine = NULL;
	struct pmu_strbuf out = { 0 };
	int rc;

	if (request->events && request->group)
		return pmu_command_usage_error(self, "events or a group, not both");
	pmu_command_machine_else(&from);
	if (request->device)
		from.msr_device = request->device;
	rc = pmu_machine_load(&from, &machine);
	shown.machine = machine;
	if (!rc)
		rc = show_plan(request, &from, &shown, &out);
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
