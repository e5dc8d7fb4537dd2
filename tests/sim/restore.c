/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * However a measured program ends, the registers get their old values back: by itself, by the next,
 * by `pmu msr restore`.
 */
#include <pthread.h>

#include "restore.h"

/* Of the accesses of a session, every so many-th is a test: sanitizers take their time. */
#define STEP (RUN_SANITIZED ? 12 : 2)
/*
 * At both ends of a session registers are programmed and put back; between them it reads the same
 * ones over and over.
 */
#define AN_END  200
#define BETWEEN 16

static size_t next_access(size_t i, size_t n, size_t step)
{
	bool at_an_end = i < AN_END || i + AN_END > n;

	return i + (at_an_end ? step : BETWEEN * step);
}

static size_t accesses_of_a_session(void)
{
	struct run r;

	sim_send(&sim, "forget");
	run(&r, one_region, NULL, env());
	if (!ended(&r) || strcmp(session_source(&r), "msr") != 0)
		diag("status %x, %s", (unsigned int)r.status, session_words(&r));
	run_done(&r);
	return session_count(-1, -1).accesses;
}

/*
 * A session is ended at one of its accesses.  How many it has varies by a few: a busy machine disturbs
 * what measures the library's own work, which is then done once more, or is not.
 *
 * Return: whether it died of it, or had no such access.
 */
static bool run_until(struct run *r, size_t access, int number)
{
	sim_send(&sim, "forget\nat %zu signal %d", access, number);
	run(r, one_region, NULL, env());
	sim_send(&sim, "at 0 signal 0");
	return died_of(r, number) || (ended(r) && session_count(-1, -1).accesses < access);
}

/* --- kill -9 --- */

static void the_command_restores_after_a_kill(int flags, const char *how)
{
	size_t n, tried = 0, dead = 0, left = 0, bad = 0;
	char *before;

	machine_starts("core2", flags);
	before = sim_state(&sim);
	n = accesses_of_a_session();
	for (size_t i = 1; i <= n; i = next_access(i, n, STEP), tried++) {
		struct run r;
		bool did;

		dead += run_until(&r, i, SIGKILL);
		did = command_restores(&r, 0);
		left += did;
		if ((!is_back(before) || journals()) && bad++ < 5)
			diag("killed at access %zu, %srestored", i, did ? "" : "not ");
		run_done(&r);
	}
	ok(n > 150, "a session is %zu accesses of registers, %s", n, how);
	is_u64(dead, tried, "killed at one after the other, as far as it got");
	ok(left > tried / 4, "%zu of those left something to restore", left);
	is_u64(bad, 0, "every register is as it was");
	free(before);
	machine_stops();
}

static void the_next_session_restores_after_a_kill(void)
{
	size_t n, tried = 0, dead = 0, bad = 0;
	char *before;

	machine_starts("core2", 0);
	before = sim_state(&sim);
	n = accesses_of_a_session();
	for (size_t i = 2; i <= n; i = next_access(i, n, 2 * STEP), tried++) {
		struct run r;

		dead += run_until(&r, i, SIGKILL);
		run_done(&r);
		run(&r, one_region, NULL, env());
		if ((!ended(&r) || session_net(&r, "work", "instructions") != 1000 ||
		     !is_back(before) || journals()) &&
		    bad++ < 5)
			diag("killed at access %zu; the next: status %x, %s", i,
			     (unsigned int)r.status, session_words(&r));
		run_done(&r);
	}
	is_u64(dead, tried, "killed at one access after the other, as far as it got");
	is_u64(bad, 0, "the next session puts everything back, counts, and leaves nothing");
	free(before);
	machine_stops();
}

static void *many_regions(void *arg)
{
	(void)arg;
	for (;;) {
		pmu_region_begin("work");
		pmu_region_end("work");
	}
	return NULL;
}

static int threads_without_end(void *arg)
{
	pthread_t thread;

	(void)arg;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, many_regions, NULL);
	many_regions(NULL);
	return 0;
}

static void kills_may_come_at_any_time(void)
{
	unsigned int seed = 4711, bad = 0;
	char *before;

	machine_starts("skylake", 0);
	before = sim_state(&sim);
	for (int i = 0; i < 20; i++) {
		struct run r;

		run_start(&r, threads_without_end, NULL, env());
		usleep((useconds_t)rand_r(&seed) % 30000);
		kill(r.pid, SIGKILL);
		run_wait(&r);
		command_restores(&r, 0);
		if (!is_back(before) || journals())
			bad++;
		run_done(&r);
	}
	is_u64(bad, 0, "threads in regions, killed at any time: everything is put back");
	free(before);
	machine_stops();
}

