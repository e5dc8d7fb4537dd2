/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads: attach at the first region, detach at the end, and all that lies between. */
#include "session/thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counters/valgrind/request.h"
#include "group/interrupts.h"
#include "session/contexts.h"
#include "session/guard.h"
#include "session/session.h"
#include "session/sockets.h"
#include "store/bank.h"

static pthread_key_t exit_key;

_Static_assert(PMU_THREAD_GROUPS == PMU_CONFIG_MAX_GROUPS, "a thread has room for every group");

/* Rounds of thread-exit destructors that others get before ours: they may use regions, too. */
#define EXIT_ROUNDS 2

static struct pmu_thread *take_struct(void)
{
	struct pmu_thread *self = pmu_session.unused;

	if (self) {
		pmu_session.unused = self->next;
		self->next = NULL;
		return self;
	}
	self = pmu_pages_alloc(PMU_ALIGN_UP(sizeof(*self), 4096));
	if (!self)
		return NULL;
	self->guard = pmu_guard_alloc();
	if (!self->guard) {
		pmu_pages_free(self, PMU_ALIGN_UP(sizeof(*self), 4096));
		return NULL;
	}
	return self;
}

/* Everything but what survives from one owner to the next: the guard and the arena's first block. */
static void give_struct(struct pmu_thread *self)
{
	uint32_t *guard = self->guard;
	struct pmu_arena arena;

	pmu_arena_reset(&self->arena);
	arena = self->arena;
	memset(self, 0, sizeof(*self));
	*guard = 0;
	self->guard = guard;
	self->arena = arena;
	self->next = pmu_session.unused;
	pmu_session.unused = self;
}

static void fill_record(struct pmu_thread *self)
{
	struct pmu_store_thread *record = self->rows.record;

	record->tid = self->tid;
	record->cpu = self->cpu;
	prctl(PR_GET_NAME, record->name);
	record->minor_faults = record->major_faults = -1;
	record->voluntary_switches = record->involuntary_switches = -1;
	record->start_ticks = pmu_clock_ticks(self->clock);
	self->usage_known = pmu_usage_self(&self->usage) == 0;
}

/* Back in a group that was counted before: the time in between is left out. */
static void continue_record(struct pmu_thread *self)
{
	struct pmu_store_thread *record = self->rows.record;

	self->usage_known = record->minor_faults >= 0 && pmu_usage_self(&self->usage) == 0;
	self->usage.minor_faults -= record->minor_faults;
	self->usage.major_faults -= record->major_faults;
	self->usage.voluntary_switches -= record->voluntary_switches;
	self->usage.involuntary_switches -= record->involuntary_switches;
	self->usage.cpu_ns -= record->cpu_ns > 0 ? record->cpu_ns : 0;
	record->start_ticks += pmu_clock_ticks(self->clock) - record->stop_ticks;
	record->stop_ticks = 0;
}

/* If a thread gets less than others, a note says so; the same note only once. */
static void note_attachment(const struct pmu_attachment *got)
{
	char *last = pmu_session.last_note;

	if (!got->note[0] || !strncmp(last, got->note, sizeof(pmu_session.last_note)))
		return;
	memcpy(last, got->note, sizeof(pmu_session.last_note));
	pmu_table_meta(&pmu_session.table, PMU_META_NOTE, got->note);
}

/* The kinds of core that the thread ran on, as the source sees them when it reads. */
static void note_core_types(struct pmu_thread *self)
{
	const struct pmu_source_thread *source = self->counters;
	uint32_t types = source ? __atomic_load_n(&source->core_types, __ATOMIC_RELAXED) : 0;

	if (types & PMU_SLOT_P)
		pmu_thread_flag(self, PMU_THREAD_CORE_P);
	if (types & PMU_SLOT_E)
		pmu_thread_flag(self, PMU_THREAD_CORE_E);
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
	self->rows.record->missing = got.missing;
	self->rows.record->outer_shift = self->backend == &pmu_backend_valgrind
						 ? PMU_STORE_SLOW_SHIFT
						 : 0;
	self->unsteady = got.unsteady | interrupts_slot(group);
	pmu_sockets_attach(self);
	if (got.user_read)
		pmu_thread_flag(self, PMU_THREAD_USER_READ);
	note_core_types(self);
	self->histograms = pmu_session.config.histogram;
	self->stamp_outside = !pmu_clock_is_stamp(self->clock);
	self->bytewise = pmu_valgrind_tool() == PMU_VALGRIND_OTHER;
	/* whatever can be read now: nodes are laid out with a place for it or without */
	self->exact = pmu_session.config.exact && self->n_slots;
	self->noted = self->histograms || self->exact;
	self->suspends = self->read && group->backend->suspend;
	self->special = !self->read || self->suspends || self->noted || self->stamp_outside ||
			self->watch_cpu >= 0;
	self->time_only = !self->read && !self->noted && !self->stamp_outside;
	note_attachment(&got);
	return 0;
}

