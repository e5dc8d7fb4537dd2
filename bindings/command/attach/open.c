/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events on a process's threads: opened, read, closed.
 *
 * Each thread that there is gets events that the threads it begins inherit (perf_event_open(2), inherit and
 * inherit_thread: not what processes do that it forks).  So those are counted from their first instruction on, and what
 * they did is read with the thread's own, at any time, also when they have ended.
 *
 * A thread that begins while events are opened may have inherited some of them, all, or none, and the kernel tells
 * nobody.  So nothing that is counted meanwhile is taken: when all are there the threads are listed again, and if there
 * is one that was not there before, all are closed and opened anew.  The kernel shows a thread a moment after it has
 * inherited: the second list is made a moment later.  Counting begins behind that, by a first read.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/time.h"
#include "bindings/command/attach/attach.h"
#include "counters/perf/system.h"
#include "report/model/model.h"
#include "store/samples.h"

/* As often they are opened anew, a millisecond later, then two, at most MOST_WAIT. */
#define TRIES     20
#define WAIT_NS   1000000
#define MOST_WAIT (16 * WAIT_NS)

/* Time on a processor is the same at any level: no right to the kernel's is needed. */
static const struct pmu_plan clock_plan = { .n_slots = 1,
					    .slot[0] = { .kind = PMU_SLOT_SOFTWARE,
							 .type = PERF_TYPE_SOFTWARE,
							 .config = PERF_COUNT_SW_TASK_CLOCK,
							 .user = true } };

/* --- one thread --- */

static void close_thread(const struct pmu_attach *attach, struct pmu_attach_thread *thread)
{
	for (size_t i = 0; thread->watch && i < attach->rings.n; i++)
		if (thread->watch[i] >= 0)
			close(thread->watch[i]);
	free(thread->watch);
	thread->watch = NULL;
	pmu_perf_group_close(&thread->clock);
	pmu_perf_group_close(&thread->counts);
}

/*
 * Threads that begin and end, an exec, what is mapped, and samples: of a thread, and of those that it begins, on one
 * processor, for an event that is inherited has no ring of its own for all of them.
 */
static int open_watch(struct pmu_attach *attach, pid_t tid, const struct pmu_attach_ring *ring)
{
	struct perf_event_attr attr;
	int fd, rc;

	pmu_samples_fill(&attr, &attach->plan.sample);
	if (attach->plan.callers)
		pmu_samples_fill_callers(&attr);
	if (!attr.sample_period)
		attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_id_all = attr.inherit = attr.task = attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	attr.exclude_kernel |= attach->without_kernel;
#if defined(PERF_ATTR_SIZE_VER7)
	attr.inherit_thread = 1;
#endif
	fd = pmu_perf_system->open(&attr, tid, ring->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd == -EACCES && !attach->without_kernel && !attr.exclude_kernel) {
		attach->without_kernel = true;
		attr.exclude_kernel = 1;
		fd = pmu_perf_system->open(&attr, tid, ring->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	}
	if (fd < 0)
		return fd;
	/* it may have gone with another thread by now, see struct pmu_perf_where */
	rc = !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) ? 0
	     : errno == ENODEV                               ? -EAGAIN
							     : -errno;
	if (rc)
		close(fd);
	return rc ? rc : fd;
}

static int open_watches(struct pmu_attach *attach, struct pmu_attach_thread *thread)
{
	size_t n = attach->rings.n;
	int rc = 0;

	thread->watch = malloc((n + 1) * sizeof(*thread->watch));
	if (!thread->watch)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		thread->watch[i] = -1;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		rc = open_watch(attach, thread->tid, &attach->rings.of[i]);
		thread->watch[i] = rc;
		/* this processor has gone offline */
		if (rc == -ENODEV)
			rc = 0;
	}
	return rc < 0 ? rc : 0;
}

/*
 * One that ends while its events are opened: the kernel refuses the next one for whatever reason.  An event of its own
 * is refused for that.
 */
static bool has_thread_ended(pid_t tid)
{
	int fd = pmu_attach_open_dummy(tid, -1);

	if (fd >= 0)
		close(fd);
	return fd == -ESRCH;
}

static int open_thread_once(struct pmu_attach *attach, struct pmu_attach_thread *thread)
{
	struct pmu_perf_where where = {
		.pid = thread->tid, .cpu = -1, .inherit = true, .apart = true
	};
	unsigned int failed;
	int rc = pmu_perf_group_open(&thread->counts, &attach->plan.plan, &where, &failed);

	if (!rc)
		rc = pmu_perf_group_open(&thread->clock, &clock_plan, &where, &failed);
	if (!rc)
		rc = open_watches(attach, thread);
	if (rc)
		close_thread(attach, thread);
	return rc;
}

