/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked reader: what it makes of whole stores. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu.h"
#include "unit/store/simple.h"

/* How often; -1 where there is no such doubt. */
static long doubt_of(const struct pmu_model *model, const char *text, const char *region,
		     int thread)
{
	unsigned int i;

	for (i = 0; i < model->n_doubts; i++)
		if (strstr(model->doubt[i].text, text) && !strcmp(model->doubt[i].region, region) &&
		    model->doubt[i].thread == thread)
			return (long)model->doubt[i].count;
	return -1;
}

/* --- what an honest store says --- */

static void reads_every_text(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_model *model;

	build_meta(build, PMU_META_COMMAND, "solver -n 3");
	build_meta(build, PMU_META_HOST, "node1");
	build_meta(build, PMU_META_MACHINE, "a machine");
	build_meta(build, PMU_META_CPU, "cpu-1");
	build_meta(build, PMU_META_SOURCE, "perf");
	build_meta(build, PMU_META_SOURCE_DETAIL, "user level");
	build_meta(build, PMU_META_PINNING, "first");
	build_meta(build, PMU_META_PINNING, "second");
	build_meta(build, PMU_META_VERSION, "0.1.0");
	build_meta(build, PMU_META_FORKED, "4711");
	build_meta(build, PMU_META_NOTE, "one note");
	build_meta(build, PMU_META_REFUSAL, "perf\tno counters\t");
	build_meta(build, PMU_META_METRIC, "0\tIPC\t\tinstructions / cycles");
	build_meta(build, PMU_META_METRIC, "1\tother\t%\tcycles");
	build_meta(build, 999, "from the future");
	memcpy(thread->name, "main", 5);
	thread->cpu = 3;
	model = must_read(build);
	is_str(model->program, "solver", "program");
	is_str(model->command, "solver -n 3", "command");
	is_str(model->host, "node1", "host");
	is_u64((uint64_t)model->forked_from, 4711, "who forked it");
	is_str(model->machine, "a machine", "machine");
	is_str(model->cpu, "cpu-1", "cpu");
	is_str(model->source, "perf", "source");
	is_str(model->source_detail, "user level", "detail of the source");
	is_str(model->pinning, "second", "the last pinning counts");
	is_str(model->version, "0.1.0", "version");
	is_u64(model->n_notes, 1, "one note");
	is_str(model->note[0], "one note", "its text");
	is_u64(model->n_refusals, 1, "one refusal");
	is_str(model->refusal[0].why, "no counters", "why");
	is_str(model->refusal[0].mend, "", "nothing mends it");
	is_u64(model->section[0].n_metrics, 1, "the metrics of the group alone");
	is_str(model->section[0].metric[0].formula, "instructions / cycles", "formula");
	is_u64(model->n_threads, 1, "one thread");
	is_str(model->thread[0].name, "main", "its name");
	is_int(model->thread[0].cpu, 3, "its processor");
	is_int(model->thread[0].minor_faults, -1, "unknown faults stay unknown");
	is_int(model->thread[0].cpu_ns, -1, "so does its time on a processor");
	ok(!model->died, "a process that runs has not died");
	is_u64(model->start_unix_ns, 1700000000000000000u, "start");
	pmu_model_free(model);
	free(build);
}

static void reads_the_tree(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_model *model = must_read(build);
	const struct pmu_model_row *row = model_row(model, "solve"),
				   *inner = model_row(model, "solve/inner");

	is_u64(model->n_sections, 1, "one section");
	is_str(model->section[0].group, "CORE", "its group");
	is_str(model->section[0].count[1].name, "cycles", "its second column");
	if (!ok(row && inner, "both regions are there"))
		return;
	is_u64(row->calls, 10, "calls");
	is_u64(row->time_ns, 10000, "time");
	is_u64(row->min_ns, 1000, "shortest call");
	is_u64(row->max_ns, 1000, "longest call");
	ok(row->sd_ns == 0, "equal calls do not deviate");
	is_u64(row->raw[1], 20000, "second count");
	is_u64(row->self_ns, 8000, "time without what is nested");
	is_int(inner->depth, 1, "depth");
	is_u64(inner->raw[0], 2000, "nested count");
	is_u64(model->n_doubts, 0, "nothing to doubt");
	is_u64(model->n_notes, 0, "nothing to note");
	pmu_model_free(model);
	free(build);
}

