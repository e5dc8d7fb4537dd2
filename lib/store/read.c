/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies a store that may be written to meanwhile; the protocol is described in row.h. */
#include "store/read.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define ROW_TRIES	    100000u
#define ROW_TRIES_PER_PAUSE 64u
/* Each try sees what another thread's end moved about; only a program that ends threads
 * all the time fails them all. */
#define CHURN_TRIES 64u

#define LOAD(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

struct reader {
	const struct pmu_store_view *view;
	const struct pmu_store_head *head;
	uint64_t view_end;
	bool live;
	struct pmu_raw *raw;
	size_t thread_room, meta_room, name_room;
	/* row chunks of one pass */
	struct rows_chunk {
		struct pmu_chunk_copy copy;
		const struct pmu_store_chunk *chunk;
	} * rows;
	size_t n_rows, rows_room;
	uint32_t *gone; /* serials whose rows are of no account */
	size_t n_gone, gone_room;
};

typedef int chunk_fn(struct reader *reader, const struct pmu_store_chunk *chunk,
		     const struct pmu_chunk_copy *copy);

/* Room for one more element of @size bytes at (*array)[n]. */
static int make_room(void *array, size_t n, size_t *room, size_t size)
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

/* --- the view --- */

/* Memory at @offset and how much of its piece follows; NULL outside. */
static const void *view_at(const struct pmu_store_view *view, uint64_t offset,
			   uint64_t *room)
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
	if (!view->n_pieces || view->piece[0].offset ||
	    view->piece[0].size < PMU_STORE_HEAD_SIZE)
		return NULL;
	return view->piece[0].base;
}

static uint64_t store_size(const struct reader *reader)
{
	/* Pairs with the release behind a new chunk's header. */
	return __atomic_load_n(&reader->head->size, __ATOMIC_ACQUIRE);
}

/* The store grew beyond what we were given; what is missing in it may be newer than our
 * look. */
static bool is_short(const struct reader *reader)
{
	return reader->live && store_size(reader) > reader->view_end;
}

/* Calls @each for every chunk.  A bad header ends the walk: nothing tells where the next
 * one is. */
