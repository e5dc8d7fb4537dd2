/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as a store, the zeroes behind its head left out. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "report/model/histogram.h"
#include "store/read/live.h"
#include "store/read/snapshot.h"
#include "store/row.h"
#include "tests/fuzz/check_teams.h"
#include "tests/fuzz/fuzz.h"

static void check_histogram(const struct pmu_model_row *row)
{
	const struct pmu_model_histogram *histogram = row->histogram;
	uint64_t ns;

	for (unsigned int i = 0; histogram && i < histogram->n; i++)
		if (!histogram->bucket[i].calls ||
		    histogram->bucket[i].bucket >= PMU_LENGTH_BUCKETS ||
		    (i && histogram->bucket[i].bucket <= histogram->bucket[i - 1].bucket))
			abort();
	if (pmu_row_percentile(row, 999, &ns) && ns < row->min_ns)
		abort();
}

/* No call counts more than all of them. */
static void check_least(const struct pmu_model_section *section, const struct pmu_model_row *row)
{
	for (unsigned int i = 0; row->least && i < 32; i++)
		if (row->least->known >> i & 1 &&
		    (i >= section->n_counts || row->missing >> i & 1 ||
		     row->least->count[i] > row->raw[i]))
			abort();
}

/* A group's are a part of those of all groups. */
static void check_calls(const struct pmu_model_row *row)
{
	if (row->thread < 0 && (row->whole_calls < row->calls || row->all_calls < row->whole_calls))
		abort();
}

static void check_rows(const struct pmu_model *model, const struct pmu_model_section *section)
{
	const struct pmu_model_row *row;
	unsigned int i;

	for (i = 0; i < section->n_thread_rows; i++) {
		row = &section->thread_row[i];
		if (row->parent >= (int)i || !row->name || !row->path || row->thread < 0 ||
		    (unsigned int)row->thread >= model->n_threads + model->n_sockets)
			abort();
		check_histogram(row);
		check_least(section, row);
	}
	for (i = 0; i < section->n_rows; i++)
		check_calls(&section->row[i]);
}

/* Walks what a writer would. */
static void check_model(const struct pmu_model *model)
{
	unsigned int i;

	for (i = 0; i < model->n_sections; i++)
		check_rows(model, &model->section[i]);
	for (i = 0; i < model->n_doubts; i++)
		if (!model->doubt[i].text || !model->doubt[i].region)
			abort();
	for (i = 0; i < model->n_notes; i++)
		if (!model->note[i])
			abort();
}

static void check_live(void *arg, const struct pmu_live_thread *thread)
{
	unsigned int *left = arg;

	if (thread->flags & PMU_THREAD_SOCKET || !(*left)--)
		abort();
}

/* What looks at the file alone: no more threads than there is room for. */
static void look_at_file(const char *store, size_t size)
{
	unsigned int left = (unsigned int)(size / sizeof(struct pmu_store_thread));
	int fd = memfd_create("store", MFD_CLOEXEC);

	if (fd < 0 || write(fd, store, size) != (ssize_t)size)
		abort();
	pmu_store_each_live_of(fd, check_live, &left);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t head = sizeof(struct pmu_store_head);
	size_t behind = size > head ? size - head : 0;
	char *store = calloc(1, PMU_STORE_HEAD_SIZE + behind);
	struct pmu_store_piece piece = { .base = store, .size = PMU_STORE_HEAD_SIZE + behind };
	struct pmu_store_view view = { &piece, 1 };
	struct pmu_model *model = NULL;
	int rc;

	if (!store)
		return 0;
	if (size)
		memcpy(store, data, size < head ? size : head);
	if (behind)
		memcpy(store + PMU_STORE_HEAD_SIZE, data + head, behind);
	pmu_error_clear();
	rc = pmu_store_snapshot(&view, NULL, &model);
	if ((rc && !pmu_error_text()[0]) || (rc && model) || (!rc && !model))
		abort();
	if (!rc) {
		check_model(model);
		check_teams(model);
	}
	pmu_model_free(model);
	look_at_file(store, piece.size);
	free(store);
	return 0;
}
