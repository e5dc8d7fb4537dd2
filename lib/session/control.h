/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measuring that is switched off and on while the program runs: by `pmu off`, `pmu on`, PMU_ENABLE=later.
 *
 * Begin and end compare pmu_epoch anyway.  The page that it lies in is mapped anew, from the first page of the
 * store's file: so whoever may write to that file can make each thread's next call leave the fast path, and
 * while measuring is off calls return as soon as where it is not wanted at all.  Neither a signal nor a look
 * at another word is needed.
 *
 * What is stored there from outside has no meaning but "look": the session knows its epoch by itself
 * (pmu_session_epoch()), and puts it back.
 */
#ifndef PMU_SESSION_CONTROL_H
#define PMU_SESSION_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "store/row.h"

/* Of the largest pages that the machine may have. */
#if defined(__x86_64__)
#define PMU_CONTROL_PAGE 4096
#else
#define PMU_CONTROL_PAGE 65536
#endif

/** The page of pmu_epoch, laid out as the store's first. */
union pmu_control_page {
	char bytes[PMU_CONTROL_PAGE];
	struct {
		char before[PMU_STORE_CONTROL];
		struct pmu_store_control control;
	} at;
};
extern union pmu_control_page pmu_control_page __attribute__((visibility("hidden")));

/** The session's part of it.  Guarded by the session's lock; @epoch may be looked at without it. */
struct pmu_control {
	enum pmu_control_state state; /* PMU_CONTROL_ON where nothing can switch it, too */
	int32_t epoch;                /* pmu_epoch, as the session has set it */
	int32_t attached_from; /* threads that are attached to this epoch or a later one are attached still */
	int32_t off_epoch; /* threads of an earlier one may have missed calls */
	bool mapped;
	bool starts_off; /* in a child: its parent was off */
	uint32_t n_off, n_cut;
	uint64_t off_ticks, off_since;
	uint64_t next_look_ns;
};

/** pmu_session_epoch() - what pmu_epoch is, but for what others ask for */
int32_t pmu_session_epoch(void);

/**
 * pmu_control_start() - as a session starts, before threads are let in; it may begin switched off
 * pmu_control_end() - from now on nobody can switch it
 * Context: the session's lock.
 */
void pmu_control_start(void);
void pmu_control_end(void);

/** pmu_control_unshare() - in a forked child: the parent's switch is not its own.  Async-signal-safe; may come twice. */
void pmu_control_unshare(void);

/**
 * pmu_control_child() - the same, and where the parent is off the child's first call leaves the fast path: it makes a
 * store of its own, by which it can be switched
 * pmu_control_forked() - that call is there
 */
void pmu_control_child(void);
void pmu_control_forked(void);

/** pmu_control_look() - do what is asked for.  Context: the session's lock. */
void pmu_control_look(void);

/**
 * pmu_control_postpone() - what is asked for has to wait: the epoch is as the session has set it
 * pmu_control_recall() - no longer
 * Context: the session's lock.
 */
void pmu_control_postpone(void);
void pmu_control_recall(void);

/** pmu_control_is_off() - measuring is switched off, and may be switched on again */
bool pmu_control_is_off(void);

/**
 * pmu_control_passes() - measuring is being switched off, the calling thread has been told, and nothing is due: it may
 * return at once
 * Context: no lock.
 */
bool pmu_control_passes(void);

/**
 * pmu_control_cut() - so many calls more have ended because it is switched off
 * pmu_control_stopped() - no thread has a region open any more: from now on each call returns at once
 * pmu_control_due() - while it is being switched off: are threads that sleep to be looked at again?
 * Context: the session's lock.
 */
void pmu_control_cut(uint32_t n);
void pmu_control_stopped(void);
bool pmu_control_due(void);

#endif
