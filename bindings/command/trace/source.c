/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the rings of a store.  What is in the file may be anything: sizes, rows, owners are checked. */
#include "bindings/command/trace/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "store/read/reader.h"

/* --- rows --- */

/* Ids have no gaps as a rule. */
static size_t find_row(const struct pmu_raw_thread *thread, uint32_t id)
{
	if (id && id <= thread->n_rows && thread->row[id - 1].id == id)
		return id - 1;
	return pmu_raw_find_row(thread, id);
}

static uint64_t hash_name(const struct pmu_raw *raw, uint32_t name, uint64_t hash)
{
	const struct pmu_raw_text *text = name < raw->n_names ? &raw->name[name] : NULL;

	/* FNV-1a, with a NUL behind the name */
	for (uint32_t i = 0; text && i < text->len; i++)
		hash = (hash ^ (unsigned char)text->text[i]) * UINT64_C(0x100000001b3);
	return hash * UINT64_C(0x100000001b3);
}

/* Up to where the thread entered a context, or began. */
static const struct pmu_trace_row *row_around(const struct pmu_trace_source *source,
					      const struct pmu_trace_row *row)
{
	const struct pmu_trace_row *parent;

	if (row->parent == PMU_TRACE_NO_ROW)
		return NULL;
	parent = &source->row[row->parent];
	return (parent->raw->flags ^ row->raw->flags) & PMU_STORE_ROW_TEAM ? NULL : parent;
}

/* As in copy_path() of lib/region/team.c, where a name has one place in a path. */
static uint64_t hash_path(const struct pmu_trace_source *source, const struct pmu_trace_row *row)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	while (row) {
		const struct pmu_trace_row *at, *outermost = row;

		for (at = row_around(source, row); at; at = row_around(source, at))
			if (at->raw->name == row->raw->name)
				outermost = at;
		hash = hash_name(&source->raw, row->raw->name, hash);
		row = row_around(source, outermost);
	}
	return hash;
}

static void set_row(struct pmu_trace_source *source, const struct pmu_raw_thread *thread,
		    uint32_t first, size_t i)
{
	const struct pmu_group_copy *group = &source->raw.group[thread->group];
	const struct pmu_raw_row *raw = &thread->row[i];
	size_t parent = raw->parent && raw->parent < raw->id ? find_row(thread, raw->parent)
							     : SIZE_MAX;

	source->row[first + i] = (struct pmu_trace_row){
		.thread = thread,
		.raw = raw,
		.parent = parent < i ? first + (uint32_t)parent : PMU_TRACE_NO_ROW,
		.missing = group->absent | thread->record.missing | raw->missing,
	};
}

static int make_rows(struct pmu_trace_source *source)
{
	const struct pmu_raw *raw = &source->raw;
	size_t n = 0;

	for (size_t t = 0; t < raw->n_threads; t++)
		n += raw->thread[t].n_rows;
	source->row = calloc(n + 1, sizeof(*source->row));
	source->first_row = calloc(raw->n_threads + 1, sizeof(*source->first_row));
	if (!source->row || !source->first_row || n >= PMU_TRACE_NO_ROW)
		return -ENOMEM;
	for (size_t t = 0; t < raw->n_threads; t++) {
		source->first_row[t] = source->n_rows;
		for (size_t i = 0; i < raw->thread[t].n_rows; i++)
			set_row(source, &raw->thread[t], source->first_row[t], i);
		source->n_rows += (uint32_t)raw->thread[t].n_rows;
	}
	for (uint32_t i = 0; i < source->n_rows; i++)
		source->row[i].path = hash_path(source, &source->row[i]);
	return 0;
}

/* --- rings --- */

/** A ring's head, each field loaded once. */
struct head {
	struct pmu_store_trace is;
	uint32_t owner;
};

static struct head load_head(const struct pmu_store_chunk *chunk)
{
	const struct pmu_store_trace *trace = (const void *)(chunk + 1);
	struct head head = {
		.is = { .record_size = PMU_READER_LOAD(trace->record_size),
			.n_counts = PMU_READER_LOAD(trace->n_counts),
			.n_places = PMU_READER_LOAD(trace->n_places),
			.first = PMU_READER_LOAD(trace->first),
			.min_ticks = PMU_READER_LOAD(trace->min_ticks),
			.dropped = PMU_READER_LOAD(trace->dropped),
			.overrun = PMU_READER_LOAD(trace->overrun),
			.n_waits = PMU_READER_LOAD(trace->n_waits),
			/* Pairs with the release behind a record. */
			.n = __atomic_load_n(&trace->n, __ATOMIC_ACQUIRE) },
		/* Pairs with the release that takes the ring from its thread. */
		.owner = __atomic_load_n(&chunk->owner, __ATOMIC_ACQUIRE),
	};

	return head;
}

