/* SPDX-License-Identifier: BSD-3-Clause */
/* Lengths of calls in a store: read, added up, and damaged. */
#include "unit/part.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/model/histogram.h"
#include "store/bank.h"
#include "store/merge.h"
#include "store/table.h"
#include "unit/store_build.h"

/* A chunk of the thread with @n histograms, of rows 1, 2, ... */
static struct pmu_store_histogram *build_histograms(struct build *build,
						    struct pmu_store_thread *thread, uint32_t n)
{
	struct pmu_store_chunk *chunk = build_chunk(
		build, PMU_CHUNK_HISTOGRAMS, n * (uint32_t)sizeof(struct pmu_store_histogram));
	struct pmu_store_histogram *histogram = (void *)(chunk + 1);

	chunk->owner = build_chunk_of(thread)->owner;
	chunk->group = build_chunk_of(thread)->group;
	chunk->used = n;
	for (uint32_t i = 0; i < n; i++)
		histogram[i].side.row = i + 1;
	return histogram;
}

static void add(struct pmu_store_histogram *histogram, uint64_t ticks, uint64_t calls)
{
	histogram->bucket[pmu_bucket_of(ticks, PMU_HISTOGRAM_BITS)] += calls;
}

/* One thread, live: "solve" with "inner" in it, and room for their calls' lengths. */
struct scene {
	struct build *build;
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct pmu_store_histogram *histogram;
	struct pmu_model *model;
};

static struct scene make_scene(void)
{
	struct scene s = { .build = build_new() };

	s.group = build_group(s.build, 0, "TIME", "");
	s.thread = build_thread(s.build, 0, s.group, 0, PMU_THREAD_LIVE, 4);
	build_row(s.thread, s.group, build_name(s.build, "solve"), 0, 10, 1000);
	build_row(s.thread, s.group, build_name(s.build, "inner"), 1, 20, 100);
	s.histogram = build_histograms(s.build, s.thread, 2);
	add(&s.histogram[0], 1000, 10);
	add(&s.histogram[1], 100, 20);
	return s;
}

static void look(struct scene *s)
{
	pmu_model_free(s->model);
	s->model = NULL;
	is_int(build_read(s->build, &s->model), 0, "read");
}

static void drop(struct scene *s)
{
	pmu_model_free(s->model);
	free(s->build);
}

static uint64_t calls_of(const struct scene *s, const char *path)
{
	return pmu_histogram_calls(model_row(s->model, path)->histogram);
}

static bool is_damaged(const struct pmu_model *model)
{
	return model_note(model, "lengths of calls");
}

static uint64_t bucket_of_ticks(uint64_t ticks)
{
	return pmu_length_bucket(
		pmu_bucket_middle(pmu_bucket_of(ticks, PMU_HISTOGRAM_BITS), PMU_HISTOGRAM_BITS));
}

static void lengths_become_times(void)
{
	struct scene s = make_scene();
	const struct pmu_model_histogram *histogram;

	add(&s.histogram[0], 5000, 1);
	look(&s);
	histogram = model_row(s.model, "solve")->histogram;
	is_u64(pmu_histogram_calls(histogram), 11, "each call");
	is_int(histogram->n, 2, "of two lengths");
	is_u64(histogram->bucket[0].bucket, bucket_of_ticks(1000), "the shorter one");
	is_u64(histogram->bucket[1].bucket, bucket_of_ticks(5000), "the longer one");
	is_u64(calls_of(&s, "solve/inner"), 20, "those of another row apart");
	is_u64(s.model->n_notes, 0, "nothing is wrong with that");
	drop(&s);
}

static void the_longest_call_is_in_the_last_bucket(void)
{
	struct scene s = make_scene();
	const struct pmu_model_histogram *histogram;

	s.histogram[0].bucket[PMU_HISTOGRAM_BUCKETS - 1] = 3;
	look(&s);
	histogram = model_row(s.model, "solve")->histogram;
	is_u64(histogram->bucket[1].calls, 3, "the last one");
	is_u64(histogram->bucket[1].bucket,
	       pmu_length_bucket(pmu_bucket_middle(PMU_HISTOGRAM_BUCKETS - 1, PMU_HISTOGRAM_BITS)),
	       "as long as it is");
	drop(&s);
}

static void a_row_without_one_has_none(void)
{
	struct scene s = make_scene();

	build_chunk_of((void *)s.histogram)->used = 1;
	look(&s);
	is_u64(calls_of(&s, "solve"), 10, "the first has one");
	ok(!model_row(s.model, "solve/inner")->histogram, "the other has none");
	ok(!is_damaged(s.model), "that is no damage");
	drop(&s);
}

