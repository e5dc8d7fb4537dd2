/* SPDX-License-Identifier: BSD-3-Clause */
/* Occupancy of regions by socket: first thread in, last one out, and what was counted meanwhile. */
#include <sched.h>

#include "session/sockets_table.h"
#include "store/bank.h"

/* A thread that is cancelled in the middle of a read would keep the lock. */
static int lock_entry(struct pmu_socket_entry *entry)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&entry->lock);
	return state;
}

static void unlock_entry(struct pmu_socket_entry *entry, int state)
{
	pthread_mutex_unlock(&entry->lock);
	pthread_setcancelstate(state, NULL);
}

static void start_entry(struct pmu_sockets *sockets, struct pmu_socket_entry *entry)
{
	entry->start_missing = pmu_sockets_read(sockets, entry->socket, entry->start);
	entry->start_ticks = pmu_clock_ticks(sockets->clock);
}

static struct pmu_banks begin_banks(const struct pmu_sockets *sockets,
				    struct pmu_socket_entry *entry, struct pmu_store_row *row)
{
	return pmu_banks_begin(row, sockets->n_slots, entry->n_published++);
}

/* In the row, too; the entry's lock is held, and it has a row. */
static void add_entry_flags(struct pmu_socket_entry *entry, struct pmu_store_row *row,
			    unsigned int flags)
{
	entry->flags = (uint16_t)(entry->flags | flags);
	PMU_PUBLISH(row->flags, entry->flags);
}

static void finish_entry(struct pmu_sockets *sockets, struct pmu_socket_entry *entry,
			 struct pmu_store_row *row)
{
	uint64_t ticks = pmu_clock_ticks(sockets->clock), now[PMU_MAX_SLOTS];
	/*
	 * Copied before the read: if a fork interrupts that, the child's copy of the entry is
	 * wiped.
	 */
	uint32_t socket = entry->socket;
	uint32_t missing = pmu_sockets_read(sockets, socket, now) | entry->start_missing;
	struct pmu_banks banks = begin_banks(sockets, entry, row);

	if (missing)
		PMU_ROW_SET(row, missing, row->missing | missing);
	pmu_bank_add_time(banks.was, banks.is, ticks - entry->start_ticks);
	for (uint32_t i = 0; i < sockets->n_slots; i++) {
		bool counted = sockets->slots & ~missing & 1u << i;

		pmu_bank_put(&banks.is->count[i],
			     banks.was->count[i] + (counted ? now[i] - entry->start[i] : 0));
	}
	pmu_banks_commit(&banks);
	__atomic_store_n(&sockets->rows[socket].record->last_end, ticks, __ATOMIC_RELAXED);
}

static void set_flags(struct pmu_socket_entry *entry, unsigned int flags)
{
	int state = lock_entry(entry);

	if (entry->row)
		add_entry_flags(entry, entry->row, flags);
	unlock_entry(entry, state);
}

/*
 * Counts regions in the same parent that are occupied at once: what the socket counts meanwhile
 * belongs to each of them, so what is left for the parent is unknown. Up before the first read,
 * down after the last, so that any overlap in time is seen.
 *
 * Return: there was another one.
 */
static bool join_occupied(struct pmu_socket_entry *around)
{
	return around && __atomic_fetch_add(&around->nested, 1, __ATOMIC_ACQ_REL) > 0;
}

static void part(struct pmu_socket_entry *around)
{
	if (around)
		__atomic_fetch_sub(&around->nested, 1, __ATOMIC_ACQ_REL);
}

/*
 * The socket the thread runs on now, wherever it was pinned; on another machine's dump, the one
 * that its place stands for.
 */
static unsigned int socket_here(const struct pmu_thread *self)
{
	struct pmu_sockets *sockets = self->sockets;
	int cpu, socket = -1;

	if (sockets->process)
		return 0;
	cpu = pmu_session.config.pin.elsewhere ? self->cpu : sched_getcpu();
	if (cpu >= 0 && pmu_sockets_use(sockets)) {
		socket = sockets->backend->socket_of(sockets->source, cpu);
		pmu_sockets_release(sockets);
	}
	return socket < 0 || (unsigned int)socket >= sockets->n ? sockets->n : (unsigned int)socket;
}

static struct pmu_socket_entry *find_entry(struct pmu_thread *self,
					   const struct pmu_occupancy *occupancy)
{
	unsigned int socket = socket_here(self);
	struct pmu_socket_entry *entry;

	if (!occupancy->region)
		return NULL;
	entry = &occupancy->region->entry[socket];
	if (!__atomic_load_n(&entry->row, __ATOMIC_ACQUIRE) &&
	    (!occupancy->region->name || pmu_sockets_rows(self, occupancy->region, socket) < 0))
		return NULL;
	return entry;
}

