/* SPDX-License-Identifier: BSD-3-Clause */
/* A program and all that it starts, traced. */
#ifndef PMU_TESTS_EXACT_ORACLE_TRACE_H
#define PMU_TESTS_EXACT_ORACLE_TRACE_H

/** Status where this machine does not let a program be traced. */
#define TRACE_IMPOSSIBLE 77

/** trace() - runs the program until it and all of its children have ended.  Return: its status, of wait() */
int trace(char **argv);

#endif
