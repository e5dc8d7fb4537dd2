/* SPDX-License-Identifier: BSD-3-Clause */
/* What reports say of sockets, and what other processes and many threads leave of them. */
#include <glob.h>
#include <sched.h>
#include <sys/wait.h>

#include "unit/part.h"
#include "unit/session/sockets_fake.h"

/* --- what is written --- */

static void hasnt(const char *text, const char *part, const char *name)
{
	if (!ok(!strstr(text, part), "%s", name))
		diag("there is \"%s\" in %s", part, text);
}

static void reports_tell_sockets_from_threads(void)
{
	struct pmu_model *model;
	struct other other;
	char *text;

	start();
	other_start(&other, 1);
	begin("solve");
	OTHER_BEGIN(&other, "solve");
	begin("inner");
	own += 50;
	tick(0, 61728);
	tick(1, 617280000);
	end("inner");
	end("solve");
	OTHER_END(&other, "solve");
	model = model_now();
	text = render(model, PMU_REPORT_TEXT);
	has(text, ", 2 threads ", "the head counts threads alone");
	has(text,
	    "\n  sockets   uncore and energy counts are the socket's, while at least one thread was in the "
	    "region\n            there; reading the socket's counters takes ",
	    "whose the counts are");
	ok(model->section->socket_read_ns > 0, "what reading them takes");
	has(text, "energy moves in steps", "how fine energy is");
	has(text, "EVENTS, all threads together, by ", "sums");
	has(text, "1.235 kJ", "energy with a unit that fits");
	has(text, "123.5 mJ", "and another");
	has(text, "\n  EVENTS, thread 1 (", "a thread");
	has(text, "\n  EVENTS, socket 1\n", "a socket");
	ok(strstr(text, "thread 1 (") < strstr(text, "socket 0\n"),
	   "sockets stand behind the threads");
	hasnt(text, "not counted", "what is another's is not missing");
	free(text);
	text = render(model, PMU_REPORT_CSV);
	has(text, "\nEVENTS,solve,solve,0,socket 1,1,", "CSV");
	has(text, ",617280000,1234560000,", "with all digits");
	free(text);
	text = render(model, PMU_REPORT_JSON);
	has(text, "{\"name\": \"energy\", \"unit\": \"uJ\", \"scope\": \"socket\"}",
	    "JSON: a socket's count");
	has(text, "{\"name\": \"instructions\", \"unit\": \"\"}", "a thread's");
	has(text, "\"sockets\": [\n    {\"socket\": 0, \"time_ns\": ", "sockets");
	has(text, "       {\"socket\": 1, \"calls\": 1, ", "their rows");
	has(text,
	    "\"raw\": {\"instructions\": null, \"cycles\": 617280000, \"energy\": 1234560000}",
	    "with their counts");
	free(text);
	is_read_back(model);
	pmu_model_free(model);
	OTHER_EXIT(&other);
	/* the same with a region on an unknown socket */
	on_socket = -1;
	begin("lost");
	end("lost");
	model = model_now();
	text = render(model, PMU_REPORT_CSV);
	has(text, "\nEVENTS,lost,lost,0,unknown socket,1,", "CSV");
	free(text);
	is_read_back(model);
	pmu_model_free(model);
	pmu_fini();
}

static void without_such_counts_nothing_is_said_of_sockets(void)
{
	struct pmu_model *model;
	char *text;

	start();
	/* refused by the source */
	pmu_session.group[0].plan.absent = pmu_session.group[0].layout->absent = OURS;
	pmu_sockets_open(&pmu_session.group[0]);
	ok(!pmu_session.group[0].sockets, "nothing to count costs nothing");
	begin("solve");
	tick(0, 5);
	end("solve");
	model = model_now();
	is_int((int)model->n_sockets, 0, "no socket");
	is_row(model_row(model, "solve"), 1, UINT64_MAX, "the sum");
	text = render(model, PMU_REPORT_JSON);
	hasnt(text, "socket\"", "JSON");
	hasnt(text, "\"sockets\": ", "no list of them");
	free(text);
	text = render(model, PMU_REPORT_TEXT);
	hasnt(text, "\n  sockets ", "text");
	free(text);
	is_read_back(model);
	pmu_model_free(model);
	pmu_fini();
}

/* As those of memory do in a virtual machine that only shows them. */
static void counters_that_stand_still_are_named(void)
{
	static const char both[] =
		"cycles, energy stayed 0 all the time: there was none of it, or this machine has nothing "
		"behind its counters, as virtual ones may";
	const struct timespec long_enough = { .tv_nsec = 12000000 };
	struct pmu_model *model;

	start();
	begin("solve");
	nanosleep(&long_enough, NULL);
	end("solve");
	model = model_now();
	ok(model_note(model, both), "in milliseconds they should have moved");
	pmu_model_free(model);
	begin("again");
	tick(0, 1);
	end("again");
	model = model_now();
	ok(!model_note(model, both), "once they have there is nothing to say");
	pmu_model_free(model);
	pmu_fini();
}

/* --- other processes --- */

