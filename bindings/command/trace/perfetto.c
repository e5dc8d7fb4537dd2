/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Perfetto's trace format: packets one after the other, names defined where they first occur.
 *
 * Source: google/perfetto, protos/perfetto/trace: trace_packet.proto and what it includes;
 * docs/reference/synthetic-track-event.md.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bindings/command/trace/timeline.h"
#include "bindings/command/viewers/protobuf.h"
#include "pmu.h"
#include "report/encode.h"

/* Numbers of fields, by message. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60,
};
enum { STATE_CLEARED = 1, STATE_NEEDED = 2 };
enum { CLOCK_SNAPSHOT_CLOCKS = 1, CLOCK_ID = 1, CLOCK_TIME = 2 };
enum { CLOCK_REAL = 1, CLOCK_MONO = 3, CLOCK_BOOT = 6 };
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_ABOUT = 14,
};
enum { PROCESS_PID = 1, PROCESS_COMMAND = 2, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT_NAME = 6 };
enum { INTERNED_EVENT = 2, INTERNED_ANNOTATION = 3, INTERNED_ID = 1, INTERNED_NAME = 2 };
enum {
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_DOUBLE = 44,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum { ANNOTATION_NAME_ID = 1, ANNOTATION_INT = 4, ANNOTATION_DOUBLE = 5 };

/* Names of annotations beside those of counts and metrics. */
enum { NAME_PART = 1, NAME_OPEN, NAME_WAITS, NAME_LATER = NAME_WAITS + PMU_TIMELINE_WAITS };
static const char *const others[] = {
	[NAME_PART] = PMU_TIMELINE_PART,
	[NAME_OPEN] = PMU_TIMELINE_OPEN,
};

#define MAX_METRICS 64u

/* --- ids --- */

static uint64_t base_of(const struct pmu_timeline_process *process)
{
	return (uint64_t)(process->index + 1) << 44;
}

static uint64_t track_of_process(const struct pmu_timeline_process *process)
{
	return base_of(process) + 1;
}

/* 2^13 apart: behind a thread's are its counters'. */
static uint64_t track_of_thread(const struct pmu_timeline_thread *thread)
{
	return base_of(thread->process) + (UINT64_C(1) << 42) + ((uint64_t)thread->index << 13);
}

static uint64_t track_of_counter(const struct pmu_timeline_thread *thread, size_t group, size_t m)
{
	return track_of_thread(thread) + 1 + group * MAX_METRICS + m;
}

static uint64_t track_of_row(const struct pmu_timeline_thread *thread, uint32_t row)
{
	return base_of(thread->process) + (UINT64_C(1) << 43) + row;
}

static uint64_t id_of_count(size_t group, size_t slot)
{
	return NAME_LATER + group * PMU_MAX_SLOTS + slot;
}

static uint64_t id_of_metric(size_t group, size_t m)
{
	return NAME_LATER + PMU_STORE_MAX_GROUPS * PMU_MAX_SLOTS + group * MAX_METRICS + m;
}

/* --- packets --- */

static size_t begin_packet(struct pmu_timeline *to, const struct pmu_timeline_process *process,
			   uint64_t flags)
{
	size_t packet = pmu_protobuf_begin(&to->out, TRACE_PACKET);

	pmu_protobuf_u64(&to->out, PACKET_SEQUENCE, process->index + 1);
	pmu_protobuf_u64(&to->out, PACKET_FLAGS, flags);
	return packet;
}

/* Strings are UTF-8; names are any bytes. */
static void perfetto_put_text(struct pmu_strbuf *out, uint32_t field, const char *bytes, size_t len)
{
	struct pmu_strbuf plain = { 0 };
	char text[PMU_NAME_MAX + 1];

	len = len < sizeof(text) - 1 ? len : sizeof(text) - 1;
	memcpy(text, bytes, len);
	text[len] = '\0';
	pmu_encode_plain(&plain, text);
	pmu_protobuf_text(out, field, pmu_strbuf_text(&plain));
	out->failed |= plain.failed;
	pmu_strbuf_free(&plain);
}

static void perfetto_put_name(struct pmu_strbuf *out, uint32_t field, uint64_t id, const char *text,
			      size_t len)
{
	size_t name = pmu_protobuf_begin(out, field);

	pmu_protobuf_u64(out, INTERNED_ID, id);
	perfetto_put_text(out, INTERNED_NAME, text, len);
	pmu_protobuf_end(out, name);
}

static void put_clock(struct pmu_strbuf *out, uint64_t id, uint64_t ns)
{
	size_t clock = pmu_protobuf_begin(out, CLOCK_SNAPSHOT_CLOCKS);

	pmu_protobuf_u64(out, CLOCK_ID, id);
	pmu_protobuf_u64(out, CLOCK_TIME, ns);
	pmu_protobuf_end(out, clock);
}

