/* SPDX-License-Identifier: BSD-3-Clause */
/* The least that calls counted: from a store, damaged, added up, and in reports. */
#include "unit/part.h"

#include <unistd.h>

#include "report/model/least.h"
#include "report/report.h"
#include "reports/combine/combine.h"
#include "store/bank.h"
#include "store/merge.h"
#include "store/table.h"
#include "unit/store_build.h"

/* A chunk of the thread with @n records, of rows 1, 2, ... */
static struct pmu_store_least *build_leasts(struct build *build, struct pmu_store_thread *thread,
					    uint32_t n)
{
	struct pmu_store_chunk *chunk = build_chunk(build, PMU_CHUNK_LEASTS,
						    n * (uint32_t)sizeof(struct pmu_store_least));
	struct pmu_store_least *least = (void *)(chunk + 1);

	chunk->owner = build_chunk_of(thread)->owner;
	chunk->group = build_chunk_of(thread)->group;
	chunk->used = n;
	for (uint32_t i = 0; i < n; i++)
		least[i].side.row = i + 1;
	return least;
}

/*
 * One thread, live: ten calls of "solve" with twenty of "inner" in it; the least of solve's is 900
 * instructions and 1 interrupt.
 */
struct scene {
	struct build *build;
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct pmu_store_least *least;
	struct pmu_model *model;
};

static struct scene make_scene(void)
{
	struct scene s = { .build = build_new() };

