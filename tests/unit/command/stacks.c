/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports as stacks: paths, regions' self counts, their threads, their doubts. */
#include "bindings/command/viewers/stacks.h"

#include "report/model/finish.h"
#include "unit/part.h"

/* A thread's row; around: index of the one around it. */
struct made {
	int thread, around;
	const char *name;
	uint64_t calls, time_ns, cycles;
	uint32_t flags;
	bool missing; /* the cycles */
	uint32_t n_open;
};

static struct pmu_model *new_model(unsigned int n_threads, unsigned int n_sections)
{
	struct pmu_model *model = pmu_model_new();

	model->n_threads = n_threads;
	model->thread = pmu_model_alloc(model, n_threads * sizeof(*model->thread));
	for (unsigned int i = 0; i < n_threads; i++) {
		model->thread[i].number = (int)i;
		model->thread[i].name = "made";
		model->thread[i].time_ns = UINT64_C(1) << 40;
		model->thread[i].start_ns = 0;
		model->thread[i].stop_ns = INT64_C(1) << 40;
	}
	model->n_sections = n_sections;
	model->section = pmu_model_alloc(model, n_sections * sizeof(*model->section));
	return model;
}

static void fill(struct pmu_model *model, unsigned int at, const char *group,
		 const struct made *made, unsigned int n)
{
	struct pmu_model_section *s = &model->section[at];

	s->group = group;
	s->n_counts = 1;
	s->count = pmu_model_alloc(model, sizeof(*s->count));
	*s->count = (struct pmu_model_count){ "cycles", "" };
	s->n_thread_rows = n;
	s->thread_row = pmu_model_alloc(model, n * sizeof(*s->thread_row));
	for (unsigned int i = 0; i < n; i++) {
		struct pmu_model_row *row = &s->thread_row[i];

		*row = (struct pmu_model_row){ .name = made[i].name,
					       .parent = made[i].around,
					       .thread = made[i].thread,
					       .flags = made[i].flags,
					       .calls = made[i].calls,
					       .time_ns = made[i].time_ns,
					       .n_open = made[i].n_open,
					       .sd_ns = NAN,
					       .missing = made[i].missing };
		row->raw = pmu_model_alloc(model, sizeof(*row->raw));
		row->net = pmu_model_alloc(model, sizeof(*row->net));
		*row->raw = *row->net = made[i].cycles;
	}
}

/* Of one group; @stacks: of it. */
static struct pmu_model *make(const struct made *made, unsigned int n, unsigned int n_threads,
			      struct pmu_stacks *stacks)
{
	struct pmu_model *model = new_model(n_threads, 1);

	fill(model, 0, "MADE", made, n);
	ok(!pmu_model_finish(model) && !pmu_stacks_make(model, PMU_STACK_CALLS, stacks),
	   "  a report");
	return model;
}

static void drop(struct pmu_model *model, struct pmu_stacks *stacks)
{
	pmu_stacks_free(stacks);
	pmu_model_free(model);
}

/* What a lane has by itself on a path; UINT64_MAX: it has no such path. */
static uint64_t own_of(struct pmu_stacks *stacks, unsigned int lane, const char *path,
		       unsigned int measure)
{
	struct pmu_stack_values values;
	uint64_t own = UINT64_MAX;

	if (pmu_stacks_values(stacks, lane, &values))
		return 0;
	for (unsigned int i = 0; i < values.n; i++)
		if (!strcmp(stacks->node[values.node[i]].path, path))
			own = pmu_stack_own(&values, i, measure);
	pmu_stack_values_free(&values);
	return own;
}

static uint64_t calls_of(struct pmu_stacks *stacks, unsigned int lane, const char *path)
{
	struct pmu_stack_values values;
	uint64_t calls = UINT64_MAX;

	if (pmu_stacks_values(stacks, lane, &values))
		return 0;
	for (unsigned int i = 0; i < values.n; i++)
		if (!strcmp(stacks->node[values.node[i]].path, path))
			calls = values.calls[i];
	pmu_stack_values_free(&values);
	return calls;
}

