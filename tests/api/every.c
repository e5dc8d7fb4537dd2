/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of which one call in so many is measured: PMU_EVERY. */
#include <pthread.h>
#include <sys/wait.h>

#include "faults.h"
#include "read.h"

#define CALLS 4000

static const char *const *every(const char *rules)
{
	static const char *env[4];

	env[0] = "PMU_PIN=none";
	env[1] = "PMU_EVENTS=page-faults";
	env[2] = rules;
	return env;
}

static long long all_calls(const json_t *region)
{
	long long unmeasured = run_int(region, "unmeasured_calls");

	return run_int(region, "calls") + (unmeasured > 0 ? unmeasured : 0);
}

/* One in @n, give or take: gaps are even from 0 to 2 n - 2, so that their number is near its mean. */
static void is_sample(const json_t *report, const char *path, long long calls, int n)
{
	const json_t *region = run_region(report, path);
	long long measured = run_int(region, "calls");
	double mean = (double)calls / n;

	is_int(all_calls(region), calls, path);
	ok((double)measured > 0.7 * mean && (double)measured < 1.3 * mean,
	   "%lld of them are measured, about %.0f", measured, mean);
}

/* --- counts --- */

static void call_once(void)
{
	want_int(pmu_region_begin("call"), 0);
	touch(2);
	want_int(pmu_region_begin("inner"), 0);
	touch(1);
	want_int(pmu_region_end("inner"), 0);
	want_int(pmu_region_end("call"), 0);
}

static int many_calls(void *arg)
{
	(void)arg;
	want_int(pmu_region_begin("around"), 0);
	for (int i = 0; i < CALLS; i++)
		call_once();
	want_int(pmu_region_end("around"), 0);
	return 0;
}

static void measured_calls_are_whole(void)
{
	const json_t *call, *inner, *turns, *estimate;
	double value;
	struct run r;

	run(&r, many_calls, NULL, every("PMU_EVERY=call:20"));
	run_good(&r, "one call in 20");
	is_sample(r.json, "around/call", CALLS, 20);
	call = run_region(r.json, "around/call");
	inner = run_region(r.json, "around/call/inner");
	turns = json_object_get(json_array_get(json_object_get(call, "threads"), 0), "turns");
	is_int((long long)json_number_value(json_object_get(turns, "n")), run_int(call, "calls"),
	       "each measured call is in the sums that its error comes from, and nothing else");
	ok(net(run_region(r.json, "around"), "page-faults") >= 3 * CALLS,
	   "the region around has all that they did");
	/* the first to touch code and data of a page has a fault more */
	ok(RUN_SANITIZED || net(call, "page-faults") - 3 * run_int(call, "calls") <= 5,
	   "a measured one has its own");
	ok(net(call, "page-faults") >= 3 * run_int(call, "calls"), "all of it");
	list_has(&r, "notes", "of call one call in 20 was measured", "the report says so");
	is_int(run_int(inner, "calls"), CALLS, "what is in it follows its own rule");
	ok(net(inner, "page-faults") >= CALLS, "and is measured");
	estimate = json_object_get(json_object_get(call, "estimated"), "page-faults");
	value = json_number_value(json_object_get(estimate, "value"));
	ok(RUN_SANITIZED || (value > 2.9 * CALLS && value < 3.1 * CALLS),
	   "what all of them did is estimated: %.0f", value);
	is_int((long long)json_array_size(json_object_get(r.json, "doubts")), 0, "no doubts");
	run_done(&r);
}

static void lengths_are_of_measured_calls(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock", "PMU_HISTOGRAM=1",
					   "PMU_EVERY=call:20", NULL };
	const json_t *call;
	struct run r;

	run(&r, many_calls, NULL, env);
	run_good(&r, "with lengths of calls");
	is_sample(r.json, "around/call", CALLS, 20);
	call = run_region(r.json, "around/call");
	ok(run_int(call, "time_p50_ns") >= run_int(call, "time_min_ns") &&
		   run_int(call, "time_p50_ns") <= run_int(call, "time_max_ns"),
	   "they have a median");
	run_done(&r);
}

/* --- every way to begin and end --- */

static void in_every_way(int i)
{
	char buffer[16];

	snprintf(buffer, sizeof(buffer), "%s", "text");
	begin_end(buffer);
	/* the same place, another name */
	snprintf(buffer, sizeof(buffer), "%s", i % 2 ? "odd" : "even");
	begin_end(buffer);
	want_int(pmu_region_begin_n("sized...", 5), 0);
	want_int(pmu_region_end_n("sized...", 5), 0);
	/* once more inside, itself and by way of another one */
	want_int(pmu_region_begin("again"), 0);
	want_int(pmu_region_begin("between"), 0);
	begin_end("again");
	want_int(pmu_region_end("between"), 0);
	begin_end("again");
	want_int(pmu_region_end("again"), 0);
	/* one that ends late, begun anew without an end, an end without a begin */
	want_int(pmu_region_begin("outer"), 0);
	want_int(pmu_region_begin("late"), 0);
	want_int(pmu_region_end("outer"), 0);
	want_int(pmu_region_end("late"), 0);
	want_int(pmu_region_end("late"), -ENOENT);
}

