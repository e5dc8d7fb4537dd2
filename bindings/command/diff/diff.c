/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu diff`: two sets of runs, region by region. */
#include "bindings/command/diff/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/complete/complete.h"
#include "bindings/command/output.h"
#include "report/text/terminal.h"

struct request {
	char **name; /* those of A, then those of B */
	size_t n_a, n_b;
	const char **output;
	size_t n_outputs;
	struct pmu_diff_rename *rename;
	struct pmu_diff_request diff;
	struct pmu_text_options text;
	const char *top;
};

/* --- the command line --- */

int pmu_diff_take_rename(const struct pmu_command *self, const char *text,
			 struct pmu_diff_rename *rename, size_t *n)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text)
		return pmu_command_usage_error(self, "--map %s: say it as in --map old=new", text);
	rename[(*n)++] = (struct pmu_diff_rename){ .from = text,
						   .from_len = (size_t)(equals - text),
						   .to = equals + 1 };
	return 0;
}

static int take_diff_rename(const struct pmu_command *self, void *arg, const char *text)
{
	struct request *request = arg;

	return pmu_diff_take_rename(self, text, request->rename, &request->diff.n_renames);
}

static const struct pmu_option diff_options[] = {
	{ "--output", 'o', "OUT", PMU_OPTION_TEXTS(struct request, output, n_outputs),
	  .complete = pmu_complete_outputs,
	  .help = "where it goes, any number of times; .json, .csv, .md and .html (a page for a browser) choose the format, any other name gets text, '-' is standard output" },
	{ "--map", .argument = "OLD=NEW", .take = take_diff_rename,
	  .help = "regions, or levels of a path, that are called OLD in A and NEW in B" },
	{ "--metric", .argument = "NAME", PMU_OPTION_TEXT(struct request, diff.metric),
	  .help = "also compare this metric: IPC" },
	{ "--all", PMU_OPTION_FLAG(struct request, text.all), .help = "also what does not differ" },
	{ "--top", .argument = "N", PMU_OPTION_TEXT(struct request, top),
	  .help = "the N regions that changed most" },
	{ "--filter", .argument = "GLOB", PMU_OPTION_TEXT(struct request, text.filter),
	  .help = "only regions whose name or path matches: 'solve*'" },
	{ "--quiet", 'q', PMU_OPTION_FLAG(struct request, text.brief),
	  .help = "without the explanations" },
	{ 0 },
};

/* "A B", or with "--" as many as there are on each side. */
static int split_sides(const struct pmu_command *self, struct request *request, size_t n,
		       size_t border)
{
	request->n_a = border ? border : 1;
	request->n_b = n - request->n_a;
	if (n < 2 || !request->n_b)
		return pmu_command_usage_error(self,
					       "compare what? Two reports, folders or patterns");
	if (!border && n > 2)
		return pmu_command_usage_error(
			self, "%zu names: put -- between those of A and those of B", n);
	return pmu_command_top(self, request->top, &request->text);
}

static int parse_diff(const struct pmu_command *self, int argc, char **argv,
		      struct request *request)
{
	size_t n = 0, border = 0;
	int rc;

	request->name = calloc((size_t)argc, sizeof(*request->name));
	request->output = calloc((size_t)argc, sizeof(*request->output));
	request->rename = calloc((size_t)argc, sizeof(*request->rename));
	request->diff.rename = request->rename;
	request->diff.functions = true;
	if (!request->name || !request->output || !request->rename) {
		pmu_command_error("no memory");
		return PMU_EXIT_FAILED;
	}
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--") && n && !border) {
			border = n;
		} else if (argv[i][0] != '-') {
			request->name[n++] = argv[i];
		} else {
			rc = pmu_command_option(self, diff_options, request, argv, &i);
			if (rc)
				return rc;
		}
	}
	return split_sides(self, request, n, border);
}

/* --- writing --- */

/* @path: NULL: standard output.  Return: an exit status. */
static int write_diff(const struct request *request, const struct pmu_diff *diff, const char *path)
{
	struct pmu_text_options text = request->text;
	struct pmu_strbuf out = { 0 };
	int rc;

	if (!path)
		pmu_terminal_fit(&text, STDOUT_FILENO);
	rc = pmu_output_diff(&out, diff, path, &text);
	if (!rc && !path)
		return pmu_command_print(&out);
	if (!rc)
		rc = pmu_report_write_file(path, pmu_strbuf_text(&out), out.len);
	pmu_strbuf_free(&out);
	if (!rc || rc == -EPIPE)
		return 0;
	pmu_command_error("cannot write %s: %s", path ? path : "to standard output", strerror(-rc));
	return PMU_EXIT_FAILED;
}

static int write_all(const struct request *request, const struct pmu_diff *diff)
{
	int failed = request->n_outputs ? 0 : write_diff(request, diff, NULL);

	for (size_t i = 0; i < request->n_outputs; i++)
		failed |= write_diff(request, diff,
				     strcmp(request->output[i], "-") ? request->output[i] : NULL);
	return failed ? PMU_EXIT_FAILED : 0;
}

static int compare_files(const struct request *request)
{
	struct pmu_series a = { .n_runs = 0 }, b = { .n_runs = 0 };
	struct pmu_diff diff = { .n_groups = 0 };
	int rc = pmu_diff_side(request->name, request->n_a, &a);

	if (!rc)
		rc = pmu_diff_side(request->name + request->n_a, request->n_b, &b);
	if (!rc) {
		rc = pmu_diff_make(&a, &b, &request->diff, &diff);
		if (rc)
			pmu_command_error("%s", pmu_error_text());
	}
	rc = rc ? PMU_EXIT_FAILED : write_all(request, &diff);
	pmu_diff_free(&diff);
	pmu_series_free(&a);
	pmu_series_free(&b);
	return rc;
}

static int run_diff(const struct pmu_command *self, int argc, char **argv)
{
	struct request request = { .n_a = 0 };
	int rc = parse_diff(self, argc, argv, &request);

	if (!rc)
		rc = compare_files(&request);
	free(request.name);
	free(request.output);
	free(request.rename);
	return rc;
}

const struct pmu_command pmu_command_diff = {
	.name = "diff",
	.usage = "diff A B | diff A... -- B... [-o OUT]... [OPTION]...",
	.about = "compare two sets of runs, region by region",
	.help = "A and B are reports as JSON: of one run, or of those of 'pmu run --repeat'; a folder stands for\n"
		"all reports in it, a pattern for those it matches: 'old-*.json'.\n"
		"\n"
		"Regions are compared by their paths and by their own work, without what is nested in them, so\n"
		"that a change is told of where it was made.  Calls, instructions and branches that were the same\n"
		"in all runs of each side differ if they differ by one; else ranks are compared (Wilcoxon, Mann\n"
		"and Whitney), corrected for how many values there are (Holm), so that of 100 comparisons without\n"
		"any difference 95 name none.  Where both sides have samples (pmu run --sample), so are functions.\n",
	.options = diff_options,
	.more = "The exit status is 0 whatever differs.\n",
	.run = run_diff,
};
