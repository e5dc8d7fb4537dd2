/* SPDX-License-Identifier: BSD-3-Clause */
/* The text report: what it says, and that it fits. */
#include "unit/part.h"

#include "report/encode.h"
#include "report/model/metric.h"
#include "report/report.h"
#include "report/text/longest.h"
#include "unit/model_sample.h"

static const uint64_t ms = 1000000;

/* All of very many. */
static char *render(const struct pmu_model *model, unsigned int columns, bool threads)
{
	struct pmu_text_options options = { .threads = threads, .columns = columns };
	struct pmu_strbuf out = { 0 };

	for (unsigned int i = 0; i < model->n_sections; i++)
		options.all |= model->section[i].n_rows > PMU_TEXT_ROWS;
	pmu_write_text(&out, model, &options);
	ok(!out.failed && out.text, "rendered");
	return out.text;
}

static void hasnt(const char *text, const char *part, const char *name)
{
	if (!ok(!strstr(text, part), "%s", name))
		diag("there is \"%s\"", part);
}

static int times_in(const char *text, const char *part)
{
	int n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* No line is wider, none ends in a blank, every character is printable. */
static void fits(const char *text, size_t columns, const char *name)
{
	size_t widest = 0;
	bool blank_end = false, control = false;

	while (*text) {
		const char *end = strchr(text, '\n');
		size_t len = end ? (size_t)(end - text) : strlen(text);
		char *line = strndup(text, len);

		widest = pmu_utf8_width(line) > widest ? pmu_utf8_width(line) : widest;
		blank_end |= len && text[len - 1] == ' ';
		for (size_t i = 0; i < len; i++)
			control |= (unsigned char)line[i] < ' ' || line[i] == 0x7f;
		free(line);
		text += len + (end != NULL);
	}
	if (!ok(widest <= columns, "%s: within %zu columns", name, columns))
		diag("%zu", widest);
	ok(!blank_end && !control, "%s: no blanks at line ends, no control characters", name);
}

static void the_head_says_what_ran_where(void)
{
	struct pmu_model *model = sample_model();
	char *text = render(model, 0, false);

	ok(!strncmp(text, "pmu: demo (pid 4242 on node1) ran 1.234 s, 2 threads ", 53), "title");
	has(text, " libpmu 0.1.0\n", "version");
	has(text, "\n  machine   AMD EPYC, 2 cores, 1 socket, virtual machine (KVM)\n", "machine");
	has(text,
	    "\n  source    perf: user level, read in user space; times: time stamp "
	    "counter, 2.596 GHz\n",
	    "source");
	has(text,
	    "\n  not msr   cannot open /dev/cpu/0/msr: Permission denied\n"
	    "            -> modprobe msr, and run as root\n",
	    "why not a better one, and what would help");
	has(text, "\n  pinning   auto: 2 threads on CPUs 0,1\n", "pinning");
	has(text, "\n  note      the group CORE gave up", "notes");
	hasnt(text, "caution", "nothing about a clean end");
	free(text);
	model->source = "clock";
	model->source_detail = "";
	model->died = "the program did not end cleanly: killed by signal 9";
	text = render(model, 0, false);
	has(text,
	    "  source    clock: time and calls, no counts (time stamp counter, 2.596 "
	    "GHz)\n",
	    "a clock counts nothing");
	has(text, "  caution   the program did not end cleanly: killed by signal 9\n",
	    "how it ended");
	free(text);
	pmu_model_free(model);
}

static void what_came_before_measuring_is_told_where_it_took_long(void)
{
	struct pmu_model *model = sample_model();
	struct pmu_model_run run = { .elapsed_ns = 2000 * ms, .user_ns = 1000 * ms };
	char *text;

	run.start_unix_ns = model->start_unix_ns - 300 * ms;
	model->run = &run;
	text = render(model, 0, false);
	has(text, "\n  run       2.000 s elapsed, 1.000 s user, 0 ns system", "all of it");
	has(text,
	    "\n  start     300.0 ms passed before measuring began: the program and its libraries were "
	    "loaded\n",
	    "and what was not measured");
	free(text);
	run.start_unix_ns = model->start_unix_ns - 50 * ms;
	text = render(model, 0, false);
	hasnt(text, "  start ", "not of a small part");
	free(text);
	run.start_unix_ns = 0;
	text = render(model, 0, false);
	hasnt(text, "  start ", "nor where it is not known");
	free(text);
	pmu_model_free(model);
}

static void long_words_in_the_head_are_wrapped(void)
{
	struct pmu_model *model = sample_model();
	char *text;

	pmu_model_add_refusal(model, "software",
			      "one two three four five six seven eight nine ten eleven "
			      "twelve thirteen fourteen",
			      "");
	text = render(model, 72, false);
	fits(text, 72, "72 columns");
	has(text,
	    "\n  not software  one two three four five six seven eight nine ten eleven\n"
	    "                twelve thirteen fourteen\n",
	    "a hanging indent behind the longest label");
	free(text);
	pmu_model_free(model);
}

/* A session with no settings of its own, where there is no PMU. */
static struct pmu_model *unasked_model(void)
{
	struct pmu_model *model = sample_head();

	sample_threads(model, 1, 1000 * ms);
	sample_sections(model, 1, 1);
	sample_row(model, model->section, 0, -1, "main", 1, 500 * ms);
	model->n_refusals = 0;
	pmu_model_add_refusal(model, "perf", "this machine shows no PMU", "rent another");
	pmu_model_add_refusal(model, "msr", "this machine shows no PMU", "rent another");
	pmu_model_add_refusal(model, "valgrind", "it is not built", "build it");
	pmu_model_finish(model);
	return model;
}

static void what_nobody_asked_for_has_one_line(void)
{
	const struct pmu_text_options all = { .all = true, .columns = 100 };
	struct pmu_model *model = unasked_model();
	struct pmu_strbuf out = { 0 };
	char *text = render(model, 0, false);

	has(text, "\n  not perf, msr  this machine shows no PMU; 'pmu doctor' says more\n",
	    "one line");
	hasnt(text, "rent another", "without what would mend it");
	hasnt(text, "valgrind", "nor other sources");
	free(text);
	pmu_write_text(&out, model, &all);
	has(pmu_strbuf_text(&out), "-> rent another\n", "PMU_REPORT=all has all");
	has(pmu_strbuf_text(&out), "not valgrind", "of them");
	pmu_strbuf_free(&out);
	pmu_model_free(model);
}

static void brief_text_has_the_rows_alone(void)
{
	const struct pmu_text_options brief = { .brief = true, .columns = 100 };
	struct pmu_model *model = unasked_model(), *none = sample_head();
	struct pmu_strbuf out = { 0 };

	pmu_write_text(&out, model, &brief);
	is_str(pmu_strbuf_text(&out),
	       "  region            calls      time  % time  per call      self\n"
	       "  main                  1  500.0 ms   50.0%  500.0 ms  500.0 ms\n",
	       "no head, no foot");
	pmu_strbuf_free(&out);
	pmu_model_finish(none);
	pmu_write_text(&out, none, &brief);
	is_str(pmu_strbuf_text(&out), "  No region was measured: there is nothing to show.\n",
	       "nor where there are none");
	pmu_strbuf_free(&out);
	pmu_model_free(model);
	pmu_model_free(none);
}

static void refusals_for_one_reason_stand_in_one_line(void)
{
	struct pmu_model *model = sample_head();
	char *text;

	pmu_model_add_refusal(model, "perf", "this machine shows no PMU", "rent another");
	pmu_model_add_refusal(model, "msr", "no /dev/cpu", "");
	pmu_model_add_refusal(model, "software", "this machine shows no PMU", "rent another");
	pmu_model_add_refusal(model, "perf", "this machine shows no PMU", "buy another");
	text = render(model, 0, false);
	has(text,
	    "\n  not perf, software  this machine shows no PMU\n"
	    "                      -> rent another\n"
	    "  not msr             no /dev/cpu\n"
	    "  not perf            this machine shows no PMU\n"
	    "                      -> buy another\n",
	    "the same reason and remedy are told once");
	free(text);
	pmu_model_add_refusal(model, "another one", "this machine shows no PMU", "rent another");
	text = render(model, 60, false);
	has(text,
	    "\n  not perf, software, another one\n"
	    "            this machine shows no PMU\n"
	    "            -> rent another\n",
	    "a label without room has a line of its own");
	free(text);
	for (int i = 0; i < 1000; i++)
		pmu_model_add_refusal(model, pmu_model_textf(model, "s%d", i), "x", "y");
	text = render(model, 0, false);
	has(text, "\n  not s999 ", "none of very many is lost");
	free(text);
	pmu_model_free(model);
}

/* A session on the clock: one table. */
static struct pmu_model *clock_model(void)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	sample_threads(model, 1, 1234 * ms);
	sample_sections(model, 1, 8);
	s = model->section;
	sample_row(model, s, 0, -1, "solve", 10, 1022 * ms);
	sample_row(model, s, 0, 0, "assemble", 100, 612400000);
	return model;
}