static void set_layout(struct pmu_thread *self, const struct pmu_session_group *group)
{
	self->n_slots = group->layout->n_slots;
	pmu_bank_at(group->layout, self->bank_at);
	self->clock = pmu_session.table.head->clock_kind;
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

	return (self->rows.record->missing & all) == all;
}

/*
 * Time of a read, the least of a few: short calls of a row are doubtful if they are not long
 * against it. Not where the read is no part of their counts.
 */
static void measure_read(struct pmu_thread *self, struct pmu_store_group *layout)
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

/* Put the thread where the group that is counted now expects it. */
static int attach_group(struct pmu_thread *self)
{
	const struct pmu_session_group *group = &pmu_session.group[pmu_session.current];
	bool first = !self->rows.record;
	int rc;

	self->group = pmu_session.current;
	set_layout(self, group);
	if (first) {
		rc = pmu_table_thread(&pmu_session.table, self->group, group->layout, self->number,
				      &self->rows);
		if (rc < 0)
			return rc;
		fill_record(self);
	} else {
		continue_record(self);
	}
	rc = attach_counters(self, group);
	if (rc < 0) {
		if (first)
			pmu_table_thread_free(&pmu_session.table, &self->rows);
		return rc;
	}
	measure_read(self, group->layout);
	self->last_end = &self->rows.record->last_end;
	__atomic_store_n(&self->rows.record->state, PMU_THREAD_LIVE, __ATOMIC_RELEASE);
	pmu_table_point(&pmu_session.table);
	return 0;
}

/* Keep what belongs to the group that was counted, take up what belongs to the next one. */
static void change_group(struct pmu_thread *self, unsigned int next)
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
		.rows = self->rows,
	};
	self->tree = from->tree;
	self->frame = from->frame;
	self->lookup = from->lookup;
	self->lookup_shift = from->lookup_shift;
	self->counters = from->counters;
	self->cost = from->cost;
	self->rows = from->rows;
	self->read = NULL;
}

/*
 * LLVM's OpenMP reads the mask by a system call, which no wrapper sees, at its first parallel
 * region: in a pinned thread it would make a team of one. Any call makes it read the mask now.
 */
static void wake_openmp(void)
{
	static bool done;
	int (*ask)(void);

	if (done)
		return;
	done = true;
	if (!dlsym(RTLD_DEFAULT, "__kmpc_fork_call"))
		return;
	*(void **)(void *)&ask = dlsym(RTLD_DEFAULT, "omp_get_num_procs");
	if (ask)
		ask();
}

static void pin(struct pmu_thread *self)
{
	char why[160]; /* the session's description says it too */

	self->cpu = -1;
	if (pmu_session.config.pin.policy != PMU_PIN_NONE)
		wake_openmp();
	if (pmu_session.pinning)
		self->cpu = pmu_pinning_thread(pmu_session.pinning, why, sizeof(why));
}

static bool counts_in_one(void)
{
#if defined(__aarch64__)
	return getauxval(AT_HWCAP) & HWCAP_ATOMICS;
#else
	return true;
#endif
}

static void enlist(struct pmu_thread *self)
{
	self->next = pmu_session.threads;
	self->link = &pmu_session.threads;
	if (self->next)
		self->next->link = &self->next;
	pmu_session.threads = self;
}

