/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions of libgomp's are behind ours. */
#ifndef PMU_PRELOAD_GOMP_H
#define PMU_PRELOAD_GOMP_H

/** X(name): beside those that start a parallel region. */
#define PRELOAD_GOMP_OTHERS(X)                      \
	X(GOMP_barrier)                             \
	X(GOMP_barrier_cancel)                      \
	X(GOMP_critical_end)                        \
	X(GOMP_critical_name_end)                   \
	X(GOMP_critical_name_start)                 \
	X(GOMP_critical_start)                      \
	X(GOMP_loop_end)                            \
	X(GOMP_loop_end_cancel)                     \
	X(GOMP_sections_end)                        \
	X(GOMP_sections_end_cancel)                 \
	X(GOMP_single_copy_end)                     \
	X(GOMP_single_copy_start)                   \
	X(GOMP_task)                                \
	X(GOMP_taskgroup_end)                       \
	X(GOMP_taskgroup_start)                     \
	X(GOMP_taskloop)                            \
	X(GOMP_taskloop_ull)                        \
	X(GOMP_taskwait)                            \
	X(GOMP_taskwait_depend)                     \
	X(GOMP_workshare_task_reduction_unregister) \
	X(omp_get_cancellation)                     \
	X(omp_get_num_threads)                      \
	X(omp_set_lock)                             \
	X(omp_set_lock_)                            \
	X(omp_test_lock)                            \
	X(omp_test_lock_)

enum preload_gomp_function {
#define PRELOAD_GOMP_INDEX(name) AT_##name,
	PRELOAD_GOMP_OTHERS(PRELOAD_GOMP_INDEX) PRELOAD_GOMP_N_OTHERS
};

struct preload_gomp;

/**
 * preload_gomp_of() - the runtime that some code is linked with
 * @caller: where a call of it returns to; of a jump it may be anywhere: then the innermost share's
 *
 * Context: locks and allocates at the first call from there.
 * Return: NULL: not to be found.
 */
const struct preload_gomp *preload_gomp_of(const void *caller);

/** preload_gomp_function() - one of its functions; NULL where it has none, or there is no runtime */
void *preload_gomp_function(const struct preload_gomp *runtime, enum preload_gomp_function which);

#endif
