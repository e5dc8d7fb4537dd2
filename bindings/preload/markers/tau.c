/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TAU's timers and phases in programs that are linked with libTAU: they become regions here, and
 * TAU has them as ever.  A timer's name is what TAU calls it: its name and, where it has one, its
 * type.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bindings/annotations/handles.h"
#include "bindings/preload/keep.h"
#include "bindings/preload/markers/both.h"
#include "bindings/preload/markers/fortran.h"
#include "bindings/preload/markers/named.h"

static struct preload_named named = { .tool = "tau" };
static struct annotation_handles timers;

static bool mine(void)
{
	return preload_mine(PRELOAD_TAU);
}

/* --- C, by name --- */

typedef void name_function(const char *name);
typedef void dynamic_function(const char *name, int is_phase);
typedef void switch_function(void);

name_function Tau_start, Tau_stop, Tau_pure_start, Tau_pure_stop;
name_function Tau_static_phase_start, Tau_static_phase_stop;
dynamic_function Tau_dynamic_start, Tau_dynamic_stop;
switch_function Tau_enable_instrumentation, Tau_disable_instrumentation;

/* What TAU does is not in the region, but for what it does in the one around. */
#define START(function)                                     \
	ASIDE(void, function, (const char *name))           \
	{                                                   \
		(void)PRELOAD_HAND_ON_VOID(function, name); \
		if (mine())                                 \
			preload_named_begin(&named, name);  \
	}
#define STOP(function)                                      \
	ASIDE(void, function, (const char *name))           \
	{                                                   \
		if (mine())                                 \
			preload_named_end(&named, name);    \
		(void)PRELOAD_HAND_ON_VOID(function, name); \
	}

START(Tau_start)
STOP(Tau_stop)
START(Tau_pure_start)
STOP(Tau_pure_stop)
START(Tau_static_phase_start)
STOP(Tau_static_phase_stop)

/* TAU has a timer for each time; here they are calls of one region. */
ASIDE(void, Tau_dynamic_start, (const char *name, int is_phase))
{
	(void)PRELOAD_HAND_ON_VOID(Tau_dynamic_start, name, is_phase);
	if (mine())
		preload_named_begin(&named, name);
}

ASIDE(void, Tau_dynamic_stop, (const char *name, int is_phase))
{
	if (mine())
		preload_named_end(&named, name);
	(void)PRELOAD_HAND_ON_VOID(Tau_dynamic_stop, name, is_phase);
}

ASIDE(void, Tau_enable_instrumentation, (void))
{
	if (mine())
		preload_named_switch(&named, false);
	(void)PRELOAD_HAND_ON_VOID(Tau_enable_instrumentation);
}

ASIDE(void, Tau_disable_instrumentation, (void))
{
	if (mine())
		preload_named_switch(&named, true);
	(void)PRELOAD_HAND_ON_VOID(Tau_disable_instrumentation);
}

/* --- C, by timer --- */

typedef void make_function(void **timer, const char *name, const char *type, unsigned long group,
			   const char *group_name);
typedef void *get_function(const char *name, const char *type, unsigned long group,
			   const char *group_name);
typedef void lite_start_function(void *timer, int is_phase);
typedef void lite_stop_function(void *timer);
typedef void start_function(void *timer, int is_phase, int thread);
typedef int stop_function(void *timer, int thread);

make_function Tau_profile_c_timer;
get_function Tau_get_profiler;
lite_start_function Tau_lite_start_timer;
lite_stop_function Tau_lite_stop_timer;
start_function Tau_start_timer;
stop_function Tau_stop_timer;

/*
 * Once for each timer: the line is passed again and again.  Not inlined: its text and its caller's would be
 * much for one frame.
 */
static __attribute__((noinline)) void know_timer(const void *timer, const char *name,
						 const char *type)
{
	char text[PMU_NAME_MAX + 1];
	bool typed = type && *type && strcmp(type, " ") != 0;

	if (!timer || !name || annotation_handle_name(&timers, (uintptr_t)timer))
		return;
	snprintf(text, sizeof(text), "%s%s%s", name, typed ? " " : "", typed ? type : "");
	annotation_handle_set(&timers, (uintptr_t)timer, preload_keep_name(text));
}

/* Without TAU the variable itself is the timer. */
ASIDE(void, Tau_profile_c_timer,
      (void **timer, const char *name, const char *type, unsigned long group,
       const char *group_name))
{
	if (!PRELOAD_HAND_ON_VOID(Tau_profile_c_timer, timer, name, type, group, group_name) &&
	    !*timer)
		*timer = timer;
	if (mine())
		know_timer(*timer, name, type);
}

ASIDE(void *, Tau_get_profiler,
      (const char *name, const char *type, unsigned long group, const char *group_name))
{
	void *timer = PRELOAD_HAND_ON(Tau_get_profiler, NULL, name, type, group, group_name);

	if (mine())
		know_timer(timer, name, type);
	return timer;
}

/* NULL: not known, or not ours to measure */
static const char *timer_name(const void *timer)
{
	return mine() ? annotation_handle_name(&timers, (uintptr_t)timer) : NULL;
}

static void begin_timer(const void *timer)
{
	const char *name = timer_name(timer);

	if (name)
		preload_named_begin(&named, name);
}

