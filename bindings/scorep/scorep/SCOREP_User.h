/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * SCOREP_User.h - programs with Score-P's user regions, measured by libpmu
 *
 * Stands in for the header of that name, for C and C++.  Build with -DSCOREP_USER_ENABLE,
 * -I$(pkg-config --variable=scorepincludedir pmu) and -lpmu instead of `scorep --user`; without the
 * macro nothing is left of it, as there.  What is counted is chosen by PMU_GROUP and PMU_EVENTS, the
 * report by PMU_OUTPUT.
 *
 * As in Score-P, regions nest and belong to the thread that begins them.  What differs: types of
 * regions, parameters, metrics and topologies are accepted and not kept, and SCOREP_RECORDING_OFF()
 * holds for regions that are begun after it.
 */
#ifndef SCOREP_USER_H
#define SCOREP_USER_H

#define SCOREP_USER_REGION_TYPE_COMMON   0
#define SCOREP_USER_REGION_TYPE_FUNCTION 1
#define SCOREP_USER_REGION_TYPE_LOOP     2
#define SCOREP_USER_REGION_TYPE_DYNAMIC  4
#define SCOREP_USER_REGION_TYPE_PHASE    8

#ifdef SCOREP_USER_ENABLE
#include <pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The name that it was begun with first. */
typedef const char *SCOREP_User_RegionHandle;
#define SCOREP_USER_INVALID_REGION ((SCOREP_User_RegionHandle)0)

/* One for all files of a program: weak, so that a header can define them. */
extern int pmu_scorep_off, pmu_scorep_was_off;
__attribute__((weak, visibility("default"))) int pmu_scorep_off, pmu_scorep_was_off;

static inline void pmu_scorep_switch(int off)
{
	if (off)
		__atomic_store_n(&pmu_scorep_was_off, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&pmu_scorep_off, off, __ATOMIC_RELAXED);
}

static inline void pmu_scorep_begin(const char *name)
{
	if (!__atomic_load_n(&pmu_scorep_off, __ATOMIC_RELAXED))
		(void)pmu_region_begin(name);
}

/** pmu_scorep_end() - also while switched off, of what was begun before */
static inline void pmu_scorep_end(const char *name)
{
	if (__atomic_load_n(&pmu_scorep_was_off, __ATOMIC_RELAXED) && pmu_region_is_open(name) <= 0)
		return;
	(void)pmu_region_end(name);
}

/** pmu_scorep_init() - what threads write at once is the same */
static inline void pmu_scorep_init(SCOREP_User_RegionHandle *handle, const char *name)
{
	if (!__atomic_load_n(handle, __ATOMIC_RELAXED))
		__atomic_store_n(handle, name, __ATOMIC_RELAXED);
}

static inline const char *pmu_scorep_name(const SCOREP_User_RegionHandle *handle)
{
	return __atomic_load_n(handle, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}

/** To the end of a scope. */
class pmu_scorep_scope
{
      public:
	explicit pmu_scorep_scope(const char *its) : name(its)
	{
		pmu_scorep_begin(name);
	}
	~pmu_scorep_scope()
	{
		pmu_scorep_end(name);
	}
	pmu_scorep_scope(const pmu_scorep_scope &) = delete;
	pmu_scorep_scope &operator=(const pmu_scorep_scope &) = delete;

      private:
	const char *name;
};
#define SCOREP_USER_REGION(name, type) pmu_scorep_scope pmu_scorep_scope_(name)
#endif

#define SCOREP_USER_REGION_DEFINE(handle)           static SCOREP_User_RegionHandle handle;
#define SCOREP_GLOBAL_REGION_DEFINE(handle)         SCOREP_User_RegionHandle handle;
#define SCOREP_GLOBAL_REGION_EXTERNAL(handle)       extern SCOREP_User_RegionHandle handle;
#define SCOREP_USER_REGION_INIT(handle, name, type) pmu_scorep_init(&(handle), name);
#define SCOREP_USER_REGION_ENTER(handle)            pmu_scorep_begin(pmu_scorep_name(&(handle)));
#define SCOREP_USER_REGION_BEGIN(handle, name, type) \
	(pmu_scorep_init(&(handle), name), pmu_scorep_begin(pmu_scorep_name(&(handle))));
#define SCOREP_USER_REGION_END(handle)               pmu_scorep_end(pmu_scorep_name(&(handle)));
#define SCOREP_USER_REGION_BY_NAME_BEGIN(name, type) pmu_scorep_begin(name);
#define SCOREP_USER_REGION_BY_NAME_END(name)         pmu_scorep_end(name);
#define SCOREP_USER_FUNC_DEFINE()
#define SCOREP_USER_FUNC_BEGIN() pmu_scorep_begin(__func__);
#define SCOREP_USER_FUNC_END()   pmu_scorep_end(__func__);
#define SCOREP_RECORDING_ON()    pmu_scorep_switch(0);
#define SCOREP_RECORDING_OFF()   pmu_scorep_switch(1);
#define SCOREP_RECORDING_IS_ON() (!__atomic_load_n(&pmu_scorep_off, __ATOMIC_RELAXED))

#else /* as Score-P's own header without it */

#define SCOREP_USER_REGION(name, type)
#define SCOREP_USER_REGION_DEFINE(handle)
#define SCOREP_GLOBAL_REGION_DEFINE(handle)
#define SCOREP_GLOBAL_REGION_EXTERNAL(handle)
#define SCOREP_USER_REGION_INIT(handle, name, type)
#define SCOREP_USER_REGION_ENTER(handle)
#define SCOREP_USER_REGION_BEGIN(handle, name, type)
#define SCOREP_USER_REGION_END(handle)
#define SCOREP_USER_REGION_BY_NAME_BEGIN(name, type)
#define SCOREP_USER_REGION_BY_NAME_END(name)
#define SCOREP_USER_FUNC_DEFINE()
#define SCOREP_USER_FUNC_BEGIN()
#define SCOREP_USER_FUNC_END()
#define SCOREP_RECORDING_ON()
#define SCOREP_RECORDING_OFF()
#define SCOREP_RECORDING_IS_ON() 0

#endif

/* Accepted, and not kept. */
#define SCOREP_USER_REWIND_DEFINE(handle)
#define SCOREP_USER_REWIND_POINT(handle, name)
#define SCOREP_USER_REWIND_CHECK(handle, value)
#define SCOREP_USER_PARAMETER_DEFINE(handle)
#define SCOREP_USER_PARAMETER_INT64(name, value)
#define SCOREP_USER_PARAMETER_UINT64(name, value)
#define SCOREP_USER_PARAMETER_STRING(name, value)
#define SCOREP_USER_METRIC_LOCAL(metric)
#define SCOREP_USER_METRIC_GLOBAL(metric)
#define SCOREP_USER_METRIC_EXTERNAL(metric)
#define SCOREP_USER_METRIC_INIT(metric, name, unit, type, context)
#define SCOREP_USER_METRIC_INT64(metric, value)
#define SCOREP_USER_METRIC_UINT64(metric, value)
#define SCOREP_USER_METRIC_DOUBLE(metric, value)

#endif
