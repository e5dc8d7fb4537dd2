/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The macros of LIKWID's Marker API, for programs measured by libpmu: see likwid.h beside this
 * file.  They are empty without -DLIKWID_PERFMON, and those for GPUs always.
 */
#ifndef LIKWID_MARKER_H
#define LIKWID_MARKER_H

#ifdef LIKWID_PERFMON
#include "likwid.h"
#define LIKWID_MARKER_INIT                likwid_markerInit()
#define LIKWID_MARKER_THREADINIT          likwid_markerThreadInit()
#define LIKWID_MARKER_REGISTER(regionTag) likwid_markerRegisterRegion(regionTag)
#define LIKWID_MARKER_START(regionTag)    likwid_markerStartRegion(regionTag)
#define LIKWID_MARKER_STOP(regionTag)     likwid_markerStopRegion(regionTag)
#define LIKWID_MARKER_GET(regionTag, nevents, events, time, count) \
	likwid_markerGetRegion(regionTag, nevents, events, time, count)
#define LIKWID_MARKER_RESET(regionTag)       likwid_markerResetRegion(regionTag)
#define LIKWID_MARKER_SWITCH                 likwid_markerNextGroup()
#define LIKWID_MARKER_WRITE_FILE(markerfile) likwid_markerWriteFile(markerfile)
#define LIKWID_MARKER_CLOSE                  likwid_markerClose()
#else
#define LIKWID_MARKER_INIT
#define LIKWID_MARKER_THREADINIT
#define LIKWID_MARKER_REGISTER(regionTag)
#define LIKWID_MARKER_START(regionTag)
#define LIKWID_MARKER_STOP(regionTag)
#define LIKWID_MARKER_GET(regionTag, nevents, events, time, count)
#define LIKWID_MARKER_RESET(regionTag)
#define LIKWID_MARKER_SWITCH
#define LIKWID_MARKER_WRITE_FILE(markerfile)
#define LIKWID_MARKER_CLOSE
#endif

/* LIKWID 5.0 to 5.2: Nvidia */
#define LIKWID_NVMARKER_INIT
#define LIKWID_NVMARKER_THREADINIT
#define LIKWID_NVMARKER_REGISTER(regionTag)
#define LIKWID_NVMARKER_START(regionTag)
#define LIKWID_NVMARKER_STOP(regionTag)
#define LIKWID_NVMARKER_GET(...)
#define LIKWID_NVMARKER_RESET(regionTag)
#define LIKWID_NVMARKER_SWITCH
#define LIKWID_NVMARKER_CLOSE

/* from LIKWID 5.3 on: Nvidia and AMD */
#define NVMON_MARKER_INIT
#define NVMON_MARKER_THREADINIT
#define NVMON_MARKER_REGISTER(regionTag)
#define NVMON_MARKER_START(regionTag)
#define NVMON_MARKER_STOP(regionTag)
#define NVMON_MARKER_GET(...)
#define NVMON_MARKER_RESET(regionTag)
#define NVMON_MARKER_SWITCH
#define NVMON_MARKER_WRITE_FILE(markerfile)
#define NVMON_MARKER_CLOSE
#define ROCMON_MARKER_INIT
#define ROCMON_MARKER_THREADINIT
#define ROCMON_MARKER_REGISTER(regionTag)
#define ROCMON_MARKER_START(regionTag)
#define ROCMON_MARKER_STOP(regionTag)
#define ROCMON_MARKER_GET(...)
#define ROCMON_MARKER_RESET(regionTag)
#define ROCMON_MARKER_SWITCH
#define ROCMON_MARKER_WRITE_FILE(markerfile)
#define ROCMON_MARKER_CLOSE

#endif