int pmu_thread_attach_new(struct pmu_thread **out)
{
	struct pmu_thread *self = take_struct();
	int rc;

	if (!self)
		return -ENOMEM;
	self->tid = (int)syscall(SYS_gettid);
	self->number = pmu_session.n_threads++;
	self->session = pmu_session.n_started;
	self->epoch = (uint32_t)pmu_epoch;
	self->max_regions = pmu_session.config.max_regions;
	self->guard_in_one = counts_in_one();
	pin(self);
	rc = attach_group(self);
	if (rc < 0) {
		give_struct(self);
		return rc;
	}
	enlist(self);
	*self->guard = self->epoch;
	pmu_self = self;
	pthread_setspecific(exit_key, self);
	*out = self;
	return 0;
}

/* --- detach --- */

static void note_lost_source(struct pmu_thread *self)
{
	const struct pmu_source_thread *source = self->counters;
	uint32_t lost = source ? __atomic_load_n(&source->lost, __ATOMIC_RELAXED) : 0;

	if (lost == PMU_SOURCE_CLOSED)
		self->rows.record->doubt[PMU_DOUBT_SOURCE_LOST] = 1;
	else if (lost == PMU_SOURCE_TAKEN)
		self->rows.record->doubt[PMU_DOUBT_SOURCE_TAKEN] = 1;
	else if (lost == PMU_SOURCE_REFUSED)
		pmu_thread_flag(self, PMU_THREAD_REFUSED);
}

static void update_usage(struct pmu_thread *thread, const struct pmu_usage *now)
{
	struct pmu_store_thread *record = thread->rows.record;

	record->minor_faults = now->minor_faults - thread->usage.minor_faults;
	record->major_faults = now->major_faults - thread->usage.major_faults;
	record->voluntary_switches = now->voluntary_switches - thread->usage.voluntary_switches;
	record->involuntary_switches = now->involuntary_switches -
				       thread->usage.involuntary_switches;
	record->cpu_ns = now->cpu_ns - thread->usage.cpu_ns;
}

void pmu_thread_update_usage(struct pmu_thread *thread)
{
	struct pmu_usage now;

	if (thread->usage_known &&
	    (thread == pmu_self ? pmu_usage_self(&now) : pmu_usage_other(thread->tid, &now)) == 0)
		update_usage(thread, &now);
}

void pmu_thread_update(struct pmu_thread *thread)
{
	struct pmu_store_thread *record = thread->rows.record;
	bool is_self = thread == pmu_self;

	pmu_thread_update_usage(thread);
	if (is_self && thread->cpu >= 0 && !pmu_session.config.pin.elsewhere &&
	    !record->doubt[PMU_DOUBT_MOVED])
		record->doubt[PMU_DOUBT_MOVED] = sched_getcpu() != thread->cpu;
	/* threads get their names once they run */
	if (is_self)
		prctl(PR_GET_NAME, record->name);
	if (is_self && thread->counters && thread->backend->look)
		thread->backend->look(thread->counters);
	note_lost_source(thread);
	note_core_types(thread);
}

bool pmu_thread_is_current(const struct pmu_thread *self)
{
	return pmu_session.running && self->session == pmu_session.n_started;
}

/* Its rows stay, its counters go. */
static void finish_group(struct pmu_thread *self)
{
	struct pmu_store_thread *record = self->rows.record;

	if (pmu_thread_is_current(self)) {
		pmu_sockets_detach(self);
		pmu_thread_update(self);
		record->stop_ticks = pmu_clock_ticks(self->clock);
		__atomic_store_n(&record->state, PMU_THREAD_FINISHED, __ATOMIC_RELEASE);
		pmu_table_point(&pmu_session.table);
	}
	self->backend->detach(self->source, self->counters);
}

static void keep_or_merge(struct pmu_thread *self)
{
	if (pmu_session.n_finished_kept < pmu_session.config.max_threads) {
		pmu_session.n_finished_kept++;
		return;
	}
	if (!pmu_session.merged_number)
		pmu_session.merged_number = pmu_session.n_threads++;
	self->other[self->group].rows = self->rows;
	for (unsigned int i = 0; i < pmu_session.n_groups; i++) {
		struct pmu_session_group *group = &pmu_session.group[i];

		if (self->other[i].rows.record)
			pmu_merge_thread(&pmu_session.table, &group->merge, group->layout,
					 pmu_session.merged_number, &self->other[i].rows);
	}
}

