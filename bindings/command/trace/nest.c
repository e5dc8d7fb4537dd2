/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records stand in the order of their ends, so what is nested in a call stands before it.
 *
 * From the last one backwards each finds the call that it is in on a stack; that is kept, 4 bytes a
 * call.  Then forwards: what a call is in is begun before it.  Neither needs more of the ring than
 * where it is, so that rings may be larger than memory.
 */
#include "bindings/command/trace/nest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Deeper ones stand beside what they are in; no program's stack is so deep. */
#define MAX_DEPTH 1024u
#define NONE      UINT32_MAX
/* Regions of a thread that had not ended; those behind are left out. */
#define MAX_OPEN 256u
/* So much of a mapped file is let go of at once. */
#define WINDOW ((size_t)8 << 20)

/** What a call had waited before it is begun. */
struct early {
	uint32_t index;
	uint64_t blocked_ns, runnable_ns;
};

struct walk {
	const struct pmu_trace_source *source;
	const struct pmu_trace_ring *ring;
	const struct pmu_nest_listener *listener;
	uint32_t *in; /* [n + n_open_calls] index of the call that it is in */
	/* As if they had ended last, the innermost first: index n and on. */
	struct pmu_trace_call open_call[MAX_OPEN];
	uint32_t n_open_calls;
	/* backwards */
	struct {
		struct pmu_trace_call call;
		uint32_t index;
	} around[MAX_DEPTH];
	size_t n_around;
	/* forwards */
	struct pmu_slice *open; /* [MAX_DEPTH + 1] */
	size_t n_open;
	uint64_t now; /* ticks of the last begin or end */
	struct early early[MAX_DEPTH];
	size_t n_early;
};

static struct pmu_trace_call call_at(const struct walk *walk, uint64_t i, uint64_t *count)
{
	if (i >= walk->ring->n)
		return walk->open_call[i - walk->ring->n];
	return pmu_trace_call_at(walk->source, walk->ring, i, count);
}

static const struct pmu_trace_row *row_of(const struct walk *walk,
					  const struct pmu_trace_call *call)
{
	return call->row == PMU_TRACE_NO_ROW ? NULL : &walk->source->row[call->row];
}

/* Its end comes when the region that it was begun in is over: they do not lie in each other. */
static bool is_beside(const struct walk *walk, const struct pmu_trace_call *call)
{
	return row_of(walk, call)->raw->flags & PMU_STORE_ROW_OVERLAP;
}

/* Parents stand before their rows. */
static bool is_ancestor(const struct pmu_trace_source *source, uint32_t above, uint32_t row)
{
	while (row != PMU_TRACE_NO_ROW && row > above)
		row = source->row[row].parent;
	return row == above;
}

/* --- memory --- */

/* Of the file itself, which is where it was: the next look brings it back. */
static void let_go(const struct pmu_trace_source *source, const struct pmu_trace_ring *ring,
		   uint64_t i)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uint64_t window = WINDOW / ring->record_size + 1;
	uintptr_t from = (uintptr_t)ring->records & ~(page - 1);
	size_t size = (size_t)ring->n_places * ring->record_size;

	if (source->is_file && !ring->copy && i % window == 0)
		madvise((void *)from, size, MADV_DONTNEED);
}

/* --- what had not ended --- */

static uint64_t last_moment(const struct walk *walk)
{
	const struct pmu_store_thread *record = &walk->ring->thread->record;
	uint64_t last = record->stop_ticks > record->last_end ? record->stop_ticks
							      : record->last_end;
	struct pmu_trace_call call;

	if (!walk->ring->n)
		return last;
	call = call_at(walk, walk->ring->n - 1, NULL);
	return call.end > last ? call.end : last;
}

/* From the innermost outwards: what is nested has a higher index. */
static void find_unended(struct walk *walk)
{
	const struct pmu_trace_source *source = walk->source;
	uint64_t last = last_moment(walk);

	for (uint32_t i = source->n_rows; i-- > 0 && walk->n_open_calls < MAX_OPEN;) {
		const struct pmu_trace_row *row = &source->row[i];

		/* what a checkpoint has published is there, in parts */
		if (row->thread->record.number != walk->ring->thread->record.number ||
		    !row->raw->open ||
		    row->raw->flags & (PMU_STORE_ROW_OVERLAP | PMU_STORE_ROW_PARTIAL))
			continue;
		walk->open_call[walk->n_open_calls++] =
			(struct pmu_trace_call){ .begin = last, .end = last, .row = i };
	}
}

