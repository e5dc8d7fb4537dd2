/* SPDX-License-Identifier: BSD-3-Clause */
/* A hand-made report model: two threads, nested regions, missing counts, odd names. */
#ifndef PMU_TESTS_MODEL_SAMPLE_H
#define PMU_TESTS_MODEL_SAMPLE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"

#define SAMPLE_LONG_A                                                                   \
	"a_name_that_is_so_long_that_no_table_has_room_for_it__first__and_goes_on_and_" \
	"on"
#define SAMPLE_LONG_B                                                                   \
	"a_name_that_is_so_long_that_no_table_has_room_for_it__other__and_goes_on_and_" \
	"on"

enum { INSTRUCTIONS, CYCLES, LLC_MISSES, SAMPLE_COUNTS };

__attribute__((unused)) static struct pmu_model_row *sample_row(struct pmu_model *model,
								struct pmu_model_section *s,
								int thread, int parent,
								const char *name, uint64_t calls,
								uint64_t time_ns)
{
	struct pmu_model_row *row = &s->thread_row[s->n_thread_rows++];

	*row = (struct pmu_model_row){
		.name = name,
		.parent = parent,
		.thread = thread,
		.calls = calls,
		.cpu_ns = PMU_NOT_KNOWN,
		.blocked_ns = PMU_NOT_KNOWN,
		.queued_ns = PMU_NOT_KNOWN,
		.time_ns = time_ns,
		.min_ns = calls ? time_ns / calls / 2 : 0,
		.max_ns = calls ? time_ns / calls * 2 : 0,
		.sd_ns = calls ? (double)(time_ns / calls) / 8 : NAN,
	};
	row->raw = pmu_model_alloc(model, 8 * s->n_counts);
	row->net = pmu_model_alloc(model, 8 * s->n_counts);
	row->cost = pmu_model_alloc(model, 8 * s->n_counts);
	for (unsigned int i = 0; i < s->n_counts; i++) {
		row->net[i] = time_ns * (3 - i) / (i + 1);
		row->cost[i] = 40 * calls;
		row->raw[i] = row->net[i] + row->cost[i];
	}
	return row;
}

/* Sections with room for @n_rows rows of threads each. */
__attribute__((unused)) static void sample_sections(struct pmu_model *model, unsigned int n,
						    unsigned int n_rows)
{
	model->section = pmu_model_alloc(model, n * sizeof(*model->section));
	model->n_sections = n;
	for (unsigned int i = 0; i < n; i++) {
		model->section[i].group = "TIME";
		model->section[i].thread_row = pmu_model_alloc(
			model, n_rows * sizeof(struct pmu_model_row));
	}
}

__attribute__((unused)) static void sample_threads(struct pmu_model *model, unsigned int n,
						   uint64_t time_ns)
{
	model->thread = pmu_model_alloc(model, n * sizeof(*model->thread));
	model->n_threads = n;
	for (unsigned int i = 0; i < n; i++)
		model->thread[i] = (struct pmu_model_thread){
			.number = (int)i,
			.name = i ? "worker" : "demo",
			.tid = 4242 + i,
			.cpu = (int)i,
			.time_ns = time_ns,
			.minor_faults = 120,
			.major_faults = 3,
			.voluntary_switches = i ? -1 : 7,
			.involuntary_switches = i ? -1 : 2,
			.cpu_ns = i ? -1 : (int64_t)(time_ns / 4),
		};
}

/* A model without threads, sections and remarks. */
__attribute__((unused)) static struct pmu_model *sample_head(void)
{
	struct pmu_model *model = pmu_model_new();

	if (!model)
		abort();
	model->program = "demo";
	model->command = "./demo --size 1000";
	model->host = "node1";
	model->pid = 4242;
	model->start_unix_ns = 1700000000123456789u;
	model->duration_ns = 1234000000;
	model->machine = "AMD EPYC, 2 cores, 1 socket, virtual machine (KVM)";
	model->cpu = "AuthenticAMD-26-2-1";
	model->source = "perf";
	model->source_detail = "user level, read in user space";
	model->clock = "time stamp counter";
	model->clock_hz = 2596000000.0;
	model->pinning = "auto: 2 threads on CPUs 0,1";
	model->version = "0.1.0";
	return model;
}

__attribute__((unused)) static void sample_core(struct pmu_model *model,
						struct pmu_model_section *s)
{
	static const struct pmu_model_count count[] = { { "instructions", "" },
							{ "cycles", "" },
							{ "LLC-misses", "" } };
	static const struct pmu_model_metric metric[] = {
		{ "IPC", "", "instructions / cycles" },
		{ "LLC miss rate", "%", "100 * \"LLC-misses\" / instructions" }
	};