static int all_ways(void *arg)
{
	(void)arg;
	for (int i = 0; i < CALLS; i++)
		in_every_way(i);
	want_int(pmu_checkpoint(PMU_NEXT_GOES_ON), 0);
	want_int(pmu_region_begin("open"), 0);
	want_int(pmu_region_begin("never measured"), 0);
	want_int(pmu_checkpoint(PMU_NEXT_GOES_ON), 0);
	want_int(pmu_region_end("never measured"), 0);
	return 0;
}

static void all_ways_are_counted(const char *const *env, const char *name)
{
	const json_t *never;
	struct run r;

	run(&r, all_ways, NULL, env);
	run_good(&r, name);
	is_sample(r.json, "text", CALLS, 5);
	is_sample(r.json, "even", CALLS / 2, 5);
	is_sample(r.json, "odd", CALLS / 2, 5);
	is_sample(r.json, "sized", CALLS, 5);
	is_int(all_calls(run_region(r.json, "again")), 3 * CALLS, "again, with those inside it");
	is_sample(r.json, "outer", CALLS, 5);
	is_int(all_calls(run_region(r.json, "outer/late")), CALLS, "late");
	never = run_region(r.json, "open/never measured");
	is_int(run_int(never, "unmeasured_calls"), 1, "one call that is not measured is counted");
	ok(json_is_null(json_object_get(never, "time_ns")) || !json_object_get(never, "time_ns"),
	   "and has no time");
	run_done(&r);
}

/* --- threads and processes --- */

static void *work(void *arg)
{
	for (int i = 0; i < CALLS; i++)
		begin_end(arg);
	return NULL;
}

static int threads_come_and_go(void *arg)
{
	static char name[] = "call";
	pthread_t thread[4];

	(void)arg;
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&thread[i], NULL, work, name);
		for (int i = 0; i < 4; i++)
			pthread_join(thread[i], NULL);
	}
	return 0;
}

static void threads_add_up(void)
{
	static const char *const few[] = { "PMU_PIN=none", "PMU_MAX_THREADS=3", "PMU_EVERY=c*:50",
					   NULL };
	struct run r;

	run(&r, threads_come_and_go, NULL, every("PMU_EVERY=c*:50"));
	run_good(&r, "threads");
	is_sample(r.json, "call", 20 * CALLS, 50);
	run_done(&r);
	run(&r, threads_come_and_go, NULL, few);
	run_good(&r, "more threads than there is room for");
	is_sample(r.json, "call", 20 * CALLS, 50);
	run_done(&r);
}

static int a_child(void *arg)
{
	struct run *r = arg;
	pid_t pid;
	int status;

	(void)r;
	want_int(pmu_region_begin("call"), 0);
	pid = fork();
	if (pid == 0) {
		want_int(pmu_region_end("call"), 0);
		work((char[]){ "call" });
		exit(0);
	}
	want(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
	want_int(pmu_region_end("call"), 0);
	work((char[]){ "call" });
	return 0;
}

static void a_child_draws_anew(void)
{
	struct run r;

	run(&r, a_child, &r, every("PMU_EVERY=call:10"));
	run_good(&r, "a child");
	is_sample(r.json, "call", CALLS + 1, 10);
	run_done(&r);
}

/* --- where it has no part --- */

static void where_each_is_measured(void)
{
	static const char *const exact[] = { "PMU_PIN=none", "PMU_EVENTS=page-faults",
					     "PMU_EXACT=1", "PMU_EVERY=*:10", NULL };
	struct run r;

	run(&r, many_calls, NULL, exact);
	run_good(&r, "with the least of all calls");
	is_int(run_int(run_region(r.json, "around/call"), "calls"), CALLS, "each is measured");
	list_has(&r, "notes", "PMU_EXACT=1 keeps the least of all calls",
		 "and the report says why");
	run_done(&r);
}

static int nothing(void *arg)
{
	(void)arg;
	pmu_region_begin("call");
	pmu_region_end("call");
	return 0;
}

static void wrong_rules_are_named(void)
{
	struct run r;

	run(&r, nothing, NULL, every("PMU_EVERY=call"));
	ok(r.status == 0 && !r.json, "a rule without a number: nothing is measured");
	has(r.err, "PMU_EVERY=call: say a region and one call in how many is measured",
	    "and it says so");
	run_done(&r);
}

int main(void)
{
	static const char *const timed[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					     "PMU_EVERY=open:1,never*:1000000,*:5", NULL };

	measured_calls_are_whole();
	lengths_are_of_measured_calls();
	all_ways_are_counted(timed, "every way, timed");
	all_ways_are_counted(every("PMU_EVERY=open:1,never*:1000000,*:5"), "every way, counted");
	threads_add_up();
	a_child_draws_anew();
	where_each_is_measured();
	wrong_rules_are_named();
	return done_testing();
}
