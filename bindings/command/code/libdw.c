/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads elfutils' libdw when the first address is to have a name: it and what it needs are five libraries. */
#include "bindings/command/code/libdw.h"

#include "base/compiler.h"
#include "base/library.h"

static struct pmu_libdw_calls calls;

#define CALL(name) { #name, offsetof(struct pmu_libdw_calls, name) },
static const struct pmu_library_call table[] = { PMU_LIBDW_CALLS(CALL) };

const struct pmu_libdw_calls *pmu_libdw_load(void)
{
	static struct pmu_library libdw = {
		.file = "libdw.so.1",
		.needs = "names of functions need elfutils (Debian: libdw1)",
		.calls = &calls,
		.call = table,
		.n_calls = PMU_ARRAY_LEN(table)
	};

	return pmu_library_load(&libdw) ? NULL : &calls;
}
