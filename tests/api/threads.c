/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads: their sums, their ends in any order, and the session's end among them. */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/ioctl.h>

#include "run.h"

static const char *const quick[] = { "PMU_PIN=none", "PMU_BACKEND=clock", NULL };

static void begin_end(const char *name)
{
	if (pmu_region_begin(name) < 0 || pmu_region_end(name) < 0)
		want(false);
}

static pthread_t start(void *(*fn)(void *), void *arg)
{
	pthread_t thread;
	int rc = pthread_create(&thread, NULL, fn, arg);

	if (rc) {
		want_int(rc, 0);
		_exit(3);
	}
	return thread;
}

/* --- sums -----------------------------------------------------------------------------
 */

#define N_CALLS 200000

static void *call_often(void *arg)
{
	int n = *(int *)arg;

	for (int i = 0; i < n; i++) {
		pmu_region_begin("outer");
		begin_end(i % 2 ? "odd" : "even");
		pmu_region_end("outer");
	}
	return NULL;
}

static int two_threads(void *arg)
{
	int n[2] = { N_CALLS, N_CALLS / 2 };
	pthread_t thread[2] = { start(call_often, &n[0]), start(call_often, &n[1]) };

	(void)arg;
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	return 0;
}

static void sums_are_exact(const char *const *env, const char *how)
{
	const json_t *outer, *threads;
	long long calls[2];
	struct run r;

	run(&r, two_threads, NULL, env);
	run_good(&r, how);
	outer = run_region(r.json, "outer");
	threads = json_object_get(outer, "threads");
	is_int(run_int(outer, "calls"), N_CALLS * 3 / 2, "all calls");
	is_int(run_int(outer, "n_threads"), 2, "of both threads");
	is_int(run_calls(r.json, "outer/odd"), N_CALLS * 3 / 4, "and of the nested ones");
	is_int(run_calls(r.json, "outer/even"), N_CALLS * 3 / 4, "both of them");
	calls[0] = run_int(json_array_get(threads, 0), "calls");
	calls[1] = run_int(json_array_get(threads, 1), "calls");
	ok(calls[0] + calls[1] == N_CALLS * 3 / 2 && (calls[0] == N_CALLS || calls[1] == N_CALLS),
	   "each thread has its own");
	run_done(&r);
}

static void two_threads_at_once_have_exact_sums(void)
{
	static const char *const pinned[] = { "PMU_BACKEND=clock", NULL };

	sums_are_exact(quick, "two threads");
	sums_are_exact(pinned, "two pinned threads");
}

/* --- ends -----------------------------------------------------------------------------
 */

static atomic_int n_inside;

static void *never_leave(void *arg)
{
	(void)arg;
	begin_end("done");
	pmu_region_begin("around");
	atomic_fetch_add(&n_inside, 1);
	for (;;)
		begin_end("loop");
	return NULL;
}

static int exit_among_threads(void *arg)
{
	(void)arg;
	start(never_leave, NULL);
	start(never_leave, NULL);
	while (atomic_load(&n_inside) < 2)
		sched_yield();
	begin_end("main");
	return 0;
}

static void the_program_may_end_while_threads_are_in_regions(void)
{
	struct run r;
	int good = 0;

	for (int i = 0; i < 20; i++) {
		run(&r, exit_among_threads, NULL, quick);
		good += WIFEXITED(r.status) && !WEXITSTATUS(r.status) && !r.notes->n_failed &&
			run_calls(r.json, "done") == 2 && run_calls(r.json, "main") == 1 &&
			run_calls(r.json, "around") == 0 &&
			run_int(run_region(r.json, "around"), "open") == 2 &&
			run_stores(&r, NULL, 0) == 0;
		if (good != i + 1) {
			diag("status %#x, %lld done, %lld in main, %lld around, %d "
			     "stores, %s",
			     (unsigned int)r.status, run_calls(r.json, "done"),
			     run_calls(r.json, "main"), run_calls(r.json, "around"),
			     run_stores(&r, NULL, 0), r.err ? r.err : "");
			break;
		}
		if (i < 19)
			run_done(&r);
	}
	is_int(good, 20, "each of 20 programs has its report");
	ok(run_flag(run_region(r.json, "around"), "open"), "what had not ended is marked");
	run_done(&r);
}

