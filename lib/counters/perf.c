/* SPDX-License-Identifier: BSD-3-Clause */
/* The source perf: one pinned group of perf events per thread, or per CPU. */
#include "counters/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "counters/backend.h"
#include "counters/perf_why.h"

/* A session's. */
struct perf {
	const struct pmu_plan *plan;
	bool user;		       /* threads are read in user space */
	uint64_t config1;	       /* what that takes, see perf_user.h */
	const char *no_user;	       /* why not, a clause; NULL: not worth a word */
	struct pmu_perf_group group[]; /* PMU_COUNT_CPU: [plan->n_cpus] */
};

/* --- can it? --- */

/* Does the enabled group of a reader count? */
static int check_counts(struct pmu_perf_reader *reader)
{
	uint64_t value[PMU_MAX_SLOTS];

	pmu_perf_reader_read(reader, value);
	return reader->source.lost ? -ENOSPC : 0;
}

/* The kernel's other ways to say that there is no such event. */
static int same_refusal(int code)
{
	return code == -EOPNOTSUPP || code == -ENXIO || code == -ENODEV ? -ENOENT : code;
}

int pmu_perf_try(const struct pmu_plan *plan)
{
	struct pmu_perf_where where = {.pid = 0, .cpu = -1};
	struct pmu_perf_reader reader;
	struct pmu_perf_group group;
	unsigned int failed;
	int rc;

	if (plan->scope == PMU_COUNT_CPU) {
		if (!plan->n_cpus)
			return -EINVAL;
		where = (struct pmu_perf_where){.pid = -1, .cpu = plan->cpu[0]};
	}
	rc = pmu_perf_group_open(&group, plan, &where, &failed);
	if (rc)
		return same_refusal(rc);
	rc = pmu_perf_group_enable(&group);
	if (!rc && group.n) {
		pmu_perf_reader_init(&reader, &group, plan);
		rc = check_counts(&reader);
	}
	pmu_perf_group_close(&group);
	return rc;
}

static int try_alone(const struct pmu_plan *plan, unsigned int slot)
{
	struct pmu_plan one = *plan;

	one.absent = pmu_plan_mask(plan) & ~(1u << slot);
	return pmu_perf_try(&one);
}

/* Any processor with a PMU has one of these two. */
static bool has_pmu(const struct pmu_plan *plan)
{
	static const uint64_t codes[] = {PERF_COUNT_HW_CPU_CYCLES,
					 PERF_COUNT_HW_INSTRUCTIONS};
	struct pmu_plan one = *plan;

	one.n_slots = 1;
	one.absent = 0;
	for (size_t i = 0; i < PMU_ARRAY_LEN(codes); i++) {
		one.slot[0] = (struct pmu_slot){.kind = PMU_SLOT_CORE,
						.type = PERF_TYPE_HARDWARE,
						.config = codes[i],
						.user = true};
		if (pmu_perf_try(&one) != -ENOENT)
			return true;
	}
	return false;
}

/*
 * Each slot beside those before it that count.  The kernel has one code for an event it
 * does not know and for one that the group has no counter for: the event alone tells them
 * apart.
 */
static int probe_slots(const struct pmu_plan *plan, struct pmu_probe *probe,
		       unsigned int *first)
{
	struct pmu_plan fits = *plan;
	int rc, refused = 0;

	fits.absent = pmu_plan_mask(plan);
	for (unsigned int i = 0; i < plan->n_slots; i++) {
		if (plan->absent >> i & 1)
			continue;
		fits.absent &= ~(1u << i);
		rc = pmu_perf_try(&fits);
		if (!rc)
			continue;
		fits.absent |= 1u << i;
		if (rc == -EINVAL && try_alone(plan, i) == 0)
			rc = -ENOSPC;
		probe->error[i] = rc;
		if (!refused || !pmu_perf_refuses_slot(rc)) {
			refused = rc;
			*first = i;
		}
		if (!pmu_perf_refuses_slot(rc))
			break;
	}
	return refused;
}

/* Where there is no PMU no event exists, and giving them up one by one would hide the
 * reason. */
static int without_pmu(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	for (unsigned int i = 0; i < plan->n_slots; i++) {
		if (plan->slot[i].kind == PMU_SLOT_CORE && !(plan->absent >> i & 1))
			probe->error[i] = -ENODEV;
	}
	return -ENODEV;
}

