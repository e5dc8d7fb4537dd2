/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to our own tool of valgrind's, which counts instructions (bindings/valgrind/).  The tool
 * is compiled without libc: nothing but types comes in here.
 */
#ifndef PMU_COUNTERS_VALGRIND_COUNTER_H
#define PMU_COUNTERS_VALGRIND_COUNTER_H

#include <stdint.h>

/** The tool's name, for valgrind's --tool=. */
#define PMU_COUNTER_TOOL "pmu"

/** Valgrind manual, "The Client Request mechanism": two letters are a tool's own. */
enum pmu_counter_request {
	/*
	 * Fills a struct pmu_counter_answer.  Its result is PMU_COUNTER_ANSWERS, or what it was
	 * before where another tool is asked.
	 */
	PMU_COUNTER_READ = 'P' << 24 | 'M' << 16,
	/* The calling thread's count stands still, or goes on.  Twice is as once. */
	PMU_COUNTER_PAUSE,
	PMU_COUNTER_RESUME,
};
#define PMU_COUNTER_ANSWERS 1

/** Of the calling thread, with the request's own instruction. */
struct pmu_counter_answer {
	uint64_t instructions; /* from any beginning on; without those of signal handlers */
	uint64_t in_handler;   /* it is in one: the count is that before it */
};

#endif