/*
 * When they began is not recorded; but what has ended since is nested in them, up to what is not.
 */
static void date_unended(struct walk *walk)
{
	uint32_t first = 0;

	for (uint64_t i = walk->ring->n; i-- > 0 && first < walk->n_open_calls;) {
		struct pmu_trace_call call = call_at(walk, i, NULL);

		if (!row_of(walk, &call) || call.flags & PMU_TRACE_WAITED)
			continue;
		while (first < walk->n_open_calls &&
		       (walk->open_call[first].row == call.row ||
			!is_ancestor(walk->source, walk->open_call[first].row, call.row)))
			first++;
		for (uint32_t k = first; k < walk->n_open_calls; k++)
			if (call.begin < walk->open_call[k].begin)
				walk->open_call[k].begin = call.begin;
		let_go(walk->source, walk->ring, i);
	}
}

/* --- backwards --- */

/*
 * @around ends later.  A region's record may begin later than its call did; then the tree knows, and
 * a later call of it than the one that @call is in begins after that has ended.
 */
static bool is_in(const struct walk *walk, const struct pmu_trace_call *call,
		  const struct pmu_trace_call *around)
{
	if (around->begin < call->begin)
		return true;
	return around->begin <= call->end && around->row != call->row &&
	       is_ancestor(walk->source, around->row, call->row);
}

/*
 * @wait was found out in @around, or in what is in that.  When that has begun is not asked, but to tell calls of a region
 * apart of which the short ones are left out: a record may begin later than its call did.
 */
static bool is_wait_in(const struct walk *walk, const struct pmu_trace_call *wait,
		       const struct pmu_trace_call *around)
{
	if (around->row == wait->row)
		return !walk->source->min_ticks || around->begin <= wait->begin;
	return is_ancestor(walk->source, around->row, wait->row);
}

static void find_around_wait(struct walk *walk, uint64_t i, const struct pmu_trace_call *wait)
{
	size_t k = walk->n_around;

	while (k > 0 && !is_wait_in(walk, wait, &walk->around[k - 1].call))
		k--;
	if (k > 0)
		walk->in[i] = walk->around[k - 1].index;
}

static void find_around(struct walk *walk, uint64_t i)
{
	struct pmu_trace_call call = call_at(walk, i, NULL);

	walk->in[i] = NONE;
	if (!row_of(walk, &call))
		return;
	if (call.flags & PMU_TRACE_WAITED) {
		find_around_wait(walk, i, &call);
		return;
	}
	if (is_beside(walk, &call))
		return;
	while (walk->n_around && !is_in(walk, &call, &walk->around[walk->n_around - 1].call))
		walk->n_around--;
	if (walk->n_around)
		walk->in[i] = walk->around[walk->n_around - 1].index;
	if (call.flags & PMU_TRACE_AGAIN || walk->n_around == MAX_DEPTH)
		return;
	walk->around[walk->n_around].call = call;
	walk->around[walk->n_around++].index = (uint32_t)i;
}

/* --- forwards --- */

static void add_cost(struct pmu_slice *to, const uint64_t *cost, const uint32_t *outer,
		     uint64_t calls, uint32_t n_slots)
{
	for (uint32_t i = 0; i < n_slots; i++)
		to->cost[i] += (cost ? cost[i] : 0) + calls * outer[1 + i];
}

static uint32_t n_slots_of(const struct walk *walk, const struct pmu_trace_row *row)
{
	uint32_t n = walk->source->raw.group[row->thread->group].n_slots;

	return n < walk->ring->n_counts ? n : walk->ring->n_counts;
}

static struct pmu_slice *innermost(struct walk *walk)
{
	return walk->n_open ? &walk->open[walk->n_open - 1] : NULL;
}

