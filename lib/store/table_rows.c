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

/* --- threads and rows --- */

static unsigned int size_class(uint32_t size)
{
	return 31u - (unsigned int)__builtin_clz(size);
}

/*
 * Sizes are powers of two, so that a chunk that was given back fits the next request of its size.
 */
static struct pmu_store_chunk *rows_chunk(struct pmu_table *table, uint32_t size)
{
	uint64_t *head = &table->free_chunk[size_class(size)];
	struct pmu_store_chunk *chunk;

	if (!*head)
		return pmu_chunk_new(table, size);
	chunk = pmu_chunk_at(table, *head);
	*head = *pmu_chunk_next(chunk);
	memset(&chunk->used, 0, size - offsetof(struct pmu_store_chunk, used));
	return chunk;
}

static uint32_t rows_before(const struct pmu_store_chunk *chunk)
{
	return (uint32_t)(sizeof(*chunk) +
			  (chunk->kind == PMU_CHUNK_THREAD ? sizeof(struct pmu_store_thread) : 0));
}

struct pmu_store_row *pmu_table_row_at(struct pmu_store_chunk *chunk, uint32_t row_size, uint32_t i)
{
	return (void *)((char *)chunk + rows_before(chunk) + (size_t)row_size * i);
}

struct pmu_store_chunk *pmu_table_next_chunk(const struct pmu_table *table,
					     struct pmu_store_chunk *chunk)
{
	uint64_t next = *pmu_chunk_next(chunk);

	return next ? pmu_chunk_at(table, next) : NULL;
}

static void free_chunks(struct pmu_table *table, uint64_t first)
{
	for (uint64_t offset = first; offset;) {
		struct pmu_store_chunk *chunk = pmu_chunk_at(table, offset);
		uint64_t *head = &table->free_chunk[size_class(chunk->size)];
		uint64_t next = *pmu_chunk_next(chunk);

		pmu_chunk_set_kind(chunk, PMU_CHUNK_FREE);
		*pmu_chunk_next(chunk) = *head;
		*head = offset;
		offset = next;
	}
}

int pmu_table_thread(struct pmu_table *table, uint32_t group_index,
		     const struct pmu_store_group *group, uint32_t number,
		     struct pmu_table_rows *rows)
{
	struct pmu_store_chunk *chunk = rows_chunk(table, FIRST_ROWS);

	if (!chunk)
		return -ENOMEM;
	*rows = (struct pmu_table_rows){
		.record = (void *)(chunk + 1),
		.chunk = chunk,
		.first_chunk = pmu_chunk_offset(table, chunk),
		.serial = ++table->n_serials,
		.group = group_index,
		.row_size = group->row_size,
		.bank_offset = group->bank_offset,
		.bank_size = group->bank_size,
	};
	chunk->owner = rows->serial;
	chunk->group = group_index;
	chunk->first = 1;
	rows->record->number = number;
	pmu_chunk_set_kind(chunk, PMU_CHUNK_THREAD);
	if (pmu_table_index_add(&table->index, number, group_index, chunk) < 0) {
		free_chunks(table, rows->first_chunk);
		memset(rows, 0, sizeof(*rows));
		return -ENOMEM;
	}
	return 0;
}

void pmu_table_thread_free(struct pmu_table *table, struct pmu_table_rows *rows)
{
	pmu_table_index_remove(&table->index, rows->record->number,
			       pmu_chunk_at(table, rows->first_chunk));
	free_chunks(table, rows->first_chunk);
	for (int which = 0; which < PMU_SIDES; which++)
		free_chunks(table, rows->side[which].first);
	memset(rows, 0, sizeof(*rows));
}

static int add_rows_chunk(struct pmu_table *table, struct pmu_table_rows *rows)
{
	uint32_t size = rows->chunk->size < LARGEST_ROWS ? 2 * rows->chunk->size : LARGEST_ROWS;
	struct pmu_store_chunk *chunk = rows_chunk(table, size);

	if (!chunk)
		return -ENOMEM;
	chunk->owner = rows->serial;
	chunk->group = rows->group;
	chunk->first = rows->n_rows + 1;
	pmu_chunk_set_kind(chunk, PMU_CHUNK_ROWS);
	*pmu_chunk_next(rows->chunk) = pmu_chunk_offset(table, chunk);
	rows->chunk = chunk;
	return 0;
}

