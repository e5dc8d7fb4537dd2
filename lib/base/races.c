/* SPDX-License-Identifier: BSD-3-Clause */
/* What valgrind's race detectors are told about memory with an order that they cannot see. */
#include "base/races.h"

#ifdef __has_include
#if __has_include("config.h")
#include "config.h"
#endif
#endif

#if defined(HAVE_VALGRIND_HELGRIND_H) && defined(HAVE_VALGRIND_DRD_H)
#include <valgrind/helgrind.h>

#include <valgrind/drd.h>

/* The requests themselves: both headers have macros of the same names. */
void pmu_races_ignore(const volatile void *at, size_t size)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_ARANGE_MAKE_UNTRACKED, at, size, 0, 0, 0);
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_START_SUPPRESSION, at, size, 0, 0, 0);
}
#else
void pmu_races_ignore(const volatile void *at, size_t size)
{
	(void)at;
	(void)size;
}
#endif
