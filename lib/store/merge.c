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
	struct pmu_row_key key;
};

static bool is_wanted_key(const void *arg, uintptr_t id)
{
	const struct wanted *wanted = arg;
	const struct pmu_row_key *key = &wanted->merge->key[id - 1];

	return key->parent == wanted->key.parent && key->name == wanted->key.name &&
	       key->kind == wanted->key.kind;
}

/* A copy of an array, with more room behind it. */
static void *grown(const void *old, size_t n_old, size_t n, size_t size)
{
	void *array = pmu_pages_alloc(n * size);

	if (array && n_old)
		memcpy(array, old, n_old * size);
	return array;
}

static void free_arrays(const struct pmu_merge *merge)
{
	pmu_pages_free(merge->row, merge->n_rows_room * sizeof(*merge->row));
	pmu_pages_free(merge->key, merge->n_rows_room * sizeof(*merge->key));
	for (int which = 0; which < PMU_SIDES; which++)
		pmu_pages_free(merge->side[which],
			       merge->n_rows_room * sizeof(*merge->side[which]));
}

static int grow_rows(struct pmu_merge *merge)
{
	size_t n_old = merge->n_rows_room, n = n_old ? 2 * n_old : FIRST_ROOM;
	struct pmu_merge more = *merge;
	bool all;

	if (merge->rows.n_rows < n_old)
		return 0;
	more.n_rows_room = n;
	more.row = grown(merge->row, n_old, n, sizeof(*more.row));
	more.key = grown(merge->key, n_old, n, sizeof(*more.key));
	all = more.row && more.key;
	for (int which = 0; which < PMU_SIDES; which++) {
		more.side[which] = grown(merge->side[which], n_old, n, sizeof(*more.side[which]));
		all &= more.side[which] != NULL;
	}
	free_arrays(all ? merge : &more);
	if (all)
		*merge = more;
	return all ? 0 : -ENOMEM;
}

static void keep_least_inner(struct pmu_store_thread *set, const struct pmu_store_thread *thread,
			     bool is_new)
{
	if (is_new || thread->inner_ticks < set->inner_ticks)
		set->inner_ticks = thread->inner_ticks;
	for (int i = 0; i < PMU_MAX_SLOTS; i++)
		if (is_new || thread->inner[i] < set->inner[i])
			set->inner[i] = thread->inner[i];
}

/* First pass: every row of the thread gets its row in the set, before anything is added. */
static void find_or_make(void *arg, uint32_t id, const struct pmu_row_key *key,
			 struct pmu_store_row *row)
{
	struct step *step = arg;
	struct pmu_merge *merge = step->merge;
	uint32_t parent = key->parent ? step->id[key->parent - 1] : 0;
	uint32_t hash = pmu_hash_number((uint64_t)parent << 32 | key->name);
	const struct wanted wanted = { merge, { key->name, parent, key->kind } };
	struct pmu_index_place *place;

	if (step->error || pmu_index_reserve(&merge->index, 1) < 0 || grow_rows(merge) < 0)
		goto failed;
	place = pmu_index_find(&merge->index, hash, is_wanted_key, &wanted);
	if (!place->thing) {
		uint32_t fresh;
		struct pmu_store_row *made = pmu_table_row(step->table, &merge->rows, key->name,
							   parent, key->kind, &fresh);

		if (!made)
			goto failed;
		pmu_index_take(&merge->index, place, hash, fresh);
		merge->row[fresh - 1] = made;
		merge->key[fresh - 1] = wanted.key;
		for (uint32_t i = 0; i <= step->n_slots; i++)
			made->outer[i] = row->outer[i];
	}
	step->id[id - 1] = (uint32_t)place->thing;
	return;
failed:
	step->error = -ENOMEM;
}

/* The same for side records. */
static void find_or_make_side(void *arg, uint32_t row, struct pmu_store_side *from)
{
	struct step *step = arg;
	struct pmu_merge *merge = step->merge;
	struct pmu_store_side **to;
	uint32_t id;

	(void)from;
	if (step->error)
		return;
	id = step->id[row - 1];
	to = &merge->side[step->side][id - 1];
	if (!*to)
		*to = pmu_table_side(step->table, &merge->rows, step->side, id, 2);
	if (!*to)
		step->error = -ENOMEM;
}

