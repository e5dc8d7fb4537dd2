/* SPDX-License-Identifier: BSD-3-Clause */
/* How long calls were: the buckets, percentiles, sums, and what reports say of them. */
#include "unit/part.h"

#include "base/buckets.h"
#include "report/model/histogram.h"
#include "report/report.h"
#include "reports/combine/combine.h"
#include "store/row.h"
#include "unit/model_sample.h"

static const uint64_t ms = 1000000;

/* --- buckets --- */

static void a_value_lies_in_its_bucket(unsigned int bits)
{
	uint32_t last = pmu_bucket_of(UINT64_MAX, bits), wrong = 0, wide = 0, off = 0;

	for (uint32_t i = 0; i <= last; i++) {
		uint64_t start = pmu_bucket_start(i, bits);
		uint64_t end = i < last ? pmu_bucket_start(i + 1, bits) - 1 : UINT64_MAX;
		uint64_t middle = pmu_bucket_middle(i, bits);

		wrong += pmu_bucket_of(start, bits) != i || pmu_bucket_of(end, bits) != i ||
			 end < start;
		wide += (end - start) > start >> bits;
		off += middle < start || middle > end || middle - start > (end - start + 1) / 2;
	}
	is_u64(wrong, 0, "the buckets follow each other without a gap");
	is_u64(wide, 0, "none is wider than its part of a power of two");
	is_u64(off, 0, "a middle is in the middle");
	is_u64(last + 1, PMU_BUCKETS(bits, 64), "as many as there are said to be");
	is_u64(pmu_bucket_start(0, bits), 0, "they begin at 0");
}

static void small_numbers_are_exact(void)
{
	unsigned int wrong = 0;

	for (uint64_t i = 0; i < 16; i++)
		wrong += pmu_bucket_of(i, 3) != i || pmu_bucket_middle((uint32_t)i, 3) != i;
	is_u64(wrong, 0, "the first sixteen have a bucket each");
	is_u64(pmu_bucket_of(1000, 3), 8 * 7 + 7, "512 and 7 eighths of that");
	is_u64(pmu_bucket_start(8 * 7 + 7, 3), 960, "which begins there");
	is_u64(pmu_bucket_of((1ull << 52) - 1, PMU_HISTOGRAM_BITS), PMU_HISTOGRAM_BUCKETS - 1,
	       "the store's last one is the last of 52 bits");
}

/* --- percentiles --- */

static struct pmu_histogram_sum sum;

static void add_calls(uint64_t ns, uint64_t calls)
{
	sum.calls[pmu_length_bucket(ns)] += calls;
}

static struct pmu_model_row row_of(struct pmu_model *model, uint64_t min_ns, uint64_t max_ns)
{
	return (struct pmu_model_row){ .calls = 1,
				       .min_ns = min_ns,
				       .max_ns = max_ns,
				       .histogram = pmu_histogram_make(model, &sum) };
}

static void is_percentile(const struct pmu_model_row *row, unsigned int per_mille, uint64_t want,
			  const char *name)
{
	uint64_t ns = 77;

	ok(pmu_row_percentile(row, per_mille, &ns), "%s is known", name);
	is_u64(ns, want, name);
}

/* Up to 63 ns, each length is a bucket of its own. */
static void percentiles_are_those_of_a_list(void)
{
	struct pmu_model *model = pmu_model_new();
	struct pmu_model_row row;

	for (uint64_t ns = 1; ns <= 10; ns++)
		add_calls(ns, 100);
	row = row_of(model, 1, 10);
	is_u64(pmu_histogram_calls(row.histogram), 1000, "all of them");
	is_percentile(&row, 500, 5, "the median of 1 to 10");
	is_percentile(&row, 501, 6, "one more call and it is the next");
	is_percentile(&row, 900, 9, "nine tenths");
	is_percentile(&row, 990, 10, "99 of a hundred");
	is_percentile(&row, 1000, 10, "all");
	is_percentile(&row, 0, 1, "none: the shortest");
	add_calls(3, 1);
	row = row_of(model, 3, 3);
	is_percentile(&row, 999, 3, "of one call");
	add_calls(3, 1);
	add_calls(9, 1);
	row = row_of(model, 3, 9);
	is_percentile(&row, 500, 3, "the median of two is the first");
	is_percentile(&row, 900, 9, "beyond it is the second");
	pmu_model_free(model);
}

