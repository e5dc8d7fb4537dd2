/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash indexes over a table's threads and rows. */
#include "store/index.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "store/table.h"

#define FIRST_THREADS 128u
#define FIRST_ROWS    64u

/* --- threads --- */

static size_t home_of(const struct pmu_table_index *index, uint32_t number)
{
	return (number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (index->n_places - 1);
}

static struct pmu_table_index_thread *free_place(const struct pmu_table_index *index,
						 uint32_t number)
{
	size_t i = home_of(index, number);

	while (index->place[i].chunk)
		i = (i + 1) & (index->n_places - 1);
	return &index->place[i];
}

/* At most half full, so that a search ends. */
static int grow_index(struct pmu_table_index *index)
{
	struct pmu_table_index old = *index;

	if (2 * (index->n + 1) <= index->n_places)
		return 0;
	index->n_places = old.n_places ? 2 * old.n_places : FIRST_THREADS;
	index->place = pmu_pages_alloc(index->n_places * sizeof(*index->place));
	if (!index->place) {
		*index = old;
		return -ENOMEM;
	}
	for (size_t i = 0; i < old.n_places; i++)
		if (old.place[i].chunk)
			*free_place(index, old.place[i].number) = old.place[i];
	pmu_pages_free(old.place, old.n_places * sizeof(*old.place));
	return 0;
}

int pmu_table_index_add(struct pmu_table_index *index, uint32_t number, uint32_t group,
			const struct pmu_chunk *chunk)
{
	if (grow_index(index) < 0)
		return -ENOMEM;
	*free_place(index, number) =
		(struct pmu_table_index_thread){ .chunk = chunk, .number = number, .group = group };
	index->n++;
	return 0;
}

struct pmu_table_index_thread *pmu_table_index_next(const struct pmu_table_index *index,
						    uint32_t number,
						    const struct pmu_table_index_thread *after)
{
	size_t i;

	if (!index->n)
		return NULL;
	i = after ? (size_t)(after - index->place) + 1 : home_of(index, number);
	for (i &= index->n_places - 1; index->place[i].chunk; i = (i + 1) & (index->n_places - 1))
		if (index->place[i].number == number)
			return &index->place[i];
	return NULL;
}

static void free_rows(struct pmu_table_index_rows *rows)
{
	pmu_index_free(&rows->by_name);
	pmu_pages_free(rows, rows->size);
}

static void forget_rows(struct pmu_table_index_thread *thread)
{
	if (thread->rows)
		free_rows(thread->rows);
	thread->rows = NULL;
}

/* Entries behind it move up, where a search for them would end at the gap. */
static void close_gap(struct pmu_table_index *index, size_t gap)
{
	size_t mask = index->n_places - 1;

	for (size_t i = (gap + 1) & mask; index->place[i].chunk; i = (i + 1) & mask) {
		size_t home = home_of(index, index->place[i].number);

		if (((i - home) & mask) < ((i - gap) & mask))
			continue;
		index->place[gap] = index->place[i];
		gap = i;
	}
	index->place[gap] = (struct pmu_table_index_thread){ 0 };
}

void pmu_table_index_remove(struct pmu_table_index *index, uint32_t number,
			    const struct pmu_chunk *chunk)
{
	struct pmu_table_index_thread *thread = pmu_table_index_next(index, number, NULL);

	while (thread && thread->chunk != chunk)
		thread = pmu_table_index_next(index, number, thread);
	if (!thread)
		return;
	forget_rows(thread);
	close_gap(index, (size_t)(thread - index->place));
	index->n--;
}

void pmu_table_index_forget(struct pmu_table_index *index)
{
	for (size_t i = 0; i < index->n_places; i++)
		forget_rows(&index->place[i]);
	pmu_pages_free(index->place, index->n_places * sizeof(*index->place));
	*index = (struct pmu_table_index){ 0 };
}

/* --- rows --- */

struct wanted {
	const struct pmu_table_index_rows *rows;
	struct pmu_row_key key;
};

static uint32_t hash_of_key(const struct pmu_row_key *key)
{
	return pmu_hash_number((uint64_t)key->parent << 32 | key->name);
}

static bool is_row(const void *wanted, uintptr_t id)
{
	const struct wanted *this = wanted;
	const struct pmu_row_key *key = &this->rows->row[id].key;

	return key->parent == this->key.parent && key->name == this->key.name &&
	       key->kind == this->key.kind;
}

static struct pmu_index_place *place_of_row(const struct pmu_table_index_rows *rows,
					    const struct pmu_row_key *key)
{
	struct wanted wanted = { .rows = rows, .key = *key };

	return pmu_index_find(&rows->by_name, hash_of_key(key), is_row, &wanted);
}

static struct pmu_table_index_rows *new_rows(uint32_t room, const struct pmu_chunk *chunk)
{
	size_t size = PMU_ALIGN_UP(sizeof(struct pmu_table_index_rows) +
					   (room + (size_t)1) * sizeof(struct pmu_table_index_row),
				   4096);
	struct pmu_table_index_rows *rows = pmu_pages_alloc(size);

	if (!rows)
		return NULL;
	rows->size = size;
	rows->room = room;
	rows->chunk = chunk;
	if (pmu_index_reserve(&rows->by_name, room) == 0)
		return rows;
	free_rows(rows);
	return NULL;
}

/*
 * Of two rows with one place in the tree, one of them beyond the limit of regions, the first is
 * found.
 */
static void index_row(struct pmu_table_index_rows *rows, const struct pmu_row_key *key,
		      struct pmu_store_row *row)
{
	struct pmu_table_index_row *around = &rows->row[key->parent];
	struct pmu_index_place *place = place_of_row(rows, key);
	uint32_t id = ++rows->n;

	rows->row[id] = (struct pmu_table_index_row){ .row = row,
						      .key = *key,
						      .next_sibling = around->first_child };
	around->first_child = id;
	if (!place->thing)
		pmu_index_take(&rows->by_name, place, hash_of_key(key), id);
}

/* Return: false: there is no room for them all. */
static bool take_new(struct pmu_table_index_rows *rows, uint32_t row_size)
{
	for (;; rows->chunk = rows->chunk->next, rows->in_chunk = 0) {
		const struct pmu_chunk *chunk = rows->chunk;

		for (; rows->in_chunk < chunk->used; rows->in_chunk++) {
			if (rows->n == rows->room)
				return false;
			index_row(rows, &chunk->key[rows->in_chunk],
				  pmu_table_row_at(chunk, row_size, rows->in_chunk));
		}
		if (!chunk->next)
			return true;
	}
}

const struct pmu_table_index_rows *pmu_table_index_rows(struct pmu_table_index_thread *thread,
							uint32_t row_size)
{
	uint32_t room = FIRST_ROWS;

	if (!thread->rows)
		thread->rows = new_rows(room, thread->chunk);
	while (thread->rows && !take_new(thread->rows, row_size)) {
		room = 2 * thread->rows->room;
		forget_rows(thread);
		thread->rows = new_rows(room, thread->chunk);
	}
	return thread->rows;
}

uint32_t pmu_table_index_find(const struct pmu_table_index_rows *rows, uint32_t parent,
			      uint32_t name, uint16_t kind)
{
	const struct pmu_row_key key = { .name = name, .parent = parent, .kind = kind };

	return (uint32_t)place_of_row(rows, &key)->thing;
}
