/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `pmu run`: measures a command that need not know of it, whatever becomes of it, and makes the
 * report.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bindings/command/command.h"
#include "bindings/command/run/repeat.h"
#include "machine/mask.h"

/*
 * Standard files that are closed stay closed for the command; here nothing that we open gets their
 * numbers, and what we print into none of the command's files.
 */
static void fill_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* --- before the start --- */

static int refuse_cpus(const char *list, int cpu, const struct pmu_mask *allowed)
{
	char text[128];

	pmu_mask_format(allowed, text, sizeof(text));
	pmu_command_error("-C %s: CPU %d is not among those this process may use (%s)", list, cpu,
			  text);
	return PMU_EXIT_USAGE;
}

/* Settings are checked where the command will be. */
static int check_on(struct pmu_run *run, const struct pmu_mask *own)
{
	const char *list = run->request.cpus;
	int rc;

	if (pmu_mask_parse(list, &run->cpus) || !pmu_mask_count(&run->cpus)) {
		pmu_command_error("-C %s: no list of CPUs, as in 0-3,8", list);
		return PMU_EXIT_USAGE;
	}
	for (int cpu = pmu_mask_next(&run->cpus, 0); cpu >= 0;
	     cpu = pmu_mask_next(&run->cpus, cpu + 1))
		if (!pmu_mask_has(own, cpu))
			return refuse_cpus(list, cpu, own);
	rc = pmu_mask_apply(&run->cpus);
	if (rc) {
		pmu_command_error("-C %s: %s", list, strerror(-rc));
		return PMU_EXIT_USAGE;
	}
	rc = pmu_run_check_settings(&run->request);
	pmu_mask_apply(own);
	return rc;
}

static int check_run(struct pmu_run *run)
{
	struct pmu_mask own;
	int rc = run->request.cpus ? pmu_mask_of_thread(0, &own) : 0;

	if (rc) {
		pmu_command_error("-C: the kernel does not tell which CPUs there are: %s",
				  strerror(-rc));
		return PMU_EXIT_NOT_STARTED;
	}
	rc = run->request.cpus ? check_on(run, &own) : pmu_run_check_settings(&run->request);
	if (!rc)
		rc = pmu_run_check_trace(&run->request);
	return rc ? rc : pmu_run_check_outputs(&run->request);
}

static int run_once(struct pmu_run *run)
{
	int rc = pmu_run_enter(run);

	if (!rc && pmu_run_gather(run))
		pmu_run_write(&run->request, &run->parts, &run->folder);
	if (!rc)
		pmu_run_write_trace(&run->request, &run->folder);
	pmu_run_leave(run);
	return rc ? rc : pmu_run_end_alike(&run->end.run);
}

int pmu_run_prepare(const struct pmu_command *self, int argc, char **argv, struct pmu_run *run)
{
	int rc;

	fill_standard_files();
	rc = pmu_run_parse(self, argc, argv, &run->request);
	if (!rc && run->request.all_metrics)
		rc = pmu_run_all_metrics(&run->request);
	if (!rc && run->request.roofline)
		rc = pmu_run_roofline(&run->request);
	if (!rc && run->request.exact_branches)
		rc = pmu_run_exact_branches(self, &run->request);
	if (!rc)
		rc = pmu_run_check_emulation(&run->request);
	if (!rc && run->request.topdown)
		rc = pmu_run_topdown(&run->request);
	if (!rc)
		rc = check_run(run);
	if (rc)
		return rc;
	pmu_run_check_layout(&run->request);
	pmu_run_interpret(&run->request);
	pmu_run_look(run->request.command[0], &run->target);
	return pmu_run_check_target(&run->request, &run->target);
}

static int run_run(const struct pmu_command *self, int argc, char **argv)
{
	struct pmu_run *run = calloc(1, sizeof(*run));
	int rc;

	if (!run) {
		pmu_command_error("no memory");
		return PMU_EXIT_NOT_STARTED;
	}
	run->request.may_sample = true;
	rc = pmu_run_prepare(self, argc, argv, run);
	if (!rc)
		rc = run->request.against.we_wordv ? pmu_run_against(run)
		     : run->request.repeat         ? pmu_run_repeat(run)
						   : run_once(run);
	pmu_run_request_free(&run->request);
	free(run);
	return rc;
}

const struct pmu_command pmu_command_run = {
	.name = "run",
	.usage = "run [-g GROUP | -e EVENTS] [-C CPUS] [-o OUT]... [OPTION]... [--] COMMAND...",
	.about = "measure a command, also one that knows nothing of libpmu",
	.help = "Runs the command and makes the report when it has ended, however that was.  What is measured: main,\n"
		"threads, OpenMP's parallel regions, instrumented functions, other libraries' markers, and regions\n"
		"by libpmu's own calls; also in what the command starts.\n",
	.dashes = "what follows is the command, also where its name begins with -",
	.options = pmu_run_options,
	.more = "The exit status is the command's; killed by a signal, 'pmu run' ends by the same one.  127: there\n"
		"is no such command, 126: it cannot be executed, 125: 'pmu run' could not start it, or --require\n"
		"refused it, 2: an option makes no sense; in these cases nothing was run.\n"
		"\n"
		"Nothing can be measured inside of programs that are statically linked, setuid, of another kind of\n"
		"processor or with another C library; their times are in the report's line 'run'.\n"
		"\n"
		"Ranks of an MPI program make one report at MPI_Finalize: mpirun ... pmu run -o job.json -- ./a.out.\n"
		"With %r each makes its own, which 'pmu report rank-*.json' merges.\n",
	.run = run_run,
};
