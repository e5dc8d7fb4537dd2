/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes that raise no signal. */
#include "base/write.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/retry.h"

/* A reader that takes nothing for so long is given up; one of messages sooner, the program waits to exit. */
#define STUCK_MS   10000
#define MESSAGE_MS 1000
/* No offset: where the descriptor is. */
#define HERE ((off_t)-1)

void pmu_write_hold(struct pmu_write_hold *hold)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	sigemptyset(&hold->pending);
	hold->blocked = !pthread_sigmask(SIG_BLOCK, &set, &hold->old_mask);
	/* one that was not blocked would have been delivered */
	if (hold->blocked &&
	    (sigismember(&hold->old_mask, SIGPIPE) || sigismember(&hold->old_mask, SIGXFSZ)))
		sigpending(&hold->pending);
}

/* The one that our write caused is taken away; one that was there before stays. */
void pmu_write_release(const struct pmu_write_hold *hold, int rc)
{
	int caused = rc == -EPIPE ? SIGPIPE : rc == -EFBIG ? SIGXFSZ : 0;
	const struct timespec now = { 0 };
	sigset_t one;

	if (!hold->blocked)
		return;
	sigemptyset(&one);
	if (caused && !sigismember(&hold->pending, caused)) {
		sigaddset(&one, caused);
		while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR)
			;
	}
	pthread_sigmask(SIG_SETMASK, &hold->old_mask, NULL);
}

/* A descriptor that the program made non-blocking.  Return: 0 once it takes more. */
static int wait_writable(int fd, int ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	int n;

	do
		n = poll(&poll_fd, 1, ms);
	while (n < 0 && errno == EINTR);
	return n > 0 ? 0 : -EAGAIN;
}

static int write_held(int fd, const char *bytes, size_t len, off_t offset, int ms)
{
	while (len) {
		ssize_t n = offset == HERE ? write(fd, bytes, len) : pwrite(fd, bytes, len, offset);

		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
			offset += offset == HERE ? 0 : n;
			continue;
		}
		if (!n)
			return -EIO;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		if (wait_writable(fd, ms) < 0)
			return -EAGAIN;
	}
	return 0;
}

int pmu_write_at(int fd, const void *bytes, size_t len, off_t offset)
{
	struct pmu_write_hold hold;
	int rc;

	pmu_write_hold(&hold);
	rc = write_held(fd, bytes, len, offset, STUCK_MS);
	pmu_write_release(&hold, rc);
	return rc;
}

int pmu_write_all(int fd, const void *bytes, size_t len)
{
	return pmu_write_at(fd, bytes, len, HERE);
}

/* --- messages --- */

#ifndef F_SET_RW_HINT /* Linux 4.13 */
#define F_GET_RW_HINT 1035
#define F_SET_RW_HINT 1036
#endif
/* A lifetime of files (RWH_WRITE_LIFE_EXTREME): of no effect on a pipe or a socket. */
#define GIVEN_UP 5u
#define NOT_SAID 0u

/*
 * That its reader was given up is noted in the pipe itself, as the hint of how long what is written will live
 * (fcntl(2), F_SET_RW_HINT): each process that has it finds the note, however it is related to this one.  What is
 * neither a pipe nor a socket, or may not be marked, is noted in this process and those forked from it.
 */
static uint64_t last_given_up;

static uint64_t mark_of_file(const struct stat *st)
{
	return (uint64_t)st->st_ino ^ (uint64_t)st->st_dev << 48 ^ UINT64_C(1) << 63;
}

static bool has_reader(const struct stat *st)
{
	return S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode);
}

static bool is_given_up(int fd, const struct stat *st)
{
	uint64_t hint = NOT_SAID;

	if (__atomic_load_n(&last_given_up, __ATOMIC_RELAXED) == mark_of_file(st))
		return true;
	return has_reader(st) && !fcntl(fd, F_GET_RW_HINT, &hint) && hint == GIVEN_UP;
}

static void note_reader(int fd, const struct stat *st, bool given_up)
{
	uint64_t hint = given_up ? GIVEN_UP : NOT_SAID;

	__atomic_store_n(&last_given_up, given_up ? mark_of_file(st) : 0, __ATOMIC_RELAXED);
	if (has_reader(st))
		fcntl(fd, F_SET_RW_HINT, &hint);
}

int pmu_write_message(int fd, const void *bytes, size_t len, bool may_block)
{
	struct pmu_write_hold hold;
	bool was_given_up;
	struct stat st;
	int rc = 0, ms;

	if (fstat(fd, &st))
		return pmu_write_all(fd, bytes, len);
	was_given_up = is_given_up(fd, &st);
	ms = was_given_up ? 0 : MESSAGE_MS;
	if (!may_block && has_reader(&st))
		rc = wait_writable(fd, ms);
	pmu_write_hold(&hold);
	if (!rc)
		rc = write_held(fd, bytes, len, HERE, ms);
	pmu_write_release(&hold, rc);
	if ((rc == -EAGAIN) != was_given_up)
		note_reader(fd, &st, rc == -EAGAIN);
	return rc;
}

/* --- sizes --- */

int pmu_write_resize(int fd, off_t size)
{
	struct pmu_write_hold hold;
	int rc;

	pmu_write_hold(&hold);
	rc = PMU_RETRY(ftruncate(fd, size)) ? -errno : 0;
	pmu_write_release(&hold, rc);
	return rc;
}

int pmu_write_reserve(int fd, int mode, off_t offset, off_t size)
{
	struct pmu_write_hold hold;
	int rc;

	pmu_write_hold(&hold);
	rc = PMU_RETRY(fallocate(fd, mode, offset, size)) ? -errno : 0;
	pmu_write_release(&hold, rc);
	return rc;
}
