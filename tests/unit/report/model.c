/* SPDX-License-Identifier: BSD-3-Clause */
/* What pmu_model_finish() makes of threads' rows. */
#include "unit/part.h"

#include <errno.h>

#include "report/model/fields.h"
#include "report/model/measure.h"
#include "unit/model_sample.h"

static const uint64_t ms = 1000000;

/* One section of TIME, two threads of 1 s. */
static struct pmu_model *empty(unsigned int n_rows)
{
	struct pmu_model *model = sample_head();

	sample_threads(model, 2, 1000 * ms);
	sample_sections(model, 1, n_rows);
	return model;
}

static const char *names_in_order(struct pmu_model *model, const struct pmu_model_row *row,
				  unsigned int n)
{
	const char *names = "";

	for (unsigned int i = 0; i < n; i++)
		names = pmu_model_textf(model, "%s%s%d:%s", names, i ? " " : "", row[i].depth,
					row[i].name);
	return names;
}

static void puts_rows_into_tree_order(void)
{
	struct pmu_model *model = empty(8);
	struct pmu_model_section *s = model->section;

	sample_row(model, s, 1, -1, "z", 1, 5 * ms);
	sample_row(model, s, 0, -1, "short", 1, 1 * ms);
	sample_row(model, s, 0, -1, "long", 1, 100 * ms);
	sample_row(model, s, 0, 1, "in short", 1, 1 * ms);
	sample_row(model, s, 0, 2, "b", 1, 7 * ms);
	sample_row(model, s, 0, 2, "a", 1, 7 * ms);
	sample_row(model, s, 0, 2, "c", 1, 8 * ms);
	sample_row(model, s, 1, 0, "y", 1, 5 * ms);
	is_int(pmu_model_finish(model), 0, "finished");
	is_str(names_in_order(model, s->thread_row, s->n_thread_rows),
	       "0:long 1:c 1:a 1:b 0:short 1:in short 0:z 1:y",
	       "thread after thread; the longest first, ties by name");
	is_int(s->thread_row[7].parent, 6, "a parent's index follows it");
	is_int(s->thread_row[3].parent, 0, "also past siblings");
	is_int(s->thread_row[6].thread, 1, "threads stay what they were");
	pmu_model_free(model);
}

static void adds_up_threads_by_path(void)
{
	struct pmu_model *model = sample_model();
	struct pmu_model_section *s = model->section;
	struct pmu_model_row *row = sample_sum(model, "assemble");

	is_int(s->n_rows, 8, "one sum for each path");
	is_u64(row->calls, 400, "calls");
	is_u64(row->time_ns, 400 * ms, "time");
	is_u64(row->n_threads, 2, "threads that have it");
	is_u64(row->net[CYCLES], 400 * ms, "net counts");
	is_u64(row->raw[CYCLES], 400 * ms + 40 * 400, "raw counts");
	is_u64(row->cost[CYCLES], 40 * 400, "cost");
	is_u64(row->missing, 1u << LLC_MISSES, "missing in one thread is missing in the sum");
	is_u64(row->min_ns, 166666, "the shortest of any thread");
	is_u64(row->max_ns, 6 * ms, "the longest of any thread");
	ok(fabs(row->share - 0.2) < 1e-12, "share of both threads' time");
	is_int(row->thread, -1, "a sum belongs to no thread");
	is_int(row->sum, -1, "and to no sum");
	row = sample_sum(model, "a/b");
	is_u64(row->n_threads, 1, "a region of one thread");
	ok(fabs(row->share - 0.1) < 1e-12, "its share is of both threads' time, too");
	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		ok(s->row[s->thread_row[i].sum].path == s->thread_row[i].path,
		   "row %u knows its sum and shares its path", i);
	pmu_model_free(model);
}

