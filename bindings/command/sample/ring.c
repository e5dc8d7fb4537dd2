/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's ring of samples and its marks: whatever is in them, nothing is read beyond them. */
#include "bindings/command/sample/ring.h"

#include <stdlib.h>
#include <string.h>

/* A region that lasts has no mark meanwhile: what is older than these is of one and the same. */
#define MOST_WAITING  8192u
#define STILL_WAITING 1024u

/* Of a ring: what may be written over while it is told that it is not. */
#define MARGIN 64

/* perf_event_open(2): without PERF_SAMPLE_ID, in this order. */
struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
};

struct mapping {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t address, len, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[]; /* with a NUL, and more of them up to 8 bytes */
};

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

static void keep_early(struct pmu_sample_ring *ring)
{
	size_t n = ring->n_waiting - STILL_WAITING;

	for (size_t i = 0; i < n; i++)
		add_hit(ring, &ring->early, 0, ring->waiting[i].at, 1);
	memmove(ring->waiting, ring->waiting + n, STILL_WAITING * sizeof(*ring->waiting));
	ring->n_waiting = STILL_WAITING;
}

static bool make_waiting_room(struct pmu_sample_ring *ring)
{
	size_t room = ring->room ? 2 * ring->room : 64;
	struct pmu_sample_waiting *grown;

	if (ring->n_waiting == MOST_WAITING)
		keep_early(ring);
	if (ring->n_waiting < ring->room)
		return true;
	grown = reallocarray(ring->waiting, room, sizeof(*grown));
	if (!grown)
		return false;
	ring->waiting = grown;
	ring->room = room;
	return true;
}

static void take_sample(struct pmu_sample_ring *ring, const struct sample *sample,
			uint64_t position)
{
	struct pmu_sample_at at;

	switch (sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		at = (struct pmu_sample_at){ PMU_SAMPLE_KERNEL, sample->ip };
		break;
	case PERF_RECORD_MISC_USER:
		at = pmu_sample_maps_find(&ring->sums->maps, sample->ip);
		break;
	default:
		return;
	}
	if (make_waiting_room(ring))
		ring->waiting[ring->n_waiting++] = (struct pmu_sample_waiting){ position, at };
	else
		drop_samples(ring, 1);
}

static void give_early(struct pmu_sample_ring *ring, uint64_t who)
{
	struct pmu_sample_hits *early = &ring->early;

	for (size_t i = 0; i < early->n; i++)
		add_hit(ring, &ring->sums->hits, who, early->of[i].at, early->of[i].n);
	pmu_sample_hits_free(early);
}

/* All up to @head. */
static void give(struct pmu_sample_ring *ring, uint64_t head, uint64_t who)
{
	size_t n = 0;

	give_early(ring, who);
	for (; n < ring->n_waiting && ring->waiting[n].position < head; n++)
		add_hit(ring, &ring->sums->hits, who, ring->waiting[n].at, 1);
	ring->n_waiting -= n;
	memmove(ring->waiting, ring->waiting + n, ring->n_waiting * sizeof(*ring->waiting));
}

/* Those whose marks were written over. */
static void drop_before(struct pmu_sample_ring *ring, uint64_t head)
{
	size_t n = 0;

	for (size_t i = 0; i < ring->early.n; i++)
		drop_samples(ring, ring->early.of[i].n);
	pmu_sample_hits_free(&ring->early);
	for (; n < ring->n_waiting && ring->waiting[n].position < head; n++)
		drop_samples(ring, 1);
	ring->n_waiting -= n;
	memmove(ring->waiting, ring->waiting + n, ring->n_waiting * sizeof(*ring->waiting));
}

/* --- marks --- */

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

/* The oldest that is there; what it is for, and what is older, cannot be told apart. */
static uint64_t skip_marks(struct pmu_sample_ring *ring, uint64_t from, uint64_t n)
{
	struct pmu_samples_mark mark;
	uint64_t half = n - ring->n_places / 2, i = half > from ? half : from + 1;

	ring->sums->n_stretches++;
	while (i < n && !copy_mark(ring, i, &mark))
		i++;
	if (i >= n)
		return n;
	drop_before(ring, mark.head);
	return i + 1;
}

