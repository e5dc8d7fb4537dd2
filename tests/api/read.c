/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and resetting: whole, by thread, by older and newer programs, without our own work. */
#include <glob.h>
#include <pthread.h>
#include <sys/stat.h>

#include "read.h"

/* --- read and reset -------------------------------------------------------------------
 */

static int read_and_reset(void *arg)
{
	struct pmu_region_counts counts;
	uint64_t before;

	(void)arg;
	for (int i = 0; i < 4; i++) {
		pmu_region_begin("a");
		begin_end("x");
		pmu_region_end("a");
		begin_end("x");
		begin_end("x/y");
	}
	counts = read_region("x", PMU_THREAD_SELF);
	want_int((long long)counts.calls, 8);
	want_int(counts.n_counts, 0);
	want_int(counts.missing, 0);
	before = counts.time_ns;
	counts = read_region("a/x", 0);
	want_int((long long)counts.calls, 4);
	want(counts.time_ns <= before);
	want_int((long long)read_region("x", 0).calls, 4);
	want_int((long long)read_region("x\\/y", 0).calls, 4);
	want_int((long long)read_region("x/y", PMU_THREAD_SELF).calls, 4);

	/* calls that have not ended are not in it */
	pmu_region_begin("a");
	want_int((long long)read_region("a", PMU_THREAD_SELF).calls, 4);
	want_int(pmu_region_reset("a"), -EBUSY);
	want_int(pmu_region_is_open("a"), 1);
	want_int(pmu_region_begin_once("a"), -EALREADY);
	want_int(pmu_region_begin_once(NULL), -EINVAL);
	want_int(pmu_region_begin_once("once"), 0);
	want_int(pmu_region_begin_once("once"), -EALREADY);
	want_int(pmu_region_end("once"), 0);
	want_int(pmu_region_is_open("x"), 0);
	want_int(pmu_region_is_open("never"), 0);
	pmu_region_end("a");
	want_int(pmu_region_is_open("a"), 0);
	want_int((long long)read_region("a", PMU_THREAD_SELF).calls, 5);

	want_int(pmu_region_reset("x"), 0);
	counts = read_region("x", PMU_THREAD_SELF);
	want_int((long long)counts.calls, 0);
	want_int((long long)counts.time_ns, 0);
	want_int((long long)read_region("a", PMU_THREAD_SELF).calls, 5);
	begin_end("x");
	want_int((long long)read_region("x", PMU_THREAD_SELF).calls, 1);
	return 0;
}

static void a_region_is_read_and_reset(void)
{
	struct run r;

	run(&r, read_and_reset, NULL, quick);
	run_good(&r, "read and reset");
	is_int(run_calls(r.json, "x"), 1, "the report has what came after the reset");
	ok(run_calls(r.json, "a/x") <= 0, "on every path");
	is_int(run_calls(r.json, "a"), 5, "and the others as they were");
	run_done(&r);
}

static void *in_a_thread(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	pthread_barrier_t *barrier = arg;

	begin_end("theirs");
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	want_int(pmu_region_read("ours", PMU_THREAD_SELF, &counts), -ENOENT);
	want_int(pmu_region_reset("ours"), -ENOENT);
	return NULL;
}

static int read_others(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	pthread_barrier_t barrier;
	pthread_t thread;

	(void)arg;
	begin_end("ours");
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, in_a_thread, &barrier);
	pthread_barrier_wait(&barrier);
	want_int(pmu_region_read("theirs", PMU_THREAD_SELF, &counts), -ENOENT);
	want_int((long long)read_region("theirs", 1).calls, 1);
	want_int(pmu_region_read("theirs", 0, &counts), -ENOENT);
	want_int(pmu_region_read("theirs", 2, &counts), -ESRCH);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	want_int((long long)read_region("theirs", 1).calls, 1);
	return 0;
}

static void another_thread_is_read_by_its_number(void)
{
	struct run r;

	run(&r, read_others, NULL, quick);
	run_good(&r, "another thread's regions");
	run_done(&r);
}

/* --- threads that come and go --------------------------------------------------------
 */

#define N_COMING 24 /* three times as many as keep rows of their own */
#define N_CALLS  300

struct coming {
	pthread_t id;
	bool is_done;
};

static struct coming coming[N_COMING];

static void *come_and_go(void *arg)
{
	struct coming *self = arg;
	char name[16];

	pmu_thread_attach();
	for (int i = 0; i < N_CALLS; i++) {
		pmu_region_begin("around");
		snprintf(name, sizeof(name), "in/%d", i % 60);
		begin_end(name);
		pmu_region_end("around");
	}
	__atomic_store_n(&self->is_done, true, __ATOMIC_RELEASE);
	return NULL;
}

/*
 * Calls of a path in all threads that have a number.  None goes back until its thread is in the set
 * of those that are merged.
 */
