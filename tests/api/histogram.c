/* SPDX-License-Identifier: BSD-3-Clause */
/* PMU_HISTOGRAM=1: how long calls were, whatever becomes of the program and its threads. */
#include <pthread.h>
#include <time.h>

#include "run.h"

#define US 1000L
#define MS 1000000L

static const char *const lengths[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "PMU_HISTOGRAM=1",
				       NULL };

static void spin(long ns)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < ns);
}

static void spend(const char *name, long ns, int n)
{
	for (int i = 0; i < n; i++) {
		pmu_region_begin(name);
		spin(ns);
		pmu_region_end(name);
	}
}

/* --- looking at a report --- */

/* Calls of at least @ns in a row; -1 where it has no histogram. */
static long long calls_from(const json_t *row, long long ns)
{
	const json_t *list = json_object_get(row, "histogram");
	long long calls = 0;
	json_t *pair;
	size_t i;

	if (!list)
		return -1;
	json_array_foreach(list, i, pair) if (json_integer_value(json_array_get(pair, 0)) >= ns)
		calls += json_integer_value(json_array_get(pair, 1));
	return calls;
}

static long long all_calls(const json_t *report, const char *path)
{
	return calls_from(run_region(report, path), 0);
}

static json_t *recover(const struct run *r)
{
	char store[512];

	return run_stores(r, store, sizeof(store)) == 1 ? run_report_of(r, store) : NULL;
}

#define ok_int(got, want, ...)                                    \
	do {                                                      \
		long long got_ = (got), want_ = (want);           \
		if (!ok(got_ == want_, __VA_ARGS__))              \
			diag("got %lld, want %lld", got_, want_); \
	} while (0)

/* Right to 8 percent; and a machine that is busy makes calls longer, never shorter. */
static void is_at_least(long long got, long long ns, const char *name)
{
	if (!ok(got >= ns - ns / 12, "%s", name))
		diag("got %lld, want %lld or more", got, ns);
}

/* --- lengths --- */

static int known_lengths(void *arg)
{
	(void)arg;
	spend("r", 50 * US, 100);
	spend("r", MS, 20);
	spend("r", 20 * MS, 3);
	return 0;
}

static void calls_are_where_their_length_is(void)
{
	const json_t *r, *first;
	struct run run_;
	json_t *again;

	run(&run_, known_lengths, NULL, lengths);
	run_good(&run_, "regions of known lengths");
	r = run_region(run_.json, "r");
	ok_int(calls_from(r, 0), 123, "each call");
	ok(calls_from(r, MS - MS / 12) >= 23, "the longer ones");
	ok(calls_from(r, 20 * MS - 20 * MS / 12) >= 3, "the longest ones");
	first = json_array_get(json_object_get(r, "histogram"), 0);
	is_at_least(json_integer_value(json_array_get(first, 0)), 50 * US,
		    "none is shorter than it was");
	is_at_least(run_int(r, "time_p50_ns"), 50 * US, "the median is not shorter");
	ok(run_int(r, "time_p50_ns") < MS / 2, "nor one of the long ones");
	is_at_least(run_int(r, "time_p90_ns"), MS, "nine tenths");
	is_at_least(run_int(r, "time_p99_ns"), 20 * MS, "99 of a hundred");
	ok(run_int(r, "time_p99_9_ns") <= run_int(r, "time_max_ns"),
	   "none is longer than the longest");
	again = run_report_of(&run_, run_path(&run_, "run.json"));
	ok(again && json_equal(json_object_get(again, "regions"),
			       json_object_get(run_.json, "regions")),
	   "a report of the report says the same");
	json_decref(again);
	run_done(&run_);
}

static int both_buffers(void *arg)
{
	char name[8] __attribute__((aligned(8))) = "buffer";

	(void)arg;
	for (int i = 0; i < 10; i++) {
		pmu_region_begin("outer");
		spend(name, 10 * US, 1);
		spend("inner", 10 * US, 2);
		pmu_region_begin("again");
		pmu_region_begin("again");
		spin(10 * US);
		pmu_region_end("again");
		pmu_region_end("again");
		pmu_region_end("outer");
		pmu_region_begin_n("counted!", 7);
		pmu_region_end_n("counted!", 7);
		pmu_region_begin("over");
		pmu_region_begin("lap");
		pmu_region_end("over");
		pmu_region_end("lap");
	}
	return 0;
}

