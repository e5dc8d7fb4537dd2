/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * As much of OMPT, the interface between an OpenMP runtime and a tool, as ompt.c needs.
 *
 * Source: OpenMP API 5.0, sections 4.2 to 4.6, by number where they are used below.  The runtime's
 * header omp-tools.h says the same, but is not there without the runtime.
 */
#ifndef PMU_PRELOAD_OMPT_H
#define PMU_PRELOAD_OMPT_H

#include <stdint.h>

/* 4.4.4.4 ompt_data_t: ours to fill; the runtime makes it zero. */
union ompt_data {
	uint64_t value;
	void *ptr;
};

struct ompt_frame; /* 4.4.4.27; not looked at */

/* 4.4.2 ompt_callbacks_t */
enum ompt_event {
	OMPT_PARALLEL_BEGIN = 3,
	OMPT_PARALLEL_END = 4,
	OMPT_TASK_CREATE = 5,
	OMPT_TASK_SCHEDULE = 6,
	OMPT_IMPLICIT_TASK = 7,
	OMPT_SYNC_REGION_WAIT = 16,
	OMPT_MUTEX_RELEASED = 17,
	OMPT_SYNC_REGION = 23,
	OMPT_MUTEX_ACQUIRE = 26,
	OMPT_MUTEX_ACQUIRED = 27,
};

/* 4.4.4.2 ompt_set_result_t: below this the event never comes. */
#define OMPT_SET_SOMETIMES 3

/* 4.4.4.11 ompt_scope_endpoint_t */
enum ompt_endpoint {
	OMPT_SCOPE_BEGIN = 1,
	OMPT_SCOPE_END = 2,
};

/* 4.4.4.13 ompt_sync_region_t; 5.1 has parted the second. */
enum ompt_sync {
	OMPT_SYNC_BARRIER = 1,
	/* 5.0: of a worksharing construct, and of a parallel region */
	OMPT_SYNC_BARRIER_IMPLICIT = 2,
	OMPT_SYNC_BARRIER_EXPLICIT = 3,
	OMPT_SYNC_BARRIER_IMPLEMENTATION = 4,
	OMPT_SYNC_TASKWAIT = 5,
	OMPT_SYNC_TASKGROUP = 6,
	OMPT_SYNC_BARRIER_IMPLICIT_WORKSHARE = 8,
	OMPT_SYNC_BARRIER_IMPLICIT_PARALLEL = 9,
	OMPT_N_SYNC,
};

/* 4.4.4.14 ompt_mutex_t */
#define OMPT_MUTEX_CRITICAL 5

/* 4.4.4.18 ompt_task_flag_t */
#define OMPT_TASK_EXPLICIT   0x00000004
#define OMPT_TASK_UNDEFERRED 0x08000000
#define OMPT_TASK_UNTIED     0x10000000

/*
 * 4.4.4.19 ompt_task_status_t: those after which another task goes on, or begins.  The rest is told
 * of tasks that this thread does not run.
 */
enum ompt_task_status {
	OMPT_TASK_COMPLETE = 1,
	OMPT_TASK_YIELD = 2,
	OMPT_TASK_CANCEL = 3,
	OMPT_TASK_DETACH = 4,
	OMPT_TASK_SWITCH = 7,
};

/* 4.4.4.21 ompt_parallel_flag_t */
#define OMPT_PARALLEL_LEAGUE 0x40000000

/* 4.6 runtime entry points by name, and 4.6.1.3 one of them: ompt_set_callback() */
typedef void ompt_function(void);
typedef ompt_function *ompt_lookup(const char *name);
typedef int ompt_set_callback(int event, ompt_function *callback);

/*
 * 4.4.1, 4.5.1: what a tool gives the runtime; initialize() returns 0 where it does not want to be
 * one
 */
struct ompt_start_tool_result {
	int (*initialize)(ompt_lookup *lookup, int initial_device, union ompt_data *tool);
	void (*finalize)(union ompt_data *tool);
	union ompt_data tool;
};

/* 4.2.1: called by the runtime before it starts.  NULL: no tool here. */
struct ompt_start_tool_result *ompt_start_tool(unsigned int omp_version,
					       const char *runtime_version);

#endif
