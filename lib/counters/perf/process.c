/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts a whole process: a group of events on each of its threads, which those it starts inherit.
 *
 * What a thread begins or ends while the groups are opened would be counted twice or not at all: so
 * the threads are listed again behind it, and if there is one that was not there before, everything
 * is opened anew.
 */
#include "counters/perf/process.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "counters/perf/perf.h"
#include "counters/perf/system.h"
#include "counters/perf/why.h"

/* As often it is opened anew, a millisecond later, then two, at most MOST_WAIT. */
#define TRIES     20
#define MOST_WAIT 16

struct pmu_perf_process {
	const struct pmu_plan *plan;
	pid_t pid;
	uint32_t lost; /* enum pmu_source_lost; relaxed */
	bool told;
	unsigned int n; /* groups, one for each thread that was there */
	struct pmu_perf_group *group;
};

/* --- is it possible here --- */

/* A kernel that does not know a bit of the attributes refuses every event. */
static bool inherits(void)
{
	static const struct pmu_plan dummy = { .n_slots = 1,
					       .slot[0] = { .kind = PMU_SLOT_SOFTWARE,
							    .type = PERF_TYPE_SOFTWARE,
							    .config = PERF_COUNT_SW_DUMMY,
							    .user = true } };
	struct pmu_perf_where where = { .pid = 0, .cpu = -1, .inherit = true };
	struct pmu_perf_group group;
	unsigned int failed;

	if (pmu_perf_group_open(&group, &dummy, &where, &failed))
		return false;
	pmu_perf_group_close(&group);
	return true;
}

static int try_counts(const struct pmu_perf_group *group)
{
	uint64_t sum[PMU_MAX_SLOTS] = { 0 };
	int rc = pmu_perf_group_enable(group);

	return !rc && pmu_perf_group_add(group, sum) ? -ENOSPC : rc;
}

int pmu_perf_process_try(const struct pmu_plan *plan)
{
	struct pmu_perf_where where = { .pid = 0, .cpu = -1, .inherit = true };
	struct pmu_perf_hybrid hybrid;
	struct pmu_perf_group group;
	unsigned int failed;
	int rc;

	pmu_perf_hybrid_of_plan(plan, &hybrid);
	if (hybrid.n)
		return -EXDEV;
	rc = pmu_perf_group_open(&group, plan, &where, &failed);
	if (rc == -EINVAL && !inherits())
		return -EXDEV;
	if (rc)
		return pmu_perf_same_refusal(rc);
	rc = try_counts(&group);
	pmu_perf_group_close(&group);
	return rc;
}

/* --- open, close --- */

static void close_groups(struct pmu_perf_process *process)
{
	while (process->n)
		pmu_perf_group_close(&process->group[--process->n]);
}

static int fail_thread(const struct pmu_perf_process *process, int n_threads, int rc,
		       unsigned int slot)
{
	struct pmu_probe probe = { .why = "" };
	unsigned int n = (unsigned int)__builtin_popcount(pmu_plan_mask(process->plan) &
							  ~process->plan->absent);

	pmu_perf_explain(process->plan, rc, slot, &probe);
	return pmu_fail(rc,
			"cannot count the whole process, %d thread%s with %u descriptor%s each: "
			"%s%s%s",
			n_threads, n_threads == 1 ? "" : "s", n, n == 1 ? "" : "s", probe.why,
			probe.mend[0] ? "; " : "", probe.mend);
}

/* One that has ended has nothing to add. */
static int open_threads(struct pmu_perf_process *process, const pid_t *tid, int n,
			const struct pmu_fd_limit *limit)
{
	struct pmu_perf_where where = { .cpu = -1, .limit = limit, .inherit = true };
	unsigned int failed = 0;
	int rc = 0;

	free(process->group);
	process->group = calloc((size_t)n, sizeof(*process->group));
	if (!process->group)
		return pmu_fail(ENOMEM, "no memory for the counters of %d threads", n);
	for (int i = 0; i < n && !rc; i++) {
		where.pid = tid[i];
		rc = pmu_perf_group_open(&process->group[process->n], process->plan, &where,
					 &failed);
		if (!rc)
			rc = pmu_perf_group_enable(&process->group[process->n++]);
		if (rc == -ESRCH)
			rc = 0;
	}
	return rc ? fail_thread(process, n, rc, failed) : 0;
}

/* @tid: all that there are now.  Is each of them in @was? */
static bool are_in(const pid_t *tid, int n, const pid_t *was, int n_was)
{
	int at = 0;

	for (int i = 0; i < n; i++) {
		while (at < n_was && was[at] < tid[i])
			at++;
		if (at == n_was || was[at] != tid[i])
			return false;
	}
	return true;
}

