/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of a command: started, measured, and what it left gathered. */
#include "bindings/command/run/once.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/code/code.h"
#include "bindings/command/command.h"
#include "bindings/command/sample/chains.h"
#include "bindings/command/sample/sample.h"
#include "bindings/preload/process/target.h"
#include "pmu.h"
#include "report/model/samples.h"
#include "store/samples.h"

/* --- the command --- */

static void tick(void *arg)
{
	struct pmu_run *run = arg;

	/* with their calls, stores are needed until the end */
	if (PMU_RUN_SETTING(&run->request, PMU_TRACE))
		return;
	pmu_run_take(&run->folder, &run->parts);
}

/* Return: 0 or an exit status. */
static int not_executed(const struct pmu_run *run)
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
static int check_emulated(struct pmu_run *run)
{
	if (!run->request.emulate)
		return 0;
	run->end.exec_errno = pmu_run_emulated_errno(&run->request, &run->target);
	/* nothing was found there, nor a file that could lack its interpreter */
	if (run->end.exec_errno == ENOENT)
		run->target.path[0] = '\0';
	if (run->end.exec_errno)
		return not_executed(run);
	return pmu_run_emulated_refuses(&run->target) ? PMU_EXIT_NO_EXEC : 0;
}

static int execute(struct pmu_run *run)
{
	struct pmu_run_start start = { .command = run->request.command, .tick = tick, .arg = run };
	struct pmu_run_words words = { .n = 0 };
	int rc = 0;

	if (run->request.cpus)
		start.cpus = &run->cpus;
	start.no_aslr = run->request.no_aslr;
	if (run->target.no_script)
		start.path = run->target.path;
	if (!run->target.no_preload)
		pmu_run_libraries_find(&run->folder, run->request.pins,
				       pmu_run_is_mpi(&run->request, &run->target),
				       &run->libraries);
	if (run->request.emulate) {
		rc = pmu_run_words_make(&run->request, &run->folder, &words);
		start.command = words.word;
		start.path = run->request.valgrind;
	}
	if (run->request.samples &&
	    pmu_sample_collect(run->folder.path, run->request.late_ns, run->request.text.callers,
			       &run->parts.samples) < 0)
		pmu_run_note(&run->parts, "%s", pmu_error_text());
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

static bool is_measured(const struct pmu_run *run)
{
	for (size_t i = 0; i < run->parts.n; i++)
		if (run->parts.model[i]->pid == run->end.pid)
			return true;
	return false;
}

static const char *why_unmeasured(const struct pmu_run *run)
{
	if (run->request.switched_off)
		return "PMU_ENABLE=0 switches measuring off";
	if (run->parts.n_off)
		return "measuring was off all the time: 'pmu on' switches it on";
	if (run->target.why[0])
		return run->target.why;
	if (run->libraries.why[0])
		return run->libraries.why;
	if (run->parts.n_unread)
		return run->parts.unread;
	if (run->parts.n_lost)
		return run->parts.lost[0] ? run->parts.lost : "there was no room for its results";
	if (run->parts.no_memory)
		return "there was no memory for its results";
	if (PMU_RUN_SETTING(&run->request, PMU_ROTATE))
		return "it used no region, and main is none where groups take turns; --auto main has it "
		       "counted, by the first group alone";
	/* as another user, say: it ends as without libpmu then, in silence */
	return "it used no region, or has no access to where results are kept";
}

static const char *last_component(const char *path)
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

/* Where no process left a store, the report is of what the kernel says. */
static int describe_nothing(struct pmu_run *run)
{
	struct pmu_model *model = pmu_model_new();
	char host[256] = "";

	run->parts.model = calloc(1, sizeof(struct pmu_model *));
	if (!model || !run->parts.model) {
		pmu_model_free(model);
		return -ENOMEM;
	}
	gethostname(host, sizeof(host) - 1);
	model->program = last_component(run->request.command[0]);
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

static void note_few_samples(struct pmu_run_parts *parts)
{
	uint64_t n = 0, most = 0;
	bool of_event = false;

	for (size_t i = 0; i < parts->n; i++) {
		const struct pmu_model *model = parts->model[i];

		for (unsigned int k = 0; k < model->n_sections; k++) {
			const struct pmu_model_section *section = &model->section[k];

			for (unsigned int r = 0; r < section->n_rows; r++) {
				const struct pmu_model_samples *samples = section->row[r].samples;

				n += samples ? samples->n : 0;
				of_event |= samples && !pmu_sample_is_time(&samples->unit);
				most = samples && samples->n > most ? samples->n : most;
			}
		}
	}
	if (most < PMU_SAMPLES_FEW)
		pmu_run_note(parts,
			     "%" PRIu64 " sample%s: too few for shares, for which a region needs "
			     "%u; %s",
			     n, n == 1 ? "" : "s", PMU_SAMPLES_FEW,
			     of_event ? "--sample=EVENT:PERIOD with a shorter period takes more"
				      : "--sample=RATE takes more a second");
}

static void note_samples(struct pmu_run_parts *parts)
{
	const struct pmu_sample_account account = pmu_sample_account(parts->samples);
	const char *why = account.n_threads ? pmu_code_why() : "";

	if (*why)
		pmu_run_note(parts, "%s", why);
	if (account.n_stretches)
		pmu_run_note(parts,
			     "some samples were lost: %" PRIu64
			     " time%s they were written over before "
			     "they were read",
			     account.n_stretches, account.n_stretches > 1 ? "s" : "");
	if (account.n_throttled)
		pmu_run_note(parts, PMU_SAMPLE_THROTTLED, account.n_throttled);
	if (account.n_crowded)
		pmu_run_note(
			parts,
			"%" PRIu64
			" thread%s sampled for a part of the time, or not at all: what is "
			"counted has the processor's counters; a smaller group (-g TIME) leaves "
			"one for samples",
			account.n_crowded, account.n_crowded > 1 ? "s were" : " was");
	if (account.n_dropped)
		pmu_run_note(parts,
			     "%" PRIu64
			     " sample%s left out: it is not known whose, or there was no "
			     "memory",
			     account.n_dropped, account.n_dropped > 1 ? "s are" : " is");
	if (account.n_left_out)
		pmu_run_note(parts,
			     "%" PRIu64
			     " sample%s without callers: there was no room for more than %u "
			     "different calls of a process",
			     account.n_left_out, account.n_left_out > 1 ? "s are" : " is",
			     PMU_SAMPLE_MOST_CALLS);
	if (account.n_refused)
		pmu_run_note(parts,
			     "%" PRIu64
			     " thread%s not sampled: what %s sent made no sense, or there "
			     "was no memory for it",
			     account.n_refused, account.n_refused > 1 ? "s were" : " was",
			     account.n_refused > 1 ? "they" : "it");
	if (account.n_threads)
		note_few_samples(parts);
}

/* Of those for which it would cost too much, where nobody has asked for samples. */
static void note_unsampled(struct pmu_run_parts *parts)
{
	uint64_t n = 0, cpu_ns = 0, all_ns = 0;

	for (size_t i = 0; i < parts->n; i++)
		for (unsigned int k = 0; k < parts->model[i]->n_threads; k++) {
			const struct pmu_model_thread *thread = &parts->model[i]->thread[k];
			const int64_t voluntary = thread->voluntary_switches,
				      involuntary = thread->involuntary_switches;

			if (thread->cpu_ns < 0)
				continue;
			all_ns += (uint64_t)thread->cpu_ns;
			if (voluntary < 0 || involuntary < 0 ||
			    thread->cpu_ns < PMU_SAMPLES_OUTSIDE_NS ||
			    !pmu_samples_switches_often((uint64_t)voluntary + (uint64_t)involuntary,
							(uint64_t)thread->cpu_ns))
				continue;
			n++;
			cpu_ns += (uint64_t)thread->cpu_ns;
		}
	if (n && cpu_ns >= all_ns / 2)
		pmu_run_note(
			parts,
			"%" PRIu64 " thread%s not sampled, at least not all the time: switched off "
			"and on more than %u times a second of CPU time, each of which would cost "
			"some 2 us; --sample takes samples of %s all the same",
			n, n == 1 ? " was" : "s were", PMU_SAMPLES_SWITCHES,
			n == 1 ? "it" : "them");
}

/* Adds to the results what is to be said of them. */
static void remark(struct pmu_run *run)
{
	struct pmu_run_parts *parts = &run->parts;

	parts->run = run->end.run;
	if (run->request.emulate)
		pmu_run_note_valgrind(&run->folder, run->end.pid, parts);
	if (!is_measured(run))
		pmu_run_note(parts, "%s was not measured from inside: %s%s",
			     run->request.command[0], why_unmeasured(run),
			     run->target.why[0]
				     ? "; while it runs it can be from outside: pmu attach PID"
				     : "");
	else if (parts->n_unread)
		pmu_run_note(parts, "the results of %zu process%s could not be read: %s",
			     parts->n_unread, parts->n_unread > 1 ? "es" : "", parts->unread);
	if (parts->n_lost)
		pmu_run_note(parts, "the results of %d process%s are missing: %s%s", parts->n_lost,
			     parts->n_lost > 1 ? "es" : "",
			     parts->lost[0] ? parts->lost : "there was no room for them in ",
			     parts->lost[0] ? "" : run->folder.place);
	if (run->libraries.annotations[0])
		pmu_run_doors_note(&run->request, parts);
	if (run->libraries.preload[0] && !run->libraries.mpi[0] &&
	    pmu_run_is_mpi(&run->request, &run->target))
		pmu_run_note(parts,
			     "%s is not in %s: calls of MPI are no regions, and ranks make "
			     "no report of all",
			     MPI_NAME, PMU_LIBDIR);
	pmu_run_outliving_note(&parts->outliving, parts);
	/* who has not asked for them need not hear that there are none, but where that is up to chance */
	if (!run->request.late_ns)
		note_samples(parts);
	else
		note_unsampled(parts);
	if (parts->no_memory)
		pmu_run_note(parts, "there was no memory for the results of all processes");
}

bool pmu_run_gather(struct pmu_run *run)
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
		return false;
	remark(run);
	if (parts->n || !describe_nothing(run))
		return true;
	pmu_command_error("no report: no memory");
	return false;
}

int pmu_run_end_alike(const struct pmu_model_run *run)
{
	if (!run->signal)
		return run->status;
	fflush(NULL);
	pmu_run_die(run->signal);
	return 128 + run->signal;
}

int pmu_run_enter(struct pmu_run *run)
{
	int rc = pmu_run_folder_make(&run->folder);

	if (rc) {
		pmu_command_error("%s", pmu_error_text());
		return PMU_EXIT_NOT_STARTED;
	}
	rc = check_emulated(run);
	return rc ? rc : execute(run);
}

void pmu_run_leave(struct pmu_run *run)
{
	if (run->parts.n_alive)
		pmu_run_folder_leave(&run->folder);
	else if (run->folder.path[0])
		pmu_run_folder_remove(&run->folder);
	pmu_sample_stop(run->parts.samples);
	pmu_run_parts_free(&run->parts);
	run->parts = (struct pmu_run_parts){ .n = 0 };
	run->folder = (struct pmu_run_folder){ .is_private = false };
}
