/* SPDX-License-Identifier: BSD-3-Clause */
/* GPTL's timers by pmu.h: what gptl.h has. */
#ifndef PMU_GPTL_H
#define PMU_GPTL_H

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <pmu.h>

/** Longest name, as GPTL has it. */
#define PMU_GPTL_NAME_MAX 63

#ifdef __cplusplus
extern "C" {
#endif

/* One for all files of a program: weak, so that a header can define them. */
#define PMU_GPTL_SHARED __attribute__((weak, visibility("default")))
extern int pmu_gptl_initialized, pmu_gptl_off, pmu_gptl_was_off;
PMU_GPTL_SHARED int pmu_gptl_initialized, pmu_gptl_off, pmu_gptl_was_off;

static inline int pmu_gptl_get(const int *flag)
{
	return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

static inline void pmu_gptl_set(int *flag, int value)
{
	__atomic_store_n(flag, value, __ATOMIC_RELAXED);
}

static inline int pmu_gptl_initialize(void)
{
	if (pmu_gptl_get(&pmu_gptl_initialized))
		return -1;
	pmu_gptl_set(&pmu_gptl_initialized, 1);
	(void)pmu_init(NULL);
	return 0;
}

static inline void pmu_gptl_switch(int off)
{
	if (off)
		pmu_gptl_set(&pmu_gptl_was_off, 1);
	pmu_gptl_set(&pmu_gptl_off, off);
}

static inline int pmu_gptl_refuses(const char *name)
{
	return !name || !*name || strnlen(name, PMU_GPTL_NAME_MAX + 1) > PMU_GPTL_NAME_MAX ||
	       !pmu_gptl_get(&pmu_gptl_initialized);
}

static inline int pmu_gptl_start(const char *name)
{
	if (pmu_gptl_get(&pmu_gptl_off))
		return 0;
	return pmu_gptl_refuses(name) || pmu_region_begin(name) < 0 ? -1 : 0;
}

/** pmu_gptl_stop() - a timer that was started before GPTLdisable() is stopped all the same */
static inline int pmu_gptl_stop(const char *name)
{
	if (pmu_gptl_refuses(name))
		return -1;
	if (pmu_gptl_get(&pmu_gptl_was_off) && pmu_region_is_open(name) <= 0)
		return pmu_gptl_get(&pmu_gptl_off) ? 0 : -1;
	return pmu_region_end(name) < 0 ? -1 : 0;
}

/** pmu_gptl_read() - the calling thread's sums of a timer.  Return: 0; -1: it is not known. */
static inline int pmu_gptl_read(const char *name, struct pmu_region_counts *counts)
{
	memset(counts, 0, sizeof(*counts));
	counts->size = sizeof(*counts);
	return name && pmu_region_read(name, PMU_THREAD_SELF, counts) == 0 ? 0 : -1;
}

static inline int pmu_gptl_stamp(double *wall, double *user, double *system)
{
	struct timespec now;
	struct rusage usage;

	if (clock_gettime(CLOCK_REALTIME, &now) < 0 || getrusage(RUSAGE_SELF, &usage) < 0)
		return -1;
	*wall = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
	*user = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
	*system = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6;
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
