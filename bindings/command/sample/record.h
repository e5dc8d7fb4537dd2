/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that the kernel puts into a ring of perf's, taken out of a copy of it. */
#ifndef PMU_COMMAND_SAMPLE_RECORD_H
#define PMU_COMMAND_SAMPLE_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bindings/command/sample/maps.h"

/**
 * PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME (perf_event_open(2)): without PERF_SAMPLE_ID, in this order.
 * PERF_SAMPLE_CALLCHAIN, where that is asked for, is behind them.
 */
struct pmu_sample_record {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
};

/** PERF_RECORD_MMAP2 */
struct pmu_sample_mapping {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t address, len, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[]; /* with a NUL, and more of them up to 8 bytes */
};

/** The longest record there is. */
#define PMU_SAMPLE_LONGEST (sizeof(struct pmu_sample_mapping) + 4096 + 8)

/** What takes a record that begins at byte @at of the copy; all of it is there.  Return: false: the rest is of no use. */
typedef bool pmu_sample_take(void *arg, const struct perf_event_header *header, size_t at);

/**
 * pmu_sample_records() - one after another
 * @copy: [n] bytes, from the beginning of a record on
 * Return: whether all of it makes sense.
 */
bool pmu_sample_records(const char *copy, size_t n, pmu_sample_take *take, void *arg);

/** pmu_sample_is_record(), pmu_sample_is_mapping() - is it one, and is all of it there? */
bool pmu_sample_is_record(const struct perf_event_header *header);
bool pmu_sample_is_mapping(const struct perf_event_header *header);

/** pmu_sample_map() - what a record of a mapping says.  Return: 0 or -ENOMEM. */
int pmu_sample_map(struct pmu_sample_maps *maps, const struct pmu_sample_mapping *mapping);

/**
 * pmu_sample_place() - where a sample was taken
 * @n_unknown: grows by one where nothing is mapped there
 * Return: false: in a hypervisor, or what else is not the program's work.
 */
bool pmu_sample_place(const struct pmu_sample_maps *maps, const struct pmu_sample_record *record,
		      struct pmu_sample_at *at, uint64_t *n_unknown);

#endif
