/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LIKWID's markers in programs that are linked with liblikwid: they become regions here, and
 * LIKWID's own are called where nothing is measured.  What is no marker stays LIKWID's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "bindings/annotations/aside.h"
#include "bindings/preload/inside.h"
#include "bindings/preload/markers/fortran.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/symbols/imports.h"

#define PMU_LIKWID_SHARED      static
#define PMU_LIKWID_BEGIN(name) aside.begin_once(name)
#define PMU_LIKWID_END(name)   aside.end(name)
#include "bindings/likwid/pmu-likwid.h"

enum {
	INIT,
	THREAD_INIT,
	REGISTER,
	START,
	STOP,
	GET,
	RESET,
	NEXT,
	WRITE,
	CLOSE,
	F_INIT,
	F_THREAD_INIT,
	F_REGISTER,
	F_START,
	F_STOP,
	F_GET,
	F_RESET,
	F_NEXT,
	F_CLOSE
};

static struct preload_behind behind[] = {
	[INIT] = { "likwid_markerInit", NULL },
	[THREAD_INIT] = { "likwid_markerThreadInit", NULL },
	[REGISTER] = { "likwid_markerRegisterRegion", NULL },
	[START] = { "likwid_markerStartRegion", NULL },
	[STOP] = { "likwid_markerStopRegion", NULL },
	[GET] = { "likwid_markerGetRegion", NULL },
	[RESET] = { "likwid_markerResetRegion", NULL },
	[NEXT] = { "likwid_markerNextGroup", NULL },
	[WRITE] = { "likwid_markerWriteFile", NULL },
	[CLOSE] = { "likwid_markerClose", NULL },
	[F_INIT] = { "likwid_markerinit_", NULL },
	[F_THREAD_INIT] = { "likwid_markerthreadinit_", NULL },
	[F_REGISTER] = { "likwid_markerregisterregion_", NULL },
	[F_START] = { "likwid_markerstartregion_", NULL },
	[F_STOP] = { "likwid_markerstopregion_", NULL },
	[F_GET] = { "likwid_markergetregion_", NULL },
	[F_RESET] = { "likwid_markerresetregion_", NULL },
	[F_NEXT] = { "likwid_markernextgroup_", NULL },
	[F_CLOSE] = { "likwid_markerclose_", NULL },
};

static bool on(void)
{
	return preload_on(PRELOAD_LIKWID);
}

/* The function that ours stands in front of, with its type. */
#define BEHIND(index, function) ((__typeof__(&(function)))preload_behind(&behind[index]))

/* Built against our headers, LIKWID's among them: the switch is a call into libpmu. */
static bool changes_groups(void)
{
	return preload_imports((const void *)getauxval(AT_ENTRY), "pmu_group_next");
}

bool preload_likwid_alone(void)
{
	const char *groups = getenv("PMU_GROUP");

	if (!groups || !strchr(groups, ','))
		return false;
	if (preload_behind(&behind[NEXT]))
		pmu_note(
			"for LIKWID_MARKER_SWITCH its markers are the only regions: groups change where none is open");
	else if (changes_groups())
		pmu_note(
			"the program goes from group to group: its own regions are the only ones, for groups change "
			"where none is open");
	else
		return false;
	return true;
}

/* --- C --- */

typedef void nothing_function(void);
typedef int tag_function(const char *tag);
typedef void get_function(const char *tag, int *n_events, double *events, double *time, int *count);

nothing_function likwid_markerInit, likwid_markerThreadInit, likwid_markerNextGroup,
	likwid_markerClose;
tag_function likwid_markerRegisterRegion, likwid_markerStartRegion, likwid_markerStopRegion;
tag_function likwid_markerResetRegion, likwid_markerWriteFile;
get_function likwid_markerGetRegion;

static void pass_nothing(int index)
{
	nothing_function *next = (nothing_function *)preload_behind(&behind[index]);

	if (next)
		next();
}

