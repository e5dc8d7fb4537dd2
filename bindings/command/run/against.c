/* SPDX-License-Identifier: BSD-3-Clause */
/* Two commands in turns; the report is how they differ. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/diff/diff.h"
#include "bindings/command/output.h"
#include "bindings/command/run/repeat.h"

static int render_diff(struct pmu_strbuf *out, const void *what, const char *path,
		       const struct pmu_text_options *text)
{
	return pmu_output_diff(out, what, path, text);
}

/* What disturbed one side's runs, and what else their reports have to say. */
static void note_side_remarks(struct pmu_diff *diff, const struct pmu_series *series,
			      const char *side)
{
	for (size_t i = 0; i < series->noise.n; i++)
		if (series->noise.finding[i].severity == PMU_NOISE_DISTURBS)
			pmu_diff_note(diff, "%s: %s", side, series->noise.finding[i].text);
	for (unsigned int i = 0; i < series->n_remarks; i++)
		if (series->remark[i].is_doubt)
			pmu_diff_note(diff, "%s: %s%s%s", side, series->remark[i].region,
				      series->remark[i].region[0] ? ": " : "",
				      series->remark[i].text);
}

/* How precise it is, is said of both. */
static void add_precision(struct pmu_diff *diff, const struct pmu_run_request *request)
{
	const struct pmu_series *a = diff->a;

	for (unsigned int i = 0; request->until_precise && i < a->n_remarks; i++)
		if (!strncmp(a->remark[i].text, "--repeat auto", 13))
			pmu_diff_note(diff, "%s", a->remark[i].text);
}

static int report(const struct pmu_run_request *request, struct pmu_series *a, struct pmu_series *b)
{
	const struct pmu_diff_request how = {
		.paired = true,
		.metric = request->metric,
		.rename = request->rename,
		.n_renames = request->n_renames,
	};
	struct pmu_diff diff;
	int rc = pmu_diff_make(a, b, &how, &diff);

	if (rc) {
		pmu_command_error("%s", pmu_error_text());
	} else {
		add_precision(&diff, request);
		note_side_remarks(&diff, a, "A");
		note_side_remarks(&diff, b, "B");
		pmu_output_write(request->output, request->n_outputs, &request->text, render_diff,
				 &diff);
	}
	pmu_diff_free(&diff);
	return rc ? PMU_EXIT_NOT_STARTED : 0;
}

int pmu_run_against(struct pmu_run *run)
{
	struct pmu_run *other = calloc(1, sizeof(*other));
	struct pmu_run_turns turns = { .run = { other, run } };
	int rc;

	if (!other) {
		pmu_command_error("no memory");
		return PMU_EXIT_NOT_STARTED;
	}
	other->request = run->request;
	other->request.command = run->request.against.we_wordv;
	other->cpus = run->cpus;
	pmu_run_look(other->request.command[0], &other->target);
	rc = pmu_run_check_target(&other->request, &other->target);
	if (!rc)
		rc = pmu_run_turns_make(&turns);
	if (turns.repeated[1]) {
		struct pmu_series *a = pmu_run_repeated_finish(turns.repeated[0]);
		struct pmu_series *b = pmu_run_repeated_finish(turns.repeated[1]);

		if (a && b && report(&run->request, a, b) && !rc)
			rc = PMU_EXIT_NOT_STARTED;
	}
	rc = pmu_run_turns_status(&turns, rc);
	pmu_run_turns_free(&turns);
	free(other);
	return rc;
}
