/* SPDX-License-Identifier: BSD-3-Clause */
/* The reports of a run: can they be written, and writing them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/write.h"
#include "bindings/command/command.h"
#include "bindings/command/output.h"
#include "bindings/command/run/run.h"
#include "report/model/metric.h"
#include "report/text/terminal.h"
#include "reports/combine/combine.h"

#define MAX_PATH 4096

/* What goes where: one output's work. */
struct writing {
	const struct pmu_run_request *request;
	const struct pmu_run_parts *parts;
	const struct pmu_run_folder *folder;
	const char *configured;
	const struct pmu_format *format; /* NULL: text */
	struct pmu_text_options text;
	struct named *named; /* [n_named] sorted by path */
	size_t n_named;
	bool failed;
};

/* A part and the file that it belongs into. */
struct named {
	char *path;
	struct pmu_model *model;
	size_t nth; /* equal paths stay in the order of their parts */
};

/* --- before the start --- */

static int refuse_output(const char *path, int error)
{
	pmu_command_error("cannot write %s: %s; the command was not started", path,
			  strerror(error));
	return PMU_EXIT_NOT_STARTED;
}

static int check_folder(const char *path)
{
	char folder[MAX_PATH];
	const char *slash = strrchr(path, '/');
	struct stat st;

	if (!slash)
		snprintf(folder, sizeof(folder), ".");
	else
		snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path),
			 path);
	if (stat(folder, &st)) {
		if (errno != ENOENT)
			return refuse_output(path, errno);
		pmu_command_error(
			"cannot write %s: %s; create %s first; the command was not started", path,
			strerror(ENOENT), folder);
		return PMU_EXIT_NOT_STARTED;
	}
	if (!S_ISDIR(st.st_mode))
		return refuse_output(path, ENOTDIR);
	return access(folder, W_OK | X_OK) ? refuse_output(path, errno) : 0;
}

/* Is there the format that its name asks for?  Return: 0, or an exit status after a message. */
static int check_output_format(const struct pmu_run_request *request, const char *configured)
{
	unsigned int of = pmu_output_of_report(request->roofline) |
			  (request->against.we_wordv ? PMU_OF_DIFF : 0u);
	const struct pmu_format *format = pmu_output_format(configured, of);
	char list[256];

	if (format && format->viewer && request->repeat) {
		pmu_output_list(PMU_OF_SERIES, list, sizeof(list));
		pmu_command_error("%s is of one run: --repeat's are %s", configured, list);
		return PMU_EXIT_USAGE;
	}
	if (!pmu_output_check(configured, of))
		return 0;
	pmu_command_error("%s; the command was not started", pmu_error_text());
	return PMU_EXIT_NOT_STARTED;
}

static int check_output(const struct pmu_run_request *request, const char *configured)
{
	const char *slash = strrchr(configured, '/');
	char path[MAX_PATH];
	struct stat st;
	int rc;

	if (!strcmp(configured, "-"))
		return 0;
	rc = check_output_format(request, configured);
	if (rc)
		return rc;
	if (request->repeat && pmu_output_has(configured, strlen(configured), "prn")) {
		pmu_command_error(
			"--repeat makes one report of all processes: -o %s has %%p, %%r or %%n in it",
			configured);
		return PMU_EXIT_USAGE;
	}
	rc = pmu_output_path_of(configured, NULL, path, sizeof(path));
	if (rc < 0)
		return refuse_output(configured, -rc);
	/* which folder it will be is known at the end only */
	if (slash && pmu_output_has(configured, (size_t)(slash - configured), "prn"))
		return 0;
	if (path[0] && path[strlen(path) - 1] == '/')
		return refuse_output(path, EISDIR);
	if (pmu_output_has(configured, strlen(configured), "prn") || stat(path, &st))
		return check_folder(path);
	if (S_ISDIR(st.st_mode))
		return refuse_output(path, EISDIR);
	return access(path, W_OK) ? refuse_output(path, errno) : 0;
}

int pmu_run_check_outputs(const struct pmu_run_request *request)
{
	int rc = 0;

	for (size_t i = 0; i < request->n_outputs && !rc; i++)
		rc = check_output(request, request->output[i]);
	return rc;
}

/* --- several parts in one --- */

