/* SPDX-License-Identifier: BSD-3-Clause */
/* This machine's own PMUs by their names: what is resolved can be opened and counts. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "names/sysfs/sysfs.h"
#include "plan/catalog.h"
#include "plan/event.h"
#include "tests/tap.h"

static int open_event(const struct pmu_slot *slot)
{
	struct perf_event_attr attr = { .type = slot->type,
					.size = sizeof(attr),
					.config = slot->config,
					.config1 = slot->config1,
					.config2 = slot->config2,
					.exclude_user = !slot->user,
					.exclude_kernel = !slot->kernel };

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

#if defined(__x86_64__)
static uint64_t ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static double ns_of(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static uint64_t value_of(int fd)
{
	uint64_t value;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

/*
 * It counts while the thread runs: no more than the instruction says around it, and what the
 * thread's time makes of that.
 */
static void counts_the_time_stamp_counter(int fd)
{
	double ran = ns_of(CLOCK_THREAD_CPUTIME_ID), passed = ns_of(CLOCK_MONOTONIC), expected;
	uint64_t around = ticks(), counted = value_of(fd);

	while (ns_of(CLOCK_THREAD_CPUTIME_ID) - ran < 2e7)
		;
	counted = value_of(fd) - counted;
	around = ticks() - around;
	ran = ns_of(CLOCK_THREAD_CPUTIME_ID) - ran;
	passed = ns_of(CLOCK_MONOTONIC) - passed;
	expected = (double)around / passed * ran;
	ok(counted && counted <= around, "no more than the instruction rdtsc");
	ok((double)counted > 0.8 * expected, "no less than the thread ran");
	diag("msr/tsc/ %" PRIu64 ", rdtsc %" PRIu64 ", the thread ran %.1f %%", counted, around,
	     100 * ran / passed);
}
#endif

static void count_pmu(void *arg, const char *name, unsigned int n_boxes)
{
	(void)name;
	(void)n_boxes;
	++*(int *)arg;
}

static int wrong;

static void try_event(void *arg, const char *pmu, const char *name, const char *terms,
		      const char *unit)
{
	struct pmu_event event;

	(void)arg;
	(void)unit;
	if (!pmu_sysfs_event(PMU_SYSFS_DEVICES, pmu, name, &event))
		return;
	diag("%s/%s/ (%s): %s", pmu, name, terms, pmu_error_text());
	wrong += strstr(pmu_error_text(), "not understood") != NULL;
}

int main(void)
{
	struct pmu_event event;
	int n = 0, fd;

	pmu_sysfs_each(PMU_SYSFS_DEVICES, count_pmu, try_event, &n);
	if (!n)
		return skip_all("the kernel shows no PMUs in " PMU_SYSFS_DEVICES);
	is_int(wrong, 0, "every event of this kernel is understood, or refused by purpose");
	if (!pmu_sysfs_has(PMU_SYSFS_DEVICES, "msr")) {
		skip("msr/tsc/", "the kernel has no PMU msr here");
		return done_testing();
	}
	is_int(pmu_event_parse("msr/tsc/", NULL, &event), 0, "msr/tsc/");
	fd = open_event(&event.slot);
	if (fd < 0 && (errno == EACCES || errno == EPERM || errno == ENOSYS)) {
		skip("it counts", "perf_event_open: %s", strerror(errno));
		return done_testing();
	}
	ok(fd >= 0, "it can be opened");
#if defined(__x86_64__)
	if (fd >= 0)
		counts_the_time_stamp_counter(fd);
#endif
	return done_testing();
}
