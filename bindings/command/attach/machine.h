/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that runs on the machine's processors, or what of it is of a cgroup: events on each processor rather than on
 * threads, so that nothing that is short is missed.  Counts are of all programs together; which of them ran comes from
 * samples.
 */
#ifndef PMU_COMMAND_ATTACH_MACHINE_H
#define PMU_COMMAND_ATTACH_MACHINE_H

#include "bindings/command/attach/attach.h"
#include "counters/perf/hybrid.h"

/** Whose samples cannot be told, as of what has ended before it was asked for its name. */
#define PMU_ATTACH_OTHERS "[others]"

/** Programs of one name. */
struct pmu_attach_program {
	char text[32];
	uint64_t *n_samples;         /* [n_cpus] */
	uint64_t *n_processes;       /* [n_cpus] that were first sampled there */
	struct pmu_sample_sums sums; /* of those that have ended */
};

/** One that was begun or sampled since. */
struct pmu_attach_seen {
	struct pmu_attach_seen *next;
	pid_t pid;
	int root_fd;               /* as in struct pmu_attach_process */
	bool has_maps;             /* they are known: those of before it was looked at, too */
	unsigned int n_looks_left; /* until it is forgotten, for it has ended; 0: it goes on */
	bool is_counted;           /* among its name's */
	char name[32];             /* "": not known yet */
	size_t name_number;        /* 1 + index; 0: not looked for yet */
	uint64_t maps_ns;
	struct pmu_sample_sums sums;
};

#define PMU_ATTACH_BUCKETS 16384u

/** Who ran, by samples. */
struct pmu_attach_programs {
	size_t n_cpus;
	struct pmu_attach_program *name;
	size_t n_names, room;
	struct pmu_index index; /* of 1 + their indices */
	struct pmu_attach_seen *bucket[PMU_ATTACH_BUCKETS];
	struct pmu_attach_seen
		*ended; /* whose samples are by themselves: of a container, or in no file */
	size_t n_ended;
	uint64_t
		n_nameless; /* samples whose functions were not kept: too many of those have ended */
};

/** A processor. */
struct pmu_attach_machine_cpu {
	struct pmu_perf_group clock, counts;
	struct pmu_perf_reader reader; /* of counts */
	int watch;
	uint64_t start_ns, stop_ns;             /* CLOCK_MONOTONIC */
	uint64_t busy_ns, count[PMU_MAX_SLOTS]; /* before the end what there was at the start */
	uint32_t missing;
};

struct pmu_attach_machine {
	const char *name;  /* the report's region: "machine", or the cgroup's */
	char path[4096];   /* the cgroup's folder; "" all */
	int cgroup_fd;     /* -1: all */
	uint64_t usage_us; /* the kernel's account of the cgroup, or PMU_NOT_KNOWN */
	uint64_t start_unix_ns, start_ns, stop_ns;
	struct pmu_attach_machine_cpu *cpu; /* [rings' n] */
	struct pmu_perf_hybrid hybrid;
	struct pmu_attach_programs programs;
};

/**
 * pmu_attach_machine_new() - not open yet
 * @cgroup: its folder, or a path below where cgroups are mounted; NULL: all
 * Return: NULL after a sentence.
 */
struct pmu_attach_machine *pmu_attach_machine_new(const char *cgroup);

/** pmu_attach_machine_open() - events on each processor that has a ring.  Return: 0 or a negative errno with a sentence. */
int pmu_attach_machine_open(struct pmu_attach *attach);
void pmu_attach_machine_start(struct pmu_attach *attach);
void pmu_attach_machine_stop(struct pmu_attach *attach);
void pmu_attach_machine_close(struct pmu_attach *attach);

/** pmu_attach_machine_record() - what the kernel says of processes; @cpu: the ring's index */
void pmu_attach_machine_record(struct pmu_attach *attach, size_t cpu,
			       const struct perf_event_header *header, uint64_t time);

/** pmu_attach_programs_looked() - all records of a look were taken */
void pmu_attach_programs_looked(struct pmu_attach_programs *programs);

/** pmu_attach_programs_end() - of those that still run what was sampled is given to their names, where it can be */
void pmu_attach_programs_end(struct pmu_attach_programs *programs);
/** pmu_attach_programs_count() - names on processors that have samples */
size_t pmu_attach_programs_count(const struct pmu_attach_programs *programs);
/** pmu_attach_programs_fold() - at most so many names on processors: those sampled least are with the others */
void pmu_attach_programs_fold(struct pmu_attach_programs *programs, size_t most);
void pmu_attach_programs_free(struct pmu_attach_programs *programs);

/** pmu_attach_machine_who() - of samples and rows: a name on a processor */
static inline uint64_t pmu_attach_machine_who(const struct pmu_attach_programs *programs,
					      size_t name, size_t cpu)
{
	return 1 + (uint64_t)name * programs->n_cpus + cpu;
}

/** pmu_attach_machine_model() - with samples; NULL without memory */
struct pmu_model *pmu_attach_machine_model(const struct pmu_attach *attach, struct pmu_code *code);

#endif
