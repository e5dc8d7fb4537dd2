/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of traces in memory: a format of timelines (bindings/command/trace/timeline.h) that writes nothing,
 * because a page can have no more of them than a browser shows without stutter.
 */
#include "bindings/command/page/calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/page/timeline.h"
#include "bindings/command/trace/timeline.h"
#include "bindings/command/viewers/protobuf.h"
#include "pmu.h"
#include "report/json_put.h"
#include "store/read/reader.h"

/* Until so many are there, nothing is thrown away. */
#define GATHERED (PMU_PAGE_SLICES + PMU_PAGE_SLICES / 4)

static void put_names(struct pmu_strbuf *out, const struct pmu_raw *raw)
{
	key(out, ",\n  ", "names");
	pmu_strbuf_add(out, "[");
	for (size_t i = 0; i < raw->n_names; i++) {
		char name[PMU_NAME_MAX + 1] = "";
		size_t len = raw->name[i].len < PMU_NAME_MAX ? raw->name[i].len : PMU_NAME_MAX;

		if (len)
			memcpy(name, raw->name[i].text, len);
		pmu_strbuf_add(out, i ? "," : "");
		pmu_encode_json(out, name);
	}
	pmu_strbuf_add(out, "]");
}

/* As many counts as calls in it have: those that nothing is known of have none. */
static void put_groups(struct pmu_strbuf *out, const struct pmu_timeline_process *process)
{
	key(out, ",\n  ", "groups");
	pmu_strbuf_add(out, "[");
	for (size_t g = 0; g < PMU_STORE_MAX_GROUPS; g++) {
		const struct pmu_model_section *section = process->group[g].section;

		pmu_strbuf_add(out, g ? "," : "");
		put_text(out, "{", "name", section ? section->group : "");
		key(out, ",", "counts");
		pmu_strbuf_add(out, "[");
		for (uint32_t i = 0; section && i < process->source->raw.group[g].n_slots; i++) {
			put_text(out, i ? ",{" : "{", "name", section->count[i].name);
			put_text(out, ",", "unit", section->count[i].unit);
			pmu_strbuf_add(out, "}");
		}
		pmu_strbuf_add(out, "]}");
	}
	pmu_strbuf_add(out, "]");
}

static void calls_put_process(struct pmu_timeline *to, struct pmu_timeline_process *process)
{
	struct pmu_page_calls *calls = to->arg;
	const struct pmu_trace_source *source = process->source;
	const char *program = source->model->program ? source->model->program : "";
	const char *slash = strrchr(program, '/');
	struct pmu_strbuf *out;

	free(calls->place);
	free(calls->lane_of);
	calls->place = calloc(source->n_rows + (size_t)1, sizeof(*calls->place));
	calls->lane_of = calloc(source->n_rows + (size_t)1, sizeof(*calls->lane_of));
	if (!calls->place || !calls->lane_of ||
	    pmu_reader_make_room(&calls->process, calls->n_processes, &calls->room_processes,
				 sizeof(*calls->process))) {
		to->out.failed = 1;
		return;
	}
	out = &calls->process[calls->n_processes++];
	*out = (struct pmu_strbuf){ 0 };
	put_text(out, "{", "name", pmu_strbuf_text(&process->name));
	put_text(out, ",", "program", slash ? slash + 1 : program);
	put_i64(out, ",", "pid", source->model->pid);
	put_names(out, &source->raw);
	put_groups(out, process);
	put_u64(out, ",\n  ", "lost", source->dropped);
	put_u64(out, ",", "damaged", source->n_damaged);
}

static uint32_t add_lane_row(struct pmu_page_calls *calls, struct pmu_page_lane *lane,
			     const struct pmu_timeline_process *process, uint32_t row)
{
	const struct pmu_trace_row *is = &process->source->row[row];
	uint32_t name = is->raw->name < process->source->raw.n_names ? is->raw->name : 0;
	bool inside = is->parent != PMU_TRACE_NO_ROW &&
		      calls->lane_of[is->parent] == calls->n_lanes;

	pmu_protobuf_varint(&lane->rows, name);
	pmu_protobuf_varint(&lane->rows, inside ? calls->place[is->parent] + (uint64_t)1 : 0);
	pmu_protobuf_varint(&lane->rows, 2 * (uint64_t)is->thread->group |
						 (is->raw->flags & PMU_STORE_ROW_TEAM ? 1 : 0));
	calls->place[row] = lane->n_rows++;
	calls->lane_of[row] = (uint32_t)calls->n_lanes;
	return calls->place[row];
}