static void a_killed_program_leaves_its_counts(void)
{
	struct pmu_model *model = NULL;
	char pattern[256];
	glob_t found = { 0 };
	int status, pid = fork();

	if (!pid) {
		start();
		begin("solve");
		tick(0, 5);
		end("solve");
		begin("solve");
		tick(0, 60);
		raise(SIGKILL);
	}
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status), "killed");
	snprintf(pattern, sizeof(pattern), "%s/*/*%d*", dir, pid);
	if (!ok(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc, "a store is left"))
		return;
	is_int(pmu_store_snapshot_file(found.gl_pathv[0], &model), 0, "and read");
	is_row(row_of(model, "solve", 0), 1, 5, "what had ended");
	is_row(model_row(model, "solve"), 1, 5, "and its sum");
	has(model->died, "open then: solve (thread 0)", "what was open");
	hasnt(model->died, "),", "once");
	pmu_model_free(model);
	unlink(found.gl_pathv[0]);
	globfree(&found);
}

static void a_child_waits_for_nobody(void)
{
	pthread_barrier_t stop;
	struct other other;
	struct pmu_model *model;
	int status, pid;

	start();
	other_start(&other, 0);
	begin("solve");
	end("solve");
	OTHER_BEGIN(&other, "warm");
	OTHER_END(&other, "warm");
	begin("outer");
	/* the other thread is in the middle of a read, with the lock of its region */
	pthread_barrier_init(&stop, NULL, 2);
	__atomic_store_n(&stop_at, &stop, __ATOMIC_RELAXED);
	other.step = step_begin;
	other.arg = (void *)(uintptr_t) "solve";
	pthread_barrier_wait(&other.go);
	pthread_barrier_wait(&stop);
	pid = fork();
	if (!pid) {
		alarm(20);
		stop_at = NULL;
		_exit(pmu_region_begin("solve") < 0 || pmu_region_end("solve") < 0 ||
		      pmu_region_end("outer") < 0 || pmu_fini() < 0);
	}
	waitpid(pid, &status, 0);
	is_int(status, 0, "the child goes on by itself");
	__atomic_store_n(&stop_at, NULL, __ATOMIC_RELAXED);
	pthread_barrier_wait(&stop);
	pthread_barrier_wait(&other.done);
	tick(0, 5);
	OTHER_END(&other, "solve");
	end("outer");
	model = model_now();
	is_row(row_of(model, "solve", 0), 2, 5, "and so does the parent");
	pmu_model_free(model);
	OTHER_EXIT(&other);
	pmu_fini();
}

static void a_fork_in_the_middle_of_a_read_harms_nobody(void)
{
	struct pmu_model *model;
	int status;

	start();
	on_socket = 1;
	begin("outer");
	begin("solve");
	end("solve");
	fork_now = true;
	begin("solve");
	tick(1, 5);
	if (!forked) {
		alarm(20);
		_exit(pmu_region_end("solve") < 0 || pmu_region_begin("solve") < 0 ||
		      pmu_region_end("solve") < 0 || pmu_region_end("outer") < 0 || pmu_fini() < 0);
	}
	waitpid(forked, &status, 0);
	is_int(status, 0, "the child goes on");
	end("solve");
	fork_now = true;
	end("outer");
	if (!forked) {
		alarm(20);
		_exit(pmu_region_begin("solve") < 0 || pmu_region_end("solve") < 0 ||
		      pmu_fini() < 0);
	}
	waitpid(forked, &status, 0);
	is_int(status, 0, "also from an end");
	model = model_now();
	is_row(row_of(model, "outer", 1), 1, 5, "the parent's counts");
	is_row(row_of(model, "outer/solve", 1), 2, 5, "are its own");
	pmu_model_free(model);
	pmu_fini();
}

/* --- many at once --- */

#define CROWD       4
#define CROWD_CALLS 3000

static void *crowd_main(void *arg)
{
	on_socket = (int)(uintptr_t)arg & 1;
	for (int i = 0; i < CROWD_CALLS; i++) {
		begin("outer");
		tick(on_socket, 1);
		begin(i & 1 ? "odd" : "even");
		tick(on_socket, 1);
		end(i & 1 ? "odd" : "even");
		end("outer");
	}
	return NULL;
}

static void a_crowd_counts_every_tick_once(void)
{
	const uint64_t n = CROWD / 2 * 2 * CROWD_CALLS;
	pthread_t thread[CROWD];
	struct pmu_model *model;

	start();
	yielding = true;
	for (uintptr_t i = 0; i < CROWD; i++)
		if (pthread_create(&thread[i], NULL, crowd_main, (void *)i))
			abort();
	for (int i = 0; i < 20; i++)
		pmu_model_free(model_now());
	for (int i = 0; i < CROWD; i++)
		pthread_join(thread[i], NULL);
	yielding = false;
	model = model_now();
	/* every tick is inside of outer, which counts it once however many threads are in it */
	is_u64(row_of(model, "outer", 0)->net[CYCLES], n, "socket 0");
	is_u64(row_of(model, "outer", 1)->net[CYCLES], n, "socket 1");
	is_u64(model_row(model, "outer")->net[CYCLES], 2 * n, "both");
	ok(row_of(model, "outer", 0)->calls <= n / 2, "occupied at most as often as it was called");
	is_u64(row_of(model, "outer", 0)->n_open, 0, "nobody is left inside");
	is_int((int)doubts_with(model, ""), 0, "no doubt");
	pmu_model_free(model);
	pmu_fini();
}

UNIT_PART(sockets_report)
{
	set_up();
	a_killed_program_leaves_its_counts();
	reports_tell_sockets_from_threads();
	without_such_counts_nothing_is_said_of_sockets();
	counters_that_stand_still_are_named();
	a_child_waits_for_nobody();
	a_fork_in_the_middle_of_a_read_harms_nobody();
	a_crowd_counts_every_tick_once();
	return finish();
}