	s.group = build_group(s.build, 0, "EVENTS", "instructions interrupts");
	s.thread = build_thread(s.build, 0, s.group, 0, PMU_THREAD_LIVE, 4);
	build_row(s.thread, s.group, build_name(s.build, "solve"), 0, 10, 1000);
	build_row(s.thread, s.group, build_name(s.build, "inner"), 1, 20, 100);
	s.least = build_leasts(s.build, s.thread, 2);
	s.least[0].count[0] = 1 + 900;
	s.least[0].count[1] = 1 + 1;
	s.least[1].count[0] = 1 + 0;
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

/* -1: not known */
static long long least_of(const struct pmu_model *model, const char *path, unsigned int count)
{
	const struct pmu_model_least *least = model_row(model, path)->least;

	return least && least->known >> count & 1 ? (long long)least->count[count] : -1;
}

static bool is_damaged(const struct pmu_model *model)
{
	return model_note(model, "least counts");
}

static void each_count_for_itself(void)
{
	struct scene s = make_scene();

	look(&s);
	is_int(least_of(s.model, "solve", 0), 900, "instructions");
	is_int(least_of(s.model, "solve", 1), 1, "interrupts");
	is_int(least_of(s.model, "solve/inner", 0), 0, "none at all is known");
	is_int(least_of(s.model, "solve/inner", 1), -1, "and is something else than not known");
	ok(!is_damaged(s.model), "none of this is damage");
	s.thread->missing = 1;
	look(&s);
	is_int(least_of(s.model, "solve", 0), -1, "what could not be read has none");
	is_int(least_of(s.model, "solve", 1), 1, "the other has");
	s.least[0].side.seq = 1;
	look(&s);
	is_int(least_of(s.model, "solve", 1), -1, "one that is being emptied has nothing to say");
	drop(&s);
}

static void one_without_calls_has_none(void)
{
	struct scene s = make_scene();

	build_bank(build_row_at(s.thread, s.group, 1), s.group, 1)->calls = 0;
	look(&s);
	ok(!model_row(s.model, "solve")->least, "what was left of it by a reset");
	ok(!is_damaged(s.model), "is no damage");
	drop(&s);
}

static void a_group_counted_twice_has_the_lesser(void)
{
	struct scene s = make_scene();
	struct pmu_store_thread *again = build_thread(s.build, 0, s.group, 0, PMU_THREAD_FINISHED,
						      4);
	struct pmu_store_least *least;

	build_row(again, s.group, 1, 0, 10, 1000);
	least = build_leasts(s.build, again, 1);
	least->count[0] = 1 + 800;
	least->count[1] = 1 + 5;
	look(&s);
	is_int(least_of(s.model, "solve", 0), 800, "of the second time");
	is_int(least_of(s.model, "solve", 1), 1, "of the first");
	is_int(least_of(s.model, "solve/inner", 0), 0, "of a region that was not there again");
	drop(&s);
}

static void threads_have_the_lesser(void)
{
	struct scene s = make_scene();
	struct pmu_store_thread *other = build_thread(s.build, 0, s.group, 1, PMU_THREAD_LIVE, 4);

	build_row(other, s.group, 1, 0, 10, 1000);
	build_leasts(s.build, other, 1)->count[0] = 1 + 850;
	look(&s);
	is_int(least_of(s.model, "solve", 0), 850, "of the other thread");
	is_int(least_of(s.model, "solve", 1), 1, "of the one that knows");
	is_int((long long)s.model->section->thread_row[0].least->count[0], 900, "each has its own");
	drop(&s);
}

/* What was damaged is left out and told, the rest is as it was. */
static void is_left_out(struct scene *s, long long solve, const char *name)
{
	look(s);
	ok(is_damaged(s->model), "%s: told", name);
	is_int(least_of(s->model, "solve", 0), solve, name);
	is_u64(model_row(s->model, "solve")->raw[0], 10000, "the row's totals are as they were");
	drop(s);
}

static void damage_is_told(void)
{
	struct scene s = make_scene();

	build_kill(s.build);
	s.least[0].side.row = 9;
	is_left_out(&s, -1, "a row that there is not");
	s = make_scene();
	s.least[1].side.row = 1;
	is_left_out(&s, 900, "the same row twice");
	s = make_scene();
	s.least[0].side.bank = 1;
	is_left_out(&s, -1, "a second bank of a thread");
	s = make_scene();
	build_chunk_of((void *)s.least)->owner = 77;
	is_left_out(&s, -1, "of a thread that there is not");
	s = make_scene();
	build_chunk_of((void *)s.least)->group = 1;
	is_left_out(&s, -1, "of another group");
	s = make_scene();
	build_chunk_of((void *)s.least)->used = UINT32_MAX;
	is_left_out(&s, 900, "more than fit their chunk");
	s = make_scene();
	s.least[0].count[0] = 1 + 10001;
	is_left_out(&s, -1, "one call with more than all of them");
	s = make_scene();
	s.least[0].count[0] = UINT64_MAX;
	is_left_out(&s, -1, "as much as there is");
}

/* --- the writer --- */

/* A finished thread with 40 rows, which have a least of @least + row. */
static struct pmu_table_rows finished(struct pmu_table *table, const struct pmu_store_group *group,
				      uint64_t least)
{
	struct pmu_table_rows rows = { 0 };
	uint32_t id;

	if (pmu_table_thread(table, 0, group->n_slots, 0, &rows) < 0)
		return rows;
	for (uint32_t i = 0; i < 40; i++) {
		struct pmu_store_bank *bank;
		char name[16];

		snprintf(name, sizeof(name), "r%u", i);
		bank = pmu_row_bank(pmu_table_row(table, &rows,
						  pmu_table_name(table, name, strlen(name)), 0, 0,
						  &id),
				    rows.n_slots, 0);
		bank->calls = 3;
		bank->count[0] = 9000;
		pmu_side_value(pmu_table_side(table, &rows, PMU_SIDE_LEAST, id, 1))[0] = 1 + least +
											 i;
	}
	rows.record->start_ticks = 1;
	rows.record->stop_ticks = 2;
	rows.record->state = PMU_THREAD_FINISHED;
	return rows;
}

static void check(const struct pmu_table *table, const char *path, long long least,
		  const char *name)
{
	struct pmu_store_view view = pmu_table_view(table);
	struct pmu_model *model = NULL;

	is_int(pmu_store_snapshot(&view, NULL, &model), 0, "read");
	is_int(least_of(model, path, 0), least, name);
	ok(!is_damaged(model), "undamaged");
	pmu_model_free(model);
}

static void merged_threads_have_the_lesser(void)
{
	static const uint64_t least[] = { 500, 700, 300, 400 };
	struct pmu_merge merge = { 0 };
	struct pmu_store_group *group;
	struct pmu_table_rows rows;
	struct pmu_table table;
	uint64_t used;
	int rc = 0;

	is_int(pmu_table_open(&table, PMU_CLOCK_MONOTONIC), 0, "a table");
	pmu_table_group(&table, 0, "EVENTS", 1, &group);
	strcpy(group->slot[0].name, "instructions");
	for (int i = 0; i < 4; i++) {
		rows = finished(&table, group, least[i]);
		check(&table, "r39", i < 2 ? 539 : 339, "beside the set");
		rc |= pmu_merge_thread(&table, &merge, 9, &rows);
		check(&table, "r39", i < 2 ? 539 : 339, "in the set");
	}
	used = table.next;
	for (int i = 0; i < 100; i++) {
		rows = finished(&table, group, 200);
		rc |= pmu_merge_thread(&table, &merge, 9, &rows);
	}
	is_int(rc, 0, "all merged");
	check(&table, "r7", 207, "of very many threads");
	ok(table.next - used < 100000, "which leave no room behind them: %llu bytes",
	   (unsigned long long)(table.next - used));
	pmu_merge_forget(&merge);
	pmu_table_remove(&table);
}

/* --- reports --- */

static char *render(const struct pmu_model *model, enum pmu_report_format format)
{
	struct pmu_strbuf out = { 0 };

	pmu_report_render(&out, model, format, NULL);
	return out.text;
}

static void writers_have_it(void)
{
	struct scene s = make_scene();
	char *text, *json, *csv;

	look(&s);
	text = render(s.model, PMU_REPORT_TEXT);
	json = render(s.model, PMU_REPORT_JSON);
	csv = render(s.model, PMU_REPORT_CSV);
	has(text, "  counts per call   instructions  instructions\n", "a block of its own");
	has(text, "  solve                    1,000           900\n", "the mean and the least");
	has(text, "    inner                    100             0\n", "of what is nested, too");
	has(json, "\"least\": {\"instructions\": 900, \"interrupts\": 1}", "JSON");
	has(json, "\"least\": {\"instructions\": 0, \"interrupts\": null}", "null is not known");
	has(csv, ",least:instructions,least:interrupts\n", "CSV's columns");
	has(csv, ",900,1\n", "and its cells");
	free(text);
	free(json);
	free(csv);
	drop(&s);
	s = make_scene();
	build_chunk_of((void *)s.least)->kind = PMU_CHUNK_FREE;
	build_chunk_of((void *)s.least)->owner = 0;
	look(&s);
	text = render(s.model, PMU_REPORT_TEXT);
	csv = render(s.model, PMU_REPORT_CSV);
	ok(!strstr(text, "counts per call"), "without it no block");
	ok(!strstr(csv, "least"), "and no columns");
	free(text);
	free(csv);
	drop(&s);
}

static void interrupts_mark_their_rows(void)
{
	struct pmu_model_metric less = { .name = "instructions less interrupts", .unit = "" };
	struct scene s = make_scene();
	double value = 1;
	char *text, *json;

	build_bank(build_row_at(s.thread, s.group, 2), s.group, 1)->count[1] = 0;
	s.thread->minor_faults = 7;
	s.thread->major_faults = 1;
	look(&s);
	ok(model_row(s.model, "solve")->flags & PMU_ROW_INTERRUPTED, "one that met some");
	ok(!(model_row(s.model, "solve/inner")->flags & PMU_ROW_INTERRUPTED), "one that met none");
	text = render(s.model, PMU_REPORT_TEXT);
	json = render(s.model, PMU_REPORT_JSON);
	has(text, "at most 20,000, and by the 8 page faults of all threads",
	    "how much it can be at most");
	has(text, "this is a bound", "where it may not be taken off");
	has(json, "\"interrupted\"", "JSON");
	free(text);
	free(json);
	s.model->section->metric = &less;
	s.model->section->n_metrics = 1;
	for (unsigned int i = 0; i < s.model->section->n_rows; i++)
		s.model->section->row[i].metric = &value;
	text = render(s.model, PMU_REPORT_TEXT);
	has(text, "taken off in \"instructions less", "where a metric does so");
	free(text);
	s.thread->major_faults = -1;
	look(&s);
	text = render(s.model, PMU_REPORT_TEXT);
	has(text, "page faults, which are not known", "where faults are not known");
	free(text);
	strcpy(s.group->slot[0].name, "cycles");
	look(&s);
	ok(!(model_row(s.model, "solve")->flags & PMU_ROW_INTERRUPTED),
	   "there is nothing that they add to");
	drop(&s);
}

static void ranks_have_the_lesser(void)
{
	struct scene a = make_scene(), b = make_scene();
	struct pmu_model *models[2];
	struct pmu_model *both = NULL;

	/* the other one's columns have other places */
	strcpy(b.group->slot[0].name, "cycles");
	strcpy(b.group->slot[1].name, "instructions");
	b.least[0].count[1] = 1 + 444;
	look(&a);
	look(&b);
	a.model->rank = 0;
	b.model->rank = 1;
	models[0] = a.model;
	models[1] = b.model;
	is_int(pmu_model_combine(models, 2, PMU_COMBINE_RANKS, &both), 0, "combined");
	if (both) {
		const struct pmu_model_section *s = both->section;

		for (unsigned int c = 0; c < s->n_counts; c++)
			if (!strcmp(s->count[c].name, "instructions"))
				is_int(least_of(both, "solve", c), 444, "of the one with less");
	}
	pmu_model_free(both);
	drop(&a);
	drop(&b);
}

UNIT_PART(least)
{
	char dir[] = "/tmp/pmu-test-XXXXXX", folder[64];

	if (!mkdtemp(dir))
		return 1;
	setenv("XDG_RUNTIME_DIR", dir, 1);
	each_count_for_itself();
	one_without_calls_has_none();
	a_group_counted_twice_has_the_lesser();
	threads_have_the_lesser();
	damage_is_told();
	merged_threads_have_the_lesser();
	writers_have_it();
	interrupts_mark_their_rows();
	ranks_have_the_lesser();
	rmdir(strcat(strcpy(folder, dir), "/pmu"));
	rmdir(dir);
	return done_testing();
}
