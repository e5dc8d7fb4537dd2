/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * TAU.h - programs with TAU's timers, measured by libpmu
 *
 * Stands in for the header of that name: timers and phases of TAU's API for C and C++, and of the
 * rest what programs commonly call beside them, which does nothing.  Build with
 * -I$(pkg-config --variable=tauincludedir pmu) and link -lpmu instead of using TAU's compiler
 * scripts; no -DPROFILING_ON is needed.  What is counted is chosen by PMU_GROUP and PMU_EVENTS, the
 * report by PMU_OUTPUT.
 *
 * As in TAU, timers belong to the thread that starts them, nest, and may be entered again; a timer
 * with a type has both as its name ("main int (int, char **)").  What differs:
 *   - phases are regions like all others;
 *   - a dynamic timer or phase is one region, whose calls TAU would name one by one;
 *   - groups do nothing, and user events are not kept.
 */
#ifndef _TAU_H_
#define _TAU_H_

#include "pmu-tau.h"

#define TAU_DEFAULT 0xffffffffUL
#define TAU_MESSAGE 1UL
#define TAU_USER    0x80000000UL
#define TAU_USER1   TAU_USER
#define TAU_USER2   0x40000000UL
#define TAU_USER3   0x20000000UL
#define TAU_USER4   0x10000000UL
#define TAU_IO      0x00000010UL

/* --- by name --- */

static inline void Tau_start(const char *name)
{
	pmu_tau_begin(name);
}

static inline void Tau_stop(const char *name)
{
	pmu_tau_end(name);
}

#define TAU_START(name)               pmu_tau_begin(name)
#define TAU_STOP(name)                pmu_tau_end(name)
#define TAU_STATIC_TIMER_START(name)  pmu_tau_begin(name)
#define TAU_STATIC_TIMER_STOP(name)   pmu_tau_end(name)
#define TAU_DYNAMIC_TIMER_START(name) pmu_tau_begin(name)
#define TAU_DYNAMIC_TIMER_STOP(name)  pmu_tau_end(name)
#define TAU_STATIC_PHASE_START(name)  pmu_tau_begin(name)
#define TAU_STATIC_PHASE_STOP(name)   pmu_tau_end(name)
#define TAU_DYNAMIC_PHASE_START(name) pmu_tau_begin(name)
#define TAU_DYNAMIC_PHASE_STOP(name)  pmu_tau_end(name)

/* --- by timer: a variable --- */

#define TAU_PROFILE_TIMER(timer, name, type, group) \
	static void *timer;                         \
	pmu_tau_make(&timer, name, type)
#define TAU_PROFILE_DECLARE_TIMER(timer)                   static void *timer
#define TAU_PROFILE_CREATE_TIMER(timer, name, type, group) pmu_tau_make(&timer, name, type)
#define TAU_PROFILE_START(timer)                           pmu_tau_timer_begin(&timer)
#define TAU_PROFILE_STOP(timer)                            pmu_tau_timer_end(&timer)
#define TAU_PHASE_CREATE_STATIC(timer, name, type, group) \
	TAU_PROFILE_TIMER(timer, name, type, group)
#define TAU_PHASE_START(timer)                        pmu_tau_timer_begin(&timer)
#define TAU_PHASE_STOP(timer)                         pmu_tau_timer_end(&timer)
#define TAU_PROFILER_CREATE(timer, name, type, group) (timer) = pmu_tau_create(name, type)
#define TAU_PROFILER_START(timer)                     pmu_tau_begin((const char *)(timer))
#define TAU_PROFILER_STOP(timer)                      pmu_tau_end((const char *)(timer))

#ifdef __cplusplus
/* from here to the end of the scope */
#define TAU_PROFILE(name, type, group)                        \
	TAU_PROFILE_TIMER(pmu_tau_timer_, name, type, group); \
	pmu_tau_scope pmu_tau_scope_(&pmu_tau_timer_)
#endif

/* --- beside them --- */

#define TAU_ENABLE_INSTRUMENTATION()  pmu_tau_switch(0)
#define TAU_DISABLE_INSTRUMENTATION() pmu_tau_switch(1)

#define TAU_INIT(argc, argv)         ((void)(argc), (void)(argv))
#define TAU_PROFILE_INIT(argc, argv) ((void)(argc), (void)(argv))
#define TAU_PROFILE_SET_NODE(node)   ((void)(node))
#define TAU_PROFILE_SET_CONTEXT(id)  ((void)(id))
#define TAU_PROFILE_EXIT(text)       ((void)(text))
#define TAU_REGISTER_THREAD()        ((void)pmu_thread_attach())
#define TAU_DB_DUMP()                ((void)0)
#define TAU_DB_PURGE()               ((void)0)
#define TAU_REGISTER_EVENT(event, name) \
	static const char *const event __attribute__((unused)) = (name)
#define TAU_EVENT(event, value)        ((void)(event), (void)(value))
#define TAU_TRIGGER_EVENT(name, value) ((void)(name), (void)(value))

#endif