static void escapes_names_in_paths(void)
{
	struct pmu_model *model = empty(4);
	struct pmu_model_section *s = model->section;

	sample_row(model, s, 0, -1, "a/b", 1, 9);
	sample_row(model, s, 0, 0, "c\\d", 1, 9);
	sample_row(model, s, 0, -1, "a", 1, 8);
	sample_row(model, s, 0, 2, "b", 1, 8);
	is_int(pmu_model_finish(model), 0, "finished");
	is_str(s->row[1].path, "a\\/b/c\\\\d", "'/' and '\\' get a '\\'");
	is_str(s->row[3].path, "a/b", "so that paths differ where trees do");
	pmu_model_free(model);
}

static void takes_nested_regions_out_of_self(void)
{
	struct pmu_model *model = sample_model();
	struct pmu_model_row *row = sample_sum(model, "solve");

	is_u64(row->self_ns, 1400 * ms - 400 * ms - 200 * ms - 500000, "time");
	is_u64(row->self[CYCLES], row->self_ns, "counts");
	is_u64(row->self_missing, 1u << LLC_MISSES, "unknown where a nested region's is");
	is_u64(row->missing, 0, "while its own is known");
	row = sample_sum(model, "assemble");
	is_u64(row->self_ns, row->time_ns, "all of a region without nested ones");
	is_u64(model->n_doubts, 1, "no doubt beyond the sample's own");
	pmu_model_free(model);
}

static void never_lets_self_go_below_zero(void)
{
	struct pmu_model *model = empty(4);
	struct pmu_model_section *s = model->section;

	sample_row(model, s, 1, -1, "outer", 1, 10);
	sample_row(model, s, 1, 0, "inner", 1, 20);
	sample_row(model, s, 0, -1, "rounded", 1, 10);
	sample_row(model, s, 0, 2, "up", 1, 11);
	is_int(pmu_model_finish(model), 0, "finished");
	is_u64(sample_sum(model, "outer")->self_ns, 0, "0 instead");
	is_u64(sample_sum(model, "rounded")->self_ns, 0, "0 for what rounding did, too");
	if (is_u64(model->n_doubts, 1, "with a doubt, but not about rounding")) {
		is_str(model->doubt[0].region, "outer", "which names the region");
		is_int(model->doubt[0].thread, 1, "and the thread");
	}
	pmu_model_free(model);
}

static void says_nothing_of_self_around_an_overlap(void)
{
	struct pmu_model *model = empty(8);
	struct pmu_model_section *s = model->section;

	sample_row(model, s, 0, -1, "main", 1, 100 * ms);
	sample_row(model, s, 0, 0, "a", 1, 50 * ms);
	sample_row(model, s, 0, 1, "b", 1, 60 * ms)->flags = PMU_ROW_OVERLAP;
	sample_row(model, s, 0, 0, "c", 1, 10 * ms);
	sample_row(model, s, 1, -1, "main", 1, 100 * ms);
	is_int(pmu_model_finish(model), 0, "finished");
	ok(!pmu_model_self_known(sample_sum(model, "b")), "the one that overlaps");
	ok(!pmu_model_self_known(sample_sum(model, "a")), "what it began in");
	ok(!pmu_model_self_known(sample_sum(model, "main")),
	   "what that is in, summed over threads");
	ok(pmu_model_self_known(sample_sum(model, "c")), "but not a sibling");
	ok(sample_sum(model, "a")->flags & PMU_ROW_NO_SELF, "marked");
	is_u64(sample_sum(model, "main")->self_ns, 0, "no leftovers");
	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		if (s->thread_row[i].thread == 1)
			ok(pmu_model_self_known(&s->thread_row[i]), "and not another thread");
	is_u64(model->n_doubts, 0, "no doubt about it");
	pmu_model_free(model);
}

