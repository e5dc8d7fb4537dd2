/* SPDX-License-Identifier: BSD-3-Clause */
/* The writer of a store: the mapped table in which every result lives. */
#ifndef PMU_STORE_TABLE_H
#define PMU_STORE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/index.h"
#include "store/index.h"
#include "store/place.h"
#include "store/row.h"
#include "store/view.h"

#define PMU_TABLE_MAX_PIECES 1024
/* Rows grow to 256 MiB and more in the others. */
#define PMU_TABLE_MAX_RINGS 960

/**
 * A chunk as its writer knows it.  What stands in the chunk's header is for readers: the file may be
 * edited by others at any moment, and nothing that the writer does follows from it.
 */
struct pmu_chunk {
	struct pmu_store_chunk *at;
	uint32_t size;           /* with its header */
	uint32_t used;           /* META, NAMES: bytes of records; from THREAD on number of them */
	uint32_t before;         /* bytes before its rows */
	uint32_t first;          /* THREAD, ROWS: id of the first row */
	struct pmu_row_key *key; /* [key_room] of each row, or record beside one */
	uint32_t key_room;
	struct pmu_chunk *next; /* of the same thread and kind, or free as well; NULL: none */
};

/** A ring likewise: it is a chunk with nothing else in it. */
struct pmu_ring {
	struct pmu_store_trace *at; /* behind the chunk's header */
	uint64_t offset;            /* of the chunk in the file */
	uint32_t size;              /* of the chunk */
	uint32_t ready;             /* of them, what has its room in the file system */
	uint32_t record_size;
	uint32_t n_places;
	uint64_t dropped;
	struct pmu_ring *next_free;
	struct pmu_ring *older; /* of all the table has */
};

/** A session's table.  Every function here is called with the session's lock held. */
struct pmu_table {
	struct pmu_store_head *head;
	char path[512];                /* "" where the table lies in anonymous memory */
	char why[256];                 /* "" or why (some of) it does */
	uint64_t dev, ino;             /* of the file at @path */
	struct pmu_store_piece *piece; /* [PMU_TABLE_MAX_PIECES] */
	size_t n_pieces;
	bool file_ended;       /* pieces from now on are anonymous */
	uint64_t next;         /* offset of the next chunk */
	uint64_t end;          /* of the room for chunks */
	bool in_hole;          /* rings lie behind it: the room is a free chunk, that is parted */
	uint64_t file_end;     /* end of the last piece */
	uint64_t last_size;    /* of the last piece that is no ring's */
	uint32_t ring_bytes;   /* what each ring may take */
	struct pmu_ring *ring; /* the newest */
	struct pmu_ring *free_ring;       /* the first unused one, of that many bytes or more */
	struct pmu_chunk *free_chunk[32]; /* unused row chunks by log2 of their size */
	struct pmu_chunk *meta;
	struct pmu_chunk *names;
	uint32_t n_names;
	uint32_t n_serials;
	struct pmu_index name_index; /* struct pmu_table_name by text */
	struct pmu_table_index index;
	struct pmu_process owner;
	uint32_t nth; /* number of the program in its process */
	enum pmu_clock_kind clock;
	struct pmu_clock_point start; /* point[0] of the head */
	uint64_t start_unix_ns;
	uint32_t point_seq;
	struct pmu_arena arena; /* what the writer knows of chunks and names */
};

/** A thread's rows, for adding more. */
struct pmu_table_rows {
	struct pmu_store_thread *record;
	struct pmu_chunk *chunk;       /* the newest */
	struct pmu_chunk *first_chunk; /* the one that holds the record */
	uint32_t number;
	uint32_t outer_shift; /* that of the record */
	uint32_t serial;
	uint32_t group;
	uint32_t n_rows;
	uint32_t n_slots;
	uint32_t row_size;
	struct {
		struct pmu_chunk *newest, *first; /* NULL: none */
	} side[PMU_SIDES];
};

/**
 * pmu_table_open() - a new table
 * @clock: of every time in it
 *
 * In a file where one can be had (see place.h), else in anonymous memory: then @why says why.
 * Return: 0 or -ENOMEM.
 */
int pmu_table_open(struct pmu_table *table, enum pmu_clock_kind clock);

/**
 * pmu_store_fill_head() - the head of a new store, but for the number of the program in its process
 * @start: when it was made, of that clock; @start_unix_ns: the same in the calendar's
 */
void pmu_store_fill_head(struct pmu_store_head *head, const struct pmu_process *owner,
			 enum pmu_clock_kind clock, uint64_t start_unix_ns,
			 const struct pmu_clock_point *start);

/** pmu_table_remove() - the report is written: remove the file; mappings stay. */
void pmu_table_remove(struct pmu_table *table);

/**
 * pmu_table_unshare() - in a forked child: what is mapped becomes a private copy at the same
 * addresses
 * Context: async-signal-safe; no lock.
 */
void pmu_table_unshare(struct pmu_table *table);

