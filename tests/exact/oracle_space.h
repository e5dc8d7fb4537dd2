/* SPDX-License-Identifier: BSD-3-Clause */
/* What lies at an address of a process: the library's code, or the program's with all else it uses. */
#ifndef PMU_TESTS_EXACT_ORACLE_SPACE_H
#define PMU_TESTS_EXACT_ORACLE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Memory of a process. */
struct space;

struct space *space_new(pid_t pid);

/** space_copy() - a forked child's */
struct space *space_copy(const struct space *from, pid_t pid);
void space_free(struct space *space);

/** space_find_library() - is libpmu there? Looks again.  Return: where its initialisation starts; 0: not there */
uint64_t space_find_library(struct space *space);

/** space_is_library() - is that the library's code? Looks again where nothing is known of @address. */
bool space_is_library(struct space *space, uint64_t address);

/**
 * space_function() - which function of the library's starts at @address
 *
 * Return: its place in @names; FUNCTION_OTHER: it is exported, and none of them; FUNCTION_NONE.
 */
#define FUNCTION_OTHER (-1)
#define FUNCTION_NONE  (-2)
int space_function(struct space *space, uint64_t address, const char *const *names, size_t n);

/** space_address() - where the library's function of that name starts; 0: it has none */
uint64_t space_address(const struct space *space, const char *name);

/** space_is_named() - does the program's file have @name, as a file does that calls a function of that name? */
bool space_is_named(const struct space *space, const char *name);

/** space_trap() - an address that holds a breakpoint instruction, wherever that comes from */
uint64_t space_trap(const struct space *space);

/** space_read() - Return: bytes that could be read, at most @size */
size_t space_read(pid_t pid, uint64_t address, void *to, size_t size);

#endif
