/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of finished threads, added up so that no reader ever sees one twice. */
#include "store/merge.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "store/bank.h"

#define FIRST_ROOM 256u

/* One merge in progress. */
struct step {
	struct pmu_table *table;
	struct pmu_merge *merge;
	uint32_t n_slots;
	uint32_t idle;      /* bank of the set that is being made */
	uint32_t *id;       /* id of each of the thread's rows in the set, by its own id - 1 */
	enum pmu_side side; /* kind that is walked over */
	int error;
};

struct wanted {
	const struct pmu_merge *merge;
	uint32_t parent, name;
	uint16_t kind; /* PMU_STORE_ROW_KINDS of its flags */
};

static bool is_wanted(const void *arg, uintptr_t id)
{
	const struct wanted *wanted = arg;
	const struct pmu_store_row *row = wanted->merge->row[id - 1];

	return row->parent == wanted->parent && row->name == wanted->name &&
	       (row->flags & PMU_STORE_ROW_KINDS) == wanted->kind;
}

/* A copy of an array of pointers, with more room behind it. */
static void *grown(const void *old, size_t n_old, size_t n)
{
	void *array = pmu_pages_alloc(n * sizeof(void *));

	if (array && n_old)
		memcpy(array, old, n_old * sizeof(void *));
	return array;
}

static void free_arrays(struct pmu_store_row **row, struct pmu_store_side **const side[PMU_SIDES],
			size_t n)
{
	pmu_pages_free(row, n * sizeof(void *));
	for (int which = 0; which < PMU_SIDES; which++)
		pmu_pages_free(side[which], n * sizeof(void *));
}

static int grow_rows(struct pmu_merge *merge)
{
	size_t n_old = merge->n_rows_room, n = n_old ? 2 * n_old : FIRST_ROOM;
	struct pmu_store_side **side[PMU_SIDES];
	struct pmu_store_row **row;
	bool all;

	if (merge->rows.n_rows < n_old)
		return 0;
	row = grown(merge->row, n_old, n);
	all = row;
	for (int which = 0; which < PMU_SIDES; which++) {
		side[which] = grown(merge->side[which], n_old, n);
		all &= side[which] != NULL;
	}
	free_arrays(all ? merge->row : row, all ? merge->side : side, all ? n_old : n);
	if (!all)
		return -ENOMEM;
	merge->row = row;
	memcpy(merge->side, side, sizeof(side));
	merge->n_rows_room = n;
	return 0;
}

/*
 * The library's cost of a region is nearly the same in every thread of a group. The least is kept:
 * rather a little of the library's work stays in than some of the program's is subtracted.
 */
static void keep_least_outer(const struct step *step, struct pmu_store_row *set,
			     const struct pmu_store_row *row, bool is_new)
{
	for (uint32_t i = 0; i <= step->n_slots; i++)
		if (is_new || row->outer[i] < set->outer[i])
			set->outer[i] = row->outer[i];
}

static void keep_least_inner(struct pmu_store_thread *set, const struct pmu_store_thread *thread)
{
	bool is_new = !set->n_merged;

	if (is_new || thread->inner_ticks < set->inner_ticks)
		set->inner_ticks = thread->inner_ticks;
	for (int i = 0; i < PMU_MAX_SLOTS; i++)
		if (is_new || thread->inner[i] < set->inner[i])
			set->inner[i] = thread->inner[i];
}

/* First pass: every row of the thread gets its row in the set, before anything is added. */
static void find_or_make(void *arg, uint32_t id, struct pmu_store_row *row)
{
	struct step *step = arg;
	struct pmu_merge *merge = step->merge;
	uint32_t parent = row->parent ? step->id[row->parent - 1] : 0;
	uint32_t hash = pmu_hash_number((uint64_t)parent << 32 | row->name);
	uint16_t kind = row->flags & PMU_STORE_ROW_KINDS;
	const struct wanted wanted = { merge, parent, row->name, kind };
	struct pmu_index_place *place;

	if (step->error || pmu_index_reserve(&merge->index, 1) < 0 || grow_rows(merge) < 0)
		goto failed;
	place = pmu_index_find(&merge->index, hash, is_wanted, &wanted);
	if (!place->thing) {
		uint32_t fresh;
		struct pmu_store_row *made = pmu_table_row(step->table, &merge->rows, row->name,
							   parent, row->flags, &fresh);

		if (!made)
			goto failed;
		pmu_index_take(&merge->index, place, hash, fresh);
		merge->row[fresh - 1] = made;
		keep_least_outer(step, made, row, true);
	} else {
		keep_least_outer(step, merge->row[place->thing - 1], row, false);
	}
	step->id[id - 1] = (uint32_t)place->thing;
	return;
failed:
	step->error = -ENOMEM;
}

