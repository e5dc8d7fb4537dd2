/* SPDX-License-Identifier: BSD-3-Clause */
/* What was watched of a process as a report: one region, with a row for each thread that there was. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bindings/command/attach/attach.h"
#include "bindings/command/sample/collector.h"
#include "machine/clock.h"
#include "pmu.h"
#include "report/model/metric.h"
#include "report/model/model.h"
#include "session/describe.h"

static const char *copy_text(struct pmu_model *model, const char *text)
{
	return pmu_model_text(model, text, strlen(text));
}

/* --- head --- */

static bool counts_processor(const struct pmu_plan *plan)
{
	return pmu_plan_mask(plan) & ~plan->absent & ~pmu_plan_kinds(plan, 1u << PMU_SLOT_SOFTWARE);
}

void pmu_attach_describe(struct pmu_model *model, const struct pmu_attach *attach)
{
	const struct pmu_plan *plan = &attach->plan.plan;
	char text[256], cpu[64];

	model->rank = -1;
	model->nth = 1;
	model->is_attached = true;
	model->version = PMU_VERSION_STRING;
	model->clock = pmu_clock_name(PMU_CLOCK_MONOTONIC);
	model->clock_hz = 1e9;
	model->source = counts_processor(plan) ? "perf" : "software";
	model->source_detail = pmu_model_textf(
		model, "attached from outside, %s",
		pmu_plan_mask(plan) & ~plan->absent ? pmu_plan_levels(plan) : "times alone");
	if (gethostname(text, sizeof(text)) == 0) {
		text[sizeof(text) - 1] = '\0';
		model->host = copy_text(model, text);
	}
	pmu_session_machine(text, sizeof(text), cpu, sizeof(cpu));
	model->machine = copy_text(model, text);
	model->cpu = copy_text(model, cpu);
}

static void describe_process(struct pmu_model *model, const struct pmu_attach *attach,
			     const struct pmu_attach_process *process)
{
	pmu_attach_describe(model, attach);
	model->pid = process->pid;
	model->program = copy_text(model, process->name);
	model->command = copy_text(model, process->command);
	model->start_unix_ns = process->start_unix_ns;
	model->duration_ns = process->stop_ns - process->start_ns;
}

int pmu_attach_note(struct pmu_model *model, const struct pmu_attach *attach)
{
	int rc = 0;

	for (unsigned int i = 0; i < attach->plan.n_notes && !rc; i++)
		rc = pmu_model_add_note(model, attach->plan.note[i]);
	if (!rc && attach->plan.sample.unit.period && attach->without_kernel)
		rc = pmu_model_add_note(model, "samples of the kernel's work need "
					       "kernel.perf_event_paranoid at 1 or below: there "
					       "are none");
	if (!rc && attach->n_lost)
		rc = pmu_model_add_note(
			model, pmu_model_textf(
				       model,
				       "%" PRIu64 " of the kernel's records found no room: samples "
				       "and threads that began may be among them, counts are not",
				       attach->n_lost));
	if (!rc && attach->n_throttled)
		rc = pmu_model_add_note(
			model, pmu_model_textf(model, PMU_SAMPLE_THROTTLED, attach->n_throttled));
	if (!rc && attach->plan.why[0])
		rc = pmu_model_add_refusal(model, "perf", attach->plan.why, attach->plan.mend);
	return rc;
}

static int note_process(struct pmu_model *model, const struct pmu_attach *attach,
			const struct pmu_attach_process *process)
{
	int rc = pmu_model_add_note(
		model,
		process->has_ended
			? "pmu attach watched it while it ran, until it ended: what it did before is not in here"
			: "pmu attach watched it while it ran: what it did before and after is not in here");

	if (!rc && process->n_execs)
		rc = pmu_model_add_note(model, "it went on as another program (execve): both are "
					       "in its row, which has the name of the first");
	if (!rc && process->sums.chains.n_left_out)
		rc = pmu_model_add_note(
			model, pmu_model_textf(
				       model,
				       "%" PRIu64 " samples are without callers: there was no room "
				       "for more than %u different calls",
				       process->sums.chains.n_left_out, PMU_SAMPLE_MOST_CALLS));
	return rc ? rc : pmu_attach_note(model, attach);
}

/* --- threads --- */

static int64_t difference(int64_t before, int64_t after)
{
	return before < 0 || after < before ? -1 : after - before;
}

static uint64_t watched_ns(const struct pmu_attach_thread *thread)
{
	return thread->stop_ns > thread->start_ns ? thread->stop_ns - thread->start_ns : 0;
}

/* One that had ended by the time it was to be watched has nothing to say. */
static bool was_watched(const struct pmu_attach_thread *thread)
{
	return watched_ns(thread) || thread->n_begun;
}

