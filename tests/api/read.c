/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading, resetting, groups, options, and every error code that the header lists. */
#include <glob.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "run.h"

static const char *const quick[] = { "PMU_PIN=none", "PMU_BACKEND=clock", NULL };

static void begin_end(const char *name)
{
	want_int(pmu_region_begin(name), 0);
	want_int(pmu_region_end(name), 0);
}

static struct pmu_region_counts read_region(const char *name, int thread)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	want_int(pmu_region_read(name, thread, &counts), 0);
	want_int((long long)counts.size, sizeof(counts));
	return counts;
}

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

/* Each of them touches pages that nobody has touched before. */
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

/* --- groups ---------------------------------------------------------------------------
 */

static int switch_groups(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	(void)arg;
	want(pmu_count_name(0) == NULL);
	want_int(pmu_group_next(), -ENODEV);
	begin_end("r");
	want(pmu_count_name(0) && !strcmp(pmu_count_name(0), "task-clock"));
	want(pmu_count_name(1) && !strcmp(pmu_count_name(1), "page-faults"));
	want(pmu_count_name(PMU_MAX_COUNTS) == NULL);
	want(pmu_count_name(~0u) == NULL);
	counts = read_region("r", PMU_THREAD_SELF);
	want(counts.n_counts >= 4 && counts.n_counts <= 5);
	want(pmu_count_name(counts.n_counts) == NULL);

	pmu_region_begin("r");
	want_int(pmu_group_next(), -EBUSY);
	pmu_region_end("r");
	want_int(pmu_group_next(), 0);
	want(pmu_count_name(0) == NULL);
	want_int(pmu_region_read("r", PMU_THREAD_SELF, &counts), -ENOENT);
	begin_end("r");
	begin_end("only in TIME");
	counts = read_region("r", PMU_THREAD_SELF);
	want_int(counts.n_counts, 0);
	want_int((long long)counts.calls, 1);

	want_int(pmu_group_next(), 0);
	begin_end("r");
	return 0;
}

static const json_t *region_of_group(const json_t *report, const char *path, const char *group)
{
	size_t i;
	json_t *region;

	json_array_foreach(json_object_get(report, "regions"), i, region)
	{
		if (!strcmp(run_str(region, "path"), path) &&
		    !strcmp(run_str(region, "group"), group))
			return region;
	}
	return NULL;
}

static void groups_take_turns(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=SOFTWARE,TIME", NULL };
	const json_t *software, *timed;
	struct run r;

	run(&r, switch_groups, NULL, env);
	run_good(&r, "two groups in turns");
	software = region_of_group(r.json, "r", "SOFTWARE");
	timed = region_of_group(r.json, "r", "TIME");
	is_int(run_int(software, "calls"), 3, "calls while SOFTWARE was counted, both times");
	is_int(run_int(timed, "calls"), 1, "calls while TIME was counted");
	is_int(run_int(region_of_group(r.json, "only in TIME", "TIME"), "calls"), 1,
	       "a region of one group");
	ok(!region_of_group(r.json, "only in TIME", "SOFTWARE"), "is not in the other");
	is_int((long long)json_array_size(json_object_get(r.json, "groups")), 2, "two groups");
	is_int((long long)json_array_size(json_object_get(r.json, "threads")), 1, "one thread");
	run_done(&r);
}

static void *open_a_region(void *arg)
{
	pthread_barrier_t *barrier = arg;

	pmu_region_begin("theirs");
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	pmu_region_end("theirs");
	return NULL;
}

static int switch_with_threads(void *arg)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	(void)arg;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, open_a_region, &barrier);
	pthread_barrier_wait(&barrier);
	want_int(pmu_group_next(), -EBUSY);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	want_int(pmu_group_next(), 0);
	begin_end("r");
	return 0;
}

static void any_threads_open_region_holds_the_group(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=SOFTWARE,TIME", NULL };
	struct run r;

	run(&r, switch_with_threads, NULL, env);
	run_good(&r, "a group does not change while another thread is in a region");
	is_int(run_int(region_of_group(r.json, "theirs", "SOFTWARE"), "calls"), 1, "its call");
	run_done(&r);
}

