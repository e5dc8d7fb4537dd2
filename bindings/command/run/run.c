/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `pmu run`: measures a command that need not know of it, whatever becomes of it, and makes the
 * report.
 */
#include "bindings/command/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "machine/mask.h"
#include "pmu.h"
#include "store/place.h"

/* Everything of one run. */
struct run {
	struct pmu_run_request request;
	struct pmu_run_target target;
	struct pmu_run_folder folder;
	struct pmu_run_libraries libraries;
	struct pmu_run_parts parts;
	struct pmu_run_end end;
	struct pmu_mask cpus;
};

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
static int check_on(struct run *run, const struct pmu_mask *own)
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

static int check(struct run *run)
{
	struct pmu_mask own;
	int rc = run->request.cpus ? pmu_mask_of_thread(0, &own) : 0;

	if (rc) {
		pmu_command_error("-C: the kernel does not tell which CPUs there are: %s",
				  strerror(-rc));
		return PMU_EXIT_NOT_STARTED;
	}
	rc = run->request.cpus ? check_on(run, &own) : pmu_run_check_settings(&run->request);
	return rc ? rc : pmu_run_check_outputs(&run->request);
}

/* --- the command --- */

static void tick(void *arg)
{
	struct run *run = arg;

	pmu_run_take(&run->folder, &run->parts);
}

/* Return: 0 or an exit status. */
static int not_executed(const struct run *run)
{
	const char *name = run->request.command[0];
	int error = run->end.exec_errno;
	struct stat st;

	/* a folder of PATH that we may not look into */
	if (error == EACCES && !run->target.path[0] && !strchr(name, '/'))
		error = ENOENT;
	if (error == EACCES && strchr(name, '/') && !stat(name, &st) && S_ISDIR(st.st_mode))
		error = EISDIR;
	if (error != ENOENT)
		pmu_command_error("cannot run %s: %s", name, strerror(error));
	else if (run->target.path[0] && access(run->target.path, F_OK) == 0)
		pmu_command_error("cannot run %s: %s; is its interpreter there?", name,
				  strerror(error));
	else if (strchr(name, '/'))
		pmu_command_error("cannot run %s: %s", name, strerror(error));
	else
		pmu_command_error("cannot run %s: there is no such command in PATH", name);
	return error == ENOENT ? PMU_EXIT_NOT_FOUND : PMU_EXIT_NO_EXEC;
}

/* What valgrind would say of a command that is not there. */
static int check_emulated(struct run *run)
{
	if (!run->request.emulate)
		return 0;
	run->end.exec_errno = pmu_run_emulated_errno(&run->request, &run->target);
	/* nothing was found there, nor a file whose interpreter could be missing */
	if (run->end.exec_errno == ENOENT)
		run->target.path[0] = '\0';
	if (run->end.exec_errno)
		return not_executed(run);
	return pmu_run_emulated_refuses(&run->target) ? PMU_EXIT_NO_EXEC : 0;
}

static int execute(struct run *run)
{
	struct pmu_run_start start = { .command = run->request.command, .tick = tick, .arg = run };
	struct pmu_run_words words = { .n = 0 };
	int rc = 0;

	if (run->request.cpus)
		start.cpus = &run->cpus;
	if (run->target.no_script)
		start.path = run->target.path;
	if (!run->target.no_preload)
		pmu_run_libraries_find(&run->folder, run->request.pins,
				       pmu_run_is_mpi(&run->request), &run->libraries);
	if (run->request.emulate) {
		rc = pmu_run_words_make(&run->request, &run->folder, &words);
		start.command = words.word;
		start.path = run->request.valgrind;
	}
	start.environment = pmu_run_environment(&run->request, &run->folder, &run->libraries);
	rc = start.environment && !rc ? pmu_run_command(&start, &run->end)
				      : pmu_fail(ENOMEM, "no memory");
	pmu_run_environment_free(start.environment);
	pmu_run_words_free(&words);
	if (rc) {
		pmu_command_error("%s", pmu_error_text());
		return PMU_EXIT_NOT_STARTED;
	}
	return run->end.exec_errno ? not_executed(run) : 0;
}

/* --- the report --- */

static bool is_measured(const struct run *run)
{
	for (size_t i = 0; i < run->parts.n; i++)
		if (run->parts.model[i]->pid == run->end.pid)
			return true;
	return false;
}

