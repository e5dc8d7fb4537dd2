/* SPDX-License-Identifier: BSD-3-Clause */
/* However a measured program ends, the registers get their old values back: by itself, by the next, by `pmu restore`. */
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "session.h"

/* Of the accesses of a session, every so many-th is a test: sanitizers take their time. */
#define STEP (RUN_SANITIZED ? 12 : 2)
#define EVENTS "PMU_EVENTS=instructions,cycles,branches,branch-misses"

static char shared[64];		  /* a folder that all runs on one machine have: the journals are there */
static char shared_setting[96];	  /* as XDG_RUNTIME_DIR */
static int to_test[2], to_run[2]; /* pipes between the test and a run that waits */

static void machine_starts(const char *cpu, int flags)
{
	if (sim_start(&sim, cpu, flags))
		errno = ENODEV, run_die(sim.why);
	snprintf(shared, sizeof(shared), "/tmp/pmu-shared-XXXXXX");
	if (!mkdtemp(shared) || pipe2(to_test, O_CLOEXEC) || pipe2(to_run, O_CLOEXEC))
		run_die("a folder and two pipes");
	snprintf(shared_setting, sizeof(shared_setting), "XDG_RUNTIME_DIR=%s", shared);
	/* Values that have to be put back. */
	for (int cpu_n = 0; cpu_n < 4; cpu_n++)
		sim_send(&sim, "set %d 0xc1 %d\nset %d 0xc2 0x7fffffff\nset %d 0x309 0x12345678\nset %d 0x38f %s", cpu_n,
			 4711 + cpu_n, cpu_n, cpu_n, cpu_n, cpu_n % 2 ? "0x0" : "0x700000003");
}

static void machine_stops(void)
{
	nftw(shared, run_unlink, 16, FTW_DEPTH | FTW_PHYS);
	for (int i = 0; i < 2; i++) {
		close(to_test[i]);
		close(to_run[i]);
	}
	sim_stop(&sim);
}

/* For run(): the machine, the shared folder, what is counted. */
static const char *const *env(void)
{
	return session_env(shared_setting, EVENTS, NULL);
}

static int journals(void)
{
	struct run r;

	snprintf(r.dir, sizeof(r.dir), "%s", shared);
	return run_files(&r, "pmu", ".registers", NULL, 0);
}

static int work(void)
{
	want_int(pmu_region_begin("work"), 0);
	want_int(sim_send(&sim, "count 0 0xc0 0 user 1000 fixed 1"), 0);
	want_int(pmu_region_end("work"), 0);
	return run_notes->n_failed ? 1 : 7;
}

static int one_region(void *arg)
{
	(void)arg;
	return work();
}

static int region_of_nothing(void *arg)
{
	(void)arg;
	want_int(pmu_region_begin("work"), 0);
	want_int(pmu_region_end("work"), 0);
	return run_notes->n_failed ? 1 : 7;
}

/* The test goes on, until it lets this run go on. */
static void wait_for_the_test(void)
{
	char byte = 'r';

	if (write(to_test[1], &byte, 1) != 1)
		want(false);
	while (read(to_run[0], &byte, 1) < 0 && errno == EINTR)
		;
}

static void wait_for_the_run(void)
{
	char byte;

	if (read(to_test[0], &byte, 1) != 1)
		run_die("the run has gone");
}

static void let_it_go_on(void)
{
	if (write(to_run[1], "g", 1) != 1)
		run_die("a pipe");
}

static int wait_in_a_region(void *arg)
{
	(void)arg;
	want_int(pmu_region_begin("work"), 0);
	want_int(sim_send(&sim, "count 0 0xc0 0 user 1000 fixed 1"), 0);
	wait_for_the_test();
	want_int(pmu_region_end("work"), 0);
	return run_notes->n_failed ? 1 : 7;
}

static bool ended(const struct run *r)
{
	return WIFEXITED(r->status) && WEXITSTATUS(r->status) == 7;
}

static bool died_of(const struct run *r, int number)
{
	return WIFSIGNALED(r->status) && WTERMSIG(r->status) == number;
}

