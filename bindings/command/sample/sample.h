/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collects the samples of all threads of a run's processes, while they run and whatever becomes of them, and gives
 * them to the reports' regions.
 */
#ifndef PMU_COMMAND_SAMPLE_H
#define PMU_COMMAND_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

struct pmu_model;
struct pmu_samples_collector;

/** What is to be said of it all. */
struct pmu_sample_account {
	uint64_t n_threads;   /* that were sampled */
	uint64_t n_refused;   /* that could not be */
	uint64_t n_stretches; /* of their samples that were written over before they were read */
	uint64_t n_dropped;   /* samples that belong to nobody for that, or for want of memory */
	uint64_t n_throttled; /* times that the kernel took none for a while */
	uint64_t n_crowded;   /* threads whose event found no counter, or at times alone */
	uint64_t n_left_out;  /* samples whose callers found no room */
};

/** What is to be said of @n_throttled, as printf(3) has it. */
#define PMU_SAMPLE_THROTTLED                                                                      \
	"the kernel held samples back, for 10 ms at most each time (%" PRIu64                     \
	" in all): there were more than kernel.perf_event_max_sample_rate allows; with a longer " \
	"period none are"

/**
 * pmu_sample_collect() - from now on
 * @folder: where stores lie; the socket is made in it
 * @late_ns: CPU time between samples of threads that are attached late (PMU_SAMPLE=auto); 0: none are
 * @callers: those have their callers
 * @collector: result
 *
 * In a thread of its own, which takes no signals.
 * Return: 0, or a negative errno with a sentence.
 */
int pmu_sample_collect(const char *folder, uint64_t late_ns, bool callers,
		       struct pmu_samples_collector **collector);

/**
 * pmu_sample_give() - to the rows of a process's finished model what was sampled of them
 * @collector: may be NULL
 * @path: of its store
 * @ended: no more of it comes
 */
void pmu_sample_give(struct pmu_samples_collector *collector, const char *path,
		     struct pmu_model *model, bool ended);

/** pmu_sample_account() - of all so far; @collector: may be NULL */
struct pmu_sample_account pmu_sample_account(struct pmu_samples_collector *collector);

/** pmu_sample_stop() - no more is collected, and what was is forgotten; @collector: may be NULL */
void pmu_sample_stop(struct pmu_samples_collector *collector);

#endif
