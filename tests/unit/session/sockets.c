/* SPDX-License-Identifier: BSD-3-Clause */
/* What sockets count, by region: with a source of counters that move only when a test says so. */
#include "session/groups.h"
#include "unit/part.h"
#include "unit/session/sockets_fake.h"

/* "cycle rate" of a sum is over the time that its socket was occupied. */
static void is_rate(const struct pmu_model *model, const char *path, uint64_t cycles)
{
	const struct pmu_model_section *s = model->section;
	const struct pmu_model_row *sum = model_row(model, path), *row = row_of(model, path, 0);

	for (unsigned int i = 0; i < s->n_metrics; i++) {
		double want = (double)cycles / (double)row->time_ns;

		if (!strcmp(s->metric[i].name, "cycle rate"))
			ok(fabs(sum->metric[i] - want) <= 1e-9 * want &&
				   sum->time_ns != row->time_ns,
			   "its rate is the socket's");
	}
}

static void a_region_has_what_its_socket_counted_meanwhile(void)
{
	const struct pmu_model_row *sum, *row;
	struct pmu_model *model;

	start();
	tick(0, 7);
	begin("solve");
	tick(0, 10);
	tick(1, 1000);
	own += 40;
	end("solve");
	tick(0, 7);
	begin("solve");
	tick(0, 30);
	end("solve");
	model = model_now();
	is_int((int)model->n_threads, 1, "one thread");
	is_int((int)model->n_sockets, 1, "and one socket, that it was on");
	is_int((int)model->section->sockets, OURS, "which counts are whose");
	sum = model_row(model, "solve");
	is_row(sum, 2, 40, "the sum");
	is_u64(sum->net[INSTRUCTIONS], 40, "the thread's own count");
	is_u64(sum->self[CYCLES], 40, "nothing is nested in it");
	is_u64(sum->missing, 0, "nothing is missing");
	is_u64(sum->n_threads, 1, "of one thread");
	row = row_of(model, "solve", 0);
	is_row(row, 2, 40, "the socket's row");
	ok(row && row->missing == 1u << INSTRUCTIONS, "it has no count of threads");
	row = &model->section->thread_row[0];
	ok(!pmu_model_is_socket(model, row) && row->missing == OURS,
	   "nor the thread one of sockets");
	is_int((int)model->n_doubts, 0, "and nothing of that is a doubt");
	ok(sum->time_ns == row->time_ns, "time is the thread's");
	pmu_model_free(model);
	pmu_fini();
}

static void threads_that_overlap_count_once(void)
{
	struct pmu_model *model;
	struct other other;
	unsigned int before;

	start();
	other_start(&other, 0);
	begin("warm");
	end("warm");
	before = n_reads;
	begin("solve");
	tick(0, 1);
	OTHER_BEGIN(&other, "solve");
	tick(0, 10);
	end("solve");
	tick(0, 100);
	OTHER_END(&other, "solve");
	tick(0, 1000);
	is_int((int)(n_reads - before), 2, "read when the first came in and when the last left");
	model = model_now();
	is_row(row_of(model, "solve", 0), 1, 111, "occupied once");
	is_row(model_row(model, "solve"), 2, 111, "two calls");
	is_rate(model, "solve", 111);
	is_u64(model_row(model, "solve")->n_threads, 2, "of two threads");
	is_int((int)model->n_threads, 2, "sockets are no threads");
	pmu_model_free(model);
	OTHER_EXIT(&other);
	pmu_fini();
}

static void sockets_are_added_up(void)
{
	struct pmu_model *model;
	struct other other;

	start();
	other_start(&other, 1);
	begin("solve");
	OTHER_BEGIN(&other, "solve");
	tick(0, 5);
	tick(1, 60);
	end("solve");
	tick(0, 700);
	tick(1, 8000);
	OTHER_END(&other, "solve");
	model = model_now();
	is_row(row_of(model, "solve", 0), 1, 5, "socket 0");
	is_row(row_of(model, "solve", 1), 1, 8060, "socket 1");
	is_row(model_row(model, "solve"), 2, 8065, "both");
	is_int((int)model->n_sockets, 2, "two sockets");
	pmu_model_free(model);
	OTHER_EXIT(&other);
	pmu_fini();
}

static void nested_regions_have_their_part(void)
{
	struct pmu_model *model;

	start();
	for (int i = 0; i < 3; i++) {
		begin("outer");
		tick(0, 1);
		begin("inner");
		tick(0, 10);
		end("inner");
		begin("inner");
		tick(0, 10);
		end("inner");
		tick(0, 100);
		end("outer");
	}
	model = model_now();
	is_row(model_row(model, "outer"), 3, 363, "outer");
	is_row(model_row(model, "outer/inner"), 6, 60, "inner");
	is_u64(model_row(model, "outer")->self[CYCLES], 303, "without what is nested");
	is_u64(model_row(model, "outer")->self_missing, 0, "which is known");
	is_u64(row_of(model, "outer", 0)->self[CYCLES], 303, "on the socket, too");
	pmu_model_free(model);
	pmu_fini();
}

