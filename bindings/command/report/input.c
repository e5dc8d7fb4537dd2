/* SPDX-License-Identifier: BSD-3-Clause */
/* What `pmu report` is given: stores and JSON reports. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/textfile.h"
#include "bindings/command/json/read.h"
#include "bindings/command/report/inputs.h"
#include "bindings/command/series/read.h"
#include "report/model/metric.h"
#include "store/place.h"
#include "store/read/list.h"
#include "store/read/snapshot.h"

#define MAX_JSON ((size_t)512 << 20)

static int read_series(struct pmu_input *input, const struct pmu_value *root)
{
	int rc;

	if (!input->wants_series)
		return pmu_fail(
			EINVAL,
			"it is of repeated runs already, which have no report in common with "
			"others: 'pmu report' takes it alone");
	input->series = calloc(1, sizeof(*input->series));
	rc = input->series ? pmu_series_read(root, input->series) : pmu_fail(ENOMEM, "no memory");
	if (rc) {
		free(input->series);
		input->series = NULL;
	}
	return rc;
}

static int read_json_text(struct pmu_input *input, char *text, size_t len)
{
	struct pmu_model_block *blocks = NULL;
	struct pmu_value root;
	int rc = pmu_value_parse(text, len, &blocks, &root);

	if (!rc)
		rc = pmu_series_is(&root) ? read_series(input, &root)
					  : pmu_json_read_value(&root, &input->model);
	pmu_block_free(&blocks);
	return rc;
}

static int read_json(struct pmu_input *input, int fd)
{
	size_t len;
	char *text;
	int rc = pmu_textfile_read_open(fd, MAX_JSON, &text, &len);

	if (rc == -EFBIG)
		return pmu_fail(EFBIG, "cannot read %s: it is larger than %zu MiB", input->path,
				MAX_JSON >> 20);
	if (rc)
		return pmu_fail(-rc, "cannot read %s: %s", input->path, strerror(-rc));
	rc = read_json_text(input, text, len);
	free(text);
	if (rc) {
		char reason[PMU_ERROR_MAX];

		snprintf(reason, sizeof(reason), "%s", pmu_error_text());
		return pmu_fail(rc, "cannot read %s: %s", input->path, reason);
	}
	return 0;
}

static bool is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

/* Files are read by several threads; of a program that runs one may be mapped at a time. */
static int take_snapshot(struct pmu_input *input, int fd, const struct pmu_store_head *head)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	bool alone = !head->ended && pmu_store_liveness(head) == PMU_PROCESS_ALIVE;
	int rc;

	if (alone)
		pthread_mutex_lock(&one);
	/* which refuses a link to a store */
	rc = input->kept && !is_link(input->path)
		     ? pmu_store_snapshot_open(fd, input->path, &input->model)
		     : pmu_store_snapshot_file(input->path, &input->model);
	if (alone)
		pthread_mutex_unlock(&one);
	return rc;
}

static int read_store(struct pmu_input *input, int fd, const struct pmu_store_head *head)
{
	char reason[PMU_ERROR_MAX];
	int rc = take_snapshot(input, fd, head);

	input->is_store = true;
	if (rc) {
		snprintf(reason, sizeof(reason), "%s", pmu_error_text());
		if (!strstr(reason, input->path))
			return pmu_fail(rc, "cannot read %s: %s", input->path, reason);
		return rc;
	}
	input->is_alive = !head->ended && pmu_store_liveness(head) == PMU_PROCESS_ALIVE;
	pmu_metric_fill(input->model);
	return 0;
}

/* Killed before anything was in it: then the name tells the process. */
static int read_begun(struct pmu_input *input)
{
	const char *slash = strrchr(input->path, '/');
	struct pmu_store_head head;

	input->is_store = pmu_store_head_of_name(slash ? slash + 1 : input->path, &head);
	if (!input->is_store)
		return pmu_fail(
			EINVAL,
			"cannot read %s: it is empty, or begins with zeros as the store of a program that was "
			"killed while it started",
			input->path);
	input->is_alive = pmu_store_liveness(&head) == PMU_PROCESS_ALIVE;
	return pmu_fail(EINVAL, "cannot read %s: its program %s; 'pmu report --remove' removes it",
			input->path,
			input->is_alive ? "has just started: there is nothing in it yet"
					: "was killed while it started: there is nothing in it");
}

static int open_input(const struct pmu_input *input)
{
	if (input->kept && *input->kept >= 0)
		return *input->kept;
	return PMU_RETRY(open(input->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

/* What a file is, is told by how it begins. */
int pmu_input_read(struct pmu_input *input)
{
	struct pmu_store_head head = { 0 };
	struct stat st;
	ssize_t n;
	int fd, rc;

	fd = open_input(input);
	if (fd < 0)
		return pmu_fail(errno, "cannot open %s: %s", input->path, strerror(errno));
	n = fstat(fd, &st) || !S_ISREG(st.st_mode) ? -1
						   : PMU_RETRY(pread(fd, &head, sizeof(head), 0));
	if (n < 0)
		rc = pmu_fail(EINVAL, "cannot read %s: it is not an ordinary file", input->path);
	else if (!n)
		rc = read_begun(input);
	else if (n >= 8 && !memcmp(head.magic, PMU_STORE_MAGIC, 8))
		rc = read_store(input, fd, &head);
	else if (n >= 8 && !memcmp(head.magic, "\0\0\0\0\0\0\0", 8))
		rc = read_begun(input);
	else if (memchr("{ \t\r\n", head.magic[0], 5))
		rc = read_json(input, fd);
	else
		rc = pmu_fail(EINVAL, "cannot read %s: it is neither a store nor a JSON report",
			      input->path);
	/* a report is written anew, by another file in its place */
	if (input->kept && input->is_store)
		*input->kept = fd;
	else
		close(fd);
	return rc;
}
