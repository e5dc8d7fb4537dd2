/* SPDX-License-Identifier: BSD-3-Clause */
/* What starts threads and programs, wrapped so that these inherit no pin. */
#ifndef PMU_SESSION_SPAWN_H
#define PMU_SESSION_SPAWN_H

#include <pthread.h>
#include <stdbool.h>
#include <threads.h>

/*
 * The wrappers themselves have no declarations of ours: they are pthread_create() and its
 * like, exported without a symbol version (tests/data/interposed.txt lists them).  Not
 * among them: vfork, which returns twice (the program it executes gets the original mask
 * all the same), and clone.
 */

/** pmu_spawn_thread(), pmu_spawn_c11() - pthread_create() and thrd_create(), behind region/started.c */
int pmu_spawn_thread(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
		     void *arg);
int pmu_spawn_c11(thrd_t *thread, thrd_start_t start, void *arg);

/**
 * pmu_spawn_in_scope() - do the program's calls reach our wrappers?
 *
 * Not in a library that was loaded by dlopen(), nor in one that stands behind libc: there
 * a pin would be inherited, so the library does not pin by itself.
 */
bool pmu_spawn_in_scope(void);

#endif
