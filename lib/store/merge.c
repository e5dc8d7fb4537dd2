/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of finished threads, added up so that no reader ever sees one twice. */
#include "store/merge.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"

#define FIRST_ROOM 256u

/* A place of the hash index over the set's rows. */
struct pmu_merge_slot {
	uint32_t id; /* of the row; 0: free */
	uint32_t parent;
	uint32_t name;
};

/* One merge in progress. */
struct step {
	struct pmu_table *table;
	struct pmu_merge *merge;
	uint32_t n_slots;
	uint32_t idle; /* bank of the set that is being made */
	uint32_t *id;  /* id of each of the thread's rows in the set, by its own id - 1 */
	int error;
};

static struct pmu_merge_slot *find(const struct pmu_merge *merge, uint32_t parent, uint32_t name)
{
	size_t mask = merge->n_slots - 1;
	size_t i = (((uint64_t)parent << 32 | name) * 0x9e3779b97f4a7c15u >> 32) & mask;

	while (merge->slot[i].id &&
	       (merge->slot[i].parent != parent || merge->slot[i].name != name))
		i = (i + 1) & mask;
	return &merge->slot[i];
}

static int grow_index(struct pmu_merge *merge)
{
	size_t n_old = merge->n_slots, n = n_old ? 2 * n_old : FIRST_ROOM;
	struct pmu_merge_slot *old = merge->slot;

	if (2 * (merge->n_slots_used + 1) <= n_old)
		return 0;
	merge->slot = pmu_pages_alloc(n * sizeof(*old));
	if (!merge->slot) {
		merge->slot = old;
		return -ENOMEM;
	}
	merge->n_slots = n;
	for (size_t i = 0; i < n_old; i++)
		if (old[i].id)
			*find(merge, old[i].parent, old[i].name) = old[i];
	pmu_pages_free(old, n_old * sizeof(*old));
	return 0;
}

/* A copy of an array of pointers, with more room behind it. */
static void *grown(const void *old, size_t n_old, size_t n)
{
	void *array = pmu_pages_alloc(n * sizeof(void *));

	if (array && n_old)
		memcpy(array, old, n_old * sizeof(void *));
	return array;
}

static int grow_rows(struct pmu_merge *merge)
{
	size_t n_old = merge->n_rows_room, n = n_old ? 2 * n_old : FIRST_ROOM;
	struct pmu_store_histogram **histogram;
	struct pmu_store_row **row;

	if (merge->rows.n_rows < n_old)
		return 0;
	row = grown(merge->row, n_old, n);
	if (!row)
		return -ENOMEM;
	histogram = grown(merge->histogram, n_old, n);
	if (!histogram) {
		pmu_pages_free(row, n * sizeof(void *));
		return -ENOMEM;
	}
	pmu_pages_free(merge->row, n_old * sizeof(void *));
	pmu_pages_free(merge->histogram, n_old * sizeof(void *));
	merge->row = row;
	merge->histogram = histogram;
	merge->n_rows_room = n;
	return 0;
}

/*
 * What the library's own work costs is as good as the same in every thread of a group.  Where it is
 * not, the least: rather a little of it stays in than anything of the program's is taken out.
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

/* First pass: every row of the thread has its row in the set before anything is added. */
static void find_or_make(void *arg, uint32_t id, struct pmu_store_row *row)
{
	struct step *step = arg;
	struct pmu_merge *merge = step->merge;
	uint32_t parent = row->parent ? step->id[row->parent - 1] : 0;
	struct pmu_merge_slot *slot;

	if (step->error || grow_index(merge) < 0 || grow_rows(merge) < 0)
		goto failed;
	slot = find(merge, parent, row->name);
	if (!slot->id) {
		uint32_t fresh;
		struct pmu_store_row *made = pmu_table_row(step->table, &merge->rows, row->name,
							   parent, row->flags, &fresh);

		if (!made)
			goto failed;
		*slot = (struct pmu_merge_slot){ fresh, parent, row->name };
		merge->n_slots_used++;
		merge->row[fresh - 1] = made;
		keep_least_outer(step, made, row, true);
	} else {
		keep_least_outer(step, merge->row[slot->id - 1], row, false);
	}
	step->id[id - 1] = slot->id;
	return;
failed:
	step->error = -ENOMEM;
}

/* The same for how long their calls took. */
static void find_or_make_histogram(void *arg, struct pmu_store_histogram *from)
{
	struct step *step = arg;
	struct pmu_merge *merge = step->merge;
	uint32_t id;

	if (step->error)
		return;
	id = step->id[from->row - 1];
	if (merge->histogram[id - 1])
		return;
	merge->histogram[id - 1] = pmu_table_histogram(step->table, &merge->rows, id, 2);
	if (!merge->histogram[id - 1])
		step->error = -ENOMEM;
}

