/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of what sockets count: its source, its regions, their rows. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "session/sockets_table.h"

#define PIECE_SIZE ((size_t)64 << 10)
#define LINE       ((size_t)64)
/* More than any machine has; sockets beyond it count as unknown. */
#define MOST_SOCKETS   1024u
#define MEASURED_READS 4

/* A piece of memory for regions. */
struct pmu_sockets_piece {
	struct pmu_sockets_piece *next;
	size_t size, used;
};

static size_t size_of(unsigned int n)
{
	return PMU_ALIGN_UP(sizeof(struct pmu_sockets) + (n + 1) * sizeof(struct pmu_table_rows),
			    4096);
}

void pmu_sockets_open(struct pmu_session_group *group)
{
	const struct pmu_backend *backend = group->backend;
	uint32_t slots = pmu_plan_shared(&group->plan) & ~group->plan.absent;
	unsigned int n = slots && backend->sockets ? backend->sockets(group->source) : 0;
	struct pmu_sockets *sockets;

	group->sockets = NULL;
	if (!n)
		return;
	n = n < MOST_SOCKETS ? n : MOST_SOCKETS;
	sockets = pmu_pages_alloc(size_of(n));
	if (!sockets) {
		pmu_table_meta(&pmu_session.table, PMU_META_NOTE,
			       "no memory for what sockets count: it is missing");
		return;
	}
	sockets->group = (unsigned int)(group - pmu_session.group);
	sockets->n = n;
	sockets->n_slots = group->plan.n_slots;
	sockets->slots = slots;
	sockets->process = group->plan.scope == PMU_COUNT_PROCESS;
	sockets->clock = pmu_session.table.clock;
	group->sockets = sockets;
	pmu_sockets_resume(group);
}

void pmu_sockets_resume(struct pmu_session_group *group)
{
	struct pmu_sockets *sockets = group->sockets;

	if (!sockets || !group->backend->sockets)
		return;
	sockets->backend = group->backend;
	sockets->source = group->source;
	__atomic_store_n(&sockets->open, true, __ATOMIC_SEQ_CST);
}

void pmu_sockets_forked(struct pmu_sockets *sockets)
{
	if (sockets)
		__atomic_store_n(&sockets->open, false, __ATOMIC_SEQ_CST);
}

/*
 * Sequentially consistent, here and in pmu_sockets_use(): either the reader sees @open cleared, or
 * this sees the reader counted.
 */
void pmu_sockets_stop(struct pmu_sockets *sockets)
{
	if (!sockets)
		return;
	__atomic_store_n(&sockets->open, false, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&sockets->n_readers, __ATOMIC_SEQ_CST))
		sched_yield();
}

bool pmu_sockets_use(struct pmu_sockets *sockets)
{
	__atomic_add_fetch(&sockets->n_readers, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&sockets->open, __ATOMIC_SEQ_CST))
		return true;
	__atomic_sub_fetch(&sockets->n_readers, 1, __ATOMIC_RELEASE);
	return false;
}

void pmu_sockets_release(struct pmu_sockets *sockets)
{
	__atomic_sub_fetch(&sockets->n_readers, 1, __ATOMIC_RELEASE);
}

void pmu_sockets_close(struct pmu_sockets *sockets)
{
	struct pmu_sockets_piece *piece = sockets ? sockets->pieces : NULL, *next;

	for (; piece; piece = next) {
		next = piece->next;
		pmu_pages_free(piece, piece->size);
	}
	if (!sockets)
		return;
	pmu_index_free(&sockets->regions);
	pmu_pages_free(sockets, size_of(sockets->n));
}

uint32_t pmu_sockets_read(struct pmu_sockets *sockets, unsigned int socket, uint64_t *value)
{
	uint32_t missing = sockets->slots;

	if (socket < sockets->n && pmu_sockets_use(sockets)) {
		missing &= sockets->backend->read_socket(sockets->source, socket, value);
		pmu_sockets_release(sockets);
	}
	return missing;
}

