/* SPDX-License-Identifier: BSD-3-Clause */
/* One number of each rank: what becomes of them together. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "reports/ranks/ranking.h"

static pmu_wide wide_capped(pmu_wide a, pmu_wide b)
{
	return a > ~(pmu_wide)0 - b ? ~(pmu_wide)0 : a + b;
}

static int make_bucket_room(struct pmu_over *over, struct pmu_model_block **blocks)
{
	unsigned int room = over->room ? 2 * over->room : 2;
	struct pmu_over_bucket *more;

	if (over->n_buckets < over->room)
		return 0;
	more = pmu_block_array(blocks, room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	if (over->n_buckets)
		memcpy(more, over->bucket, over->n_buckets * sizeof(*more));
	over->bucket = more;
	over->room = room;
	return 0;
}

static int add_to_bucket(struct pmu_over *over, struct pmu_model_block **blocks, uint32_t bucket,
			 uint32_t n)
{
	unsigned int i = over->n_buckets;

	while (i && over->bucket[i - 1].bucket >= bucket)
		i--;
	if (i < over->n_buckets && over->bucket[i].bucket == bucket) {
		over->bucket[i].n = over->bucket[i].n > UINT32_MAX - n ? UINT32_MAX
								       : over->bucket[i].n + n;
		return 0;
	}
	if (make_bucket_room(over, blocks) < 0)
		return -ENOMEM;
	memmove(&over->bucket[i + 1], &over->bucket[i],
		(over->n_buckets - i) * sizeof(*over->bucket));
	over->bucket[i] = (struct pmu_over_bucket){ bucket, n };
	over->n_buckets++;
	return 0;
}

/* Everything but the buckets. */
static void merge_totals(struct pmu_over *over, const struct pmu_over *from, const char *min_host,
			 const char *max_host)
{
	if (!over->n || from->min < over->min ||
	    (from->min == over->min && from->min_rank < over->min_rank)) {
		over->min = from->min;
		over->min_rank = from->min_rank;
		over->min_host = min_host;
	}
	if (!over->n || from->max > over->max ||
	    (from->max == over->max && from->max_rank < over->max_rank)) {
		over->max = from->max;
		over->max_rank = from->max_rank;
		over->max_host = max_host;
	}
	over->n = pmu_add_capped(over->n, from->n);
	over->sum = pmu_add_capped(over->sum, from->sum);
	over->squares = wide_capped(over->squares, from->squares);
}

int pmu_over_add(struct pmu_over *over, struct pmu_model_block **blocks, uint64_t value,
		 uint32_t rank, const char *host)
{
	const struct pmu_over one = { .n = 1,
				      .sum = value,
				      .squares = (pmu_wide)value * value,
				      .min = value,
				      .max = value,
				      .min_rank = rank,
				      .max_rank = rank };

	merge_totals(over, &one, host, host);
	return add_to_bucket(over, blocks, pmu_bucket_of(value, PMU_OVER_BITS), 1);
}

int pmu_over_merge(struct pmu_over *over, struct pmu_ranks *ranks, const struct pmu_over *from)
{
	int rc = 0;

	if (!from->n)
		return 0;
	merge_totals(over, from, pmu_ranks_text(ranks, from->min_host, strlen(from->min_host)),
		     pmu_ranks_text(ranks, from->max_host, strlen(from->max_host)));
	for (unsigned int i = 0; !rc && i < from->n_buckets; i++)
		rc = add_to_bucket(over, &ranks->blocks, from->bucket[i].bucket, from->bucket[i].n);
	return rc;
}

double pmu_over_mean(const struct pmu_over *over)
{
	return over->n ? (double)over->sum / (double)over->n : NAN;
}

/* (n * squares - sum^2) / n^2; long double has 64 digits, so that little cancels. */
double pmu_over_variance(const struct pmu_over *over)
{
	long double n = (long double)over->n, sum = (long double)over->sum;
	long double variance;

	if (!over->n || over->sum == UINT64_MAX || !~over->squares)
		return NAN;
	variance = ((long double)over->squares - sum * (sum / n)) / n;
	return variance > 0 ? (double)variance : 0;
}

double pmu_over_imbalance(const struct pmu_over *over)
{
	double mean = pmu_over_mean(over);

	return mean > 0 ? (double)over->max / mean - 1 : NAN;
}

uint64_t pmu_over_quantile(const struct pmu_over *over, double part)
{
	double before = part * (double)over->n;
	uint64_t n = 0, value = over->max;

	if (before <= 1)
		return over->min;
	for (unsigned int i = 0; i < over->n_buckets; i++) {
		n += over->bucket[i].n;
		value = pmu_bucket_middle(over->bucket[i].bucket, PMU_OVER_BITS);
		if ((double)n >= before)
			break;
	}
	if (part >= 1 || value > over->max)
		return over->max;
	return value < over->min ? over->min : value;
}
