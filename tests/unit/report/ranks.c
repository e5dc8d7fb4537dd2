/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results of ranks, reduced in a tree of bytes: what comes out is what all reports together say,
 * and as large as the regions are many.
 */
#include "unit/part.h"

#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "bindings/command/json/read.h"
#include "report/model/metric.h"
#include "report/report.h"
#include "reports/combine/combine.h"
#include "reports/over_parts.h"
#include "reports/ranks/ranks.h"
#include "unit/model_sample.h"

#define RANKS 37u
#define SLOW  23u

static const uint64_t ms = 1000000;

static void name_host(struct pmu_model *model, uint32_t rank)
{
	model->host = pmu_model_textf(model, "node%u", rank / 8);
}

/* SLOW computes three times as long, and the others wait for it; some have a region of their own. */
static struct pmu_model *rank_model(uint32_t rank)
{
	struct pmu_model *model = sample_head();
	uint64_t work = (rank == SLOW ? 300 : 100) * ms + rank;
	struct pmu_model_section *s;
	int main_row, solve;

	model->nth = 1;
	model->pid = (int64_t)(1000 + rank);
	model->rank = (int)rank;
	model->n_ranks = (int)RANKS;
	name_host(model, rank);
	model->start_unix_ns += rank;
	sample_threads(model, 2, 500 * ms);
	sample_sections(model, 1, 16);
	s = model->section;
	sample_core(model, s);
	main_row = (int)s->n_thread_rows;
	sample_row(model, s, 0, -1, "main", 1, 400 * ms);
	solve = (int)s->n_thread_rows;
	sample_row(model, s, 0, main_row, "solve", 10, 350 * ms);
	sample_row(model, s, 0, solve, "kernel", 100 + rank, work);
	sample_row(model, s, 0, solve, "MPI_Allreduce", 10, 350 * ms - work);
	sample_row(model, s, 1, -1, "helper", 3, (7 + rank % 5) * ms);
	if (rank % 3 == 1)
		sample_row(model, s, 0, main_row, "output", 1, rank * 1000);
	if (rank == 5)
		sample_row(model, s, 0, main_row, "once", 2, 77)->missing = 1u << LLC_MISSES;
	if ((rank == 4 && pmu_model_add_note(model, "the fan is loud")) ||
	    pmu_model_add_doubt(model, "ended without a begin", "main/solve", 0, 2) ||
	    pmu_model_finish(model))
		abort();
	return model;
}

static struct pmu_ranks *record_of(uint32_t rank)
{
	struct pmu_model *model = rank_model(rank);
	struct pmu_ranks *ranks = NULL;

	if (pmu_ranks_of(model, rank, &ranks))
		abort();
	pmu_model_free(model);
	return ranks;
}

static size_t largest; /* message so far */

/* Merges @from as it comes over the wire: encoded and decoded. */
static int receive(struct pmu_ranks *ranks, const struct pmu_ranks *from)
{
	struct pmu_ranks *copy = NULL;
	struct pmu_strbuf bytes = { 0 };
	int rc;

	pmu_ranks_encode(from, &bytes);
	largest = bytes.len > largest ? bytes.len : largest;
	rc = pmu_ranks_decode(bytes.text, bytes.len, &copy);
	if (!rc)
		rc = pmu_ranks_merge(ranks, copy);
	pmu_ranks_free(copy);
	pmu_strbuf_free(&bytes);
	return rc;
}

/* Merges ranks from @rank to below @rank + @below, in the tree in which MPI's ranks do it. */
static struct pmu_ranks *reduce(uint32_t rank, uint32_t below, uint32_t n, bool backwards)
{
	struct pmu_ranks *ranks = record_of(rank);

	for (uint32_t step = 1; step < below; step *= 2) {
		struct pmu_ranks *other;

		if (rank + step >= n)
			continue;
		other = reduce(rank + step, step, n, backwards);
		if (backwards) {
			struct pmu_ranks *swapped = ranks;

			ranks = other;
			other = swapped;
		}
		if (receive(ranks, other))
			abort();
		pmu_ranks_free(other);
	}
	return ranks;
}

static struct pmu_ranks *reduced(uint32_t n, bool backwards)
{
	uint32_t below = 1;

	while (below < n)
		below *= 2;
	largest = 0;
	return reduce(0, below, n, backwards);
}

static struct pmu_model *merged(uint32_t n)
{
	struct pmu_model *part[RANKS], *model = NULL;

