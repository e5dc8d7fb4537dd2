/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups that take turns by themselves: PMU_ROTATE. */
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <sys/wait.h>

#include "faults.h"
#include "read.h"

/* Of counts of the kernel's: faults are known, task-clock only grows, and switches are few. */
static const char *const groups[] = { "FAULTS", "CLOCK", "SWITCHES" };
#define N_GROUPS 3
#define CALLS    600

static char folder[64]; /* of the groups' files */
static char folder_setting[96];

static void make_groups(void)
{
	static const char *const events[] = { "page-faults", "task-clock", "context-switches" };

	snprintf(folder, sizeof(folder), "/tmp/pmu-groups-XXXXXX");
	if (!mkdtemp(folder))
		run_die("a folder for groups");
	snprintf(folder_setting, sizeof(folder_setting), "PMU_GROUP_PATH=%s", folder);
	for (int i = 0; i < N_GROUPS; i++) {
		char path[128];
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s.group", folder, groups[i]);
		file = fopen(path, "w");
		if (!file)
			run_die(path);
		fprintf(file, "[group]\nabout = one of three\n[events]\nE = %s\n", events[i]);
		fclose(file);
	}
}

static const char *const *in_turns(const char *least)
{
	static const char *env[6];

	env[0] = "PMU_PIN=none";
	env[1] = folder_setting;
	env[2] = "PMU_GROUP=FAULTS,CLOCK,SWITCHES";
	env[3] = "PMU_ROTATE=1";
	env[4] = least;
	return env;
}

static void call_once(void)
{
	want_int(pmu_region_begin("call"), 0);
	touch(2);
	want_int(pmu_region_begin("inner"), 0);
	touch(5);
	want_int(pmu_region_end("inner"), 0);
	want_int(pmu_region_begin_n("sized...", 5), 0);
	want_int(pmu_region_end_n("sized...", 5), 0);
	want_int(pmu_region_end("call"), 0);
}

/* Calls of a region in all groups; @least: the fewest that one has. */
static long long calls_of(const json_t *report, const char *path, long long *least)
{
	long long sum = 0;

	*least = LLONG_MAX;
	for (int i = 0; i < N_GROUPS; i++) {
		const json_t *region = run_region_of_group(report, path, groups[i]);
		long long calls = region ? run_int(region, "calls") : 0;

		sum += calls;
		*least = calls < *least ? calls : *least;
	}
	return sum;
}

/* As the kernel tells them of the first thread; -1: it does not. */
static long long faults_of_thread(const json_t *report)
{
	const json_t *thread = json_array_get(json_object_get(report, "threads"), 0);
	const json_t *faults = json_object_get(thread, "minor_faults");

	return json_is_integer(faults) ? (long long)json_integer_value(faults) : -1;
}

/* Code and data that a call is the first to touch are more faults, a few in all. */
#define NEW_PAGES 5

static void is_all_of(long long got, long long want_all, const char *name)
{
	if (!ok(got >= want_all && (RUN_SANITIZED || got <= want_all + NEW_PAGES), "%s", name))
		diag("got %lld, want %lld and a few at most", got, want_all);
}

static void counts_are_whole(const json_t *report, const char *path, long long faults)
{
	const json_t *region = run_region_of_group(report, path, "FAULTS");

	is_all_of(net(region, "page-faults"), faults * run_int(region, "calls"),
		  "each that counts faults has all of its own");
	ok(net(run_region_of_group(report, path, "CLOCK"), "task-clock") > 0,
	   "time on a processor, too");
	is_int(net(run_region_of_group(report, path, "CLOCK"), "page-faults"), -1,
	       "a group has its own counts alone");
}

