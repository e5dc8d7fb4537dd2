/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMU_COUNT=process without a PMU: page faults of threads that never call the library, what reports
 * say of them, and what refuses.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "run.h"

#define PAGES 500
/* What else a region has: stacks of threads, the library's own; sanitizers' shadows. */
#define OTHER (RUN_SANITIZED ? 4000 : 200)

static const char *const faults[] = { "PMU_COUNT=process", "PMU_EVENTS=page-faults", "PMU_PIN=none",
				      NULL };

/* --- threads that never call the library --- */

static void touch(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE), whole = PAGES * size;
	char *at = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!want(at != MAP_FAILED))
		return;
	madvise(at, whole, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)at)[i * size] = 1;
	munmap(at, whole);
}

static void *touches(void *unused)
{
	(void)unused;
	touch();
	return NULL;
}

struct waiting {
	pthread_barrier_t barrier;
	pthread_t thread;
};

static void *touches_later(void *arg)
{
	pthread_barrier_wait(arg);
	touch();
	pthread_barrier_wait(arg);
	touch();
	return NULL;
}

static void start_waiting(struct waiting *one)
{
	pthread_barrier_init(&one->barrier, NULL, 2);
	want_int(pthread_create(&one->thread, NULL, touches_later, &one->barrier), 0);
}

/* --- what is counted --- */

static long long raw(const json_t *report, const char *path)
{
	return run_int(json_object_get(run_region(report, path), "raw"), "page-faults");
}

static void has_faults(const struct run *r, const char *path, int times)
{
	long long n = raw(r->json, path);

	if (!ok(n >= (long long)times * PAGES && n < (long long)times * PAGES + OTHER,
		"%s: %d times %d pages", path, times, PAGES))
		diag("%lld", n);
}

/* One that was there before the session, one before the region, one that begins and ends in it. */
static int threads_of_all_ages(void *unused)
{
	struct waiting before, earlier;
	pthread_t within;

	(void)unused;
	start_waiting(&before);
	want_int(pmu_init(NULL), 0);
	start_waiting(&earlier);
	pmu_region_begin("all");
	pthread_barrier_wait(&before.barrier);
	pthread_barrier_wait(&earlier.barrier);
	want_int(pthread_create(&within, NULL, touches, NULL), 0);
	pthread_join(within, NULL);
	pthread_barrier_wait(&before.barrier);
	pthread_join(before.thread, NULL);
	pthread_barrier_wait(&earlier.barrier);
	pthread_join(earlier.thread, NULL);
	pmu_region_end("all");
	pmu_region_begin("none");
	pmu_region_end("none");
	return 0;
}

static void what_reports_say(const struct run *r)
{
	const json_t *group = json_array_get(json_object_get(r->json, "groups"), 0);
	const json_t *count = json_array_get(json_object_get(group, "counts"), 0);
	const json_t *region = run_region(r->json, "all");
	const json_t *process = json_array_get(json_object_get(region, "sockets"), 0);
	const json_t *thread = json_array_get(json_object_get(region, "threads"), 0);
	const json_t *place = json_array_get(json_object_get(r->json, "sockets"), 0);
	json_t *made = run_report_of(r, run_path(r, "run.json"));

	is_str(run_str(count, "scope"), "process", "the column says whose count it is");
	is_str(run_str(process, "socket"), "process", "the region has a row of the process");
	is_str(run_str(place, "socket"), "process", "which is listed");
	is_int(run_int(json_object_get(process, "raw"), "page-faults"), raw(r->json, "all"),
	       "with the count");
	ok(json_is_null(json_object_get(json_object_get(thread, "raw"), "page-faults")),
	   "its threads have none");
	has(run_str(json_object_get(r->json, "source"), "detail"), "the whole process",
	    "the source says what it counts");
	is_int(raw(made, "all"), raw(r->json, "all"), "read back and written again: the count");
	is_str(run_str(json_array_get(json_object_get(run_region(made, "all"), "sockets"), 0),
		       "socket"),
	       "process", "and whose it is");
	json_decref(made);
}

static void threads_that_never_call_count(void)
{
	struct run r;

	run(&r, threads_of_all_ages, NULL, faults);
	run_good(&r, "threads of all ages");
	has_faults(&r, "all", 5);
	has_faults(&r, "none", 0);
	what_reports_say(&r);
	run_done(&r);
}

