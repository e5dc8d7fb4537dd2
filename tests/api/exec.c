/* SPDX-License-Identifier: BSD-3-Clause */
/* Every way to replace a process's program, and daemons. */
#include <poll.h>

#include "fork.h"

static const char *const self_path = "/proc/self/exe";

/* --- exec -----------------------------------------------------------------------------
 */

static int exec_once(void *arg)
{
	(void)arg;
	begin_end("first program");
	pmu_region_begin("open at exec");
	execl(self_path, self_path, "--second", (char *)NULL);
	return 9;
}

static int second_program(void)
{
	begin_end("second program");
	return 0;
}

static void exec_keeps_what_ended(void)
{
	char store[512] = "", name[64];
	json_t *report;
	struct run r;

	run(&r, exec_once, NULL, quick);
	is_int(r.status, 0, "a program that becomes another one");
	is_int(run_stores(&r, store, sizeof(store)), 1, "the first one's store is left");
	ok(!r.json, "the first one's name is left to it");
	snprintf(name, sizeof(name), "run.%d-2.json", (int)r.pid);
	report = run_load(&r, name);
	is_int(run_calls(report, "second program"), 1, "the second one's report says which it is");
	ok(!run_region(report, "first program"), "and has its own regions only");
	json_decref(report);
	run_done(&r);
}

static int exec_by_vfork(void *arg)
{
	(void)arg;
	pmu_region_begin("around");
	for (int i = 0; i < 5; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(127);
		}
		wait_for(pid);
		begin_end("in it");
	}
	pmu_region_end("around");
	return 0;
}

static void vfork_and_exec_leave_the_parent_alone(void)
{
	struct run r;

	run(&r, exec_by_vfork, NULL, NULL);
	run_good(&r, "vfork and exec");
	is_int(run_calls(r.json, "around"), 1, "the region around it");
	is_int(run_calls(r.json, "around/in it"), 5, "those between");
	is_int(run_files(&r, "", ".json", NULL, 0), 1, "one report");
	is_int(run_stores(&r, NULL, 0), 0, "no store is left");
	run_done(&r);
}

/* A child that becomes another program which uses regions. */
static int fork_and_exec(void *arg)
{
	pid_t pid;

	(void)arg;
	begin_end("first program");
	pid = fork();
	if (pid == 0) {
		execl(self_path, self_path, "--second", (char *)NULL);
		_exit(127);
	}
	wait_for(pid);
	return 0;
}

static void a_childs_program_overwrites_nothing(void)
{
	struct run r;
	int n;

	run(&r, fork_and_exec, NULL, quick);
	run_good(&r, "two programs of one run");
	is_int(calls_in_any(&r, "first program", &n), 1, "the first one's report");
	is_int(calls_in_any(&r, "second program", &n), 1, "the second one's");
	is_int(n, 2, "one beside the other");
	run_done(&r);
}

/* --- daemons --------------------------------------------------------------------------
 */

struct daemon_case {
	const char *name;
	int (*daemon)(void);
	int output[2]; /* the program's, read to its end as $(program) does */
	int leash[2];  /* the daemon lives until its other end is closed */
};

static int become_daemon(void)
{
	return daemon(0, 0);
}

static int become_child(void)
{
	pid_t pid = fork();

	if (pid)
		_exit(pid < 0);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	return 0;
}

static int become_child_of_a_child(void)
{
	return become_child() ? -1 : become_child();
}

static int measure_and_go_on(void *arg)
{
	const struct daemon_case *c = arg;
	char byte;

	dup2(c->output[1], STDOUT_FILENO);
	dup2(c->output[1], STDERR_FILENO);
	close(c->output[0]);
	close(c->output[1]);
	close(c->leash[1]);
	begin_end("r");
	if (c->daemon() < 0)
		return 9;
	if (read(c->leash[0], &byte, 1) != 0)
		_exit(8);
	_exit(0);
}

static void the_programs_output_ends_with_it(struct daemon_case *c)
{
	static const char *const env[] = { "PMU_PIN=none", "PMU_BACKEND=clock",
					   "PMU_OUTPUT=-,@/run.json", NULL };
	struct pollfd end;
	char byte;
	struct run r;

	if (pipe(c->output) < 0 || pipe(c->leash) < 0)
		run_die("pipe");
	run_start(&r, measure_and_go_on, c, env);
	close(c->output[1]);
	close(c->leash[0]);
	end = (struct pollfd){ .fd = c->output[0], .events = POLLIN };
	while (poll(&end, 1, 20000) == 1 && read(c->output[0], &byte, 1) == 1)
		;
	ok(end.revents & POLLHUP, "%s: nothing of ours keeps the program's output open", c->name);
	close(c->output[0]);
	close(c->leash[1]);
	run_wait(&r);
	is_int(r.status, 0, "while it lives on");
	run_done(&r);
}

static void a_daemon_holds_no_output_open(void)
{
	static struct daemon_case cases[] = {
		{ "daemon()", become_daemon, { -1, -1 }, { -1, -1 } },
		{ "a child", become_child, { -1, -1 }, { -1, -1 } },
		{ "a child's child", become_child_of_a_child, { -1, -1 }, { -1, -1 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		the_programs_output_ends_with_it(&cases[i]);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--second"))
		return second_program();
	exec_keeps_what_ended();
	vfork_and_exec_leave_the_parent_alone();
	a_childs_program_overwrites_nothing();
	a_daemon_holds_no_output_open();
	return done_testing();
}
