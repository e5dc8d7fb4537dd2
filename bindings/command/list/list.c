/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu list`: what can be asked for, on this CPU or another. */
#include "bindings/command/list/list.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/complete/complete.h"
#include "machine/machine.h"

/* Not a terminal: grep or cut behind it needs whole lines. */
#define WIDTH_ELSE SIZE_MAX

static const char *const kind_names[] = {
	[PMU_LIST_EVENTS] = "events", [PMU_LIST_GROUPS] = "groups", [PMU_LIST_PMUS] = "pmus"
};

struct request {
	const char *cpu;
	const char *event_files;
	bool json;
	struct pmu_list list;
};

/* --- options --- */

static const struct pmu_option list_options[] = {
	{ "--cpu", .argument = "FAMILY-MODEL", PMU_OPTION_TEXT(struct request, cpu),
	  .help = "for another CPU: 6-2A or 06_2AH, hexadecimal; GenuineIntel-6-2A or AuthenticAMD-23-31, the family decimal; a stepping may follow; 0x410fd0c0: MIDR_EL1 of an Arm processor" },
	{ "--event-files", .argument = "DIR", PMU_OPTION_TEXT(struct request, event_files),
	  .complete = pmu_complete_folders,
	  .help = "with event files and Intel's metrics: a checkout of intel/perfmon or of Linux; else that of PMU_EVENT_FILES" },
	{ "--json", PMU_OPTION_FLAG(struct request, json), .help = "for programs" },
	{ 0 },
};

/* The first word may be a kind; what is none is what is looked for. */
static int parse_word(const struct pmu_command *self, struct request *request, const char *word,
		      bool first)
{
	for (size_t i = 0; first && i < PMU_ARRAY_LEN(kind_names); i++) {
		if (!strcmp(word, kind_names[i])) {
			request->list.wanted[i] = true;
			return 0;
		}
	}
	if (request->list.pattern)
		return pmu_command_usage_error(self, "one pattern at a time: '%s' or '%s'",
					       request->list.pattern, word);
	request->list.pattern = word;
	return 0;
}

static int parse_list(const struct pmu_command *self, int argc, char **argv,
		      struct request *request)
{
	bool first = true, any = false;
	int rc = 0;

	for (int i = 1; i < argc && !rc; i++) {
		if (argv[i][0] == '-') {
			rc = pmu_command_option(self, list_options, request, argv, &i);
		} else {
			rc = parse_word(self, request, argv[i], first);
			first = false;
		}
	}
	for (size_t i = 0; i < PMU_ARRAY_LEN(kind_names); i++)
		any |= request->list.wanted[i];
	for (size_t i = 0; i < PMU_ARRAY_LEN(kind_names) && !any; i++)
		request->list.wanted[i] = true;
	return rc;
}

/* --- the CPU that has them --- */

/*
 * Of another CPU no PMU of the kernel is known, but which it would ask: no folder, so that nothing
 * is in it.
 */
#define NO_DEVICES "/dev/null"

/* A machine that no table has is not the one we run on. */
static struct pmu_cpu_model unknown_model = { .vendor = "",
					      .microarchitecture = "this CPU",
					      .codename = "",
					      .pfm = "",
					      .pfm_e = "",
					      .pfm_uncore = "" };

/* As a measured program would see it, where the environment says that it is another one. */
static int of_environment(struct pmu_catalog *catalog)
{
	struct pmu_machine_from from;
	struct pmu_machine *machine;

	if (!pmu_command_machine(&from) || !from.cpuid_file)
		return 0;
	if (pmu_machine_load(&from, &machine)) {
		pmu_command_error("%s", pmu_error_text());
		return PMU_EXIT_FAILED;
	}
	catalog->model = machine->model ? machine->model : &unknown_model;
	catalog->id = machine->id;
	unknown_model.vendor = catalog->id.vendor;
	pmu_command_machine_numbers(machine, catalog);
	pmu_machine_free(machine);
	return 0;
}

static int choose_cpu(const struct pmu_command *self, struct request *request,
		      struct pmu_catalog *catalog)
{
	struct pmu_cpu_id id;
	int rc;

	if (request->cpu) {
		catalog->model = pmu_command_cpu(self, request->cpu, &catalog->id);
		if (!catalog->model)
			return PMU_EXIT_USAGE;
		catalog->sysfs = NO_DEVICES;
	} else {
		rc = of_environment(catalog);
		if (rc)
			return rc;
	}
	request->list.elsewhere = catalog->model != NULL;
	id = catalog->id;
	if (catalog->model || !pmu_cpu_identify(&id))
		snprintf(request->list.cpu, sizeof(request->list.cpu), "%s-%u-%X", id.vendor,
			 id.family, id.model);
	/* of another CPU Intel's metrics are shown as most machines have them */
	if (request->cpu && catalog->event_files && request->list.wanted[PMU_LIST_GROUPS] &&
	    pmu_cpu_is_intel(&id)) {
		catalog->threads_per_core = 2;
		pmu_strbuf_add(&request->list.notes,
			       "Intel's metrics are those of a machine with Hyper-Threading on.\n");
	}
	return 0;
}

/* --- the list --- */

static size_t width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < 40)
		return WIDTH_ELSE;
	return size.ws_col;
}

static int show_list(struct request *request, struct pmu_catalog *catalog)
{
	struct pmu_strbuf out = { 0 };
	int rc;

	pmu_list_find(&request->list, catalog);
	if (request->json)
		pmu_list_json(&request->list, &out);
	else
		pmu_list_text(&request->list, width(), &out);
	out.failed |= request->list.failed;
	rc = pmu_command_print(&out);
	if (rc || request->json || request->list.n_sections)
		return rc;
	if (request->list.pattern)
		pmu_command_error("nothing that can be listed has '%s' in it",
				  request->list.pattern);
	else
		pmu_command_error(
			request->list.elsewhere
				? "PMUs are those of this machine's kernel: another CPU has none to list"
				: "there is nothing to list here");
	return PMU_EXIT_FAILED;
}

static int run_list(const struct pmu_command *self, int argc, char **argv)
{
	struct request request = { .json = false };
	struct pmu_catalog catalog = { .keep_absent = true };
	int rc = parse_list(self, argc, argv, &request);

	if (!rc) {
		catalog.event_files = pmu_command_event_files(request.event_files);
		rc = choose_cpu(self, &request, &catalog);
	}
	if (!rc)
		rc = show_list(&request, &catalog);
	pmu_catalog_close(&catalog);
	pmu_list_free(&request.list);
	return rc;
}

const struct pmu_command pmu_command_list = {
	.name = "list",
	.usage =
		"list [events | groups | pmus] [PATTERN] [--cpu FAMILY-MODEL | MIDR] [--event-files DIR] [--json]",
	.about = "list the events, groups and PMUs that can be asked for",
	.help = "Names with a line about each: groups and what they give up on this machine, events by the\n"
		"kernel's names, by event files, by tables, by libpfm4, and of the kernel's PMUs.\n"
		"\n"
		"With a PATTERN only what has this in its name or description, or whose name it is with *, ? and\n"
		"[] in it; case does not count.\n",
	.options = list_options,
	.run = run_list,
};
