/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PMU beside the cores' own: the time stamp counter through perf_event, alone and in a group with
 * others.
 */
#include <time.h>

#include "counters/backend.h"
#include "plan/group.h"
#include "tests/tap.h"

#if defined(__x86_64__)

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * The thread may be taken off its processor, where the event stands still and the counter goes on.
 */
static void spin(uint64_t ns)
{
	uint64_t start = cpu_ns();

	while (cpu_ns() - start < ns)
		;
}

static void counts_with(const char *events)
{
	const struct pmu_backend *perf = &pmu_backend_perf;
	uint64_t before[PMU_MAX_SLOTS] = { 0 }, after[PMU_MAX_SLOTS] = { 0 }, start, stop, first,
		 last;
	struct pmu_attachment got;
	struct pmu_group group;
	struct pmu_probe probe;
	struct pmu_plan plan;
	pmu_read_fn *read;
	void *state, *thread;

	if (pmu_group_from_events(events, NULL, &group)) {
		skip(events, "no msr PMU here");
		return;
	}
	pmu_group_plan(&group, &plan);
	if (perf->probe(&plan, &probe)) {
		skip(events, "%s", probe.why);
		return;
	}
	thread = calloc(1, perf->thread_size(&plan));
	is_int(perf->open(&state, &plan), 0, events);
	is_int(perf->attach(state, thread, -1, &read, &got), 0, "  attached");
	ok(!got.user_read, "  read by the kernel");
	start = __builtin_ia32_rdtsc();
	is_int((int)read(thread, before), 0, "  can be read");
	first = __builtin_ia32_rdtsc();
	spin(20000000);
	last = __builtin_ia32_rdtsc();
	is_int((int)read(thread, after), 0, "  once more");
	stop = __builtin_ia32_rdtsc();
	/*
	 * on its processor it has ticked at most as often as the counter; a machine has more than
	 * 0.5 GHz
	 */
	ok(after[0] - before[0] <= stop - start, "  %llu ticks of %llu",
	   (unsigned long long)(after[0] - before[0]), (unsigned long long)(stop - start));
	ok(after[0] - before[0] > 10000000 && last > first, "  20 ms of them at least");
	perf->detach(state, thread);
	perf->close(state);
	free(thread);
}

int main(void)
{
	counts_with("msr/tsc/");
	counts_with("msr/tsc/,page-faults,task-clock");
	counts_with("msr/tsc/,instructions");
	return done_testing();
}

#else

int main(void)
{
	skip("the time stamp counter", "this is no x86 processor");
	return done_testing();
}

#endif