/* Groups may be the same: what counts is which of the three is the current one. */
static int skip_the_first_group(void *arg)
{
	(void)arg;
	want_int(pmu_init(NULL), 0);
	want_int(pmu_group_next(), 0);
	for (int i = 0; i < 3; i++)
		begin_end("r");
	want_int((long long)read_region("r", 0).calls, 3);
	want_int((long long)read_region("r", PMU_THREAD_SELF).calls, 3);
	want_int(pmu_group_next(), 0);
	for (int i = 0; i < 5; i++)
		begin_end("r");
	want_int((long long)read_region("r", 0).calls, 5);
	want_int((long long)read_region("r", PMU_THREAD_SELF).calls, 5);
	want_int(pmu_group_next(), 0);
	want_int(pmu_group_next(), 0);
	want_int((long long)read_region("r", 0).calls, 3);
	want_int((long long)read_region("r", PMU_THREAD_SELF).calls, 3);
	return 0;
}

static void a_group_never_counted_hides_no_other(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=SOFTWARE,TIME,SOFTWARE",
					   NULL };
	struct run r;

	run(&r, skip_the_first_group, NULL, env);
	run_good(&r, "reading by path where the first group was never counted");
	run_done(&r);
}

static int reset_after_a_round(void *arg)
{
	(void)arg;
	begin_end("r");
	want_int(pmu_group_next(), 0);
	begin_end("r");
	begin_end("r");
	want_int(pmu_group_next(), 0);
	want_int(pmu_region_reset("r"), 0);
	want_int((long long)read_region("r", PMU_THREAD_SELF).calls, 0);
	want_int(pmu_group_next(), 0);
	want_int((long long)read_region("r", PMU_THREAD_SELF).calls, 2);
	return 0;
}

static void a_reset_is_the_current_groups(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=SOFTWARE,TIME", NULL };
	struct run r;

	run(&r, reset_after_a_round, NULL, env);
	run_good(&r, "a reset after the groups went round");
	ok(run_int(region_of_group(r.json, "r", "SOFTWARE"), "calls") <= 0,
	   "forgets the calls in the current group");
	is_int(run_int(region_of_group(r.json, "r", "TIME"), "calls"), 2, "and in no other");
	run_done(&r);
}

struct changes {
	pthread_barrier_t barrier;
	int stop, calls;
};

static void *begin_meanwhile(void *arg)
{
	struct changes *changes = arg;

	pthread_barrier_wait(&changes->barrier);
	for (; !__atomic_load_n(&changes->stop, __ATOMIC_RELAXED); changes->calls++)
		begin_end("theirs");
	return NULL;
}

static int change_while_others_begin(void *arg)
{
	struct changes changes = { .stop = 0 };
	int n_changes = 0;
	pthread_t thread;

	(void)arg;
	alarm(60);
	want_int(pmu_init(NULL), 0);
	pthread_barrier_init(&changes.barrier, NULL, 2);
	pthread_create(&thread, NULL, begin_meanwhile, &changes);
	pthread_barrier_wait(&changes.barrier);
	/* where the other thread stands is chance */
	for (int i = 0; i < 20000 || n_changes < 20; i++) {
		int rc = pmu_group_next();

		want(rc == 0 || rc == -EBUSY);
		n_changes += rc == 0;
	}
	__atomic_store_n(&changes.stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	printf("%d", changes.calls);
	return 0;
}

static void a_region_ends_in_the_group_it_was_begun_in(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=SOFTWARE,TIME",
					   "PMU_BACKEND=clock", NULL };
	long long calls = 0;
	struct run r;
	size_t i;
	json_t *region;

	run(&r, change_while_others_begin, NULL, env);
	run_good(&r, "groups change while another thread begins and ends");
	json_array_foreach(json_object_get(r.json, "regions"), i, region)
		calls += run_int(region, "calls");
	is_int(calls, r.out ? atoll(r.out) : -1, "no call is lost");
	is_int(run_doubts(r.json, "theirs", ""), 0, "none is doubted");
	run_done(&r);
}

/* --- what cannot be counted ----------------------------------------------------------
 */

/* Whatever lay on the stack is not what was counted. */
static __attribute__((noinline)) void litter_the_stack(void)
{
	volatile unsigned char litter[2000];

	for (size_t i = 0; i < sizeof(litter); i++)
		litter[i] = 0x5a;
}

