/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many threads on a machine's registers: each counts its processor's, and they share them without a
 * race.
 */
#include <pthread.h>

#include "session.h"

#define ROUNDS 40
#define EVENTS "PMU_EVENTS=instructions,cycles,branches,uncore-clock,energy-pkg"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int n_attached, n_threads;

/* One after the other: the i-th to arrive is on CPU i.  Then all at once. */
static void attach_in_turn(int turn)
{
	pthread_mutex_lock(&lock);
	while (n_attached < turn)
		pthread_cond_wait(&changed, &lock);
	want_int(pmu_thread_attach(), 0);
	n_attached++;
	pthread_cond_broadcast(&changed);
	while (n_attached < n_threads)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void *count_its_processor(void *arg)
{
	int cpu = (int)(intptr_t)arg;

	attach_in_turn(cpu);
	want_int(pmu_region_begin("work"), 0);
	for (int i = 0; i < ROUNDS; i++) {
		want_int(pmu_region_begin("inner"), 0);
		want_int(sim_send(&sim, "count %d 0xc0 0 user %d fixed 1", cpu, 100 + cpu), 0);
		want_int(pmu_region_end("inner"), 0);
	}
	want_int(pmu_region_end("work"), 0);
	return NULL;
}

static void *share_a_processor(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	char own[32];

	snprintf(own, sizeof(own), "of thread %d", (int)(intptr_t)arg);
	attach_in_turn((int)(intptr_t)arg);
	for (int i = 0; i < ROUNDS; i++) {
		pmu_region_begin("shared");
		pmu_region_begin(own);
		pmu_region_end(own);
		pmu_region_end("shared");
		if (i % 8 == 0)
			want_int(pmu_region_read("shared", PMU_THREAD_SELF, &counts), 0);
	}
	return NULL;
}

static void run_threads(int n, void *(*fn)(void *))
{
	pthread_t thread[16];

	n_attached = 0;
	n_threads = n;
	for (intptr_t i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, fn, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

static int four_on_four(void *arg)
{
	(void)arg;
	run_threads(4, count_its_processor);
	return 0;
}

static int twelve_on_four(void *arg)
{
	(void)arg;
	run_threads(12, share_a_processor);
	return 0;
}

/* Sessions end while threads that have used them go on. */
static int sessions_in_turn(void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++) {
		run_threads(4, share_a_processor);
		want_int(pmu_fini(), 0);
		want_int(pmu_init(NULL), 0);
	}
	run_threads(4, share_a_processor);
	return 0;
}

static void each_thread_counts_its_processor(int flags)
{
	char *before;
	size_t i;
	json_t *row;
	struct run r;

	if (sim_start(&sim, "skylake", flags))
		errno = ENODEV, run_die(sim.why);
	before = sim_state(&sim);
	run(&r, four_on_four, NULL, session_env("PMU_PIN=cpus:0-3", EVENTS, NULL));
	run_good(&r, flags ? "four threads, registers programmed by batches"
			   : "four threads on four processors");
	is_str(session_source(&r), "msr", "counted by registers");
	is_int(session_net(&r, "work/inner", "instructions"), ROUNDS * (100 + 101 + 102 + 103),
	       "no count is lost");
	json_array_foreach(json_object_get(run_region(r.json, "work/inner"), "threads"), i, row)
		is_int(run_int(json_object_get(row, "net"), "instructions"),
		       ROUNDS *
			       (100 + run_int(json_array_get(json_object_get(r.json, "threads"), i),
					      "cpu")),
		       "a thread has its processor's, and none of the others'");
	is_int((long long)i, 4, "four of them");
	session_is_back(before, "everything is put back");
	run_done(&r);
	sim_stop(&sim);
}

static void threads_share_processors(void)
{
	char *before;
	struct run r;

	if (sim_start(&sim, "skylake", 0))
		errno = ENODEV, run_die(sim.why);
	before = sim_state(&sim);
	run(&r, twelve_on_four, NULL, session_env("PMU_PIN=compact", EVENTS, NULL));
	run_good(&r, "twelve threads on four processors");
	is_int(run_calls(r.json, "shared"), 12 * ROUNDS, "no call is lost");
	is_int(session_net(&r, "shared", "instructions"), 0, "nothing happens, nothing is counted");
	session_is_back(before, "everything is put back");
	run_done(&r);

	before = sim_state(&sim);
	run(&r, sessions_in_turn, NULL,
	    session_env("PMU_PIN=compact", EVENTS, "PMU_OUTPUT=none", NULL));
	run_good(&r, "one session after the other");
	session_is_back(before, "and everything is put back");
	run_done(&r);
	sim_stop(&sim);
}

int main(void)
{
	int rc = sim_start(&sim, "skylake", 0);

	if (rc > 0)
		return skip_all(sim.why);
	sim_stop(&sim);
	each_thread_counts_its_processor(0);
	each_thread_counts_its_processor(SIM_BATCH);
	threads_share_processors();
	return done_testing();
}
