/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu run --no-aslr`: the command's memory is laid out the same in each run. */
#include <errno.h>
#include <string.h>
#include <sys/personality.h>

#include "bindings/command/command.h"
#include "bindings/command/run/run.h"

/* personality(2): what asks and changes nothing */
#define ASK 0xffffffffUL

int pmu_run_layout_fix(void)
{
	int now = personality(ASK);

	return now < 0 ? -1 : personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}

void pmu_run_check_layout(struct pmu_run_request *request)
{
	int before;

	if (!request->no_aslr)
		return;
	request->no_aslr = false;
	if (request->emulate) {
		pmu_command_error(
			"--no-aslr adds nothing to --emulate: valgrind lays memory out by "
			"itself, the same each time");
		return;
	}
	before = pmu_run_layout_fix();
	if (before < 0) {
		pmu_command_error("--no-aslr: the kernel refuses it here (personality(2): %s), as "
				  "in many containers; addresses differ from run to run",
				  strerror(errno));
		return;
	}
	personality((unsigned long)before);
	request->no_aslr = true;
}