/* Each call faults as often: the estimate is of that, and hardly in doubt. */
static void all_is_estimated(const json_t *region, long long faults)
{
	const json_t *estimate = json_object_get(json_object_get(region, "estimated"),
						 "page-faults");
	double value = json_number_value(json_object_get(estimate, "value"));
	double margin = json_number_value(json_object_get(estimate, "margin"));

	ok(value >= (double)faults && (RUN_SANITIZED || value <= 1.02 * (double)faults),
	   "what all calls have done is estimated: %.0f", value);
	ok(json_is_number(json_object_get(estimate, "margin")) && margin < 0.05 * value,
	   "within %.1f", margin);
}

/* --- one thread --- */

static int many_calls(void *arg)
{
	(void)arg;
	for (int i = 0; i < CALLS; i++)
		call_once();
	return 0;
}

static void each_call_is_of_one_group(void)
{
	long long n_least;
	struct run r;

	run(&r, many_calls, NULL, in_turns("PMU_ROTATE_MIN=0"));
	run_good(&r, "a turn for each call");
	is_int(calls_of(r.json, "call", &n_least), CALLS, "every call is some group's");
	ok(n_least >= CALLS / N_GROUPS - 2, "each group has some: %lld at least", n_least);
	is_int(run_int(run_region_of_group(r.json, "call", "CLOCK"), "all_calls"), CALLS,
	       "a group's rows tell of how many calls theirs are a part");
	is_int(calls_of(r.json, "call/inner", &n_least), CALLS, "with what is nested in it");
	is_int(calls_of(r.json, "call/sized", &n_least), CALLS, "also by length");
	counts_are_whole(r.json, "call", 7);
	counts_are_whole(r.json, "call/inner", 5);
	all_is_estimated(run_region_of_group(r.json, "call", "FAULTS"), 7 * CALLS);
	is_int((long long)json_array_size(json_object_get(r.json, "threads")), 1, "one thread");
	ok(faults_of_thread(r.json) >= 7 * CALLS,
	   "with all its faults, whichever group was counted");
	list_has(&r, "notes", "3 groups in turns", "the report says so");
	run_done(&r);
}

/* How many groups get their turn depends on how fast the machine is. */
static void turns_may_be_long(void)
{
	const json_t *region;
	long long n_least;
	struct run r;

	run(&r, many_calls, NULL, in_turns("PMU_ROTATE_MIN=100us"));
	run_good(&r, "turns of 100 us and more");
	is_int(calls_of(r.json, "call", &n_least), CALLS, "every call is some group's");
	is_int(calls_of(r.json, "call/inner", &n_least), CALLS, "with what is nested in it");
	region = run_region_of_group(r.json, "call", "FAULTS");
	is_all_of(net(region, "page-faults"), 7 * run_int(region, "calls"),
		  "those of the first group are whole");
	run_done(&r);
}

/* --- what keeps a group --- */

static const char *here(void)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	want_int(pmu_region_read("around", PMU_THREAD_SELF, &counts), 0);
	return pmu_count_name(0);
}

static int hold_a_group(void *arg)
{
	char first[64];

	(void)arg;
	want_int(pmu_region_begin("around"), 0);
	snprintf(first, sizeof(first), "%s", here());
	for (int i = 0; i < 50; i++) {
		call_once();
		want(!strcmp(first, here()));
	}
	want_int(pmu_group_next(), -EALREADY);
	/* it ends before what was begun in it */
	want_int(pmu_region_begin("late"), 0);
	want_int(pmu_region_end("around"), 0);
	for (int i = 0; i < 50; i++)
		begin_end("beside");
	want_int(pmu_region_end("late"), 0);
	return 0;
}

static void an_open_region_keeps_its_group(void)
{
	long long n_least;
	struct run r;
	int n = 0;

	run(&r, hold_a_group, NULL, in_turns("PMU_ROTATE_MIN=0"));
	run_good(&r, "groups change between calls of outermost regions alone");
	for (int i = 0; i < N_GROUPS; i++)
		n += run_region_of_group(r.json, "around/call", groups[i]) != NULL;
	is_int(n, 1, "all in a call is of its group");
	is_int(calls_of(r.json, "around/call", &n_least), 50, "all of it");
	n = 0;
	for (int i = 0; i < N_GROUPS; i++)
		n += run_region_of_group(r.json, "beside", groups[i]) != NULL;
	is_int(n, 1, "so is what begins while one is still open that ends late");
	run_done(&r);
}

