/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies a store chunk by chunk. */
#define PMU_STORE_READER 1
#include "store/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/retry.h"
#include "base/write.h"
#include "store/row.h"

/** A chunk's head, and the ring's behind it. */
struct heads {
	struct pmu_store_chunk chunk;
	struct pmu_store_trace ring;
};

/*
 * To the same place.  Signals are held back all the time: where a limit ends a call that has copied
 * something, the signal is there, and only the next call says why.
 */
static int copy_bytes(int from, int to, uint64_t offset, uint64_t size)
{
	struct pmu_write_hold hold;
	off_t at = (off_t)offset;
	int rc = 0;

	if (lseek(to, at, SEEK_SET) < 0)
		return -errno;
	pmu_write_hold(&hold);
	while (size && !rc) {
		ssize_t n = sendfile(to, from, &at, size);

		if (n > 0)
			size -= (uint64_t)n;
		else if (!n)
			rc = -EIO;
		else if (errno != EINTR)
			rc = -errno;
	}
	pmu_write_release(&hold, rc);
	return rc;
}

/* The place behind its records is the one that may be written to. */
static uint64_t used_of_ring(const struct heads *heads)
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
	if (PMU_RETRY(pread(from, &now, sizeof(now), (off_t)offset)) != (ssize_t)sizeof(now))
		return -EIO;
	/* calls recorded meanwhile: readers skip the places that these may be in */
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

/* What was written when the file had no room any more. */
static int copy_memory(const struct pmu_store_view *view, int to, uint64_t offset, uint64_t end)
{
	int rc = 0;

	for (size_t i = 0; i < view->n_pieces && !rc; i++) {
		const struct pmu_store_piece *piece = &view->piece[i];
		uint64_t left = piece->offset < end ? end - piece->offset : 0;

		if (piece->offset >= offset)
			rc = pmu_write_at(to, piece->base, left < piece->size ? left : piece->size,
					  (off_t)piece->offset);
	}
	return rc;
}

/* Behind what can be read of the file.  The copy's head tells readers that it was longer. */
static int copy_rest(const struct pmu_store_view *view, int to, uint64_t offset, uint64_t end)
{
	int rc = view ? copy_memory(view, to, offset, end) : pmu_write_resize(to, (off_t)offset);

	return rc ? rc : view ? 0 : PMU_STORE_CUT;
}

static int copy_chunks(int from, const struct pmu_store_view *view, int to, uint64_t end)
{
	uint64_t offset = PMU_STORE_HEAD_SIZE;
	int rc = copy_bytes(from, to, 0, offset);

	while (offset < end && !rc) {
		struct heads heads = { .chunk = { .size = 0 } };

		if (PMU_RETRY(pread(from, &heads, sizeof(heads), (off_t)offset)) <
			    (ssize_t)sizeof(heads.chunk) ||
		    heads.chunk.size < sizeof(heads.chunk) || heads.chunk.size > end - offset)
			return copy_rest(view, to, offset, end);
		rc = copy_bytes(from, to, offset, used_of_ring(&heads));
		if (!rc && has_copied_head(&heads.chunk))
			rc = copy_head(from, to, offset, &heads);
		offset += heads.chunk.size;
	}
	return rc ? rc : pmu_write_resize(to, (off_t)end);
}

/** Where the copy is written. */
struct place {
	int fd;
	char *beside; /* that becomes the file itself when it is whole; NULL: it is written in place */
};

/* One that may not be written to is not replaced either. */
static int open_copy_beside(const char *to, const struct stat *old, struct place *place)
{
	size_t size = strlen(to) + 32;

	if (old && faccessat(AT_FDCWD, to, W_OK, AT_EACCESS) < 0)
		return -errno;
	place->beside = malloc(size);
	if (!place->beside)
		return -ENOMEM;
	snprintf(place->beside, size, "%s.%ld.new", to, (long)getpid());
	place->fd = PMU_RETRY(open(place->beside,
				   O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
				   old ? old->st_mode & 0777 : 0666));
	if (place->fd >= 0)
		return 0;
	free(place->beside);
	place->beside = NULL;
	return 0;
}

/* In place: what a link leads to, and files in folders that this user may not write to. */
static int open_copy_place(const char *to, struct place *place)
{
	struct stat st;
	bool exists = !lstat(to, &st);
	int rc = 0;

	*place = (struct place){ .fd = -1 };
	if (!exists || (S_ISREG(st.st_mode) && st.st_nlink == 1))
		rc = open_copy_beside(to, exists ? &st : NULL, place);
	if (rc || place->fd >= 0)
		return rc;
	place->fd = PMU_RETRY(open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
	return place->fd < 0 ? -errno : 0;
}

static int close_place(struct place *place, const char *to, int rc)
{
	if (close(place->fd) < 0 && rc >= 0 && errno != EINTR)
		rc = -errno;
	if (place->beside && rc >= 0 && rename(place->beside, to) < 0)
		rc = -errno;
	if (place->beside && rc < 0)
		unlink(place->beside);
	free(place->beside);
	return rc;
}

int pmu_store_save(const char *from, const struct pmu_store_view *view, const char *to)
{
	int in = PMU_RETRY(open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)), rc;
	struct pmu_store_head head;
	struct place out;

	if (in < 0)
		return -errno;
	rc = open_copy_place(to, &out);
	if (rc)
		goto close_in;
	if (PMU_RETRY(pread(in, &head, sizeof(head), 0)) != (ssize_t)sizeof(head))
		rc = -EIO;
	if (!rc)
		rc = copy_chunks(in, view, out.fd, head.size);
	rc = close_place(&out, to, rc);
close_in:
	close(in);
	return rc;
}