/* `pmu restore` with a run's folders; true where it says that it did something. */
static bool command_restores(const struct run *r, int want_status)
{
	int status;
	char *text = session_command(r, env(), "restore", &status);
	bool did = strstr(text, "registers are as they were before") != NULL;

	if (status != want_status) {
		ok(false, "pmu restore");
		diag("status %d: %s", status, text);
	}
	free(text);
	return did;
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

static bool is_back(const char *before)
{
	char *after = sim_state(&sim);
	bool same = after && !strcmp(before, after);

	if (!same && after)
		session_differences(before, after);
	free(after);
	return same;
}

/* --- kill -9 --- */

static void the_command_restores_after_a_kill(int flags, const char *how)
{
	size_t n, dead = 0, left = 0, bad = 0;
	char *before;

	machine_starts("core2", flags);
	before = sim_state(&sim);
	n = accesses_of_a_session();
	for (size_t i = 1; i <= n; i += STEP) {
		struct run r;
		bool did;

		sim_send(&sim, "at %zu signal 9", i);
		run(&r, one_region, NULL, env());
		sim_send(&sim, "at 0 signal 0");
		dead += died_of(&r, SIGKILL);
		did = command_restores(&r, 0);
		left += did;
		if ((!is_back(before) || journals()) && bad++ < 5)
			diag("killed at access %zu, %srestored", i, did ? "" : "not ");
		run_done(&r);
	}
	ok(n > 150, "a session is %zu accesses of registers, %s", n, how);
	is_u64(dead, (n + STEP - 1) / STEP, "killed at one after the other");
	ok(left > n / STEP / 4, "%zu of those left something to restore", left);
	is_u64(bad, 0, "every register is as it was");
	free(before);
	machine_stops();
}

static void the_next_session_restores_after_a_kill(void)
{
	size_t n, dead = 0, bad = 0;
	char *before;

	machine_starts("core2", 0);
	before = sim_state(&sim);
	n = accesses_of_a_session();
	for (size_t i = 2; i <= n; i += 2 * STEP) {
		struct run r;

		sim_send(&sim, "at %zu signal 9", i);
		run(&r, one_region, NULL, env());
		dead += died_of(&r, SIGKILL);
		run_done(&r);
		sim_send(&sim, "at 0 signal 0");
		run(&r, one_region, NULL, env());
		if ((!ended(&r) || session_net(&r, "work", "instructions") != 1000 || !is_back(before) || journals()) &&
		    bad++ < 5)
			diag("killed at access %zu; the next: status %x, %s", i, (unsigned int)r.status,
			     session_words(&r));
		run_done(&r);
	}
	is_u64(dead, (n + 2 * STEP - 2) / (2 * STEP), "killed at one access after the other");
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
	size_t n, dead = 0, bad = 0;
	char *before;

	machine_starts("core2", 0);
	before = sim_state(&sim);
	n = accesses_of_a_session();
	for (size_t i = 1; i <= n; i += 2 * STEP) {
		struct run r;

		sim_send(&sim, "at %zu signal %d", i, number);
		run(&r, one_region, NULL, env());
		sim_send(&sim, "at 0 signal 0");
		dead += died_of(&r, number);
		if ((!is_back(before) || journals()) && bad++ < 5)
			diag("%s at access %zu: status %x", name, i, (unsigned int)r.status);
		run_done(&r);
	}
	is_u64(dead, (n + 2 * STEP - 1) / (2 * STEP), name);
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
	struct sigaction action = {.sa_handler = handler};

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
		{own_handler_before, "a program's handlers from before the session are its own"},
		{own_handler_later, "one that it sets later replaces ours, which is gone after the session"},
	};
	char *before;

	machine_starts("core2", 0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct run r;

		before = sim_state(&sim);
		run(&r, ways[i].fn, NULL, env());
		if (!ok(ended(&r), "%s", ways[i].name))
			run_good(&r, "because");
		is_int(session_net(&r, "work", "instructions"), 1000, "signals do not disturb the counts");
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
		{leave_by_exit_now, 0, "_exit()"},
		{leave_by_abort, SIGABRT, "abort()"},
		{leave_by_exec, 0, "another program takes the place"},
	};

	machine_starts("core2", 0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		char *before = sim_state(&sim);
		struct run r;

		run(&r, ways[i].fn, NULL, env());
		ok(ways[i].signal ? died_of(&r, ways[i].signal) : ended(&r), "%s: the status is its own", ways[i].name);
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
	if (pmu_region_begin("work") || sim_send(&sim, "count 0 0xc0 0 user 1000 fixed 1") || pmu_region_end("work"))
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
	has(text, "cannot write IA32_PERF_GLOBAL_CTRL (38FH) on CPU 1: Input/output error", "the command says why");
	free(text);
	sim_send(&sim, "fail 1 0x38f write 0");
	ok(command_restores(&r, 0), "later it can");
	session_is_back(before, "and does");
	run_done(&r);
	machine_stops();
}

/* --- fork --- */

static int child_uses_a_region(void)
{
	return pmu_region_begin("child") || pmu_region_end("child");
}

static pid_t raw_fork(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

struct forking {
	pid_t (*fork)(void);
	bool uses_regions, at_once; /* at_once: by _exit() */
	int signal;
};

static int fork_in_a_region(void *arg)
{
	const struct forking *how = arg;
	int status;
	pid_t pid;

	pmu_region_begin("work");
	sim_send(&sim, "forget\ncount 0 0xc0 0 user 400 fixed 1");
	pid = how->fork();
	if (!pid) {
		if (how->uses_regions && child_uses_a_region())
			_exit(1);
		if (how->signal)
			raise(how->signal);
		if (how->at_once)
			_exit(0);
		exit(0);
	}
	waitpid(pid, &status, 0);
	want(how->signal ? WIFSIGNALED(status) && WTERMSIG(status) == how->signal : !status);
	want_int((long long)session_count(-1, -1).accesses, 0);
	sim_send(&sim, "count 0 0xc0 0 user 600 fixed 1");
	want_int(pmu_region_end("work"), 0);
	return run_notes->n_failed ? 1 : 7;
}

static void children_leave_registers_alone(void)
{
	static const struct {
		const char *name;
		struct forking how;
	} ways[] = {
		{"a child that ends", {fork, false, false, 0}},
		{"a child with regions", {fork, true, false, 0}},
		{"a child with _exit()", {fork, true, true, 0}},
		{"a child of SIGTERM", {fork, false, false, SIGTERM}},
		{"a child with regions, of SIGINT", {fork, true, false, SIGINT}},
		{"a child past the library", {raw_fork, false, true, 0}},
		{"that has regions", {raw_fork, true, true, 0}},
		{"and takes a SIGTERM", {raw_fork, false, true, SIGTERM}},
	};

	machine_starts("core2", 0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		char *before = sim_state(&sim);
		struct run r;

		run(&r, fork_in_a_region, (void *)(uintptr_t)&ways[i].how, env());
		if (!ok(ended(&r), "%s touches no register", ways[i].name))
			run_good(&r, "because");
		is_int(session_net(&r, "work", "instructions"), 1000, "the parent counts on");
		session_is_back(before, "and puts everything back");
		run_done(&r);
	}
	machine_stops();
}

static int leave_a_child(void *arg)
{
	(void)arg;
	pmu_region_begin("work");
	if (!fork()) {
		wait_for_the_test();
		exit(child_uses_a_region());
	}
	pmu_region_end("work");
	return 7;
}

static void a_child_may_outlive_its_parent(void)
{
	char *before;
	struct run r;

	/* whose counters need no thread to keep up with them: ThreadSanitizer allows none after such a fork */
	machine_starts("skylake", 0);
	before = sim_state(&sim);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		run_die("PR_SET_CHILD_SUBREAPER");
	run(&r, leave_a_child, NULL, env());
	wait_for_the_run();
	ok(ended(&r), "a parent ends before its child");
	ok(is_back(before), "it has put everything back");
	let_it_go_on();
	/* an orphan is this program's child */
	ok(waitpid(-1, &r.status, 0) > 0 && WIFEXITED(r.status) && !WEXITSTATUS(r.status), "the child ends later");
	session_is_back(before, "and has put back what it did");
	is_int(journals(), 0, "nothing is left to do");
	run_done(&r);
	machine_stops();
}

/* --- two at a time --- */

static void the_second_session_is_refused(void)
{
	char *before, who[64], *text;
	struct run first, second;
	int status;

	machine_starts("core2", 0);
	before = sim_state(&sim);
	run_start(&first, wait_in_a_region, NULL, env());
	wait_for_the_run();
	sim_send(&sim, "forget");
	run(&second, one_region, NULL, env());
	snprintf(who, sizeof(who), "(process %ld)", (long)first.pid);
	ok(ended(&second), "a second session on one machine");
	is_str(session_source(&second), "clock", "takes another source");
	has(session_words(&second), "another session has this machine's counters", "the report says why");
	has(session_words(&second), who, "and who");
	text = session_command(&second, env(), "restore", &status);
	is_int(status, 1, "nor may the command");
	has(text, who, "which says why too");
	free(text);
	is_u64(session_count(-1, -1).writes, 0, "no register is written meanwhile");
	let_it_go_on();
	run_wait(&first);
	ok(ended(&first), "the first is not disturbed");
	/* the second one's thousand happened on that processor too */
	is_int(session_net(&first, "work", "instructions"), 2000, "and counts what happens on its processor");
	session_is_back(before, "everything is put back");
	run_done(&first);
	run_done(&second);
	run(&second, one_region, NULL, env());
	is_str(session_source(&second), "msr", "after that it is free");
	run_done(&second);
	machine_stops();
}

static void of_many_at_once_each_is_alone(void)
{
	unsigned int by_registers = 0, refused = 0;
	struct run many[6];
	char *before;

	machine_starts("core2", 0);
	before = sim_state(&sim);
	for (int i = 0; i < 6; i++)
		run_start(&many[i], region_of_nothing, NULL, env());
	for (int i = 0; i < 6; i++) {
		run_wait(&many[i]);
		by_registers += ended(&many[i]) && !strcmp(session_source(&many[i]), "msr");
		refused += ended(&many[i]) && strstr(session_words(&many[i]), "another session has") != NULL;
		run_done(&many[i]);
	}
	ok(by_registers > 0, "%u of six sessions at once have counted by registers", by_registers);
	is_int(by_registers + refused, 6, "the others were refused, with the reason");
	session_is_back(before, "everything is put back");
	is_int(journals(), 0, "nothing is left to do");
	machine_stops();
}

/* --- journals that were tampered with --- */

static char *journal_text; /* a good one */
static char journal_path[600];

/* It replaces the first @from; NULL: leaves the text as it is. */
static char *with(const char *from, const char *to)
{
	const char *at = from ? strstr(journal_text, from) : NULL;
	char *text;

	if (from && !at)
		run_die(from);
	if (!from)
		return strdup(journal_text);
	if (asprintf(&text, "%.*s%s%s", (int)(at - journal_text), journal_text, to, at + strlen(from)) < 0)
		run_die("no memory");
	return text;
}

static void put_journal(const char *text, size_t len)
{
	int fd;

	unlink(journal_path);
	fd = open(journal_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		run_die(journal_path);
	close(fd);
}

/* Nothing is written by the command; what it says has @words in it.  The journal is or is not there after that. */
static void is_not_obeyed(const struct run *r, const char *words, bool stays, const char *name)
{
	struct stat st;
	char *before = sim_state(&sim), *text;
	int status;

	sim_send(&sim, "forget");
	text = session_command(r, env(), "restore", &status);
	ok(status < 2 && strstr(text, words) && !session_count(-1, -1).writes && is_back(before) &&
		   !lstat(journal_path, &st) == stays,
	   "%s", name);
	if (!strstr(text, words) || session_count(-1, -1).writes)
		diag("status %d, %zu writes: %s", status, session_count(-1, -1).writes, text);
	free(text);
	free(before);
}

static void changed_texts_are_not_obeyed(const struct run *r)
{
	static const struct {
		const char *from, *to, *words, *name;
	} changes[] = {
		{"pmu registers 1", "pmu registers 2", "line 1 is not", "another version"},
		{"cpu GenuineIntel-6-23", "cpu GenuineIntel-6-24", "another CPU", "another CPU"},
		{"write 0 ", "write 0x", "is not a write", "a number that is none"},
		{"write 0 186 ", "write 0 1a0 ", "1A0H, which no session programs", "a register that is not a counter's"},
		{"write 0 186 ", "write 0 c0000080 ", "C0000080H, which no session programs", "the mode of the processor"},
		{"write 0 186 ", "write 0 10000000000000186 ", "is not a write", "a number that overflows"},
		{"write 0 ", "write -1 ", "is not a write", "a processor below zero"},
		{"write 0 ", "write 3000 ", "/3000/msr", "a processor that is not there"},
		{"write 0 ", "write 99999999999 ", "is not a write", "nor ever will be"},
		{"write 0 ", "read 0 ", "is not a write, nor the end", "another verb"},
		{"end ", "end 1", "does not have the", "a wrong number of writes"},
		{"device /", "device //", "nothing to restore", "another device"},
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		char *text = with(changes[i].from, changes[i].to);

		put_journal(text, strlen(text));
		is_not_obeyed(r, changes[i].words, true, changes[i].name);
		free(text);
	}
}

static void cut_texts_are_not_obeyed(const struct run *r)
{
	size_t len = strlen(journal_text), bad = 0;
	int n_before = tap_n;

	for (size_t cut = 0; cut < len; cut += len / 16) {
		put_journal(journal_text, cut);
		sim_send(&sim, "forget");
		{
			int status;
			char *text = session_command(r, env(), "restore", &status);

			bad += session_count(-1, -1).writes || status > 1 || access(journal_path, F_OK);
			free(text);
		}
	}
	is_int(tap_n, n_before, "a text that is cut off anywhere");
	is_u64(bad, 0, "is left alone");
}

static void odd_files_are_not_obeyed(const struct run *r)
{
	char elsewhere[600], *text;
	const char *line;

	put_journal(journal_text, strlen(journal_text));
	chmod(journal_path, 0644);
	is_not_obeyed(r, "not a file of this user alone", true, "one that others can read");
	chmod(journal_path, 0602);
	is_not_obeyed(r, "not a file of this user alone", true, "one that others can write");
	chmod(journal_path, 0600);
	if (geteuid() == 0 && !chown(journal_path, 65534, 65534))
		is_not_obeyed(r, "not a file of this user alone", true, "another user's");
	else
		skip("another user's", "needs root");
	put_journal(journal_text, strlen(journal_text));
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", shared);
	if (rename(journal_path, elsewhere) || symlink(elsewhere, journal_path))
		run_die(elsewhere);
	is_not_obeyed(r, "symbolic link", true, "a link to a good one");
	unlink(journal_path);
	if (mkfifo(journal_path, 0600))
		run_die(journal_path);
	is_not_obeyed(r, "not a file of this user alone", true, "a pipe that nobody writes");
	unlink(journal_path);
	line = strstr(journal_text, "\nboot ");
	text = line ? strdup(journal_text) : NULL;
	if (!text)
		run_die("no boot in the journal");
	text[line - journal_text + 6] ^= 1;
	put_journal(text, strlen(text));
	is_not_obeyed(r, "nothing to restore", false, "one from before the last start of the machine goes");
	free(text);
	put_journal(journal_text, strlen(journal_text));
	chmod(shared, 0777);
	snprintf(elsewhere, sizeof(elsewhere), "%s/pmu", shared);
	chmod(elsewhere, 0777);
	is_not_obeyed(r, "", true, "a folder that others can write to");
	chmod(shared, 0700);
	chmod(elsewhere, 0700);
}

static void hostile_journals_are_refused(void)
{
	char *before, *programmed;
	struct run r, next;

	machine_starts("core2", 0);
	before = sim_state(&sim);
	run_start(&r, wait_in_a_region, NULL, env());
	wait_for_the_run();
	kill(r.pid, SIGKILL);
	run_wait(&r);
	programmed = sim_state(&sim);
	ok(strcmp(before, programmed) != 0, "a killed program leaves registers");
	snprintf(next.dir, sizeof(next.dir), "%s", shared);
	is_int(run_files(&next, "pmu", ".registers", journal_path, sizeof(journal_path)), 1, "and a journal");
	journal_text = run_slurp(journal_path);
	changed_texts_are_not_obeyed(&r);
	cut_texts_are_not_obeyed(&r);
	odd_files_are_not_obeyed(&r);

	/* What nobody can put back looks like another's counters. */
	put_journal(journal_text, strlen(journal_text) - 1);
	run(&next, region_of_nothing, NULL, env());
	ok(ended(&next), "a session beside a journal that it cannot use");
	has(session_words(&next), "general counter 0 is in use on CPUs 0-3", "leaves what is programmed alone, and names it");
	run_done(&next);
	session_is_back(programmed, "it is as it was");

	put_journal(journal_text, strlen(journal_text));
	ok(command_restores(&r, 0), "the good one");
	session_is_back(before, "is obeyed");
	free(journal_text);
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
	children_leave_registers_alone();
	a_child_may_outlive_its_parent();
	the_second_session_is_refused();
	of_many_at_once_each_is_alone();
	hostile_journals_are_refused();
	return done_testing();
}