/* What is around it sees all of it: as pmu_convert_nest() has it, call by call. */
static void settle(struct walk *walk, struct pmu_slice *slice)
{
	const struct pmu_trace_row *row = slice->row;
	uint64_t calls = slice->again + !(slice->call.flags & PMU_TRACE_PART);
	struct pmu_slice *around = walk->n_open > 1 ? slice - 1 : NULL;
	uint32_t n = n_slots_of(walk, row);

	if (slice->is_open)
		return;
	for (uint32_t i = 0; i < n; i++)
		slice->count[i] -= slice->cost[i] + calls * row->thread->record.inner[i];
	if (around && !slice->beside && around->row->thread == row->thread &&
	    !((row->raw->flags & PMU_STORE_ROW_TEAM)))
		add_cost(around, slice->cost, row->raw->outer, calls, n);
}

static void add_wait(uint64_t *blocked_ns, uint64_t *runnable_ns, const struct pmu_trace_call *wait)
{
	if (wait->flags & PMU_TRACE_BLOCKED)
		*blocked_ns += wait->waited_ns;
	else
		*runnable_ns += wait->waited_ns;
}

static void add_early(struct walk *walk, uint32_t index, const struct pmu_trace_call *wait)
{
	size_t k = 0;

	while (k < walk->n_early && walk->early[k].index != index)
		k++;
	if (k == MAX_DEPTH)
		return;
	if (k == walk->n_early)
		walk->early[walk->n_early++] = (struct early){ .index = index };
	add_wait(&walk->early[k].blocked_ns, &walk->early[k].runnable_ns, wait);
}

static void take_early(struct walk *walk, struct pmu_slice *slice)
{
	for (size_t k = 0; k < walk->n_early; k++)
		if (walk->early[k].index == slice->index) {
			slice->blocked_ns = walk->early[k].blocked_ns;
			slice->runnable_ns = walk->early[k].runnable_ns;
			walk->early[k] = walk->early[--walk->n_early];
			return;
		}
}

/* All that it is in has waited, begun here or not yet: that comes with the next call. */
static void tell_wait(struct walk *walk, uint64_t i, const struct pmu_trace_call *wait)
{
	const struct pmu_slice *last = walk->n_open ? &walk->open[walk->n_open - 1] : NULL;
	uint32_t up = walk->in[i];

	for (; up != NONE && !(last && last->index == up); up = walk->in[up])
		add_early(walk, up, wait);
	for (size_t k = 0; up != NONE && k < walk->n_open; k++)
		add_wait(&walk->open[k].blocked_ns, &walk->open[k].runnable_ns, wait);
}

/* Of one that began before the oldest record, others may have been lost. */
static bool are_waits_known(const struct walk *walk, const struct pmu_trace_call *call)
{
	const struct pmu_raw_thread *thread = row_of(walk, call)->thread;

	return thread->record.flags & PMU_THREAD_WAITS &&
	       (!walk->ring->first || call->begin > call_at(walk, 0, NULL).end);
}

static int begin(struct walk *walk, uint64_t i, uint64_t at, bool is_leaf)
{
	struct pmu_slice *slice = &walk->open[walk->n_open++];

	memset(slice, 0, sizeof(*slice));
	slice->index = i;
	slice->call = call_at(walk, i, slice->count);
	slice->row = row_of(walk, &slice->call);
	slice->is_leaf = is_leaf;
	slice->is_open = i >= walk->ring->n;
	slice->waits_known = are_waits_known(walk, &slice->call);
	take_early(walk, slice);
	walk->now = slice->begin = at > walk->now ? at : walk->now;
	return walk->listener->begin(walk->listener->arg, slice);
}

static int end_slice(struct walk *walk)
{
	struct pmu_slice *slice = innermost(walk);
	int rc;

	walk->now = slice->end = slice->call.end > walk->now ? slice->call.end : walk->now;
	settle(walk, slice);
	rc = walk->listener->end(walk->listener->arg, slice);
	walk->n_open--;
	return rc;
}

