/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * gptl.h - programs with GPTL's timers, measured by libpmu
 *
 * Stands in for the header of that name.  Build with -I$(pkg-config --variable=gptlincludedir pmu)
 * and link -lpmu instead of -lgptl.  What is counted is chosen by PMU_GROUP and PMU_EVENTS, the
 * report by PMU_OUTPUT.
 *
 * As in GPTL, timers nest, belong to the thread that starts them, do nothing before
 * GPTLinitialize(), and one that is started again while it runs counts one call more, and time once.
 * What differs:
 *   - GPTLpr() and its kin write nothing: the report is libpmu's, when the program ends;
 *   - queries answer for the calling thread alone, and for timers that have stopped;
 *   - options, PAPI's counters among them, are accepted and do nothing.
 */
#ifndef GPTL_H
#define GPTL_H

#include "pmu-gptl.h"

typedef enum {
	GPTLsync_mpi = 0,
	GPTLwall = 1,
	GPTLcpu = 2,
	GPTLabort_on_error = 3,
	GPTLoverhead = 4,
	GPTLdepthlimit = 5,
	GPTLverbose = 6,
	GPTLtablesize = 50,
	GPTLmaxthreads = 51
} GPTLoption;

static inline int GPTLinitialize(void)
{
	return pmu_gptl_initialize();
}

/** The report comes when the program ends. */
static inline int GPTLfinalize(void)
{
	if (!pmu_gptl_get(&pmu_gptl_initialized))
		return -1;
	pmu_gptl_set(&pmu_gptl_initialized, 0);
	return 0;
}

static inline int GPTLsetoption(const int option, const int value)
{
	(void)option;
	(void)value;
	return 0;
}

static inline int GPTLsetutr(const int option)
{
	(void)option;
	return 0;
}

static inline int GPTLstart(const char *name)
{
	return pmu_gptl_start(name);
}

static inline int GPTLstop(const char *name)
{
	return pmu_gptl_stop(name);
}

static inline int GPTLinit_handle(const char *name, int *handle)
{
	(void)name;
	if (!pmu_gptl_get(handle))
		pmu_gptl_set(handle, 1);
	return 0;
}

/** A handle is of no use here: the timer is found as fast without. */
static inline int GPTLstart_handle(const char *name, int *handle)
{
	(void)GPTLinit_handle(name, handle);
	return pmu_gptl_start(name);
}

static inline int GPTLstop_handle(const char *name, int *handle)
{
	(void)handle;
	return pmu_gptl_stop(name);
}

static inline int GPTLenable(void)
{
	pmu_gptl_switch(0);
	return 0;
}

static inline int GPTLdisable(void)
{
	pmu_gptl_switch(1);
	return 0;
}

static inline int GPTLpr(const int id)
{
	(void)id;
	return pmu_gptl_get(&pmu_gptl_initialized) ? 0 : -1;
}

static inline int GPTLpr_file(const char *path)
{
	(void)path;
	return pmu_gptl_get(&pmu_gptl_initialized) ? 0 : -1;
}

static inline int GPTLreset_timer(const char *name)
{
	return pmu_region_reset(name) < 0 ? -1 : 0;
}

static inline int GPTLstamp(double *wall, double *user, double *system)
{
	return pmu_gptl_stamp(wall, user, system);
}

/** Seconds of wall-clock time; @thread: ignored. */
static inline int GPTLget_wallclock(const char *name, int thread, double *seconds)
{
	struct pmu_region_counts counts;
	int rc = pmu_gptl_read(name, &counts);

	(void)thread;
	*seconds = (double)counts.time_ns * 1e-9;
	return rc;
}

static inline int GPTLget_count(const char *name, int thread, int *count)
{
	struct pmu_region_counts counts;
	int rc = pmu_gptl_read(name, &counts);

	(void)thread;
	*count = (int)counts.calls;
	return rc;
}

#endif
