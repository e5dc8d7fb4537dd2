/* SPDX-License-Identifier: BSD-3-Clause */
/* Two records of ranks as one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "reports/ranks/ranking.h"

/* --- columns --- */

static bool same_name_text(const char *a, const char *b)
{
	return !strcmp(a, b);
}

static bool is_of_socket(const struct pmu_ranks_section *s, unsigned int count)
{
	return s->sockets >> count & 1;
}

static bool is_of_process(const struct pmu_ranks_section *s, unsigned int count)
{
	return s->process >> count & 1;
}

/* Room for one more count in all rows that there are: none of their ranks has counted it. */
static int widen_rows(struct pmu_ranks *ranks, struct pmu_ranks_section *s, unsigned int n)
{
	size_t old = s->n_counts;

	for (unsigned int i = 0; i < s->n_rows; i++) {
		struct pmu_ranks_row *row = &s->row[i];
		uint64_t *counts = pmu_block_array(&ranks->blocks, (size_t)3 * n, sizeof(*counts));
		struct pmu_over *over = pmu_block_array(&ranks->blocks, PMU_OVER_COUNT + n,
							sizeof(*over));

		if (!counts || !over)
			return -ENOMEM;
		memcpy(counts, row->is.raw, old * sizeof(*counts));
		memcpy(counts + n, row->is.net, old * sizeof(*counts));
		memcpy(counts + 2 * (size_t)n, row->is.cost, old * sizeof(*counts));
		memcpy(over, row->over, (PMU_OVER_COUNT + old) * sizeof(*over));
		row->is.raw = counts;
		row->is.net = counts + n;
		row->is.cost = row->is.net + n;
		row->over = over;
		for (size_t k = old; row->timed && k < n; k++)
			row->is.missing |= 1u << k;
	}
	s->n_counts = n;
	return 0;
}

/* Index of a count of @from's in @s, where it is added if need be; -1 without memory or room. */
static int find_merged_count(struct pmu_ranks *ranks, struct pmu_ranks_section *s,
			     const struct pmu_ranks_section *from, unsigned int count)
{
	const struct pmu_model_count *is = &from->count[count];
	unsigned int i = 0;

	while (i < s->n_counts && !(same_name_text(s->count[i].name, is->name) &&
				    same_name_text(s->count[i].unit, is->unit) &&
				    is_of_socket(s, i) == is_of_socket(from, count) &&
				    is_of_process(s, i) == is_of_process(from, count)))
		i++;
	if (i < s->n_counts)
		return (int)i;
	if (i == PMU_MODEL_MAX_COUNTS || widen_rows(ranks, s, i + 1) < 0)
		return -1;
	s->count[i].name = pmu_ranks_text(ranks, is->name, strlen(is->name));
	s->count[i].unit = pmu_ranks_text(ranks, is->unit, strlen(is->unit));
	if (is_of_socket(from, count))
		s->sockets |= 1u << i;
	if (is_of_process(from, count))
		s->process |= 1u << i;
	return (int)i;
}

