/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPUs the sessions of this user have taken, so that two of them do not pin to the
 * same one. */
#include "machine/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/owner.h"
#include "base/process.h"
#include "base/write.h"

/*
 * The file: this head, then claims to its end.  Every claim is judged by itself, so that
 * one torn off by a kill in mid-write costs itself at most.
 */
struct claims_head {
	char magic[8];
	char boot_id[40]; /* pids of an earlier boot say nothing */
	char reserved[16];
};
_Static_assert(sizeof(struct claims_head) == 64, "claims start on a multiple of their size");
_Static_assert(sizeof(struct pmu_claim) == 32, "a claim does not straddle a page");

static const char claims_magic[8] = "PMUCLM1";

/* Start time of a process that is neither gone nor a zombie; 0 otherwise. */
static uint64_t start_time_of(int pid)
{
	struct pmu_process_stat stat;

	return pmu_process_stat(pid, &stat) || pmu_process_has_ended(&stat) ? 0 : stat.start_time;
}

void pmu_claims_open(struct pmu_claims *claims, const char *dir)
{
	struct pmu_process self;

	memset(claims, 0, offsetof(struct pmu_claims, claim));
	claims->fd = -1;
	if (!dir || (size_t)snprintf(claims->path, sizeof(claims->path), "%s/claims", dir) >=
			    sizeof(claims->path)) {
		claims->path[0] = '\0';
		return;
	}
	pmu_process_self(&self);
	claims->self.pid = self.pid;
	claims->self.start_time = self.start_time;
	claims->self.pid_ns = self.pid_ns;
	snprintf(claims->boot_id, sizeof(claims->boot_id), "%s", self.boot_id);
	if (!claims->self.start_time) /* without /proc nobody can tell who lives */
		claims->path[0] = '\0';
}

/* Never wait long for a holder that may be stopped: what we delay is somebody's program.
 */
static int lock_file(int fd)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (int i = 0; i < 50; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return -EAGAIN;
}

static int open_file(const char *path)
{
	struct stat st;
	int fd, rc;

	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0)
		return -errno;
	rc = pmu_owner_stat(fd, &st);
	if (!rc && (!S_ISREG(st.st_mode) || st.st_uid != pmu_owner_self()))
		rc = -EPERM;
	if (!rc)
		rc = lock_file(fd);
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

static bool same_process(const struct pmu_claim *a, const struct pmu_claim *b)
{
	return a->pid == b->pid && a->start_time == b->start_time && a->pid_ns == b->pid_ns;
}

static bool is_sane(const struct pmu_claim *claim)
{
	return claim->pid > 0 && claim->cpu >= 0 && claim->cpu < PMU_MASK_CPUS && claim->start_time;
}

/* Keep the claims of the living; ours are those of @mine, not of a program that we were
 * before an exec. */
static void sift(struct pmu_claims *claims)
{
	const struct pmu_claim *last = NULL;
	unsigned int n = 0;

	for (unsigned int i = 0; i < claims->n; i++) {
		struct pmu_claim claim = claims->claim[i];

		if (!is_sane(&claim))
			continue;
		if (same_process(&claim, &claims->self)) {
			if (!pmu_mask_has(&claims->mine, claim.cpu))
				continue;
		} else if (claim.pid_ns == claims->self.pid_ns) {
			/* a process's claims come one after another */
			if (!(last && same_process(&claim, last)) &&
			    start_time_of(claim.pid) != claim.start_time)
				continue;
			pmu_mask_set(&claims->others, claim.cpu);
		} else if (claims->n > PMU_CLAIMS_MAX / 2) {
			continue; /* nobody here can tell whether it lives */
		}
		claims->claim[n] = claim;
		last = &claims->claim[n++];
	}
	claims->n = n;
}

static void read_claims(struct pmu_claims *claims)
{
	struct claims_head head;
	ssize_t len;

	claims->n = 0;
	len = pread(claims->fd, &head, sizeof(head), 0);
	if (len != (ssize_t)sizeof(head) ||
	    memcmp(head.magic, claims_magic, sizeof(claims_magic)) ||
	    memcmp(head.boot_id, claims->boot_id, sizeof(head.boot_id)))
		return;
	len = pread(claims->fd, claims->claim, sizeof(claims->claim), sizeof(head));
	if (len > 0)
		claims->n = (unsigned int)((size_t)len / sizeof(claims->claim[0]));
}

int pmu_claims_lock(struct pmu_claims *claims)
{
	int fd;

	memset(&claims->others, 0, sizeof(claims->others));
	if (!claims->path[0])
		return -ENOENT;
	fd = open_file(claims->path);
	if (fd < 0)
		return fd;
	claims->fd = fd;
	read_claims(claims);
	sift(claims);
	return 0;
}

static void write_claims(struct pmu_claims *claims)
{
	size_t size = claims->n * sizeof(claims->claim[0]);
	struct claims_head head = { 0 };

	memcpy(head.magic, claims_magic, sizeof(head.magic));
	memcpy(head.boot_id, claims->boot_id, sizeof(head.boot_id));
	/* A full disk costs the claims, not the program: there is nobody to tell. */
	if (!pmu_write_at(claims->fd, &head, sizeof(head), 0) &&
	    !pmu_write_at(claims->fd, claims->claim, size, sizeof(head)))
		pmu_write_resize(claims->fd, (off_t)(sizeof(head) + size));
}

void pmu_claims_unlock(struct pmu_claims *claims, int cpu)
{
	if (claims->fd < 0)
		return;
	if (cpu >= 0 && !pmu_mask_has(&claims->mine, cpu) && claims->n < PMU_CLAIMS_MAX) {
		pmu_mask_set(&claims->mine, cpu);
		claims->claim[claims->n] = claims->self;
		claims->claim[claims->n++].cpu = cpu;
	}
	write_claims(claims);
	/* A child forked meanwhile has this descriptor too: closing alone would leave it
	 * the lock. */
	flock(claims->fd, LOCK_UN);
	close(claims->fd);
	claims->fd = -1;
}

void pmu_claims_close(struct pmu_claims *claims)
{
	bool any = pmu_mask_next(&claims->mine, 0) >= 0;

	memset(&claims->mine, 0, sizeof(claims->mine));
	if (any && claims->self.pid == getpid() && !pmu_claims_lock(claims))
		pmu_claims_unlock(claims, -1);
}
