/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked reader: rows of threads that worked for another one's region. */
#include <math.h>

#include "unit/part.h"
#include "unit/store/simple.h"

/* main/solve of thread 0; thread 1 works for solve, and begins kernel there. */
struct team {
	struct build *build;
	struct pmu_store_group *group;
	struct pmu_store_thread *opener, *worker;
	uint32_t main, solve, kernel; /* names */
};

static uint32_t for_other(const struct team *team, struct pmu_store_thread *thread, uint32_t name,
			  uint32_t parent, uint64_t calls, uint64_t each)
{
	uint32_t id = build_row(thread, team->group, name, parent, calls, each);

	build_row_at(thread, team->group, id)->flags = PMU_STORE_ROW_TEAM;
	return id;
}

static struct team team_new(enum pmu_store_thread_state state)
{
	struct team team = { .build = build_new() };
	uint32_t row;

	team.group = build_group(team.build, 0, "CORE", "instructions cycles");
	team.main = build_name(team.build, "main");
	team.solve = build_name(team.build, "solve");
	team.kernel = build_name(team.build, "kernel");
	team.opener = build_thread(team.build, 0, team.group, 0, PMU_THREAD_LIVE, 8);
	row = build_row(team.opener, team.group, team.main, 0, 1, 9000);
	build_row(team.opener, team.group, team.solve, row, 4, 2000);
	team.worker = build_thread(team.build, 0, team.group, 1, state, 16);
	row = for_other(&team, team.worker, team.main, 0, 0, 0);
	row = for_other(&team, team.worker, team.solve, row, 4, 1500);
	build_row(team.worker, team.group, team.kernel, row, 8, 700);
	return team;
}

static const struct pmu_model_row *row_of(const struct pmu_model *model, int thread,
					  const char *path, uint32_t flags)
{
	const struct pmu_model_section *s = model->section;

	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		if (s->thread_row[i].thread == thread && !strcmp(s->thread_row[i].path, path) &&
		    s->thread_row[i].flags == flags)
			return &s->thread_row[i];
	return NULL;
}

static bool has_doubt(const struct pmu_model *model, const char *text, const char *region)
{
	for (unsigned int i = 0; i < model->n_doubts; i++)
		if (!strcmp(model->doubt[i].text, text) &&
		    !strcmp(model->doubt[i].region, region) && model->doubt[i].thread == 1)
			return true;
	return false;
}

static void work_for_others_is_a_team(void)
{
	struct team team = team_new(PMU_THREAD_LIVE);
	struct pmu_model *model = must_read(team.build);
	const struct pmu_model_row *row = model_row(model, "main/solve"),
				   *work = row_of(model, 1, "main/solve", PMU_ROW_TEAM);

	if (!ok(row && row->team && work, "the region has one"))
		return;
	is_u64(row->raw[0], 8000, "its own counts");
	is_u64(row->team->all.raw[0], 8000 + 6000, "and the team's");
	is_u64(row->team->all.time_ns, 14000, "with its time");
	is_int(row->team->n_threads, 2, "two threads");
	ok(fabs(row->team->efficiency - 14000 / 16000.0) < 1e-9, "of twice the time");
	is_u64(model_row(model, "main")->team->all.raw[1], 18000 + 12000, "also what is around it");
	is_u64(model_row(model, "main/solve/kernel")->raw[0], 5600,
	       "what was begun there is a region");
	is_u64(work->self_ns, 400, "which is in the work for others");
	ok(row_of(model, 1, "main", PMU_ROW_TEAM), "what is on the way has a row, too");
	is_u64(model->n_doubts, 0, "nothing to doubt");
	pmu_model_free(model);
	free(team.build);
}

static void set_outer(const struct team *team, struct pmu_store_thread *thread, uint32_t id)
{
	struct pmu_store_row *row = build_row_at(thread, team->group, id);

	for (int i = 0; i < 3; i++)
		row->outer[i] = 10;
}

/* A call of a region costs what is around it, a stay for another's region nothing. */
static void what_the_library_did_is_taken_off_where_it_is(void)
{
	struct team team = team_new(PMU_THREAD_LIVE);
	struct pmu_model *model;

	set_outer(&team, team.worker, 2);
	set_outer(&team, team.worker, 3);
	for_other(&team, team.worker, team.kernel, 2, 3, 100);
	set_outer(&team, team.worker, 4);
	model = must_read(team.build);
	is_u64(row_of(model, 1, "main", PMU_ROW_TEAM)->cost_ns, 0, "no time of a team's row in it");
	is_u64(row_of(model, 1, "main/solve", PMU_ROW_TEAM)->net[0], 6000 - 8 * 10,
	       "of the regions that the thread began in it");
	is_u64(row_of(model, 1, "main/solve", PMU_ROW_TEAM)->self_ns, 400, "which are not self");
	is_u64(model->n_doubts, 0, "nothing to doubt");
	pmu_model_free(model);
	free(team.build);
}

