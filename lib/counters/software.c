/* SPDX-License-Identifier: BSD-3-Clause */
/* The source software: the kernel's own events by perf_event, or what getrusage says
 * where that is refused. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/error.h"
#include "base/time.h"
#include "counters/backend.h"
#include "counters/perf/perf.h"
#include "counters/perf/why.h"

/* A session's: perf counts what it can, the rest is asked for. */
struct software {
	struct pmu_plan plan; /* ours with the slots absent that perf_event does not count */
	uint32_t usage;       /* slots from getrusage */
	void *perf;           /* state of pmu_backend_perf */
	char remark[448];     /* a sentence that is still to be said; "" */
};

/* A thread's. */
struct software_thread {
	struct pmu_perf_thread
		perf; /* first: its reader begins with the struct pmu_source_thread */
	pmu_read_fn *read_perf;
	const struct software *software;
	uint32_t usage; /* slots from getrusage: the session's, or all that it has */
};

/* --- what the kernel keeps for every thread and process anyway --- */

struct told {
	struct rusage usage;
	clockid_t clock; /* of the same thread or process */
};

/* Return: whether it was told; a filter of system calls may forbid it from some moment on. */
static bool ask_usage(struct told *told, enum pmu_count_scope scope)
{
	bool all = scope == PMU_COUNT_PROCESS;

	told->clock = all ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID;
	return getrusage(all ? RUSAGE_SELF : RUSAGE_THREAD, &told->usage) == 0;
}

static uint64_t page_faults(const struct told *told)
{
	return (uint64_t)told->usage.ru_minflt + (uint64_t)told->usage.ru_majflt;
}

static uint64_t minor_faults(const struct told *told)
{
	return (uint64_t)told->usage.ru_minflt;
}

static uint64_t major_faults(const struct told *told)
{
	return (uint64_t)told->usage.ru_majflt;
}

static uint64_t context_switches(const struct told *told)
{
	return (uint64_t)told->usage.ru_nvcsw + (uint64_t)told->usage.ru_nivcsw;
}

/* Microseconds in struct rusage; the clocks have nanoseconds. */
static uint64_t task_clock(const struct told *told)
{
	return pmu_time_now_ns(told->clock);
}

static uint64_t (*const from_usage[PERF_COUNT_SW_MAX])(const struct told *told) = {
	[PERF_COUNT_SW_TASK_CLOCK] = task_clock,
	[PERF_COUNT_SW_PAGE_FAULTS] = page_faults,
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = minor_faults,
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = major_faults,
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = context_switches,
};

/* --- which slot by which way --- */

/* These happen in the kernel: counted at user level only they are always 0. */
static bool happens_in_kernel(const struct pmu_slot *slot)
{
	return slot->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
	       slot->config == PERF_COUNT_SW_CPU_MIGRATIONS;
}

/* getrusage does not tell levels apart: a kernel-only count of what happens at both is
 * not there. */
static bool usage_has(const struct pmu_slot *slot)
{
	return slot->config < PMU_ARRAY_LEN(from_usage) && from_usage[slot->config] &&
	       (slot->user || happens_in_kernel(slot));
}

static void include_kernel(struct pmu_plan *plan)
{
	for (unsigned int i = 0; i < plan->n_slots; i++)
		plan->slot[i].kernel |= happens_in_kernel(&plan->slot[i]);
}

/*
 * @plan: slots that perf_event does not count become absent in it
 * @usage: result: those of them that getrusage has
 * @error: result: what refused those that neither has
 */
static void sort_slots(struct pmu_plan *plan, uint32_t *usage, int *error)
{
	uint32_t asked = pmu_plan_mask(plan) & ~plan->absent;
	struct pmu_plan one = *plan;
	int rc;

	*usage = 0;
	if (!pmu_perf_try(plan))
		return;
	for (unsigned int i = 0; i < plan->n_slots; i++) {
		one.absent = ~(1u << i);
		if (!(asked >> i & 1))
			continue;
		rc = pmu_perf_try(&one);
		if (!rc)
			continue;
		plan->absent |= 1u << i;
		if (plan->scope != PMU_COUNT_CPU && usage_has(&plan->slot[i]))
			*usage |= 1u << i;
		else
			error[i] = rc;
	}
}

