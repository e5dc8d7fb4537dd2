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

static int check(struct pmu_run *run)
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
	if (!rc)
		rc = check(run);
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
		"by libpmu's own calls; also in what the command starts.\n"
		"\n"
		"  -g, --group GROUP    as in PMU_GROUP ('pmu list groups')\n"
		"  -e, --events EVENTS  as in PMU_EVENTS ('pmu help events')\n"
		"  --topdown[=LEVEL]    where the processor's slots went: a tree to level 1 to 4, 2 without it;\n"
		"                       its groups take turns between calls of outermost regions\n"
		"  -C, --cpus CPUS      bind the command to these: 0-3,8\n"
		"  --pin POLICY         as in PMU_PIN: how threads are bound; without it they are not\n"
		"  --source NAME        as in PMU_BACKEND: where counts come from\n"
		"  --scope SCOPE        as in PMU_SCOPE: whose work a region has: team or thread\n"
		"  --count WHOSE        as in PMU_COUNT: thread, cpu, or process, also for programs whose threads are\n"
		"                       in no region: all of them are counted\n"
		"  --emulate            run it under valgrind, which counts in place of the processor: where there is\n"
		"                       no PMU, and for counts that are the same each time; some 50 times slower\n"
		"  --emulate=fast       the same for instructions alone; some 10 times slower\n"
		"  --repeat N           run it N times and report the medians, their intervals and how runs differ\n"
		"  --repeat auto        as often as it takes until the median's interval is narrower than\n"
		"  --precision P%       1% of it, or until the next run would begin later than\n"
		"  --limit TIME         60s after the start\n"
		"  --metric NAME        what is to be so precise; time: the command's; IPC; solve:instructions\n"
		"  --warmup N           so many runs before those, which are not reported\n"
		"  --against 'COMMAND'  run the two in turns, this one first, then the other one first, 20 times each\n"
		"                       if not --repeat says how often; the report is what 'pmu diff' says of them\n"
		"  --map OLD=NEW        a region that is called OLD there and NEW here\n"
		"  --no-aslr            the same addresses in each run: where memory lies moves times, some by much\n"
		"  -o, --output OUT     where the report goes, any number of times; .json, .csv and .html (a page\n"
		"                       for a browser) choose the format, .folded (flame graphs), .speedscope.json,\n"
		"                       .pb (pprof; also .pb.gz) and callgrind.out.NAME (KCachegrind) that of other\n"
		"                       viewers, any other name gets text, '-' is standard output.  %p in the name\n"
		"                       makes a report for each process, %r for each MPI rank, %h for each host; %n\n"
		"                       is the program's number in its process.  Else all processes are in one\n"
		"                       report.  Without -o: PMU_OUTPUT, else text on standard error\n"
		"  --each               the reports of several processes one after another, not combined\n"
		"  --tree               a program that came by fork and exec stands below the region that did so\n"
		"  --threads            the text also has each thread's own rows, and how calls' times are spread\n"
		"  --all                the text has every region, also beyond the 100 with the most time\n"
		"  --sort KEY           a list instead of a tree: by time, self, calls or the name of a count\n"
		"  --top N              the text has the N regions with the most time, or with most of that\n"
		"  --filter GLOB        the text has only regions whose name or path matches: 'solve*'\n"
		"  -q, --quiet          the text has the rows alone, as PMU_REPORT=brief\n"
		"  --exact              as PMU_EXACT=1: beside the mean the least that a call of each region counted,\n"
		"                       and the interrupts that may have added to its instructions\n"
		"  --histogram          as PMU_HISTOGRAM=1: how calls' times are spread, by percentiles\n"
		"  --trace FILE         every call, when it was and what it counted: .pftrace is for Perfetto\n"
		"                       (ui.perfetto.dev), .trace.json and .json.gz are Chrome's format, any other\n"
		"                       name, as run.trace, is what 'pmu report run.trace -o OUT' makes these of\n"
		"  --trace-size SIZE    as PMU_TRACE_SIZE: room for the calls of each thread: 64MiB; 16MiB without it\n"
		"  --trace-keep WHICH   as PMU_TRACE_KEEP: newest or first, where there are more calls than room\n"
		"  --trace-min TIME     as PMU_TRACE_MIN: leave out shorter calls: 1us\n"
		"  --rotate             as PMU_ROTATE=1: groups of -g take turns between calls of outermost regions\n"
		"  --all-metrics        all groups that can be counted here, in turns\n"
		"  --roofline           what regions compute beside what the machine can, given how much they\n"
		"                       move: counts FLOPS_DP, FLOPS_SP and MEM, or CACHE, in turns, where -g says\n"
		"                       nothing else; by the ceilings that 'pmu-bench --ceilings' has measured; an\n"
		"                       OUT that ends in .svg is a picture\n"
		"  --ceilings FILE      those in this file\n"
		"  --require            as PMU_REQUIRE=1: run nothing where what was asked for cannot be counted\n"
		"  --auto PARTS         as in PMU_AUTO: what regions are made of: main, threads, openmp, functions,\n"
		"                       wrap, markers, or one kind of them, as itt or nvtx, mpi; none; all but mpi\n"
		"                       without it\n"
		"  --functions PATTERNS as in PMU_FUNCTIONS: which instrumented functions: 'kernel_*,!*_small'\n"
		"  --min-time TIME      as in PMU_MIN_TIME: leave out functions whose first 1,000 calls\n"
		"                       took less on average: 10us\n"
		"  --wrap LIB:FUNC,...  as in PMU_WRAP: functions of shared libraries: libblas.so:dgemm_\n"
		"  --prefix WORDS       as in PMU_PREFIX: what stands before names that annotations for other tools\n"
		"                       give: tool, domain, category; none; domain without it\n"
		"  -h, --help           this text\n"
		"  --                   what follows is the command, also where its name begins with -\n"
		"\n"
		"The exit status is the command's; killed by a signal, 'pmu run' ends by the same one.  127: there\n"
		"is no such command, 126: it cannot be executed, 125: 'pmu run' could not start it, or --require\n"
		"refused it, 2: an option makes no sense; in these cases nothing was run.\n"
		"\n"
		"Nothing can be measured inside of programs that are statically linked, setuid, of another kind of\n"
		"processor or with another C library; their times are in the report's line 'run'.\n"
		"\n"
		"Ranks of an MPI program make one report at MPI_Finalize: mpirun ... pmu run -o job.json -- ./a.out.\n"
		"With %r each makes its own, which 'pmu report rank-*.json' merges.\n",
	.options = pmu_run_options,
	.run = run_run,
};