static void *end_by_pthread_exit(void *arg)
{
	begin_end("before");
	pthread_exit(arg);
}

static void *wait_in_a_region(void *arg)
{
	pthread_barrier_t *barrier = arg;

	begin_end("before");
	pmu_region_begin("cancelled in it");
	pthread_barrier_wait(barrier);
	for (;;)
		pause();
	return NULL;
}

static int end_in_every_way(void *arg)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	(void)arg;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_join(start(end_by_pthread_exit, NULL), NULL);
	thread = start(wait_in_a_region, &barrier);
	pthread_barrier_wait(&barrier);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	return 0;
}

static void a_thread_may_exit_or_be_cancelled(void)
{
	struct run r;

	run(&r, end_in_every_way, NULL, quick);
	run_good(&r, "pthread_exit and pthread_cancel");
	is_int(run_calls(r.json, "before"), 2, "what ended is there");
	is_int(run_doubts(r.json, "cancelled in it", "still open when its thread ended"), 1,
	       "what did not is named");
	run_done(&r);
}

/* Cancelled before it calls, it ends after the library is left. */
struct cancelled {
	const char *name;
	void (*call)(void);
	bool session; /* there is one before */
};

static void call_begin(void)
{
	begin_end("when cancelled");
}

static void call_report(void)
{
	want_int(pmu_report("/dev/null"), 0);
}

static void call_report_to_a_file(void)
{
	want_int(pmu_report("when-cancelled.txt"), 0);
}

static void call_fini(void)
{
	want_int(pmu_fini(), 0);
}

static void *call_when_cancelled(void *arg)
{
	const struct cancelled *c = arg;

	pthread_cancel(pthread_self());
	c->call();
	return arg;
}

static int be_cancelled_inside(void *arg)
{
	struct cancelled *c = ((void **)arg)[0];
	const struct run *r = ((void **)arg)[1];
	void *returned = NULL;

	alarm(20);
	want_int(chdir(r->dir), 0);
	if (c->session)
		begin_end("before");
	pthread_join(start(call_when_cancelled, c), &returned);
	want(returned == c);
	begin_end("after");
	want_int(pmu_report("now.json"), c->call == call_fini ? -ENODEV : 0);
	return 0;
}

static void a_cancelled_thread_leaves_the_library_first(void)
{
	static struct cancelled calls[] = {
		{ "the first call", call_begin, false },
		{ "a region", call_begin, true },
		{ "a report", call_report, true },
		{ "a report to a file", call_report_to_a_file, true },
		{ "the session's end", call_fini, true },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		void *arg[2] = { &calls[i] };
		struct run r;

		arg[1] = &r;
		run(&r, be_cancelled_inside, arg, quick);
		run_good(&r, calls[i].name);
		ok(r.json && (calls[i].call == call_fini || run_calls(r.json, "after") == 1),
		   "with a cancellation pending holds nobody up");
		run_done(&r);
	}
}

/* --- small stacks ---------------------------------------------------------------------
 */

#define SMALL_STACK ((size_t)PTHREAD_STACK_MIN)

static void *begin_on_small_stack(void *arg)
{
	begin_end("on a small stack");
	return arg;
}

static void *report_on_small_stack(void *arg)
{
	want_int(pmu_report("small.json"), 0);
	return arg;
}

static void *exit_on_small_stack(void *arg)
{
	(void)arg;
	exit(0);
}

struct small {
	const char *name;
	void *(*fn)(void *);
	const struct run *r;
};

static int use_small_stack(void *arg)
{
	const struct small *small = arg;
	pthread_attr_t attr;
	pthread_t thread;

	want_int(chdir(small->r->dir), 0);
	if (small->fn != begin_on_small_stack) {
		pmu_region_begin("open"); /* has a doubt */
		begin_end("before");
	}
	pthread_attr_init(&attr);
	want_int(pthread_attr_setstacksize(&attr, SMALL_STACK), 0);
	want_int(pthread_create(&thread, &attr, small->fn, NULL), 0);
	pthread_join(thread, NULL);
	return 0;
}

