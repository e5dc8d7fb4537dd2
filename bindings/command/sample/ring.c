/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's ring of samples and its marks: whatever is in them, nothing is read beyond them. */
#include "bindings/command/sample/ring.h"

#include <stdlib.h>
#include <string.h>

/* A region that lasts has no mark meanwhile: more than these are added up by where they were. */
#define MOST_WAITING 1024u

/* A ring that is written over while it is copied is copied again, from further on. */
#define TRIES 3

static void drop_samples(struct pmu_sample_ring *ring, uint64_t n)
{
	ring->sums->n_dropped += n;
}

static void add_hit(struct pmu_sample_ring *ring, struct pmu_sample_hits *hits, uint64_t who,
		    struct pmu_sample_at at, uint64_t n)
{
	if (pmu_sample_hits_add(hits, who, at, n) < 0)
		drop_samples(ring, n);
}

/* --- samples that wait for a mark --- */

static bool make_waiting_room(struct pmu_sample_ring *ring)
{
	size_t room = ring->room ? 2 * ring->room : 64;
	struct pmu_sample_waiting *grown;

	if (ring->n_waiting < ring->room)
		return true;
	grown = reallocarray(ring->waiting, room, sizeof(*grown));
	if (!grown)
		return false;
	ring->waiting = grown;
	ring->room = room;
	return true;
}

static void take_sample(struct pmu_sample_ring *ring, const struct pmu_sample_record *sample,
			uint64_t position)
{
	struct pmu_sample_at at;

	if (!pmu_sample_place(&ring->sums->maps, sample, &at, &ring->sums->n_unknown))
		return;
	at.chain = pmu_sample_chains_add(&ring->sums->chains, &ring->sums->maps, sample);
	if (make_waiting_room(ring))
		ring->waiting[ring->n_waiting++] = (struct pmu_sample_waiting){ position, at };
	else
		drop_samples(ring, 1);
}

/* What another thread has mapped may have become known behind the sample. */
static struct pmu_sample_at look_again(const struct pmu_sample_ring *ring, struct pmu_sample_at at)
{
	struct pmu_sample_at found = at;

	if (at.file == PMU_SAMPLE_NO_FILE)
		found = pmu_sample_maps_find(&ring->sums->maps, at.at);
	found.chain = at.chain;
	return found;
}

/* All up to @head. */
static void give(struct pmu_sample_ring *ring, uint64_t head, uint64_t who)
{
	struct pmu_sample_hits *early = &ring->early;

	for (size_t i = 0; i < early->n; i++)
		add_hit(ring, &ring->sums->hits, who, look_again(ring, early->of[i].at),
			early->of[i].n);
	pmu_sample_hits_free(early);
	for (; ring->first < ring->n_waiting && ring->waiting[ring->first].position < head;
	     ring->first++)
		add_hit(ring, &ring->sums->hits, who,
			look_again(ring, ring->waiting[ring->first].at), 1);
}

/* Those whose marks were written over. */
static void drop_before(struct pmu_sample_ring *ring, uint64_t head)
{
	for (size_t i = 0; i < ring->early.n; i++)
		drop_samples(ring, ring->early.of[i].n);
	pmu_sample_hits_free(&ring->early);
	for (; ring->first < ring->n_waiting && ring->waiting[ring->first].position < head;
	     ring->first++)
		drop_samples(ring, 1);
}

/* No mark is for them yet: they are all of one region. */
static void keep_waiting(struct pmu_sample_ring *ring)
{
	size_t n = ring->n_waiting - ring->first;

	if (n)
		memmove(ring->waiting, ring->waiting + ring->first, n * sizeof(*ring->waiting));
	ring->first = 0;
	ring->n_waiting = n;
	if (n <= MOST_WAITING)
		return;
	for (size_t i = 0; i < n; i++)
		add_hit(ring, &ring->early, 0, ring->waiting[i].at, 1);
	ring->n_waiting = 0;
}

/* --- marks --- */

static uint64_t n_marks_of(const struct pmu_sample_ring *ring)
{
	return ring->marks ? __atomic_load_n(&ring->marks->n, __ATOMIC_ACQUIRE) : 0;
}

/*
 * Pairs with put_mark() of the library's samples.c: a place is good if the mark that comes round to it has not
 * been begun.
 */