/* A{B{A}}: B's time holds some of A's, and what is nested in A may have run inside B. */
static void says_nothing_of_self_below_a_tangled_recursion(void)
{
	struct pmu_model *model = empty(8);
	struct pmu_model_section *s = model->section;

	sample_row(model, s, 0, -1, "main", 1, 100 * ms);
	sample_row(model, s, 0, 0, "A", 2, 10 * ms)->flags = PMU_ROW_RECURSIVE;
	sample_row(model, s, 0, 1, "B", 1, 9 * ms);
	sample_row(model, s, 0, 1, "C", 1, 8 * ms);
	sample_row(model, s, 0, 0, "leaf", 3, 5 * ms)->flags = PMU_ROW_RECURSIVE;
	sample_row(model, s, 0, 0, "direct", 2, 4 * ms)->flags = PMU_ROW_RECURSIVE | PMU_ROW_DIRECT;
	sample_row(model, s, 0, 5, "D", 1, 3 * ms);
	is_int(pmu_model_finish(model), 0, "finished");
	ok(!pmu_model_self_known(sample_sum(model, "A")), "the recursive one");
	ok(!pmu_model_self_known(sample_sum(model, "B")), "what is nested in it");
	is_u64(sample_sum(model, "main")->self_ns, 81 * ms, "around it self is known");
	is_u64(sample_sum(model, "leaf")->self_ns, 5 * ms, "known where nothing is nested");
	is_u64(sample_sum(model, "direct")->self_ns, 1 * ms, "known where all recursion is direct");
	is_u64(sample_sum(model, "D")->self_ns, 3 * ms, "and below that");
	is_u64(model->n_doubts, 0, "no doubt about a time below zero");
	pmu_model_free(model);
}

/* What one thread does not know yet takes nothing from what another one does. */
static void says_nothing_of_a_first_call_that_is_open(void)
{
	struct pmu_model *model = empty(8);
	struct pmu_model_section *s = model->section;
	const struct pmu_model_row *row;

	sample_row(model, s, 0, -1, "both", 2, 40 * ms);
	sample_row(model, s, 1, -1, "both", 0, 0)->n_open = 1;
	sample_row(model, s, 1, 1, "in it", 1, 10 * ms);
	sample_row(model, s, 1, -1, "one", 0, 0)->n_open = 1;
	sample_row(model, s, 1, -1, "again", 3, 30 * ms)->n_open = 1;
	is_int(pmu_model_finish(model), 0, "finished");
	row = sample_sum(model, "one");
	ok(!pmu_model_time_known(row) && !pmu_model_self_known(row), "no time");
	ok(isnan(row->share), "no share");
	is_u64(row->missing & 7, 7, "no counts");
	row = sample_sum(model, "both");
	is_u64(row->time_ns, 40 * ms, "the other thread's time");
	ok(fabs(row->share - 0.02) < 1e-9, "its share");
	is_u64(row->missing, 0, "its counts");
	ok(pmu_model_time_known(sample_sum(model, "again")), "earlier calls are known");
	is_u64(sample_sum(model, "again")->missing, 0, "with their counts");
	is_u64(sample_sum(model, "in it")->self_ns, 10 * ms, "and what ended inside");
	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		if (s->thread_row[i].thread == 1 && !strcmp(s->thread_row[i].name, "both"))
			ok(isnan(s->thread_row[i].share) && (s->thread_row[i].missing & 7) == 7,
			   "its thread knows nothing");
	pmu_model_free(model);
}