static void take_marks(struct pmu_sample_ring *ring)
{
	uint64_t n = __atomic_load_n(&ring->marks->n, __ATOMIC_ACQUIRE), i = ring->n_marks;
	struct pmu_samples_mark mark;

	while (i < n) {
		if (!copy_mark(ring, i, &mark)) {
			i = skip_marks(ring, i, n);
			continue;
		}
		give(ring, mark.head, mark.who);
		i++;
	}
	ring->n_marks = n;
}

/* --- the ring --- */

static uint64_t ring_head(const struct pmu_sample_ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	return head == ring->resting ? __atomic_load_n(&ring->marks->head, __ATOMIC_ACQUIRE) : head;
}

static void copy_out(const struct pmu_sample_ring *ring, size_t n)
{
	size_t at = ring->position & (ring->size - 1),
	       first = n < ring->size - at ? n : ring->size - at;

	memcpy(ring->copy, ring->ring + at, first);
	memcpy(ring->copy + first, ring->ring, n - first);
}

static void take_mapping(struct pmu_sample_ring *ring, const struct mapping *mapping, size_t size)
{
	size_t room = size - sizeof(*mapping);

	if (memchr(mapping->path, '\0', room))
		pmu_sample_maps_add(&ring->sums->maps, mapping->address,
				    mapping->address + mapping->len, mapping->offset,
				    mapping->path);
}

static void take_record(struct pmu_sample_ring *ring, const struct perf_event_header *header,
			uint64_t position)
{
	const void *record = header;

	if (header->type == PERF_RECORD_SAMPLE && header->size >= sizeof(struct sample))
		take_sample(ring, record, position);
	else if (header->type == PERF_RECORD_MMAP2 && header->size > sizeof(struct mapping))
		take_mapping(ring, record, header->size);
	else if (header->type == PERF_RECORD_COMM && header->misc & PERF_RECORD_MISC_COMM_EXEC)
		ring->has_ended = true;
}

/* Return: whether all of it makes sense. */
static bool take_records(struct pmu_sample_ring *ring, size_t n)
{
	size_t at = 0;

	while (at < n && !ring->has_ended) {
		const struct perf_event_header *header = (const void *)(ring->copy + at);

		if (n - at < sizeof(*header) || header->size < sizeof(*header) ||
		    header->size % 8 || header->size > n - at)
			return false;
		take_record(ring, header, ring->position + at);
		at += header->size;
	}
	return true;
}

/* What is between was written over, or is damaged: after it a record begins. */
static void lose(struct pmu_sample_ring *ring, uint64_t head)
{
	ring->sums->n_stretches++;
	ring->position = head;
}

static void read_ring(struct pmu_sample_ring *ring)
{
	uint64_t head = ring_head(ring), n = head - ring->position;

	ring->fill = 0;
	if (ring->has_ended || head <= ring->position)
		return;
	ring->fill = n < ring->size ? (uint32_t)n : ring->size;
	if (n > ring->size) {
		lose(ring, head);
		return;
	}
	copy_out(ring, n);
	/* the kernel may have begun one more than it has told of */
	if (ring_head(ring) - ring->position + ring->size / MARGIN > ring->size) {
		lose(ring, head);
		return;
	}
	if (take_records(ring, n))
		ring->position = head;
	else
		lose(ring, head);
}

void pmu_sample_ring_drain(struct pmu_sample_ring *ring)
{
	bool ended = __atomic_load_n(&ring->marks->end, __ATOMIC_ACQUIRE);

	if (!ring->copy)
		ring->copy = malloc(ring->size);
	if (!ring->copy)
		return;
	/* marks behind the samples: what has one then is given to it */
	read_ring(ring);
	take_marks(ring);
	ring->has_ended |= ended;
}

void pmu_sample_ring_finish(struct pmu_sample_ring *ring)
{
	give(ring, UINT64_MAX, PMU_SAMPLE_OPEN(ring->tid));
}

void pmu_sample_ring_free(struct pmu_sample_ring *ring)
{
	free(ring->waiting);
	free(ring->copy);
	pmu_sample_hits_free(&ring->early);
	ring->waiting = NULL;
	ring->copy = NULL;
	ring->n_waiting = ring->room = 0;
}