static void deviation_comes_from_the_squares(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_bank *bank = build_bank(build_row_at(thread, group, 2), group, 1);
	struct pmu_model *model;

	/* 10 calls of 50 and 10 of 150 */
	bank->min = 51;
	bank->max = 150;
	bank->square = 10 * 50.0 * 50.0 + 10 * 150.0 * 150.0;
	model = must_read(build);
	ok(fabs(model_row(model, "solve/inner")->sd_ns - 50) < 1e-9, "50 on either side of 100");
	pmu_model_free(model);
	build_row_at(thread, group, 2)->flags = PMU_STORE_ROW_RECURSIVE;
	model = must_read(build);
	ok(isnan(model_row(model, "solve/inner")->sd_ns),
	   "unknown for a region that was re-entered");
	pmu_model_free(model);
	free(build);
}

static void other_clocks_are_converted(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_model *model;

	build_head(build)->clock_kind = PMU_CLOCK_TSC;
	build_head(build)->point[0] = (struct pmu_clock_point){ 0, 0 };
	build_head(build)->point[1] = (struct pmu_clock_point){ 4000000000, 2000000000 };
	build_kill(build);
	model = must_read(build);
	ok(fabs(model->clock_hz - 2e9) < 1, "2 GHz");
	is_u64(model_row(model, "solve")->time_ns, 5000, "two ticks a nanosecond");
	is_u64(model_row(model, "solve")->min_ns, 500, "also the shortest call");
	pmu_model_free(model);
	build_head(build)->point[1] = build_head(build)->point[0];
	memset(build_head(build)->boot_id, 'x', 36);
	model = must_read(build);
	ok(model_note(model, "rate of the clock"), "without a rate a note says so");
	is_u64(model->clock_hz == 0, 1, "and the rate is unknown");
	is_u64(calls_of(model, "solve"), 10, "the rest is reported");
	pmu_model_free(model);
	free(build);
}

static void the_sequence_names_the_bank(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_row *row = build_row_at(thread, group, 1);
	struct pmu_model *model;

	*build_bank(row, group, 0) = (struct pmu_store_bank){ .calls = 11, .ticks = 11000 };
	model = must_read(build);
	is_u64(calls_of(model, "solve"), 10, "an odd sequence: bank 1");
	pmu_model_free(model);
	row->seq = 2;
	model = must_read(build);
	is_u64(calls_of(model, "solve"), 11, "an even one: bank 0");
	pmu_model_free(model);
	free(build);
}

static void rows_in_more_chunks_belong_to_their_thread(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_chunk *chunk;
	struct pmu_store_row *row;
	struct pmu_model *model;
	uint32_t deep = build_name(build, "deep");

	chunk = build_chunk(build, PMU_CHUNK_ROWS, 2 * group->row_size);
	chunk->owner = build_chunk_of(thread)->owner;
	chunk->first = 3;
	chunk->used = 1;
	row = (void *)(chunk + 1);
	row->name = deep;
	row->parent = 2;
	row->seq = 1;
	build_bank(row, group, 1)->calls = 5;
	model = must_read(build);
	is_u64(calls_of(model, "solve/inner/deep"), 5, "row 3 is nested in row 2");
	pmu_model_free(model);
	free(build);
}

static void empty_rows_are_left_out(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_model *model;
	uint32_t never = build_name(build, "never"), outer = build_name(build, "outer");
	uint32_t id;

	build_row(thread, group, never, 0, 0, 0);
	id = build_row(thread, group, outer, 0, 0, 0);
	build_row(thread, group, never, id, 1, 1);
	model = must_read(build);
	ok(!model_row(model, "never"), "a region that never ended anything");
	ok(model_row(model, "outer"), "but not one with something in it");
	is_u64(calls_of(model, "outer/never"), 1, "which is there");
	pmu_model_free(model);
	free(build);
}