/* Doubly linked, so that no search is needed when a thousand threads end at once. */
static void unlist(struct pmu_thread *self)
{
	if (self->link)
		*self->link = self->next;
	if (self->next)
		self->next->link = self->link;
}

void pmu_thread_forget_all(void)
{
	if (pmu_session.threads)
		pmu_session.threads->link = NULL;
	pmu_session.threads = NULL;
}

void pmu_thread_detach(struct pmu_thread *self)
{
	finish_group(self);
	pmu_contexts_detach(self);
	unlist(self);
	if (pmu_thread_is_current(self)) {
		keep_or_merge(self);
		if (self->cpu >= 0 && pmu_session.pinning)
			pmu_pinning_release(pmu_session.pinning, self->cpu);
	}
	pmu_self = &pmu_nobody;
	give_struct(self);
}

/* The session counts another group, or it is another session. */
int pmu_thread_reattach(struct pmu_thread **self)
{
	struct pmu_thread *old = *self;

	if (!pmu_thread_is_current(old)) {
		pmu_thread_detach(old);
		return pmu_thread_attach_new(self);
	}
	/* A region that was begun while the group changed ends in the group it began in. */
	if (pmu_thread_any_open(old))
		return 0;
	finish_group(old);
	if (old->group != pmu_session.current)
		change_group(old, pmu_session.current);
	old->epoch = (uint32_t)pmu_epoch;
	return attach_group(old);
}

static void thread_exit(void *arg)
{
	struct pmu_thread *self = arg;

	/* In a forked child the copy belongs to the parent's session. */
	pmu_session_shed();
	if (self != pmu_self || !pmu_session_is_ours())
		return;
	if (self->exit_rounds++ < EXIT_ROUNDS && pthread_setspecific(exit_key, self) == 0)
		return;
	pmu_session_bar();
	pmu_session_lock();
	pmu_thread_detach(self);
	pmu_session_unlock();
	pmu_thread_gone = 1;
	pmu_session_unbar();
}

int pmu_thread_setup(void)
{
	static bool done;
	int rc = 0;

	if (!done)
		rc = pthread_key_create(&exit_key, thread_exit);
	done = rc == 0;
	return -rc;
}

/* --- the record and its rows --- */

static void add_open(void *arg, uint32_t id, struct pmu_store_row *row)
{
	(void)id;
	*(uint64_t *)arg += __atomic_load_n(&row->open, __ATOMIC_RELAXED);
}

bool pmu_thread_any_open(const struct pmu_thread *thread)
{
	uint64_t open = 0;

	pmu_table_rows_walk(&pmu_session.table, &thread->rows, add_open, &open);
	return open != 0;
}

void pmu_thread_doubt(struct pmu_thread *self, enum pmu_thread_doubt which)
{
	uint32_t *doubt = pmu_store_doubt(self->rows.record, which);

	__atomic_store_n(doubt, *doubt + 1, __ATOMIC_RELAXED);
}

void pmu_thread_flag(struct pmu_thread *self, enum pmu_store_thread_flags flag)
{
	/* by the thread itself, and by whoever makes a report */
	__atomic_fetch_or(&self->rows.record->flags, (uint32_t)flag, __ATOMIC_RELAXED);
}

struct pmu_store_row *pmu_thread_row(struct pmu_thread *self, const char *text, size_t len,
				     uint32_t parent, uint16_t flags, uint32_t *id)
{
	struct pmu_store_row *row = NULL;
	uint32_t name;

	pmu_session_lock();
	/* A session that ended meanwhile has given its table away. */
	name = pmu_thread_is_current(self) ? pmu_table_name(&pmu_session.table, text, len) : 0;
	if (name)
		row = pmu_table_row(&pmu_session.table, &self->rows, name, parent, flags, id);
	pmu_session_unlock();
	return row;
}

struct pmu_store_side *pmu_thread_side(struct pmu_thread *self, enum pmu_side which, uint32_t row)
{
	struct pmu_store_side *side = NULL;

	pmu_session_lock();
	if (pmu_thread_is_current(self))
		side = pmu_table_side(&pmu_session.table, &self->rows, which, row, 1);
	pmu_session_unlock();
	return side;
}