/* @excess: of its pairs, in all that they were in; readers will not know of it. */
static void take_excess(const struct step *step, uint32_t id, const uint64_t *excess)
{
	const struct pmu_merge *merge = step->merge;

	while ((id = merge->key[id - 1].parent)) {
		struct pmu_store_row *around = merge->row[id - 1];
		struct pmu_store_bank *is = pmu_row_bank(around, step->n_slots, step->idle);
		uint16_t flags = PMU_PUBLISHED_SUM(around->flags);

		if (!pmu_bank_take_counts(is, is, excess, step->n_slots))
			PMU_PUBLISH(around->flags, flags | PMU_STORE_ROW_MIXED);
		if (flags & PMU_STORE_ROW_TEAM) /* is in nothing further out */
			break;
	}
}

/*
 * A pair's cost differs between threads that begin it in another way. One row has one cost, the
 * least; what the others' pairs had beyond it is taken off here.
 */
static void keep_least_outer(const struct step *step, uint32_t id, const struct pmu_store_row *row,
			     uint64_t pairs, uint64_t pairs_before)
{
	struct pmu_store_row *set = step->merge->row[id - 1];
	uint64_t excess[PMU_MAX_SLOTS] = { 0 };
	bool any = false;

	for (uint32_t i = 0; i <= step->n_slots; i++) {
		uint16_t least = row->outer[i] < set->outer[i] ? row->outer[i] : set->outer[i];

		if (i)
			excess[i - 1] = pairs * (row->outer[i] - least) +
					pairs_before * (set->outer[i] - least);
		any |= i && excess[i - 1];
		set->outer[i] = least;
	}
	if (any && !(PMU_PUBLISHED_SUM(row->flags) & PMU_STORE_ROW_TEAM))
		take_excess(step, id, excess);
}

/* Second pass: into the idle bank. */
static void merge_thread_row(void *arg, uint32_t id, const struct pmu_row_key *key,
			     struct pmu_store_row *row)
{
	struct step *step = arg;
	struct pmu_store_row *set = step->merge->row[step->id[id - 1] - 1];
	const struct pmu_store_bank *from = pmu_row_valid(row, step->n_slots);
	struct pmu_store_bank *is = pmu_row_bank(set, step->n_slots, step->idle);
	uint32_t open = PMU_PUBLISHED_SUM(row->open);

