/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies rows that may be written to meanwhile; the protocol is described in row.h. */
#define PMU_STORE_READER 1
#include "store/read/reader.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define ROW_TRIES           100000u
#define ROW_TRIES_PER_PAUSE 64u

static void copy_bank(const struct pmu_store_bank *bank, uint32_t n_slots, struct pmu_raw_row *row)
{
	uint64_t square;
	uint32_t i;

	/* Acquire: none of these loads may move below the one that checks the sequence.
	 */
	row->calls = __atomic_load_n(&bank->calls, __ATOMIC_ACQUIRE);
	row->ticks = __atomic_load_n(&bank->ticks, __ATOMIC_ACQUIRE);
	row->min = __atomic_load_n(&bank->min, __ATOMIC_ACQUIRE);
	row->max = __atomic_load_n(&bank->max, __ATOMIC_ACQUIRE);
	__atomic_load((const uint64_t *)(const void *)&bank->square, &square, __ATOMIC_ACQUIRE);
	memcpy(&row->square, &square, sizeof(square));
	for (i = 0; i < n_slots; i++)
		row->count[i] = __atomic_load_n(&bank->count[i], __ATOMIC_ACQUIRE);
}

static const struct pmu_store_bank *bank_of(const struct pmu_store_row *row,
					    const struct pmu_group_copy *layout, uint64_t which)
{
	return (const void *)((const char *)row + layout->bank_offset +
			      (which & 1) * layout->bank_size);
}

/* The totals of the bank that the row's own sequence names. */
static void copy_totals(const struct pmu_store_row *from, const struct pmu_group_copy *layout,
			struct pmu_raw_row *row)
{
	uint32_t seq, i;

	for (i = 1; i <= ROW_TRIES; i++) {
		/* Pairs with the release that publishes a bank. */
		seq = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);
		copy_bank(bank_of(from, layout, seq), layout->n_slots, row);
		if (PMU_READER_LOAD(from->seq) == seq)
			return;
		if (i % ROW_TRIES_PER_PAUSE == 0)
			sched_yield();
	}
	row->torn = true;
}

void pmu_reader_copy_outer(const struct pmu_store_row *from, uint32_t n_slots,
			   const struct pmu_store_thread *record, uint32_t *outer)
{
	for (uint32_t i = 0; i < 1 + n_slots; i++)
		outer[i] = PMU_READER_LOAD(from->outer[i]);
	outer[0] <<= record->outer_shift <= PMU_STORE_MAX_SHIFT ? record->outer_shift : 0;
}

/* A count from which more was taken off for the library's own work than it had is missing. */
static void leave_out_negative(struct pmu_raw_row *row, uint32_t n_slots)
{
	for (uint32_t i = 0; i < n_slots; i++) {
		if ((int64_t)row->count[i] >= 0)
			continue;
		row->missing |= 1u << i;
		row->count[i] = 0;
	}
}

void pmu_reader_copy_row(const struct pmu_store_row *from, const struct pmu_group_copy *layout,
			 const struct pmu_store_thread *record, struct pmu_raw_row *row)
{
	row->name = PMU_READER_LOAD(from->name);
	row->parent = PMU_READER_LOAD(from->parent);
	row->flags = PMU_READER_LOAD(from->flags);
	row->missing = PMU_READER_LOAD(from->missing);
	row->open = PMU_READER_LOAD(from->open);
	row->unended = PMU_READER_LOAD(from->unended);
	row->unbegun = PMU_READER_LOAD(from->unbegun);
	row->moved = PMU_READER_LOAD(from->moved);
	pmu_reader_copy_outer(from, layout->n_slots, record, row->outer);
	if (record->state == PMU_THREAD_MERGED)
		copy_bank(bank_of(from, layout, record->merged), layout->n_slots, row);
	else
		copy_totals(from, layout, row);
	leave_out_negative(row, layout->n_slots);
}

/* Unknown flags may give its numbers another meaning: only its place in the tree is kept. */
static void check_flags(struct pmu_reader *reader, struct pmu_raw_row *row)
{
	if (!(row->flags & ~PMU_STORE_ROW_KNOWN))
		return;
	reader->raw->damage[PMU_DAMAGE_FLAGS]++;
	*row = (struct pmu_raw_row){ .id = row->id,
				     .name = row->name,
				     .parent = row->parent,
				     .flags = row->flags & PMU_STORE_ROW_KNOWN };
}