static bool store_holds(const struct run *r, const void *bytes, size_t len)
{
	char path[512] = "";
	bool found = false;
	struct stat st;
	void *store;
	int fd;

	run_stores(r, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!want(fd >= 0 && fstat(fd, &st) == 0))
		return true;
	store = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (want(store != MAP_FAILED)) {
		found = memmem(store, (size_t)st.st_size, bytes, len) != NULL;
		munmap(store, (size_t)st.st_size);
	}
	close(fd);
	return found;
}

static int count_on_the_clock(void *arg)
{
	struct pmu_region_counts counts;

	for (int i = 0; i < 3; i++) {
		want_int(pmu_region_begin_n("counted", 5), 0);
		litter_the_stack();
		want_int(pmu_region_end_n("counted", 5), 0);
	}
	counts = read_region("count", PMU_THREAD_SELF);
	want_int((long long)counts.calls, 3);
	want_int(counts.n_counts, 2);
	want_int(counts.missing, 3);
	want(store_holds(arg, "count", 5));
	want(!store_holds(arg, "\x5a\x5a\x5a\x5a", 4));
	return 0;
}

static void what_the_source_does_not_count_is_missing(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					   "PMU_EVENTS=instructions,cycles", NULL };
	const json_t *raw;
	struct run r;

	run(&r, count_on_the_clock, &r, env);
	run_good(&r, "events on a source that only tells the time");
	raw = json_object_get(run_region(r.json, "count"), "raw");
	ok(json_is_null(json_object_get(raw, "instructions")) &&
		   json_is_null(json_object_get(raw, "cycles")),
	   "are null in the report");
	run_done(&r);
}

static int count_once(void *arg)
{
	(void)arg;
	begin_end("count");
	return 0;
}

/* Of the kernel's PMUs not every machine has each: that is no mistake of the user's. */
static void what_the_kernel_has_no_pmu_for_is_missing(void)
{
	static const char *const env[] = {
		"PMU_PIN=none",
		"PMU_EVENTS=uncore_of_another_machine/cas_count_read/,page-faults,"
		"uncore_of_another_machine/cas_count_write/",
		NULL
	};
	const json_t *raw;
	char *notes;
	struct run r;

	run(&r, count_once, NULL, env);
	run_good(&r, "events of a PMU that is not here");
	raw = json_object_get(run_region(r.json, "count"), "raw");
	ok(json_is_null(json_object_get(raw, "uncore_of_another_machine/cas_count_read/")) &&
		   json_is_null(json_object_get(raw, "uncore_of_another_machine/cas_count_write/")),
	   "are null in the report");
	ok(json_is_integer(json_object_get(raw, "page-faults")), "what can be counted is");
	notes = json_dumps(r.json, 0);
	has(notes, "shows no PMU called uncore_of_another_machine",
	    "and the report names what is not here");
	free(notes);
	run_done(&r);
}

/* --- options --------------------------------------------------------------------------
 */

static int use_options(void *arg)
{
	const struct run *r = arg;
	struct pmu_options options = { .size = sizeof(options), .group = "TIME" };
	char output[512];

	snprintf(output, sizeof(output), "%s/other.json", r->dir);
	options.output = output;
	want_int(pmu_init(&options), 0);
	memset(output, 'x', sizeof(output) - 1); /* was copied */
	begin_end("r");
	want_int(pmu_init(&options), -EALREADY);
	want_int(pmu_init(NULL), -EALREADY);
	want(strstr(pmu_last_error(), "pmu_fini") != NULL);
	return 0;
}

static void options_win_over_the_environment(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=NO_SUCH", NULL };
	struct run r;
	json_t *other;

	run(&r, use_options, &r, env);
	run_good(&r, "struct pmu_options");
	ok(!r.json, "PMU_OUTPUT is not used");
	other = run_load(&r, "other.json");
	is_int(run_calls(other, "r"), 1, "the output of the options is");
	ok(region_of_group(other, "r", "TIME") != NULL, "and so is its group");
	json_decref(other);
	run_done(&r);
}

static int switched_off(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	struct pmu_options options = { .size = sizeof(options), .enable = "0" };

	want_int(pmu_init(arg ? &options : NULL), 0);
	begin_end("r");
	want_int(pmu_region_end("never begun"), 0);
	want_int(pmu_region_begin(NULL), 0);
	want_int(pmu_thread_attach(), 0);
	want_int(pmu_region_read("r", PMU_THREAD_SELF, &counts), -ENODEV);
	want_int(pmu_report(NULL), -ENODEV);
	want_int(pmu_fini(), -ENODEV);
	return 0;
}

