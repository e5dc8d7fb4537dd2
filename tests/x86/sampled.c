/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of so many instructions and branches, for samples by these.
 *
 *   sampled TURNS THREADS    in each thread "outer" of TURNS turns in one function, and in it "inner" of half as many in
 *	another one; a turn is two instructions, one of them a branch
 */
#include <pmu.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define MAX_THREADS 64

#define TURN(name)                                                          \
	__attribute__((noinline)) static void name(uint64_t n)              \
	{                                                                   \
		__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc"); \
	}
TURN(in_outer)
TURN(in_inner)

static void *work(void *arg)
{
	const uint64_t *turns = arg;

	pmu_region_begin("outer");
	in_outer(*turns);
	pmu_region_begin("inner");
	in_inner(*turns / 2);
	pmu_region_end("inner");
	pmu_region_end("outer");
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t turns = argc > 1 ? strtoull(argv[1], NULL, 10) : 2;
	int n = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t thread[MAX_THREADS];

	if (n < 1 || n > MAX_THREADS)
		return 1;
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, work, &turns))
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
