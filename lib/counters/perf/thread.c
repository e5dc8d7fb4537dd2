/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of the source perf: their groups and how they are read. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/systemcall.h"
#include "counters/backend.h"
#include "counters/perf/perf.h"
#include "counters/perf/why.h"

static void set_types(struct pmu_perf_thread *self, uint32_t core_types)
{
	struct pmu_source_thread *source = &self->user.reader.source;

	if (core_types != source->core_types)
		__atomic_store_n(&source->core_types, core_types, __ATOMIC_RELAXED);
}

static void set_type_of(const struct pmu_perf *perf, struct pmu_perf_thread *self, int cpu)
{
	int kind = pmu_perf_hybrid_kind(&perf->hybrid, cpu);

	set_types(self, kind < 0 ? 0 : perf->hybrid.kind[kind].core_type);
}

/* --- a CPU's group --- */

static void attach_cpu(struct pmu_perf *perf, struct pmu_perf_thread *self, int cpu,
		       struct pmu_attachment *got)
{
	const struct pmu_plan *plan = &perf->plan;

	for (unsigned int i = 0; i < plan->n_cpus; i++) {
		if (plan->cpu[i] == cpu) {
			pmu_perf_reader_init(&self->user.reader, &perf->group[i], plan);
			set_type_of(perf, self, cpu);
			return;
		}
	}
	if (cpu < 0)
		snprintf(got->note, sizeof(got->note),
			 "not pinned, and what is counted is the CPU");
	else
		snprintf(got->note, sizeof(got->note), "CPU %d is not counted", cpu);
}

/* --- a group of its own --- */

/* Pages cost locked memory, of which there may be too little for one thread more. */
static void map_thread(struct pmu_perf_thread *self, struct pmu_attachment *got)
{
	int rc = pmu_perf_user_map(&self->group, self->user.seat);

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
		pmu_perf_user_unmap(self->user.seat, self->n_pages);
	self->n_pages = 0;
}

static int open_thread(struct pmu_perf *perf, struct pmu_perf_thread *self,
		       const struct pmu_plan *plan, struct pmu_attachment *got)
{
	struct pmu_fd_limit limit;
	struct pmu_perf_where where = {
		.pid = 0, .cpu = -1, .config1 = perf->user ? perf->config1 : 0, .limit = &limit
	};
	unsigned int failed;
	int rc;

	pmu_fd_begin(&limit);
	rc = pmu_perf_group_open(&self->group, plan, &where, &failed);
	pmu_fd_end();
	if (rc)
		return pmu_perf_same_refusal(rc);
	if (perf->user)
		map_thread(self, got);
	return pmu_perf_group_enable(&self->group);
}

static void attach_thread(struct pmu_perf *perf, struct pmu_perf_thread *self, int cpu,
			  struct pmu_attachment *got)
{
	struct pmu_perf_reader *reader = &self->user.reader;
	struct pmu_plan room;
	int rc = open_thread(perf, self, pmu_perf_plan_on(perf, cpu, &room), got);

	if (!rc && self->group.n) {
		pmu_perf_reader_init(reader, &self->group, &perf->plan);
		rc = pmu_perf_check_counts(reader);
	}
	if (rc) {
		pmu_perf_note(rc, got->note, sizeof(got->note));
		unmap_thread(self);
		pmu_perf_group_close(&self->group);
		memset(reader, 0, sizeof(*reader));
		return;
	}
	set_type_of(perf, self, cpu);
	got->user_read = self->n_pages && pmu_perf_user_ready(self->user.seat, self->n_pages);
	if (got->user_read) {
		self->user.tid = (pid_t)pmu_system_call2(SYS_gettid, 0, 0);
		pmu_perf_user_settle(&self->user);
	}
}

/* --- a group for each kind of core --- */

static uint32_t read_parts(void *thread, uint64_t *value)
{
	struct pmu_perf_thread *self = thread;
	struct pmu_perf_reader *reader = &self->user.reader;
	enum pmu_source_lost lost;
	uint32_t core_types;

	if (reader->source.lost)
		return reader->all;
	lost = pmu_perf_parts_read(&self->parts, value, &core_types);
	if (lost)
		return pmu_perf_lost(reader, lost);
	set_types(self, core_types);
	return reader->missing;
}

