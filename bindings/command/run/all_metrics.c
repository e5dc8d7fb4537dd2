/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu run --all-metrics`: every group that can be counted here, in turns. */
#include <string.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/list/list.h"
#include "bindings/command/run/run.h"

/* It stands for groups that are in the list themselves, or counts nothing. */
static bool is_left_out(const char *name)
{
	static const char *const names[] = { "TIME", "TOPDOWN", "TMA1", "TMA2", "TMA3", "TMA4" };

	for (size_t i = 0; i < PMU_ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Names with commas between. */
static void add_countable(const struct pmu_list *list, struct pmu_strbuf *names)
{
	for (size_t s = 0; s < list->n_sections; s++) {
		const struct pmu_list_section *section = &list->section[s];

		for (size_t i = 0; i < section->n_rows && !strcmp(section->from, "shipped"); i++)
			if (!section->row[i].why[0] && !is_left_out(section->row[i].name))
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
	add_countable(&list, &names);
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
	request->rotate = true;
	request->group = request->all_groups = names.text;
	return 0;
}
