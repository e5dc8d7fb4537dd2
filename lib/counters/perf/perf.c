/* SPDX-License-Identifier: BSD-3-Clause */
/* The source perf: one pinned group of perf events per thread, or per CPU. */
#include "counters/perf/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "counters/backend.h"
#include "counters/perf/why.h"

/* --- the session --- */

static bool user_works(const struct pmu_plan *plan, uint64_t config1)
{
	struct pmu_perf_seat seat[PMU_MAX_SLOTS];
	struct pmu_perf_where where = { .pid = 0, .cpu = -1, .config1 = config1 };
	struct pmu_perf_group group;
	unsigned int failed;
	bool works = false;

	if (pmu_perf_group_open(&group, plan, &where, &failed))
		return false;
	if (!pmu_perf_user_map(&group, seat)) {
		works = !pmu_perf_group_enable(&group) && pmu_perf_user_ready(seat, group.n);
		pmu_perf_user_unmap(seat, group.n);
	}
	pmu_perf_group_close(&group);
	return works;
}

/* One page per event has no counter behind it for a software event: those are for
 * read(2). */
static bool all_core(const struct pmu_plan *plan)
{
	for (unsigned int i = 0; i < plan->n_slots; i++) {
		if (!(plan->absent >> i & 1) && plan->slot[i].kind != PMU_SLOT_CORE)
			return false;
	}
	return true;
}

const struct pmu_plan *pmu_perf_plan_on(const struct pmu_perf *perf, int cpu, struct pmu_plan *room)
{
	int kind = pmu_perf_hybrid_kind(&perf->hybrid, cpu);

	if (kind < 0)
		return &perf->plan;
	pmu_perf_hybrid_plan(&perf->hybrid, (unsigned int)kind, true, &perf->plan, room);
	return room;
}

static void choose_scope_read(struct pmu_perf *perf)
{
	struct pmu_plan room;
	const struct pmu_plan *plan = pmu_perf_plan_on(perf, sched_getcpu(), &room);
	struct pmu_fd_limit limit;
	uint64_t config1[2];
	unsigned int n;

	if (!all_core(plan))
		return;
	if (plan->by_kernel) {
		perf->no_user = "PMU_USER_READ=0";
		return;
	}
	n = pmu_perf_user_config1(config1);
#if defined(__aarch64__)
	if (!n)
		perf->no_user = "kernel.perf_user_access is 0";
#endif
	pmu_fd_begin(&limit);
	for (unsigned int i = 0; i < n && !perf->user; i++) {
		perf->user = user_works(plan, config1[i]);
		perf->config1 = config1[i];
	}
	pmu_fd_end();
}

static void close_cpus(struct pmu_perf *perf, unsigned int n)
{
	while (n)
		pmu_perf_group_close(&perf->group[--n]);
}

static int open_cpu(struct pmu_perf *perf, unsigned int i, const struct pmu_fd_limit *limit)
{
	int cpu = perf->plan.cpu[i];
	struct pmu_perf_where where = { .pid = -1, .cpu = cpu, .limit = limit };
	struct pmu_plan room;
	const struct pmu_plan *plan = pmu_perf_plan_on(perf, cpu, &room);
	unsigned int failed = 0;
	struct pmu_probe probe;
	int rc = pmu_perf_group_open(&perf->group[i], plan, &where, &failed);

	if (!rc) {
		rc = pmu_perf_group_enable(&perf->group[i]);
		if (!rc)
			return 0;
		pmu_perf_group_close(&perf->group[i]);
	}
	if (rc == -ENODEV)
		return pmu_fail(rc, "cannot count on CPU %d: it is offline or has no PMU", cpu);
	memset(&probe, 0, sizeof(probe));
	pmu_perf_explain(plan, rc, failed, &probe);
	return pmu_fail(rc, "cannot count on CPU %d: %s%s%s", cpu, probe.why,
			probe.mend[0] ? "; " : "", probe.mend);
}

static int open_cpus(struct pmu_perf *perf)
{
	struct pmu_fd_limit limit;
	int rc = 0;

	pmu_fd_begin(&limit);
	for (unsigned int i = 0; i < perf->plan.n_cpus && !rc; i++) {
		rc = open_cpu(perf, i, &limit);
		if (rc)
			close_cpus(perf, i);
	}
	pmu_fd_end();
	return rc;
}

/*
 * They could be opened a moment ago: what cannot be now is missing, if there is something else to
 * count.
 */
static int open_sockets(struct pmu_perf *perf, const struct pmu_plan *plan)
{
	int rc = pmu_perf_sockets_open(plan, &perf->sockets);

	if (!rc || pmu_perf_counts_nothing(&perf->plan))
		return rc;
	snprintf(perf->remark, sizeof(perf->remark), "%s; what sockets count is missing",
		 pmu_error_text());
	return 0;
}

static int open_scope(struct pmu_perf *perf, const struct pmu_plan *plan)
{
	int rc;

	if (plan->scope == PMU_COUNT_PROCESS)
		return pmu_perf_process_open(&perf->plan, &perf->process);
	rc = open_sockets(perf, plan);
	if (!rc && plan->scope == PMU_COUNT_CPU)
		rc = open_cpus(perf);
	else if (!rc)
		choose_scope_read(perf);
	return rc;
}

