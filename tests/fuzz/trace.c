/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as a store with rings, told as slices; the zeroes behind its head left out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/trace/flows.h"
#include "bindings/command/trace/nest.h"
#include "tests/fuzz/fuzz.h"

struct seen {
	uint64_t last;
	unsigned int depth;
};

static void check_slice(const struct pmu_slice *slice)
{
	if (!slice->row || !slice->row->raw || !slice->row->thread ||
	    slice->call.end < slice->call.begin)
		abort();
}

static int begin(void *arg, const struct pmu_slice *slice)
{
	struct seen *seen = arg;

	check_slice(slice);
	if (slice->beside)
		return 0;
	if (slice->begin < seen->last)
		abort();
	seen->last = slice->begin;
	seen->depth++;
	return 0;
}

static int end(void *arg, const struct pmu_slice *slice)
{
	struct seen *seen = arg;

	check_slice(slice);
	if (slice->beside)
		return 0;
	if (slice->end < seen->last || !seen->depth)
		abort();
	seen->last = slice->end;
	seen->depth--;
	return 0;
}

static int again(void *arg, const struct pmu_slice *slice)
{
	(void)arg;
	check_slice(slice);
	return 0;
}

/* Each ring to its end, and what begins ends. */
static void check_source(const struct pmu_trace_source *source)
{
	struct pmu_flows flows;

	for (size_t i = 0; i < source->n_rings; i++) {
		struct seen seen = { 0 };
		const struct pmu_nest_listener listener = { begin, end, again, &seen };
		int rc = pmu_nest_walk(source, &source->ring[i], &listener);

		if (rc && rc != -ENOMEM)
			abort();
		if (!rc && seen.depth)
			abort();
	}
	if (pmu_flows_find(source, &flows) == 0)
		pmu_flows_free(&flows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t head = sizeof(struct pmu_store_head);
	size_t behind = size > head ? size - head : 0;
	char *store = calloc(1, PMU_STORE_HEAD_SIZE + behind);
	struct pmu_store_piece piece = { .base = store, .size = PMU_STORE_HEAD_SIZE + behind };
	struct pmu_store_view view = { .piece = &piece, .n_pieces = 1 };
	struct pmu_trace_source source;

	if (!store)
		return 0;
	if (size)
		memcpy(store, data, size < head ? size : head);
	if (behind)
		memcpy(store + PMU_STORE_HEAD_SIZE, data + head, behind);
	pmu_error_clear();
	if (pmu_trace_source_open(&source, &view, behind & PMU_STORE_LIVE) == 0)
		check_source(&source);
	pmu_trace_source_close(&source);
	free(store);
	return 0;
}
