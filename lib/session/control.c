/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring that is switched off and on from outside: the page of pmu_epoch, and what is asked for in it. */
#include "session/control.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/races.h"
#include "base/time.h"
#include "session/describe.h"
#include "session/session.h"
#include "store/chunks.h"

#define LOOK_NS 10000000u

union pmu_control_page pmu_control_page __attribute__((aligned(PMU_CONTROL_PAGE)));

static struct pmu_store_control *published(void)
{
	return pmu_store_control(pmu_session.table.head);
}

int32_t pmu_session_epoch(void)
{
	return pmu_load_relaxed(&pmu_session.control.epoch);
}

/* --- the page --- */

/* 0: pages are larger, or the library is not where it was to be. */
static size_t page_size(void)
{
	long size = sysconf(_SC_PAGESIZE);

	return size > 0 && size <= PMU_CONTROL_PAGE &&
			       (uintptr_t)&pmu_control_page % (size_t)size == 0
		       ? (size_t)size
		       : 0;
}

/* mremap(2): of a length of 0 it is a second mapping of the same pages.  Valgrind knows none of that. */
static void *map_again(size_t size)
{
	struct pmu_table *table = &pmu_session.table;
	void *at = mremap(table->head, 0, size, MREMAP_MAYMOVE);
	int fd;

	if (at != MAP_FAILED)
		return at;
	fd = pmu_pieces_open(table);
	if (fd < 0)
		return at;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return at;
}

/*
 * Other threads may be reading there: in one step, and of the same value.  A new mapping in that place could
 * fail when what was there is gone; moved there, one of the same size needs nothing more.
 */
static bool move_here(void *from, size_t size)
{
	if (mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, &pmu_control_page) ==
	    MAP_FAILED) {
		munmap(from, size);
		return false;
	}
	pmu_races_ignore(&pmu_control_page, size); /* of what was there that is forgotten */
	return true;
}

static bool map_page(void)
{
	size_t size = page_size();
	void *again;

	if (!size || !pmu_session.table.path[0])
		return false;
	published()->epoch = pmu_epoch;
	again = map_again(size);
	return again != MAP_FAILED && move_here(again, size);
}

void pmu_control_unshare(void)
{
	union pmu_control_page *copy;
	size_t size = page_size();

	if (!pmu_session.control.mapped)
		return;
	copy = pmu_pages_alloc(size);
	if (!copy)
		return;
	copy->at.control.epoch = pmu_session_epoch();
	if (move_here(copy, size))
		pmu_session.control.mapped = false;
}

/* --- epochs --- */

static bool wants_off(void)
{
	return __atomic_load_n(&published()->wanted, __ATOMIC_SEQ_CST) == PMU_WANTED_OFF;
}

/*
 * Who asks stores what is wanted first and the epoch behind it; here it is the other way round: so one of the
 * two sees the other's.
 */
static void show_epoch(int32_t epoch)
{
	struct pmu_control *control = &pmu_session.control;

	__atomic_store_n(&control->epoch, epoch, __ATOMIC_RELAXED);
	__atomic_store_n(&pmu_epoch, epoch, __ATOMIC_SEQ_CST);
	pmu_control_recall();
}

void pmu_control_postpone(void)
{
	__atomic_store_n(&pmu_epoch, pmu_session_epoch(), __ATOMIC_SEQ_CST);
}

void pmu_control_recall(void)
{
	const struct pmu_control *control = &pmu_session.control;

	if (control->mapped && wants_off() != (control->state != PMU_CONTROL_ON))
		__atomic_store_n(&pmu_epoch, PMU_EPOCH_ASK, __ATOMIC_RELAXED);
}

void pmu_session_publish(int32_t epoch)
{
	pmu_session.control.attached_from = epoch;
	if (epoch < 0 || !pmu_control_is_off())
		show_epoch(epoch);
}

/* --- forks --- */

void pmu_control_child(void)
{
	pmu_control_unshare();
	if (pmu_control_is_off())
		__atomic_store_n(&pmu_epoch, PMU_EPOCH_ASK, __ATOMIC_RELAXED);
}

void pmu_control_forked(void)
{
	struct pmu_control *control = &pmu_session.control;

	pmu_control_unshare();
	control->starts_off = control->state != PMU_CONTROL_ON;
	pmu_store_relaxed(&control->state, PMU_CONTROL_ON);
	if (control->starts_off)
		show_epoch(0);
}

/* --- off and on --- */