/* --- missing and costs --- */

static void missing_stays_missing(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_model *model;

	build_row_at(thread, group, 2)->missing = 2;
	model = must_read(build);
	is_u64(model_row(model, "solve/inner")->missing, 2, "unreadable in some call: missing");
	is_u64(model_row(model, "solve")->missing, 0, "the row around it has it");
	is_int(doubt_of(model, "cycles could not be read", "solve/inner", 0), 0,
	       "a doubt names it");
	pmu_model_free(model);
	thread->missing = 1;
	model = must_read(build);
	is_u64(model_row(model, "solve")->missing, 1, "missing in a thread: in all its rows");
	is_int(doubt_of(model, "could not count instructions", "", 0), 0, "a doubt says so");
	pmu_model_free(model);
	thread->missing = 0;
	group->absent = 1;
	model = must_read(build);
	is_u64(model_row(model, "solve")->missing, 1, "absent in the group: everywhere");
	is_int(doubt_of(model, "could not count", "", 0), -1, "no doubt: the head says it");
	pmu_model_free(model);
	group->absent = 0;
	build_row_at(thread, group, 2)->missing = 0;
	build_bank(build_row_at(thread, group, 2), group, 1)->count[0] = UINT64_MAX;
	model = must_read(build);
	is_u64(model_row(model, "solve/inner")->missing, 1, "less than none in all: missing");
	pmu_model_free(model);
	free(build);
}

static void own_cost_is_taken_out(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_row *row;
	const struct pmu_model_row *solve, *inner;
	struct pmu_model *model;

	thread->inner[0] = 7;
	thread->inner[1] = 5;
	build_row_at(thread, group, 1)->outer[1] = 1000; /* nothing is around it */
	row = build_row_at(thread, group, 2);
	row->outer[1] = 30;
	model = must_read(build);
	solve = model_row(model, "solve");
	inner = model_row(model, "solve/inner");
	is_u64(inner->net[0], 2000 - 20 * 7, "inner per call");
	is_u64(inner->net[1], 4000 - 20 * 5, "of each count");
	is_u64(inner->raw[0], 2000, "raw stays as read");
	is_u64(inner->cost[0], 140, "what was removed");
	is_u64(solve->net[0], 10000 - 10 * 7 - 20 * 30, "outer per nested pair");
	is_u64(solve->time_ns, 10000, "times have no measured cost");
	is_u64(model->n_doubts, 0, "nothing to doubt");
	pmu_model_free(model);
	thread->inner[0] = 101;
	thread->inner_ticks = 10;
	row->outer[0] = 2;
	model = must_read(build);
	is_u64(model_row(model, "solve/inner")->net[0], 0, "never below zero");
	ok(doubt_of(model, "own cost", "solve/inner", 0) >= 0, "not without a doubt");
	is_u64(model_row(model, "solve")->time_ns, 10000, "times are what the clock says");
	is_u64(model_row(model, "solve")->cost_ns, 10 * 10 + 20 * 2,
	       "with how much of them is the library's");
	is_u64(model_row(model, "solve")->min_ns, 1000, "nor is it taken out of the shortest call");
	pmu_model_free(model);
	thread->outer_shift = 3;
	model = must_read(build);
	is_u64(model_row(model, "solve")->cost_ns, 10 * 10 + 20 * (2 << 3),
	       "in the units that the thread's record has");
	pmu_model_free(model);
	thread->outer_shift = 40;
	model = must_read(build);
	is_u64(model_row(model, "solve")->cost_ns, 10 * 10 + 20 * 2, "but for impossible ones");
	pmu_model_free(model);
	free(build);
}

static void cost_reaches_every_row_around(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_model *model;
	uint32_t id = build_row(thread, group, build_name(build, "deep"), 2, 4, 10);

	build_row_at(thread, group, id)->outer[1] = 3;
	model = must_read(build);
	is_u64(model_row(model, "solve/inner")->net[0], 2000 - 12, "the row around it");
	is_u64(model_row(model, "solve")->net[0], 10000 - 12, "and the one around that");
	pmu_model_free(model);
	free(build);
}