	for (uint32_t i = 0; i < n; i++)
		part[i] = rank_model(n - 1 - i);
	if (pmu_model_combine(part, n, PMU_COMBINE_RANKS, &model))
		abort();
	for (uint32_t i = 0; i < n; i++)
		pmu_model_free(part[i]);
	pmu_metric_fill(model);
	return model;
}

static int row_at(const struct pmu_model_section *s, const char *path)
{
	for (unsigned int i = 0; i < s->n_rows; i++)
		if (!strcmp(s->row[i].path, path))
			return (int)i;
	return -1;
}

static bool same_over(const struct pmu_over *a, const struct pmu_over *b)
{
	if (a->n != b->n)
		return false;
	if (!a->n)
		return true;
	for (unsigned int i = 0; i < a->n_buckets && i < b->n_buckets; i++)
		if (a->bucket[i].bucket != b->bucket[i].bucket || a->bucket[i].n != b->bucket[i].n)
			return false;
	return a->sum == b->sum && a->squares == b->squares && a->min == b->min &&
	       a->max == b->max && a->min_rank == b->min_rank && a->max_rank == b->max_rank &&
	       !strcmp(a->min_host, b->min_host) && !strcmp(a->max_host, b->max_host) &&
	       a->n_buckets == b->n_buckets;
}

static bool same_sum(const struct pmu_model_section *s, const struct pmu_model_row *a,
		     const struct pmu_model_row *b)
{
	uint32_t counts = (1u << s->n_counts) - 1;
	bool same = !strcmp(a->path, b->path) && a->calls == b->calls && a->time_ns == b->time_ns &&
		    a->self_ns == b->self_ns && a->min_ns == b->min_ns && a->max_ns == b->max_ns &&
		    a->n_threads == b->n_threads && a->flags == b->flags &&
		    !((a->missing ^ b->missing) & counts) &&
		    !((a->self_missing ^ b->self_missing) & counts) && a->cost_ns == b->cost_ns &&
		    a->depth == b->depth && fabs(a->sd_ns - b->sd_ns) <= 1e-9 * b->sd_ns &&
		    a->share == b->share;

	for (unsigned int i = 0; i < s->n_counts; i++)
		if (!(a->missing >> i & 1))
			same = same && a->raw[i] == b->raw[i] && a->net[i] == b->net[i] &&
			       ((a->self_missing & b->self_missing) >> i & 1 ||
				a->self[i] == b->self[i]);
	return same;
}

/* Sums of the job's report are those of the ranks' own reports merged, and so is what is over ranks. */
static void sums_are_equal(bool backwards)
{
	struct pmu_model *by_hand = merged(RANKS), *job = NULL;
	struct pmu_ranks *over = NULL;
	const struct pmu_model_section *a, *b;
	bool sums = true, overs = true;

	is_int(pmu_ranks_model(reduced(RANKS, backwards), &job), 0, "a report of all");
	pmu_metric_fill(job);
	is_int(pmu_ranks_of(by_hand, 0, &over), 0, "the same of merged reports");
	a = job->section;
	b = by_hand->section;
	is_u64(a->n_rows, b->n_rows, "as many regions");
	for (unsigned int i = 0; i < a->n_rows && i < b->n_rows; i++) {
		const struct pmu_ranks_row *x = &job->ranks->section->row[i],
					   *y = &over->section->row[i];

		if (!same_sum(a, &a->row[i], &b->row[i])) {
			sums = false;
			diag("%s", a->row[i].path);
		}
		for (unsigned int k = 0; k < PMU_OVER_COUNT + a->n_counts; k++)
			if (!same_over(&x->over[k], &y->over[k])) {
				overs = false;
				diag("%s, %u", a->row[i].path, k);
			}
		overs = overs && x->worst_self_ns == y->worst_self_ns &&
			x->n_selfless == y->n_selfless;
	}
	ok(sums, "sums of the job and of merged reports are equal");
	ok(overs, "so is what is spread over ranks");
	for (unsigned int i = 0; i < PMU_WHOLE_N; i++)
		ok(same_over(&job->ranks->whole[i], &over->whole[i]), "and of the whole, %u", i);
	pmu_ranks_free(over);
	pmu_model_free(by_hand);
	pmu_model_free(job);
}

