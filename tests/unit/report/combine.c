/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of several processes as one: which rows are added up, what is said of which process. */
#include "unit/part.h"

#include <errno.h>
#include <malloc.h>
#include <time.h>

#include "base/error.h"
#include "bindings/command/json/read.h"
#include "report/encode.h"
#include "report/model/metric.h"
#include "report/report.h"
#include "reports/combine/combine.h"
#include "reports/over_parts.h"
#include "unit/model_sample.h"

static const uint64_t ms = 1000000;

/* A process: "solve" that holds "exchange", of @threads threads. */
static struct pmu_model *process_model(unsigned int threads, uint64_t solve_ns)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	model->nth = 1;
	sample_threads(model, threads, 1000 * ms);
	sample_sections(model, 1, 3 * threads);
	s = model->section;
	sample_core(model, s);
	for (unsigned int i = 0; i < threads; i++) {
		int solve = (int)s->n_thread_rows;

		sample_row(model, s, (int)i, -1, "solve", 1, solve_ns);
		sample_row(model, s, (int)i, solve, "exchange", 10, 50 * ms);
	}
	if (pmu_model_finish(model))
		abort();
	return model;
}

/* One of an MPI program; time grows with the rank. */
static struct pmu_model *rank_model(int rank, unsigned int threads)
{
	struct pmu_model *model = process_model(threads, (uint64_t)(rank + 1) * 100 * ms);

	model->rank = rank;
	model->n_ranks = 8;
	model->pid = 200 - rank; /* not in the order of the ranks */
	return model;
}

static char *render(const struct pmu_model *model, enum pmu_report_format format, bool all)
{
	const struct pmu_text_options options = { .columns = 80, .all = all };
	struct pmu_strbuf out = { 0 };

	pmu_report_render(&out, model, format, &options);
	ok(!out.failed && out.text, "rendered");
	return out.text;
}

/* Added up as they come, they say the same, although their rows are not there any more. */
static void is_gathered(struct pmu_model **part, unsigned int n, const struct pmu_model *model)
{
	struct pmu_gathering *gathering = pmu_gather_new(true);
	struct pmu_model *gathered = NULL;
	int rc = 0;

	for (unsigned int i = 0; !rc && i < n; i++)
		rc = pmu_gather_add(gathering, part[i]);
	if (rc) {
		is_int(rc, -ENOTSUP, "what is not gathered is told");
		pmu_gather_drop(gathering);
		return;
	}
	if (!is_int(pmu_gather_end(gathering, &gathered), 0, "gathered"))
		return;
	pmu_metric_fill(gathered);
	for (int all = 0; all < 2; all++) {
		char *text = render(model, PMU_REPORT_TEXT, all);
		char *again = render(gathered, PMU_REPORT_TEXT, all);

		is_str(again, text, "as it is of those that are kept");
		free(text);
		free(again);
	}
	pmu_model_free(gathered);
}

/* Combines and frees them. */
static struct pmu_model *combined(struct pmu_model **part, unsigned int n, enum pmu_combine how)
{
	struct pmu_model *model = NULL;

	is_int(pmu_model_combine(part, n, how, &model), 0, "combined");
	if (!model)
		exit(1);
	pmu_metric_fill(model);
	if (how == PMU_COMBINE_RANKS)
		is_gathered(part, n, model);
	for (unsigned int i = 0; i < n; i++)
		pmu_model_free(part[i]);
	return model;
}

static struct pmu_model *ranks(const int *rank, unsigned int n, unsigned int threads)
{
	struct pmu_model *part[64];

	for (unsigned int i = 0; i < n; i++)
		part[i] = rank_model(rank[i], threads);
	return combined(part, n, PMU_COMBINE_RANKS);
}

static void hasnt(const char *text, const char *part, const char *name)
{
	if (!ok(!strstr(text, part), "%s", name))
		diag("there is \"%s\"", part);
}

static int sum_index(const struct pmu_model_section *s, const char *path)
{
	for (unsigned int i = 0; i < s->n_rows; i++)
		if (!strcmp(s->row[i].path, path))
			return (int)i;
	diag("no %s", path);
	return -1;
}

static const struct pmu_model_row *sum_of(const struct pmu_model *model, const char *path)
{
	static const struct pmu_model_row none = { .name = "" };
	int i = sum_index(model->section, path);

	return i < 0 ? &none : &model->section->row[i];
}

static bool spread_of(const struct pmu_model *model, const char *path, int count,
		      struct pmu_spread *spread)
{
	int i = sum_index(model->section, path);
	struct pmu_over_parts over;
	bool known;

	if (i < 0 || pmu_over_parts_open(&over, model, model->section) < 0)
		return false;
	known = pmu_over_parts(&over, (unsigned int)i, count, spread);
	pmu_over_parts_close(&over);
	return known;
}

/* Its JSON is read again, and written as it was. */
static void comes_back(const struct pmu_model *model, const char *name)
{
	char *text = render(model, PMU_REPORT_JSON, false), *again = strdup(text);
	struct pmu_model *read = NULL;
	int rc = pmu_json_read(again, strlen(again), &read);

	free(again);
	if (!is_int(rc, 0, name)) {
		diag("%s", pmu_error_text());
		free(text);
		return;
	}
	again = render(read, PMU_REPORT_JSON, false);
	if (!ok(!strcmp(text, again), "%s: as it was", name)) {
		size_t at = 0;

		while (text[at] == again[at])
			at++;
		diag("%.60s / %.60s", text + at, again + at);
	}
	free(again);
	pmu_model_free(read);
	free(text);
}

