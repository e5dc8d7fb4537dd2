/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever kills a program: the calls that had ended are found in what it leaves. */
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include "run.h"

#define N_KILLS   (RUN_SANITIZED ? 60 : 400)
#define N_THREADS 2
#define N_PAGES   8 /* faults in each call */

static const char *const quick[] = { "PMU_PIN=none", "PMU_BACKEND=clock", NULL };

static void begin_end(const char *name)
{
	if (pmu_region_begin(name) < 0 || pmu_region_end(name) < 0)
		want(false);
}

/* The report that the command makes of a left-over store; NULL where there is none. */
static json_t *recover(const struct run *r)
{
	char store[512];

	return run_stores(r, store, sizeof(store)) ? run_report_of(r, store) : NULL;
}

/* --- SIGKILL at any moment ------------------------------------------------------------
 */

/* In memory that outlives the program: counted right after an end returns. */
struct progress {
	uint64_t done[N_THREADS];
	uint64_t inner[N_THREADS];
};

struct worker {
	struct progress *progress;
	int i;
	char *pages;
};

static void touch_fresh_pages(char *pages)
{
	long size = sysconf(_SC_PAGESIZE);

	for (int k = 0; k < N_PAGES; k++)
		((volatile char *)pages)[k * size] = 1;
}

