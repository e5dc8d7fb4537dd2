/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the collector share. */
#ifndef PMU_COMMAND_SAMPLE_COLLECTOR_H
#define PMU_COMMAND_SAMPLE_COLLECTOR_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "bindings/command/sample/ring.h"
#include "bindings/command/sample/sample.h"

struct pmu_code;

struct pmu_sample_process {
	char store[PMU_SAMPLES_STORE];
	pid_t pid; /* as it is seen here */
	uint64_t period_ns;
	struct pmu_sample_sums sums;
	struct pmu_sample_process *next;
};

struct pmu_sample_thread {
	struct pmu_sample_ring ring;
	struct pmu_sample_process *process;
	struct pmu_sample_thread *next;
};

/** Connections of which nothing was heard yet. */
#define PMU_SAMPLE_PEERS 32

struct pmu_samples_collector {
	pthread_t thread;
	int socket, stop_fd;
	int peer[PMU_SAMPLE_PEERS];
	unsigned int n_peers;
	pthread_mutex_t lock; /* for what follows */
	struct pmu_sample_thread *threads;
	struct pmu_sample_process *processes;
	struct pmu_sample_account account;
	struct pmu_code *code; /* of the thread that gives; NULL: nothing was asked yet */
};

/** pmu_sample_take_hello() - a thread more; its connection is answered and closed.  Context: the lock. */
void pmu_sample_add_thread(struct pmu_samples_collector *collector, int peer);

/** pmu_sample_drain() - all rings.  Return: the fullest one's fill, in parts of 256.  Context: the lock. */
unsigned int pmu_sample_drain(struct pmu_samples_collector *collector);

/**
 * pmu_sample_take_process() - what is known of the process with that store
 * @ended: what is pending is as it was in the end, and its threads are forgotten
 * @out: result; its hits are the caller's, or, of one that goes on, a copy of them
 * Return: whether there is one.  Context: the lock.
 */
bool pmu_sample_take_process(struct pmu_samples_collector *collector, const char *store, bool ended,
			     struct pmu_sample_process *out);

void pmu_sample_process_free(struct pmu_sample_process *process);

#endif
