/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel says of a thread, asked in two ways. */
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "session/usage.h"
#include "unit/part.h"

#define N_PAGES 100

static int own_tid(void)
{
	return (int)syscall(SYS_gettid);
}

static void both_ways_agree(void)
{
	struct pmu_usage before, other, after;

	is_int(pmu_usage_self(&before), 0, "by getrusage");
	is_int(pmu_usage_other(own_tid(), &other), 0, "by /proc");
	is_int(pmu_usage_self(&after), 0, "by getrusage again");
	ok(before.minor_faults <= other.minor_faults && other.minor_faults <= after.minor_faults,
	   "minor faults lie between");
	ok(before.major_faults <= other.major_faults && other.major_faults <= after.major_faults,
	   "major faults, too");
	ok(before.voluntary_switches <= other.voluntary_switches &&
		   other.voluntary_switches <= after.voluntary_switches,
	   "and voluntary switches");
	ok(before.involuntary_switches <= other.involuntary_switches &&
		   other.involuntary_switches <= after.involuntary_switches,
	   "and involuntary ones");
	ok(before.cpu_ns > 0 && before.cpu_ns <= other.cpu_ns && other.cpu_ns <= after.cpu_ns,
	   "and the time on a processor");
}

struct asked {
	int tid;
	pthread_barrier_t barrier;
};

/* Touches pages and sleeps, then waits to be asked about. */
static void *work(void *arg)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct asked *asked = arg;
	volatile char *pages = mmap(NULL, N_PAGES * page, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages != MAP_FAILED)
		madvise((void *)pages, N_PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; pages != MAP_FAILED && i < N_PAGES; i++)
		pages[i * page] = 1;
	for (int i = 0; i < 5; i++)
		nanosleep(&moment, NULL);
	asked->tid = own_tid();
	pthread_barrier_wait(&asked->barrier);
	pthread_barrier_wait(&asked->barrier);
	return NULL;
}

static void another_thread_is_told_from_the_caller(void)
{
	struct pmu_usage usage = { 0 };
	struct asked asked = { 0 };
	struct timespec all;
	pthread_t thread;

	pthread_barrier_init(&asked.barrier, NULL, 2);
	if (!ok(pthread_create(&thread, NULL, work, &asked) == 0, "a thread"))
		return;
	pthread_barrier_wait(&asked.barrier);
	is_int(pmu_usage_other(asked.tid, &usage), 0, "asked about while it lives");
	ok(usage.minor_faults >= N_PAGES, "its faults are its own");
	ok(usage.voluntary_switches >= 5, "so are the times it slept");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all);
	ok(usage.cpu_ns > 0 && usage.cpu_ns <= (int64_t)all.tv_sec * 1000000000 + all.tv_nsec,
	   "and its time on a processor");
	pthread_barrier_wait(&asked.barrier);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&asked.barrier);
}

static void a_thread_that_is_not_there_is_an_error(void)
{
	struct pmu_usage usage = { .minor_faults = 42 };

	is_int(pmu_usage_other(0x7fffffff, &usage), -ENOENT, "no such thread");
	is_int(usage.minor_faults, 42, "and nothing is written");
}

UNIT_PART(usage)
{
	both_ways_agree();
	another_thread_is_told_from_the_caller();
	a_thread_that_is_not_there_is_an_error();
	return done_testing();
}
