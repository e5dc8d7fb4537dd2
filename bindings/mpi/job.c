/* SPDX-License-Identifier: BSD-3-Clause */
/* This rank's results, and the report of all. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/room.h"
#include "base/write.h"
#include "bindings/mpi/job.h"
#include "bindings/mpi/mpi.h"
#include "pmu.h"
#include "report/model/metric.h"
#include "report/report.h"
#include "report/text/terminal.h"
#include "reports/ranks/ranks.h"
#include "store/place.h"
#include "store/read/list.h"
#include "store/read/snapshot.h"

#define MAX_PATH 4096

/* Where the program was when it started. */
static char folder[MAX_PATH];

__attribute__((constructor)) static void remember_folder(void)
{
	if (!getcwd(folder, sizeof(folder)))
		folder[0] = '\0';
}

void mpi_job_say(const char *fmt, ...)
{
	int (*note)(const char *) = (int (*)(const char *))mpi_pmu("pmu_note");
	char line[512];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(line, 250, fmt, args);
	va_end(args);
	if (len < 0)
		return;
	if (note)
		note(line);
	/* with a kept store the command has the note in its report */
	if (pmu_store_kept())
		return;
	len = snprintf(line, sizeof(line), "pmu: ");
	va_start(args, fmt);
	len += vsnprintf(line + len, sizeof(line) - 8, fmt, args);
	va_end(args);
	if (len > (int)sizeof(line) - 2)
		len = (int)sizeof(line) - 2;
	line[len++] = '\n';
	pmu_write_message(STDERR_FILENO, line, (size_t)len, false);
}

/* --- outputs --- */

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !strncmp(text, word, len);
}

/* As `pmu run` says it to the program, or the program's user. */
static const char *outputs(void)
{
	const char *text = secure_getenv("PMU_OUTPUT");

	return text ? text : "";
}

bool mpi_job_is_wanted(void)
{
	static const char *const off[] = { "0", "no", "off", "false" };
	const char *wanted = secure_getenv("PMU_MPI"), *list = outputs();

	for (size_t i = 0; wanted && i < PMU_ARRAY_LEN(off); i++)
		if (!strcasecmp(wanted, off[i]))
			return false;
	if (pmu_store_kept() || !*list)
		return true;
	/* each rank has a file of its own, and nothing else is asked for */
	while (*list) {
		size_t len = strcspn(list, ",");

		if (len && !is_word(list, len, "none") && !pmu_output_is_of_one(list, len))
			return true;
		list += len + (list[len] == ',');
	}
	return false;
}

/* --- this rank's results --- */

static const char *store_path(char *path, size_t size)
{
	const char *kept = pmu_store_kept();
	struct pmu_store_entry *entry = NULL;
	int n = kept ? pmu_store_list_folder(kept, &entry) : pmu_store_list(&entry);

	path[0] = '\0';
	for (int i = 0; i < n; i++)
		if (entry[i].pid == getpid() && !entry[i].ended &&
		    entry[i].liveness == PMU_PROCESS_ALIVE)
			snprintf(path, size, "%s", entry[i].path);
	free(entry);
	return path[0] ? path : NULL;
}

/*
 * Regions around MPI_Finalize, as main: the checkpoint has counted their calls, which are over as
 * far as this report goes.  Then what is nested in them is all there, and their self times are
 * known.  Return: 0 or -ENOMEM.
 */
static int close_rows(struct pmu_model *model)
{
	unsigned int n_doubts = model->n_doubts;
	int rc = 0;

	for (unsigned int i = 0; i < model->n_sections; i++) {
		struct pmu_model_section *s = &model->section[i];

		for (unsigned int k = 0; k < s->n_thread_rows; k++) {
			struct pmu_model_row *row = &s->thread_row[k];

			if (!row->n_open || !row->time_ns || row->thread < 0 ||
			    model->thread[row->thread].tid != gettid())
				continue;
			row->n_open = 0;
			row->flags &= ~(uint32_t)(PMU_ROW_OPEN | PMU_ROW_NO_SELF);
		}
	}
	rc = pmu_model_finish(model);
	/* what finishing finds it has found before */
	model->n_doubts = n_doubts;
	return rc;
}

/* What is not known before a report is asked for goes into the store then. */
static bool settle(void)
{
	int (*checkpoint)(enum pmu_next) = (int (*)(enum pmu_next))mpi_pmu("pmu_checkpoint");
	int (*text_of)(const char *,
		       char **) = (int (*)(const char *, char **))mpi_pmu("pmu_report_text");
	char *text = NULL;
	bool known;

	if (!checkpoint || !text_of)
		return false;
	checkpoint(PMU_NEXT_GOES_ON);
	known = text_of("csv", &text) == 0;
	free(text);
	return known;
}

static struct pmu_ranks *own(uint32_t rank)
{
	struct pmu_ranks *ranks = NULL;
	struct pmu_model *model = NULL;
	char path[MAX_PATH];

	if (!settle())
		return NULL;
	if (!store_path(path, sizeof(path)) || pmu_store_snapshot_file(path, &model)) {
		mpi_job_say("rank %u is not in the report of all: its results cannot be read",
			    rank);
		return NULL;
	}
	if (close_rows(model) || pmu_ranks_of(model, rank, &ranks))
		ranks = NULL;
	pmu_model_free(model);
	return ranks;
}

