/* SPDX-License-Identifier: BSD-3-Clause */
/* Which function an address lies in. */
#ifndef PMU_PRELOAD_SYMBOLS_H
#define PMU_PRELOAD_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What is known of an address. */
struct preload_place {
	const char *name; /* demangled, or "OBJECT+0x1234"; stays; at most PMU_NAME_MAX bytes */
	bool is_symbol;   /* it is a function's name */
	uintptr_t start, size; /* of the function; size 0: not known */
	/* changes when another object takes the place of the one that was here; NULL: in none */
	const void *object;
};

/**
 * preload_place_find() - what the function at an address is called, and how far it reaches
 *
 * Context: as preload_symbol().
 * Return: 0; -ENOMEM; -EBUSY in a signal handler that interrupted one of these calls.
 */
int preload_place_find(const void *address, struct preload_place *place);

/**
 * preload_place_object() - preload_place.object of an address, now.  NULL also where it cannot be
 * told.
 */
const void *preload_place_object(const void *address);

/**
 * preload_object_path() - the file of the object that an address lies in
 * @address: of code
 * @bias: result: its address here less the one in the file; may be NULL
 *
 * Unlike dladdr() it does not wait for a dlopen() that runs constructors, which may wait for the
 * caller.
 *
 * Return: as the loader was told, "" for the program, NULL for none; stays as long as the object.
 */
const char *preload_object_path(const void *address, uintptr_t *bias);

/**
 * preload_demangle() - a C++ function as its programmer wrote it
 * @name: the linker's
 * Context: calls malloc() and, the first time, the loader; not under preload_lock().
 * Return: text for free(), NULL where it is no such name or cannot be demangled here.
 */
char *preload_demangle(const char *name);

#endif
