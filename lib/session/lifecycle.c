/* SPDX-License-Identifier: BSD-3-Clause */
/* Fork. */
#include <sched.h>
#include <unistd.h>

#include "session/attach.h"
#include "session/contexts.h"
#include "session/guard.h"
#include "session/lifecycle.h"
#include "session/session.h"
#include "session/sockets.h"
#include "store/place.h"

bool pmu_session_is_ours(void)
{
	/* Pairs with the release in pmu_session_start(): a thread that sees it run sees its owner. */
	return !__atomic_load_n(&pmu_session.running, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(pmu_session.owner, __ATOMIC_ACQUIRE) == PMU_OWNER_SELF;
}

/*
 * A child may have several threads by its first call: one of them lets go of the parent's parts,
 * the others wait.
 */
static bool claim_first(uint32_t *owner)
{
	uint32_t was = PMU_OWNER_PARENT;

	return __atomic_compare_exchange_n(owner, &was, PMU_OWNER_CHANGING, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

static bool take_over_session(void)
{
	if (claim_first(pmu_session.owner))
		return true;
	while (!pmu_session_is_ours())
		sched_yield();
	return false;
}

/* The lock has an owner of its own: it is also held while no session runs, because one starts. */
static uint32_t *lock_owner;

__attribute__((constructor)) static void own_lock_from_start(void)
{
	lock_owner = pmu_guard_alloc();
	if (lock_owner)
		__atomic_store_n(lock_owner, PMU_OWNER_SELF, __ATOMIC_RELEASE);
}

void pmu_session_own_lock(void)
{
	if (likely(!lock_owner || __atomic_load_n(lock_owner, __ATOMIC_ACQUIRE) == PMU_OWNER_SELF))
		return;
	if (claim_first(lock_owner)) {
		/*
		 * In a child the thread that held it does not exist; the list may be halfway
		 * through a change.
		 */
		pmu_session.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
		pmu_session.unused = NULL;
		__atomic_store_n(lock_owner, PMU_OWNER_SELF, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(lock_owner, __ATOMIC_ACQUIRE) != PMU_OWNER_SELF)
		sched_yield();
}

/*
 * A child has the parent's memory, one thread, and copies of the descriptors. It lets go of what it
 * shares with the parent, and closes what the parent's other threads had open.
 */
void pmu_session_forked(void)
{
	struct pmu_thread *thread;

	if (!take_over_session())
		return;
	pmu_control_forked();
	for (thread = pmu_session.threads; thread; thread = thread->next)
		pmu_close_counters(thread);
	for (unsigned int i = 0; i < pmu_session.n_groups; i++) {
		pmu_sockets_forked(pmu_session.group[i].sockets);
		if (pmu_session.group[i].is_open)
			pmu_session.group[i].backend->close(pmu_session.group[i].source);
		pmu_merge_forget(&pmu_session.group[i].merge);
	}
	pmu_table_abandon(&pmu_session.table);
	pmu_pinning_abandon(pmu_session.pinning);
	pmu_sink_close(&pmu_session.err);
	pmu_sink_close(&pmu_session.out);
	pmu_session.pinning = NULL;
	pmu_session.n_groups = 0;
	pmu_thread_forget_all();
	pmu_contexts_forget();
	pmu_session.unused = NULL;
	pmu_session.in_child = true;
	/* one that has waited has told its own pid already */
	pmu_session.forked_from = pmu_session.waiting.pid == getpid()
					  ? pmu_session.waiting.forked_from
					  : pmu_session.pid;
	if (pmu_session.kept)
		pmu_store_inherit();
	__atomic_store_n(&pmu_session.running, false, __ATOMIC_RELEASE);
}

/*
 * Closes copies that a daemon would keep: otherwise a reader of the program's output waits for the
 * daemon's end, and counters are held as long as a copy of their descriptors exists.
 */
void pmu_session_child(void)
{
	if (!__atomic_load_n(&pmu_session.running, __ATOMIC_RELAXED))
		return;
	pmu_control_child();
	pmu_sink_close(&pmu_session.err);
	pmu_sink_close(&pmu_session.out);
	for (unsigned int i = 0; i < pmu_session.n_groups; i++) {
		const struct pmu_session_group *group = &pmu_session.group[i];

		if (group->is_open && group->backend->child)
			group->backend->child(group->source);
	}
	/* every store into the list leaves it whole; no thread changes it here */
	for (struct pmu_thread *thread = pmu_session.threads; thread; thread = thread->next)
		if (thread->backend->child)
			pmu_close_counters(thread);
}

void pmu_session_unshare(void)
{
	pmu_control_unshare();
	pmu_table_unshare(&pmu_session.table);
}
