/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that end without exit(), stores that stay, and reports and notes for tools. */
#include <pthread.h>
#include <sys/time.h>
#include <time.h>

#include "run.h"

static const char *const by_clock[] = { "PMU_PIN=none", "PMU_BACKEND=clock", NULL };
static const char *const by_faults[] = { "PMU_PIN=none", "PMU_BACKEND=software",
					 "PMU_EVENTS=page-faults", NULL };
/* The store stays in the folder that is there anyway. */
static const char *const kept[] = {
	"PMU_PIN=none",    "PMU_BACKEND=software", "PMU_EVENTS=page-faults",
	"PMU_STORE=@/xdg", "PMU_OUTPUT",           NULL
};

#define ok_int(got, want, ...)                                    \
	do {                                                      \
		long long got_ = (got), want_ = (want);           \
		if (!ok(got_ == want_, __VA_ARGS__))              \
			diag("got %lld, want %lld", got_, want_); \
	} while (0)

static void spend(long ns)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < ns);
}

static void touch(int n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)n * page;
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(pages, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += page)
		((volatile char *)pages)[i] = 1;
	munmap(pages, size);
}

/* What the command says of the store that the run left. */
static json_t *recover(const struct run *r, const char *folder)
{
	char store[512];

	return run_files(r, folder, ".pmu", store, sizeof(store)) == 1 ? run_report_of(r, store)
								       : NULL;
}

static long long count_of(const json_t *report, const char *path)
{
	const json_t *raw = json_object_get(run_region(report, path), "raw");

	return json_is_array(raw) ? json_integer_value(json_array_get(raw, 0))
				  : run_int(raw, "page-faults");
}

/* --- going on --- */

static int go_on(void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++) {
		want_int(pmu_region_begin("outer"), 0);
		touch(10);
		want_int(pmu_region_begin("inner"), 0);
		want_int(pmu_region_begin("inner"), 0);
		spend(1000000);
		want_int(pmu_checkpoint(PMU_NEXT_GOES_ON), 0);
		want_int(pmu_checkpoint(PMU_NEXT_GOES_ON), 0);
		touch(10);
		spend(1000000);
		want_int(pmu_region_end("inner"), 0);
		want_int(pmu_region_end("inner"), 0);
		want_int(pmu_checkpoint(PMU_NEXT_GOES_ON), 0);
		touch(10);
		want_int(pmu_region_end("outer"), 0);
	}
	return 0;
}

static void regions_that_go_on_are_counted_once(void)
{
	const json_t *outer, *inner;
	long long min, time;
	struct run r;

	run(&r, go_on, NULL, by_faults);
	run_good(&r, "checkpoints in open regions");
	outer = run_region(r.json, "outer");
	inner = run_region(r.json, "outer/inner");
	ok_int(run_int(outer, "calls"), 3, "calls are those of begin and end");
	ok_int(run_int(inner, "calls"), 6, "also where a region is entered again");
	ok(count_of(r.json, "outer") >= 90 && (count_of(r.json, "outer") < 180 || TEST_SANITIZED),
	   "counts are those of the whole call: %lld", count_of(r.json, "outer"));
	ok(count_of(r.json, "outer/inner") >= 30 &&
		   (count_of(r.json, "outer/inner") < 90 || TEST_SANITIZED),
	   "of nested ones too: %lld", count_of(r.json, "outer/inner"));
	min = run_int(outer, "time_min_ns");
	time = run_int(outer, "time_ns");
	ok(min >= 2000000 && 3 * min <= time, "the shortest call is a whole call: %lld of %lld ns",
	   min, time);
	ok(!run_flag(outer, "open") && json_array_size(json_object_get(r.json, "doubts")) == 0,
	   "and there is no doubt");
	run_done(&r);
}

/* --- ends without exit --- */

static int leave(void *arg)
{
	const int *how = arg;

	pmu_region_begin("main");
	pmu_region_begin("part");
	touch(20);
	pmu_region_end("part");
	touch(20);
	spend(2000000);
	pmu_checkpoint((enum pmu_next) * how);
	if (*how == PMU_NEXT_SIGNAL)
		raise(SIGKILL);
	if (*how == PMU_NEXT_EXEC)
		execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
	_exit(3);
}

static void what_was_open_is_counted(enum pmu_next next, const char *what)
{
	const json_t *region;
	json_t *report;
	int how = (int)next;
	struct run r;

	run(&r, leave, &how, by_faults);
	report = recover(&r, "xdg/pmu");
	region = run_region(report, "main");
	ok_int(run_int(region, "calls"), 1, "%s: the open region is a call", what);
	ok(run_int(region, "time_ns") >= 2000000, "%s: its time up to there", what);
	ok(count_of(report, "main") >= 40, "%s: and its counts", what);
	ok_int(run_calls(report, "main/part"), 1, "%s: with what was nested", what);
	if (next == PMU_NEXT_SIGNAL) {
		ok(run_flag(region, "open"), "%s: it is marked as open", what);
		has(run_str(report, "died"), "by a signal", "the report says that it was killed");
	} else {
		ok(!run_flag(region, "open"), "%s: it ended there", what);
		ok(json_is_null(json_object_get(report, "died")), "%s: a clean end", what);
	}
	ok_int((int)run_doubts(report, NULL, "the program"), next == PMU_NEXT_SIGNAL, "%s: doubts",
	       what);
	json_decref(report);
	run_done(&r);
}

