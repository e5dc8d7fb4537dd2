/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread and the group that it counts: its counters, its record, and what it keeps of other groups. */
#include "session/attach.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "counters/valgrind/request.h"
#include "plan/interrupts.h"
#include "session/rotate.h"
#include "session/session.h"
#include "session/sockets.h"
#include "store/bank.h"

/* -1: unknown; 0 ns on a processor likewise */
static void know_no_usage(struct pmu_store_thread *record)
{
	record->minor_faults = record->major_faults = -1;
	record->voluntary_switches = record->involuntary_switches = -1;
	record->cpu_ns = 0;
}

static void fill_thread_record(struct pmu_thread *self)
{
	struct pmu_store_thread *record = self->rows.record;

	record->tid = self->tid;
	record->cpu = self->cpu;
	prctl(PR_GET_NAME, record->name);
	know_no_usage(record);
	record->start_ticks = pmu_clock_ticks(self->clock);
	self->usage_known = pmu_usage_self(&self->usage) == 0;
}

/* Back in a group that was counted before: the time in between is left out. */
static void continue_record(struct pmu_thread *self)
{
	struct pmu_store_thread *record = self->rows.record;

	self->usage_known = self->usage_known && pmu_usage_self(&self->usage) == 0;
	/* where its last turn ended, another group's record took what it had */
	if (record->minor_faults >= 0) {
		const struct pmu_usage had = {
			.minor_faults = record->minor_faults,
			.major_faults = record->major_faults,
			.voluntary_switches = record->voluntary_switches,
			.involuntary_switches = record->involuntary_switches,
			.cpu_ns = record->cpu_ns > 0 ? record->cpu_ns : 0,
		};

		self->usage = pmu_usage_less(&self->usage, &had);
	}
	record->start_ticks += pmu_clock_ticks(self->clock) - record->stop_ticks;
	record->stop_ticks = 0;
}

/* If a thread gets less than others, a note says so; the same note only once. */
static void note_once(const char *note)
{
	char *last = pmu_session.last_note;

	if (!note[0] || !strncmp(last, note, sizeof(pmu_session.last_note)))
		return;
	snprintf(last, sizeof(pmu_session.last_note), "%s", note);
	pmu_table_meta(&pmu_session.table, PMU_META_NOTE, note);
}

void pmu_attach_note_memory(struct pmu_thread *self)
{
	if (self && pmu_thread_is_current(self))
		pmu_thread_doubt(self, PMU_DOUBT_NO_MEMORY);
	else
		note_once(
			"calls of a thread were not counted: there was no memory for its records");
}

/*
 * Interrupts hit whatever runs at the moment: the library causes none, so nothing is subtracted for
 * them.
 */
static uint32_t interrupts_slot(const struct pmu_session_group *group)
{
	for (unsigned int i = 0; i < group->group.n_events; i++)
		if (!strcmp(group->group.event[i].name, PMU_INTERRUPTS))
			return 1u << i;
	return 0;
}

/* What is done at each call, by what the group counts. */
static void set_ways(struct pmu_thread *self, const struct pmu_session_group *group)
{
	bool noted; /* on the slow path: a trace has ways of its own */

	self->histograms = pmu_session.config.histogram;
	self->stamp_outside = !pmu_clock_is_stamp(self->clock);
	self->bytewise = pmu_valgrind_tool() == PMU_VALGRIND_OTHER;
	/* whatever can be read now: nodes are laid out with a place for it or without */
	self->exact = pmu_session.config.exact && self->n_slots;
	self->traced = self->trace.ring;
	self->rotates = pmu_rotation_is_on();
	noted = self->histograms || self->exact;
	self->noted = noted || self->traced;
	self->suspends = self->read && group->backend->suspend;
	self->special = !self->read || self->suspends || noted || self->stamp_outside ||
			self->watch_cpu >= 0;
	self->special_to_leave = self->special || self->traced;
	self->special_by_length = self->special || self->rotates;
	self->time_only = !self->read && !self->noted && !self->stamp_outside && !self->rotates;
}

