/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves our descriptors out of the program's way, and knows them again. */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel's table has an element for every number below the highest: 512 KiB for this
 * many. */
#define NUMBER_MAX 65536u
/* How far below the top of the range the first try begins. */
#define WINDOW 256u
/* 0, 1 and 2 mean something to everybody. */
#define NUMBER_MIN 3u

void pmu_fd_raise(struct pmu_fd_limit *limit)
{
	int saved = errno;
	struct rlimit now, raised;

	*limit = (struct pmu_fd_limit){ 0 };
	if (!prlimit(0, RLIMIT_NOFILE, NULL, &now)) {
		limit->soft = now.rlim_cur;
		limit->hard = now.rlim_max;
		raised = (struct rlimit){ now.rlim_max, now.rlim_max };
		limit->raised = now.rlim_cur < now.rlim_max &&
				!prlimit(0, RLIMIT_NOFILE, &raised, NULL);
	}
	errno = saved;
}

void pmu_fd_lower(const struct pmu_fd_limit *limit)
{
	int saved = errno;
	struct rlimit before = { limit->soft, limit->hard };

	if (limit->raised)
		prlimit(0, RLIMIT_NOFILE, &before, NULL);
	errno = saved;
}

static int duplicate_from(int fd, unsigned long long number)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, (int)(number < NUMBER_MIN ? NUMBER_MIN : number));
}

/*
 * The kernel gives the lowest free number from where it is told to begin: begin near the
 * top, and twice as far below it each time all of those are taken.
 */
static int duplicate_to_top(int fd, unsigned long long soft)
{
	unsigned long long top = soft < NUMBER_MAX ? soft : NUMBER_MAX;
	unsigned long long below = WINDOW;
	int copy;

	do {
		if (below > top / 2)
			below = top / 2;
		copy = duplicate_from(fd, top - below);
		below *= 2;
	} while (copy < 0 && below <= top / 2);
	return copy;
}

int pmu_fd_park(int fd, const struct pmu_fd_limit *limit)
{
	int saved = errno;
	int copy = -1;

	if (limit->raised && limit->soft < NUMBER_MAX)
		copy = duplicate_from(fd, limit->soft);
	if (copy < 0)
		copy = duplicate_to_top(fd, limit->soft);
	if (copy < 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	else
		close(fd);
	errno = saved;
	return copy < 0 ? fd : copy;
}

/*
 * Anonymous inodes (perf events, eventfds, timers) share one inode number and have no
 * file type: the link's text tells them apart.  Without /proc it stays empty.
 */
static void read_link(int fd, struct pmu_fd_identity *id)
{
	char path[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, id->link, sizeof(id->link) - 1);
	id->link[n < 0 ? 0 : n] = '\0';
}

int pmu_fd_identify(int fd, struct pmu_fd_identity *id)
{
	int saved = errno;
	struct stat st;
	int rc;

	memset(id, 0, sizeof(*id));
	if (fstat(fd, &st) < 0) {
		rc = -errno;
		errno = saved;
		return rc;
	}
	id->dev = st.st_dev;
	id->ino = st.st_ino;
	if (!(st.st_mode & S_IFMT))
		read_link(fd, id);
	errno = saved;
	return 0;
}

int pmu_fd_is(int fd, const struct pmu_fd_identity *id)
{
	struct pmu_fd_identity now;

	if (pmu_fd_identify(fd, &now) || now.dev != id->dev || now.ino != id->ino)
		return 0;
	/* a program that changed its root has no link to show any more */
	return !now.link[0] || !id->link[0] || !strcmp(now.link, id->link);
}
