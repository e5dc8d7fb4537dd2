/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI's high-level API in programs that are linked with libpapi: its regions become regions here,
 * and PAPI's own functions are called where nothing is measured.  The low-level API stays PAPI's.
 */
#include <stddef.h>

#include "bindings/annotations/aside.h"
#include "bindings/preload/inside.h"
#include "bindings/preload/markers/fortran.h"
#include "bindings/preload/preload.h"

#define PMU_PAPI_SHARED      static
#define PMU_PAPI_BEGIN(name) aside.begin(name)
#define PMU_PAPI_END(name)   aside.end(name)
#include "bindings/papi/pmu-papi.h"

/* What was made of PAPI_EVENTS when the session was started. */
static struct pmu_papi_plan plan;
static bool plan_said;

const char *preload_papi_events(void)
{
	if (!preload_next("PAPI_hl_region_begin"))
		return NULL;
	pmu_papi_make_plan(&plan);
	return *plan.events ? plan.events : NULL;
}

static bool on(void)
{
	return preload_on(PRELOAD_PAPI);
}

static int begin(const char *region)
{
	if (!__atomic_exchange_n(&plan_said, true, __ATOMIC_RELAXED))
		pmu_papi_say(&plan);
	return pmu_papi_begin(region);
}

/* --- C --- */

typedef int region_function(const char *region);
typedef int stop_function(void);

region_function PAPI_hl_region_begin, PAPI_hl_read, PAPI_hl_region_end;
stop_function PAPI_hl_stop;

static int pass_region(struct preload_behind *behind, const char *region)
{
	region_function *next = (region_function *)preload_behind(behind);

	return next ? next(region) : PMU_PAPI_EMISC;
}

static int pass_stop(struct preload_behind *behind)
{
	stop_function *next = (stop_function *)preload_behind(behind);

	return next ? next() : PMU_PAPI_EMISC;
}

#define REGION(name, ours)                                                 \
	ASIDE(int, name, (const char *region))                             \
	{                                                                  \
		static struct preload_behind behind = { #name, NULL };     \
                                                                           \
		return on() ? ours(region) : pass_region(&behind, region); \
	}

REGION(PAPI_hl_region_begin, begin)
REGION(PAPI_hl_read, pmu_papi_read)
REGION(PAPI_hl_region_end, pmu_papi_end)

ASIDE(int, PAPI_hl_stop, (void))
{
	static struct preload_behind behind = { "PAPI_hl_stop", NULL };

	return on() ? pmu_papi_stop() : pass_stop(&behind);
}

/*
 * PAPI knows its words from its start on, which never comes where we stand in for its high-level
 * API.
 */
char *PAPI_strerror(int code);

ASIDE(char *, PAPI_strerror, (int code))
{
	static struct preload_behind words = { "PAPI_strerror", NULL },
				     initialized = { "PAPI_is_initialized", NULL };
	char *(*next)(int code) = (char *(*)(int))preload_behind(&words);
	int (*is_initialized)(void) = (int (*)(void))preload_behind(&initialized);

	if (next && (!on() || (is_initialized && is_initialized())))
		return next(code);
	return pmu_papi_strerror(code);
}

/* --- Fortran: PAPIf_hl_...(region, check), under each name that compilers make of it --- */

typedef void f_region_function(const char *region, int *check, size_t len);
typedef void f_stop_function(int *check);

static void pass_f_region(struct preload_behind *behind, const char *region, int *check, size_t len)
{
	f_region_function *next = (f_region_function *)preload_behind(behind);

	if (next)
		next(region, check, len);
	else
		*check = PMU_PAPI_EMISC;
}

static void pass_f_stop(struct preload_behind *behind, int *check)
{
	f_stop_function *next = (f_stop_function *)preload_behind(behind);

	if (next)
		next(check);
	else
		*check = PMU_PAPI_EMISC;
}

/* With a frame of its own, beside that of the name. */
static PRELOAD_COLD int read_apart(const char *region)
{
	return pmu_papi_read(region);
}

#define F_REGION(name, ours)                                             \
	f_region_function name;                                          \
	ASIDE(void, name, (const char *region, int *check, size_t len))  \
	{                                                                \
		static struct preload_behind behind = { #name, NULL };   \
		struct preload_name text;                                \
                                                                         \
		if (on())                                                \
			*check = ours(preload_name(&text, region, len)); \
		else                                                     \
			pass_f_region(&behind, region, check, len);      \
	}
#define F_STOP(name)                                                   \
	f_stop_function name;                                          \
	ASIDE(void, name, (int *check))                                \
	{                                                              \
		static struct preload_behind behind = { #name, NULL }; \
                                                                       \
		if (on())                                              \
			*check = pmu_papi_stop();                      \
		else                                                   \
			pass_f_stop(&behind, check);                   \
	}

F_REGION(papif_hl_region_begin, begin)
F_REGION(papif_hl_region_begin_, begin)
F_REGION(papif_hl_region_begin__, begin)
F_REGION(PAPIF_HL_REGION_BEGIN, begin)
F_REGION(papif_hl_read, read_apart)
F_REGION(papif_hl_read_, read_apart)
F_REGION(papif_hl_read__, read_apart)
F_REGION(PAPIF_HL_READ, read_apart)
F_REGION(papif_hl_region_end, pmu_papi_end)
F_REGION(papif_hl_region_end_, pmu_papi_end)
F_REGION(papif_hl_region_end__, pmu_papi_end)
F_REGION(PAPIF_HL_REGION_END, pmu_papi_end)
F_STOP(papif_hl_stop)
F_STOP(papif_hl_stop_)
F_STOP(papif_hl_stop__)
F_STOP(PAPIF_HL_STOP)
