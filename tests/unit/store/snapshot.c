/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked reader: what it makes of whole, torn, damaged and hostile stores. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "pmu.h"
#include "store/read/raw.h"
#include "tap.h"
#include "unit/store_build.h"

static struct pmu_model *must_read(struct build *build)
{
	struct pmu_model *model = NULL;
	int rc = build_read(build, &model);

	if (rc) {
		diag("pmu_store_snapshot: %d, %s", rc, pmu_error_text());
		exit(1);
	}
	return model;
}

static uint64_t calls_of(const struct pmu_model *model, const char *path)
{
	const struct pmu_model_row *row = model_row(model, path);

	return row ? row->calls : UINT64_MAX;
}

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

/* A store with solve/inner in one live thread. */
static struct build *simple(struct pmu_store_group **group, struct pmu_store_thread **thread)
{
	struct build *build = build_new();
	uint32_t solve, inner;

	build_meta(build, PMU_META_PROGRAM, "solver");
	*group = build_group(build, 0, "CORE", "instructions cycles");
	solve = build_name(build, "solve");
	inner = build_name(build, "inner");
	*thread = build_thread(build, 0, *group, 0, PMU_THREAD_LIVE, 8);
	solve = build_row(*thread, *group, solve, 0, 10, 1000);
	build_row(*thread, *group, inner, solve, 20, 100);
	return build;
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
	/* one that nobody knows, and fields that no writer would write */
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

/* --- damage --- */

static void refuses(struct build *build, int want, const char *part, const char *name)
{
	struct pmu_model *model;

	is_int(build_read(build, &model), want, name);
	has(pmu_error_text(), part, "and says why");
}

static void foreign_heads_are_refused(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_head *head = build_head(build), good = *head;
	struct pmu_store_piece piece = { build->bytes, 0, 100 };
	struct pmu_store_view view = { &piece, 1 };
	struct pmu_model *model;

	head->magic[0] = 'X';
	refuses(build, -EINVAL, "not a store", "another magic");
	*head = good;
	head->version = 2;
	refuses(build, -ENOTSUP, "format 2", "a newer version");
	*head = good;
	head->byte_order = 0x04030201;
	refuses(build, -ENOTSUP, "byte order", "another byte order");
	*head = good;
	head->clock_kind = 9;
	refuses(build, -EUCLEAN, "damaged", "an unknown clock");
	*head = good;
	head->size = UINT64_MAX;
	refuses(build, -EUCLEAN, "damaged", "an impossible size");
	*head = good;
	is_int(pmu_store_snapshot(&view, NULL, &model), -EINVAL, "too short for a head");
	free(build);
}

static void damage_costs_what_it_hit(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_row *inner = build_row_at(thread, group, 2);
	struct pmu_store_chunk *chunk;
	struct pmu_model *model;

	inner->name = 77;
	model = must_read(build);
	is_u64(calls_of(model, "solve/?"), 20, "an unknown name: still counted");
	ok(model_note(model, "name is unknown"), "with a note");
	pmu_model_free(model);
	inner->name = 2;
	inner->parent = 2;
	model = must_read(build);
	is_u64(calls_of(model, "inner"), 20, "nested in itself: at the top");
	ok(model_note(model, "outer region is unknown"), "with a note");
	pmu_model_free(model);
	inner->parent = 1;
	build_chunk_of(thread)->used = 1000000;
	model = must_read(build);
	is_u64(calls_of(model, "solve/inner"), 20, "too many rows: those that fit");
	ok(model_note(model, "outside of their place"), "with a note");
	pmu_model_free(model);
	build_chunk_of(thread)->used = 2;
	chunk = build_chunk(build, PMU_CHUNK_ROWS, group->row_size);
	chunk->owner = 55;
	chunk->first = 1;
	chunk->used = 1;
	model = must_read(build);
	ok(model_note(model, "no thread"), "rows of no thread: a note");
	pmu_model_free(model);
	chunk->magic = 0;
	model = must_read(build);
	is_u64(calls_of(model, "solve/inner"), 20, "a bad chunk: all before it counts");
	ok(model_note(model, "unreadable"), "with a note");
	pmu_model_free(model);
	free(build);
}

static void bad_groups_are_left_out(void)
{
	struct pmu_store_group *group, good;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_model *model;

	good = *group;
	group->bank_offset = 4;
	model = must_read(build);
	is_u64(model->n_sections, 0, "banks over the row's head");
	ok(model_note(model, "impossible layout"), "a note");
	pmu_model_free(model);
	memcpy(group, &good, sizeof(good));
	group->n_slots = 17;
	model = must_read(build);
	is_u64(model->n_sections, 0, "too many slots");
	pmu_model_free(model);
	memcpy(group, &good, sizeof(good));
	group->row_size = 0;
	model = must_read(build);
	is_u64(model->n_sections, 0, "rows without a size");
	pmu_model_free(model);
	free(build);
}

/* Every bit of a store flipped, one at a time: a refusal or a report, and nothing read
 * out of bounds. */
static void survives_every_flipped_bit(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_piece piece = { NULL, 0, 0 };
	struct pmu_store_view view = { &piece, 1 };
	struct pmu_model *model;
	size_t size = build_head(build)->size, bit;
	unsigned int reports = 0, refusals = 0;
	char *copy = malloc(size);

	piece.base = copy;
	piece.size = size;
	for (bit = 0; bit < 8 * size; bit++) {
		/* the head's unused part says nothing */
		if (bit == 8 * sizeof(struct pmu_store_head))
			bit = 8 * PMU_STORE_HEAD_SIZE;
		memcpy(copy, build->bytes, size);
		copy[bit / 8] ^= (char)(1 << bit % 8);
		if (pmu_store_snapshot(&view, NULL, &model)) {
			refusals++;
			continue;
		}
		reports++;
		pmu_model_free(model);
	}
	ok(refusals > 8 * 8, "some are refused (%u)", refusals);
	ok(reports > 4 * refusals, "most are reported (%u)", reports);
	free(copy);
	free(build);
}

/* A store cut at any length. */
static void survives_every_cut(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_store_piece piece = { NULL, 0, 0 };
	struct pmu_store_view view = { &piece, 1 };
	struct pmu_model *model;
	size_t size = build_head(build)->size, len;
	unsigned int reports = 0;
	char *copy;

	build_kill(build);
	for (len = 0; len < size; len += 8) {
		copy = malloc(len ? len : 1);
		memcpy(copy, build->bytes, len);
		piece.base = copy;
		piece.size = len;
		if (!pmu_store_snapshot(&view, NULL, &model)) {
			reports++;
			pmu_model_free(model);
		}
		free(copy);
	}
	is_u64(reports, (size - PMU_STORE_HEAD_SIZE + 7) / 8, "everything with a head is reported");
	free(build);
}

static void pieces_make_one_store(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	uint64_t cut = (uint64_t)((char *)build_chunk_of(thread) - build->bytes);
	char *second = malloc(BUILD_SIZE);
	struct pmu_store_piece piece[2] = { { build->bytes, 0, cut },
					    { second, cut, BUILD_SIZE - cut } };
	struct pmu_store_view view = { piece, 2 };
	struct pmu_model *model;

	memcpy(second, build->bytes + cut, BUILD_SIZE - cut);
	memset(build->bytes + cut, 0xff, BUILD_SIZE - cut);
	if (ok(!pmu_store_snapshot(&view, NULL, &model), "two pieces are read")) {
		is_u64(calls_of(model, "solve/inner"), 20,
		       "rows of the second, names of the first");
		is_u64(model->n_notes, 0, "nothing is wrong with that");
		pmu_model_free(model);
	}
	view.n_pieces = 1;
	if (ok(!pmu_store_snapshot(&view, NULL, &model), "a look at the first alone")) {
		is_u64(model->n_notes, 0, "what came later is no damage in a store that grows");
		pmu_model_free(model);
	}
	free(second);
	free(build);
}

/* --- while it is written --- */

struct writer {
	struct pmu_store_row *row;
	struct pmu_store_group *group;
	uint32_t stop;
};

/* Publishes totals of which every one is the same multiple of the number of calls. */
static void *write_rows(void *arg)
{
	struct writer *writer = arg;
	struct pmu_store_bank *bank;
	uint64_t n = 10;
	uint32_t seq = 1, i;

	while (!__atomic_load_n(&writer->stop, __ATOMIC_RELAXED)) {
		bank = build_bank(writer->row, writer->group, ++seq);
		__atomic_store_n(&bank->calls, ++n, __ATOMIC_RELEASE);
		__atomic_store_n(&bank->ticks, n * 1000, __ATOMIC_RELEASE);
		for (i = 0; i < writer->group->n_slots; i++)
			__atomic_store_n(&bank->count[i], n * 1000 * (i + 1), __ATOMIC_RELEASE);
		__atomic_store_n(&writer->row->seq, seq, __ATOMIC_RELEASE);
	}
	return NULL;
}

static bool is_torn(const struct pmu_raw_row *row, uint32_t n_slots)
{
	bool torn = row->ticks != row->calls * 1000;
	uint32_t i;

	for (i = 0; i < n_slots; i++)
		torn = torn || row->count[i] != row->calls * 1000 * (i + 1);
	return torn;
}

static void never_sees_a_torn_row(void)
{
	struct build *build = build_new();
	struct pmu_store_group *group = build_group(build, 0, "WIDE",
						    "a b c d e f g h i j k l m n o p");
	struct pmu_store_thread *thread = build_thread(build, 0, group, 0, PMU_THREAD_LIVE, 1);
	struct pmu_store_piece piece = { build->bytes, 0, BUILD_SIZE };
	struct pmu_store_view view = { &piece, 1 };
	unsigned int i, torn = 0, older = 0, skipped = 0, moved = 0;
	struct writer writer = { NULL, group, 0 };
	struct pmu_raw raw;
	uint64_t last = 0;
	pthread_t id;

	build_row(thread, group, build_name(build, "busy"), 0, 10, 1000);
	writer.row = build_row_at(thread, group, 1);
	pthread_create(&id, NULL, write_rows, &writer);
	/* as long as it takes for reader and writer to meet often */
	for (i = 0; i < 200000 && moved < 20000; i++) {
		pmu_raw_read(&view, true, &raw);
		if (raw.n_threads != 1 || raw.thread[0].n_rows != 1 || raw.thread[0].row[0].torn) {
			skipped++;
		} else {
			torn += is_torn(&raw.thread[0].row[0], group->n_slots);
			older += raw.thread[0].row[0].calls < last;
			moved += raw.thread[0].row[0].calls > last;
			last = raw.thread[0].row[0].calls;
		}
		pmu_raw_free(&raw);
	}
	__atomic_store_n(&writer.stop, 1, __ATOMIC_RELAXED);
	pthread_join(id, NULL);
	ok(moved > 1, "the writer wrote meanwhile");
	is_u64(torn, 0, "no total belongs to another call");
	is_u64(older, 0, "none goes back");
	is_u64(skipped, 0, "none is skipped");
	free(build);
}

/* --- files --- */

static int write_store(const char *path, const struct build *build, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t n = fd < 0 ? -1 : write(fd, build->bytes, size);

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)size ? 0 : -1;
}

