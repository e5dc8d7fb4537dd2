/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers have one session at a time: what a fork, or a second program, may not do to them. */
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "restore.h"

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
		{ "a child that ends", { fork, false, false, 0 } },
		{ "a child with regions", { fork, true, false, 0 } },
		{ "a child with _exit()", { fork, true, true, 0 } },
		{ "a child of SIGTERM", { fork, false, false, SIGTERM } },
		{ "a child with regions, of SIGINT", { fork, true, false, SIGINT } },
		{ "a child past the library", { raw_fork, false, true, 0 } },
		{ "that has regions", { raw_fork, true, true, 0 } },
		{ "and takes a SIGTERM", { raw_fork, false, true, SIGTERM } },
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

	if (TEST_TSAN) {
		skip("a child that outlives its parent",
		     "ThreadSanitizer lets no child of a process with threads have any");
		return;
	}
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
	ok(waitpid(-1, &r.status, 0) > 0 && WIFEXITED(r.status) && !WEXITSTATUS(r.status),
	   "the child ends later");
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
	has(session_words(&second), "another session has this machine's counters",
	    "the report says why");
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
	is_int(session_net(&first, "work", "instructions"), 2000,
	       "and counts what happens on its processor");
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
		refused += ended(&many[i]) &&
			   strstr(session_words(&many[i]), "another session has") != NULL;
		run_done(&many[i]);
	}
	ok(by_registers > 0, "%u of six sessions at once have counted by registers", by_registers);
	is_int(by_registers + refused, 6, "the others were refused, with the reason");
	session_is_back(before, "everything is put back");
	is_int(journals(), 0, "nothing is left to do");
	machine_stops();
}

int main(void)
{
	int rc = sim_start(&sim, "core2", 0);

	if (rc > 0)
		return skip_all(sim.why);
	sim_stop(&sim);
	children_leave_registers_alone();
	a_child_may_outlive_its_parent();
	the_second_session_is_refused();
	of_many_at_once_each_is_alone();
	return done_testing();
}
