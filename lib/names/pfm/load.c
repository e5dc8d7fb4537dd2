/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads libpfm4 when the first native event is named. */
#include "names/pfm/load.h"

#include "base/compiler.h"
#include "base/library.h"

static struct pmu_pfm_calls calls;

#define CALL(name) { "pfm_" #name, offsetof(struct pmu_pfm_calls, name) },
static const struct pmu_library_call table[] = { PMU_PFM_CALLS(CALL) };

int pmu_pfm_load(void)
{
	static struct pmu_library libpfm = { .file = "libpfm.so.4",
					     .needs = "native event names need libpfm4 "
						      "(Debian: libpfm4)",
					     .calls = &calls,
					     .call = table,
					     .n_calls = PMU_ARRAY_LEN(table) };

	return pmu_library_load(&libpfm);
}

const struct pmu_pfm_calls *pmu_pfm_calls(void)
{
	return &calls;
}
