/* SPDX-License-Identifier: BSD-3-Clause */
/* The source perf, for its own parts and for the source software that stands on it. */
#ifndef PMU_COUNTERS_PERF_H
#define PMU_COUNTERS_PERF_H

#include <sys/types.h>

#include "counters/perf/group.h"
#include "counters/perf/hybrid.h"
#include "counters/perf/process.h"
#include "counters/perf/socket.h"
#include "counters/perf/user.h"

/** A session's. */
struct pmu_perf {
	struct pmu_plan plan;             /* without what belongs to sockets */
	struct pmu_perf_hybrid hybrid;    /* n is 0 where no core counts, too */
	struct pmu_perf_sockets *sockets; /* NULL: none */
	struct pmu_perf_process *process; /* PMU_COUNT_PROCESS; else NULL */
	pid_t pid;
	bool user;           /* threads are read in user space; on a hybrid pinned ones are */
	uint64_t config1;    /* what that takes, see perf/user.h */
	const char *no_user; /* why not, a clause; NULL: not reported */
	char remark[320];    /* a sentence that is still to be said; "" */
	struct pmu_perf_group group[]; /* PMU_COUNT_CPU: [plan.n_cpus] */
};

/** A thread's part. */
struct pmu_perf_thread {
	struct pmu_perf_user user; /* first: what read() is given */
	struct pmu_perf_group
		group; /* empty where its CPU's or its process's belongs to the session */
	uint32_t n_pages;
	pid_t pid;                   /* has mapped the pages: a forked child has none of them */
	struct pmu_perf_parts parts; /* on a hybrid in place of @group, where it is not pinned */
};

/**
 * pmu_perf_try() - open a plan's slots as one group, let it count, close it
 *
 * On the calling thread, or on the plan's first CPU.
 * Return: 0; -ENOENT for any way to say that there is no such event; -ENOSPC where the
 * group opens but gets no counters; the other codes of perf_event_open.
 */
int pmu_perf_try(const struct pmu_plan *plan);

/** pmu_perf_own_plan() - without what belongs to sockets */
static inline struct pmu_plan pmu_perf_own_plan(const struct pmu_plan *plan)
{
	struct pmu_plan own = *plan;

	own.absent |= pmu_plan_sockets(plan);
	return own;
}

/** pmu_perf_counts_nothing() - is every slot absent? */
static inline bool pmu_perf_counts_nothing(const struct pmu_plan *plan)
{
	return !(pmu_plan_mask(plan) & ~plan->absent);
}

/** pmu_perf_probe() - as struct pmu_backend has it. */
int pmu_perf_probe(const struct pmu_plan *plan, struct pmu_probe *probe);

/** pmu_perf_attach(), _detach() and others - as struct pmu_backend has them. */
bool pmu_perf_unsettle(void *thread, uint32_t tries);
uint32_t pmu_perf_read_aside(void *thread, uint64_t *value);
int pmu_perf_attach(void *state, void *thread, int cpu, pmu_read_fn **read,
		    struct pmu_attachment *got);
void pmu_perf_rest(void *thread);
void pmu_perf_wake(void *thread, pmu_read_fn **read);
void pmu_perf_detach(void *state, void *thread);

extern const struct pmu_by_hand pmu_perf_by_hand;

/** pmu_perf_plan_on() - the plan as a CPU counts it; all cores being alike: the plan. */
const struct pmu_plan *pmu_perf_plan_on(const struct pmu_perf *perf, int cpu,
					struct pmu_plan *room);

/** pmu_perf_check_counts() - does the enabled group of a reader count?  Return: 0; -ENOSPC. */
int pmu_perf_check_counts(struct pmu_perf_reader *reader);

#endif
