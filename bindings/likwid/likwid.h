/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * likwid.h - programs with LIKWID's markers, measured by libpmu
 *
 * Stands in for the header of that name: the functions of LIKWID's Marker API, and nothing else of
 * LIKWID.  Build with -I$(pkg-config --variable=likwidincludedir pmu) and link -lpmu instead of
 * -llikwid.  What is counted is chosen by PMU_GROUP and PMU_EVENTS, the report by PMU_OUTPUT;
 * variables of likwid-perfctr are not read.
 *
 * As in LIKWID, markers do nothing before likwid_markerInit() and after likwid_markerClose(),
 * regions nest and overlap,
 * and belong to the thread that starts them.  What differs:
 *   - a region that is started while it runs goes on (-EFAULT);
 *   - likwid_markerNextGroup() leaves the group as it is while any thread is inside a region;
 *   - likwid_markerGetRegion() tells a count that could not be made as "not a number";
 *   - nothing is printed but the report.
 */
#ifndef LIKWID_H
#define LIKWID_H

#include <stddef.h>
#include <unistd.h>

#include "likwid-marker.h"
#include "pmu-likwid.h"

static inline void likwid_markerInit(void)
{
	pmu_likwid_init();
}

static inline void likwid_markerThreadInit(void)
{
	pmu_likwid_thread_init();
}

static inline int likwid_markerRegisterRegion(const char *regionTag)
{
	return pmu_likwid_register(regionTag);
}

static inline int likwid_markerStartRegion(const char *regionTag)
{
	return pmu_likwid_start(regionTag);
}

static inline int likwid_markerStopRegion(const char *regionTag)
{
	return pmu_likwid_stop(regionTag);
}

static inline int likwid_markerResetRegion(const char *regionTag)
{
	return pmu_likwid_reset(regionTag);
}

static inline void likwid_markerGetRegion(const char *regionTag, int *nr_events, double *events,
					  double *time, int *count)
{
	pmu_likwid_get(regionTag, nr_events, events, time, count);
}

static inline void likwid_markerNextGroup(void)
{
	pmu_likwid_next();
}

/**
 * A report of ours, in the format of the path's ending: .json, .csv, else text.  Return: 0 or a
 * negative errno.
 */
static inline int likwid_markerWriteFile(const char *markerfile)
{
	return pmu_likwid_write(markerfile);
}

static inline void likwid_markerClose(void)
{
	pmu_likwid_close();
}

/* --- helpers that annotated programs use beside the markers --- */

/* sched.h declares them for _GNU_SOURCE alone. */
#ifdef __cplusplus
extern "C" {
#endif
extern int pmu_likwid_getcpu_(void) __asm__("sched_getcpu");
extern int pmu_likwid_setaffinity_(int task, size_t size,
				   const unsigned long *mask) __asm__("sched_setaffinity");
#ifdef __cplusplus
}
#endif

static inline int likwid_getProcessorId(void)
{
	return pmu_likwid_getcpu_();
}

/* Return: 1, or 0 where it cannot be. */
static inline int pmu_likwid_pin(int task, int cpu)
{
	unsigned long mask[1024 / sizeof(long)] = { 0 }; /* 8192 CPUs, the most that Linux has */
	const int bits = (int)(8 * sizeof(long));

	if (cpu < 0 || cpu >= (int)(8 * sizeof(mask)))
		return 0;
	mask[cpu / bits] = 1ul << cpu % bits;
	return pmu_likwid_setaffinity_(task, sizeof(mask), mask) == 0;
}

static inline int likwid_pinProcess(int processorId)
{
	return pmu_likwid_pin((int)getpid(), processorId);
}

static inline int likwid_pinThread(int processorId)
{
	return pmu_likwid_pin(0, processorId);
}

#endif
