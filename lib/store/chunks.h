/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files that write a store share: where its chunks come from. */
#ifndef PMU_STORE_CHUNKS_H
#define PMU_STORE_CHUNKS_H

#include "store/table.h"

/** A reader that sees the kind sees what is in the chunk. */
static inline void pmu_chunk_set_kind(struct pmu_store_chunk *chunk, enum pmu_store_kind kind)
{
	PMU_PUBLISH_LAST(chunk->kind, kind);
}

/** pmu_chunk_new() - a chunk of kind FREE; the caller fills it and sets the kind.  Return: NULL: no memory. */
struct pmu_chunk *pmu_chunk_new(struct pmu_table *table, uint32_t size);

/** pmu_chunk_touch() - each page of it is there, so that none is missed while counters count */
void pmu_chunk_touch(void *memory, size_t size);
/** pmu_chunk_end_room() - what is left of the room is a free chunk, which nothing follows for now */
void pmu_chunk_end_room(struct pmu_table *table);
/** pmu_chunks_set_size() - how far readers look: with the new size they see all chunks before it. */
void pmu_chunks_set_size(struct pmu_table *table, uint64_t size);

/** pmu_pieces_open() - the store's file, for more of it.  Return: a descriptor; -ESTALE where another is in its place. */
int pmu_pieces_open(struct pmu_table *table);
/** pmu_piece_push() - mapped memory is the store's next piece; @rings: of nothing else */
void pmu_piece_push(struct pmu_table *table, const void *base, uint64_t size, bool rings);
/** pmu_piece_add() - another one for chunks; of anonymous memory where @fd is negative or full.  Return: 0 or -ENOMEM. */
int pmu_piece_add(struct pmu_table *table, int fd, uint64_t size);

#endif