static void long_ones_are_right_to_a_64th(void)
{
	struct pmu_model *model = pmu_model_new();
	struct pmu_model_row row;
	uint64_t ns;

	add_calls(5 * ms, 989);
	add_calls(80 * ms, 10);
	add_calls(1000 * ms, 1);
	row = row_of(model, 1, UINT64_MAX);
	is_percentile(&row, 500, pmu_length_ns(pmu_length_bucket(5 * ms)), "of many");
	is_percentile(&row, 999, pmu_length_ns(pmu_length_bucket(80 * ms)), "of few");
	pmu_row_percentile(&row, 1000, &ns);
	ok(ns > 1000 * ms - 1000 * ms / 64 && ns < 1000 * ms + 1000 * ms / 64, "to a 64th");
	row.min_ns = row.max_ns = 1001 * ms;
	is_percentile(&row, 500, 1001 * ms, "never less than the shortest call, which is exact");
	row.min_ns = row.max_ns = 4999999;
	is_percentile(&row, 999, 4999999, "nor more than the longest");
	pmu_model_free(model);
}

static void what_was_not_counted_is_not_known(void)
{
	struct pmu_model *model = pmu_model_new();
	struct pmu_model_row row = row_of(model, 0, 0);
	uint64_t ns;

	ok(row.histogram && !row.histogram->n, "a histogram of no call");
	ok(!pmu_row_percentile(&row, 500, &ns), "no percentile of it");
	row.histogram = NULL;
	ok(!pmu_row_percentile(&row, 500, &ns), "nor of none");
	is_u64(pmu_histogram_calls(NULL), 0, "which has no calls");
	add_calls(1, UINT64_MAX - 1);
	add_calls(2, 7);
	row = row_of(model, 0, 9);
	is_u64(pmu_histogram_calls(row.histogram), UINT64_MAX,
	       "numbers out of damage stay at the edge");
	is_percentile(&row, 500, 1, "and do no harm");
	is_percentile(&row, 1000, 2, "at either end");
	pmu_model_free(model);
}

/* --- sums --- */

static const struct pmu_model_histogram *histogram_of(struct pmu_model *model, uint64_t ns,
						      uint64_t calls)
{
	add_calls(ns, calls);
	return pmu_histogram_make(model, &sum);
}

static struct pmu_model *two_threads(void)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	sample_threads(model, 2, 1000000000);
	sample_sections(model, 1, 8);
	s = model->section;
	sample_row(model, s, 0, -1, "both", 10, 10 * ms)->histogram = histogram_of(model, ms, 10);
	sample_row(model, s, 1, -1, "both", 30, 60 * ms)->histogram = histogram_of(model, 2 * ms,
										   30);
	sample_row(model, s, 0, -1, "one", 2, 8 * ms)->histogram = histogram_of(model, 4 * ms, 2);
	sample_row(model, s, 0, -1, "half", 2, 7 * ms)->histogram = histogram_of(model, 3 * ms, 2);
	sample_row(model, s, 1, -1, "half", 2, 7 * ms);
	sample_row(model, s, 0, -1, "open", 1, 6 * ms)->histogram = histogram_of(model, 6 * ms, 1);
	sample_row(model, s, 1, -1, "open", 0, 0);
	return model;
}

static const struct pmu_model_row *sum_of(const struct pmu_model *model, const char *name)
{
	for (unsigned int i = 0; i < model->section->n_rows; i++)
		if (!strcmp(model->section->row[i].name, name))
			return &model->section->row[i];
	return NULL;
}

static void a_sum_has_the_calls_of_all_threads(void)
{
	struct pmu_model *model = two_threads();
	const struct pmu_model_row *both;

	is_int(pmu_model_finish(model), 0, "finished");
	both = sum_of(model, "both");
	is_u64(pmu_histogram_calls(both->histogram), 40, "calls of both");
	is_int(both->histogram->n, 2, "of two lengths");
	is_percentile(both, 500, pmu_length_ns(pmu_length_bucket(2 * ms)), "median");
	is_u64(pmu_histogram_calls(sum_of(model, "one")->histogram), 2, "of the only one");
	ok(!sum_of(model, "half")->histogram, "a part of the calls is not all of them");
	is_u64(pmu_histogram_calls(sum_of(model, "open")->histogram), 1,
	       "a thread without calls takes nothing away");
	ok(pmu_model_has_histograms(model), "the model has some");
	pmu_model_free(model);
	model = sample_model();
	ok(!pmu_model_has_histograms(model), "another has none");
	pmu_model_free(model);
}

