/* SPDX-License-Identifier: BSD-3-Clause */
/* Goes through a store's chunks, in the pieces of memory that they lie in. */
#define PMU_STORE_READER 1
#include "store/read/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int pmu_reader_make_room(void *array, size_t n, size_t *room, size_t size)
{
	void *old, *grown;
	size_t want;

	if (n < *room)
		return 0;
	want = *room ? 2 * *room : 16;
	memcpy(&old, array, sizeof(old));
	grown = reallocarray(old, want, size);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	*room = want;
	return 0;
}

/* Memory at @offset and how much of its piece follows; NULL outside. */
static const void *view_at(const struct pmu_store_view *view, uint64_t offset, uint64_t *room)
{
	size_t low = 0, high = view->n_pieces;
	const struct pmu_store_piece *piece;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		piece = &view->piece[middle];
		if (offset < piece->offset) {
			high = middle;
		} else if (offset - piece->offset >= piece->size) {
			low = middle + 1;
		} else {
			*room = piece->size - (offset - piece->offset);
			return (const char *)piece->base + (offset - piece->offset);
		}
	}
	return NULL;
}

const struct pmu_store_head *pmu_store_head_of(const struct pmu_store_view *view)
{
	if (!view->n_pieces || view->piece[0].offset || view->piece[0].size < PMU_STORE_HEAD_SIZE)
		return NULL;
	return view->piece[0].base;
}

static uint64_t store_size(const struct pmu_reader *reader)
{
	/* Pairs with the release behind a new chunk's header. */
	return __atomic_load_n(&reader->head->size, __ATOMIC_ACQUIRE);
}

bool pmu_reader_is_short(const struct pmu_reader *reader)
{
	return reader->live && store_size(reader) > reader->view_end;
}

int pmu_reader_walk(struct pmu_reader *reader, pmu_chunk_fn *each)
{
	uint64_t offset = PMU_STORE_HEAD_SIZE, end = store_size(reader), room;
	const struct pmu_store_chunk *chunk;
	struct pmu_chunk_copy copy;
	int rc;

	if (end > reader->view_end)
		end = reader->view_end;
	while (offset < end) {
		chunk = view_at(reader->view, offset, &room);
		if (!chunk || (uintptr_t)chunk % 8 ||
		    !pmu_chunk_check(chunk, room < end - offset ? room : end - offset, &copy)) {
			reader->raw->damage[PMU_DAMAGE_CHUNK] = 1;
			return 0;
		}
		rc = each(reader, chunk, &copy);
		if (rc)
			return rc;
		offset += copy.size;
	}
	return 0;
}