/* The same for side records. */
static void find_or_make_side(void *arg, struct pmu_store_side *from)
{
	struct step *step = arg;
	struct pmu_merge *merge = step->merge;
	struct pmu_store_side **to;
	uint32_t id;

	if (step->error)
		return;
	id = step->id[from->row - 1];
	to = &merge->side[step->side][id - 1];
	if (!*to)
		*to = pmu_table_side(step->table, &merge->rows, step->side, id, 2);
	if (!*to)
		step->error = -ENOMEM;
}

static struct pmu_store_bank *bank_of(const struct step *step, struct pmu_store_row *row,
				      uint32_t which)
{
	const struct pmu_table_rows *rows = &step->merge->rows;

	return pmu_row_bank(row, rows->bank_offset, rows->bank_size, which & 1);
}

/* Second pass: into the idle bank. */
static void add_row(void *arg, uint32_t id, struct pmu_store_row *row)
{
	struct step *step = arg;
	struct pmu_store_row *set = step->merge->row[step->id[id - 1] - 1];
	const struct pmu_store_bank *from = bank_of(step, row, row->seq);
	struct pmu_store_bank *is = bank_of(step, set, step->idle);

	set->flags |= row->flags;
	set->missing |= row->missing;
	set->unended += row->unended + row->open;
	set->unbegun += row->unbegun;
	set->moved = (uint16_t)(set->moved + row->moved < UINT16_MAX ? set->moved + row->moved
								     : UINT16_MAX);
	if (!from->calls)
		return;
	if (from->min && (!is->min || from->min < is->min))
		pmu_bank_put(&is->min, from->min);
	if (from->max > is->max)
		pmu_bank_put(&is->max, from->max);
	pmu_bank_put(&is->calls, is->calls + from->calls);
	pmu_bank_put(&is->ticks, is->ticks + from->ticks);
	pmu_bank_put_square(&is->square, is->square + from->square);
	for (uint32_t i = 0; i < step->n_slots; i++)
		pmu_bank_put(&is->count[i], is->count[i] + from->count[i]);
}

/* Side records have two banks, one behind the other. */
static uint64_t *side_bank(enum pmu_side which, struct pmu_store_side *banks, uint32_t bank)
{
	return pmu_side_value((void *)((char *)banks + (size_t)bank * pmu_side_size(which)));
}

static void copy_sides(const struct step *step, uint32_t row)
{
	for (int which = 0; which < PMU_SIDES; which++) {
		struct pmu_store_side *banks = step->merge->side[which][row];
		const uint64_t *was;
		uint64_t *is;

		if (!banks)
			continue;
		was = side_bank((enum pmu_side)which, banks, !step->idle);
		is = side_bank((enum pmu_side)which, banks, step->idle);
		for (uint32_t i = 0; i < pmu_side_values((enum pmu_side)which); i++)
			pmu_bank_put(&is[i], was[i]);
	}
}

static uint64_t add_doubles(uint64_t a, uint64_t b)
{
	double x, y;
	uint64_t sum;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	x += y;
	memcpy(&sum, &x, sizeof(sum));
	return sum;
}

/* Histograms and sums are added up; of two least counts the lower one is kept, where 0 means none. */
static void add_side(void *arg, struct pmu_store_side *from)
{
	struct step *step = arg;
	struct pmu_store_side *banks = step->merge->side[step->side][step->id[from->row - 1] - 1];
	uint64_t *is = side_bank(step->side, banks, step->idle);
	const uint64_t *more = pmu_side_value(from);

	for (uint32_t i = 0; i < pmu_side_values(step->side); i++) {
		if (!more[i])
			continue;
		if (step->side == PMU_SIDE_HISTOGRAM)
			pmu_bank_put(&is[i], is[i] + more[i]);
		else if (step->side == PMU_SIDE_TURNS)
			pmu_bank_put(&is[i], add_doubles(is[i], more[i]));
		else if (!is[i] || more[i] < is[i])
			pmu_bank_put(&is[i], more[i]);
	}
}

