/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked reader: rows of calls that were counted and not measured. */
#include <math.h>

#include "unit/store/simple.h"

/* main around 10 calls of kernel that were measured and 90 that were not, with leaf in each. */
struct sampled {
	struct build *build;
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	uint32_t main, kernel, leaf; /* names */
	uint32_t outer, measured, unmeasured, in_measured, in_unmeasured;
};

static uint32_t unmeasured_row(const struct sampled *s, struct pmu_store_thread *thread,
			       uint32_t name, uint32_t parent, uint64_t calls)
{
	uint32_t id = build_row(thread, s->group, name, parent, 0, 0);
	struct pmu_store_row *row = build_row_at(thread, s->group, id);

	row->flags = PMU_STORE_ROW_UNMEASURED;
	build_bank(row, s->group, 0)->calls = calls;
	return id;
}

static void set_outer(const struct sampled *s, uint32_t id, uint16_t cost)
{
	struct pmu_store_row *row = build_row_at(s->thread, s->group, id);

	for (int i = 0; i < 3; i++)
		row->outer[i] = cost;
}

/* Each call is a turn: of @calls whose counts are @each * (slot + 1). */
static struct pmu_store_turns *build_turns(struct build *build, struct pmu_store_thread *thread,
					   uint32_t row, double calls, double each)
{
	struct pmu_store_chunk *chunk = build_chunk(build, PMU_CHUNK_TURNS,
						    pmu_side_size(PMU_SIDE_TURNS));
	struct pmu_store_turns *turns = (void *)(chunk + 1);

	chunk->owner = build_chunk_of(thread)->owner;
	chunk->group = build_chunk_of(thread)->group;
	chunk->used = 1;
	turns->side.row = row;
	turns->sum[PMU_TURNS_N] = turns->sum[PMU_TURNS_CALLS] = calls;
	turns->sum[PMU_TURNS_CALLS_SQUARE] = calls;
	for (int i = 0; i < 2; i++) {
		double *sum = &turns->sum[PMU_TURNS_COUNTS + i * PMU_TURNS_PER_SLOT];
		double count = each * (i + 1);

		sum[PMU_TURNS_SUM] = sum[PMU_TURNS_PRODUCT] = calls * count;
		sum[PMU_TURNS_SQUARE] = calls * count * count;
	}
	return turns;
}

static struct sampled sampled_new(enum pmu_store_thread_state state)
{
	struct sampled s = { .build = build_new() };

	s.group = build_group(s.build, 0, "CORE", "instructions cycles");
	s.main = build_name(s.build, "main");
	s.kernel = build_name(s.build, "kernel");
	s.leaf = build_name(s.build, "leaf");
	s.thread = build_thread(s.build, 0, s.group, 0, state, 8);
	s.outer = build_row(s.thread, s.group, s.main, 0, 1, 100000);
	s.measured = build_row(s.thread, s.group, s.kernel, s.outer, 10, 800);
	s.in_measured = build_row(s.thread, s.group, s.leaf, s.measured, 10, 300);
	s.unmeasured = unmeasured_row(&s, s.thread, s.kernel, s.outer, 90);
	s.in_unmeasured = build_row(s.thread, s.group, s.leaf, s.unmeasured, 90, 310);
	build_turns(s.build, s.thread, s.measured, 10, 800);
	build_turns(s.build, s.thread, s.in_measured, 10, 300);
	build_turns(s.build, s.thread, s.in_unmeasured, 90, 310);
	return s;
}

static void both_are_one_region(void)
{
	struct sampled s = sampled_new(PMU_THREAD_LIVE);
	struct pmu_model *model = must_read(s.build);
	const struct pmu_model_row *kernel = model_row(model, "main/kernel"),
				   *leaf = model_row(model, "main/kernel/leaf");

	is_u64(model->section[0].n_rows, 3, "three regions");
	if (!ok(kernel && leaf, "by their names"))
		return;
	is_u64(kernel->calls, 10, "calls that were measured");
	is_u64(kernel->unmeasured_calls, 90, "and those that were not");
	is_u64(kernel->all_calls, 100, "together");
	is_u64(kernel->time_ns, 8000, "time of those that were");
	is_u64(kernel->net[1], 16000, "and their counts");
	is_u64(kernel->min_ns, 800, "their shortest");
	ok(fabs(kernel->sd_ns) < 1, "and their spread");
	is_u64(leaf->calls, 100, "what is nested has calls in both");
	is_u64(leaf->time_ns, 3000 + 90 * 310, "all of them measured");
	is_u64(leaf->unmeasured_calls, 0, "none was not");
	is_u64(leaf->turns ? (uint64_t)leaf->turns->n : 0, 100, "each of them a turn");
	is_u64(model->n_doubts, 0, "nothing to doubt");
	is_u64(model->n_notes, 0, "nor to note");
	pmu_model_free(model);
	free(s.build);
}