/*
 * What a socket counts while threads are in two regions side by side is in both: what is left
 * around them is no difference.
 */
static void regions_side_by_side_leave_no_self(void)
{
	struct pmu_model *model;
	struct other other;
	char *text;

	start();
	other_start(&other, 0);
	begin("all");
	begin("outer");
	OTHER_BEGIN(&other, "all");
	OTHER_BEGIN(&other, "outer");
	begin("one");
	tick(0, 1);
	end("one");
	OTHER_BEGIN(&other, "two");
	tick(0, 10);
	OTHER_END(&other, "two");
	tick(0, 100);
	end("outer");
	OTHER_END(&other, "outer");
	model = model_now();
	is_u64(model_row(model, "all/outer")->self[CYCLES], 100, "one after the other");
	is_u64(model_row(model, "all/outer")->self_missing, 0, "they leave what is known");
	pmu_model_free(model);
	begin("outer");
	begin("one");
	OTHER_BEGIN(&other, "outer");
	OTHER_BEGIN(&other, "two");
	tick(0, 1000);
	end("one");
	OTHER_END(&other, "two");
	end("outer");
	OTHER_END(&other, "outer");
	OTHER_END(&other, "all");
	tick(0, 10000);
	end("all");
	model = model_now();
	is_row(row_of(model, "all/outer", 0), 2, 1111, "both are in the region around them");
	is_row(row_of(model, "all/outer/one", 0), 2, 1001, "one has what was counted");
	is_row(row_of(model, "all/outer/two", 0), 2, 1010, "and so does the other");
	ok(row_of(model, "all/outer", 0)->self_missing >> CYCLES & 1, "what is left is not known");
	ok(model_row(model, "all/outer")->self_missing >> CYCLES & 1, "nor in the sum");
	ok(!(model_row(model, "all/outer")->self_missing >> INSTRUCTIONS & 1), "a thread's own is");
	is_u64(row_of(model, "all", 0)->self[CYCLES], 10000, "further out it is");
	is_u64(row_of(model, "all", 0)->self_missing & OURS, 0, "for sure");
	is_int((int)doubts_with(model, ""), 0, "without a doubt");
	text = render(model, PMU_REPORT_JSON);
	has(text, "\"flags\": [\"no_self\"]", "JSON says so");
	free(text);
	is_read_back(model);
	pmu_model_free(model);
	OTHER_EXIT(&other);
	pmu_fini();
}

static void reentry_does_not_count_again(void)
{
	struct pmu_model *model;

	start();
	begin("f");
	tick(0, 1);
	begin("f");
	tick(0, 10);
	end("f");
	tick(0, 100);
	begin("g");
	begin("f");
	tick(0, 1000);
	end("f");
	end("g");
	end("f");
	tick(0, 10000);
	model = model_now();
	is_row(model_row(model, "f"), 3, 1111, "from the outermost begin to its end");
	is_row(row_of(model, "f", 0), 1, 1111, "occupied once");
	ok(row_of(model, "f", 0)->flags & PMU_ROW_RECURSIVE, "which its row says");
	ok(row_of(model, "f", 0)->self_missing >> CYCLES & 1, "on the socket");
	ok(model_row(model, "f")->self_missing >> CYCLES & 1, "mutual recursion leaves no self");
	pmu_model_free(model);
	pmu_fini();
}

static void a_detached_region_goes_on_counting(void)
{
	struct pmu_model *model;

	start();
	begin("a");
	begin("b");
	tick(0, 1);
	end("a");
	tick(0, 10);
	end("b");
	tick(0, 100);
	model = model_now();
	is_row(model_row(model, "a"), 1, 1, "the region below");
	is_row(model_row(model, "a/b"), 1, 11, "the detached one");
	ok(row_of(model, "a/b", 0)->flags & PMU_ROW_OVERLAP, "is marked on the socket");
	ok(model_row(model, "a")->self_missing >> CYCLES & 1, "and leaves no self");
	is_int((int)doubts_with(model, "below zero"), 0, "nor a negative one");
	pmu_model_free(model);
	/* begun again: the old call is given up, and what it began to count with it */
	begin("a");
	begin("b");
	tick(0, 1000);
	end("a");
	begin("a");
	begin("b");
	tick(0, 10000);
	end("b");
	end("a");
	model = model_now();
	is_row(model_row(model, "a/b"), 2, 10011, "a call that was given up adds nothing");
	is_int((int)doubts_with(model, "never ended it: that time is not counted for socket 0"), 1,
	       "and is told");
	pmu_model_free(model);
	pmu_fini();
}