static int open_once(struct pmu_perf_process *process, const struct pmu_fd_limit *limit)
{
	pid_t *tid = NULL, *now = NULL;
	int n = pmu_perf_system->threads(&tid), n_now, rc = n < 0 ? n : 0;

	if (!rc)
		rc = open_threads(process, tid, n, limit);
	/* its sentence is said */
	if (rc && n >= 0) {
		free(tid);
		close_groups(process);
		return rc;
	}
	n_now = rc ? rc : pmu_perf_system->threads(&now);
	if (n_now < 0)
		rc = n_now == -EAGAIN ? -EAGAIN
				      : pmu_fail(-n_now,
						 "cannot count the whole process: its threads in "
						 "/proc/self/task cannot be listed%s%s",
						 n_now == -ESRCH ? "" : ": ",
						 n_now == -ESRCH ? ", which is another "
								   "pid namespace's"
								 : strerror(-n_now));
	else if (!are_in(now, n_now, tid, n))
		rc = -EAGAIN;
	if (rc)
		close_groups(process);
	free(tid);
	free(now);
	return rc;
}

static int open_all_threads(struct pmu_perf_process *process)
{
	struct timespec wait = { 0, 1000000 };
	struct pmu_fd_limit limit;
	int rc = -EAGAIN;

	for (int i = 0; i < TRIES && rc == -EAGAIN; i++) {
		if (i) {
			nanosleep(&wait, NULL);
			wait.tv_nsec = wait.tv_nsec < MOST_WAIT * 1000000 ? 2 * wait.tv_nsec
									  : wait.tv_nsec;
		}
		pmu_fd_begin(&limit);
		rc = open_once(process, &limit);
		pmu_fd_end();
	}
	return rc != -EAGAIN
		       ? rc
		       : pmu_fail(EAGAIN,
				  "cannot count the whole process: in %d tries threads began or "
				  "ended while their counters were opened; call pmu_init() before "
				  "they do",
				  TRIES);
}

int pmu_perf_process_open(const struct pmu_plan *plan, struct pmu_perf_process **result)
{
	struct pmu_perf_process *process = calloc(1, sizeof(*process));
	int rc = 0;

	if (!process)
		return pmu_fail(ENOMEM, "no memory for the counters of the process");
	process->plan = plan;
	process->pid = getpid();
	if (!pmu_perf_counts_nothing(plan))
		rc = open_all_threads(process);
	if (rc)
		pmu_perf_process_close(process);
	else
		*result = process;
	return rc;
}

void pmu_perf_process_close(struct pmu_perf_process *process)
{
	if (!process)
		return;
	close_groups(process);
	free(process->group);
	free(process);
}

void pmu_perf_process_child(struct pmu_perf_process *process)
{
	for (unsigned int i = 0; process->pid != getpid() && i < process->n; i++)
		pmu_perf_group_close(&process->group[i]);
}

/* --- counts --- */

/* A sum that lacks one thread is none. */
uint32_t pmu_perf_process_read(struct pmu_perf_process *process, uint64_t *value)
{
	enum pmu_source_lost lost = __atomic_load_n(&process->lost, __ATOMIC_RELAXED);
	uint32_t all = pmu_plan_mask(process->plan);
	uint64_t sum[PMU_MAX_SLOTS] = { 0 };

	for (unsigned int i = 0; i < process->n && !lost; i++)
		lost = pmu_perf_group_add(&process->group[i], sum);
	if (lost)
		__atomic_store_n(&process->lost, lost, __ATOMIC_RELAXED);
	if (lost || !process->n)
		return all;
	for (uint32_t left = all & ~process->plan->absent; left; left &= left - 1)
		value[__builtin_ctz(left)] = sum[__builtin_ctz(left)];
	return process->plan->absent & all;
}

bool pmu_perf_process_remark(struct pmu_perf_process *process, char *text, size_t size)
{
	enum pmu_source_lost lost = __atomic_load_n(&process->lost, __ATOMIC_RELAXED);

	if (!lost || process->told)
		return false;
	process->told = true;
	snprintf(
		text, size, "%s: counts of the process are missing from then on",
		lost == PMU_SOURCE_CLOSED
			? "the program closed our descriptors"
			: "the counters were given to something else while one of the threads ran");
	return true;
}

void pmu_perf_process_describe(const struct pmu_perf_process *process, char *text, size_t size)
{
	unsigned int n = process->n ? process->group[0].n : 0;

	snprintf(text, size,
		 "of the whole process, %s, %u read(2) each time (%u event%s, %u thread%s when "
		 "they were opened)",
		 pmu_plan_levels(process->plan), n * process->n, n, n == 1 ? "" : "s", process->n,
		 process->n == 1 ? "" : "s");
}