/* What /proc says is the thread's own alone. */
static void describe_thread(struct pmu_model *model, const struct pmu_attach_process *process,
			    const struct pmu_attach_thread *from)
{
	const struct pmu_attach_usage unknown = { PMU_NOT_KNOWN, -1, -1, -1, -1 };
	const struct pmu_attach_usage *before = &from->before,
				      *after = from->n_begun ? &unknown : &from->after;

	model->thread[model->n_threads] = (struct pmu_model_thread){
		.number = (int)model->n_threads,
		.name = copy_text(model, from->name),
		.tid = from->tid,
		.cpu = -1,
		.finished = from->has_ended,
		.time_ns = watched_ns(from) + from->begun_ns,
		.start_ns = (int64_t)(from->start_ns - process->start_ns),
		.stop_ns = (int64_t)(from->start_ns - process->start_ns + watched_ns(from)),
		.minor_faults = difference(before->minor_faults, after->minor_faults),
		.major_faults = difference(before->major_faults, after->major_faults),
		.voluntary_switches = difference(before->voluntary_switches,
						 after->voluntary_switches),
		.involuntary_switches = difference(before->involuntary_switches,
						   after->involuntary_switches),
		.cpu_ns = from->lost_clock ? -1 : (int64_t)from->cpu_ns,
	};
	model->n_threads++;
}

/* --- rows --- */

/*
 * What it was not on a processor it was blocked, or ready and waiting for one.  Time on a processor is by another clock:
 * of a thread that did nothing else it may be the longer one by a rounding.
 */
static void set_waits(struct pmu_model_row *row, const struct pmu_attach_thread *thread)
{
	uint64_t before = thread->before.queued_ns, after = thread->after.queued_ns, queued;

	row->cpu_ns = row->blocked_ns = row->queued_ns = PMU_NOT_KNOWN;
	if (thread->lost_clock)
		return;
	row->cpu_ns = thread->cpu_ns;
	if (row->cpu_ns > row->time_ns && row->cpu_ns - row->time_ns < row->time_ns / 1000 + 1000)
		row->cpu_ns = row->time_ns;
	if (before == PMU_NOT_KNOWN || after == PMU_NOT_KNOWN || after < before ||
	    thread->begun_queued_ns == PMU_NOT_KNOWN || row->cpu_ns > row->time_ns)
		return;
	queued = after - before + thread->begun_queued_ns;
	row->queued_ns = queued < row->time_ns - row->cpu_ns ? queued : row->time_ns - row->cpu_ns;
	row->blocked_ns = row->time_ns - row->cpu_ns - row->queued_ns;
}

int pmu_attach_counts(struct pmu_model *model, const struct pmu_attach *attach,
		      const uint64_t *count, uint32_t missing, struct pmu_model_row *row)
{
	const struct pmu_plan *plan = &attach->plan.plan;
	size_t size = plan->n_slots * sizeof(uint64_t);

	row->raw = pmu_model_alloc(model, size);
	row->net = pmu_model_alloc(model, size);
	row->self = pmu_model_alloc(model, size);
	row->cost = pmu_model_alloc(model, size);
	if (!row->raw || !row->net || !row->self || !row->cost)
		return -ENOMEM;
	row->missing = (plan->absent | missing) & pmu_plan_mask(plan);
	for (unsigned int i = 0; i < plan->n_slots; i++)
		if (!(row->missing >> i & 1))
			row->raw[i] = row->net[i] = count[i];
	return 0;
}

/* @who: 1 + index, as samples have it */
static int make_row(struct pmu_model *model, const struct pmu_attach *attach,
		    const struct pmu_attach_process *process, uint64_t who,
		    struct pmu_model_section *s)
{
	const struct pmu_attach_thread *thread = &process->thread[who - 1];
	struct pmu_model_row *row = &s->thread_row[s->n_thread_rows];

	row->name = copy_text(model, process->region);
	row->parent = row->holder = -1;
	row->thread = (int)s->n_thread_rows++;
	row->sum = -1;
	row->n_threads = 1;
	/* of each thread that is in it one */
	row->calls = 1 + thread->n_begun;
	row->time_ns = watched_ns(thread) + thread->begun_ns;
	row->sd_ns = NAN;
	row->who = who;
	if (row->calls == 1)
		row->min_ns = row->max_ns = row->time_ns;
	set_waits(row, thread);
	return pmu_attach_counts(model, attach, thread->count, thread->lost_counts ? UINT32_MAX : 0,
				 row);
}

int pmu_attach_section(struct pmu_model *model, const struct pmu_attach *attach, size_t n_rows)
{
	const struct pmu_group *group = &attach->plan.group;
	struct pmu_model_section *s = pmu_model_alloc(model, sizeof(*s));

	if (!s)
		return -ENOMEM;
	model->section = s;
	model->n_sections = 1;
	s->group = copy_text(model, group->name);
	s->n_counts = group->n_events;
	s->count = pmu_model_alloc(model, s->n_counts * sizeof(*s->count));
	s->metric = pmu_model_alloc(model, group->n_metrics * sizeof(*s->metric));
	s->thread_row = pmu_model_alloc(model, n_rows * sizeof(*s->thread_row));
	if (!s->count || !s->metric || !s->thread_row)
		return -ENOMEM;
	for (unsigned int i = 0; i < group->n_events; i++)
		s->count[i] = (struct pmu_model_count){ copy_text(model, group->event[i].name),
							copy_text(model, group->event[i].unit) };
	for (; s->n_metrics < group->n_metrics; s->n_metrics++) {
		const struct pmu_metric_text *metric = &group->metric[s->n_metrics];

		s->metric[s->n_metrics] = (struct pmu_model_metric){
			copy_text(model, metric->name), copy_text(model, metric->unit),
			copy_text(model, metric->formula)
		};
	}
	return 0;
}