static void times_stand_in_one_table(void)
{
	struct pmu_model *model = clock_model();
	char *text;

	pmu_model_finish(model);
	text = render(model, 0, false);
	has(text,
	    "\n\n"
	    "  region            calls      time  % time  per call      self\n"
	    "  solve                10  1.022 s    82.8%  102.2 ms  409.6 ms\n"
	    "    assemble          100  612.4 ms   49.6%  6.124 ms  612.4 ms\n",
	    "whole lines");
	hasnt(text, "  - ", "nothing to explain");
	hasnt(text, "TIME", "no group's name where there is one without counts");
	hasnt(text, "all threads", "nor threads where there is one");
	free(text);
	pmu_model_free(model);
}

static void counts_that_do_not_fit_stand_below(void)
{
	struct pmu_model *model = sample_model();
	char *text;

	pmu_metric_fill(model);
	text = render(model, 0, false);
	fits(text, 100, "100 columns");
	has(text, "\n  CORE, all threads together, by time\n", "the group's name");
	is_int(times_in(text, "\n    solve "), 2, "two tables");
	has(text, "  instructions   cycles  LLC-misses\n", "counts");
	has(text, "  5.550 G  1.850 G     616.7 M\n", "scaled");
	has(text, "  1.500 M  500.0 k     166.7 k\n",
	    "also small ones: a column has one way to write numbers");
	has(text, "    IPC ", "metrics");
	has(text, "  11.11%", "percent");
	free(text);
	text = render(model, 200, false);
	is_int(times_in(text, "\n    solve "), 1, "one table where there is room");
	free(text);
	for (unsigned int columns = 60; columns < 130; columns += 7) {
		text = render(model, columns, true);
		fits(text, columns, "any width");
		free(text);
	}
	pmu_model_free(model);
}

