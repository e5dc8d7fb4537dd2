/* SPDX-License-Identifier: BSD-3-Clause */
/* What a region's team did: its openers' calls and the rows of threads that worked for it. */
#include "unit/part.h"

#include "report/model/metric.h"
#include "report/several.h"
#include "unit/model_find.h"
#include "unit/model_sample.h"

static const uint64_t ms = 1000000;

/* A CORE of @n threads that lived for all of a second. */
static struct pmu_model *of_threads(unsigned int n, unsigned int n_rows)
{
	struct pmu_model *model = sample_head();

	sample_threads(model, n, 1000 * ms);
	for (unsigned int i = 0; i < n; i++)
		model->thread[i].stop_ns = (int64_t)(1000 * ms);
	sample_sections(model, 1, n_rows);
	sample_core(model, model->section);
	return model;
}

static struct pmu_model_row *for_other(struct pmu_model *model, int thread, int parent,
				       const char *name, uint64_t calls, uint64_t time_ns)
{
	struct pmu_model_row *row = sample_row(model, model->section, thread, parent, name, calls,
					       time_ns);

	row->flags = PMU_ROW_TEAM;
	return row;
}

static const struct pmu_model_team *team_of(const struct pmu_model *model, const char *path)
{
	const struct pmu_model_row *row = model_row(model, path);

	return row ? row->team : NULL;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

/* main/solve of one thread; two others work for solve, the second one also for solve/deep. */
static struct pmu_model *solve(void)
{
	struct pmu_model *model = of_threads(3, 16);
	struct pmu_model_section *s = model->section;

	sample_row(model, s, 0, -1, "main", 1, 500 * ms); /* 0 */
	sample_row(model, s, 0, 0, "solve", 2, 400 * ms); /* 1 */
	sample_row(model, s, 0, 1, "deep", 2, 100 * ms);  /* 2 */
	for_other(model, 1, -1, "main", 0, 0);            /* 3 */
	for_other(model, 1, 3, "solve", 2, 300 * ms);     /* 4 */
	sample_row(model, s, 1, 4, "kernel", 8, 250 * ms);
	for_other(model, 2, -1, "main", 0, 0);        /* 6 */
	for_other(model, 2, 6, "solve", 2, 150 * ms); /* 7 */
	for_other(model, 2, 7, "deep", 1, 50 * ms);
	sample_row(model, s, 2, 7, "kernel", 4, 120 * ms);
	sample_row(model, s, 2, 7, "deep", 1, 20 * ms);
	return model;
}

static void a_region_keeps_what_is_its_own(void)
{
	struct pmu_model *model = solve();
	const struct pmu_model_row *row;

	is_int(pmu_model_finish(model), 0, "finished");
	is_int(model->section->n_rows, 4,
	       "a sum for each path: a team's rows have none of their own");
	row = model_row(model, "main/solve");
	is_u64(row->time_ns, 400 * ms, "time");
	is_u64(row->calls, 2, "calls");
	is_u64(row->net[CYCLES], 400 * ms, "counts");
	is_u64(row->n_threads, 1, "threads");
	is_u64(row->self_ns, 300 * ms, "self, without what is nested on its thread");
	ok(near(row->share, 0.4 / 3), "share");
	is_u64(row->flags & PMU_ROW_TEAM, 0, "and it is no team's");
	row = model_row(model, "main/solve/kernel");
	is_u64(row->time_ns, 370 * ms, "a region that others began there is theirs");
	is_u64(row->n_threads, 2, "both of them");
	is_u64(model_row(model, "main/solve/deep")->time_ns, 120 * ms,
	       "also where it stands beside work for another's of that name");
	is_u64(model->n_doubts, 0, "nothing came out below zero");
	pmu_model_free(model);
}

static void each_piece_of_work_is_in_a_team_once(void)
{
	struct pmu_model *model = solve();
	const struct pmu_model_team *team;

	is_int(pmu_model_finish(model), 0, "finished");
	team = team_of(model, "main/solve");
	if (!ok(team != NULL, "it has a team"))
		return;
	ok(team->has_others && team->time_known, "of others, too");
	is_u64(team->all.time_ns, (400 + 300 + 150 + 50) * ms,
	       "its own and the others' time, at any depth");
	is_u64(team->all.net[CYCLES], team->all.time_ns, "net counts");
	is_u64(team->all.raw[CYCLES], team->all.time_ns + 40 * 7, "raw ones");
	is_u64(team->all.missing, 0, "none is missing");
	is_int(team->n_threads, 3, "three threads");
	ok(near(team->all.share, 0.9 / 3), "share of all threads' time");
	ok(near(team->efficiency, 0.9 / (3 * 0.4)), "of three times its time");
	ok(near(team->imbalance, 300 / 250.0 - 1), "300 ms is the most, 250 the mean");
	team = team_of(model, "main");
	is_u64(team->all.time_ns, (500 + 300 + 150 + 50) * ms, "the same for what is around it");
	ok(near(team->efficiency, 1.0 / (3 * 0.5)), "of its own time");
	team = team_of(model, "main/solve/deep");
	is_u64(team->all.time_ns, (100 + 20 + 50) * ms, "a team in a team");
	is_int(team->n_threads, 2, "of those that were there");
	pmu_model_free(model);
}

static void rows_of_a_team_are_in_no_other(void)
{
	struct pmu_model *model = solve();
	const struct pmu_model_row *row;
	unsigned int n = 0;

	is_int(pmu_model_finish(model), 0, "finished");
	row = model->section->thread_row;
	for (unsigned int i = 0; i < model->section->n_thread_rows; i++) {
		if (row[i].thread != 2 || !(row[i].flags & PMU_ROW_TEAM))
			continue;
		n++;
		is_int(row[i].holder, -1, "no row has it in its totals");
		is_int(row[i].team_depth, row[i].depth + 1, "all regions of its path are others'");
		if (!strcmp(row[i].name, "solve"))
			is_u64(row[i].self_ns, (150 - 120 - 20) * ms,
			       "self is without regions that the thread began, and no others");
	}
	is_int(n, 3, "main, solve and deep");
	pmu_model_free(model);
}

static void threads_of_a_region_are_compared(void)
{
	struct pmu_model *model = solve();
	const struct pmu_model_team *team;

	is_int(pmu_model_finish(model), 0, "finished");
	team = team_of(model, "main/solve/kernel");
	if (!ok(team != NULL, "one that several threads began"))
		return;
	ok(!team->has_others, "has no others'");
	is_u64(team->all.time_ns, 370 * ms, "its own time");
	is_u64(team->all.net[CYCLES], 370 * ms, "and counts");
	is_int(team->n_threads, 2, "threads");
	ok(near(team->imbalance, 250 / 185.0 - 1), "and how they differ");
	ok(isnan(team->efficiency), "of what there was, nothing is known");
	pmu_model_free(model);
	model = sample_model();
	for (unsigned int i = 0; i < model->section->n_rows; i++)
		ok(!model->section->row[i].team, "nobody worked for others: sum %u has no team", i);
	pmu_model_free(model);
}

static void several_threads_open_a_region(void)
{
	struct pmu_model *model = of_threads(4, 8);
	const struct pmu_model_team *team;

	sample_row(model, model->section, 0, -1, "solve", 1, 400 * ms);
	sample_row(model, model->section, 1, -1, "solve", 1, 200 * ms);
	for_other(model, 1, -1, "solve", 1, 50 * ms);
	for_other(model, 2, -1, "solve", 1, 300 * ms);
	for_other(model, 3, -1, "solve", 1, 100 * ms);
	is_int(pmu_model_finish(model), 0, "finished");
	team = team_of(model, "solve");
	is_u64(team->all.time_ns, 1050 * ms, "all of it");
	is_int(team->n_threads, 4, "one opened it and worked for the other's: it is one thread");
	ok(near(team->efficiency, 1050 / (4 * 300.0)), "of the mean of both");
	ok(near(team->imbalance, 300 / 150.0 - 1), "what it worked for the other is compared");
	pmu_model_free(model);
}

static void what_a_part_lacks_all_lack(void)
{
	struct pmu_model *model = solve();
	const struct pmu_model_team *team;

	model->section->thread_row[8].missing = 1u << LLC_MISSES;
	is_int(pmu_model_finish(model), 0, "finished");
	is_u64(team_of(model, "main")->all.missing, 1u << LLC_MISSES, "also far above");
	is_u64(team_of(model, "main/solve/deep")->all.missing, 1u << LLC_MISSES, "a worker's");
	is_u64(model_row(model, "main/solve/deep")->missing, 0, "its own is there");
	pmu_metric_fill(model);
	team = team_of(model, "main");
	ok(near(team->all.metric[0], 3 / 1.0), "metrics are of the team's counts");
	ok(isnan(team->all.metric[1]), "without those that are missing");
	pmu_model_free(model);
	model = solve();
	model->section->thread_row[1].missing = 1u << CYCLES;
	is_int(pmu_model_finish(model), 0, "finished");
	is_u64(team_of(model, "main/solve")->all.missing, 1u << CYCLES, "its opener's");
	is_u64(team_of(model, "main")->all.missing, 0,
	       "which is not what the one around it counted");
	pmu_model_free(model);
}

static void what_is_not_known_yet_is_not_told(void)
{
	struct pmu_model *model = of_threads(3, 8);
	const struct pmu_model_team *team;

	sample_row(model, model->section, 0, -1, "open", 0, 0)->n_open = 1;
	for_other(model, 1, -1, "open", 1, 50 * ms);
	for_other(model, 2, -1, "open", 1, 60 * ms);
	sample_row(model, model->section, 0, -1, "busy", 1, 100 * ms);
	for_other(model, 1, -1, "busy", 0, 0)->n_open = 1;
	for_other(model, 2, -1, "busy", 1, 70 * ms);
	for_other(model, 1, -1, "lost", 1, 5 * ms);
	is_int(pmu_model_finish(model), 0, "finished");
	team = team_of(model, "open");
	ok(!team->time_known && isnan(team->efficiency) && isnan(team->all.share),
	   "its opener's time");
	is_u64(team->all.missing & 7, 7, "nor its counts");
	ok(near(team->imbalance, 60 / 55.0 - 1), "the others can be compared");
	team = team_of(model, "busy");
	ok(!team->time_known && isnan(team->efficiency), "a worker's time");
	is_u64(team->all.missing & 7, 7, "nor its counts");
	ok(isnan(team->imbalance), "nor how they differ");
	team = team_of(model, "lost");
	ok(!team->time_known && (team->all.missing & 7) == 7,
	   "nobody opened it: most of it is not known");
	pmu_model_free(model);
}

static void sockets_count_for_nobody(void)
{
	struct pmu_model *model = of_threads(3, 8);
	struct pmu_model_section *s = model->section;

	model->n_threads = 2;
	model->n_sockets = 1;
	s->sockets = 1u << LLC_MISSES;
	sample_row(model, s, 0, -1, "solve", 1, 90)->missing = 1u << LLC_MISSES;
	for_other(model, 1, -1, "solve", 1, 60)->missing = 1u << LLC_MISSES;
	sample_row(model, s, 2, -1, "solve", 1, 90)->missing = 1u << INSTRUCTIONS | 1u << CYCLES;
	for_other(model, 2, -1, "solve", 1, 60)->missing = 1u << INSTRUCTIONS | 1u << CYCLES;
	is_int(pmu_model_finish(model), 0, "finished");
	is_u64(model_row(model, "solve")->net[LLC_MISSES], 90 / 3, "the region has its socket's");
	is_u64(model_row(model, "solve")->missing, 0, "and its thread's");
	is_u64(team_of(model, "solve")->all.missing, 1u << LLC_MISSES,
	       "its team has none of a socket");
	is_u64(team_of(model, "solve")->all.net[CYCLES], 150, "but the threads'");
	pmu_model_free(model);
}

/* Each call has four threads of its own, the second call longer ones: they are done together. */
static void threads_after_each_other_count_as_one(void)
{
	struct pmu_model *model = of_threads(1 + 100 * 4, 512);
	const struct pmu_model_team *team;

	sample_row(model, model->section, 0, -1, "solve", 100, 100 * 9 * ms);
	for (int i = 0; i < 400; i++) {
		struct pmu_model_thread *thread = &model->thread[1 + i];

		thread->start_ns = (i / 4) * (int64_t)(10 * ms) + i % 4;
		thread->stop_ns = thread->start_ns + (int64_t)(9 * ms);
		for_other(model, 1 + i, -1, "solve", 1, (i % 4 ? 6 : 9) * ms);
	}
	is_int(pmu_model_finish(model), 0, "finished");
	team = team_of(model, "solve");
	is_int(team->n_threads, 5, "five at a time, not 401");
	is_u64(team->all.time_ns, (900 + 100 * (9 + 6 + 6 + 6)) * ms, "the time of all");
	ok(near(team->efficiency, 3600 / (5 * 900.0)), "of five threads'");
	ok(near(team->imbalance, 900 / (2700 / 4.0) - 1), "the first ones are the slowest");
	pmu_model_free(model);
}

static void openers_after_each_other_count_as_one(void)
{
	struct pmu_model *model = of_threads(12, 32);

	for (int i = 0; i < 10; i++) {
		model->thread[i].start_ns = i * (int64_t)(50 * ms);
		model->thread[i].stop_ns = (i + 1) * (int64_t)(50 * ms);
		sample_row(model, model->section, i, -1, "request", 1, 40 * ms);
	}
	for_other(model, 10, -1, "request", 10, 300 * ms);
	for_other(model, 11, -1, "request", 10, 200 * ms);
	is_int(pmu_model_finish(model), 0, "finished");
	is_int(team_of(model, "request")->n_threads, 3,
	       "a new one for each request, and two workers");
	ok(near(team_of(model, "request")->efficiency, 900 / (3 * 400.0)),
	   "of three threads, for all requests");
	pmu_model_free(model);
}

/* Both are there all the time and take turns with the same two workers. */
static void more_than_there_was_is_not_told(void)
{
	struct pmu_model *model = of_threads(4, 8);

	sample_row(model, model->section, 0, -1, "turns", 1, 100 * ms);
	sample_row(model, model->section, 1, -1, "turns", 1, 100 * ms);
	for_other(model, 2, -1, "turns", 2, 199 * ms);
	for_other(model, 3, -1, "turns", 2, 199 * ms);
	is_int(pmu_model_finish(model), 0, "finished");
	is_int(team_of(model, "turns")->n_threads, 4, "four threads");
	ok(isnan(team_of(model, "turns")->efficiency), "above 1: not known");
	pmu_model_free(model);
}

/* A fast thread and a slow one, both on a processor all the time: the fast one spins. */
static void waits_are_no_work(void)
{
	struct pmu_model *model = of_threads(2, 16);
	struct pmu_model_section *s = model->section;
	const struct pmu_model_team *team;

	sample_row(model, s, 0, -1, "main", 1, 1000 * ms);            /* 0 */
	sample_row(model, s, 0, 0, "parallel", 1, 1000 * ms);         /* 1 */
	sample_row(model, s, 0, 1, "wait (barrier)", 3, 900 * ms);    /* 2 */
	sample_row(model, s, 0, 2, "wait (barrier)", 1, 100 * ms);    /* 3 */
	for_other(model, 1, -1, "main", 1, 1000 * ms);                /* 4 */
	sample_row(model, s, 1, 4, "parallel", 1, 1000 * ms);         /* 5 */
	sample_row(model, s, 1, 5, "waiting (is work)", 1, 500 * ms); /* 6 */
	is_int(pmu_model_finish(model), 0, "finished");
	team = team_of(model, "main");
	is_u64(team->all.time_ns, 2000 * ms, "time has them");
	ok(near(team->efficiency, 1100 / (2 * 1000.0)), "efficiency has not");
	team = team_of(model, "main/parallel");
	ok(near(team->imbalance, 1000 / 550.0 - 1), "nor has what threads are compared by");
	pmu_model_free(model);
}

static void of_merged_threads_lives_are_not_known(void)
{
	struct pmu_model *model = solve();
	const struct pmu_model_team *team;

	model->thread[2].n_merged = 7;
	is_int(pmu_model_finish(model), 0, "finished");
	team = team_of(model, "main/solve");
	is_u64(team->all.time_ns, 900 * ms, "time is");
	is_u64(team->all.missing, 0, "counts are");
	is_int(team->n_threads, 0, "not how many were there at a time");
	ok(isnan(team->efficiency) && isnan(team->imbalance), "nor what follows from that");
	pmu_model_free(model);
	model = solve();
	model->thread[0].n_merged = 2;
	is_int(pmu_model_finish(model), 0, "finished");
	team = team_of(model, "main/solve");
	ok(!team->n_threads && isnan(team->efficiency), "the openers'");
	ok(near(team->imbalance, 300 / 250.0 - 1), "the others are compared");
	pmu_model_free(model);
}

/* A report may say anything. */
static void odd_lives_are_lives(void)
{
	static const int64_t life[][2] = {
		{ INT64_MAX, INT64_MAX },    { INT64_MAX, 0 }, { 5, 5 }, { 7, 3 }, { 0, INT64_MAX },
		{ INT64_MAX - 1, INT64_MAX }
	};
	struct pmu_model *model = of_threads(7, 8);

	sample_row(model, model->section, 0, -1, "solve", 1, 90 * ms);
	for (int i = 1; i < 7; i++) {
		model->thread[i].start_ns = life[i - 1][0];
		model->thread[i].stop_ns = life[i - 1][1];
		for_other(model, i, -1, "solve", 1, 10 * ms);
	}
	is_int(pmu_model_finish(model), 0, "finished");
	is_int(team_of(model, "solve")->n_threads, 4,
	       "those of the last moment, and one all the time");
	ok(near(team_of(model, "solve")->imbalance, 30 / 15.0 - 1),
	   "which took the places of earlier ones");
	pmu_model_free(model);
}

/* Two processes of a combined model, each with an opener and a worker. */
static void processes_have_threads_of_their_own(void)
{
	struct pmu_model *model = of_threads(4, 8);

	model->n_parts = 2;
	model->several = &pmu_several;
	model->part = pmu_model_alloc(model, 2 * sizeof(*model->part));
	for (int part = 0; part < 2; part++) {
		model->part[part] =
			(struct pmu_model_part){ .label = "", .program = "", .host = "" };
		model->thread[2 * part + 1].part = model->thread[2 * part].part =
			(unsigned int)part;
		/* by its own clock the second one's worker came after the first one's */
		model->thread[2 * part + 1].start_ns = part * (int64_t)(500 * ms);
		model->thread[2 * part + 1].stop_ns = (part + 1) * (int64_t)(500 * ms);
		sample_row(model, model->section, 2 * part, -1, "solve", 1, 100 * ms);
		for_other(model, 2 * part + 1, -1, "solve", 1, (part + 1) * 40 * ms);
	}
	is_int(pmu_model_finish(model), 0, "finished");
	is_int(team_of(model, "solve")->n_threads, 4, "threads of all processes");
	ok(near(team_of(model, "solve")->efficiency, 320 / 400.0), "of what both had");
	ok(near(team_of(model, "solve")->imbalance, 80 / 60.0 - 1), "over both");
	pmu_model_free(model);
}

static void what_is_around_a_team_is_one(void)
{
	struct pmu_model *model = of_threads(2, 8);
	const struct pmu_model_row *row;

	sample_row(model, model->section, 1, -1, "own", 1, 100 * ms);
	for_other(model, 1, 0, "odd", 1, 500 * ms);
	is_int(pmu_model_finish(model), 0, "finished");
	row = model_row(model, "odd");
	ok(row && row->parent < 0, "one in a region of its own thread stands at the top");
	is_u64(model_row(model, "own")->self_ns, 100 * ms, "and takes nothing from that one");
	pmu_model_free(model);
}

UNIT_PART(team)
{
	a_region_keeps_what_is_its_own();
	each_piece_of_work_is_in_a_team_once();
	rows_of_a_team_are_in_no_other();
	threads_of_a_region_are_compared();
	several_threads_open_a_region();
	what_a_part_lacks_all_lack();
	what_is_not_known_yet_is_not_told();
	sockets_count_for_nobody();
	threads_after_each_other_count_as_one();
	openers_after_each_other_count_as_one();
	more_than_there_was_is_not_told();
	waits_are_no_work();
	of_merged_threads_lives_are_not_known();
	odd_lives_are_lives();
	processes_have_threads_of_their_own();
	what_is_around_a_team_is_one();
	return done_testing();
}
