/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads that are sampled, and the processes that they are of. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/textfile.h"
#include "bindings/command/sample/collector.h"
#include "bindings/command/sample/hello.h"

/* /proc/PID/maps of 65,536 mappings with long names. */
#define MOST_TEXT (64u << 20)
#define FULL      256u

static void read_maps(struct pmu_sample_process *process)
{
	char path[64], *text;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)process->pid);
	if (pmu_textfile_read(path, MOST_TEXT, &text, &len) < 0)
		return;
	pmu_sample_maps_read(&process->sums.maps, text);
	free(text);
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
					      const struct pmu_sample_hello *hello)
{
	struct pmu_sample_process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	memcpy(process->store, hello->said.store, sizeof(process->store));
	process->pid = hello->pid;
	process->period_ns = hello->said.period_ns;
	read_maps(process);
	process->next = collector->processes;
	collector->processes = process;
	return process;
}

static bool add_thread(struct pmu_samples_collector *collector,
		       const struct pmu_sample_hello *hello)
{
	struct pmu_sample_process *process = find_process(collector, hello->said.store);
	struct pmu_sample_thread *thread = calloc(1, sizeof(*thread));

	if (thread && !process)
		process = add_process(collector, hello);
	if (!process || !thread) {
		close(hello->event_fd);
		close(hello->marks_fd);
		free(thread);
		return false;
	}
	if (pmu_sample_hello_map(hello, &thread->ring) < 0) {
		free(thread);
		return false;
	}
	thread->process = process;
	thread->ring.sums = &process->sums;
	thread->next = collector->threads;
	collector->threads = thread;
	return true;
}

void pmu_sample_add_thread(struct pmu_samples_collector *collector, int peer)
{
	const char taken = PMU_SAMPLES_TAKEN;
	struct pmu_sample_hello hello;

	if (pmu_sample_hello_take(peer, &hello) == 0 && add_thread(collector, &hello)) {
		collector->account.n_threads++;
		send(peer, &taken, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	} else {
		collector->account.n_refused++;
	}
	close(peer);
}

/* --- rings --- */

static void forget_thread(struct pmu_sample_thread *thread)
{
	pmu_sample_ring_finish(&thread->ring);
	pmu_sample_ring_free(&thread->ring);
	pmu_sample_hello_unmap(&thread->ring);
	free(thread);
}

unsigned int pmu_sample_drain(struct pmu_samples_collector *collector)
{
	struct pmu_sample_thread **link = &collector->threads, *thread;
	unsigned int fullest = 0;

	while ((thread = *link)) {
		struct pmu_sample_ring *ring = &thread->ring;
		unsigned int fill;

		pmu_sample_ring_drain(ring);
		fill = (unsigned int)((uint64_t)ring->fill * FULL / ring->size);
		fullest = fill > fullest ? fill : fullest;
		if (!ring->has_ended) {
			link = &thread->next;
			continue;
		}
		*link = thread->next;
		forget_thread(thread);
	}
	return fullest;
}

/* --- processes --- */

static void forget_threads(struct pmu_samples_collector *collector,
			   const struct pmu_sample_process *process)
{
	struct pmu_sample_thread **link = &collector->threads, *thread;

	while ((thread = *link)) {
		if (thread->process != process) {
			link = &thread->next;
			continue;
		}
		*link = thread->next;
		forget_thread(thread);
	}
}

static void keep_account(struct pmu_samples_collector *collector,
			 const struct pmu_sample_process *process)
{
	collector->account.n_stretches += process->sums.n_stretches;
	collector->account.n_dropped += process->sums.n_dropped;
}

/* It goes on, and its files' names with it: the report gets no more than there is now. */
static bool copy_process(const struct pmu_sample_process *process, struct pmu_sample_process *out)
{
	*out = (struct pmu_sample_process){ .pid = process->pid, .period_ns = process->period_ns };
	for (uint32_t i = 0; i < process->sums.maps.n_paths; i++) {
		/* where it lies does not matter: each gets its number */
		if (pmu_sample_maps_add(&out->sums.maps, i, i + 1, 0, process->sums.maps.path[i]) <
		    0)
			return false;
	}
	for (size_t i = 0; i < process->sums.hits.n; i++) {
		const struct pmu_sample_hit *hit = &process->sums.hits.of[i];

		if (pmu_sample_hits_add(&out->sums.hits, hit->who, hit->at, hit->n) < 0)
			return false;
	}
	return true;
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
		return copy_process(process, out);
	forget_threads(collector, process);
	keep_account(collector, process);
	*link = process->next;
	*out = *process;
	free(process);
	return true;
}

void pmu_sample_process_free(struct pmu_sample_process *process)
{
	pmu_sample_maps_free(&process->sums.maps);
	pmu_sample_hits_free(&process->sums.hits);
}
