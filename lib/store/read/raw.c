/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies a store that may be written to meanwhile. */
#define PMU_STORE_READER 1
#include "store/read/raw.h"

#include <stdlib.h>
#include <string.h>

#include "store/read/reader.h"

/*
 * Rows with a name beyond the pieces we were given are newer than our look at the
 * store: they and all that came after them are not there yet.
 */
static void cut_newer_rows(struct pmu_reader *reader)
{
	struct pmu_raw *raw = reader->raw;
	struct pmu_raw_thread *thread;
	size_t i, j;

	if (!pmu_reader_is_short(reader))
		return;
	for (i = 0; i < raw->n_threads; i++) {
		thread = &raw->thread[i];
		for (j = 0; j < thread->n_rows; j++)
			if (thread->row[j].name >= raw->n_names)
				thread->n_rows = j;
	}
}

int pmu_raw_read(const struct pmu_store_view *view, bool live, struct pmu_raw *raw)
{
	const struct pmu_store_piece *last = &view->piece[view->n_pieces - 1];
	struct pmu_reader reader = { .view = view,
				     .head = pmu_store_head_of(view),
				     .view_end = last->offset + last->size,
				     .live = live,
				     .raw = raw };
	int rc;

	memset(raw, 0, sizeof(*raw));
	rc = pmu_reader_threads(&reader);
	/* After the rows: whatever they name is there by now. */
	if (!rc)
		rc = pmu_reader_walk(&reader, pmu_reader_take_texts);
	if (!rc)
		cut_newer_rows(&reader);
	free(reader.rows);
	free(reader.sides);
	free(reader.gone);
	return rc;
}

void pmu_raw_free(struct pmu_raw *raw)
{
	size_t i;

	for (i = 0; i < raw->n_threads; i++)
		free(raw->thread[i].row);
	free(raw->thread);
	free(raw->bucket);
	free(raw->turns);
	free(raw->meta);
	free(raw->name);
}