static int walk(struct reader *reader, chunk_fn *each)
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
		    !pmu_chunk_check(chunk, room < end - offset ? room : end - offset,
				     &copy)) {
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

/* --- groups and texts --- */

static int take_group(struct reader *reader, const struct pmu_store_chunk *chunk,
		      const struct pmu_chunk_copy *copy)
{
	struct pmu_raw *raw = reader->raw;

	if (copy->kind > PMU_CHUNK_ROWS)
		raw->damage[PMU_DAMAGE_KIND]++;
	if (copy->kind != PMU_CHUNK_GROUP)
		return 0;
	if (copy->group >= PMU_STORE_MAX_GROUPS || raw->has_group[copy->group] ||
	    !pmu_group_check(chunk + 1, copy->size - sizeof(*chunk),
			     &raw->group[copy->group]))
		raw->damage[PMU_DAMAGE_GROUP]++;
	else
		raw->has_group[copy->group] = true;
	return 0;
}

static int add_meta(struct reader *reader, const struct pmu_record *record)
{
	struct pmu_raw *raw = reader->raw;

	if (make_room(&raw->meta, raw->n_meta, &reader->meta_room, sizeof(*raw->meta)))
		return -ENOMEM;
	raw->meta[raw->n_meta++] =
		(struct pmu_raw_text){record->text, record->len, record->id};
	return 0;
}

/* Ids ascend; those of a damaged chunk stay unknown. */
static int add_name(struct reader *reader, const struct pmu_record *record)
{
	struct pmu_raw *raw = reader->raw;

	/* no more names than the smallest records would fit */
	if (record->id > reader->view_end / 16) {
		raw->damage[PMU_DAMAGE_RECORD]++;
		return 0;
	}
	while (raw->n_names <= record->id) {
		if (make_room(&raw->name, raw->n_names, &reader->name_room,
			      sizeof(*raw->name)))
			return -ENOMEM;
		raw->name[raw->n_names++] = (struct pmu_raw_text){"", 0, 0};
	}
	if (!record->id || raw->name[record->id].len)
		raw->damage[PMU_DAMAGE_RECORD]++;
	else
		raw->name[record->id] =
			(struct pmu_raw_text){record->text, record->len, 0};
	return 0;
}

static int take_texts(struct reader *reader, const struct pmu_store_chunk *chunk,
		      const struct pmu_chunk_copy *copy)
{
	bool names = copy->kind == PMU_CHUNK_NAMES;
	size_t pos = 0, used = copy->used, most = copy->size - sizeof(*chunk);
	struct pmu_record record;
	int more, rc;

	if (!names && copy->kind != PMU_CHUNK_META)
		return 0;
	if (used > most) {
		reader->raw->damage[PMU_DAMAGE_RECORD]++;
		used = most;
	}
	for (;;) {
		more = names ? pmu_name_next((const char *)(chunk + 1), used, &pos,
					     &record)
			     : pmu_meta_next((const char *)(chunk + 1), used, &pos,
					     &record);
		if (more <= 0)
			break;
		rc = names ? add_name(reader, &record) : add_meta(reader, &record);
		if (rc)
			return rc;
	}
	if (more < 0)
		reader->raw->damage[PMU_DAMAGE_RECORD]++;
	return 0;
}

/* --- threads --- */

static int mark_gone(struct reader *reader, uint32_t serial)
{
	if (make_room(&reader->gone, reader->n_gone, &reader->gone_room,
		      sizeof(*reader->gone)))
		return -ENOMEM;
	reader->gone[reader->n_gone++] = serial;
	return 0;
}

/* Field by field: the thread counts its doubts while we look. */
static void copy_record(const struct pmu_store_thread *from, uint32_t state,
			struct pmu_store_thread *to)
{
	unsigned int i;

	memset(to, 0, sizeof(*to));
	to->state = state;
	to->number = LOAD(from->number);
	to->tid = LOAD(from->tid);
	to->cpu = LOAD(from->cpu);
	for (i = 0; i < sizeof(to->name) - 1; i++)
		to->name[i] = LOAD(from->name[i]);
	to->start_ticks = LOAD(from->start_ticks);
	to->stop_ticks = LOAD(from->stop_ticks);
	to->last_end = LOAD(from->last_end);
	to->merged = __atomic_load_n(&from->merged, __ATOMIC_ACQUIRE);
	to->n_merged = LOAD(from->n_merged);
	to->flags = LOAD(from->flags);
	for (i = 0; i < PMU_DOUBT_COUNT; i++)
		to->doubt[i] = LOAD(from->doubt[i]);
	to->missing = LOAD(from->missing);
	to->minor_faults = LOAD(from->minor_faults);
	to->major_faults = LOAD(from->major_faults);
	to->voluntary_switches = LOAD(from->voluntary_switches);
	to->involuntary_switches = LOAD(from->involuntary_switches);
	to->inner_ticks = LOAD(from->inner_ticks);
	for (i = 0; i < PMU_MAX_SLOTS; i++)
		to->inner[i] = LOAD(from->inner[i]);
}

static const struct pmu_store_thread *record_of(const struct pmu_store_chunk *chunk)
{
	return (const void *)(chunk + 1);
}

static int add_thread(struct reader *reader, const struct pmu_store_chunk *chunk,
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
	if (make_room(&raw->thread, raw->n_threads, &reader->thread_room,
		      sizeof(*thread)))
		return -ENOMEM;
	thread = &raw->thread[raw->n_threads++];
	memset(thread, 0, sizeof(*thread));
	thread->serial = copy->owner;
	thread->group = copy->group;
	thread->chunk = chunk;
	copy_record(record, state, &thread->record);
	return 0;
}

static int take_rows(struct reader *reader, const struct pmu_store_chunk *chunk,
		     const struct pmu_chunk_copy *copy)
{
	int rc;

	if (copy->kind == PMU_CHUNK_FREE)
		return copy->owner ? mark_gone(reader, copy->owner) : 0;
	if (copy->kind != PMU_CHUNK_THREAD && copy->kind != PMU_CHUNK_ROWS)
		return 0;
	if (copy->kind == PMU_CHUNK_THREAD) {
		rc = add_thread(reader, chunk, copy);
		if (rc)
			return rc;
	}
	if (make_room(&reader->rows, reader->n_rows, &reader->rows_room,
		      sizeof(*reader->rows)))
		return -ENOMEM;
	reader->rows[reader->n_rows++] = (struct rows_chunk){*copy, chunk};
	return 0;
}

/* --- rows --- */

static void copy_bank(const struct pmu_store_bank *bank, uint32_t n_slots,
		      struct pmu_raw_row *row)
{
	uint64_t square;
	uint32_t i;

	/* Acquire: none of these loads may move below the one that checks the sequence.
	 */
	row->calls = __atomic_load_n(&bank->calls, __ATOMIC_ACQUIRE);
	row->ticks = __atomic_load_n(&bank->ticks, __ATOMIC_ACQUIRE);
	row->min = __atomic_load_n(&bank->min, __ATOMIC_ACQUIRE);
	row->max = __atomic_load_n(&bank->max, __ATOMIC_ACQUIRE);
	__atomic_load((const uint64_t *)(const void *)&bank->square, &square,
		      __ATOMIC_ACQUIRE);
	memcpy(&row->square, &square, sizeof(square));
	for (i = 0; i < n_slots; i++)
		row->count[i] = __atomic_load_n(&bank->count[i], __ATOMIC_ACQUIRE);
}

static const struct pmu_store_bank *bank_of(const struct pmu_store_row *row,
					    const struct pmu_group_copy *layout,
					    uint64_t which)
{
	return (const void *)((const char *)row + layout->bank_offset +
			      (which & 1) * layout->bank_size);
}

/* The totals of the bank that the row's own sequence names. */
static void copy_totals(const struct pmu_store_row *from,
			const struct pmu_group_copy *layout, struct pmu_raw_row *row)
{
	uint32_t seq, i;

	for (i = 1; i <= ROW_TRIES; i++) {
		/* Pairs with the release that publishes a bank. */
		seq = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);
		copy_bank(bank_of(from, layout, seq), layout->n_slots, row);
		if (LOAD(from->seq) == seq)
			return;
		if (i % ROW_TRIES_PER_PAUSE == 0)
			sched_yield();
	}
	row->torn = true;
}

