/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chrome's trace events, as JSON: an object a slice, whole, as it ends.
 *
 * Source: google/perfetto, docs/getting-started/other-formats.md and
 * src/trace_processor/importers/json.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bindings/command/trace/timeline.h"
#include "pmu.h"
#include "report/encode.h"

/* Numbers that no thread has, a JavaScript number still: a track for each region beside others. */
#define BESIDE_STEP (INT64_C(1) << 32)

static void chrome_start(struct pmu_timeline *to)
{
	pmu_strbuf_add(&to->out, "{\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"clock\",\"args\":{"
				 "\"clock\":\"CLOCK_MONOTONIC\"}}");
}

static void chrome_finish(struct pmu_timeline *to)
{
	pmu_strbuf_addf(&to->out,
			"\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"lost calls\":%" PRIu64
			",\"calls too short\":%" PRIu64 "}}\n",
			to->written.lost, to->written.left_out);
}

static void chrome_put_text(struct pmu_strbuf *out, const char *text, size_t len)
{
	char name[PMU_NAME_MAX + 1];

	len = len < sizeof(name) - 1 ? len : sizeof(name) - 1;
	memcpy(name, text, len);
	name[len] = '\0';
	pmu_encode_json(out, name);
}

/* Microseconds; to the nanosecond. */
static void put_us(struct pmu_strbuf *out, const char *member, uint64_t ns)
{
	pmu_strbuf_addf(out, ",\"%s\":%" PRIu64 ".%03u", member, ns / 1000,
			(unsigned int)(ns % 1000));
}

static int64_t tid_of(const struct pmu_timeline_thread *thread,
		      const struct pmu_timeline_slice *slice)
{
	int64_t tid = pmu_timeline_tid(thread);

	return slice && slice->is->beside
		       ? tid + BESIDE_STEP * (1 + (slice->is->call.row & 0xfffff))
		       : tid;
}

static void chrome_begin_event(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			       const struct pmu_timeline_slice *slice, const char *kind)
{
	pmu_strbuf_addf(&to->out, ",\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%" PRId64, kind,
			(int)pmu_timeline_pid(thread->process), tid_of(thread, slice));
}

static void put_metadata(struct pmu_timeline *to, const char *what, int pid, int64_t tid,
			 const char *name, size_t len)
{
	pmu_strbuf_addf(&to->out,
			",\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%" PRId64
			",\"args\":{\"name\":",
			what, pid, tid);
	chrome_put_text(&to->out, name, len);
	pmu_strbuf_add(&to->out, "}}");
}

static void chrome_put_process(struct pmu_timeline *to, struct pmu_timeline_process *process)
{
	const char *name = pmu_strbuf_text(&process->name);

	put_metadata(to, "process_name", (int)pmu_timeline_pid(process), 0, name, strlen(name));
}

static void chrome_put_thread(struct pmu_timeline *to, const struct pmu_timeline_thread *thread)
{
	put_metadata(to, "thread_name", (int)pmu_timeline_pid(thread->process),
		     pmu_timeline_tid(thread), thread->name, strlen(thread->name));
}

static void put_arrow(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
		      const struct pmu_timeline_slice *slice, const char *kind,
		      const struct pmu_flow_end *end)
{
	chrome_begin_event(to, thread, slice, kind);
	put_us(&to->out, "ts", slice->begin_ns);
	pmu_strbuf_addf(&to->out, ",\"cat\":\"team\",\"name\":\"team\",\"id\":\"%" PRIx64 "\"%s}",
			thread->process->first_flow + end->id,
			kind[0] == 'f' ? ",\"bp\":\"e\"" : "");
}

static void chrome_put_begin(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			     const struct pmu_timeline_slice *slice)
{
	unsigned char *known = &thread->process->beside[slice->is->call.row];

	for (size_t i = 0; i < slice->n_from; i++)
		put_arrow(to, thread, slice, "s", &slice->from[i]);
	for (size_t i = 0; i < slice->n_to; i++)
		put_arrow(to, thread, slice, "f", &slice->to[i]);
	if (!slice->is->beside || *known)
		return;
	*known = 1;
	put_metadata(to, "thread_name", (int)pmu_timeline_pid(thread->process),
		     tid_of(thread, slice), slice->name, slice->name_len);
}

