/* SPDX-License-Identifier: BSD-3-Clause */
/* Where reports go: standard error, standard output, and files that overwrite nothing. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/time.h"
#include "base/write.h"
#include "report/report.h"
#include "report/text/terminal.h"
#include "session/output.h"
#include "session/rank.h"
#include "session/session.h"

#define OUTPUT_PATH_MAX ((size_t)2 * PATH_MAX)

/*
 * A file that appeared after the first session began was written by this run, in this process or
 * another one.
 * @unless: what it is where the system does not say
 */
static bool is_taken_path(const char *path, bool unless)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return unless && errno != ENOENT && errno != ENOTDIR;
	return S_ISREG(st.st_mode) && pmu_time_ns(st.st_mtim) >= pmu_session.first_start_unix_ns;
}

static bool is_device(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* A relative path is relative to the working directory at the start of the session. */
static int absolute(const char *path, char *out, size_t size)
{
	const char *folder = path[0] == '/' || !pmu_session.folder ? "" : pmu_session.folder;
	int n = snprintf(out, size, "%s%s%s", folder, *folder ? "/" : "", path);

	return n < (int)size ? 0 : -ENAMETOOLONG;
}

/*
 * A configured path as the name of a file that this run has not written yet; @plain is room to work
 * in.
 */
static int resolve_output(const char *configured, char *path, char *plain, size_t size)
{
	const char *rank = pmu_session_rank();
	char host[256] = "";
	struct pmu_output_names names = {
		.pid = pmu_session.pid,
		.rank = rank ? rank : "0",
		.host = host,
		.nth = pmu_session.table.nth,
	};
	bool ours_alone = !pmu_session.in_child && names.nth == 1;
	bool own_name;
	int rc;

	gethostname(host, sizeof(host) - 1);
	rc = pmu_output_path(configured, &names, path, size);
	if (rc < 0)
		return rc;
	own_name = ours_alone || strcmp(path, configured);
	rc = absolute(path, plain, size);
	if (rc < 0)
		return rc;
	/* what an earlier session of this process has written must not be lost */
	if (is_device(plain) || (own_name && !is_taken_path(plain, pmu_session.n_started > 1))) {
		memcpy(path, plain, strlen(plain) + 1);
		return 0;
	}
	for (unsigned int nth = names.nth > 1 ? names.nth : 0; nth < 100000; nth += nth ? 1 : 2) {
		rc = pmu_output_aside(plain, pmu_session.pid, nth, path, size);
		if (rc < 0 || !is_taken_path(path, false))
			return rc < 0 ? rc : 0;
	}
	return -EEXIST;
}

/*
 * Sessions of one user that end together choose names and write one after the other. Without the
 * lock in time they go on: a report matters more than its name.
 */
static int lock_outputs(void)
{
	char dir[512], path[528];
	int fd;

	if (pmu_store_dir(1, dir, sizeof(dir)) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/outputs", dir);
	fd = PMU_RETRY(open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
	for (int tries = 0; fd >= 0 && tries < 200; tries++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			break;
		usleep(1000);
	}
	return fd;
}

static void unlock_outputs(struct pmu_output *output)
{
	/*
	 * a child forked meanwhile has this descriptor too: closing alone would leave it the lock
	 */
	if (output->lock >= 0) {
		flock(output->lock, LOCK_UN);
		close(output->lock);
	}
	output->lock = -1;
}

void pmu_output_forget(struct pmu_output *output)
{
	pmu_strbuf_free(&output->text);
	free(output->path);
	unlock_outputs(output);
}

/* Threads may have small stacks: paths lie on the heap. */
int pmu_output_name(struct pmu_output *output)
{
	char *plain = malloc(OUTPUT_PATH_MAX);
	int rc = -ENOMEM;

	output->lock = -1;
	output->path = malloc(OUTPUT_PATH_MAX);
	output->lock = lock_outputs();
	if (plain && output->path)
		rc = resolve_output(output->configured, output->path, plain, OUTPUT_PATH_MAX);
	free(plain);
	if (rc < 0) {
		pmu_output_forget(output);
		return pmu_fail(-rc, "cannot write %s: %s", output->configured, strerror(-rc));
	}
	/*
	 * A device or pipe is written without the lock: other processes may use the same one, and
	 * its reader may be slow.
	 */
	if (is_device(output->path))
		unlock_outputs(output);
	return 0;
}

static bool is_stdout(const char *configured)
{
	return configured && !strcmp(configured, "-");
}

int pmu_output_prepare(struct pmu_output *output, const struct pmu_model *model,
		       const char *configured)
{
	struct pmu_text_options text = pmu_session.config.report;
	int rc = 0;

	if (!configured)
		pmu_terminal_fit(&text, pmu_session.err.fd);
	else if (is_stdout(configured))
		pmu_terminal_fit(&text, pmu_session.out.fd);
	*output = (struct pmu_output){ .configured = configured, .lock = -1 };
	pmu_report_render(&output->text, model,
			  configured ? pmu_report_format_of(configured) : PMU_REPORT_TEXT, &text);
	if (output->text.failed)
		rc = pmu_fail(ENOMEM, "no memory for the report");
	else if (is_stdout(configured) && pmu_session.out.fd < 0)
		pmu_sink_open(&pmu_session.out, STDOUT_FILENO);
	else if (!configured && pmu_session.kept && pmu_session.err.fd < 0)
		pmu_sink_open(&pmu_session.err, STDERR_FILENO);
	else if (configured && !is_stdout(configured))
		rc = pmu_output_name(output);
	if (rc < 0)
		pmu_output_forget(output);
	return rc;
}

/* What the program has printed comes before the report. */
static void flush_stdout(void)
{
	struct pmu_write_hold hold;

	if (ftrylockfile(stdout))
		return;
	pmu_write_hold(&hold);
	pmu_write_release(&hold, fflush_unlocked(stdout) ? -errno : 0);
	funlockfile(stdout);
}

int pmu_output_send(struct pmu_output *output)
{
	const struct pmu_strbuf *text = &output->text;
	int rc;

	if (!output->configured) {
		rc = pmu_sink_write(&pmu_session.err, text->text, text->len);
		/*
		 * Closed on purpose: the report goes nowhere rather than into a file of the
		 * program's.
		 */
		if (rc == -EBADF)
			rc = 0;
	} else if (is_stdout(output->configured)) {
		flush_stdout();
		rc = pmu_sink_write(&pmu_session.out, text->text, text->len);
		if (rc < 0)
			pmu_fail(-rc, "cannot write to standard output: %s", strerror(-rc));
	} else {
		rc = pmu_report_write_file(output->path, text->text, text->len);
	}
	pmu_output_forget(output);
	return rc;
}

/* --- what PMU_OUTPUT asks for --- */

bool pmu_output_wants_stdout(void)
{
	const char *at = pmu_session.config.output;

	for (; *at; at += strcspn(at, ","), at += *at == ',')
		if (at[0] == '-' && (at[1] == ',' || !at[1]))
			return true;
	return false;
}

static int write_one(const struct pmu_model *model, const char *configured)
{
	struct pmu_output output;
	int rc = pmu_output_prepare(&output, model, configured);

	return rc < 0 ? rc : pmu_output_send(&output);
}

/*
 * A report that libpmu-mpi has made of several processes is not written over by one of this process.
 * What the program itself has asked for is its own.
 */
static bool is_ranks_report(const char *path)
{
	const char *list = secure_getenv("PMU_OUTPUT");

	if (!pmu_session.reported || strcmp(list ? list : "", pmu_session.config.output) != 0)
		return false;
	return !pmu_output_is_of_one(path, strlen(path));
}

int pmu_output_write_all(const struct pmu_model *model)
{
	char *list, *rest, *path;
	int first = 0;

	if (!strcmp(pmu_session.config.output, "none"))
		return 0;
	if (!pmu_session.config.output[0])
		return is_ranks_report("") ? 0 : write_one(model, NULL);
	list = rest = strdup(pmu_session.config.output);
	if (!list)
		return pmu_fail(ENOMEM, "no memory for the reports");
	while ((path = strsep(&rest, ","))) {
		int rc = *path && !is_ranks_report(path) ? write_one(model, path) : 0;

		if (rc < 0)
			pmu_session_say("%s", pmu_error_text());
		if (rc < 0 && first == 0)
			first = rc;
	}
	free(list);
	return first;
}