static int open_thread(struct pmu_attach *attach, struct pmu_attach_thread *thread)
{
	int rc = -EAGAIN;

	for (int i = 0; i < TRIES && rc == -EAGAIN; i++)
		rc = open_thread_once(attach, thread);
	return rc && has_thread_ended(thread->tid) ? -ESRCH : rc;
}

/* --- all of a process --- */

static void close_threads(const struct pmu_attach *attach, struct pmu_attach_process *process)
{
	for (size_t i = 0; i < process->n; i++)
		close_thread(attach, &process->thread[i]);
	process->n = 0;
}

/* A limit of its own, or the machine's. */
static int fail_descriptors(const struct pmu_attach *attach,
			    const struct pmu_attach_process *process, long n_threads, int rc)
{
	size_t each = attach->rings.n + 1 +
		      (unsigned int)__builtin_popcount(pmu_plan_mask(&attach->plan.plan) &
						       ~attach->plan.plan.absent);
	struct rlimit limit = { 0, 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	if (rc == -ENFILE)
		return pmu_fail(
			ENFILE,
			"cannot attach to process %d: %ld threads need %zu descriptors, and "
			"the machine has none left: raise fs.file-max by sysctl",
			process->pid, n_threads, each * (size_t)n_threads);
	return pmu_fail(
		EMFILE,
		"cannot attach to process %d: %ld threads need %zu descriptors, %zu each for "
		"%zu processors and what is counted, and the limit is %llu: raise it (ulimit "
		"-Hn, ulimit -n)",
		process->pid, n_threads, each * (size_t)n_threads, each, attach->rings.n,
		(unsigned long long)limit.rlim_cur);
}

static int fail_open(const struct pmu_attach *attach, const struct pmu_attach_process *process,
		     long n_threads, int rc)
{
	if (rc == -EMFILE || rc == -ENFILE)
		return fail_descriptors(attach, process, n_threads, rc);
	if (rc == -ENOMEM)
		return pmu_fail(ENOMEM, "no memory for the events of %ld threads", n_threads);
	if (rc == -EACCES || rc == -EPERM)
		return pmu_fail(
			-rc,
			"process %d (%s) may not be looked at from here: it is another "
			"user's, or keeps others out (prctl(2), PR_SET_DUMPABLE); root may, "
			"and who has CAP_PERFMON and CAP_SYS_PTRACE",
			process->pid, process->name);
	if (rc == -EINVAL || rc == -E2BIG)
		return pmu_fail(-rc,
				"perf_event_open(2) refuses events that new threads inherit (%s): "
				"Linux 5.13 and later have them",
				strerror(-rc));
	return pmu_fail(-rc, "cannot attach to process %d (%s): %s", process->pid, process->name,
			strerror(-rc));
}

/* @tid: [n] all that there are; one that has ended since has nothing to add.  Return: 0 or a negative errno. */
static int open_threads(struct pmu_attach *attach, struct pmu_attach_process *process,
			const pid_t *tid, size_t n)
{
	int rc = 0;

	free(process->thread);
	process->thread = calloc(n + 1, sizeof(*process->thread));
	if (!process->thread)
		return -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++) {
		struct pmu_attach_thread *thread = &process->thread[process->n];

		*thread = (struct pmu_attach_thread){ .tid = tid[i] };
		rc = open_thread(attach, thread);
		process->n += !rc;
		if (rc == -ESRCH)
			rc = 0;
	}
	return rc;
}

/* Both ascending.  Return: how many of @now are not in @was. */
static unsigned int count_new(const pid_t *now, long n_now, const pid_t *was, long n_was)
{
	unsigned int n = 0;
	long at = 0;

	for (long i = 0; i < n_now; i++) {
		while (at < n_was && was[at] < now[i])
			at++;
		n += at == n_was || was[at] != now[i];
	}
	return n;
}

/* Return: how many threads have begun meanwhile; a negative errno with a sentence. */
static int open_once(struct pmu_attach *attach, struct pmu_attach_process *process)
{
	const struct timespec moment = { .tv_nsec = WAIT_NS };
	pid_t *tid, *now = NULL;
	long n, n_now;
	int rc;

	process->open_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	n = pmu_attach_threads(process->pid, &tid);
	rc = n < 0 ? (int)n : open_threads(attach, process, tid, (size_t)n);

	if (!rc && !process->n)
		rc = -ESRCH;
	if (rc) {
		free(tid);
		return fail_open(attach, process, n, rc);
	}
	nanosleep(&moment, NULL);
	process->settled_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	n_now = pmu_attach_threads(process->pid, &now);
	rc = n_now < 0 ? 0 : (int)count_new(now, n_now, tid, n);
	free(tid);
	free(now);
	return rc;
}