static void missing_values_are_dashes_with_an_explanation(void)
{
	struct pmu_model *model = sample_model();
	struct pmu_model_row *row = sample_sum(model, "assemble");
	char *text = render(model, 200, false);

	(void)row;
	has(text, "  1.200 G  400.0 M         -\n", "a dash");
	has(text, "\n  -  unknown", "explained");
	hasnt(text, "not counted:", "the count is not missing everywhere");
	free(text);
	for (unsigned int i = 0; i < model->section->n_rows; i++)
		model->section->row[i].missing |= 1u << LLC_MISSES;
	text = render(model, 200, false);
	has(text, "\n  not counted: LLC-misses\n", "a count that no row has gets no column");
	hasnt(text, "cycles  LLC", "none at all");
	free(text);
	pmu_model_free(model);
}

static void no_time_per_call_without_calls_is_no_secret(void)
{
	struct pmu_model *model = clock_model();
	char *text;

	sample_row(model, model->section, 0, 1, "idle", 0, 0);
	pmu_model_finish(model);
	text = render(model, 0, false);
	has(text, "\n      idle              0      0 ns    0.0%      -         0 ns\n",
	    "no time per call");
	hasnt(text, "unknown", "nothing is unknown");
	free(text);
	model->thread->time_ns = 0;
	pmu_model_finish(model);
	text = render(model, 0, false);
	has(text, "\n  -  unknown", "a share that is not known is");
	free(text);
	pmu_model_free(model);
}

static void of_a_call_that_has_not_ended_nothing_is_known(void)
{
	struct pmu_model *model = clock_model();
	struct pmu_model_row *row = sample_row(model, model->section, 0, 1, "busy", 0, 0);
	char *text;

	row->flags = PMU_ROW_OPEN;
	row->n_open = 1;
	pmu_model_finish(model);
	text = render(model, 0, false);
	has(text, "\n      busy              0      -         -       -         -     b\n",
	    "neither time nor share");
	has(text, "\n  -  unknown", "explained");
	free(text);
	pmu_model_free(model);
}

static void marks_are_explained_where_they_occur(void)
{
	static const struct {
		uint32_t flag;
		const char *row;
		const char *explained;
	} marks[] = {
		{ PMU_ROW_OVERLAP, "  o\n", "\n  o  overlap" },
		{ PMU_ROW_RECURSIVE, "  r\n", "\n  r  recursive" },
		{ PMU_ROW_OPEN, "  b\n", "\n  b  begun" },
		{ PMU_ROW_FLAT, "  f\n", "\n  f  flat" },
	};
	struct pmu_model *model;
	char *text;

	for (size_t i = 0; i < PMU_ARRAY_LEN(marks); i++) {
		model = clock_model();
		model->section->thread_row[1].flags = marks[i].flag;
		pmu_model_finish(model);
		text = render(model, 0, false);
		has(text, marks[i].row, "mark");
		has(text, marks[i].explained, "explained");
		for (size_t k = 0; k < PMU_ARRAY_LEN(marks); k++)
			if (k != i)
				hasnt(text, marks[k].explained, "no other is");
		free(text);
		pmu_model_free(model);
	}
	model = clock_model();
	sample_row(model, model->section, 0, 1, "tiny", 1000, 50000);
	pmu_model_finish(model);
	text = render(model, 0, false);
	has(text, "  50 ns", "time per call");
	has(text, "\n  s  short", "a call so short that measuring it matters");
	free(text);
	pmu_model_free(model);
}

