/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Score-P's user regions in programs that are linked with its libraries: they become regions here,
 * and Score-P has them as ever; so do objects of SCOREP_USER_REGION in C++.
 *
 * Source: SCOREP_User_Functions.h and the adapter's Fortran wrappers of Score-P 8.4.
 */
#include <stdbool.h>
#include <stdint.h>

#include "bindings/annotations/handles.h"
#include "bindings/annotations/names.h"
#include "bindings/annotations/stack.h"
#include "bindings/preload/markers/both.h"
#include "bindings/preload/markers/fortran.h"
#include "bindings/preload/markers/named.h"

static struct preload_named named = { .tool = "scorep" };
static struct annotation_handles regions;

static bool mine(void)
{
	return preload_mine(PRELOAD_SCOREP);
}

/* A text that stays, the same for equal ones: without a tool there is no prefix. */
static const char *keep(const char *name)
{
	return name && *name ? annotation_name("", NULL, NULL, name) : NULL;
}

/*
 * A region's handle is a variable of the program's, which Score-P fills at its first use.  Without
 * it we do: with the name.
 */
static void know(uintptr_t handle, const char *name)
{
	if (handle && !annotation_handle_name(&regions, handle))
		annotation_handle_set(&regions, handle, keep(name));
}

static void begin(uintptr_t handle)
{
	const char *name = annotation_handle_name(&regions, handle);

	if (name)
		preload_named_begin(&named, name);
}

static void end(uintptr_t handle)
{
	const char *name = annotation_handle_name(&regions, handle);

	if (name)
		preload_named_end(&named, name);
}

/* --- C --- */

typedef void begin_function(void **handle, const char **last_name, uint32_t *last_file,
			    const char *name, uint32_t type, const char *file, uint32_t line);
typedef void handle_function(void *handle);
typedef void rewind_function(void *handle, bool value);
typedef void name_begin_function(const char *name, uint32_t type, const char *file, uint32_t line);
typedef void name_end_function(const char *name);
typedef void switch_function(void);

begin_function SCOREP_User_RegionBegin, SCOREP_User_RegionInit, SCOREP_User_RewindRegionBegin;
handle_function SCOREP_User_RegionEnter, SCOREP_User_RegionEnd;
rewind_function SCOREP_User_RewindRegionEnd;
name_begin_function SCOREP_User_RegionByNameBegin;
name_end_function SCOREP_User_RegionByNameEnd;
switch_function SCOREP_User_EnableRecording, SCOREP_User_DisableRecording;

static void known(bool is_there, void **handle, const char *name)
{
	if (!is_there && !*handle)
		*handle = (void *)(uintptr_t)keep(name);
	if (mine())
		know((uintptr_t)*handle, name);
}

/* What Score-P does is not in the region, but for what it does in the one around. */
#define BEGIN(function, begins)                                                                \
	PRELOAD_STANDS_IN void function(void **handle, const char **last_name,                 \
					uint32_t *last_file, const char *name, uint32_t type,  \
					const char *file, uint32_t line)                       \
	{                                                                                      \
		known(PRELOAD_HAND_ON_VOID(function, handle, last_name, last_file, name, type, \
					   file, line),                                        \
		      handle, name);                                                           \
		if ((begins) && mine())                                                        \
			begin((uintptr_t)*handle);                                             \
	}

BEGIN(SCOREP_User_RegionBegin, true)
BEGIN(SCOREP_User_RewindRegionBegin, true)
BEGIN(SCOREP_User_RegionInit, false)

ASIDE(void, SCOREP_User_RegionEnter, (void *handle))
{
	(void)PRELOAD_HAND_ON_VOID(SCOREP_User_RegionEnter, handle);
	if (mine())
		begin((uintptr_t)handle);
}

ASIDE(void, SCOREP_User_RegionEnd, (void *handle))
{
	if (mine())
		end((uintptr_t)handle);
	(void)PRELOAD_HAND_ON_VOID(SCOREP_User_RegionEnd, handle);
}

ASIDE(void, SCOREP_User_RewindRegionEnd, (void *handle, bool value))
{
	if (mine())
		end((uintptr_t)handle);
	(void)PRELOAD_HAND_ON_VOID(SCOREP_User_RewindRegionEnd, handle, value);
}

ASIDE(void, SCOREP_User_RegionByNameBegin,
      (const char *name, uint32_t type, const char *file, uint32_t line))
{
	(void)PRELOAD_HAND_ON_VOID(SCOREP_User_RegionByNameBegin, name, type, file, line);
	if (mine())
		preload_named_begin(&named, name);
}

ASIDE(void, SCOREP_User_RegionByNameEnd, (const char *name))
{
	if (mine())
		preload_named_end(&named, name);
	(void)PRELOAD_HAND_ON_VOID(SCOREP_User_RegionByNameEnd, name);
}

#define SWITCH(function, off)                              \
	ASIDE(void, function, (void))                      \
	{                                                  \
		if (mine())                                \
			preload_named_switch(&named, off); \
		(void)PRELOAD_HAND_ON_VOID(function);      \
	}

SWITCH(SCOREP_User_EnableRecording, false)
SWITCH(SCOREP_User_DisableRecording, true)

/* --- C++: the class of SCOREP_USER_REGION, which lies in a library of Score-P's --- */