static void a_thread_that_ends_inside_leaves(void)
{
	struct pmu_model *model;
	struct other other;

	start();
	other_start(&other, 0);
	OTHER_BEGIN(&other, "alone");
	OTHER_BEGIN(&other, "shared");
	begin("alone"); /* another path than the next: alone/shared */
	begin("shared");
	tick(0, 5);
	OTHER_EXIT(&other);
	tick(0, 60);
	end("shared");
	end("alone");
	tick(0, 700);
	model = model_now();
	is_row(row_of(model, "alone/shared", 0), 1, 65, "those that remain go on");
	is_u64(row_of(model, "alone", 0)->n_open, 0, "nobody is inside any more");
	is_int((int)doubts_with(model, "not counted for"), 0, "nothing was lost");
	pmu_model_free(model);
	other_start(&other, 0);
	OTHER_BEGIN(&other, "alone");
	tick(0, 8000);
	OTHER_EXIT(&other);
	model = model_now();
	is_row(row_of(model, "alone", 0), 1, 65, "who was alone adds nothing");
	is_int((int)doubts_with(model, "not counted for"), 1, "which is told");
	pmu_model_free(model);
	begin("alone");
	tick(0, 100);
	end("alone");
	model = model_now();
	is_row(row_of(model, "alone", 0), 2, 165, "the next one starts anew");
	pmu_model_free(model);
	pmu_fini();
}

static void a_moved_thread_leaves_the_socket_it_came_in_on(void)
{
	struct pmu_model *model;

	start();
	begin("outer");
	on_socket = 1;
	begin("inner");
	tick(0, 5);
	tick(1, 60);
	end("inner");
	tick(1, 700);
	end("outer");
	model = model_now();
	is_row(row_of(model, "outer", 0), 1, 5, "outer on socket 0");
	is_row(row_of(model, "outer/inner", 1), 1, 60, "inner on socket 1");
	is_u64(row_of(model, "outer", 1)->calls, 0, "where nobody began outer");
	ok(model_row(model, "outer")->self_missing >> CYCLES & 1, "self is not known then");
	is_int((int)doubts_with(model, "below zero"), 0, "rather than negative");
	pmu_model_free(model);
	pmu_fini();
}

static void an_unknown_socket_makes_the_sum_missing(void)
{
	struct pmu_model *model;
	struct other other;

	start();
	other_start(&other, -1);
	begin("solve");
	tick(0, 5);
	end("solve");
	begin("known");
	tick(0, 5);
	end("known");
	OTHER_BEGIN(&other, "solve");
	OTHER_END(&other, "solve");
	model = model_now();
	is_row(row_of(model, "solve", 0), 1, 5, "what is known");
	is_row(row_of(model, "solve", -1), 1, UINT64_MAX, "what is not");
	is_row(model_row(model, "solve"), 2, UINT64_MAX, "and so their sum");
	is_row(model_row(model, "known"), 1, 5, "another region has nothing to do with it");
	is_int((int)doubts_with(model, "whose socket is not counted"), 1, "which is told once");
	pmu_model_free(model);
	OTHER_EXIT(&other);
	pmu_fini();
}

static void a_read_that_fails_is_missing(void)
{
	struct pmu_model *model;

	start();
	begin("solve");
	tick(0, 5);
	unreadable = 1u << CYCLES;
	end("solve");
	unreadable = 0;
	begin("other");
	tick(0, 5);
	end("other");
	unreadable = 1u << CYCLES;
	begin("third");
	unreadable = 0;
	end("third");
	model = model_now();
	is_row(model_row(model, "solve"), 1, UINT64_MAX, "the sum");
	is_row(model_row(model, "third"), 1, UINT64_MAX, "where the first read failed");
	ok(!(model_row(model, "solve")->missing >> ENERGY & 1), "the other slot is there");
	is_u64(model_row(model, "solve")->net[ENERGY], 10, "with its count");
	is_row(model_row(model, "other"), 1, 5, "the next region");
	is_int((int)doubts_with(model, "cycles could not be read at every call for socket 0"), 2,
	       "doubts");
	pmu_model_free(model);
	pmu_fini();
}

