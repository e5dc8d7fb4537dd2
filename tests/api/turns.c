/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups that take turns: which one a region, a reset and a thread belong to. */
#include <pthread.h>

#include "read.h"

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

static void groups_take_turns(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=SOFTWARE,TIME", NULL };
	const json_t *software, *timed;
	struct run r;

	run(&r, switch_groups, NULL, env);
	run_good(&r, "two groups in turns");
	software = run_region_of_group(r.json, "r", "SOFTWARE");
	timed = run_region_of_group(r.json, "r", "TIME");
	is_int(run_int(software, "calls"), 3, "calls while SOFTWARE was counted, both times");
	is_int(run_int(timed, "calls"), 1, "calls while TIME was counted");
	is_int(run_int(run_region_of_group(r.json, "only in TIME", "TIME"), "calls"), 1,
	       "a region of one group");
	ok(!run_region_of_group(r.json, "only in TIME", "SOFTWARE"), "is not in the other");
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
	is_int(run_int(run_region_of_group(r.json, "theirs", "SOFTWARE"), "calls"), 1, "its call");
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
	ok(run_int(run_region_of_group(r.json, "r", "SOFTWARE"), "calls") <= 0,
	   "forgets the calls in the current group");
	is_int(run_int(run_region_of_group(r.json, "r", "TIME"), "calls"), 2, "and in no other");
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

int main(void)
{
	groups_take_turns();
	any_threads_open_region_holds_the_group();
	a_group_never_counted_hides_no_other();
	a_reset_is_the_current_groups();
	a_region_ends_in_the_group_it_was_begun_in();
	return done_testing();
}