static void the_slow_rank_is_named(void)
{
	struct pmu_model *job = NULL;
	const struct pmu_ranks_row *row;
	const struct pmu_over *time;
	double explained = 0;
	int kernel;

	if (pmu_ranks_model(reduced(RANKS, false), &job))
		abort();
	kernel = row_at(job->section, "main/solve/kernel");
	row = &job->ranks->section->row[kernel < 0 ? 0 : kernel];
	time = &row->over[PMU_OVER_TIME_NS];
	is_u64(time->max_rank, SLOW, "rank");
	is_str(time->max_host, "node2", "on its host");
	is_u64(time->min_rank, 0, "the fastest");
	is_u64(job->ranks->worst[0].rank, SLOW, "computes longest");
	is_u64(job->ranks->n_worst, PMU_RANKS_WORST, "so many are named");
	ok(fabs(pmu_over_imbalance(time) - (300.0 / (100 + 200.0 / RANKS) - 1)) < 1e-3,
	   "slowest over mean");
	ok(fabs(sqrt(pmu_over_variance(time)) - 200e6 * sqrt(RANKS - 1.0) / RANKS) < 1e3,
	   "deviation");
	ok(pmu_over_quantile(time, 0.5) > 93 * ms && pmu_over_quantile(time, 0.5) < 107 * ms,
	   "the median");
	is_u64(pmu_over_quantile(time, 1), 300 * ms + SLOW, "the most");
	for (unsigned int i = 0; i < job->section->n_rows; i++) {
		double part = pmu_ranks_explains(job->ranks, &job->ranks->section->row[i]);

		explained += part == part ? part : 0;
	}
	ok(fabs(explained - 1) < 1e-9, "all of the imbalance is explained");
	ok(pmu_ranks_explains(job->ranks, row) > 0.98, "by the kernel");
	is_str(job->host, "", "several hosts are none");
	is_u64((uint64_t)job->n_ranks, RANKS, "ranks");
	has(job->note[0], "the fan is loud (rank 4)", "a note and whose it is");
	is_str(job->doubt[0].text, "ended without a begin", "a doubt of all");
	is_u64(job->doubt[0].count, 2 * RANKS, "is counted");
	pmu_model_free(job);
}

static char *render(const struct pmu_model *model, enum pmu_report_format format)
{
	const struct pmu_text_options options = { .all = true };
	struct pmu_strbuf out = { 0 };

	pmu_report_render(&out, model, format, &options);
	if (out.failed)
		abort();
	return out.text;
}

/* Lines of @text that have @part, or @other. */
static char *lines_with(const char *text, const char *part, const char *other)
{
	struct pmu_strbuf out = { 0 };

	for (size_t len; *text; text += len + (text[len] == '\n')) {
		struct pmu_strbuf line = { 0 };

		len = strcspn(text, "\n");
		pmu_strbuf_add_n(&line, text, len);
		if (strstr(pmu_strbuf_text(&line), part) || strstr(pmu_strbuf_text(&line), other))
			pmu_strbuf_addf(&out, "%s\n", line.text);
		pmu_strbuf_free(&line);
	}
	return out.text;
}

/* However the report came about. */
static void reports_say_the_same(void)
{
	struct pmu_model *model[2] = { NULL, merged(RANKS) };
	char *text[2], *lines[2], *csv[2];

	if (pmu_ranks_model(reduced(RANKS, false), &model[0]))
		abort();
	pmu_metric_fill(model[0]);
	for (int i = 0; i < 2; i++) {
		char *all = render(model[i], PMU_REPORT_CSV);
		const char *from;

		csv[i] = lines_with(all, " of ranks,", "thread");
		free(all);
		text[i] = render(model[i], PMU_REPORT_TEXT);
		from = strstr(text[i], "\n  over 37 ranks: time\n");
		lines[i] = lines_with(from ? from : "", "rank ", "each rank");
	}
	is_str(csv[0], csv[1], "CSV, over ranks");
	has(csv[0], "CORE,main/solve/kernel,kernel,2,most of ranks,136,300000023,300000023,",
	    "the most");
	has(csv[0], ",all,23,,,,", "and whose it is");
	lines[1][strlen(lines[0])] = '\0'; /* the ranks' own table is behind it */
	is_str(lines[0], lines[1], "text, the block over ranks");
	has(text[0], "computing longest: rank 23 on node2 (", "the slowest, with its host");
	has(text[0], "  kernel ", "the region");
	for (int i = 0; i < 2; i++) {
		free(csv[i]);
		free(lines[i]);
		free(text[i]);
		pmu_model_free(model[i]);
	}
}