static void processes_add_up(void)
{
	struct pmu_model *part[2] = { two_threads(), two_threads() }, *model = NULL;

	for (int i = 0; i < 2; i++) {
		pmu_model_finish(part[i]);
		part[i]->rank = i;
		part[i]->pid += i;
	}
	is_int(pmu_model_combine(part, 2, PMU_COMBINE_RANKS, &model), 0, "combined");
	pmu_model_free(part[0]);
	pmu_model_free(part[1]);
	is_u64(pmu_histogram_calls(sum_of(model, "both")->histogram), 80, "calls of both");
	is_percentile(sum_of(model, "both"), 500, pmu_length_ns(pmu_length_bucket(2 * ms)),
		      "median");
	pmu_model_free(model);
}

/* --- reports --- */

static char *render(const struct pmu_model *model, enum pmu_report_format format,
		    const struct pmu_text_options *options)
{
	struct pmu_strbuf out = { 0 };

	pmu_report_render(&out, model, format, options);
	ok(!out.failed && out.text, "rendered");
	return out.text;
}

static void the_text_has_percentiles(void)
{
	static const struct pmu_text_options plain = { .columns = 100 };
	struct pmu_model *model = two_threads();
	char *text;

	model->section->thread_row[0].max_ns = 3 * ms;
	pmu_model_finish(model);
	text = render(model, PMU_REPORT_TEXT, &plain);
	has(text, "\n  time per call", "a table of its own");
	has(text,
	    "      mean  deviation       min       p50       p90       p99     p99.9       max\n",
	    "its columns");
	has(text, "\n  both              1.750 ms", "the mean of all calls");
	has(text, "2.015 ms  2.015 ms  2.015 ms  2.015 ms  4.000 ms\n", "to the longest");
	has(text, "\n  open              6.000 ms\n", "of a single call there is no more to tell");
	has(text, "\n  -  unknown", "what is not known is explained");
	free(text);
	pmu_model_free(model);
}

static void without_them_it_shows_the_spread_where_asked(void)
{
	static const struct pmu_text_options plain = { .columns = 100 },
					     threads = { .threads = true }, all = { .all = true };
	struct pmu_model *model = sample_model();
	char *text = render(model, PMU_REPORT_TEXT, &plain);

	ok(!strstr(text, "time per call"), "not by itself");
	free(text);
	text = render(model, PMU_REPORT_TEXT, &threads);
	has(text, "mean  deviation       min       max\n", "with each thread's rows");
	ok(!strstr(strstr(text, "time per call") + 1, "time per call"),
	   "once, not for each thread");
	free(text);
	text = render(model, PMU_REPORT_TEXT, &all);
	has(text, "mean  deviation       min       max\n", "with everything");
	free(text);
	for (unsigned int i = 0; i < model->section->n_rows; i++)
		model->section->row[i].calls = 1;
	text = render(model, PMU_REPORT_TEXT, &all);
	ok(!strstr(text, "time per call"), "of single calls there is no spread");
	free(text);
	pmu_model_free(model);
}

static void csv_has_columns_for_them(void)
{
	struct pmu_model *model = two_threads();
	char *text;

	pmu_model_finish(model);
	text = render(model, PMU_REPORT_CSV, NULL);
	has(text,
	    ",sd_ns,p50_ns,p90_ns,p99_ns,p99.9_ns,share,own_ns,cpu_ns,blocked_ns,runnable_ns,self_cpu_ns,part,rank\n",
	    "where there are some");
	has(text, "TIME,both,both,0,all,40,70000000,70000000,500000,1750000,4000000,", "a line");
	has(text, ",2015231,2015231,2015231,2015231,0.035,0,,,,,all,\n", "its percentiles");
	has(text,
	    "TIME,half,half,0,1,2,7000000,7000000,1750000,3500000,7000000,437500,,,,,0.007,0,,,,,0,\n",
	    "blank where they are not known");
	free(text);
	pmu_model_free(model);
}

