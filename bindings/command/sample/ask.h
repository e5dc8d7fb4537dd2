/* SPDX-License-Identifier: BSD-3-Clause */
/* A question for samples, and who answers it. */
#ifndef PMU_COMMAND_SAMPLE_ASK_H
#define PMU_COMMAND_SAMPLE_ASK_H

#include <stdbool.h>

struct pmu_sample_process;
struct pmu_samples_collector;

/** pmu_sample_is_question() - is the next message at @peer one?  It stays. */
bool pmu_sample_is_question(int peer);

/**
 * pmu_sample_answer() - answer it; the connection stays open
 *
 * Never waits: who does not take the answer has none.
 * Context: the collector's lock.
 */
void pmu_sample_answer(struct pmu_samples_collector *collector, int peer);

/**
 * pmu_sample_ask() - what is known of the process with the store @path
 * @out: result, for pmu_sample_process_free()
 * Return: 0; -ENOENT: nobody samples it; another negative errno: no answer, or none that makes sense.
 */
int pmu_sample_ask(const char *path, struct pmu_sample_process *out);

#endif