static unsigned int count_lines(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void doubts_are_told_at_the_end(void)
{
	const struct pmu_text_options all = { .all = true };
	struct pmu_model *model = sample_model();
	struct pmu_strbuf out = { 0 };
	char *text, *doubts;

	pmu_model_add_doubt(model, "a call was not counted", "", 1, 1);
	pmu_model_add_doubt(model, "the machine was busy", "", -1, 0);
	text = render(model, 0, false);
	doubts = strstr(text, "\n  doubts\n");
	has(doubts, "\n    main/solve/a\\/b, thread 0: ended without a begin (3 times)\n",
	    "region, thread, how often");
	has(doubts, "\n    thread 1: a call was not counted\n", "a thread's");
	has(doubts, "\n    the machine was busy\n", "the session's");
	has(text, "1  ?\n", "the row is marked");
	has(text, "\n  ?  see the doubts below\n", "which is explained");
	free(text);
	for (int i = 0; i < 100; i++)
		pmu_model_add_doubt(model, "more", i ? "main/ns::solve(std::vector<int>)" : "x", 0,
				    1);
	text = render(model, 0, false);
	has(text,
	    "\n    more (100 times): x, thread 0; main/ns::solve(std::vector<int>), thread 0;\n",
	    "the same of several together");
	has(text, "\n    main/ns::solve(std::vector<int>), thread 0 and 97 more\n",
	    "with some of them named");
	free(text);
	for (int i = 0; i < 100; i++)
		pmu_model_add_doubt(model, pmu_model_textf(model, "number %d", i), "x", 0, 1);
	text = render(model, 0, false);
	doubts = strstr(text, "\n  doubts\n") + strlen("\n  doubts\n");
	is_u64(count_lines(doubts), 10, "not a screen full of them");
	has(doubts, "\n    and 96 more; PMU_REPORT=all shows all of them\n",
	    "the rest are counted");
	free(text);
	pmu_write_text(&out, model, &all);
	has(out.text, "x, thread 0: number 99\n", "and are told where all was asked for");
	pmu_strbuf_free(&out);
	pmu_model_free(model);
}

static void the_librarys_own_part_is_stated(void)
{
	struct pmu_model *model = sample_model();
	char *text = render(model, 0, false);

	has(text,
	    "own work is taken out of the counts: <0.1% of instructions (11.8% in \\xff\\xfe)\n",
	    "over all, and where it is most");
	free(text);
	for (unsigned int i = 0; i < model->section->n_rows; i++)
		memset(model->section->row[i].cost, 0, SAMPLE_COUNTS * 8);
	text = render(model, 0, false);
	hasnt(text, "own part", "nothing where there was none");
	free(text);
	pmu_model_free(model);
}

static void threads_have_a_table_and_rows_on_request(void)
{
	struct pmu_model *model = sample_model();
	char *text = render(model, 0, false);

	has(text,
	    "\n  thread             tid  CPU     time  CPU time  in regions  faults  switches\n"
	    "  0 demo            4242    0  1.000 s  250.0 ms       95.0%     123         9\n"
	    "  1 worker          4243    1  1.000 s      -          90.0%     123         -\n",
	    "threads");
	hasnt(text, "thread 1 (worker)", "no rows of their own");
	free(text);
	text = render(model, 0, true);
	has(text, "\n  CORE, thread 0 (demo) on CPU 0\n", "rows of thread 0");
	has(text, "\n  CORE, thread 1 (worker) on CPU 1\n", "rows of thread 1");
	has(text, "\n    solve ", "indented");
	free(text);
	model->thread[1].n_merged = 98976;
	model->thread[1].cpu = -1;
	text = render(model, 0, true);
	has(text, "98,977 threads", "merged threads are counted");
	has(text, "thread 1: 98,976 finished threads together\n", "and named");
	has(text, "\n  1 (98,976 finished) ", "in the table, too");
	free(text);
	pmu_model_free(model);
}

static void hybrid_threads_say_on_which_cores(void)
{
	struct pmu_model *model = sample_head();
	char *text;

	sample_threads(model, 3, 1000 * ms);
	sample_sections(model, 1, 1);
	sample_row(model, model->section, 0, -1, "main", 1, 500 * ms);
	pmu_model_finish(model);
	text = render(model, 0, false);
	hasnt(text, "  core ", "all cores alike: no column");
	free(text);
	model->thread[0].core_type = "P";
	model->thread[1].core_type = "P+E";
	text = render(model, 0, false);
	has(text, "tid  CPU  core ", "kinds of core: a column");
	has(text, "4242    0     P  1.000 s", "one kind");
	has(text, "4243    1   P+E  1.000 s", "both");
	has(text, "4244    2        1.000 s", "not known");
	free(text);
	pmu_model_free(model);
}

static void time_in_an_open_region_is_not_known(void)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;
	struct pmu_model_row *row;
	char *text;

	sample_threads(model, 3, 1000 * ms);
	sample_sections(model, 1, 8);
	s = model->section;
	sample_row(model, s, 0, -1, "ended", 1, 250 * ms);
	row = sample_row(model, s, 0, -1, "main", 0, 0);
	row->n_open = 1;
	row->flags = PMU_ROW_OPEN;
	sample_row(model, s, 0, 1, "step", 9, 500 * ms);
	sample_row(model, s, 1, -1, "main", 1, 900 * ms);
	row = sample_row(model, s, 1, 3, "step", 1, 5 * ms);
	row->n_open = 1;
	row->flags = PMU_ROW_OPEN;
	pmu_model_finish(model);
	text = render(model, 0, false);
	has(text, "  0 demo            4242    0  1.000 s  250.0 ms          -      123",
	    "unknown");
	has(text, "  1 worker          4243    1  1.000 s      -          90.0%     123",
	    "known where only a nested region is open");
	has(text, "  2 worker          4244    2  1.000 s      -           0.0%     123",
	    "and where nothing was used");
	free(text);
	model->n_threads = 1;
	s->n_thread_rows = 3;
	pmu_model_finish(model);
	text = render(model, 0, false);
	has(text, "  in regions  ", "the column is there");
	has(text, "    0  1.000 s  250.0 ms           -     123", "also for one thread");
	free(text);
	pmu_model_free(model);
}

static void time_on_a_processor_stands_beside_the_time(void)
{
	struct pmu_model *model = sample_model();
	char *text = render(model, 0, false);

	hasnt(text, "of CPU time", "not known of all threads");
	free(text);
	model->thread[0].cpu_ns = 900 * (int64_t)ms;
	model->thread[1].cpu_ns = 20 * (int64_t)ms;
	text = render(model, 0, false);
	has(text, " ran 1.234 s, 2 threads with 920.0 ms of CPU time ", "in the title");
	has(text, "  1 worker          4243    1  1.000 s  20.00 ms       90.0%",
	    "a thread that waits is not busy");
	fits(text, 100, "100 columns");
	free(text);
	pmu_model_free(model);
}

