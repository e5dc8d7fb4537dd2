/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a program and lets system calls fail that are made beneath our libraries' frames, or by our command. */
#ifndef PMU_TESTS_FAULTS_INJECT_H
#define PMU_TESTS_FAULTS_INJECT_H

#include <stdbool.h>
#include <sys/types.h>

/** How a call fails. */
enum inject_kind {
	INJECT_ONCE,        /* by an error that the kernel has for it */
	INJECT_FROM_ON,     /* likewise, and each one of the same system call after it */
	INJECT_INTERRUPTED, /* once, by EINTR */
	INJECT_SHORT,       /* only half of what is to be read or written is */
	INJECT_N_KINDS,
};

/** Which calls fail. */
enum inject_whose {
	INJECT_PROGRAM, /* those beneath frames of our libraries, in whatever program */
	INJECT_COMMAND, /* those of the command pmu */
};

struct injection {
	enum inject_kind kind;
	enum inject_whose whose;
	long nth;           /* from 1, of those that can fail so; 0: none, they are counted */
	unsigned int error; /* which of the errors that the kernel has for the call */
};

struct injected {
	long n_calls[INJECT_N_KINDS]; /* that could have failed */
	int status;                   /* of the program, as a shell has it */
	bool hung;                    /* it was killed for that */
	bool killed;                  /* a process of it died of a signal */
	const char *call;             /* which was made to fail; NULL: none */
	int error;                    /* 0: short */
};

/**
 * inject_run() - start a program and wait until all of its processes have ended
 * @argv: an absolute path, and its arguments
 * @folder: its standard output and error go into files "out" and "err" there
 * @seconds: how long it may take
 * Return: 0; -ENOSYS: this machine or its user cannot; another negative errno.
 */
int inject_run(char *const argv[], char *const env[], const char *folder, unsigned int seconds,
	       const struct injection *injection, struct injected *result);

/** inject_name() - of a kind */
const char *inject_name(enum inject_kind kind);

#endif