static void perfetto_start(struct pmu_timeline *to)
{
	(void)to;
}

static void perfetto_finish(struct pmu_timeline *to)
{
	(void)to;
}

/* --- tracks --- */

/* Times are those of CLOCK_MONOTONIC: so is, here, the clock that is taken for granted. */
static void put_snapshot(struct pmu_timeline *to, const struct pmu_timeline_process *process)
{
	size_t packet = begin_packet(to, process, STATE_CLEARED | STATE_NEEDED);
	size_t snapshot = pmu_protobuf_begin(&to->out, PACKET_CLOCK_SNAPSHOT);
	uint64_t at = (uint64_t)process->start_ns;

	put_clock(&to->out, CLOCK_BOOT, at);
	put_clock(&to->out, CLOCK_MONO, at);
	put_clock(&to->out, CLOCK_REAL, at + (uint64_t)to->unix_offset);
	pmu_protobuf_end(&to->out, snapshot);
	pmu_protobuf_end(&to->out, packet);
}

static void perfetto_put_process(struct pmu_timeline *to, struct pmu_timeline_process *process)
{
	const char *command = process->source->model->command;
	size_t packet, track, is;

	put_snapshot(to, process);
	packet = begin_packet(to, process, STATE_NEEDED);
	track = pmu_protobuf_begin(&to->out, PACKET_TRACK);
	pmu_protobuf_u64(&to->out, TRACK_UUID, track_of_process(process));
	is = pmu_protobuf_begin(&to->out, TRACK_PROCESS);
	pmu_protobuf_u64(&to->out, PROCESS_PID, (uint64_t)pmu_timeline_pid(process));
	perfetto_put_text(&to->out, PROCESS_NAME, pmu_strbuf_text(&process->name),
			  process->name.len);
	if (command)
		perfetto_put_text(&to->out, PROCESS_COMMAND, command, strlen(command));
	pmu_protobuf_end(&to->out, is);
	pmu_protobuf_end(&to->out, track);
	pmu_protobuf_end(&to->out, packet);
}

static void put_about(struct pmu_timeline *to, const struct pmu_trace_ring *ring)
{
	char text[160] = "";

	if (ring->lost)
		snprintf(text, sizeof(text), "%" PRIu64 " calls had no room. ", ring->lost);
	if (ring->left_out)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%" PRIu64 " calls were too short.", ring->left_out);
	if (text[0])
		pmu_protobuf_text(&to->out, TRACK_ABOUT, text);
}

static void perfetto_put_thread(struct pmu_timeline *to, const struct pmu_timeline_thread *thread)
{
	size_t packet = begin_packet(to, thread->process, STATE_NEEDED);
	size_t track = pmu_protobuf_begin(&to->out, PACKET_TRACK), is;

	pmu_protobuf_u64(&to->out, TRACK_UUID, track_of_thread(thread));
	pmu_protobuf_u64(&to->out, TRACK_PARENT, track_of_process(thread->process));
	is = pmu_protobuf_begin(&to->out, TRACK_THREAD);
	pmu_protobuf_u64(&to->out, THREAD_PID, (uint64_t)pmu_timeline_pid(thread->process));
	pmu_protobuf_u64(&to->out, THREAD_TID, (uint64_t)pmu_timeline_tid(thread));
	perfetto_put_text(&to->out, THREAD_NAME, thread->name, strlen(thread->name));
	pmu_protobuf_end(&to->out, is);
	put_about(to, thread->ring);
	pmu_protobuf_end(&to->out, track);
	pmu_protobuf_end(&to->out, packet);
	/* counters are a thread's */
	memset(thread->process->metrics, 0, PMU_STORE_MAX_GROUPS * (size_t)MAX_METRICS);
}

static void put_track(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
		      uint64_t uuid, const char *name, size_t len, const char *unit)
{
	size_t packet = begin_packet(to, thread->process, STATE_NEEDED);
	size_t track = pmu_protobuf_begin(&to->out, PACKET_TRACK), counter;

	pmu_protobuf_u64(&to->out, TRACK_UUID, uuid);
	pmu_protobuf_u64(&to->out, TRACK_PARENT, track_of_thread(thread));
	perfetto_put_text(&to->out, TRACK_NAME, name, len);
	if (unit) {
		counter = pmu_protobuf_begin(&to->out, TRACK_COUNTER);
		if (unit[0])
			pmu_protobuf_text(&to->out, COUNTER_UNIT_NAME, unit);
		pmu_protobuf_end(&to->out, counter);
	}
	pmu_protobuf_end(&to->out, track);
	pmu_protobuf_end(&to->out, packet);
}

/* --- slices --- */

