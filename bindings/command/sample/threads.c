/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads that are sampled, and the processes that they are of. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/retry.h"
#include "base/time.h"
#include "bindings/command/sample/collector.h"
#include "bindings/command/sample/hello.h"

#define FULL 256u

/* Asking takes a while: a process that maps more and more by threads that are not sampled is not asked all the time. */
#define MAPS_NS  50000000u
#define ALIVE_NS 1000000000u

static void read_maps(struct pmu_sample_process *process, uint64_t now_ns)
{
	process->maps_ns = now_ns;
	pmu_sample_maps_read_process(&process->sums.maps, process->pid);
}

static struct pmu_sample_process *find_process(const struct pmu_samples_collector *collector,
					       const char *store)
{
	struct pmu_sample_process *process = collector->processes;

	while (process && strcmp(process->store, store) != 0)
		process = process->next;
	return process;
}

static struct pmu_sample_process *add_process(struct pmu_samples_collector *collector,
					      const char *store, pid_t pid,
					      const struct pmu_sample_unit *unit)
{
	struct pmu_sample_process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	snprintf(process->store, sizeof(process->store), "%s", store);
	process->pid = pid;
	process->unit = *unit;
	read_maps(process, pmu_time_now_ns(CLOCK_MONOTONIC));
	process->next = collector->processes;
	collector->processes = process;
	return process;
}

struct pmu_sample_thread *pmu_sample_new_thread(struct pmu_samples_collector *collector,
						const char *store, pid_t pid,
						const struct pmu_sample_unit *unit)
{
	struct pmu_sample_process *process = find_process(collector, store);
	struct pmu_sample_thread *thread = collector->n_threads < PMU_SAMPLE_THREADS
						   ? calloc(1, sizeof(*thread))
						   : NULL;

	if (thread && !process)
		process = add_process(collector, store, pid, unit);
	if (process && thread) {
		thread->process = process;
		thread->event_fd = -1;
		return thread;
	}
	free(thread);
	return NULL;
}

void pmu_sample_enlist(struct pmu_samples_collector *collector, struct pmu_sample_thread *thread)
{
	thread->ring.sums = &thread->process->sums;
	thread->next = collector->threads;
	collector->threads = thread;
	collector->n_threads++;
}

static bool add_thread(struct pmu_samples_collector *collector,
		       const struct pmu_sample_hello *hello)
{
	const struct pmu_samples_hello *said = &hello->said;
	struct pmu_sample_thread *thread;

	pmu_sample_hear_late(collector, said);
	thread = pmu_sample_new_thread(collector, said->store, hello->pid, &said->unit);
	if (!thread) {
		close(hello->event_fd);
		close(hello->marks_fd);
		return false;
	}
	thread->event_fd = pmu_sample_is_time(&said->unit)
				   ? -1
				   : fcntl(hello->event_fd, F_DUPFD_CLOEXEC, 0);
	thread->begin_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	if (pmu_sample_hello_map(hello, &thread->ring) < 0) {
		if (thread->event_fd >= 0)
			close(thread->event_fd);
		free(thread);
		return false;
	}
	pmu_sample_enlist(collector, thread);
	return true;
}

