/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of the same command become one report, with what disturbed them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/noise/noise.h"
#include "bindings/command/output.h"
#include "bindings/command/run/repeat.h"

struct pmu_run_repeated {
	const struct pmu_run_request *request;
	struct pmu_series series;
	struct pmu_noise_sample before, after;
	struct pmu_noise_run *noise; /* [n_noise] of runs with known surroundings */
	size_t n_noise, noise_room;
	struct pmu_strbuf settings;
	off_t input; /* where standard input began; -1: it cannot be read again */
	bool is_rerun;
	bool has_pipe;
};

/* --- standard input is read by each run --- */

static void find_input(struct pmu_run_repeated *repeated)
{
	struct stat st;
	bool known = !fstat(STDIN_FILENO, &st);

	repeated->input = known && S_ISREG(st.st_mode) ? lseek(STDIN_FILENO, 0, SEEK_CUR) : -1;
	repeated->has_pipe = known && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static void rewind_input(const struct pmu_run_repeated *repeated)
{
	if (repeated->is_rerun && repeated->input >= 0)
		lseek(STDIN_FILENO, repeated->input, SEEK_SET);
}

/* --- runs --- */

struct pmu_run_repeated *pmu_run_repeated_new(const struct pmu_run_request *request)
{
	struct pmu_run_repeated *repeated = calloc(1, sizeof(*repeated));

	if (!repeated)
		return NULL;
	repeated->request = request;
	repeated->before.cpus = repeated->after.cpus = request->cpus;
	repeated->series.settings = "";
	find_input(repeated);
	return repeated;
}

void pmu_run_repeated_free(struct pmu_run_repeated *repeated)
{
	if (!repeated)
		return;
	pmu_noise_sample_free(&repeated->before);
	pmu_noise_sample_free(&repeated->after);
	pmu_series_free(&repeated->series);
	pmu_strbuf_free(&repeated->settings);
	free(repeated->noise);
	free(repeated);
}

void pmu_run_repeated_begin(struct pmu_run_repeated *repeated)
{
	rewind_input(repeated);
	repeated->is_rerun = true;
	if (pmu_noise_sample(&repeated->before, ""))
		repeated->before.n_cpus = 0;
}

/* What surrounds a run may be unknown; it counts all the same. */
static void take_noise(struct pmu_run_repeated *repeated, const struct pmu_run_end *end)
{
	if (repeated->n_noise == repeated->noise_room) {
		size_t room = repeated->noise_room ? 2 * repeated->noise_room : 32;
		struct pmu_noise_run *grown = reallocarray(repeated->noise, room,
							   sizeof(*repeated->noise));

		if (!grown)
			return;
		repeated->noise = grown;
		repeated->noise_room = room;
	}
	if (!pmu_noise_sample(&repeated->after, "") &&
	    !pmu_noise_between(&repeated->before, &repeated->after, &end->usage,
			       end->run.elapsed_ns, &repeated->noise[repeated->n_noise]))
		repeated->n_noise++;
}

int pmu_run_repeated_end(struct pmu_run_repeated *repeated, struct pmu_run_parts *parts,
			 const struct pmu_run_end *end)
{
	struct pmu_model *model = NULL;
	int rc;

	take_noise(repeated, end);
	if (parts->in_job) {
		pmu_command_error(
			"a rank of a parallel program cannot be repeated by itself: 'pmu run --repeat "
			"N -- mpirun ...' repeats all of it");
		return -EINVAL;
	}
	rc = pmu_run_combine(repeated->request, parts, &model);
	if (rc)
		return rc;
	rc = pmu_series_add(&repeated->series, model);
	if (rc)
		pmu_command_error("run %zu: %s", repeated->series.n_runs, pmu_error_text());
	pmu_model_free(model);
	return rc;
}

/* --- the report --- */

struct pmu_series *pmu_run_repeated_series(struct pmu_run_repeated *repeated)
{
	return &repeated->series;
}

static void describe_runs(struct pmu_run_repeated *repeated)
{
	struct pmu_series *series = &repeated->series;

	series->n_warmup = repeated->request->warmup;
	/* valgrind lays memory out by itself */
	if (repeated->request->emulate)
		repeated->after.aslr = -1;
	else if (repeated->request->no_aslr)
		repeated->after.aslr = 0;
	pmu_noise_settings(&repeated->after, &repeated->settings);
	series->settings = pmu_strbuf_text(&repeated->settings);
	pmu_noise_summarize(repeated->noise, repeated->n_noise, &series->noise);
	if (repeated->has_pipe && series->n_runs + series->n_warmup > 1)
		pmu_series_note(series,
				"standard input is a pipe: only the first run can have read it");
}

struct pmu_series *pmu_run_repeated_finish(struct pmu_run_repeated *repeated)
{
	struct pmu_series *series = &repeated->series;

	if (!series->n_runs)
		return NULL;
	describe_runs(repeated);
	if (!pmu_series_finish(series))
		return series;
	pmu_command_error("no report of %zu runs: no memory", series->n_runs);
	return NULL;
}

static int render_repeated(struct pmu_strbuf *out, const void *what, const char *path,
			   const struct pmu_text_options *text)
{
	return pmu_output_series(out, what, path, text);
}

void pmu_run_repeated_write(const struct pmu_run_repeated *repeated)
{
	const struct pmu_run_request *request = repeated->request;

	pmu_output_write(request->output, request->n_outputs, &request->text, render_repeated,
			 &repeated->series);
}
