/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's events on this machine: known work gives known counts. */
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/compiler.h"
#include "counters/backend.h"
#include "plan/group.h"
#include "tests/tap.h"

#define PAGES 128

enum { FAULTS, SWITCHES, MIGRATIONS, CLOCK };

static struct pmu_plan plan;
static void *state, *thread;
static pmu_read_fn *read_counts;

static bool touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);

	if (at == MAP_FAILED)
		return false;
	madvise(at, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)at)[i * page] = 1;
	munmap(at, PAGES * page);
	return true;
}

/* What @slot counts of @work, or -1 where it is missing. */
static int64_t count_of(void (*work)(void), int slot)
{
	uint64_t before[PMU_MAX_SLOTS], after[PMU_MAX_SLOTS];
	uint32_t missing = read_counts(thread, before);

	work();
	missing |= read_counts(thread, after);
	return missing >> slot & 1 ? -1 : (int64_t)(after[slot] - before[slot]);
}

static void fault(void)
{
	touch_pages();
}

static void sleep_ten_times(void)
{
	for (int i = 0; i < 10; i++)
		usleep(1000);
}

/* Fails where only one CPU is allowed: then there is nothing to move to. */
static bool move_to_another_cpu(cpu_set_t *allowed)
{
	int here = sched_getcpu();

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		cpu_set_t one;

		if (!CPU_ISSET(cpu, allowed) || cpu == here)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		return sched_setaffinity(0, sizeof(one), &one) == 0;
	}
	return false;
}

static void migrate(void)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	move_to_another_cpu(&allowed);
	sched_setaffinity(0, sizeof(allowed), &allowed);
}

static void counts_what_was_done(void)
{
	int64_t faults = count_of(fault, FAULTS);
	int64_t migrations = count_of(migrate, MIGRATIONS);

	/* a sanitizer touches memory of its own */
	ok(faults >= PAGES && (PMU_TSAN || faults < PAGES + 64), "%d pages, %lld faults", PAGES,
	   (long long)faults);
	ok(count_of(sleep_ten_times, SWITCHES) >= 10, "ten sleeps, ten switches at least");
	ok(count_of(fault, CLOCK) > 0, "time on the CPU");
	if (migrations < 0)
		skip("a migration", "this user may not count migrations");
	else if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip("a migration", "one CPU");
	else
		ok(migrations >= 1, "a migration");
}

int main(void)
{
	struct pmu_attachment got;
	struct pmu_group group;
	struct pmu_probe probe;

	if (pmu_group_from_events("page-faults,context-switches,cpu-migrations,task-clock", NULL,
				  &group))
		return 1;
	pmu_group_plan(&group, &plan);
	if (pmu_backend_software.probe(&plan, &probe))
		return skip_all(probe.why);
	thread = calloc(1, pmu_backend_software.thread_size(&plan));
	if (!thread || pmu_backend_software.open(&state, &plan))
		return 1;
	pmu_backend_software.attach(state, thread, -1, &read_counts, &got);
	counts_what_was_done();
	pmu_backend_software.detach(state, thread);
	pmu_backend_software.close(state);
	free(thread);
	return done_testing();
}