static int pass_tag(int index, const char *tag)
{
	tag_function *next = (tag_function *)preload_behind(&behind[index]);

	return next ? next(tag) : -EFAULT;
}

#define NOTHING(name, ours, index)           \
	ASIDE(void, name, (void))            \
	{                                    \
		if (on())                    \
			ours();              \
		else                         \
			pass_nothing(index); \
	}
#define TAG(name, ours, index)                                  \
	ASIDE(int, name, (const char *tag))                     \
	{                                                       \
		return on() ? ours(tag) : pass_tag(index, tag); \
	}

NOTHING(likwid_markerInit, pmu_likwid_init, INIT)
NOTHING(likwid_markerThreadInit, pmu_likwid_thread_init, THREAD_INIT)
NOTHING(likwid_markerNextGroup, pmu_likwid_next, NEXT)
NOTHING(likwid_markerClose, pmu_likwid_close, CLOSE)
TAG(likwid_markerRegisterRegion, pmu_likwid_register, REGISTER)
TAG(likwid_markerStartRegion, pmu_likwid_start, START)
TAG(likwid_markerStopRegion, pmu_likwid_stop, STOP)
TAG(likwid_markerResetRegion, pmu_likwid_reset, RESET)
TAG(likwid_markerWriteFile, pmu_likwid_write, WRITE)

ASIDE(void, likwid_markerGetRegion,
      (const char *tag, int *n_events, double *events, double *time, int *count))
{
	get_function *next;

	if (on()) {
		pmu_likwid_get(tag, n_events, events, time, count);
		return;
	}
	next = (get_function *)preload_behind(&behind[GET]);
	if (next)
		next(tag, n_events, events, time, count);
}

/* --- Fortran: its subroutines, as LIKWID's module has them --- */

typedef void f_tag_function(const char *tag, size_t len);
typedef void f_get_function(const char *tag, int *n_events, double *events, double *time,
			    int *count, size_t len);

nothing_function likwid_markerinit_, likwid_markerthreadinit_, likwid_markernextgroup_,
	likwid_markerclose_;
f_tag_function likwid_markerregisterregion_, likwid_markerstartregion_, likwid_markerstopregion_;
f_tag_function likwid_markerresetregion_;
f_get_function likwid_markergetregion_;

static void pass_f_tag(int index, const char *tag, size_t len)
{
	f_tag_function *next = (f_tag_function *)preload_behind(&behind[index]);

	if (next)
		next(tag, len);
}

#define F_TAG(name, ours, index)                                   \
	ASIDE(void, name, (const char *tag, size_t len))           \
	{                                                          \
		struct preload_name text;                          \
                                                                   \
		if (on())                                          \
			(void)ours(preload_name(&text, tag, len)); \
		else                                               \
			pass_f_tag(index, tag, len);               \
	}

NOTHING(likwid_markerinit_, pmu_likwid_init, F_INIT)
NOTHING(likwid_markerthreadinit_, pmu_likwid_thread_init, F_THREAD_INIT)
NOTHING(likwid_markernextgroup_, pmu_likwid_next, F_NEXT)
NOTHING(likwid_markerclose_, pmu_likwid_close, F_CLOSE)
F_TAG(likwid_markerregisterregion_, pmu_likwid_register, F_REGISTER)
F_TAG(likwid_markerstartregion_, pmu_likwid_start, F_START)
F_TAG(likwid_markerstopregion_, pmu_likwid_stop, F_STOP)
F_TAG(likwid_markerresetregion_, pmu_likwid_reset, F_RESET)

ASIDE(void, likwid_markergetregion_,
      (const char *tag, int *n_events, double *events, double *time, int *count, size_t len))
{
	struct preload_name text;
	f_get_function *next;

	if (on()) {
		pmu_likwid_get(preload_name(&text, tag, len), n_events, events, time, count);
		return;
	}
	next = (f_get_function *)preload_behind(&behind[F_GET]);
	if (next)
		next(tag, n_events, events, time, count, len);
}
