/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu-bench: loops of known behaviour, what they reach and what is counted in them. */
#include "bench/suite/suite.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ceilings/ceilings.h"
#include "bench/common/child.h"
#include "bench/common/processors.h"
#include "bench/verify/verify.h"
#include "pmu.h"

#define EMULATED_CALLS 3
#define KILLED_BY      128 /* and the signal's number: what a shell calls it */

static volatile sig_atomic_t stopped_by;

static void stop(int signal)
{
	stopped_by = signal;
}

/*
 * Ctrl-C: what has been measured is printed.  The second one ends it at once.  In the background it
 * is not for us.
 */
static void let_stop(void)
{
	struct sigaction action, before;

	action = (struct sigaction){ .sa_handler = stop,
				     .sa_flags = (int)SA_RESETHAND | SA_RESTART };
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGINT, &action, NULL);
}

/* What was not said. */
static void complete(struct options *options, const struct surroundings *where, int processors)
{
	if (options->n_threads == 0)
		options->n_threads = where->simulated                 ? 1
				     : processors < SUITE_MAX_THREADS ? processors
								      : SUITE_MAX_THREADS;
	if (options->calls == 0 && where->simulated)
		options->calls = EMULATED_CALLS;
}

static bool run_kernel(const struct options *options, const struct surroundings *where,
		       const struct kernel *kernel, const struct writer *writer)
{
	bool right = true;

	for (size_t bytes = options->from; bytes <= options->to && !stopped_by; bytes *= 2) {
		struct result result;

		team_run(options, where, kernel, bytes, &result);
		writer->row(&result);
		right = right && !result.wrong;
		if (bytes == 0)
			break;
	}
	return right;
}

static bool is_written(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	perror("pmu-bench: cannot write the results");
	return false;
}

/* What --verify, and tests, have processes of their own do. */
static const struct child_task tasks[] = {
	{ "count", count_child },
	{ "ceiling", ceilings_child },
};

int main(int argc, char **argv)
{
	struct pmu_options quiet = { .size = sizeof(quiet),
				     .output = getenv("PMU_OUTPUT") ? NULL : "none" };
	int processors = processors_allowed();
	const struct writer *writer;
	struct surroundings where = { 0 };
	struct options options;
	bool right = true;
	int rc;

	if (argc > 1 && !strcmp(argv[1], "--child"))
		return child_main(tasks, sizeof(tasks) / sizeof(*tasks), argv + 2);
	switch (options_parse(argc, argv, &options)) {
	case OPTIONS_DONE:
		return is_written() ? 0 : 1;
	case OPTIONS_WRONG:
		return 2;
	case OPTIONS_GO:
		break;
	}
	if (options.ceilings) {
		rc = ceilings_run(&options);
		return is_written() ? rc : 1;
	}
	if (options.verify) {
		rc = verify(&options);
		return is_written() ? rc : 1;
	}
	if (options.emulate && !surroundings_simulated()) {
		emulate(&options, argv);
		return 1;
	}
	let_stop();
	rc = pmu_init(&quiet);
	if (rc == -EALREADY) /* by `pmu run` */
		rc = 0;
	if (rc == 0)
		rc = surroundings_find(processors, &where);
	if (rc < 0 && rc != -ENODEV) { /* that: it is switched off */
		fprintf(stderr, "pmu-bench: the library does not start: %s\n", pmu_strerror(rc));
		return 1;
	}
	complete(&options, &where, processors);
	writer = options.json ? &suite_json : &suite_text;
	writer->begin(&options, &where);
	for (size_t i = 0; i < options.n_kernels && !stopped_by; i++)
		right = run_kernel(&options, &where, options.kernel[i], writer) && right;
	writer->end();
	if (!is_written())
		return 1;
	if (stopped_by)
		fputs("pmu-bench: interrupted; the rest was not measured\n", stderr);
	return stopped_by ? KILLED_BY + stopped_by : !right;
}