static uint64_t track_of(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			 const struct pmu_timeline_slice *slice)
{
	struct pmu_timeline_process *process = thread->process;
	uint32_t row = slice->is->call.row;

	if (!slice->is->beside)
		return track_of_thread(thread);
	if (!process->beside[row])
		put_track(to, thread, track_of_row(thread, row), slice->name, slice->name_len,
			  NULL);
	process->beside[row] = 1;
	return track_of_row(thread, row);
}

/* A packet with an event in it; what it names that was not named before is in front of that. */
struct event {
	size_t packet, event;
};

static void perfetto_begin_event(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
				 uint64_t at, struct event *event)
{
	event->packet = begin_packet(to, thread->process, STATE_NEEDED);
	pmu_protobuf_u64(&to->out, PACKET_TIMESTAMP, at);
}

static void perfetto_put_type(struct pmu_timeline *to, uint64_t track, uint64_t type,
			      struct event *event)
{
	event->event = pmu_protobuf_begin(&to->out, PACKET_EVENT);
	pmu_protobuf_u64(&to->out, EVENT_TYPE, type);
	pmu_protobuf_u64(&to->out, EVENT_TRACK, track);
}

static void end_event(struct pmu_timeline *to, const struct event *event)
{
	pmu_protobuf_end(&to->out, event->event);
	pmu_protobuf_end(&to->out, event->packet);
}

static void define_name(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			const struct pmu_timeline_slice *slice)
{
	unsigned char *named = &thread->process->named[slice->name_id];
	size_t interned;

	if (*named)
		return;
	*named = 1;
	interned = pmu_protobuf_begin(&to->out, PACKET_INTERNED);
	perfetto_put_name(&to->out, INTERNED_EVENT, (uint64_t)slice->name_id + 1, slice->name,
			  slice->name_len);
	pmu_protobuf_end(&to->out, interned);
}

static void begin_named(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			const struct pmu_timeline_slice *slice, uint64_t type, struct event *event)
{
	uint64_t track = track_of(to, thread, slice);

	perfetto_begin_event(to, thread, slice->begin_ns, event);
	define_name(to, thread, slice);
	perfetto_put_type(to, track, type, event);
	pmu_protobuf_u64(&to->out, EVENT_NAME_ID, (uint64_t)slice->name_id + 1);
}

static void perfetto_put_begin(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			       const struct pmu_timeline_slice *slice)
{
	uint64_t first = thread->process->first_flow;
	struct event event;

	begin_named(to, thread, slice, SLICE_BEGIN, &event);
	for (size_t i = 0; i < slice->n_from; i++)
		pmu_protobuf_fixed64(&to->out, EVENT_FLOW, first + slice->from[i].id);
	for (size_t i = 0; i < slice->n_to; i++)
		pmu_protobuf_fixed64(&to->out, EVENT_FLOW_END, first + slice->to[i].id);
	end_event(to, &event);
}

static void perfetto_put_again(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			       const struct pmu_timeline_slice *slice)
{
	struct event event;

	begin_named(to, thread, slice, INSTANT, &event);
	end_event(to, &event);
}

static bool is_count_known(const struct pmu_timeline_slice *slice, uint32_t slot)
{
	return !(slice->missing >> slot & 1);
}

static bool has_metrics(const struct pmu_timeline_slice *slice)
{
	return slice->n_counts;
}

static uint32_t n_metrics(const struct pmu_timeline_slice *slice)
{
	const struct pmu_model_section *section = slice->group->section;

	if (!has_metrics(slice))
		return 0;
	return section->n_metrics < MAX_METRICS ? section->n_metrics : MAX_METRICS;
}

/* All columns of a group at once; the first slot's mark is the group's. */
static void define_columns(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			   const struct pmu_timeline_slice *slice)
{
	const struct pmu_model_section *section = slice->group->section;
	size_t group = slice->is->row->thread->group, interned;
	unsigned char *known = &thread->process->counts[group * PMU_MAX_SLOTS];

	if (!slice->n_counts || *known)
		return;
	*known = 1;
	interned = pmu_protobuf_begin(&to->out, PACKET_INTERNED);
	for (uint32_t i = 0; i < slice->n_counts; i++)
		perfetto_put_name(&to->out, INTERNED_ANNOTATION, id_of_count(group, i),
				  section->count[i].name, strlen(section->count[i].name));
	for (uint32_t m = 0; m < n_metrics(slice); m++)
		perfetto_put_name(&to->out, INTERNED_ANNOTATION, id_of_metric(group, m),
				  section->metric[m].name, strlen(section->metric[m].name));
	pmu_protobuf_end(&to->out, interned);
}