static void what_is_being_emptied_says_nothing(void)
{
	struct scene s = make_scene();

	build_kill(s.build);
	s.histogram[0].side.seq = 1;
	look(&s);
	ok(!model_row(s.model, "solve")->histogram, "killed in the middle of it");
	is_u64(calls_of(&s, "solve/inner"), 20, "the others stay");
	s.histogram[0].side.seq = 2;
	look(&s);
	is_u64(calls_of(&s, "solve"), 10, "killed behind it");
	drop(&s);
}

/* Rows of both, and lengths of both. */
static void a_group_counted_twice_is_added_up(void)
{
	struct scene s = make_scene();
	struct pmu_store_thread *again;
	struct pmu_store_histogram *histogram;

	s.thread->state = PMU_THREAD_FINISHED;
	again = build_thread(s.build, 0, s.group, 0, PMU_THREAD_LIVE, 4);
	build_row(again, s.group, 1, 0, 5, 1000);
	histogram = build_histograms(s.build, again, 1);
	add(histogram, 1000, 2);
	add(histogram, 30, 3);
	look(&s);
	is_u64(calls_of(&s, "solve"), 15, "calls of both");
	is_int(model_row(s.model, "solve")->histogram->n, 2, "of two lengths");
	build_chunk_of((void *)histogram)->used = 0;
	look(&s);
	ok(!model_row(s.model, "solve")->histogram, "a part of them is not all of them");
	drop(&s);
}

static void a_set_has_two_banks(void)
{
	struct scene s = make_scene();
	struct pmu_store_histogram *bank;
	struct pmu_store_thread *set;
	uint32_t serial = build_chunk_of(s.thread)->owner;

	s.thread->state = PMU_THREAD_FINISHED;
	set = build_thread(s.build, 0, s.group, 7, PMU_THREAD_MERGED, 4);
	set->n_merged = 2;
	build_row(set, s.group, 1, 0, 100, 1);
	build_bank(build_row_at(set, s.group, 1), s.group, 0)->calls = 110;
	bank = build_histograms(s.build, set, 2);
	bank[1].side.row = 1;
	bank[1].side.bank = 1;
	add(&bank[1], 1000, 100);
	add(&bank[0], 1000, 110);
	set->merged = (uint64_t)99 << 32 | 1;
	look(&s);
	is_u64(calls_of(&s, "solve"), 110, "before: the thread's own and the old bank");
	set->merged = (uint64_t)serial << 32 | 2;
	look(&s);
	is_u64(calls_of(&s, "solve"), 110, "after: the new bank alone");
	ok(!is_damaged(s.model), "none of this is damage");
	s.thread->state = PMU_THREAD_FREE;
	look(&s);
	is_u64(calls_of(&s, "solve"), 110, "freed: the same");
	build_chunk_of(s.thread)->kind = PMU_CHUNK_FREE;
	build_chunk_of((void *)s.histogram)->kind = PMU_CHUNK_FREE;
	look(&s);
	is_u64(calls_of(&s, "solve"), 110, "and its place given back");
	ok(!is_damaged(s.model), "without damage");
	bank[0].side.bank = 2;
	look(&s);
	ok(is_damaged(s.model), "there is no third bank");
	drop(&s);
}

/* What was damaged is left out and told, the rest is as it was. */
static void is_left_out(struct scene *s, uint64_t solve, const char *name)
{
	look(s);
	ok(is_damaged(s->model), "%s: told", name);
	is_u64(calls_of(s, "solve"), solve, name);
	is_u64(model_row(s->model, "solve")->calls, 10, "the row's totals are as they were");
	drop(s);
}

static void damage_is_told(void)
{
	struct scene s = make_scene();

	build_kill(s.build);
	s.histogram[0].side.row = 9;
	is_left_out(&s, 0, "a row that there is not");
	s = make_scene();
	build_kill(s.build);
	s.histogram[0].side.row = 0;
	is_left_out(&s, 0, "no row");
	s = make_scene();
	s.histogram[1].side.row = 1;
	is_left_out(&s, 10, "the same row twice");
	s = make_scene();
	s.histogram[0].side.bank = 1;
	is_left_out(&s, 0, "a second bank of a thread");
	s = make_scene();
	build_chunk_of((void *)s.histogram)->owner = 77;
	is_left_out(&s, 0, "of a thread that there is not");
	s = make_scene();
	build_chunk_of((void *)s.histogram)->group = 1;
	is_left_out(&s, 0, "of another group");
	s = make_scene();
	build_chunk_of((void *)s.histogram)->used = UINT32_MAX;
	is_left_out(&s, 10, "more than fit their chunk");
	s = make_scene();
	s.histogram[0].bucket[3] = UINT64_MAX;
	look(&s);
	is_u64(calls_of(&s, "solve"), UINT64_MAX, "too many calls stay at the edge");
	drop(&s);
}

