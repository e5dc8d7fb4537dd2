/* SPDX-License-Identifier: BSD-3-Clause */
/* LIKWID's markers, in the environment that likwid-perfctr -m would make. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes" /* its header's */
#include <likwid.h>
#pragma GCC diagnostic pop

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "worker.h"

static atomic_int failed; /* the last code that was not 0 */

static const char *event(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_is("amd") ? "RETIRED_INSTRUCTIONS:PMC0" : "INSTR_RETIRED_ANY:FIXC0";
#else
	return "INST_RETIRED:PMC0";
#endif
}

/* Its configuration says how the machine's registers are reached. */
static void set_environment(void)
{
	char mode[16], threads[40], pid[16];

	init_configuration();
	snprintf(mode, sizeof(mode), "%d", get_configuration()->daemonMode);
	snprintf(threads, sizeof(threads), worker_n_cpus > 1 ? "%d,%d" : "%d", worker_cpu[0],
		 worker_cpu[1]);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("LIKWID_MODE", mode, 1);
	setenv("LIKWID_THREADS", threads, 1);
	setenv("LIKWID_PERF_PID", pid, 1);
	setenv("LIKWID_EVENTS", event(), 1);
	/* for likwid_markerClose(), which is not called */
	setenv("LIKWID_FILEPATH", "/dev/null", 1);
	setenv("LIKWID_DEBUG", "0", 1);
	setenv("LIKWID_FORCE", "-1", 1); /* registers that others use stay theirs */
}

static bool start(enum what what, char why[WHY_LEN])
{
	if (what != INSTRUCTIONS)
		return because(why, "LIKWID's markers always count events of the processor");
	set_environment();
	likwid_markerInit();
	return likwid_markerRegisterRegion(THE_NAME) == 0 ||
	       because(why, "LIKWID's markers do not start");
}

static bool attach(enum what what, char why[WHY_LEN])
{
	int rc = 0;

	(void)what;
	likwid_markerThreadInit();
	for (size_t k = 0; k < N_NAMES && rc == 0; k++)
		rc = likwid_markerRegisterRegion(names[k]);
	if (rc == 0)
		rc = likwid_markerRegisterRegion(THE_NAME);
	return rc == 0 || because(why, "likwid_markerRegisterRegion returns %d", rc);
}

static inline void pair(const char *name)
{
	int begun = likwid_markerStartRegion(name), ended = likwid_markerStopRegion(name);

	if (begun || ended)
		atomic_store(&failed, begun ? begun : ended);
}

static void one(size_t n_pairs)
{
	for (size_t i = 0; i < n_pairs; i++)
		pair(THE_NAME);
}

static void named(size_t n_rounds)
{
	for (size_t i = 0; i < n_rounds; i++)
		for (size_t k = 0; k < N_NAMES; k++)
			pair(names[k]);
}

static bool check(const struct done *done, char why[WHY_LEN])
{
	double value[1] = { 0 }, time = 0;
	int n_values = 1, calls = 0;

	if (failed)
		return because(why, "likwid_markerStartRegion or StopRegion returned %d", failed);
	likwid_markerGetRegion(THE_NAME, &n_values, value, &time, &calls);
	if ((size_t)calls != done->one)
		return because(why, "%s has %d calls, not %zu", THE_NAME, calls, done->one);
	return (n_values == 1 && value[0] > 0) || because(why, "%s counted nothing", event());
}

const struct contender contender = {
	.start = start, .attach = attach, .one = one, .named = named, .check = check
};