/* --- doubts --- */

static void doubts_name_region_and_number(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_row *row = build_row_at(thread, group, 2), *only;
	struct pmu_model *model;
	uint32_t id;

	row->unended = 3;
	row->moved = 2;
	row->open = 1;
	row->flags = PMU_STORE_ROW_OVERLAP;
	thread->doubt[PMU_DOUBT_INTERRUPTED] = 4;
	thread->flags = PMU_THREAD_FLAT | PMU_THREAD_FORKED | PMU_THREAD_REFUSED;
	id = build_row(thread, group, build_name(build, "stray"), 0, 0, 0);
	only = build_row_at(thread, group, id);
	only->unbegun = 6;
	model = must_read(build);
	is_int(doubt_of(model, "begun but never ended", "solve/inner", 0), 3, "never ended");
	is_int(doubt_of(model, "changed processor", "solve/inner", 0), 2, "moved");
	is_int(doubt_of(model, "overlaps", "solve/inner", 0), 0, "overlap");
	is_int(doubt_of(model, "still open", "solve/inner", 0), -1,
	       "open in a live thread is none");
	is_int(doubt_of(model, "signal handler", "", 0), 4, "interrupted");
	is_int(doubt_of(model, "limit of regions", "", 0), 0, "flat");
	is_int(doubt_of(model, "was forbidden", "", 0), 0, "refused");
	is_int(doubt_of(model, "ended without a begin", "stray", 0), 6, "end without begin");
	ok(!model_row(model, "stray"), "which makes no region of its own");
	ok(model_note(model, "forked"), "a note on the fork");
	is_u64(model_row(model, "solve/inner")->flags & PMU_ROW_OVERLAP, PMU_ROW_OVERLAP, "flag");
	is_u64(model_row(model, "solve/inner")->flags & PMU_ROW_OPEN, PMU_ROW_OPEN, "open");
	is_u64(model_row(model, "solve/inner")->n_open, 1, "how often");
	pmu_model_free(model);
	free(build);
}

static void a_dead_program_is_told_from_a_live_one(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_model *model;

	build_row_at(thread, group, 1)->open = 1;
	build_kill(build);
	model = must_read(build);
	has(model->died, "did not end cleanly, or by a system call of its own", "died");
	has(model->died, "solve (thread 0)", "names what was open");
	is_int(doubt_of(model, "still open when the program died", "solve", 0), 1, "a doubt");
	is_u64(model->thread[0].time_ns, 5000000000 - 1000, "measured until the last known moment");
	pmu_model_free(model);
	build_head(build)->ended = 1;
	model = must_read(build);
	ok(!model->died, "one that reported has not died");
	is_int(doubt_of(model, "still open when the program ended", "solve", 0), 1,
	       "still a doubt");
	pmu_model_free(model);
	build_head(build)->ended = 0;
	build_head(build)->pid_ns ^= 1;
	model = must_read(build);
	ok(!model->died, "of a container elsewhere nothing is known");
	ok(model_note(model, "cannot be told"), "and a note says so");
	pmu_model_free(model);
	free(build);
}

