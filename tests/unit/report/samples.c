/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of rows: added up by function and line, given to threads' rows and their sums. */
#include "unit/part.h"

#include <errno.h>

#include "report/model/objects.h"
#include "reports/combine/combine.h"
#include "unit/model_find.h"
#include "unit/model_sample.h"
#include "unit/samples_sample.h"
#include "unit/store_build.h"

static const uint64_t ms = 1000000;

static const struct samples_of first[] = { { "dgemm", 60, { 40, 20 } }, { "memcpy", 40, { 0 } } };
static const struct samples_of second[] = { { "memcpy", 50, { 0 } },
					    { "dgemm", 5, { 0, 0 } },
					    { "memset", 5, { 5, 0 } } };

static void is_function(const struct pmu_model_samples *samples, unsigned int i, const char *name,
			uint64_t n)
{
	if (!ok(samples && i < samples->n_functions, "there is one"))
		return;
	is_str(samples->function[i].name, name, "its name");
	is_u64(samples->function[i].n_samples, n, "its samples");
}

static void samples_of_two_rows_are_added_by_function(void)
{
	struct pmu_model *model = sample_head();
	const struct pmu_model_samples *both = pmu_model_samples_add(
		model, make_samples(model, first, 2), make_samples(model, second, 3));

	is_u64(both->n, 160, "all of them");
	is_u64(both->unit.period, SAMPLES_PERIOD_NS, "of the same period");
	is_u64(both->n_functions, 3, "one of each function");
	is_function(both, 0, "memcpy", 90);
	is_function(both, 1, "dgemm", 65);
	is_function(both, 2, "memset", 5);
	is_u64(both->function[1].n_lines, 2, "lines of the one that has some");
	is_u64(both->function[1].line[0].line, 42, "most samples first");
	is_u64(both->function[1].line[0].n_samples, 40, "as many");
	is_u64(both->function[0].n_lines, 0, "none elsewhere");
	pmu_model_free(model);
}

static void is_call(const struct pmu_model_samples *samples, unsigned int i, const char *name,
		    unsigned int caller, uint64_t n)
{
	if (!ok(samples && i < samples->n_calls, "there is a call %u", i))
		return;
	is_str(samples->frame[samples->call[i].frame].name, name, "its function");
	is_u64(samples->call[i].caller, caller, "its caller");
	is_u64(samples->call[i].n_samples, n, "its samples");
}

static void calls_are_added_where_their_callers_are_the_same(void)
{
	static const struct pmu_model_frame here[] = { { "main", "demo" }, { "dgemm", "demo" } };
	static const struct pmu_model_frame there[] = { { "dgemm", "demo" },
							{ "main", "demo" },
							{ "main", "other" } };
	static const struct pmu_model_call a[] = { { 0, 0, 1 }, { 1, 1, 60 }, { 2, 1, 2 } };
	static const struct pmu_model_call b[] = {
		{ 0, 2, 1 }, { 1, 0, 5 }, { 0, 1, 0 }, { 3, 0, 40 }, { 3, 0, 4 }
	};
	struct pmu_model *model = sample_head();
	const struct pmu_model_samples both[] = {
		{ .n = 63,
		  .unit = { .period = 1 },
		  .n_frames = 2,
		  .n_calls = 3,
		  .frame = here,
		  .call = a },
		{ .n = 50,
		  .unit = { .period = 1 },
		  .n_frames = 3,
		  .n_calls = 5,
		  .frame = there,
		  .call = b },
	};
	const struct pmu_model_samples *sum = pmu_model_samples_add(model, &both[0], &both[1]);

	is_u64(sum->n, 113, "all of them");
	is_u64(sum->n_frames, 3, "functions are there once");
	is_u64(sum->n_calls, 5, "and so are calls");
	is_call(sum, 0, "main", 0, 1);
	is_call(sum, 1, "dgemm", 1, 104);
	is_call(sum, 2, "dgemm", 2, 2);
	is_call(sum, 3, "main", 0, 1);
	is_call(sum, 4, "dgemm", 4, 5);
	sum = pmu_model_samples_add(model, sum, make_samples(model, first, 2));
	is_u64(sum->n_calls, 7, "those without callers are calls of their functions");
	is_call(sum, 4, "dgemm", 4, 5);
	is_call(sum, 5, "dgemm", 0, 60);
	is_call(sum, 6, "memcpy", 0, 40);
	sum = pmu_model_samples_add(model, make_samples(model, first, 2), &both[0]);
	is_u64(sum->n_calls, 5, "also where they come first");
	is_call(sum, 0, "dgemm", 0, 60);
	is_call(sum, 1, "memcpy", 0, 40);
	is_call(sum, 2, "main", 0, 1);
	is_call(sum, 4, "dgemm", 4, 2);
	pmu_model_free(model);
}