/* --- threads --- */

struct task {
	pmu_context_t context;
	pthread_barrier_t *barrier;
};

static void *work_for_others(void *arg)
{
	const struct task *task = arg;

	for (int i = 0; i < CALLS / 2; i++) {
		pthread_barrier_wait(task->barrier);
		want_int(pmu_context_enter(task->context), 0);
		touch(3);
		want_int(pmu_context_leave(), 0);
		pthread_barrier_wait(task->barrier);
		if (i % 3 == 0)
			begin_end("own");
	}
	return NULL;
}

static int a_team(void *arg)
{
	pthread_barrier_t barrier;
	struct task task = { .barrier = &barrier };
	pthread_t thread[2];

	(void)arg;
	pthread_barrier_init(&barrier, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work_for_others, &task);
	for (int i = 0; i < CALLS / 2; i++) {
		want_int(pmu_region_begin("call"), 0);
		task.context = pmu_context_get();
		touch(1);
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		want_int(pmu_region_end("call"), 0);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static void a_team_counts_as_its_region_does(void)
{
	const json_t *region, *team;
	long long n_least;
	struct run r;

	run(&r, a_team, NULL, in_turns("PMU_ROTATE_MIN=0"));
	run_good(&r, "threads that work for another one's region");
	is_int(calls_of(r.json, "call", &n_least), CALLS / 2, "all its calls");
	region = run_region_of_group(r.json, "call", "FAULTS");
	team = json_object_get(region, "team");
	is_all_of(net(team, "page-faults"), 7 * run_int(region, "calls"),
		  "are counted with all that the team did in them");
	is_int(calls_of(r.json, "own", &n_least), CALLS / 3, "their own regions, too");
	is_int((long long)json_array_size(json_object_get(r.json, "doubts")), 0, "nothing is lost");
	run_done(&r);
}

/* A thread that has a region open stays in its group, and does not count for another one's. */
static void *work_in_between(void *arg)
{
	const struct task *task = arg;

	want_int(pmu_region_begin("mine"), 0);
	work_for_others(arg);
	want_int(pmu_region_end("mine"), 0);
	(void)task;
	return NULL;
}

static int a_team_of_one_in_a_region(void *arg)
{
	pthread_barrier_t barrier;
	struct task task = { .barrier = &barrier };
	pthread_t thread;

	(void)arg;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, work_in_between, &task);
	for (int i = 0; i < CALLS / 2; i++) {
		want_int(pmu_region_begin("call"), 0);
		task.context = pmu_context_get();
		touch(1);
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		want_int(pmu_region_end("call"), 0);
	}
	pthread_join(thread, NULL);
	return 0;
}

static void what_cannot_be_counted_is_told(void)
{
	long long n_least;
	struct run r;

	run(&r, a_team_of_one_in_a_region, NULL, in_turns("PMU_ROTATE_MIN=0"));
	run_good(&r, "a thread that is in a region itself");
	is_int(calls_of(r.json, "call", &n_least), CALLS / 2, "calls");
	list_has(&r, "doubts", "another group of events counted",
		 "what it did for regions that other groups counted is doubted");
	run_done(&r);
}

static void *calls_of_a_thread(void *arg)
{
	many_calls(arg);
	return NULL;
}

static int many_threads(void *arg)
{
	pthread_t thread[4];

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&thread[i], NULL, calls_of_a_thread, arg);
		for (int i = 0; i < 4; i++)
			pthread_join(thread[i], NULL);
	}
	return 0;
}