/* A checkpoint has kept what the open call had done. */
static void what_is_open_at_an_end_was_cut_or_forgotten(void)
{
	static const char forgotten[] = "still open when the program ended";
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_row *row = build_row_at(thread, group, 1);
	struct pmu_model *model = must_read(build);
	uint64_t calls = model_row(model, "solve")->calls;

	pmu_model_free(model);
	row->open = 1;
	row->flags |= PMU_STORE_ROW_PARTIAL;
	build_head(build)->ended = 1;
	model = must_read(build);
	is_int(doubt_of(model, forgotten, "solve", 0), 1, "open at an end as usual: forgotten");
	is_u64(model_row(model, "solve")->calls, calls + 1, "its time is of a call");
	is_u64(model_row(model, "solve")->n_open, 1, "that is open");
	pmu_model_free(model);
	thread->flags |= PMU_THREAD_SETTLED;
	model = must_read(build);
	is_int(doubt_of(model, forgotten, "solve", 0), -1,
	       "of a thread that waited for work: over");
	pmu_model_free(model);
	thread->flags &= ~(uint32_t)PMU_THREAD_SETTLED;
	build_head(build)->next = PMU_NEXT_EXIT;
	model = must_read(build);
	is_int(doubt_of(model, forgotten, "solve", 0), -1, "at _exit(): cut");
	is_u64(model_row(model, "solve")->n_open, 0, "and no longer open");
	pmu_model_free(model);
	thread->state = PMU_THREAD_FINISHED;
	model = must_read(build);
	is_int(doubt_of(model, "still open when its thread ended", "solve", 0), 1,
	       "but not for one that ended before");
	pmu_model_free(model);
	row->flags |= PMU_STORE_ROW_INHERITED;
	model = must_read(build);
	is_int(doubt_of(model, "still open", "solve", 0), 1,
	       "a call after that of the parent's is its own");
	pmu_model_free(model);
	free(build);
}

static pid_t start_sleeper(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	return pid;
}

/* Its process lives on as another. */
static void an_exec_is_a_programs_end(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	pid_t other = start_sleeper();
	struct pmu_model *model;

	build_head(build)->pid = other;
	build_head(build)->start_time = 0;
	build_head(build)->point[0] = build_head(build)->point[1] =
		(struct pmu_clock_point){ 1000, 1000 };
	thread->last_end = 21000;
	model = must_read(build);
	ok(model->duration_ns > 20000, "a program that runs lasts until now");
	pmu_model_free(model);
	build_head(build)->next = PMU_NEXT_EXEC;
	model = must_read(build);
	is_u64(model->duration_ns, 20000, "until what it had measured last");
	is_u64(model->thread[0].time_ns, 20000, "and so did its thread");
	ok(!model->died, "which was a clean end");
	pmu_model_free(model);
	build_head(build)->pid = getpid();
	model = must_read(build);
	ok(model->duration_ns > 20000, "who reads its own store has not become another");
	pmu_model_free(model);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	free(build);
}

/* Valgrind's tool gives its name to every thread. */
static void emulated_threads_are_the_programs(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_model *model;

	memcpy(thread->name, "callgrind-amd64", 16);
	model = must_read(build);
	is_str(model->thread[0].name, "callgrind-amd64", "a program may have such a name");
	pmu_model_free(model);
	build_meta(build, PMU_META_SOURCE, "valgrind");
	model = must_read(build);
	is_str(model->thread[0].name, "solver", "valgrind's tool is not what was measured");
	pmu_model_free(model);
	free(build);
}

/* --- threads --- */

static void a_thread_is_one_in_all_groups(void)
{
	struct pmu_store_group *core, *other;
	struct pmu_store_thread *thread;
	struct build *build = simple(&core, &thread);
	struct pmu_model *model;

	thread->state = PMU_THREAD_FINISHED;
	thread->stop_ticks = 2000;
	other = build_group(build, 1, "OTHER", "branches");
	thread = build_thread(build, 1, other, 0, PMU_THREAD_FINISHED, 4);
	thread->start_ticks = 2000;
	thread->stop_ticks = 5000;
	build_row(thread, other, 1, 0, 3, 10);
	model = must_read(build);
	is_u64(model->n_threads, 1, "one thread");
	is_u64(model->thread[0].time_ns, 4000, "its time in both");
	is_u64(model->n_sections, 2, "two sections");
	is_u64(model->section[1].row[0].calls, 3, "the second has its own rows");
	pmu_model_free(model);
	free(build);
}