static void switched_off_everything_returns_at_once(void)
{
	static const char *const env[] = { "PMU_ENABLE=0", NULL };
	struct run r;
	int by_option = 1;

	run(&r, switched_off, NULL, env);
	run_good(&r, "PMU_ENABLE=0");
	ok(!r.json, "no report");
	is_str(r.err, "", "not a word");
	run_done(&r);
	run(&r, switched_off, &by_option, NULL);
	run_good(&r, "the same by an option");
	ok(!r.json, "no report");
	run_done(&r);
}

/* --- errors ---------------------------------------------------------------------------
 */

static int without_session(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	(void)arg;
	want(!strcmp(pmu_last_error(), ""));
	want_int(pmu_region_read("r", PMU_THREAD_SELF, &counts), -ENODEV);
	want(pmu_last_error()[0] != '\0');
	want_int(pmu_group_next(), -ENODEV);
	want_int(pmu_report("/nowhere/x"), -ENODEV);
	want_int(pmu_fini(), -ENODEV);
	want(pmu_count_name(0) == NULL);
	return 0;
}

static void without_a_session_calls_say_so(void)
{
	struct run r;

	run(&r, without_session, NULL, quick);
	run_good(&r, "-ENODEV");
	ok(!r.json, "and no session was started");
	run_done(&r);
}

static int misuse(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	struct pmu_options options = { .size = 0 };
	const struct run *r = arg;

	want_int(pmu_init(&options), -EINVAL);
	want_int(pmu_thread_attach(), 0);
	want_int(pmu_thread_attach(), 0);
	begin_end("r");
	want_int(pmu_region_read(NULL, PMU_THREAD_SELF, &counts), -EINVAL);
	want_int(pmu_region_read("", PMU_THREAD_SELF, &counts), -EINVAL);
	want_int(pmu_region_read("r", -2, &counts), -EINVAL);
	want_int(pmu_region_read("r", PMU_THREAD_SELF, NULL), -EINVAL);
	want_int(pmu_region_read("other", PMU_THREAD_SELF, &counts), -ENOENT);
	want(strstr(pmu_last_error(), "other") != NULL);
	want_int(pmu_region_read("other", 0, &counts), -ENOENT);
	want_int(pmu_region_read("r", 77, &counts), -ESRCH);
	want_int(pmu_region_reset(NULL), -EINVAL);
	want_int(pmu_region_reset(""), -EINVAL);
	want_int(pmu_region_is_open(NULL), -EINVAL);
	want_int(pmu_region_is_open(""), -EINVAL);
	want_int(pmu_region_reset("other"), -ENOENT);
	want_int(pmu_group_next(), -ENOENT);
	want_int(pmu_report(""), -EINVAL);
	want_int(pmu_report("/no/such/folder/x.json"), -ENOENT);
	want(strstr(pmu_last_error(), "/no/such/folder") != NULL);
	want_int(pmu_report(r->dir), -EISDIR);
	if (access("/dev/full", W_OK) == 0)
		want_int(pmu_report("/dev/full"), -ENOSPC);
	want_int(pmu_fini(), 0);
	want_int(pmu_fini(), -ENODEV);
	want_int(pmu_report(NULL), -ENODEV);
	begin_end("after the end");
	return 0;
}

static void misuse_has_its_codes(void)
{
	struct run r;

	run(&r, misuse, &r, quick);
	run_good(&r, "the codes that the header lists");
	is_int(run_calls(r.json, "r"), 1, "the region is as it was");
	ok(!run_region(r.json, "after the end"), "and nothing came after the end");
	run_done(&r);
}

static int bad_start(void *arg)
{
	(void)arg;
	want_int(pmu_thread_attach(), -EINVAL);
	want(pmu_last_error()[0] != '\0');
	begin_end("r");
	want_int(pmu_thread_attach(), 0);
	return 7;
}