/* Skylake-X: its event files are in tests/data. */
static int name_on_small_stack(void *arg)
{
	static const char dump[] = "------[ Logical CPU #0 ]------\n"
				   "CPUID 00000000: 00000016-756E6547-6C65746E-49656E69\n"
				   "CPUID 00000001: 00050654-00000000-00008000-00000000\n"
				   "CPUID 0000000A: 07300404-00000000-00000000-00000603\n";
	const struct small *small = arg;
	FILE *file;

	want_int(chdir(small->r->dir), 0);
	file = fopen("cpuid", "w");
	want(file && fputs(dump, file) >= 0 && !fclose(file));
	return use_small_stack(arg);
}

/* What is read and resolved before the first region: files, the kernel's PMUs, formulas. */
static void a_small_stack_is_enough_for_names(void)
{
	char files[512];
	const char *const asked[][5] = {
		{ "PMU_GROUP=FLOPS_DP", "PMU_PIN=none", NULL },
		{ "PMU_GROUP=MEM", "PMU_PIN=none", NULL },
		{ "PMU_EVENTS=msr/tsc/,instructions", "PMU_PIN=none", NULL },
		{ "PMU_GROUP=intel:cpi", "PMU_PIN=none", "PMU_CPUID_FILE=cpuid", files, NULL },
		{ "PMU_GROUP=intel:Bottleneck_Mispredictions", "PMU_PIN=none",
		  "PMU_CPUID_FILE=cpuid", files, NULL },
	};
	const char *source = getenv("TEST_SRCDIR");

	if (RUN_SANITIZED || !source) {
		skip("names on small stacks",
		     source ? "sanitizers need more" : "TEST_SRCDIR is not set");
		return;
	}
	snprintf(files, sizeof(files), "PMU_EVENT_FILES=%.400s/tests/data/perfmon", source);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		struct small small = { "names", begin_on_small_stack, NULL };
		struct run r;

		small.r = &r;
		run(&r, name_on_small_stack, &small, asked[i]);
		is_int(r.status, 0, asked[i][0]);
		run_done(&r);
	}
}

static void a_small_stack_is_enough(void)
{
	struct small small[] = { { "the first call", begin_on_small_stack, NULL },
				 { "pmu_report()", report_on_small_stack, NULL },
				 { "exit()", exit_on_small_stack, NULL } };

	if (RUN_SANITIZED) {
		skip("small stacks", "sanitizers need more");
		return;
	}
	for (size_t i = 0; i < sizeof(small) / sizeof(*small); i++) {
		struct run r;

		small[i].r = &r;
		run(&r, use_small_stack, &small[i], NULL);
		run_good(&r, small[i].name);
		ok(run_region(r.json, i ? "open/before" : "on a small stack") != NULL,
		   "on the smallest stack that a thread may have, and the report is there");
		run_done(&r);
	}
}

/* --- many threads ---------------------------------------------------------------------
 */

static void *three_regions(void *arg)
{
	(void)arg;
	begin_end("one");
	pmu_region_begin("two");
	begin_end("three");
	pmu_region_end("two");
	return NULL;
}

static long resident_pages(void)
{
	long size = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	want(file && fscanf(file, "%ld %ld", &size, &resident) == 2);
	if (file)
		fclose(file);
	return resident;
}

static void churn_threads(int n)
{
	for (int i = 0; i < n; i += 2) {
		pthread_t a = start(three_regions, NULL), b = start(three_regions, NULL);

		pthread_join(a, NULL);
		pthread_join(b, NULL);
	}
}

static int churn(void *arg)
{
	long before, after;
	int n = *(int *)arg;

	churn_threads(3000); /* the rows that are kept, and the heaps of threads */
	before = resident_pages();
	churn_threads(n - 3000);
	after = resident_pages();
	/* a page for each hundred threads would already be a leak */
	if (!RUN_SANITIZED)
		want(after - before < 100);
	return 0;
}