static void calls_put_thread(struct pmu_timeline *to, const struct pmu_timeline_thread *thread)
{
	const struct pmu_trace_source *source = thread->process->source;
	const struct pmu_store_thread *record = &thread->ring->thread->record;
	struct pmu_page_calls *calls = to->arg;
	struct pmu_page_lane *lane;

	if (to->out.failed ||
	    pmu_reader_make_room(&calls->lane, calls->n_lanes, &calls->room_lanes, sizeof(*lane))) {
		to->out.failed = 1;
		return;
	}
	lane = &calls->lane[calls->n_lanes++];
	*lane = (struct pmu_page_lane){ .process = (uint32_t)calls->n_processes - 1,
					.number = record->number,
					.tid = record->tid,
					.lost = thread->ring->lost,
					.left_out = thread->ring->left_out };
	memcpy(lane->name, record->name, sizeof(record->name));
	calls->depth = 0;
	/* parents stand before their rows */
	for (size_t t = 0; t < source->raw.n_threads; t++)
		for (size_t i = 0; source->raw.thread[t].record.number == record->number &&
				   i < source->raw.thread[t].n_rows;
		     i++)
			add_lane_row(calls, lane, thread->process,
				     source->first_row[t] + (uint32_t)i);
}

static void calls_put_begin(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			    const struct pmu_timeline_slice *slice)
{
	struct pmu_page_calls *calls = to->arg;

	(void)thread;
	calls->depth += !slice->is->beside;
}

static uint32_t kind_of(const struct pmu_page_calls *calls, const struct pmu_slice *is)
{
	return calls->depth * PMU_PAGE_FLAGS |
	       (is->call.flags & PMU_TRACE_PART ? PMU_PAGE_PART : 0) |
	       (is->is_open ? PMU_PAGE_OPEN : 0) | (is->beside ? PMU_PAGE_BESIDE : 0) |
	       (is->again ? PMU_PAGE_AGAIN : 0);
}

/* 0: missing */
static void put_counts(struct pmu_strbuf *out, const struct pmu_timeline_slice *slice)
{
	for (uint32_t i = 0; i < slice->n_counts; i++) {
		uint64_t count = slice->is->count[i];
		uint64_t written = (int64_t)count < 0 ? 2 * (0 - count) : 2 * count + 1;

		pmu_protobuf_varint(out, slice->missing >> i & 1 ? 0 : written);
	}
}

static void calls_put_end(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			  const struct pmu_timeline_slice *slice)
{
	struct pmu_page_calls *calls = to->arg;
	uint32_t row = slice->is->call.row;
	struct pmu_page_call call = { .begin = slice->begin_ns,
				      .length = slice->end_ns - slice->begin_ns,
				      .again = slice->is->again,
				      .lane = (uint32_t)calls->n_lanes - 1 };

	calls->depth -= !slice->is->beside;
	if (to->out.failed)
		return;
	call.kind = kind_of(calls, slice->is);
	if (call.length < calls->bound) {
		pmu_page_leave_out(&call, &calls->not_shown, &calls->not_shown_ns);
		return;
	}
	if (calls->n == GATHERED)
		pmu_page_keep_longest(calls);
	if (pmu_reader_make_room(&calls->call, calls->n, &calls->room, sizeof(call))) {
		to->out.failed = 1;
		return;
	}
	call.row = calls->lane_of[row] == calls->n_lanes
			   ? calls->place[row]
			   : add_lane_row(calls, &calls->lane[call.lane], thread->process, row);
	call.counts_at = calls->counts.len;
	put_counts(&calls->counts, slice);
	call.counts_len = (uint32_t)(calls->counts.len - call.counts_at);
	call.kind |= call.counts_len ? PMU_PAGE_COUNTS : 0;
	calls->call[calls->n++] = call;
	to->out.failed |= calls->counts.failed;
}

static void nothing(struct pmu_timeline *to)
{
	(void)to;
}

/* The number of them is with the call that they are in. */
static void calls_put_again(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			    const struct pmu_timeline_slice *slice)
{
	(void)to;
	(void)thread;
	(void)slice;
}

static const struct pmu_timeline_format format = {
	.start = nothing,
	.process = calls_put_process,
	.thread = calls_put_thread,
	.begin = calls_put_begin,
	.end = calls_put_end,
	.again = calls_put_again,
	.finish = nothing,
};

int pmu_page_calls_gather(struct pmu_page_calls *calls, const char *const *store, size_t n)
{
	struct pmu_timeline *to = calloc(1, sizeof(*to));
	int rc;

	if (!to)
		return pmu_fail(ENOMEM, "no memory for the timeline");
	to->format = &format;
	to->arg = calls;
	rc = pmu_timeline_walk(to, store, n);
	calls->untraced = to->written.untraced;
	if (!rc && to->written.unread)
		pmu_command_error("not in the timeline: %s", to->written.why);
	if (!rc && calls->n > PMU_PAGE_SLICES)
		pmu_page_keep_longest(calls);
	pmu_strbuf_free(&to->out);
	free(to);
	return rc;
}

void pmu_page_calls_free(struct pmu_page_calls *calls)
{
	for (size_t p = 0; p < calls->n_processes; p++)
		pmu_strbuf_free(&calls->process[p]);
	for (size_t l = 0; l < calls->n_lanes; l++)
		pmu_strbuf_free(&calls->lane[l].rows);
	pmu_strbuf_free(&calls->counts);
	free(calls->process);
	free(calls->lane);
	free(calls->call);
	free(calls->place);
	free(calls->lane_of);
}