static void of_many_threads_the_longest_have_a_table(void)
{
	struct pmu_model *model = sample_head();
	char *text;

	sample_threads(model, 9, 10);
	sample_sections(model, 1, 9);
	for (int i = 0; i < 9; i++)
		sample_row(model, model->section, i, -1, "r", 1, 5);
	model->thread[3].time_ns = 1;
	pmu_model_finish(model);
	text = render(model, 0, false);
	is_int(times_in(text, " worker "), 7, "eight of nine threads");
	hasnt(text, "  3 worker ", "not the shortest");
	has(text, "and 1 more thread of at most 10 ns; PMU_REPORT=threads shows all of them\n",
	    "which is told");
	has(text, "9 threads", "they are counted");
	free(text);
	text = render(model, 0, true);
	is_int(times_in(text, "\n  3 worker "), 1, "all of them on request");
	free(text);
	pmu_model_free(model);
}

static void a_column_says_how_many_threads_where_that_differs(void)
{
	struct pmu_model *model = sample_model();
	char *text = render(model, 0, false);

	has(text, "  threads\n", "a/b ran on one of two");
	free(text);
	pmu_model_free(model);
	model = clock_model();
	pmu_model_finish(model);
	text = render(model, 0, false);
	hasnt(text, "  threads\n", "all on the only one");
	free(text);
	pmu_model_free(model);
}

/* The name's part of a row that contains @part, for comparison. */
static char *label_with(const char *text, const char *part)
{
	const char *at = strstr(text, part), *end;

	if (!at)
		return NULL;
	end = strstr(at, "  ");
	return strndup(at, end ? (size_t)(end - at) : strlen(at));
}

static void long_names_are_cut_and_stay_different(void)
{
	struct pmu_model *model = clock_model();
	char name[64], *text;
	int n_numbered = 0;

	sample_row(model, model->section, 0, 0, SAMPLE_LONG_A, 1, 9000);
	sample_row(model, model->section, 0, 0, SAMPLE_LONG_B, 1, 8000);
	sample_row(model, model->section, 0, 1, SAMPLE_LONG_B, 1, 7000);
	pmu_model_finish(model);
	text = render(model, 80, false);
	fits(text, 80, "long names");
	is_int(times_in(text, "a_name_that_"), 3, "all there");
	{
		char *first = label_with(text, "a_name_that_"), *second, *third;

		second = label_with(strstr(text, first) + 1, "a_name_that_");
		third = label_with(strstr(strstr(text, first) + 1, second) + 1, "a_name_that_");
		ok(first && second && third && strcmp(second, third) != 0,
		   "cut differently where the names differ");
		free(first);
		free(second);
		free(third);
	}
	free(text);
	pmu_model_free(model);

	/* more of the same look than there are ways to cut */
	model = sample_head();
	sample_threads(model, 1, 1234 * ms);
	sample_sections(model, 1, 200);
	for (int i = 0; i < 200; i++)
		sample_row(model, model->section, 0, -1,
			   pmu_model_textf(model, "%040d-%03d-%060d", 0, i, 0), 1, 1000);
	pmu_model_finish(model);
	text = render(model, 80, false);
	fits(text, 80, "200 names");
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "..#%d..", i);
		n_numbered += strstr(text, name) != NULL;
	}
	ok(n_numbered > 100 && n_numbered < 200, "%d are numbered", n_numbered);
	free(text);
	pmu_model_free(model);
}

static void odd_names_are_harmless(void)
{
	struct pmu_model *model = clock_model();
	char *text;

	sample_row(model, model->section, 0, -1, "\x1b[31mred\n", 1, 9000);
	sample_row(model, model->section, 0, -1,
		   "gr\xc3\xb6\xc3\x9f"
		   "er \xe2\x82\xac",
		   1, 8000);
	sample_row(model, model->section, 0, -1, "100%s%n", 1, 7000);
	pmu_model_finish(model);
	text = render(model, 0, false);
	fits(text, 100, "odd names");
	has(text, "\n  \\x1b[31mred\\n  ", "control characters are shown");
	has(text,
	    "\n  gr\xc3\xb6\xc3\x9f"
	    "er \xe2\x82\xac              1  8.000 us   <0.1%",
	    "UTF-8 as it is, aligned by characters");
	has(text, "\n  100%s%n  ", "no format");
	free(text);
	pmu_model_free(model);
}

static void deep_trees_fit(void)
{
	struct pmu_model *model = sample_head();
	char *text;

	sample_threads(model, 1, 1234 * ms);
	sample_sections(model, 1, 500);
	for (int i = 0; i < 500; i++)
		sample_row(model, model->section, 0, i - 1, "level of nesting", 1, 1000);
	pmu_model_finish(model);
	text = render(model, 0, false);
	fits(text, 100, "500 levels");
	has(text, "\n  (499) level of nesting", "the depth as a number");
	has(text, "\n  (n)  nested n deep", "explained");
	free(text);
	pmu_model_free(model);
}

static void several_groups_have_a_table_each(void)
{
	struct pmu_model *model = sample_head();
	char *text;

	sample_threads(model, 1, 1234 * ms);
	sample_sections(model, 3, 1);
	sample_core(model, &model->section[0]);
	sample_row(model, &model->section[0], 0, -1, "r", 1, 1000);
	sample_row(model, &model->section[1], 0, -1, "r", 1, 1000);
	model->section[2].group = "UNUSED";
	pmu_model_finish(model);
	text = render(model, 0, false);
	has(text, "\n  CORE\n", "the first");
	has(text, "\n  TIME\n", "the second");
	hasnt(text, "UNUSED", "one without regions has none");
	free(text);
	pmu_model_free(model);
}