static void short_threads_leave_nothing_behind(void)
{
	int n = getenv("TEST_LONG") ? 100000 : RUN_SANITIZED ? 6000 : 20000;
	const json_t *threads, *merged = NULL;
	struct run r;
	size_t i;
	json_t *thread;

	run(&r, churn, &n, quick);
	run_good(&r, "many short threads, and memory stays flat");
	is_int(run_calls(r.json, "one"), n, "sums are exact");
	is_int(run_calls(r.json, "two"), n, "of the second region");
	is_int(run_calls(r.json, "two/three"), n, "and of the third");
	threads = json_object_get(r.json, "threads");
	is_int((long long)json_array_size(threads), 1025, "1024 threads and one set of them");
	json_array_foreach(threads, i, thread) if (run_int(thread, "merged") > 0) merged = thread;
	is_int(run_int(merged, "merged"), n - 1024, "that says how many it holds");
	run_done(&r);
}

static int twenty_in_turn(void *arg)
{
	(void)arg;
	for (int i = 0; i < 20; i++)
		pthread_join(start(three_regions, NULL), NULL);
	return 0;
}

static void finished_threads_beyond_the_limit_are_merged(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "PMU_MAX_THREADS=4",
					   NULL };
	const json_t *threads, *rows, *last, *two;
	long long sum = 0, time = 0;
	struct run r;
	size_t i;
	json_t *row;

	run(&r, twenty_in_turn, NULL, env);
	run_good(&r, "PMU_MAX_THREADS=4");
	threads = json_object_get(r.json, "threads");
	is_int((long long)json_array_size(threads), 5, "four threads and a set");
	is_int(run_int(json_array_get(threads, 3), "merged"), 0, "four keep their own rows");
	is_int(run_int(json_array_get(threads, 4), "merged"), 16, "16 are in the set");
	ok(run_int(json_array_get(threads, 3), "cpu_ns") > 0, "a thread's time on a processor");
	ok(run_int(json_array_get(threads, 4), "cpu_ns") > 0, "and that of the set");
	two = run_region(r.json, "two");
	rows = json_object_get(two, "threads");
	last = json_array_get(rows, json_array_size(rows) - 1);
	is_int((long long)json_array_size(rows), 5, "a region has a row of each");
	is_int(run_int(last, "calls"), 16, "the set's row has their calls");
	json_array_foreach(rows, i, row)
	{
		sum += run_int(row, "calls");
		time += run_int(row, "time_ns");
	}
	is_int(sum, 20, "none is lost");
	ok(llabs(time - run_int(two, "time_ns")) <= 5, "and no time either");
	is_int(run_int(two, "calls"), 20, "in the sum of all");
	run_done(&r);
}

static void *reset_in_the_end(void *arg)
{
	pmu_region_begin("r");
	for (volatile int i = 0; i < 100000;)
		i = i + 1;
	pmu_region_end("r");
	if (arg)
		want_int(pmu_region_reset("r"), 0);
	return NULL;
}

static int merge_a_reset_region(void *arg)
{
	int reset = 1;

	(void)arg;
	for (int i = 0; i < 4; i++)
		pthread_join(start(reset_in_the_end, i == 2 ? &reset : NULL), NULL);
	return 0;
}

static void what_was_reset_has_no_shortest_call(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "PMU_MAX_THREADS=1",
					   NULL };
	const json_t *region;
	struct run r;

	run(&r, merge_a_reset_region, NULL, env);
	run_good(&r, "a thread that is merged after a reset");
	region = run_region(r.json, "r");
	is_int(run_int(region, "calls"), 3, "the others' calls");
	ok(run_int(region, "time_min_ns") > 0, "and the shortest of them");
	run_done(&r);
}

/* --- destructors ----------------------------------------------------------------------
 */

static pthread_key_t early_key, late_key;

static void in_destructor(void *arg)
{
	begin_end(arg);
}

static void *with_keys(void *arg)
{
	(void)arg;
	pthread_setspecific(early_key, "early");
	begin_end("body");
	pthread_setspecific(late_key, "late");
	return NULL;
}

static void *only_in_destructors(void *arg)
{
	(void)arg;
	pthread_setspecific(early_key, "early");
	pthread_setspecific(late_key, "late");
	return NULL;
}

