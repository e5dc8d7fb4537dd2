/* SPDX-License-Identifier: BSD-3-Clause */
/* Entering and leaving the library: which threads may, and what has to be done first. */
#include <errno.h>
#include <pthread.h>

#include "base/races.h"
#include "base/room.h"
#include "session/attach.h"
#include "session/contexts.h"
#include "session/enter.h"
#include "session/lifecycle.h"
#include "session/rotate.h"
#include "session/session.h"

/* What threads look at without the session's lock while another one, which may hold it, writes there. */
__attribute__((constructor)) static void name_unlocked(void)
{
	pmu_races_ignore(pmu_nobody.guard, sizeof(*pmu_nobody.guard));
	pmu_races_ignore(&pmu_epoch, sizeof(pmu_epoch));
	pmu_races_ignore(&pmu_session.control, sizeof(pmu_session.control));
	pmu_races_ignore(&pmu_session.running, sizeof(pmu_session.running));
	pmu_races_ignore(&pmu_session.owner, sizeof(pmu_session.owner));
	pmu_races_ignore(&pmu_rotation, sizeof(pmu_rotation));
	pmu_races_ignore(&pmu_context_places, sizeof(pmu_context_places));
	pmu_races_ignore(&pmu_context_mask, sizeof(pmu_context_mask));
}

/*
 * In a forked child: the copy of the state of the parent's thread that has forked, until that
 * thread's open regions are taken over.
 */
static struct {
	struct pmu_thread *self;
	pthread_t thread;
} forked;

void pmu_session_shed(void)
{
	/*
	 * The guard was wiped outside a call, or in one that has ended since. With any other value
	 * a call is under way and this is a signal handler: nothing to do.
	 */
	if (pmu_own.inside || !pmu_thread_self() ||
	    (*pmu_own.self->guard != 0 && *pmu_own.self->guard != UINT32_MAX))
		return;
	/* Not freed or changed: code that the fork interrupted may still use it. */
	forked.self = pmu_own.self;
	pmu_waits_shed(forked.self);
	forked.thread = pthread_self();
	pmu_own.self = PMU_NOBODY;
}

bool pmu_session_inside(void)
{
	/*
	 * In a forked child the guard says nothing: it was wiped, perhaps in the middle of a call.
	 */
	return pmu_own.inside ||
	       (pmu_thread_self() && *pmu_own.self->guard & 1 && pmu_session_is_ours());
}

void pmu_session_bar(void)
{
	pmu_own.inside = 1;
	if (pmu_thread_self())
		*pmu_own.self->guard |= 1;
	pmu_compiler_barrier();
}

void pmu_session_unbar(void)
{
	pmu_compiler_barrier();
	/*
	 * Left alone if the thread was detached or its guard wiped meanwhile: a child's next call
	 * must find that.
	 */
	if (pmu_thread_self() && *pmu_own.self->guard == pmu_own.self->epoch)
		*pmu_own.self->guard = PMU_GUARD_OUTSIDE(pmu_own.self->epoch);
	else if (pmu_thread_self() && *pmu_own.self->guard == (PMU_GUARD_SHUT | 1))
		*pmu_own.self->guard = PMU_GUARD_SHUT;
	pmu_own.inside = 0;
}

void pmu_session_turn_away(void)
{
	*pmu_own.self->guard = PMU_GUARD_SHUT | 1;
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

	if (!pmu_session.running && pmu_session_epoch() >= 0)
		rc = pmu_session_start(NULL);
	if (rc < 0 || pmu_session_epoch() < 0)
		return rc;
	*self = pmu_thread_self();
	if (!*self)
		return pmu_with_room(attach, self);
	if (unlikely((*self)->turn != PMU_TURN_NONE) &&
	    (*self)->epoch == (uint32_t)pmu_session_epoch())
		pmu_with_room(turn, *self);
	if ((*self)->epoch != (uint32_t)pmu_session_epoch())
		return pmu_with_room(reattach, self);
	return 0;
}

/* Once: the state of the parent's thread that has forked this one; NULL: it is none such. */
static struct pmu_thread *take_forked(void)
{
	struct pmu_thread *self = forked.self;

	if (!self || !pthread_equal(forked.thread, pthread_self()))
		return NULL;
	forked.self = NULL;
	return self;
}

/*
 * Measuring is switched off, or about to be.  What a child would have to go on with may be over when it is on
 * again.  Return: PMU_ENTRY_STOPPING, PMU_ENTRY_OFF, or PMU_ENTRY_READY: neither.  Context: lock held.
 */
static enum pmu_entry look_at_control(struct pmu_thread **self)
{
	struct pmu_thread *own = pmu_thread_self();

	if (!pmu_session.running)
		return PMU_ENTRY_READY;
	pmu_control_look();
	if (pmu_session.control.state == PMU_CONTROL_ON)
		return PMU_ENTRY_READY;
	take_forked();
	if (pmu_session.control.state == PMU_CONTROL_OFF)
		return PMU_ENTRY_OFF;
	if (own && pmu_thread_is_current(own) && !pmu_load_relaxed(&own->stopped)) {
		*self = own;
		pmu_store_relaxed(own->guard, own->epoch);
	}
	return PMU_ENTRY_STOPPING;
}

enum pmu_entry pmu_thread_enter(struct pmu_thread **self, struct pmu_thread **forked_from,
				int *error)
{
	enum pmu_entry entry;

	*forked_from = NULL;
	pmu_session_shed();
	if (pmu_session_inside()) {
		if (pmu_thread_self())
			pmu_thread_doubt(pmu_own.self, PMU_DOUBT_INTERRUPTED);
		return PMU_ENTRY_INTERRUPTED;
	}
	if (pmu_own.past & PMU_PAST_DESTRUCTORS)
		return PMU_ENTRY_OFF;
	pmu_own.inside = 1;
	pmu_compiler_barrier();
	if (!pmu_session_is_ours())
		pmu_session_forked();
	*self = NULL;
	if (pmu_control_passes()) {
		pmu_own.inside = 0;
		return PMU_ENTRY_OFF;
	}
	*error = 0;
	pmu_session_lock();
	entry = look_at_control(self);
	if (entry == PMU_ENTRY_READY)
		*error = ready(self);
	/* a session may start switched off */
	if (entry == PMU_ENTRY_READY && pmu_control_is_off())
		take_forked();
	pmu_session_unlock();
	if (entry == PMU_ENTRY_STOPPING)
		return entry;
	/*
	 * Another thread may have ended the session since, or begun a session that this thread is
	 * not part of.
	 */
	if (*error < 0 || !*self || pmu_session_epoch() < 0) {
		pmu_own.inside = 0;
		return *error < 0 ? PMU_ENTRY_FAILED : PMU_ENTRY_OFF;
	}
	pmu_store_relaxed((*self)->guard, (*self)->epoch);
	*forked_from = take_forked();
	return PMU_ENTRY_READY;
}