/* One that ranks make by different formulas has none. */
static int merge_metric(struct pmu_ranks *ranks, struct pmu_ranks_section *s,
			const struct pmu_model_metric *metric)
{
	struct pmu_model_metric *more;

	for (unsigned int i = 0; i < s->n_metrics; i++) {
		if (!same_name_text(s->metric[i].name, metric->name) ||
		    !same_name_text(s->metric[i].unit, metric->unit))
			continue;
		if (!same_name_text(s->metric[i].formula, metric->formula))
			s->metric[i].formula = "";
		return 0;
	}
	more = pmu_block_array(&ranks->blocks, s->n_metrics + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	if (s->n_metrics)
		memcpy(more, s->metric, s->n_metrics * sizeof(*more));
	more[s->n_metrics++] = (struct pmu_model_metric){
		.name = pmu_ranks_text(ranks, metric->name, strlen(metric->name)),
		.unit = pmu_ranks_text(ranks, metric->unit, strlen(metric->unit)),
		.formula = pmu_ranks_text(ranks, metric->formula, strlen(metric->formula)),
	};
	s->metric = more;
	return 0;
}

/* --- rows --- */

struct wanted {
	const struct pmu_ranks_section *s;
	const char *name; /* the record's own copy */
	int parent;
	bool flat;
};

static bool is_merged_row(const void *arg, uintptr_t number)
{
	const struct wanted *wanted = arg;
	const struct pmu_ranks_row *row = &wanted->s->row[number - 1];

	return row->is.name == wanted->name && row->is.parent == wanted->parent &&
	       !(row->is.flags & PMU_ROW_FLAT) == !wanted->flat;
}

static uint32_t hash_of_merged(const struct wanted *wanted)
{
	return pmu_hash_number((uintptr_t)wanted->name ^ (uint64_t)(wanted->parent + 1)
								 << 20 << wanted->flat);
}

static int index_rows(struct pmu_ranks_section *s)
{
	if (pmu_index_reserve(&s->by_path, s->n_rows + 1 - s->by_path.n) < 0)
		return -ENOMEM;
	for (size_t i = s->by_path.n; i < s->n_rows; i++) {
		const struct wanted wanted = { s, s->row[i].is.name, s->row[i].is.parent,
					       s->row[i].is.flags & PMU_ROW_FLAT };
		uint32_t hash = hash_of_merged(&wanted);
		struct pmu_index_place *place = pmu_index_find(&s->by_path, hash, is_merged_row,
							       &wanted);

		/* of two that are the same, as in forged bytes, the first is found */
		if (place->thing)
			s->by_path.n++;
		else
			pmu_index_take(&s->by_path, place, hash, i + 1);
	}
	return 0;
}

/* Index of the row that is @from's; made where there is none.  -1: no place, or no memory. */
static int find_merged_row(struct pmu_ranks *ranks, struct pmu_ranks_section *s,
			   const struct pmu_ranks_row *from, int parent)
{
	struct wanted wanted = { s, pmu_ranks_text(ranks, from->is.name, strlen(from->is.name)),
				 parent, from->is.flags & PMU_ROW_FLAT };
	const struct pmu_index_place *place;

	if (ranks->failed || index_rows(s) < 0) {
		ranks->failed = true;
		return -1;
	}
	place = pmu_index_find(&s->by_path, hash_of_merged(&wanted), is_merged_row, &wanted);
	if (place->thing)
		return (int)place->thing - 1;
	if (s->n_rows >= PMU_RANKS_MAX_ROWS)
		return -1;
	return pmu_ranks_add_row(ranks, s, from->is.name, parent, 0);
}

static void merge_flags(struct pmu_model_row *to, uint32_t flags)
{
	const uint32_t both = PMU_ROW_RECURSIVE | PMU_ROW_DIRECT;
	bool indirect = (to->flags & both) == PMU_ROW_RECURSIVE ||
			(flags & both) == PMU_ROW_RECURSIVE;

	to->flags |= flags;
	if (indirect)
		to->flags &= ~(uint32_t)PMU_ROW_DIRECT;
}

/* What some ranks have of a count that others lack depends on which of them were merged first. */
static void forget_missing(struct pmu_ranks_row *row, uint32_t all)
{
	for (uint32_t missing = row->is.missing & all; missing; missing &= missing - 1) {
		int i = __builtin_ctz(missing);

		row->is.raw[i] = row->is.net[i] = row->is.cost[i] = 0;
		row->over[PMU_OVER_COUNT + i] = (struct pmu_over){ .n = 0 };
	}
}

/*
 * A rank without any time yet does not make counts of others missing.
 * @all: counts of the section
 */
static int merge_row(struct pmu_ranks *ranks, struct pmu_ranks_row *to,
		     const struct pmu_ranks_row *from, const struct pmu_columns *columns,
		     uint32_t all)
{
	int rc = 0;

	merge_flags(&to->is, from->is.flags);
	pmu_row_add(&to->is, NULL, &from->is, PMU_OF_RANKS);
	pmu_pool_merge(&to->pool, &from->pool);
	if (from->timed)
		pmu_row_add_counts(&to->is, &from->is, columns, all);
	to->timed |= from->timed;
	to->n_selfless = pmu_add_capped(to->n_selfless, from->n_selfless);
	for (unsigned int i = 0; i < columns->n; i++)
		if (!(from->is.missing >> i & 1))
			rc |= pmu_over_merge(&to->over[PMU_OVER_COUNT + columns->at[i]], ranks,
					     &from->over[PMU_OVER_COUNT + i]);
	for (unsigned int i = 0; i < PMU_OVER_COUNT; i++)
		rc |= pmu_over_merge(&to->over[i], ranks, &from->over[i]);
	forget_missing(to, all);
	return rc;
}

/* --- sections --- */

static int merge_rows(struct pmu_ranks *ranks, struct pmu_ranks_section *s,
		      const struct pmu_ranks_section *from, const unsigned int *at, bool worse)
{
	const struct pmu_columns columns = { from->n_counts, at };
	const uint32_t all = pmu_columns_all(s->n_counts);
	int *row_at = calloc((size_t)from->n_rows + 1, sizeof(*row_at));
	int rc = row_at ? 0 : -ENOMEM;

	for (unsigned int i = 0; worse && i < s->n_rows; i++)
		s->row[i].worst_self_ns = 0;
	for (unsigned int i = 0; !rc && i < from->n_rows; i++) {
		int around = from->row[i].is.parent;

		row_at[i] = -1;
		if (around < 0 || row_at[around] >= 0)
			row_at[i] = find_merged_row(ranks, s, &from->row[i],
						    around < 0 ? -1 : row_at[around]);
		if (ranks->failed) {
			rc = -ENOMEM;
		} else if (row_at[i] < 0) {
			s->n_dropped = pmu_add_capped(s->n_dropped, 1);
		} else {
			rc = merge_row(ranks, &s->row[row_at[i]], &from->row[i], &columns, all);
			if (worse)
				s->row[row_at[i]].worst_self_ns = from->row[i].worst_self_ns;
		}
	}
	free(row_at);
	return rc;
}

static int merge_section(struct pmu_ranks *ranks, const struct pmu_ranks_section *from, bool worse)
{
	struct pmu_ranks_section *s = pmu_ranks_find_section(ranks, from->group);
	unsigned int at[PMU_MODEL_MAX_COUNTS];
	int rc = 0;

	if (!s)
		return ranks->n_sections == PMU_RANKS_MAX_SECTIONS ? 0 : -ENOMEM;
	if (!s->n_rows && !s->n_counts) {
		s->index = from->index;
		s->metric = pmu_block_array(&ranks->blocks, 1, sizeof(*s->metric));
	}
	for (unsigned int i = 0; i < from->n_counts; i++) {
		int found = find_merged_count(ranks, s, from, i);

		if (found < 0)
			return -ENOMEM;
		at[i] = (unsigned int)found;
	}
	for (unsigned int i = 0; !rc && i < from->n_metrics; i++)
		rc = merge_metric(ranks, s, &from->metric[i]);
	s->n_dropped = pmu_add_capped(s->n_dropped, from->n_dropped);
	s->read_ns = from->read_ns > s->read_ns ? from->read_ns : s->read_ns;
	s->socket_read_ns = from->socket_read_ns > s->socket_read_ns ? from->socket_read_ns
								     : s->socket_read_ns;
	return rc ? rc : merge_rows(ranks, s, from, at, worse);
}

/* --- all of it --- */

static void merge_head(struct pmu_ranks *ranks, const struct pmu_ranks *from)
{
	if (from->first_rank < ranks->first_rank || !ranks->n_ranks) {
		ranks->first_rank = from->first_rank;
		ranks->clock_hz = from->clock_hz;
	}
	if (from->start_unix_ns < ranks->start_unix_ns || !ranks->n_ranks)
		ranks->start_unix_ns = from->start_unix_ns;
	if (from->end_unix_ns > ranks->end_unix_ns)
		ranks->end_unix_ns = from->end_unix_ns;
	ranks->n_ranks = pmu_add_capped(ranks->n_ranks, from->n_ranks);
	ranks->n_threads = pmu_add_capped(ranks->n_threads, from->n_threads);
	ranks->time_ns = pmu_add_capped(ranks->time_ns, from->time_ns);
	for (unsigned int i = 0; i < PMU_ARRAY_LEN(ranks->usage); i++)
		if (ranks->usage[i] < 0 || from->usage[i] < 0 ||
		    __builtin_add_overflow(ranks->usage[i], from->usage[i], &ranks->usage[i]))
			ranks->usage[i] = -1;
	for (unsigned int k = 0; k < PMU_SAID_KINDS; k++) {
		const struct pmu_ranks_saying *saying = &from->saying[k];

		for (unsigned int i = 0; i < saying->n; i++)
			pmu_ranks_say(ranks, (enum pmu_said)k, &saying->said[i]);
		ranks->saying[k].n_more = pmu_add_capped(ranks->saying[k].n_more, saying->n_more);
	}
}

int pmu_ranks_merge(struct pmu_ranks *ranks, const struct pmu_ranks *from)
{
	bool worse;
	int rc = 0;

	for (unsigned int i = 0; i < from->n_worst; i++)
		pmu_ranks_add_worst(ranks, &from->worst[i]);
	/* self times are kept of the rank that computes longest: is it one of @from's? */
	worse = from->n_worst && ranks->worst[0].rank == from->worst[0].rank &&
		ranks->worst[0].compute_ns == from->worst[0].compute_ns;
	merge_head(ranks, from);
	for (unsigned int i = 0; !rc && i < PMU_WHOLE_N; i++)
		rc = pmu_over_merge(&ranks->whole[i], ranks, &from->whole[i]);
	for (unsigned int i = 0; worse && i < ranks->n_sections; i++)
		for (unsigned int k = 0; k < ranks->section[i].n_rows; k++)
			ranks->section[i].row[k].worst_self_ns = 0;
	for (unsigned int i = 0; !rc && i < from->n_sections; i++)
		rc = merge_section(ranks, &from->section[i], worse);
	return rc || ranks->failed ? pmu_fail(ENOMEM, "no memory to merge what ranks did") : 0;
}