static void a_bad_setting_is_an_error_once(void)
{
	static const char *const env[] = { "PMU_GROUP=NO_SUCH", NULL };
	struct run r;

	run(&r, bad_start, NULL, env);
	is_int(WEXITSTATUS(r.status), 7, "the program runs on");
	is_int(r.notes->n_failed, 0, "unmeasured");
	ok(r.err && strchr(r.err, '\n') && !strchr(r.err, '\n')[1], "with one line");
	ok(!r.json, "and no report");
	run_done(&r);
}

static int bad_output(void *arg)
{
	(void)arg;
	begin_end("r");
	want_int(pmu_fini(), -ENOENT);
	return 0;
}

static void fini_returns_the_first_outputs_error(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					   "PMU_OUTPUT=/no/such/folder/x,@/run.json", NULL };
	struct run r;

	run(&r, bad_output, NULL, env);
	run_good(&r, "an output that cannot be written");
	is_int(run_calls(r.json, "r"), 1, "the other one is written");
	has(r.err, "/no/such/folder", "the message names it");
	run_done(&r);
}

static void limit_memory(unsigned long more)
{
	struct rlimit limit;
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	want(file && fscanf(file, "%lu", &pages) == 1);
	if (file)
		fclose(file);
	getrlimit(RLIMIT_AS, &limit);
	limit.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) + more;
	setrlimit(RLIMIT_AS, &limit);
}

static int no_memory_for_regions(void *arg)
{
	char name[PMU_NAME_MAX + 1];
	int n = 0, rc = 0;

	(void)arg;
	begin_end("before");
	limit_memory(4 << 20);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	while (rc == 0 && n < 60000) {
		char digits[16];

		snprintf(digits, sizeof(digits), "%08d", n++);
		memcpy(name, digits, 8);
		rc = pmu_region_begin(name);
		if (rc == 0)
			rc = pmu_region_end(name);
	}
	want_int(rc, -ENOMEM);
	begin_end("before");
	limit_memory(256 << 20); /* the report needs some */
	return 0;
}

static int no_memory_for_a_session(void *arg)
{
	(void)arg;
	limit_memory(0);
	want_int(pmu_init(NULL), -ENOMEM);
	begin_end("r");
	return 0;
}

static void want_of_memory_is_an_error(void)
{
	struct run r;

	if (RUN_SANITIZED) {
		skip("want of memory", "a sanitizer needs its memory");
		return;
	}
	run(&r, no_memory_for_regions, NULL, quick);
	run_good(&r, "no memory for another region");
	is_int(run_calls(r.json, "before"), 2, "what was there goes on");
	ok(run_doubts(r.json, NULL, "want of memory") >= 1, "and the report says so");
	run_done(&r);
	run(&r, no_memory_for_a_session, NULL, quick);
	run_good(&r, "no memory for a session");
	run_done(&r);
}

static int names_of_errors(void *arg)
{
	static const int codes[] = { EINVAL, ENOENT,       EBUSY,    ENODEV, ENOMEM,
				     ENOSPC, ENAMETOOLONG, EALREADY, ESRCH };

	(void)arg;
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		want(pmu_strerror(codes[i])[0] != '\0');
		want(!strcmp(pmu_strerror(codes[i]), pmu_strerror(-codes[i])));
		for (size_t k = 0; k < i; k++)
			want(strcmp(pmu_strerror(codes[i]), pmu_strerror(codes[k])));
	}
	want(pmu_strerror(0)[0] != '\0');
	want(pmu_strerror(123456)[0] != '\0');
	want(pmu_strerror(-2147483647 - 1)[0] != '\0');
	want_int(pmu_version(), PMU_VERSION);
	return 0;
}

static void errors_have_words(void)
{
	struct run r;

	run(&r, names_of_errors, NULL, NULL);
	run_good(&r, "pmu_strerror() and pmu_version()");
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
	groups_take_turns();
	any_threads_open_region_holds_the_group();
	a_group_never_counted_hides_no_other();
	a_reset_is_the_current_groups();
	a_region_ends_in_the_group_it_was_begun_in();
	what_the_source_does_not_count_is_missing();
	what_the_kernel_has_no_pmu_for_is_missing();
	options_win_over_the_environment();
	switched_off_everything_returns_at_once();
	without_a_session_calls_say_so();
	misuse_has_its_codes();
	a_bad_setting_is_an_error_once();
	fini_returns_the_first_outputs_error();
	want_of_memory_is_an_error();
	errors_have_words();
	reading_takes_no_room();
	return done_testing();
}