static void reads_files(void)
{
	struct pmu_store_group *group;
	struct pmu_store_thread *thread;
	struct build *build = simple(&group, &thread);
	struct pmu_model *model = NULL;
	size_t size = build_head(build)->size;
	char dir[] = "/tmp/pmu-snapshot-XXXXXX", path[64], link[64];

	if (!mkdtemp(dir))
		exit(1);
	snprintf(path, sizeof(path), "%s/a.pmu", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	write_store(path, build, size);
	is_int(pmu_store_snapshot_file(path, &model), 0, "a store of a running process");
	is_u64(calls_of(model, "solve"), 10, "its rows");
	ok(!model->died, "which has not died");
	pmu_model_free(model);
	build_kill(build);
	write_store(path, build, size);
	is_int(pmu_store_snapshot_file(path, &model), 0, "a left-over store");
	has(model->died, "did not end cleanly", "which says so");
	pmu_model_free(model);
	write_store(path, build, size - 64);
	is_int(pmu_store_snapshot_file(path, &model), 0, "a file that was cut");
	ok(model_note(model, "ends before the store does"), "a note says so");
	pmu_model_free(model);
	write_store(path, build, 100);
	is_int(pmu_store_snapshot_file(path, &model), -EINVAL, "cut in its head");
	is_int(symlink(path, link), 0, "a symbolic link");
	is_int(pmu_store_snapshot_file(link, &model), -ELOOP, "is not followed");
	is_int(pmu_store_snapshot_file(dir, &model), -EINVAL, "a folder is no store");
	unlink(path);
	is_int(pmu_store_snapshot_file(path, &model), -ENOENT, "no file");
	has(pmu_error_text(), path, "is named");
	is_int(mkfifo(path, 0600), 0, "a pipe nobody writes to");
	is_int(pmu_store_snapshot_file(path, &model), -EINVAL, "is refused without waiting");
	unlink(path);
	unlink(link);
	rmdir(dir);
	free(build);
}

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
	foreign_heads_are_refused();
	damage_costs_what_it_hit();
	bad_groups_are_left_out();
	survives_every_flipped_bit();
	survives_every_cut();
	pieces_make_one_store();
	never_sees_a_torn_row();
	reads_files();
	the_sample_is_whole();
	return done_testing();
}