/* --- signals that can be caught --- */

static void a_signal_restores(int number, const char *name)
{
	size_t n, tried = 0, dead = 0, bad = 0;
	char *before;

	machine_starts("core2", 0);
	before = sim_state(&sim);
	n = accesses_of_a_session();
	for (size_t i = 1; i <= n; i = next_access(i, n, 2 * STEP), tried++) {
		struct run r;

		dead += run_until(&r, i, number);
		if ((!is_back(before) || journals()) && bad++ < 5)
			diag("%s at access %zu: status %x", name, i, (unsigned int)r.status);
		run_done(&r);
	}
	is_u64(dead, tried, name);
	is_u64(bad, 0, "it puts everything back before it ends the program");
	free(before);
	machine_stops();
}

/* Some thread takes it, while the others read registers. */
static void a_signal_may_come_while_threads_count(void)
{
	unsigned int seed = 815, bad = 0, dead = 0;
	char *before;

	machine_starts("skylake", 0);
	before = sim_state(&sim);
	for (int i = 0; i < 10; i++) {
		struct run r;

		run_start(&r, threads_without_end, NULL, env());
		usleep((useconds_t)rand_r(&seed) % 30000);
		kill(r.pid, SIGTERM);
		run_wait(&r);
		dead += died_of(&r, SIGTERM);
		bad += !is_back(before) || journals();
		run_done(&r);
	}
	is_u64(dead, 10, "threads in regions get a SIGTERM, and die of it");
	is_u64(bad, 0, "everything is put back");
	free(before);
	machine_stops();
}

static volatile sig_atomic_t n_caught;

static void catch_it(int number)
{
	(void)number;
	n_caught++;
}

static void handle(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(number, &action, NULL);
}

static bool is_handled_by(int number, void (*handler)(int))
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && action.sa_handler == handler;
}

static int own_handler_before(void *arg)
{
	(void)arg;
	handle(SIGINT, catch_it);
	handle(SIGTERM, SIG_IGN);
	pmu_region_begin("work");
	want(is_handled_by(SIGINT, catch_it));
	want(is_handled_by(SIGTERM, SIG_IGN));
	sim_send(&sim, "count 0 0xc0 0 user 400 fixed 1");
	raise(SIGINT);
	raise(SIGTERM);
	sim_send(&sim, "count 0 0xc0 0 user 600 fixed 1");
	want_int(pmu_region_end("work"), 0);
	pmu_fini();
	want_int(n_caught, 1);
	want(is_handled_by(SIGINT, catch_it));
	want(is_handled_by(SIGTERM, SIG_IGN));
	return run_notes->n_failed ? 1 : 7;
}

static int own_handler_later(void *arg)
{
	(void)arg;
	pmu_region_begin("work");
	handle(SIGTERM, catch_it);
	sim_send(&sim, "count 0 0xc0 0 user 400 fixed 1");
	raise(SIGTERM);
	sim_send(&sim, "count 0 0xc0 0 user 600 fixed 1");
	want_int(pmu_region_end("work"), 0);
	pmu_fini();
	want_int(n_caught, 1);
	want(is_handled_by(SIGTERM, catch_it));
	want(is_handled_by(SIGINT, SIG_DFL));
	return run_notes->n_failed ? 1 : 7;
}

static void the_programs_handlers_are_its_own(void)
{
	static const struct {
		int (*fn)(void *);
		const char *name;
	} ways[] = {
		{ own_handler_before, "a program's handlers from before the session are its own" },
		{ own_handler_later,
		  "one that it sets later replaces ours, which is gone after the session" },
	};
	char *before;

	machine_starts("core2", 0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct run r;

		before = sim_state(&sim);
		run(&r, ways[i].fn, NULL, env());
		if (!ok(ended(&r), "%s", ways[i].name))
			run_good(&r, "because");
		is_int(session_net(&r, "work", "instructions"), 1000,
		       "signals do not disturb the counts");
		session_is_back(before, "everything is put back at the end");
		run_done(&r);
	}
	machine_stops();
}

/* --- ends without a goodbye --- */

static int leave_by_exit_now(void *arg)
{
	(void)arg;
	pmu_region_begin("open");
	_exit(7);
}

static int leave_by_abort(void *arg)
{
	(void)arg;
	pmu_region_begin("open");
	abort();
}

