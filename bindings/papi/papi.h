/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * papi.h - programs with regions of PAPI's high-level API, measured by libpmu
 *
 * Stands in for the header of that name: the high-level API of PAPI 6 and 7, its codes, and nothing
 * of the low-level API, so that a program that needs it does not compile with this header.  Build
 * with -I$(pkg-config --variable=papiincludedir pmu) and link -lpmu instead of -lpapi.
 *
 * As in PAPI, regions belong to the thread that begins them, nest, may be entered again, and the
 * report comes when the
 * program ends.  PAPI_EVENTS is followed where neither PMU_EVENTS nor PMU_GROUP is set, as far as
 * presets have an event
 * here; the report names those that have none.  What differs:
 *   - PAPI_hl_read() keeps that it was called, as an empty region in the one it reads, not what it
 *   read;
 *   - PAPI_hl_stop() leaves the counters open;
 *   - an error stays one call's: nothing is switched off after it;
 *   - the report is libpmu's (PMU_OUTPUT): PAPI_REPORT, PAPI_OUTPUT_DIRECTORY, PAPI_MULTIPLEX and
 *   PAPI_HL_VERBOSE do nothing.
 */
#ifndef _PAPI
#define _PAPI

#include <limits.h>
#include <sys/types.h>

#include "pmu-papi.h"

#define PAPI_VERSION_NUMBER(maj, min, rev, inc) \
	(((maj) << 24) | ((min) << 16) | ((rev) << 8) | (inc))
#define PAPI_VERSION_MAJOR(x)     (((x) >> 24) & 0xff)
#define PAPI_VERSION_MINOR(x)     (((x) >> 16) & 0xff)
#define PAPI_VERSION_REVISION(x)  (((x) >> 8) & 0xff)
#define PAPI_VERSION_INCREMENT(x) ((x)&0xff)
/** The version of PAPI that has this high-level API. */
#define PAPI_VERSION     PAPI_VERSION_NUMBER(7, 0, 0, 0)
#define PAPI_VER_CURRENT (PAPI_VERSION & 0xffff0000)

#define PAPI_OK            0
#define PAPI_EINVAL        (-1)
#define PAPI_ENOMEM        (-2)
#define PAPI_ESYS          (-3)
#define PAPI_ECMP          (-4)
#define PAPI_ESBSTR        (-4)
#define PAPI_ECLOST        (-5)
#define PAPI_EBUG          (-6)
#define PAPI_ENOEVNT       (-7)
#define PAPI_ECNFLCT       (-8)
#define PAPI_ENOTRUN       (-9)
#define PAPI_EISRUN        (-10)
#define PAPI_ENOEVST       (-11)
#define PAPI_ENOTPRESET    (-12)
#define PAPI_ENOCNTR       (-13)
#define PAPI_EMISC         (-14)
#define PAPI_EPERM         (-15)
#define PAPI_ENOINIT       (-16)
#define PAPI_ENOCMP        (-17)
#define PAPI_ENOSUPP       (-18)
#define PAPI_ENOIMPL       (-19)
#define PAPI_EBUF          (-20)
#define PAPI_EINVAL_DOM    (-21)
#define PAPI_EATTR         (-22)
#define PAPI_ECOUNT        (-23)
#define PAPI_ECOMBO        (-24)
#define PAPI_ECMP_DISABLED (-25)
#define PAPI_EDELAY_INIT   (-26)
#define PAPI_EMULPASS      (-27)
#define PAPI_NULL          (-1)

/** Return: PAPI_OK; PAPI_EINVAL for a name that cannot be one; PAPI_ENOMEM; PAPI_EMISC. */
static inline int PAPI_hl_region_begin(const char *region)
{
	pmu_papi_start();
	return pmu_papi_begin(region);
}

/**
 * Return: PAPI_OK; PAPI_ENOTRUN before the thread's first begin; PAPI_EINVAL where the region is
 * not open on this thread.
 */
static inline int PAPI_hl_read(const char *region)
{
	return pmu_papi_read(region);
}

/** Return: as PAPI_hl_read(). */
static inline int PAPI_hl_region_end(const char *region)
{
	return pmu_papi_end(region);
}

/** Return: PAPI_OK; PAPI_ENOEVNT where the thread has begun nothing since its last stop. */
static inline int PAPI_hl_stop(void)
{
	return pmu_papi_stop();
}

/** Return: words for a code of PAPI's; NULL for a number that is none. */
static inline char *PAPI_strerror(int code)
{
	return pmu_papi_strerror(code);
}

#endif
