/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of traces as a page has them.
 *
 *   not_shown     calls that are not here because they were too many; not_shown_ns: the longest of them
 *   without_counts, without_counts_ns    likewise calls that are here, but not what they counted
 *   untraced      processes without a trace
 *   processes     [{name, program, pid, names, groups, lost, damaged, threads}]
 *     names       [n] of regions, each once
 *     groups      [{name, counts: [{name, unit}]}]
 *     lost        calls of threads that no ring was left for; damaged: rings that made no sense
 *     threads     [{number, name, tid, lost, left_out, n, n_rows, rows, begin, length, row, kind, again, counts}]
 *       lost      calls that the ring had no room for; left_out: that were shorter than PMU_TRACE_MIN
 *       n         calls, in the order of their begins, what is around others first
 *       rows      three numbers for each of n_rows regions: name, index; parent, 1 + index of a row, 0
 *                 none; 2 * index of its group + 1 where another thread had it open: what was done
 *                 there for it is no call
 *       begin     of each call, ns since the one before it, of the first since the timeline's begin
 *       length    ns
 *       row       index of its region
 *       kind      32 * how deep it is nested + flags: 1 a part of a call, up to a checkpoint; 2 had not
 *                 ended; 4 on a track of its own, which it shares with none but its region's; 8 has a
 *                 number in again; 16 has numbers in counts
 *       again     of those calls with that flag: how many of the same region were in it
 *       counts    of those with that flag, for each count of its region's group: 0 missing, else 1 + 2 * n
 *                 of 0 and more, -2 * n of less than 0
 *
 * From rows on these are strings: base64 of numbers, seven bits a byte, the lowest first, the eighth set
 * in all but the last (as protobuf's varint).  A call takes 7 to 10 bytes without its counts.
 */
#include "bindings/command/page/timeline.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "bindings/command/page/calls.h"
#include "bindings/command/viewers/protobuf.h"
#include "report/json_put.h"
#include "reports/base64.h"

static int by_begin(const void *a, const void *b)
{
	const struct pmu_page_call *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->kind / PMU_PAGE_FLAGS != y->kind / PMU_PAGE_FLAGS)
		return x->kind / PMU_PAGE_FLAGS < y->kind / PMU_PAGE_FLAGS ? -1 : 1;
	return x->length < y->length ? -1 : x->length > y->length;
}

static void put_call_columns(struct pmu_strbuf *json, const struct pmu_page_calls *calls,
			     const struct pmu_page_call *call, size_t n, uint64_t before)
{
	struct {
		const char *name;
		struct pmu_strbuf bytes;
	} column[] = { { "begin", { 0 } }, { "length", { 0 } }, { "row", { 0 } },
		       { "kind", { 0 } },  { "again", { 0 } },  { "counts", { 0 } } };

	for (size_t i = 0; i < n; before = call[i++].begin) {
		pmu_protobuf_varint(&column[0].bytes, call[i].begin - before);
		pmu_protobuf_varint(&column[1].bytes, call[i].length);
		pmu_protobuf_varint(&column[2].bytes, call[i].row);
		pmu_protobuf_varint(&column[3].bytes, call[i].kind);
		if (call[i].kind & PMU_PAGE_AGAIN)
			pmu_protobuf_varint(&column[4].bytes, call[i].again);
		if (call[i].kind & PMU_PAGE_COUNTS)
			pmu_strbuf_add_n(&column[5].bytes, calls->counts.text + call[i].counts_at,
					 call[i].counts_len);
	}
	for (size_t c = 0; c < PMU_ARRAY_LEN(column); c++) {
		key(json, ",\n   ", column[c].name);
		pmu_encode_base64(json, &column[c].bytes);
		pmu_strbuf_free(&column[c].bytes);
	}
}

/* Return: how many calls were its. */
static size_t put_lane_calls(struct pmu_strbuf *json, const struct pmu_page_calls *calls, size_t l,
			     size_t first, uint64_t begin)
{
	const struct pmu_page_lane *lane = &calls->lane[l];
	size_t end = first;

	while (end < calls->n && calls->call[end].lane == l)
		end++;
	put_u64(json, "{", "number", lane->number);
	put_text(json, ",", "name", lane->name);
	put_i64(json, ",", "tid", lane->tid);
	put_u64(json, ",", "lost", lane->lost);
	put_u64(json, ",", "left_out", lane->left_out);
	put_u64(json, ",", "n", end - first);
	put_u64(json, ",", "n_rows", lane->n_rows);
	key(json, ",\n   ", "rows");
	pmu_encode_base64(json, &lane->rows);
	put_call_columns(json, calls, &calls->call[first], end - first, begin);
	pmu_strbuf_add(json, "}");
	return end - first;
}

static uint64_t begin_of(const struct pmu_page_calls *calls)
{
	uint64_t begin = UINT64_MAX;

	for (size_t i = 0; i < calls->n; i++)
		begin = calls->call[i].begin < begin ? calls->call[i].begin : begin;
	return begin;
}

static void put_processes(struct pmu_strbuf *json, const struct pmu_page_calls *calls)
{
	uint64_t begin = begin_of(calls);
	size_t at = 0, l = 0;

	key(json, ",\n ", "processes");
	pmu_strbuf_add(json, "[");
	for (size_t p = 0; p < calls->n_processes; p++) {
		pmu_strbuf_add(json, p ? ",\n " : "\n ");
		pmu_strbuf_add(json, pmu_strbuf_text(&calls->process[p]));
		json->failed |= calls->process[p].failed;
		key(json, ",\n  ", "threads");
		pmu_strbuf_add(json, "[");
		for (bool first = true; l < calls->n_lanes && calls->lane[l].process == p;
		     first = false) {
			pmu_strbuf_add(json, first ? "\n   " : ",\n   ");
			at += put_lane_calls(json, calls, l++, at, begin);
		}
		pmu_strbuf_add(json, "]}");
	}
	pmu_strbuf_add(json, "]}");
}

int pmu_page_timeline(struct pmu_strbuf *json, const char *const *store, size_t n)
{
	struct pmu_page_calls calls = { 0 };
	int rc = pmu_page_calls_gather(&calls, store, n);

	if (!rc) {
		pmu_page_limit_counts(&calls);
		qsort(calls.call, calls.n, sizeof(*calls.call), by_begin);
		put_u64(json, "{", "not_shown", calls.not_shown);
		put_u64(json, ",", "not_shown_ns", calls.not_shown_ns);
		put_u64(json, ",", "without_counts", calls.without_counts);
		put_u64(json, ",", "without_counts_ns", calls.without_counts_ns);
		put_u64(json, ",", "untraced", calls.untraced);
		put_processes(json, &calls);
	}
	if (!rc && json->failed)
		rc = pmu_fail(ENOMEM, "no memory for the timeline");
	pmu_page_calls_free(&calls);
	return rc;
}
