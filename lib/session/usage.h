/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel says of a thread: faults, context switches, time on a processor. */
#ifndef PMU_SESSION_USAGE_H
#define PMU_SESSION_USAGE_H

#include <stdint.h>
#include <time.h>

struct pmu_store_thread;

/** Since the thread began; all of it or nothing. */
struct pmu_usage {
	int64_t minor_faults;
	int64_t major_faults;
	int64_t voluntary_switches;
	int64_t involuntary_switches;
	int64_t cpu_ns; /* at user and kernel level */
};

/** pmu_usage_less() - what is left of @from; any numbers will do, for some of them stood in a store */
static inline struct pmu_usage pmu_usage_less(const struct pmu_usage *from,
					      const struct pmu_usage *less)
{
#define LESS(member) (int64_t)((uint64_t)from->member - (uint64_t)less->member)
	return (struct pmu_usage){
		.minor_faults = LESS(minor_faults),
		.major_faults = LESS(major_faults),
		.voluntary_switches = LESS(voluntary_switches),
		.involuntary_switches = LESS(involuntary_switches),
		.cpu_ns = LESS(cpu_ns),
	};
#undef LESS
}

/**
 * pmu_usage_self() - of the calling thread, by getrusage() and its clock.  Return: 0 or a negative
 * errno.
 */
int pmu_usage_self(struct pmu_usage *usage);

/**
 * pmu_usage_other() - of another thread of this process, by /proc/self/task and its clock
 * Return: 0; a negative errno where the thread has gone or /proc says something unknown.
 */
int pmu_usage_other(int tid, struct pmu_usage *usage);

/** pmu_usage_clock() - that of another thread of this process: its time on a processor */
clockid_t pmu_usage_clock(int tid);

/** pmu_usage_record() - in a thread's record: what it has used since @before */
void pmu_usage_record(struct pmu_store_thread *record, const struct pmu_usage *now,
		      const struct pmu_usage *before);

#endif
