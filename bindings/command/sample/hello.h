/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread brings along as it begins to be sampled.  It may be anything, and so may its descriptors. */
#ifndef PMU_COMMAND_SAMPLE_HELLO_H
#define PMU_COMMAND_SAMPLE_HELLO_H

#include <stdbool.h>
#include <sys/types.h>

#include "bindings/command/sample/ring.h"
#include "store/samples.h"

struct pmu_sample_hello {
	struct pmu_samples_hello said;
	pid_t pid; /* of the process, as it is seen here */
	int event_fd, marks_fd;
};

/**
 * pmu_sample_hello_take() - what a thread has sent
 * @fd: its connection
 * Return: 0: it makes sense, and the descriptors are the caller's; -EPIPE: the thread is gone without a word; another
 * negative errno: nothing of it is left.
 */
int pmu_sample_hello_take(int fd, struct pmu_sample_hello *hello);

/** pmu_sample_peer_is_ours() - is the other end of a connection this user's, or root's?  @pid: result, whose it is */
bool pmu_sample_peer_is_ours(int fd, pid_t *pid);

/** pmu_sample_hello_map() - its ring and its marks; the descriptors are closed.  Return: 0 or a negative errno. */
int pmu_sample_hello_map(const struct pmu_sample_hello *hello, struct pmu_sample_ring *ring);

/** pmu_sample_hello_unmap() - what that has mapped */
void pmu_sample_hello_unmap(const struct pmu_sample_ring *ring);

#endif
