/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the clock and relates it to CLOCK_MONOTONIC. */
#include "machine/clock.h"

#include <string.h>
#include <sys/prctl.h>

#include "base/sysfile.h"
#include "machine/cpu.h"

#define AVAILABLE_CLOCKS "/sys/devices/system/clocksource/clocksource0/available_clocksource"
/* Enough for one try without an interrupt or a trip to the hypervisor in it. */
#define POINT_TRIES 8

#if defined(__x86_64__)
/*
 * The kernel drops a counter that it found unsynchronised from its list.  Which clock it
 * uses itself says less: a KVM guest prefers kvm-clock although the counter is just as
 * good.
 */
static bool kernel_trusts_tsc(void)
{
	char list[256], *rest = list, *name;

	if (pmu_sysfile_read(AVAILABLE_CLOCKS, list, sizeof(list)) < 0)
		return true;
	while ((name = strsep(&rest, " "))) {
		if (!strcmp(name, "tsc"))
			return true;
	}
	return false;
}
#endif

#if defined(__x86_64__)
/* Asked once: a child of a process that knows need not ask again. */
static bool tsc_is_good(void)
{
	enum { UNKNOWN, GOOD, BAD };
	static int known;
	int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (answer == UNKNOWN) {
		answer = pmu_cpu_tsc_invariant() && kernel_trusts_tsc() ? GOOD : BAD;
		__atomic_store_n(&known, answer, __ATOMIC_RELAXED);
	}
	return answer == GOOD;
}
#endif

bool pmu_clock_forbidden(void)
{
#if defined(__x86_64__)
	int mode = PR_TSC_ENABLE;

	return prctl(PR_GET_TSC, &mode, 0, 0, 0) == 0 && mode == PR_TSC_SIGSEGV;
#else
	return false;
#endif
}

enum pmu_clock_kind pmu_clock_choose(void)
{
#if defined(__x86_64__)
	if (tsc_is_good())
		return PMU_CLOCK_TSC;
#elif defined(__aarch64__)
	return PMU_CLOCK_CNTVCT;
#endif
	return PMU_CLOCK_MONOTONIC;
}

const char *pmu_clock_name(enum pmu_clock_kind kind)
{
	switch (kind) {
	case PMU_CLOCK_TSC:
		return "time stamp counter";
	case PMU_CLOCK_CNTVCT:
		return "virtual counter";
	case PMU_CLOCK_MONOTONIC:
		return "clock_gettime";
	}
	return "unknown clock";
}

struct pmu_clock_point pmu_clock_point_take(enum pmu_clock_kind kind)
{
	struct pmu_clock_point best = { 0, 0 };
	uint64_t narrowest = UINT64_MAX;

	for (int i = 0; i < POINT_TRIES; i++) {
		uint64_t before = pmu_clock_ticks(kind);
		uint64_t mono = pmu_clock_mono_ns();
		uint64_t width = pmu_clock_ticks(kind) - before;

		if (width < narrowest) {
			narrowest = width;
			best = (struct pmu_clock_point){ before + width / 2, mono };
		}
	}
	if (kind == PMU_CLOCK_MONOTONIC)
		best.ticks = best.mono_ns;
	return best;
}

double pmu_clock_hz(enum pmu_clock_kind kind, const struct pmu_clock_point *first,
		    const struct pmu_clock_point *last)
{
	if (kind == PMU_CLOCK_MONOTONIC)
		return 1e9;
	if (last->mono_ns <= first->mono_ns || last->ticks <= first->ticks)
		return 0;
	return (double)(last->ticks - first->ticks) * 1e9 /
	       (double)(last->mono_ns - first->mono_ns);
}
