/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of a store with their rows, while none of them comes or goes. */
#define PMU_STORE_READER 1
#include "store/read/reader.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Each try sees what another thread's end moved about; only a program that ends threads
 * all the time fails them all. */
#define CHURN_TRIES 64u

/* --- records --- */

static int mark_gone(struct pmu_reader *reader, uint32_t serial)
{
	if (pmu_reader_make_room(&reader->gone, reader->n_gone, &reader->gone_room,
				 sizeof(*reader->gone)))
		return -ENOMEM;
	reader->gone[reader->n_gone++] = serial;
	return 0;
}

void pmu_reader_copy_record(const struct pmu_store_thread *from, uint32_t state,
			    struct pmu_store_thread *to)
{
	unsigned int i;

	memset(to, 0, sizeof(*to));
	to->state = state;
	to->number = PMU_READER_LOAD(from->number);
	to->tid = PMU_READER_LOAD(from->tid);
	to->cpu = PMU_READER_LOAD(from->cpu);
	for (i = 0; i < sizeof(to->name) - 1; i++)
		to->name[i] = PMU_READER_LOAD(from->name[i]);
	to->start_ticks = PMU_READER_LOAD(from->start_ticks);
	to->stop_ticks = PMU_READER_LOAD(from->stop_ticks);
	to->last_end = PMU_READER_LOAD(from->last_end);
	to->merged = __atomic_load_n(&from->merged, __ATOMIC_ACQUIRE);
	to->n_merged = PMU_READER_LOAD(from->n_merged);
	to->flags = PMU_READER_LOAD(from->flags);
	for (i = 0; i < PMU_DOUBT_COUNT; i++)
		*pmu_store_doubt(to, i) = PMU_READER_LOAD(*pmu_store_doubt(from, i));
	to->missing = PMU_READER_LOAD(from->missing);
	to->sockets = PMU_READER_LOAD(from->sockets);
	to->read_ticks = PMU_READER_LOAD(from->read_ticks);
	to->minor_faults = PMU_READER_LOAD(from->minor_faults);
	to->major_faults = PMU_READER_LOAD(from->major_faults);
	to->voluntary_switches = PMU_READER_LOAD(from->voluntary_switches);
	to->involuntary_switches = PMU_READER_LOAD(from->involuntary_switches);
	to->cpu_ns = PMU_READER_LOAD(from->cpu_ns);
	to->outer_shift = PMU_READER_LOAD(from->outer_shift);
	to->inner_ticks = PMU_READER_LOAD(from->inner_ticks);
	for (i = 0; i < PMU_MAX_SLOTS; i++)
		to->inner[i] = PMU_READER_LOAD(from->inner[i]);
}

static const struct pmu_store_thread *record_of(const struct pmu_store_chunk *chunk)
{
	return (const void *)(chunk + 1);
}

static int add_raw_thread(struct pmu_reader *reader, const struct pmu_store_chunk *chunk,
			  const struct pmu_chunk_copy *copy)
{
	const struct pmu_store_thread *record = record_of(chunk);
	struct pmu_raw *raw = reader->raw;
	struct pmu_raw_thread *thread;
	uint32_t state;

	if (copy->size < sizeof(*chunk) + sizeof(*record)) {
		raw->damage[PMU_DAMAGE_THREAD]++;
		return mark_gone(reader, copy->owner);
	}
	/* Pairs with the release that gives a filled record its state. */
	state = __atomic_load_n(&record->state, __ATOMIC_ACQUIRE);
	if (state == PMU_THREAD_FREE)
		return mark_gone(reader, copy->owner);
	if (state > PMU_THREAD_MERGED || copy->group >= PMU_STORE_MAX_GROUPS ||
	    raw->n_threads == PMU_STORE_MAX_THREADS) {
		raw->damage[PMU_DAMAGE_THREAD]++;
		return mark_gone(reader, copy->owner);
	}
	if (pmu_reader_make_room(&raw->thread, raw->n_threads, &reader->thread_room,
				 sizeof(*thread)))
		return -ENOMEM;
	thread = &raw->thread[raw->n_threads++];
	memset(thread, 0, sizeof(*thread));
	thread->serial = copy->owner;
	thread->group = copy->group;
	thread->chunk = chunk;
	pmu_reader_copy_record(record, state, &thread->record);
	return 0;
}

static int take_sides(struct pmu_reader *reader, const struct pmu_store_chunk *chunk,
		      const struct pmu_chunk_copy *copy)
{
	if (pmu_reader_make_room(&reader->sides, reader->n_sides, &reader->sides_room,
				 sizeof(*reader->sides)))
		return -ENOMEM;
	reader->sides[reader->n_sides++] = (struct pmu_rows_chunk){ *copy, chunk };
	return 0;
}

static int take_row_chunk(struct pmu_reader *reader, const struct pmu_store_chunk *chunk,
			  const struct pmu_chunk_copy *copy)
{
	int rc;

	if (copy->kind == PMU_CHUNK_FREE)
		return copy->owner ? mark_gone(reader, copy->owner) : 0;
	if (pmu_side_of_chunk(copy->kind) < PMU_SIDES)
		return take_sides(reader, chunk, copy);
	if (copy->kind != PMU_CHUNK_THREAD && copy->kind != PMU_CHUNK_ROWS)
		return 0;
	if (copy->kind == PMU_CHUNK_THREAD) {
		rc = add_raw_thread(reader, chunk, copy);
		if (rc)
			return rc;
	}
	if (pmu_reader_make_room(&reader->rows, reader->n_rows, &reader->rows_room,
				 sizeof(*reader->rows)))
		return -ENOMEM;
	reader->rows[reader->n_rows++] = (struct pmu_rows_chunk){ *copy, chunk };
	return 0;
}