static int attach_counters(struct pmu_thread *self, const struct pmu_session_group *group)
{
	size_t size = group->backend->thread_size(&group->plan);
	struct pmu_attachment got = { 0 };
	int rc;

	self->backend = group->backend;
	self->source = group->source;
	if (size && !self->counters)
		self->counters = pmu_arena_alloc(&self->arena, size, 64);
	if (size && !self->counters)
		return -ENOMEM;
	rc = group->backend->attach(group->source, self->counters, self->cpu, &self->read, &got);
	if (rc < 0)
		return rc;
	self->rows.record->missing = got.missing | self->spoiled;
	self->rows.outer_shift = self->backend == &pmu_backend_valgrind ? PMU_STORE_SLOW_SHIFT : 0;
	PMU_PUBLISH(self->rows.record->outer_shift, self->rows.outer_shift);
	self->unsteady = got.unsteady | interrupts_slot(group);
	pmu_sockets_attach(self);
	if (got.user_read)
		pmu_thread_flag(self, PMU_THREAD_USER_READ);
	pmu_thread_note_core_types(self);
	set_ways(self, group);
	note_once(got.note);
	return 0;
}

static void set_layout(struct pmu_thread *self, const struct pmu_session_group *group)
{
	self->n_slots = group->plan.n_slots;
	self->clock = pmu_session.table.clock;
	self->sockets = group->sockets;
	self->watch_cpu = -1;
	/* on another machine's dump the CPU a thread runs on says nothing */
	if ((group->plan.scope == PMU_COUNT_CPU || group->backend->counts_cpu) &&
	    !pmu_session.config.pin.elsewhere)
		self->watch_cpu = self->cpu;
}

static bool reads_nothing(const struct pmu_thread *self)
{
	uint32_t all = (uint32_t)((UINT64_C(1) << self->n_slots) - 1);

	return (pmu_thread_missing(self) & all) == all;
}

/*
 * Time of a read, the least of a few: short calls of a row are doubtful if they are not long
 * against it. Not where the read is no part of their counts.
 */
static void measure_thread_read(struct pmu_thread *self, struct pmu_store_group *layout)
{
	uint64_t value[PMU_MAX_SLOTS], least = UINT32_MAX;

	if (!self->read || self->suspends || layout->read_ticks || reads_nothing(self))
		return;
	for (int i = 0; i < 8; i++) {
		uint64_t start = pmu_clock_ticks(self->clock), ticks;

		self->read(self->counters, value);
		ticks = pmu_clock_ticks(self->clock) - start;
		least = ticks < least ? ticks : least;
	}
	layout->read_ticks = (uint32_t)least;
}

static int attach_to(struct pmu_thread *self, unsigned int index)
{
	const struct pmu_session_group *group = &pmu_session.group[index];
	bool first = !self->rows.record;
	int rc;

	self->group = index;
	set_layout(self, group);
	if (first) {
		rc = pmu_table_thread(&pmu_session.table, self->group, self->n_slots, self->number,
				      &self->rows);
		if (rc < 0)
			return rc;
		fill_thread_record(self);
		pmu_trace_attach(self);
	} else {
		continue_record(self);
	}
	rc = attach_counters(self, group);
	if (rc < 0) {
		if (first) {
			pmu_trace_detach(self, true);
			pmu_table_thread_free(&pmu_session.table, &self->rows);
		}
		return rc;
	}
	measure_thread_read(self, group->layout);
	self->last_end = &self->rows.record->last_end;
	if (self->waits.are_known)
		pmu_thread_flag(self, PMU_THREAD_WAITS);
	else
		note_once(pmu_waits_why(self));
	note_once(pmu_samples_why(self));
	if (self->waits.are_split)
		pmu_thread_flag(self, PMU_THREAD_QUEUES);
	PMU_PUBLISH_LAST(self->rows.record->state, PMU_THREAD_LIVE);
	pmu_table_point(&pmu_session.table);
	return 0;
}

int pmu_attach_group(struct pmu_thread *self)
{
	self->turn = PMU_TURN_NONE;
	return attach_to(self, pmu_session.current);
}

int pmu_make_others(struct pmu_thread *self)
{
	if (self->other)
		return 0;
	self->other = pmu_arena_alloc(&self->arena, pmu_session.n_groups * sizeof(*self->other), 8);
	if (!self->other)
		return -ENOMEM;
	self->n_others = pmu_session.n_groups;
	return 0;
}