/* Rows of one chunk behind those the thread already has. */
static int copy_rows(struct pmu_reader *reader, struct pmu_raw_thread *thread,
		     const struct pmu_rows_chunk *from)
{
	const struct pmu_group_copy *layout = &reader->raw->group[thread->group];
	size_t before = sizeof(*from->chunk), n, i;
	struct pmu_raw_row *grown;
	const char *bytes;

	if (from->copy.kind == PMU_CHUNK_THREAD)
		before += sizeof(struct pmu_store_thread);
	n = (from->copy.size - before) / layout->row_size;
	if (from->copy.used < n)
		n = from->copy.used;
	if (from->copy.used > n || !from->copy.first || from->copy.first + n > UINT32_MAX)
		reader->raw->damage[PMU_DAMAGE_ROWS]++;
	if (thread->n_rows && from->copy.first <= thread->row[thread->n_rows - 1].id) {
		reader->raw->damage[PMU_DAMAGE_ROWS]++;
		return 0;
	}
	if (!n || !from->copy.first || from->copy.first + n > UINT32_MAX)
		return 0;
	grown = reallocarray(thread->row, thread->n_rows + n, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	thread->row = grown;
	memset(grown + thread->n_rows, 0, n * sizeof(*grown));
	bytes = (const char *)from->chunk + before;
	for (i = 0; i < n; i++) {
		struct pmu_raw_row *row = &grown[thread->n_rows++];

		row->id = from->copy.first + (uint32_t)i;
		pmu_reader_copy_row((const void *)(bytes + i * layout->row_size), layout,
				    &thread->record, row);
		reader->raw->damage[PMU_DAMAGE_TORN] += row->torn;
		check_flags(reader, row);
	}
	return 0;
}

static int by_owner_and_first(const void *a, const void *b)
{
	const struct pmu_rows_chunk *x = a, *y = b;

	if (x->copy.owner != y->copy.owner)
		return x->copy.owner < y->copy.owner ? -1 : 1;
	if (x->copy.first != y->copy.first)
		return x->copy.first < y->copy.first ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

bool pmu_reader_is_gone(const struct pmu_reader *reader, uint32_t serial)
{
	return reader->n_gone &&
	       bsearch(&serial, reader->gone, reader->n_gone, sizeof(serial), by_value);
}

const struct pmu_raw_thread *pmu_raw_find_thread(const struct pmu_raw *raw, uint32_t serial)
{
	size_t low = 0, high = raw->n_threads;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (raw->thread[middle].serial == serial)
			return &raw->thread[middle];
		if (raw->thread[middle].serial < serial)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

size_t pmu_raw_find_row(const struct pmu_raw_thread *thread, uint32_t id)
{
	size_t low = 0, high = thread->n_rows, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (thread->row[middle].id == id)
			return middle;
		if (thread->row[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return SIZE_MAX;
}

int pmu_reader_copy_rows(struct pmu_reader *reader)
{
	struct pmu_raw *raw = reader->raw;
	const struct pmu_rows_chunk *rows;
	size_t t = 0, i;
	int rc;

	if (reader->n_rows)
		qsort(reader->rows, reader->n_rows, sizeof(*reader->rows), by_owner_and_first);
	if (reader->n_gone)
		qsort(reader->gone, reader->n_gone, sizeof(*reader->gone), by_value);
	/* In both lists the order is by serial now: one pass brings rows to their
	 * threads. */
	for (i = 0; i < reader->n_rows; i++) {
		rows = &reader->rows[i];
		while (t < raw->n_threads && raw->thread[t].serial < rows->copy.owner)
			t++;
		if (t < raw->n_threads && raw->thread[t].serial == rows->copy.owner) {
			if (rows->copy.group != raw->thread[t].group) {
				raw->damage[PMU_DAMAGE_ROWS]++;
				continue;
			}
			rc = copy_rows(reader, &raw->thread[t], rows);
			if (rc)
				return rc;
		} else if (!pmu_reader_is_gone(reader, rows->copy.owner)) {
			raw->damage[PMU_DAMAGE_ORPHANS]++;
		}
	}
	return 0;
}