/* At @at and @at + 4, @n and 1, of "dgemm" in @path. */
static const struct pmu_model_samples *samples_at(struct pmu_model *model, const char *path,
						  uint64_t at, uint64_t n)
{
	struct pmu_model_samples *samples = pmu_model_alloc(model, sizeof(*samples));
	struct pmu_model_function *function = pmu_model_alloc(model, sizeof(*function));
	struct pmu_model_code *code = pmu_model_alloc(model, sizeof(*code));
	struct pmu_model_address *address = pmu_model_alloc(model, 2 * sizeof(*address));

	address[0] = (struct pmu_model_address){ at, n };
	address[1] = (struct pmu_model_address){ at + 4, 1 };
	*code = (struct pmu_model_code){ pmu_model_object(model, path, "c0de"), 0x1000, 0x200, 2,
					 address };
	*function = (struct pmu_model_function){
		.name = "dgemm", .object = "demo", .n_samples = n + 1, .n_codes = 1, .code = code
	};
	*samples = (struct pmu_model_samples){ .n = n + 1,
					       .unit = { .period = SAMPLES_PERIOD_NS },
					       .n_functions = 1,
					       .function = function };
	return samples;
}

static void is_address(const struct pmu_model_code *code, unsigned int i, uint64_t address,
		       uint64_t n)
{
	if (!ok(i < code->n_addresses, "there is one"))
		return;
	is_u64(code->address[i].address, address, "its address");
	is_u64(code->address[i].n_samples, n, "its samples");
}

static void addresses_are_added_where_code_is_the_same(void)
{
	struct pmu_model *model = sample_head(), *other = sample_head();
	const struct pmu_model_samples *a = samples_at(model, "/bin/demo", 0x1010, 5);
	const struct pmu_model_samples *b = samples_at(other, "/bin/demo", 0x100c, 7);
	const struct pmu_model_samples *old = samples_at(other, "/old/demo", 0x1010, 100), *both;
	struct pmu_samples_sum *sum = NULL;

	is_int(pmu_samples_sum_add(&sum, a), 0, "of one");
	is_int(pmu_samples_sum_add(&sum, b), 0, "of another report");
	is_int(pmu_samples_sum_add(&sum, old), 0, "of another build");
	pmu_model_free(other);
	both = pmu_samples_sum_make(model, sum);
	pmu_samples_sum_free(sum);
	is_u64(both->n_functions, 1, "one function");
	is_function(both, 0, "dgemm", 115);
	is_u64(both->function[0].n_codes, 2, "of two builds");
	is_str(both->function[0].code[0].object->path, "/old/demo", "most samples first");
	is_u64(both->function[0].code[1].n_addresses, 3, "where they are the same they are one");
	is_address(&both->function[0].code[1], 0, 0x100c, 7);
	is_address(&both->function[0].code[1], 1, 0x1010, 6);
	is_address(&both->function[0].code[1], 2, 0x1014, 1);
	is_u64(both->function[0].code[1].size, 0x200, "with the function's size");
	ok(both->function[0].code[1].object == a->function[0].code[0].object,
	   "an object is there once");
	pmu_model_free(model);
}

static void a_function_of_another_library_is_another(void)
{
	struct pmu_model *model = sample_head();
	const struct pmu_model_function of_libc = { "memcpy", "libc.so.6", 7, 0, NULL, 0, NULL };
	const struct pmu_model_samples other = { .n = 7,
						 .unit = { .period = 2 * SAMPLES_PERIOD_NS },
						 .n_functions = 1,
						 .function = &of_libc };
	const struct pmu_model_samples *both = pmu_model_samples_add(
		model, make_samples(model, first, 2), &other);

	is_u64(both->n_functions, 3, "memcpy twice");
	is_function(both, 2, "memcpy", 7);
	is_str(both->function[2].object, "libc.so.6", "that of libc");
	is_u64(both->unit.period, 2 * SAMPLES_PERIOD_NS, "the longer period");
	ok(pmu_model_samples_add(model, NULL, NULL) == NULL, "nothing of nothing");
	is_u64(pmu_model_samples_add(model, NULL, &other)->n, 7, "one alone is copied");
	pmu_model_free(model);
}