static const char *frame_of(const struct pmu_stacks *stacks, const char *path)
{
	for (unsigned int i = 0; i < stacks->n_nodes; i++)
		if (!strcmp(stacks->node[i].path, path))
			return stacks->frame[stacks->node[i].frame].name;
	return "";
}

static bool says(const struct pmu_stacks *stacks, const char *text)
{
	for (unsigned int i = 0; i < stacks->n_remarks; i++)
		if (strstr(stacks->remark[i], text))
			return true;
	return false;
}

static void two_threads(void)
{
	static const struct made made[] = {
		{ 0, -1, "main", 1, 100, 1000, 0, false, 0 },
		{ 0, 0, "solve", 4, 60, 600, 0, false, 0 },
		{ 0, 1, "inner", 8, 20, 100, 0, false, 0 },
		{ 1, -1, "solve", 2, 30, 300, 0, false, 0 },
	};
	struct pmu_stacks stacks;
	struct pmu_model *model = make(made, 4, 2, &stacks);

	is_u64(stacks.n_lanes, 3, "all, and each thread");
	is_u64(stacks.n_nodes, 4, "paths, not regions");
	is_u64(stacks.n_frames, 3, "regions, not paths");
	is_u64(own_of(&stacks, 0, "main", 0), 40, "what is nested is taken off");
	is_u64(own_of(&stacks, 0, "main/solve", 0), 40, "at any depth");
	is_u64(own_of(&stacks, 0, "main/solve/inner", 1), 100, "and of counts");
	is_u64(own_of(&stacks, 0, "main/solve", 1), 500, "as of time");
	is_u64(calls_of(&stacks, 0, "main/solve"), 4, "calls are what they are");
	is_u64(own_of(&stacks, 2, "solve", 1), 300, "a thread has its own");
	is_u64(own_of(&stacks, 2, "main", 0), UINT64_MAX, "and no other's");
	ok(!says(&stacks, "unknown") && !says(&stacks, "~"), "and nothing has to be said");
	drop(model, &stacks);
}

static void a_team(void)
{
	static const struct made made[] = {
		{ 0, -1, "main", 1, 100, 1000, 0, false, 0 },
		{ 0, 0, "loop", 1, 50, 500, 0, false, 0 },
		{ 1, -1, "main", 1, 3, 30, PMU_ROW_TEAM, false, 0 },
		{ 1, 2, "loop", 1, 45, 450, PMU_ROW_TEAM, false, 0 },
		{ 1, 3, "inner", 5, 15, 150, 0, false, 0 },
	};
	struct pmu_stacks stacks;
	struct pmu_model *model = make(made, 5, 2, &stacks);

	is_u64(own_of(&stacks, 0, "main", 0), 53, "what others did for a region is beside its own");
	is_u64(own_of(&stacks, 0, "main/loop", 0), 80, "with the opener's");
	is_u64(own_of(&stacks, 0, "main/loop/inner", 0), 15, "and what they began in it");
	is_u64(own_of(&stacks, 2, "main/loop", 1), 300,
	       "a worker has its part, below the opener's");
	drop(model, &stacks);
}

static void what_overlaps(void)
{
	static const struct made made[] = {
		{ 0, -1, "main", 1, 100, 1000, 0, false, 0 },
		{ 0, 0, "a", 1, 10, 10, 0, false, 0 },
		{ 0, 1, "b", 1, 15, 5, PMU_ROW_OVERLAP, false, 0 },
		{ 0, 2, "c", 1, 5, 2, PMU_ROW_OVERLAP, false, 0 },
		{ 0, 2, "d", 1, 4, 1, 0, false, 0 },
		{ 1, -1, "e", 1, 10, 10, 0, false, 0 },
		{ 1, 5, "f", 1, 30, 10, PMU_ROW_OVERLAP, false, 0 },
	};
	struct pmu_stacks stacks;
	struct pmu_model *model = make(made, 7, 2, &stacks);

	is_u64(own_of(&stacks, 0, "main/a/b", 0), 11, "what ended later has all that it has");
	is_u64(own_of(&stacks, 0, "main/a/b/d", 0), 4, "with what is nested in it");
	is_u64(own_of(&stacks, 0, "main/a/b/c", 0), 5, "but for what ended later, too");
	is_u64(own_of(&stacks, 0, "main/a", 0), 10, "and is not in the region around it");
	is_u64(own_of(&stacks, 0, "main", 0), 70, "but in the next one");
	is_u64(own_of(&stacks, 0, "e/f", 0), 30, "or in none");
	is_u64(own_of(&stacks, 1, "main", 1), 983, "so it is with counts of a thread");
	ok(!strcmp(frame_of(&stacks, "main/a/b"), "b ~"), "its name has a mark");
	ok(says(&stacks, "(3 regions): "), "it is said");
	drop(model, &stacks);
}

