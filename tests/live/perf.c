/* SPDX-License-Identifier: BSD-3-Clause */
/* This machine's PMU: blocks of N instructions, read in user space where it can be and by
 * read(2). */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters/backend.h"
#include "counters/perf/perf.h"
#include "plan/group.h"
#include "tests/tap.h"

#define REPEATS 50
/* More than the counters of any core. */
#define HOGS 40

static struct pmu_plan plan;
static void *state, *thread;

/* @n instructions, even, and a few to get there */
static inline void block(unsigned long n)
{
	unsigned long left = n / 2;

	if (!left)
		return;
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n jnz 1b" : "+r"(left)::"cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(left)::"cc");
#endif
}

static uint64_t least_of(pmu_read_fn *read, unsigned long n, uint32_t *missing)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < REPEATS; i++) {
		uint64_t before[PMU_MAX_SLOTS] = { 0 }, after[PMU_MAX_SLOTS] = { 0 };

		*missing |= read(thread, before) & ~PMU_READ_DELAYED;
		block(n);
		*missing |= read(thread, after) & ~PMU_READ_DELAYED;
		if (after[0] - before[0] < least)
			least = after[0] - before[0];
	}
	return least;
}

/* The cost of the reads themselves is the same for every N; interrupts add, hence the
 * least. */
static void counts_blocks(pmu_read_fn *read, const char *how)
{
	uint32_t missing = 0;
	uint64_t cost = least_of(read, 2, &missing) - 2;

	for (unsigned long n = 20; n <= 2000000; n *= 10) {
		uint64_t count = least_of(read, n, &missing) - cost;

		ok(count >= n && count <= n + n / 1000 + 4, "%s: %lu instructions, %llu counted",
		   how, n, (unsigned long long)count);
	}
	is_int((int)missing, 0, "  none missing");
}

static bool stay_here(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	return sched_setaffinity(0, sizeof(one), &one) == 0;
}

/* Take every counter of this CPU: what counts a CPU goes before what counts a thread. */
static int take_all(struct pmu_perf_group *hogs)
{
	struct pmu_perf_where where = { .pid = -1, .cpu = sched_getcpu() };
	struct pmu_plan one = plan;
	unsigned int failed;
	int n = 0;

	one.absent = 2;
	one.slot[0].kernel = true;
	while (n < HOGS && !pmu_perf_group_open(&hogs[n], &one, &where, &failed) &&
	       !pmu_perf_group_enable(&hogs[n]))
		n++;
	return n;
}

static void never_shares_counters(pmu_read_fn *read, const char *how)
{
	struct pmu_perf_thread *self = thread;
	uint64_t value[PMU_MAX_SLOTS];
	struct pmu_perf_group hogs[HOGS];
	struct pmu_probe probe;
	int n = stay_here() ? take_all(hogs) : 0;

	if (n < HOGS) {
		skip("counters that something else takes", "this user may not count a CPU");
	} else {
		is_int((int)read(thread, value), 3, how);
		is_int((int)self->user.reader.source.lost, PMU_SOURCE_TAKEN,
		       "  the counters are taken");
		is_int(pmu_backend_perf.probe(&plan, &probe), -ENOSPC, "  none is left");
		has(probe.why, "of 2 events fit the counters", "  which is said");
	}
	while (n)
		pmu_perf_group_close(&hogs[--n]);
	if (self->user.reader.source.lost)
		is_int((int)read(thread, value), 3, "  what was taken has a hole for good");
}

/* What a thread gets that comes when all memory for pages is used up. */
struct late {
	bool exhausted;
	struct pmu_attachment got;
	uint32_t missing;
};

static bool exhaust_pages(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_DUMMY,
					.exclude_kernel = 1 };
	struct rlimit none = { 0, 0 };
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	if (setrlimit(RLIMIT_MEMLOCK, &none) || (!geteuid() && setresuid(65534, 65534, 65534)))
		return false;
	for (;;) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

		if (fd < 0)
			return false;
		if (mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
			return errno == EPERM;
	}
}

static void attach_late(struct late *late)
{
	uint64_t value[PMU_MAX_SLOTS];
	pmu_read_fn *read;

	late->exhausted = exhaust_pages();
	if (!late->exhausted)
		return;
	pmu_backend_perf.attach(state, thread, -1, &read, &late->got);
	late->missing = read(thread, value);
}

static void reads_by_the_kernel_without_pages(void)
{
	struct late *late = mmap(NULL, sizeof(*late), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();

	if (!pid) {
		attach_late(late);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	if (!late->exhausted) {
		skip("no pages", "there are more of them than descriptors");
		return;
	}
	ok(!late->got.user_read, "without pages nothing is read in user space");
	has(late->got.note, "perf_event_mlock_kb", "  the thread is told why");
	is_int((int)late->missing, 0, "  and counts by read(2)");
}

int main(void)
{
	struct pmu_attachment got;
	struct pmu_group group;
	struct pmu_probe probe;
	pmu_read_fn *read;

#if !defined(__x86_64__) && !defined(__aarch64__)
	return skip_all("no block of known length for this processor");
#endif
	if (pmu_group_from_events("instructions,cycles", NULL, &group))
		return 1;
	pmu_group_plan(&group, &plan);
	if (pmu_backend_perf.probe(&plan, &probe))
		return skip_all(probe.why);
	thread = calloc(1, pmu_backend_perf.thread_size(&plan));
	if (!thread || pmu_backend_perf.open(&state, &plan))
		return 1;
	pmu_backend_perf.attach(state, thread, -1, &read, &got);
	counts_blocks(pmu_perf_reader_read, "read(2)");
	if (got.user_read) {
		counts_blocks(read, "user space");
		reads_by_the_kernel_without_pages();
	} else {
		skip("user space", "the kernel does not allow it here");
	}
	never_shares_counters(read, "counters that something else takes");
	pmu_backend_perf.detach(state, thread);
	pmu_backend_perf.close(state);
	free(thread);
	return done_testing();
}
