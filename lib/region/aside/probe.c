/* SPDX-License-Identifier: BSD-3-Clause */
/* Stand-ins that the library calls itself, to learn what the way into them takes; and the one that it has for programs. */
#include <errno.h>

#include "base/aside.h"
#include "pmu.h"
#include "region/aside/aside.h"

/* Where all that stand in here go. */
extern void (*const pmu_aside_way)(void) __attribute__((visibility("hidden")));
void (*const pmu_aside_way)(void) = pmu_aside_enter;

/* What each of them does. */
#define STANDS_IN(visible, name)                                                            \
	PMU_STANDS_IN(visible, #name, "pmu_aside_way", "0");                                \
	int name##_aside(const char *argument) __attribute__((visibility("hidden"), used)); \
	int name##_aside(const char *argument)
#define PROBE(name) STANDS_IN(".hidden	" #name, name)

PROBE(pmu_probe)
{
	(void)argument;
	return 0;
}

PROBE(pmu_probe_begin)
{
	return pmu_aside_begin(argument);
}

PROBE(pmu_probe_end)
{
	return pmu_aside_end(argument);
}

/* Another library's. */
static __attribute__((noinline)) int nothing(const char *argument)
{
	return !argument;
}

int (*const pmu_probe_nothing)(const char *argument) = nothing;

PROBE(pmu_probe_other)
{
	int (*other)(const char *argument) = pmu_aside_hand_on((void *)nothing);

	return other(argument);
}

/* Not a probe, but a stand-in as the others are: pmu.h has it. */
STANDS_IN("", pmu_region_begin_once)
{
	return pmu_aside_begin_once(argument);
}