static int leave_by_exec(void *arg)
{
	(void)arg;
	pmu_region_begin("open");
	execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
	return 1;
}

static void ends_without_goodbye_are_restored(void)
{
	static const struct {
		int (*fn)(void *);
		int signal;
		const char *name;
	} ways[] = {
		{ leave_by_exit_now, 0, "_exit()" },
		{ leave_by_abort, SIGABRT, "abort()" },
		{ leave_by_exec, 0, "another program takes the place" },
	};

	machine_starts("core2", 0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		char *before = sim_state(&sim);
		struct run r;

		run(&r, ways[i].fn, NULL, env());
		ok(ways[i].signal ? died_of(&r, ways[i].signal) : ended(&r),
		   "%s: the status is its own", ways[i].name);
		ok(command_restores(&r, 0), "something is left");
		session_is_back(before, "and restored");
		is_int(journals(), 0, "once");
		run_done(&r);
	}
	machine_stops();
}

static char self[512]; /* this program */

static int become_another_session(void *arg)
{
	(void)arg;
	pmu_region_begin("open");
	setenv("TEST_SIM_CTL", sim.ctl, 1);
	execl(self, self, "session", (char *)NULL);
	return 1;
}

/* What is run in the place of a measured program. */
static int session_in_its_place(void)
{
	snprintf(sim.ctl, sizeof(sim.ctl), "%s", getenv("TEST_SIM_CTL"));
	if (pmu_region_begin("work") || sim_send(&sim, "count 0 0xc0 0 user 1000 fixed 1") ||
	    pmu_region_end("work"))
		return 1;
	return 7;
}

static void a_measured_program_may_become_another(void)
{
	char *before;
	struct run r;

	machine_starts("core2", 0);
	before = sim_state(&sim);
	run(&r, become_another_session, NULL,
	    session_env(shared_setting, EVENTS, "PMU_OUTPUT=@/program-%n.json", NULL));
	r.json = run_load(&r, "program-2.json");
	ok(ended(&r), "a measured program executes a measured program");
	is_str(session_source(&r), "msr", "which counts by registers too");
	is_int(session_net(&r, "work", "instructions"), 1000, "exactly");
	session_is_back(before, "and puts back what was there before both");
	is_int(journals(), 0, "nothing is left to do");
	run_done(&r);
	machine_stops();
}

/* What cannot be put back at the end, can be later. */
static int fail_at_the_end(void *arg)
{
	pmu_region_begin("work");
	sim_send(&sim, "count 0 0xc0 0 user 1000 fixed 1\nfail 1 0x38f write EIO");
	pmu_region_end("work");
	return one_region(arg);
}

static void a_failed_restore_is_made_up_for(void)
{
	char *before, *text;
	struct run r;
	int status;

	machine_starts("core2", 0);
	before = sim_state(&sim);
	run(&r, fail_at_the_end, NULL, env());
	ok(ended(&r), "a register cannot be written at the end");
	is_int(session_net(&r, "work", "instructions"), 2000, "the counts are what they are");
	is_u64(sim_register(&sim, 0, 0x186), 0, "the others are put back");
	is_int(journals(), 1, "it is remembered");
	text = session_command(&r, env(), "restore", &status);
	is_int(status, 1, "it still cannot");
	has(text, "cannot write IA32_PERF_GLOBAL_CTRL (38FH) on CPU 1: Input/output error",
	    "the command says why");
	free(text);
	sim_send(&sim, "fail 1 0x38f write 0");
	ok(command_restores(&r, 0), "later it can");
	session_is_back(before, "and does");
	run_done(&r);
	machine_stops();
}

int main(int argc, char **argv)
{
	int rc;

	if (argc > 1 && !strcmp(argv[1], "session"))
		return session_in_its_place();
	rc = sim_start(&sim, "core2", 0);
	if (rc > 0)
		return skip_all(sim.why);
	sim_stop(&sim);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		run_die("/proc/self/exe");
	the_command_restores_after_a_kill(0, "one by one");
	the_command_restores_after_a_kill(SIM_BATCH, "or by batches");
	the_next_session_restores_after_a_kill();
	kills_may_come_at_any_time();
	a_signal_restores(SIGTERM, "SIGTERM");
	a_signal_restores(SIGINT, "SIGINT");
	a_signal_may_come_while_threads_count();
	the_programs_handlers_are_its_own();
	ends_without_goodbye_are_restored();
	a_measured_program_may_become_another();
	a_failed_restore_is_made_up_for();
	return done_testing();
}