/* --- one consistent pass --- */

static int by_serial(const void *a, const void *b)
{
	const struct pmu_raw_thread *x = a, *y = b;

	if (x->serial != y->serial)
		return x->serial < y->serial ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

/* The word of each group's set, which names the thread that joined it last. */
static void find_sets(const struct pmu_raw *raw, uint64_t word[PMU_STORE_MAX_GROUPS])
{
	size_t i;

	memset(word, 0, PMU_STORE_MAX_GROUPS * sizeof(*word));
	for (i = 0; i < raw->n_threads; i++)
		if (raw->thread[i].record.state == PMU_THREAD_MERGED && !word[raw->thread[i].group])
			word[raw->thread[i].group] = raw->thread[i].record.merged;
}

/*
 * Leaves out records of threads that are in their group's set already (the process was between
 * two steps), the second of two with one serial, and those of a group that is not there.
 */
static int drop_threads(struct pmu_reader *reader)
{
	uint64_t word[PMU_STORE_MAX_GROUPS];
	struct pmu_raw *raw = reader->raw;
	const struct pmu_raw_thread *thread;
	size_t i, n = 0;

	find_sets(raw, word);
	for (i = 0; i < raw->n_threads; i++) {
		thread = &raw->thread[i];
		if (n && raw->thread[n - 1].serial == thread->serial) {
			raw->damage[PMU_DAMAGE_THREAD]++;
		} else if (!raw->has_group[thread->group]) {
			raw->damage[PMU_DAMAGE_THREAD] += !pmu_reader_is_short(reader);
			if (mark_gone(reader, thread->serial))
				return -ENOMEM;
		} else if (thread->record.state != PMU_THREAD_MERGED && word[thread->group] &&
			   word[thread->group] >> 32 == thread->serial) {
			if (mark_gone(reader, thread->serial))
				return -ENOMEM;
		} else {
			raw->thread[n++] = *thread;
		}
	}
	raw->n_threads = n;
	return 0;
}

/*
 * Did no thread end or join a set while we read?  A thread joins one before its record is
 * freed, and a set's rows change only with its word: were both still the same, no thread
 * was seen twice or not at all.
 */
static bool still_the_same(const struct pmu_raw *raw)
{
	const struct pmu_store_thread *record;
	const struct pmu_raw_thread *thread;
	size_t i;

	for (i = 0; i < raw->n_threads; i++) {
		thread = &raw->thread[i];
		record = record_of(thread->chunk);
		if (__atomic_load_n(&thread->chunk->kind, __ATOMIC_ACQUIRE) != PMU_CHUNK_THREAD ||
		    PMU_READER_LOAD(thread->chunk->owner) != thread->serial ||
		    __atomic_load_n(&record->state, __ATOMIC_ACQUIRE) == PMU_THREAD_FREE ||
		    __atomic_load_n(&record->merged, __ATOMIC_ACQUIRE) != thread->record.merged)
			return false;
	}
	return true;
}

static void forget_threads(struct pmu_reader *reader)
{
	struct pmu_raw *raw = reader->raw;
	size_t i;

	for (i = 0; i < raw->n_threads; i++)
		free(raw->thread[i].row);
	raw->n_threads = 0;
	raw->n_buckets = raw->n_turns = 0;
	reader->n_rows = 0;
	reader->n_sides = 0;
	reader->n_gone = 0;
	memset(raw->has_group, 0, sizeof(raw->has_group));
	raw->damage[PMU_DAMAGE_KIND] = 0;
	raw->damage[PMU_DAMAGE_GROUP] = 0;
	raw->damage[PMU_DAMAGE_THREAD] = 0;
	raw->damage[PMU_DAMAGE_ORPHANS] = 0;
	raw->damage[PMU_DAMAGE_ROWS] = 0;
	raw->damage[PMU_DAMAGE_TORN] = 0;
	raw->damage[PMU_DAMAGE_HISTOGRAM] = 0;
	raw->damage[PMU_DAMAGE_LEAST] = 0;
	raw->damage[PMU_DAMAGE_TURNS] = 0;
	raw->damage[PMU_DAMAGE_WAITS] = 0;
}

static int read_threads_once(struct pmu_reader *reader)
{
	struct pmu_raw *raw = reader->raw;
	int rc;

	rc = pmu_reader_walk(reader, take_row_chunk);
	/* After the threads: each one's group was there before it. */
	if (!rc)
		rc = pmu_reader_walk(reader, pmu_reader_take_group);
	if (rc)
		return rc;
	if (raw->n_threads)
		qsort(raw->thread, raw->n_threads, sizeof(*raw->thread), by_serial);
	rc = drop_threads(reader);
	if (rc)
		return rc;
	rc = pmu_reader_copy_rows(reader);
	return rc ? rc : pmu_reader_copy_sides(reader);
}

int pmu_reader_threads(struct pmu_reader *reader)
{
	unsigned int i;
	int rc;

	for (i = 0; i < CHURN_TRIES; i++) {
		forget_threads(reader);
		rc = read_threads_once(reader);
		if (rc || !reader->live || still_the_same(reader->raw))
			return rc;
		sched_yield();
	}
	reader->raw->damage[PMU_DAMAGE_CHURN] = 1;
	return 0;
}