static void chrome_put_number(struct pmu_timeline *to, const char **between, const char *name,
			      double value)
{
	if (isnan(value))
		return;
	pmu_strbuf_add(&to->out, *between);
	*between = ",";
	pmu_encode_json(&to->out, name);
	pmu_strbuf_add(&to->out, ":");
	pmu_encode_double(&to->out, value);
}

static void put_arguments(struct pmu_timeline *to, const struct pmu_timeline_slice *slice)
{
	const struct pmu_model_section *section = slice->group->section;
	const char *between = ",\"args\":{";

	for (uint32_t i = 0; i < slice->n_counts; i++) {
		if (slice->missing >> i & 1)
			continue;
		pmu_strbuf_add(&to->out, between);
		between = ",";
		pmu_encode_json(&to->out, section->count[i].name);
		pmu_strbuf_addf(&to->out, ":%" PRId64, (int64_t)slice->is->count[i]);
	}
	for (uint32_t m = 0; slice->n_counts && m < section->n_metrics; m++)
		chrome_put_number(to, &between, section->metric[m].name, slice->group->value[m]);
	for (unsigned int w = 0; w < PMU_TIMELINE_WAITS; w++)
		if (slice->waits >> w & 1)
			chrome_put_number(to, &between, pmu_timeline_wait_name[w],
					  (double)slice->wait_ns[w]);
	if (slice->is->call.flags & PMU_TRACE_PART)
		chrome_put_number(to, &between, PMU_TIMELINE_PART, 1);
	if (slice->is->is_open)
		chrome_put_number(to, &between, PMU_TIMELINE_OPEN, 1);
	if (between[1] == '\0')
		pmu_strbuf_add(&to->out, "}");
}

/* While the innermost regions run. */
static void chrome_put_counters(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
				const struct pmu_timeline_slice *slice)
{
	const struct pmu_model_section *section = slice->group->section;

	for (uint32_t m = 0; slice->n_counts && m < section->n_metrics; m++) {
		const char *between = ",\"args\":{";

		if (isnan(slice->group->value[m]))
			continue;
		chrome_begin_event(to, thread, NULL, "C");
		put_us(&to->out, "ts", slice->begin_ns);
		pmu_strbuf_add(&to->out, ",\"name\":");
		pmu_encode_json(&to->out, section->metric[m].name);
		pmu_strbuf_addf(&to->out, ",\"id\":\"%" PRId64 "\"", pmu_timeline_tid(thread));
		chrome_put_number(to, &between, section->metric[m].name, slice->group->value[m]);
		pmu_strbuf_add(&to->out, "}}");
	}
}

static void chrome_put_end(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			   const struct pmu_timeline_slice *slice)
{
	chrome_begin_event(to, thread, slice, "X");
	pmu_strbuf_add(&to->out, ",\"name\":");
	chrome_put_text(&to->out, slice->name, slice->name_len);
	put_us(&to->out, "ts", slice->begin_ns);
	put_us(&to->out, "dur", slice->end_ns - slice->begin_ns);
	put_arguments(to, slice);
	pmu_strbuf_add(&to->out, "}");
	if (slice->is->is_leaf)
		chrome_put_counters(to, thread, slice);
}

static void chrome_put_again(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
			     const struct pmu_timeline_slice *slice)
{
	chrome_begin_event(to, thread, slice, "i");
	pmu_strbuf_add(&to->out, ",\"s\":\"t\",\"name\":");
	chrome_put_text(&to->out, slice->name, slice->name_len);
	put_us(&to->out, "ts", slice->begin_ns);
	pmu_strbuf_add(&to->out, "}");
}

#define WRITERS                                                                            \
	.start = chrome_start, .process = chrome_put_process, .thread = chrome_put_thread, \
	.begin = chrome_put_begin, .end = chrome_put_end, .again = chrome_put_again,       \
	.finish = chrome_finish

const struct pmu_timeline_format pmu_timeline_chrome = {
	WRITERS,
};
const struct pmu_timeline_format pmu_timeline_chrome_gz = {
	.compressed = true,
	WRITERS,
};