/* Processes of one parallel program. */
static enum pmu_combine how_to_combine(const struct pmu_run_request *request,
				       struct pmu_model *const *model, size_t n)
{
	if (request->tree)
		return PMU_COMBINE_TREE;
	for (size_t i = 0; i < n; i++)
		if (model[i]->rank < 0 || strcmp(model[i]->program, model[0]->program))
			return PMU_COMBINE_PROGRAMS;
	return PMU_COMBINE_RANKS;
}

/* What is to be said of the command and not of one of its processes. */
static void add_notes(const struct pmu_run_parts *parts, struct pmu_model *model)
{
	for (size_t i = 0; i < parts->n_notes; i++)
		pmu_model_add_note(model, parts->note[i]);
}

/*
 * Several programs have one name together, and several command lines one: that of what was to be
 * run.
 */
static void name_by_command(struct pmu_model *model, char *const *command)
{
	const char *slash = strrchr(command[0], '/');
	struct pmu_strbuf line = { 0 };

	for (int i = 0; command[i]; i++)
		pmu_strbuf_addf(&line, "%s%s", i ? " " : "", command[i]);
	if (!model->program[0])
		model->program = pmu_model_textf(model, "%s", slash ? slash + 1 : command[0]);
	if (!model->command[0] && !line.failed)
		model->command = pmu_model_text(model, pmu_strbuf_text(&line),
						line.len < 1023 ? line.len : 1023);
	pmu_strbuf_free(&line);
}

static int combine(const struct pmu_run_request *request, const struct pmu_run_parts *parts,
		   struct pmu_model *const *model, size_t n, struct pmu_model **combined)
{
	int rc = n > UINT_MAX ? -E2BIG
			      : pmu_model_combine(model, (unsigned int)n,
						  how_to_combine(request, model, n), combined);

	if (rc)
		return rc;
	pmu_metric_fill(*combined);
	(*combined)->run = &parts->run;
	name_by_command(*combined, request->command);
	if (n == parts->n)
		add_notes(parts, *combined);
	return 0;
}

/* @pid: of one of several processes, else 0 */
static int render_one(const struct writing *w, const struct pmu_model *model, int64_t pid,
		      struct pmu_strbuf *out)
{
	struct pmu_page_beside beside = { .ceilings = w->request->ceilings,
					  .roofline = w->request->roofline,
					  .annotate = w->request->annotate.is_asked
							      ? &w->request->annotate
							      : NULL };
	struct pmu_run_traced traced = { 0 };
	int rc;

	if (w->format && w->format->report)
		pmu_run_traced_open(w->request, w->folder, pid, &traced);
	beside.store = traced.store;
	beside.n_stores = traced.n;
	rc = pmu_output_report(out, model, w->format ? w->configured : NULL, &beside, &w->text);
	pmu_run_traced_close(&traced);
	return rc;
}

static int render_combined(const struct writing *w, struct pmu_model *const *model, size_t n,
			   struct pmu_strbuf *out)
{
	struct pmu_model *combined = NULL;
	int rc = combine(w->request, w->parts, model, n, &combined);

	if (rc)
		return rc;
	rc = render_one(w, combined, 0, out);
	pmu_model_free(combined);
	return rc;
}

static int render_models(const struct writing *w, struct pmu_model *const *model, size_t n,
			 struct pmu_strbuf *out)
{
	if (n > 1 && !w->request->each)
		return render_combined(w, model, n, out);
	for (size_t i = 0; i < n; i++) {
		int rc;

		if (i)
			pmu_strbuf_add(out, "\n");
		rc = render_one(w, model[i], w->parts->n > 1 ? model[i]->pid : 0, out);
		if (rc)
			return rc;
	}
	return 0;
}

/* --- writing --- */

static void tell_write_error(struct writing *w, const char *path, int rc)
{
	pmu_command_error("cannot write %s: %s", path, strerror(-rc));
	w->failed = true;
}

