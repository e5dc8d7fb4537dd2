/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPUs the sessions of this user have taken, so that two of them do not pin to the
 * same one. */
#include "machine/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/owner.h"
#include "base/process.h"
#include "base/retry.h"
#include "base/write.h"

/*
 * Every claim is judged by itself, so that one torn off by a kill in mid-write costs itself at
 * most.
 */
#define HEAD_SIZE offsetof(struct pmu_claims_file, claim)
_Static_assert(HEAD_SIZE == 64, "claims start on a multiple of their size");
_Static_assert(sizeof(struct pmu_claim) == 32, "a claim does not straddle a page");

static const char claims_magic[8] = "PMUCLM1";

/* Start time of a process that is neither gone nor a zombie; 0 otherwise. */
static uint64_t start_time_of(int pid)
{
	struct pmu_process_stat stat;

	return pmu_process_stat(pid, &stat) || pmu_process_has_ended(&stat) ? 0 : stat.start_time;
}

void pmu_claims_open(struct pmu_claims *claims, const char *dir, const struct pmu_process *self)
{
	memset(claims, 0, offsetof(struct pmu_claims, file));
	claims->fd = -1;
	/* without /proc it cannot be told which processes live */
	if (!dir || !self->start_time ||
	    (size_t)snprintf(claims->path, sizeof(claims->path), "%s/claims", dir) >=
		    sizeof(claims->path)) {
		claims->path[0] = '\0';
		return;
	}
	claims->self.pid = self->pid;
	claims->self.start_time = self->start_time;
	claims->self.pid_ns = self->pid_ns;
	snprintf(claims->boot_id, sizeof(claims->boot_id), "%s", self->boot_id);
}

/* Never wait long for a holder that may be stopped: the user's program waits meanwhile. */
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

static int open_claims_file(const char *path)
{
	struct stat st;
	int fd, rc;

	fd = PMU_RETRY(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
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

/* Not those of a program that this process was before an exec. */
static bool is_own(const struct pmu_claims *claims, const struct pmu_claim *claim)
{
	return same_process(claim, &claims->self) && pmu_mask_has(&claims->mine, claim->cpu);
}

/* @last: the last one that was found to live; a process's claims come one after another. */
static bool is_living(const struct pmu_claim *claim, const struct pmu_claim *last)
{
	return (last && same_process(claim, last)) ||
	       start_time_of(claim->pid) == claim->start_time;
}

void pmu_claims_sift(struct pmu_claims *claims, const struct pmu_mask *cpus)
{
	struct pmu_claim *claim = claims->file.claim;
	const struct pmu_claim *last = NULL;
	unsigned int n = 0;

	for (unsigned int i = 0; i < claims->n; i++) {
		bool asked = claim[i].pid_ns == claims->self.pid_ns && !is_own(claims, &claim[i]) &&
			     (!cpus || pmu_mask_has(cpus, claim[i].cpu));

		if (asked && !is_living(&claim[i], last))
			continue;
		if (asked)
			pmu_mask_set(&claims->others, claim[i].cpu);
		claim[n] = claim[i];
		if (asked)
			last = &claim[n];
		n++;
	}
	claims->n = n;
}

/*
 * Leaves out what is no claim, what this process claimed before an exec, and, where there are many,
 * those of other pid namespaces: whether they still hold cannot be told here.
 */
static void check_claims(struct pmu_claims *claims)
{
	struct pmu_claim *claim = claims->file.claim;
	bool many = claims->n > PMU_CLAIMS_MAX / 2;
	unsigned int n = 0;

	for (unsigned int i = 0; i < claims->n; i++) {
		if (!is_sane(&claim[i]) ||
		    (same_process(&claim[i], &claims->self) && !is_own(claims, &claim[i])) ||
		    (many && claim[i].pid_ns != claims->self.pid_ns))
			continue;
		claim[n++] = claim[i];
	}
	claims->n = n;
	if (many)
		pmu_claims_sift(claims, NULL);
}

static void read_claims(struct pmu_claims *claims)
{
	struct pmu_claims_file *file = &claims->file;
	ssize_t len = PMU_RETRY(pread(claims->fd, file, sizeof(*file), 0));

	claims->size = len > 0 ? (size_t)len : 0;
	if (claims->size < HEAD_SIZE ||
	    memcmp(file->head.magic, claims_magic, sizeof(claims_magic)) ||
	    memcmp(file->head.boot_id, claims->boot_id, sizeof(file->head.boot_id)))
		return;
	claims->n = (unsigned int)((claims->size - HEAD_SIZE) / sizeof(file->claim[0]));
	check_claims(claims);
}

int pmu_claims_lock(struct pmu_claims *claims)
{
	int fd;

	memset(&claims->others, 0, sizeof(claims->others));
	claims->n = 0;
	if (!claims->path[0])
		return -ENOENT;
	fd = open_claims_file(claims->path);
	if (fd < 0)
		return fd;
	claims->fd = fd;
	read_claims(claims);
	return 0;
}

static void write_claims(struct pmu_claims *claims)
{
	struct pmu_claims_file *file = &claims->file;
	size_t size = HEAD_SIZE + claims->n * sizeof(file->claim[0]);

	memset(&file->head, 0, sizeof(file->head));
	memcpy(file->head.magic, claims_magic, sizeof(claims_magic));
	memcpy(file->head.boot_id, claims->boot_id, sizeof(file->head.boot_id));
	/* A full disk costs the claims, not the program: it is not reported. */
	if (!pmu_write_at(claims->fd, file, size, 0) && size < claims->size)
		pmu_write_resize(claims->fd, (off_t)size);
}

void pmu_claims_unlock(struct pmu_claims *claims, int cpu)
{
	if (claims->fd < 0)
		return;
	if (cpu >= 0 && !pmu_mask_has(&claims->mine, cpu) && claims->n < PMU_CLAIMS_MAX) {
		pmu_mask_set(&claims->mine, cpu);
		claims->file.claim[claims->n] = claims->self;
		claims->file.claim[claims->n++].cpu = cpu;
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