static void pools_deviations(void)
{
	/* calls of 1, 3 ns in one thread, 10, 10, 10, 16 in the other: mean 50/6 */
	static const double call[] = { 1, 3, 10, 10, 10, 16 };
	struct pmu_model *model = empty(8);
	struct pmu_model_section *s = model->section;
	struct pmu_model_row *row;
	double square = 0;

	for (int i = 0; i < 6; i++)
		square += (call[i] - 50.0 / 6) * (call[i] - 50.0 / 6);
	sample_row(model, s, 0, -1, "r", 2, 4)->sd_ns = 1;
	row = sample_row(model, s, 1, -1, "r", 4, 46);
	row->sd_ns = sqrt((3 * 1.5 * 1.5 + 4.5 * 4.5) / 4);
	sample_row(model, s, 0, -1, "one", 2, 4)->sd_ns = 1;
	sample_row(model, s, 1, -1, "one", 0, 0);
	sample_row(model, s, 0, -1, "unknown", 2, 4)->sd_ns = NAN;
	sample_row(model, s, 1, -1, "unknown", 2, 4);
	sample_row(model, s, 0, -1, "again", 2, 4)->flags = PMU_ROW_RECURSIVE;
	sample_row(model, s, 1, -1, "again", 2, 4);
	is_int(pmu_model_finish(model), 0, "finished");
	ok(fabs(sample_sum(model, "r")->sd_ns - sqrt(square / 6)) < 1e-9,
	   "as if all calls had been in one thread");
	ok(sample_sum(model, "one")->sd_ns == 1, "a thread without calls changes nothing");
	is_u64(sample_sum(model, "one")->min_ns, 1, "nor does its shortest call");
	ok(isnan(sample_sum(model, "unknown")->sd_ns), "unknown in one is unknown in all");
	ok(isnan(sample_sum(model, "again")->sd_ns), "unknown where calls are not what was timed");
	pmu_model_free(model);
}

static void keeps_flat_rows_apart(void)
{
	struct pmu_model *model = empty(4);
	struct pmu_model_section *s = model->section;

	sample_row(model, s, 0, -1, "r", 1, 5 * ms);
	sample_row(model, s, 0, -1, "r", 2, 7 * ms)->flags = PMU_ROW_FLAT;
	sample_row(model, s, 1, -1, "r", 4, 9 * ms)->flags = PMU_ROW_FLAT | PMU_ROW_OPEN;
	is_int(pmu_model_finish(model), 0, "finished");
	is_int(s->n_rows, 2, "two sums");
	is_u64(s->row[0].calls, 6, "the flat ones together");
	is_u64(s->row[0].flags, PMU_ROW_FLAT | PMU_ROW_OPEN, "with the flags of both");
	is_u64(s->row[1].calls, 1, "the one in the tree by itself");
	pmu_model_free(model);
}

/* A model of a thread and two sockets; LLC_MISSES is the sockets'. */
static struct pmu_model *with_sockets(void)
{
	struct pmu_model *model = sample_head();

	sample_threads(model, 3, 1000 * ms);
	model->n_threads = 1;
	model->n_sockets = 2;
	sample_sections(model, 1, 8);
	sample_core(model, model->section);
	model->section->sockets = 1u << LLC_MISSES;
	return model;
}

static void sums_have_each_count_from_whom_it_is_of(void)
{
	struct pmu_model *model = with_sockets();
	struct pmu_model_section *s = model->section;
	struct pmu_model_row *sum;

	sample_row(model, s, 0, -1, "both", 4, 900)->missing = 1u << LLC_MISSES;
	sample_row(model, s, 1, -1, "both", 2, 600)->missing = 1u << INSTRUCTIONS | 1u << CYCLES;
	sample_row(model, s, 2, -1, "both", 1, 300)->missing = 1u << INSTRUCTIONS | 1u << CYCLES;
	sample_row(model, s, 0, -1, "threads", 1, 700)->missing = 1u << LLC_MISSES;
	sample_row(model, s, 1, -1, "sockets", 1, 500)->missing = 1u << INSTRUCTIONS | 1u << CYCLES;
	is_int(pmu_model_finish(model), 0, "finished");
	sum = sample_sum(model, "both");
	is_u64(sum->missing, 0, "nothing is missing");
	is_u64(sum->net[INSTRUCTIONS], 2700, "the thread's");
	is_u64(sum->net[LLC_MISSES], 600 / 3 + 300 / 3, "the sockets', added up");
	is_u64(sum->calls, 4, "calls are the thread's");
	is_u64(sum->time_ns, 900, "and so is time");
	is_u64(sum->max_ns, 450, "of a call, too");
	is_u64(sum->n_threads, 1, "sockets are no threads");
	ok(sum->share > 0.89e-6 && sum->share < 0.91e-6, "a share of the threads' time");
	is_u64(sample_sum(model, "threads")->missing, 1u << LLC_MISSES,
	       "no socket: missing, not 0");
	sum = sample_sum(model, "sockets");
	is_u64(sum->missing & 7, 1u << INSTRUCTIONS | 1u << CYCLES, "no thread: missing, not 0");
	is_u64(sum->net[LLC_MISSES], 500 / 3, "but for the socket's");
	pmu_model_free(model);
}