static void end_timer(const void *timer)
{
	const char *name = timer_name(timer);

	if (name)
		preload_named_end(&named, name);
}

ASIDE(void, Tau_lite_start_timer, (void *timer, int is_phase))
{
	(void)PRELOAD_HAND_ON_VOID(Tau_lite_start_timer, timer, is_phase);
	begin_timer(timer);
}

ASIDE(void, Tau_lite_stop_timer, (void *timer))
{
	end_timer(timer);
	(void)PRELOAD_HAND_ON_VOID(Tau_lite_stop_timer, timer);
}

ASIDE(void, Tau_start_timer, (void *timer, int is_phase, int thread))
{
	(void)PRELOAD_HAND_ON_VOID(Tau_start_timer, timer, is_phase, thread);
	begin_timer(timer);
}

ASIDE(int, Tau_stop_timer, (void *timer, int thread))
{
	end_timer(timer);
	return PRELOAD_HAND_ON(Tau_stop_timer, 0, timer, thread);
}

/* --- Fortran, as compilers here name it: with one underscore behind, or two --- */

/* TAU's return nothing. */
typedef long f_name_function(const char *name, int len);
typedef long f_make_function(void **timer, const char *name, int len);
typedef long f_timer_function(void **timer);
typedef long f_switch_function(void);

/*
 * Without TAU such names are of another library, and its functions may return something.  The macro
 * is for the return address.
 */
static bool is_tau(const void *caller)
{
	static struct preload_other start = { "Tau_start", NULL, 0 };

	return preload_other(&start, caller) != NULL;
}
#define f_mine() (mine() && is_tau(ASIDE_CALLER()))

/*
 * As TAU takes names: without blanks in front, and joined where a line of the source went on with
 * "&".
 */
static const char *f_name(struct preload_name *name, const char *text, int len)
{
	size_t to = 0;

	(void)preload_name(name, text, len > 0 ? (size_t)len : 0);
	for (const char *at = name->text; *at; at++) {
		if (*at == '&')
			at += strspn(at + 1, " \t&");
		else if (*at != ' ' || to)
			name->text[to++] = *at;
	}
	name->text[to] = '\0';
	return name->text;
}

#define F_START(function)                                                      \
	f_name_function function;                                              \
	ASIDE(long, function, (const char *name, int len))                     \
	{                                                                      \
		struct preload_name text;                                      \
		long result = PRELOAD_HAND_ON(function, 0, name, len);         \
                                                                               \
		if (f_mine())                                                  \
			preload_named_begin(&named, f_name(&text, name, len)); \
		return result;                                                 \
	}
#define F_STOP(function)                                                     \
	f_name_function function;                                            \
	ASIDE(long, function, (const char *name, int len))                   \
	{                                                                    \
		struct preload_name text;                                    \
                                                                             \
		if (f_mine())                                                \
			preload_named_end(&named, f_name(&text, name, len)); \
		return PRELOAD_HAND_ON(function, 0, name, len);              \
	}
#define F_MAKE(function)                                                      \
	f_make_function function;                                             \
	ASIDE(long, function, (void **timer, const char *name, int len))      \
	{                                                                     \
		struct preload_name text;                                     \
		long result = PRELOAD_HAND_ON(function, 0, timer, name, len); \
                                                                              \
		if (f_mine())                                                 \
			know_timer(*timer, f_name(&text, name, len), NULL);   \
		return result;                                                \
	}
#define F_TIMER_START(function)                                    \
	f_timer_function function;                                 \
	ASIDE(long, function, (void **timer))                      \
	{                                                          \
		long result = PRELOAD_HAND_ON(function, 0, timer); \
                                                                   \
		if (f_mine())                                      \
			begin_timer(*timer);                       \
		return result;                                     \
	}
#define F_TIMER_STOP(function)                              \
	f_timer_function function;                          \
	ASIDE(long, function, (void **timer))               \
	{                                                   \
		if (f_mine())                               \
			end_timer(*timer);                  \
		return PRELOAD_HAND_ON(function, 0, timer); \
	}
#define F_SWITCH(function, off)                            \
	f_switch_function function;                        \
	ASIDE(long, function, (void))                      \
	{                                                  \
		if (f_mine())                              \
			preload_named_switch(&named, off); \
		return PRELOAD_HAND_ON(function, 0);       \
	}

F_START(tau_start_)
F_START(tau_start__)
F_STOP(tau_stop_)
F_STOP(tau_stop__)
F_START(tau_static_timer_start_)
F_START(tau_static_timer_start__)
F_STOP(tau_static_timer_stop_)
F_STOP(tau_static_timer_stop__)
F_START(tau_static_phase_start_)
F_START(tau_static_phase_start__)
F_STOP(tau_static_phase_stop_)
F_STOP(tau_static_phase_stop__)
F_MAKE(tau_profile_timer_)
F_MAKE(tau_profile_timer__)
F_TIMER_START(tau_profile_start_)
F_TIMER_START(tau_profile_start__)
F_TIMER_STOP(tau_profile_stop_)
F_TIMER_STOP(tau_profile_stop__)
F_SWITCH(tau_enable_instrumentation_, false)
F_SWITCH(tau_enable_instrumentation__, false)
F_SWITCH(tau_disable_instrumentation_, true)
F_SWITCH(tau_disable_instrumentation__, true)