static void define_other(struct pmu_timeline *to, uint64_t other)
{
	size_t interned = pmu_protobuf_begin(&to->out, PACKET_INTERNED);

	perfetto_put_name(&to->out, INTERNED_ANNOTATION, other, others[other],
			  strlen(others[other]));
	pmu_protobuf_end(&to->out, interned);
}

static void define_waits(struct pmu_timeline *to, const struct pmu_timeline_thread *thread)
{
	size_t interned;

	if (thread->process->waits_named)
		return;
	thread->process->waits_named = true;
	interned = pmu_protobuf_begin(&to->out, PACKET_INTERNED);
	for (uint64_t w = 0; w < PMU_TIMELINE_WAITS; w++)
		perfetto_put_name(&to->out, INTERNED_ANNOTATION, NAME_WAITS + w,
				  pmu_timeline_wait_name[w], strlen(pmu_timeline_wait_name[w]));
	pmu_protobuf_end(&to->out, interned);
}

static size_t begin_annotation(struct pmu_timeline *to, uint64_t name)
{
	size_t annotation = pmu_protobuf_begin(&to->out, EVENT_ANNOTATION);

	pmu_protobuf_u64(&to->out, ANNOTATION_NAME_ID, name);
	return annotation;
}

static void perfetto_put_columns(struct pmu_timeline *to, const struct pmu_timeline_slice *slice)
{
	size_t group = slice->is->row->thread->group, annotation;

	for (uint32_t i = 0; i < slice->n_counts; i++) {
		if (!is_count_known(slice, i))
			continue;
		annotation = begin_annotation(to, id_of_count(group, i));
		pmu_protobuf_u64(&to->out, ANNOTATION_INT, slice->is->count[i]);
		pmu_protobuf_end(&to->out, annotation);
	}
	for (uint32_t m = 0; m < n_metrics(slice); m++) {
		if (isnan(slice->group->value[m]))
			continue;
		annotation = begin_annotation(to, id_of_metric(group, m));
		pmu_protobuf_double(&to->out, ANNOTATION_DOUBLE, slice->group->value[m]);
		pmu_protobuf_end(&to->out, annotation);
	}
	for (uint64_t w = 0; w < PMU_TIMELINE_WAITS; w++) {
		if (!(slice->waits >> w & 1))
			continue;
		annotation = begin_annotation(to, NAME_WAITS + w);
		pmu_protobuf_u64(&to->out, ANNOTATION_INT, slice->wait_ns[w]);
		pmu_protobuf_end(&to->out, annotation);
	}
}

/* While the innermost regions run: what is around them is made of these. */
static void perfetto_put_counters(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
				  const struct pmu_timeline_slice *slice)
{
	const struct pmu_model_section *section = slice->group->section;
	size_t group = slice->is->row->thread->group;
	struct event event;

	for (uint32_t m = 0; m < n_metrics(slice); m++) {
		uint64_t track = track_of_counter(thread, group, m);
		unsigned char *known = &thread->process->metrics[group * MAX_METRICS + m];

		if (isnan(slice->group->value[m]))
			continue;
		if (!*known)
			put_track(to, thread, track, section->metric[m].name,
				  strlen(section->metric[m].name),
				  section->metric[m].unit ? section->metric[m].unit : "");
		*known = 1;
		perfetto_begin_event(to, thread, slice->begin_ns, &event);
		perfetto_put_type(to, track, COUNTER, &event);
		pmu_protobuf_double(&to->out, EVENT_DOUBLE, slice->group->value[m]);
		end_event(to, &event);
	}
}

static void perfetto_put_end(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			     const struct pmu_timeline_slice *slice)
{
	uint64_t other = slice->is->is_open                       ? NAME_OPEN
			 : slice->is->call.flags & PMU_TRACE_PART ? NAME_PART
								  : 0;
	uint64_t track = track_of(to, thread, slice);
	struct event event;

	if (slice->is->is_leaf)
		perfetto_put_counters(to, thread, slice);
	perfetto_begin_event(to, thread, slice->end_ns, &event);
	define_columns(to, thread, slice);
	if (slice->waits)
		define_waits(to, thread);
	if (other)
		define_other(to, other);
	perfetto_put_type(to, track, SLICE_END, &event);
	perfetto_put_columns(to, slice);
	if (other) {
		size_t annotation = begin_annotation(to, other);

		pmu_protobuf_u64(&to->out, ANNOTATION_INT, 1);
		pmu_protobuf_end(&to->out, annotation);
	}
	end_event(to, &event);
}

const struct pmu_timeline_format pmu_timeline_perfetto = {
	.start = perfetto_start,
	.process = perfetto_put_process,
	.thread = perfetto_put_thread,
	.begin = perfetto_put_begin,
	.end = perfetto_put_end,
	.again = perfetto_put_again,
	.finish = perfetto_finish,
};