static int refuse_others(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	int rc = 0;

	for (unsigned int i = 0; i < plan->n_slots; i++) {
		if (plan->absent >> i & 1 || plan->slot[i].kind == PMU_SLOT_SOFTWARE)
			continue;
		probe->error[i] = -EINVAL;
		rc = -EINVAL;
	}
	if (rc)
		snprintf(probe->why, sizeof(probe->why),
			 "it counts what the kernel does, not what the processor does");
	return rc;
}

/* A slot that neither way has is missing; that is no reason to count nothing else. */
static int judge_usage_slots(const struct pmu_plan *plan, uint32_t usage,
			     const struct pmu_plan *sorted, struct pmu_probe *probe)
{
	uint32_t counted = (pmu_plan_mask(plan) & ~sorted->absent) | usage;
	int refused = 0, fatal = 0;

	for (unsigned int i = plan->n_slots; i-- > 0;) {
		int rc = probe->error[i];

		if (!rc)
			continue;
		refused = rc;
		if (pmu_perf_refuses_slot(rc))
			fatal = rc;
		pmu_perf_explain(plan, rc, i, probe);
	}
	return fatal || counted ? fatal : refused;
}

static int software_probe(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	struct pmu_plan sorted = *plan;
	struct pmu_fd_limit limit;
	uint32_t usage;

	memset(probe, 0, sizeof(*probe));
	if (refuse_others(plan, probe))
		return -EINVAL;
	include_kernel(&sorted);
	pmu_fd_begin(&limit);
	sort_slots(&sorted, &usage, probe->error);
	pmu_fd_end();
	return judge_usage_slots(plan, usage, &sorted, probe);
}

/* --- the session --- */

/*
 * The events of all threads there are could not be opened, for want of descriptors as a rule.
 *
 * Return: is there anything that getrusage has?
 */
static bool tell_instead(struct software *software)
{
	struct pmu_plan *plan = &software->plan;

	for (unsigned int i = 0; i < plan->n_slots; i++)
		if (!(plan->absent >> i & 1) && usage_has(&plan->slot[i]))
			software->usage |= 1u << i;
	plan->absent = pmu_plan_mask(plan);
	snprintf(software->remark, sizeof(software->remark), "%.400s; getrusage tells what it can",
		 pmu_error_text());
	return software->usage != 0;
}

static int software_open(void **state, const struct pmu_plan *plan)
{
	struct software *software = calloc(1, sizeof(*software));
	int error[PMU_MAX_SLOTS];
	struct pmu_fd_limit limit;
	int rc;

	if (!software)
		return pmu_fail(ENOMEM, "no memory for the source software");
	software->plan = *plan;
	include_kernel(&software->plan);
	pmu_fd_begin(&limit);
	sort_slots(&software->plan, &software->usage, error);
	pmu_fd_end();
	rc = pmu_backend_perf.open(&software->perf, &software->plan);
	if (rc && plan->scope == PMU_COUNT_PROCESS && tell_instead(software))
		rc = pmu_backend_perf.open(&software->perf, &software->plan);
	if (rc)
		free(software);
	else
		*state = software;
	return rc;
}

static void software_close(void *state)
{
	struct software *software = state;

	pmu_backend_perf.close(software->perf);
	free(software);
}

/* --- threads --- */

static size_t software_thread_size(const struct pmu_plan *plan)
{
	(void)plan;
	return sizeof(struct software_thread);
}

/* Return: the slots that are missing: none of them, or all. */
static uint32_t read_usage(const struct software *software, uint32_t slots, uint64_t *value)
{
	struct told told;

	if (!ask_usage(&told, software->plan.scope))
		return slots;
	for (uint32_t left = slots; left; left &= left - 1) {
		int slot = __builtin_ctz(left);

		value[slot] = from_usage[software->plan.slot[slot].config](&told);
	}
	return 0;
}

static uint32_t read_both(void *thread, uint64_t *value)
{
	const struct software_thread *self = thread;
	const struct software *software = self->software;
	uint32_t missing = self->read_perf(thread, value);

	return (missing & ~self->usage) | read_usage(software, self->usage, value);
}