/* Where nothing can switch it, the store does not say that something could. */
static void set_state(enum pmu_control_state state)
{
	struct pmu_control *control = &pmu_session.control;

	pmu_store_relaxed(&control->state, state);
	if (control->mapped)
		PMU_PUBLISH_LAST(published()->state, state);
}

static void begin_off(uint64_t ticks)
{
	struct pmu_control *control = &pmu_session.control;

	control->off_since = ticks;
	PMU_PUBLISH(published()->n_off, ++control->n_off);
	PMU_PUBLISH(published()->off_since, ticks);
}

static void end_off(void)
{
	struct pmu_control *control = &pmu_session.control;
	uint64_t now = pmu_clock_ticks(pmu_session.table.clock);

	if (now > control->off_since)
		control->off_ticks += now - control->off_since;
	control->off_since = 0;
	/* a reader in between finds less than it was, not more */
	PMU_PUBLISH_LAST(published()->off_since, 0);
	PMU_PUBLISH(published()->off_ticks, control->off_ticks);
}

void pmu_control_look(void)
{
	struct pmu_control *control = &pmu_session.control;

	if (!control->mapped)
		return;
	if (wants_off() == (control->state != PMU_CONTROL_ON)) {
		if (pmu_load_relaxed(&pmu_epoch) != control->epoch)
			show_epoch(control->epoch);
		return;
	}
	if (control->state == PMU_CONTROL_ON) {
		begin_off(pmu_clock_ticks(pmu_session.table.clock));
		pmu_store_relaxed(&control->next_look_ns, 0);
		set_state(PMU_CONTROL_STOPPING);
	} else {
		end_off();
		set_state(PMU_CONTROL_ON);
	}
	pmu_table_point(&pmu_session.table);
	show_epoch(pmu_session_next_epoch());
}

void pmu_control_cut(uint32_t n)
{
	pmu_session.control.n_cut += n;
	PMU_PUBLISH(published()->n_cut, pmu_session.control.n_cut);
}

void pmu_control_stopped(void)
{
	struct pmu_control *control = &pmu_session.control;

	control->off_epoch = control->epoch;
	set_state(PMU_CONTROL_OFF);
	show_epoch(-1);
}

bool pmu_control_due(void)
{
	struct pmu_control *control = &pmu_session.control;
	uint64_t now = pmu_time_now_ns(CLOCK_MONOTONIC);

	if (now < control->next_look_ns)
		return false;
	pmu_store_relaxed(&control->next_look_ns, now + LOOK_NS);
	return true;
}

/* Each word by itself: with an old one of any of them it takes the lock, or finds out at its next call. */
bool pmu_control_passes(void)
{
	const struct pmu_control *control = &pmu_session.control;
	const struct pmu_thread *self = pmu_thread_self();

	return pmu_load_relaxed(&control->state) == PMU_CONTROL_STOPPING &&
	       pmu_load_relaxed(&pmu_epoch) == pmu_session_epoch() &&
	       (!self || pmu_load_relaxed(&self->stopped)) &&
	       pmu_time_now_ns(CLOCK_MONOTONIC) < pmu_load_relaxed(&control->next_look_ns);
}

bool pmu_control_is_off(void)
{
	return pmu_load_relaxed(&pmu_session.control.state) == PMU_CONTROL_OFF;
}

/* --- a session's --- */

static void note_never_on(void)
{
	pmu_session_tell(
		PMU_META_NOTE,
		"nothing is measured: with PMU_ENABLE=later 'pmu on' switches it on, by way of "
		"the store's file, which this process has none of or may not map");
}

void pmu_control_start(void)
{
	struct pmu_control *control = &pmu_session.control;
	bool off = pmu_session.config.later || control->starts_off;

	control->starts_off = false;
	control->n_off = control->n_cut = 0;
	control->off_epoch = 0;
	control->off_ticks = control->off_since = 0;
	control->mapped = map_page();
	/* others may be looking at it */
	set_state(PMU_CONTROL_ON);
	if (!off)
		return;
	if (!control->mapped)
		note_never_on();
	published()->wanted = PMU_WANTED_OFF;
	begin_off(pmu_session.table.start.ticks);
	set_state(PMU_CONTROL_OFF);
	show_epoch(-1);
}

void pmu_control_end(void)
{
	/* a child of which the library does not know may live on, and has the page, too */
	pmu_control_unshare();
	pmu_store_relaxed(&pmu_session.control.state, PMU_CONTROL_ON);
	pmu_session.control.starts_off = false;
}