static int make_section(struct pmu_model *model, const struct pmu_attach *attach,
			const struct pmu_attach_process *process)
{
	int rc = pmu_attach_section(model, attach, process->n);

	for (size_t i = 0; i < process->n && !rc; i++)
		if (was_watched(&process->thread[i]))
			rc = make_row(model, attach, process, 1 + i, model->section);
	return rc;
}

/* --- doubts --- */

/* How many samples its time on a processor stands for, and how many there are. */
static bool has_too_few_samples(const struct pmu_attach *attach,
				const struct pmu_attach_process *process, uint64_t *expected,
				uint64_t *found)
{
	*expected = *found = 0;
	if (!attach->plan.sample.unit.period || !pmu_sample_is_time(&attach->plan.sample.unit))
		return false;
	for (size_t i = 0; i < process->n; i++)
		*expected += process->thread[i].cpu_ns / attach->plan.sample.unit.period;
	for (size_t i = 0; i < process->sums.hits.n; i++)
		*found += process->sums.hits.of[i].n;
	return pmu_attach_has_few(*expected, *found);
}

static int doubt_samples(struct pmu_model *model, const struct pmu_attach *attach,
			 const struct pmu_attach_process *process)
{
	uint64_t expected, found;

	if (process->sums.n_dropped &&
	    pmu_model_add_doubt(
		    model,
		    "samples are missing that are of threads of which it is not known who began them",
		    "", -1, process->sums.n_dropped))
		return -ENOMEM;
	if (!has_too_few_samples(attach, process, &expected, &found))
		return 0;
	return pmu_model_add_doubt(
		model,
		pmu_model_textf(
			model,
			"there are %" PRIu64 " samples where its CPU time has room for %" PRIu64
			": threads that are on a processor for less than the time between two samples "
			"have none; a higher rate (--sample=10000) finds more of them",
			found, expected),
		process->region, -1, 0);
}

static int doubt_threads(struct pmu_model *model, const struct pmu_attach_process *process)
{
	uint64_t n_begun = 0, n_lost = 0;
	int rc = 0;

	for (size_t i = 0; i < process->n; i++) {
		n_begun += process->thread[i].n_begun;
		n_lost += process->thread[i].lost_counts != PMU_SOURCE_HOLDS;
	}
	if (n_begun)
		rc = pmu_model_add_doubt(
			model,
			"a thread began meanwhile: it is in the row of the thread that began it, as one more call",
			process->region, -1, n_begun);
	if (!rc && n_lost)
		rc = pmu_model_add_doubt(
			model,
			"a thread's counters were given to something else for a while: its counts are missing, "
			"and so is the sum",
			process->region, -1, n_lost);
	if (!rc && process->n_unsettled)
		rc = pmu_model_add_doubt(
			model,
			"a thread began while it was attached to: it may be counted twice, or not at all",
			process->region, -1, process->n_unsettled);
	return rc;
}

void pmu_attach_give(struct pmu_model *model, const struct pmu_attach *attach, pid_t pid,
		     int root_fd, const struct pmu_sample_sums *sums, struct pmu_code *code)
{
	char root[32] = "";

	if (root_fd >= 0)
		snprintf(root, sizeof(root), "/proc/self/fd/%d", root_fd);
	pmu_sample_give_sums(code, pid, root, &attach->plan.sample.unit, sums, model);
}

struct pmu_model *pmu_attach_model(const struct pmu_attach *attach,
				   struct pmu_attach_process *process, struct pmu_code *code)
{
	struct pmu_model *model = pmu_model_new();
	int rc;

	if (!model)
		return NULL;
	describe_process(model, attach, process);
	model->thread = pmu_model_alloc(model, process->n * sizeof(*model->thread));
	rc = model->thread ? note_process(model, attach, process) : -ENOMEM;
	for (size_t i = 0; i < process->n && !rc; i++)
		if (was_watched(&process->thread[i]))
			describe_thread(model, process, &process->thread[i]);
	if (!rc)
		rc = make_section(model, attach, process);
	if (!rc)
		rc = doubt_threads(model, process);
	if (!rc)
		rc = doubt_samples(model, attach, process);
	if (!rc)
		rc = pmu_model_finish(model);
	if (rc) {
		pmu_model_free(model);
		return NULL;
	}
	if (code && process->sums.hits.n)
		pmu_attach_give(model, attach, process->pid, process->root_fd, &process->sums,
				code);
	pmu_metric_fill(model);
	return model;
}