static void json_has_all_of_it(void)
{
	struct pmu_model *model = two_threads();
	char *text;

	pmu_model_finish(model);
	text = render(model, PMU_REPORT_JSON, NULL);
	has(text,
	    "\"time_p50_ns\": 2015231, \"time_p90_ns\": 2015231, \"time_p99_ns\": 2015231, "
	    "\"time_p99_9_ns\": 2015231, \"histogram\": [[1007615, 10], [2015231, 30]]",
	    "of a sum");
	has(text, "\"histogram\": [[4030463, 2]]", "of a thread");
	has(text, "\"time_own_ns\": 0, \"time_min_ns\": 500000, \"time_mean_ns\": 1750000, ",
	    "and the mean");
	free(text);
	pmu_model_free(model);
	model = sample_model();
	text = render(model, PMU_REPORT_JSON, NULL);
	ok(!strstr(text, "histogram") && !strstr(text, "time_p50"),
	   "nothing of it where none was made");
	free(text);
	pmu_model_free(model);
}

/* --- rows that are too short --- */

static struct pmu_model *short_rows(void)
{
	static const struct pmu_model_count count[] = { { "instructions", "" } };
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;
	struct pmu_model_row *row;

	sample_threads(model, 1, 1000 * ms);
	sample_sections(model, 1, 8);
	s = model->section;
	s->n_counts = 1;
	s->count = pmu_model_alloc(model, sizeof(count));
	memcpy(s->count, count, sizeof(count));
	row = sample_row(model, s, 0, -1, "long", 10, 10000);
	row->cost_ns = 1000;
	row = sample_row(model, s, 0, -1, "short", 10, 9990);
	row->cost_ns = 2000;
	row = sample_row(model, s, 0, -1, "10 ns each", 100, 9900);
	row->cost_ns = 1;
	row->cost[0] = 0;
	row = sample_row(model, s, 0, -1, "few instructions", 1, 9000);
	row->cost_ns = 1;
	row->raw[0] = 1000;
	row->cost[0] = 101;
	row = sample_row(model, s, 0, -1, "missing", 1, 8000);
	row->cost_ns = 1;
	row->raw[0] = 1000;
	row->cost[0] = 101;
	row->missing = 1;
	row = sample_row(model, s, 0, -1, "guessed long", 10, 2000);
	row->cost[0] = 0;
	row = sample_row(model, s, 0, -1, "guessed short", 10, 1990);
	row->cost[0] = 0;
	row = sample_row(model, s, 0, -1, "none", 0, 0);
	row->cost[0] = 0;
	return model;
}

static bool is_marked(const struct pmu_model *model, const char *name)
{
	return sum_of(model, name)->flags & PMU_ROW_SHORT;
}

static void own_work_of_a_tenth_marks_a_row(void)
{
	static const struct pmu_text_options wide = { .columns = 160 };
	struct pmu_model *model = short_rows();
	char *text;

	is_int(pmu_model_finish(model), 0, "finished");
	ok(!is_marked(model, "long"), "a tenth of the time");
	ok(is_marked(model, "short"), "more than a tenth");
	ok(is_marked(model, "10 ns each"), "that is 10 ns a call at least");
	ok(is_marked(model, "few instructions"), "of a count");
	ok(!is_marked(model, "missing"), "not of one that is missing");
	ok(!is_marked(model, "guessed long"), "200 ns, where nothing was measured");
	ok(is_marked(model, "guessed short"), "less");
	ok(!is_marked(model, "none"), "no call is no short one");
	text = render(model, PMU_REPORT_JSON, NULL);
	has(text, "\"flags\": [\"short\"]", "told in JSON");
	free(text);
	text = render(model, PMU_REPORT_TEXT, &wide);
	has(text,
	    "\n  s  short: more than a tenth of what was measured in these calls was the library's own work\n",
	    "explained in the text");
	has(text, "\n  the library's own work is about ", "and what it was");
	has(text, "% of the time (20.0% in short)", "of the time, most in one");
	has(text, ", and is taken out of the counts: ", "and of a count");
	free(text);
	pmu_model_free(model);
}

UNIT_PART(histogram)
{
	a_value_lies_in_its_bucket(3);
	a_value_lies_in_its_bucket(5);
	small_numbers_are_exact();
	percentiles_are_those_of_a_list();
	long_ones_are_right_to_a_64th();
	what_was_not_counted_is_not_known();
	a_sum_has_the_calls_of_all_threads();
	processes_add_up();
	the_text_has_percentiles();
	without_them_it_shows_the_spread_where_asked();
	csv_has_columns_for_them();
	json_has_all_of_it();
	own_work_of_a_tenth_marks_a_row();
	return done_testing();
}
