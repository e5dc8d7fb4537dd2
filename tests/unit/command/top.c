/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu top: differences of two looks, what is open and for how long, order, and the table's lines. */
#include "unit/part.h"

#include "bindings/command/top/find.h"
#include "bindings/command/top/json.h"
#include "bindings/command/top/table.h"
#include "unit/model_sample.h"
#include "unit/samples_sample.h"

static const uint64_t ms = 1000000;

/* The program @seconds after its start, its threads as old. */
static struct pmu_model *at(unsigned int seconds, unsigned int n_threads)
{
	struct pmu_model *model = sample_head();

	model->duration_ns = seconds * 1000 * ms;
	sample_threads(model, n_threads, seconds * 1000 * ms);
	sample_sections(model, 1, 16);
	sample_core(model, model->section);
	return model;
}

static struct pmu_model_row *open_row(struct pmu_model *model, int thread, int parent,
				      const char *name, uint64_t calls, uint64_t time_ns)
{
	struct pmu_model_row *row = sample_row(model, model->section, thread, parent, name, calls,
					       time_ns);

	row->n_open = 1;
	row->flags |= PMU_ROW_OPEN;
	return row;
}

static struct pmu_top_look *look(struct pmu_model *model, const struct pmu_top_look *before)
{
	struct pmu_top_look *look = pmu_model_finish(model) ? NULL
							    : pmu_top_look_new(model, before);

	if (!look)
		abort();
	return look;
}

static const struct pmu_top_row *find(const struct pmu_top_program *program, const char *path)
{
	for (unsigned int i = 0; i < program->n_rows; i++)
		if (!strcmp(program->row[i].path, path))
			return &program->row[i];
	diag("no %s", path);
	abort();
}

