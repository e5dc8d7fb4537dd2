/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of a store's copying share. */
#ifndef PMU_STORE_READER_H
#define PMU_STORE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/read/raw.h"

/** PMU_READER_LOAD() - a field that its thread may change while we look */
#define PMU_READER_LOAD(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

/** A chunk with rows, or with what stands beside them, of a pass. */
struct pmu_rows_chunk {
	struct pmu_chunk_copy copy;
	const struct pmu_store_chunk *chunk;
};

struct pmu_reader {
	const struct pmu_store_view *view;
	const struct pmu_store_head *head;
	uint64_t view_end;
	bool live;
	struct pmu_raw *raw;
	size_t thread_room, meta_room, name_room;
	struct pmu_rows_chunk *rows; /* of one pass */
	size_t n_rows, rows_room;
	struct pmu_rows_chunk *sides; /* likewise */
	size_t n_sides, sides_room;
	size_t bucket_room;
	size_t turns_room;
	uint32_t *gone; /* serials of threads that are left out, with their rows */
	size_t n_gone, gone_room;
};

/** What is done with each chunk; 0 or -ENOMEM, which ends the walk. */
typedef int pmu_chunk_fn(struct pmu_reader *reader, const struct pmu_store_chunk *chunk,
			 const struct pmu_chunk_copy *copy);

/**
 * pmu_reader_walk() - call @each for every chunk
 *
 * A bad header ends the walk: nothing tells where the next one is.  Return: 0 or what
 * @each returned.
 */
int pmu_reader_walk(struct pmu_reader *reader, pmu_chunk_fn *each);

/** pmu_reader_is_short() - whether the store grew beyond what we were given; what is
 * missing in it may then be newer than our look. */
bool pmu_reader_is_short(const struct pmu_reader *reader);

/**
 * pmu_reader_make_room() - room for one more element in an array
 * @array: where the pointer to its elements is
 * @n: elements it has
 * @room: elements it has room for; grows with it
 * @size: bytes of an element
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_reader_make_room(void *array, size_t n, size_t *room, size_t size);

/** pmu_reader_take_group(), pmu_reader_take_texts() - for the walk: what a chunk of that
 * kind holds, into the result; other chunks are passed over.  The first also counts kinds
 * that there are not. */
pmu_chunk_fn pmu_reader_take_group;
pmu_chunk_fn pmu_reader_take_texts;

/** pmu_reader_threads() - groups, and threads with their rows.  Return: 0 or -ENOMEM. */
int pmu_reader_threads(struct pmu_reader *reader);

/**
 * pmu_reader_copy_rows() - the rows of all chunks with rows, to their threads
 * @reader: with its threads by ascending serial; sorts rows and gone the same way
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_reader_copy_rows(struct pmu_reader *reader);

/**
 * pmu_reader_copy_record() - field by field: the thread counts its doubts while we look
 * @state: of it, loaded before
 */
void pmu_reader_copy_record(const struct pmu_store_thread *from, uint32_t state,
			    struct pmu_store_thread *to);

/**
 * pmu_reader_copy_outer() - what each of a row's calls adds to the row around it
 * @outer: [1 + @n_slots]; result: ticks, then counts
 */
void pmu_reader_copy_outer(const struct pmu_store_row *from, uint32_t n_slots,
			   const struct pmu_store_thread *record, uint32_t *outer);

/**
 * pmu_reader_copy_row() - of its banks the one that is valid
 * @layout: of its group; of fewer slots than that has only these are copied
 * @record: a copy of its thread's
 */
void pmu_reader_copy_row(const struct pmu_store_row *from, const struct pmu_group_copy *layout,
			 const struct pmu_store_thread *record, struct pmu_raw_row *row);

/** pmu_reader_is_gone() - of a thread that is left out; once the rows are there */
bool pmu_reader_is_gone(const struct pmu_reader *reader, uint32_t serial);

/**
 * pmu_reader_copy_sides() - what stands beside the rows, once these are there.  Return: 0 or
 * -ENOMEM.
 */
int pmu_reader_copy_sides(struct pmu_reader *reader);

#endif
