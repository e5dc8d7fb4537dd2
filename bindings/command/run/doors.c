/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables by which annotated programs find the library that their annotations go to. */
#include <stdlib.h>
#include <string.h>

#include "bindings/command/run/run.h"
#include "bindings/preload/parts.h"
#include "bindings/preload/process/target.h"

/* By part; of one part's all are set, or none. */
static const struct {
	const char *variable, *what;
	enum preload_part part;
	bool is_older; /* libpmu-preload.so sets it, in processes that know no other */
} doors[] = {
#if defined(__i386__) || defined(__arm__)
	{ "INTEL_LIBITTNOTIFY32", "ITT's annotations", PRELOAD_ITT, false },
	{ "NVTX_INJECTION32_PATH", "NVTX's annotations", PRELOAD_NVTX, false },
#else
	{ "INTEL_LIBITTNOTIFY64", "ITT's annotations", PRELOAD_ITT, false },
	{ "NVTX_INJECTION64_PATH", "NVTX's annotations", PRELOAD_NVTX, false },
#endif
	/* the first for Kokkos 3.7 and later, which complain about the other */
	{ "KOKKOS_TOOLS_LIBS", "Kokkos' kernels", PRELOAD_KOKKOS, false },
	{ "KOKKOS_PROFILE_LIBRARY", "Kokkos' kernels", PRELOAD_KOKKOS, true },
};
_Static_assert(PMU_ARRAY_LEN(doors) == PMU_RUN_DOORS, "run.h says how many");

/* That of a `pmu run` around this one is not the user's own. */
static const char *own_value(size_t i)
{
	const char *value = getenv(doors[i].variable);

	return value && *value && !target_is_annotations(value) ? value : NULL;
}

/* The user's own, of any of its part. */
static size_t taken_by(size_t i)
{
	for (size_t k = 0; k < PMU_ARRAY_LEN(doors); k++)
		if (doors[k].part == doors[i].part && own_value(k))
			return k;
	return PMU_ARRAY_LEN(doors);
}

static bool is_door_wanted(const struct pmu_run_request *request, size_t i)
{
	const char *words = PMU_RUN_SETTING(request, PMU_AUTO);

	if (!words)
		words = getenv("PMU_AUTO");
	return preload_parts(words) & (unsigned int)doors[i].part;
}

const char *pmu_run_door(const struct pmu_run_request *request, size_t i, bool *is_ours)
{
	bool is_free = taken_by(i) == PMU_ARRAY_LEN(doors);

	*is_ours = is_free && !doors[i].is_older && is_door_wanted(request, i);
	return is_free ? doors[i].variable : NULL;
}

void pmu_run_doors_note(const struct pmu_run_request *request, struct pmu_run_parts *parts)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(doors); i++) {
		bool is_first = !i || doors[i - 1].part != doors[i].part;
		size_t by = taken_by(i);

		if (is_first && by < PMU_ARRAY_LEN(doors) && is_door_wanted(request, i))
			pmu_run_note(parts, "%s go to %s, which %s names, and are no regions here",
				     doors[i].what, own_value(by), doors[by].variable);
	}
}
