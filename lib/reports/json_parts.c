/* SPDX-License-Identifier: BSD-3-Clause */
/* What the JSON report of several processes says of each region beside the sums. */
#include "reports/json_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/json_put.h"
#include "reports/base64.h"
#include "reports/over_parts.h"
#include "reports/ranks/ranks.h"

struct pmu_several_rows {
	bool has_parts;
	struct pmu_over_parts over;
	const struct pmu_ranks *ranks; /* NULL: not of ranks */
	const struct pmu_ranks_section *of_ranks;
	struct pmu_ranks *made;
};

int pmu_json_parts_open(struct pmu_several_rows **parts, const struct pmu_model *model,
			const struct pmu_model_section *section)
{
	int rc;

	*parts = NULL;
	if (!model->n_parts && !model->ranks)
		return 0;
	*parts = calloc(1, sizeof(**parts));
	if (!*parts)
		return -ENOMEM;
	(*parts)->ranks = pmu_ranks_for(model, &(*parts)->made);
	if ((*parts)->ranks)
		(*parts)->of_ranks = &(*parts)->ranks->section[section - model->section];
	(*parts)->has_parts = model->n_parts > 0;
	rc = model->n_parts ? pmu_over_parts_open(&(*parts)->over, model, section) : 0;
	if (rc < 0) {
		pmu_ranks_free((*parts)->made);
		free(*parts);
		*parts = NULL;
	}
	return rc;
}

void pmu_json_parts_close(struct pmu_several_rows *parts)
{
	if (parts && parts->has_parts)
		pmu_over_parts_close(&parts->over);
	if (parts)
		pmu_ranks_free(parts->made);
	free(parts);
}

/* --- over parts --- */

/* @count: or PMU_OVER_TIME */
static void put_spread(struct pmu_strbuf *out, const struct pmu_over_parts *over, unsigned int sum,
		       int count)
{
	struct pmu_spread spread;

	if (!pmu_over_parts(over, sum, count, &spread)) {
		pmu_strbuf_add(out, "null");
		return;
	}
	put_u64(out, "{", "n", spread.n);
	put_double(out, ", ", "sum", spread.sum);
	put_double(out, ", ", "min", spread.min);
	put_double(out, ", ", "max", spread.max);
	put_double(out, ", ", "mean", spread.mean);
	put_double(out, ", ", "imbalance", spread.imbalance);
	put_u64(out, ", ", "min_part", spread.part_min);
	put_u64(out, ", ", "max_part", spread.part_max);
	pmu_strbuf_add(out, "}");
}

static void put_over_parts(struct pmu_strbuf *out, const struct pmu_over_parts *over,
			   unsigned int sum)
{
	const struct pmu_model_section *s = over->section;

	key(out, ",\n     ", "over_parts");
	key(out, "{", "time_ns");
	put_spread(out, over, sum, PMU_OVER_TIME);
	pmu_strbuf_add(out, ",\n        \"net\": {");
	for (unsigned int i = 0; i < s->n_counts; i++) {
		key(out, i ? ",\n          " : "", s->count[i].name);
		put_spread(out, over, sum, (int)i);
	}
	pmu_strbuf_add(out, "}}");
}

/* --- over ranks --- */

static void put_json_over(struct pmu_strbuf *out, const struct pmu_over *over)
{
	if (!over->n) {
		pmu_strbuf_add(out, "null");
		return;
	}
	put_u64(out, "{", "n", over->n);
	put_u64(out, ", ", "sum", over->sum);
	put_u64(out, ", ", "min", over->min);
	put_u64(out, ", ", "max", over->max);
	put_double(out, ", ", "mean", pmu_over_mean(over));
	put_double(out, ", ", "sd", sqrt(pmu_over_variance(over)));
	put_double(out, ", ", "imbalance", pmu_over_imbalance(over));
	put_u64(out, ", ", "p50", pmu_over_quantile(over, 0.5));
	put_u64(out, ", ", "p90", pmu_over_quantile(over, 0.9));
	put_u64(out, ", ", "min_rank", over->min_rank);
	put_u64(out, ", ", "max_rank", over->max_rank);
	put_text(out, ", ", "min_host", over->min_host);
	put_text(out, ", ", "max_host", over->max_host);
	pmu_strbuf_add(out, "}");
}

