/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory without malloc(): the measured program may have been interrupted in it, or have its own.
 */
#ifndef PMU_PRELOAD_KEEP_H
#define PMU_PRELOAD_KEEP_H

#include <stddef.h>

/**
 * preload_map() - zeroed memory of its own, for preload_unmap().  Return: NULL without memory;
 * errno untouched.
 */
void *preload_map(size_t size);
void preload_unmap(void *memory, size_t size);

/**
 * preload_keep() - zeroed memory that stays as long as the process
 * Context: preload_lock().  Return: NULL without memory.
 */
void *preload_keep(size_t size);

/** preload_keep_text() - a copy of some bytes of text, with a NUL behind it.  As preload_keep(). */
const char *preload_keep_text(const char *text, size_t len);

/**
 * preload_lock() - one at a time, in one thread once only
 *
 * Its holder must call nothing that waits for another lock: not malloc(), not the loader.  A forked
 * child finds it free.
 * Return: false, and nothing is locked, where the calling thread holds it: in a signal handler that
 * interrupted it.
 */
_Bool preload_lock(void);
void preload_unlock(void);

/**
 * preload_keep_name() - a copy of a region's name, as long as one can be
 * Context: takes preload_lock().  Return: NULL without memory, or where it is held.
 */
const char *preload_keep_name(const char *name);

#endif
