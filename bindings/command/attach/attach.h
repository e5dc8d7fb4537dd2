/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of `pmu attach` share: programs that run already, measured from outside. */
#ifndef PMU_COMMAND_ATTACH_H
#define PMU_COMMAND_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/index.h"
#include "bindings/command/sample/ring.h"
#include "counters/perf/group.h"
#include "plan/group.h"
#include "settings/config.h"

struct pmu_code;
struct pmu_attach_machine;
struct pmu_model;

/** What is counted, for all of them alike. */
struct pmu_attach_plan {
	/* given: what whole processes do, or, with @cpu[n_cpus], whatever runs on these */
	enum pmu_count_scope scope;
	int *cpu;
	unsigned int n_cpus;
	bool with_idle; /* of all programs, so that time also passes where there is none */
	struct pmu_group group;
	struct pmu_plan plan; /* its slots; all of them are absent where nothing is counted */
	struct pmu_sample_event sample; /* of period 0: no samples are taken */
	bool callers;                   /* with what has called them */
	unsigned int n_notes;           /* what could not be had, sentences */
	char note[8][768];
	char why[320], mend[240]; /* counters are refused; "" */
};

/**
 * pmu_attach_choose() - what can be counted here of what was asked for
 * @config: taken in; without a group CORE, or what the kernel counts where there is no PMU
 * Return: 0; a negative errno with a sentence.
 */
int pmu_attach_choose(struct pmu_config *config, struct pmu_attach_plan *out);

/* --- what /proc says --- */

/** Since a thread began; each PMU_NOT_KNOWN, or -1, where it is gone. */
struct pmu_attach_usage {
	uint64_t queued_ns; /* it was runnable, and waited for a processor */
	int64_t minor_faults, major_faults, voluntary_switches, involuntary_switches;
};

/** pmu_attach_usage() - of a thread */
struct pmu_attach_usage pmu_attach_usage(pid_t pid, pid_t tid);

/** pmu_attach_name() - of a thread, as the system knows it; "" where it is gone */
void pmu_attach_name(pid_t pid, pid_t tid, char *name, size_t size);

/** pmu_attach_is_kernel() - is it a thread of the kernel's? */
bool pmu_attach_is_kernel(pid_t pid);

/** pmu_attach_command() - a process's command line, cut to a sensible length; "" where it has none */
void pmu_attach_command(pid_t pid, char *text, size_t size);

/** pmu_attach_root() - its root, open, where that is another than ours; else -1 */
int pmu_attach_root(pid_t pid);

/** pmu_attach_threads() - how many, with @tid allocated, ascending; or a negative errno */
long pmu_attach_threads(pid_t pid, pid_t **tid);

/**
 * pmu_attach_check() - is it a process that can be measured?
 * Return: 0; -ESRCH: there is none, or it has ended; -EINVAL: it is no program; each with a sentence.
 */
int pmu_attach_check(pid_t pid);

/* --- rings --- */

/** A processor's, with what all watched threads do there. */
struct pmu_attach_ring {
	int cpu, fd;
	struct perf_event_mmap_page *page;
	size_t size; /* without the page before it */
};

struct pmu_attach_rings {
	struct pmu_attach_ring *of;
	size_t n;
	size_t reading; /* index of the one whose records are taken */
	struct pmu_sample_scratch scratch;
};

/**
 * pmu_attach_open_dummy() - an event that counts nothing, by the clock of all
 * @tid: 0: of this process
 * @cpu: -1: any
 * Return: a descriptor or a negative errno.
 */
int pmu_attach_open_dummy(pid_t tid, int cpu);

/** perf_event_open(2): PERF_RECORD_FORK, PERF_RECORD_EXIT */
struct pmu_attach_task_record {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

/** PERF_RECORD_COMM; behind it the name, with a NUL, and what sample_id_all adds */
struct pmu_attach_comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
};

/** pmu_attach_rings_open() - on each processor that is online.  Return: 0 or a negative errno with a sentence. */
int pmu_attach_rings_open(struct pmu_attach_rings *rings);
void pmu_attach_rings_close(struct pmu_attach_rings *rings);

/** pmu_attach_rings_read() - what has come since, the records of each ring one after another */
void pmu_attach_rings_read(struct pmu_attach_rings *rings, pmu_sample_take *take, void *arg);

/* --- processes --- */

/** A thread that there was when the process was attached to. */
struct pmu_attach_thread {
	pid_t tid;
	char name[32];
	struct pmu_perf_group clock, counts;
	int *watch;                 /* [rings' n] */
	uint64_t start_ns, stop_ns; /* CLOCK_MONOTONIC; 0: not yet */
	bool has_ended;
	struct pmu_attach_usage before, after;
	/* threads that it began since, or that one of these did */
	uint64_t n_begun;
	uint64_t begun_ns; /* of those that have ended, and in the end of all: how long they ran */
	uint64_t begun_queued_ns; /* or PMU_NOT_KNOWN: one has ended, and cannot be asked */
	/* with all that those did; before the end what there was at the start */
	uint64_t cpu_ns, count[PMU_MAX_SLOTS];
	enum pmu_source_lost lost_clock, lost_counts;
};

/** One that was begun since: it inherits the events of a thread above, and is in that one's numbers. */
struct pmu_attach_begun {
	pid_t tid;
	unsigned int root; /* index of that thread */
	uint64_t start_ns; /* 0: it has ended */
};

