/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMU_EXACT=1: the least that calls counted, shown by page faults: a page touched for the first
 * time is one.
 */
#include <pthread.h>

#include "run.h"
#include "sanitized.h"

#define PAGES 4096

static const char *const exact[] = { "PMU_PIN=none", "PMU_BACKEND=software",
				     "PMU_EVENTS=page-faults", "PMU_EXACT=1", NULL };

static char *memory;
static size_t page_size, touched;

static int make_memory(void)
{
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, PAGES * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED)
		return -1;
	madvise(memory, PAGES * page_size, MADV_NOHUGEPAGE);
	return 0;
}

static void touch(size_t n)
{
	size_t from = __atomic_fetch_add(&touched, n, __ATOMIC_RELAXED);

	for (size_t i = from; i < from + n && i < PAGES; i++)
		((volatile char *)memory)[i * page_size] = 1;
}

static void call(const char *name, size_t n)
{
	pmu_region_begin(name);
	touch(n);
	pmu_region_end(name);
}

/* -1: not known, -2: not asked for */
static long long least_of(const json_t *row)
{
	const json_t *least = json_object_get(row, "least"),
		     *faults = json_object_get(least, "page-faults");

	return !least ? -2 : json_is_integer(faults) ? json_integer_value(faults) : -1;
}

static long long least(const json_t *report, const char *path)
{
	return least_of(run_region(report, path));
}

#define ok_int(got, want, ...)                                    \
	do {                                                      \
		long long got_ = (got), want_ = (want);           \
		if (!ok(got_ == want_, __VA_ARGS__))              \
			diag("got %lld, want %lld", got_, want_); \
	} while (0)

static int known_faults(void *arg)
{
	static const size_t pages[] = { 30, 12, 7, 25, 7, 40 };

	(void)arg;
	want_int(make_memory(), 0);
	for (size_t i = 0; i < 6; i++) {
		pmu_region_begin("outer");
		touch(5);
		call("inner", pages[i]);
		pmu_region_end("outer");
	}
	return 0;
}

static void the_shortest_path_is_kept(void)
{
	const json_t *inner, *net;
	struct run r;
	json_t *again;

	run(&r, known_faults, NULL, exact);
	run_good(&r, "regions of known faults");
	inner = run_region(r.json, "outer/inner");
	net = json_object_get(inner, "net");
	ok_int(least(r.json, "outer/inner"), 7, "the call with the fewest");
	ok_int(least(r.json, "outer"), 12, "with those of what is nested in it");
	ok(json_integer_value(json_object_get(net, "page-faults")) >= 121,
	   "the total has all of them");
	ok_int(least_of(json_array_get(json_object_get(inner, "threads"), 0)), 7,
	       "the thread's row");
	again = run_report_of(&r, run_path(&r, "run.json"));
	ok(again && json_equal(json_object_get(again, "regions"),
			       json_object_get(r.json, "regions")),
	   "a report of the report says the same");
	json_decref(again);
	run_done(&r);
}

static void who_did_not_ask_has_none(void)
{
	static const char *const plain[] = { "PMU_PIN=none", "PMU_BACKEND=software",
					     "PMU_EVENTS=page-faults", NULL };
	static const char *const timed[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "PMU_EXACT=1",
					     NULL };
	struct run r;

	run(&r, known_faults, NULL, plain);
	run_good(&r, "without PMU_EXACT");
	ok_int(least(r.json, "outer/inner"), -2, "no least");
	run_done(&r);
	run(&r, known_faults, NULL, timed);
	run_good(&r, "with nothing to count");
	ok_int(least(r.json, "outer/inner"), -2, "neither");
	run_done(&r);
}

static void again(int depth, size_t pages)
{
	pmu_region_begin("again");
	touch(pages);
	if (depth)
		again(depth - 1, pages);
	pmu_region_end("again");
}

static int cut_calls(void *arg)
{
	(void)arg;
	want_int(make_memory(), 0);
	for (int i = 0; i < 3; i++) {
		again(2, 4);
		pmu_region_begin("around");
		pmu_region_begin("x");
		touch(20);
		pmu_region_begin("y");
		/* one call in three overlaps, and has less */
		touch(i == 1 ? 1 : 10);
		pmu_region_end(i == 1 ? "x" : "y");
		pmu_region_end(i == 1 ? "y" : "x");
		pmu_region_end("around");
	}
	call("saved", 9);
	pmu_region_begin("saved");
	touch(2);
	want_int(pmu_checkpoint(PMU_NEXT_GOES_ON), 0);
	touch(2);
	pmu_region_end("saved");
	pmu_region_begin("saved once");
	want_int(pmu_checkpoint(PMU_NEXT_GOES_ON), 0);
	pmu_region_end("saved once");
	return 0;
}

