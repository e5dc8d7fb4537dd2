/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ring of records for each processor.  It belongs to an event of this process that counts nothing, so that it stays
 * whatever becomes of the threads whose events write into it.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "bindings/command/attach/attach.h"
#include "counters/perf/system.h"
#include "machine/mask.h"

/* A power of 2.  What a user may lock is 516 KiB a processor as a rule (kernel.perf_event_mlock_kb). */
#define MOST_PAGES 64u

#define ONLINE "/sys/devices/system/cpu/online"

static int online(struct pmu_mask *mask)
{
	char text[4096];
	long n = pmu_sysfile_read(ONLINE, text, sizeof(text));
	int rc = n < 0 ? (int)n : pmu_mask_parse(text, mask);

	return rc ? pmu_fail(-rc, "cannot read " ONLINE ": %s", strerror(-rc)) : 0;
}

static int map_ring(struct pmu_attach_ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int error = 0;

	for (size_t n = MOST_PAGES; n; n /= 2) {
		void *at = mmap(NULL, (1 + n) * page, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
				0);

		error = errno;
		if (at == MAP_FAILED)
			continue;
		ring->page = at;
		ring->size = n * page;
		return 0;
	}
	return pmu_fail(error,
			"no memory can be locked for the kernel's records of processor %d: %s; a "
			"larger kernel.perf_event_mlock_kb allows it",
			ring->cpu, strerror(error));
}

int pmu_attach_open_dummy(pid_t tid, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return pmu_perf_system->open(&attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Return: 0; a negative errno with a sentence; -ENODEV: it has gone offline. */
static int open_ring(struct pmu_attach_ring *ring)
{
	ring->fd = pmu_attach_open_dummy(0, ring->cpu);
	if (ring->fd == -ENODEV)
		return -ENODEV;
	if (ring->fd < 0)
		return pmu_fail(-ring->fd,
				"perf_event_open(2) is refused here: %s; 'pmu doctor' says more",
				strerror(-ring->fd));
	return map_ring(ring);
}

int pmu_attach_rings_open(struct pmu_attach_rings *rings)
{
	struct pmu_mask mask;
	int rc = online(&mask);

	if (rc)
		return rc;
	rings->of = calloc(pmu_mask_count(&mask) + 1, sizeof(*rings->of));
	if (!rings->of)
		return pmu_fail(ENOMEM, "no memory for rings");
	for (int cpu = pmu_mask_next(&mask, 0); cpu >= 0; cpu = pmu_mask_next(&mask, cpu + 1)) {
		struct pmu_attach_ring *ring = &rings->of[rings->n];

		*ring = (struct pmu_attach_ring){ .cpu = cpu };
		rc = open_ring(ring);
		if (rc == -ENODEV)
			continue;
		rings->n++;
		if (rc)
			return rc;
	}
	return 0;
}

void pmu_attach_rings_close(struct pmu_attach_rings *rings)
{
	for (size_t i = 0; i < rings->n; i++) {
		const struct pmu_attach_ring *ring = &rings->of[i];

		if (ring->page)
			munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
		if (ring->fd >= 0)
			close(ring->fd);
	}
	free(rings->scratch.at);
	free(rings->of);
}

/* The kernel waits for its reader: nothing is written over. */
static size_t copy_records(const struct pmu_attach_ring *ring, char *to)
{
	const char *from = (const char *)ring->page + sysconf(_SC_PAGESIZE);
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	size_t n = head - tail <= ring->size ? (size_t)(head - tail) : 0;
	size_t at = tail & (ring->size - 1), first = n < ring->size - at ? n : ring->size - at;

	memcpy(to, from + at, first);
	memcpy(to + first, from, n - first);
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
	return n;
}

void pmu_attach_rings_read(struct pmu_attach_rings *rings, pmu_sample_take *take, void *arg)
{
	for (size_t i = 0; i < rings->n; i++) {
		const struct pmu_attach_ring *ring = &rings->of[i];

		rings->reading = i;
		if (pmu_sample_scratch(&rings->scratch, ring->size))
			pmu_sample_records(rings->scratch.at, copy_records(ring, rings->scratch.at),
					   take, arg);
	}
}
