/* SPDX-License-Identifier: BSD-3-Clause */
/* From the stores of processes to one file, ring by ring. */
#include "bindings/command/trace/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "store/read/snapshot.h"

/* Written at once. */
#define PIECE ((size_t)1 << 20)

int pmu_trace_check(const struct pmu_timeline_format *format, const char *path)
{
	if (format->compressed && !pmu_trace_sink_compresses())
		return pmu_fail(ENOTSUP,
				"cannot write %s: this pmu was built without zlib; .trace.json is "
				"the same, not compressed",
				path);
	return 0;
}

/* --- the clock --- */

static uint64_t to_ns(const struct pmu_timeline_process *process, uint64_t ticks)
{
	double since = (double)(int64_t)(ticks - process->source->start.ticks) *
		       process->ns_per_tick;
	double at = (double)process->start_ns + since;

	/* to the nanosecond: a double alone has no more than 104 days of them */
	if (at < 1 || !isfinite(at) || fabs(since) > 4e18)
		return 1;
	return (uint64_t)process->start_ns + (uint64_t)(int64_t)llround(since);
}

/* Return: its number; the last one where there are too many. */
static unsigned int host_of(struct pmu_timeline *to, const struct pmu_trace_source *source)
{
	const char *host = source->model->host ? source->model->host : "";
	unsigned int i = 0;

	while (i < to->n_hosts && (strcmp(to->hosts[i].host, host) != 0 ||
				   strcmp(to->hosts[i].boot_id, source->boot_id) != 0))
		i++;
	if (i < to->n_hosts || i == PMU_TIMELINE_HOSTS)
		return i < PMU_TIMELINE_HOSTS ? i : PMU_TIMELINE_HOSTS - 1;
	snprintf(to->hosts[i].host, sizeof(to->hosts[i].host), "%s", host);
	memcpy(to->hosts[i].boot_id, source->boot_id, sizeof(to->hosts[i].boot_id));
	to->n_hosts++;
	return i;
}

/* Monotonic clocks are of a host and a boot; others' are compared by what time of day it was. */
static void set_clock(struct pmu_timeline *to, struct pmu_timeline_process *process)
{
	const struct pmu_model *model = process->source->model;
	const struct pmu_clock_point *start = &process->source->start;
	int64_t offset = (int64_t)(model->start_unix_ns - start->mono_ns);

	process->ns_per_tick = model->clock_hz > 0 ? 1e9 / model->clock_hz : 0;
	process->start_ns = (int64_t)start->mono_ns;
	process->host = host_of(to, process->source);
	if (!to->n_processes)
		to->unix_offset = offset;
	if (process->host)
		process->start_ns += offset - to->unix_offset;
	if (process->start_ns < 0)
		process->start_ns = 0;
}

/* --- a process --- */

static void close_process(struct pmu_timeline_process *process)
{
	for (size_t g = 0; g < PMU_STORE_MAX_GROUPS; g++) {
		pmu_metrics_close(process->group[g].metrics);
		free(process->group[g].value);
	}
	pmu_flows_free(&process->flows);
	pmu_strbuf_free(&process->name);
	free(process->named);
	free(process->beside);
	free(process->counts);
	free(process->metrics);
}

static int open_groups(struct pmu_timeline_process *process)
{
	const struct pmu_model *model = process->source->model;

	for (unsigned int i = 0; i < model->n_sections; i++) {
		const struct pmu_model_section *section = &model->section[i];
		struct pmu_timeline_group *group;

		if (section->index >= PMU_STORE_MAX_GROUPS)
			continue;
		group = &process->group[section->index];
		group->section = section;
		group->metrics = pmu_metrics_open(model, section);
		group->value = calloc(section->n_metrics + (size_t)1, sizeof(*group->value));
		if (!group->metrics || !group->value)
			return -ENOMEM;
	}
	return 0;
}

static void name_process(struct pmu_timeline_process *process)
{
	const struct pmu_model *model = process->source->model;
	const char *slash = model->program ? strrchr(model->program, '/') : NULL;

	if (model->rank >= 0)
		pmu_strbuf_addf(&process->name, "rank %d: ", model->rank);
	pmu_strbuf_add(&process->name, slash ? slash + 1 : model->program ? model->program : "?");
	if (process->host)
		pmu_strbuf_addf(&process->name, " (%s, process %" PRId64 ")",
				model->host ? model->host : "?", model->pid);
}

static int open_process(struct pmu_timeline *to, struct pmu_timeline_process *process,
			const struct pmu_trace_source *source)
{
	int rc;

	process->source = source;
	process->index = to->n_processes;
	set_clock(to, process);
	name_process(process);
	process->first_flow = (uint64_t)(process->index + 1) << 40;
	process->named = calloc(source->raw.n_names + 1, 1);
	process->beside = calloc(source->n_rows + (size_t)1, 1);
	process->counts = calloc(PMU_STORE_MAX_GROUPS * (size_t)PMU_MAX_SLOTS, 1);
	process->metrics = calloc(PMU_STORE_MAX_GROUPS * (size_t)64, 1);
	if (!process->named || !process->beside || !process->counts || !process->metrics ||
	    process->name.failed)
		return -ENOMEM;
	rc = open_groups(process);
	return rc ? rc : pmu_flows_find(source, &process->flows);
}