static int perf_probe(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	struct pmu_fd_limit limit;
	unsigned int first = 0;
	int rc;

	memset(probe, 0, sizeof(*probe));
	pmu_fd_raise(&limit);
	rc = pmu_perf_try(plan);
	if (rc)
		rc = probe_slots(plan, probe, &first);
	if (rc == -ENOENT && plan->slot[first].kind == PMU_SLOT_CORE && !has_pmu(plan))
		rc = without_pmu(plan, probe);
	pmu_fd_lower(&limit);
	if (rc)
		pmu_perf_explain(plan, rc, first, probe);
	return rc;
}

/* --- the session --- */

static bool user_works(const struct pmu_plan *plan, uint64_t config1)
{
	const struct perf_event_mmap_page *page[PMU_MAX_SLOTS];
	struct pmu_perf_where where = {.pid = 0, .cpu = -1, .config1 = config1};
	struct pmu_perf_group group;
	unsigned int failed;
	bool works = false;

	if (pmu_perf_group_open(&group, plan, &where, &failed))
		return false;
	if (!pmu_perf_user_map(&group, page)) {
		works = !pmu_perf_group_enable(&group) &&
			pmu_perf_user_ready(page, group.n);
		pmu_perf_user_unmap(page, group.n);
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

static void choose_read(struct perf *perf)
{
	struct pmu_fd_limit limit;
	uint64_t config1[2];
	unsigned int n;

	if (!all_core(perf->plan))
		return;
	n = pmu_perf_user_config1(config1);
#if defined(__aarch64__)
	if (!n)
		perf->no_user = "kernel.perf_user_access is 0";
#endif
	pmu_fd_raise(&limit);
	for (unsigned int i = 0; i < n && !perf->user; i++) {
		perf->user = user_works(perf->plan, config1[i]);
		perf->config1 = config1[i];
	}
	pmu_fd_lower(&limit);
}

static void close_cpus(struct perf *perf, unsigned int n)
{
	while (n)
		pmu_perf_group_close(&perf->group[--n]);
}

static int open_cpu(struct perf *perf, unsigned int i, const struct pmu_fd_limit *limit)
{
	const struct pmu_plan *plan = perf->plan;
	struct pmu_perf_where where = {.pid = -1, .cpu = plan->cpu[i], .limit = limit};
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
		return pmu_fail(rc, "cannot count on CPU %d: it is offline or has no PMU",
				plan->cpu[i]);
	memset(&probe, 0, sizeof(probe));
	pmu_perf_explain(plan, rc, failed, &probe);
	return pmu_fail(rc, "cannot count on CPU %d: %s%s%s", plan->cpu[i], probe.why,
			probe.mend[0] ? "; " : "", probe.mend);
}

static int open_cpus(struct perf *perf)
{
	struct pmu_fd_limit limit;
	int rc = 0;

	pmu_fd_raise(&limit);
	for (unsigned int i = 0; i < perf->plan->n_cpus && !rc; i++) {
		rc = open_cpu(perf, i, &limit);
		if (rc)
			close_cpus(perf, i);
	}
	pmu_fd_lower(&limit);
	return rc;
}

static int perf_open(void **state, const struct pmu_plan *plan)
{
	unsigned int n_cpus = plan->scope == PMU_COUNT_CPU ? plan->n_cpus : 0;
	struct perf *perf = calloc(1, sizeof(*perf) + n_cpus * sizeof(perf->group[0]));
	int rc;

	if (!perf)
		return pmu_fail(ENOMEM, "no memory for the counters of %u CPUs", n_cpus);
	perf->plan = plan;
	if (plan->scope == PMU_COUNT_CPU) {
		rc = open_cpus(perf);
		if (rc) {
			free(perf);
			return rc;
		}
	} else {
		choose_read(perf);
	}
	*state = perf;
	return 0;
}

static void perf_close(void *state)
{
	struct perf *perf = state;

	if (perf->plan->scope == PMU_COUNT_CPU)
		close_cpus(perf, perf->plan->n_cpus);
	free(perf);
}

/* --- threads --- */

static size_t perf_thread_size(const struct pmu_plan *plan)
{
	(void)plan;
	return sizeof(struct pmu_perf_thread);
}

static void attach_cpu(struct perf *perf, struct pmu_perf_thread *self, int cpu,
		       struct pmu_attachment *got)
{
	const struct pmu_plan *plan = perf->plan;

	for (unsigned int i = 0; i < plan->n_cpus; i++) {
		if (plan->cpu[i] == cpu) {
			pmu_perf_reader_init(&self->user.reader, &perf->group[i], plan);
			return;
		}
	}
	if (cpu < 0)
		snprintf(got->note, sizeof(got->note),
			 "not pinned, and what is counted is the CPU");
	else
		snprintf(got->note, sizeof(got->note), "CPU %d is not counted", cpu);
}

/* Pages cost locked memory, of which there may be too little for one thread more. */
static void map_thread(struct pmu_perf_thread *self, struct pmu_attachment *got)
{
	int rc = pmu_perf_user_map(&self->group, self->user.page);

	if (!rc) {
		self->n_pages = self->group.n;
		self->pid = getpid();
	} else {
		snprintf(got->note, sizeof(got->note),
			 "read by read(2): no pages for its counters (%s; "
			 "kernel.perf_event_mlock_kb)",
			 strerror(-rc));
	}
}

static void unmap_thread(struct pmu_perf_thread *self)
{
	if (self->n_pages && self->pid == getpid())
		pmu_perf_user_unmap(self->user.page, self->n_pages);
	self->n_pages = 0;
}

static int open_thread(struct perf *perf, struct pmu_perf_thread *self,
		       struct pmu_attachment *got)
{
	struct pmu_fd_limit limit;
	struct pmu_perf_where where = {.pid = 0,
				       .cpu = -1,
				       .config1 = perf->user ? perf->config1 : 0,
				       .limit = &limit};
	unsigned int failed;
	int rc;

	pmu_fd_raise(&limit);
	rc = pmu_perf_group_open(&self->group, perf->plan, &where, &failed);
	pmu_fd_lower(&limit);
	if (rc)
		return same_refusal(rc);
	if (perf->user)
		map_thread(self, got);
	return pmu_perf_group_enable(&self->group);
}

static void attach_thread(struct perf *perf, struct pmu_perf_thread *self,
			  struct pmu_attachment *got)
{
	struct pmu_perf_reader *reader = &self->user.reader;
	int rc = open_thread(perf, self, got);

	if (!rc && self->group.n) {
		pmu_perf_reader_init(reader, &self->group, perf->plan);
		rc = check_counts(reader);
	}
	if (rc) {
		pmu_perf_note(rc, got->note, sizeof(got->note));
		unmap_thread(self);
		pmu_perf_group_close(&self->group);
		memset(reader, 0, sizeof(*reader));
		return;
	}
	got->user_read =
		self->n_pages && pmu_perf_user_ready(self->user.page, self->n_pages);
}

static int perf_attach(void *state, void *thread, int cpu, pmu_read_fn **read,
		       struct pmu_attachment *got)
{
	struct perf *perf = state;
	struct pmu_perf_thread *self = thread;
	struct pmu_perf_reader *reader = &self->user.reader;

	memset(self, 0, sizeof(*self));
	memset(got, 0, sizeof(*got));
	if (perf->plan->scope == PMU_COUNT_CPU)
		attach_cpu(perf, self, cpu, got);
	else
		attach_thread(perf, self, got);
	if (!reader->n) {
		reader->all = pmu_plan_mask(perf->plan);
		reader->missing = reader->all;
		*read = pmu_perf_reader_nothing;
	} else if (got->user_read) {
		*read = reader->missing ? pmu_perf_user_read_sparse : pmu_perf_user_read;
	} else {
		*read = pmu_perf_reader_read;
	}
	got->missing = reader->missing;
	return 0;
}

static void perf_detach(void *state, void *thread)
{
	struct pmu_perf_thread *self = thread;

	(void)state;
	unmap_thread(self);
	pmu_perf_group_close(&self->group);
}

/* --- words --- */

static void perf_describe(void *state, char *text, size_t size)
{
	const struct perf *perf = state;
	const char *whose = perf->plan->scope == PMU_COUNT_CPU
				    ? "whatever runs on a thread's CPU, "
				    : "";

	if (perf->user)
		snprintf(text, size, "%s, read in user space", pmu_plan_levels(perf->plan));
	else
		snprintf(text, size, "%s%s, one read(2) at each begin and end%s%s%s", whose,
			 pmu_plan_levels(perf->plan), perf->no_user ? " (" : "",
			 perf->no_user ? perf->no_user : "", perf->no_user ? ")" : "");
}

const struct pmu_backend pmu_backend_perf = {
	.name = "perf",
	.about = "hardware counters through the kernel's perf_event",
	.counts = true,
	.probe = perf_probe,
	.open = perf_open,
	.close = perf_close,
	.thread_size = perf_thread_size,
	.attach = perf_attach,
	.detach = perf_detach,
	.describe = perf_describe,
};