static void calls_that_are_not_whole_are_left_out(void)
{
	struct run r;

	run(&r, cut_calls, NULL, exact);
	run_good(&r, "recursion, overlap and checkpoints");
	ok_int(least(r.json, "again"), 12,
	       "of the outermost call, where a region is entered again");
	ok_int(least(r.json, "around/x"), 30, "not of a call that another region overlaps");
	ok_int(least(r.json, "around/x/y"), 10, "nor of that other one");
	ok_int(least(r.json, "around"), 30, "nor of the one around both");
	ok_int(least(r.json, "saved"), 9, "nor of one that a checkpoint has cut");
	ok_int(least(r.json, "saved once"), -1, "where there is no other it is not known");
	run_done(&r);
}

static int forgotten(void *arg)
{
	(void)arg;
	want_int(make_memory(), 0);
	call("r", 3);
	call("s", 3);
	want_int(pmu_region_reset("r"), 0);
	call("r", 8);
	want_int(pmu_region_reset("s"), 0);
	return 0;
}

static void a_reset_forgets(void)
{
	struct run r;

	run(&r, forgotten, NULL, exact);
	run_good(&r, "a region set to zero");
	ok_int(least(r.json, "r"), 8, "of the call behind it");
	ok(!json_object_get(run_region(r.json, "s"), "least") || least(r.json, "s") < 0,
	   "of none there is none");
	run_done(&r);
}

static void *one_thread(void *arg)
{
	call("r", *(size_t *)arg);
	return NULL;
}

static int many_threads(void *arg)
{
	size_t pages[] = { 50, 20, 11, 30, 40, 15 };
	pthread_t thread;

	(void)arg;
	want_int(make_memory(), 0);
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		want_int(pthread_create(&thread, NULL, one_thread, &pages[i]), 0);
		want_int(pthread_join(thread, NULL), 0);
	}
	return 0;
}

static void merged_threads_have_the_lesser(void)
{
	static const char *const merged[] = { "PMU_PIN=none",           "PMU_BACKEND=software",
					      "PMU_EVENTS=page-faults", "PMU_EXACT=1",
					      "PMU_MAX_THREADS=1",      NULL };
	long long got;
	struct run r;

	run(&r, many_threads, NULL, merged);
	run_good(&r, "finished threads together");
	/* each call is a thread's first: its stack and the library may have a few beside them */
	got = least(r.json, "r");
	ok(got >= 11 && got < 15, "the least of all: %lld", got);
	run_done(&r);
}

static int fork_in_a_call(void *arg)
{
	int status;
	pid_t pid;

	(void)arg;
	want_int(make_memory(), 0);
	pmu_region_begin("around");
	pid = fork();
	if (pid == 0) {
		pmu_region_end("around");
		call("around", 30);
		exit(0);
	}
	waitpid(pid, &status, 0);
	want_int(status, 0);
	pmu_region_end("around");
	return 0;
}

static void a_call_that_began_before_a_fork_is_left_out(void)
{
	char path[512] = "";
	json_error_t error;
	json_t *child;
	struct run r;

	run(&r, fork_in_a_call, NULL, exact);
	run_good(&r, "a fork");
	unlink(run_path(&r, "run.json"));
	ok_int(run_files(&r, ".", ".json", path, sizeof(path)), 1, "the child's report");
	child = json_load_file(path, 0, &error);
	ok(least(child, "around") >= 30, "the child's own call: %lld", least(child, "around"));
	json_decref(child);
	run_done(&r);
}

static int killed(void *arg)
{
	known_faults(arg);
	pmu_region_begin("open");
	raise(SIGKILL);
	return 0;
}

static void what_is_killed_leaves_it(void)
{
	json_t *left = NULL;
	char store[512];
	struct run r;

	run_start(&r, killed, NULL, exact);
	run_wait(&r);
	if (run_stores(&r, store, sizeof(store)) == 1)
		left = run_report_of(&r, store);
	ok(left != NULL, "a report of a killed program");
	ok_int(least(left, "outer/inner"), 7, "the least of what had ended");
	json_decref(left);
	run_done(&r);
}

int main(void)
{
	if (TEST_SANITIZED)
		return skip_all("a sanitizer touches pages of its own");
	the_shortest_path_is_kept();
	who_did_not_ask_has_none();
	calls_that_are_not_whole_are_left_out();
	a_reset_forgets();
	merged_threads_have_the_lesser();
	a_call_that_began_before_a_fork_is_left_out();
	what_is_killed_leaves_it();
	return done_testing();
}
