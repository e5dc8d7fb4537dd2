/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table's threads by number, and their rows by what is around them: for reading one row without
 * going through all of them.
 */
#ifndef PMU_STORE_INDEX_H
#define PMU_STORE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "store/row.h"

struct pmu_chunk;

/** What tells a row from the others of its thread; of a record beside a row @parent is that row. */
struct pmu_row_key {
	uint32_t name;
	uint32_t parent;
	uint16_t kind; /* PMU_STORE_ROW_KINDS of its flags */
};

/** A row, and where those nested in it are; ids, 0: none. */
struct pmu_table_index_row {
	struct pmu_store_row *row;
	struct pmu_row_key key;
	uint32_t first_child;
	uint32_t next_sibling;
};

/** The rows of one record that have been looked at so far. */
struct pmu_table_index_rows {
	size_t size; /* bytes, this included */
	uint32_t n, room;
	const struct pmu_chunk *chunk; /* the one that the next row is in, or that is before its */
	uint32_t in_chunk;             /* rows of it that are here */
	struct pmu_index by_name;      /* ids, by the names and the rows they are in */
	struct pmu_table_index_row row[]; /* by id; [0] holds the outermost ones */
};

/** A record of a thread, in one group. */
struct pmu_table_index_thread {
	const struct pmu_chunk *chunk;     /* that holds the record; NULL: a free place */
	struct pmu_table_index_rows *rows; /* NULL: none of its rows has been looked for */
	uint32_t number;
	uint32_t group;
};

/** All zero is an empty one.  Every function here is called with the session's lock held. */
struct pmu_table_index {
	struct pmu_table_index_thread *place; /* hash index by number */
	size_t n, n_places;
};

/** pmu_table_index_add() - a record of a thread: @chunk holds it.  Return: 0 or -ENOMEM. */
int pmu_table_index_add(struct pmu_table_index *index, uint32_t number, uint32_t group,
			const struct pmu_chunk *chunk);

/**
 * pmu_table_index_remove() - that record is about to be freed; one that is not in it is passed over
 */
void pmu_table_index_remove(struct pmu_table_index *index, uint32_t number,
			    const struct pmu_chunk *chunk);

/** pmu_table_index_forget() - everything */
void pmu_table_index_forget(struct pmu_table_index *index);

/**
 * pmu_table_index_next() - the records of a thread, one for each group and now and then another one
 * @after: NULL: the first; else the one that this was called with before
 *
 * Return: NULL: no more.
 */
struct pmu_table_index_thread *pmu_table_index_next(const struct pmu_table_index *index,
						    uint32_t number,
						    const struct pmu_table_index_thread *after);

/**
 * pmu_table_index_rows() - all rows that a record has by now; those seen before are not looked at
 * again
 * @row_size: of its group
 * Return: NULL without memory.
 */
const struct pmu_table_index_rows *pmu_table_index_rows(struct pmu_table_index_thread *thread,
							uint32_t row_size);

/**
 * pmu_table_index_find() - id of the row of a name in another row, @parent 0: in none; 0: there is
 * none
 * @kind: PMU_STORE_ROW_KINDS of its flags, which tell rows of one name there apart
 */
uint32_t pmu_table_index_find(const struct pmu_table_index_rows *rows, uint32_t parent,
			      uint32_t name, uint16_t kind);

#endif
