/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time on a processor, blocked and waiting for one: what regions say beside what the kernel says of the
 * whole thread.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "read.h"

#define MS UINT64_C(1000000)

static const char *const no_pins[] = { "PMU_PIN=none", "PMU_GROUP=TIME", NULL };

static uint64_t cpu_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void compute(uint64_t ns)
{
	uint64_t end = cpu_now_ns() + ns;

	while (cpu_now_ns() < end)
		;
}

static void sleep_ns(uint64_t ns)
{
	const struct timespec time = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	nanosleep(&time, NULL);
}

static long long of(const struct run *r, const char *path, const char *key)
{
	return run_int(run_region(r->json, path), key);
}

/* Where no thread is told, nothing is known, and nothing else can be tested. */
static bool is_told(const struct run *r, const char *path)
{
	return !json_is_null(json_object_get(run_region(r->json, path), "cpu_ns"));
}

static void parts_add_up(const struct run *r, const char *path)
{
	is_int(of(r, path, "cpu_ns") + of(r, path, "blocked_ns") + of(r, path, "runnable_ns"),
	       of(r, path, "time_ns"), path);
}

/* --- one thread --- */

static void recurse(int depth)
{
	pmu_region_begin("again");
	if (depth)
		recurse(depth - 1);
	else
		sleep_ns(10 * MS);
	pmu_region_end("again");
}

static int sleep_and_compute(void *arg)
{
	(void)arg;
	pmu_region_begin("all");
	for (int i = 0; i < 20; i++) {
		pmu_region_begin("sleeps");
		sleep_ns(MS);
		pmu_region_end("sleeps");
	}
	pmu_region_begin("computes");
	compute(20 * MS);
	pmu_region_end("computes");
	recurse(3);
	pmu_region_begin("first");
	pmu_region_begin("second");
	sleep_ns(10 * MS);
	pmu_region_end("first");
	sleep_ns(10 * MS);
	pmu_region_end("second");
	pmu_region_end("all");
	return 0;
}

static bool one_thread(void)
{
	struct run r;
	bool told;

	run(&r, sleep_and_compute, NULL, no_pins);
	run_good(&r, "a thread that sleeps and computes");
	told = is_told(&r, "all");
	if (told) {
		parts_add_up(&r, "all");
		parts_add_up(&r, "all/sleeps");
		ok(of(&r, "all/sleeps", "blocked_ns") >= (long long)(20 * MS), "sleeps are in it");
		ok(of(&r, "all/sleeps", "cpu_ns") < (long long)(15 * MS), "and nothing else");
		ok(of(&r, "all/computes", "cpu_ns") >= (long long)(20 * MS - MS / 5), "work is");
		ok(of(&r, "all/again", "blocked_ns") >= (long long)(10 * MS) &&
			   of(&r, "all/again", "cpu_ns") > 0,
		   "of a region that is open four times it is there once");
		ok(of(&r, "all/first", "blocked_ns") >= (long long)(10 * MS), "of the first");
		ok(of(&r, "all/first/second", "blocked_ns") >= (long long)(20 * MS),
		   "of one that goes on when the one around it has ended");
		ok(of(&r, "all", "blocked_ns") >= (long long)(50 * MS), "all of it is around them");
	}
	run_done(&r);
	return told;
}

static void switched_off(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=TIME", "PMU_WAIT=0", NULL };
	struct run r;

	run(&r, sleep_and_compute, NULL, env);
	run_good(&r, "PMU_WAIT=0");
	ok(!is_told(&r, "all"), "then it is not known");
	run_done(&r);
}

/* --- other threads --- */

static void *work_for(void *context)
{
	pmu_context_enter(*(pmu_context_t *)context);
	sleep_ns(20 * MS);
	pmu_context_leave();
	sleep_ns(20 * MS);
	return NULL;
}

static int let_work(void *arg)
{
	pmu_context_t context;
	pthread_t thread;

	(void)arg;
	pmu_region_begin("team");
	context = pmu_context_get();
	pthread_create(&thread, NULL, work_for, &context);
	pthread_join(thread, NULL);
	pmu_region_end("team");
	return 0;
}

static void another_threads_region(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=TIME", "PMU_SCOPE=team",
					   NULL };
	const json_t *team;
	struct run r;

	run(&r, let_work, NULL, env);
	run_good(&r, "a worker that sleeps");
	team = json_object_get(run_region(r.json, "team"), "team");
	ok(run_int(team, "blocked_ns") - of(&r, "team", "blocked_ns") >= (long long)(20 * MS),
	   "waits for whom it works for, beside who waits for it");
	ok(json_number_value(json_object_get(team, "efficiency")) < .5,
	   "none of that is efficient");
	run_done(&r);
}

/* It sleeps in its region when the program ends. */
static void *sleep_on(void *at_work)
{
	pmu_region_begin("for ever");
	sem_post(at_work);
	for (;;)
		sleep_ns(1000 * MS);
	return NULL;
}

static int leave_asleep(void *arg)
{
	pthread_t thread;
	sem_t at_work;

	(void)arg;
	sem_init(&at_work, 0, 0);
	pmu_region_begin("main");
	pthread_create(&thread, NULL, sleep_on, &at_work);
	sem_wait(&at_work);
	sleep_ns(30 * MS);
	pmu_region_end("main");
	return 0;
}

