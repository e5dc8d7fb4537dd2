/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies how long rows' calls took; each bucket for itself, see row.h. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "store/read/reader.h"

/* Only a row that is forgotten all the time fails them all. */
#define TRIES 100u

static struct pmu_raw_thread *thread_of(const struct pmu_raw *raw, uint32_t serial)
{
	size_t low = 0, high = raw->n_threads;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (raw->thread[middle].serial == serial)
			return &raw->thread[middle];
		if (raw->thread[middle].serial < serial)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* All of them as they were between two moments in which nothing was forgotten. */
static bool copy_buckets(const struct pmu_store_histogram *from,
			 uint64_t bucket[PMU_HISTOGRAM_BUCKETS])
{
	for (unsigned int i = 0; i < TRIES; i++) {
		/* Pairs with the release behind the emptying. */
		uint32_t seq = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);

		for (uint32_t k = 0; k < PMU_HISTOGRAM_BUCKETS; k++)
			bucket[k] = __atomic_load_n(&from->bucket[k], __ATOMIC_ACQUIRE);
		if (!(seq & 1) && PMU_READER_LOAD(from->seq) == seq)
			return true;
		sched_yield();
	}
	return false;
}

static int add_bucket(struct pmu_reader *reader, uint32_t bucket, uint64_t calls)
{
	struct pmu_raw *raw = reader->raw;

	if (pmu_reader_make_room(&raw->bucket, raw->n_buckets, &reader->bucket_room,
				 sizeof(*raw->bucket)))
		return -ENOMEM;
	raw->bucket[raw->n_buckets++] = (struct pmu_raw_bucket){ bucket, calls };
	return 0;
}

static int copy_histogram(struct pmu_reader *reader, const struct pmu_store_histogram *from,
			  struct pmu_raw_row *row)
{
	uint64_t bucket[PMU_HISTOGRAM_BUCKETS];

	if (!copy_buckets(from, bucket))
		return 0;
	row->has_histogram = true;
	row->first_bucket = reader->raw->n_buckets;
	for (uint32_t i = 0; i < PMU_HISTOGRAM_BUCKETS; i++)
		if (bucket[i] && add_bucket(reader, i, bucket[i]))
			return -ENOMEM;
	row->n_buckets = reader->raw->n_buckets - row->first_bucket;
	return 0;
}

/* One that is new, of a row that is newer than our look at the rows, has nothing to say yet. */
static int take_histogram(struct pmu_reader *reader, const struct pmu_raw_thread *thread,
			  const struct pmu_store_histogram *from)
{
	bool is_set = thread->record.state == PMU_THREAD_MERGED;
	uint32_t bank = PMU_READER_LOAD(from->bank);
	size_t at = pmu_raw_find_row(thread, PMU_READER_LOAD(from->row));
	struct pmu_raw_row *row = at == SIZE_MAX ? NULL : &thread->row[at];

	if (is_set && bank == (~thread->record.merged & 1))
		return 0;
	if ((!row && !reader->live) || bank > is_set || (row && row->has_histogram)) {
		reader->raw->damage[PMU_DAMAGE_HISTOGRAM]++;
		return 0;
	}
	return row ? copy_histogram(reader, from, row) : 0;
}

static int take_chunk(struct pmu_reader *reader, const struct pmu_rows_chunk *from)
{
	const struct pmu_store_histogram *histogram = (const void *)(from->chunk + 1);
	const struct pmu_raw_thread *thread = thread_of(reader->raw, from->copy.owner);
	size_t n = (from->copy.size - sizeof(*from->chunk)) / sizeof(*histogram);
	int rc = 0;

	if (!thread || thread->group != from->copy.group) {
		reader->raw->damage[PMU_DAMAGE_HISTOGRAM] += thread ||
							     !pmu_reader_is_gone(reader,
										 from->copy.owner);
		return 0;
	}
	reader->raw->damage[PMU_DAMAGE_HISTOGRAM] += from->copy.used > n;
	if (from->copy.used < n)
		n = from->copy.used;
	for (size_t i = 0; i < n && !rc; i++)
		rc = take_histogram(reader, thread, &histogram[i]);
	return rc;
}

int pmu_reader_copy_histograms(struct pmu_reader *reader)
{
	int rc = 0;

	for (size_t i = 0; i < reader->n_histograms && !rc; i++)
		rc = take_chunk(reader, &reader->histograms[i]);
	return rc;
}
