/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads capstone when the first instruction is to be shown: it is of several megabytes. */
#include "bindings/command/annotate/capstone.h"

#include "base/compiler.h"
#include "base/library.h"

/* Its structures are those of the headers' version. */
#define NAME_OF(major) "libcapstone.so." #major
#define NAME(major)    NAME_OF(major)

static struct pmu_capstone_calls calls;

#define CALL(name) { #name, offsetof(struct pmu_capstone_calls, name) },
static const struct pmu_library_call table[] = { PMU_CAPSTONE_CALLS(CALL) };

const struct pmu_capstone_calls *pmu_capstone_load(void)
{
	static struct pmu_library capstone = {
		.file = NAME(CS_API_MAJOR),
		.needs = "instructions need capstone (Debian: libcapstone4)",
		.calls = &calls,
		.call = table,
		.n_calls = PMU_ARRAY_LEN(table)
	};

	return pmu_library_load(&capstone) ? NULL : &calls;
}