void pmu_change_group(struct pmu_thread *self, unsigned int next)
{
	struct pmu_thread_group *to = &self->other[self->group];
	const struct pmu_thread_group *from = &self->other[next];

	*to = (struct pmu_thread_group){
		.tree = self->tree,
		.frame = self->frame,
		.lookup = self->lookup,
		.lookup_shift = self->lookup_shift,
		.counters = self->counters,
		.cost = self->cost,
		.read = self->read,
		.backend = self->backend,
		.source = self->source,
		.unsteady = self->unsteady,
		.turned = self->turned,
		.spoiled = self->spoiled,
		.rows = self->rows,
	};
	self->tree = from->tree;
	self->frame = from->frame;
	self->lookup = from->lookup;
	self->lookup_shift = from->lookup_shift;
	self->counters = from->counters;
	self->cost = from->cost;
	self->turned = from->turned;
	self->spoiled = from->spoiled;
	self->rows = from->rows;
	self->read = NULL;
}

int pmu_attach_next(struct pmu_thread *self)
{
	const struct pmu_backend *backend = self->backend;
	void *source = self->source;
	unsigned int before = self->group;
	int rc;

	if (before != pmu_session.current)
		pmu_change_group(self, pmu_session.current);
	rc = pmu_attach_group(self);
	if (rc == 0 || before == pmu_session.current)
		return rc;
	/* Its rows are those that it has: of the other group there may be none. */
	pmu_change_group(self, before);
	self->group = before;
	self->backend = backend;
	self->source = source;
	set_layout(self, &pmu_session.group[before]);
	return rc;
}

/* --- turns --- */

static void rest(struct pmu_thread *self)
{
	struct pmu_store_thread *record = self->rows.record;

	pmu_sockets_detach(self);
	if (self->backend->rest)
		self->backend->rest(self->counters);
	pmu_thread_note_lost(self);
	pmu_thread_note_core_types(self);
	/* what the kernel has counted of the thread is in the record of the group that it counts now */
	know_no_usage(record);
	pmu_turns_add(self);
	record->stop_ticks = pmu_clock_ticks(self->clock);
	PMU_PUBLISH_LAST(record->state, PMU_THREAD_FINISHED);
}

static void wake(struct pmu_thread *self, unsigned int index)
{
	const struct pmu_session_group *group = &pmu_session.group[index];
	struct pmu_thread_group *from = &self->other[index];
	struct pmu_store_thread *record = self->rows.record;

	self->group = index;
	self->backend = from->backend;
	self->source = from->source;
	self->read = from->read;
	self->unsteady = from->unsteady;
	from->attached = false;
	set_layout(self, group);
	pmu_sockets_attach(self);
	set_ways(self, group);
	record->start_ticks += pmu_clock_ticks(self->clock) - record->stop_ticks;
	record->stop_ticks = 0;
	self->last_end = &record->last_end;
	if (self->backend->wake)
		self->backend->wake(self->counters, &self->read);
	PMU_PUBLISH_LAST(record->state, PMU_THREAD_LIVE);
}

int pmu_turn_group(struct pmu_thread *self, unsigned int next)
{
	const struct pmu_usage usage = self->usage;
	const bool usage_known = self->usage_known;
	unsigned int before = self->group;
	int rc = pmu_make_others(self);

	if (rc < 0)
		return rc;
	rest(self);
	pmu_change_group(self, next);
	self->other[before].attached = true;
	if (self->other[next].attached)
		wake(self, next);
	else
		rc = attach_to(self, next);
	/* it goes on, whichever group is counted */
	self->usage = usage;
	self->usage_known = usage_known;
	if (rc == 0)
		return 0;
	pmu_change_group(self, before);
	wake(self, before);
	return rc;
}

void pmu_close_counters(struct pmu_thread *self)
{
	self->backend->detach(self->source, self->counters);
	for (unsigned int i = 0; i < self->n_others; i++) {
		struct pmu_thread_group *other = &self->other[i];

		if (other->attached)
			other->backend->detach(other->source, other->counters);
		other->attached = false;
	}
}

void pmu_finish_group(struct pmu_thread *self)
{
	struct pmu_store_thread *record = self->rows.record;

	if (pmu_thread_is_current(self)) {
		pmu_sockets_detach(self);
		pmu_thread_update(self);
		if (self->rotates)
			pmu_turns_add(self);
		record->stop_ticks = pmu_clock_ticks(self->clock);
		PMU_PUBLISH_LAST(record->state, PMU_THREAD_FINISHED);
		pmu_table_point(&pmu_session.table);
	}
	pmu_close_counters(self);
}
