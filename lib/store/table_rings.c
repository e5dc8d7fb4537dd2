/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads' rings in a store, for traces: each a piece of the file, or what another has left of its own. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "store/chunks.h"
#include "store/table.h"

static struct pmu_store_trace *trace_of(struct pmu_store_chunk *chunk)
{
	return (void *)(chunk + 1);
}

/* The file system keeps half of what it has free for rows and for others. */
static void *map_ring(struct pmu_table *table, uint32_t bytes)
{
	struct statvfs room;
	int fd = pmu_pieces_open(table), error = 0;
	void *base = NULL;

	if (fd < 0) {
		pmu_fail(-fd, "%s: %s", table->path, strerror(-fd));
		return NULL;
	}
	if (fstatvfs(fd, &room) == 0 && room.f_bavail * room.f_frsize / 2 < bytes) {
		error = ENOSPC;
	} else {
		base = pmu_piece_map(fd, table->file_end, bytes);
		error = !base || base == MAP_FAILED ? errno : 0;
	}
	close(fd);
	if (!error)
		return base;
	pmu_fail(error, "%u MiB beside %s: %s", bytes >> 20, table->path, strerror(error));
	return NULL;
}

/* What is left of the room that rows had is theirs later on. */
static void leave_hole(struct pmu_table *table)
{
	uint64_t next = table->next;

	if (table->in_hole)
		return;
	if (next < table->end)
		pmu_chunk_place(table, (uint32_t)(table->end - next));
	table->next = next;
	table->in_hole = true;
}

static struct pmu_store_chunk *new_ring(struct pmu_table *table, uint32_t bytes)
{
	struct pmu_store_chunk *chunk;

	if (table->file_ended || !table->path[0] || table->n_pieces >= PMU_TABLE_MAX_RINGS) {
		pmu_fail(ENOSPC, "%s",
			 table->file_ended ? table->why : "there are too many threads");
		return NULL;
	}
	chunk = map_ring(table, bytes);
	if (!chunk)
		return NULL;
	leave_hole(table);
	pmu_piece_push(table, chunk, bytes);
	chunk->magic = PMU_STORE_CHUNK_MAGIC;
	chunk->size = bytes;
	pmu_chunks_set_size(table, table->file_end);
	return chunk;
}

struct pmu_store_trace *pmu_table_trace(struct pmu_table *table, uint32_t serial, uint32_t n_counts,
					uint32_t bytes)
{
	struct pmu_store_chunk *chunk = table->free_ring ? pmu_chunk_at(table, table->free_ring)
							 : new_ring(table, bytes);
	struct pmu_store_trace *trace;

	if (!chunk)
		return NULL;
	if (table->free_ring)
		table->free_ring = *pmu_chunk_next(chunk);
	trace = trace_of(chunk);
	trace->n_counts = n_counts;
	trace->record_size = (uint32_t)(sizeof(struct pmu_trace_record) + 8 * (size_t)n_counts);
	trace->n_places = (uint32_t)((chunk->size - sizeof(*chunk) - sizeof(*trace)) /
				     trace->record_size);
	__atomic_store_n(&chunk->owner, serial, __ATOMIC_RELEASE);
	pmu_chunk_set_kind(chunk, PMU_CHUNK_TRACE);
	return trace;
}

static struct pmu_store_chunk *chunk_of(struct pmu_store_trace *trace)
{
	return (struct pmu_store_chunk *)(void *)trace - 1;
}

static void keep_ring(struct pmu_table *table, struct pmu_store_chunk *chunk)
{
	*pmu_chunk_next(chunk) = table->free_ring;
	table->free_ring = pmu_chunk_offset(table, chunk);
}

/* As rings of threads that did little are: theirs end where they have stopped. */
void pmu_table_trace_end(struct pmu_table *table, struct pmu_store_trace *trace)
{
	struct pmu_store_chunk *chunk = chunk_of(trace), *rest;
	uint64_t used = sizeof(*chunk) + sizeof(*trace) + (trace->n + 1) * trace->record_size;
	uint32_t size;

	if (used > chunk->size / 4)
		return;
	size = PMU_ALIGN_UP((uint32_t)used, PMU_STORE_ALIGN);
	rest = (void *)((char *)chunk + size);
	rest->magic = PMU_STORE_CHUNK_MAGIC;
	rest->size = chunk->size - size;
	__atomic_store_n(&trace->n_places, (uint32_t)trace->n + 1, __ATOMIC_RELEASE);
	/* Pairs with the acquire in pmu_chunk_check(): the next one has a head. */
	__atomic_store_n(&chunk->size, size, __ATOMIC_RELEASE);
	keep_ring(table, rest);
}

void pmu_table_trace_free(struct pmu_table *table, struct pmu_store_trace *trace)
{
	struct pmu_store_chunk *chunk = chunk_of(trace);

	/* without an owner its records are nobody's, and those that are lost stay known */
	__atomic_store_n(&chunk->owner, 0, __ATOMIC_RELEASE);
	trace->dropped += trace->n;
	__atomic_store_n(&trace->n, 0, __ATOMIC_RELEASE);
	keep_ring(table, chunk);
}
