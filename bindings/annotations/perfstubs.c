/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PerfStubs: programs and libraries with it (ADIOS2; PETSc where it was built so) look for functions
 * of these names among all that is loaded, at their first timer, and call them where there are any.
 * A client then says on standard output that it has found a tool.  So they are in a library of
 * their own, which is loaded where somebody asks for it by name: PMU_AUTO=perfstubs.
 *
 * Source: tool.h and timer.c of github.com/UO-OACISS/perfstubs.
 */
#include <stddef.h>
#include <stdint.h>

#include "bindings/annotations/names.h"
#include "pmu.h"

#define TOOL __attribute__((visibility("default")))

void ps_tool_initialize(void), ps_tool_finalize(void), ps_tool_register_thread(void);
void *ps_tool_timer_create(const char *name);
void ps_tool_timer_start(void *timer), ps_tool_timer_stop(void *timer);
void ps_tool_start_string(const char *name), ps_tool_stop_string(const char *name);
void ps_tool_dynamic_phase_start(const char *name, int index);
void ps_tool_dynamic_phase_stop(const char *name, int index);

static const char *name_of(const char *name)
{
	return name && *name ? annotation_name("perfstubs", NULL, NULL, name) : NULL;
}

static void begin(const char *name)
{
	if (name)
		(void)pmu_region_begin(name);
}

static void end(const char *name)
{
	if (name)
		(void)pmu_region_end(name);
}

/* The session has begun: it was before this was loaded. */
TOOL void ps_tool_initialize(void)
{
}

TOOL void ps_tool_finalize(void)
{
}

TOOL void ps_tool_register_thread(void)
{
	(void)pmu_thread_attach();
}

/* A timer is its name, which stays. */
TOOL void *ps_tool_timer_create(const char *name)
{
	return (void *)(uintptr_t)name_of(name);
}

TOOL void ps_tool_timer_start(void *timer)
{
	begin(timer);
}

TOOL void ps_tool_timer_stop(void *timer)
{
	end(timer);
}

TOOL void ps_tool_start_string(const char *name)
{
	begin(name_of(name));
}

TOOL void ps_tool_stop_string(const char *name)
{
	end(name_of(name));
}

/* One region, whose calls other tools name one by one. */
TOOL void ps_tool_dynamic_phase_start(const char *name, int index)
{
	(void)index;
	begin(name_of(name));
}

TOOL void ps_tool_dynamic_phase_stop(const char *name, int index)
{
	(void)index;
	end(name_of(name));
}
