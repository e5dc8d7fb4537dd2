/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu msr restore`: put back the registers that a killed program left behind. */
#include <string.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/msr/msr.h"
#include "counters/msr/device.h"
#include "counters/msr/journal.h"
#include "machine/machine.h"

static int restore(const struct pmu_machine_from *from, struct pmu_strbuf *said)
{
	struct pmu_machine *machine = NULL;
	struct pmu_msr_device device;
	int rc = pmu_msr_device_try(from);

	/* without journals the devices are not needed */
	if (rc && !from->msr_device && !pmu_msr_journal_any())
		return 0;
	if (rc)
		return rc;
	rc = pmu_machine_load(from, &machine);
	if (rc)
		return rc;
	rc = pmu_msr_device_open(&device, machine, from);
	if (!rc) {
		rc = pmu_msr_device_lock(&device, machine);
		if (!rc)
			rc = pmu_msr_journal_restore(&device, machine, said);
		pmu_msr_device_unlock(&device);
		pmu_msr_device_close(&device);
	}
	pmu_machine_free(machine);
	return rc;
}

static int refuse_restore(const struct pmu_machine_from *from, int rc)
{
	const char *mend = pmu_msr_device_mend(from, rc);

	pmu_command_error("%s%s%s", pmu_error_text(), *mend ? "; " : "", mend);
	return PMU_EXIT_FAILED;
}

int pmu_command_msr_restore(const struct pmu_command *self, const struct pmu_command_msr *request)
{
	struct pmu_strbuf said = { 0 };
	struct pmu_machine_from from;
	int rc, printed;

	pmu_command_machine(&from);
	if (request->device)
		from.msr_device = request->device;
	if (from.cpuid_file && !from.msr_device)
		return pmu_command_usage_error(
			self, "PMU_CPUID_FILE describes another machine: say --device");
	rc = restore(&from, &said);
	/* what was found out before something failed is worth reading too */
	if (rc < 0 && !said.len)
		return refuse_restore(&from, rc);
	if (rc == 0 && !said.len)
		pmu_strbuf_add(&said, "nothing to restore\n");
	printed = pmu_command_print(&said);
	return rc < 0 ? PMU_EXIT_FAILED : printed;
}
