/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that are attached late, at a boundary after which they ran for a while, are sampled from outside until
 * then (session/samples.h).  Their regions are not known here: what was sampled since a thread was off its processor
 * is of one region, which the thread itself says at the first boundary that it comes to, or nobody does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/process.h"
#include "base/time.h"
#include "bindings/command/sample/collector.h"
#include "bindings/command/sample/hello.h"
#include "store/read/list.h"
#include "store/read/live.h"
#include "store/row.h"
#include "store/samples.h"

/* From one look at all threads to the next: so long that looking takes a 500th of a processor at most. */
#define SHORTEST_LOOK_NS 100000000u
#define LOOK_SHARE       500u

/* For how long a thread has been in a region is taken to be known to one part in so many. */
#define ALONE_DOUBT 64u

struct look {
	struct pmu_samples_collector *collector;
	const struct pmu_store_entry *entry;
	const char *store; /* its file's name */
};

static const char *name_of_store(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Return: where it hangs; what hangs there is NULL for none. */
static struct pmu_sample_thread **find_sampled(struct pmu_samples_collector *collector,
					       const char *store, uint32_t tid)
{
	struct pmu_sample_thread **link = &collector->threads, *thread;

	while ((thread = *link) &&
	       (thread->ring.tid != tid || strcmp(thread->process->store, store) != 0))
		link = &thread->next;
	return link;
}

static bool has_run_long(const struct pmu_process_sched *ran)
{
	return ran->ran_ns >= PMU_SAMPLES_OUTSIDE_NS &&
	       !pmu_samples_switches_often(ran->times, ran->ran_ns);
}

/* Of one that may only be read the kernel writes over what is oldest. */
static bool map_outside(int fd, uint32_t number, struct pmu_sample_ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at;

	for (size_t n = pmu_samples_pages(number, true); n; n /= 2) {
		at = mmap(NULL, (1 + n) * page, PROT_READ, MAP_SHARED, fd, 0);
		if (at == MAP_FAILED)
			continue;
		ring->page = at;
		ring->ring = (const char *)at + page;
		ring->size = (uint32_t)(n * page);
		return true;
	}
	return false;
}

static void open_outside(const struct look *look, const struct pmu_live_thread *live,
			 const struct pmu_process_sched *ran)
{
	struct pmu_samples_collector *collector = look->collector;
	struct pmu_sample_event event = { .unit = { .period = collector->late_ns } };
	struct pmu_sample_thread *thread = pmu_sample_new_thread(collector, look->store,
								 look->entry->pid, &event.unit);
	uint64_t begin_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	int fd = thread ? pmu_samples_open(live->tid, &event, collector->callers) : -1;

	if (fd >= 0 && map_outside(fd, collector->n_threads, &thread->ring)) {
		thread->ring.tid = (uint32_t)live->tid;
		thread->serial = live->serial;
		thread->begin_ns = begin_ns;
		thread->ran = *ran;
		thread->is_live = true;
		pmu_sample_enlist(collector, thread);
	} else {
		free(thread);
	}
	if (fd >= 0)
		close(fd); /* what is mapped keeps the event */
}

/* It finds out by itself when it has been off its processor, and says in which region. */
static bool says_regions(const struct pmu_live_thread *live)
{
	return live->flags & PMU_THREAD_WAITS && !(live->flags & PMU_THREAD_UNSAMPLED);
}

static void see_sampled(struct pmu_sample_thread *thread, const struct pmu_live_thread *live)
{
	if (thread->serial == live->serial)
		thread->is_live = says_regions(live);
}

static void see_again(void *arg, const struct pmu_live_thread *live)
{
	const struct look *look = arg;
	struct pmu_sample_thread *thread = *find_sampled(look->collector, look->store,
							 (uint32_t)live->tid);

	if (thread)
		see_sampled(thread, live);
}

/* What was sampled waits for its region. */
static void stop_costly(struct pmu_sample_thread *thread, const struct pmu_process_sched *ran)
{
	if (!pmu_samples_switches_often(ran->times - thread->ran.times,
					ran->ran_ns - thread->ran.ran_ns))
		return;
	pmu_sample_hello_unmap(&thread->ring);
	thread->ring.page = NULL;
}

static void see_thread(void *arg, const struct pmu_live_thread *live)
{
	const struct look *look = arg;
	struct pmu_sample_thread *thread = *find_sampled(look->collector, look->store,
							 (uint32_t)live->tid);
	struct pmu_process_sched ran;
	char path[64];

	if (thread)
		see_sampled(thread, live);
	if (thread ? !pmu_sample_is_outside(thread) || !thread->ring.page : !says_regions(live))
		return;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)look->entry->pid,
		 (int)live->tid);
	if (live->tid <= 0 || pmu_process_sched(path, &ran))
		return;
	if (thread)
		stop_costly(thread, &ran);
	else if (has_run_long(&ran))
		open_outside(look, live, &ran);
}

