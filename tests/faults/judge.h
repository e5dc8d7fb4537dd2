/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program left, and whether it is as good as can be with what failed. */
#ifndef PMU_TESTS_FAULTS_JUDGE_H
#define PMU_TESTS_FAULTS_JUDGE_H

#include <stddef.h>

#include "inject.h"

#define JUDGE_TEXT 4096

/** What a run without faults leaves. */
struct expected {
	const char *out; /* standard output */
	int status;
	long calls; /* sum over the regions of all its reports; -1: it makes none */
	char said
		[JUDGE_TEXT]; /* notes and doubts of the reports, a line each, and standard error */
};

/**
 * judge_learn() - what is in @folder is as it should be
 * Return: NULL, or what is wrong with it.
 */
const char *judge_learn(const char *folder, const struct injected *result,
			struct expected *expected);

/**
 * judge() - the run in @folder
 * @injection: which call failed: the command may say that it starts nothing, the library may not
 * @why: result: more about what is wrong
 * Return: NULL, or what is wrong.
 */
const char *judge(const char *folder, const struct expected *expected,
		  const struct injection *injection, const struct injected *result, char *why,
		  size_t size);

#endif
