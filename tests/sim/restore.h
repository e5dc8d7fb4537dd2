/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests share that look at how registers are put back: a machine, runs that wait, journals. */
#ifndef PMU_TESTS_SIM_RESTORE_H
#define PMU_TESTS_SIM_RESTORE_H

#include "session.h"

#define EVENTS "PMU_EVENTS=instructions,cycles,branches,branch-misses"

/* a folder that all runs on one machine have: the journals are there */
static char shared[64];
static char shared_setting[96];   /* as XDG_RUNTIME_DIR */
static int to_test[2], to_run[2]; /* pipes between the test and a run that waits */

__attribute__((unused)) static void machine_starts(const char *cpu, int flags)
{
	if (sim_start(&sim, cpu, flags))
		errno = ENODEV, run_die(sim.why);
	snprintf(shared, sizeof(shared), "/tmp/pmu-shared-XXXXXX");
	if (!mkdtemp(shared) || pipe2(to_test, O_CLOEXEC) || pipe2(to_run, O_CLOEXEC))
		run_die("a folder and two pipes");
	snprintf(shared_setting, sizeof(shared_setting), "XDG_RUNTIME_DIR=%s", shared);
	/* Values that have to be put back. */
	for (int cpu_n = 0; cpu_n < 4; cpu_n++)
		sim_send(
			&sim,
			"set %d 0xc1 %d\nset %d 0xc2 0x7fffffff\nset %d 0x309 0x12345678\nset %d 0x38f %s",
			cpu_n, 4711 + cpu_n, cpu_n, cpu_n, cpu_n,
			cpu_n % 2 ? "0x0" : "0x700000003");
}

__attribute__((unused)) static void machine_stops(void)
{
	nftw(shared, run_unlink, 16, FTW_DEPTH | FTW_PHYS);
	for (int i = 0; i < 2; i++) {
		close(to_test[i]);
		close(to_run[i]);
	}
	sim_stop(&sim);
}

/* For run(): the machine, the shared folder, what is counted. */
__attribute__((unused)) static const char *const *env(void)
{
	return session_env(shared_setting, EVENTS, NULL);
}

__attribute__((unused)) static int journals(void)
{
	struct run r;

	snprintf(r.dir, sizeof(r.dir), "%s", shared);
	return run_files(&r, "pmu", ".registers", NULL, 0);
}

__attribute__((unused)) static int work(void)
{
	want_int(pmu_region_begin("work"), 0);
	want_int(sim_send(&sim, "count 0 0xc0 0 user 1000 fixed 1"), 0);
	want_int(pmu_region_end("work"), 0);
	return run_notes->n_failed ? 1 : 7;
}

__attribute__((unused)) static int one_region(void *arg)
{
	(void)arg;
	return work();
}

__attribute__((unused)) static int region_of_nothing(void *arg)
{
	(void)arg;
	want_int(pmu_region_begin("work"), 0);
	want_int(pmu_region_end("work"), 0);
	return run_notes->n_failed ? 1 : 7;
}

/* The test goes on, until it lets this run go on. */
__attribute__((unused)) static void wait_for_the_test(void)
{
	char byte = 'r';

	if (write(to_test[1], &byte, 1) != 1)
		want(false);
	while (read(to_run[0], &byte, 1) < 0 && errno == EINTR)
		;
}

__attribute__((unused)) static void wait_for_the_run(void)
{
	char byte;

	if (read(to_test[0], &byte, 1) != 1)
		run_die("the run has gone");
}

__attribute__((unused)) static void let_it_go_on(void)
{
	if (write(to_run[1], "g", 1) != 1)
		run_die("a pipe");
}

__attribute__((unused)) static int wait_in_a_region(void *arg)
{
	(void)arg;
	want_int(pmu_region_begin("work"), 0);
	want_int(sim_send(&sim, "count 0 0xc0 0 user 1000 fixed 1"), 0);
	wait_for_the_test();
	want_int(pmu_region_end("work"), 0);
	return run_notes->n_failed ? 1 : 7;
}

__attribute__((unused)) static bool ended(const struct run *r)
{
	return WIFEXITED(r->status) && WEXITSTATUS(r->status) == 7;
}

__attribute__((unused)) static bool died_of(const struct run *r, int number)
{
	return WIFSIGNALED(r->status) && WTERMSIG(r->status) == number;
}

/* `pmu msr restore` with a run's folders; true where it says that it did something. */
__attribute__((unused)) static bool command_restores(const struct run *r, int want_status)
{
	int status;
	char *text = session_command(r, env(), "restore", &status);
	bool did = strstr(text, "registers are as they were before") != NULL;

	if (status != want_status) {
		ok(false, "pmu msr restore");
		diag("status %d: %s", status, text);
	}
	free(text);
	return did;
}

__attribute__((unused)) static bool is_back(const char *before)
{
	char *after = sim_state(&sim);
	bool same = after && !strcmp(before, after);

	if (!same && after)
		session_differences(before, after);
	free(after);
	return same;
}

#endif