static void every_way_is_counted(void)
{
	static const struct {
		const char *path;
		long long calls;
	} all[] = { { "outer", 10 },       { "outer/buffer", 10 }, { "outer/inner", 20 },
		    { "outer/again", 10 }, { "counted", 10 },      { "over", 10 },
		    { "over/lap", 10 } };
	struct run r;

	run(&r, both_buffers, NULL, lengths);
	run_good(&r, "regions of all kinds");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		ok_int(all_calls(r.json, all[i].path), all[i].calls, "%s", all[i].path);
	is_at_least(run_int(run_region(r.json, "outer"), "time_p50_ns"), 40 * US,
		    "with what is nested");
	run_done(&r);
}

static void switched_off_there_is_none(void)
{
	static const char *const off[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "PMU_HISTOGRAM=0",
					   NULL };
	static const char *const odd[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "PMU_HISTOGRAM=2",
					   NULL };
	struct run r;

	run(&r, both_buffers, NULL, off);
	run_good(&r, "PMU_HISTOGRAM=0");
	ok_int(all_calls(r.json, "outer"), -1, "nothing of it in the report");
	ok_int(run_calls(r.json, "outer"), 10, "and everything else");
	run_done(&r);
	run(&r, both_buffers, NULL, odd);
	has(r.err, "PMU_HISTOGRAM=2: say 0 or 1", "what cannot be is told");
	run_done(&r);
}

static void beside_counts_too(void)
{
	static const char *const counts[] = { "PMU_PIN=none", "PMU_BACKEND=software",
					      "PMU_EVENTS=page-faults", "PMU_HISTOGRAM=1", NULL };
	struct run r;

	run(&r, known_lengths, NULL, counts);
	run_good(&r, "with counts");
	ok_int(all_calls(r.json, "r"), 123, "each call");
	is_at_least(run_int(run_region(r.json, "r"), "time_p99_ns"), 20 * MS, "its length");
	run_done(&r);
}

static int two_groups(void *arg)
{
	(void)arg;
	for (int i = 0; i < 4; i++) {
		spend("r", 10 * US, 5);
		want(pmu_group_next() >= 0);
	}
	return 0;
}

static void each_group_has_its_own(void)
{
	static const char *const groups[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					      "PMU_GROUP=TIME,SOFTWARE", "PMU_HISTOGRAM=1", NULL };
	long long calls = 0;
	json_t *region;
	struct run r;
	size_t i;

	run(&r, two_groups, NULL, groups);
	run_good(&r, "two groups in turn");
	json_array_foreach(json_object_get(r.json, "regions"), i, region)
		calls += calls_from(region, 0);
	ok_int(json_array_size(json_object_get(r.json, "regions")), 2, "two groups");
	ok_int(calls, 20, "each call in one of them");
	run_done(&r);
}

/* --- forgetting, going on --- */

static int forget(void *arg)
{
	(void)arg;
	spend("r", 10 * US, 5);
	spend("other", 10 * US, 5);
	want_int(pmu_region_reset("r"), 0);
	spend("r", MS, 2);
	return 0;
}

static void a_reset_forgets(void)
{
	struct run r;

	run(&r, forget, NULL, lengths);
	run_good(&r, "pmu_region_reset()");
	ok_int(all_calls(r.json, "r"), 2, "calls behind it");
	ok_int(calls_from(run_region(r.json, "r"), MS - MS / 12), 2, "of their length");
	ok_int(all_calls(r.json, "other"), 5, "other regions stay");
	run_done(&r);
}

static int check_point(void *arg)
{
	(void)arg;
	pmu_region_begin("r");
	spin(2 * MS);
	want_int(pmu_checkpoint(PMU_NEXT_GOES_ON), 0);
	spin(2 * MS);
	pmu_region_end("r");
	pmu_region_begin("cut");
	spin(MS);
	want_int(pmu_checkpoint(PMU_NEXT_GOES_ON), 0);
	want_int(pmu_report(NULL), 0);
	return 0;
}

static void a_checkpoint_does_not_cut_a_call(void)
{
	struct run r;

	run(&r, check_point, NULL, lengths);
	run_good(&r, "a checkpoint in a call");
	ok_int(all_calls(r.json, "r"), 1, "one call");
	ok_int(calls_from(run_region(r.json, "r"), 4 * MS - 4 * MS / 12), 1, "all of it");
	ok_int(all_calls(r.json, "cut"), 0, "one that has not ended has no length");
	run_done(&r);
}

/* --- threads --- */

#define N_THREADS 12
#define N_CALLS   50

static void *few_calls(void *arg)
{
	(void)arg;
	spend("r", 5 * US, N_CALLS);
	spend("s", 5 * US, 1);
	return NULL;
}

static int one_after_another(void *arg)
{
	(void)arg;
	for (int i = 0; i < N_THREADS; i++) {
		pthread_t thread;

		want_int(pthread_create(&thread, NULL, few_calls, NULL), 0);
		want_int(pthread_join(thread, NULL), 0);
	}
	return 0;
}