/* @path: NULL is standard error, "-" standard output. */
static void write_models(struct writing *w, const char *path, struct pmu_model *const *model,
			 size_t n)
{
	const char *name = !path               ? "to standard error"
			   : strcmp(path, "-") ? path
					       : "to standard output";
	struct pmu_strbuf out = { 0 };
	int rc = render_models(w, model, n, &out);

	if (rc && n == 1) {
		pmu_command_error("cannot write %s: %s", name, pmu_error_text());
		w->failed = true;
	} else if (rc) {
		pmu_command_error("the reports of %zu processes cannot be combined: %s", n,
				  pmu_error_text());
		w->failed = true;
	} else if (out.failed) {
		tell_write_error(w, name, -ENOMEM);
	} else {
		if (!path)
			rc = pmu_write_message(STDERR_FILENO, out.text, out.len, true);
		else if (!strcmp(path, "-"))
			rc = pmu_write_all(STDOUT_FILENO, out.text, out.len);
		else
			rc = pmu_report_write_file(path, out.text, out.len);
		/* a reader that went away has seen enough; stderr cannot tell that it failed */
		if (rc && (path || rc == -EAGAIN) && rc != -EPIPE)
			tell_write_error(w, name, rc);
	}
	pmu_strbuf_free(&out);
}

/* JSON and CSV of several processes, each by itself, are several files. */
static void write_aside(struct writing *w, const char *path, const struct named *named, size_t n)
{
	char aside[MAX_PATH];

	for (size_t i = 0; i < n; i++) {
		unsigned int nth = named[i].model->nth > 1 ? named[i].model->nth : 0;
		int rc = i ? pmu_output_aside(path, (long)named[i].model->pid, nth, aside,
					      sizeof(aside))
			   : 0;

		if (rc < 0)
			tell_write_error(w, path, rc);
		else
			write_models(w, i ? aside : path, &named[i].model, 1);
	}
}

/* One file's parts. */
static void write_group(struct writing *w, const struct named *named, size_t n)
{
	struct pmu_model **model;

	if (w->request->each && w->format) {
		write_aside(w, named->path, named, n);
		return;
	}
	model = calloc(n, sizeof(struct pmu_model *));
	if (!model) {
		tell_write_error(w, named->path, -ENOMEM);
		return;
	}
	for (size_t i = 0; i < n; i++)
		model[i] = named[i].model;
	write_models(w, named->path, model, n);
	free(model);
}

static int by_named_path(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : x->nth < y->nth ? -1 : x->nth > y->nth;
}

static int name_part(struct writing *w, struct pmu_model *model)
{
	struct named *named = &w->named[w->n_named];
	char path[MAX_PATH];
	int rc = pmu_output_path_of(w->configured, model, path, sizeof(path));

	if (rc < 0)
		return rc;
	*named = (struct named){ .path = strdup(path), .model = model, .nth = w->n_named };
	if (!named->path)
		return -ENOMEM;
	w->n_named++;
	return 0;
}

/*
 * Files for each rank have no place for processes without a rank, where others have one: mpirun,
 * the shell.
 */
static bool has_place(const struct writing *w, const struct pmu_model *model, bool ranked)
{
	return !ranked || model->rank >= 0 ||
	       !pmu_output_has(w->configured, strlen(w->configured), "r");
}

static bool any_rank(const struct pmu_run_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		if (parts->model[i]->rank >= 0)
			return true;
	return false;
}

/* Is a program of that process among the first @n, one that has a rank or one that has none? */
static bool had_program(const struct pmu_run_parts *parts, size_t n, int64_t pid, bool ranked)
{
	for (size_t i = 0; i < n; i++)
		if (parts->model[i]->pid == pid && (parts->model[i]->rank >= 0) == ranked)
			return true;
	return false;
}

/*
 * What mpirun's own children are before they become the ranks is a part, and no process, without
 * one.
 */
static void tell_left_out(const struct writing *w)
{
	const struct pmu_run_parts *parts = w->parts;
	size_t n_processes = 0, n_ranks = 0;

	for (size_t i = 0; i < parts->n; i++) {
		int64_t pid = parts->model[i]->pid;

		if (parts->model[i]->rank >= 0 || had_program(parts, i, pid, false))
			continue;
		if (had_program(parts, parts->n, pid, true))
			n_ranks++;
		else
			n_processes++;
	}
	if (n_processes)
		pmu_command_error("%zu process%s without an MPI rank %s not in %s", n_processes,
				  n_processes > 1 ? "es" : "", n_processes > 1 ? "are" : "is",
				  w->configured);
	else
		pmu_command_error("what %zu process%s did before %s an MPI rank is not in %s",
				  n_ranks, n_ranks > 1 ? "es" : "",
				  n_ranks > 1 ? "they had" : "it had", w->configured);
}