/**
 * pmu_table_abandon() - in a forked child: let go of the parent's table
 *
 * What was mapped stays in place as a private copy, so that code the fork interrupted can finish
 * its stores without reaching the parent.
 */
void pmu_table_abandon(struct pmu_table *table);

/** pmu_table_meta() - add a text; one that does not fit a chunk is cut.  Return: 0 or -ENOMEM. */
int pmu_table_meta(struct pmu_table *table, enum pmu_meta_key key, const char *text);

/**
 * pmu_table_group() - add a group: its chunk, for n_slots slot records that the caller fills before
 * anything else.
 */
int pmu_table_group(struct pmu_table *table, uint32_t index, const char *name, uint32_t n_slots,
		    struct pmu_store_group **group);

/** pmu_table_name() - the id of a name, stored at its first use; 0 without memory. */
uint32_t pmu_table_name(struct pmu_table *table, const char *text, size_t len);
/** pmu_table_find_name() - the id of a name that is stored; 0: it is not */
uint32_t pmu_table_find_name(struct pmu_table *table, const char *text, size_t len);

/**
 * pmu_table_thread() - a record for a thread and room for its first rows
 * @n_slots: of the group: rows have its layout
 * @number: the record's
 *
 * The record is in state FREE: the caller fills it and then sets the state (release).
 * Return: 0 or -ENOMEM.
 */
int pmu_table_thread(struct pmu_table *table, uint32_t group_index, uint32_t n_slots,
		     uint32_t number, struct pmu_table_rows *rows);

/** pmu_table_thread_free() - after its state went to FREE: the rows' memory may be used again. */
void pmu_table_thread_free(struct pmu_table *table, struct pmu_table_rows *rows);

/**
 * pmu_table_row() - one more row for a thread
 * @parent: id of the row it is nested in, 0 for none
 * @id: result: its own id
 * Return: the row, zero but for name, parent and flags; NULL without memory.
 */
struct pmu_store_row *pmu_table_row(struct pmu_table *table, struct pmu_table_rows *rows,
				    uint32_t name, uint32_t parent, uint16_t flags, uint32_t *id);

/**
 * pmu_table_side() - a record beside a row
 * @row: id of the row
 * @n_banks: 1; 2 in a set of merged threads
 * Return: that many, one behind the other, all numbers 0; NULL without memory.
 */
struct pmu_store_side *pmu_table_side(struct pmu_table *table, struct pmu_table_rows *rows,
				      enum pmu_side which, uint32_t row, uint32_t n_banks);

/**
 * pmu_table_trace() - a ring for the calls of a thread, in a piece of its own or behind another's
 * @serial: of the thread's record
 * @n_counts: counts of a record
 * @bytes: of the ring, or a little less; a multiple of a page, each time the same
 *
 * Only in a file, and as long as that leaves its file system half of what is free: rows need room,
 * too.
 * Return: all zero but for the sizes; NULL with a sentence.
 */
struct pmu_ring *pmu_table_trace(struct pmu_table *table, uint32_t serial, uint32_t n_counts,
				 uint32_t bytes);

/**
 * pmu_table_trace_end() - its thread has ended: what it has left of it goes to the next one, which gets
 * as much as any
 * @n: calls with a record
 */
void pmu_table_trace_end(struct pmu_table *table, struct pmu_ring *ring, uint64_t n);

/** pmu_table_trace_free() - its @n records are no thread's any more; the next thread may have it */
void pmu_table_trace_free(struct pmu_table *table, struct pmu_ring *ring, uint64_t n);

/**
 * pmu_table_untraced() - calls whose records are in no ring any more
 * @with_waits: result: some of these records may have been of waits
 */
uint64_t pmu_table_untraced(const struct pmu_table *table, bool *with_waits);

/** pmu_table_ns() - so many ticks of its clock, at the rate since its start; 0: the clock stands still */
uint64_t pmu_table_ns(const struct pmu_table *table, uint64_t ticks);

/** pmu_table_point() - renew the second clock point. */
void pmu_table_point(struct pmu_table *table);

/** pmu_table_view() - the table for the reader. */
struct pmu_store_view pmu_table_view(const struct pmu_table *table);

/** pmu_table_row_at() - a row of a chunk that holds a thread's */
struct pmu_store_row *pmu_table_row_at(const struct pmu_chunk *chunk, uint32_t row_size,
				       uint32_t i);

/** What is done with each row. */
typedef void pmu_row_fn(void *arg, uint32_t id, const struct pmu_row_key *key,
			struct pmu_store_row *row);

/** pmu_table_rows_walk() - calls @each for the rows of a thread in order of id. */
void pmu_table_rows_walk(const struct pmu_table_rows *rows, pmu_row_fn *each, void *arg);

/**
 * pmu_table_sides_walk() - calls @each for what pmu_table_side() made of that kind, in that order.
 */
void pmu_table_sides_walk(const struct pmu_table_rows *rows, enum pmu_side which,
			  void (*each)(void *arg, uint32_t row, struct pmu_store_side *side),
			  void *arg);

#endif