struct own_call {
	uint32_t rank;
	struct pmu_ranks *ranks;
};

static int call_own(void *argument)
{
	struct own_call *call = argument;

	call->ranks = own(call->rank);
	return 0;
}

struct pmu_ranks *mpi_job_own(uint32_t rank)
{
	struct own_call call = { rank, NULL };

	pmu_with_room(call_own, &call);
	return call.ranks;
}

/* --- the report --- */

/* Words of PMU_REPORT, which libpmu checks. */
static bool asks_for(const char *word)
{
	const char *text = secure_getenv("PMU_REPORT");

	for (; text && *text; text += strcspn(text, ", "), text += strspn(text, ", "))
		if (is_word(text, strcspn(text, ", "), word))
			return true;
	return false;
}

static int write_text(int fd, const struct pmu_model *model, struct pmu_text_options *options)
{
	struct pmu_strbuf out = { 0 };
	int rc;

	pmu_terminal_fit(options, fd);
	pmu_report_render(&out, model, PMU_REPORT_TEXT, options);
	rc = out.failed ? -ENOMEM : pmu_write_all(fd, out.text, out.len);
	pmu_strbuf_free(&out);
	return rc;
}

static int write_file(const struct pmu_model *model, const char *configured,
		      const struct pmu_text_options *options)
{
	const struct pmu_output_names names = { .rank = "0", .host = "", .nth = 1 };
	struct pmu_strbuf out = { 0 }, whole = { 0 };
	char path[MAX_PATH];
	int rc = pmu_output_path(configured, &names, path, sizeof(path));

	if (rc < 0)
		return rc;
	pmu_strbuf_addf(&whole, "%s%s%s", path[0] == '/' ? "" : folder,
			path[0] == '/' || !folder[0] ? "" : "/", path);
	pmu_report_render(&out, model, pmu_report_format_of(path), options);
	rc = out.failed || whole.failed ? -ENOMEM
					: pmu_report_write_file(whole.text, out.text, out.len);
	pmu_strbuf_free(&whole);
	pmu_strbuf_free(&out);
	return rc;
}

static bool write_one(const struct pmu_model *model, const char *configured)
{
	struct pmu_text_options options = { .all = asks_for("all"), .brief = asks_for("brief") };
	int rc;

	if (!configured)
		rc = write_text(STDERR_FILENO, model, &options);
	else if (!strcmp(configured, "-"))
		rc = write_text(STDOUT_FILENO, model, &options);
	else
		rc = write_file(model, configured, &options);
	if (rc < 0)
		mpi_job_say("cannot write the report of all ranks to %s: %s",
			    configured ? configured : "standard error", strerror(-rc));
	return rc >= 0;
}

static bool write_all(const struct pmu_model *model)
{
	const char *list = outputs();
	bool written = true;

	if (!*list)
		return write_one(model, NULL);
	while (*list) {
		char path[MAX_PATH];
		size_t len = strcspn(list, ",");

		snprintf(path, sizeof(path), "%.*s", (int)len, list);
		if (len && !pmu_output_is_of_one(list, len))
			written &= write_one(model, path);
		list += len + (list[len] == ',');
	}
	return written;
}

/* For the `pmu run` that started this rank; see bindings/mpi/job.h. */
static bool hand_over(const char *kept, const struct pmu_ranks *ranks)
{
	struct pmu_strbuf out = { 0 };
	char path[MAX_PATH];
	int rc = snprintf(path, sizeof(path), "%s/%s", kept, MPI_JOB_REPORT);

	if (rc > 0 && rc < (int)sizeof(path)) {
		pmu_ranks_encode(ranks, &out);
		rc = out.failed ? -ENOMEM : pmu_report_write_file(path, out.text, out.len);
	}
	pmu_strbuf_free(&out);
	return rc == 0;
}

static int write_ranks(void *argument)
{
	struct pmu_ranks *ranks = argument;
	const char *kept = pmu_store_kept();
	struct pmu_model *model = NULL;
	bool written;

	if (kept) {
		written = hand_over(kept, ranks);
		pmu_ranks_free(ranks);
		return written;
	}
	if (pmu_ranks_model(ranks, &model)) {
		mpi_job_say("no report of all ranks: %s", pmu_error_text());
		return false;
	}
	pmu_metric_fill(model);
	written = write_all(model);
	pmu_model_free(model);
	return written;
}

bool mpi_job_write(struct pmu_ranks *ranks)
{
	return pmu_with_room(write_ranks, ranks);
}

void mpi_job_written(uint32_t rank, uint64_t n_ranks)
{
	int (*checkpoint)(enum pmu_next) = (int (*)(enum pmu_next))mpi_pmu("pmu_checkpoint");
	const char *kept = pmu_store_kept();
	struct pmu_strbuf path = { 0 }, text = { 0 };

	if (checkpoint)
		checkpoint(PMU_NEXT_REPORTED);
	if (!kept)
		return;
	pmu_strbuf_addf(&path, "%s/%s%u", kept, MPI_JOB_RANK, rank);
	pmu_strbuf_addf(&text, "%llu\n", (unsigned long long)n_ranks);
	if (!path.failed && !text.failed)
		pmu_report_write_file(path.text, text.text, text.len);
	pmu_strbuf_free(&path);
	pmu_strbuf_free(&text);
}
