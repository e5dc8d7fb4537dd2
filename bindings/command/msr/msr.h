/* SPDX-License-Identifier: BSD-3-Clause */
/* What `pmu msr` was asked for, and the two things that it does. */
#ifndef PMU_COMMAND_MSR_H
#define PMU_COMMAND_MSR_H

#include <stdbool.h>

#include "machine/machine.h"

struct pmu_command;

struct pmu_command_msr {
	const char *word;             /* "plan", "restore" */
	struct pmu_machine_from from; /* as far as options say */
	const char *device;
	const char *events, *group, *event_files;
	bool all, json;
};

/** pmu_command_msr_plan() - which registers a session would read and write.  Return: an exit status. */
int pmu_command_msr_plan(const struct pmu_command *self, const struct pmu_command_msr *request);

/** pmu_command_msr_restore() - what killed programs have left.  Return: an exit status. */
int pmu_command_msr_restore(const struct pmu_command *self, const struct pmu_command_msr *request);

#endif
