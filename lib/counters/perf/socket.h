/* SPDX-License-Identifier: BSD-3-Clause */
/* What belongs to sockets, through perf_event: each box of a PMU on a processor of each socket. */
#ifndef PMU_COUNTERS_PERF_SOCKET_H
#define PMU_COUNTERS_PERF_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/backend.h"

struct pmu_perf_sockets;

/**
 * pmu_perf_sockets_probe() - can the plan's socket slots be counted?
 * @probe: error[] of those that cannot; why, mend: of the first.  The rest is left alone
 *
 * Tries one box of each PMU.
 * Return: 0, also without such a slot; the first refusal.
 */
int pmu_perf_sockets_probe(const struct pmu_plan *plan, struct pmu_probe *probe);

/**
 * pmu_perf_sockets_open() - open all boxes and let them count
 * @result: NULL where the plan has no socket slot
 * Return: 0; a negative errno with a sentence.
 */
int pmu_perf_sockets_open(const struct pmu_plan *plan, struct pmu_perf_sockets **result);
void pmu_perf_sockets_close(struct pmu_perf_sockets *sockets);

/** pmu_perf_sockets_child() - in a forked child: let go of the descriptors.  Async-signal-safe. */
void pmu_perf_sockets_child(struct pmu_perf_sockets *sockets);

/* As struct pmu_backend has them; NULL has no socket. */
unsigned int pmu_perf_sockets_count(const struct pmu_perf_sockets *sockets);
int pmu_perf_sockets_of(const struct pmu_perf_sockets *sockets, int cpu);
uint32_t pmu_perf_sockets_read(struct pmu_perf_sockets *sockets, unsigned int socket,
			       uint64_t *value);
bool pmu_perf_sockets_remark(struct pmu_perf_sockets *sockets, char *text, size_t size);

/** pmu_perf_sockets_groups() - how many groups of descriptors they are read by. */
unsigned int pmu_perf_sockets_groups(const struct pmu_perf_sockets *sockets);

/**
 * pmu_perf_scale() - a count in its unit
 * @scale: of the slot; 0: as it is
 * @count: result, rounded
 * Return: false where it is no number that @count can hold.
 */
bool pmu_perf_scale(uint64_t raw, double scale, uint64_t *count);

#endif
