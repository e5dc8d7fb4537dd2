/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads' rows in a store, on cache lines of their own, and the records beside them. */
#include <errno.h>
#include <string.h>

#include "store/chunks.h"
#include "store/table.h"

#define FIRST_ROWS       4096u
#define LARGEST_ROWS     (1u << 20)
#define FIRST_HISTOGRAMS 8192u
#define FIRST_LEASTS     4096u
#define FIRST_TURNS      8192u
#define FIRST_WAITS      512u

/* --- threads and rows --- */

static unsigned int size_class(uint32_t size)
{
	return 31u - (unsigned int)__builtin_clz(size);
}

/*
 * Sizes are powers of two, so that a chunk that was given back fits the next request of its size.
 */
static struct pmu_chunk *rows_chunk(struct pmu_table *table, uint32_t size)
{
	struct pmu_chunk **head = &table->free_chunk[size_class(size)], *chunk = *head;

	if (!chunk)
		return pmu_chunk_new(table, size);
	*head = chunk->next;
	chunk->next = NULL;
	chunk->used = 0;
	memset(&chunk->at->used, 0, size - offsetof(struct pmu_store_chunk, used));
	return chunk;
}

struct pmu_store_row *pmu_table_row_at(const struct pmu_chunk *chunk, uint32_t row_size, uint32_t i)
{
	return (void *)((char *)chunk->at + chunk->before + (size_t)row_size * i);
}

static void free_chunks(struct pmu_table *table, struct pmu_chunk *first)
{
	for (struct pmu_chunk *chunk = first, *next; chunk; chunk = next) {
		struct pmu_chunk **head = &table->free_chunk[size_class(chunk->size)];

		next = chunk->next;
		pmu_chunk_set_kind(chunk->at, PMU_CHUNK_FREE);
		chunk->next = *head;
		*head = chunk;
	}
}

/* For a thread's rows, or the records beside them, from row @first on. */
static struct pmu_chunk *threads_chunk(struct pmu_table *table, const struct pmu_table_rows *rows,
				       uint32_t size, uint32_t first, uint32_t before)
{
	struct pmu_chunk *chunk = rows_chunk(table, size);

	if (!chunk)
		return NULL;
	chunk->first = first;
	chunk->before = before;
	PMU_PUBLISH(chunk->at->owner, rows->serial);
	PMU_PUBLISH(chunk->at->group, rows->group);
	PMU_PUBLISH(chunk->at->first, first);
	return chunk;
}

int pmu_table_thread(struct pmu_table *table, uint32_t group_index, uint32_t n_slots,
		     uint32_t number, struct pmu_table_rows *rows)
{
	struct pmu_chunk *chunk;

	*rows = (struct pmu_table_rows){
		.number = number,
		.serial = table->n_serials + 1,
		.group = group_index,
		.n_slots = n_slots,
		.row_size = pmu_row_size(n_slots),
	};
	chunk = threads_chunk(table, rows, FIRST_ROWS, 1,
			      sizeof(struct pmu_store_chunk) + sizeof(*rows->record));
	if (!chunk)
		goto failed;
	table->n_serials++;
	rows->chunk = rows->first_chunk = chunk;
	rows->record = (void *)(chunk->at + 1);
	PMU_PUBLISH(rows->record->number, number);
	pmu_chunk_set_kind(chunk->at, PMU_CHUNK_THREAD);
	if (!pmu_table_index_add(&table->index, number, group_index, chunk))
		return 0;
	free_chunks(table, chunk);
failed:
	memset(rows, 0, sizeof(*rows));
	return -ENOMEM;
}

void pmu_table_thread_free(struct pmu_table *table, struct pmu_table_rows *rows)
{
	pmu_table_index_remove(&table->index, rows->number, rows->first_chunk);
	free_chunks(table, rows->first_chunk);
	for (int which = 0; which < PMU_SIDES; which++)
		free_chunks(table, rows->side[which].first);
	memset(rows, 0, sizeof(*rows));
}

static int add_rows_chunk(struct pmu_table *table, struct pmu_table_rows *rows)
{
	uint32_t size = rows->chunk->size < LARGEST_ROWS ? 2 * rows->chunk->size : LARGEST_ROWS;
	struct pmu_chunk *chunk = threads_chunk(table, rows, size, rows->n_rows + 1,
						sizeof(struct pmu_store_chunk));

	if (!chunk)
		return -ENOMEM;
	pmu_chunk_set_kind(chunk->at, PMU_CHUNK_ROWS);
	rows->chunk->next = chunk;
	rows->chunk = chunk;
	return 0;
}