/* One of two was killed in its outermost region. */
static void what_one_does_not_know_is_of_that_one(void)
{
	struct pmu_model *part[2] = { process_model(1, 300 * ms), process_model(1, 300 * ms) },
			 *model;
	struct pmu_model_row *row = part[1]->section->thread_row;
	struct pmu_spread spread;
	char *text;

	row[0].calls = row[0].time_ns = row[0].min_ns = row[0].max_ns = 0;
	row[0].n_open = 1;
	row[0].flags = PMU_ROW_OPEN;
	row[1].cost_ns = row[1].time_ns / 2;
	part[1]->program = "killed";
	is_int(pmu_model_finish(part[1]), 0, "finished");
	pmu_metric_fill(part[1]);
	comes_back(part[1], "a region that is open");
	model = combined(part, 2, PMU_COMBINE_PROGRAMS);
	comes_back(model, "beside one that is not");
	ok(!pmu_model_time_known(sum_of(model, "killed")), "a program whose regions know nothing");
	is_u64(sum_of(model, "killed")->missing & 7, 7, "nor counts");
	is_u64(sum_of(model, "demo")->time_ns, 300 * ms, "the other one");
	is_u64(sum_of(model, "demo")->missing & 7, 0, "with its counts");
	ok(!spread_of(model, "killed/solve", PMU_OVER_TIME, &spread), "and nothing is compared");
	text = render(model, PMU_REPORT_TEXT, false);
	has(text, "% in exchange of\n  killed)",
	    "of which program the most was the library's own is said");
	free(text);
	pmu_model_free(model);
}

static void ranks_are_added_up(void)
{
	static const int rank[] = { 2, 0, 1 };
	struct pmu_model *model = ranks(rank, 3, 2);
	const struct pmu_model_row *row = sum_of(model, "solve");
	struct pmu_spread spread;

	is_u64(model->n_parts, 3, "three parts");
	is_int(model->part[0].rank, 0, "by rank");
	is_str(model->part[2].label, "rank 2", "called by it");
	is_int(model->rank, -1, "no rank of all");
	is_int(model->n_ranks, 8, "how many there are");
	is_u64(model->n_threads, 6, "all threads");
	is_u64(model->thread[2].part, 1, "each of its part");
	is_int(model->thread[2].number, 0, "with its number there");
	is_u64(model->n_sections, 1, "one group");
	is_u64(model->section->n_rows, 2, "a row for each path");
	is_u64(row->calls, 6, "calls");
	is_u64(row->time_ns, 2 * (100 + 200 + 300) * ms, "time");
	is_u64(row->n_threads, 6, "threads");
	is_u64(row->net[CYCLES], 2 * (100 + 200 + 300) * ms, "counts");
	is_u64(row->raw[CYCLES], 2 * (100 + 200 + 300) * ms + 6 * 40, "raw ones");
	is_u64(row->self_ns, 2 * (50 + 150 + 250) * ms, "self");
	ok(row->metric[0] > 2.99 && row->metric[0] < 3.01, "metrics");
	if (ok(spread_of(model, "solve", PMU_OVER_TIME, &spread), "spread")) {
		is_u64(spread.n, 3, "over three");
		ok(spread.sum == 1200.0 * (double)ms, "sum");
		ok(spread.min == 200.0 * (double)ms && spread.part_min == 0, "least, in rank 0");
		ok(spread.max == 600.0 * (double)ms && spread.part_max == 2, "most, in rank 2");
		ok(spread.mean == 400.0 * (double)ms, "mean");
		ok(fabs(spread.imbalance - 0.5) < 1e-12, "imbalance");
	}
	ok(spread_of(model, "solve/exchange", CYCLES, &spread) && spread.imbalance == 0,
	   "none in another");
	comes_back(model, "JSON");
	pmu_model_free(model);
}

static void a_region_of_one_rank(void)
{
	struct pmu_model *part[] = { rank_model(0, 1), rank_model(1, 1) }, *model;
	struct pmu_spread spread;
	char *text;

	sample_row(part[1], part[1]->section, 0, -1, "output", 1, 7 * ms);
	pmu_model_finish(part[1]);
	model = combined(part, 2, PMU_COMBINE_RANKS);
	ok(spread_of(model, "output", PMU_OVER_TIME, &spread), "spread");
	is_u64(spread.n, 1, "over one");
	ok(spread.mean == 7.0 * (double)ms && spread.part_min == 1, "its value");
	text = render(model, PMU_REPORT_TEXT, false);
	has(text, "\n  over 2 ranks: time\n", "a table");
	has(text, "\n  output                1  7.000 ms  7.000 ms  7.000 ms              rank 1\n",
	    "how many, and no imbalance");
	has(text, "\n  solve                 2  150.0 ms  100.0 ms  200.0 ms      33.3%   rank 1\n",
	    "others have one");
	free(text);
	pmu_model_free(model);
}