void pmu_sockets_note_spoiled(struct pmu_sockets *sockets)
{
	for (unsigned int i = 0; sockets && sockets->backend->spoiled_socket && i < sockets->n;
	     i++) {
		struct pmu_store_thread *record = sockets->rows[i].record;

		if (!record || !pmu_sockets_use(sockets))
			continue;
		record->missing |= sockets->slots &
				   sockets->backend->spoiled_socket(sockets->source, i);
		pmu_sockets_release(sockets);
	}
}

void pmu_sockets_attach(struct pmu_thread *self)
{
	struct pmu_store_thread *record = self->rows.record;

	if (!self->sockets)
		return;
	record->sockets = self->sockets->slots;
	record->missing |= self->sockets->slots;
	if (self->sockets->process)
		pmu_thread_flag(self, PMU_THREAD_PROCESS);
}

/* --- regions and their rows --- */

static void *alloc(struct pmu_sockets *sockets, size_t size)
{
	struct pmu_sockets_piece *piece = sockets->pieces;

	size = PMU_ALIGN_UP(size, LINE);
	if (!piece || piece->size - piece->used < size) {
		size_t whole = PMU_ALIGN_UP(LINE + size, PIECE_SIZE);

		piece = pmu_pages_alloc(whole);
		if (!piece)
			return NULL;
		madvise(piece, whole, MADV_WIPEONFORK);
		piece->size = whole;
		piece->used = LINE;
		piece->next = sockets->pieces;
		sockets->pieces = piece;
	}
	piece->used += size;
	return (char *)piece + piece->used - size;
}

struct wanted {
	const struct pmu_socket_region *parent;
	uint32_t name;
	bool flat;
};

static bool is_wanted_region(const void *wanted, uintptr_t thing)
{
	const struct wanted *is = wanted;
	const struct pmu_socket_region *region = (const struct pmu_socket_region *)thing;

	return region->parent == is->parent && region->name == is->name && region->flat == is->flat;
}

/* Context: the session's lock. */
static struct pmu_socket_region *find_region(struct pmu_sockets *sockets,
					     struct pmu_socket_region *parent, uint32_t name,
					     bool flat)
{
	const struct wanted wanted = { parent, name, flat };
	uint32_t hash = pmu_hash_number((uint64_t)(uintptr_t)parent >> 6 ^ (uint64_t)name << 1 ^
					flat);
	struct pmu_socket_region *region;
	struct pmu_index_place *place;

	if (pmu_index_reserve(&sockets->regions, 1) < 0)
		return NULL;
	place = pmu_index_find(&sockets->regions, hash, is_wanted_region, &wanted);
	if (place->thing)
		return (struct pmu_socket_region *)place->thing;
	region = alloc(sockets, sizeof(*region) + (sockets->n + 1) * sizeof(region->entry[0]));
	if (!region)
		return NULL;
	for (unsigned int i = 0; i <= sockets->n; i++) {
		region->entry[i].socket = i;
		region->entry[i].around = parent ? &parent->entry[i] : NULL;
	}
	region->parent = parent;
	region->name = name;
	region->flat = flat;
	pmu_index_take(&sockets->regions, place, hash, (uintptr_t)region);
	return region;
}

void pmu_occupancy_place(struct pmu_thread *self, struct pmu_occupancy *occupancy,
			 const struct pmu_occupancy *around, const char *text, size_t len,
			 bool flat)
{
	struct pmu_socket_region *parent = around ? around->region : NULL;
	uint32_t name;

	/* Beyond the limit of regions a region may become a flat one. */
	if (occupancy->region && occupancy->region->flat == flat)
		return;
	occupancy->region = NULL;
	if (around && !parent)
		return;
	pmu_session_lock();
	name = pmu_thread_is_current(self) ? pmu_table_name(&pmu_session.table, text, len) : 0;
	if (name)
		occupancy->region = find_region(self->sockets, parent, name, flat);
	pmu_session_unlock();
}