static void what_does_not_fit(void)
{
	static const struct made made[] = {
		{ 0, -1, "main", 1, 100, 1000, 0, false, 0 },
		{ 0, 0, "a", 1, 10, 10, 0, false, 0 },
		{ 0, 1, "b", 1, 15, 5, 0, false, 0 },
		{ 0, 0, "b", 1, 20, 5, 0, false, 0 },
	};
	struct pmu_stacks stacks;
	struct pmu_model *model = make(made, 4, 1, &stacks);

	is_u64(own_of(&stacks, 0, "main/a", 0), 0, "nothing is below zero");
	is_u64(own_of(&stacks, 0, "main/a/b", 0), 10, "what is too much has what there is");
	is_u64(own_of(&stacks, 0, "main", 0), 70, "so that all is what main has");
	is_u64(own_of(&stacks, 0, "main/a/b", 1), 5, "where it fits, all of it");
	ok(!strcmp(frame_of(&stacks, "main/a/b"), "b ~"), "its name has a mark");
	ok(!strcmp(frame_of(&stacks, "main/b"), "b"), "on that path alone");
	ok(says(&stacks, "(1 region): main/a/b"), "it is said");
	drop(model, &stacks);
}

static void what_is_not_known(void)
{
	static const struct made made[] = {
		{ 0, -1, "main", 0, 0, 0, 0, false, 1 },
		{ 0, 0, "a", 1, 10, 100, 0, false, 0 },
		{ 0, 1, "b", 1, 4, 77, 0, true, 0 },
		{ 0, 2, "c", 1, 3, 30, 0, false, 0 },
	};
	struct pmu_stacks stacks;
	struct pmu_model *model = make(made, 4, 1, &stacks);

	is_u64(own_of(&stacks, 0, "main", 0), 0, "an open region has what is nested in it");
	is_u64(own_of(&stacks, 0, "main/a", 1), 70, "what is unknown is where it was nested");
	is_u64(own_of(&stacks, 0, "main/a/b", 1), 0, "and nothing by itself");
	is_u64(own_of(&stacks, 0, "main/a/b/c", 1), 30, "what is nested in it is known");
	ok(says(&stacks, "cycles unknown"), "it is said of the count");
	ok(says(&stacks, "still open") && says(&stacks, "time unknown"), "and of the open one");
	drop(model, &stacks);
}

static void flat_ones(void)
{
	static const struct made made[] = {
		{ 0, -1, "main", 1, 100, 1000, 0, false, 0 },
		{ 0, -1, "too many", 7, 30, 300, PMU_ROW_FLAT, false, 0 },
	};
	struct pmu_stacks stacks;
	struct pmu_model *model = make(made, 2, 1, &stacks);

	is_u64(stacks.n_nodes, 1, "beyond the limit they are no paths");
	is_u64(own_of(&stacks, 0, "main", 0), 100, "but in those around them");
	ok(says(&stacks, "1 region beyond the limit"), "it is said");
	drop(model, &stacks);
}