static void the_head_says_which_ranks(void)
{
	static const int some[] = { 0, 1, 2, 4, 5, 6 }, all[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct pmu_model *model = ranks(some, 6, 1), *other[2];
	char *text = render(model, PMU_REPORT_TEXT, false);

	has(text, "pmu: demo (6 ranks on node1) ran 1.234 s, 6 threads", "title");
	has(text, "\n  ranks     6 of 8: ranks 3, 7 have no report\n", "which are missing");
	has(text, "\n  pinning   auto: 2 threads on CPUs 0,1\n", "what all say");
	free(text);
	pmu_model_free(model);
	model = ranks(all, 8, 1);
	text = render(model, PMU_REPORT_TEXT, false);
	hasnt(text, "no report", "none missing");
	has(text, "\n  CORE, all ranks together, by time\n", "what is added up");
	has(text, "\n  rank              pid ", "a table of ranks");
	free(text);
	pmu_model_free(model);
	other[0] = rank_model(0, 1);
	other[1] = rank_model(3, 1);
	other[0]->n_ranks = other[1]->n_ranks = 0;
	other[1]->host = "node2";
	other[1]->source = "clock";
	model = combined(other, 2, PMU_COMBINE_RANKS);
	text = render(model, PMU_REPORT_TEXT, false);
	has(text, "2 ranks on several hosts", "hosts");
	has(text, "\n  ranks     2 of at least 4: ranks 1-2 have no report\n",
	    "a number that is not known");
	has(text, "perf (rank 0); clock (rank 3)", "what differs");
	is_str(model->host, "", "no host of both");
	free(text);
	pmu_model_free(model);
}

static void ends_that_were_not_clean(void)
{
	struct pmu_model *part[4], *model;
	char *text;

	for (int i = 0; i < 4; i++)
		part[i] = rank_model(i, 1);
	part[2]->died = "the program did not end cleanly: killed by signal 9";
	model = combined(part, 4, PMU_COMBINE_RANKS);
	is_str(model->died, "rank 2: the program did not end cleanly: killed by signal 9",
	       "of one");
	text = render(model, PMU_REPORT_TEXT, false);
	has(text, "not cleanly\n", "in the table of ranks");
	comes_back(model, "JSON");
	free(text);
	pmu_model_free(model);
	for (int i = 0; i < 4; i++) {
		part[i] = rank_model(i, 1);
		part[i]->died = i ? "gone" : NULL;
	}
	model = combined(part, 4, PMU_COMBINE_RANKS);
	is_str(model->died, "3 of 4 ranks did not end cleanly: ranks 1-3; rank 1: gone",
	       "of several");
	pmu_model_free(model);
}

static void remarks_are_said_once(void)
{
	struct pmu_model *part[5], *model;

	for (int i = 0; i < 5; i++) {
		part[i] = rank_model(i, 1);
		pmu_model_add_note(part[i], "in all");
		if (i != 1)
			pmu_model_add_note(part[i], "in most");
		pmu_model_add_doubt(part[i], "ended without a begin", "solve", 0, 2);
		pmu_model_add_refusal(part[i], "msr", "no device", "modprobe msr");
	}
	pmu_model_add_doubt(part[3], "was lost", "exchange", 0, 1);
	pmu_model_add_doubt(part[3], "was lost", "exchange", 0, 0);
	model = combined(part, 5, PMU_COMBINE_RANKS);
	is_u64(model->n_notes, 2, "notes");
	is_str(model->note[0], "in all", "of all");
	is_str(model->note[1], "in most (ranks 0, 2-4)", "of some");
	is_u64(model->n_refusals, 1, "refusals");
	is_u64(model->n_doubts, 2, "doubts");
	is_str(model->doubt[0].text, "ended without a begin", "of all");
	is_u64(model->doubt[0].count, 10, "added up");
	is_int(model->doubt[0].part, -1, "of no part");
	is_int(model->doubt[0].thread, -1, "and no thread");
	is_str(model->doubt[1].text, "was lost (rank 3)", "of one");
	is_u64(model->doubt[1].count, 0, "not countable where any is not");
	is_int(model->doubt[1].part, 3, "its part");
	is_int(model->doubt[1].thread, 0, "its thread");
	comes_back(model, "JSON");
	pmu_model_free(model);
}

static void doubts_mark_the_rows_they_are_of(void)
{
	const struct pmu_text_options options = { .threads = true, .columns = 90 };
	struct pmu_model *part[] = { rank_model(0, 1), rank_model(1, 1) }, *model;
	struct pmu_strbuf out = { 0 };
	const char *first, *second;

	pmu_model_add_doubt(part[1], "was lost", "solve", 0, 1);
	model = combined(part, 2, PMU_COMBINE_RANKS);
	pmu_report_render(&out, model, PMU_REPORT_TEXT, &options);
	first = strstr(out.text, "\n  CORE, rank 0, thread 0 (demo) on CPU 0\n");
	second = strstr(out.text, "\n  CORE, rank 1, thread 0 (demo) on CPU 0\n");
	if (ok(first && second, "both have tables")) {
		const char *mark = strstr(first + 1, "  ?\n");

		ok(mark > second, "the other rank's thread of the same number is not marked");
	} else {
		diag("%s", out.text);
	}
	has(out.text, "\n  rank 0: 0 demo ", "threads are named with their ranks");
	has(out.text, "over 2 ranks: cycles\n", "counts are spread, too");
	pmu_strbuf_free(&out);
	pmu_model_free(model);
}

/* How often a row of a text report ends in "?". */
static unsigned int n_marked(const struct pmu_model *model, const char *with)
{
	const struct pmu_text_options options = { .threads = true, .columns = 120 };
	struct pmu_strbuf out = { 0 };
	unsigned int n = 0;

	pmu_report_render(&out, model, PMU_REPORT_TEXT, &options);
	for (char *at = out.text, *line; (line = strsep(&at, "\n"));)
		n += strlen(line) > 3 && !strcmp(line + strlen(line) - 3, "  ?") &&
		     strstr(line, with);
	pmu_strbuf_free(&out);
	return n;
}

/*
 * Of three processes of two programs, which have regions of the same names; two have the same
 * doubt.
 */
static void doubts_belong_to_a_program_a_process_and_a_path(void)
{
	struct pmu_model *part[3], *model;
	struct pmu_strbuf out = { 0 };

	for (unsigned int i = 0; i < 3; i++) {
		part[i] = process_model(1, 100 * ms);
		part[i]->program = i < 2 ? "sort" : "join";
		part[i]->pid = 10 + (int)i;
		part[i]->start_unix_ns += i;
	}
	pmu_model_add_doubt(part[0], "was lost", "solve/exchange", 0, 1);
	pmu_model_add_doubt(part[1], "was lost", "solve/exchange", 0, 1);
	pmu_model_add_doubt(part[0], "was late", "exchange", 0, 1);
	model = combined(part, 3, PMU_COMBINE_PROGRAMS);
	is_u64(model->doubt[0].n_parts, 2, "the doubt of two processes");
	is_u64(model->doubt[0].parts ? model->doubt[0].parts[1] : 0, 1, "lists them");
	is_u64(n_marked(model, "exchange"), 3,
	       "in the table of all the one of their program, and each of theirs");
	is_u64(n_marked(model, ""), 3, "and no others: a region's name is not its path");
	comes_back(model, "JSON");
	pmu_write_json(&out, model);
	has(out.text, "\"parts\": [0, 1]", "and in JSON");
	pmu_strbuf_free(&out);
	pmu_model_free(model);
}

static void groups_and_columns_may_differ(void)
{
	struct pmu_model *part[3], *model;
	struct pmu_model_section *s;
	const struct pmu_model_row *row;
	struct pmu_spread spread;

	for (int i = 0; i < 3; i++)
		part[i] = rank_model(i, 1);
	part[1]->section->count[LLC_MISSES].name = "L2-misses";
	part[1]->section->metric[0].formula = "instructions / (2 * cycles)";
	part[2]->section->group = "OTHER";
	model = combined(part, 3, PMU_COMBINE_RANKS);
	is_u64(model->n_sections, 2, "groups by name");
	s = model->section;
	is_u64(s->n_counts, 4, "all columns of any");
	is_str(s->count[3].name, "L2-misses", "the new one behind the others");
	row = sum_of(model, "solve");
	is_u64(row->missing & 15, 1u << LLC_MISSES | 1u << 3,
	       "what one part lacks is missing in the sum");
	is_u64(row->net[CYCLES], 300 * ms, "what both have is added up");
	ok(!spread_of(model, "solve", LLC_MISSES, &spread), "and has no spread");
	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		is_u64(s->thread_row[i].missing & 15,
		       model->thread[s->thread_row[i].thread].part ? 1u << LLC_MISSES : 1u << 3,
		       "known where it is counted");
	ok(isnan(row->metric[0]), "a metric by two formulas is missing");
	has(model->n_notes ? model->note[0] : "", "IPC of CORE is left out", "and that is said");
	comes_back(model, "JSON");
	pmu_model_free(model);
}

static void a_name_that_means_two_things(void)
{
	struct pmu_model *part[] = { rank_model(0, 1), rank_model(1, 1) }, *model;

	part[1]->section->count[CYCLES].unit = "ns";
	model = combined(part, 2, PMU_COMBINE_RANKS);
	is_str(model->section->count[3].name, "cycles (ns)", "is told apart");
	is_u64(sum_of(model, "solve")->missing & 15, 1u << CYCLES | 1u << 3, "and not added up");
	comes_back(model, "JSON");
	pmu_model_free(model);
}

static void too_many_columns_are_refused(void)
{
	struct pmu_model *part[2], *model = NULL;
	struct pmu_gathering *gathering;

	for (int i = 0; i < 2; i++) {
		struct pmu_model_section *s;

		part[i] = sample_head();
		sample_threads(part[i], 1, ms);
		sample_sections(part[i], 1, 1);
		s = part[i]->section;
		s->n_counts = 20;
		s->count = pmu_model_alloc(part[i], 20 * sizeof(*s->count));
		for (int k = 0; k < 20; k++)
			s->count[k].name = pmu_model_textf(part[i], "count %d", 20 * i + k);
		sample_row(part[i], s, 0, -1, "r", 1, ms);
		pmu_model_finish(part[i]);
	}
	is_int(pmu_model_combine(part, 2, PMU_COMBINE_RANKS, &model), -E2BIG, "refused");
	has(pmu_error_text(), "32 counts", "with a sentence");
	gathering = pmu_gather_new(true);
	is_int(pmu_gather_add(gathering, part[0]), 0, "one by one, the first is taken");
	is_int(pmu_gather_add(gathering, part[1]), -E2BIG, "the next is refused");
	is_int(pmu_gather_add(gathering, part[0]), 0, "and that is all");
	is_int(pmu_gather_end(gathering, &model), 0, "there is a report");
	is_u64(model->section->n_counts, 20, "of the others");
	is_u64(model->n_parts, 2, "both of them");
	pmu_model_free(model);
	pmu_model_free(part[0]);
	pmu_model_free(part[1]);
}

static struct pmu_model *program_model(const char *program, int64_t pid, uint64_t time_ns)
{
	struct pmu_model *model = process_model(1, time_ns);

	model->program = program;
	model->pid = pid;
	model->start_unix_ns += (uint64_t)pid * ms;
	return model;
}

static void of_many_processes_those_that_computed_most_have_a_table(void)
{
	const struct pmu_text_options all = { .all = true };
	struct pmu_strbuf out = { 0 };
	struct pmu_model *part[20], *model;
	char *text;

	for (int i = 0; i < 20; i++) {
		part[i] = program_model(i % 2 ? "as" : "cc1", 100 + i, ms);
		part[i]->duration_ns = ms;
		part[i]->thread->cpu_ns = (int64_t)(i + 1) * (int64_t)ms;
	}
	part[0]->command = "cc1 -quiet -O2 a.c -o x";
	part[18]->command = "/usr/lib/cc1  -quiet -g src/b.c -o x ";
	part[1]->command = "as -64 x";
	part[19]->command = "as x -32";
	model = combined(part, 20, PMU_COMBINE_PROGRAMS);
	text = render(model, PMU_REPORT_TEXT, false);
	has(text, "\n  cc1 118 src/b.c ", "those of one program are told apart by their arguments");
	has(text, "\n  as 119 -32 ", "by options, where nothing else differs");
	has(text, "\n  cc1 104 ", "and the sixteenth");
	ok(!strstr(text, "\n  as 103 "), "none with less");
	has(text,
	    "\n  and 4 more processes of at most 5.000 ms of CPU time; PMU_REPORT=all shows all of them\n",
	    "which is told");
	free(text);
	pmu_report_render(&out, model, PMU_REPORT_TEXT, &all);
	has(pmu_strbuf_text(&out), "\n  cc1 100 ", "with PMU_REPORT=all each has its row");
	ok(!strstr(pmu_strbuf_text(&out), " more processes"), "and none is left out");
	pmu_strbuf_free(&out);
	pmu_model_free(model);
}

static void programs_have_rows_of_their_own(void)
{
	struct pmu_model *part[] = { program_model("as", 30, 60 * ms),
				     program_model("cc1", 10, 100 * ms),
				     program_model("cc1", 20, 300 * ms) };
	struct pmu_model *model = combined(part, 3, PMU_COMBINE_PROGRAMS);
	const struct pmu_model_row *row = sum_of(model, "cc1");
	struct pmu_spread spread;
	char *text;

	is_str(model->part[0].label, "cc1 10", "parts by start");
	is_str(model->program, "", "no program of all");
	is_u64(model->section->n_rows, 6, "a row for each program, with its regions below");
	is_u64(row->calls, 2, "calls are processes");
	is_u64(row->time_ns, 400 * ms, "time is that of their outermost regions");
	is_u64(row->net[CYCLES], sum_of(model, "cc1/solve")->net[CYCLES], "and so are counts");
	ok(!pmu_model_self_known(row) && row->flags & PMU_ROW_PROGRAM, "it has no self");
	is_u64(sum_of(model, "cc1/solve")->self_ns, 300 * ms, "a region has");
	is_u64(sum_of(model, "as/solve")->time_ns, 60 * ms, "another's regions are apart");
	ok(spread_of(model, "cc1", PMU_OVER_TIME, &spread) && spread.n == 2 && spread.part_max == 1,
	   "spread");
	text = render(model, PMU_REPORT_TEXT, false);
	has(text, "pmu: several programs (3 processes on node1) ran 1.254 s", "title");
	has(text, "\n  cc1 (2 processes)      2  400.0 ms ", "how many");
	has(text, "\n  as                     1  60.00 ms ", "not of one");
	ok(!strstr(text, "over 3 processes"), "programs that started each other are not compared");
	has(text, "\n  process              time  CPU time  threads ", "a table of processes");
	free(text);
	comes_back(model, "JSON");
	pmu_model_free(model);
}

/* A process that goes on as another program is a part again, and one process. */
/* @from: the process that forked it; the last of its regions is open when it goes on. */
static struct pmu_model *started_model(const char *program, int64_t pid, uint32_t nth,
				       uint64_t start_ms, int64_t from)
{
	struct pmu_model *model = program_model(program, pid, 100 * ms);

	model->nth = nth;
	model->start_unix_ns = 1000 * ms + start_ms * ms;
	model->forked_from = from;
	for (unsigned int i = 0; i < model->section->n_thread_rows; i++)
		model->section->thread_row[i].open_at_exec = true;
	return model;
}

static void programs_stand_below_what_started_them(void)
{
	struct pmu_model *part[] = {
		started_model("sh", 10, 1, 0, 0),    /* the command */
		started_model("sh", 11, 1, 10, 10),  /* it forks, */
		started_model("make", 11, 2, 20, 0), /* and that goes on as another program, */
		started_model("make", 12, 1, 30, 11),
		started_model("cc", 12, 2, 40, 0), /* which does the same */
		started_model("ld", 13, 2, 50, 0), /* what was before is not known, */
		started_model("ar", 12, 4, 60, 0), /* nor here */
		started_model("as", 14, 1, 5, 99),
		started_model("ps", 11, 1, 70, 10), /* the number came again */
	};
	struct pmu_model *model = combined(part, 9, PMU_COMBINE_TREE);
	const char *const top[] = { "sh", "ld", "ar", "as", "ps" };
	const struct pmu_model_row *row;
	char *text;

	row = sum_of(model, "sh/solve/exchange/make");
	is_u64(row->calls, 2, "a program, and what it forked, below the region that started it");
	is_u64(row->time_ns, 200 * ms, "has what its processes did");
	is_int(row->depth, 3, "it stands there");
	row = sum_of(model, "sh/solve/exchange/make/solve/exchange/cc/solve");
	is_u64(row->time_ns, 100 * ms, "and so does what that started");
	row = sum_of(model, "sh/solve");
	is_u64(row->time_ns, 200 * ms, "what is around has nothing of it");
	is_u64(row->self_ns, 100 * ms, "nor loses any");
	is_u64(sum_of(model, "sh/solve/exchange")->self_ns, 100 * ms, "not where it stands either");
	for (size_t i = 0; i < PMU_ARRAY_LEN(top); i++)
		is_int(sum_of(model, top[i])->parent, -1, top[i]);
	text = render(model, PMU_REPORT_TEXT, false);
	has(text, "\n        make (2 processes)", "the text is a tree");
	free(text);
	comes_back(model, "JSON");
	pmu_model_free(model);
}

static void programs_of_one_process_are_one_process(void)
{
	struct pmu_model *part[] = { program_model("sh", 10, 10 * ms),
				     program_model("sh", 10, 20 * ms),
				     program_model("cat", 10, 30 * ms),
				     program_model("sh", 20, 40 * ms),
				     program_model("sh", 10, 50 * ms) };
	struct pmu_model *model;
	char *text;

	part[1]->nth = 2;
	part[2]->nth = 3;
	for (int i = 0; i < 3; i++)
		part[i]->start_unix_ns += (uint64_t)i * ms;
	part[4]->start_unix_ns += 900 * ms; /* the next that has the number */
	pmu_model_add_note(part[0], "said");
	pmu_model_add_note(part[1], "said");
	pmu_model_add_note(part[2], "said");
	pmu_model_add_note(part[3], "said");
	part[0]->died = part[3]->died = "killed";
	model = combined(part, 5, PMU_COMBINE_PROGRAMS);
	is_str(model->note[0], "said (2 of 3 processes)", "of whom something is said");
	is_str(model->died, "2 of 3 processes did not end cleanly: sh 10, sh 20; sh 10: killed",
	       "who died, all of them");
	text = render(model, PMU_REPORT_TEXT, true);
	has(text, "pmu: several programs (3 processes on node1)", "title");
	has(text, "\n  sh (3 processes) ", "a program's row");
	has(text, "over 5 programs: time", "what is compared");
	free(text);
	pmu_model_free(model);
}

/* Regions kept by name alone are in the outermost ones already. */
static void flat_rows_do_not_count_twice(void)
{
	struct pmu_model *part[] = { program_model("a", 1, 100 * ms),
				     program_model("b", 2, 100 * ms) },
			 *model;

	sample_row(part[0], part[0]->section, 0, -1, "deep", 5, 20 * ms)->flags = PMU_ROW_FLAT;
	pmu_model_finish(part[0]);
	model = combined(part, 2, PMU_COMBINE_PROGRAMS);
	is_u64(sum_of(model, "a")->time_ns, 100 * ms, "not in the program's time");
	is_u64(sum_of(model, "a/deep")->calls, 5, "below its row");
	is_u64(model->n_doubts, 0, "without a doubt");
	comes_back(model, "JSON");
	pmu_model_free(model);
}

static void processes_of_one_rank_are_together(void)
{
	static const int rank[] = { 0, 1, 1 };
	struct pmu_model *model = ranks(rank, 3, 1);
	struct pmu_spread spread;
	char *text;

	is_str(model->part[1].label, "rank 1, demo 199", "told apart");
	ok(spread_of(model, "solve", PMU_OVER_TIME, &spread), "spread");
	is_u64(spread.n, 2, "over ranks");
	ok(spread.max == 400.0 * (double)ms && spread.part_max == 1,
	   "of which one has two processes' time");
	has(model->n_notes ? model->note[0] : "", "rank 1: several processes", "a note");
	text = render(model, PMU_REPORT_TEXT, false);
	has(text, "(3 processes of 2 ranks on node1)", "title");
	has(text, "\n  over 2 ranks: time\n", "table");
	free(text);
	comes_back(model, "JSON");
	pmu_model_free(model);
}

static void reports_of_another_day_are_noticed(void)
{
	struct pmu_model *part[] = { rank_model(0, 1), rank_model(1, 1) }, *model;

	part[1]->start_unix_ns += 7200000 * ms;
	model = combined(part, 2, PMU_COMBINE_RANKS);
	has(model->n_notes ? model->note[0] : "", "rank 0 had ended 7,199 s before rank 1 began",
	    "said");
	pmu_model_free(model);
}

static void a_combined_one_is_combined_again(void)
{
	static const int rank[] = { 0, 2 }, all[] = { 0, 1, 2 };
	struct pmu_model *part[] = { ranks(rank, 2, 1), rank_model(1, 1) }, *model, *once;
	char *text, *want;

	pmu_model_add_note(part[1], "a note");
	model = combined(part, 2, PMU_COMBINE_RANKS);
	is_str(model->note[0], "a note (rank 1)", "notes");
	model->n_notes = 0;
	once = ranks(all, 3, 1);
	text = render(model, PMU_REPORT_JSON, false);
	want = render(once, PMU_REPORT_JSON, false);
	ok(!strcmp(text, want), "the same as all at once");
	free(text);
	free(want);
	pmu_model_free(model);
	pmu_model_free(once);
}

static void one_is_a_combination_too(void)
{
	struct pmu_model *part[] = { rank_model(3, 1) },
			 *model = combined(part, 1, PMU_COMBINE_RANKS);
	char *text = render(model, PMU_REPORT_TEXT, false);

	is_int(model->rank, 3, "its rank");
	is_int((int)model->pid, 197, "its process");
	hasnt(text, "over 1", "nothing to compare");
	has(text, "pmu: demo (pid 197 on node1)", "the title of one");
	comes_back(model, "JSON");
	free(text);
	pmu_model_free(model);
}

/* A model of a thread and its socket, which counts LLC_MISSES. */
static struct pmu_model *socket_model(int rank, const char *host)
{
	struct pmu_model *model = sample_head();

	model->rank = rank;
	model->host = host;
	sample_threads(model, 2, 1000 * ms);
	model->n_threads = model->n_sockets = 1;
	model->thread[1].number = 0;
	model->thread[1].name = "socket 0";
	sample_sections(model, 1, 2);
	sample_core(model, model->section);
	model->section->sockets = 1u << LLC_MISSES;
	sample_row(model, model->section, 0, -1, "r", 4, 900)->missing = 1u << LLC_MISSES;
	sample_row(model, model->section, 1, -1, "r", 2, 600)->missing = 1u << INSTRUCTIONS |
									 1u << CYCLES;
	pmu_model_finish(model);
	return model;
}

static void a_socket_that_several_counted_is_not_added_up(void)
{
	struct pmu_model *part[] = { socket_model(0, "a"), socket_model(1, "b") };
	struct pmu_model *model = combined(part, 2, PMU_COMBINE_RANKS);
	struct pmu_spread spread;

	is_u64(sum_of(model, "r")->missing & 7, 0, "two hosts' sockets are");
	is_u64(sum_of(model, "r")->net[LLC_MISSES], 2 * (600 / 3), "added up");
	ok(spread_of(model, "r", LLC_MISSES, &spread) && spread.max == 200, "and spread by socket");
	is_u64(model->thread[3].part, 1, "sockets behind the threads, of their parts");
	comes_back(model, "JSON");
	pmu_model_free(model);
	part[0] = socket_model(0, "a");
	part[1] = socket_model(1, "a");
	model = combined(part, 2, PMU_COMBINE_RANKS);
	is_u64(sum_of(model, "r")->missing & 7, 1u << LLC_MISSES, "one host's socket is not");
	ok(!spread_of(model, "r", LLC_MISSES, &spread), "nor spread");
	has(model->n_notes ? model->note[0] : "", "counted the same socket", "with a note");
	comes_back(model, "JSON");
	pmu_model_free(model);
}

static struct pmu_model *team_model(const char *program, int rank)
{
	struct pmu_model *model = sample_team();

	model->program = program;
	model->rank = rank;
	model->n_ranks = rank < 0 ? 0 : 2;
	model->pid = 100 + rank;
	return model;
}

static void teams_come_back(void)
{
	struct pmu_model *model = team_model("one", -1);

	pmu_metric_fill(model);
	is_u64(sum_of(model, "solve")->team->all.time_ns, (500 + 200 + 20 + 50 + 80) * ms,
	       "a team");
	comes_back(model, "a report with teams");
	pmu_model_free(model);
}

static void teams_of_ranks_are_added_up(void)
{
	struct pmu_model *part[] = { team_model("one", 0), team_model("one", 1) };
	struct pmu_model *model = combined(part, 2, PMU_COMBINE_RANKS);
	const struct pmu_model_row *row = sum_of(model, "solve");
	struct pmu_spread spread;

	is_u64(row->time_ns, 2 * (500 + 80) * ms, "a region's own time");
	is_u64(row->team->all.time_ns, 2 * (500 + 200 + 20 + 50 + 80) * ms, "its team's");
	is_u64(row->team->n_threads, 6, "threads");
	ok(fabs(row->team->efficiency - 850 / (3 * 290.0)) < 1e-9, "of what they had");
	is_u64(sum_of(model, "solve/kernel")->time_ns, 2 * (300 + 100 + 5 + 70) * ms,
	       "what was begun in it");
	is_u64(sum_of(model, "solve/kernel/leaf")->time_ns, 2 * 61 * ms, "and below that");
	ok(spread_of(model, "solve", PMU_OVER_TIME, &spread) && spread.max == 580e6,
	   "ranks are compared by their own time");
	comes_back(model, "ranks with teams");
	pmu_model_free(model);
}

/* With merged threads, with another column, and one that has not ended; @first: one without teams. */
static void combine_unlike_teams(struct pmu_model *first)
{
	static struct pmu_model_count other[] = { { "instructions", "" }, { "other", "" } };
	struct pmu_model *part[5] = { first }, *model;

	for (int i = 1; i < 5; i++)
		part[i] = team_model("one", i);
	part[1]->thread[1].n_merged = 3;
	part[2]->section->count = other;
	part[2]->section->n_counts = 2;
	part[3]->section->thread_row[2].missing = 1u << CYCLES;
	part[4]->section->thread_row[0].n_open = 1;
	part[4]->section->thread_row[0].time_ns = part[4]->section->thread_row[0].calls = 0;
	for (int i = 1; i < 5; i++)
		is_int(pmu_model_finish(part[i]), 0, "finished again");
	model = combined(part, 5, PMU_COMBINE_RANKS);
	ok(!sum_of(model, "solve")->team->time_known, "of one the time is not known");
	ok(sum_of(model, "solve/kernel")->team->time_known, "of what is in it, it is");
	ok(sum_of(model, "solve/kernel")->team->all.missing >> 3 & 1, "some lack a count");
	is_u64(sum_of(model, "solve")->team->n_threads, 0, "nor when all of them lived");
	comes_back(model, "unlike ranks");
	pmu_model_free(model);
}

static void ranks_differ_in_their_teams(void)
{
	combine_unlike_teams(rank_model(0, 1));
	combine_unlike_teams(team_model("one", 0));
}

static void a_program_has_its_teams_once(void)
{
	struct pmu_model *part[] = { team_model("one", -1), team_model("two", -1) };
	struct pmu_model *model = combined(part, 2, PMU_COMBINE_PROGRAMS);
	const struct pmu_model_row *row = sum_of(model, "one");

	is_u64(row->time_ns, (500 + 200 + 20 + 50 + 80) * ms, "all of its threads, at any depth");
	is_u64(row->net[CYCLES], row->time_ns, "and their counts");
	ok(!row->team, "with nothing beside it");
	is_u64(sum_of(model, "one/solve")->time_ns, 580 * ms, "the region's own");
	is_u64(sum_of(model, "one/solve")->team->all.time_ns, 850 * ms, "and its team's");
	comes_back(model, "programs with teams");
	pmu_model_free(model);
}

static void csv_says_which_part(void)
{
	static const int rank[] = { 4, 7 };
	struct pmu_model *model = ranks(rank, 2, 1), *alone = rank_model(3, 1);
	char *text = render(model, PMU_REPORT_CSV, false), *other;

	has(text, ",own_ns,cpu_ns,blocked_ns,runnable_ns,self_cpu_ns,part,rank,raw:", "columns");
	has(text, "\nCORE,solve,solve,0,all,2,1300000000,", "a sum");
	has(text, "\nCORE,solve,solve,0,0,1,800000000,", "a thread");
	has(text, ",1,7,", "of a part");
	other = render(alone, PMU_REPORT_CSV, false);
	is_int((long long)strcspn(other, "\n"), (long long)strcspn(text, "\n"),
	       "one process has the same columns");
	ok(!strncmp(text, other, strcspn(text, "\n")), "in the same order");
	has(other, ",0,3,", "the part is 0");
	free(other);
	free(text);
	pmu_model_free(model);
	pmu_model_free(alone);
}

static void the_text_is_no_wider_than_it_may_be(void)
{
	static const int rank[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20 };
	struct pmu_model *model = ranks(rank, 11, 3);
	char *text = render(model, PMU_REPORT_TEXT, true);
	size_t widest = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		char *copy = strndup(line, strcspn(line, "\n"));

		widest = pmu_utf8_width(copy) > widest ? pmu_utf8_width(copy) : widest;
		free(copy);
	}
	ok(widest <= 80, "%zu columns", widest);
	free(text);
	pmu_model_free(model);
}