/* Work of thread 1 for "solve" of thread 0, and a region that it begins there. */
static struct pmu_model *team(void)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	sample_threads(model, 2, 1000 * ms);
	sample_sections(model, 1, 8);
	s = model->section;
	sample_core(model, s);
	sample_row(model, s, 0, -1, "main", 1, 500 * ms)->who = 1ull << 32 | 1;
	sample_row(model, s, 0, 0, "solve", 2, 400 * ms)->who = 1ull << 32 | 2;
	sample_row(model, s, 1, -1, "main", 0, 0)->flags = PMU_ROW_TEAM;
	sample_row(model, s, 1, 2, "solve", 2, 300 * ms)->flags = PMU_ROW_TEAM;
	s->thread_row[3].who = 2ull << 32 | 2;
	sample_row(model, s, 1, 3, "kernel", 8, 250 * ms)->who = 2ull << 32 | 3;
	is_int(pmu_model_finish(model), 0, "finished");
	return model;
}

static void a_row_is_found_by_who_wrote_it(void)
{
	struct pmu_model *model = team();
	struct pmu_model_section *section = NULL;
	struct pmu_model_row *row = pmu_model_samples_row(model, 2ull << 32 | 3, &section);

	ok(row && section == model->section, "there is one");
	is_str(row ? row->path : "", "main/solve/kernel", "the one");
	ok(!pmu_model_samples_row(model, 3ull << 32 | 1, &section), "none of another thread");
	ok(!pmu_model_samples_row(model, 0, &section), "none of nobody");
	pmu_model_free(model);
}

static void what_is_done_for_a_region_is_shown_there(void)
{
	struct pmu_model *model = team();
	const struct pmu_model_row *sum = model_row(model, "main/solve");

	ok(!pmu_model_has_samples(model), "none before");
	is_int(attach_samples(model, 0, "solve", first, 2), 0, "the opener's");
	ok(pmu_model_has_samples(model), "some now");
	is_u64(sum->samples->n, 100, "the sum has the opener's");
	is_int(attach_samples(model, 1, "solve", second, 3), 0, "those of who worked for it");
	is_u64(sum->samples->n, 160, "and those that are the worker's");
	is_function(sum->samples, 0, "memcpy", 90);
	ok(!model_row(model, "main")->samples, "in no region around it");
	is_int(attach_samples(model, 1, "kernel", second, 3), 0, "in a region of its own there");
	is_u64(model_row(model, "main/solve/kernel")->samples->n, 60, "they are that region's");
	is_u64(sum->samples->n, 160, "and no other's");
	is_int(pmu_model_finish(model), 0, "finished once more");
	is_u64(model_row(model, "main/solve")->samples->n, 160, "the sum has all again");
	pmu_model_free(model);
}

static void samples_that_come_twice_are_added(void)
{
	struct pmu_model *model = team();
	const struct pmu_model_samples none = { 0 };

	is_int(pmu_model_samples_attach(model, model->section, model->section->thread_row, &none),
	       0, "none at all");
	ok(!pmu_model_has_samples(model), "leave nothing");
	is_int(attach_samples(model, 0, "solve", first, 2), 0, "some");
	is_int(attach_samples(model, 0, "solve", second, 3), 0, "and more of the same row");
	is_u64(model_row(model, "main/solve")->samples->n, 160, "both are in the sum");
	is_int(attach_samples(model, 1, "solve", second, 3), 0, "and another row's");
	is_u64(model_row(model, "main/solve")->samples->n, 220, "are once, too");
	pmu_model_free(model);
}

/* A process of team(): 100 samples of the opener's, 60 of who works for it. */
static struct pmu_model *process(int rank)
{
	struct pmu_model *model = team();

	model->rank = rank;
	model->pid += rank;
	model->n_ranks = 2;
	is_int(attach_samples(model, 0, "solve", first, 2), 0, "the opener's");
	is_int(attach_samples(model, 1, "solve", second, 3), 0, "the worker's");
	return model;
}