static void an_open_region_is_in_no_report_yet(void)
{
	struct pmu_model *model;

	start();
	begin("solve");
	tick(0, 5);
	begin("inner");
	tick(0, 60);
	end("inner");
	model = model_now();
	is_row(model_row(model, "solve"), 0, 0, "nothing has ended");
	ok(row_of(model, "solve", 0)->flags & PMU_ROW_OPEN, "it is marked");
	is_row(model_row(model, "solve/inner"), 1, 60, "what has ended in it counts");
	is_int((int)doubts_with(model, ""), 0, "no doubt");
	pmu_model_free(model);
	end("solve");
	model = model_now();
	is_row(model_row(model, "solve"), 1, 65, "the report after its end");
	pmu_model_free(model);
	pmu_fini();
}

static void reset_and_read(void)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	struct pmu_model *model;
	struct other other;

	start();
	other_start(&other, 0);
	begin("solve");
	tick(0, 5);
	end("solve");
	is_int(pmu_region_read("solve", PMU_THREAD_SELF, &counts), 0, "read");
	is_u64(counts.missing, OURS, "a thread has no count of a socket");
	is_int(pmu_region_read("solve", 0, &counts), 0, "by number");
	is_u64(counts.missing, OURS, "thread 0, not socket 0");
	on_socket = 1;
	begin("mine");
	end("mine");
	on_socket = 0;
	OTHER_BEGIN(&other, "theirs");
	OTHER_END(&other, "theirs");
	is_int(pmu_region_read("mine", 1, &counts), -ENOENT, "socket 1 is no thread 1");
	OTHER_BEGIN(&other, "solve");
	tick(0, 60);
	is_int(pmu_region_reset("solve"), 0, "reset");
	tick(0, 700);
	OTHER_END(&other, "solve");
	model = model_now();
	is_row(row_of(model, "solve", 0), 1, 700, "counted from the reset on");
	pmu_model_free(model);
	OTHER_EXIT(&other);
	pmu_fini();
}

static void begin_tick_end(uint64_t n)
{
	begin("solve");
	tick(0, n);
	end("solve");
}

static void every_group_has_its_own(const struct pmu_backend *source)
{
	struct pmu_model *model;

	unsetenv("PMU_EVENTS");
	setenv("PMU_GROUP", "CORE,SOFTWARE", 1);
	if (pmu_init(NULL) < 0)
		abort();
	use_source(0, source);
	use_source(1, source);
	on_socket = 0;
	n_misused = 0;
	begin("solve");
	tick(0, 5);
	is_int(pmu_group_next(), -EBUSY, "not while a region is open");
	end("solve");
	is_int(pmu_group_next(), 0, "the next group");
	begin_tick_end(60);
	is_int(pmu_group_next(), 0, "and back");
	begin_tick_end(700);
	model = model_now();
	is_int((int)model->n_sections, 2, "two groups");
	is_int((int)model->n_threads, 1, "one thread");
	is_int((int)model->n_sockets, 1, "one socket");
	is_u64(model->section[0].row[0].net[CYCLES], 705, "the first");
	is_u64(model->section[1].row[0].net[CYCLES], 60, "the second");
	is_u64(model->section[0].row[0].missing & OURS, 0, "of which nothing is missing");
	pmu_model_free(model);
	is_int((int)n_misused, 0, "no process reads what is closed");
	pmu_fini();
	unsetenv("PMU_GROUP");
}

static void a_source_that_closes_leaves_the_rest_missing(void)
{
	struct pmu_model *model;

	start();
	n_misused = 0;
	begin_tick_end(5);
	begin("open");
	pmu_session_lock();
	pmu_session_close_group(&pmu_session.group[0]);
	pmu_session_unlock();
	end("open");
	begin("later");
	end("later");
	model = model_now();
	is_row(model_row(model, "solve"), 1, 5, "before");
	is_row(model_row(model, "open"), 1, UINT64_MAX, "meanwhile");
	is_row(model_row(model, "later"), 1, UINT64_MAX, "afterwards");
	pmu_model_free(model);
	is_int((int)n_misused, 0, "no process reads what is closed");
	pmu_fini();
}

UNIT_PART(sockets)
{
	struct pmu_backend exclusive;

	set_up();
	a_region_has_what_its_socket_counted_meanwhile();
	threads_that_overlap_count_once();
	sockets_are_added_up();
	nested_regions_have_their_part();
	regions_side_by_side_leave_no_self();
	reentry_does_not_count_again();
	a_detached_region_goes_on_counting();
	a_thread_that_ends_inside_leaves();
	a_moved_thread_leaves_the_socket_it_came_in_on();
	an_unknown_socket_makes_the_sum_missing();
	a_read_that_fails_is_missing();
	an_open_region_is_in_no_report_yet();
	reset_and_read();
	exclusive = fake;
	exclusive.exclusive = true;
	every_group_has_its_own(&fake);
	every_group_has_its_own(&exclusive);
	a_source_that_closes_leaves_the_rest_missing();
	return finish();
}