static void a_report_without_regions_says_so(void)
{
	struct pmu_model *model = sample_head();
	char *text;

	sample_sections(model, 1, 1);
	pmu_model_finish(model);
	text = render(model, 0, false);
	has(text, "\n  No region was measured: there is nothing to show.\n", "one calm line");
	hasnt(text, "calls", "no table");
	free(text);
	pmu_model_free(model);
	model = pmu_model_new();
	text = render(model, 0, false);
	has(text, "pmu: (unknown program)", "an empty model is no trouble");
	free(text);
	model->clock = "time stamp counter";
	text = render(model, 0, false);
	has(text, "  source    unknown; times: time stamp counter",
	    "  nor is one without a source");
	free(text);
	pmu_model_free(model);
}

static int n_found(const char *text, const char *part)
{
	int n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* One thread, "region i" taking i + 1 microseconds. */
static void many_regions(struct pmu_model *model, unsigned int n)
{
	struct pmu_model_section *section = pmu_model_alloc(model, sizeof(*section));

	model->thread = pmu_model_alloc(model, sizeof(*model->thread));
	model->thread->name = "";
	model->n_threads = 1;
	section->group = "TIME";
	section->thread_row = pmu_model_alloc(model, n * sizeof(*section->thread_row));
	section->n_thread_rows = n;
	for (unsigned int i = 0; i < n; i++) {
		struct pmu_model_row *row = &section->thread_row[i];

		row->name = pmu_model_textf(model, "region %u", i);
		row->parent = -1;
		row->calls = 1;
		row->time_ns = row->min_ns = row->max_ns = 1000 * (i + 1);
	}
	model->section = section;
	model->n_sections = 1;
	is_int(pmu_model_finish(model), 0, "a model of many regions");
}

static void of_very_many_regions_the_longest_are_shown(void)
{
	static const struct pmu_text_options few = { .columns = 100 };
	struct pmu_model *model = pmu_model_new();
	struct pmu_strbuf out = { 0 };

	many_regions(model, PMU_TEXT_ROWS + 20);
	pmu_write_text(&out, model, &few);
	has(pmu_strbuf_text(&out), "and 20 more regions of at most", "the others are counted");
	has(pmu_strbuf_text(&out), "PMU_REPORT=all", "and how to see them is said");
	is_int(n_found(pmu_strbuf_text(&out), "\n  region "), PMU_TEXT_ROWS + 1,
	       "the longest are there, below the title");
	ok(strstr(pmu_strbuf_text(&out), "region 119 ") != NULL, "the longest of all");
	ok(strstr(pmu_strbuf_text(&out), "region 19 ") == NULL, "not the shorter ones");
	pmu_strbuf_free(&out);
	pmu_model_free(model);
}

static void of_equal_ones_none_hides_a_longer(void)
{
	static const uint64_t key[] = { 5, 5, 5, 9, 5, 7 };
	struct pmu_model_block *scratch = NULL;
	struct pmu_longest longest;

	is_int(pmu_longest(&longest, key, 6, 3, &scratch), 0, "three of six");
	ok(longest.n == 3 && longest.at[0] == 0 && longest.at[1] == 3 && longest.at[2] == 5,
	   "both longer ones are there");
	ok(longest.n_left == 3 && longest.most_left == 5, "the others are told");
	is_int(pmu_longest(&longest, key, 6, 6, &scratch), 0, "six of six");
	ok(longest.n == 6 && longest.n_left == 0, "are all");
	pmu_block_free(&scratch);
}

static char *render_with(const struct pmu_model *model, const struct pmu_text_options *options)
{
	struct pmu_strbuf out = { 0 };

	pmu_write_text(&out, model, options);
	ok(!out.failed && out.text, "rendered");
	return out.text;
}

/*
 * main around solve and io, solve around dot: by self dot, io, solve, main; by calls io, dot,
 * solve, main.
 */
static struct pmu_model *nested_model(void)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	sample_threads(model, 1, 1000 * ms);
	sample_sections(model, 1, 4);
	s = model->section;
	sample_row(model, s, 0, -1, "main", 1, 900 * ms);
	sample_row(model, s, 0, 0, "solve", 2, 600 * ms);
	sample_row(model, s, 0, 1, "dot", 40, 500 * ms);
	sample_row(model, s, 0, 0, "io", 100, 290 * ms);
	pmu_model_finish(model);
	return model;
}

static void rows_can_be_sorted_into_a_list(void)
{
	struct pmu_text_options options = { .brief = true, .columns = 100, .sort = "self" };
	struct pmu_model *model = nested_model();
	char *text = render_with(model, &options), *dot = strstr(text, "\n  main/solve/dot "),
	     *io = strstr(text, "\n  main/io ");

	ok(dot && io && dot < io && io < strstr(text, "\n  main/solve   "),
	   "by self, with their paths");
	free(text);
	options.sort = "calls";
	options.top = 2;
	text = render_with(model, &options);
	io = strstr(text, "\n  main/io ");
	dot = strstr(text, "\n  main/solve/dot ");
	ok(dot && io && io < dot, "by calls");
	is_int(times_in(text, "\n  main"), 2, "two of them");
	has(text, "\n  and 2 more regions\n", "the others are told");
	free(text);
	options = (struct pmu_text_options){ .brief = true, .columns = 100, .sort = "cycels" };
	text = render_with(model, &options);
	has(text, "\n  sorted by time: there is no count 'cycels' here\n",
	    "what is not there is said");
	free(text);
	pmu_model_free(model);
}