/* Hybrid: a thread may have been on other cores while another group was counted. */
static void kinds_of_core_are_those_of_all_groups(void)
{
	static const struct {
		uint32_t first, second;
		const char *name;
	} cases[] = {
		{ 0, 0, "" },
		{ PMU_THREAD_CORE_P, 0, "P" },
		{ 0, PMU_THREAD_CORE_E, "E" },
		{ PMU_THREAD_CORE_P, PMU_THREAD_CORE_P, "P" },
		{ PMU_THREAD_CORE_P, PMU_THREAD_CORE_E, "P+E" },
		{ PMU_THREAD_CORE_P | PMU_THREAD_CORE_E, PMU_THREAD_CORE_E, "P+E" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pmu_store_group *core, *other;
		struct pmu_store_thread *thread;
		struct build *build = simple(&core, &thread);
		struct pmu_model *model;

		thread->flags = cases[i].first;
		other = build_group(build, 1, "OTHER", "branches");
		thread = build_thread(build, 1, other, 0, PMU_THREAD_FINISHED, 4);
		thread->flags = cases[i].second;
		build_row(thread, other, 1, 0, 3, 10);
		model = must_read(build);
		is_str(model->thread[0].core_type, cases[i].name, "kinds of core");
		pmu_model_free(model);
		free(build);
	}
}

static void a_group_counted_twice_is_one(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_model *model;
	const struct pmu_model_row *row;
	uint32_t solve;

	thread->state = PMU_THREAD_FINISHED;
	thread = build_thread(build, 0, group, 0, PMU_THREAD_LIVE, 4);
	build_row(thread, group, build_name(build, "new"), 0, 1, 1);
	solve = build_row(thread, group, 1, 0, 10, 3000);
	build_row(thread, group, 2, solve, 5, 100);
	model = must_read(build);
	is_u64(model->n_threads, 1, "one thread");
	is_u64(model->section[0].n_thread_rows, 3, "equal regions share a row");
	row = model_row(model, "solve");
	is_u64(row->calls, 20, "its calls");
	is_u64(row->time_ns, 40000, "its time");
	is_u64(row->raw[1], 80000, "its counts");
	is_u64(row->min_ns, 1000, "the shortest of both");
	is_u64(row->max_ns, 3000, "the longest of both");
	ok(fabs(row->sd_ns - 1000) < 1e-6, "the deviation of both");
	is_u64(calls_of(model, "solve/inner"), 25, "what is nested");
	is_u64(model->n_notes, 0, "nothing is wrong with that");
	pmu_model_free(model);
	free(build);
}

static void a_thread_counts_once_on_its_way_into_the_set(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread, *set;
	struct build *build = simple(&group, &thread);
	struct pmu_store_row *row;
	struct pmu_model *model;
	uint32_t serial = build_chunk_of(thread)->owner;

	thread->state = PMU_THREAD_FINISHED;
	set = build_thread(build, 0, group, 7, PMU_THREAD_MERGED, 4);
	set->n_merged = 2;
	build_row(set, group, 1, 0, 100, 1);
	row = build_row_at(set, group, 1);
	row->seq = 0; /* of no account in a set */
	build_bank(row, group, 0)->calls = 110;
	set->merged = (uint64_t)99 << 32 | 1;
	model = must_read(build);
	is_u64(calls_of(model, "solve"), 110, "before: its own rows and the old bank");
	is_u64(model->thread[1].n_merged, 2, "the set says how many it holds");
	pmu_model_free(model);
	set->merged = (uint64_t)serial << 32 | 2;
	model = must_read(build);
	is_u64(calls_of(model, "solve"), 110, "after: the new bank alone");
	is_u64(model->n_threads, 1, "the thread itself is gone");
	pmu_model_free(model);
	thread->state = PMU_THREAD_FREE;
	model = must_read(build);
	is_u64(calls_of(model, "solve"), 110, "freed: the same");
	is_u64(model->n_notes, 0, "none of this is damage");
	pmu_model_free(model);
	free(build);
}

/* --- sockets --- */

static void sockets_stand_behind_the_threads(void)
{
	struct build *build = build_new();
	struct pmu_store_group *group = build_group(build, 0, "MEM", "instructions energy");
	struct pmu_store_thread *socket, *unknown, *thread;
	uint32_t solve = build_name(build, "solve");
	const struct pmu_model_row *row;
	struct pmu_model *model;

	socket = build_thread(build, 0, group, PMU_STORE_FIRST_SOCKET + 3, PMU_THREAD_LIVE, 2);
	build_row(socket, group, solve, 0, 2, 100);
	socket->flags = PMU_THREAD_SOCKET;
	socket->missing = 1;
	socket->sockets = 2;
	socket->read_ticks = 3100;
	thread = build_thread(build, 0, group, 0, PMU_THREAD_LIVE, 2);
	build_row(thread, group, solve, 0, 10, 1000);
	thread->missing = thread->sockets = 2;
	model = must_read(build);
	is_u64(model->n_threads, 1, "one thread");
	is_u64(model->n_sockets, 1, "one socket");
	is_int(model->thread[1].number, 3, "its number");
	is_u64(model->section->sockets, 2, "its count");
	ok(model->section->socket_read_ns > 3099 && model->section->socket_read_ns < 3101,
	   "what reading it takes");
	row = model_row(model, "solve");
	is_u64(row->missing, 0, "all that each of them counts is there");
	is_u64(row->calls, 10, "the thread's calls");
	is_u64(row->net[0], 10000, "and count");
	is_u64(row->net[1], 400, "the socket's count");
	is_u64(model->n_doubts, 0, "no doubt");
	pmu_model_free(model);
	/* a socket of unknown number, and fields that no writer would write */
	unknown = build_thread(build, 0, group, UINT32_MAX, PMU_THREAD_LIVE, 2);
	build_row(unknown, group, solve, 0, 1, 100);
	unknown->flags = PMU_THREAD_SOCKET;
	unknown->missing = 3;
	unknown->sockets = UINT32_MAX;
	unknown->read_ticks = UINT32_MAX;
	model = must_read(build);
	is_u64(model->n_sockets, 2, "another socket");
	ok(model->thread[1].number == -1 || model->thread[2].number == -1, "of no number");
	is_u64(model->section->sockets, 3, "no more counts than there are");
	is_u64(model_row(model, "solve")->missing, 3, "is missing in the sum");
	is_int((int)doubt_of(model, "whose socket is not counted", "", -1), 0, "which is told");
	pmu_model_free(model);
	unknown->state = PMU_THREAD_MERGED;
	model = must_read(build);
	is_u64(model->n_sockets, 1, "a set is of threads");
	pmu_model_free(model);
	free(build);
}

/* --- a sample --- */

/* A store with some of everything, for tests of the command and as a seed for the fuzzer.
 */
static struct build *sample(void)
{
	struct build *build = build_new();
	struct pmu_store_group *core = build_group(build, 0, "CORE", "instructions cycles");
	struct pmu_store_group *other = build_group(build, 1, "OTHER", "branches");
	struct pmu_store_thread *thread;
	uint32_t solve = build_name(build, "solve"), inner = build_name(build, "inner"), id;
	uint32_t odd = build_name(build, "a/b \xff\"\n");

	build_meta(build, PMU_META_PROGRAM, "solver");
	build_meta(build, PMU_META_COMMAND, "solver -n 3");
	build_meta(build, PMU_META_HOST, "node1");
	build_meta(build, PMU_META_MACHINE, "a machine, 2 processors");
	build_meta(build, PMU_META_CPU, "cpu-1");
	build_meta(build, PMU_META_SOURCE, "perf");
	build_meta(build, PMU_META_SOURCE_DETAIL, "user level");
	build_meta(build, PMU_META_PINNING, "none");
	build_meta(build, PMU_META_VERSION, "0.1.0");
	build_meta(build, PMU_META_NOTE, "a note");
	build_meta(build, PMU_META_REFUSAL, "msr\tno device\tmodprobe msr");
	build_meta(build, PMU_META_METRIC, "0\tIPC\t\tinstructions / cycles");
	thread = build_thread(build, 0, core, 0, PMU_THREAD_LIVE, 4);
	memcpy(thread->name, "main", 5);
	thread->inner[0] = 3;
	thread->doubt[PMU_DOUBT_INTERRUPTED] = 2;
	id = build_row(thread, core, solve, 0, 10, 1000);
	build_row_at(thread, core, id)->open = 1;
	id = build_row(thread, core, inner, id, 20, 100);
	build_row_at(thread, core, id)->missing = 2;
	build_row_at(thread, core, id)->outer[1] = 4;
	build_row(thread, core, odd, 0, 7, 333);
	thread = build_thread(build, 0, core, 1, PMU_THREAD_FINISHED, 4);
	thread->cpu = 1;
	thread->minor_faults = 12;
	id = build_row(thread, core, solve, 0, 3, 1500);
	build_row(thread, core, inner, id, 11, 77);
	thread = build_thread(build, 1, other, 0, PMU_THREAD_FINISHED, 4);
	id = build_row(thread, other, inner, 0, 1, 9);
	build_row_at(thread, other, id)->unended = 1;
	thread = build_thread(build, 0, core, 2, PMU_THREAD_MERGED, 4);
	thread->n_merged = 5;
	thread->merged = (uint64_t)77 << 32 | 1;
	build_row(thread, core, solve, 0, 50, 10);
	build_kill(build);
	return build;
}

/* Of rows with a flag that is none here, as calls that were counted and not measured once had. */
static void what_another_version_kept_is_left_out(void)
{
	struct pmu_store_thread *thread;
	struct pmu_store_group *group;
	struct build *build = simple(&group, &thread);
	struct pmu_store_row *row = build_row_at(thread, group, 1);
	struct pmu_model *model;

	row->flags |= PMU_STORE_ROW_KNOWN + 1;
	model = must_read(build);
	is_u64(calls_of(model, "solve"), 0, "calls in a way of another version are none");
	is_u64(calls_of(model, "solve/inner"), 20, "what is nested in them is there");
	is_u64(model->n_notes, 1, "a note");
	has(model->n_notes ? model->note[0] : "", "another version", "says so");
	pmu_model_free(model);
	free(build);
}

static void the_sample_is_whole(void)
{
	struct build *build = sample();
	struct pmu_model *model = must_read(build);

	is_u64(calls_of(model, "solve"), 63, "rows of three threads");
	is_u64(model->n_threads, 3, "which are there");
	is_u64(model->n_sections, 2, "two groups");
	is_u64(model->n_notes, 1, "no damage");
	pmu_model_free(model);
	free(build);
}

/* "store": the file as it is; "seed": without this machine and the zeroes behind the
 * head. */
static int write_sample(const char *what, const char *path)
{
	struct build *build = sample();
	struct pmu_store_head *head = build_head(build);
	size_t size = head->size, gap = PMU_STORE_HEAD_SIZE - sizeof(*head);
	int failed;

	if (!strcmp(what, "seed")) {
		memset(head->boot_id, 0, sizeof(head->boot_id));
		head->pid = INT32_MAX;
		head->pid_ns = 0;
		size -= gap;
		memmove(head + 1, build->bytes + PMU_STORE_HEAD_SIZE, size - sizeof(*head));
	}
	failed = write_store(path, build, size);
	free(build);
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return write_sample(argv[1], argv[2]);
	reads_every_text();
	reads_the_tree();
	deviation_comes_from_the_squares();
	other_clocks_are_converted();
	the_sequence_names_the_bank();
	rows_in_more_chunks_belong_to_their_thread();
	empty_rows_are_left_out();
	sockets_stand_behind_the_threads();
	missing_stays_missing();
	own_cost_is_taken_out();
	cost_reaches_every_row_around();
	doubts_name_region_and_number();
	a_dead_program_is_told_from_a_live_one();
	an_exec_is_a_programs_end();
	what_is_open_at_an_end_was_cut_or_forgotten();
	emulated_threads_are_the_programs();
	a_thread_is_one_in_all_groups();
	kinds_of_core_are_those_of_all_groups();
	a_group_counted_twice_is_one();
	a_thread_counts_once_on_its_way_into_the_set();
	what_another_version_kept_is_left_out();
	the_sample_is_whole();
	return done_testing();
}
