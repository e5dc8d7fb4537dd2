/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPUs the sessions of this user have taken, so that two of them do not pin to the
 * same one. */
#ifndef PMU_MACHINE_CLAIMS_H
#define PMU_MACHINE_CLAIMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/process.h"
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

/** The file: a head, then claims to its end. */
struct pmu_claims_file {
	struct {
		char magic[8];
		char boot_id[40]; /* pids of an earlier boot say nothing */
		char reserved[16];
	} head;
	struct pmu_claim claim[PMU_CLAIMS_MAX];
};

/**
 * struct pmu_claims - a session's way to the file
 *
 * The file DIR/claims is locked only while it is read and changed: between two calls no
 * descriptor is open, so that a program may close what it likes and a forked child keeps
 * no claim alive.  A claim holds while the process that made it lives (pid, start time):
 * one that was killed has none.  The folder belongs to one user, and so do the claims;
 * sessions of other users and in other pid namespaces do not see them.
 *
 * Whether a process lives is asked only of claims on CPUs that matter, so that a start costs
 * the same however many there are.
 */
struct pmu_claims {
	char path[512]; /* "": no claims */
	char boot_id[40];
	struct pmu_claim self; /* cpu is not used */
	struct pmu_mask mine;
	struct pmu_mask others; /* as of the last pmu_claims_sift() */
	int fd;                 /* while locked, else -1 */
	unsigned int n;         /* of file.claim */
	size_t size;            /* of the file as it was read */
	struct pmu_claims_file file;
};

/**
 * pmu_claims_open() - fill in @claims; opens no file yet
 * @dir: an existing folder of this user; NULL: no claims are read or made
 * @self: this process
 */
void pmu_claims_open(struct pmu_claims *claims, const char *dir, const struct pmu_process *self);

/**
 * pmu_claims_lock() - read the claims and keep them from changing
 * Return: 0; else there are no claims to respect, none can be made, and no unlock is due:
 * -ENOENT without a folder, -EAGAIN where another process holds the lock for more than 50 ms, or
 * the errno of the file.
 */
int pmu_claims_lock(struct pmu_claims *claims);

/**
 * pmu_claims_sift() - those of the living on CPUs of @cpus go into @others, the rest of these are
 * forgotten
 * @cpus: NULL for all
 *
 * Context: locked.
 */
void pmu_claims_sift(struct pmu_claims *claims, const struct pmu_mask *cpus);

/** pmu_claims_unlock() - claim @cpu too (-1: nothing), and let other sessions lock. */
void pmu_claims_unlock(struct pmu_claims *claims, int cpu);

/** pmu_claims_close() - give all of them back; a forked child's copy does nothing. */
void pmu_claims_close(struct pmu_claims *claims);

#endif
