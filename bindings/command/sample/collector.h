/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the collector share. */
#ifndef PMU_COMMAND_SAMPLE_COLLECTOR_H
#define PMU_COMMAND_SAMPLE_COLLECTOR_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/process.h"
#include "bindings/command/sample/ring.h"
#include "bindings/command/sample/sample.h"

struct pmu_code;

struct pmu_sample_process {
	char store[PMU_SAMPLES_STORE];
	pid_t pid; /* as it is seen here */
	struct pmu_sample_unit unit;
	struct pmu_sample_sums sums;
	bool is_over;     /* it has died, or is another program */
	uint64_t maps_ns; /* when it was asked what it has mapped */
	struct pmu_sample_process *next;
};

struct pmu_sample_thread {
	struct pmu_sample_ring ring; /* without marks: from outside */
	uint64_t begin_ns;           /* of monotonic time */
	int event_fd;                /* until it is known whether its event counts; -1 */
	/* from outside: */
	struct pmu_process_sched ran; /* by then */
	uint32_t serial;              /* of its record in the store, */
	bool is_live;                 /* which the last look has found */
	struct pmu_sample_process *process;
	struct pmu_sample_thread *next;
};

/** Connections of which nothing was heard yet. */
#define PMU_SAMPLE_PEERS 256

/** Threads at a time, with two mappings each: a process has 65,530 as a rule (vm.max_map_count), and others of ours. */
#define PMU_SAMPLE_THREADS 16384u

struct pmu_samples_collector {
	pthread_t thread;
	int socket, stop_fd;
	bool is_over; /* beside @stop_fd, where poll(2) says nothing of it */
	int peer[PMU_SAMPLE_PEERS];
	unsigned int n_peers;
	bool is_full;         /* no descriptor is left for another one until the next look */
	pthread_mutex_t lock; /* for what follows */
	struct pmu_sample_thread *threads;
	unsigned int n_threads;
	struct pmu_sample_process *processes;
	struct pmu_sample_scratch scratch;
	uint64_t alive_ns; /* when it was asked whether processes live */
	char *folder;
	uint64_t late_ns; /* CPU time between samples from outside; 0: none are taken so */
	bool callers;     /* those have their callers */
	uint64_t look_ns; /* when the next look for such threads is due */
	struct pmu_sample_account account;
	struct pmu_code *code; /* of the thread that gives; NULL: nothing was asked yet */
};

/** pmu_sample_add_thread() - one more, where it makes sense; its connection is answered and closed.  Context: the lock. */
void pmu_sample_add_thread(struct pmu_samples_collector *collector, int peer);

/** pmu_sample_new_thread() - with its process, for pmu_sample_enlist() or free(); NULL: there is no room for it */
struct pmu_sample_thread *pmu_sample_new_thread(struct pmu_samples_collector *collector,
						const char *store, pid_t pid,
						const struct pmu_sample_unit *unit);
void pmu_sample_enlist(struct pmu_samples_collector *collector, struct pmu_sample_thread *thread);

/** pmu_sample_end_thread() - no more of the one at @link; what is not marked is @who's, 0: nobody's */
void pmu_sample_end_thread(struct pmu_samples_collector *collector, struct pmu_sample_thread **link,
			   uint64_t who);

static inline bool pmu_sample_is_outside(const struct pmu_sample_thread *thread)
{
	return !thread->ring.marks;
}

/**
 * pmu_sample_look() - for threads that have run for a while and are not attached, and for what has become of those
 * that are sampled from outside.  Context: the lock.
 * pmu_sample_look_again() - for what has become of those of a process whose store is still there
 */
void pmu_sample_look(struct pmu_samples_collector *collector);
void pmu_sample_look_again(struct pmu_samples_collector *collector,
			   const struct pmu_sample_process *process);

/** pmu_sample_hear_late() - a thread is attached: what was sampled of it from outside, if so, is as it says */
void pmu_sample_hear_late(struct pmu_samples_collector *collector,
			  const struct pmu_samples_hello *said);

/** pmu_sample_drain() - all rings.  Return: the fullest one's fill, in parts of 256.  Context: the lock. */
unsigned int pmu_sample_drain(struct pmu_samples_collector *collector);

/**
 * pmu_sample_take_process() - what is known of the process with that store
 * @ended: what is pending is as it was in the end, and its threads are forgotten
 * @out: result, for pmu_sample_process_free(); of one that goes on a copy, with what is pending
 * Return: whether there is one.  Context: the lock.
 */
bool pmu_sample_take_process(struct pmu_samples_collector *collector, const char *store, bool ended,
			     struct pmu_sample_process *out);

/** pmu_sample_keep_account() - what is known of a process's samples, added to that of others */
void pmu_sample_keep_account(struct pmu_sample_account *account,
			     const struct pmu_sample_process *process);

/** pmu_sample_n_kernel() - those of the kernel's work */
uint64_t pmu_sample_n_kernel(const struct pmu_sample_hits *hits);

/** pmu_sample_is_kernel_little() - are so many of them too few to read the list of the kernel's symbols for? */
bool pmu_sample_is_kernel_little(uint64_t n, const struct pmu_sample_unit *unit);

struct pmu_model;
/**
 * pmu_sample_give_sums() - to the rows of a finished model: functions and lines of what was sampled
 * @pid: of the process, as it is seen here
 * @root: a path that its files are below; "" where they are those that are seen here
 * @sums: of rows that the model has by their who, or of PMU_SAMPLE_OPEN()
 */
void pmu_sample_give_sums(struct pmu_code *code, int64_t pid, const char *root,
			  const struct pmu_sample_unit *unit, const struct pmu_sample_sums *sums,
			  struct pmu_model *model);

void pmu_sample_process_free(struct pmu_sample_process *process);

#endif