/* A thread ended between two looks at the list: its place is another's by now. */
static void the_new_of_a_living_program_are_none_yet(void)
{
	struct scene s = make_scene();

	s.histogram[0].side.row = 9;
	look(&s);
	ok(!is_damaged(s.model), "a row that came behind our look");
	drop(&s);
}

/* --- the writer --- */

static const struct pmu_store_group time_group = {
	.name = "TIME", .row_size = 128, .bank_offset = 32, .bank_size = 40
};

/* A finished thread with @n rows of 3 calls each, of lengths @ticks + row. */
static struct pmu_table_rows finished(struct pmu_table *table, uint32_t n, uint64_t ticks)
{
	struct pmu_table_rows rows = { 0 };
	struct pmu_store_row *row;
	uint32_t id;

	if (pmu_table_thread(table, 0, time_group.n_slots, 0, &rows) < 0)
		return rows;
	for (uint32_t i = 0; i < n; i++) {
		char name[16];

		snprintf(name, sizeof(name), "r%u", i);
		row = pmu_table_row(table, &rows, pmu_table_name(table, name, strlen(name)), 0, 0,
				    &id);
		pmu_row_bank(row, rows.n_slots, 0)->calls = 3;
		add((void *)pmu_table_side(table, &rows, PMU_SIDE_HISTOGRAM, id, 1), ticks + i, 3);
	}
	rows.record->start_ticks = 1;
	rows.record->stop_ticks = 2;
	rows.record->state = PMU_THREAD_FINISHED;
	return rows;
}

static void check_total(const struct pmu_table *table, const char *path, uint64_t calls,
			const char *name)
{
	struct pmu_store_view view = pmu_table_view(table);
	struct pmu_model *model = NULL;

	is_int(pmu_store_snapshot(&view, NULL, &model), 0, "read");
	is_u64(pmu_histogram_calls(model_row(model, path)->histogram), calls, name);
	ok(!is_damaged(model), "undamaged");
	pmu_model_free(model);
}

static void threads_are_merged(void)
{
	struct pmu_merge merge = { 0 };
	struct pmu_store_group *group;
	struct pmu_table_rows rows;
	struct pmu_table table;
	uint64_t used;
	int rc = 0;

	is_int(pmu_table_open(&table, PMU_CLOCK_MONOTONIC), 0, "a table");
	pmu_table_group(&table, 0, "TIME", 0, &group);
	ok(group->row_size == time_group.row_size && group->bank_offset == time_group.bank_offset &&
		   group->bank_size == time_group.bank_size,
	   "rows are laid out as they are here");
	rows = finished(&table, 40, 1000);
	check_total(&table, "r39", 3, "of a thread by itself");
	rc |= pmu_merge_thread(&table, &merge, 9, &rows);
	check_total(&table, "r39", 3, "the same in the set");
	rows = finished(&table, 20, 1000);
	check_total(&table, "r7", 6, "of the set and another thread");
	rc |= pmu_merge_thread(&table, &merge, 9, &rows);
	check_total(&table, "r7", 6, "the same in the set");
	check_total(&table, "r39", 3, "and of a row that it does not have");
	used = table.next;
	for (int i = 0; i < 100; i++) {
		rows = finished(&table, 20, 50 + 10 * (uint64_t)i);
		rc |= pmu_merge_thread(&table, &merge, 9, &rows);
	}
	is_int(rc, 0, "all merged");
	check_total(&table, "r7", 306, "of very many threads");
	ok(table.next - used < 300000, "which leave no room behind them: %llu bytes",
	   (unsigned long long)(table.next - used));
	pmu_merge_forget(&merge);
	pmu_table_remove(&table);
}

UNIT_PART(histogram)
{
	char dir[] = "/tmp/pmu-test-XXXXXX", folder[64];

	if (!mkdtemp(dir))
		return 1;
	setenv("XDG_RUNTIME_DIR", dir, 1);
	lengths_become_times();
	the_longest_call_is_in_the_last_bucket();
	a_row_without_one_has_none();
	what_is_being_emptied_says_nothing();
	a_group_counted_twice_is_added_up();
	a_set_has_two_banks();
	damage_is_told();
	the_new_of_a_living_program_are_none_yet();
	threads_are_merged();
	rmdir(strcat(strcpy(folder, dir), "/pmu"));
	rmdir(dir);
	return done_testing();
}
