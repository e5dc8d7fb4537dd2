/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ran on the machine's processors as a report: a region for all of it, whose threads are the processors, and in
 * it one for each name of programs, with its share of the processor's busy time.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/attach/machine.h"
#include "bindings/command/code/code.h"
#include "bindings/command/sample/collector.h"
#include "report/model/metric.h"
#include "report/model/model.h"

/* --- rows --- */

static uint64_t samples_on(const struct pmu_attach_programs *programs, size_t cpu)
{
	uint64_t n = 0;

	for (size_t i = 0; i < programs->n_names; i++)
		n += programs->name[i].n_samples[cpu];
	return n;
}

static int make_root(struct pmu_model *model, const struct pmu_attach *attach, size_t cpu)
{
	const struct pmu_attach_machine_cpu *of = &attach->machine->cpu[cpu];
	struct pmu_model_section *s = model->section;
	struct pmu_model_row *row = &s->thread_row[s->n_thread_rows++];

	*row = (struct pmu_model_row){ .name = pmu_model_text(model, attach->machine->name,
							      strlen(attach->machine->name)),
				       .parent = -1,
				       .holder = -1,
				       .sum = -1,
				       .thread = (int)cpu,
				       .n_threads = 1,
				       .calls = 1,
				       .time_ns = of->stop_ns - of->start_ns,
				       .cpu_ns = of->busy_ns,
				       .blocked_ns = PMU_NOT_KNOWN,
				       .queued_ns = PMU_NOT_KNOWN,
				       .sd_ns = NAN };
	row->min_ns = row->max_ns = row->time_ns;
	return pmu_attach_counts(model, attach, of->count, of->missing, row);
}

/*
 * Its share of the processor's samples, @all, is its share of the time: both are known as well as these are many.
 */
static int make_program(struct pmu_model *model, const struct pmu_attach *attach, size_t name,
			size_t cpu, uint64_t all, int parent)
{
	static const uint64_t none[PMU_MAX_SLOTS];
	const struct pmu_attach_machine *machine = attach->machine;
	const struct pmu_attach_program *of = &machine->programs.name[name];
	struct pmu_model_section *s = model->section;
	struct pmu_model_row *row = &s->thread_row[s->n_thread_rows++];
	uint64_t n = of->n_samples[cpu], busy_ns = machine->cpu[cpu].busy_ns;

	*row = (struct pmu_model_row){ .name = pmu_model_text(model, of->text, strlen(of->text)),
				       .parent = parent,
				       .holder = parent,
				       .sum = -1,
				       .thread = (int)cpu,
				       .n_threads = 1,
				       .calls = of->n_processes[cpu],
				       .blocked_ns = PMU_NOT_KNOWN,
				       .queued_ns = PMU_NOT_KNOWN,
				       .sd_ns = NAN,
				       .who = pmu_attach_machine_who(&machine->programs, name,
								     cpu) };
	row->time_ns = busy_ns == PMU_NOT_KNOWN
			       ? n * attach->plan.sample.unit.period
			       : (uint64_t)((double)busy_ns * (double)n / (double)all);
	row->cpu_ns = row->time_ns;
	return pmu_attach_counts(model, attach, none, UINT32_MAX, row);
}

static int make_cpu(struct pmu_model *model, const struct pmu_attach *attach, size_t cpu)
{
	const struct pmu_attach_programs *programs = &attach->machine->programs;
	const int parent = (int)model->section->n_thread_rows;
	const uint64_t all = samples_on(programs, cpu);
	int rc = make_root(model, attach, cpu);

	for (size_t i = 0; i < programs->n_names && !rc; i++)
		if (programs->name[i].n_samples[cpu])
			rc = make_program(model, attach, i, cpu, all, parent);
	return rc;
}

/* --- head --- */

static void describe_machine(struct pmu_model *model, const struct pmu_attach *attach)
{
	const struct pmu_attach_machine *machine = attach->machine;

	pmu_attach_describe(model, attach);
	model->program = pmu_model_text(model, machine->name, strlen(machine->name));
	model->command = pmu_model_text(model, machine->path, strlen(machine->path));
	model->start_unix_ns = machine->start_unix_ns;
	model->duration_ns = machine->stop_ns - machine->start_ns;
	for (size_t i = 0; i < machine->programs.n_cpus; i++) {
		const struct pmu_attach_machine_cpu *cpu = &machine->cpu[i];

		model->thread[model->n_threads++] = (struct pmu_model_thread){
			.number = (int)i,
			.name = pmu_model_textf(model, "CPU %d", attach->rings.of[i].cpu),
			.tid = -1,
			.cpu = -1,
			.time_ns = cpu->stop_ns - cpu->start_ns,
			.start_ns = (int64_t)(cpu->start_ns - machine->start_ns),
			.stop_ns = (int64_t)(cpu->stop_ns - machine->start_ns),
			.minor_faults = -1,
			.major_faults = -1,
			.voluntary_switches = -1,
			.involuntary_switches = -1,
			.cpu_ns = cpu->busy_ns == PMU_NOT_KNOWN ? -1 : (int64_t)cpu->busy_ns,
		};
	}
}