/* --- ends in the middle of a begin or an end --- */

/* Shared with the test: what the program had done by then. */
static struct done {
	uint64_t leaves, steps;
	bool was_inside;
	long us;
	enum pmu_next next;
} * done;

static void save_and_leave(int signal)
{
	(void)signal;
	done->was_inside = pmu_region_begin("handler") == -EBUSY;
	if (!done->was_inside)
		pmu_region_end("handler");
	want_int(pmu_checkpoint(PMU_NEXT_EXEC), done->was_inside ? -EBUSY : 0);
	want_int(pmu_checkpoint(done->next), 0);
	if (done->next == PMU_NEXT_SIGNAL)
		raise(SIGKILL);
	_exit(3);
}

static int use_tiny_regions(void *arg)
{
	struct itimerval once = { { 0, 0 }, { 0, done->us } };

	(void)arg;
	signal(SIGALRM, save_and_leave);
	pmu_region_begin("main");
	touch(20);
	setitimer(ITIMER_REAL, &once, NULL);
	for (;;) {
		pmu_region_begin("step");
		for (int i = 0; i < 3; i++) {
			pmu_region_begin("leaf");
			pmu_region_end("leaf");
			done->leaves++;
		}
		pmu_region_begin("step"); /* once more, by the slow path */
		pmu_region_end("step");
		pmu_region_end("step");
		done->steps++;
	}
	return 9;
}

static bool is_one_off(uint64_t got, uint64_t want)
{
	return got == want || got == want + 1;
}

/* Missing where what regions had started with was just being moved; never 0. */
static bool has_faults(const json_t *report)
{
	const json_t *raw = json_object_get(run_region(report, "main"), "raw");

	return json_is_null(json_object_get(raw, "page-faults")) ||
	       (count_of(report, "main") >= 20 && count_of(report, "main") < 10000);
}

/* One that had not begun yet is not there. */
static uint64_t calls_of(const json_t *report, const char *path)
{
	long long calls = run_calls(report, path);

	return calls < 0 ? 0 : (uint64_t)calls;
}

static bool is_whole(const json_t *report, bool counted)
{
	const json_t *whole = run_region(report, "main");
	uint64_t leaves = calls_of(report, "main/step/leaf"), steps = calls_of(report, "main/step");

	if (run_int(whole, "calls") == 1 && run_int(whole, "time_ns") >= 1000 * done->us &&
	    run_int(whole, "time_ns") < 5000000000 && (!counted || has_faults(report)) &&
	    is_one_off(leaves, done->leaves) && steps >= 2 * done->steps &&
	    steps <= 2 * done->steps + 2)
		return true;
	diag("main %lld in %lld ns, %lld faults, %" PRIu64 " of %" PRIu64 " leaves, %" PRIu64
	     " of %" PRIu64 " steps, %s",
	     run_int(whole, "calls"), run_int(whole, "time_ns"), count_of(report, "main"), leaves,
	     done->leaves, steps, 2 * done->steps, done->was_inside ? "inside" : "outside");
	return false;
}

#define OFTEN 40

static void what_is_interrupted_for_good(const char *const *env, bool counted, enum pmu_next next,
					 const char *what)
{
	int whole = 0, inside = 0;

	done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < OFTEN; i++) {
		json_t *report;
		struct run r;

		*done = (struct done){ .us = 1500 + 13 * i, .next = next };
		run(&r, use_tiny_regions, NULL, env);
		report = recover(&r, "xdg/pmu");
		whole += is_whole(report, counted) && r.notes->n_failed == 0;
		inside += done->was_inside;
		json_decref(report);
		run_done(&r);
	}
	ok_int(whole, OFTEN,
	       "%s: what is around an interrupted begin or end is saved, and no call is lost or invented",
	       what);
	ok(inside > 0, "%s: %d of %d were interrupted in the library", what, inside, OFTEN);
	munmap(done, sizeof(*done));
}

/* --- threads that wait --- */

static int there[2];

static void *wait_for_ever(void *arg)
{
	(void)arg;
	pmu_region_begin("pool");
	pmu_region_begin("job");
	touch(30);
	pmu_region_end("job");
	touch(30);
	if (write(there[1], "x", 1) == 1)
		pause();
	return NULL;
}

static int leave_a_thread(void *arg)
{
	pthread_t thread;
	char byte;

	(void)arg;
	want_int(pipe(there), 0);
	pmu_region_begin("main");
	want_int(pthread_create(&thread, NULL, wait_for_ever, NULL), 0);
	want_int(read(there[0], &byte, 1), 1);
	spend(5000000);
	pmu_region_end("main");
	return 0;
}

