/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of Python programs as regions: what libpmu-python.so exports, for libpmu-preload.so and
 * for the package pmu.
 */
#ifndef PMU_PYTHON_FUNCTIONS_H
#define PMU_PYTHON_FUNCTIONS_H

/**
 * pmu_python_arm() - before an interpreter starts: its program's functions, when it comes to them
 * @patterns: as --functions
 *
 * Return: 0, -ENOSYS in a process without an interpreter that is known, or a negative errno.
 */
int pmu_python_arm(const char *patterns);

/**
 * pmu_python_start() - in a running interpreter: functions that are called from now on, in the
 * calling thread and in those that are started later; from 3.12 on in all threads
 *
 * Ends an earlier one first.
 * Context: the interpreter's lock.  Return: as above.
 */
int pmu_python_start(const char *patterns);

/** pmu_python_stop() - no more.  Context: the interpreter's lock. */
void pmu_python_stop(void);

/** pmu_python_thread() - the calling thread is about to start another, of whatever kind */
void pmu_python_thread(void);

/** pmu_python_leave() - end what the calling thread has open, before what is around it ends */
void pmu_python_leave(void);

/** pmu_python_end() - before the report: its last notes */
void pmu_python_end(void);

#endif