/* Of @process, or of all: those that were not seen in the last look. */
static void drop_unseen(struct pmu_samples_collector *collector,
			const struct pmu_sample_process *process)
{
	struct pmu_sample_thread **link = &collector->threads, *thread;

	while ((thread = *link)) {
		if (pmu_sample_is_outside(thread) && !thread->is_live &&
		    (!process || thread->process == process))
			pmu_sample_end_thread(collector, link, 0);
		else
			link = &thread->next;
	}
}

static void expect_all(struct pmu_samples_collector *collector,
		       const struct pmu_sample_process *process)
{
	for (struct pmu_sample_thread *thread = collector->threads; thread; thread = thread->next)
		thread->is_live = process && thread->process != process;
}

/* A process that has executed another program has its former one's store beside its own. */
static bool is_going_on(const struct pmu_store_entry *entry)
{
	return entry->liveness == PMU_PROCESS_ALIVE && !entry->ended;
}

/* What has died is asked by pmu_sample_look_again(), with its store. */
static void keep_dead(struct pmu_samples_collector *collector, const char *store)
{
	for (struct pmu_sample_thread *thread = collector->threads; thread; thread = thread->next)
		thread->is_live |= !strcmp(thread->process->store, store);
}

void pmu_sample_look(struct pmu_samples_collector *collector)
{
	uint64_t begin_ns = pmu_time_now_ns(CLOCK_THREAD_CPUTIME_ID), took_ns;
	struct pmu_store_entry *entry;
	int n = pmu_store_list_folder(collector->folder, &entry);

	expect_all(collector, NULL);
	for (int i = 0; i < n; i++) {
		struct look look = { collector, &entry[i], name_of_store(entry[i].path) };

		if (is_going_on(&entry[i]))
			pmu_store_each_live(entry[i].path, see_thread, &look);
		else
			keep_dead(collector, look.store);
	}
	if (n >= 0)
		drop_unseen(collector, NULL);
	free(entry);
	took_ns = LOOK_SHARE * (pmu_time_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns);
	collector->look_ns = pmu_time_now_ns(CLOCK_MONOTONIC) +
			     (took_ns > SHORTEST_LOOK_NS ? took_ns : SHORTEST_LOOK_NS);
}

void pmu_sample_look_again(struct pmu_samples_collector *collector,
			   const struct pmu_sample_process *process)
{
	struct look look = { collector, NULL, process->store };
	char path[sizeof(((struct pmu_store_entry *)0)->path)];

	if (!collector->late_ns)
		return;
	snprintf(path, sizeof(path), "%s/%s", collector->folder, process->store);
	expect_all(collector, process);
	pmu_store_each_live(path, see_again, &look);
	drop_unseen(collector, process);
}

/* Less what the rate of its clock may be wrong by. */
static bool is_alone(const struct pmu_sample_thread *thread, uint64_t alone_ns)
{
	return pmu_time_now_ns(CLOCK_MONOTONIC) - thread->begin_ns <
	       alone_ns - alone_ns / ALONE_DOUBT;
}

void pmu_sample_hear_late(struct pmu_samples_collector *collector,
			  const struct pmu_samples_hello *said)
{
	struct pmu_sample_thread **link = find_sampled(collector, said->store, said->tid);
	uint64_t who;

	if (!*link || !pmu_sample_is_outside(*link))
		return;
	who = said->before >> 32 == (*link)->serial ? said->before : 0;
	pmu_sample_ring_read(&(*link)->ring, &collector->scratch);
	(*link)->ring.is_sure = is_alone(*link, said->alone_ns);
	pmu_sample_end_thread(collector, link, who);
}