static int use_keys(void *arg)
{
	(void)arg;
	pthread_key_create(&early_key, in_destructor); /* before the library's */
	begin_end("main");
	pthread_key_create(&late_key, in_destructor);
	for (int i = 0; i < 50; i++) {
		pthread_join(start(with_keys, NULL), NULL);
		pthread_join(start(only_in_destructors, NULL), NULL);
	}
	return 0;
}

static void destructors_of_keys_may_use_regions(void)
{
	struct run r;

	run(&r, use_keys, NULL, quick);
	run_good(&r, "regions in destructors of thread-specific data");
	is_int(run_calls(r.json, "body"), 50, "the threads' own");
	is_int(run_calls(r.json, "early"), 100, "a key made before the library's");
	is_int(run_calls(r.json, "late"), 100, "a key made after it");
	run_done(&r);
}

/* The program has all keys for itself. */
static int use_all_keys(void *arg)
{
	static char values[PTHREAD_KEYS_MAX];
	pthread_key_t key, keys[PTHREAD_KEYS_MAX];
	int n = 0, rc;

	(void)arg;
	for (; n < PTHREAD_KEYS_MAX && pthread_key_create(&key, NULL) == 0; n++) {
		keys[n] = key;
		pthread_setspecific(key, &values[n]);
	}
	rc = pmu_init(NULL);
	want(rc < 0);
	for (int i = 0; i < 3; i++) {
		want_int(pmu_init(NULL), rc);
		begin_end("unmeasured");
	}
	for (int i = 0; i < n; i++)
		want(pthread_getspecific(keys[i]) == &values[i]);
	return 0;
}

static void want_of_a_key_is_an_error(void)
{
	struct run r;

	run(&r, use_all_keys, NULL, quick);
	run_good(&r, "a program that has all keys of thread-specific data");
	ok(!r.json, "is not measured");
	run_done(&r);
}

static bool exiting;

static void at_the_end(void)
{
	begin_end("atexit");
}

__attribute__((destructor)) static void very_last(void)
{
	/* of a program: before those of the libraries it is linked with */
	if (exiting)
		begin_end("destructor");
}

static int use_exit_handlers(void *arg)
{
	(void)arg;
	exiting = true;
	atexit(at_the_end);
	begin_end("main");
	return 0;
}

static void exit_handlers_may_use_regions(void)
{
	struct run r;

	run(&r, use_exit_handlers, NULL, quick);
	run_good(&r, "regions while the program exits");
	is_int(run_calls(r.json, "main"), 1, "before");
	is_int(run_calls(r.json, "atexit"), 1, "in an exit handler");
	is_int(run_calls(r.json, "destructor"), 1, "and in a destructor of the program");
	run_done(&r);
}

#define N_EXITING 5
#define N_EXITS   20
#define N_NAMES   300

static pthread_barrier_t all_exit;

static void *exit_with_the_others(void *arg)
{
	char name[32];

	/* so many that the report takes some time */
	for (int i = 0; i < N_NAMES; i++) {
		snprintf(name, sizeof(name), "%s %d", (const char *)arg, i);
		begin_end(name);
	}
	pthread_barrier_wait(&all_exit);
	exit(0);
}

static int exit_at_once(void *arg)
{
	static char threads[] = "threads", own[] = "main";

	(void)arg;
	pthread_barrier_init(&all_exit, NULL, N_EXITING);
	for (int i = 1; i < N_EXITING; i++)
		start(exit_with_the_others, threads);
	exit_with_the_others(own);
	return 0;
}

static void several_threads_may_exit_at_once(void)
{
	struct run r;
	int n = 0;

	if (RUN_SANITIZED) {
		skip("exit() by several threads at once",
		     "a sanitizer ends the process while others are at it");
		return;
	}
	for (int i = 0; i < N_EXITS; i++) {
		run(&r, exit_at_once, NULL, quick);
		n += WIFEXITED(r.status) && !WEXITSTATUS(r.status) &&
		     run_calls(r.json, "main 299") == 1 &&
		     run_calls(r.json, "threads 0") == N_EXITING - 1 && !run_stores(&r, NULL, 0);
		run_done(&r);
	}
	is_int(n, N_EXITS,
	       "exit() by several threads at once: each run has its report, and leaves nothing");
}