/* For as many records as fit; the chunk may have been one of larger records before. */
static bool make_keys(struct pmu_table *table, struct pmu_chunk *chunk, uint32_t record_size)
{
	uint32_t n = chunk->size / record_size;

	if (chunk->key_room >= n)
		return true;
	chunk->key = pmu_arena_alloc(&table->arena, n * sizeof(*chunk->key), 8);
	chunk->key_room = chunk->key ? n : 0;
	return chunk->key;
}

struct pmu_store_row *pmu_table_row(struct pmu_table *table, struct pmu_table_rows *rows,
				    uint32_t name, uint32_t parent, uint16_t flags, uint32_t *id)
{
	struct pmu_chunk *chunk = rows->chunk;
	struct pmu_store_row *row;

	if ((chunk->used + 1) * rows->row_size > chunk->size - chunk->before) {
		if (add_rows_chunk(table, rows) < 0)
			return NULL;
		chunk = rows->chunk;
	}
	if (!make_keys(table, chunk, rows->row_size))
		return NULL;
	chunk->key[chunk->used] = (struct pmu_row_key){ name, parent, flags & PMU_STORE_ROW_KINDS };
	row = pmu_table_row_at(chunk, rows->row_size, chunk->used);
	pmu_chunk_touch(row, rows->row_size);
	PMU_PUBLISH(row->name, name);
	PMU_PUBLISH(row->parent, parent);
	PMU_PUBLISH(row->flags, flags);
	*id = ++rows->n_rows;
	PMU_PUBLISH_LAST(chunk->at->used, ++chunk->used);
	return row;
}

void pmu_table_rows_walk(const struct pmu_table_rows *rows, pmu_row_fn *each, void *arg)
{
	for (const struct pmu_chunk *chunk = rows->first_chunk; chunk; chunk = chunk->next)
		for (uint32_t i = 0; i < chunk->used; i++)
			each(arg, chunk->first + i, &chunk->key[i],
			     pmu_table_row_at(chunk, rows->row_size, i));
}

/* --- records beside rows --- */

static int add_sides_chunk(struct pmu_table *table, struct pmu_table_rows *rows,
			   enum pmu_side which)
{
	struct pmu_chunk *last = rows->side[which].newest, *chunk;
	static const uint32_t firsts[PMU_SIDES] = {
		[PMU_SIDE_HISTOGRAM] = FIRST_HISTOGRAMS,
		[PMU_SIDE_LEAST] = FIRST_LEASTS,
		[PMU_SIDE_TURNS] = FIRST_TURNS,
		[PMU_SIDE_WAITS] = FIRST_WAITS,
	};
	uint32_t first = firsts[which];
	uint32_t size = !last ? first : last->size < LARGEST_ROWS ? 2 * last->size : LARGEST_ROWS;

	chunk = threads_chunk(table, rows, size, 0, sizeof(struct pmu_store_chunk));
	if (!chunk)
		return -ENOMEM;
	pmu_chunk_set_kind(chunk->at, (enum pmu_store_kind)pmu_side_chunk(which));
	if (last)
		last->next = chunk;
	else
		rows->side[which].first = chunk;
	rows->side[which].newest = chunk;
	return 0;
}

static struct pmu_store_side *side_at(const struct pmu_chunk *chunk, enum pmu_side which,
				      uint32_t i)
{
	return (void *)((char *)(chunk->at + 1) + (size_t)pmu_side_size(which) * i);
}

struct pmu_store_side *pmu_table_side(struct pmu_table *table, struct pmu_table_rows *rows,
				      enum pmu_side which, uint32_t row, uint32_t n_banks)
{
	struct pmu_chunk *chunk = rows->side[which].newest;
	struct pmu_store_side *side;

	if (!chunk ||
	    (chunk->used + n_banks) * pmu_side_size(which) > chunk->size - chunk->before) {
		if (add_sides_chunk(table, rows, which) < 0)
			return NULL;
		chunk = rows->side[which].newest;
	}
	if (!make_keys(table, chunk, pmu_side_size(which)))
		return NULL;
	for (uint32_t i = 0; i < n_banks; i++) {
		side = side_at(chunk, which, chunk->used + i);
		pmu_chunk_touch(side, pmu_side_size(which));
		chunk->key[chunk->used + i].parent = row;
		PMU_PUBLISH(side->row, row);
		PMU_PUBLISH(side->bank, i);
	}
	side = side_at(chunk, which, chunk->used);
	chunk->used += n_banks;
	PMU_PUBLISH_LAST(chunk->at->used, chunk->used);
	return side;
}

void pmu_table_sides_walk(const struct pmu_table_rows *rows, enum pmu_side which,
			  void (*each)(void *arg, uint32_t row, struct pmu_store_side *side),
			  void *arg)
{
	for (const struct pmu_chunk *chunk = rows->side[which].first; chunk; chunk = chunk->next)
		for (uint32_t i = 0; i < chunk->used; i++)
			each(arg, chunk->key[i].parent, side_at(chunk, which, i));
}