static void rows_can_be_sorted_by_a_count(void)
{
	const struct pmu_text_options options = { .brief = true,
						  .columns = 100,
						  .sort = "llc-misses" };
	struct pmu_model *model = sample_model();
	char *text = render_with(model, &options);

	hasnt(text, "sorted by time", "names of counts, case does not count");
	hasnt(text, "\n    ", "a list");
	free(text);
	pmu_model_free(model);
}

static void rows_can_be_filtered(void)
{
	struct pmu_text_options options = { .brief = true, .columns = 100, .filter = "d?t" };
	struct pmu_model *model = nested_model();
	char *text = render_with(model, &options);

	has(text, "\n  main ", "what is around it");
	has(text, "\n    solve ", "indented");
	has(text, "\n      dot ", "as ever");
	hasnt(text, " io ", "no other");
	has(text, "\n  without 1 region that does not match d?t\n", "which is told");
	free(text);
	options.sort = "time";
	text = render_with(model, &options);
	has(text, "\n  main/solve/dot ", "of a list");
	has(text, "\n  without 3 regions that do not match d?t\n", "the others, too");
	free(text);
	options.filter = "main/solve";
	text = render_with(model, &options);
	is_int(times_in(text, "\n  main/"), 1, "a path");
	free(text);
	options.filter = "none";
	text = render_with(model, &options);
	is_str(text, "  without 4 regions that do not match none\n", "where none does");
	free(text);
	pmu_model_free(model);
}

static void strip(char *text)
{
	char *to = text;

	for (const char *at = text; *at;) {
		if (*at == '\033')
			at += strcspn(at, "m") + 1;
		else
			*to++ = *at++;
	}
	*to = '\0';
}

static void colour_changes_nothing_else(void)
{
	struct pmu_text_options options = { .threads = true, .columns = 100 };
	struct pmu_model *model = sample_model();
	char *plain, *color;

	model->died = "the program did not end cleanly: killed by signal 9";
	pmu_metric_fill(model);
	plain = render_with(model, &options);
	hasnt(plain, "\033", "none where it is not wanted");
	options.color = true;
	color = render_with(model, &options);
	has(color, "\033[1mpmu: demo ", "the title");
	has(color, "\033[33m  caution ", "a warning");
	hasnt(color, "\001", "no sign is left");
	strip(color);
	is_str(color, plain, "the same text");
	free(color);
	free(plain);
	pmu_model_free(model);
}

/* The longer one waits for the other: what computes stands first, and its share is of that. */
static void of_several_threads_what_computes_comes_first(void)
{
	const struct pmu_text_options waiting = { .columns = 100, .sort = "waiting" },
				      self = { .columns = 100, .sort = "self" };
	struct pmu_model *model = sample_head();
	struct pmu_model_row *row[2];
	char *text;

	sample_threads(model, 2, 1000 * ms);
	sample_sections(model, 1, 2);
	row[0] = sample_row(model, model->section, 0, -1, "waits", 1, 900 * ms);
	row[1] = sample_row(model, model->section, 1, -1, "computes", 1, 400 * ms);
	row[0]->cpu_ns = 100 * ms;
	row[1]->cpu_ns = 300 * ms;
	pmu_model_finish(model);
	text = render(model, 100, false);
	has(text, "\n  all threads together, by time\n", "CPU time of one thread is not known");
	has(text, "\n  waits                 1  900.0 ms  100.0 ms  800.0 ms   45.0% ", "by time");
	free(text);
	model->thread[0].cpu_ns = 150 * (int64_t)ms;
	model->thread[1].cpu_ns = 350 * (int64_t)ms;
	pmu_model_finish(model);
	text = render(model, 100, false);
	has(text, "\n  all threads together, by CPU time\n", "it is said");
	has(text, "time       CPU   waiting  % CPU ", "and above the shares");
	has(text,
	    "\n  computes              1  400.0 ms  300.0 ms  100.0 ms  60.0%  400.0 ms  300.0 ms        1\n"
	    "  waits                 1  900.0 ms  100.0 ms  800.0 ms  20.0% ",
	    "what computes, of all CPU time");
	free(text);
	text = render(model, 100, true);
	has(text, "waiting  % time", "of one thread it is the time");
	has(text, "  waits                 1  900.0 ms  100.0 ms  800.0 ms   90.0% ",
	    "that it took");
	free(text);
	row[0]->blocked_ns = 750 * ms;
	row[0]->queued_ns = 50 * ms;
	row[1]->blocked_ns = row[1]->queued_ns = PMU_NOT_KNOWN;
	pmu_model_finish(model);
	text = render(model, 100, true);
	has(text, "CPU   blocked  runnable  % time", "what one waited for,");
	has(text, "  100.0 ms  750.0 ms  50.00 ms   90.0% ", "where that is known");
	has(text, "CPU   waiting  % time", "else that it did");
	free(text);
	text = render_with(model, &self);
	has(text, "\n  computes              1  400.0 ms  300.0 ms ",
	    "by its own CPU time, as is shown");
	ok(strstr(text, "\n  computes ") < strstr(text, "\n  waits "), "the most of it first");
	free(text);
	text = render_with(model, &waiting);
	has(text, "\n  waits                 1  900.0 ms ",
	    "what waits first, where that is asked for");
	free(text);
	row[1]->cpu_ns = PMU_NOT_KNOWN;
	pmu_model_finish(model);
	text = render(model, 100, false);
	has(text, "\n  all threads together, by time\n", "that of one region is not known");
	free(text);
	pmu_model_free(model);
}

