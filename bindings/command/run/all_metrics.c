/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu run --all-metrics`: every group that can be counted here, in turns. */
#include <stdlib.h>
#include <string.h>

#include "bindings/command/command.h"
#include "bindings/command/list/list.h"
#include "bindings/command/run/run.h"
#include "counters/backend.h"
#include "plan/group.h"

/* It stands for groups that are in the list themselves, or counts nothing. */
static bool is_left_out(const char *name)
{
	static const char *const names[] = { "TIME", "TOPDOWN", "TMA1", "TMA2", "TMA3", "TMA4" };

	for (size_t i = 0; i < PMU_ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Under valgrind it is not this machine that counts. */
static bool is_simulated_event(const char *name, struct pmu_catalog *catalog, bool fast)
{
	struct pmu_group *group = calloc(1, sizeof(*group));
	struct pmu_plan plan;
	struct pmu_probe probe;
	bool can = false;

	if (group && !pmu_group_find(name, catalog, group) && group->n_events) {
		pmu_group_plan(group, &plan);
		plan.emulated = fast ? PMU_EMULATION_FAST : PMU_EMULATION_FULL;
		can = !pmu_backend_valgrind.probe(&plan, &probe);
	}
	free(group);
	return can;
}

static bool is_countable(const struct pmu_run_request *request, const struct pmu_list_row *row,
			 struct pmu_catalog *catalog)
{
	if (is_left_out(row->name))
		return false;
	return request->emulate ? is_simulated_event(row->name, catalog, request->fast)
				: !row->why[0];
}

/* Names with commas between. */
static void add_countable(const struct pmu_run_request *request, const struct pmu_list *list,
			  struct pmu_catalog *catalog, struct pmu_strbuf *names)
{
	for (size_t s = 0; s < list->n_sections; s++) {
		const struct pmu_list_section *section = &list->section[s];

		for (size_t i = 0; i < section->n_rows && !strcmp(section->from, "shipped"); i++)
			if (is_countable(request, &section->row[i], catalog))
				pmu_strbuf_addf(names, "%s%s", names->len ? "," : "",
						section->row[i].name);
	}
}

int pmu_run_all_metrics(struct pmu_run_request *request)
{
	struct pmu_catalog catalog = { .keep_absent = true };
	struct pmu_list list = { .wanted[PMU_LIST_GROUPS] = true };
	struct pmu_strbuf names = { 0 };
	int rc = 0;

	pmu_list_find(&list, &catalog);
	add_countable(request, &list, &catalog, &names);
	if (list.failed || names.failed) {
		pmu_command_error("no memory");
		rc = PMU_EXIT_NOT_STARTED;
	} else if (!names.len) {
		pmu_command_error("--all-metrics: no group can be counted here; 'pmu list groups' "
				  "says why");
		rc = PMU_EXIT_NOT_STARTED;
	}
	pmu_catalog_close(&catalog);
	pmu_list_free(&list);
	if (rc) {
		pmu_strbuf_free(&names);
		return rc;
	}
	PMU_RUN_SETTING(request, PMU_ROTATE) = "1";
	PMU_RUN_SETTING(request, PMU_GROUP) = request->all_groups = names.text;
	return 0;
}
