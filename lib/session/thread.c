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

#include "session/attach.h"
#include "session/contexts.h"
#include "session/enter.h"
#include "session/guard.h"
#include "session/lifecycle.h"
#include "session/session.h"

static pthread_key_t exit_key;

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
	pmu_switch_mark_fill(&self->mark);
	return self;
}

/* Everything but what survives from one owner to the next: the mark, the guard, the arena's first block. */
static void give_struct(struct pmu_thread *self)
{
	uint32_t *guard = self->guard;
	struct pmu_arena arena;

	pmu_turns_forget(&self->turned);
	for (unsigned int i = 0; i < self->n_others; i++)
		if (i != self->group)
			pmu_turns_forget(&self->other[i].turned);
	pmu_arena_reset(&self->arena);
	arena = self->arena;
	memset(&self->guard, 0, sizeof(*self) - offsetof(struct pmu_thread, guard));
	*guard = 0;
	self->guard = guard;
	self->arena = arena;
	self->next = pmu_session.unused;
	pmu_session.unused = self;
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

static int attach_new(struct pmu_thread **out)
{
	struct pmu_thread *self = take_struct();
	int rc;

	if (!self)
		return -ENOMEM;
	self->tid = (int)syscall(SYS_gettid);
	self->number = pmu_session.n_threads++;
	self->session = pmu_session.n_started;
	self->epoch = (uint32_t)pmu_session_epoch();
	self->missed = pmu_session.control.n_off > 0;
	self->max_regions = pmu_session.config.max_regions;
	self->guard_in_one = counts_in_one();
	pmu_samples_attach(self);
	pmu_waits_attach(self);
	pin(self);
	rc = pmu_attach_group(self);
	if (rc < 0) {
		if (self->cpu >= 0 && pmu_session.pinning)
			pmu_pinning_release(pmu_session.pinning, self->cpu);
		pmu_session.n_threads--;
		pmu_waits_detach(self);
		pmu_samples_detach(self);
		give_struct(self);
		return rc;
	}
	enlist(self);
	*self->guard = self->epoch;
	pmu_own.self = self;
	pthread_setspecific(exit_key, self);
	*out = self;
	return 0;
}

int pmu_thread_attach_new(struct pmu_thread **self)
{
	sigset_t before;
	int rc;

	pmu_samples_hold_signals(&before);
	rc = attach_new(self);
	pmu_samples_release_signals(&before);
	return rc;
}

/* --- detach --- */

/* The kinds of core that the thread ran on, as the source sees them when it reads. */
void pmu_thread_note_core_types(struct pmu_thread *self)
{
	const struct pmu_source_thread *source = self->counters;
	uint32_t types = source ? __atomic_load_n(&source->core_types, __ATOMIC_RELAXED) : 0;

	if (types & PMU_SLOT_P)
		pmu_thread_flag(self, PMU_THREAD_CORE_P);
	if (types & PMU_SLOT_E)
		pmu_thread_flag(self, PMU_THREAD_CORE_E);
}

void pmu_thread_note_lost(struct pmu_thread *self)
{
	const struct pmu_source_thread *source = self->counters;
	uint32_t lost = source ? __atomic_load_n(&source->lost, __ATOMIC_RELAXED) : 0;

	if (self == pmu_own.self)
		pmu_waits_note_lost(self);
	if (source && self->backend->spoiled)
		self->spoiled |= self->backend->spoiled(self->counters);
	/* Pairs with the relaxed load in pmu_thread_missing(). */
	if (self->spoiled)
		__atomic_fetch_or(&self->rows.record->missing, self->spoiled, __ATOMIC_RELAXED);
	if (lost == PMU_SOURCE_CLOSED)
		pmu_store_relaxed(&self->rows.record->doubt[PMU_DOUBT_SOURCE_LOST], 1);
	else if (lost == PMU_SOURCE_TAKEN)
		pmu_store_relaxed(&self->rows.record->doubt[PMU_DOUBT_SOURCE_TAKEN], 1);
	else if (lost == PMU_SOURCE_REFUSED)
		pmu_thread_flag(self, PMU_THREAD_REFUSED);
}

void pmu_thread_update_usage(struct pmu_thread *thread)
{
	struct pmu_usage now;

	if (thread->usage_known &&
	    (thread == pmu_own.self ? pmu_usage_self(&now) : pmu_usage_other(thread->tid, &now)) ==
		    0)
		pmu_usage_record(thread->rows.record, &now, &thread->usage);
}

void pmu_thread_update(struct pmu_thread *thread)
{
	struct pmu_store_thread *record = thread->rows.record;
	bool is_self = thread == pmu_own.self;

	pmu_thread_update_usage(thread);
	if (is_self && thread->cpu >= 0 && !pmu_session.config.pin.elsewhere &&
	    !record->doubt[PMU_DOUBT_MOVED])
		record->doubt[PMU_DOUBT_MOVED] = sched_getcpu() != thread->cpu;
	/* threads get their names once they run */
	if (is_self)
		prctl(PR_GET_NAME, record->name);
	if (is_self && thread->counters && thread->backend->look)
		thread->backend->look(thread->counters);
	pmu_thread_note_lost(thread);
	pmu_thread_note_core_types(thread);
}

bool pmu_thread_is_current(const struct pmu_thread *self)
{
	return pmu_session.running && self->session == pmu_session.n_started;
}

bool pmu_thread_is_attached(const struct pmu_thread *self)
{
	return pmu_thread_is_current(self) &&
	       (int32_t)self->epoch >= pmu_session.control.attached_from;
}

static void merge_rows_of_thread(struct pmu_table_rows *rows, unsigned int index)
{
	struct pmu_session_group *group = &pmu_session.group[index];

	pmu_merge_thread(&pmu_session.table, &group->merge, pmu_session.merged_number, rows);
}

/* Return: is it kept? */
static bool keep_or_merge(struct pmu_thread *self)
{
	if (pmu_session.n_finished_kept < pmu_session.config.max_threads) {
		pmu_session.n_finished_kept++;
		return true;
	}
	if (!pmu_session.merged_number)
		pmu_session.merged_number = pmu_session.n_threads++;
	merge_rows_of_thread(&self->rows, self->group);
	for (unsigned int i = 0; i < self->n_others; i++)
		if (i != self->group && self->other[i].rows.record)
			merge_rows_of_thread(&self->other[i].rows, i);
	return false;
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
	sigset_t before;

	pmu_samples_hold_signals(&before);
	pmu_finish_group(self);
	pmu_contexts_detach(self);
	unlist(self);
	if (pmu_thread_is_current(self)) {
		pmu_trace_detach(self, !keep_or_merge(self));
		if (self->cpu >= 0 && pmu_session.pinning)
			pmu_pinning_release(pmu_session.pinning, self->cpu);
	}
	pmu_own.self = PMU_NOBODY;
	pmu_waits_detach(self);
	pmu_samples_detach(self);
	give_struct(self);
	pmu_samples_release_signals(&before);
}

/* The session counts another group, or it is another session. */
int pmu_thread_reattach(struct pmu_thread **self)
{
	struct pmu_thread *old = *self;
	int rc;

	if (!pmu_thread_is_current(old)) {
		pmu_thread_detach(old);
		return pmu_thread_attach_new(self);
	}
	if (pmu_load_relaxed(&old->stopped) || (int32_t)old->epoch < pmu_session.control.off_epoch)
		old->resumes = true;
	/* it is attached as it is to be: measuring was switched off meanwhile */
	if (pmu_thread_is_attached(old)) {
		old->epoch = (uint32_t)pmu_session_epoch();
		return 0;
	}
	/* A region that was begun while the group changed ends in the group it began in. */
	if (pmu_thread_any_open(old))
		return 0;
	if (old->group != pmu_session.current && pmu_make_others(old) < 0)
		return -ENOMEM;
	pmu_finish_group(old);
	rc = pmu_attach_next(old);
	/* else the next call tries again */
	if (rc == 0)
		old->epoch = (uint32_t)pmu_session_epoch();
	return rc;
}

static void thread_exit(void *arg)
{
	struct pmu_thread *self = arg;

	/* In a forked child the copy belongs to the parent's session. */
	pmu_session_shed();
	if (self != pmu_own.self || !pmu_session_is_ours())
		return;
	if (self->exit_rounds++ < EXIT_ROUNDS && pthread_setspecific(exit_key, self) == 0)
		return;
	pmu_session_bar();
	pmu_session_lock();
	/* also where the session has ended before it, and has said what is open */
	self->samples.stays_open = pmu_thread_any_open(self);
	pmu_thread_detach(self);
	pmu_session_unlock();
	pmu_own.past |= PMU_PAST_DESTRUCTORS;
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

static void add_open(void *arg, uint32_t id, const struct pmu_row_key *key,
		     struct pmu_store_row *row)
{
	(void)id;
	(void)key;
	*(uint64_t *)arg += PMU_PUBLISHED_SUM(row->open);
}

bool pmu_thread_any_open(const struct pmu_thread *thread)
{
	uint64_t open = 0;

	pmu_table_rows_walk(&thread->rows, add_open, &open);
	return open != 0;
}

void pmu_thread_doubt(struct pmu_thread *self, enum pmu_thread_doubt which)
{
	uint32_t *doubt = pmu_store_doubt(self->rows.record, which);

	__atomic_store_n(doubt, *doubt + 1, __ATOMIC_RELAXED);
}

void pmu_thread_flag(struct pmu_thread *self, enum pmu_store_thread_flags flag)
{
	/* by the thread itself, and by one that makes a report */
	__atomic_fetch_or(&self->rows.record->flags, (uint32_t)flag, __ATOMIC_RELAXED);
}

static void unflag(struct pmu_table_rows *rows, enum pmu_store_thread_flags flag)
{
	__atomic_fetch_and(&rows->record->flags, ~(uint32_t)flag, __ATOMIC_RELAXED);
}

void pmu_thread_unflag(struct pmu_thread *self, enum pmu_store_thread_flags flag)
{
	unflag(&self->rows, flag);
	for (unsigned int i = 0; i < self->n_others; i++)
		if (i != self->group && self->other[i].rows.record)
			unflag(&self->other[i].rows, flag);
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
