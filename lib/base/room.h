/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that take more stack than a program's threads need have. */
#ifndef PMU_BASE_ROOM_H
#define PMU_BASE_ROOM_H

/**
 * pmu_with_room() - call a function on a stack of its own, where the thread's may be too small for
 * it
 * @function: is called once, by the calling thread; @argument is its
 *
 * Reading the machine, opening what counts and writing reports take libraries that ask for 10 KiB
 * and more; a thread may have 16 KiB for all that it does.  The first thread's stack is large.
 * Signals wait meanwhile: what walks the stacks of threads when it is called (a garbage collector)
 * does not come upon ours.  Those that the processor raises do not.
 *
 * Context: no lock is taken.  Without memory, under valgrind and with sanitizers, which know each
 * thread by its stack, it is the caller's stack all the same.
 * Return: the function's.
 */
int pmu_with_room(int (*function)(void *argument), void *argument);

#endif