static int perf_open(void **state, const struct pmu_plan *plan)
{
	unsigned int n_cpus = plan->scope == PMU_COUNT_CPU ? plan->n_cpus : 0;
	struct pmu_perf *perf = calloc(1, sizeof(*perf) + n_cpus * sizeof(perf->group[0]));
	int rc;

	if (!perf)
		return pmu_fail(ENOMEM, "no memory for the counters of %u CPUs", n_cpus);
	perf->plan = pmu_perf_own_plan(plan);
	perf->pid = getpid();
	pmu_perf_hybrid_of_plan(&perf->plan, &perf->hybrid);
	rc = open_scope(perf, plan);
	if (rc) {
		pmu_perf_sockets_close(perf->sockets);
		free(perf);
		return rc;
	}
	*state = perf;
	return 0;
}

static void perf_close(void *state)
{
	struct pmu_perf *perf = state;

	if (perf->plan.scope == PMU_COUNT_CPU)
		close_cpus(perf, perf->plan.n_cpus);
	pmu_perf_sockets_close(perf->sockets);
	pmu_perf_process_close(perf->process);
	free(perf);
}

static void perf_child(void *state)
{
	struct pmu_perf *perf = state;

	if (perf->pid == getpid())
		return;
	if (perf->plan.scope == PMU_COUNT_CPU)
		close_cpus(perf, perf->plan.n_cpus);
	pmu_perf_sockets_child(perf->sockets);
	if (perf->process)
		pmu_perf_process_child(perf->process);
}

static size_t perf_thread_size(const struct pmu_plan *plan)
{
	(void)plan;
	return sizeof(struct pmu_perf_thread);
}

/* --- sockets, or the process as one --- */

static unsigned int perf_sockets(void *state)
{
	struct pmu_perf *perf = state;

	return perf->process ? 1 : pmu_perf_sockets_count(perf->sockets);
}

static int perf_socket_of(void *state, int cpu)
{
	struct pmu_perf *perf = state;

	return perf->process ? 0 : pmu_perf_sockets_of(perf->sockets, cpu);
}

static uint32_t perf_read_socket(void *state, unsigned int socket, uint64_t *value)
{
	struct pmu_perf *perf = state;

	if (perf->process)
		return pmu_perf_process_read(perf->process, value);
	return perf->sockets ? pmu_perf_sockets_read(perf->sockets, socket, value)
			     : pmu_plan_mask(&perf->plan);
}

/* --- words --- */

static void describe_reads(const struct pmu_perf *perf, char *text, size_t size)
{
	const char *whose = perf->plan.scope == PMU_COUNT_CPU ? "whatever runs on a thread's CPU, "
							      : "";
	const char *kinds = perf->hybrid.n ? ", for each kind of core" : "";

	if (perf->user)
		snprintf(text, size, "%s%s, read in user space%s", pmu_plan_levels(&perf->plan),
			 kinds, perf->hybrid.n ? " where a thread is pinned" : "");
	else
		snprintf(text, size, "%s%s%s, one read(2) at each begin and end%s%s%s", whose,
			 pmu_plan_levels(&perf->plan), kinds, perf->no_user ? " (" : "",
			 perf->no_user ? perf->no_user : "", perf->no_user ? ")" : "");
}

static void perf_describe(void *state, char *text, size_t size)
{
	const struct pmu_perf *perf = state;
	unsigned int n = pmu_perf_sockets_groups(perf->sockets);
	size_t len = 0;

	text[0] = '\0';
	if (perf->process) {
		pmu_perf_process_describe(perf->process, text, size);
		return;
	}
	if (!n || !pmu_perf_counts_nothing(&perf->plan))
		describe_reads(perf, text, size);
	len = strlen(text);
	if (n)
		snprintf(text + len, size - len, "%swhole sockets, %u read(2) for all of them",
			 len ? "; " : "", n);
}

static bool perf_remark(void *state, char *text, size_t size)
{
	struct pmu_perf *perf = state;

	if (perf->process)
		return pmu_perf_process_remark(perf->process, text, size);
	if (!perf->remark[0])
		return pmu_perf_sockets_remark(perf->sockets, text, size);
	snprintf(text, size, "%s", perf->remark);
	perf->remark[0] = '\0';
	return true;
}

const struct pmu_backend pmu_backend_perf = {
	.name = "perf",
	.about = "hardware counters through the kernel's perf_event",
	.counts = true,
	.here_alone = true,
	.probe = pmu_perf_probe,
	.open = perf_open,
	.close = perf_close,
	.thread_size = perf_thread_size,
	.attach = pmu_perf_attach,
	.read_aside = pmu_perf_read_aside,
	.unsettle = pmu_perf_unsettle,
	.rest = pmu_perf_rest,
	.wake = pmu_perf_wake,
	.detach = pmu_perf_detach,
	.describe = perf_describe,
	.sockets = perf_sockets,
	.socket_of = perf_socket_of,
	.read_socket = perf_read_socket,
	.remark = perf_remark,
	.by_hand = &pmu_perf_by_hand,
	.child = perf_child,
};
