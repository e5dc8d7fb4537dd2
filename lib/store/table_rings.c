/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads' rings in a store, for traces: each a piece of the file, or what another has left of its own. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/write.h"
#include "store/chunks.h"
#include "store/table.h"

/* Readers take 256 GiB; behind this each ring is as long as it has to be. */
#define LONG_FILE ((uint64_t)64 << 30)

static struct pmu_store_trace *trace_of(struct pmu_store_chunk *chunk)
{
	return (void *)(chunk + 1);
}

/** How much of a chunk, from its beginning, has its room in the file system. */
static uint64_t *ready_of(struct pmu_store_chunk *chunk)
{
	return &chunk->reserved2[1];
}

/* The thread's first calls are not to find pages that are yet to come. */
static void touch(char *from, uint64_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t at = (uintptr_t)from & -page, end = (uintptr_t)from + bytes;

	for (; at < end; at += page)
		__atomic_fetch_or((char *)at, 0, __ATOMIC_RELAXED);
}

/* The file system keeps half of what it has free for rows and for others. */
static int make_ready(int fd, void *base, uint64_t offset, uint64_t bytes)
{
	struct statvfs room;
	int rc;

	if (fstatvfs(fd, &room) == 0 && room.f_bavail * room.f_frsize / 2 < bytes)
		return -ENOSPC;
	rc = pmu_write_reserve(fd, 0, (off_t)offset, (off_t)bytes);
	if (!rc)
		touch(base, bytes);
	return rc;
}

static void *fail_ring(struct pmu_table *table, int rc)
{
	pmu_fail(rc, "%u KiB beside %s: %s", table->ring_bytes >> 10, table->path, strerror(-rc));
	return NULL;
}

/* Address space and a longer file; only what a thread gets has its room in the file system. */
static int map_room(struct pmu_table *table, int fd, uint64_t size, void **base)
{
	int rc = pmu_write_resize(fd, (off_t)(table->file_end + size));

	if (rc)
		return rc;
	*base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)table->file_end);
	return *base == MAP_FAILED ? -errno : 0;
}

/*
 * Twice what was asked for: rings of threads that did little follow each other in it, each with all of
 * the room that it may need.
 */
static void *map_ring(struct pmu_table *table, uint64_t *size)
{
	int fd = pmu_pieces_open(table), rc = -EFBIG;
	void *base;

	if (fd < 0)
		return fail_ring(table, fd);
	*size = 2 * (uint64_t)table->ring_bytes;
	if (table->file_end < LONG_FILE)
		rc = map_room(table, fd, *size, &base);
	if (rc)
		rc = map_room(table, fd, *size = table->ring_bytes, &base);
	if (!rc) {
		rc = make_ready(fd, base, table->file_end, table->ring_bytes);
		if (rc)
			munmap(base, *size);
	}
	if (rc)
		pmu_write_resize(fd, (off_t)table->file_end);
	close(fd);
	return rc ? fail_ring(table, rc) : base;
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

static struct pmu_store_chunk *new_ring(struct pmu_table *table)
{
	struct pmu_store_chunk *chunk;
	uint64_t size;

	if (table->file_ended || !table->path[0] || table->n_pieces >= PMU_TABLE_MAX_RINGS) {
		pmu_fail(ENOSPC, "%s",
			 table->file_ended ? table->why : "there are too many threads");
		return NULL;
	}
	chunk = map_ring(table, &size);
	if (!chunk)
		return NULL;
	leave_hole(table);
	pmu_piece_push(table, chunk, size);
	chunk->magic = PMU_STORE_CHUNK_MAGIC;
	chunk->size = (uint32_t)size;
	*ready_of(chunk) = table->ring_bytes;
	pmu_chunks_set_size(table, table->file_end);
	return chunk;
}

/* The file is opened for what another thread has not had of it. */
static struct pmu_store_chunk *free_ring(struct pmu_table *table)
{
	struct pmu_store_chunk *chunk = pmu_chunk_at(table, table->free_ring);
	uint64_t ready = *ready_of(chunk);
	int fd, rc;

	if (ready < table->ring_bytes) {
		fd = pmu_pieces_open(table);
		if (fd < 0)
			return fail_ring(table, fd);
		rc = make_ready(fd, (char *)chunk + ready, table->free_ring + ready,
				table->ring_bytes - ready);
		close(fd);
		if (rc)
			return fail_ring(table, rc);
		*ready_of(chunk) = table->ring_bytes;
	}
	table->free_ring = *pmu_chunk_next(chunk);
	return chunk;
}

struct pmu_store_trace *pmu_table_trace(struct pmu_table *table, uint32_t serial, uint32_t n_counts,
					uint32_t bytes)
{
	struct pmu_store_chunk *chunk;
	struct pmu_store_trace *trace;

	table->ring_bytes = bytes;
	chunk = table->free_ring ? free_ring(table) : new_ring(table);
	if (!chunk)
		return NULL;
	trace = trace_of(chunk);
	trace->n_counts = n_counts;
	trace->record_size = (uint32_t)(sizeof(struct pmu_trace_record) + 8 * (size_t)n_counts);
	trace->n_places = (uint32_t)((bytes - sizeof(*chunk) - sizeof(*trace)) /
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

/* Its ring ends where it has stopped, if what is behind that is room enough for another. */
void pmu_table_trace_end(struct pmu_table *table, struct pmu_store_trace *trace)
{
	struct pmu_store_chunk *chunk = chunk_of(trace), *rest;
	uint64_t used = sizeof(*chunk) + sizeof(*trace) + (trace->n + 1) * trace->record_size;
	uint64_t size = PMU_ALIGN_UP(used, PMU_STORE_ALIGN), heads = sizeof(*rest) + sizeof(*trace);

	if (trace->n >= trace->n_places - 1 || size + heads > *ready_of(chunk) ||
	    size + table->ring_bytes > chunk->size)
		return;
	rest = (void *)((char *)chunk + size);
	/* there may be records of a thread that had the ring before */
	memset(rest, 0, heads);
	rest->magic = PMU_STORE_CHUNK_MAGIC;
	rest->size = chunk->size - (uint32_t)size;
	*ready_of(rest) = *ready_of(chunk) - size;
	__atomic_store_n(&trace->n_places, (uint32_t)trace->n + 1, __ATOMIC_RELEASE);
	/* Pairs with the acquire in pmu_chunk_check(): the next one has a head. */
	__atomic_store_n(&chunk->size, (uint32_t)size, __ATOMIC_RELEASE);
	*ready_of(chunk) = size;
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