static const char *asleep_path(const struct run *r)
{
	return run_region(r->json, "for ever") ? "for ever" : "main/for ever";
}

static void asleep_at_the_end(void)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_GROUP=TIME", "PMU_SCOPE=thread",
					   NULL };
	struct run r;

	run(&r, leave_asleep, NULL, env);
	run_good(&r, "a thread that sleeps when the program ends");
	if (TEST_TSAN ||
	    json_is_null(json_object_get(run_region(r.json, asleep_path(&r)), "time_ns")))
		skip("what it has waited", "another thread's regions are left alone here");
	else
		ok(of(&r, asleep_path(&r), "blocked_ns") >= (long long)(29 * MS), "has waited");
	run_done(&r);
}

static int sleep_in_child(void *arg)
{
	pid_t pid;

	(void)arg;
	pmu_region_begin("parent");
	sleep_ns(5 * MS);
	pid = fork();
	if (!pid) {
		pmu_region_begin("child");
		sleep_ns(10 * MS);
		pmu_region_end("child");
		pmu_region_end("parent");
		exit(0);
	}
	waitpid(pid, NULL, 0);
	pmu_region_end("parent");
	return 0;
}

static void forked(void)
{
	struct run r;

	run(&r, sleep_in_child, NULL, no_pins);
	run_good(&r, "a child that sleeps");
	ok(of(&r, "parent", "blocked_ns") >= (long long)(15 * MS), "its parent waits for it");
	run_done(&r);
}

/* --- random programs --- */

#define PROGRAMS 100
#define SLACK_NS 20000 /* for each switch */

static uint32_t seed = 1;

static uint32_t rand_below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* A mutex that another thread holds now and then. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_over;

static void *hold_it(void *unused)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		pthread_mutex_lock(&mutex);
		sleep_ns(200000);
		pthread_mutex_unlock(&mutex);
		sleep_ns(300000);
	}
	return unused;
}

static void step(int depth)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	const char *name = names[rand_below(4)];

	switch (rand_below(depth < 4 ? 7 : 5)) {
	case 0:
		sleep_ns(rand_below(300000));
		break;
	case 1:
		compute(rand_below(300000));
		break;
	case 2:
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		break;
	case 3:
	case 4:
		sched_yield();
		break;
	default:
		pmu_region_begin(name);
		for (uint32_t i = rand_below(4); i > 0; i--)
			step(depth + 1);
		pmu_region_end(name);
	}
}

/*
 * What the kernel says of the thread in each of them.  A machine that is busy may stop the thread between
 * one clock and the other, or the region: of several tries one must be right.
 */
#define TRIES 5
struct said {
	uint64_t waited[PROGRAMS][TRIES], time[PROGRAMS][TRIES];
	long switches[PROGRAMS][TRIES];
};

static long switches_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void try_program(struct said *said, int i, int try)
{
	uint64_t cpu, time;
	long switches;
	char name[32];

	snprintf(name, sizeof(name), "p%d.%d", i, try);
	pmu_region_begin(name); /* made */
	pmu_region_end(name);
	pmu_region_reset(name);
	seed = (uint32_t)i;
	switches = switches_now();
	time = run_now_ns();
	cpu = cpu_now_ns();
	pmu_region_begin(name);
	for (int k = 0; k < 6; k++)
		step(0);
	pmu_region_end(name);
	cpu = cpu_now_ns() - cpu;
	time = run_now_ns() - time;
	said->switches[i][try] = switches_now() - switches;
	said->time[i][try] = time;
	said->waited[i][try] = time > cpu ? time - cpu : 0;
}

static int random_programs(void *arg)
{
	pthread_t thread;

	pthread_create(&thread, NULL, hold_it, NULL);
	for (int i = 0; i < PROGRAMS; i++)
		for (int try = 0; try < TRIES; try++)
			try_program(arg, i, try);
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return 0;
}

/* Return: how much it is off beyond what it may be; 0 or less: it is right. */
static long long is_off_by(const struct run *r, const struct said *said, int i, int try)
{
	long long differs;
	char name[32];

	snprintf(name, sizeof(name), "p%d.%d", i, try);
	differs = llabs(of(r, name, "blocked_ns") + of(r, name, "runnable_ns") -
			(long long)said->waited[i][try]);
	return differs - SLACK_NS * (said->switches[i][try] + 2) -
	       (long long)said->time[i][try] / 100;
}

static void beside_the_kernel(void)
{
	struct said *said = mmap(NULL, sizeof(*said), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int wrong = 0, tries = 0;
	struct run r;

	run(&r, random_programs, said, no_pins);
	run_good(&r, "random programs that sleep, compute, lock and yield");
	for (int i = 0; i < PROGRAMS; i++) {
		long long least = INT64_MAX;

		for (int try = 0; try < TRIES; try++) {
			long long off_by = is_off_by(&r, said, i, try);

			tries += off_by > 0;
			least = off_by < least ? off_by : least;
		}
		wrong += least > 0;
	}
	printf("# %d of %d tries were off\n", tries, PROGRAMS * TRIES);
	is_int(wrong, 0, "each waited as long as the kernel says");
	run_done(&r);
	munmap(said, sizeof(*said));
}

int main(void)
{
	if (one_thread()) {
		another_threads_region();
		asleep_at_the_end();
		forked();
		beside_the_kernel();
	} else {
		skip("waits", "threads are not told here when they are off their processor");
	}
	switched_off();
	return done_testing();
}