/* --- pmu_fini, pmu_init, pmu_report among threads -------------------------------------
 */

static atomic_int stop, rounds[2];

static void *go_on(void *arg)
{
	atomic_int *mine = arg;
	char name[32];

	for (int i = 0; !atomic_load(&stop); i++) {
		pmu_region_begin("steady");
		pmu_region_end("steady");
		snprintf(name, sizeof(name), "new %d", i % 500);
		pmu_region_begin(name);
		pmu_region_end(name);
		atomic_fetch_add_explicit(mine, 1, memory_order_relaxed);
	}
	return NULL;
}

static void wait_for_rounds(int more)
{
	int from[2] = { atomic_load(&rounds[0]), atomic_load(&rounds[1]) };

	while (atomic_load(&rounds[0]) < from[0] + more || atomic_load(&rounds[1]) < from[1] + more)
		sched_yield();
}

static int end_and_begin_again(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	const struct run *r = arg;
	pthread_t thread[2];
	char output[512];
	struct pmu_options options = { .size = sizeof(options), .output = output };

	thread[0] = start(go_on, &rounds[0]);
	thread[1] = start(go_on, &rounds[1]);
	wait_for_rounds(10);
	for (int i = 0; i < 10; i++) {
		begin_end("main");
		want_int(pmu_fini(), 0);
		begin_end("after the end");
		wait_for_rounds(3);
		want_int(pmu_region_read("main", PMU_THREAD_SELF, &counts), -ENODEV);
		snprintf(output, sizeof(output), "%s/again%d.json", r->dir, i);
		want_int(pmu_init(&options), 0);
		want_int(pmu_region_read("main", PMU_THREAD_SELF, &counts), -ENOENT);
		wait_for_rounds(3);
	}
	atomic_store(&stop, 1);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	return 0;
}

static void a_session_may_end_and_start_among_threads(void)
{
	struct run r;
	int good = 0;

	run(&r, end_and_begin_again, &r, quick);
	run_good(&r, "ten sessions while two threads measure");
	is_int(run_calls(r.json, "main"), 1, "the first one's report");
	ok(!run_region(r.json, "after the end"), "nothing came after its end");
	for (int i = 0; i < 10; i++) {
		char name[32];
		json_t *report;

		snprintf(name, sizeof(name), "again%d.json", i);
		report = run_load(&r, name);
		good += run_calls(report, "steady") > 0 &&
			run_calls(report, "main") == (i < 9 ? 1 : -1) &&
			!run_region(report, "after the end");
		json_decref(report);
	}
	is_int(good, 10, "each of the others starts afresh");
	is_int(run_stores(&r, NULL, 0), 0, "no store is left");
	run_done(&r);
}

static int report_meanwhile(void *arg)
{
	const struct run *r = arg;
	pthread_t thread[2];
	char path[512];
	long long last = 0;

	thread[0] = start(go_on, &rounds[0]);
	thread[1] = start(go_on, &rounds[1]);
	for (int i = 0; i < 10; i++) {
		json_t *report;

		wait_for_rounds(2);
		snprintf(path, sizeof(path), "now%d.json", i);
		want_int(pmu_report(run_path(r, path)), 0);
		report = run_load(r, path);
		want(run_calls(report, "steady") >= last + 2);
		last = run_calls(report, "steady");
		json_decref(report);
	}
	atomic_store(&stop, 1);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	return 0;
}

static void a_report_may_be_made_while_threads_measure(void)
{
	struct run r;

	run(&r, report_meanwhile, &r, quick);
	run_good(&r, "ten reports while two threads measure");
	ok(run_calls(r.json, "steady") > 20, "and the last one at exit");
	run_done(&r);
}

static void *report_to(void *arg)
{
	want_int(pmu_report(arg), 0);
	return NULL;
}

/* Whatever the report's reader has not taken yet. */
static void *drain(void *arg)
{
	char bytes[4096];

	while (read(*(int *)arg, bytes, sizeof(bytes)) > 0)
		;
	return NULL;
}