typedef void constructor(void *self, void **handle, const char *name, uint32_t type,
			 const char **last_name, uint32_t *last_file, const char *file,
			 uint32_t line);
typedef void destructor(void *self);

#define CONSTRUCTOR(function)                                                                     \
	constructor function;                                                                     \
	PRELOAD_STANDS_IN void function(void *self, void **handle, const char *name,              \
					uint32_t type, const char **last_name,                    \
					uint32_t *last_file, const char *file, uint32_t line)     \
	{                                                                                         \
		(void)PRELOAD_HAND_ON_VOID(function, self, handle, name, type, last_name,         \
					   last_file, file, line);                                \
		if (mine())                                                                       \
			annotation_push(self,                                                     \
					preload_named_is_off(&named) ? NULL : region_name(name)); \
	}
#define DESTRUCTOR(function)                                \
	destructor function;                                \
	ASIDE(void, function, (void *self))                 \
	{                                                   \
		if (mine())                                 \
			annotation_pop(self);               \
		(void)PRELOAD_HAND_ON_VOID(function, self); \
	}

static const char *region_name(const char *name)
{
	return name && *name ? annotation_name("scorep", NULL, NULL, name) : NULL;
}

CONSTRUCTOR(_ZN23SCOREP_User_RegionClassC1EPP18SCOREP_User_RegionPKcjPS4_PjS4_j)
CONSTRUCTOR(_ZN23SCOREP_User_RegionClassC2EPP18SCOREP_User_RegionPKcjPS4_PjS4_j)
DESTRUCTOR(_ZN23SCOREP_User_RegionClassD1Ev)
DESTRUCTOR(_ZN23SCOREP_User_RegionClassD2Ev)

/* --- Fortran: handles are numbers, which start at -1 --- */

#define F_UNSET (-1)

typedef void f_begin_function(int64_t *handle, const char *name, const int32_t *type,
			      const char *file, const int32_t *line, size_t name_len,
			      size_t file_len);
typedef void f_handle_function(int64_t *handle);
typedef void f_rewind_function(int64_t *handle, const int32_t *value);
typedef void f_name_begin_function(const char *name, const int32_t *type, const char *file,
				   const int32_t *line, size_t name_len, size_t file_len);
typedef void f_name_end_function(const char *name, size_t name_len);

f_begin_function scorep_f_begin_, scorep_f_init_, scorep_f_rewindbegin_;
f_handle_function scorep_f_regionenter_, scorep_f_regionend_;
f_rewind_function scorep_f_rewindregionend_;
f_name_begin_function scorep_f_regionbynamebegin_;
f_name_end_function scorep_f_regionbynameend_;
switch_function scorep_f_enablerecording_, scorep_f_disablerecording_;

static void f_known(bool is_there, int64_t *handle, const char *name, size_t len)
{
	struct preload_name text;

	(void)preload_name(&text, name, len);
	if (!is_there && *handle == F_UNSET)
		*handle = (intptr_t)keep(text.text);
	if (mine() && *handle != F_UNSET)
		know((uintptr_t)*handle, text.text);
}

#define F_BEGIN(function, begins)                                                                \
	PRELOAD_STANDS_IN void function(int64_t *handle, const char *name, const int32_t *type,  \
					const char *file, const int32_t *line, size_t name_len,  \
					size_t file_len)                                         \
	{                                                                                        \
		f_known(PRELOAD_HAND_ON_VOID(function, handle, name, type, file, line, name_len, \
					     file_len),                                          \
			handle, name, name_len);                                                 \
		if ((begins) && mine())                                                          \
			begin((uintptr_t)*handle);                                               \
	}

F_BEGIN(scorep_f_begin_, true)
F_BEGIN(scorep_f_rewindbegin_, true)
F_BEGIN(scorep_f_init_, false)

ASIDE(void, scorep_f_regionenter_, (int64_t * handle))
{
	(void)PRELOAD_HAND_ON_VOID(scorep_f_regionenter_, handle);
	if (mine())
		begin((uintptr_t)*handle);
}

ASIDE(void, scorep_f_regionend_, (int64_t * handle))
{
	if (mine())
		end((uintptr_t)*handle);
	(void)PRELOAD_HAND_ON_VOID(scorep_f_regionend_, handle);
}

ASIDE(void, scorep_f_rewindregionend_, (int64_t * handle, const int32_t *value))
{
	if (mine())
		end((uintptr_t)*handle);
	(void)PRELOAD_HAND_ON_VOID(scorep_f_rewindregionend_, handle, value);
}

ASIDE(void, scorep_f_regionbynamebegin_,
      (const char *name, const int32_t *type, const char *file, const int32_t *line,
       size_t name_len, size_t file_len))
{
	struct preload_name text;

	(void)PRELOAD_HAND_ON_VOID(scorep_f_regionbynamebegin_, name, type, file, line, name_len,
				   file_len);
	if (mine())
		preload_named_begin(&named, preload_name(&text, name, name_len));
}

ASIDE(void, scorep_f_regionbynameend_, (const char *name, size_t name_len))
{
	struct preload_name text;

	if (mine())
		preload_named_end(&named, preload_name(&text, name, name_len));
	(void)PRELOAD_HAND_ON_VOID(scorep_f_regionbynameend_, name, name_len);
}

SWITCH(scorep_f_enablerecording_, false)
SWITCH(scorep_f_disablerecording_, true)