static int name_parts(struct writing *w)
{
	bool ranked = any_rank(w->parts);
	bool left_out = false;
	int rc = 0;

	for (size_t i = 0; i < w->parts->n && !rc; i++) {
		if (has_place(w, w->parts->model[i], ranked))
			rc = name_part(w, w->parts->model[i]);
		else
			left_out = true;
	}
	if (left_out)
		tell_left_out(w);
	qsort(w->named, w->n_named, sizeof(*w->named), by_named_path);
	return rc;
}

static void write_files(struct writing *w)
{
	size_t i, n;
	int rc;

	w->named = calloc(w->parts->n, sizeof(*w->named));
	rc = w->named ? name_parts(w) : -ENOMEM;
	if (rc)
		tell_write_error(w, w->configured, rc);
	for (i = 0; i < w->n_named && !rc; i += n) {
		for (n = 1; i + n < w->n_named && !strcmp(w->named[i].path, w->named[i + n].path);
		     n++)
			;
		write_group(w, &w->named[i], n);
	}
	for (i = 0; i < w->n_named; i++)
		free(w->named[i].path);
	free(w->named);
}

/* --- all of it --- */

/* One report of all ranks, by the first of them. */
static void write_job(struct writing *w)
{
	char path[MAX_PATH];
	bool to_file = w->configured && strcmp(w->configured, "-");
	int rc;

	if (!w->parts->job)
		return;
	rc = to_file ? pmu_output_path_of(w->configured, NULL, path, sizeof(path)) : 0;
	if (rc < 0)
		tell_write_error(w, w->configured, rc);
	else
		write_models(w, to_file ? path : w->configured, &w->parts->job, 1);
}

/* Return: whether it failed. */
static bool write_run_output(const struct pmu_run_request *request,
			     const struct pmu_run_parts *parts, const struct pmu_run_folder *folder,
			     const char *configured)
{
	struct writing w = { .request = request,
			     .parts = parts,
			     .folder = folder,
			     .configured = configured,
			     .text = request->text };

	bool to_file = configured && strcmp(configured, "-");

	if (to_file)
		w.format = pmu_output_format(configured, pmu_output_of_report(request->roofline));
	else
		pmu_terminal_fit(&w.text, configured ? STDOUT_FILENO : STDERR_FILENO);
	if (parts->in_job && !request->each &&
	    !(to_file && pmu_output_is_of_one(configured, strlen(configured)))) {
		write_job(&w);
	} else if (to_file) {
		write_files(&w);
	} else {
		write_models(&w, configured, parts->model, parts->n);
	}
	return w.failed;
}

/* A run may have taken hours.  JSON is what `pmu report` reads. */
static void keep_reports(const struct pmu_run_request *request, const struct pmu_run_parts *parts,
			 const struct pmu_run_folder *folder)
{
	struct pmu_run_request together = *request;
	char path[PMU_PLACE_MAX + 8];

	together.each = false;
	snprintf(path, sizeof(path), "%s.json", folder->path);
	if (write_run_output(&together, parts, folder, path))
		write_run_output(&together, parts, folder, NULL);
	else
		pmu_command_error("the results are kept: 'pmu report %s -o OUT' writes them", path);
}

int pmu_run_combine(const struct pmu_run_request *request, struct pmu_run_parts *parts,
		    struct pmu_model **model)
{
	int rc;

	if (parts->n > 1) {
		rc = combine(request, parts, parts->model, parts->n, model);
		if (rc)
			pmu_command_error("the reports of %zu processes cannot be combined: %s",
					  parts->n, pmu_error_text());
		return rc;
	}
	*model = parts->model[0];
	(*model)->run = &parts->run;
	add_notes(parts, *model);
	parts->n = 0;
	return 0;
}

void pmu_run_write(const struct pmu_run_request *request, struct pmu_run_parts *parts,
		   const struct pmu_run_folder *folder)
{
	bool failed = false;

	for (size_t i = 0; i < parts->n; i++)
		parts->model[i]->run = &parts->run;
	if (parts->n == 1 || request->each)
		add_notes(parts, parts->model[0]);
	if (!request->n_outputs)
		failed = write_run_output(request, parts, folder, NULL);
	for (size_t i = 0; i < request->n_outputs; i++)
		failed |= write_run_output(request, parts, folder, request->output[i]);
	if (failed)
		keep_reports(request, parts, folder);
}
