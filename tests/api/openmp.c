/* SPDX-License-Identifier: BSD-3-Clause */
/* An OpenMP program with its first thread pinned still sees the whole machine; so does its team. */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmu.h"
#include "sanitized.h"
#include "tap.h"

#define MAX_CPUS 8192

/* The kernel's own answer, past every wrapper. */
static int count_cpus(void)
{
	unsigned char mask[MAX_CPUS / 8] = { 0 };
	int n = 0;

	if (syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(mask); i++)
		n += __builtin_popcount(mask[i]);
	return n;
}

static void *note_count(void *n)
{
	*(int *)n = count_cpus();
	return NULL;
}

/* What team threads start with, before any region of theirs. */
static void is_free_team(int n_cpus, int n_threads)
{
	int narrow = 0, members = 0;

#pragma omp parallel num_threads(n_threads) reduction(+ : narrow, members)
	{
		members++;
		if (omp_get_thread_num())
			narrow += count_cpus() != n_cpus;
	}
	is_int(members, n_threads, "the team is complete");
	is_int(narrow, 0, "team threads start with every CPU");
}

/* Threads that enter a region of their own are pinned, each to another CPU. */
static void is_pinned_team(int n_threads)
{
	int wide = 0;
	unsigned char taken[MAX_CPUS] = { 0 };
	int twice = 0;

#pragma omp parallel num_threads(n_threads) reduction(+ : wide)
	{
		pmu_region_begin("team");
		wide += count_cpus() != 1;
#pragma omp critical
		{
			int cpu = sched_getcpu();

			if (cpu >= 0 && cpu < MAX_CPUS)
				twice += taken[cpu]++;
		}
		pmu_region_end("team");
	}
	is_int(wide, 0, "in a region every team thread is pinned");
	is_int(twice, 0, "to a CPU of its own");
}

static void remove_folder(const char *dir)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/pmu/claims", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/pmu", dir);
	rmdir(path);
	is_int(rmdir(dir), 0, "nothing else is left in its folder");
}

int main(void)
{
	char dir[] = "/tmp/pmu-openmp-XXXXXX";
	int n_cpus = count_cpus(), inherited = 0;
	pthread_t thread;

	if (n_cpus < 2)
		return skip_all("needs two CPUs");
	/* a folder of its own: other sessions' claims on CPUs are not seen */
	if (!mkdtemp(dir))
		return skip_all("no folder can be made in /tmp");
	setenv("XDG_RUNTIME_DIR", dir, 1);
	setenv("PMU_PIN", "auto", 1);
	setenv("PMU_OUTPUT", "none", 1);
	setenv("PMU_BACKEND", "clock", 1);
	is_int(omp_get_num_procs(), n_cpus, "OpenMP sees every CPU before");
	is_int(pmu_region_begin("main"), 0, "a region");
	if (count_cpus() != 1) {
		/* every CPU may be claimed by other sessions of this user */
		skip("pinned threads", "no free CPU: other sessions have claimed all of them");
		pmu_region_end("main");
		return done_testing();
	}
	is_int(omp_get_num_procs(), n_cpus, "OpenMP sees every CPU from a pinned thread");
	is_free_team(n_cpus, 2);
	pthread_create(&thread, NULL, note_count, &inherited);
	pthread_join(thread, NULL);
	if (TEST_SANITIZED)
		skip("a POSIX thread works for the region", "a sanitizer starts it");
	else
		is_int(inherited, 1,
		       "a POSIX thread works for the region: it is pinned as others are");
	is_int(pmu_region_end("main"), 0, "the region's end");
	pthread_create(&thread, NULL, note_count, &inherited);
	pthread_join(thread, NULL);
	is_int(inherited, n_cpus, "one that is started in no region has every CPU, too");
	is_pinned_team(2);
	is_int(pmu_fini(), 0, "the session's end");
	remove_folder(dir);
	return done_testing();
}