static void the_head_says_so(void)
{
	const char *const text[] = { "PMU_COUNT=process", "PMU_EVENTS=page-faults",
				     "PMU_PIN=none",      "PMU_REPORT=threads",
				     "PMU_OUTPUT",        NULL };
	const char *const csv[] = { "PMU_COUNT=process", "PMU_EVENTS=page-faults", "PMU_PIN=none",
				    "PMU_OUTPUT=@/run.csv", NULL };
	struct run r;
	char *made;

	run(&r, threads_of_all_ages, NULL, text);
	has(r.err, "counts are of the whole process", "the head says whose counts they are");
	has(r.err, "; counts are the whole process's\n", "and so does the table's title");
	has(r.err, "\n  EVENTS, process\n", "the process has rows of its own");
	run_done(&r);
	run(&r, threads_of_all_ages, NULL, csv);
	made = run_slurp(run_path(&r, "run.csv"));
	has(made ? made : "", ",process,1,", "CSV: a line of the process");
	free(made);
	run_done(&r);
}

/* --- regions at the same time --- */

static pthread_barrier_t both;

static void *in_both(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&both);
	pmu_region_begin("both");
	pthread_barrier_wait(&both);
	touch();
	pthread_barrier_wait(&both);
	pmu_region_end("both");
	return NULL;
}