static void what_all_did_is_estimated(void)
{
	struct sampled s = sampled_new(PMU_THREAD_LIVE);
	struct pmu_model *model = must_read(s.build);
	const struct pmu_model_row *kernel = model_row(model, "main/kernel"),
				   *leaf = model_row(model, "main/kernel/leaf");

	is_u64(kernel->whole_calls, 100, "of all calls");
	if (!ok(kernel->estimate && kernel->whole_time, "there are estimates"))
		return;
	ok(fabs(kernel->whole_time->value - 80000) < 1e-6, "ten times their time");
	ok(kernel->whole_time->error == 0, "each took as long");
	ok(fabs(kernel->estimate[0].value - 80000) < 1e-6, "and ten times a count");
	ok(kernel->estimate[0].margin == 0, "for sure");
	ok(!leaf->estimate && !leaf->whole_time, "what was measured each time needs none");
	pmu_model_free(model);
	free(s.build);
}

static void what_is_not_of_all_calls_is_no_whole(void)
{
	struct sampled s = sampled_new(PMU_THREAD_LIVE);
	struct pmu_model *model = must_read(s.build);
	const struct pmu_model_row *main = model_row(model, "main"),
				   *kernel = model_row(model, "main/kernel"),
				   *leaf = model_row(model, "main/kernel/leaf");

	ok(!pmu_model_self_known(main), "no self where a nested region's time is not all there");
	ok(!pmu_model_self_known(kernel), "nor where its own is not");
	ok(pmu_model_self_known(leaf), "where it is there is");
	ok(isnan(kernel->share), "its share is not known");
	ok(!isnan(main->share) && !isnan(leaf->share), "that of others is");
	ok(!model->thread[0].in_part, "what outermost regions took is all there");
	pmu_model_free(model);
	free(s.build);
}

static void their_cost_is_taken_off_what_is_around(void)
{
	struct sampled s = sampled_new(PMU_THREAD_LIVE);
	struct pmu_model *model;

	s.thread->inner[0] = 1;
	set_outer(&s, s.measured, 50);
	set_outer(&s, s.unmeasured, 7);
	set_outer(&s, s.in_measured, 20);
	set_outer(&s, s.in_unmeasured, 20);
	model = must_read(s.build);
	is_u64(model_row(model, "main")->net[0], 100000 - 1 - 10 * 50 - 90 * 7 - 100 * 20,
	       "of both, and of what is in them");
	is_u64(model_row(model, "main/kernel")->net[0], 8000 - 10 - 10 * 20,
	       "of what is in those that were measured");
	is_u64(model_row(model, "main")->cost_ns, 10 * 50 + 90 * 7 + 100 * 20, "so for the time");
	pmu_model_free(model);
	free(s.build);
}

static void where_none_was_measured_nothing_is_known(void)
{
	struct sampled s = sampled_new(PMU_THREAD_LIVE);
	struct pmu_store_thread *other = build_thread(s.build, 0, s.group, 1, PMU_THREAD_LIVE, 8);
	const struct pmu_model_row *row;
	struct pmu_model *model;

	unmeasured_row(&s, other, s.leaf, 0, 5);
	model = must_read(s.build);
	row = model_row(model, "leaf");
	is_u64(row->calls, 0, "no call");
	is_u64(row->unmeasured_calls, 5, "of five");
	ok(!pmu_model_time_known(row), "no time");
	is_u64(row->missing & 3, 3, "no counts");
	ok(isnan(row->share), "no share");
	ok(!row->whole_time || isnan(row->whole_time->value), "nothing to estimate from");
	ok(model->thread[1].in_part, "and what its thread did in regions is not known");
	is_u64(model->n_doubts, 0, "which is no doubt");
	pmu_model_free(model);
	unmeasured_row(&s, other, s.main, 0, 4);
	model = must_read(s.build);
	row = model_row(model, "main");
	is_u64(row->time_ns, 100000, "another thread's is there all the same");
	is_u64(row->missing, 0, "with its counts");
	is_u64(row->all_calls, 5, "of all calls of both");
	pmu_model_free(model);
	free(s.build);
}