static void threads_come_and_go(void)
{
	const char *const *usual = in_turns("PMU_ROTATE_MIN=0");
	const char *env[8];
	long long n_least;
	struct run r;
	int n = 0;

	for (; usual[n]; n++)
		env[n] = usual[n];
	env[n++] = "PMU_MAX_THREADS=2";
	env[n] = NULL;
	run(&r, many_threads, NULL, env);
	run_good(&r, "twelve threads, most of which are added up when they end");
	is_int(calls_of(r.json, "call", &n_least), 12 * CALLS, "all calls of all of them");
	counts_are_whole(r.json, "call", 7);
	run_done(&r);
}

/* --- processes, ends --- */

/* To where the test finds it. */
static int rename_child(const struct run *r, pid_t child)
{
	char name[64];

	snprintf(name, sizeof(name), "run.%d.json", (int)child);
	return rename(run_path(r, name), run_path(r, "child.json"));
}

static int a_child(void *arg)
{
	const struct run *r = arg;
	pid_t child;
	int status;

	for (int i = 0; i < 40; i++)
		call_once();
	child = fork();
	if (!child) {
		many_calls(NULL);
		exit(0);
	}
	want(waitpid(child, &status, 0) == child && status == 0);
	want(!rename_child(r, child));
	many_calls(NULL);
	return 0;
}

static void a_forked_child_has_turns_of_its_own(void)
{
	long long n_least;
	json_t *child;
	struct run r;

	run(&r, a_child, &r, in_turns("PMU_ROTATE_MIN=0"));
	run_good(&r, "a process that forks");
	is_int(calls_of(r.json, "call", &n_least), CALLS + 40, "the parent's calls");
	child = run_load(&r, "child.json");
	is_int(calls_of(child, "call", &n_least), CALLS, "the child's");
	ok(n_least > CALLS / N_GROUPS - 2, "in turns, too");
	counts_are_whole(child, "call", 7);
	json_decref(child);
	run_done(&r);
}

static int die_in_a_turn(void *arg)
{
	many_calls(arg);
	pmu_region_begin("open");
	raise(SIGKILL);
	return 0;
}

static void what_died_has_all_groups(void)
{
	long long n_least;
	char store[512];
	struct run r;

	run(&r, die_in_a_turn, NULL, in_turns("PMU_ROTATE_MIN=0"));
	ok(WIFSIGNALED(r.status), "a program that is killed");
	if (run_stores(&r, store, sizeof(store)))
		r.json = run_report_of(&r, store);
	is_int(calls_of(r.json, "call", &n_least), CALLS, "every call is some group's");
	counts_are_whole(r.json, "call", 7);
	is_int(faults_of_thread(r.json), -1, "what the kernel would have told at its end is not");
	run_done(&r);
}

/* --- settings --- */

static int one_call(void *arg)
{
	(void)arg;
	call_once();
	return 0;
}

static void what_cannot_rotate_says_so(void)
{
	static const char *const alone[] = { "PMU_PIN=none", "PMU_GROUP=SOFTWARE", "PMU_ROTATE=1",
					     NULL };
	static const char *const with_time[] = { "PMU_PIN=none", "PMU_GROUP=SOFTWARE,TIME",
						 "PMU_ROTATE=1", NULL };
	struct run r;

	run(&r, one_call, NULL, alone);
	run_good(&r, "one group");
	list_has(&r, "notes", "fewer than two", "does not rotate, and the report says why");
	run_done(&r);
	run(&r, one_call, NULL, with_time);
	run_good(&r, "one that counts nothing");
	list_has(&r, "notes", "TIME takes no part", "is left out, with the reason");
	run_done(&r);
}

int main(void)
{
	make_groups();
	each_call_is_of_one_group();
	turns_may_be_long();
	an_open_region_keeps_its_group();
	a_team_counts_as_its_region_does();
	what_cannot_be_counted_is_told();
	threads_come_and_go();
	a_forked_child_has_turns_of_its_own();
	what_died_has_all_groups();
	what_cannot_rotate_says_so();
	nftw(folder, run_unlink, 4, FTW_DEPTH | FTW_PHYS);
	return done_testing();
}
