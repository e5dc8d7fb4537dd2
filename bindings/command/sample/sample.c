/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector's own thread: who comes is let in, and rings are read before they are written over. */
#include "bindings/command/sample/sample.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "base/time.h"
#include "bindings/command/code/code.h"
#include "bindings/command/sample/ask.h"
#include "bindings/command/sample/collector.h"

/*
 * Between two looks: as long as rings are read when they are a quarter full, or so.  What is in them then is a
 * page or two, which takes microseconds.
 */
#define SHORTEST_MS 2
#define LONGEST_MS  200
#define QUARTER     64u
#define NS_PER_MS   1000000u

/* --- who comes --- */

static void close_oldest(struct pmu_samples_collector *collector)
{
	close(collector->peer[0]);
	collector->n_peers--;
	memmove(collector->peer, collector->peer + 1,
		collector->n_peers * sizeof(*collector->peer));
}

/* Who says nothing makes room for others. */
static void let_in(struct pmu_samples_collector *collector)
{
	int peer = PMU_RETRY(accept4(collector->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
	/* accept(2): else it is the connection that is gone, not this process or its limits */
	bool is_short = peer < 0 && errno != EAGAIN && errno != ECONNABORTED;

	collector->is_full = is_short;
	if (collector->n_peers == PMU_SAMPLE_PEERS || (is_short && collector->n_peers))
		close_oldest(collector);
	if (peer >= 0)
		collector->peer[collector->n_peers++] = peer;
}

/* A thread that begins, or a program that wants to know. */
static void hear_peer(struct pmu_samples_collector *collector, int peer)
{
	if (!pmu_sample_is_question(peer)) {
		pmu_sample_add_thread(collector, peer);
		return;
	}
	pmu_sample_answer(collector, peer);
	close(peer);
}

static void hear_peers(struct pmu_samples_collector *collector, const struct pollfd *poller)
{
	unsigned int n = collector->n_peers;

	collector->n_peers = 0;
	pthread_mutex_lock(&collector->lock);
	for (unsigned int i = 0; i < n; i++) {
		if (poller[i].revents)
			hear_peer(collector, collector->peer[i]);
		else
			collector->peer[collector->n_peers++] = collector->peer[i];
	}
	pthread_mutex_unlock(&collector->lock);
}

/* @ms: less than 0: until somebody comes.  Return: false: it is the end. */
static bool wait_for_some(struct pmu_samples_collector *collector, int ms)
{
	struct pollfd poller[2 + PMU_SAMPLE_PEERS] = {
		{ .fd = collector->stop_fd, .events = POLLIN },
		{ .fd = collector->is_full ? -1 : collector->socket, .events = POLLIN },
	};
	const struct timespec a_moment = { .tv_nsec = SHORTEST_MS * NS_PER_MS };
	int n;

	for (unsigned int i = 0; i < collector->n_peers; i++)
		poller[2 + i] = (struct pollfd){ .fd = collector->peer[i], .events = POLLIN };
	n = poll(poller, 2 + collector->n_peers, ms);
	/* no memory: it will be there again, or not */
	if (n < 0 && errno != EINTR)
		nanosleep(&a_moment, NULL);
	if (n <= 0)
		return !__atomic_load_n(&collector->is_over, __ATOMIC_ACQUIRE);
	hear_peers(collector, poller + 2);
	if (poller[1].revents)
		let_in(collector);
	return !poller[0].revents;
}

/* Threads that begin are answered at once, and rings wait for nobody. */
static bool wait_until_due(struct pmu_samples_collector *collector, uint64_t due_ns)
{
	do {
		uint64_t now_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
		uint64_t left_ns = due_ns > now_ns ? due_ns - now_ns : 0;

		if (!wait_for_some(collector, (int)((left_ns + NS_PER_MS - 1) / NS_PER_MS)))
			return false;
	} while (pmu_time_now_ns(CLOCK_MONOTONIC) < due_ns);
	collector->is_full = false;
	return true;
}

static int next_wait(int ms, unsigned int fullest)
{
	if (fullest > QUARTER)
		ms = (int)((unsigned int)ms * QUARTER / fullest);
	else if (fullest < QUARTER / 2)
		ms = ms + ms / 4 + 1;
	return ms < SHORTEST_MS ? SHORTEST_MS : ms > LONGEST_MS ? LONGEST_MS : ms;
}

/* 0: nothing is due before somebody comes */
static uint64_t next_due_ns(const struct pmu_samples_collector *collector, bool is_idle, int ms)
{
	uint64_t due_ns = is_idle ? UINT64_MAX
				  : pmu_time_now_ns(CLOCK_MONOTONIC) + (uint64_t)ms * NS_PER_MS;

	if (collector->late_ns && collector->look_ns < due_ns)
		due_ns = collector->look_ns;
	return due_ns == UINT64_MAX ? 0 : due_ns;
}

static void *run_collector(void *arg)
{
	struct pmu_samples_collector *collector = arg;
	bool is_idle = true;
	int ms = SHORTEST_MS;

	for (;;) {
		uint64_t due_ns = next_due_ns(collector, is_idle, ms);
		unsigned int fullest;

		if (due_ns ? !wait_until_due(collector, due_ns) : !wait_for_some(collector, -1))
			return NULL;
		pthread_mutex_lock(&collector->lock);
		if (collector->late_ns && pmu_time_now_ns(CLOCK_MONOTONIC) >= collector->look_ns)
			pmu_sample_look(collector);
		fullest = pmu_sample_drain(collector);
		ms = is_idle ? SHORTEST_MS : next_wait(ms, fullest);
		is_idle = !collector->threads && !collector->is_full;
		pthread_mutex_unlock(&collector->lock);
	}
}

/* --- its life --- */

static int bind_in(int fd, const char *folder)
{
	int folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), rc = -1;
	struct sockaddr_un address;

	if (folder_fd >= 0) {
		pmu_samples_address(&address, folder, folder_fd);
		rc = bind(fd, (const void *)&address, sizeof(address));
	}
	rc = rc < 0 ? -errno : 0;
	if (folder_fd >= 0)
		close(folder_fd);
	return rc;
}

static int make_socket(const char *folder)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	/* its mode is the file's */
	int rc = fd < 0 || fchmod(fd, 0600) ? -errno : bind_in(fd, folder);

	if (!rc && listen(fd, SOMAXCONN))
		rc = -errno;
	if (!rc)
		return fd;
	if (fd >= 0)
		close(fd);
	return rc;
}

