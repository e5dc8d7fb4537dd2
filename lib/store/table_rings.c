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

/* The file system keeps half of what it has free for rows and for others. */
static int make_ready(int fd, void *base, uint64_t offset, uint64_t bytes)
{
	struct statvfs room;
	int rc;

	if (fstatvfs(fd, &room) == 0 && room.f_bavail * room.f_frsize / 2 < bytes)
		return -ENOSPC;
	rc = pmu_write_reserve(fd, 0, (off_t)offset, (off_t)bytes);
	if (!rc)
		pmu_chunk_touch(base, bytes); /* for the first calls of the thread */
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

	pmu_chunk_end_room(table);
	table->next = next;
	table->in_hole = true;
}

static struct pmu_store_chunk *chunk_of(const struct pmu_ring *ring)
{
	return (struct pmu_store_chunk *)(void *)ring->at - 1;
}

/* What the writer knows of a ring in the chunk at @chunk. */
static struct pmu_ring *describe_ring(struct pmu_table *table, void *chunk, uint64_t offset,
				      uint64_t size, uint64_t ready)
{
	struct pmu_ring *ring = pmu_arena_alloc(&table->arena, sizeof(*ring), 8);

	if (!ring)
		return NULL;
	ring->at = (void *)((struct pmu_store_chunk *)chunk + 1);
	ring->offset = offset;
	ring->size = (uint32_t)size;
	ring->ready = (uint32_t)ready;
	ring->older = table->ring;
	table->ring = ring;
	PMU_PUBLISH(chunk_of(ring)->magic, PMU_STORE_CHUNK_MAGIC);
	PMU_PUBLISH(chunk_of(ring)->size, size);
	return ring;
}

static struct pmu_ring *new_ring(struct pmu_table *table)
{
	struct pmu_ring *ring;
	uint64_t size;
	void *base;

	if (table->file_ended || !table->path[0] || table->n_pieces >= PMU_TABLE_MAX_RINGS) {
		pmu_fail(ENOSPC, "%s",
			 table->file_ended ? table->why : "there are too many threads");
		return NULL;
	}
	base = map_ring(table, &size);
	if (!base)
		return NULL;
	leave_hole(table);
	ring = describe_ring(table, base, table->file_end, size, table->ring_bytes);
	if (!ring) {
		munmap(base, size);
		return fail_ring(table, -ENOMEM);
	}
	pmu_piece_push(table, base, size, true);
	pmu_chunks_set_size(table, table->file_end);
	return ring;
}

/* The file is opened for what another thread has not had of it. */
static struct pmu_ring *free_ring(struct pmu_table *table)
{
	struct pmu_ring *ring = table->free_ring;
	int fd, rc;

	if (ring->ready < table->ring_bytes) {
		fd = pmu_pieces_open(table);
		if (fd < 0)
			return fail_ring(table, fd);
		rc = make_ready(fd, (char *)chunk_of(ring) + ring->ready,
				ring->offset + ring->ready, table->ring_bytes - ring->ready);
		close(fd);
		if (rc)
			return fail_ring(table, rc);
		ring->ready = table->ring_bytes;
	}
	table->free_ring = ring->next_free;
	return ring;
}

struct pmu_ring *pmu_table_trace(struct pmu_table *table, uint32_t serial, uint32_t n_counts,
				 uint32_t bytes)
{
	struct pmu_ring *ring;

	table->ring_bytes = bytes;
	ring = table->free_ring ? free_ring(table) : new_ring(table);
	if (!ring)
		return NULL;
	ring->record_size = (uint32_t)(sizeof(struct pmu_trace_record) + 8 * (size_t)n_counts);
	ring->n_places = (uint32_t)((bytes - sizeof(struct pmu_store_chunk) - sizeof(*ring->at)) /
				    ring->record_size);
	PMU_PUBLISH(ring->at->n_counts, n_counts);
	PMU_PUBLISH(ring->at->record_size, ring->record_size);
	PMU_PUBLISH(ring->at->n_places, ring->n_places);
	PMU_PUBLISH_LAST(chunk_of(ring)->owner, serial);
	pmu_chunk_set_kind(chunk_of(ring), PMU_CHUNK_TRACE);
	return ring;
}

static void keep_ring(struct pmu_table *table, struct pmu_ring *ring)
{
	ring->next_free = table->free_ring;
	table->free_ring = ring;
}

/* Its ring ends where it has stopped, if what is behind that is room enough for another. */
void pmu_table_trace_end(struct pmu_table *table, struct pmu_ring *ring, uint64_t n)
{
	const uint64_t heads = sizeof(struct pmu_store_chunk) + sizeof(*ring->at);
	uint64_t size = PMU_ALIGN_UP(heads + (n + 1) * ring->record_size, PMU_STORE_ALIGN);
	struct pmu_ring *rest;
	char *behind;

	if (n >= ring->n_places - 1 || size + heads > ring->ready ||
	    size + table->ring_bytes > ring->size)
		return;
	behind = (char *)chunk_of(ring) + size;
	/* there may be records of a thread that had the ring before */
	memset(behind, 0, heads);
	rest = describe_ring(table, behind, ring->offset + size, ring->size - size,
			     ring->ready - size);
	if (!rest)
		return;
	ring->n_places = (uint32_t)n + 1;
	PMU_PUBLISH_LAST(ring->at->n_places, ring->n_places);
	/* Pairs with the acquire in pmu_chunk_check(): the next one has a head. */
	PMU_PUBLISH_LAST(chunk_of(ring)->size, size);
	ring->size = ring->ready = (uint32_t)size;
	keep_ring(table, rest);
}

void pmu_table_trace_free(struct pmu_table *table, struct pmu_ring *ring, uint64_t n)
{
	/* without an owner its records belong to no thread; @dropped says how many are lost */
	PMU_PUBLISH_LAST(chunk_of(ring)->owner, 0);
	ring->dropped += n;
	PMU_PUBLISH(ring->at->dropped, ring->dropped);
	PMU_PUBLISH_LAST(ring->at->n, 0);
	keep_ring(table, ring);
}

uint64_t pmu_table_untraced(const struct pmu_table *table, bool *with_waits)
{
	uint64_t lost = 0;

	*with_waits = false;
	for (const struct pmu_ring *ring = table->ring; ring; ring = ring->older) {
		uint64_t n = PMU_PUBLISHED_SUM(ring->at->n), keeps = ring->n_places - 1;

		lost += ring->dropped + (ring->n_places && n > keeps ? n - keeps : 0);
		*with_waits |= n > keeps && PMU_PUBLISHED_SUM(ring->at->n_waits);
	}
	return lost;
}