/*
 * Of a thread that is refused what others have, for want of a descriptor as a rule, getrusage has
 * most.
 */
static uint32_t usage_instead(const struct software *software, uint32_t missing)
{
	const struct pmu_plan *plan = &software->plan;
	uint32_t asked = pmu_plan_mask(plan) & ~plan->absent & missing, usage = 0;

	for (uint32_t left = asked; left && plan->scope == PMU_COUNT_THREAD; left &= left - 1) {
		int slot = __builtin_ctz(left);

		usage |= (uint32_t)usage_has(&plan->slot[slot]) << slot;
	}
	return usage;
}

static void note_usage(struct pmu_attachment *got)
{
	size_t len = strlen(got->note);

	snprintf(got->note + len, sizeof(got->note) - len, "%s", "; getrusage tells what it can");
}

static int software_attach(void *state, void *thread, int cpu, pmu_read_fn **read,
			   struct pmu_attachment *got)
{
	struct software *software = state;
	struct software_thread *self = thread;
	int rc = pmu_backend_perf.attach(software->perf, &self->perf, cpu, read, got);
	uint32_t instead;

	if (software->plan.scope == PMU_COUNT_PROCESS)
		return rc;
	instead = usage_instead(software, got->missing);
	self->software = software;
	self->usage = software->usage | instead;
	self->read_perf = *read;
	if (self->usage)
		*read = read_both;
	got->missing &= ~self->usage;
	if (instead)
		note_usage(got);
	return rc;
}

/* getrusage() speaks of the caller alone. */
static uint32_t read_aside(void *thread, uint64_t *value)
{
	struct software_thread *self = thread;

	return pmu_backend_perf.read_aside(&self->perf, value) | self->usage;
}

static void software_detach(void *state, void *thread)
{
	struct software_thread *self = thread;

	/* of a whole process it may have been closed by now; that source asks nothing of it */
	(void)state;
	pmu_backend_perf.detach(NULL, &self->perf);
}

static void software_child(void *state)
{
	struct software *software = state;

	pmu_backend_perf.child(software->perf);
}

/* --- the process --- */

static unsigned int software_sockets(void *state)
{
	const struct software *software = state;

	return software->plan.scope == PMU_COUNT_PROCESS;
}

static int software_socket_of(void *state, int cpu)
{
	(void)state;
	(void)cpu;
	return 0;
}

static uint32_t software_read_socket(void *state, unsigned int socket, uint64_t *value)
{
	const struct software *software = state;
	uint32_t missing = pmu_backend_perf.read_socket(software->perf, socket, value);
	int saved = errno;

	missing = (missing & ~software->usage) | read_usage(software, software->usage, value);
	errno = saved;
	return missing;
}

static bool software_remark(void *state, char *text, size_t size)
{
	struct software *software = state;

	if (!software->remark[0])
		return pmu_backend_perf.remark(software->perf, text, size);
	snprintf(text, size, "%s", software->remark);
	software->remark[0] = '\0';
	return true;
}

/* --- words --- */

static void software_describe(void *state, char *text, size_t size)
{
	const struct software *software = state;
	uint32_t asked = pmu_plan_mask(&software->plan);

	if (!(asked & ~software->plan.absent))
		snprintf(text, size, "what getrusage says of %s",
			 software->plan.scope == PMU_COUNT_PROCESS ? "the whole process"
								   : "each thread");
	else
		pmu_backend_perf.describe(software->perf, text, size);
	if ((asked & ~software->plan.absent) && software->usage)
		snprintf(text + strlen(text), size - strlen(text), ", the rest by getrusage");
}

const struct pmu_backend pmu_backend_software = {
	.name = "software",
	.about = "page faults, context switches and other events of the kernel",
	.counts = true,
	.fallback = true,
	.default_group = "SOFTWARE",
	.probe = software_probe,
	.open = software_open,
	.close = software_close,
	.thread_size = software_thread_size,
	.attach = software_attach,
	.read_aside = read_aside,
	.detach = software_detach,
	.describe = software_describe,
	.sockets = software_sockets,
	.socket_of = software_socket_of,
	.read_socket = software_read_socket,
	.remark = software_remark,
	.child = software_child,
};
