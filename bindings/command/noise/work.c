/* SPDX-License-Identifier: BSD-3-Clause */
/* Does the same work again and again, for how much its time varies. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "base/time.h"
#include "bindings/command/noise/noise.h"
#include "machine/mask.h"

#define WORK_NS    1000000u
#define TIMES_MAX  100000
#define TRIALS     10
#define TURNS_MOST ((uint64_t)1 << 32)

/* As many multiplications, each of which waits for the one before (Knuth's, of MMIX). */
static uint64_t time_of_work(uint64_t turns)
{
	uint64_t start_ns = pmu_time_now_ns(CLOCK_MONOTONIC_RAW), x = 1;

	for (; turns; turns--) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
	return pmu_time_now_ns(CLOCK_MONOTONIC_RAW) - start_ns;
}

/* Return: turns that take WORK_NS at best. */
static uint64_t calibrate(void)
{
	uint64_t turns = 1024, least_ns, time_ns;

	while (time_of_work(turns) < WORK_NS && turns < TURNS_MOST)
		turns *= 2;
	least_ns = time_of_work(turns);
	for (int i = 0; i < TRIALS; i++) {
		time_ns = time_of_work(turns);
		least_ns = time_ns < least_ns ? time_ns : least_ns;
	}
	turns = (uint64_t)((double)turns * WORK_NS / (double)(least_ns ? least_ns : 1));
	return turns ? turns : 1;
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Return: the processor; -1: it could not be done. */
static int stay_here(struct pmu_mask *before)
{
	struct pmu_mask one = { { 0 } };
	int cpu = sched_getcpu();

	if (cpu < 0 || pmu_mask_of_thread(0, before))
		return -1;
	pmu_mask_set(&one, cpu);
	return pmu_mask_apply(&one) ? -1 : cpu;
}

int pmu_noise_work(uint64_t duration_ns, struct pmu_noise_work *out)
{
	uint64_t *time = calloc(TIMES_MAX, sizeof(*time)), turns, end_ns;
	struct pmu_mask before;
	size_t n = 0;

	if (!time)
		return -ENOMEM;
	out->cpu = stay_here(&before);
	turns = calibrate();
	end_ns = pmu_time_now_ns(CLOCK_MONOTONIC) + duration_ns;
	do
		time[n++] = time_of_work(turns);
	while (n < TIMES_MAX && pmu_time_now_ns(CLOCK_MONOTONIC) < end_ns);
	if (out->cpu >= 0)
		pmu_mask_apply(&before);
	qsort(time, n, sizeof(*time), compare_times);
	out->n = n;
	out->least_ns = time[0];
	out->median_ns = time[n / 2];
	out->p99_ns = time[n - 1 - n / 100];
	out->most_ns = time[n - 1];
	free(time);
	return 0;
}
