/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of Python programs: --functions in an interpreter's process. */
#ifndef PMU_PRELOAD_PYTHON_H
#define PMU_PRELOAD_PYTHON_H

#pragma GCC visibility push(hidden)

/** preload_python_start() - once, before main: nothing, where the program is no interpreter */
void preload_python_start(void);

/** preload_python_thread() - the calling thread is about to start another */
void preload_python_thread(void);

/** preload_python_leave() - as preload_functions_leave() */
void preload_python_leave(void);

/** preload_python_end() - before the report: its last notes */
void preload_python_end(void);

#pragma GCC visibility pop

#endif
