/* SPDX-License-Identifier: BSD-3-Clause */
/* Entering and leaving the library: which threads may, and what has to be done first. */
#include <errno.h>

#include "base/races.h"
#include "base/room.h"
#include "session/attach.h"
#include "session/contexts.h"
#include "session/rotate.h"
#include "session/session.h"

/* A guard that equals no epoch, however many threads count it up and down at once. */
#define SHUT (UINT32_C(1) << 31)

static uint32_t shut = SHUT;
struct pmu_thread pmu_nobody = { .guard = &shut };
__thread struct pmu_thread *pmu_self = &pmu_nobody;
__thread int pmu_inside;
__thread int pmu_thread_gone;
int32_t pmu_epoch;

/* What threads look at without the session's lock while another one, which may hold it, writes there. */
__attribute__((constructor)) static void name_unlocked(void)
{
	pmu_races_ignore(&shut, sizeof(shut));
	pmu_races_ignore(&pmu_epoch, sizeof(pmu_epoch));
	pmu_races_ignore(&pmu_session.running, sizeof(pmu_session.running));
	pmu_races_ignore(&pmu_session.owner, sizeof(pmu_session.owner));
	pmu_races_ignore(&pmu_rotation, sizeof(pmu_rotation));
	pmu_races_ignore(pmu_context_places, PMU_CONTEXT_PLACES * sizeof(*pmu_context_places));
}

/*
 * In a forked child: the copy of the parent thread's state, until its open regions are taken over.
 */
static __thread struct pmu_thread *forked_self __attribute__((tls_model("initial-exec")));

void pmu_session_shed(void)
{
	/*
	 * The guard was wiped outside a call, or in one that has ended since. With any other value
	 * a call is under way and this is a signal handler: nothing to do.
	 */
	if (pmu_inside || !pmu_thread_self() ||
	    (*pmu_self->guard != 0 && *pmu_self->guard != UINT32_MAX))
		return;
	/* Not freed or changed: code that the fork interrupted may still use it. */
	forked_self = pmu_self;
	pmu_self = &pmu_nobody;
}

bool pmu_session_inside(void)
{
	/*
	 * In a forked child the guard says nothing: it was wiped, perhaps in the middle of a call.
	 */
	return pmu_inside || (pmu_thread_self() && *pmu_self->guard & 1 && pmu_session_is_ours());
}

void pmu_session_bar(void)
{
	pmu_inside = 1;
	if (pmu_thread_self())
		*pmu_self->guard |= 1;
	pmu_compiler_barrier();
}

void pmu_session_unbar(void)
{
	pmu_compiler_barrier();
	/*
	 * Left alone if the thread was detached or its guard wiped meanwhile: a child's next call
	 * must find that.
	 */
	if (pmu_thread_self() && *pmu_self->guard == pmu_self->epoch)
		*pmu_self->guard = PMU_GUARD_OUTSIDE(pmu_self->epoch);
	else if (pmu_thread_self() && *pmu_self->guard == (SHUT | 1))
		*pmu_self->guard = SHUT;
	pmu_inside = 0;
}

void pmu_session_turn_away(void)
{
	*pmu_self->guard = SHUT | 1;
	pmu_session_unbar();
}

void pmu_session_note_memory(void)
{
	pmu_session_bar();
	pmu_session_lock();
	if (pmu_session.running && pmu_session_is_ours())
		pmu_attach_note_memory(pmu_thread_self());
	pmu_session_unlock();
	pmu_session_unbar();
}

static int32_t epoch_now(void)
{
	return __atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED);
}

static int attach(void *self)
{
	return pmu_thread_attach_new(self);
}

static int reattach(void *self)
{
	return pmu_thread_reattach(self);
}

static int turn(void *self)
{
	pmu_rotation_turn(self);
	return 0;
}

/* @self: stays NULL where nothing is measured.  Context: lock held. */
static int ready(struct pmu_thread **self)
{
	int rc = 0;

	if (!pmu_session.running && epoch_now() >= 0)
		rc = pmu_session_start(NULL);
	if (rc < 0 || epoch_now() < 0)
		return rc;
	*self = pmu_thread_self();
	if (!*self)
		return pmu_with_room(attach, self);
	if (unlikely((*self)->turn != PMU_TURN_NONE) && (*self)->epoch == (uint32_t)pmu_epoch)
		pmu_with_room(turn, *self);
	if ((*self)->epoch != (uint32_t)pmu_epoch)
		return pmu_with_room(reattach, self);
	return 0;
}

enum pmu_entry pmu_thread_enter(struct pmu_thread **self, struct pmu_thread **forked_from,
				int *error)
{
	*forked_from = NULL;
	pmu_session_shed();
	if (pmu_session_inside()) {
		if (pmu_thread_self())
			pmu_thread_doubt(pmu_self, PMU_DOUBT_INTERRUPTED);
		return PMU_ENTRY_INTERRUPTED;
	}
	if (pmu_thread_gone)
		return PMU_ENTRY_OFF;
	pmu_inside = 1;
	pmu_compiler_barrier();
	if (!pmu_session_is_ours())
		pmu_session_forked();
	*self = NULL;
	pmu_session_lock();
	*error = ready(self);
	pmu_session_unlock();
	/*
	 * Another thread may have ended the session since, or begun a session that this thread is
	 * not part of.
	 */
	if (*error < 0 || !*self || epoch_now() < 0) {
		pmu_inside = 0;
		return *error < 0 ? PMU_ENTRY_FAILED : PMU_ENTRY_OFF;
	}
	*(*self)->guard = (*self)->epoch;
	*forked_from = forked_self;
	forked_self = NULL;
	return PMU_ENTRY_READY;
}