	(void)key;
	keep_least_outer(step, step->id[id - 1], row, from->calls + row->unended + open,
			 is->calls + set->unended);
	PMU_PUBLISH(set->flags, PMU_PUBLISHED_SUM(set->flags) | PMU_PUBLISHED_SUM(row->flags));
	set->missing |= row->missing;
	set->unended += row->unended + open;
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
static void merge_side(void *arg, uint32_t row, struct pmu_store_side *from)
{
	struct step *step = arg;
	struct pmu_store_side *banks = step->merge->side[step->side][step->id[row - 1] - 1];
	uint64_t *is = side_bank(step->side, banks, step->idle);
	const uint64_t *more = pmu_side_value(from);

	for (uint32_t i = 0; i < pmu_side_values(step->side); i++) {
		if (!more[i])
			continue;
		if (step->side == PMU_SIDE_HISTOGRAM || step->side == PMU_SIDE_WAITS)
			pmu_bank_put(&is[i], is[i] + more[i]);
		else if (step->side == PMU_SIDE_TURNS)
			pmu_bank_put(&is[i], add_doubles(is[i], more[i]));
		else if (!is[i] || more[i] < is[i])
			pmu_bank_put(&is[i], more[i]);
	}
}

static void walk_sides(struct step *step, const struct pmu_table_rows *thread,
		       void (*each)(void *arg, uint32_t row, struct pmu_store_side *side))
{
	for (int which = 0; which < PMU_SIDES; which++) {
		step->side = (enum pmu_side)which;
		pmu_table_sides_walk(thread, step->side, each, step);
	}
}

static int make_set(struct pmu_table *table, struct pmu_merge *merge, uint32_t number,
		    const struct pmu_table_rows *thread)
{
	struct pmu_store_thread *record;

	if (pmu_table_thread(table, thread->group, thread->n_slots, number, &merge->rows) < 0)
		return -ENOMEM;
	record = merge->rows.record;
	record->cpu = -1;
	PMU_PUBLISH(record->outer_shift, thread->outer_shift); /* that of each: its source's */
	record->start_ticks = thread->record->start_ticks;
	record->stop_ticks = record->start_ticks;
	record->minor_faults = record->major_faults = -1;
	record->voluntary_switches = record->involuntary_switches = -1;
	PMU_PUBLISH_LAST(record->state, PMU_THREAD_MERGED);
	return 0;
}

/* The sum is known only if each one is. */
static int64_t add_cpu(const struct pmu_store_thread *set, const struct pmu_store_thread *thread,
		       bool is_new)
{
	int64_t sum;

	if (thread->cpu_ns <= 0 || (!is_new && set->cpu_ns <= 0) ||
	    __builtin_add_overflow(set->cpu_ns, thread->cpu_ns, &sum))
		return -1;
	return sum;
}

/*
 * What is known of the thread as a whole. In the set, stop - start is the sum of its threads'
 * times.
 */
static void merge_record(struct pmu_merge *merge, const struct pmu_store_thread *thread)
{
	struct pmu_store_thread *set = merge->rows.record;
	uint32_t was = set->flags;
	bool is_new = !merge->n_merged++;

	keep_least_inner(set, thread, is_new);
	set->stop_ticks += thread->stop_ticks - thread->start_ticks;
	set->flags |= thread->flags;
	/* what is known of all of them */
	if (!is_new)
		set->flags &= (was & thread->flags) |
			      ~(uint32_t)(PMU_THREAD_WAITS | PMU_THREAD_QUEUES);
	set->missing |= thread->missing;
	set->sockets |= thread->sockets;
	set->cpu_ns = add_cpu(set, thread, is_new);
	if (thread->last_end > set->last_end)
		set->last_end = thread->last_end;
	PMU_PUBLISH(set->n_merged, merge->n_merged);
	for (unsigned int i = 0; i < PMU_DOUBT_COUNT; i++)
		*pmu_store_doubt(set, i) += *pmu_store_doubt(thread, i);
}

int pmu_merge_thread(struct pmu_table *table, struct pmu_merge *merge, uint32_t number,
		     struct pmu_table_rows *thread)
{
	struct step step = { .table = table, .merge = merge, .n_slots = thread->n_slots };
	size_t size = (thread->n_rows + 1) * sizeof(*step.id);

	if (!merge->rows.record && make_set(table, merge, number, thread) < 0)
		return -ENOMEM;
	step.idle = (merge->n_merged + 1) & 1;
	step.id = pmu_pages_alloc(size);
	if (!step.id)
		return -ENOMEM;
	pmu_table_rows_walk(thread, find_or_make, &step);
	walk_sides(&step, thread, find_or_make_side);
	if (!step.error) {
		bank_fence(); /* all rows of the set have one sequence, which is the record's */
		for (uint32_t i = 0; i < merge->rows.n_rows; i++) {
			pmu_bank_copy(pmu_row_bank(merge->row[i], step.n_slots, ~step.idle),
				      pmu_row_bank(merge->row[i], step.n_slots, step.idle),
				      step.n_slots);
			copy_sides(&step, i);
		}
		pmu_table_rows_walk(thread, merge_thread_row, &step);
		walk_sides(&step, thread, merge_side);
		merge_record(merge, thread->record);
		/* The one store that makes the new bank valid and the thread's own rows void. */
		PMU_PUBLISH_LAST(merge->rows.record->merged,
				 (uint64_t)thread->serial << 32 | merge->n_merged);
		PMU_PUBLISH_LAST(thread->record->state, PMU_THREAD_FREE);
		pmu_table_thread_free(table, thread);
	}
	pmu_pages_free(step.id, size);
	return step.error;
}

void pmu_merge_forget(struct pmu_merge *merge)
{
	pmu_index_free(&merge->index);
	free_arrays(merge);
	memset(merge, 0, sizeof(*merge));
}
