/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies what stands beside rows, how long their calls took, what they waited, the least they counted;
 * each number for itself, see row.h.
 */
#define PMU_STORE_READER 1
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "store/read/reader.h"

/* Only a row that is reset all the time fails them all. */
#define TRIES 100u

/* Tries again where the record was emptied meanwhile or, of turns, written to. */
static bool copy_values(const struct pmu_store_side *from, uint32_t n, uint64_t *value)
{
	const uint64_t *live = (const void *)(from + 1);

	for (unsigned int i = 0; i < TRIES; i++) {
		/* Pairs with the release behind the emptying. */
		uint32_t seq = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);

		for (uint32_t k = 0; k < n; k++)
			value[k] = __atomic_load_n(&live[k], __ATOMIC_ACQUIRE);
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

static int copy_histogram(struct pmu_reader *reader, const struct pmu_store_side *from,
			  struct pmu_raw_row *row)
{
	uint64_t bucket[PMU_HISTOGRAM_BUCKETS];

	if (!copy_values(from, PMU_HISTOGRAM_BUCKETS, bucket))
		return 0;
	row->has_histogram = true;
	row->first_bucket = reader->raw->n_buckets;
	for (uint32_t i = 0; i < PMU_HISTOGRAM_BUCKETS; i++)
		if (bucket[i] && add_bucket(reader, i, bucket[i]))
			return -ENOMEM;
	row->n_buckets = reader->raw->n_buckets - row->first_bucket;
	return 0;
}

/*
 * A call's counts are in the totals before they are here, and the rows have been read before this:
 * of calls that they do not have yet the least may only be less.
 */
static int copy_least(struct pmu_reader *reader, const struct pmu_store_side *from,
		      struct pmu_raw_row *row)
{
	bool impossible = false;

	if (!copy_values(from, PMU_MAX_SLOTS, row->least) || row->torn || !row->calls)
		return 0;
	row->has_least = true;
	for (uint32_t i = 0; i < PMU_MAX_SLOTS; i++) {
		if (!row->least[i] || row->least[i] - 1 <= row->count[i])
			continue;
		row->least[i] = 0;
		impossible = true;
	}
	reader->raw->damage[PMU_DAMAGE_LEAST] += impossible;
	return 0;
}

/* Sums of what nothing is below 0. */
static bool are_sums(const double *sum)
{
	for (uint32_t i = 0; i < PMU_TURNS_VALUES; i++)
		if (!isfinite(sum[i]) || sum[i] < 0)
			return false;
	return true;
}

static int copy_turns(struct pmu_reader *reader, const struct pmu_store_side *from,
		      struct pmu_raw_row *row)
{
	struct pmu_raw *raw = reader->raw;
	uint64_t value[PMU_TURNS_VALUES];

	if (!copy_values(from, PMU_TURNS_VALUES, value) || row->torn)
		return 0;
	if (pmu_reader_make_room(&raw->turns, raw->n_turns, &reader->turns_room,
				 sizeof(*raw->turns)))
		return -ENOMEM;
	memcpy(raw->turns[raw->n_turns].sum, value, sizeof(value));
	if (!are_sums(raw->turns[raw->n_turns].sum)) {
		raw->damage[PMU_DAMAGE_TURNS]++;
		return 0;
	}
	row->has_turns = true;
	row->turns = raw->n_turns++;
	return 0;
}

static int copy_waits(struct pmu_reader *reader, const struct pmu_store_side *from,
		      struct pmu_raw_row *row)
{
	uint64_t value[PMU_WAITS_VALUES];

	(void)reader;
	if (!copy_values(from, PMU_WAITS_VALUES, value))
		return 0;
	row->has_waits = true;
	row->off_ns = value[0];
	row->queued_ns = value[1];
	return 0;
}

static bool has_side(const struct pmu_raw_row *row, enum pmu_side which)
{
	const bool has[PMU_SIDES] = {
		[PMU_SIDE_HISTOGRAM] = row->has_histogram,
		[PMU_SIDE_LEAST] = row->has_least,
		[PMU_SIDE_TURNS] = row->has_turns,
		[PMU_SIDE_WAITS] = row->has_waits,
	};

	return has[which];
}

/* What becomes of each kind. */
static const struct {
	enum pmu_store_damage damage;
	int (*copy)(struct pmu_reader *reader, const struct pmu_store_side *from,
		    struct pmu_raw_row *row);
} kinds[PMU_SIDES] = {
	[PMU_SIDE_HISTOGRAM] = { PMU_DAMAGE_HISTOGRAM, copy_histogram },
	[PMU_SIDE_LEAST] = { PMU_DAMAGE_LEAST, copy_least },
	[PMU_SIDE_TURNS] = { PMU_DAMAGE_TURNS, copy_turns },
	[PMU_SIDE_WAITS] = { PMU_DAMAGE_WAITS, copy_waits },
};

static uint64_t *damage_of(struct pmu_reader *reader, enum pmu_side which)
{
	return &reader->raw->damage[kinds[which].damage];
}

/* A record of a row that is newer than our look at the rows is passed over. */
static int take_side(struct pmu_reader *reader, const struct pmu_raw_thread *thread,
		     enum pmu_side which, const struct pmu_store_side *from)
{
	bool is_set = thread->record.state == PMU_THREAD_MERGED;
	uint32_t bank = PMU_READER_LOAD(from->bank);
	size_t at = pmu_raw_find_row(thread, PMU_READER_LOAD(from->row));
	struct pmu_raw_row *row = at == SIZE_MAX ? NULL : &thread->row[at];

	if (is_set && bank == (~thread->record.merged & 1))
		return 0;
	if ((!row && !reader->live) || bank > is_set || (row && has_side(row, which))) {
		++*damage_of(reader, which);
		return 0;
	}
	if (!row)
		return 0;
	return kinds[which].copy(reader, from, row);
}

static int take_chunk(struct pmu_reader *reader, const struct pmu_rows_chunk *from)
{
	enum pmu_side which = pmu_side_of_chunk(from->copy.kind);
	const struct pmu_raw_thread *thread = pmu_raw_find_thread(reader->raw, from->copy.owner);
	size_t n = (from->copy.size - sizeof(*from->chunk)) / pmu_side_size(which);
	const char *side = (const char *)(from->chunk + 1);
	int rc = 0;

	if (!thread || thread->group != from->copy.group) {
		*damage_of(reader, which) += thread ||
					     !pmu_reader_is_gone(reader, from->copy.owner);
		return 0;
	}
	*damage_of(reader, which) += from->copy.used > n;
	if (from->copy.used < n)
		n = from->copy.used;
	for (size_t i = 0; i < n && !rc; i++)
		rc = take_side(reader, thread, which,
			       (const void *)(side + i * pmu_side_size(which)));
	return rc;
}

int pmu_reader_copy_sides(struct pmu_reader *reader)
{
	int rc = 0;

	for (size_t i = 0; i < reader->n_sides && !rc; i++)
		rc = take_chunk(reader, &reader->sides[i]);
	return rc;
}