/* On a processor: how busy the machine is has no say in it. */
static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Different notes in each, as pinning and pids make them. */
static double time_of(unsigned int n, size_t *json)
{
	struct pmu_model **part = calloc(n, sizeof(*part)), *model = NULL;
	struct pmu_strbuf out = { 0 };
	double start;

	for (unsigned int i = 0; i < n; i++) {
		part[i] = rank_model((int)i, 2);
		pmu_model_add_note(part[i], pmu_model_textf(part[i], "note %u", i));
		pmu_model_add_note(part[i], "the same");
	}
	start = seconds();
	if (pmu_model_combine(part, n, PMU_COMBINE_RANKS, &model))
		abort();
	pmu_report_render(&out, model, PMU_REPORT_JSON, NULL);
	start = seconds() - start;
	*json = out.len;
	pmu_strbuf_free(&out);
	out = (struct pmu_strbuf){ 0 };
	pmu_report_render(&out, model, PMU_REPORT_TEXT, NULL);
	if (out.len > 12000)
		diag("the text of %u ranks is %zu bytes", n, out.len);
	pmu_strbuf_free(&out);
	pmu_model_free(model);
	for (unsigned int i = 0; i < n; i++)
		pmu_model_free(part[i]);
	free(part);
	return start;
}

/* Of three: caches are shared. */
static double least_time_of(unsigned int n, size_t *json)
{
	double least = time_of(n, json);

	for (int i = 1; i < 3; i++) {
		double again = time_of(n, json);

		least = again < least ? again : least;
	}
	return least;
}