static void merged_threads_keep_theirs(void)
{
	static const char *const two[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "PMU_HISTOGRAM=1",
					   "PMU_MAX_THREADS=2", NULL };
	const json_t *threads;
	struct run r;

	run(&r, one_after_another, NULL, two);
	run_good(&r, "PMU_MAX_THREADS=2");
	threads = json_object_get(run_region(r.json, "r"), "threads");
	ok_int(json_array_size(threads), 3, "two threads and a set");
	ok_int(calls_from(json_array_get(threads, 2), 0), (N_THREADS - 2) * N_CALLS,
	       "the set's calls");
	ok_int(all_calls(r.json, "r"), N_THREADS * N_CALLS, "all calls");
	ok_int(all_calls(r.json, "s"), N_THREADS, "of each region");
	run_done(&r);
}

static int done;

static void *work(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		spend("r", 0, 20);
		spend("fresh", 0, 1);
		pmu_region_reset("fresh");
	}
	return NULL;
}

static int read_meanwhile(void *arg)
{
	pthread_t thread[2];
	char *text;

	(void)arg;
	want_int(pmu_init(NULL), 0);
	for (int i = 0; i < 2; i++)
		want_int(pthread_create(&thread[i], NULL, work, NULL), 0);
	for (int i = 0; i < 50; i++) {
		want_int(pmu_report_text("json", &text), 0);
		free(text);
	}
	__atomic_store_n(&done, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		want_int(pthread_join(thread[i], NULL), 0);
	return 0;
}

static void a_report_may_come_at_any_time(void)
{
	const json_t *region;
	struct run r;

	run(&r, read_meanwhile, NULL, lengths);
	run_good(&r, "reports while threads measure");
	region = run_region(r.json, "r");
	ok_int(calls_from(region, 0), run_int(region, "calls"), "in the end each call is there");
	run_done(&r);
}

/* --- the ends of a program --- */

static int for_ever(void *arg)
{
	for (uint64_t *n = arg;; __atomic_fetch_add(n, 1, __ATOMIC_RELEASE))
		spend("r", US, 1);
	return 0;
}

static void what_is_killed_leaves_it(void)
{
	uint64_t *n = mmap(NULL, sizeof(*n), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			   0);
	const struct timespec pause = { .tv_nsec = MS };
	struct run r;
	json_t *left;

	run_start(&r, for_ever, n, lengths);
	while (__atomic_load_n(n, __ATOMIC_ACQUIRE) < 1000)
		nanosleep(&pause, NULL);
	kill(r.pid, SIGKILL);
	run_wait(&r);
	left = recover(&r);
	ok(left != NULL, "a report of a killed program");
	ok(all_calls(left, "r") >= (long long)*n && all_calls(left, "r") <= (long long)*n + 1,
	   "each call that had ended: %lld of %lld", all_calls(left, "r"), (long long)*n);
	is_at_least(run_int(run_region(left, "r"), "time_p50_ns"), US, "and how long it was");
	json_decref(left);
	munmap(n, sizeof(*n));
	run_done(&r);
}

static int forked(void *arg)
{
	int status;
	pid_t pid;

	(void)arg;
	spend("r", 10 * US, 3);
	pmu_region_begin("around");
	pid = fork();
	if (pid == 0) {
		spend("r", 10 * US, 5);
		pmu_region_end("around");
		exit(0);
	}
	waitpid(pid, &status, 0);
	want_int(status, 0);
	spend("r", 10 * US, 1);
	pmu_region_end("around");
	return 0;
}

static void a_child_has_its_own(void)
{
	char path[512] = "";
	json_error_t error;
	json_t *child;
	struct run r;

	run(&r, forked, NULL, lengths);
	run_good(&r, "a fork");
	ok_int(all_calls(r.json, "r"), 3, "the parent's calls");
	ok_int(all_calls(r.json, "around/r"), 1, "also around it");
	unlink(run_path(&r, "run.json"));
	ok_int(run_files(&r, ".", ".json", path, sizeof(path)), 1, "the child's report");
	child = json_load_file(path, 0, &error);
	ok_int(all_calls(child, "around/r"), 5, "the child's calls");
	ok_int(all_calls(child, "around"), 1, "from the fork on");
	json_decref(child);
	run_done(&r);
}

int main(void)
{
	calls_are_where_their_length_is();
	every_way_is_counted();
	switched_off_there_is_none();
	beside_counts_too();
	each_group_has_its_own();
	a_reset_forgets();
	a_checkpoint_does_not_cut_a_call();
	merged_threads_keep_theirs();
	a_report_may_come_at_any_time();
	what_is_killed_leaves_it();
	a_child_has_its_own();
	return done_testing();
}
