/* SPDX-License-Identifier: BSD-3-Clause */
/* Where our descriptors live: out of the program's way. */
#ifndef PMU_BASE_FD_H
#define PMU_BASE_FD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Our descriptors are in the upper half of the range that the program has, at its top.  Where that
 * is full, or no number at all is left for an open, the soft limit is the hard one between
 * pmu_fd_more() or pmu_fd_park() and pmu_fd_end(), and they get numbers above the program's; no
 * child is made meanwhile (base/spawning.h).
 */

/** The limit as the program has it. */
struct pmu_fd_limit {
	unsigned long long soft;
	unsigned long long hard;
};

/**
 * pmu_fd_begin(), pmu_fd_end() - around what opens descriptors of ours
 *
 * Context: keep the time short: the limit is the process's.  Calls from several threads must not
 * overlap (the session's lock).
 */
void pmu_fd_begin(struct pmu_fd_limit *limit);
void pmu_fd_end(void);

/**
 * pmu_fd_more() - is it worth trying again?
 * @error: of an open that failed
 *
 * Context: between pmu_fd_begin() and pmu_fd_end().
 */
bool pmu_fd_more(int error);

/** pmu_fd_spawning() - for the functions of base/spawning.h */
int *pmu_fd_spawning(void);

/**
 * pmu_fd_park() - move a descriptor out of the program's way, close-on-exec
 * @fd: open descriptor; closed on success
 * @limit: from pmu_fd_begin()
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