static void takes_bad_parents_for_none(void)
{
	struct pmu_model *model = empty(6);
	struct pmu_model_section *s = model->section;

	sample_row(model, s, 0, 0, "itself", 1, 5);
	sample_row(model, s, 0, 4, "later", 1, 4);
	sample_row(model, s, 1, 0, "other thread's", 1, 3);
	sample_row(model, s, 0, -7, "below", 1, 2);
	sample_row(model, s, 99, -1, "no such thread", 1, 1);
	is_int(pmu_model_finish(model), 0, "finished");
	for (unsigned int i = 0; i < s->n_rows; i++)
		is_int(s->row[i].depth, 0, s->row[i].name);
	ok(isnan(sample_sum(model, "no such thread")->share), "no share of a time that is unknown");
	pmu_model_free(model);
}

static void leaves_unknown_shares_and_counts_unknown(void)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	sample_threads(model, 1, 0);
	sample_sections(model, 1, 2);
	s = model->section;
	sample_core(model, s);
	sample_row(model, s, 0, -1, "r", 1, 5)->raw = NULL;
	is_int(pmu_model_finish(model), 0, "finished");
	ok(isnan(s->row[0].share), "a thread without time gives no share");
	is_u64(s->row[0].missing & 7, 7, "counts that were left out are missing");
	ok(isnan(s->row[0].metric[0]), "metrics are missing until they are made");
	pmu_model_free(model);
}

/* Shares of the outermost regions add up to what is known, never to more than all. */
static void shares_of_all_threads_add_up(void)
{
	struct pmu_model *model = empty(3);
	struct pmu_model_section *s = model->section;
	double sum = 0;

	model->thread[1].time_ns = 3000 * ms;
	sample_row(model, s, 0, -1, "first's", 1, 1000 * ms);
	sample_row(model, s, 1, -1, "other's", 1, 2500 * ms);
	sample_row(model, s, 1, -1, "rest", 1, 500 * ms);
	is_int(pmu_model_finish(model), 0, "finished");
	for (unsigned int i = 0; i < s->n_rows; i++)
		sum += s->row[i].share;
	ok(fabs(sum - 1) < 1e-12, "all of the time of all threads");
	ok(fabs(sample_sum(model, "first's")->share - 0.25) < 1e-12, "its part of it");
	ok(fabs(s->thread_row[0].share - 1) < 1e-12, "all of its own thread's");
	ok(fabs(s->thread_row[1].share - 2.5 / 3) < 1e-12, "a part of the other's");
	pmu_model_free(model);
}

static void more_than_the_whole_is_no_share(void)
{
	struct pmu_model *model = empty(4);
	struct pmu_model_section *s = model->section;

	sample_row(model, s, 0, -1, "damaged", 1, 1000 * ms + 1);
	sample_row(model, s, 1, -1, "damaged", 1, 100 * ms);
	sample_row(model, s, 1, -1, "whole", 1, 800 * ms);
	is_int(pmu_model_finish(model), 0, "finished");
	ok(isnan(s->thread_row[0].share), "more than its thread was measured: unknown");
	ok(fabs(s->thread_row[2].share - 0.1) < 1e-12, "the other thread's is known");
	ok(isnan(sample_sum(model, "damaged")->share),
	   "the sum is not, although it is less than all threads' time");
	ok(fabs(sample_sum(model, "whole")->share - 0.4) < 1e-12, "other regions' are");
	pmu_model_free(model);
}

