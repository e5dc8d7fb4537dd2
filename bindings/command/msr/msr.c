/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu msr`: the registers of the source msr. */
#include "bindings/command/msr/msr.h"

#include <string.h>

#include "bindings/command/command.h"
#include "bindings/command/complete/complete.h"

static const struct pmu_option msr_options[] = {
	{ "--events", 'e', "EVENTS", PMU_OPTION_TEXT(struct pmu_command_msr, events),
	  .complete = pmu_complete_events, .help = "as in PMU_EVENTS" },
	{ "--group", 'g', "GROUP", PMU_OPTION_TEXT(struct pmu_command_msr, group),
	  .complete = pmu_complete_groups, .help = "as in PMU_GROUP; CORE without either" },
	{ "--cpuid", .argument = "DUMP", PMU_OPTION_TEXT(struct pmu_command_msr, from.cpuid_file),
	  .complete = pmu_complete_files,
	  .help = "for another machine: its CPUID leaves as text, see 'pmu help info'" },
	{ "--topology", .argument = "XML", PMU_OPTION_TEXT(struct pmu_command_msr, from.topology),
	  .complete = pmu_complete_files, .help = "its topology, as 'lstopo --of xml' writes it" },
	{ "--event-files", .argument = "DIR", PMU_OPTION_TEXT(struct pmu_command_msr, event_files),
	  .complete = pmu_complete_folders,
	  .help = "with event files: a checkout of intel/perfmon or of Linux; else that of PMU_EVENT_FILES" },
	{ "--all", PMU_OPTION_FLAG(struct pmu_command_msr, all),
	  .help = "a line for each operation, in their order, instead of one for all processors that do the same" },
	{ "--json", PMU_OPTION_FLAG(struct pmu_command_msr, json),
	  .help = "for programs: every operation" },
	{ "--device", .argument = "PATH", PMU_OPTION_TEXT(struct pmu_command_msr, device),
	  .complete = pmu_complete_files,
	  .help = "where the registers are, its %d standing for the processor's number; PMU_MSR_DEVICE without it, else /dev/cpu/%d/msr" },
	{ 0 },
};

static int parse_msr(const struct pmu_command *self, int argc, char **argv,
		     struct pmu_command_msr *request)
{
	int rc = 0;

	for (int i = 1; i < argc && !rc; i++) {
		if (argv[i][0] != '-' && !request->word)
			request->word = argv[i];
		else
			rc = pmu_command_option(self, msr_options, request, argv, &i);
	}
	return rc;
}

static int run_msr(const struct pmu_command *self, int argc, char **argv)
{
	struct pmu_command_msr request = { .word = NULL };
	int rc = parse_msr(self, argc, argv, &request);

	if (rc)
		return rc;
	if (request.word && !strcmp(request.word, "plan"))
		return pmu_command_msr_plan(self, &request);
	if (!request.word || strcmp(request.word, "restore") != 0)
		return pmu_command_usage_error(self, "plan or restore?");
	if (request.from.cpuid_file || request.from.topology || request.events || request.group ||
	    request.event_files || request.all || request.json)
		return pmu_command_usage_error(self, "restore has --device alone");
	return pmu_command_msr_restore(self, &request);
}

const struct pmu_command pmu_command_msr = {
	.name = "msr",
	.usage =
		"msr plan | restore [-e EVENTS | -g GROUP] [--cpuid DUMP] [--topology XML] [--event-files DIR] [--all] [--json] [--device PATH]",
	.about = "show which registers the source msr would program, or put them back",
	.help = "'plan' shows which registers would be programmed, in which order.  They are read, where they can be,\n"
		"to see which counters are free; nothing is written.\n"
		"\n"
		"'restore' puts back what a killed program left programmed.  A program that counts by the source msr\n"
		"writes down what the registers held before.  Where it was killed, the next such program puts them\n"
		"back, or this command does, as the same user.  It has --device alone.\n",
	.options = msr_options,
	.run = run_msr,
};