static void copy_row(const struct pmu_store_row *from,
		     const struct pmu_group_copy *layout,
		     const struct pmu_store_thread *record, struct pmu_raw_row *row)
{
	uint32_t i;

	row->name = LOAD(from->name);
	row->parent = LOAD(from->parent);
	row->flags = LOAD(from->flags);
	row->missing = LOAD(from->missing);
	row->open = LOAD(from->open);
	row->unended = LOAD(from->unended);
	row->unbegun = LOAD(from->unbegun);
	row->moved = LOAD(from->moved);
	for (i = 0; i < 1 + layout->n_slots; i++)
		row->outer[i] = LOAD(from->outer[i]);
	if (record->state == PMU_THREAD_MERGED)
		copy_bank(bank_of(from, layout, record->merged), layout->n_slots, row);
	else
		copy_totals(from, layout, row);
}

/* Rows of one chunk behind those the thread already has. */
static int copy_rows(struct reader *reader, struct pmu_raw_thread *thread,
		     const struct rows_chunk *from)
{
	const struct pmu_group_copy *layout = &reader->raw->group[thread->group];
	size_t before = sizeof(*from->chunk), n, i;
	struct pmu_raw_row *grown;
	const char *bytes;

	if (from->copy.kind == PMU_CHUNK_THREAD)
		before += sizeof(struct pmu_store_thread);
	n = (from->copy.size - before) / layout->row_size;
	if (from->copy.used < n)
		n = from->copy.used;
	if (from->copy.used > n || !from->copy.first || from->copy.first + n > UINT32_MAX)
		reader->raw->damage[PMU_DAMAGE_ROWS]++;
	if (thread->n_rows && from->copy.first <= thread->row[thread->n_rows - 1].id) {
		reader->raw->damage[PMU_DAMAGE_ROWS]++;
		return 0;
	}
	if (!n || !from->copy.first || from->copy.first + n > UINT32_MAX)
		return 0;
	grown = reallocarray(thread->row, thread->n_rows + n, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	thread->row = grown;
	memset(grown + thread->n_rows, 0, n * sizeof(*grown));
	bytes = (const char *)from->chunk + before;
	for (i = 0; i < n; i++) {
		struct pmu_raw_row *row = &grown[thread->n_rows++];

		row->id = from->copy.first + (uint32_t)i;
		copy_row((const void *)(bytes + i * layout->row_size), layout,
			 &thread->record, row);
		reader->raw->damage[PMU_DAMAGE_TORN] += row->torn;
	}
	return 0;
}

static int by_owner_and_first(const void *a, const void *b)
{
	const struct rows_chunk *x = a, *y = b;

	if (x->copy.owner != y->copy.owner)
		return x->copy.owner < y->copy.owner ? -1 : 1;
	if (x->copy.first != y->copy.first)
		return x->copy.first < y->copy.first ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

static int by_serial(const void *a, const void *b)
{
	const struct pmu_raw_thread *x = a, *y = b;

	if (x->serial != y->serial)
		return x->serial < y->serial ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* In both lists the order is by serial, so one pass brings rows to their threads. */
static int copy_all_rows(struct reader *reader)
{
	struct pmu_raw *raw = reader->raw;
	const struct rows_chunk *rows;
	size_t t = 0, i;
	int rc;

	for (i = 0; i < reader->n_rows; i++) {
		rows = &reader->rows[i];
		while (t < raw->n_threads && raw->thread[t].serial < rows->copy.owner)
			t++;
		if (t < raw->n_threads && raw->thread[t].serial == rows->copy.owner) {
			if (rows->copy.group != raw->thread[t].group) {
				raw->damage[PMU_DAMAGE_ROWS]++;
				continue;
			}
			rc = copy_rows(reader, &raw->thread[t], rows);
			if (rc)
				return rc;
		} else if (!reader->n_gone ||
			   !bsearch(&rows->copy.owner, reader->gone, reader->n_gone,
				    sizeof(uint32_t), by_value)) {
			raw->damage[PMU_DAMAGE_ORPHANS]++;
		}
	}
	return 0;
}

/* --- one consistent pass --- */

/* The word of each group's set, which names the thread that joined it last. */
static void find_sets(const struct pmu_raw *raw, uint64_t word[PMU_STORE_MAX_GROUPS])
{
	size_t i;

	memset(word, 0, PMU_STORE_MAX_GROUPS * sizeof(*word));
	for (i = 0; i < raw->n_threads; i++)
		if (raw->thread[i].record.state == PMU_THREAD_MERGED &&
		    !word[raw->thread[i].group])
			word[raw->thread[i].group] = raw->thread[i].record.merged;
}

/*
 * Leaves out records whose thread is in its group's set already (the process was between
 * two steps), the second of two with one serial, and those of a group that is not there.
 */
static int drop_threads(struct reader *reader)
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
			raw->damage[PMU_DAMAGE_THREAD] += !is_short(reader);
			if (mark_gone(reader, thread->serial))
				return -ENOMEM;
		} else if (thread->record.state != PMU_THREAD_MERGED &&
			   word[thread->group] &&
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
 * Nobody left or joined a set while we read.  A thread joins one before its record is
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
		if (__atomic_load_n(&thread->chunk->kind, __ATOMIC_ACQUIRE) !=
			    PMU_CHUNK_THREAD ||
		    LOAD(thread->chunk->owner) != thread->serial ||
		    __atomic_load_n(&record->state, __ATOMIC_ACQUIRE) ==
			    PMU_THREAD_FREE ||
		    __atomic_load_n(&record->merged, __ATOMIC_ACQUIRE) !=
			    thread->record.merged)
			return false;
	}
	return true;
}

static void forget_threads(struct reader *reader)
{
	struct pmu_raw *raw = reader->raw;
	size_t i;

	for (i = 0; i < raw->n_threads; i++)
		free(raw->thread[i].row);
	raw->n_threads = 0;
	reader->n_rows = 0;
	reader->n_gone = 0;
	memset(raw->has_group, 0, sizeof(raw->has_group));
	raw->damage[PMU_DAMAGE_KIND] = 0;
	raw->damage[PMU_DAMAGE_GROUP] = 0;
	raw->damage[PMU_DAMAGE_THREAD] = 0;
	raw->damage[PMU_DAMAGE_ORPHANS] = 0;
	raw->damage[PMU_DAMAGE_ROWS] = 0;
	raw->damage[PMU_DAMAGE_TORN] = 0;
}

static int read_threads_once(struct reader *reader)
{
	struct pmu_raw *raw = reader->raw;
	int rc;

	rc = walk(reader, take_rows);
	/* After the threads: each one's group was there before it. */
	if (!rc)
		rc = walk(reader, take_group);
	if (rc)
		return rc;
	if (raw->n_threads)
		qsort(raw->thread, raw->n_threads, sizeof(*raw->thread), by_serial);
	rc = drop_threads(reader);
	if (rc)
		return rc;
	if (reader->n_rows)
		qsort(reader->rows, reader->n_rows, sizeof(*reader->rows),
		      by_owner_and_first);
	if (reader->n_gone)
		qsort(reader->gone, reader->n_gone, sizeof(*reader->gone), by_value);
	return copy_all_rows(reader);
}

static int read_threads(struct reader *reader)
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

/*
 * Rows whose name lies beyond the pieces we were given are newer than our look at the
 * store: they and all that came after them are not there yet.
 */
static void cut_newer_rows(struct reader *reader)
{
	struct pmu_raw *raw = reader->raw;
	struct pmu_raw_thread *thread;
	size_t i, j;

	if (!is_short(reader))
		return;
	for (i = 0; i < raw->n_threads; i++) {
		thread = &raw->thread[i];
		for (j = 0; j < thread->n_rows; j++)
			if (thread->row[j].name >= raw->n_names)
				thread->n_rows = j;
	}
}

int pmu_raw_read(const struct pmu_store_view *view, bool live, struct pmu_raw *raw)
{
	const struct pmu_store_piece *last = &view->piece[view->n_pieces - 1];
	struct reader reader = {.view = view,
				.head = pmu_store_head_of(view),
				.view_end = last->offset + last->size,
				.live = live,
				.raw = raw};
	int rc;

	memset(raw, 0, sizeof(*raw));
	rc = read_threads(&reader);
	/* After the rows: whatever they name is there by now. */
	if (!rc)
		rc = walk(&reader, take_texts);
	if (!rc)
		cut_newer_rows(&reader);
	free(reader.rows);
	free(reader.gone);
	return rc;
}

void pmu_raw_free(struct pmu_raw *raw)
{
	size_t i;

	for (i = 0; i < raw->n_threads; i++)
		free(raw->thread[i].row);
	free(raw->thread);
	free(raw->meta);
	free(raw->name);
}