/* The least of a few; the first ones may be slower. */
static uint32_t measure_socket_read(struct pmu_sockets *sockets, unsigned int socket)
{
	uint64_t value[PMU_MAX_SLOTS], least = UINT32_MAX;

	for (int i = 0; i < MEASURED_READS; i++) {
		uint64_t start = pmu_clock_ticks(sockets->clock), ticks;

		pmu_sockets_read(sockets, socket, value);
		ticks = pmu_clock_ticks(sockets->clock) - start;
		least = ticks < least ? ticks : least;
	}
	return (uint32_t)least;
}

static uint32_t all_socket_slots(const struct pmu_sockets *sockets)
{
	return (uint32_t)((1ull << sockets->n_slots) - 1);
}

static int make_record(struct pmu_sockets *sockets, unsigned int socket)
{
	struct pmu_table_rows *rows = &sockets->rows[socket];
	struct pmu_store_thread *record;

	if (pmu_table_thread(&pmu_session.table, sockets->group, sockets->n_slots,
			     PMU_STORE_FIRST_SOCKET +
				     (socket < sockets->n ? socket : PMU_STORE_NO_SOCKET),
			     rows) < 0)
		return -ENOMEM;
	record = rows->record;
	record->cpu = -1;
	record->flags = PMU_THREAD_SOCKET | (sockets->process ? PMU_THREAD_PROCESS : 0u);
	record->missing = all_socket_slots(sockets) & ~sockets->slots;
	record->sockets = sockets->slots;
	record->minor_faults = record->major_faults = -1;
	record->voluntary_switches = record->involuntary_switches = -1;
	if (socket < sockets->n) {
		if (sockets->process)
			snprintf(record->name, sizeof(record->name), "process");
		else
			snprintf(record->name, sizeof(record->name), "socket %hu",
				 (unsigned short)socket);
		record->read_ticks = measure_socket_read(sockets, socket);
	} else {
		snprintf(record->name, sizeof(record->name), "unknown socket");
	}
	record->start_ticks = pmu_clock_ticks(sockets->clock);
	PMU_PUBLISH_LAST(record->state, PMU_THREAD_LIVE);
	return 0;
}

/* Context: the session's lock; the region around it has its row. */
static int make_socket_row(struct pmu_sockets *sockets, struct pmu_socket_region *region,
			   unsigned int socket)
{
	struct pmu_socket_entry *entry = &region->entry[socket];
	uint32_t parent = region->parent ? region->parent->entry[socket].id : 0;
	struct pmu_store_row *row;

	entry->flags = region->flat ? PMU_STORE_ROW_FLAT : 0;
	if (!sockets->rows[socket].record && make_record(sockets, socket) < 0)
		return -ENOMEM;
	row = pmu_table_row(&pmu_session.table, &sockets->rows[socket], region->name, parent,
			    entry->flags, &entry->id);
	if (!row)
		return -ENOMEM;
	/* Pairs with the acquire in find_entry(): a thread that sees the row may count in it. */
	__atomic_store_n(&entry->row, row, __ATOMIC_RELEASE);
	return 0;
}

/*
 * Rows are made from the outermost region without one: the thread may have moved to this socket
 * inside its parents.
 */
int pmu_sockets_rows(struct pmu_thread *self, struct pmu_socket_region *region, unsigned int socket)
{
	int rc = -ENOMEM;

	pmu_session_lock();
	if (pmu_thread_is_current(self))
		rc = 0;
	while (!rc && !region->entry[socket].row) {
		struct pmu_socket_region *first = region;

		while (first->parent && !first->parent->entry[socket].row)
			first = first->parent;
		rc = make_socket_row(self->sockets, first, socket);
	}
	pmu_session_unlock();
	return rc;
}