static void threads_that_wait_at_the_end_are_counted(void)
{
	const json_t *pool;
	struct run r;

	if (TEST_SANITIZED) {
		skip("threads that wait",
		     "sanitizers take them for a race, and what they hold for a leak");
		return;
	}
	run(&r, leave_a_thread, NULL, by_faults);
	run_good(&r, "a thread of a pool");
	pool = run_region(r.json, "main/pool");
	ok_int(run_int(pool, "calls"), 1, "what it waits in is a call");
	ok(run_int(pool, "time_ns") >= 4000000, "until the end");
	ok(count_of(r.json, "main/pool") >= 60, "with its counts: %lld", count_of(r.json, "pool"));
	ok_int(run_calls(r.json, "main/pool/job"), 1, "and what is nested in it");
	ok(!run_flag(pool, "open") && json_array_size(json_object_get(r.json, "doubts")) == 0,
	   "there is no doubt");
	run_done(&r);
}

static int only_checkpoint(void *arg)
{
	(void)arg;
	want_int(pmu_checkpoint(PMU_NEXT_EXIT), 0);
	return 0;
}

static void without_a_session_nothing_happens(void)
{
	struct run r;

	run(&r, only_checkpoint, NULL, by_clock);
	run_good(&r, "a checkpoint starts no session");
	ok(!r.json && !*r.err, "and writes nothing");
	run_done(&r);
}

/* --- stores that stay --- */

static int use_regions(void *arg)
{
	(void)arg;
	pmu_region_begin("work");
	touch(20);
	pmu_region_end("work");
	want_int(pmu_note("this and that"), 0);
	return 0;
}

static void a_kept_store_is_a_finished_one(void)
{
	json_t *report;
	char *notes;
	struct run r;

	run(&r, use_regions, NULL, kept);
	run_good(&r, "a session whose store stays");
	ok(!*r.err && !*r.out && !r.json, "nothing is written at its end");
	report = recover(&r, "xdg");
	ok_int(run_calls(report, "work"), 1, "the store has its regions");
	ok(count_of(report, "work") >= 20, "and counts");
	ok(json_is_null(json_object_get(report, "died")), "and knows that it ended");
	notes = run_list(report, "notes");
	has(notes, "this and that", "and has the notes");
	free(notes);
	json_decref(report);
	run_done(&r);
}

static void a_folder_that_is_not_there_is_no_harm(void)
{
	static const char *const nowhere[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					       "PMU_STORE=/nonexistent/folder", "PMU_OUTPUT",
					       NULL };
	struct run r;

	run(&r, use_regions, NULL, nowhere);
	run_good(&r, "PMU_STORE names nothing");
	ok(!*r.err, "the program prints nothing of ours");
	ok_int(run_stores(&r, NULL, 0), 0, "and its results are nowhere else");
	run_done(&r);
}

/* --- texts and notes --- */

static int ask_for_texts(void *arg)
{
	json_t *json;
	char *text = NULL;

	(void)arg;
	want_int(pmu_report_text("json", &text), -ENODEV);
	want_int(pmu_note("too early"), -ENODEV);
	pmu_region_begin("work");
	pmu_region_end("work");
	want_int(pmu_note("once"), 0);
	want_int(pmu_note("once"), 0);
	want_int(pmu_note("two\nlines"), -EINVAL);
	want_int(pmu_note(""), -EINVAL);
	want_int(pmu_note(NULL), -EINVAL);
	want_int(pmu_report_text("yaml", &text), -EINVAL);
	want_int(pmu_report_text(NULL, &text), -EINVAL);
	want_int(pmu_report_text("json", NULL), -EINVAL);
	want(!text);
	want_int(pmu_report_text("json", &text), 0);
	json = text ? json_loads(text, 0, NULL) : NULL;
	want_int(run_calls(json, "work"), 1);
	want_int((int)json_array_size(json_object_get(json, "notes")), 1);
	json_decref(json);
	free(text);
	want_int(pmu_report_text("csv", &text), 0);
	want(strstr(text, "work") != NULL);
	free(text);
	want_int(pmu_report_text("text", &text), 0);
	want(strstr(text, "work") != NULL);
	free(text);
	return 0;
}

static void reports_are_texts_too(void)
{
	struct run r;

	run(&r, ask_for_texts, NULL, by_clock);
	run_good(&r, "pmu_report_text and pmu_note");
	run_done(&r);
}

int main(void)
{
	regions_that_go_on_are_counted_once();
	what_was_open_is_counted(PMU_NEXT_EXIT, "_exit");
	what_was_open_is_counted(PMU_NEXT_EXEC, "exec");
	what_was_open_is_counted(PMU_NEXT_SIGNAL, "a signal");
	what_is_interrupted_for_good(by_clock, false, PMU_NEXT_EXIT, "clock, _exit");
	what_is_interrupted_for_good(by_faults, true, PMU_NEXT_EXIT, "faults, _exit");
	what_is_interrupted_for_good(by_faults, true, PMU_NEXT_SIGNAL, "faults, a signal");
	threads_that_wait_at_the_end_are_counted();
	without_a_session_nothing_happens();
	a_kept_store_is_a_finished_one();
	a_folder_that_is_not_there_is_no_harm();
	reports_are_texts_too();
	return done_testing();
}