static bool copy_mark(const struct pmu_sample_ring *ring, uint64_t i, struct pmu_samples_mark *mark)
{
	const struct pmu_samples_mark *from = &ring->marks->mark[i % ring->n_places];

	mark->head = __atomic_load_n(&from->head, __ATOMIC_RELAXED);
	mark->who = __atomic_load_n(&from->who, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&ring->marks->n, __ATOMIC_RELAXED) - i < ring->n_places;
}

/* Half of them, so that those are not written over at once.  Return: the next one to look at. */
static uint64_t skip_marks(struct pmu_sample_ring *ring, uint64_t i, uint64_t n)
{
	uint64_t half = n - ring->n_places / 2;

	ring->sums->n_stretches += !ring->has_gap;
	ring->has_gap = true;
	return half > i && half < n ? half : i + 1;
}

/*
 * Of what was read up to @limit: a mark that is for more comes first in the next look, or what is read then would
 * be the next region's.
 */
static void take_marks(struct pmu_sample_ring *ring, uint64_t limit)
{
	uint64_t n = n_marks_of(ring), i = ring->n_marks;
	struct pmu_samples_mark mark;

	for (uint32_t left = ring->n_places; i < n && left; left--) {
		if (!copy_mark(ring, i, &mark)) {
			i = skip_marks(ring, i, n);
			continue;
		}
		if (mark.head > limit)
			break;
		if (ring->has_gap)
			drop_before(ring, mark.head);
		else
			give(ring, mark.head, mark.who);
		ring->has_gap = false;
		i++;
	}
	ring->n_marks = i;
}

/* --- the ring --- */

/* It may be less than was found before: the thread leaves the word in the page first, then tells how far it has looked. */
static uint64_t ring_head(const struct pmu_sample_ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	return ring->marks && head == ring->resting
		       ? __atomic_load_n(&ring->marks->head, __ATOMIC_ACQUIRE)
		       : head;
}

bool pmu_sample_scratch(struct pmu_sample_scratch *scratch, size_t size)
{
	if (scratch->size >= size)
		return true;
	free(scratch->at);
	scratch->at = malloc(size);
	scratch->size = scratch->at ? size : 0;
	return scratch->at;
}

static void copy_out(const struct pmu_sample_ring *ring, size_t n, char *to)
{
	size_t at = ring->position & (ring->size - 1),
	       first = n < ring->size - at ? n : ring->size - at;

	memcpy(to, ring->ring + at, first);
	memcpy(to + first, ring->ring, n - first);
}

/* What was sampled of a thread from outside before it was off its processor. */
static void note_off(struct pmu_sample_ring *ring)
{
	if (ring->marks || ring->was_off)
		return;
	ring->was_off = true;
	for (; ring->first < ring->n_waiting; ring->first++)
		add_hit(ring, &ring->early, 0, ring->waiting[ring->first].at, 1);
	ring->unsure = ring->early;
	ring->early = (struct pmu_sample_hits){ .n = 0 };
}

static bool take_record(void *arg, const struct perf_event_header *header, size_t at)
{
	struct pmu_sample_ring *ring = arg;
	const void *record = header;

	if (pmu_sample_is_record(header))
		take_sample(ring, record, ring->position + at);
	else if (pmu_sample_is_mapping(header))
		pmu_sample_map(&ring->sums->maps, record);
	else if (header->type == PERF_RECORD_COMM && header->misc & PERF_RECORD_MISC_COMM_EXEC)
		ring->has_ended = ring->sums->has_execed = true;
	else if (header->type == PERF_RECORD_SWITCH)
		note_off(ring);
	else if (header->type == PERF_RECORD_THROTTLE)
		ring->sums->n_throttled++;
	return !ring->has_ended;
}

/* Of a ring that is nearly full: what the kernel may be writing over without having told of it, one record. */
static uint64_t ring_margin(const struct pmu_sample_ring *ring)
{
	return ring->size / 4 < PMU_SAMPLE_LONGEST ? ring->size / 4 : PMU_SAMPLE_LONGEST;
}

/* Is what is between there, or is it written over when the head is here? */
static bool is_ring_kept(const struct pmu_sample_ring *ring, uint64_t head)
{
	return head - ring->position <= ring->size - ring_margin(ring);
}

