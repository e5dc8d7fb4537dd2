/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of pmu.h, for this library alone: each goes on to libpmu, which is found when the
 * program starts.  Without it, or where an older one lacks the function, nothing is measured.
 */
#include <dlfcn.h>
#include <errno.h>

#include "bindings/annotations/aside.h"
#include "bindings/preload/inside.h"

/* What it returns, its name, its parameters, the arguments, what is returned without libpmu. */
#define FUNCTIONS(X)                                                                        \
	X(int, pmu_init, (const struct pmu_options *options), (options), 0)                 \
	X(int, pmu_region_begin, (const char *name), (name), 0)                             \
	X(int, pmu_region_begin_once, (const char *name), (name), 0)                        \
	X(int, pmu_region_end, (const char *name), (name), 0)                               \
	X(int, pmu_region_begin_n, (const char *name, size_t len), (name, len), 0)          \
	X(int, pmu_region_end_n, (const char *name, size_t len), (name, len), 0)            \
	X(int, pmu_thread_attach, (void), (), 0)                                            \
	X(int, pmu_region_read,                                                             \
	  (const char *region, int thread, struct pmu_region_counts *counts),               \
	  (region, thread, counts), -ENODEV)                                                \
	X(int, pmu_region_reset, (const char *name), (name), 0)                             \
	X(int, pmu_region_is_open, (const char *name), (name), 0)                           \
	X(pmu_context_t, pmu_context_get, (void), (), 0)                                    \
	X(int, pmu_context_enter, (pmu_context_t context), (context), 0)                    \
	X(int, pmu_context_leave, (void), (), 0)                                            \
	X(int, pmu_group_next, (void), (), -ENODEV)                                         \
	X(const char *, pmu_count_name, (unsigned int slot), (slot), NULL)                  \
	X(int, pmu_report, (const char *path), (path), -ENODEV)                             \
	X(int, pmu_report_text, (const char *format, char **text), (format, text), -ENODEV) \
	X(int, pmu_note, (const char *text), (text), -ENODEV)                               \
	X(int, pmu_checkpoint, (enum pmu_next next), (next), 0)                             \
	X(int, pmu_fini, (void), (), -ENODEV)                                               \
	X(int, pmu_counters_open,                                                           \
	  (const char *events, enum pmu_scope scope, struct pmu_counters **counters),       \
	  (events, scope, counters), -ENODEV)                                               \
	X(void, pmu_counters_close, (struct pmu_counters * counters), (counters), (void)0)  \
	X(const char *, pmu_last_error, (void), (), "")                                     \
	X(const char *, pmu_strerror, (int code), (code), "")                               \
	X(int, pmu_version, (void), (), PMU_VERSION)

/* Written before any other thread asks: see the phases in load.c. */
static struct {
#define MEMBER(type, name, parameters, arguments, without) __typeof__(&(name)) name;
	FUNCTIONS(MEMBER)
} to;

#define FORWARD(type, name, parameters, arguments, without)           \
	type name parameters                                          \
	{                                                             \
		return likely(to.name) ? to.name arguments : without; \
	}
FUNCTIONS(FORWARD)

bool preload_forward_open(void *library)
{
#define FIND(type, name, parameters, arguments, without) \
	to.name = (__typeof__(&(name)))dlsym(library, #name);
	FUNCTIONS(FIND)
	aside_know(dlsym(library, ASIDE_SYMBOL));
	return to.pmu_init && to.pmu_region_begin && to.pmu_region_end && to.pmu_thread_attach &&
	       to.pmu_version && to.pmu_version() >> 8 == PMU_VERSION >> 8;
}
