/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For one file of a program that loads libraries: the leak checker of gcc 12 may mistake what it keeps of their
 * thread-local variables, and ends the process at its exit.
 */
#ifndef PMU_TESTS_LOADS_H
#define PMU_TESTS_LOADS_H

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "intercept_tls_get_addr=0";
}

#endif