static void a_thousand_ranks_take_ten_times_a_hundred(void)
{
	size_t few_bytes, many_bytes;
	double few = least_time_of(100, &few_bytes), many = least_time_of(1000, &many_bytes);

	diag("100 ranks %.1f ms, 1000 ranks %.1f ms and %zu KiB of JSON", 1e3 * few, 1e3 * many,
	     many_bytes >> 10);
	/* quadratic would be a hundred times */
	ok(many < 40 * few + 0.05, "time grows with the ranks");
}

/* Main/solve of one thread, for which @workers others work; none works for "alone". */
static struct pmu_model *worked_for(int rank, int workers, bool open)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	model->rank = rank;
	model->pid = 300 + rank;
	sample_threads(model, (unsigned int)workers + 1, 1000 * ms);
	for (int i = 0; i <= workers; i++)
		model->thread[i].stop_ns = (int64_t)(1000 * ms);
	sample_sections(model, 1, 3 * (unsigned int)workers + 3);
	s = model->section;
	sample_core(model, s);
	sample_row(model, s, 0, -1, "main", 1, 500 * ms);
	sample_row(model, s, 0, 0, "solve", 2, 400 * ms);
	sample_row(model, s, 0, -1, "alone", 1, open ? 0 : 100 * ms)->n_open = open;
	for (int i = 1; i <= workers; i++) {
		int main = (int)s->n_thread_rows;

		sample_row(model, s, i, -1, "main", 0, 0)->flags = PMU_ROW_TEAM;
		sample_row(model, s, i, main, "solve", 2, (uint64_t)(rank + 1) * 40 * ms)->flags =
			PMU_ROW_TEAM;
		sample_row(model, s, i, main + 1, "kernel", 8, (uint64_t)i * 20 * ms);
	}
	if (pmu_model_finish(model))
		abort();
	return model;
}