static uint64_t sum_of(const char *path, uint64_t calls[N_COMING + 2])
{
	uint64_t sum = 0;

	for (int i = 0; i < N_COMING + 2; i++) {
		struct pmu_region_counts counts = { .size = sizeof(counts) };
		int rc = pmu_region_read(path, i, &counts);

		if (!rc)
			want(counts.calls >= calls[i]);
		else
			want(rc == -ESRCH || (rc == -ENOENT && !calls[i]));
		calls[i] = rc ? 0 : counts.calls;
		sum += calls[i];
	}
	return sum;
}

static int read_those_that_go(void *arg)
{
	static uint64_t around[N_COMING + 2], in[N_COMING + 2];
	int n_gone = 0;

	(void)arg;
	begin_end("main");
	for (int i = 0; i < N_COMING; i++)
		pthread_create(&coming[i].id, NULL, come_and_go, &coming[i]);
	while (n_gone < N_COMING) {
		sum_of("around", around);
		sum_of("around/in\\/7", in);
		n_gone = 0;
		for (int i = 0; i < N_COMING; i++)
			n_gone += __atomic_load_n(&coming[i].is_done, __ATOMIC_ACQUIRE);
	}
	for (int i = 0; i < N_COMING; i++)
		pthread_join(coming[i].id, NULL);
	want_int((long long)sum_of("around", around), N_COMING * N_CALLS);
	want_int((long long)sum_of("around/in\\/7", in), N_COMING * N_CALLS / 60);
	return 0;
}

static void threads_that_come_and_go_are_read_whole(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "PMU_MAX_THREADS=8",
					   NULL };
	struct run r;

	run(&r, read_those_that_go, NULL, env);
	run_good(&r, "threads that end and are merged while they are read");
	run_done(&r);
}

/* --- structures that grow -------------------------------------------------------------
 */

static int sizes(void *arg)
{
	struct {
		struct pmu_region_counts counts;
		char beyond[64];
	} large;
	struct pmu_region_counts small;
	struct pmu_options options = { .size = sizeof(options.size) };
	size_t head = offsetof(struct pmu_region_counts, time_ns);

	(void)arg;
	/* An older program: what it does not know is left to the environment. */
	options.backend = "nonsense";
	want_int(pmu_init(&options), 0);
	begin_end("r");

	memset(&small, 0x55, sizeof(small));
	small.size = head;
	want_int(pmu_region_read("r", PMU_THREAD_SELF, &small), 0);
	want_int((long long)small.size, (long long)head);
	want_int((long long)small.calls, 1);
	want(small.time_ns == 0x5555555555555555);
	want(small.n_counts == 0x55555555);

	memset(&large, 0x55, sizeof(large));
	large.counts.size = sizeof(large);
	want_int(pmu_region_read("r", PMU_THREAD_SELF, &large.counts), 0);
	want_int((long long)large.counts.calls, 1);
	for (size_t i = 0; i < sizeof(large.beyond); i++)
		want_int(large.beyond[i], 0x55);
	small.size = 0;
	want_int(pmu_region_read("r", PMU_THREAD_SELF, &small), -EINVAL);
	small.size = sizeof(small.size) - 1;
	want_int(pmu_region_read("r", PMU_THREAD_SELF, &small), -EINVAL);
	return 0;
}

static void structures_may_be_older_or_newer(void)
{
	struct run r;

	run(&r, sizes, NULL, quick);
	run_good(&r, "other sizes of the public structures");
	run_done(&r);
}

/* --- without the library's own work --- */

/* The number that follows a text. */
static uint64_t number_after(const char *text, const char *what)
{
	const char *at = strstr(text, what);

	want(at != NULL);
	return at ? strtoull(at + strlen(what), NULL, 10) : 0;
}

static bool is_near(uint64_t got, uint64_t want, uint64_t most)
{
	return got > want ? got - want <= most : want - got <= most;
}

static int read_net(void *arg)
{
	struct pmu_region_counts self, path;
	char *report = NULL, *region;

	(void)arg;
	for (int i = 0; i < 1000; i++) {
		pmu_region_begin("outer");
		for (int k = 0; k < 5; k++)
			begin_end("inner");
		pmu_region_end("outer");
	}
	self = read_region("outer", PMU_THREAD_SELF);
	path = read_region("outer", 0);
	/* 1,000 calls with 5,000 pairs in them cost something */
	want(self.net_time_ns < self.time_ns);
	/*
	 * clocks are compared anew each time; where a pair took long when it was measured, nothing
	 * is left of both
	 */
	want(is_near(path.time_ns, self.time_ns, self.time_ns / 100));
	want(is_near(path.net_time_ns, self.net_time_ns, self.time_ns / 100));
	want_int((long long)self.n_counts, 1);
	want_int((long long)self.count[0], (long long)path.count[0]);
	want_int((long long)self.net[0], (long long)path.net[0]);
	want(self.net[0] <= self.count[0]);

	/* as the report says */
	want_int(pmu_report_text("json", &report), 0);
	region = report ? strstr(report, "\"path\": \"outer\"") : NULL;
	want(region != NULL);
	if (region) {
		want_int((long long)number_after(region, "\"net\": {\"task-clock\": "),
			 (long long)self.net[0]);
		want_int((long long)number_after(region, "\"raw\": {\"task-clock\": "),
			 (long long)self.count[0]);
	}
	free(report);
	return 0;
}