static void one_that_is_open_is_told(void)
{
	struct sampled s = sampled_new(PMU_THREAD_FINISHED);
	struct pmu_model *model;

	build_row_at(s.thread, s.group, s.unmeasured)->open = 1;
	build_row_at(s.thread, s.group, s.unmeasured)->flags |= PMU_STORE_ROW_PARTIAL;
	model = must_read(s.build);
	is_u64(model_row(model, "main/kernel")->n_open, 1, "a call that has not ended");
	is_u64(model_row(model, "main/kernel")->unmeasured_calls, 90, "is none yet");
	is_u64(model_row(model, "main/kernel")->calls, 10, "of either kind");
	is_u64(model->n_doubts, 1, "one doubt");
	is_str(model->doubt[0].text, "still open when its thread ended", "about it");
	pmu_model_free(model);
	free(s.build);
}

static void more_than_calls_is_damage(void)
{
	struct sampled s = sampled_new(PMU_THREAD_LIVE);
	struct pmu_store_row *row = build_row_at(s.thread, s.group, s.unmeasured);
	struct pmu_model *model;

	build_bank(row, s.group, 0)->ticks = 1000;
	build_bank(row, s.group, 0)->count[1] = 1000;
	build_turns(s.build, s.thread, s.unmeasured, 90, 100);
	model = must_read(s.build);
	is_u64(model_row(model, "main/kernel")->time_ns, 8000, "their time is nobody's");
	is_u64(model_row(model, "main/kernel")->raw[1], 16000, "nor is a count");
	is_u64(model_row(model, "main/kernel")->unmeasured_calls, 90, "the number stays");
	is_u64((uint64_t)model_row(model, "main/kernel")->turns->n, 10, "no turns of it");
	ok(model_note(model, "calls that were not measured"), "a note says so");
	ok(model_note(model, "sums over turns"), "and of what stands beside it");
	pmu_model_free(model);
	free(s.build);
}

/* Two groups, of which each has counted half of main's calls and every tenth of kernel's. */
static struct build *two_groups(bool in_turns)
{
	struct sampled s = sampled_new(PMU_THREAD_LIVE);
	struct pmu_store_group *group = build_group(s.build, 1, "OTHER", "misses branches");
	struct pmu_store_thread *thread = build_thread(s.build, 1, group, 0, PMU_THREAD_LIVE, 8);
	uint32_t outer = build_row(thread, group, s.main, 0, 1, 200000), id;

	id = build_row(thread, group, s.kernel, outer, 30, 600);
	build_turns(s.build, thread, id, 30, 600);
	s.group = group;
	unmeasured_row(&s, thread, s.kernel, outer, 170);
	if (in_turns) {
		build_meta(s.build, PMU_META_TURNS, "0");
		build_meta(s.build, PMU_META_TURNS, "1");
	}
	return s.build;
}

static void groups_in_turns_are_samples_of_the_same(void)
{
	struct build *build = two_groups(true);
	struct pmu_model *model = must_read(build);
	const struct pmu_model_row *kernel = model_row(model, "main/kernel");

	ok(model->section[0].in_turns && model->section[1].in_turns, "both take turns");
	is_u64(kernel->all_calls, 300, "all calls are those of both");
	is_u64(kernel->whole_calls, 300, "and a sample is of all");
	ok(fabs(kernel->estimate[0].value - 300 * 800) < 1e-6, "by each group's own count");
	ok(fabs(kernel->whole_time->value - 300 * (8000 + 18000) / 40.0) < 1e-6,
	   "their time by that of both");
	pmu_model_free(model);
	free(build);
}

static void groups_that_the_program_changes_are_not(void)
{
	struct build *build = two_groups(false);
	struct pmu_model *model = must_read(build);
	const struct pmu_model_row *kernel = model_row(model, "main/kernel");

	ok(!model->section[0].in_turns, "the program says which is counted when");
	is_u64(kernel->all_calls, 300, "all calls are those of both");
	is_u64(kernel->whole_calls, 100, "a sample is of its own group's");
	ok(fabs(kernel->estimate[0].value - 100 * 800) < 1e-6, "and so is an estimate");
	ok(fabs(kernel->whole_time->value - 100 * 800) < 1e-6, "also of time");
	pmu_model_free(model);
	free(build);
}

int main(void)
{
	both_are_one_region();
	what_all_did_is_estimated();
	what_is_not_of_all_calls_is_no_whole();
	their_cost_is_taken_off_what_is_around();
	where_none_was_measured_nothing_is_known();
	one_that_is_open_is_told();
	more_than_calls_is_damage();
	groups_in_turns_are_samples_of_the_same();
	groups_that_the_program_changes_are_not();
	return done_testing();
}