static void has_all(const struct pmu_model *model, const char *path)
{
	const struct pmu_model_row *sum = model_row(model, path);

	if (!ok(sum && sum->samples, "%s has samples", path))
		return;
	is_u64(sum->samples->n, 320, "of both processes, with their workers'");
	is_u64(sum->samples->n_functions, 3, "one of each function");
	is_function(sum->samples, 0, "memcpy", 180);
	is_u64(sum->samples->function[1].line[0].n_samples, 80, "and of each line");
}

static void those_of_several_processes_are_added(void)
{
	for (int how = PMU_COMBINE_RANKS; how <= PMU_COMBINE_TREE; how++) {
		struct pmu_model *part[] = { process(0), process(1) }, *model = NULL;
		struct pmu_model_section *section;
		uint64_t who = part[0]->section->thread_row[0].who;

		ok(pmu_model_samples_row(part[0], who, &section), "found in one of them");
		is_int(pmu_model_combine(part, 2, (enum pmu_combine)how, &model), 0, "combined");
		/* nothing is the inputs' any more */
		pmu_model_free(part[0]);
		pmu_model_free(part[1]);
		has_all(model, how == PMU_COMBINE_RANKS ? "main/solve" : "demo/main/solve");
		ok(!pmu_model_samples_row(model, who, &section),
		   "who wrote it is not known of several");
		pmu_model_free(model);
	}
}

static void those_of_ranks_are_gathered(void)
{
	struct pmu_gathering *gathering = pmu_gather_new(false);
	struct pmu_model *model = NULL;

	for (int rank = 0; rank < 2; rank++) {
		model = process(rank);
		is_int(pmu_gather_add(gathering, model), 0, "added");
		pmu_model_free(model);
		model = NULL;
	}
	is_int(pmu_gather_end(gathering, &model), 0, "gathered");
	has_all(model, "main/solve");
	pmu_model_free(model);
}

static uint64_t who_of(struct pmu_store_thread *thread, uint32_t id)
{
	return (uint64_t)build_chunk_of(thread)->owner << 32 | id;
}

/* A thread that counts a group twice has two records, and its region one row. */
static void rows_of_a_store_are_found(void)
{
	struct build *build = build_new();
	struct pmu_store_group *group = build_group(build, 0, "EVENTS", "cycles");
	uint32_t solve = build_name(build, "solve"), inner = build_name(build, "inner");
	struct pmu_store_thread *once = build_thread(build, 0, group, 0, PMU_THREAD_FINISHED, 4),
				*again = build_thread(build, 0, group, 0, PMU_THREAD_LIVE, 4),
				*merged = build_thread(build, 0, group, 0, PMU_THREAD_MERGED, 4);
	struct pmu_model_section *section;
	struct pmu_model *model = NULL;
	const struct pmu_model_row *row;

	build_row(once, group, solve, 0, 10, 1000);
	build_row(again, group, inner, 0, 10, 1000);
	build_row(again, group, solve, 0, 10, 1000);
	merged->n_merged = 3;
	build_row(merged, group, solve, 0, 10, 1000);
	is_int(build_read(build, &model), 0, "read");
	row = pmu_model_samples_row(model, who_of(once, 1), &section);
	ok(row && !strcmp(row->path, "solve"), "by its first record");
	ok(pmu_model_samples_row(model, who_of(again, 2), &section) == row, "by its second one");
	row = pmu_model_samples_row(model, who_of(again, 1), &section);
	ok(row && !strcmp(row->path, "inner"), "another region");
	ok(!pmu_model_samples_row(model, who_of(merged, 1), &section), "merged threads are nobody");
	pmu_model_free(model);
	free(build);
}

UNIT_PART(samples)
{
	samples_of_two_rows_are_added_by_function();
	calls_are_added_where_their_callers_are_the_same();
	addresses_are_added_where_code_is_the_same();
	a_function_of_another_library_is_another();
	a_row_is_found_by_who_wrote_it();
	what_is_done_for_a_region_is_shown_there();
	samples_that_come_twice_are_added();
	those_of_several_processes_are_added();
	those_of_ranks_are_gathered();
	rows_of_a_store_are_found();
	return done_testing();
}