static void a_refusal_is_kept_once(void)
{
	struct pmu_model *model = sample_head();

	pmu_model_add_refusal(model, "perf", "no PMU", "run on bare metal");
	pmu_model_add_refusal(model, "perf", "no PMU", "run on bare metal");
	is_u64(model->n_refusals, 1, "the same one");
	pmu_model_add_refusal(model, "software", "no PMU", "run on bare metal");
	pmu_model_add_refusal(model, "perf", "no PM", "run on bare metal");
	pmu_model_add_refusal(model, "perf", "no PMU", "");
	is_u64(model->n_refusals, 4, "others are others");
	for (int i = 0; i < 1000; i++)
		pmu_model_add_refusal(model, pmu_model_textf(model, "s%d", i), "x", "");
	is_u64(model->n_refusals, 1004, "as many as there are");
	pmu_model_free(model);
}

static void refuses_more_counts_than_a_mask_has_bits(void)
{
	struct pmu_model *model = empty(1);

	model->section[0].n_counts = PMU_MODEL_MAX_COUNTS + 1;
	is_int(pmu_model_finish(model), -E2BIG, "too many counts");
	pmu_model_free(model);
}

static void finishes_an_empty_model(void)
{
	struct pmu_model *model = empty(0);

	is_int(pmu_model_finish(model), 0, "no rows");
	is_int(model->section[0].n_rows, 0, "no sums");
	pmu_model_free(model);
	model = pmu_model_new();
	is_int(pmu_model_finish(model), 0, "no sections");
	is_str(model->program, "", "strings of a new model are empty");
	pmu_model_free(model);
	pmu_model_free(NULL);
}

/* Distinct regions nested to any depth: short paths as they are, long ones bounded and
 * distinct. */
static void bounds_the_length_of_paths(void)
{
	enum { DEEP = 3000 };
	struct pmu_model *model = empty(DEEP + 1);
	struct pmu_model_section *s = model->section;
	size_t longest = 0;
	bool same = false;

	for (int i = 0; i < DEEP; i++)
		sample_row(model, s, 0, i - 1, pmu_model_textf(model, "region_%d", i), 1, 10000);
	sample_row(model, s, 0, DEEP - 3, pmu_model_textf(model, "region_%d", DEEP - 1), 1, 10);
	is_int(pmu_model_finish(model), 0, "finished");
	for (unsigned int i = 1; i < s->n_rows; i++) {
		longest = strlen(s->row[i].path) > longest ? strlen(s->row[i].path) : longest;
		same |= !strcmp(s->row[i].path, s->row[i - 1].path);
	}
	is_int(s->row[DEEP - 1].depth, DEEP - 1, "the tree is all there");
	ok(longest < 2 * PMU_MODEL_PATH_MAX, "no path is longer than two of the limit");
	ok(!same && strcmp(s->row[DEEP].path, s->row[DEEP - 1].path) != 0, "paths differ");
	has(s->row[DEEP - 1].path, "/region_2999", "and end in the region's name");
	pmu_model_free(model);
}

static void many_rows_add_up(void)
{
	enum { THREADS = 100, REGIONS = 300 };
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;
	uint64_t calls = 0;

	sample_threads(model, THREADS, 1000 * ms);
	sample_sections(model, 1, THREADS * REGIONS);
	s = model->section;
	for (int t = 0; t < THREADS; t++)
		for (int r = 0; r < REGIONS; r++)
			sample_row(model, s, t, r % 10 ? t * REGIONS + r / 10 : -1,
				   pmu_model_textf(model, "r%d", r), (uint64_t)r + 1, 1000);
	is_int(pmu_model_finish(model), 0, "finished");
	is_int(s->n_rows, REGIONS, "as many sums as regions");
	for (unsigned int i = 0; i < s->n_rows; i++)
		calls += s->row[i].calls;
	is_u64(calls, (uint64_t)THREADS * REGIONS * (REGIONS + 1) / 2, "all calls");
	pmu_model_free(model);
}