static void ranks_are_worked_for_in_many_ways(void)
{
	for (int odd = 0; odd < 4; odd++) {
		struct pmu_model *part[4], *model;
		const struct pmu_model_team *team;

		for (int i = 0; i < 4; i++)
			part[i] = worked_for(i, odd == 1 && i == 3 ? 0 : 2 + i, odd == 2 && i == 1);
		if (odd == 3)
			part[2]->thread[1].start_ns = -1;
		if (odd == 3 && pmu_model_finish(part[2]))
			abort();
		model = combined(part, 4, PMU_COMBINE_RANKS);
		team = sum_of(model, "main/solve")->team;
		if (ok(team, "ranks have a team"))
			is_int((int)team->n_threads, (int[]){ 18, 13, 18, 0 }[odd],
			       "of all of them");
		pmu_model_free(model);
	}
}

static struct pmu_model *many_rows(int rank)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	model->rank = rank;
	model->pid = 1000 + rank;
	sample_threads(model, 16, 1000 * ms);
	sample_sections(model, 1, 16 * 200);
	s = model->section;
	sample_core(model, s);
	for (int thread = 0; thread < 16; thread++)
		for (int i = 0; i < 200; i++) {
			char name[16];

			snprintf(name, sizeof(name), "region %d", i);
			sample_row(model, s, thread, -1, pmu_model_text(model, name, strlen(name)),
				   1, ms);
		}
	if (pmu_model_finish(model))
		abort();
	return model;
}

