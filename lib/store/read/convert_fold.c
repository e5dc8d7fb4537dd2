/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that counted one group twice has two sets of rows, and one that was in a team twice at
 * once has rows of it twice: here they become one.
 */
#define PMU_STORE_READER 1
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "store/read/convert.h"

static bool has_twins(const struct pmu_raw_thread *thread)
{
	for (size_t i = 0; i < thread->n_rows; i++)
		if (thread->row[i].flags & PMU_STORE_ROW_KINDS)
			return true;
	return false;
}

/* Is any thread's record of this group not its only one, or one with rows of the same place? */
static bool needs_fold(const struct pmu_convert *convert, uint32_t group)
{
	const struct pmu_raw *raw = convert->raw;
	bool *seen = calloc((size_t)convert->model->n_threads + convert->model->n_sockets + 1,
			    sizeof(*seen));
	bool needed = !seen;
	size_t i;

	for (i = 0; i < raw->n_threads && !needed; i++) {
		if (raw->thread[i].group != group)
			continue;
		needed = seen[convert->thread_of[i]] || has_twins(&raw->thread[i]);
		seen[convert->thread_of[i]] = true;
	}
	free(seen);
	return needed;
}

int pmu_fold_open(struct pmu_fold *fold, const struct pmu_convert *convert, uint32_t group,
		  size_t n_rows)
{
	*fold = (struct pmu_fold){ .is_needed = needs_fold(convert, group) };
	return fold->is_needed ? pmu_index_reserve(&fold->index, n_rows) : 0;
}

void pmu_fold_close(struct pmu_fold *fold)
{
	pmu_index_free(&fold->index);
	pmu_beside_free(&fold->beside);
}

/* Names are compared by address: the model has one copy of each. */
static bool is_same_place(const struct pmu_model_row *a, const struct pmu_model_row *b)
{
	return a->thread == b->thread && a->parent == b->parent && a->name == b->name &&
	       !((a->flags ^ b->flags) & (PMU_ROW_FLAT | PMU_ROW_TEAM));
}

struct wanted {
	const struct pmu_model_section *section;
	const struct pmu_model_row *row;
};

static bool is_wanted_place(const void *arg, uintptr_t number)
{
	const struct wanted *wanted = arg;

	return is_same_place(&wanted->section->thread_row[number - 1], wanted->row);
}

/* The row in which @row has its place, or the next free one. */
static unsigned int find_folded_row(struct pmu_fold *fold, const struct pmu_model_section *section,
				    const struct pmu_model_row *row)
{
	uint32_t hash = pmu_hash_number((uintptr_t)row->name ^
					(uint64_t)(unsigned int)row->parent << 32 ^
					(uint64_t)(unsigned int)row->thread << 16);
	const struct wanted wanted = { section, row };
	struct pmu_index_place *place = pmu_index_find(&fold->index, hash, is_wanted_place,
						       &wanted);

	if (!place->thing)
		pmu_index_take(&fold->index, place, hash, section->n_thread_rows + 1);
	return (unsigned int)place->thing - 1;
}

/*
 * None is known of a least count that is missing in either, or came round in a damaged store; nothing
 * without memory.  @to has the counts of both, but not yet the calls.
 */
static void add_beside(struct pmu_fold *fold, struct pmu_model *model, struct pmu_model_row *to,
		       const struct pmu_model_row *row, const struct pmu_columns *columns)
{
	struct pmu_model_least *least;

	if (!pmu_beside_add(&fold->beside, to, columns, true, true))
		(void)pmu_beside_add(&fold->beside, row, columns, true, true);
	(void)pmu_beside_make(&fold->beside, model, columns->n, to);
	least = (struct pmu_model_least *)(uintptr_t)to->least;
	for (unsigned int i = 0; least && i < columns->n; i++)
		if (to->missing >> i & 1 || least->count[i] > to->raw[i])
			least->known &= ~(UINT32_C(1) << i);
}

/* Without memory it is not found by who wrote it. */
static void add_writer(struct pmu_model *model, struct pmu_model_row *to, uint64_t who)
{
	struct pmu_model_writer *writer = who ? pmu_model_alloc(model, sizeof(*writer)) : NULL;

	if (!writer)
		return;
	*writer = (struct pmu_model_writer){ who, to->writers };
	to->writers = writer;
}

static void fold_row(struct pmu_fold *fold, struct pmu_model *model, struct pmu_model_row *to,
		     const struct pmu_model_row *row, unsigned int n_counts)
{
	const struct pmu_columns columns = { .n = n_counts };
	struct pmu_pool pool = { .n_rows = 0 };

	pmu_row_add_counts(to, row, &columns, UINT32_MAX);
	to->flags |= row->flags;
	to->open_at_exec |= row->open_at_exec;
	add_beside(fold, model, to, row, &columns);
	add_writer(model, to, row->who);
	pmu_pool_row(&pool, to);
	pmu_row_add(to, &pool, row, PMU_OF_ROW);
	to->sd_ns = pmu_pool_sd(&pool, to);
}

unsigned int pmu_fold_add(struct pmu_fold *fold, struct pmu_convert *convert,
			  struct pmu_model_section *section, const struct pmu_model_row *row)
{
	unsigned int at = fold->is_needed ? find_folded_row(fold, section, row)
					  : section->n_thread_rows;

	if (at < section->n_thread_rows)
		fold_row(fold, convert->model, &section->thread_row[at], row, section->n_counts);
	else
		section->thread_row[section->n_thread_rows++] = *row;
	return at;
}