static void net_is_without_the_librarys_own_work(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=software",
					   "PMU_EVENTS=task-clock", NULL };
	struct run r;

	run(&r, read_net, NULL, env);
	run_good(&r, "net counts and times");
	run_done(&r);
}

/* Each call of the library touches pages that were not touched before. */
static int call_in_a_region(void *arg)
{
	const struct run *r = arg;
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	char path[512], *text;

	snprintf(path, sizeof(path), "%s/in between.json", r->dir);
	pmu_region_begin("outer");
	pmu_region_begin("inner");
	for (int i = 0; i < 5; i++) {
		text = NULL;
		want_int(pmu_note("a note of a few words"), 0);
		want_int(pmu_report(path), 0);
		want_int(pmu_report_text("text", &text), 0);
		want_int(pmu_region_read("outer/inner", 0, &counts), 0);
		want_int(pmu_checkpoint(PMU_NEXT_GOES_ON), 0);
		free(text);
	}
	pmu_region_end("inner");
	pmu_region_end("outer");
	return 0;
}

static void what_a_call_does_is_in_no_region(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=software",
					   "PMU_EVENTS=page-faults", NULL };
	/* free(), this function's own stack; a sanitizer's own pages */
	long long most = RUN_SANITIZED ? 12 : 4, inner, outer;
	struct run r;

	run(&r, call_in_a_region, &r, env);
	run_good(&r, "calls of the library in a region");
	inner = run_int(json_object_get(run_region(r.json, "outer/inner"), "raw"), "page-faults");
	outer = run_int(json_object_get(run_region(r.json, "outer"), "raw"), "page-faults");
	is_int(run_int(run_region(r.json, "outer/inner"), "calls"), 1, "it is one call");
	ok(inner >= 0 && inner <= most, "with next to no page faults: %lld", inner);
	ok(outer >= 0 && outer <= most, "nor has the one around it: %lld", outer);
	run_done(&r);
}

static int report_in_a_region(void *arg)
{
	const struct run *r = arg;
	struct pmu_region_counts around, inside;
	uint64_t start, reports;
	char path[512];

	snprintf(path, sizeof(path), "%s/in between.json", r->dir);
	begin_end("inside");
	start = run_now_ns();
	pmu_region_begin("around");
	for (int i = 0; i < 20; i++)
		want_int(pmu_report(path), 0);
	pmu_region_end("around");
	reports = run_now_ns() - start;
	pmu_region_begin("inside");
	want_int(pmu_report(path), 0);
	pmu_region_end("inside");
	around = read_region("around", PMU_THREAD_SELF);
	inside = read_region("inside", PMU_THREAD_SELF);
	want(around.time_ns < reports / 2);
	want(inside.time_ns < reports / 2);
	return 0;
}

static void time_of_a_report_is_in_no_region(void)
{
	struct run r;

	run(&r, report_in_a_region, &r, quick);
	run_good(&r, "reports in a region that is only timed");
	run_done(&r);
}

/* Bytes of this program's stores; -1 where there is none to be seen. */
static long long store_size(void)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");
	long long sum = -1;
	char pattern[600];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/pmu/*.pmu", dir ? dir : "");
	if (glob(pattern, 0, NULL, &found))
		return -1;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct stat st;

		if (stat(found.gl_pathv[i], &st) == 0)
			sum = (sum < 0 ? 0 : sum) + st.st_size;
	}
	globfree(&found);
	return sum;
}

static int read_often(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	long long before;

	(void)arg;
	want_int(pmu_region_begin("r"), 0);
	want_int(pmu_region_end("r"), 0);
	before = store_size();
	want(before > 0);
	for (int i = 0; i < 3000; i++)
		want_int(pmu_region_read("r", 0, &counts), 0);
	want_int(store_size(), before);
	return 0;
}

static void reading_takes_no_room(void)
{
	/* pinned: there is something to say of it, more than the store's first piece would hold */
	static const char *const env[] = { "PMU_BACKEND=clock", NULL };
	struct run r;

	run(&r, read_often, NULL, env);
	run_good(&r, "3,000 reads of a path leave the store as it was");
	run_done(&r);
}

int main(void)
{
	a_region_is_read_and_reset();
	another_thread_is_read_by_its_number();
	threads_that_come_and_go_are_read_whole();
	structures_may_be_older_or_newer();
	net_is_without_the_librarys_own_work();
	what_a_call_does_is_in_no_region();
	time_of_a_report_is_in_no_region();
	reading_takes_no_room();
	return done_testing();
}