/* All that it is in and that has not begun, the outermost first; it begins when the first of them does. */
static int begin_around(struct walk *walk, uint32_t i, uint64_t at)
{
	const struct pmu_slice *last = innermost(walk);
	uint32_t chain[MAX_DEPTH];
	uint64_t first[MAX_DEPTH];
	size_t n = 0;
	int rc = 0;

	for (uint32_t up = walk->in[i]; up != NONE && !(last && last->index == up) && n < MAX_DEPTH;
	     up = walk->in[up]) {
		struct pmu_trace_call call = call_at(walk, up, NULL);

		at = call.begin < at ? call.begin : at;
		first[n] = at;
		chain[n++] = up;
	}
	while (n-- > 0 && !rc)
		rc = walk->n_open < MAX_DEPTH ? begin(walk, chain[n], first[n], false) : -EUCLEAN;
	return rc;
}

static int tell_again_at(struct walk *walk, uint64_t i, const struct pmu_trace_call *call)
{
	struct pmu_slice slice = { .index = i, .call = *call, .row = row_of(walk, call) };
	size_t k = walk->n_open;

	walk->now = slice.begin = slice.end = call->end > walk->now ? call->end : walk->now;
	while (k > 0 && walk->open[k - 1].call.row != call->row)
		k--;
	if (k > 0)
		walk->open[k - 1].again++;
	return walk->listener->again(walk->listener->arg, &slice);
}

static int tell_beside(struct walk *walk, uint64_t i, const struct pmu_trace_call *call)
{
	struct pmu_slice *slice = &walk->open[MAX_DEPTH];
	uint32_t n;
	int rc;

	memset(slice, 0, sizeof(*slice));
	slice->index = i;
	slice->call = call_at(walk, i, slice->count);
	slice->row = row_of(walk, call);
	slice->begin = call->begin;
	slice->end = call->end;
	slice->beside = true;
	n = n_slots_of(walk, slice->row);
	for (uint32_t s = 0; s < n; s++)
		slice->count[s] -= slice->row->thread->record.inner[s];
	rc = walk->listener->begin(walk->listener->arg, slice);
	return rc ? rc : walk->listener->end(walk->listener->arg, slice);
}

static int tell_call(struct walk *walk, uint64_t i)
{
	struct pmu_trace_call call;
	int rc;

	if (walk->n_open && innermost(walk)->index == i)
		return end_slice(walk);
	call = call_at(walk, i, NULL);
	if (!row_of(walk, &call))
		return 0;
	if (call.flags & PMU_TRACE_WAITED) {
		tell_wait(walk, i, &call);
		return 0;
	}
	if (is_beside(walk, &call) && !(call.flags & PMU_TRACE_AGAIN))
		return tell_beside(walk, i, &call);
	rc = begin_around(walk, (uint32_t)i, call.begin);
	if (rc)
		return rc;
	if (call.flags & PMU_TRACE_AGAIN)
		return tell_again_at(walk, i, &call);
	rc = begin(walk, i, call.begin, true);
	return rc ? rc : end_slice(walk);
}

int pmu_nest_walk(const struct pmu_trace_source *source, const struct pmu_trace_ring *ring,
		  const struct pmu_nest_listener *listener)
{
	struct walk *walk = calloc(1, sizeof(*walk));
	int rc = walk ? 0 : -ENOMEM;
	uint64_t n = 0;

	if (walk) {
		walk->source = source;
		walk->ring = ring;
		walk->listener = listener;
		find_unended(walk);
		date_unended(walk);
		n = ring->n + walk->n_open_calls;
		walk->in = malloc((n + 1) * sizeof(*walk->in));
		walk->open = calloc(MAX_DEPTH + 1, sizeof(*walk->open));
	}
	if (!rc && (!walk->in || !walk->open))
		rc = -ENOMEM;
	for (uint64_t i = n; i-- > 0 && !rc;) {
		find_around(walk, i);
		let_go(source, ring, i);
	}
	for (uint64_t i = 0; i < n && !rc; i++) {
		rc = tell_call(walk, i);
		let_go(source, ring, i);
	}
	if (walk) {
		free(walk->in);
		free(walk->open);
	}
	free(walk);
	return rc;
}
