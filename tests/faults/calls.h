/* SPDX-License-Identifier: BSD-3-Clause */
/* The system calls that may fail, and by what. */
#ifndef PMU_TESTS_FAULTS_CALLS_H
#define PMU_TESTS_FAULTS_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "inject.h"

#define FAULTS_MAX_ERRORS 4

enum faults_call_flags {
	FAULTS_EINTR = 1, /* a signal may interrupt it */
	FAULTS_SHORT = 2, /* it may do less than it was asked for; its third argument is how much */
	FAULTS_STARTS = 4, /* a process: beneath our wrapper it is the program's own call */
};

struct faults_call {
	long number;
	const char *name;
	int flags;
	int error[FAULTS_MAX_ERRORS];
};

extern const struct faults_call faults_call[];
extern const size_t faults_n_calls;

const struct faults_call *faults_call_of(long number);
bool faults_call_suits(const struct faults_call *call, enum inject_kind kind,
		       enum inject_whose whose);
/** faults_call_error() - one of its errors; @which: any number */
int faults_call_error(const struct faults_call *call, unsigned int which);

#endif