static int two_in_a_region(void *unused)
{
	pthread_t thread[2];

	(void)unused;
	pthread_barrier_init(&both, NULL, 2);
	for (int i = 0; i < 2; i++)
		want_int(pthread_create(&thread[i], NULL, in_both, NULL), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static void the_same_work_is_in_a_region_once(void)
{
	struct run r;

	run(&r, two_in_a_region, NULL, faults);
	run_good(&r, "two threads in a region");
	has_faults(&r, "both", 2);
	is_int(run_calls(r.json, "both"), 2, "two calls");
	run_done(&r);
}

/* --- work for another thread's region --- */

static pmu_context_t context;

static void *works_for_it(void *unused)
{
	(void)unused;
	want_int(pmu_context_enter(context), 0);
	pmu_region_begin("inner");
	touch();
	pmu_region_end("inner");
	want_int(pmu_context_leave(), 0);
	return NULL;
}

static int a_team(void *unused)
{
	pthread_t thread;

	(void)unused;
	pmu_region_begin("around");
	pmu_region_begin("outer");
	context = pmu_context_get();
	for (int i = 0; i < 2; i++) {
		want_int(pthread_create(&thread, NULL, works_for_it, NULL), 0);
		pthread_join(thread, NULL);
	}
	pmu_region_begin("inner");
	touch();
	pmu_region_end("inner");
	pmu_region_end("outer");
	pmu_region_end("around");
	return 0;
}

static void a_team_is_counted_where_its_region_is(void)
{
	struct run r;

	run(&r, a_team, NULL, faults);
	run_good(&r, "work for another thread's region");
	has_faults(&r, "around/outer/inner", 3);
	has_faults(&r, "around/outer", 3);
	is_int(run_doubts(r.json, NULL, ""), 0, "nothing is in doubt");
	run_done(&r);
}

/* --- several groups --- */

static int two_groups(void *unused)
{
	pthread_t thread;

	(void)unused;
	for (int i = 0; i < 3; i++) {
		pmu_region_begin("all");
		want_int(pthread_create(&thread, NULL, touches, NULL), 0);
		pthread_join(thread, NULL);
		pmu_region_end("all");
		want_int(pmu_group_next(), 0);
	}
	return 0;
}

static void one_group_after_another_is_counted(void)
{
	const char *const env[] = { "PMU_COUNT=process", "PMU_GROUP=SOFTWARE,TIME", "PMU_PIN=none",
				    NULL };
	struct run r;

	run(&r, two_groups, NULL, env);
	run_good(&r, "two groups in turn");
	has_faults(&r, "all", 2);
	run_done(&r);
}

/* --- children --- */

static int own_region(void)
{
	char *report = NULL;
	pthread_t thread;

	pmu_region_begin("its own");
	pthread_create(&thread, NULL, touches, NULL);
	pthread_join(thread, NULL);
	pmu_region_end("its own");
	want_int(pmu_report_text("json", &report), 0);
	puts(report ? report : "");
	free(report);
	return 0;
}

static int children(void *unused)
{
	pid_t pid;

	(void)unused;
	pmu_region_begin("around");
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 4; i++)
			touch();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	pmu_region_end("around");
	pid = fork();
	if (!pid)
		exit(own_region());
	waitpid(pid, NULL, 0);
	return 0;
}

static void what_children_do_is_their_own(void)
{
	json_t *child;
	struct run r;

	run(&r, children, NULL, faults);
	run_good(&r, "children");
	has_faults(&r, "around", 0);
	child = json_loads(r.out, 0, NULL);
	ok(raw(child, "its own") >= PAGES && raw(child, "its own") < PAGES + OTHER,
	   "a child counts its own threads: %lld", raw(child, "its own"));
	json_decref(child);
	run_done(&r);
}

/* --- threads that come and go while the session starts --- */

static int stop;

static void *nothing(void *unused)
{
	return unused;
}

static void *comes_and_goes(void *unused)
{
	pthread_t thread;

	(void)unused;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		if (!pthread_create(&thread, NULL, nothing, NULL))
			pthread_join(thread, NULL);
	return NULL;
}

static int unrest(void *unused)
{
	pthread_t thread;

	(void)unused;
	want_int(pthread_create(&thread, NULL, comes_and_goes, NULL), 0);
	want_int(pmu_init(NULL), 0);
	pmu_region_begin("all");
	touch();
	pmu_region_end("all");
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return 0;
}

/* All threads are counted, or none is and the report says so. */
static void unrest_is_no_doubt(void)
{
	struct run r;
	char *notes;

	run(&r, unrest, NULL, faults);
	run_good(&r, "threads that come and go");
	notes = run_list(r.json, "notes");
	ok(raw(r.json, "all") >= PAGES || strstr(notes, "threads began or ended"),
	   "what is counted is whole");
	free(notes);
	run_done(&r);
}

/* --- refusals --- */

static int many_threads(void *unused)
{
	struct rlimit limit = { 64, 64 };
	struct waiting waiting[40];

	(void)unused;
	for (int i = 0; i < 40; i++)
		start_waiting(&waiting[i]);
	want_int(setrlimit(RLIMIT_NOFILE, &limit), 0);
	pmu_region_begin("all");
	for (int i = 0; i < 40; i++)
		pthread_barrier_wait(&waiting[i].barrier);
	for (int i = 0; i < 40; i++) {
		pthread_barrier_wait(&waiting[i].barrier);
		pthread_join(waiting[i].thread, NULL);
	}
	pmu_region_end("all");
	return 0;
}

static void too_few_descriptors_are_said(void)
{
	struct run r;
	char *notes;

	run(&r, many_threads, NULL, faults);
	run_good(&r, "more threads than descriptors");
	notes = run_list(r.json, "notes");
	has_faults(&r, "all", 80);
	if (strstr(run_str(json_object_get(r.json, "source"), "detail"), "read(2)") ||
	    !strcmp(notes, "[]"))
		skip("what it says", "no descriptors of counters here");
	else
		has(notes, "41 threads with 1 descriptor each: the process has no descriptor left",
		    "it says what was tried");
	free(notes);
	run_done(&r);
}

static void registers_refuse(void)
{
	const char *const env[] = { "PMU_COUNT=process", "PMU_BACKEND=msr",
				    "PMU_EVENTS=instructions", "PMU_PIN=none", NULL };
	struct run r;
	char *refused;

	run(&r, two_in_a_region, NULL, env);
	run_good(&r, "a source that cannot");
	refused = run_list(r.json, "refused");
	has(refused, "whichever process runs there (PMU_COUNT=process)", "msr says why");
	is_int(run_calls(r.json, "both"), 2, "times are there");
	ok(json_is_null(json_object_get(json_object_get(run_region(r.json, "both"), "raw"),
					"instructions")),
	   "the count is missing");
	free(refused);
	run_done(&r);
}

int main(void)
{
	/* it has threads and pages of its own */
	if (TEST_TSAN)
		return skip_all("built with ThreadSanitizer");
	threads_that_never_call_count();
	the_head_says_so();
	the_same_work_is_in_a_region_once();
	a_team_is_counted_where_its_region_is();
	one_group_after_another_is_counted();
	what_children_do_is_their_own();
	unrest_is_no_doubt();
	too_few_descriptors_are_said();
	registers_refuse();
	return done_testing();
}
