/* SPDX-License-Identifier: BSD-3-Clause */
/* The room of a store: pieces of a file that are mapped, and chunks in them that never move. */
#include "store/chunks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/races.h"
#include "base/retry.h"
#include "base/write.h"

#define LARGEST_PIECE     ((uint64_t)16 << 20)
#define LARGEST_POPULATED ((uint64_t)64 << 10)

/* What lies at an offset of the store; NULL before its first piece. */
static void *at_offset(const struct pmu_table *table, uint64_t offset)
{
	for (size_t i = table->n_pieces; i-- > 0;) {
		const struct pmu_store_piece *piece = &table->piece[i];

		if (offset >= piece->offset)
			return (char *)(uintptr_t)piece->base + (offset - piece->offset);
	}
	return NULL;
}

static void note_why(struct pmu_table *table, const char *what, int error)
{
	if (!table->why[0])
		snprintf(table->why, sizeof(table->why), "%s: %s", what, strerror(error));
}

/* --- pieces --- */

/* The file is opened anew each time: with no descriptor kept, the program cannot close it. */
int pmu_pieces_open(struct pmu_table *table)
{
	struct stat st;
	int fd = PMU_RETRY(open(table->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC));

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || st.st_dev != table->dev || st.st_ino != table->ino) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/*
 * Reserve first, then map: a full file system is an error here, not a SIGBUS later.  Of a large piece
 * pages are touched as their records are made (pmu_chunk_touch()): before, they take none of the
 * process's memory.
 */
static void *map_file(int fd, uint64_t offset, uint64_t size)
{
	int rc = pmu_write_reserve(fd, 0, (off_t)offset, (off_t)size);

	if (rc) {
		errno = -rc;
		return NULL;
	}
	return mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_SHARED | (size > LARGEST_POPULATED ? 0 : MAP_POPULATE), fd, (off_t)offset);
}

static void *map_piece(struct pmu_table *table, int fd, uint64_t size)
{
	void *base = MAP_FAILED;

	if (fd >= 0 && !table->file_ended)
		base = map_file(fd, table->file_end, size);
	if (base && base != MAP_FAILED)
		return base;
	if (fd >= 0 && !table->file_ended)
		note_why(table, "no room in the file system", errno);
	table->file_ended = true;
	return pmu_pages_alloc(size);
}

void pmu_piece_push(struct pmu_table *table, const void *base, uint64_t size, bool rings)
{
	table->piece[table->n_pieces++] = (struct pmu_store_piece){ base, table->file_end, size,
								    rings };
	table->file_end += size;
	/* read at any time, by any process: what is valid there says the store itself (row.h) */
	pmu_races_ignore(base, size);
}

int pmu_piece_add(struct pmu_table *table, int fd, uint64_t size)
{
	struct pmu_store_piece *piece = &table->piece[table->n_pieces];

	if (table->n_pieces == PMU_TABLE_MAX_PIECES)
		return -ENOMEM;
	piece->base = map_piece(table, fd, size);
	if (!piece->base)
		return -ENOMEM;
	pmu_piece_push(table, piece->base, size, false);
	table->last_size = size;
	table->next = table->file_end - size;
	table->end = table->file_end;
	table->in_hole = false;
	return 0;
}

static int grow_table(struct pmu_table *table, uint64_t need)
{
	uint64_t size = 2 * table->last_size;
	int fd = -1, rc;

	if (size > LARGEST_PIECE)
		size = LARGEST_PIECE;
	while (size < need)
		size *= 2;
	if (!table->file_ended) {
		fd = pmu_pieces_open(table);
		if (fd < 0) {
			note_why(table, "the file is gone", -fd);
			table->file_ended = true;
		}
	}
	rc = pmu_piece_add(table, fd, size);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* --- chunks --- */

/* Pairs with the acquire of a reader: one that sees the new size sees the header. */
void pmu_chunks_set_size(struct pmu_table *table, uint64_t size)
{
	PMU_PUBLISH_LAST(table->head->size, size);
}

/* The next chunk's header, in the room that is left, which is large enough. */
static struct pmu_store_chunk *place_chunk(struct pmu_table *table, uint32_t size)
{
	struct pmu_store_chunk *chunk = at_offset(table, table->next);

	PMU_PUBLISH(chunk->magic, PMU_STORE_CHUNK_MAGIC);
	PMU_PUBLISH(chunk->size, size);
	table->next += size;
	pmu_chunks_set_size(table, table->next);
	return chunk;
}

/* The room is one free chunk: what is left of it is one before the other gets its size. */
static struct pmu_store_chunk *part_hole(struct pmu_table *table, uint32_t size)
{
	struct pmu_store_chunk *chunk = at_offset(table, table->next), *rest;

	table->next += size;
	if (table->next < table->end) {
		rest = at_offset(table, table->next);
		PMU_PUBLISH(rest->magic, PMU_STORE_CHUNK_MAGIC);
		PMU_PUBLISH(rest->size, table->end - table->next);
	}
	/* Pairs with the acquire in pmu_chunk_check(). */
	PMU_PUBLISH_LAST(chunk->size, size);
	return chunk;
}

void pmu_chunk_end_room(struct pmu_table *table)
{
	if (table->next < table->end && !table->in_hole)
		place_chunk(table, (uint32_t)(table->end - table->next));
}

void pmu_chunk_touch(void *memory, size_t size)
{
	for (size_t at = 0; at < size; at += PMU_SMALLEST_PAGE)
		__atomic_fetch_or((char *)memory + at, 0, __ATOMIC_RELAXED);
	__atomic_fetch_or((char *)memory + size - 1, 0, __ATOMIC_RELAXED);
}

struct pmu_chunk *pmu_chunk_new(struct pmu_table *table, uint32_t size)
{
	struct pmu_chunk *chunk = pmu_arena_alloc(&table->arena, sizeof(*chunk), 8);

	if (!chunk)
		return NULL;
	if (table->end - table->next < size) {
		/* Chunks have no gaps between them: the rest becomes a free chunk. */
		pmu_chunk_end_room(table);
		if (grow_table(table, size) < 0)
			return NULL;
	}
	chunk->size = size;
	chunk->at = table->in_hole ? part_hole(table, size) : place_chunk(table, size);
	return chunk;
}
