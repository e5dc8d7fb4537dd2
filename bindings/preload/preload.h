/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of libpmu-preload.so share.  It is loaded into programs that know nothing of it,
 * so it needs nothing but libc: libpmu itself is looked for when the program starts, and where it
 * is missing the program runs as ever.  Inside here the functions of pmu.h are forwarded to
 * it (forward.c).
 */
#ifndef PMU_PRELOAD_H
#define PMU_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "bindings/preload/parts.h"
#include "pmu.h"

/* What is missing is an error of the link, not of every program that this is loaded into. */
#pragma GCC visibility push(hidden)

/**
 * A function of libc's, or of another library's, that ours stands in for: exported, without a
 * version.
 */
#define PRELOAD_STANDS_IN __attribute__((visibility("default")))

/**
 * preload_on() - is this process measured, and this part wanted?
 *
 * The first call, at the latest before main, looks for libpmu and starts the session.  Later ones
 * are a load and a test.
 * Context: not in a signal handler before main.
 */
bool preload_on(enum preload_part part);

/**
 * preload_next() - the function behind ours: dlsym(RTLD_NEXT), also where only an old version of it
 * is there.
 */
void *preload_next(const char *name);

/** preload_is_child() - a child of vfork(): what this process measures belongs to its parent. */
bool preload_is_child(void);

/* --- the parts; each is started once, by load.c, in the session's process before main --- */

/**
 * What is to be done for wrapped functions: now, and after every dlopen().
 * @text: PMU_WRAP, or NULL
 */
void preload_wrap_start(const char *text);
void preload_wrap_loaded(void);

/** preload_wrap_active() - is there anything to wrap in what is loaded from now on? */
bool preload_wrap_active(void);

/** preload_wrap_leave() - as preload_functions_leave() */
void preload_wrap_leave(void);

/** preload_wrap_end() - before the report: what PMU_WRAP asked for and did not get */
void preload_wrap_end(void);

/** preload_locks_start() - before preload_wrap_start(): what waits for a lock is a region */
void preload_locks_start(void);

/** preload_locks_end() - before the report: its last note about locks */
void preload_locks_end(void);

/**
 * preload_papi_events() - what PAPI_EVENTS is as PMU_EVENTS, for a program linked with PAPI; NULL:
 * nothing of the kind.
 */
const char *preload_papi_events(void);

/**
 * preload_likwid_alone() - LIKWID's markers, or libpmu's own of a program that changes groups, are
 * the only regions
 *
 * Groups change between regions, and main would be one.
 *
 * Context: once, when the session has started; the report says so.
 */
bool preload_likwid_alone(void);

/** preload_kokkos_start() - the variable by which an old Kokkos finds its tool; before main */
void preload_kokkos_start(void);

/** preload_functions_end() - before the report: its last notes about functions */
void preload_functions_end(void);

/**
 * preload_functions_leave() - end what the calling thread has open of functions, the innermost
 * first
 *
 * Before what is around them ends: they will not be come back to, as after exit().
 */
void preload_functions_leave(void);

/**
 * preload_symbol() - what the function at an address is called
 * @name: result: demangled where it can be; "OBJECT+0x1234" where there is no name
 * Context: takes a lock, allocates; not in signal handlers.
 * Return: the text, which stays as long as the process does; NULL without memory.
 */
const char *preload_symbol(const void *address);

#pragma GCC visibility pop

#endif