static double metric(const struct pmu_top_program *program, const struct pmu_top_row *row,
		     bool start)
{
	const struct pmu_top_field ipc = { .what = PMU_TOP_VALUE,
					   .start = start,
					   .value = { .name = "IPC" } };

	return pmu_top_number(program, row, &ipc);
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

/* Two looks a second apart, and what came of them; @both: to be freed with it. */
struct pair {
	struct pmu_top_look *before, *now;
	struct pmu_top_program *program;
};

static struct pair two(struct pmu_model *first, struct pmu_model *second)
{
	struct pair pair;

	pair.before = look(first, NULL);
	pair.now = look(second, pair.before);
	pair.program = pmu_top_program_new(pair.before, pair.now);
	if (!pair.program)
		abort();
	return pair;
}

static void drop(struct pair *pair)
{
	pmu_top_program_free(pair->program);
	pmu_top_look_free(pair->before);
	pmu_top_look_free(pair->now);
}

/* --- differences --- */

static void a_second_is_the_difference(void)
{
	struct pmu_model *first = at(10, 1), *second = at(11, 1);
	struct pmu_model_row *row;
	struct pair pair;
	const struct pmu_top_row *solve;

	sample_row(first, first->section, 0, -1, "solve", 10, 2000 * ms);
	row = sample_row(second, second->section, 0, -1, "solve", 15, 2500 * ms);
	row->net[INSTRUCTIONS] = 3 * 2000 * ms + 100;
	row->net[CYCLES] = 2000 * ms + 200;
	pair = two(first, second);
	solve = find(pair.program, "solve");
	ok(solve->last.is_known && solve->start.is_known, "both are known");
	is_u64(solve->last.calls, 5, "calls");
	ok(near(solve->last.time_ns, 500.0 * (double)ms), "time");
	ok(near(solve->last.share, 0.5), "share of the second");
	ok(near(solve->last.self, 0.5), "all of it its own");
	ok(near(metric(pair.program, solve, false), 0.5), "its IPC is of the difference");
	ok(near(metric(pair.program, solve, true), 3.0), "that since the start is of all");
	is_u64(solve->start.calls, 15, "calls since the start");
	ok(near(solve->start.share, 2.5 / 11), "share since the start");
	ok(!solve->last.is_about && !solve->start.is_about, "nothing about it is a guess");
	drop(&pair);
}

static void a_new_region_is_all_of_now(void)
{
	struct pmu_model *first = at(10, 1), *second = at(11, 1);
	struct pair pair;

	sample_row(first, first->section, 0, -1, "old", 1, 100 * ms);
	sample_row(second, second->section, 0, -1, "new", 3, 300 * ms);
	sample_row(second, second->section, 0, -1, "old", 1, 100 * ms);
	pair = two(first, second);
	is_u64(find(pair.program, "new")->last.calls, 3, "calls");
	is_u64(find(pair.program, "old")->last.calls, 0, "nothing of one that rests");
	ok(isnan(metric(pair.program, find(pair.program, "old"), false)),
	   "a region that rests has no IPC");
	drop(&pair);
}

static void one_look_knows_no_difference(void)
{
	struct pmu_top_look *only = look(sample_model(), NULL);
	struct pmu_top_program *program = pmu_top_program_new(NULL, only);
	const struct pmu_top_row *main_row = find(program, "main");

	ok(!main_row->last.is_known, "nothing of now");
	ok(main_row->start.is_known, "all of since the start");
	ok(program->last_ns == 0, "no time between");
	pmu_top_program_free(program);
	pmu_top_look_free(only);
}

static void missing_counts_are_blank(void)
{
	struct pmu_model *first = at(10, 1), *second = at(11, 1);
	const struct pmu_top_field cycles = { .what = PMU_TOP_VALUE,
					      .value = { .name = "cycles" } };
	struct pair pair;

	sample_row(first, first->section, 0, -1, "solve", 1, 100 * ms);
	sample_row(second, second->section, 0, -1, "solve", 2, 200 * ms)->missing = 1u << CYCLES;
	pair = two(first, second);
	ok(isnan(pmu_top_number(pair.program, find(pair.program, "solve"), &cycles)), "the count");
	ok(isnan(metric(pair.program, find(pair.program, "solve"), false)), "what is made of it");
	is_u64(find(pair.program, "solve")->last.calls, 1, "the rest is known");
	drop(&pair);
}

static void what_went_back_is_not_shown(void)
{
	struct pmu_model *first = at(10, 1), *second = at(11, 1);
	struct pair pair;

	sample_row(first, first->section, 0, -1, "reset", 10, 100 * ms);
	sample_row(first, first->section, 0, -1, "solve", 10, 100 * ms);
	sample_row(second, second->section, 0, -1, "reset", 2, 20 * ms);
	sample_row(second, second->section, 0, -1, "solve", 11, 110 * ms);
	pair = two(first, second);
	ok(!find(pair.program, "reset")->last.is_known, "no difference");
	is_u64(find(pair.program, "reset")->start.calls, 2, "but what there is");
	ok(find(pair.program, "solve")->last.is_known, "others are not concerned");
	drop(&pair);
}

/* The clock's rate is known better from look to look. */
static void a_nanosecond_is_nothing(void)
{
	struct pmu_model *first = at(10, 1), *second = at(11, 1);
	struct pair pair;

	sample_row(first, first->section, 0, -1, "setup", 1, 100 * ms);
	sample_row(first, first->section, 0, -1, "other", 1, 100 * ms);
	sample_row(second, second->section, 0, -1, "setup", 1, 100 * ms - 1);
	sample_row(second, second->section, 0, -1, "other", 1, 100 * ms + 1);
	pair = two(first, second);
	ok(find(pair.program, "setup")->last.is_known, "it is known");
	ok(near(find(pair.program, "setup")->last.share, 0), "that nothing happened");
	ok(find(pair.program, "other")->last.time_ns == 0, "nor does one more");
	drop(&pair);
}

/* A row that could not be read is 0: without its mark the next look would bring all at once. */
static void torn_rows_have_no_difference(void)
{
	struct pmu_model *first = at(10, 1), *second = at(11, 1);
	struct pair pair;

	sample_row(first, first->section, 0, -1, "solve", 0, 0)->flags = PMU_ROW_TORN;
	sample_row(second, second->section, 0, -1, "solve", 1000, 900 * ms);
	pair = two(first, second);
	ok(!find(pair.program, "solve")->last.is_known, "after it");
	drop(&pair);
	first = at(10, 1);
	second = at(11, 1);
	sample_row(first, first->section, 0, -1, "solve", 0, 0);
	sample_row(second, second->section, 0, -1, "solve", 1000, 900 * ms)->flags = PMU_ROW_TORN;
	pair = two(first, second);
	ok(!find(pair.program, "solve")->last.is_known, "at it");
	ok(!find(pair.program, "solve")->start.is_known, "nor anything since the start");
	drop(&pair);
}

static void a_damaged_store_has_no_difference(void)
{
	struct pmu_model *first = at(10, 1), *second = at(11, 1);
	struct pair pair;

	first->is_damaged = true;
	sample_row(second, second->section, 0, -1, "solve", 1000, 900 * ms);
	pair = two(first, second);
	ok(!find(pair.program, "solve")->last.is_known, "what was left out is nothing new");
	drop(&pair);
}

/* --- what is open --- */

static void what_goes_on_was_there_all_the_time(void)
{
	struct pmu_model *first = at(10, 1), *second = at(11, 1);
	const struct pmu_top_row *outer, *inner;
	struct pair pair;

	first->thread[0].start_ns = second->thread[0].start_ns = 0;
	open_row(first, 0, -1, "main", 0, 0);
	open_row(first, 0, 0, "wait", 4, 100 * ms);
	open_row(second, 0, -1, "main", 0, 0);
	open_row(second, 0, 0, "wait", 4, 100 * ms);
	sample_row(second, second->section, 0, 1, "poll", 10, 250 * ms);
	pair = two(first, second);
	outer = find(pair.program, "main");
	inner = find(pair.program, "main/wait");
	ok(near(outer->last.share, 1) && near(inner->last.share, 1), "all of the second");
	ok(near(outer->last.self, 0), "the outer one is in the inner one");
	ok(near(inner->last.self, 0.75), "and that in what is nested there");
	is_u64(outer->last.calls, 0, "no call has ended");
	ok(isnan(metric(pair.program, outer, false)), "nothing is counted");
	ok(near(outer->start.share, 1) && !outer->start.is_about,
	   "the first region of a thread is as old as that");
	ok(near(outer->in_ns, 11e9) && near(outer->in_most_ns, 11e9), "its time is exact");
	ok(near(inner->in_ns, 1e9) && near(inner->in_most_ns, 11e9),
	   "what was open at the first look is a second old at least");
	is_int(inner->n_in, 1, "a thread is in it");
	drop(&pair);
}

/* A region that others work for, and that began some time after the thread did. */
static void what_was_done_in_a_call_tells_its_age(void)
{
	struct pmu_model *model = at(10, 3);
	struct pmu_top_look *now;
	struct pmu_top_program *program;
	const struct pmu_top_row *solve, *late;

	for (int i = 0; i < 3; i++)
		model->thread[i].start_ns = 0;
	sample_row(model, model->section, 0, -1, "setup", 1, 500 * ms);
	open_row(model, 0, -1, "solve", 0, 0);
	open_row(model, 1, -1, "solve", 0, 0)->flags |= PMU_ROW_TEAM;
	sample_row(model, model->section, 1, 2, "step", 8, 9000 * ms);
	open_row(model, 2, -1, "solve", 0, 0)->flags |= PMU_ROW_TEAM;
	sample_row(model, model->section, 2, 4, "step", 2, 3000 * ms);
	open_row(model, 2, -1, "late", 3, 30 * ms);
	now = look(model, NULL);
	program = pmu_top_program_new(NULL, now);
	solve = find(program, "solve");
	late = find(program, "late");
	ok(solve->in_ns >= 9e9 - 1 && near(solve->in_most_ns, 10e9),
	   "open for as long as one thread has worked in it (%g to %g s)", solve->in_ns / 1e9,
	   solve->in_most_ns / 1e9);
	ok(solve->start.share >= find(program, "solve/step")->start.share,
	   "its share is no less than of what is in it");
	ok(near(late->in_ns, 0), "calls that have ended tell nothing of one that goes on");
	pmu_top_program_free(program);
	pmu_top_look_free(now);
}

static void what_began_between_looks_is_that_young(void)
{
	struct pmu_model *first = at(10, 1), *second = at(11, 1);
	struct pair pair;
	const struct pmu_top_row *solve;

	open_row(first, 0, -1, "solve", 4, 100 * ms);
	open_row(second, 0, -1, "solve", 5, 200 * ms);
	pair = two(first, second);
	solve = find(pair.program, "solve");
	ok(near(solve->in_ns, 0) && near(solve->in_most_ns, 1e9), "less than a second");
	ok(near(solve->last.share, 0.1), "what has ended is its time");
	drop(&pair);
}

/* A call of 8 s that ends now did not take 8 of the last second. */
static void a_long_call_that_ends_is_capped(void)
{
	struct pmu_model *first = at(10, 2), *second = at(11, 2);
	struct pair pair;
	const struct pmu_top_row *solve;

	open_row(first, 0, -1, "solve", 0, 0);
	sample_row(second, second->section, 0, -1, "solve", 1, 8000 * ms);
	pair = two(first, second);
	solve = find(pair.program, "solve");
	ok(near(solve->last.share, 0.5), "a second of one thread of two");
	ok(solve->last.is_about, "at most: it says so");
	ok(near(solve->last.time_ns, 8e9), "the call took as long as it did");
	drop(&pair);
}

static void others_work_is_in_their_region(void)
{
	struct pmu_model *first = at(10, 2), *second = at(11, 2);
	struct pair pair;
	const struct pmu_top_row *parallel;

	sample_row(first, first->section, 0, -1, "parallel", 1, 100 * ms);
	sample_row(first, first->section, 1, -1, "parallel", 1, 100 * ms)->flags = PMU_ROW_TEAM;
	sample_row(second, second->section, 0, -1, "parallel", 2, 600 * ms);
	sample_row(second, second->section, 1, -1, "parallel", 2, 500 * ms)->flags = PMU_ROW_TEAM;
	pair = two(first, second);
	parallel = find(pair.program, "parallel");
	ok(near(parallel->last.share, 0.45), "the time of both");
	is_u64(parallel->last.calls, 1, "the calls of who opened it");
	is_int(parallel->n_threads, 2, "both threads");
	ok(near(metric(pair.program, parallel, false), 3), "and the counts of both");
	drop(&pair);
}

/* --- order --- */

static struct pmu_top_line *lines(const struct pmu_top_program *program,
				  const struct pmu_top_order *order, size_t *n)
{
	struct pmu_top_line *line = pmu_top_lines(&program, 1, order, n);

	if (!line)
		abort();
	return line;
}

/* "path path ..." without the program's own line */
static const char *paths(const struct pmu_top_program *program, const struct pmu_top_order *order)
{
	static char text[1024];
	size_t n;
	struct pmu_top_line *line = lines(program, order, &n);

	text[0] = '\0';
	for (size_t i = 1; i < n; i++) {
		strcat(text, i > 1 ? " " : "");
		strcat(text, program->row[line[i].row].path);
	}
	free(line);
	return text;
}

static void rows_are_sorted_and_filtered(void)
{
	struct pmu_model *model = at(10, 1);
	struct pmu_top_order order = { .by = { .what = PMU_TOP_SHARE, .start = true } };
	struct pmu_top_look *only;
	struct pmu_top_program *program;

	sample_row(model, model->section, 0, -1, "a", 100, 1000 * ms);
	sample_row(model, model->section, 0, -1, "b", 10, 3000 * ms);
	sample_row(model, model->section, 0, 1, "x", 50, 500 * ms);
	sample_row(model, model->section, 0, 1, "y", 5, 900 * ms);
	only = look(model, NULL);
	program = pmu_top_program_new(NULL, only);
	is_str(paths(program, &order), "b b/y b/x a", "a tree by share");
	order.by.what = PMU_TOP_CALLS;
	is_str(paths(program, &order), "a b b/x b/y", "by calls");
	order.reverse = true;
	is_str(paths(program, &order), "b b/y b/x a", "the other way round");
	order.flat = true;
	is_str(paths(program, &order), "b/y b b/x a", "a list");
	order.reverse = false;
	order.by.what = PMU_TOP_NAME;
	is_str(paths(program, &order), "a b b/x b/y", "by name");
	order.by = (struct pmu_top_field){ .what = PMU_TOP_SHARE };
	is_str(paths(program, &order), "b b/y b/x a",
	       "what nobody knows leaves the order of the report");
	order.flat = false;
	order.by = (struct pmu_top_field){ .what = PMU_TOP_SHARE, .start = true };
	order.filter = "x";
	is_str(paths(program, &order), "b b/x", "a filter keeps what is around");
	order.filter = "b/*";
	is_str(paths(program, &order), "b b/y b/x", "a pattern of paths");
	order.filter = "nothing";
	is_str(paths(program, &order), "", "and it may keep nothing");
	pmu_top_program_free(program);
	pmu_top_look_free(only);
}

/* A tree is as deep as a store says. */
static void depth_costs_no_stack(void)
{
	enum { DEPTH = 2000 };
	struct pmu_model *model = at(10, 1);
	struct pmu_top_order order = { .by = { .what = PMU_TOP_SHARE, .start = true } };
	struct pmu_top_look *only;
	struct pmu_top_program *program;
	struct pmu_top_line *line;
	size_t n;

	model->section->thread_row = pmu_model_alloc(model,
						     DEPTH * sizeof(*model->section->thread_row));
	for (int i = 0; i < DEPTH; i++)
		sample_row(model, model->section, 0, i - 1, "r", 1, 100 * ms);
	only = look(model, NULL);
	program = pmu_top_program_new(NULL, only);
	line = lines(program, &order, &n);
	is_u64(n, DEPTH + 1, "each has its line");
	free(line);
	pmu_top_program_free(program);
	pmu_top_look_free(only);
}

/* --- functions --- */

/* A look with solve's samples. */
static struct pmu_top_look *sampled(unsigned int seconds, const struct samples_of *of,
				    unsigned int n, const struct pmu_top_look *before)
{
	struct pmu_model *model = at(seconds, 1);
	struct pmu_top_look *made;

	sample_row(model, model->section, 0, -1, "solve", seconds, seconds * 1000 * ms);
	if (pmu_model_finish(model) || (n && attach_samples(model, 0, "solve", of, n)))
		abort();
	made = pmu_top_look_new(model, before);
	if (!made)
		abort();
	made->is_sampled = true;
	return made;
}

static void functions_are_of_the_interval(void)
{
	static const struct samples_of first[] = { { "old", 500, { 0 } }, { "both", 100, { 0 } } },
				       second[] = { { "old", 499, { 0 } },
						    { "both", 150, { 0 } },
						    { "new", 50, { 0 } },
						    { "a", 60, { 0 } },
						    { "one", 1, { 0 } } };
	const struct pmu_top_order order = { .by = { .what = PMU_TOP_SHARE }, .functions = true };
	struct pmu_top_look *before = sampled(10, first, 2, NULL);
	struct pmu_top_look *now = sampled(11, second, 5, before);
	struct pmu_top_program *program = pmu_top_program_new(before, now);
	const struct pmu_top_samples *last = &find(program, "solve")->last.samples;
	struct pmu_top_line *line;
	struct pmu_strbuf out = { 0 };
	struct pmu_top_layout layout;
	size_t n;

	is_u64(last->n, 161, "what was sampled since the look before");
	is_u64(last->n_functions, 4, "in those functions");
	is_str(last->function[0].name, "a", "most of it first");
	is_str(last->function[1].name, "both", "then by name, less what there was");
	is_str(last->function[0].object, "", "the program has no name of its own");
	is_u64(find(program, "solve")->start.samples.n, 760, "since the start there is more");
	is_u64(program->unit.period, SAMPLES_PERIOD_NS, "how often is told");
	pmu_top_layout(&layout, (const struct pmu_top_program *const *)&program, 1, 80, 0);
	line = lines(program, &order, &n);
	is_u64(n, 2 + 3, "below the region stand those that are more than one of some");
	pmu_top_put_line(&out, &layout, &line[2], true);
	is_str(out.text, "    ~ 37.3%  a", "as shares of the region's own");
	pmu_strbuf_free(&out);
	free(line);
	pmu_top_program_free(program);
	pmu_top_look_free(before);
	pmu_top_look_free(now);
}

static void few_samples_are_no_lines(void)
{
	static const struct samples_of of[] = { { "f", 29, { 0 } } };
	const struct pmu_top_order order = { .by = { .what = PMU_TOP_SHARE }, .functions = true };
	struct pmu_top_look *only = sampled(10, of, 1, NULL);
	struct pmu_top_program *program = pmu_top_program_new(NULL, only);
	struct pmu_top_line *line;
	size_t n;

	is_u64(find(program, "solve")->start.samples.n, 29, "29 samples are there");
	line = lines(program, &order, &n);
	is_u64(n, 2, "but not shown");
	free(line);
	pmu_top_program_free(program);
	pmu_top_look_free(only);
}

static void what_was_not_sampled_has_no_difference(void)
{
	static const struct samples_of of[] = { { "f", 900, { 0 } } };
	struct pmu_top_look *before = sampled(10, of, 0, NULL), *now;
	struct pmu_top_program *program;

	before->is_sampled = false;
	now = sampled(11, of, 1, before);
	program = pmu_top_program_new(before, now);
	is_u64(find(program, "solve")->last.samples.n, 0, "nothing is known of the interval");
	is_u64(find(program, "solve")->start.samples.n, 900, "and of the start all");
	pmu_top_program_free(program);
	now->is_sampled = false;
	program = pmu_top_program_new(before, now);
	is_u64(find(program, "solve")->start.samples.n, 0, "without an answer nothing at all");
	is_u64(program->unit.period, 0, "not even how often");
	pmu_top_program_free(program);
	pmu_top_look_free(before);
	pmu_top_look_free(now);
}

/* --- text --- */

static void put(struct pmu_strbuf *out, const struct pmu_top_program *program, unsigned int width)
{
	const struct pmu_top_order order = { .by = { .what = PMU_TOP_SHARE, .start = true } };
	struct pmu_top_layout layout;
	struct pmu_top_line *line;
	size_t n;

	pmu_top_layout(&layout, &program, 1, width, 0);
	line = lines(program, &order, &n);
	pmu_top_put_overs(out, &layout);
	pmu_strbuf_add(out, "\n");
	pmu_top_put_titles(out, &layout);
	pmu_strbuf_add(out, "\n");
	for (size_t i = 0; i < n; i++) {
		pmu_top_put_line(out, &layout, &line[i], true);
		pmu_strbuf_add(out, "\n");
	}
	free(line);
}

static void every_width_fits(void)
{
	struct pmu_top_look *only = look(sample_model(), NULL);
	struct pmu_top_program *program = pmu_top_program_new(NULL, only);
	bool fits = true, plain = true;

	for (unsigned int width = PMU_TOP_LEAST_WIDTH; width < 260; width++) {
		struct pmu_strbuf out = { 0 };

		put(&out, program, width);
		for (char *at_line = out.text, *end; (end = strchr(at_line, '\n'));
		     at_line = end + 1) {
			size_t n = 0;

			for (char *c = at_line; c < end; c++) {
				n += ((unsigned char)*c & 0xc0) != 0x80;
				plain &= (unsigned char)*c >= ' ' && *c != 127;
			}
			fits &= n <= width;
		}
		pmu_strbuf_free(&out);
	}
	ok(fits, "no line is wider than there is room");
	ok(plain, "nothing in it controls a terminal");
	pmu_top_program_free(program);
	pmu_top_look_free(only);
}

static void lengths_are_short(void)
{
	static const struct {
		double ns;
		const char *text;
	} cases[] = { { 0, "0.0 s" },        { 12.34e9, "12.3 s" }, { 100e9, "1:40" },
		      { 3661e9, "1:01:01" }, { NAN, "?" },          { 1e300, "?" } };

	for (size_t i = 0; i < PMU_ARRAY_LEN(cases); i++) {
		struct pmu_strbuf out = { 0 };

		pmu_top_put_length(&out, cases[i].ns);
		is_str(pmu_strbuf_text(&out), cases[i].text, cases[i].text);
		pmu_strbuf_free(&out);
	}
}

static void json_is_a_line(void)
{
	struct pmu_top_look *only = look(sample_model(), NULL);
	struct pmu_top_program *program = pmu_top_program_new(NULL, only);
	const struct pmu_top_order order = { .by = { .what = PMU_TOP_SHARE } };
	const struct pmu_top_program *shown = program;
	struct pmu_strbuf out = { 0 };

	pmu_top_put_json(&out, &shown, 1, &order, 1);
	ok(strchr(out.text, '\n') == out.text + out.len - 1, "one");
	has(out.text, "\"path\": \"main/solve\"", "with its regions");
	has(out.text, "\"last\": null", "what is not known is null");
	has(out.text, "\"IPC\": ", "and metrics");
	pmu_strbuf_free(&out);
	pmu_top_program_free(program);
	pmu_top_look_free(only);
}

/* --- /proc/PID/maps --- */

static const char *mapped(const char *line)
{
	static char text[256];

	snprintf(text, sizeof(text), "%s", line);
	return pmu_top_mapped(text);
}

static void stores_are_told_by_their_maps(void)
{
	is_str(mapped("7f0012340000-7f0012350000 rw-s 00000000 00:15 47   /dev/shm/pmu-0/12-345-1.pmu"),
	       "/dev/shm/pmu-0/12-345-1.pmu", "a store");
	ok(!mapped("7f0012340000-7f0012350000 r--p 00000000 00:15 47   /dev/shm/pmu-0/12-345-1.pmu"),
	   "a private one is no store");
	ok(!mapped("7f0012340000-7f0012350000 rw-s 00000000 00:15 47   /dev/shm/1.pmu (deleted)"),
	   "nor is what has been removed");
	ok(!mapped("7f0012340000-7f0012350000 rw-s 00000000 00:00 0 "), "nor nothing");
	ok(!mapped("rw-s /x.pmu"), "nor what is no map");
}

UNIT_PART(top)
{
	a_second_is_the_difference();
	a_new_region_is_all_of_now();
	one_look_knows_no_difference();
	missing_counts_are_blank();
	what_went_back_is_not_shown();
	a_nanosecond_is_nothing();
	torn_rows_have_no_difference();
	a_damaged_store_has_no_difference();
	what_goes_on_was_there_all_the_time();
	what_was_done_in_a_call_tells_its_age();
	what_began_between_looks_is_that_young();
	a_long_call_that_ends_is_capped();
	others_work_is_in_their_region();
	rows_are_sorted_and_filtered();
	depth_costs_no_stack();
	functions_are_of_the_interval();
	few_samples_are_no_lines();
	what_was_not_sampled_has_no_difference();
	every_width_fits();
	lengths_are_short();
	json_is_a_line();
	stores_are_told_by_their_maps();
	return done_testing();
}