static bool is_sound(const struct head *head, const struct pmu_chunk_copy *copy)
{
	const struct pmu_store_trace *is = &head->is;
	uint64_t room = copy->size - sizeof(struct pmu_store_chunk) - sizeof(*is);

	return is->n_counts <= PMU_MAX_SLOTS && is->n_places >= 2 &&
	       is->record_size == sizeof(struct pmu_trace_record) + 8 * (size_t)is->n_counts &&
	       is->n_places <= room / is->record_size;
}

static void *copy_places(const struct pmu_store_chunk *chunk, const struct head *head)
{
	size_t n = (size_t)head->is.n_places * head->is.record_size / 8;
	const uint64_t *from = (const void *)((const struct pmu_store_trace *)(chunk + 1) + 1);
	uint64_t *to = malloc(8 * n);

	for (size_t i = 0; to && i < n; i++)
		/* Pairs with the release fence in front of a record: a reader that sees a part of
		 * a new one sees that the ring has gone on. */
		to[i] = __atomic_load_n(&from[i], __ATOMIC_ACQUIRE);
	return to;
}

/* Calls that are whole when the ring had @n of them before it was looked at, and @later behind that. */
static void set_kept(struct pmu_trace_ring *ring, const struct pmu_store_trace *is, uint64_t later)
{
	uint64_t keeps = is->n_places - 1, end = is->n;

	if (is->first)
		ring->n = end < keeps ? end : keeps;
	else
		ring->first = later > keeps ? later - keeps : 0;
	if (!is->first)
		ring->n = end > ring->first ? end - ring->first : 0;
	ring->lost = end - ring->n;
}

static const char *place_at(const struct pmu_trace_ring *ring, uint64_t i)
{
	return ring->records + (ring->first + i) % ring->n_places * ring->record_size;
}

static uint64_t who_at(const struct pmu_trace_ring *ring, uint64_t i)
{
	uint64_t who;

	memcpy(&who, place_at(ring, i) + offsetof(struct pmu_trace_record, who), sizeof(who));
	return who;
}

/* Waits are no calls: not of the lost ones either. */
static void count_waits(struct pmu_trace_ring *ring, const struct pmu_store_trace *is)
{
	uint64_t lost;

	if (!is->n_waits)
		return;
	for (uint64_t i = 0; i < ring->n; i++)
		ring->n_waits += !!(who_at(ring, i) & PMU_TRACE_WAITED);
	lost = is->n_waits > ring->n_waits ? is->n_waits - ring->n_waits : 0;
	ring->lost -= lost < ring->lost ? lost : ring->lost;
}

static int add_ring(struct pmu_trace_source *source, const struct pmu_store_chunk *chunk,
		    const struct head *head, bool live)
{
	struct pmu_trace_ring *ring = &source->ring[source->n_rings];
	uint64_t later = head->is.n;

	*ring = (struct pmu_trace_ring){
		.thread = pmu_raw_find_thread(&source->raw, head->owner),
		.records = (const char *)(chunk + 1) + sizeof(struct pmu_store_trace),
		.record_size = head->is.record_size,
		.n_counts = head->is.n_counts,
		.n_places = head->is.n_places,
	};
	if (live) {
		struct head now;

		ring->records = ring->copy = copy_places(chunk, head);
		if (!ring->copy)
			return -ENOMEM;
		now = load_head(chunk);
		later = now.is.n;
		/* it is another thread's by now */
		if (now.owner != head->owner || later < head->is.n || !ring->thread) {
			free(ring->copy);
			return 0;
		}
	}
	if (!ring->thread) {
		/* killed while it came to be, a thread has a ring, and no call in it */
		source->n_damaged += head->is.n != 0;
		return 0;
	}
	if (later + head->is.overrun < later)
		later = UINT64_MAX;
	else
		later += head->is.overrun;
	set_kept(ring, &head->is, later);
	count_waits(ring, &head->is);
	source->n_rings++;
	return 0;
}

/** A walk over the chunks, for the rings. */
struct ring_walk {
	struct pmu_reader reader;
	struct pmu_trace_source *source;
	size_t room;
};

static int take_source_ring(struct pmu_reader *reader, const struct pmu_store_chunk *chunk,
			    const struct pmu_chunk_copy *copy)
{
	struct ring_walk *walk = (struct ring_walk *)(void *)reader;
	struct pmu_trace_source *source = walk->source;
	struct head head;

	if (copy->kind != PMU_CHUNK_TRACE)
		return 0;
	if (copy->size < sizeof(*chunk) + sizeof(struct pmu_store_trace)) {
		source->n_damaged++;
		return 0;
	}
	head = load_head(chunk);
	source->dropped += head.is.dropped;
	if (!head.owner)
		return 0;
	if (!is_sound(&head, copy)) {
		source->n_damaged++;
		return 0;
	}
	source->min_ticks = head.is.min_ticks;
	if (pmu_reader_make_room(&source->ring, source->n_rings, &walk->room,
				 sizeof(*source->ring)))
		return -ENOMEM;
	return add_ring(source, chunk, &head, walk->reader.live);
}

