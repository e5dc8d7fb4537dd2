/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPUs the sessions of this user have taken, so that two of them do not pin to the
 * same one. */
#ifndef PMU_MACHINE_CLAIMS_H
#define PMU_MACHINE_CLAIMS_H

#include <stdint.h>

#include "machine/mask.h"

/** Most claims of a user on one machine. */
#define PMU_CLAIMS_MAX 2048

/** A claim as it lies in the file; 32 bytes, so that none straddles a page. */
struct pmu_claim {
	int32_t pid;
	int32_t cpu;
	uint64_t start_time; /* field 22 of /proc/PID/stat */
	uint64_t pid_ns;     /* inode of /proc/self/ns/pid */
	uint64_t reserved;
};

/**
 * struct pmu_claims - a session's way to the file
 *
 * The file DIR/claims is locked only while it is read and changed: between two calls no
 * descriptor is open, so that a program may close what it likes and a forked child keeps
 * no claim alive.  A claim holds while the process that made it lives (pid, start time):
 * one that was killed has none.  The folder belongs to one user, and so do the claims;
 * sessions of other users and in other pid namespaces do not see them.
 */
struct pmu_claims {
	char path[512]; /* "": no claims */
	char boot_id[40];
	struct pmu_claim self; /* cpu is not used */
	struct pmu_mask mine;
	struct pmu_mask others; /* as of the last pmu_claims_lock() */
	int fd;                 /* while locked, else -1 */
	unsigned int n;
	struct pmu_claim claim[PMU_CLAIMS_MAX]; /* while locked: everybody's */
};

/** pmu_claims_open() - @dir: an existing folder of this user; NULL: nobody's claims are
 * asked or made. */
void pmu_claims_open(struct pmu_claims *claims, const char *dir);

/**
 * pmu_claims_lock() - read the claims of others into @others and keep them from changing
 * Return: 0; else there are no claims to respect, none can be made, and no unlock is due:
 * -ENOENT without a folder, -EAGAIN where somebody holds the lock for more than 50 ms, or
 * the errno of the file.
 */
int pmu_claims_lock(struct pmu_claims *claims);

/** pmu_claims_unlock() - claim @cpu too (-1: nothing), and let others in. */
void pmu_claims_unlock(struct pmu_claims *claims, int cpu);

/** pmu_claims_close() - give all of them back; a forked child's copy does nothing. */
void pmu_claims_close(struct pmu_claims *claims);

#endif