static void teams_have_a_table(void)
{
	struct pmu_model *model = sample_team();
	char *text;

	pmu_metric_fill(model);
	text = render(model, 100, false);
	fits(text, 100, "teams");
	has(text, "\n  solve                 3  580.0 ms   19.3% ", "a region's own time");
	has(text, "team time  efficiency  imbalance", "beside it what all did for it");
	has(text, "\n  CORE, teams: a region with all that other threads did for it\n",
	    "a table more");
	has(text, "  850.0 ms       97.7%      48.1%  3.00 ", "time, efficiency, imbalance");
	has(text, "\n  solve             850.0 ms  3.00    11.11%       2.550 G  850.0 M ",
	    "counts");
	hasnt(text, " t\n", "no row is of a team");
	free(text);
	text = render(model, 100, true);
	has(text,
	    "\n    kernel              2  50.00 ms    5.0%  25.00 ms  50.00 ms  3.00    11.11%  t\n",
	    "threads' rows have a letter");
	has(text, "\n  t  team: what the thread did for a region that another one had open",
	    "which is told");
	has(text, "\n  2 worker          4244    2  1.000 s      -          15.0% ",
	    "work for others is time in regions");
	free(text);
	pmu_model_free(model);
	model = sample_model();
	text = render(model, 100, true);
	hasnt(text, "team", "nobody worked for others: not a word of teams");
	free(text);
	pmu_model_free(model);
}

static void what_is_not_known_of_a_team_is_told(void)
{
	struct pmu_model *model = sample_team();
	struct pmu_model_team *team = model->section->row[0].team;
	char *text;

	team->time_known = false;
	team->n_threads = 0;
	team->all.share = team->imbalance = team->efficiency = NAN;
	team->all.missing = UINT32_MAX;
	text = render(model, 100, false);
	has(text, "  210.0 ms        -\n", "how many threads");
	has(text, "\n  solve                  -              -          -       1.740 G ", "not 0");
	has(text, "\n  -  unknown:", "a dash is explained");
	free(text);
	pmu_model_free(model);
}

/* A region of little time of its own, and one in it of much. */
static void of_many_rows_those_around_others_are_shown(void)
{
	struct pmu_model *model = sample_head();
	const struct pmu_text_options options = { .columns = 100, .top = 2 };
	struct pmu_strbuf out = { 0 };
	struct pmu_model_section *s;

	sample_threads(model, 2, 1000 * ms);
	sample_sections(model, 1, 8);
	s = model->section;
	sample_row(model, s, 0, -1, "around", 1, 1 * ms);
	sample_row(model, s, 0, -1, "other", 1, 5 * ms);
	sample_row(model, s, 0, -1, "third", 1, 4 * ms);
	sample_row(model, s, 1, -1, "around", 1, 50 * ms)->flags = PMU_ROW_TEAM;
	sample_row(model, s, 1, 3, "inner", 1, 40 * ms);
	pmu_model_finish(model);
	pmu_write_text(&out, model, &options);
	has(pmu_strbuf_text(&out), "\n  around ", "the region around it");
	has(pmu_strbuf_text(&out), "\n    inner ", "is shown with one that takes long");
	hasnt(pmu_strbuf_text(&out), "\n  other ", "rather than others");
	pmu_strbuf_free(&out);
	pmu_model_free(model);
}

UNIT_PART(text)
{
	the_head_says_what_ran_where();
	long_words_in_the_head_are_wrapped();
	what_nobody_asked_for_has_one_line();
	brief_text_has_the_rows_alone();
	refusals_for_one_reason_stand_in_one_line();
	times_stand_in_one_table();
	counts_that_do_not_fit_stand_below();
	missing_values_are_dashes_with_an_explanation();
	no_time_per_call_without_calls_is_no_secret();
	of_a_call_that_has_not_ended_nothing_is_known();
	marks_are_explained_where_they_occur();
	doubts_are_told_at_the_end();
	the_librarys_own_part_is_stated();
	threads_have_a_table_and_rows_on_request();
	hybrid_threads_say_on_which_cores();
	time_in_an_open_region_is_not_known();
	time_on_a_processor_stands_beside_the_time();
	what_came_before_measuring_is_told_where_it_took_long();
	of_several_threads_what_computes_comes_first();
	of_many_threads_the_longest_have_a_table();
	a_column_says_how_many_threads_where_that_differs();
	long_names_are_cut_and_stay_different();
	odd_names_are_harmless();
	deep_trees_fit();
	several_groups_have_a_table_each();
	a_report_without_regions_says_so();
	of_very_many_regions_the_longest_are_shown();
	of_equal_ones_none_hides_a_longer();
	rows_can_be_sorted_into_a_list();
	rows_can_be_sorted_by_a_count();
	rows_can_be_filtered();
	colour_changes_nothing_else();
	teams_have_a_table();
	what_is_not_known_of_a_team_is_told();
	of_many_rows_those_around_others_are_shown();
	return done_testing();
}