/* What is between was written over, or is damaged.  A record begins at the head, and where one was when it was marked. */
static void lose(struct pmu_sample_ring *ring, uint64_t from, uint64_t head)
{
	uint64_t n = n_marks_of(ring), i = ring->n_marks;
	struct pmu_samples_mark mark;

	ring->sums->n_stretches++;
	ring->position = head;
	if (n - i > ring->n_places)
		return;
	for (; i < n; i++) {
		if (!copy_mark(ring, i, &mark) || mark.head < from)
			continue;
		if (mark.head < head)
			ring->position = mark.head;
		return;
	}
}

/* Return: bytes from its position on that are copied whole. */
static size_t copy_ring(struct pmu_sample_ring *ring, uint64_t head, char *to)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t now;

		if (!is_ring_kept(ring, head))
			lose(ring, head - ring->size + 2 * ring_margin(ring), head);
		copy_out(ring, head - ring->position, to);
		/* what is copied is as old as the head that is looked at then, or older */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		now = ring_head(ring);
		if (now < head)
			return 0; /* the thread is about to tell how far it has come */
		if (is_ring_kept(ring, now))
			return head - ring->position;
		head = now;
	}
	lose(ring, head, head);
	return 0;
}

static void read_records(struct pmu_sample_ring *ring, struct pmu_sample_scratch *scratch)
{
	uint64_t head = ring_head(ring);
	size_t n;

	ring->fill = 0;
	if (ring->has_ended || head <= ring->position)
		return;
	ring->fill = head - ring->position < ring->size ? (uint32_t)(head - ring->position)
							: ring->size;
	if (!pmu_sample_scratch(scratch, ring->size))
		return;
	n = copy_ring(ring, head, scratch->at);
	head = ring->position + n;
	if (pmu_sample_records(scratch->at, n, take_record, ring))
		ring->position = head;
	else
		lose(ring, head, head);
}

void pmu_sample_ring_read(struct pmu_sample_ring *ring, struct pmu_sample_scratch *scratch)
{
	if (!ring->page)
		return;
	ring->is_ending = ring->marks && __atomic_load_n(&ring->marks->end, __ATOMIC_ACQUIRE);
	read_records(ring, scratch);
}

void pmu_sample_ring_mark(struct pmu_sample_ring *ring)
{
	take_marks(ring, ring->position);
	keep_waiting(ring);
	ring->has_ended |= ring->is_ending;
}

int pmu_sample_ring_pending(const struct pmu_sample_ring *ring, struct pmu_sample_hits *hits)
{
	const uint64_t who = PMU_SAMPLE_OPEN(ring->tid);
	int rc = 0;

	if (!ring->marks && !ring->was_off)
		return 0;
	for (size_t i = 0; !rc && i < ring->early.n; i++)
		rc = pmu_sample_hits_add(hits, who, look_again(ring, ring->early.of[i].at),
					 ring->early.of[i].n);
	for (size_t i = ring->first; !rc && i < ring->n_waiting; i++)
		rc = pmu_sample_hits_add(hits, who, look_again(ring, ring->waiting[i].at), 1);
	return rc;
}

static void give_unsure(struct pmu_sample_ring *ring, uint64_t who)
{
	struct pmu_sample_hits *unsure = &ring->unsure;

	for (size_t i = 0; i < unsure->n; i++) {
		if (ring->is_sure)
			add_hit(ring, &ring->sums->hits, who, look_again(ring, unsure->of[i].at),
				unsure->of[i].n);
		else
			drop_samples(ring, unsure->of[i].n);
	}
	pmu_sample_hits_free(unsure);
}

void pmu_sample_ring_finish(struct pmu_sample_ring *ring, uint64_t who)
{
	/* one that was killed may have marked what it had no time to tell of */
	take_marks(ring, UINT64_MAX);
	if (ring->has_gap)
		drop_before(ring, UINT64_MAX);
	if (!ring->marks && !ring->was_off && !ring->is_sure)
		drop_before(ring, UINT64_MAX);
	give(ring, UINT64_MAX, who);
	give_unsure(ring, who);
	free(ring->waiting);
	ring->waiting = NULL;
	ring->first = ring->n_waiting = ring->room = 0;
}