static void work_for_others_is_apart_from_own_calls(void)
{
	struct team team = team_new(PMU_THREAD_LIVE);
	struct pmu_store_thread *again;
	struct pmu_model *model;
	uint32_t row;

	row = build_row(team.worker, team.group, team.main, 0, 1, 5000);
	build_row(team.worker, team.group, team.solve, row, 1, 3000);
	/* the same group, counted once more */
	again = build_thread(team.build, 0, team.group, 1, PMU_THREAD_LIVE, 16);
	row = for_other(&team, again, team.main, 0, 0, 0);
	for_other(&team, again, team.solve, row, 1, 200);
	row = build_row(again, team.group, team.main, 0, 1, 70);
	build_row(again, team.group, team.solve, row, 1, 30);
	model = must_read(team.build);
	is_u64(row_of(model, 1, "main/solve", 0)->time_ns, 3030, "own calls with own calls");
	is_u64(row_of(model, 1, "main/solve", PMU_ROW_TEAM)->time_ns, 6200, "work with work");
	is_u64(model_row(model, "main/solve")->time_ns, 8000 + 3030,
	       "the region's is of its openers");
	is_u64(model_row(model, "main/solve")->team->all.time_ns, 8000 + 3030 + 6200,
	       "the team's of all");
	pmu_model_free(model);
	free(team.build);
}

/* A task that was started while its thread did another one of the same region. */
static void work_within_work_is_one(void)
{
	struct team team = team_new(PMU_THREAD_LIVE);
	struct pmu_model *model;
	uint32_t row = for_other(&team, team.worker, team.solve, 1, 2, 100);

	build_row(team.worker, team.group, team.kernel, row, 1, 150);
	model = must_read(team.build);
	is_u64(row_of(model, 1, "main/solve", PMU_ROW_TEAM)->time_ns, 6200, "both together");
	is_u64(row_of(model, 1, "main/solve", PMU_ROW_TEAM)->self_ns, 450,
	       "without what is in them");
	is_u64(row_of(model, 1, "main/solve/kernel", 0)->time_ns, 5750, "which is one row, too");
	is_u64(model_row(model, "main/solve")->team->all.time_ns, 8000 + 6200, "and the team's");
	pmu_model_free(model);
	free(team.build);
}

static void doubts_are_of_the_work(void)
{
	struct team team = team_new(PMU_THREAD_FINISHED);
	struct pmu_store_row *row = build_row_at(team.worker, team.group, 2);
	struct pmu_model *model;

	row->flags |= PMU_STORE_ROW_OUTLIVED;
	row->unended = 3;
	row->open = 1;
	row->missing = 2;
	*pmu_store_doubt(team.worker, PMU_DOUBT_STALE_CONTEXT) = 2;
	model = must_read(team.build);
	ok(has_doubt(model, "work for it went on when it had ended", "main/solve"), "too long");
	ok(has_doubt(model, "work for it was begun and never ended", "main/solve"), "never left");
	ok(has_doubt(model, "work for it was still open when its thread ended", "main/solve"),
	   "still there");
	ok(has_doubt(model, "cycles could not be read at every call", "main/solve"), "not counted");
	ok(has_doubt(model,
		     "a task came from a region that had ended: its work is in no region's team",
		     ""),
	   "in nobody's");
	is_u64(model_row(model, "main/solve")->team->all.missing, 2, "which its team lacks");
	is_u64(model_row(model, "main/solve")->missing, 0, "and its own calls do not");
	pmu_model_free(model);
	free(team.build);
}

static void lives_are_those_of_the_records(void)
{
	struct team team = team_new(PMU_THREAD_FINISHED);
	struct pmu_store_thread *next;
	struct pmu_model *model;
	uint32_t row;

	team.opener->start_ticks = 1000;
	team.worker->start_ticks = 2000;
	team.worker->stop_ticks = 9000;
	next = build_thread(team.build, 0, team.group, 2, PMU_THREAD_FINISHED, 8);
	next->start_ticks = 9500;
	next->stop_ticks = 12000;
	row = for_other(&team, next, team.main, 0, 0, 0);
	for_other(&team, next, team.solve, row, 2, 400);
	model = must_read(team.build);
	is_int(model->thread[1].start_ns, 1000, "from the session's start");
	is_int(model->thread[1].stop_ns, 8000, "to the thread's end");
	is_int(model_row(model, "main/solve")->team->n_threads, 2,
	       "the third came after the second");
	pmu_model_free(model);
	next->start_ticks = 8999;
	model = must_read(team.build);
	is_int(model_row(model, "main/solve")->team->n_threads, 3, "or did not");
	pmu_model_free(model);
	team.worker->state = PMU_THREAD_MERGED;
	team.worker->n_merged = 5;
	team.worker->merged = 1;
	model = must_read(team.build);
	is_int(model_row(model, "main/solve")->team->n_threads, 0, "of merged ones nobody knows");
	is_u64(model_row(model, "main/solve")->team->all.time_ns, 8000 + 6000 + 800,
	       "but what they did");
	pmu_model_free(model);
	free(team.build);
}

static void work_in_an_own_region_is_damage(void)
{
	struct team team = team_new(PMU_THREAD_LIVE);
	struct pmu_model *model;
	const struct pmu_model_row *row;
	uint32_t own = build_row(team.worker, team.group, team.main, 0, 1, 5000);

	for_other(&team, team.worker, team.kernel, own, 1, 4000);
	model = must_read(team.build);
	row = row_of(model, 1, "kernel", PMU_ROW_TEAM);
	ok(row && row->parent < 0, "it stands at the top");
	is_u64(row_of(model, 1, "main", 0)->self_ns, 5000, "and is in nothing");
	ok(model_note(model, "whose outer region is unknown"), "with a note");
	pmu_model_free(model);
	free(team.build);
}

UNIT_PART(team)
{
	work_for_others_is_a_team();
	what_the_library_did_is_taken_off_where_it_is();
	work_for_others_is_apart_from_own_calls();
	work_within_work_is_one();
	doubts_are_of_the_work();
	lives_are_those_of_the_records();
	work_in_an_own_region_is_damage();
	return done_testing();
}
