/* SPDX-License-Identifier: BSD-3-Clause */
/* Which code makes a system call: that of the nearest frame outside of libc. */
#ifndef PMU_TESTS_FAULTS_CALLERS_H
#define PMU_TESTS_FAULTS_CALLERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "inject.h"

struct callers;
struct registers;

struct callers *callers_new(void);
void callers_free(struct callers *callers);

/** callers_know() - a thread that may be new */
void callers_know(struct callers *callers, pid_t tid);
void callers_gone(struct callers *callers, pid_t tid);
/** callers_exec() - its process is another program from now on */
void callers_exec(struct callers *callers, pid_t tid);
/** callers_changed() - its process maps code */
void callers_changed(struct callers *callers, pid_t tid);
void callers_kill_all(const struct callers *callers);

/** callers_are() - is the call that the thread is in one of those? */
bool callers_are(struct callers *callers, pid_t tid, const struct registers *regs,
		 enum inject_whose whose);

#endif