static void attach_parts(struct pmu_perf *perf, struct pmu_perf_thread *self,
			 struct pmu_attachment *got)
{
	struct pmu_perf_reader *reader = &self->user.reader;
	struct pmu_fd_limit limit;
	struct pmu_perf_where where = { .pid = 0, .cpu = -1, .limit = &limit };
	int rc;

	pmu_fd_begin(&limit);
	rc = pmu_perf_parts_open(&self->parts, &perf->hybrid, &perf->plan, &where);
	pmu_fd_end();
	if (!rc)
		rc = pmu_perf_parts_start(&self->parts);
	if (rc) {
		pmu_perf_note(pmu_perf_same_refusal(rc), got->note, sizeof(got->note));
		pmu_perf_parts_close(&self->parts);
		return;
	}
	reader->all = pmu_plan_mask(&perf->plan);
	reader->missing = reader->all & ~pmu_perf_parts_slots(&self->parts);
}

/* --- attach, detach --- */

static pmu_read_fn *choose_thread_read(struct pmu_perf *perf, struct pmu_perf_thread *self,
				       bool user)
{
	struct pmu_perf_reader *reader = &self->user.reader;

	if (self->parts.n)
		return read_parts;
	if (!reader->n) {
		reader->all = reader->missing = pmu_plan_mask(&perf->plan);
		return pmu_perf_reader_nothing;
	}
	if (user)
		return pmu_perf_user_read(&self->user);
	return pmu_perf_reader_read;
}

int pmu_perf_attach(void *state, void *thread, int cpu, pmu_read_fn **read,
		    struct pmu_attachment *got)
{
	struct pmu_perf *perf = state;
	struct pmu_perf_thread *self = thread;

	memset(self, 0, sizeof(*self));
	memset(got, 0, sizeof(*got));
	if (perf->plan.scope == PMU_COUNT_CPU)
		attach_cpu(perf, self, cpu, got);
	else if (perf->process)
		; /* what it does is in the process's counts */
	else if (perf->hybrid.n && pmu_perf_hybrid_kind(&perf->hybrid, cpu) < 0)
		attach_parts(perf, self, got);
	else
		attach_thread(perf, self, cpu, got);
	*read = choose_thread_read(perf, self, got->user_read);
	if (got->user_read)
		pmu_perf_user_watch(&self->user, read);
	got->missing = self->user.reader.missing;
	return 0;
}

bool pmu_perf_unsettle(void *thread, uint32_t tries)
{
	struct pmu_perf_thread *self = thread;

	if (!self->n_pages || !self->user.tid)
		return false;
	pmu_perf_user_unsettle(&self->user, tries);
	return true;
}

uint32_t pmu_perf_read_aside(void *thread, uint64_t *value)
{
	struct pmu_perf_thread *self = thread;

	if (self->parts.n)
		return read_parts(thread, value);
	return (self->user.reader.n ? pmu_perf_reader_read : pmu_perf_reader_nothing)(thread,
										      value);
}

/* A group that the kernel disables keeps its counts, and its times stand still, too. */
void pmu_perf_rest(void *thread)
{
	struct pmu_perf_thread *self = thread;

	pmu_perf_user_unwatch(&self->user);
	if (self->group.n)
		pmu_perf_group_disable(&self->group);
	for (unsigned int i = 0; i < self->parts.n; i++)
		pmu_perf_group_disable(&self->parts.group[i]);
}

/* One that cannot be enabled again shows itself at the next read, as it does at any other time. */
void pmu_perf_wake(void *thread, pmu_read_fn **read)
{
	struct pmu_perf_thread *self = thread;

	if (self->group.n)
		pmu_perf_group_enable(&self->group);
	for (unsigned int i = 0; i < self->parts.n; i++)
		pmu_perf_group_enable(&self->parts.group[i]);
	if (!self->user.tid)
		return;
	pmu_perf_user_watch(&self->user, read);
	pmu_perf_user_settle(&self->user);
}

void pmu_perf_detach(void *state, void *thread)
{
	struct pmu_perf_thread *self = thread;

	(void)state;
	pmu_perf_user_unwatch(&self->user);
	unmap_thread(self);
	pmu_perf_group_close(&self->group);
	pmu_perf_parts_close(&self->parts);
}