/* That on the names of reports: other processes' reports would wait for it. */
static void want_no_lock(const struct run *r)
{
	int fd = open(run_path(r, "xdg/pmu/outputs"), O_RDWR | O_CLOEXEC);

	want(fd >= 0);
	want_int(flock(fd, LOCK_EX | LOCK_NB), 0);
	close(fd);
}

static int report_to_a_full_pipe(void *arg)
{
	int fd[2], size, n_waiting = 0;
	pthread_t thread, reader;
	char name[32];

	alarm(20);
	want_int(pipe(fd), 0);
	size = fcntl(fd[1], F_SETPIPE_SZ, 4096);
	want(size > 0);
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		begin_end(name);
	}
	snprintf(name, sizeof(name), "/dev/fd/%d", fd[1]);
	thread = start(report_to, name);
	while (n_waiting < size && ioctl(fd[0], FIONREAD, &n_waiting) == 0)
		sched_yield();
	/* The report waits for its reader; others need not. */
	begin_end("new");
	pthread_join(start(three_regions, NULL), NULL);
	want_no_lock(arg);
	want_int(pmu_report("/dev/null"), 0);
	want_int(ioctl(fd[0], FIONREAD, &n_waiting), 0);
	want(n_waiting >= size);
	reader = start(drain, &fd[0]);
	pthread_join(thread, NULL);
	close(fd[1]);
	pthread_join(reader, NULL);
	close(fd[0]);
	return 0;
}

static void a_report_that_waits_holds_nobody_up(void)
{
	struct run r;

	run(&r, report_to_a_full_pipe, &r, quick);
	run_good(&r, "a report to a full pipe");
	is_int(run_calls(r.json, "new"), 1, "a new region meanwhile");
	is_int(run_calls(r.json, "one"), 1, "and one of a new thread");
	run_done(&r);
}

/*
 * --- more threads than processors: they are switched in the middle of what the library does ---
 */

#define CROWD     12
#define N_BUFFERS 80

/* Each name in the same buffer is one that the buffer did not hold before. */
static void *names_in_a_buffer(void *arg)
{
	char name[32];

	pmu_region_begin("outer");
	for (int i = 0; i < 3 * N_BUFFERS; i++) {
		snprintf(name, sizeof(name), "region %d", i % N_BUFFERS);
		begin_end(name);
	}
	pmu_region_end("outer");
	return arg;
}

static int a_crowd(void *arg)
{
	pthread_t thread[CROWD];

	for (int i = 0; i < CROWD; i++)
		thread[i] = start(names_in_a_buffer, NULL);
	for (int i = 0; i < CROWD; i++)
		pthread_join(thread[i], NULL);
	return arg != NULL;
}

/* A switch while the library worked is in no region, and taken out once, not twice. */
static void a_switch_is_taken_out_once(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=software",
					   "PMU_EVENTS=context-switches", NULL };
	int n_below = 0;

	for (int i = 0; i < 10 && !n_below; i++) {
		struct run r;

		run(&r, a_crowd, NULL, env);
		/* one below zero is larger than any number that the reader of JSON takes */
		n_below += !r.json;
		run_done(&r);
	}
	is_int(n_below, 0, "no count is below zero");
}

int main(void)
{
	two_threads_at_once_have_exact_sums();
	the_program_may_end_while_threads_are_in_regions();
	a_thread_may_exit_or_be_cancelled();
	a_cancelled_thread_leaves_the_library_first();
	a_small_stack_is_enough();
	a_small_stack_is_enough_for_names();
	short_threads_leave_nothing_behind();
	finished_threads_beyond_the_limit_are_merged();
	what_was_reset_has_no_shortest_call();
	destructors_of_keys_may_use_regions();
	want_of_a_key_is_an_error();
	exit_handlers_may_use_regions();
	several_threads_may_exit_at_once();
	a_session_may_end_and_start_among_threads();
	a_report_may_be_made_while_threads_measure();
	a_report_that_waits_holds_nobody_up();
	a_switch_is_taken_out_once();
	return done_testing();
}