static int take_source_rings(struct pmu_trace_source *source, const struct pmu_store_view *view,
			     bool live)
{
	const struct pmu_store_piece *last = &view->piece[view->n_pieces - 1];
	struct ring_walk walk = { .reader = { .view = view,
					      .head = pmu_store_head_of(view),
					      .view_end = last->offset + last->size,
					      .live = live,
					      .raw = &source->raw },
				  .source = source };

	return pmu_reader_walk(&walk.reader, take_source_ring);
}

/* Rows have every call of theirs; of what is neither in the ring nor lost, the call was too short. */
static void count_left_out(struct pmu_trace_source *source)
{
	for (size_t r = 0; source->min_ticks && r < source->n_rings; r++) {
		struct pmu_trace_ring *ring = &source->ring[r];
		uint64_t calls = 0, has = ring->n - ring->n_waits + ring->lost;

		for (size_t t = 0; t < source->raw.n_threads; t++) {
			const struct pmu_raw_thread *thread = &source->raw.thread[t];

			for (size_t i = 0; i < thread->n_rows &&
					   thread->record.number == ring->thread->record.number;
			     i++)
				calls += thread->row[i].calls;
		}
		ring->left_out = calls > has ? calls - has : 0;
	}
}

/* --- all of it --- */

static bool ends_before(const struct pmu_store_view *view)
{
	const struct pmu_store_piece *last = &view->piece[view->n_pieces - 1];

	return pmu_store_head_of(view)->size > last->offset + last->size;
}

int pmu_trace_source_open(struct pmu_trace_source *source, const struct pmu_store_view *view,
			  unsigned int is)
{
	const struct pmu_store_head *head = pmu_store_head_of(view);
	int rc;

	memset(source, 0, sizeof(*source));
	if (!head)
		return pmu_fail(EUCLEAN, "the head of the store is damaged");
	source->is_file = is & PMU_STORE_FILE;
	source->start = head->point[0];
	memcpy(source->boot_id, head->boot_id, sizeof(source->boot_id) - 1);
	/* calls of rows that are newer than this look are left out later */
	rc = pmu_store_snapshot(view, NULL, &source->model);
	if (!rc)
		rc = pmu_raw_read(view, is & PMU_STORE_LIVE, &source->raw);
	if (!rc)
		rc = make_rows(source);
	if (!rc)
		rc = take_source_rings(source, view, is & PMU_STORE_LIVE);
	if (rc)
		return rc;
	source->is_cut = source->model->is_damaged || (!(is & PMU_STORE_LIVE) && ends_before(view));
	count_left_out(source);
	if (!source->n_rings && !source->dropped && !source->n_damaged)
		return pmu_fail(ENODATA, "no calls were traced: PMU_TRACE, or 'pmu run --trace', "
					 "asks for that");
	return 0;
}

void pmu_trace_source_close(struct pmu_trace_source *source)
{
	for (size_t i = 0; i < source->n_rings; i++)
		free(source->ring[i].copy);
	free(source->ring);
	free(source->row);
	free(source->first_row);
	pmu_raw_free(&source->raw);
	pmu_model_free(source->model);
}

static uint32_t row_index(const struct pmu_trace_source *source, uint32_t serial, uint32_t id)
{
	const struct pmu_raw_thread *thread = pmu_raw_find_thread(&source->raw, serial);
	size_t i = thread ? find_row(thread, id) : SIZE_MAX;

	if (i == SIZE_MAX)
		return PMU_TRACE_NO_ROW;
	return source->first_row[thread - source->raw.thread] + (uint32_t)i;
}

struct pmu_trace_call pmu_trace_call_at(const struct pmu_trace_source *source,
					const struct pmu_trace_ring *ring, uint64_t i,
					uint64_t *count)
{
	const char *at = place_at(ring, i);
	struct pmu_trace_record record;
	struct pmu_trace_call call;

	memcpy(&record, at, sizeof(record));
	call = (struct pmu_trace_call){
		.begin = record.begin,
		.end = record.end,
		.row = row_index(source, (uint32_t)(record.who >> 32),
				 (uint32_t)record.who & PMU_TRACE_ROW_MASK),
		.flags = (uint32_t)record.who & ~PMU_TRACE_ROW_MASK,
	};
	if (call.flags & PMU_TRACE_WAITED) {
		call.waited_ns = record.end;
		call.end = call.begin;
	}
	/* as pmu_bank_add_time() has it */
	if ((int64_t)(call.end - call.begin) < 0 || call.end < call.begin)
		call.end = call.begin;
	if (count)
		memcpy(count, at + sizeof(record), 8 * (size_t)ring->n_counts);
	return call;
}