/* A report that ranks have made together is read back, and is the same. */
static void json_comes_back(void)
{
	struct pmu_model *model = NULL, *again = NULL;
	char *text, *before, *after, *copy;

	if (pmu_ranks_model(reduced(RANKS, false), &model))
		abort();
	pmu_metric_fill(model);
	before = render(model, PMU_REPORT_JSON);
	copy = strdup(before);
	if (!copy || !is_int(pmu_json_read(copy, strlen(copy), &again), 0, "read"))
		exit(1);
	after = render(again, PMU_REPORT_JSON);
	ok(!strcmp(before, after), "JSON is the same again");
	text = render(again, PMU_REPORT_TEXT);
	has(text, "computing longest: rank 23 on node2 (", "so is text");
	free(text);
	free(before);
	free(after);
	free(copy);
	pmu_model_free(model);
	pmu_model_free(again);
}

/* Twice the ranks are another step, not another size. */
static void size_is_that_of_regions(void)
{
	size_t few, many;

	pmu_ranks_free(reduced(8, false));
	few = largest;
	pmu_ranks_free(reduced(1024, false));
	many = largest;
	ok(many < 2 * few, "%zu bytes at most of 8 ranks, %zu of 1,024", few, many);
}

static void limits_are_said(void)
{
	struct pmu_ranks *ranks = record_of(0);
	struct pmu_model *job = NULL;
	char name[32];

	for (unsigned int i = 0; i < PMU_RANKS_MAX_ROWS + 7; i += 11) {
		struct pmu_model *model = sample_head();
		struct pmu_ranks *more = NULL;

		model->rank = (int)i + 1;
		sample_threads(model, 1, 500 * ms);
		sample_sections(model, 1, 11);
		sample_core(model, model->section);
		for (unsigned int k = 0; k < 11; k++) {
			snprintf(name, sizeof(name), "region %u", i + k);
			sample_row(model, model->section, 0, -1, pmu_model_textf(model, "%s", name),
				   1, 1000);
		}
		if (pmu_model_finish(model) || pmu_ranks_of(model, i + 1, &more) ||
		    pmu_ranks_merge(ranks, more))
			abort();
		pmu_ranks_free(more);
		pmu_model_free(model);
	}
	is_u64(ranks->section->n_rows, PMU_RANKS_MAX_ROWS, "no more regions than the limit");
	ok(ranks->section->n_dropped > 0, "the others are counted");
	if (pmu_ranks_model(ranks, &job))
		abort();
	has(job->note[job->n_notes - 1], "beyond 20000 different ones are left out", "and said");
	pmu_model_free(job);
}

static void columns_may_differ(void)
{
	struct pmu_ranks *a = record_of(0), *b;
	struct pmu_model *model = rank_model(1), *job = NULL;
	const struct pmu_model_row *row;
	struct pmu_model_count count;
	int kernel;

	/* other counts, and in another order */
	count = model->section->count[0];
	model->section->count[0] = (struct pmu_model_count){ "branches", "" };
	model->section->count[1] = count;
	if (pmu_ranks_of(model, 1, &b) || receive(a, b) || pmu_ranks_model(a, &job))
		abort();
	is_u64(job->section->n_counts, 4, "counts of either");
	kernel = row_at(job->section, "main/solve/kernel");
	row = &job->section->row[kernel < 0 ? 0 : kernel];
	ok(!(row->missing & 1), "what both have is added up");
	ok(row->missing >> 1 & 1 && row->missing >> 3 & 1, "what one has not is missing");
	is_u64(row->raw[0], 3 * 100 * ms + 4000 + (100 * ms + 1) * 2 / 2 + 4040, "the sum");
	pmu_ranks_free(b);
	pmu_model_free(model);
	pmu_model_free(job);
}

static void damage_is_refused(void)
{
	struct pmu_ranks *ranks = record_of(3), *copy = NULL;
	struct pmu_strbuf bytes = { 0 };
	unsigned int taken = 0;

	pmu_ranks_encode(ranks, &bytes);
	for (size_t len = 0; len < bytes.len; len++) {
		if (pmu_ranks_decode(bytes.text, len, &copy) == 0) {
			taken++;
			pmu_ranks_free(copy);
		}
	}
	is_u64(taken, 0, "cut short anywhere");
	is_int(pmu_ranks_decode("pmurank\0\xff", 9, &copy), -EINVAL, "of another version");
	has(pmu_error_text(), "another version", "says so");
	pmu_strbuf_free(&bytes);
	pmu_ranks_free(ranks);
}

UNIT_PART(ranks)
{
	sums_are_equal(false);
	sums_are_equal(true);
	the_slow_rank_is_named();
	reports_say_the_same();
	json_comes_back();
	size_is_that_of_regions();
	limits_are_said();
	columns_may_differ();
	damage_is_refused();
	return done_testing();
}