static int note_machine(struct pmu_model *model, const struct pmu_attach *attach)
{
	const struct pmu_attach_machine *machine = attach->machine;
	int rc = pmu_model_add_note(
		model, machine->cgroup_fd < 0
			       ? "pmu attach watched all processors, as threads in here: what "
				 "they have of CPU time is what the system says (/proc/stat)"
			       : "pmu attach watched what the cgroup did on all processors, which "
				 "are as threads in here");

	if (!rc && attach->plan.sample.unit.period)
		rc = pmu_model_add_note(
			model,
			"programs of one name are one region, their calls processes that were sampled; "
			"their times are estimates, by their shares of the samples");
	if (!rc && machine->usage_us != PMU_NOT_KNOWN)
		rc = pmu_model_add_note(
			model, pmu_model_textf(model,
					       "by the system's own account (cpu.stat) the cgroup "
					       "had %.3f s of CPU time meanwhile",
					       (double)machine->usage_us / 1e6));
	return rc ? rc : pmu_attach_note(model, attach);
}

static int doubt_machine(struct pmu_model *model, const struct pmu_attach *attach)
{
	const struct pmu_attach_programs *programs = &attach->machine->programs;
	uint64_t expected = 0, found = 0;

	if (programs->n_nameless &&
	    pmu_model_add_doubt(
		    model,
		    "samples have no functions: there were too many programs, or processes "
		    "in containers that ended",
		    "", -1, programs->n_nameless))
		return -ENOMEM;
	if (!attach->plan.sample.unit.period)
		return 0;
	for (size_t i = 0; i < programs->n_cpus; i++)
		found += samples_on(programs, i);
	for (size_t i = 0; i < programs->n_cpus; i++)
		if (attach->machine->cpu[i].busy_ns != PMU_NOT_KNOWN)
			expected += attach->machine->cpu[i].busy_ns /
				    attach->plan.sample.unit.period;
	if (!pmu_attach_has_few(expected, found))
		return 0;
	return pmu_model_add_doubt(
		model,
		pmu_model_textf(model,
				"there are %" PRIu64 " samples where the CPU time has room for "
				"%" PRIu64 ": shares of it are known less well than they seem",
				found, expected),
		attach->machine->name, -1, 0);
}

/* --- samples --- */

/* The list of the kernel's symbols is worth it for all of them together. */
static void ask_kernel(const struct pmu_attach *attach, struct pmu_code *code)
{
	const struct pmu_attach_programs *programs = &attach->machine->programs;
	const struct pmu_code_at at = { .path = "[kernel]" };
	uint64_t n = 0;

	for (size_t i = 0; i < programs->n_names; i++)
		n += pmu_sample_n_kernel(&programs->name[i].sums.hits);
	if (!pmu_sample_is_kernel_little(n, &attach->plan.sample.unit))
		pmu_code_find(code, &at);
}

static void give_machine(struct pmu_model *model, const struct pmu_attach *attach,
			 struct pmu_code *code)
{
	const struct pmu_attach_programs *programs = &attach->machine->programs;

	ask_kernel(attach, code);
	for (size_t i = 0; i < programs->n_names; i++)
		if (programs->name[i].sums.hits.n)
			pmu_sample_give_sums(code, 0, "", &attach->plan.sample.unit,
					     &programs->name[i].sums, model);
	for (const struct pmu_attach_seen *at = programs->ended; at; at = at->next)
		pmu_attach_give(model, attach, at->pid, at->root_fd, &at->sums, code);
}

struct pmu_model *pmu_attach_machine_model(const struct pmu_attach *attach, struct pmu_code *code)
{
	const struct pmu_attach_machine *machine = attach->machine;
	const size_t n_cpus = machine->programs.n_cpus;
	struct pmu_model *model = pmu_model_new();
	int rc;

	if (!model)
		return NULL;
	model->thread = pmu_model_alloc(model, n_cpus * sizeof(*model->thread));
	rc = model->thread ? note_machine(model, attach) : -ENOMEM;
	if (!rc)
		describe_machine(model, attach);
	if (!rc)
		rc = pmu_attach_section(model, attach,
					n_cpus + pmu_attach_programs_count(&machine->programs));
	for (size_t i = 0; i < n_cpus && !rc; i++)
		rc = make_cpu(model, attach, i);
	if (!rc)
		rc = doubt_machine(model, attach);
	if (!rc)
		rc = pmu_model_finish(model);
	if (rc) {
		pmu_model_free(model);
		return NULL;
	}
	if (code)
		give_machine(model, attach, code);
	pmu_metric_fill(model);
	return model;
}
