/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a function as a measured program on a simulated machine, and looks at what it did to the
 * registers.
 */
#ifndef PMU_TESTS_SIM_SESSION_H
#define PMU_TESTS_SIM_SESSION_H

#include "api/run.h"
#include "control.h"

#define SESSION_MAX_ENV 16

static struct sim_run sim; /* the machine of this program */

/* ThreadSanitizer gives threads a second to show races at the end of a process: here many end. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "atexit_sleep_ms=20";
}

/*
 * The environment of a run: the machine's, then what differs ("NAME=VALUE", to be NULL-terminated).
 */
__attribute__((sentinel, unused)) static const char *const *session_env(const char *first, ...)
{
	static char text[SESSION_MAX_ENV][600];
	static const char *list[SESSION_MAX_ENV + 1];
	size_t n = 0;
	va_list args;

	snprintf(text[n++], sizeof(*text), "PMU_MSR_DEVICE=%s", sim.device);
	if (!access(sim.batch, F_OK))
		snprintf(text[n++], sizeof(*text), "PMU_MSR_BATCH=%s", sim.batch);
	snprintf(text[n++], sizeof(*text), "PMU_CPUID_FILE=%s", sim.cpuid);
	snprintf(text[n++], sizeof(*text), "HWLOC_XMLFILE=%s", sim.topology);
	va_start(args, first);
	for (const char *at = first; at && n < SESSION_MAX_ENV; at = va_arg(args, const char *))
		snprintf(text[n++], sizeof(*text), "%s", at);
	va_end(args);
	for (size_t i = 0; i < n; i++)
		list[i] = text[i];
	list[n] = NULL;
	return list;
}

/* --- the log --- */

struct session_access {
	int cpu;
	uint32_t address;
	bool write;
	bool ok;
};

/* The next access that a log speaks of; NULL behind the last. */
__attribute__((unused)) static const char *session_next(const char *log,
							struct session_access *access)
{
	for (; log && *log; log = strchr(log, '\n') ? strchr(log, '\n') + 1 : NULL) {
		char how[8], value[20], result[20];

		if (sscanf(log, "%*u cpu %d %7s %" SCNx32 "H %19s %19s", &access->cpu, how,
			   &access->address, value, result) != 5)
			continue;
		access->write = !strcmp(how, "write");
		access->ok = !strcmp(result, "ok");
		log = strchr(log, '\n');
		return log ? log + 1 : "";
	}
	return NULL;
}

struct session_counts {
	size_t accesses, writes;
};

/* Since the log was forgotten; @cpu, @address: of that one alone, unless -1. */
__attribute__((unused)) static struct session_counts session_count(int cpu, long address)
{
	struct session_counts counts = { 0, 0 };
	struct session_access access;
	char *log = sim_log(&sim);

	for (const char *at = log; (at = session_next(at, &access));) {
		if ((cpu >= 0 && access.cpu != cpu) ||
		    (address >= 0 && access.address != (uint32_t)address))
			continue;
		counts.accesses++;
		counts.writes += access.write;
	}
	free(log);
	return counts;
}

/* --- registers before and after --- */

/* The lines that differ, a few of them, for people. */
__attribute__((unused)) static void session_differences(const char *before, const char *after)
{
	for (int shown = 0; *before && *after && shown < 8;) {
		size_t b = strcspn(before, "\n"), a = strcspn(after, "\n");

		if (a != b || memcmp(before, after, a) != 0) {
			diag("was %.*s, is %.*s", (int)b, before, (int)a, after);
			shown++;
		}
		before += b + (before[b] == '\n');
		after += a + (after[a] == '\n');
	}
}

/* Every register is as it was; @before is freed. */
__attribute__((format(printf, 2, 3), unused)) static bool session_is_back(char *before,
									  const char *fmt, ...)
{
	char *after = sim_state(&sim), name[256];
	bool same = before && after && !strcmp(before, after);
	va_list args;

	va_start(args, fmt);
	vsnprintf(name, sizeof(name), fmt, args);
	va_end(args);
	ok(same, "%s", name);
	if (!same && before && after)
		session_differences(before, after);
	free(before);
	free(after);
	return same;
}

/*
 * What a report says about sources and the course of things: notes, refusals and doubts as one
 * text.
 */
__attribute__((unused)) static const char *session_words(const struct run *r)
{
	static char text[16384];
	char *refused = run_list(r->json, "refused"), *notes = run_list(r->json, "notes"),
	     *doubts = run_list(r->json, "doubts");

	snprintf(text, sizeof(text), "%s%s%s", refused, notes, doubts);
	free(refused);
	free(notes);
	free(doubts);
	return text;
}

__attribute__((unused)) static const char *session_source(const struct run *r)
{
	const char *name = run_str(json_object_get(r->json, "source"), "name");

	return name ? name : "";
}

/* A count of a region, of one thread or (-1) all; -1 where it is missing. */
__attribute__((unused)) static long long session_net(const struct run *r, const char *path,
						     const char *count)
{
	return run_int(json_object_get(run_region(r->json, path), "net"), count);
}

/* --- the command --- */

/* Run `pmu msr` with @word; its output, for free(), and its status. */
__attribute__((unused)) static char *session_command(const struct run *r, const char *const *env,
						     const char *word, int *status)
{
	const char *build = getenv("TEST_BUILDDIR");
	char path[512];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/pmu", build && *build ? build : TEST_BUILDDIR);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		run_environment(r, env);
		run_redirect(r, "command", STDOUT_FILENO);
		dup2(STDOUT_FILENO, STDERR_FILENO);
		execl(path, path, "msr", word, (char *)NULL);
		_exit(126);
	}
	waitpid(pid, status, 0);
	*status = WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
	return run_slurp(run_path(r, "command"));
}

#endif