static const char *why_unmeasured(const struct run *run)
{
	if (run->request.switched_off)
		return "PMU_ENABLE=0 switches measuring off";
	if (run->target.why[0])
		return run->target.why;
	if (run->libraries.why[0])
		return run->libraries.why;
	if (run->parts.n_unread)
		return run->parts.unread;
	if (run->parts.n_lost)
		return "there was no room for its results";
	return "it used no region";
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static const char *command_line(struct pmu_model *model, char **command)
{
	struct pmu_strbuf line = { 0 };
	const char *text;

	for (char **word = command; *word; word++)
		pmu_strbuf_addf(&line, "%s%s", word == command ? "" : " ", *word);
	text = pmu_model_text(model, pmu_strbuf_text(&line), line.len);
	pmu_strbuf_free(&line);
	return text;
}

/* Where nobody left anything, the report is of what the kernel says. */
static int describe_nothing(struct run *run)
{
	struct pmu_model *model = pmu_model_new();
	char host[256] = "";

	run->parts.model = calloc(1, sizeof(struct pmu_model *));
	if (!model || !run->parts.model) {
		pmu_model_free(model);
		return -ENOMEM;
	}
	gethostname(host, sizeof(host) - 1);
	model->program = file_name(run->request.command[0]);
	model->command = command_line(model, run->request.command);
	model->host = pmu_model_text(model, host, strlen(host));
	model->pid = run->end.pid;
	model->rank = -1;
	model->nth = 1;
	model->version = PMU_VERSION_STRING;
	model->start_unix_ns = run->end.start_unix_ns;
	model->duration_ns = run->end.run.elapsed_ns;
	run->parts.model[run->parts.n++] = model;
	return pmu_model_finish(model);
}

static void report(struct run *run)
{
	struct pmu_run_parts *parts = &run->parts;

	if (!run->end.run.signal && pmu_run_ended(&run->folder, run->end.pid))
		pmu_run_note(
			parts,
			"%s ended by a system call of its own, which is not seen from inside: what was open then has "
			"no time",
			run->request.command[0]);
	pmu_run_take_all(&run->folder, parts);
	pmu_run_take_job(&run->folder, parts);
	if (run->request.no_report)
		return;
	parts->run = run->end.run;
	if (run->request.emulate)
		pmu_run_note_valgrind(&run->folder, run->end.pid, parts);
	if (!is_measured(run))
		pmu_run_note(parts, "%s was not measured from inside: %s", run->request.command[0],
			     why_unmeasured(run));
	else if (parts->n_unread)
		pmu_run_note(parts, "the results of %zu process%s could not be read: %s",
			     parts->n_unread, parts->n_unread > 1 ? "es" : "", parts->unread);
	if (parts->n_lost)
		pmu_run_note(
			parts,
			"the results of %d process%s are missing: there was no room for them in %s",
			parts->n_lost, parts->n_lost > 1 ? "es" : "", run->folder.place);
	pmu_run_outliving_note(&parts->outliving, parts);
	if (parts->no_memory)
		pmu_run_note(parts, "there was no memory for the results of all processes");
	if (!parts->n && describe_nothing(run))
		pmu_command_error("no report: no memory");
	else
		pmu_run_write(&run->request, parts, &run->folder);
}

/* As the command: shells and scripts look at how we end. */
static int end_alike(const struct pmu_model_run *run)
{
	if (!run->signal)
		return run->status;
	fflush(NULL);
	pmu_run_die(run->signal);
	return 128 + run->signal;
}

static int run_in_folder(struct run *run)
{
	int rc = pmu_run_folder_make(&run->folder);

	if (rc) {
		pmu_command_error("%s", pmu_error_text());
		return PMU_EXIT_NOT_STARTED;
	}
	rc = check_emulated(run);
	if (!rc)
		rc = execute(run);
	if (!rc)
		report(run);
	if (run->parts.n_alive)
		pmu_run_folder_leave(&run->folder);
	else
		pmu_run_folder_remove(&run->folder);
	pmu_run_parts_free(&run->parts);
	return rc ? rc : end_alike(&run->end.run);
}

static int run_run(const struct pmu_command *self, int argc, char **argv)
{
	struct run *run = calloc(1, sizeof(*run));
	int rc;

	if (!run) {
		pmu_command_error("no memory");
		return PMU_EXIT_NOT_STARTED;
	}
	fill_standard_files();
	rc = pmu_run_parse(self, argc, argv, &run->request);
	if (!rc)
		rc = pmu_run_check_emulation(&run->request);
	if (!rc)
		rc = check(run);
	if (!rc) {
		pmu_run_look(run->request.command[0], &run->target);
		rc = pmu_run_check_target(&run->request, &run->target);
		if (!rc)
			rc = run_in_folder(run);
	}
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
		"  -C, --cpus CPUS      bind the command to these: 0-3,8\n"
		"  --pin POLICY         as in PMU_PIN: how threads are bound; without it they are not\n"
		"  --source NAME        as in PMU_BACKEND: where counts come from\n"
		"  --scope SCOPE        as in PMU_SCOPE: whose work a region has: team or thread\n"
		"  --count WHOSE        as in PMU_COUNT: thread, cpu, or process, also for programs whose threads are\n"
		"                       in no region: all of them are counted\n"
		"  --emulate            run it under valgrind, which counts in place of the processor: where there is\n"
		"                       no PMU, and for counts that are the same each time; some 50 times slower\n"
		"  -o, --output OUT     where the report goes, any number of times; .json and .csv choose the\n"
		"                       format, any other name gets text, '-' is standard output.  %p in the name\n"
		"                       makes a report for each process, %r for each MPI rank, %h for each host;\n"
		"                       %n is the program's number in its process.  Else all processes are in one\n"
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
		"  --require            as PMU_REQUIRE=1: run nothing where what was asked for cannot be counted\n"
		"  --auto PARTS         as in PMU_AUTO: what regions are made of: main, threads, openmp, functions,\n"
		"                       wrap, markers, mpi; none; all but mpi without it\n"
		"  --functions PATTERNS as in PMU_FUNCTIONS: which instrumented functions: 'kernel_*,!*_small'\n"
		"  --min-time TIME      as in PMU_MIN_TIME: leave out functions whose first 1,000 calls\n"
		"                       took less on average: 10us\n"
		"  --wrap LIB:FUNC,...  as in PMU_WRAP: functions of shared libraries: libblas.so:dgemm_\n"
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
	.run = run_run,
};