	s->group = "CORE";
	s->n_counts = SAMPLE_COUNTS;
	s->count = pmu_model_alloc(model, sizeof(count));
	memcpy(s->count, count, sizeof(count));
	s->n_metrics = 2;
	s->metric = pmu_model_alloc(model, sizeof(metric));
	memcpy(s->metric, metric, sizeof(metric));
}

/*
 * Finished.  On thread 1 LLC-misses is missing in "assemble" (and so in its sum); the
 * rows are in no useful order.
 */
__attribute__((unused)) static struct pmu_model *sample_model(void)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	sample_threads(model, 2, 1000000000);
	sample_sections(model, 1, 16);
	s = model->section;
	sample_core(model, s);
	sample_row(model, s, 1, -1, "main", 1, 900000000);  /* 0 */
	sample_row(model, s, 0, -1, "main", 1, 950000000);  /* 1 */
	sample_row(model, s, 0, 1, "\"q\",x\n", 4, 4000);   /* 2 */
	sample_row(model, s, 0, 1, "solve", 10, 800000000); /* 3 */
	sample_row(model, s, 1, 0, "solve", 30, 600000000); /* 4 */
	sample_row(model, s, 1, 4, "assemble", 300, 100000000)->missing = 1u << LLC_MISSES;
	sample_row(model, s, 0, 3, "a/b", 50, 200000000);       /* 6 */
	sample_row(model, s, 0, 3, "assemble", 100, 300000000); /* 7 */
	sample_row(model, s, 0, 3, "\xff\xfe", 5000, 500000);   /* 8 */
	sample_row(model, s, 0, 1, SAMPLE_LONG_A, 3, 30000);    /* 9 */
	sample_row(model, s, 0, 1, SAMPLE_LONG_B, 3, 20000);    /* 10 */
	if (pmu_model_add_note(model,
			       "the group CORE gave up LLC-references: no counter is left") ||
	    pmu_model_add_doubt(model, "ended without a begin", "main/solve/a\\/b", 0, 3) ||
	    pmu_model_add_refusal(model, "msr", "cannot open /dev/cpu/0/msr: Permission denied",
				  "modprobe msr, and run as root") ||
	    pmu_model_finish(model))
		abort();
	return model;
}

/*
 * Finished: "solve" of thread 0, for which thread 1 worked, where it began "kernel"; thread 2 worked
 * for that "kernel" of thread 0's, and has both by itself, too.
 */
__attribute__((unused)) static struct pmu_model *sample_team(void)
{
	const uint64_t ms = 1000000;
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	sample_threads(model, 3, 1000 * ms);
	for (int i = 0; i < 3; i++)
		model->thread[i].stop_ns = (int64_t)(1000 * ms);
	sample_sections(model, 1, 16);
	s = model->section;
	sample_core(model, s);
	sample_row(model, s, 0, -1, "solve", 2, 500 * ms);                       /* 0 */
	sample_row(model, s, 0, 0, "kernel", 2, 300 * ms);                       /* 1 */
	sample_row(model, s, 1, -1, "solve", 2, 200 * ms)->flags = PMU_ROW_TEAM; /* 2 */
	sample_row(model, s, 1, 2, "kernel", 2, 100 * ms);                       /* 3 */
	sample_row(model, s, 2, -1, "solve", 1, 20 * ms)->flags = PMU_ROW_TEAM;  /* 4 */
	sample_row(model, s, 2, 4, "kernel", 2, 50 * ms)->flags = PMU_ROW_TEAM;  /* 5 */
	sample_row(model, s, 2, 4, "kernel", 2, 5 * ms);                         /* 6 */
	sample_row(model, s, 2, 6, "leaf", 2, 1 * ms);                           /* 7 */
	sample_row(model, s, 2, -1, "solve", 1, 80 * ms);                        /* 8 */
	sample_row(model, s, 2, 8, "kernel", 1, 70 * ms);                        /* 9 */
	sample_row(model, s, 2, 9, "leaf", 1, 60 * ms);
	if (pmu_model_finish(model))
		abort();
	return model;
}

/* The sum with that name, in the first section. */
__attribute__((unused)) static struct pmu_model_row *sample_sum(struct pmu_model *model,
								const char *name)
{
	struct pmu_model_section *s = model->section;

	for (unsigned int i = 0; i < s->n_rows; i++)
		if (!strcmp(s->row[i].name, name))
			return &s->row[i];
	return NULL;
}

#endif
