/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LIKWID's markers by pmu.h: what likwid.h and the preload library have in common.  Return values
 * are 0 or a negative errno; -EFAULT where LIKWID has it: before INIT and after CLOSE, for a region
 * that runs already or does not.
 */
#ifndef PMU_LIKWID_H
#define PMU_LIKWID_H

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <pmu.h>

enum {
	PMU_LIKWID_OFF, /* before INIT and after CLOSE */
	PMU_LIKWID_ON,
	PMU_LIKWID_OWNS /* INIT has started the session: CLOSE ends it, and its report is there */
};

#ifdef __cplusplus
extern "C" {
#endif

/* One for all files of a program: weak, so that a header can define it. */
#ifndef PMU_LIKWID_SHARED
#define PMU_LIKWID_SHARED __attribute__((weak, visibility("default")))
extern int pmu_likwid_state;
extern int (*pmu_likwid_begin)(const char *tag), (*pmu_likwid_end)(const char *tag);
#endif

static inline int pmu_likwid_refuse(const char *tag)
{
	(void)tag;
	return -EFAULT;
}

PMU_LIKWID_SHARED int pmu_likwid_state;
/* What a start and a stop are: a call each, and nothing else that the region would count. */
PMU_LIKWID_SHARED int (*pmu_likwid_begin)(const char *tag) = pmu_likwid_refuse;
PMU_LIKWID_SHARED int (*pmu_likwid_end)(const char *tag) = pmu_likwid_refuse;

static inline int pmu_likwid_on(void)
{
	return __atomic_load_n(&pmu_likwid_state, __ATOMIC_ACQUIRE) != PMU_LIKWID_OFF;
}

#if defined(PMU_DISABLE) || defined(PMU_LIKWID_BEGIN)
#ifndef PMU_LIKWID_BEGIN
#define PMU_LIKWID_BEGIN(name) pmu_region_begin_once(name)
#define PMU_LIKWID_END(name)   pmu_region_end(name)
#endif
static inline int pmu_likwid_begins(const char *tag)
{
	return PMU_LIKWID_BEGIN(tag);
}

static inline int pmu_likwid_ends(const char *tag)
{
	return PMU_LIKWID_END(tag);
}
#else
#define pmu_likwid_begins pmu_region_begin_once
#define pmu_likwid_ends   pmu_region_end
#endif

/* Return: the state that it was. */
static inline int pmu_likwid_switch(int state, int (*begin)(const char *tag),
				    int (*end)(const char *tag))
{
	pmu_likwid_begin = begin;
	pmu_likwid_end = end;
	return __atomic_exchange_n(&pmu_likwid_state, state, __ATOMIC_ACQ_REL);
}

/** pmu_likwid_init() - markers count from now on; a second one changes nothing */
static inline void pmu_likwid_init(void)
{
	int rc;

	if (pmu_likwid_on())
		return;
	rc = pmu_init(NULL);
	(void)pmu_likwid_switch(rc == 0 ? PMU_LIKWID_OWNS : PMU_LIKWID_ON, pmu_likwid_begins,
				pmu_likwid_ends);
}

static inline void pmu_likwid_thread_init(void)
{
	if (pmu_likwid_on())
		(void)pmu_thread_attach();
}

/**
 * pmu_likwid_register() - what the first start would do beforehand: the thread's counters are
 * opened
 */
static inline int pmu_likwid_register(const char *tag)
{
	if (!pmu_likwid_on())
		return -EFAULT;
	return tag && *tag ? pmu_thread_attach() : -EINVAL;
}

static __attribute__((cold, noinline, unused)) int pmu_likwid_runs(const char *tag)
{
	char note[256];

	snprintf(note, sizeof(note),
		 "LIKWID_MARKER_START found \"%.100s\" running: it goes on from its first start",
		 tag);
	(void)pmu_note(note);
	return -EFAULT;
}

/** pmu_likwid_start() - a region that runs already goes on: it is not entered a second time */
static inline int pmu_likwid_start(const char *tag)
{
	int rc = pmu_likwid_begin(tag);

	return rc == -EALREADY ? pmu_likwid_runs(tag) : rc;
}

static inline int pmu_likwid_stop(const char *tag)
{
	int rc = pmu_likwid_end(tag);

	return rc == -ENOENT ? -EFAULT : rc;
}

/** pmu_likwid_reset() - what the calling thread has counted; -EBUSY while the region runs */
static inline int pmu_likwid_reset(const char *tag)
{
	int rc = pmu_likwid_on() ? pmu_region_reset(tag) : -EFAULT;

	return rc == -ENOENT ? -EFAULT : rc;
}

/**
 * pmu_likwid_get() - the calling thread's sums so far, in the group that is counted now, without
 * the library's own work
 * @n_events: in: elements of @events; out: how many of them are set
 * @events: in the order of the group; not a number where the count could not be made
 * @time: seconds
 */
static inline void pmu_likwid_get(const char *tag, int *n_events, double *events, double *time,
				  int *count)
{
	struct pmu_region_counts counts;
	int room = n_events && events ? *n_events : 0, n = 0;

	memset(&counts, 0, sizeof(counts));
	counts.size = sizeof(counts);
	if (pmu_likwid_on() && pmu_region_read(tag, PMU_THREAD_SELF, &counts) == 0) {
		for (; n < room && n < (int)counts.n_counts; n++)
			events[n] = counts.missing >> n & 1 ? __builtin_nan("")
							    : (double)counts.net[n];
	}
	if (n_events)
		*n_events = n;
	if (time)
		*time = (double)counts.time_ns * 1e-9;
	if (count)
		*count = counts.calls < INT_MAX ? (int)counts.calls : INT_MAX;
}

/** pmu_likwid_next() - the next group of PMU_GROUP; with one group nothing */
static inline void pmu_likwid_next(void)
{
	if (pmu_likwid_on() && pmu_group_next() == -EBUSY)
		(void)pmu_note(
			"LIKWID_MARKER_SWITCH found a region open: the group stayed as it was (main is one under "
			"pmu run; --auto markers leaves it out)");
}

/** pmu_likwid_write() - the report so far into a file of its own, in the format of its ending */
static inline int pmu_likwid_write(const char *path)
{
	return !pmu_likwid_on() ? -EFAULT : path && *path ? pmu_report(path) : -EINVAL;
}

/** pmu_likwid_close() - the end of what INIT began */
static inline void pmu_likwid_close(void)
{
	if (pmu_likwid_switch(PMU_LIKWID_OFF, pmu_likwid_refuse, pmu_likwid_refuse) ==
	    PMU_LIKWID_OWNS)
		(void)pmu_fini();
}

#ifdef __cplusplus
}
#endif

#endif