static void put_over_ranks(struct pmu_strbuf *out, const struct pmu_several_rows *parts,
			   unsigned int sum)
{
	const struct pmu_ranks_section *s = parts->of_ranks;
	const struct pmu_ranks_row *row = &s->row[sum];

	key(out, ",\n     ", "over_ranks");
	key(out, "{", "time_ns");
	put_json_over(out, &row->over[PMU_OVER_TIME_NS]);
	key(out, ",\n        ", "self_ns");
	put_json_over(out, &row->over[PMU_OVER_SELF_NS]);
	key(out, ",\n        ", "calls");
	put_json_over(out, &row->over[PMU_OVER_CALLS]);
	put_double(out, ",\n        ", "explains", pmu_ranks_explains(parts->ranks, row));
	key(out, ", ", "net");
	pmu_strbuf_add(out, "{");
	for (unsigned int i = 0; i < s->n_counts; i++) {
		key(out, i ? ",\n          " : "", s->count[i].name);
		if (row->is.missing >> i & 1)
			pmu_strbuf_add(out, "null");
		else
			put_json_over(out, &row->over[PMU_OVER_COUNT + i]);
	}
	pmu_strbuf_add(out, "}}");
}

void pmu_json_parts_put(struct pmu_strbuf *out, const struct pmu_several_rows *parts,
			unsigned int sum)
{
	if (parts->has_parts)
		put_over_parts(out, &parts->over, sum);
	if (parts->ranks)
		put_over_ranks(out, parts, sum);
}

double pmu_parts_pick(const struct pmu_several_rows *parts, unsigned int sum, unsigned int what,
		      enum pmu_pick pick, int64_t *rank)
{
	const struct pmu_ranks_row *row = parts->ranks ? &parts->of_ranks->row[sum] : NULL;
	const struct pmu_over *over = row ? &row->over[what] : NULL;

	*rank = -1;
	if (!over || !over->n ||
	    (what >= PMU_OVER_COUNT && row->is.missing >> (what - PMU_OVER_COUNT) & 1))
		return NAN;
	if (pick == PMU_PICK_MEAN)
		return pmu_over_mean(over);
	*rank = pick == PMU_PICK_LEAST ? over->min_rank : over->max_rank;
	return (double)(pick == PMU_PICK_LEAST ? over->min : over->max);
}

/* --- each rank as a whole --- */

/* All of it, exactly, for a reader that shows this report again. */
static void put_record(struct pmu_strbuf *out, const struct pmu_ranks *ranks)
{
	struct pmu_strbuf bytes = { 0 };

	pmu_ranks_encode(ranks, &bytes);
	key(out, ",\n    ", "record");
	pmu_encode_base64(out, &bytes);
	pmu_strbuf_free(&bytes);
}

void pmu_json_ranks(struct pmu_strbuf *out, const struct pmu_model *model)
{
	struct pmu_ranks *made;
	const struct pmu_ranks *ranks = pmu_ranks_for(model, &made);

	if (!ranks)
		return;
	key(out, ",\n  ", "over_ranks");
	put_u64(out, "{", "ranks", ranks->n_ranks);
	key(out, ",\n    ", "time_ns");
	put_json_over(out, &ranks->whole[PMU_WHOLE_TIME]);
	key(out, ",\n    ", "computing_ns");
	put_json_over(out, &ranks->whole[PMU_WHOLE_COMPUTE]);
	key(out, ",\n    ", "mpi_ns");
	put_json_over(out, &ranks->whole[PMU_WHOLE_MPI]);
	key(out, ",\n    ", "longest");
	for (unsigned int i = 0; i < ranks->n_worst; i++) {
		put_u64(out, i ? ", {" : "[{", "rank", ranks->worst[i].rank);
		put_text(out, ", ", "host", ranks->worst[i].host);
		put_u64(out, ", ", "computing_ns", ranks->worst[i].compute_ns);
		put_u64(out, ", ", "mpi_ns", ranks->worst[i].mpi_ns);
		pmu_strbuf_add(out, "}");
	}
	pmu_strbuf_add(out, ranks->n_worst ? "]" : "[]");
	if (!model->n_parts)
		put_record(out, ranks);
	pmu_strbuf_add(out, "}");
	pmu_ranks_free(made);
}