struct pmu_attach_process {
	pid_t pid;
	int fd; /* pidfd_open(2); -1: there is none */
	/* of a container, or behind chroot(2): its root, where its files are also when it has ended; else -1 */
	int root_fd;
	char name[32], region[48], command[1024];
	struct pmu_attach_thread *thread;
	size_t n;
	struct pmu_attach_begun *begun;
	size_t n_begun, room;
	struct pmu_index index; /* by tid: 1 + their indices, those begun since behind the others */
	struct pmu_sample_sums sums;
	uint64_t maps_ns;
	/*
	 * The others CLOCK_MONOTONIC: its events were begun to be opened; its threads listed a second time; its events
	 * counted, and stood still.  0: not yet.
	 */
	uint64_t start_unix_ns, open_ns, settled_ns, start_ns, stop_ns;
	unsigned int
		n_unsettled; /* threads of which it is not known whether they are counted once */
	unsigned int n_execs;
	bool has_ended;
};

struct pmu_attach {
	struct pmu_attach_plan plan;
	struct pmu_attach_rings rings;
	bool without_kernel; /* samples of the kernel's work are refused */
	struct pmu_attach_process *process;
	size_t n;
	struct pmu_attach_machine *machine; /* in place of processes; else NULL (machine.h) */
	uint64_t n_lost;                    /* records that found no room */
	uint64_t n_throttled;               /* struct pmu_sample_sums */
	/* of one look: records, and where each is */
	struct pmu_attach_records {
		char *bytes;
		struct pmu_attach_record *at;
		size_t len, size, n, room;
	} records;
};

/** pmu_attach_open() - all threads of a process.  Return: 0 or a negative errno with a sentence. */
int pmu_attach_open(struct pmu_attach *attach, struct pmu_attach_process *process);
/** pmu_attach_start(), pmu_attach_stop() - what is counted between them is the process's */
void pmu_attach_start(struct pmu_attach_process *process);
void pmu_attach_stop(struct pmu_attach *attach, struct pmu_attach_process *process);
void pmu_attach_close(struct pmu_attach *attach, struct pmu_attach_process *process);

/** pmu_attach_look() - what rings have to say, given to those whom it is about */
void pmu_attach_look(struct pmu_attach *attach);

/**
 * pmu_attach_place() - where a sample was taken; what was mapped is known by records, but for those that were lost:
 * then the process is asked
 * @maps_ns: when it was asked last
 * Return: as pmu_sample_place()
 */
bool pmu_attach_place(struct pmu_sample_sums *sums, pid_t pid, uint64_t *maps_ns,
		      const struct pmu_sample_record *record, struct pmu_sample_at *at);

/** pmu_attach_index() - a thread by its number.  Context: there is room for it in the index. */
void pmu_attach_index(struct pmu_attach_process *process, pid_t tid, size_t number);

/** pmu_attach_find() - 1 + index of the thread that @tid's work is counted for; 0: none is known */
unsigned int pmu_attach_find(const struct pmu_attach_process *process, pid_t tid);

/** pmu_attach_begin() - @tid was begun by @by; pmu_attach_end() - has ended */
void pmu_attach_begin(struct pmu_attach_process *process, pid_t tid, pid_t by, uint64_t now_ns);
void pmu_attach_end(struct pmu_attach_process *process, pid_t tid, uint64_t now_ns);

/** pmu_attach_end_begun() - those that still run have done so until @now_ns, and are asked how long they have waited */
void pmu_attach_end_begun(struct pmu_attach_process *process, uint64_t now_ns);

/** pmu_attach_watch() - until @for_ns have passed (0: no limit), all have ended, or a signal says so */
int pmu_attach_watch(struct pmu_attach *attach, uint64_t for_ns);

/*
 * Parts of any report of what was attached to: program and source; notes; the section with its columns, and room for
 * @n_rows rows; a row's counts, @missing: a bit for each slot.  Return: 0 or -ENOMEM.
 */
struct pmu_model_row;
void pmu_attach_describe(struct pmu_model *model, const struct pmu_attach *attach);
int pmu_attach_note(struct pmu_model *model, const struct pmu_attach *attach);
int pmu_attach_section(struct pmu_model *model, const struct pmu_attach *attach, size_t n_rows);
int pmu_attach_counts(struct pmu_model *model, const struct pmu_attach *attach,
		      const uint64_t *count, uint32_t missing, struct pmu_model_row *row);

/** What a thread that is seldom on a processor may lack. */
#define PMU_ATTACH_FEW_SAMPLES 50u

/** pmu_attach_has_few() - are less than half of the samples there that the CPU time has room for? */
static inline bool pmu_attach_has_few(uint64_t expected, uint64_t found)
{
	return expected > 2 * (found + PMU_ATTACH_FEW_SAMPLES);
}

/**
 * pmu_attach_give() - functions to the rows of a finished model: pmu_sample_give_sums()
 * @root_fd: as in struct pmu_attach_process
 */
void pmu_attach_give(struct pmu_model *model, const struct pmu_attach *attach, pid_t pid,
		     int root_fd, const struct pmu_sample_sums *sums, struct pmu_code *code);

/** pmu_attach_model() - of a process, with its samples; NULL without memory */
struct pmu_model *pmu_attach_model(const struct pmu_attach *attach,
				   struct pmu_attach_process *process, struct pmu_code *code);

#endif