static int start_thread(struct pmu_samples_collector *collector)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&collector->thread, NULL, run_collector, collector);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}

static void free_collector(struct pmu_samples_collector *collector)
{
	if (collector->socket >= 0)
		close(collector->socket);
	if (collector->stop_fd >= 0)
		close(collector->stop_fd);
	pthread_mutex_destroy(&collector->lock);
	free(collector->scratch.at);
	free(collector->folder);
	free(collector);
}

int pmu_sample_collect(const char *folder, uint64_t late_ns, bool callers,
		       struct pmu_samples_collector **out)
{
	struct pmu_samples_collector *collector = calloc(1, sizeof(*collector));
	int rc;

	if (collector)
		collector->folder = strdup(folder);
	if (!collector || !collector->folder) {
		free(collector);
		return pmu_fail(ENOMEM, "no memory for samples");
	}
	collector->late_ns = late_ns;
	collector->callers = callers;
	/* a thread that began with it is due by then */
	collector->look_ns = pmu_time_now_ns(CLOCK_MONOTONIC) + PMU_SAMPLES_OUTSIDE_NS;
	pthread_mutex_init(&collector->lock, NULL);
	collector->socket = make_socket(folder);
	collector->stop_fd = eventfd(0, EFD_CLOEXEC);
	rc = collector->socket < 0    ? collector->socket
	     : collector->stop_fd < 0 ? -errno
				      : start_thread(collector);
	if (rc < 0) {
		free_collector(collector);
		return pmu_fail(-rc, "no samples are taken: no socket can be made in %s: %s",
				folder, strerror(-rc));
	}
	*out = collector;
	return 0;
}

struct pmu_sample_account pmu_sample_account(struct pmu_samples_collector *collector)
{
	struct pmu_sample_account account = { 0 };

	if (!collector)
		return account;
	pthread_mutex_lock(&collector->lock);
	account = collector->account;
	for (struct pmu_sample_process *process = collector->processes; process;
	     process = process->next)
		pmu_sample_keep_account(&account, process);
	pthread_mutex_unlock(&collector->lock);
	return account;
}

void pmu_sample_stop(struct pmu_samples_collector *collector)
{
	struct pmu_sample_process process;
	const uint64_t one = 1;

	if (!collector)
		return;
	__atomic_store_n(&collector->is_over, true, __ATOMIC_RELEASE);
	while (write(collector->stop_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(collector->thread, NULL);
	while (collector->processes) {
		pmu_sample_take_process(collector, collector->processes->store, true, &process);
		pmu_sample_process_free(&process);
	}
	for (unsigned int i = 0; i < collector->n_peers; i++)
		close(collector->peer[i]);
	pmu_code_free(collector->code);
	free_collector(collector);
}
