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

#include "base/signals.h"
#include "base/spawning.h"
#include "base/systemcall.h"

/* The kernel's table has an element for every number below the highest: 512 KiB for this
 * many. */
#define NUMBER_MAX 65536u
/* How far below the top of the range the first try begins. */
#define WINDOW 256u
/* 0, 1 and 2 are the standard streams. */
#define NUMBER_MIN 3u

/* What is between pmu_fd_begin() and pmu_fd_end(), of which there is one at a time. */
static struct {
	struct rlimit before;
	sigset_t signals;
	bool open, raised;
} section;

/* Where no libpmu-preload.so has one for both. */
static int own_word;

int *pmu_fd_spawning(void)
{
	return &pmu_spawning_word ? &pmu_spawning_word : &own_word;
}

void pmu_fd_begin(struct pmu_fd_limit *limit)
{
	int saved = errno;

	*limit = (struct pmu_fd_limit){ 0 };
	section.raised = false;
	section.open = true;
	if (prlimit(0, RLIMIT_NOFILE, NULL, &section.before) < 0)
		section.before = (struct rlimit){ 0, 0 };
	limit->soft = section.before.rlim_cur;
	limit->hard = section.before.rlim_max;
	errno = saved;
}

/* Not while a child is made.  Signals wait until pmu_fd_end(): a handler may make one, too. */
static bool raise_limit(void)
{
	struct rlimit raised = { section.before.rlim_max, section.before.rlim_max };
	int nobody = 0, tid = (int)pmu_system_call2(SYS_gettid, 0, 0);

	if (!section.open || section.raised || section.before.rlim_cur >= section.before.rlim_max)
		return false;
	pmu_signals_hold(&section.signals);
	if (__atomic_compare_exchange_n(pmu_fd_spawning(), &nobody, -tid, false, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED)) {
		section.raised = !prlimit(0, RLIMIT_NOFILE, &raised, NULL);
		if (section.raised)
			return true;
		__atomic_store_n(pmu_fd_spawning(), 0, __ATOMIC_RELEASE);
	}
	pmu_signals_release(&section.signals);
	return false;
}

bool pmu_fd_more(int error)
{
	int saved = errno;
	bool more = error == EMFILE && raise_limit();

	errno = saved;
	return more;
}

void pmu_fd_end(void)
{
	int saved = errno;
	struct rlimit now;

	section.open = false;
	if (!section.raised)
		return;
	/* what the program has set meanwhile stands */
	if (!prlimit(0, RLIMIT_NOFILE, NULL, &now) && now.rlim_cur == section.before.rlim_max &&
	    now.rlim_max == section.before.rlim_max)
		prlimit(0, RLIMIT_NOFILE, &section.before, NULL);
	section.raised = false;
	/* Pairs with the acquire in pmu_spawning_wait(). */
	__atomic_store_n(pmu_fd_spawning(), 0, __ATOMIC_RELEASE);
	pmu_signals_release(&section.signals);
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
	int copy = section.raised ? -1 : duplicate_to_top(fd, limit->soft);

	if (copy < 0 && limit->soft < NUMBER_MAX && (section.raised || raise_limit()))
		copy = duplicate_from(fd, limit->soft);
	if (copy < 0 && section.raised)
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
