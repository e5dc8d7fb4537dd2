/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu report`: stores and JSON reports as text, JSON, CSV or a page, one by one or merged. */
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/write.h"
#include "bindings/command/command.h"
#include "bindings/command/complete/complete.h"
#include "bindings/command/output.h"
#include "bindings/command/report/inputs.h"
#include "bindings/command/series/series.h"
#include "bindings/command/trace/trace.h"
#include "report/report.h"
#include "report/text/terminal.h"

#define MAX_PATH 4096
/* ECMA-48: to the first line and column; erase all. */
#define CLEAR "\033[H\033[2J"
/* Stores that are left are named one by one. */
#define KEPT_NAMED 3u

/** A file, and the process that its report is of. */
struct written {
	char *path;
	int64_t pid;
	uint64_t start_unix_ns;
};

/** The command line, taken apart, and what came of it. */
struct request {
	const char **file;
	size_t n_files;
	const char **output;
	size_t n_outputs;
	struct written *written;
	size_t n_written;
	size_t n_kept; /* stores */
	struct pmu_text_options text;
	const char *top;
	bool merge;
	bool each;
	bool tree; /* with merge */
	bool remove;
	struct pmu_annotate_request annotate;
	bool roofline;
	bool watch; /* again and again, until no program of them runs */
	const char *interval;
	uint64_t interval_ns;
	int *kept; /* [n_files] with watch: they stay open */
	size_t n_alive;
	const char *ceilings; /* a file; NULL: where pmu-bench writes it */
	/* [n_stores] that a page has the timeline of: those that the report is of */
	const char **store;
	size_t n_stores;
	bool dash_dash; /* everything from here on is a file */
	bool printed;   /* something is on standard output */
};

/* --- the command line --- */

static int take_report_annotate(const struct pmu_command *self, void *arg, const char *of)
{
	struct request *request = arg;

	(void)self;
	request->annotate.is_asked = true;
	request->annotate.of = of;
	return 0;
}

static const struct pmu_option report_options[] = {
	{ "--output", 'o', "OUT", PMU_OPTION_TEXTS(struct request, output, n_outputs),
	  .complete = pmu_complete_outputs,
	  .help = "where the report goes, any number of times; .json, .csv and .html (a page for a browser) choose the format, .folded (flame graphs), .speedscope.json, .pb (pprof; also .pb.gz) and callgrind.out.NAME (KCachegrind) that of other viewers, any other name gets text, '-' is standard output. %p stands for the process, %r for the MPI rank, %h for the host, %n for the program's number in its process: with one of them every FILE gets its own OUT. .pftrace (Perfetto), .trace.json and .json.gz (Chrome's format) get all calls of all traces; a page of a trace has a timeline. Without -o: text on standard output" },
	{ "--merge", PMU_OPTION_FLAG(struct request, merge),
	  .help = "one report of all FILEs, whatever they are of: below a row for each program where there are several" },
	{ "--each", PMU_OPTION_FLAG(struct request, each),
	  .help = "a report for each FILE, also of ranks" },
	{ "--tree", PMU_OPTION_FLAG(struct request, tree),
	  .help = "as --merge, and a program that was started by fork and exec stands below the region that did so" },
	{ "--callers", PMU_OPTION_FLAG(struct request, text.callers),
	  .help = "the text also has what called functions most, of reports with that: 'pmu run --callers'" },
	PMU_TEXT_OPTIONS(struct request, text, top),
	PMU_ANNOTATE_OPTIONS(struct request, annotate, take_report_annotate),
	{ "--roofline", PMU_OPTION_FLAG(struct request, roofline),
	  .help = "what regions compute beside what the machine can, given how much they move for it, by the ceilings that 'pmu-bench --ceilings' has measured; an OUT that ends in .svg is a picture" },
	{ "--ceilings", .argument = "FILE", PMU_OPTION_TEXT(struct request, ceilings),
	  .complete = pmu_complete_files, .help = "those in this file" },
	{ "--watch", PMU_OPTION_FLAG(struct request, watch),
	  .help = "again every second, until the programs of all FILEs have ended; on a terminal in place of the last one" },
	{ "--interval", 'i', "TIME", PMU_OPTION_TEXT(struct request, interval),
	  .help = "with --watch: so often: 200ms" },
	{ "--remove", PMU_OPTION_FLAG(struct request, remove),
	  .help = "remove the store of a program that is gone once its report is written" },
	{ 0 },
};

static int parse_option(const struct pmu_command *self, struct request *request, char **argv,
			int *i)
{
	int rc;

	if (!strcmp(argv[*i], "--")) {
		request->dash_dash = true;
		return 0;
	}
	rc = pmu_command_option(self, report_options, request, argv, i);
	request->merge |= request->tree;
	return rc;
}

/* A name that has something of a process in it is that of a report of one. */
static bool is_of_one(const char *output)
{
	return pmu_output_is_of_one(output, strlen(output));
}

/* NULL: not a trace.  Viewers' formats of reports have precedence. */
static const struct pmu_timeline_format *trace_format(const char *output)
{
	const struct pmu_format *report = pmu_output_format(output, PMU_OF_REPORT);
	const struct pmu_format *trace = pmu_output_format(output, PMU_OF_TRACE);

	return trace && !(report && report->viewer) ? trace->trace : NULL;
}

static int check_report(const struct pmu_command *self, const struct request *request)
{
	if (!request->n_files &&
	    (request->n_outputs || request->remove || request->text.threads || request->text.all ||
	     request->text.brief || request->text.sort || request->text.filter ||
	     request->text.top || request->text.lines || request->text.callers || request->merge ||
	     request->each || request->roofline || request->annotate.is_asked || request->watch))
		return pmu_command_usage_error(
			self, "which store? 'pmu report' alone lists those there are");
	if (request->ceilings && !request->roofline)
		return pmu_command_usage_error(self, "--ceilings is of --roofline");
	if (request->annotate.source_dir && !request->annotate.is_asked)
		return pmu_command_usage_error(self, "--srcdir is of --annotate");
	if (request->annotate.is_asked && request->roofline)
		return pmu_command_usage_error(self, "--annotate or --roofline?");
	if (request->interval && !request->watch)
		return pmu_command_usage_error(self, "--interval is of --watch");
	if (!request->interval_ns)
		return pmu_command_usage_error(self, "--interval 0: 10ms at least");
	for (size_t i = 0; request->watch && i < request->n_outputs; i++)
		if (trace_format(request->output[i]))
			return pmu_command_usage_error(
				self,
				"%s: --watch writes reports; a trace is made of a store once: leave --watch out",
				request->output[i]);
	if (request->merge && request->each)
		return pmu_command_usage_error(self, request->tree ? "--tree or --each?"
								   : "--merge or --each?");
	return 0;
}

/* Several reports into one output: only where its name tells them apart. */
static int check_outputs(const struct pmu_command *self, const struct request *request)
{
	for (size_t i = 0; i < request->n_outputs; i++)
		if (pmu_output_check(request->output[i], pmu_output_of_report(request->roofline)))
			return pmu_command_usage_error(self, "%s", pmu_error_text());
	for (size_t i = 0; i < request->n_outputs && request->n_files > 1; i++)
		if (strcmp(request->output[i], "-") != 0 && !is_of_one(request->output[i]))
			return pmu_command_usage_error(
				self,
				"%zu reports would go into one file %s; put %%p (the process) into "
				"its name, or merge them (--merge)",
				request->n_files, request->output[i]);
	return 0;
}

static int parse_report(const struct pmu_command *self, int argc, char **argv,
			struct request *request)
{
	int i, rc;

	request->file = calloc((size_t)argc, sizeof(*request->file));
	request->output = calloc((size_t)argc, sizeof(*request->output));
	request->store = calloc((size_t)argc, sizeof(*request->store));
	if (!request->file || !request->output || !request->store) {
		pmu_command_error("no memory");
		return PMU_EXIT_FAILED;
	}
	for (i = 1; i < argc; i++) {
		if (request->dash_dash || argv[i][0] != '-') {
			request->file[request->n_files++] = argv[i];
			continue;
		}
		rc = parse_option(self, request, argv, &i);
		if (rc)
			return rc;
	}
	request->written = calloc(request->n_files * request->n_outputs + 1,
				  sizeof(*request->written));
	if (!request->written) {
		pmu_command_error("no memory");
		return PMU_EXIT_FAILED;
	}
	rc = pmu_command_top(self, request->top, &request->text);
	if (!rc)
		rc = pmu_command_interval(self, request->interval, &request->interval_ns);
	return rc ? rc : check_report(self, request);
}

/* --- writing --- */

/* @output: NULL: text */
static int render_report(struct pmu_strbuf *out, const struct pmu_model *model,
			 const struct request *request, const char *output,
			 const struct pmu_text_options *options)
{
	const struct pmu_page_beside beside = { .ceilings = request->ceilings,
						.roofline = request->roofline,
						.store = request->store,
						.n_stores = request->n_stores,
						.annotate = request->annotate.is_asked
								    ? &request->annotate
								    : NULL };
	int rc = pmu_output_report(out, model, output, &beside, options);

	return rc ? rc : out->failed ? -ENOMEM : 0;
}

/* What is written from now on is of these. */
static void set_stores(struct request *request, const struct pmu_input *input, size_t n)
{
	request->n_stores = 0;
	for (size_t i = 0; i < n; i++)
		if (input[i].is_store)
			request->store[request->n_stores++] = input[i].path;
}

static int write_stdout(const struct pmu_model *model, struct request *request)
{
	struct pmu_text_options options = request->text;
	struct pmu_strbuf out = { 0 };

	pmu_terminal_fit(&options, STDOUT_FILENO);
	if (request->printed)
		pmu_strbuf_add(&out, "\n");
	request->printed = true;
	if (render_report(&out, model, request, NULL, &options) == 0)
		return pmu_command_print(&out);
	pmu_command_error("%s", out.failed ? "no memory" : pmu_error_text());
	pmu_strbuf_free(&out);
	return PMU_EXIT_FAILED;
}

/* The library's sentence speaks of a setting that has no say here. */
static void tell_unwritten(const char *path, int rc)
{
	const char *slash = strrchr(path, '/');

	if (rc == -ENOENT && slash && slash > path)
		pmu_command_error("cannot write %s: %s; create %.*s first", path, strerror(-rc),
				  (int)(slash - path), path);
	else
		pmu_command_error("cannot write %s: %s", path, strerror(-rc));
}

/* What -o says, for this report.  Those of two processes get no file of the same name. */
static int report_file_name(const struct pmu_model *model, struct request *request,
			    const char *output, char *path, size_t size)
{
	struct written *written = &request->written[request->n_written];
	int rc = pmu_output_path_of(output, model, path, size);

	if (rc < 0) {
		tell_unwritten(output, rc);
		return rc;
	}
	for (size_t i = 0; i < request->n_written; i++) {
		if (strcmp(request->written[i].path, path) != 0)
			continue;
		if (request->written[i].pid == model->pid &&
		    request->written[i].start_unix_ns == model->start_unix_ns)
			return 0;
		pmu_command_error(
			"%s is another report's already: put %%p (the process) into its name",
			path);
		return -EEXIST;
	}
	*written = (struct written){ strdup(path), model->pid, model->start_unix_ns };
	request->n_written += written->path != NULL;
	return 0;
}

static int write_report_file(const struct pmu_model *model, struct request *request,
			     const char *output)
{
	struct pmu_strbuf out = { 0 };
	char path[MAX_PATH];
	int rc;

	if (report_file_name(model, request, output, path, sizeof(path)) < 0)
		return PMU_EXIT_FAILED;
	rc = render_report(&out, model, request, path, &request->text);
	if (rc && rc != -ENOMEM) {
		pmu_command_error("%s", pmu_error_text());
		pmu_strbuf_free(&out);
		return PMU_EXIT_FAILED;
	}
	if (!rc)
		rc = pmu_report_write_file(path, pmu_strbuf_text(&out), out.len);
	pmu_strbuf_free(&out);
	if (!rc || rc == -EPIPE)
		return 0;
	tell_unwritten(path, rc);
	return PMU_EXIT_FAILED;
}

/* Which of the outputs a report goes to. */
enum to { TO_ALL, TO_THOSE_OF_ONE, TO_THE_OTHERS };

/* A failed output does not keep the others from being written. */
static int write_outputs(const struct pmu_model *model, struct request *request, enum to to)
{
	int failed = 0;
	size_t i;

	if (!request->n_outputs && to != TO_THOSE_OF_ONE)
		return write_stdout(model, request);
	for (i = 0; i < request->n_outputs; i++) {
		const char *output = request->output[i];

		if (to != TO_ALL && is_of_one(output) != (to == TO_THOSE_OF_ONE))
			continue;
		failed |= strcmp(output, "-") ? write_report_file(model, request, output)
					      : write_stdout(model, request);
	}
	return failed ? PMU_EXIT_FAILED : 0;
}

/* --- one by one, and merged --- */

static int remove_store(const struct pmu_input *input)
{
	if (!input->is_store)
		pmu_command_error("%s is kept: only stores are removed", input->path);
	else if (input->is_alive)
		pmu_command_error("%s is kept: its process still runs", input->path);
	else if (!unlink(input->path))
		return 0;
	else
		pmu_command_error("cannot remove %s: %s", input->path, strerror(errno));
	return PMU_EXIT_FAILED;
}

/* A trace is a file that the user has named: it is no left-over. */
static bool is_left_over(const char *path)
{
	const char *dot = strrchr(path, '.');

	return !dot || strcasecmp(dot, ".trace") != 0;
}

/* An input, after its report has been written. */
static int done_with(struct request *request, const struct pmu_input *input)
{
	request->n_alive += input->is_alive;
	/* there is more to come, or its program has removed it */
	if (request->watch && (input->is_alive || access(input->path, F_OK)))
		return 0;
	if (request->remove)
		return remove_store(input);
	if (input->is_store && !input->is_alive && is_left_over(input->path) &&
	    request->n_kept++ < KEPT_NAMED)
		pmu_command_error("%s is kept; 'pmu report --remove %s' removes it", input->path,
				  input->path);
	return 0;
}

/* Nothing was in it, and now it is gone. */
#define ONLY_REMOVED (-1)

static int read_file(const struct request *request, size_t i, bool alone, struct pmu_input *input)
{
	*input = (struct pmu_input){ .path = request->file[i],
				     .wants_series = alone,
				     .kept = request->kept ? &request->kept[i] : NULL };
	if (pmu_input_read(input) == 0)
		return 0;
	if (request->remove && input->is_store)
		return remove_store(input) ? PMU_EXIT_FAILED : ONLY_REMOVED;
	pmu_command_error("%s", pmu_error_text());
	return PMU_EXIT_FAILED;
}

/* Return: an exit status. */
static int write_series(const struct request *request, const struct pmu_series *series,
			const char *output)
{
	bool to_file = output && strcmp(output, "-");
	struct pmu_text_options options = request->text;
	struct pmu_strbuf out = { 0 };
	int rc;

	if (!to_file)
		pmu_terminal_fit(&options, STDOUT_FILENO);
	rc = pmu_output_series(&out, series, to_file ? output : NULL, &options);
	if (!rc && !to_file)
		return pmu_command_print(&out);
	if (!rc)
		rc = pmu_report_write_file(output, pmu_strbuf_text(&out), out.len);
	pmu_strbuf_free(&out);
	if (!rc || rc == -EPIPE)
		return 0;
	tell_unwritten(output, rc);
	return PMU_EXIT_FAILED;
}

/* Of repeated runs: of no one process that could give a file its name. */
static int report_series(struct request *request, struct pmu_input *input)
{
	const struct pmu_format *format;
	char list[256];
	int failed = 0;

	bool of_one = request->roofline || request->annotate.is_asked;

	if (of_one) {
		pmu_command_error("%s is of repeated runs: %s is of one", input->path,
				  request->roofline ? "a roofline" : "what --annotate shows");
		failed = PMU_EXIT_FAILED;
	}
	for (size_t i = 0; i < request->n_outputs && !of_one; i++) {
		if (is_of_one(request->output[i])) {
			pmu_command_error("%s is of repeated runs: there is no process for %s",
					  input->path, request->output[i]);
			failed = PMU_EXIT_FAILED;
			continue;
		}
		format = pmu_output_format(request->output[i], PMU_OF_REPORT);
		if (format && format->viewer) {
			pmu_output_list(PMU_OF_SERIES, list, sizeof(list));
			pmu_command_error("%s is of repeated runs: %s is of one; write %s",
					  input->path, request->output[i], list);
			failed = PMU_EXIT_FAILED;
			continue;
		}
		failed |= write_series(request, input->series, request->output[i]);
	}
	if (!request->n_outputs && !of_one) {
		if (request->printed)
			puts("");
		request->printed = true;
		failed = write_series(request, input->series, NULL);
	}
	pmu_series_free(input->series);
	free(input->series);
	return failed ? PMU_EXIT_FAILED : 0;
}

static int report_file(struct request *request, size_t i)
{
	struct pmu_input input;
	int rc = read_file(request, i, true, &input);

	if (rc)
		return rc == ONLY_REMOVED ? 0 : rc;
	if (input.series)
		return report_series(request, &input);
	set_stores(request, &input, 1);
	rc = write_outputs(input.model, request, TO_ALL);
	pmu_model_free(input.model);
	return rc ? rc : done_with(request, &input);
}

static int report_each(const struct pmu_command *self, struct request *request)
{
	int rc = check_outputs(self, request);

	for (size_t i = 0; rc != PMU_EXIT_USAGE && i < request->n_files; i++)
		if (report_file(request, i))
			rc = PMU_EXIT_FAILED;
	return rc;
}

static int write_apart(const struct pmu_command *self, struct request *request,
		       const struct pmu_input *input, size_t n)
{
	int rc = check_outputs(self, request);

	for (size_t i = 0; rc != PMU_EXIT_USAGE && i < n; i++) {
		set_stores(request, &input[i], 1);
		if (write_outputs(input[i].model, request, TO_ALL) || done_with(request, &input[i]))
			rc = PMU_EXIT_FAILED;
	}
	return rc;
}

static bool has_own(const struct request *request)
{
	for (size_t i = 0; i < request->n_outputs; i++)
		if (is_of_one(request->output[i]))
			return true;
	return false;
}

/* Their rows are in the merged one, and what is written now takes as much again. */
static void forget_models(struct pmu_input *input, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		pmu_model_free(input[i].model);
		input[i].model = NULL;
	}
	malloc_trim(0);
}

static int write_merged(struct request *request, struct pmu_input *input, size_t n)
{
	struct pmu_model *model = NULL;
	size_t n_left_out = 0;
	int rc;

	if (pmu_inputs_merge(input, n, request->tree, &model, &n_left_out) < 0) {
		pmu_command_error("cannot merge: %s", pmu_error_text());
		return PMU_EXIT_FAILED;
	}
	if (!has_own(request))
		forget_models(input, n);
	set_stores(request, input, n);
	rc = write_outputs(model, request, TO_THE_OTHERS);
	pmu_model_free(model);
	for (size_t i = 0; i < n && input[i].model; i++) {
		set_stores(request, &input[i], 1);
		rc |= write_outputs(input[i].model, request, TO_THOSE_OF_ONE);
	}
	for (size_t i = 0; i < n && !rc; i++)
		rc |= done_with(request, &input[i]);
	return rc || n_left_out ? PMU_EXIT_FAILED : 0;
}

static int report_read(const struct pmu_command *self, struct request *request,
		       struct pmu_input *input, size_t n)
{
	enum pmu_merging merging = request->merge ? PMU_MERGE_RANKS : pmu_inputs_belong(input, n);

	if (merging == PMU_MERGE_RANKS && n)
		return write_merged(request, input, n);
	if (merging == PMU_MERGE_REFUSED)
		pmu_command_error("not merged: %s (--merge merges all the same, --each says no)",
				  pmu_error_text());
	return write_apart(self, request, input, n);
}

/* Only text can do without the threads' rows, and where no report is of one alone. */
static bool needs_rows(const struct request *request)
{
	for (size_t i = 0; i < request->n_outputs; i++)
		if (is_of_one(request->output[i]) ||
		    pmu_output_format(request->output[i], PMU_OF_REPORT))
			return true;
	return request->text.threads;
}

static int tell_gathered(const struct request *request, const struct pmu_input *input, size_t n)
{
	int failed = 0;

	for (size_t i = 0; i < n; i++) {
		bool removed = request->remove && input[i].is_store && !input[i].no_room;

		if (!input[i].twin && !input[i].error)
			continue;
		if (input[i].twin)
			pmu_command_error("%s is left out: %s is of the same process",
					  input[i].path, input[i].twin->path);
		else if (!removed)
			pmu_command_error("%s", input[i].error);
		else if (!remove_store(&input[i]))
			continue;
		failed = PMU_EXIT_FAILED;
	}
	return failed;
}

/* Return: a status; -ENOTSUP: they have to be read and kept. */
static int report_gathered(struct request *request, struct pmu_input *input)
{
	struct pmu_model *model = NULL;
	size_t n = request->n_files;
	int rc, failed;

	for (size_t i = 0; i < n; i++)
		input[i] = (struct pmu_input){ .path = request->file[i],
					       .kept = request->kept ? &request->kept[i] : NULL };
	if (request->tree)
		return -ENOTSUP;
	rc = pmu_inputs_gather(input, n, request->merge, request->text.all, &model);
	if (rc == -ENOTSUP)
		return rc;
	failed = tell_gathered(request, input, n);
	if (rc) {
		pmu_command_error("cannot merge: %s", pmu_error_text());
		return PMU_EXIT_FAILED;
	}
	rc = write_outputs(model, request, TO_ALL);
	pmu_model_free(model);
	for (size_t i = 0; i < n && !rc; i++)
		if (!input[i].error)
			rc = done_with(request, &input[i]);
	return rc ? rc : failed;
}

static int report_kept(const struct pmu_command *self, struct request *request,
		       struct pmu_input *input)
{
	size_t n = 0;
	int rc = 0, failed = 0;

	for (size_t i = 0; i < request->n_files; i++) {
		rc = read_file(request, i, false, &input[n]);
		if (rc > 0)
			failed = rc;
		n += !rc;
	}
	rc = report_read(self, request, input, n);
	for (size_t i = 0; i < n; i++)
		pmu_model_free(input[i].model);
	return rc ? rc : failed;
}

/* Whether they belong together shows when all are read. */
static int report_several(const struct pmu_command *self, struct request *request)
{
	struct pmu_input *input = calloc(request->n_files, sizeof(*input));
	int rc = -ENOTSUP;

	if (!input) {
		pmu_command_error("no memory");
		return PMU_EXIT_FAILED;
	}
	if (!needs_rows(request))
		rc = report_gathered(request, input);
	for (size_t i = 0; i < request->n_files; i++)
		free(input[i].error);
	if (rc == -ENOTSUP)
		rc = report_kept(self, request, input);
	free(input);
	return rc;
}

/* --- traces --- */

/*
 * Whatever FILEs are of, their calls are in one trace.  What else is to be written is left in the
 * request.  Return: an exit status.
 */
static int write_traces(struct request *request, bool *nothing_else)
{
	struct pmu_trace_written written = { 0 };
	int failed = 0;
	size_t n = 0;

	for (size_t i = 0; i < request->n_outputs; i++) {
		const char *output = request->output[i];
		const struct pmu_timeline_format *format = trace_format(output);
		int rc;

		if (!format) {
			request->output[n++] = output;
			continue;
		}
		rc = pmu_trace_check(format, output);
		if (!rc)
			rc = pmu_trace_write(request->file, request->n_files, format, output,
					     &written);
		if (!rc)
			pmu_trace_tell(output, &written);
		else
			pmu_command_error("%s", pmu_error_text());
		failed |= rc || written.unread;
	}
	*nothing_else = request->n_outputs && !n;
	request->n_outputs = n;
	return failed ? PMU_EXIT_FAILED : 0;
}

static int report_all(const struct pmu_command *self, struct request *request)
{
	if (!request->n_files)
		return pmu_report_list();
	if ((request->n_files == 1 && !request->merge) || request->each)
		return report_each(self, request);
	return report_several(self, request);
}

/* --- until they have ended --- */

static int keep_open(struct request *request)
{
	request->kept = calloc(request->n_files, sizeof(*request->kept));
	if (!request->kept) {
		pmu_command_error("no memory");
		return PMU_EXIT_FAILED;
	}
	for (size_t i = 0; i < request->n_files; i++)
		request->kept[i] = -1;
	return 0;
}

/* A terminal has the last one; anything else gets all, with a line between them. */
static void begin_anew(struct request *request)
{
	struct pmu_text_options options = { .color = false };

	pmu_terminal_fit(&options, STDOUT_FILENO);
	if (!options.color || request->n_outputs)
		return;
	request->printed = false;
	pmu_write_all(STDOUT_FILENO, CLEAR, strlen(CLEAR));
}

static int watch_reports(const struct pmu_command *self, struct request *request)
{
	const struct timespec interval = { .tv_sec = (time_t)(request->interval_ns / 1000000000u),
					   .tv_nsec = (long)(request->interval_ns % 1000000000u) };
	int rc = keep_open(request);

	while (!rc) {
		begin_anew(request);
		request->n_alive = 0;
		rc = report_all(self, request);
		if (!request->n_alive)
			break;
		nanosleep(&interval, NULL);
	}
	for (size_t i = 0; request->kept && i < request->n_files; i++)
		if (request->kept[i] >= 0)
			close(request->kept[i]);
	free(request->kept);
	return rc;
}

static int run_report(const struct pmu_command *self, int argc, char **argv)
{
	struct request request = { 0 };
	int rc = parse_report(self, argc, argv, &request), failed = 0;
	bool done = rc;

	if (!rc && request.n_files)
		failed = write_traces(&request, &done);
	if (!done)
		rc = request.watch ? watch_reports(self, &request) : report_all(self, &request);
	rc = rc ? rc : failed;
	if (request.n_kept > KEPT_NAMED)
		pmu_command_error("so %s %zu more", request.n_kept - KEPT_NAMED > 1 ? "are" : "is",
				  request.n_kept - KEPT_NAMED);
	while (request.n_written)
		free(request.written[--request.n_written].path);
	free(request.written);
	free(request.file);
	free(request.output);
	free(request.store);
	return rc;
}

const struct pmu_command pmu_command_report = {
	.name = "report",
	.usage = "report [FILE...] [-o OUT]... [--merge | --each | --tree] [--watch] [OPTION]...",
	.about =
		"make a report from a store or a JSON report, merge those of ranks, or list the stores",
	.help = "A FILE is a store (what a program that was killed left over, or that of one that still\n"
		"runs) or a report that was written as JSON.  Several that are of ranks of one MPI program\n"
		"become one report, which also says how time is spread over the ranks; other ones follow\n"
		"each other.  Without a FILE it lists the stores.\n",
	.dashes = "what follows are files, also where a name begins with -",
	.options = report_options,
	.run = run_report,
};