/* --- a thread --- */

struct telling {
	struct pmu_timeline *to;
	const struct pmu_timeline_thread *thread;
};

static int flush(struct pmu_timeline *to)
{
	int rc = to->out.failed ? -ENOMEM : 0;

	if (!rc && to->out.len)
		rc = pmu_trace_sink_put(&to->sink, to->out.text, to->out.len);
	to->out.len = 0;
	return rc;
}

static int flush_much(struct pmu_timeline *to)
{
	return to->out.len < PIECE && !to->out.failed ? 0 : flush(to);
}

static struct pmu_timeline_slice describe_slice(const struct telling *telling,
						const struct pmu_slice *is)
{
	const struct pmu_timeline_process *process = telling->thread->process;
	const struct pmu_trace_source *source = process->source;
	uint32_t id = is->row->raw->name;
	const struct pmu_raw_text *text = id < source->raw.n_names ? &source->raw.name[id] : NULL;
	const struct pmu_group_copy *group = &source->raw.group[is->row->thread->group];
	struct pmu_timeline_slice slice = {
		.is = is,
		.name = text && text->len ? text->text : "?",
		.name_len = text && text->len ? text->len : 1,
		.name_id = text && text->len ? id : 0,
		.begin_ns = to_ns(process, is->begin),
		.end_ns = to_ns(process, is->end),
		.group = &process->group[is->row->thread->group],
		.missing = is->row->missing,
		.n_counts = group->n_slots,
	};

	if (slice.n_counts > telling->thread->ring->n_counts || !slice.group->section ||
	    is->is_open)
		slice.n_counts = 0;
	return slice;
}

static int tell_begin(void *arg, const struct pmu_slice *is)
{
	const struct telling *telling = arg;
	const struct pmu_flows *flows = &telling->thread->process->flows;
	struct pmu_timeline_slice slice = describe_slice(telling, is);

	if (flows->n) {
		slice.n_from = pmu_flow_ends(flows->from, flows->n, telling->thread->index,
					     is->index, &slice.from);
		slice.n_to = pmu_flow_ends(flows->to, flows->n, telling->thread->index, is->index,
					   &slice.to);
	}
	telling->to->format->begin(telling->to, telling->thread, &slice);
	return flush_much(telling->to);
}

static void evaluate(const struct pmu_timeline_slice *slice)
{
	uint64_t net[PMU_MAX_SLOTS];
	struct pmu_model_row row = { .calls = 1,
				     .net = net,
				     .missing = slice->missing,
				     .time_ns = slice->end_ns - slice->begin_ns };

	for (uint32_t i = 0; i < slice->n_counts; i++) {
		net[i] = slice->is->count[i];
		if ((int64_t)net[i] < 0)
			row.missing |= 1u << i;
	}
	pmu_metrics_of(slice->group->metrics, &row, slice->group->value);
}

const char *const pmu_timeline_wait_name[PMU_TIMELINE_WAITS] = { "cpu_ns", "blocked_ns",
								 "runnable_ns", "waited_ns" };

static void put_wait(struct pmu_timeline_slice *slice, enum pmu_timeline_wait which, uint64_t ns)
{
	slice->wait_ns[which] = ns;
	slice->waits |= 1u << which;
}

