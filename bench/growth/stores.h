/* SPDX-License-Identifier: BSD-3-Clause */
/* What is measured of a process with many threads and regions. */
#ifndef BENCH_STORES_H
#define BENCH_STORES_H

#include <stddef.h>

enum store_number {
	STORE_KIB,    /* size of the store's file */
	RESIDENT_KIB, /* memory since the threads were there */
	ATTACH_US,    /* a thread's start in the session */
	FIRST_NS,     /* a region's first call in a thread */
	PAIR_NS,      /* later calls */
	END_US,       /* a thread's end, that of pthread_join() included */
	READ_US,      /* pmu_region_read() of another thread's region, but for the first */
	REPORT_MS,    /* pmu_report() as text */
	N_STORE_NUMBERS
};

/** store_path() - the store in the folder that the session had for it.  Return: 0; -1 none. */
int store_path(const char *folder, char *path, size_t size);

#endif