/* Of a report with 16 times 200 rows, half a MiB, only its threads and what it has of the sums. */
static void of_many_ranks_little_is_kept(void)
{
	struct pmu_gathering *gathering = pmu_gather_new(false);
	size_t half = 0, all = 0;
	const int n = 400;

	for (int rank = 0; rank < n; rank++) {
		struct pmu_model *model = many_rows(rank);
		int rc = pmu_gather_add(gathering, model);

		pmu_model_free(model);
		if (rc && !is_int(rc, 0, "one more"))
			break;
		half = rank == n / 2 - 1 ? mallinfo2().uordblks + mallinfo2().hblkhd : half;
	}
	all = mallinfo2().uordblks + mallinfo2().hblkhd;
	diag("%zu bytes a report", (all - half) / (n / 2));
	ok(all - half < (size_t)n / 2 * 20000, "a report leaves less than 20 KB behind");
	pmu_gather_drop(gathering);
}

UNIT_PART(combine)
{
	ranks_are_worked_for_in_many_ways();
	of_many_ranks_little_is_kept();
	ranks_are_added_up();
	what_one_does_not_know_is_of_that_one();
	a_region_of_one_rank();
	the_head_says_which_ranks();
	ends_that_were_not_clean();
	remarks_are_said_once();
	doubts_mark_the_rows_they_are_of();
	doubts_belong_to_a_program_a_process_and_a_path();
	groups_and_columns_may_differ();
	a_name_that_means_two_things();
	too_many_columns_are_refused();
	programs_have_rows_of_their_own();
	of_many_processes_those_that_computed_most_have_a_table();
	programs_of_one_process_are_one_process();
	programs_stand_below_what_started_them();
	flat_rows_do_not_count_twice();
	processes_of_one_rank_are_together();
	reports_of_another_day_are_noticed();
	a_combined_one_is_combined_again();
	one_is_a_combination_too();
	a_socket_that_several_counted_is_not_added_up();
	teams_come_back();
	teams_of_ranks_are_added_up();
	ranks_differ_in_their_teams();
	a_program_has_its_teams_once();
	csv_says_which_part();
	the_text_is_no_wider_than_it_may_be();
	a_thousand_ranks_take_ten_times_a_hundred();
	return done_testing();
}