static void a_deep_one(void)
{
	static char name[PMU_STACK_DEPTH + 2][8];
	static struct made made[PMU_STACK_DEPTH + 2];
	struct pmu_stacks stacks;
	struct pmu_model *model;

	for (int i = 0; i < PMU_STACK_DEPTH + 2; i++) {
		snprintf(name[i], sizeof(name[i]), "%d", i);
		made[i] = (struct made){ 0, i - 1, name[i], 1, 5000 - (uint64_t)i, 1, 0, false, 0 };
	}
	model = make(made, PMU_STACK_DEPTH + 2, 1, &stacks);
	is_u64(stacks.n_nodes, PMU_STACK_DEPTH, "a path ends somewhere");
	is_u64(own_of(&stacks, 0, stacks.node[PMU_STACK_DEPTH - 1].path, 0), 5001 - PMU_STACK_DEPTH,
	       "its last region has what is deeper");
	ok(says(&stacks, "2 regions beyond the limit"), "it is said");
	drop(model, &stacks);
}

static void several_groups(void)
{
	static const struct made first[] = { { 0, -1, "main", 2, 100, 1000, 0, false, 0 },
					     { 0, 0, "a", 2, 30, 300, 0, false, 0 } };
	static const struct made second[] = { { 0, -1, "main", 3, 50, 200, 0, false, 0 },
					      { 0, 0, "b", 1, 10, 100, 0, false, 0 } };
	struct pmu_model *model = new_model(1, 2);
	struct pmu_stacks stacks;

	fill(model, 0, "ONE", first, 2);
	fill(model, 1, "TWO", second, 2);
	ok(!pmu_model_finish(model) && !pmu_stacks_make(model, PMU_STACK_CALLS, &stacks),
	   "  a report");
	is_u64(stacks.n_nodes, 3, "paths are those of all of them");
	is_u64(stacks.n_measures, 3, "counts of each");
	ok(!strcmp(stacks.measure[2].name, "cycles (TWO)"), "by the group's name");
	is_u64(own_of(&stacks, 0, "main", 0), 110, "time is of all");
	is_u64(own_of(&stacks, 0, "main", 1), 700, "counts of the first");
	is_u64(own_of(&stacks, 0, "main", 2), 100, "and of the second");
	is_u64(calls_of(&stacks, 0, "main"), 5, "calls are of all");
	ok(!strcmp(stacks.node[1].path, "main/a") && !strcmp(stacks.node[2].path, "main/b"),
	   "in the order of the tree");
	drop(model, &stacks);
}

static void estimates(void)
{
	static const struct made made[] = { { 0, -1, "main", 2, 100, 1000, 0, false, 0 },
					    { 0, 0, "a", 2, 30, 300, 0, false, 0 } };
	struct pmu_model *model = new_model(1, 2);
	struct pmu_stacks stacks;

	fill(model, 0, "ONE", made, 2);
	fill(model, 1, "TWO", made, 2);
	for (unsigned int s = 0; s < 2; s++)
		for (unsigned int i = 0; i < 2; i++)
			model->section[s].thread_row[i].turns = pmu_model_alloc(
				model, sizeof(struct pmu_model_turns) + 64);
	ok(!pmu_model_finish(model) && !pmu_stacks_make(model, PMU_STACK_CALLS, &stacks),
	   "  a report");
	ok(!strcmp(stacks.measure[1].name, "~cycles (ONE)"), "an estimate has a mark");
	is_u64(own_of(&stacks, 0, "main/a", 1), 600, "what two groups' calls have counted");
	is_u64(own_of(&stacks, 0, "main", 1), 1400, "without what is nested");
	is_u64(own_of(&stacks, 1, "main", 1), 0, "of all threads, not of one");
	ok(says(&stacks, "an estimate"), "it is said");
	drop(model, &stacks);
}

static void nothing_at_all(void)
{
	struct pmu_stacks stacks;
	struct pmu_model *model = make(NULL, 0, 0, &stacks);

	is_u64(stacks.n_nodes, 0, "no paths");
	is_u64(stacks.n_lanes, 1, "and all of none");
	drop(model, &stacks);
}

UNIT_PART(stacks)
{
	two_threads();
	a_team();
	what_overlaps();
	what_does_not_fit();
	what_is_not_known();
	flat_ones();
	a_deep_one();
	several_groups();
	estimates();
	nothing_at_all();
	return done_testing();
}
