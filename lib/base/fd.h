/* SPDX-License-Identifier: BSD-3-Clause */
/* Where our descriptors live: out of the program's way. */
#ifndef PMU_BASE_FD_H
#define PMU_BASE_FD_H

#include <stddef.h>

/*
 * Our descriptors get numbers above the program's soft limit, where its own opens, its loops over
 * all descriptors and its quota never reach: between pmu_fd_raise() and pmu_fd_lower() the soft
 * limit is the hard one.  Where the two are equal, they go to the top of the range.
 */

/** What pmu_fd_raise() found, for pmu_fd_lower(). */
struct pmu_fd_limit {
	unsigned long long soft;
	unsigned long long hard;
	int raised;
};

/**
 * pmu_fd_raise() - make room for descriptors of ours
 * @limit: what to put back
 *
 * Context: keep the time until pmu_fd_lower() short: the limit is the process's.  Calls from
 * several threads must not overlap (the session's lock).
 */
void pmu_fd_raise(struct pmu_fd_limit *limit);
void pmu_fd_lower(const struct pmu_fd_limit *limit);

/**
 * pmu_fd_park() - move a descriptor out of the program's way, close-on-exec
 * @fd: open descriptor; closed on success
 * @limit: from pmu_fd_raise()
 *
 * Return: its new number; @fd itself (close-on-exec) where no better one is free.
 */
int pmu_fd_park(int fd, const struct pmu_fd_limit *limit);

/**
 * What a descriptor was when it was ours: device and inode, and for anonymous ones the link text.
 */
struct pmu_fd_identity {
	unsigned long long dev;
	unsigned long long ino;
	char link[48];
};

/** pmu_fd_identify() - remember what @fd is.  Return: 0 or a negative errno. */
int pmu_fd_identify(int fd, struct pmu_fd_identity *id);
/** pmu_fd_is() - 1 while @fd still is what @id says, else 0. */
int pmu_fd_is(int fd, const struct pmu_fd_identity *id);

#endif
