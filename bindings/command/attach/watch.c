/* SPDX-License-Identifier: BSD-3-Clause */
/* Watching: rings are read before they are full, until it is time, all have ended, or a signal says so. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/time.h"
#include "bindings/command/attach/attach.h"
#include "bindings/command/attach/machine.h"

/* Between two looks at most; a ring that is half full ends the wait. */
#define LOOK_NS   200000000u
#define NS_PER_MS 1000000u

struct watching {
	struct pollfd *poller; /* the signals', processes', rings' */
	size_t n;
	sigset_t before;
};

/* What would end the command ends the watching: the report is made. */
static int hold_ends(struct watching *watching)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < PMU_ARRAY_LEN(ends); i++)
		sigaddset(&set, ends[i]);
	sigprocmask(SIG_BLOCK, &set, &watching->before);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int make_poller(const struct pmu_attach *attach, struct watching *watching)
{
	struct pollfd *at;

	watching->poller = calloc(1 + attach->n + attach->rings.n, sizeof(*watching->poller));
	if (!watching->poller)
		return -ENOMEM;
	at = watching->poller;
	*at = (struct pollfd){ .fd = hold_ends(watching), .events = POLLIN };
	if (at->fd < 0)
		return -errno;
	for (size_t i = 0; i < attach->n; i++)
		*++at = (struct pollfd){ .fd = attach->process[i].fd, .events = POLLIN };
	for (size_t i = 0; i < attach->rings.n; i++)
		*++at = (struct pollfd){ .fd = attach->rings.of[i].fd, .events = POLLIN };
	watching->n = (size_t)(at + 1 - watching->poller);
	return 0;
}

/* Return: how many of them still run. */
static size_t find_ended(struct pmu_attach *attach, struct watching *watching)
{
	size_t n = 0;

	for (size_t i = 0; i < attach->n; i++) {
		struct pollfd *at = &watching->poller[1 + i];

		if (at->fd >= 0 && at->revents) {
			attach->process[i].has_ended = true;
			attach->process[i].stop_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
			at->fd = -1;
		}
		n += at->fd >= 0;
	}
	return n;
}

/* A second one of these ends the command as it would without. */
static void release_ends(struct watching *watching)
{
	struct signalfd_siginfo info;
	int fd = watching->poller ? watching->poller[0].fd : -1;

	if (fd < 0)
		return;
	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		;
	close(fd);
	sigprocmask(SIG_SETMASK, &watching->before, NULL);
}

static bool goes_on(struct pmu_attach *attach, struct watching *watching, uint64_t end_ns)
{
	uint64_t now_ns = pmu_time_now_ns(CLOCK_MONOTONIC), left_ns;
	int rc;

	if (now_ns >= end_ns)
		return false;
	left_ns = end_ns - now_ns < LOOK_NS ? end_ns - now_ns : LOOK_NS;
	rc = poll(watching->poller, watching->n, (int)((left_ns + NS_PER_MS - 1) / NS_PER_MS));
	if (rc < 0)
		return errno == EINTR;
	return !watching->poller[0].revents && (attach->machine || find_ended(attach, watching));
}

int pmu_attach_watch(struct pmu_attach *attach, uint64_t for_ns)
{
	uint64_t now_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	uint64_t end_ns = for_ns && for_ns < UINT64_MAX - now_ns ? now_ns + for_ns : UINT64_MAX;
	struct watching watching = { 0 };
	int rc = make_poller(attach, &watching);

	if (rc)
		rc = pmu_fail(-rc, "cannot wait for the processes: %s", strerror(-rc));
	while (!rc && goes_on(attach, &watching, end_ns))
		pmu_attach_look(attach);
	for (size_t i = 0; i < attach->n; i++)
		pmu_attach_stop(attach, &attach->process[i]);
	if (attach->machine)
		pmu_attach_machine_stop(attach);
	release_ends(&watching);
	free(watching.poller);
	return rc;
}
