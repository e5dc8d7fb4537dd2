/* SPDX-License-Identifier: BSD-3-Clause */
/* Do the registers hold what was written to them? */
#include <errno.h>
#include <inttypes.h>

#include "base/error.h"
#include "counters/msr/registers.h"
#include "counters/msr/state.h"

static const struct pmu_msr_op *enables(const struct pmu_msr *msr)
{
	return msr->program.op + msr->program.first[PMU_MSR_ENABLE];
}

size_t pmu_msr_checks(const struct pmu_msr *msr)
{
	return msr->program.first[PMU_MSR_ENABLE + 1] - msr->program.first[PMU_MSR_ENABLE];
}

void pmu_msr_check_reads(const struct pmu_msr *msr, struct pmu_msr_op *op)
{
	for (size_t i = 0; i < pmu_msr_checks(msr); i++) {
		op[i] = enables(msr)[i];
		op[i].write = false;
	}
}

/* The highest byte says which threads AMD's L3 counts for: processors keep those that they have. */
static bool differs(const struct pmu_msr_op *op, uint64_t there)
{
	return (op->value & ~there) << 8;
}

/*
 * Not where a hypervisor ignores writes without an error, nor where msr-safe's list keeps bits
 * back: both would count 0.
 */
int pmu_msr_check_kept(const struct pmu_msr *msr, const uint64_t *there)
{
	char name[64];

	for (size_t i = 0; i < pmu_msr_checks(msr); i++) {
		const struct pmu_msr_op *op = &enables(msr)[i];

		if (!differs(op, there[i]))
			continue;
		pmu_msr_name(msr->machine, op->address, name, sizeof(name));
		return pmu_fail(EIO,
				"%s (%XH) on CPU %d does not keep what is written to it: %" PRIX64
				"H became %" PRIX64 "H%s",
				name, op->address, op->cpu, op->value, there[i],
				msr->machine->id.hypervisor
					? "; this virtual machine may have no PMU"
					: "");
	}
	return 0;
}