static uint64_t at_most_ns(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of one that did not wait nothing is said: all of it was on a processor. */
static void tell_waits(struct pmu_timeline_slice *slice)
{
	const struct pmu_slice *is = slice->is;
	uint64_t time = slice->end_ns - slice->begin_ns;
	uint64_t all = at_most_ns(is->blocked_ns + is->runnable_ns, time);
	uint64_t runnable = at_most_ns(is->runnable_ns, all);

	if (!is->waits_known || is->beside || !all)
		return;
	put_wait(slice, PMU_TIMELINE_CPU, time - all);
	if (is->row->thread->record.flags & PMU_THREAD_QUEUES) {
		put_wait(slice, PMU_TIMELINE_BLOCKED, all - runnable);
		put_wait(slice, PMU_TIMELINE_RUNNABLE, runnable);
	} else {
		put_wait(slice, PMU_TIMELINE_WAITED, all);
	}
}

static int tell_end(void *arg, const struct pmu_slice *is)
{
	const struct telling *telling = arg;
	struct pmu_timeline_slice slice = describe_slice(telling, is);

	tell_waits(&slice);
	if (slice.n_counts)
		evaluate(&slice);
	telling->to->format->end(telling->to, telling->thread, &slice);
	telling->to->written.slices += !is->is_open;
	return flush_much(telling->to);
}

static int tell_slice_again(void *arg, const struct pmu_slice *is)
{
	const struct telling *telling = arg;
	struct pmu_timeline_slice slice = describe_slice(telling, is);

	telling->to->format->again(telling->to, telling->thread, &slice);
	return flush_much(telling->to);
}

static int write_thread(struct pmu_timeline *to, struct pmu_timeline_process *process, uint32_t r)
{
	const struct pmu_trace_ring *ring = &process->source->ring[r];
	struct pmu_timeline_thread thread = { .process = process, .ring = ring, .index = r };
	struct telling telling = { to, &thread };
	const struct pmu_nest_listener listener = { tell_begin, tell_end, tell_slice_again,
						    &telling };

	snprintf(thread.name, sizeof(thread.name), "%u %.*s", ring->thread->record.number,
		 (int)sizeof(ring->thread->record.name) - 1, ring->thread->record.name);
	to->format->thread(to, &thread);
	to->written.lost += ring->lost;
	to->written.left_out += ring->left_out;
	return pmu_nest_walk(process->source, ring, &listener);
}

static int write_process(struct pmu_timeline *to, const struct pmu_trace_source *source)
{
	struct pmu_timeline_process *process = calloc(1, sizeof(*process));
	int rc;

	if (!process)
		return -ENOMEM;
	rc = open_process(to, process, source);
	if (!rc && !to->begun)
		to->format->start(to);
	to->begun |= !rc;
	if (!rc)
		to->format->process(to, process);
	to->written.lost += source->dropped;
	to->written.damaged += source->n_damaged;
	to->written.cut += source->is_cut;
	for (uint32_t r = 0; r < source->n_rings && !rc; r++)
		rc = write_thread(to, process, r);
	close_process(process);
	free(process);
	to->n_processes++;
	return rc;
}

static int look_at_process(const struct pmu_store_view *view, unsigned int is, void *arg)
{
	struct pmu_timeline *to = arg;
	struct pmu_trace_source source;
	int rc = pmu_trace_source_open(&source, view, is);

	if (!rc) {
		to->inside = true;
		rc = write_process(to, &source);
		to->inside = rc;
	} else if (rc == -ENODATA) {
		to->written.untraced++;
	}
	pmu_trace_source_close(&source);
	if (rc == -ENOMEM)
		pmu_fail(ENOMEM, "no memory for the trace");
	return rc;
}

/* Return: whether the others can be written nevertheless. */
static bool pass_over(struct pmu_timeline *to, const char *store, int rc)
{
	if (rc == -ENOMEM || to->inside)
		return false;
	if (rc == -ENODATA || to->written.unread++)
		return true;
	if (strstr(pmu_error_text(), store))
		snprintf(to->written.why, sizeof(to->written.why), "%s", pmu_error_text());
	else
		snprintf(to->written.why, sizeof(to->written.why), "cannot read %s: %s", store,
			 pmu_error_text());
	to->error = rc;
	return true;
}

int pmu_timeline_walk(struct pmu_timeline *to, const char *const *store, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		rc = pmu_store_look(store[i], look_at_process, to);
		if (rc && pass_over(to, store[i], rc))
			rc = i + 1 < n || to->n_processes ? 0 : rc;
	}
	if (rc && !to->n_processes && to->written.unread)
		return pmu_fail(to->error, "%s", to->written.why);
	if (!rc)
		to->format->finish(to);
	return rc ? rc : flush(to);
}

int pmu_trace_write(const char *const *store, size_t n, const struct pmu_timeline_format *format,
		    const char *path, struct pmu_trace_written *written)
{
	struct pmu_timeline *to = calloc(1, sizeof(*to));
	int rc;

	if (!to)
		return pmu_fail(ENOMEM, "no memory for the trace");
	to->format = format;
	rc = pmu_trace_sink_open(&to->sink, path, format->compressed);
	if (rc) {
		free(to);
		return rc;
	}
	rc = pmu_timeline_walk(to, store, n);
	pmu_strbuf_free(&to->out);
	*written = to->written;
	if (rc)
		pmu_trace_sink_close(&to->sink, false);
	else
		rc = pmu_trace_sink_close(&to->sink, true);
	free(to);
	return rc;
}

void pmu_trace_tell(const char *path, const struct pmu_trace_written *written)
{
	if (written->unread > 1)
		pmu_command_error("%u files are not in %s; the first: %s", written->unread, path,
				  written->why);
	else if (written->unread)
		pmu_command_error("not in %s: %s", path, written->why);
	if (written->lost)
		pmu_command_error("%" PRIu64 " calls are not in %s: there was no room for them; a "
				  "larger PMU_TRACE_SIZE keeps more",
				  written->lost, path);
	if (written->left_out)
		pmu_command_error("%" PRIu64 " calls are not in %s: they were shorter than "
				  "PMU_TRACE_MIN",
				  written->left_out, path);
	if (written->damaged)
		pmu_command_error("%" PRIu64 " threads are not in %s: what is left of them makes "
				  "no sense",
				  written->damaged, path);
	if (written->cut)
		pmu_command_error(
			"%s lacks what came when there was no room for results any more, or is damaged in "
			"its store%s",
			path, written->cut > 1 ? "s" : "");
}