void pmu_sample_add_thread(struct pmu_samples_collector *collector, int peer)
{
	const char taken = PMU_SAMPLES_TAKEN;
	struct pmu_sample_hello hello;
	int rc = pmu_sample_hello_take(peer, &hello);

	if (!rc && add_thread(collector, &hello)) {
		collector->account.n_threads++;
		send(peer, &taken, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	} else if (rc != -EPIPE) {
		collector->account.n_refused++;
	}
	close(peer);
}

/* --- counters --- */

/* By then a thread's counts have the counters that they want, which come first. */
#define SETTLED_NS 20000000u

/* perf_event_open(2): what read(2) gives for both times */
struct times {
	uint64_t value, enabled_ns, running_ns;
};

/* Once: a descriptor is not kept for longer. */
static void look_at_counter(struct pmu_samples_collector *collector,
			    struct pmu_sample_thread *thread)
{
	struct times times;

	if (PMU_RETRY(read(thread->event_fd, &times, sizeof(times))) == (ssize_t)sizeof(times))
		collector->account.n_crowded += times.running_ns < times.enabled_ns;
	close(thread->event_fd);
	thread->event_fd = -1;
}

static void look_at_counters(struct pmu_samples_collector *collector, uint64_t now_ns)
{
	for (struct pmu_sample_thread *thread = collector->threads; thread; thread = thread->next)
		if (thread->event_fd >= 0 && now_ns - thread->begin_ns >= SETTLED_NS)
			look_at_counter(collector, thread);
}

/* --- rings --- */

void pmu_sample_end_thread(struct pmu_samples_collector *collector, struct pmu_sample_thread **link,
			   uint64_t who)
{
	struct pmu_sample_thread *thread = *link;

	if (thread->event_fd >= 0)
		look_at_counter(collector, thread);
	*link = thread->next;
	collector->n_threads--;
	pmu_sample_ring_finish(&thread->ring, who);
	pmu_sample_hello_unmap(&thread->ring);
	free(thread);
}

/* Those that have ended, or all of @process. */
static void forget_threads(struct pmu_samples_collector *collector,
			   const struct pmu_sample_process *process)
{
	struct pmu_sample_thread **link = &collector->threads, *thread;

	while ((thread = *link)) {
		if (process ? thread->process == process
			    : thread->ring.has_ended || thread->process->is_over)
			pmu_sample_end_thread(collector, link, PMU_SAMPLE_OPEN(thread->ring.tid));
		else
			link = &thread->next;
	}
}

/* What is mapped keeps a thread's event and its user's room for rings: also where it was killed. */
static void find_dead(struct pmu_samples_collector *collector, uint64_t now_ns)
{
	if (now_ns - collector->alive_ns < ALIVE_NS)
		return;
	collector->alive_ns = now_ns;
	for (struct pmu_sample_process *process = collector->processes; process;
	     process = process->next) {
		if (process->is_over || process->pid <= 0 || !kill(process->pid, 0) ||
		    errno != ESRCH)
			continue;
		process->is_over = true;
		pmu_sample_look_again(collector, process);
	}
}

/* Files that a thread has mapped which is not sampled. */
static void find_unknown(struct pmu_samples_collector *collector, uint64_t now_ns)
{
	for (struct pmu_sample_process *process = collector->processes; process;
	     process = process->next) {
		struct pmu_sample_sums *sums = &process->sums;

		process->is_over |= sums->has_execed;
		if (!sums->n_unknown || process->is_over || now_ns - process->maps_ns < MAPS_NS)
			continue;
		read_maps(process, now_ns);
		sums->n_unknown = 0;
	}
}

static unsigned int fill_of(const struct pmu_sample_ring *ring)
{
	return (unsigned int)((uint64_t)ring->fill * FULL / ring->size);
}

unsigned int pmu_sample_drain(struct pmu_samples_collector *collector)
{
	uint64_t now_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	struct pmu_sample_thread *thread;
	unsigned int fullest = 0;

	/* before the last look: there is all that they have left */
	find_dead(collector, now_ns);
	look_at_counters(collector, now_ns);
	for (thread = collector->threads; thread; thread = thread->next) {
		pmu_sample_ring_read(&thread->ring, &collector->scratch);
		if (fill_of(&thread->ring) > fullest)
			fullest = fill_of(&thread->ring);
	}
	find_unknown(collector, now_ns);
	for (thread = collector->threads; thread; thread = thread->next)
		pmu_sample_ring_mark(&thread->ring);
	forget_threads(collector, NULL);
	return fullest;
}

/* --- processes --- */

void pmu_sample_keep_account(struct pmu_sample_account *account,
			     const struct pmu_sample_process *process)
{
	account->n_stretches += process->sums.n_stretches;
	account->n_dropped += process->sums.n_dropped;
	account->n_throttled += process->sums.n_throttled;
	account->n_left_out += process->sums.chains.n_left_out;
}

/* It goes on, and its files' names with it: the report gets no more than there is now. */
static bool copy_sums(const struct pmu_sample_process *process, struct pmu_sample_process *out)
{
	*out = (struct pmu_sample_process){ .pid = process->pid, .unit = process->unit };
	out->sums.n_unknown = process->sums.n_unknown;
	for (uint32_t i = 0; i < process->sums.maps.n_paths; i++) {
		/* where it lies does not matter: each gets its number */
		if (pmu_sample_maps_add(&out->sums.maps, i, i + 1, 0, process->sums.maps.path[i]) <
		    0)
			return false;
	}
	if (pmu_sample_chains_copy(&out->sums.chains, &process->sums.chains) < 0)
		return false;
	for (size_t i = 0; i < process->sums.hits.n; i++) {
		const struct pmu_sample_hit *hit = &process->sums.hits.of[i];

		if (pmu_sample_hits_add(&out->sums.hits, hit->who, hit->at, hit->n) < 0)
			return false;
	}
	return true;
}

static bool copy_process(const struct pmu_samples_collector *collector,
			 const struct pmu_sample_process *process, struct pmu_sample_process *out)
{
	bool copied = copy_sums(process, out);

	for (struct pmu_sample_thread *thread = collector->threads; copied && thread;
	     thread = thread->next)
		copied = thread->process != process ||
			 pmu_sample_ring_pending(&thread->ring, &out->sums.hits) == 0;
	if (!copied)
		pmu_sample_process_free(out);
	return copied;
}

bool pmu_sample_take_process(struct pmu_samples_collector *collector, const char *store, bool ended,
			     struct pmu_sample_process *out)
{
	struct pmu_sample_process **link = &collector->processes, *process;

	while ((process = *link) && strcmp(process->store, store) != 0)
		link = &process->next;
	if (!process)
		return false;
	if (!ended)
		return copy_process(collector, process, out);
	pmu_sample_look_again(collector, process);
	forget_threads(collector, process);
	pmu_sample_keep_account(&collector->account, process);
	*link = process->next;
	*out = *process;
	free(process);
	return true;
}

void pmu_sample_process_free(struct pmu_sample_process *process)
{
	pmu_sample_maps_free(&process->sums.maps);
	pmu_sample_chains_free(&process->sums.chains);
	pmu_sample_hits_free(&process->sums.hits);
}