static struct pmu_store_bank *bank_of(const struct step *step, struct pmu_store_row *row,
				      uint32_t which)
{
	const struct pmu_table_rows *rows = &step->merge->rows;

	return pmu_row_bank(row, rows->bank_offset, rows->bank_size, which & 1);
}

static void put(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELEASE);
}

static void put_square(double *to, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put((uint64_t *)(void *)to, bits);
}

static void copy_bank(const struct step *step, struct pmu_store_row *row)
{
	const struct pmu_store_bank *was = bank_of(step, row, ~step->idle);
	struct pmu_store_bank *is = bank_of(step, row, step->idle);

	put(&is->calls, was->calls);
	put(&is->ticks, was->ticks);
	put(&is->min, was->min);
	put(&is->max, was->max);
	put_square(&is->square, was->square);
	for (uint32_t i = 0; i < step->n_slots; i++)
		put(&is->count[i], was->count[i]);
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
		put(&is->min, from->min);
	if (from->max > is->max)
		put(&is->max, from->max);
	put(&is->calls, is->calls + from->calls);
	put(&is->ticks, is->ticks + from->ticks);
	put_square(&is->square, is->square + from->square);
	for (uint32_t i = 0; i < step->n_slots; i++)
		put(&is->count[i], is->count[i] + from->count[i]);
}

static void copy_histogram(const struct step *step, struct pmu_store_histogram *banks)
{
	const struct pmu_store_histogram *was = &banks[!step->idle];
	struct pmu_store_histogram *is = &banks[step->idle];

	for (uint32_t i = 0; i < PMU_HISTOGRAM_BUCKETS; i++)
		put(&is->bucket[i], was->bucket[i]);
}

static void add_histogram(void *arg, struct pmu_store_histogram *from)
{
	struct step *step = arg;
	struct pmu_store_histogram *is =
		&step->merge->histogram[step->id[from->row - 1] - 1][step->idle];

	for (uint32_t i = 0; i < PMU_HISTOGRAM_BUCKETS; i++)
		if (from->bucket[i])
			put(&is->bucket[i], is->bucket[i] + from->bucket[i]);
}

static int make_set(struct pmu_table *table, struct pmu_merge *merge,
		    const struct pmu_store_group *layout, uint32_t number,
		    const struct pmu_table_rows *thread)
{
	struct pmu_store_thread *record;

	if (pmu_table_thread(table, thread->group, layout, &merge->rows) < 0)
		return -ENOMEM;
	record = merge->rows.record;
	record->number = number;
	record->cpu = -1;
	record->start_ticks = thread->record->start_ticks;
	record->stop_ticks = record->start_ticks;
	record->minor_faults = record->major_faults = -1;
	record->voluntary_switches = record->involuntary_switches = -1;
	__atomic_store_n(&record->state, PMU_THREAD_MERGED, __ATOMIC_RELEASE);
	return 0;
}

/*
 * What belongs to the thread as a whole; the set's stop - start is the sum of its threads' times.
 */
static void add_record(struct pmu_store_thread *set, const struct pmu_store_thread *thread)
{
	keep_least_inner(set, thread);
	set->stop_ticks += thread->stop_ticks - thread->start_ticks;
	set->flags |= thread->flags;
	set->missing |= thread->missing;
	set->sockets |= thread->sockets;
	if (thread->last_end > set->last_end)
		set->last_end = thread->last_end;
	set->n_merged++;
	for (int i = 0; i < PMU_DOUBT_COUNT; i++)
		set->doubt[i] += thread->doubt[i];
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
	pmu_table_histograms_walk(table, thread, find_or_make_histogram, &step);
	if (!step.error) {
		for (uint32_t i = 0; i < merge->rows.n_rows; i++) {
			copy_bank(&step, merge->row[i]);
			if (merge->histogram[i])
				copy_histogram(&step, merge->histogram[i]);
		}
		pmu_table_rows_walk(table, thread, add_row, &step);
		pmu_table_histograms_walk(table, thread, add_histogram, &step);
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
	pmu_pages_free(merge->slot, merge->n_slots * sizeof(*merge->slot));
	pmu_pages_free(merge->row, merge->n_rows_room * sizeof(void *));
	pmu_pages_free(merge->histogram, merge->n_rows_room * sizeof(void *));
	memset(merge, 0, sizeof(*merge));
}
