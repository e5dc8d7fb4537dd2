/* SPDX-License-Identifier: BSD-3-Clause */
/* Which threads a process has now, by its store alone: quick enough to be asked all the time. */
#ifndef PMU_STORE_READ_LIVE_H
#define PMU_STORE_READ_LIVE_H

#include <stdint.h>

/** A thread's record that is PMU_THREAD_LIVE. */
struct pmu_live_thread {
	int32_t tid;     /* as its process sees it */
	uint32_t serial; /* of its record */
	uint32_t flags;  /* enum pmu_store_thread_flags */
};

typedef void pmu_live_fn(void *arg, const struct pmu_live_thread *thread);

/**
 * pmu_store_each_live() - of a store whose process may write to it; nothing is mapped
 * pmu_store_each_live_of() - of the open file
 *
 * Up to where something makes no sense.
 * Return: 0, or a negative errno where the file cannot be opened or is no store.
 */
int pmu_store_each_live(const char *path, pmu_live_fn *see, void *arg);
int pmu_store_each_live_of(int fd, pmu_live_fn *see, void *arg);

#endif
