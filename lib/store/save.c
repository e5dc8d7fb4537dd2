/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies a store chunk by chunk. */
#include "store/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/write.h"
#include "store/row.h"

/** A chunk's head, and the ring's behind it. */
struct heads {
	struct pmu_store_chunk chunk;
	struct pmu_store_trace ring;
};

/* To the same place. */
static int copy_bytes(int from, int to, uint64_t offset, uint64_t size)
{
	struct pmu_write_hold hold;
	off_t at = (off_t)offset;
	ssize_t n = 1;

	if (lseek(to, at, SEEK_SET) < 0)
		return -errno;
	while (size && n > 0) {
		int rc;

		pmu_write_hold(&hold);
		n = sendfile(to, from, &at, size);
		rc = n < 0 ? -errno : 0;
		pmu_write_release(&hold, rc);
		if (rc == -EINTR)
			n = 1;
		else if (rc)
			return rc;
		else
			size -= (uint64_t)n;
	}
	return size ? -EIO : 0;
}

/* The place behind its records is the one that may be written to. */
static uint64_t used_of(const struct heads *heads)
{
	const struct pmu_store_trace *ring = &heads->ring;
	uint64_t used;

	if (heads->chunk.kind == PMU_CHUNK_FREE)
		return sizeof(heads->chunk);
	if (heads->chunk.kind != PMU_CHUNK_TRACE)
		return heads->chunk.size;
	used = ring->n < ring->n_places ? ring->n : ring->n_places;
	used = sizeof(*heads) + used * ring->record_size;
	return used < heads->chunk.size ? used : heads->chunk.size;
}

/*
 * The head that was read, whatever has become of it: a ring that has ended since, or a free chunk that was
 * parted, is shorter, and behind it is a head that is not in the copy.
 */
static int copy_head(int from, int to, uint64_t offset, const struct heads *before)
{
	struct heads now, then = *before;

	if (before->chunk.kind == PMU_CHUNK_FREE)
		return pmu_write_at(to, &then.chunk, sizeof(then.chunk), (off_t)offset);
	if (pread(from, &now, sizeof(now), (off_t)offset) != (ssize_t)sizeof(now))
		return -EUCLEAN;
	/* no reader is to take for whole what its thread has written meanwhile */
	then.ring.overrun = now.ring.n - before->ring.n;
	/* another thread's by now */
	if (now.chunk.owner != before->chunk.owner || now.ring.n < before->ring.n)
		then.chunk.owner = 0;
	return pmu_write_at(to, &then, sizeof(then), (off_t)offset);
}

static bool has_copied_head(const struct pmu_store_chunk *chunk)
{
	return chunk->kind == PMU_CHUNK_FREE ||
	       (chunk->kind == PMU_CHUNK_TRACE && chunk->size >= sizeof(struct heads));
}

static int copy_chunks(int from, int to, uint64_t end)
{
	uint64_t offset = PMU_STORE_HEAD_SIZE;
	int rc = copy_bytes(from, to, 0, offset);

	while (offset < end && !rc) {
		struct heads heads = { .chunk = { .size = 0 } };

		if (pread(from, &heads, sizeof(heads), (off_t)offset) <
			    (ssize_t)sizeof(heads.chunk) ||
		    heads.chunk.size < sizeof(heads.chunk) || heads.chunk.size > end - offset)
			return -EUCLEAN;
		rc = copy_bytes(from, to, offset, used_of(&heads));
		if (!rc && has_copied_head(&heads.chunk))
			rc = copy_head(from, to, offset, &heads);
		offset += heads.chunk.size;
	}
	return rc ? rc : pmu_write_resize(to, (off_t)end);
}

int pmu_store_save(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), out, rc;
	struct pmu_store_head head;

	if (in < 0)
		return -errno;
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	rc = out < 0 ? -errno : 0;
	if (!rc && pread(in, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
		rc = -EUCLEAN;
	if (!rc)
		rc = copy_chunks(in, out, head.size);
	close(in);
	if (out >= 0 && close(out) < 0 && !rc)
		rc = -errno;
	return rc;
}
