/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact p of rank statistics of values some of which are equal: the ranks are as they are, and each
 * way to choose those that are counted is as probable as any other.
 *
 * Sums are counted rank by rank: what can be reached with a rank is what could be reached without,
 * shifted by it (Streitberg and Roehmel, Statistical Software Newsletter 12, 1986); here equal ranks are
 * taken at once.
 */
#include <errno.h>
#include <stdlib.h>

#include "bindings/command/stats/parts.h"

/* Choices of some of these. */
struct choices {
	size_t n, size;
	size_t limit;  /* larger sums are not counted */
	size_t *score; /* ascending */
	size_t *first; /* the sum of those before */
	size_t room; /* sums that k of these may have, from their least to what leaves room for the rest */
	double *ways; /* [k * room + sum - first[k]]: to choose k so far */
};

/* Choices with the last of the group [@begin, @end) as k-th: @take of it, in one of @ways. */
static void add_choices(struct choices *c, size_t begin, size_t end, size_t k, size_t take,
			double ways)
{
	size_t before = k - take, left = c->size - k;
	size_t rest = c->first[end + left] -
		      c->first[end]; /* at least, of what is still to be chosen */
	size_t score = take * c->score[begin], least, most, n; /* sums of those before */
	double *restrict to = c->ways + k * c->room;
	const double *restrict from = c->ways + before * c->room;

	if (before > begin || rest + score > c->limit)
		return;
	least = c->first[before];
	most = c->first[begin] - c->first[begin - before];
	if (most > c->limit - rest - score)
		most = c->limit - rest - score;
	n = most < least ? 0 : most - least + 1;
	to += least + score - c->first[k];
	for (size_t i = 0; i < n; i++)
		to[i] += ways * from[i];
}

/* The scores from @from to before @end are equal. */
static void add_tied_scores(struct choices *c, size_t from, size_t end)
{
	size_t equal = end - from, k = end < c->size ? end : c->size;

	for (; k && k + c->n - end >= c->size; k--) {
		double ways = 1;

		for (size_t take = 1; take <= k && take <= equal; take++) {
			ways *= (double)(equal - take + 1) / (double)take;
			add_choices(c, from, end, k, take, ways);
		}
	}
}

static void count_choices(struct choices *c)
{
	c->ways[0] = 1;
	for (size_t from = 0, end; from < c->n; from = end) {
		for (end = from + 1; end < c->n && c->score[end] == c->score[from]; end++) {
		}
		add_tied_scores(c, from, end);
	}
}

/* Of the limit or less, and of the limit or more. */
static double p_of_choices(const struct choices *c)
{
	const double *ways = c->ways + c->size * c->room;
	double all = 1, below = 0;

	for (size_t k = 1; k <= c->size; k++)
		all *= (double)(c->n - c->size + k) / (double)k;
	for (size_t i = 0; i < c->room; i++)
		below += ways[i];
	return fmin(2 * fmin(below, all - below + ways[c->room - 1]) / all, 1);
}

/* Ranks above the least, so that sums are small; from above, where those counted are rather high. */
static void take_scores(struct choices *c, const struct pmu_ranked *of)
{
	size_t n = c->n, total = 0, sum = 0;
	bool turned;

	for (size_t i = 0; i < n; i++) {
		size_t score = of[i].twice - of[0].twice;

		total += score;
		sum += of[i].counted ? score : 0;
	}
	turned = (double)sum * (double)n > (double)total * (double)c->size;
	c->limit = turned ? c->size * (of[n - 1].twice - of[0].twice) - sum : sum;
	for (size_t i = 0; i < n; i++) {
		c->score[i] = turned ? of[n - 1].twice - of[n - 1 - i].twice
				     : of[i].twice - of[0].twice;
		c->first[i + 1] = c->first[i] + c->score[i];
	}
}

int pmu_tied_rank_sum(const struct pmu_ranked *of, size_t n, size_t n_counted, double *p)
{
	struct choices c = { .n = n, .size = n_counted };
	int rc = -ENOMEM;

	c.score = calloc(n, sizeof(*c.score));
	c.first = calloc(n + 1, sizeof(*c.first));
	if (!c.score || !c.first)
		goto done;
	take_scores(&c, of);
	c.room = c.limit - c.first[n_counted] + 1;
	c.ways = calloc((n_counted + 1) * c.room, sizeof(*c.ways));
	if (!c.ways)
		goto done;
	count_choices(&c);
	*p = p_of_choices(&c);
	rc = 0;
done:
	free(c.ways);
	free(c.first);
	free(c.score);
	return rc;
}

int pmu_tied_signed_rank(const struct pmu_ranked *of, size_t n, double *p)
{
	size_t total = 0, sum = 0;
	double *ways, below = 0;

	for (size_t i = 0; i < n; i++) {
		total += of[i].twice;
		sum += of[i].counted ? of[i].twice : 0;
	}
	if (sum > total - sum)
		sum = total - sum;
	ways = calloc(sum + 1, sizeof(*ways));
	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t s = sum + 1; s-- > of[i].twice;)
			ways[s] += ways[s - of[i].twice];
	for (size_t s = 0; s <= sum; s++)
		below += ways[s];
	*p = fmin(ldexp(2 * below, -(int)n), 1);
	free(ways);
	return 0;
}
