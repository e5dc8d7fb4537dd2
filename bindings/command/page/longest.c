/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls a page has where there are too many: the longest, in one walk and without sorting them. */
#include <string.h>

#include "bindings/command/page/calls.h"
#include "bindings/command/page/timeline.h"

/* Bytes of counts; a third more in the page. */
#define COUNTS_MOST ((size_t)4500000)

/* Lengths by their highest seven bits: 64 buckets for each power of two. */
#define N_BUCKETS ((size_t)64 * 59)

static size_t bucket_of(uint64_t length)
{
	unsigned int above = length < 64 ? 0 : 58 - (unsigned int)__builtin_clzll(length);

	return above ? 64 * (size_t)(above - 1) + (size_t)(length >> (above - 1)) : length;
}

static uint64_t shortest_of(size_t bucket)
{
	size_t above = bucket / 64;

	return above ? (uint64_t)(bucket - 64 * (above - 1)) << (above - 1) : bucket;
}

/** What is kept: those of longer buckets, and the first ones of one. */
struct limit {
	size_t bucket, left;
};

static size_t one(const struct pmu_page_call *call)
{
	(void)call;
	return 1;
}

static size_t bytes_of_counts(const struct pmu_page_call *call)
{
	return call->counts_len;
}

static struct limit limit_to(const struct pmu_page_calls *calls, size_t most,
			     size_t (*size_of)(const struct pmu_page_call *call))
{
	size_t size[N_BUCKETS] = { 0 };
	struct limit limit = { N_BUCKETS, most };

	for (size_t i = 0; i < calls->n; i++)
		size[bucket_of(calls->call[i].length)] += size_of(&calls->call[i]);
	while (limit.bucket-- > 0 && size[limit.bucket] <= limit.left)
		limit.left -= size[limit.bucket];
	if (limit.bucket == SIZE_MAX) /* all of them */
		limit = (struct limit){ 0, SIZE_MAX };
	return limit;
}

static bool is_call_kept(struct limit *limit, const struct pmu_page_call *call, size_t size)
{
	size_t bucket = bucket_of(call->length);

	if (bucket != limit->bucket || size > limit->left)
		return bucket > limit->bucket || !size;
	limit->left -= size;
	return true;
}

void pmu_page_leave_out(const struct pmu_page_call *call, uint64_t *n, uint64_t *longest_ns)
{
	++*n;
	*longest_ns = call->length > *longest_ns ? call->length : *longest_ns;
}

void pmu_page_keep_longest(struct pmu_page_calls *calls)
{
	struct limit limit = limit_to(calls, PMU_PAGE_SLICES, one);
	char *counts = calls->counts.text;
	size_t n = 0, len = 0;

	calls->bound = shortest_of(limit.bucket);
	for (size_t i = 0; i < calls->n; i++) {
		struct pmu_page_call call = calls->call[i];

		if (!is_call_kept(&limit, &call, 1)) {
			pmu_page_leave_out(&call, &calls->not_shown, &calls->not_shown_ns);
			continue;
		}
		/* in the order of the calls, as long as these are in that of their ends */
		if (call.counts_len)
			memmove(counts + len, counts + call.counts_at, call.counts_len);
		call.counts_at = len;
		len += call.counts_len;
		calls->call[n++] = call;
	}
	calls->n = n;
	calls->counts.len = len;
}

void pmu_page_limit_counts(struct pmu_page_calls *calls)
{
	struct limit limit = limit_to(calls, COUNTS_MOST, bytes_of_counts);

	for (size_t i = 0; i < calls->n; i++) {
		struct pmu_page_call *call = &calls->call[i];

		if (!call->counts_len || is_call_kept(&limit, call, call->counts_len))
			continue;
		pmu_page_leave_out(call, &calls->without_counts, &calls->without_counts_ns);
		call->kind &= ~(uint32_t)PMU_PAGE_COUNTS;
	}
}
