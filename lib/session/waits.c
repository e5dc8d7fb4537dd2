/* SPDX-License-Identifier: BSD-3-Clause */
/* Time that a thread spends off its processor: what the kernel says of it. */
#include "session/waits.h"

#include <pthread.h>
#include <stdio.h>

#include "base/process.h"
#include "base/time.h"
#include "counters/valgrind/request.h"
#include "session/session.h"

/* A shorter one is what comes between the readings of two clocks. */
#define SHORTEST_NS 1000u

/* Of the run queue.  The program's thread must not be cancelled in here. */
static bool read_queued(const struct pmu_thread *thread, uint64_t *queued)
{
	struct pmu_process_sched sched;
	int state, rc;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	rc = pmu_process_sched(thread->waits.path, &sched);
	pthread_setcancelstate(state, NULL);
	if (rc)
		return false;
	*queued = sched.queued_ns;
	return true;
}

/* Since the machine's start, less what it was on a processor. */
static uint64_t read_off(clockid_t clock)
{
	return pmu_time_now_ns(CLOCK_MONOTONIC) - pmu_time_now_ns(clock);
}

/*
 * First the word, then the clocks: what comes in between is found by the next look.  That of samples is left to
 * pmu_samples_mark(), which must not miss what the kernel puts there.
 */
void pmu_waits_watch(const struct pmu_thread *self)
{
	if (self->switched != self->samples.head)
		pmu_switch_watch(self->switched, &self->mark);
}

/* What tells the thread. */
static uint64_t *find_word(struct pmu_thread *self)
{
	struct pmu_waits *waits = &self->waits;

	if (self->samples.head)
		return self->samples.head;
	return waits->switches.word ? waits->switches.word : &waits->mark;
}

/*
 * What a look takes would be in the counts of a whole process, at any time; under valgrind threads wait
 * for each other, whatever the program does.
 */
static bool are_wanted(const struct pmu_config *config)
{
	return config->wait && config->count != PMU_COUNT_PROCESS &&
	       pmu_valgrind_tool() == PMU_VALGRIND_NONE;
}

void pmu_waits_shed(struct pmu_thread *parents)
{
	pmu_switches_shed(&parents->waits.switches);
	pmu_samples_shed(&parents->samples);
}

/*
 * A handler's fork may interrupt a begin or end, into which the child returns: what that compares is memory then, which
 * the child has, not the page of a ring.
 */
static void hide_before_fork(void)
{
	struct pmu_thread *self = pmu_thread_self();

	if (self && self->samples.head)
		self->switched = pmu_waits_hidden(&self->waits);
}

static void show_in_parent(void)
{
	struct pmu_thread *self = pmu_thread_self();

	if (self && self->samples.head && !self->measuring)
		self->switched = self->samples.head;
}

static void shed_in_child(void)
{
	if (pmu_thread_self())
		pmu_waits_shed(pmu_own.self);
}

/* Before the child returns into what the fork interrupted. */
static bool can_shed(void)
{
	static bool does;

	if (!does)
		does = pthread_atfork(hide_before_fork, show_in_parent, shed_in_child) == 0;
	return does;
}

void pmu_waits_attach(struct pmu_thread *self)
{
	struct pmu_waits *waits = &self->waits;
	struct pmu_switches *switches = &waits->switches;
	bool wanted = are_wanted(&pmu_session.config);

	*waits = (struct pmu_waits){ .mark = (uintptr_t)&self->mark };
	if ((self->samples.head || self->samples.is_late) && !can_shed())
		pmu_samples_detach(self);
	if (wanted && !self->samples.head)
		pmu_switches_attach(switches, &self->mark);
	if (pmu_switches_to_shed(switches) && !can_shed())
		pmu_switches_detach(switches, &self->mark);
	self->switched = find_word(self);
	waits->are_known = wanted && (self->samples.head || switches->word);
	self->samples.is_late &= waits->are_known;
	if (!waits->are_known)
		return;
	snprintf(waits->path, sizeof(waits->path), "/proc/self/task/%d/schedstat", self->tid);
	pmu_waits_watch(self);
	waits->last.off = read_off(CLOCK_THREAD_CPUTIME_ID);
	waits->are_split = read_queued(self, &waits->last.queued);
}

static void unflag_waits(struct pmu_thread *self)
{
	pmu_thread_unflag(self, PMU_THREAD_WAITS);
	pmu_thread_unflag(self, PMU_THREAD_QUEUES);
}

void pmu_waits_attach_again(struct pmu_thread *self)
{
	pmu_switches_detach(&self->waits.switches, &self->mark);
	pmu_waits_attach(self);
	if (!self->waits.are_known)
		unflag_waits(self);
}

const char *pmu_waits_why(const struct pmu_thread *self)
{
	if (self->waits.are_known || self->waits.are_lost || !are_wanted(&pmu_session.config))
		return "";
	return "what threads waited is not known: neither rseq nor perf_event_open may be used "
	       "here, which would tell them when they are off their processor";
}

void pmu_waits_detach(struct pmu_thread *self)
{
	self->switched = pmu_waits_hidden(&self->waits);
	self->waits.are_known = false;
	pmu_switches_detach(&self->waits.switches, &self->mark);
}

void pmu_waits_note_lost(struct pmu_thread *self)
{
	if (!self->waits.switches.word || pmu_switches_told(&self->waits.switches))
		return; /* samples tell as long as there are some */
	pmu_waits_detach(self);
	self->waits.are_lost = true;
	unflag_waits(self);
}

/* Clocks differ by some parts in a million: time does not run backwards for that. */
static uint64_t since(uint64_t now, uint64_t then)
{
	return (int64_t)(now - then) > 0 ? now - then : 0;
}

struct pmu_wait pmu_waits_take(struct pmu_thread *thread)
{
	struct pmu_waits *waits = &thread->waits;
	struct pmu_wait now, taken = { 0 };
	bool is_self = thread == pmu_own.self;

	if (is_self)
		pmu_waits_note_lost(thread);
	if (is_self)
		pmu_waits_watch(thread);
	if (!waits->are_known)
		return taken;
	now.off = read_off(is_self ? CLOCK_THREAD_CPUTIME_ID : pmu_usage_clock(thread->tid));
	taken.off = since(now.off, waits->last.off);
	if (taken.off < SHORTEST_NS)
		return (struct pmu_wait){ 0 };
	if (!waits->are_split || !read_queued(thread, &now.queued)) {
		now.queued = waits->last.queued;
		waits->are_split = false;
		pmu_thread_unflag(thread, PMU_THREAD_QUEUES);
	}
	taken.queued = since(now.queued, waits->last.queued);
	if (taken.queued > taken.off)
		taken.queued = taken.off;
	waits->last = now;
	return taken;
}