static int index_threads(struct pmu_attach_process *process)
{
	if (pmu_index_reserve(&process->index, process->n) < 0)
		return pmu_fail(ENOMEM, "no memory for %zu threads", process->n);
	for (size_t i = 0; i < process->n; i++)
		pmu_attach_index(process, process->thread[i].tid, i);
	return 0;
}

int pmu_attach_open(struct pmu_attach *attach, struct pmu_attach_process *process)
{
	struct timespec wait = { .tv_nsec = WAIT_NS };
	int rc = 0;

	for (int i = 0; i < TRIES; i++) {
		if (i) {
			close_threads(attach, process);
			nanosleep(&wait, NULL);
			wait.tv_nsec = wait.tv_nsec < MOST_WAIT ? 2 * wait.tv_nsec : MOST_WAIT;
		}
		rc = open_once(attach, process);
		if (rc <= 0)
			break;
	}
	if (rc < 0)
		return rc;
	process->n_unsettled = (unsigned int)rc;
	/* what is mapped from now on is told by records; a first thread that has ended has nothing mapped */
	pmu_sample_maps_read_process(&process->sums.maps, process->thread[0].tid);
	return index_threads(process);
}

/* --- start, stop --- */

struct thread_counts {
	uint64_t clock[PMU_MAX_SLOTS], count[PMU_MAX_SLOTS];
};

static void read_attached(struct pmu_attach_thread *thread, struct thread_counts *counts)
{
	enum pmu_source_lost lost;

	*counts = (struct thread_counts){ .clock = { 0 } };
	lost = pmu_perf_group_add(&thread->clock, counts->clock);
	if (lost)
		thread->lost_clock = lost;
	lost = pmu_perf_group_add(&thread->counts, counts->count);
	if (lost)
		thread->lost_counts = lost;
}

/* What it has counted since its events were opened is no part of it. */
static void start_attached(const struct pmu_attach_process *process,
			   struct pmu_attach_thread *thread)
{
	struct thread_counts counts;

	pmu_attach_name(process->pid, thread->tid, thread->name, sizeof(thread->name));
	thread->before = pmu_attach_usage(process->pid, thread->tid);
	thread->start_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	read_attached(thread, &counts);
	thread->cpu_ns = counts.clock[0];
	memcpy(thread->count, counts.count, sizeof(thread->count));
}

static void stop_attached(const struct pmu_attach_process *process,
			  struct pmu_attach_thread *thread)
{
	struct thread_counts counts;

	read_attached(thread, &counts);
	if (!thread->stop_ns)
		thread->stop_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	thread->after = pmu_attach_usage(process->pid, thread->tid);
	thread->cpu_ns = counts.clock[0] - thread->cpu_ns;
	for (unsigned int i = 0; i < PMU_MAX_SLOTS; i++)
		thread->count[i] = counts.count[i] - thread->count[i];
}

void pmu_attach_start(struct pmu_attach_process *process)
{
	process->start_unix_ns = pmu_time_now_ns(CLOCK_REALTIME);
	process->start_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < process->n; i++)
		start_attached(process, &process->thread[i]);
}

void pmu_attach_stop(struct pmu_attach *attach, struct pmu_attach_process *process)
{
	for (size_t i = 0; i < process->n; i++)
		stop_attached(process, &process->thread[i]);
	/* one that has ended was watched until then */
	if (!process->stop_ns)
		process->stop_ns = pmu_time_now_ns(CLOCK_MONOTONIC);
	/* what ended before that, and when, is in the rings */
	pmu_attach_look(attach);
	pmu_attach_end_begun(process, process->stop_ns);
}

void pmu_attach_close(struct pmu_attach *attach, struct pmu_attach_process *process)
{
	close_threads(attach, process);
	free(process->thread);
	free(process->begun);
	pmu_index_free(&process->index);
	pmu_sample_maps_free(&process->sums.maps);
	pmu_sample_chains_free(&process->sums.chains);
	pmu_sample_hits_free(&process->sums.hits);
	if (process->fd >= 0)
		close(process->fd);
	if (process->root_fd >= 0)
		close(process->root_fd);
}
