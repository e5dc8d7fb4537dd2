/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes that raise no signal. */
#include "base/write.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

/* A reader that takes nothing for so long is given up. */
#define STUCK_MS 10000
/* No offset: where the descriptor is. */
#define HERE ((off_t)-1)

void pmu_write_hold(struct pmu_write_hold *hold)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	sigemptyset(&hold->pending);
	sigpending(&hold->pending);
	hold->blocked = !pthread_sigmask(SIG_BLOCK, &set, &hold->old_mask);
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
static int wait_writable(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	int n;

	do
		n = poll(&poll_fd, 1, STUCK_MS);
	while (n < 0 && errno == EINTR);
	return n > 0 ? 0 : -EAGAIN;
}

static int write_held(int fd, const char *bytes, size_t len, off_t offset)
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
		if (wait_writable(fd) < 0)
			return -EAGAIN;
	}
	return 0;
}

int pmu_write_at(int fd, const void *bytes, size_t len, off_t offset)
{
	struct pmu_write_hold hold;
	int rc;

	pmu_write_hold(&hold);
	rc = write_held(fd, bytes, len, offset);
	pmu_write_release(&hold, rc);
	return rc;
}

int pmu_write_all(int fd, const void *bytes, size_t len)
{
	return pmu_write_at(fd, bytes, len, HERE);
}

int pmu_write_resize(int fd, off_t size)
{
	struct pmu_write_hold hold;
	int rc;

	pmu_write_hold(&hold);
	rc = ftruncate(fd, size) ? -errno : 0;
	pmu_write_release(&hold, rc);
	return rc;
}

int pmu_write_reserve(int fd, int mode, off_t offset, off_t size)
{
	struct pmu_write_hold hold;
	int rc;

	pmu_write_hold(&hold);
	rc = fallocate(fd, mode, offset, size) ? -errno : 0;
	pmu_write_release(&hold, rc);
	return rc;
}