static void walk_sides(struct step *step, const struct pmu_table_rows *thread,
		       void (*each)(void *arg, struct pmu_store_side *side))
{
	for (int which = 0; which < PMU_SIDES; which++) {
		step->side = (enum pmu_side)which;
		pmu_table_sides_walk(step->table, thread, step->side, each, step);
	}
}

static int make_set(struct pmu_table *table, struct pmu_merge *merge,
		    const struct pmu_store_group *layout, uint32_t number,
		    const struct pmu_table_rows *thread)
{
	struct pmu_store_thread *record;

	if (pmu_table_thread(table, thread->group, layout, number, &merge->rows) < 0)
		return -ENOMEM;
	record = merge->rows.record;
	record->cpu = -1;
	record->outer_shift = thread->record->outer_shift; /* that of each: its source's */
	record->start_ticks = thread->record->start_ticks;
	record->stop_ticks = record->start_ticks;
	record->minor_faults = record->major_faults = -1;
	record->voluntary_switches = record->involuntary_switches = -1;
	__atomic_store_n(&record->state, PMU_THREAD_MERGED, __ATOMIC_RELEASE);
	return 0;
}

/* The sum is known only if each one is. */
static int64_t add_cpu(const struct pmu_store_thread *set, const struct pmu_store_thread *thread)
{
	if (thread->cpu_ns <= 0 || (set->n_merged && set->cpu_ns <= 0))
		return -1;
	return set->cpu_ns + thread->cpu_ns;
}

/*
 * What is known of the thread as a whole. In the set, stop - start is the sum of its threads'
 * times.
 */
static void add_record(struct pmu_store_thread *set, const struct pmu_store_thread *thread)
{
	keep_least_inner(set, thread);
	set->stop_ticks += thread->stop_ticks - thread->start_ticks;
	set->flags |= thread->flags;
	set->missing |= thread->missing;
	set->sockets |= thread->sockets;
	set->cpu_ns = add_cpu(set, thread);
	if (thread->last_end > set->last_end)
		set->last_end = thread->last_end;
	set->n_merged++;
	for (unsigned int i = 0; i < PMU_DOUBT_COUNT; i++)
		*pmu_store_doubt(set, i) += *pmu_store_doubt(thread, i);
}

int pmu_merge_thread(struct pmu_table *table, struct pmu_merge *merge,
		     const struct pmu_store_group *layout, uint32_t number,
		     struct pmu_table_rows *thread)
{
	struct step step = { .table = table, .merge = merge, .n_slots = layout->n_slots };
	size_t size = (thread->n_rows + 1) * sizeof(*step.id);
	struct pmu_store_thread *set;
	uint32_t seq;

	if (!merge->rows.record && make_set(table, merge, layout, number, thread) < 0)
		return -ENOMEM;
	set = merge->rows.record;
	seq = (uint32_t)set->merged + 1;
	step.idle = seq & 1;
	step.id = pmu_pages_alloc(size);
	if (!step.id)
		return -ENOMEM;
	pmu_table_rows_walk(table, thread, find_or_make, &step);
	walk_sides(&step, thread, find_or_make_side);
	if (!step.error) {
		bank_fence(); /* all rows of the set have one sequence, which is the record's */
		for (uint32_t i = 0; i < merge->rows.n_rows; i++) {
			pmu_bank_copy(bank_of(&step, merge->row[i], ~step.idle),
				      bank_of(&step, merge->row[i], step.idle), step.n_slots);
			copy_sides(&step, i);
		}
		pmu_table_rows_walk(table, thread, add_row, &step);
		walk_sides(&step, thread, add_side);
		add_record(set, thread->record);
		/* The one store that makes the new bank valid and the thread's own rows void. */
		__atomic_store_n(&set->merged, (uint64_t)thread->serial << 32 | seq,
				 __ATOMIC_RELEASE);
		__atomic_store_n(&thread->record->state, PMU_THREAD_FREE, __ATOMIC_RELEASE);
		pmu_table_thread_free(table, thread);
	}
	pmu_pages_free(step.id, size);
	return step.error;
}

void pmu_merge_forget(struct pmu_merge *merge)
{
	pmu_index_free(&merge->index);
	free_arrays(merge->row, merge->side, merge->n_rows_room);
	memset(merge, 0, sizeof(*merge));
}
