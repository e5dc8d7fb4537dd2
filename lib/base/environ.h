/* SPDX-License-Identifier: BSD-3-Clause */
/* An environment for another library to read, for the time of one call. */
#ifndef PMU_BASE_ENVIRON_H
#define PMU_BASE_ENVIRON_H

struct pmu_environ;

/**
 * pmu_environ_enter() - the program's environment with one variable more
 * @setting: "NAME=value"; kept for ever
 * @hidden: variables that begin so are left out; NULL: none
 *
 * setenv() in a library is no way out: it reallocates the array that other threads' getenv() may be
 * walking just then.  So environ points until pmu_environ_leave() to a copy; a reader finds
 * every variable in the one array and in the other, and the program's own array is never written
 * to.  The copy is not freed, as a thread may still be walking it.  A thread that changes the
 * environment at that very moment changes the copy: what it changed is taken over (not with
 * @hidden); if environ has moved on by the end, it stays as it is.
 *
 * Context: one at a time: others wait until pmu_environ_leave().
 * Return: NULL without memory; environ is then as before.
 */
struct pmu_environ *pmu_environ_enter(char *setting, const char *hidden);
/** pmu_environ_leave() - the program's own again; NULL does nothing. */
void pmu_environ_leave(struct pmu_environ *copy);

#endif