static void *work(void *arg)
{
	const struct worker *w = arg;
	static const char *const name[N_THREADS] = { "work 0", "work 1" };
	size_t size = N_PAGES * (size_t)sysconf(_SC_PAGESIZE);

	for (;;) {
		madvise(w->pages, size, MADV_DONTNEED);
		pmu_region_begin(name[w->i]);
		touch_fresh_pages(w->pages);
		pmu_region_begin("inner");
		pmu_region_end("inner");
		__atomic_fetch_add(&w->progress->inner[w->i], 1, __ATOMIC_RELEASE);
		pmu_region_end(name[w->i]);
		__atomic_fetch_add(&w->progress->done[w->i], 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static int work_for_ever(void *arg)
{
	size_t size = N_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	struct worker worker[N_THREADS];
	pthread_t thread;

	for (int i = 0; i < N_THREADS; i++) {
		worker[i].progress = arg;
		worker[i].i = i;
		worker[i].pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		/* one fault for each page, however large pages may be */
		madvise(worker[i].pages, size, MADV_NOHUGEPAGE);
	}
	pthread_create(&thread, NULL, work, &worker[1]);
	work(&worker[0]);
	return 0;
}

/* What was found wrong in all runs together. */
struct findings {
	int with_store, with_calls, lost, invented, torn, inner, not_dead;
	uint64_t calls;
};

static void check_thread(const json_t *report, int i, const struct progress *progress,
			 struct findings *found)
{
	char path[32];
	const json_t *region, *raw;
	long long calls, faults, minor, inner, done = (long long)progress->done[i];

	snprintf(path, sizeof(path), "work %d", i);
	region = run_region(report, path);
	calls = region ? run_int(region, "calls") : 0;
	found->lost += calls < done;
	found->invented += calls > done + 1;
	strcat(path, "/inner");
	inner = run_calls(report, path) < 0 ? 0 : run_calls(report, path);
	found->inner += inner < (long long)progress->inner[i] ||
			inner > (long long)progress->inner[i] + 1 || inner < calls ||
			inner > calls + 1;
	if (calls <= 0)
		return;
	found->calls += (uint64_t)calls;
	found->with_calls++;
	raw = json_object_get(region, "raw");
	faults = run_int(raw, "page-faults");
	minor = run_int(raw, "minor-faults");
	/* Both count the same, and the first call may have a few more: one call's worth
	 * apart is torn. */
	found->torn += faults != minor || faults < N_PAGES * calls ||
		       (faults >= N_PAGES * (calls + 1) && !RUN_SANITIZED);
	found->torn += run_int(region, "time_min_ns") > run_int(region, "time_max_ns") ||
		       run_int(region, "time_max_ns") > run_int(region, "time_ns") + 1;
}

static void check_left_over(const struct run *r, const struct progress *progress,
			    struct findings *found)
{
	json_t *report = recover(r);

	if (report) {
		found->with_store++;
		found->not_dead += !json_is_string(json_object_get(report, "died"));
	}
	for (int i = 0; i < N_THREADS; i++)
		check_thread(report, i, progress, found);
	json_decref(report);
}

static void sleep_us(long us)
{
	struct timespec time = { 0, us * 1000 };

	nanosleep(&time, NULL);
}

static void killed_at_any_moment_nothing_is_lost(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=software",
					   "PMU_EVENTS=page-faults,minor-faults", NULL };
	struct findings found = { 0 };
	struct progress *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int seed = (unsigned int)getpid();

	diag("seed %u", seed);
	for (int i = 0; i < N_KILLS; i++) {
		struct run r;

		memset(progress, 0, sizeof(*progress));
		run_start(&r, work_for_ever, progress, env);
		/* A few at the start itself, most of them among the calls. */
		if (i % 8)
			while (!__atomic_load_n(&progress->done[i % N_THREADS], __ATOMIC_ACQUIRE) &&
			       waitpid(r.pid, NULL, WNOHANG) == 0)
				sleep_us(20);
		sleep_us(rand_r(&seed) % 4000);
		kill(r.pid, SIGKILL);
		run_wait(&r);
		check_left_over(&r, progress, &found);
		run_done(&r);
	}
	diag("%d stores, %d rows with calls, %" PRIu64 " calls", found.with_store, found.with_calls,
	     found.calls);
	ok(found.with_store >= N_KILLS * 7 / 8, "nearly every kill leaves a store");
	ok(found.with_calls >= N_KILLS * 7 / 8, "with calls in it");
	is_int(found.lost, 0, "no completed call is lost");
	is_int(found.invented, 0, "at most the one in flight is there beyond them");
	is_int(found.inner, 0, "nor any of a nested region");
	is_int(found.torn, 0, "no sum is torn");
	is_int(found.not_dead, 0, "each report says that the program died");
	munmap(progress, sizeof(*progress));
}

/* --- other ends -----------------------------------------------------------------------
 */

static void no_core_file(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	signal(SIGABRT, SIG_DFL);
	signal(SIGSEGV, SIG_DFL); /* sanitizers have handlers of their own */
	signal(SIGBUS, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

static void die_by_abort(void)
{
	abort();
}

static void die_by_segv(void)
{
	raise(SIGSEGV);
}

static void die_by_term(void)
{
	raise(SIGTERM);
}

static void die_by_kill(void)
{
	raise(SIGKILL);
}

static void leave_by__exit(void)
{
	_exit(0);
}

static void leave_by_quick_exit(void)
{
	quick_exit(0);
}

static const struct death {
	const char *name;
	void (*die)(void);
	int signal;
} deaths[] = {
	{ "abort()", die_by_abort, SIGABRT }, { "SIGSEGV", die_by_segv, SIGSEGV },
	{ "SIGTERM", die_by_term, SIGTERM },  { "SIGKILL", die_by_kill, SIGKILL },
	{ "_exit()", leave_by__exit, 0 },     { "quick_exit()", leave_by_quick_exit, 0 },
};

static int measure_and_die(void *arg)
{
	const struct death *death = arg;

	no_core_file();
	for (int i = 0; i < 1000; i++) {
		pmu_region_begin("outer");
		begin_end("inner");
		pmu_region_end("outer");
	}
	pmu_region_begin("outer");
	pmu_region_begin("dies here");
	death->die();
	return 0;
}

static void dead_it_keeps_what_ended(const struct death *death)
{
	json_t *report;
	const char *died;
	struct run r;

	run(&r, measure_and_die, (void *)(uintptr_t)death, quick);
	ok(death->signal ? WIFSIGNALED(r.status) && WTERMSIG(r.status) == death->signal
			 : WIFEXITED(r.status) && !WEXITSTATUS(r.status),
	   "%s ends as it would without us", death->name);
	ok(!r.json, "no report at that moment");
	report = recover(&r);
	is_int(run_calls(report, "outer"), 1000, "what ended is in the store");
	is_int(run_calls(report, "outer/inner"), 1000, "all of it");
	is_int(run_int(run_region(report, "outer"), "open"), 1, "what was open");
	ok(run_doubts(report, "outer/dies here", "still open when the program died") == 1 ||
		   run_doubts(report, "dies here", "still open when the program died") == 1,
	   "is named");
	died = run_str(report, "died");
	ok(died != NULL, "and the death itself");
	json_decref(report);
	run_done(&r);
}

/* --- times ----------------------------------------------------------------------------
 */

struct timed {
	const struct death *death;
	bool in_thread;
	uint64_t *took_ns; /* shared with the test: between the first region and the last */
};

static void *take_time_and_die(void *arg)
{
	struct timed *timed = arg;
	uint64_t start;

	begin_end("first");
	start = run_now_ns();
	for (int i = 0; i < 10; i++) {
		const char *name = i % 2 ? "odd" : "even";

		pmu_region_begin(name);
		sleep_us(1000);
		*timed->took_ns = run_now_ns() - start;
		pmu_region_end(name);
	}
	timed->death->die();
	return NULL;
}

static int die_after_a_time(void *arg)
{
	struct timed *timed = arg;
	pthread_t thread;

	no_core_file();
	begin_end("main");
	if (!timed->in_thread)
		take_time_and_die(timed);
	pthread_create(&thread, NULL, take_time_and_die, timed);
	pthread_join(thread, NULL);
	return 9;
}

/* A part of the time of the only thread that has the region; more than 1 where it has
 * none. */
static double share_of_thread(const json_t *region)
{
	const json_t *row = json_array_get(json_object_get(region, "threads"), 0);
	const json_t *share = json_object_get(row, "share");

	return json_is_real(share) ? json_real_value(share) : 2;
}

static double share_of_all(const json_t *region)
{
	const json_t *share = json_object_get(region, "share");

	return json_is_real(share) ? json_real_value(share) : 2;
}

static void dead_it_tells_how_long_it_ran(const struct death *death, bool in_thread)
{
	uint64_t *took_ns = mmap(NULL, sizeof(*took_ns), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct timed timed = { death, in_thread, took_ns };
	const json_t *even, *odd;
	json_t *report;
	struct run r;

	run(&r, die_after_a_time, &timed, quick);
	report = recover(&r);
	even = run_region(report, "even");
	odd = run_region(report, "odd");
	ok(run_int(even, "calls") == 5 && run_int(odd, "calls") == 5, "%s in %s", death->name,
	   in_thread ? "a thread" : "main");
	ok(*took_ns > 0 && run_int(report, "duration_ns") >= (long long)*took_ns,
	   "it ran at least as long as its regions");
	ok(share_of_thread(even) + share_of_thread(odd) <= 1,
	   "and so did the thread that was in them");
	ok(share_of_all(even) + share_of_all(odd) <= 1, "and all threads together");
	json_decref(report);
	run_done(&r);
	munmap(took_ns, sizeof(*took_ns));
}

/* --- a store that is alive ------------------------------------------------------------
 */

static int pause_in_a_region(void *arg)
{
	uint64_t *ready = arg;

	begin_end("ended");
	pmu_region_begin("open");
	__atomic_store_n(ready, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
	return 0;
}

static void a_running_programs_store_can_be_read(void)
{
	uint64_t *ready = mmap(NULL, sizeof(*ready), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	json_t *report;
	struct run r;

	run_start(&r, pause_in_a_region, ready, quick);
	while (!__atomic_load_n(ready, __ATOMIC_ACQUIRE) && waitpid(r.pid, NULL, WNOHANG) == 0)
		sleep_us(200);
	report = recover(&r);
	is_int(run_calls(report, "ended"), 1, "what ended so far");
	is_int(run_int(run_region(report, "open"), "open"), 1, "what is open");
	ok(report && json_is_null(json_object_get(report, "died")), "and nobody died");
	is_int(run_doubts(report, "open", "still open"), 0, "which is no doubt then");
	json_decref(report);
	kill(r.pid, SIGKILL);
	run_wait(&r);
	run_done(&r);
	munmap(ready, sizeof(*ready));
}

static int exec_another(void *arg)
{
	(void)arg;
	begin_end("before exec");
	execl("/bin/true", "true", (char *)NULL);
	return 9;
}

static void what_ended_before_exec_is_kept(void)
{
	json_t *report;
	struct run r;

	run(&r, exec_another, NULL, quick);
	is_int(r.status, 0, "exec");
	report = recover(&r);
	is_int(run_calls(report, "before exec"), 1, "what ended before is in the store");
	json_decref(report);
	run_done(&r);
}

int main(void)
{
	if (access(run_command_path(), X_OK) < 0)
		return skip_all("no command pmu to read left-over stores with");
	for (size_t i = 0; i < sizeof(deaths) / sizeof(*deaths); i++)
		dead_it_keeps_what_ended(&deaths[i]);
	for (size_t i = 0; i < sizeof(deaths) / sizeof(*deaths); i++)
		if (deaths[i].die == die_by_kill || deaths[i].die == leave_by__exit) {
			dead_it_tells_how_long_it_ran(&deaths[i], false);
			dead_it_tells_how_long_it_ran(&deaths[i], true);
		}
	a_running_programs_store_can_be_read();
	what_ended_before_exec_is_kept();
	killed_at_any_moment_nothing_is_lost();
	return done_testing();
}
