/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a store's parts, one at a time: nothing in the file is believed before it
 * passed here. */
#ifndef PMU_STORE_CHECK_H
#define PMU_STORE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/row.h"

/** Longest region name that a store may hold; PMU_NAME_MAX of pmu.h. */
#define PMU_STORE_NAME_MAX 1023u

/** A chunk header's fields, each loaded once. */
struct pmu_chunk_copy {
	uint32_t kind;
	uint32_t size;
	uint32_t used;
	uint32_t owner;
	uint32_t group;
	uint32_t first;
};

/**
 * pmu_chunk_check() - copy a chunk's header and check it
 * @chunk: in memory that may change while it is read
 * @room: bytes from the header to the end of what is there
 *
 * Return: whether size and magic make sense, so that the walk can go on behind it.
 */
bool pmu_chunk_check(const struct pmu_store_chunk *chunk, uint64_t room,
		     struct pmu_chunk_copy *copy);

/** pmu_chunk_read() - the same of the chunk at @offset of a file; @end: where the store ends in it */
bool pmu_chunk_read(int fd, uint64_t offset, uint64_t end, struct pmu_chunk_copy *copy);

/** A group whose layout has been checked. */
struct pmu_group_copy {
	uint32_t n_slots;
	uint32_t row_size;
	uint32_t bank_offset;
	uint32_t bank_size;
	uint32_t absent;
	const struct pmu_store_group *group; /* in the store, for its texts */
};

/**
 * pmu_group_check() - a group's layout of rows
 * @bytes: what follows the chunk's header
 * @size: bytes there
 *
 * Return: whether every row that fits its chunk can be read by this layout.
 */
bool pmu_group_check(const void *bytes, size_t size, struct pmu_group_copy *copy);

/** One record of a META or NAMES chunk: @id is its key or id. */
struct pmu_record {
	uint32_t id;
	uint32_t len;
	const char *text; /* not terminated */
};

/**
 * pmu_meta_next(), pmu_name_next() - the record at *pos, which moves on to the next
 * @bytes: records
 * @used: bytes of them
 *
 * Return: 1; 0 at the end; -1 where a record does not fit or its text holds a NUL.
 */
int pmu_meta_next(const char *bytes, size_t used, size_t *pos, struct pmu_record *record);
int pmu_name_next(const char *bytes, size_t used, size_t *pos, struct pmu_record *record);

/** pmu_text_field() - length of the text in an array that need not be terminated. */
size_t pmu_text_field(const char *field, size_t size);

#endif
