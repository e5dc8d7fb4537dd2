/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine that a measured program would see, where the environment says that it is another one.
 */
#include <stdlib.h>

#include "bindings/command/command.h"
#include "machine/machine.h"
#include "plan/catalog.h"

static const char *setting(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

void pmu_command_machine_else(struct pmu_machine_from *from)
{
	const char *topology = from->topology;

	if (from->cpuid_file)
		return;
	pmu_command_machine(from);
	if (topology)
		from->topology = topology;
}

bool pmu_command_machine(struct pmu_machine_from *from)
{
	*from = (struct pmu_machine_from){
		.cpuid_file = setting("PMU_CPUID_FILE"),
		.msr_device = setting("PMU_MSR_DEVICE"),
		.msr_batch = setting("PMU_MSR_BATCH"),
	};
	if (from->cpuid_file)
		from->topology = setting("HWLOC_XMLFILE");
	return from->cpuid_file || from->msr_device || from->msr_batch;
}

const char *pmu_command_event_files(const char *given)
{
	return given ? given : setting("PMU_EVENT_FILES");
}

void pmu_command_machine_numbers(const struct pmu_machine *machine, struct pmu_catalog *catalog)
{
	if (machine->unplaced || !machine->n_packages)
		return;
	catalog->threads_per_core = machine->smt ? 2 : 1;
	catalog->cores_per_socket = machine->n_cores / machine->n_packages;
}
