/* SPDX-License-Identifier: BSD-3-Clause */
/* What writers of traces are told, process by process. */
#ifndef PMU_COMMAND_TRACE_TIMELINE_H
#define PMU_COMMAND_TRACE_TIMELINE_H

#include "base/strbuf.h"
#include "bindings/command/trace/flows.h"
#include "bindings/command/trace/nest.h"
#include "bindings/command/trace/sink.h"
#include "bindings/command/trace/trace.h"
#include "report/model/metric.h"

struct pmu_timeline_format;

/* Of a slice: time on a processor, and what it waited; the last where it is not known for what. */
enum pmu_timeline_wait {
	PMU_TIMELINE_CPU,
	PMU_TIMELINE_BLOCKED,
	PMU_TIMELINE_RUNNABLE,
	PMU_TIMELINE_WAITED,
	PMU_TIMELINE_WAITS
};
extern const char *const pmu_timeline_wait_name[PMU_TIMELINE_WAITS];

/* What is said of a slice that is no whole call. */
#define PMU_TIMELINE_PART "part of a call: up to a checkpoint"
#define PMU_TIMELINE_OPEN "had not ended; it began here or before"

/* Beyond them pids may be those of others. */
#define PMU_TIMELINE_HOSTS 256

struct pmu_timeline {
	const struct pmu_timeline_format *format;
	void *arg; /* the format's */
	struct pmu_trace_sink sink;
	struct pmu_strbuf out; /* on its way there */
	struct pmu_trace_written written;
	bool begun;  /* the file's begin is written */
	bool inside; /* a process is being written */
	/* Of each host's boot; the clock of all is CLOCK_MONOTONIC of the first. */
	struct {
		char host[256], boot_id[40];
	} hosts[PMU_TIMELINE_HOSTS];
	unsigned int n_hosts;
	int64_t unix_offset; /* from that to CLOCK_REALTIME, ns */
	unsigned int n_processes;
	int error; /* of the first store that cannot be read */
};

/** A group's columns. */
struct pmu_timeline_group {
	const struct pmu_model_section *section; /* NULL: it has none */
	struct pmu_metrics *metrics;
	double *value; /* [section->n_metrics] of the slice that has ended */
};

struct pmu_timeline_process {
	const struct pmu_trace_source *source;
	unsigned int index; /* among those of the file, from 0 */
	unsigned int host;  /* likewise; pids are a host's */
	struct pmu_strbuf name;
	double ns_per_tick;
	int64_t start_ns; /* of its first clock point, on the common clock */
	struct pmu_timeline_group group[PMU_STORE_MAX_GROUPS];
	struct pmu_flows flows;
	uint64_t first_flow;             /* of the arrows' ids */
	unsigned char *named;            /* [n_names + ...] of the format: what it has defined */
	unsigned char *beside;           /* [n_rows] tracks of regions that are beside others */
	unsigned char *counts, *metrics; /* [groups * 64] */
	bool waits_named;
};

struct pmu_timeline_thread {
	struct pmu_timeline_process *process;
	const struct pmu_trace_ring *ring;
	uint32_t index;
	char name[64];
};

/** A slice with what is known from outside of its ring. */
struct pmu_timeline_slice {
	const struct pmu_slice *is;
	const char *name;
	size_t name_len;
	uint32_t name_id;
	uint64_t begin_ns, end_ns; /* on the common clock; the end from the end on */
	const struct pmu_flow_end *from, *to;
	size_t n_from, n_to;
	const struct pmu_timeline_group *group;
	uint32_t missing; /* slots that are not known */
	uint32_t n_counts;
	uint64_t wait_ns[PMU_TIMELINE_WAITS]; /* from the end on, */
	unsigned int waits; /* by a bit for each that it has: none where it did not wait */
};

/** Writes into pmu_timeline.out; out.failed ends it. */
struct pmu_timeline_format {
	bool compressed;
	void (*start)(struct pmu_timeline *to);
	void (*process)(struct pmu_timeline *to, struct pmu_timeline_process *process);
	void (*thread)(struct pmu_timeline *to, const struct pmu_timeline_thread *thread);
	void (*begin)(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
		      const struct pmu_timeline_slice *slice);
	void (*end)(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
		    const struct pmu_timeline_slice *slice);
	/* a call inside another of the same region */
	void (*again)(struct pmu_timeline *to, const struct pmu_timeline_thread *thread,
		      const struct pmu_timeline_slice *slice);
	void (*finish)(struct pmu_timeline *to);
};

extern const struct pmu_timeline_format pmu_timeline_perfetto;
extern const struct pmu_timeline_format pmu_timeline_chrome, pmu_timeline_chrome_gz;

/**
 * pmu_timeline_walk() - tell @to->format of all traces
 * @to: all zero but format, arg, and the sink of formats that write; pmu_strbuf_free(&to->out) after it
 * @store: [@n] their files; those without a trace, and those that cannot be read, are left out
 * Return: 0; a negative errno with a sentence: -ENODATA where none of them has a trace.
 */
int pmu_timeline_walk(struct pmu_timeline *to, const char *const *store, size_t n);

/** pmu_timeline_pid() - as the file has it: one of another host gets another number */
static inline int32_t pmu_timeline_pid(const struct pmu_timeline_process *process)
{
	return (int32_t)((uint32_t)process->source->model->pid & 0x7fffff) |
	       (int32_t)(process->host & 0xff) << 23;
}

static inline int64_t pmu_timeline_tid(const struct pmu_timeline_thread *thread)
{
	return (int64_t)(thread->ring->thread->record.tid & 0x7fffff) |
	       (int64_t)(thread->process->host & 0xff) << 23;
}

#endif