static void remarks_grow_and_are_copied(void)
{
	struct pmu_model *model = pmu_model_new();
	char text[16];
	bool right = true;

	for (unsigned int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "remark %u", i);
		pmu_model_add_note(model, text);
		pmu_model_add_doubt(model, text, text, (int)i, i);
		pmu_model_add_refusal(model, text, text, "");
	}
	for (unsigned int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "remark %u", i);
		right &= !strcmp(model->note[i], text) && !strcmp(model->doubt[i].region, text) &&
			 model->doubt[i].thread == (int)i && !strcmp(model->refusal[i].why, text);
	}
	ok(right && model->n_notes == 100 && model->n_doubts == 100 && model->n_refusals == 100,
	   "100 of each");
	is_str(pmu_model_text(model, "abcdef", 3), "abc", "text of a given length");
	is_str(pmu_model_textf(model, "%05d", 42), "00042", "formatted text");
	ok((uintptr_t)pmu_model_alloc(model, 100000) % 16 == 0, "memory is aligned");
	ok(!pmu_model_alloc(model, SIZE_MAX - 8), "a size that cannot be is refused");
	pmu_model_free(model);
}

/* Of a simulation, which took longest for what the program did least. */
static void a_simulation_is_ranked_by_its_instructions(void)
{
	static struct pmu_model_count counts[] = { { "instructions", "" }, { "branches", "" } };
	struct pmu_model *model = pmu_model_new();
	struct pmu_model_section *s;
	struct pmu_model_row *row;

	model->source = "valgrind";
	sample_sections(model, 1, 3);
	s = model->section;
	s->count = counts;
	s->n_counts = 2;
	model->thread = pmu_model_alloc(model, sizeof(*model->thread));
	model->n_threads = 1;
	model->thread->time_ns = 5000;
	sample_row(model, s, 0, -1, "main", 1, 4000)->net[INSTRUCTIONS] = 1000;
	sample_row(model, s, 0, 0, "slow", 1, 3000)->net[INSTRUCTIONS] = 100;
	sample_row(model, s, 0, 0, "long", 1, 500)->net[INSTRUCTIONS] = 700;
	is_int(pmu_model_finish(model), 0, "a simulation is finished");
	is_int(s->ranked, INSTRUCTIONS + 1, "by its instructions");
	is_str(s->row[1].name, "long", "that with most of them comes first");
	ok(s->row[0].share == 1 && s->row[1].share == 0.7 && s->row[2].share == 0.1,
	   "shares are of what is outermost");
	is_u64(s->row[0].self[INSTRUCTIONS], 200, "what is its own is known");
	for (size_t i = 0; i < pmu_n_fields; i++)
		if (strstr(pmu_fields[i].key, "_ns") || strstr(pmu_fields[i].key, "time"))
			ok(!pmu_field_get(&pmu_fields[i], &s->row[1]).is_known, "no %s",
			   pmu_fields[i].key);
	ok(model->thread->cpu_ns < 0 && model->thread->minor_faults < 0,
	   "what the kernel says of the thread is of valgrind's work, too");
	row = &s->row[1];
	row->missing |= 1;
	is_u64(pmu_measure_of(s, row, PMU_BY_COUNT), 0, "what was not counted weighs nothing");
	pmu_model_free(model);
}

UNIT_PART(model)
{
	puts_rows_into_tree_order();
	adds_up_threads_by_path();
	escapes_names_in_paths();
	takes_nested_regions_out_of_self();
	never_lets_self_go_below_zero();
	says_nothing_of_self_around_an_overlap();
	says_nothing_of_self_below_a_tangled_recursion();
	says_nothing_of_a_first_call_that_is_open();
	pools_deviations();
	keeps_flat_rows_apart();
	sums_have_each_count_from_whom_it_is_of();
	takes_bad_parents_for_none();
	leaves_unknown_shares_and_counts_unknown();
	shares_of_all_threads_add_up();
	more_than_the_whole_is_no_share();
	a_simulation_is_ranked_by_its_instructions();
	a_refusal_is_kept_once();
	refuses_more_counts_than_a_mask_has_bits();
	finishes_an_empty_model();
	bounds_the_length_of_paths();
	many_rows_add_up();
	remarks_grow_and_are_copied();
	return done_testing();
}