void pmu_occupancy_begin(struct pmu_thread *self, struct pmu_occupancy *occupancy,
			 const struct pmu_occupancy *around)
{
	struct pmu_socket_entry *entry = find_entry(self, occupancy), *parent;
	struct pmu_store_row *row;
	bool crowded = false;
	int state;

	if (!entry) {
		pmu_thread_doubt(self, PMU_DOUBT_NO_MEMORY);
		return;
	}
	parent = entry->around;
	state = lock_entry(entry);
	row = entry->row;
	if (row && !entry->inside++) {
		crowded = join_occupied(parent);
		start_entry(self->sockets, entry);
		PMU_PUBLISH(row->open, 1);
	}
	/*
	 * The thread has moved to another socket since: what is counted here is no part of what its
	 * parent counts there.  Not so of a process, which is one place; and a thread that is in a
	 * region for another one is not in those around it.
	 */
	if (row && around && !self->sockets->process &&
	    (!around->entry || around->entry->socket != entry->socket))
		add_entry_flags(entry, row, PMU_STORE_ROW_OVERLAP);
	unlock_entry(entry, state);
	if (crowded)
		set_flags(parent, PMU_STORE_ROW_CROWDED);
	occupancy->entry = entry;
	occupancy->next = self->occupancies;
	self->occupancies = occupancy;
}

static struct pmu_socket_entry *take_entry(struct pmu_thread *self, struct pmu_occupancy *occupancy)
{
	struct pmu_socket_entry *entry = occupancy->entry;
	struct pmu_occupancy **at = &self->occupancies;

	while (*at && *at != occupancy)
		at = &(*at)->next;
	if (*at)
		*at = occupancy->next;
	occupancy->entry = NULL;
	return entry;
}

void pmu_occupancy_end(struct pmu_thread *self, struct pmu_occupancy *occupancy, unsigned int flags)
{
	struct pmu_socket_entry *entry = take_entry(self, occupancy);
	struct pmu_store_row *row;
	int state;

	if (!entry)
		return;
	state = lock_entry(entry);
	row = entry->row;
	if (row && flags)
		add_entry_flags(entry, row, flags);
	if (row && entry->inside && !--entry->inside) {
		struct pmu_socket_entry *around = entry->around;

		finish_entry(self->sockets, entry, row);
		part(around);
		PMU_PUBLISH(row->open, 0);
	}
	unlock_entry(entry, state);
}

void pmu_occupancy_give_up(struct pmu_thread *self, struct pmu_occupancy *occupancy)
{
	struct pmu_socket_entry *entry = take_entry(self, occupancy);
	struct pmu_store_row *row;
	int state;

	if (!entry)
		return;
	state = lock_entry(entry);
	row = entry->row;
	if (row && entry->inside && !--entry->inside) {
		part(entry->around);
		PMU_ROW_SET(row, unended, row->unended + 1);
		PMU_PUBLISH(row->open, 0);
	}
	unlock_entry(entry, state);
}

void pmu_sockets_detach(struct pmu_thread *self)
{
	while (self->occupancies)
		pmu_occupancy_give_up(self, self->occupancies);
}

void pmu_occupancy_flag(struct pmu_occupancy *occupancy, unsigned int flags)
{
	if (occupancy->entry)
		set_flags(occupancy->entry, flags);
}

/* --- from zero --- */

static void reset_entry(struct pmu_sockets *sockets, struct pmu_socket_entry *entry,
			struct pmu_store_row *row)
{
	struct pmu_banks banks = begin_banks(sockets, entry, row);

	pmu_bank_clear(banks.is, sockets->n_slots);
	pmu_banks_commit(&banks);
	entry->flags &= PMU_STORE_ROW_FLAT;
	add_entry_flags(
		entry, row,
		__atomic_load_n(&entry->nested, __ATOMIC_ACQUIRE) > 1 ? PMU_STORE_ROW_CROWDED : 0);
	PMU_ROW_SET(row, missing, 0);
	PMU_ROW_SET(row, unended, 0);
	if (entry->inside)
		start_entry(sockets, entry);
}

void pmu_occupancy_reset(struct pmu_thread *self, struct pmu_occupancy *occupancy)
{
	for (unsigned int i = 0; occupancy->region && i <= self->sockets->n; i++) {
		struct pmu_socket_entry *entry = &occupancy->region->entry[i];
		int state = lock_entry(entry);

		if (entry->row)
			reset_entry(self->sockets, entry, entry->row);
		unlock_entry(entry, state);
	}
}
