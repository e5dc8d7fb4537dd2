/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the call that a worker's part belongs to: by the region's path, and by time. */
#include "bindings/command/trace/flows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/read/reader.h"

/* Most parts of teams that get arrows: those behind have none. */
#define MAX_PARTS ((size_t)1 << 20)
/* Calls of a region that are open at once, in as many threads. */
#define MAX_AT_ONCE 64

/** A call that is a region's, or a worker's part of it. */
struct part {
	uint64_t path;
	uint64_t begin, end; /* ticks */
	uint32_t ring, index;
};

struct parts {
	struct part *of;
	size_t n, room;
};

struct search {
	const struct pmu_trace_source *source;
	uint64_t *path; /* of regions that were worked for, in ascending order */
	size_t n_paths;
	struct parts openers, workers;
};

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int by_part_path(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int by_flow_place(const void *a, const void *b)
{
	const struct pmu_flow_end *x = a, *y = b;

	if (x->ring != y->ring)
		return x->ring < y->ring ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static bool is_team_row(const struct pmu_trace_row *row)
{
	return row->raw->flags & PMU_STORE_ROW_TEAM;
}

static int find_paths(struct search *search)
{
	const struct pmu_trace_source *source = search->source;

	search->path = calloc(source->n_rows + (size_t)1, sizeof(*search->path));
	if (!search->path)
		return -ENOMEM;
	for (uint32_t i = 0; i < source->n_rows; i++)
		if (is_team_row(&source->row[i]) && source->row[i].raw->calls)
			search->path[search->n_paths++] = source->row[i].path;
	qsort(search->path, search->n_paths, sizeof(*search->path), by_number);
	return 0;
}

static bool is_worked_for(const struct search *search, const struct pmu_trace_row *row)
{
	return bsearch(&row->path, search->path, search->n_paths, sizeof(*search->path), by_number);
}

static int add_flow_part(struct parts *parts, const struct part *part)
{
	if (parts->n == MAX_PARTS)
		return 0;
	if (pmu_reader_make_room(&parts->of, parts->n, &parts->room, sizeof(*parts->of)))
		return -ENOMEM;
	parts->of[parts->n++] = *part;
	return 0;
}

/* @kind: [n_rows] 1 of an opener's row, 2 of a worker's, else 0 */
static int take_flow_ring(struct search *search, uint32_t r, const unsigned char *kind)
{
	const struct pmu_trace_source *source = search->source;
	const struct pmu_trace_ring *ring = &source->ring[r];
	int rc = 0;

	for (uint64_t i = 0; i < ring->n && !rc; i++) {
		struct pmu_trace_call call = pmu_trace_call_at(source, ring, i, NULL);
		struct part part = {
			.begin = call.begin, .end = call.end, .ring = r, .index = (uint32_t)i
		};

		if (call.row == PMU_TRACE_NO_ROW || !kind[call.row] ||
		    call.flags & (PMU_TRACE_AGAIN | PMU_TRACE_WAITED))
			continue;
		part.path = source->row[call.row].path;
		rc = add_flow_part(kind[call.row] == 1 ? &search->openers : &search->workers,
				   &part);
	}
	return rc;
}

static int take_flow_rings(struct search *search)
{
	const struct pmu_trace_source *source = search->source;
	unsigned char *kind = calloc(source->n_rows + (size_t)1, 1);
	int rc = kind ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < source->n_rows && kind; i++)
		kind[i] = is_team_row(&source->row[i])             ? 2
			  : is_worked_for(search, &source->row[i]) ? 1
								   : 0;
	for (uint32_t r = 0; r < source->n_rings && !rc; r++)
		rc = take_flow_ring(search, r, kind);
	free(kind);
	return rc;
}

/* The last one that has begun by then, and not ended. */
static const struct part *opener_of(const struct search *search, const struct part *worker)
{
	size_t low = 0, high = search->openers.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_part_path(&search->openers.of[middle], worker) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t back = 0; low > 0 && back < MAX_AT_ONCE; back++) {
		const struct part *opener = &search->openers.of[--low];

		if (opener->path != worker->path)
			return NULL;
		if (opener->end >= worker->begin)
			return opener;
	}
	return NULL;
}

static int join(struct search *search, struct pmu_flows *flows)
{
	size_t room = search->workers.n + 1;

	flows->from = calloc(room, sizeof(*flows->from));
	flows->to = calloc(room, sizeof(*flows->to));
	if (!flows->from || !flows->to)
		return -ENOMEM;
	if (search->openers.n)
		qsort(search->openers.of, search->openers.n, sizeof(struct part), by_part_path);
	for (size_t i = 0; i < search->workers.n; i++) {
		const struct part *worker = &search->workers.of[i];
		const struct part *opener = opener_of(search, worker);

		if (!opener)
			continue;
		flows->from[flows->n] = (struct pmu_flow_end){ opener->ring, opener->index,
							       flows->n + 1 };
		flows->to[flows->n] = (struct pmu_flow_end){ worker->ring, worker->index,
							     flows->n + 1 };
		flows->n++;
	}
	qsort(flows->from, flows->n, sizeof(*flows->from), by_flow_place);
	qsort(flows->to, flows->n, sizeof(*flows->to), by_flow_place);
	return 0;
}

int pmu_flows_find(const struct pmu_trace_source *source, struct pmu_flows *flows)
{
	struct search search = { .source = source };
	int rc = find_paths(&search);

	memset(flows, 0, sizeof(*flows));
	if (!rc && search.n_paths)
		rc = take_flow_rings(&search);
	if (!rc && search.workers.n)
		rc = join(&search, flows);
	free(search.path);
	free(search.openers.of);
	free(search.workers.of);
	if (rc)
		pmu_flows_free(flows);
	return rc;
}

void pmu_flows_free(struct pmu_flows *flows)
{
	free(flows->from);
	free(flows->to);
	memset(flows, 0, sizeof(*flows));
}

size_t pmu_flow_ends(const struct pmu_flow_end *end, size_t n, uint32_t ring, uint64_t index,
		     const struct pmu_flow_end **first)
{
	struct pmu_flow_end wanted = { ring, (uint32_t)index, 0 };
	size_t low = 0, high = n, last;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_flow_place(&end[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (last = low; last < n && end[last].ring == ring && end[last].index == index; last++)
		;
	*first = end + low;
	return last - low;
}