struct pmu_store_row *pmu_table_row(struct pmu_table *table, struct pmu_table_rows *rows,
				    uint32_t name, uint32_t parent, uint16_t flags, uint32_t *id)
{
	struct pmu_store_chunk *chunk = rows->chunk;
	struct pmu_store_row *row;

	if ((chunk->used + 1) * rows->row_size > chunk->size - rows_before(chunk)) {
		if (add_rows_chunk(table, rows) < 0)
			return NULL;
		chunk = rows->chunk;
	}
	row = pmu_table_row_at(chunk, rows->row_size, chunk->used);
	row->name = name;
	row->parent = parent;
	row->flags = flags;
	*id = ++rows->n_rows;
	__atomic_store_n(&chunk->used, chunk->used + 1, __ATOMIC_RELEASE);
	return row;
}

void pmu_table_rows_walk(struct pmu_table *table, const struct pmu_table_rows *rows,
			 void (*each)(void *arg, uint32_t id, struct pmu_store_row *row), void *arg)
{
	for (uint64_t offset = rows->first_chunk; offset;) {
		struct pmu_store_chunk *chunk = pmu_chunk_at(table, offset);

		for (uint32_t i = 0; i < chunk->used; i++)
			each(arg, chunk->first + i, pmu_table_row_at(chunk, rows->row_size, i));
		offset = *pmu_chunk_next(chunk);
	}
}

/* --- records beside rows --- */

static int add_sides_chunk(struct pmu_table *table, struct pmu_table_rows *rows,
			   enum pmu_side which)
{
	struct pmu_store_chunk *last = rows->side[which].newest, *chunk;
	static const uint32_t firsts[PMU_SIDES] = {
		[PMU_SIDE_HISTOGRAM] = FIRST_HISTOGRAMS,
		[PMU_SIDE_LEAST] = FIRST_LEASTS,
		[PMU_SIDE_TURNS] = FIRST_TURNS,
	};
	uint32_t first = firsts[which];
	uint32_t size = !last ? first : last->size < LARGEST_ROWS ? 2 * last->size : LARGEST_ROWS;

	chunk = rows_chunk(table, size);
	if (!chunk)
		return -ENOMEM;
	chunk->owner = rows->serial;
	chunk->group = rows->group;
	pmu_chunk_set_kind(chunk, (enum pmu_store_kind)pmu_side_chunk(which));
	if (last)
		*pmu_chunk_next(last) = pmu_chunk_offset(table, chunk);
	else
		rows->side[which].first = pmu_chunk_offset(table, chunk);
	rows->side[which].newest = chunk;
	return 0;
}

static struct pmu_store_side *side_at(struct pmu_store_chunk *chunk, enum pmu_side which,
				      uint32_t i)
{
	return (void *)((char *)(chunk + 1) + (size_t)pmu_side_size(which) * i);
}

struct pmu_store_side *pmu_table_side(struct pmu_table *table, struct pmu_table_rows *rows,
				      enum pmu_side which, uint32_t row, uint32_t n_banks)
{
	struct pmu_store_chunk *chunk = rows->side[which].newest;
	struct pmu_store_side *side;

	if (!chunk ||
	    (chunk->used + n_banks) * pmu_side_size(which) > chunk->size - sizeof(*chunk)) {
		if (add_sides_chunk(table, rows, which) < 0)
			return NULL;
		chunk = rows->side[which].newest;
	}
	for (uint32_t i = 0; i < n_banks; i++) {
		side = side_at(chunk, which, chunk->used + i);
		side->row = row;
		side->bank = i;
	}
	side = side_at(chunk, which, chunk->used);
	__atomic_store_n(&chunk->used, chunk->used + n_banks, __ATOMIC_RELEASE);
	return side;
}

void pmu_table_sides_walk(struct pmu_table *table, const struct pmu_table_rows *rows,
			  enum pmu_side which, void (*each)(void *arg, struct pmu_store_side *side),
			  void *arg)
{
	for (uint64_t offset = rows->side[which].first; offset;) {
		struct pmu_store_chunk *chunk = pmu_chunk_at(table, offset);

		for (uint32_t i = 0; i < chunk->used; i++)
			each(arg, side_at(chunk, which, i));
		offset = *pmu_chunk_next(chunk);
	}
}
