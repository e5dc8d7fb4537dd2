/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a row's calls took: the buckets of all rows of all processes are the same, so that they
 * add up.
 */
#ifndef PMU_REPORT_HISTOGRAM_H
#define PMU_REPORT_HISTOGRAM_H

#include "base/buckets.h"
#include "report/model/model.h"

/*
 * Fine enough to add little to what the store's buckets leave open: its lengths are right to 1/16,
 * what is shown of them to a 64th more.
 */
#define PMU_LENGTH_BITS    5u
#define PMU_LENGTH_BUCKETS PMU_BUCKETS(PMU_LENGTH_BITS, 64u)

/** pmu_length_bucket() - where a call of so many ns is counted */
static inline uint32_t pmu_length_bucket(uint64_t ns)
{
	return pmu_bucket_of(ns, PMU_LENGTH_BITS);
}

/**
 * pmu_length_ns() - what a call counted there is taken to have lasted: that is in the same bucket
 */
static inline uint64_t pmu_length_ns(uint32_t bucket)
{
	return pmu_bucket_middle(bucket, PMU_LENGTH_BITS);
}

/** The percentiles that reports show. */
struct pmu_percentile {
	unsigned int per_mille;
	const char *title;  /* "p99.9" */
	const char *member; /* "time_p99_9_ns" */
};
#define PMU_PERCENTILES 4
extern const struct pmu_percentile pmu_percentiles[PMU_PERCENTILES]
	__attribute__((visibility("hidden")));

/** pmu_histogram_calls() - how many calls are in it: outermost ones that have ended; 0 for NULL */
uint64_t pmu_histogram_calls(const struct pmu_model_histogram *histogram);

/**
 * pmu_row_percentile() - the shortest time that so many of a row's calls did not exceed
 * @per_mille: 500 for the median; at most 1000
 *
 * Never less than the row's shortest call, nor more than its longest: those are exact.
 * Return: false where it is not known.
 */
bool pmu_row_percentile(const struct pmu_model_row *row, unsigned int per_mille, uint64_t *ns);

/** Histograms that are being added up. */
struct pmu_histogram_sum {
	uint64_t calls[PMU_LENGTH_BUCKETS];
};

/** pmu_histogram_add() - @histogram: may be NULL */
void pmu_histogram_add(struct pmu_histogram_sum *sum, const struct pmu_model_histogram *histogram);

/**
 * pmu_histogram_make() - what has been added, in the model's memory; @sum is empty again.  NULL
 * without memory.
 */
const struct pmu_model_histogram *pmu_histogram_make(struct pmu_model *model,
						     struct pmu_histogram_sum *sum);

/** pmu_histogram_copy() - in the memory of another model; NULL for NULL, and without memory */
const struct pmu_model_histogram *pmu_histogram_copy(struct pmu_model *model,
						     const struct pmu_model_histogram *histogram);

/** pmu_model_has_histograms() - was any row's calls' length counted? */
bool pmu_model_has_histograms(const struct pmu_model *model);

#endif
