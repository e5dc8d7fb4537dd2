/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GPTL's timers in programs that are linked with libgptl: they become regions here, and GPTL has
 * them as ever.  As there, a timer that is started again while it runs counts one call more, and
 * time once.
 */
#include <stddef.h>

#include "bindings/preload/markers/both.h"
#include "bindings/preload/markers/fortran.h"
#include "bindings/preload/markers/named.h"

static struct preload_named named = { .tool = "gptl" };

static bool mine(void)
{
	return preload_mine(PRELOAD_GPTL);
}

/* What GPTL refuses, as a name that is too long, is no timer there and no region here. */
static bool started(int rc)
{
	if (rc)
		__atomic_fetch_or(&named.state, NAMED_WAS_OFF, __ATOMIC_RELAXED);
	return !rc && mine();
}

/* --- C --- */

typedef int name_function(const char *name);
typedef int handle_function(const char *name, int *handle);
typedef int switch_function(void);

name_function GPTLstart, GPTLstop;
handle_function GPTLstart_handle, GPTLstop_handle;
switch_function GPTLenable, GPTLdisable;

/* What GPTL does is not in the region, but for what it does in the one around. */
ASIDE(int, GPTLstart, (const char *name))
{
	int rc = PRELOAD_HAND_ON(GPTLstart, 0, name);

	if (started(rc))
		preload_named_begin(&named, name);
	return rc;
}

ASIDE(int, GPTLstop, (const char *name))
{
	if (mine())
		preload_named_end(&named, name);
	return PRELOAD_HAND_ON(GPTLstop, 0, name);
}

/* A handle makes finding the timer faster, of the same name. */
ASIDE(int, GPTLstart_handle, (const char *name, int *handle))
{
	int rc = PRELOAD_HAND_ON(GPTLstart_handle, 0, name, handle);

	if (started(rc))
		preload_named_begin(&named, name);
	return rc;
}

ASIDE(int, GPTLstop_handle, (const char *name, int *handle))
{
	if (mine())
		preload_named_end(&named, name);
	return PRELOAD_HAND_ON(GPTLstop_handle, 0, name, handle);
}

ASIDE(int, GPTLenable, (void))
{
	if (mine())
		preload_named_switch(&named, false);
	return PRELOAD_HAND_ON(GPTLenable, 0);
}

ASIDE(int, GPTLdisable, (void))
{
	if (mine())
		preload_named_switch(&named, true);
	return PRELOAD_HAND_ON(GPTLdisable, 0);
}

/* --- Fortran: under each name that compilers make of it --- */

typedef int f_name_function(const char *name, size_t len);
typedef int f_handle_function(const char *name, int *handle, size_t len);

#define START(function)                                                              \
	f_name_function function;                                                    \
	ASIDE(int, function, (const char *name, size_t len))                         \
	{                                                                            \
		int rc = PRELOAD_HAND_ON(function, 0, name, len);                    \
		struct preload_name text;                                            \
                                                                                     \
		if (started(rc))                                                     \
			preload_named_begin(&named, preload_name(&text, name, len)); \
		return rc;                                                           \
	}
#define STOP(function)                                                             \
	f_name_function function;                                                  \
	ASIDE(int, function, (const char *name, size_t len))                       \
	{                                                                          \
		struct preload_name text;                                          \
                                                                                   \
		if (mine())                                                        \
			preload_named_end(&named, preload_name(&text, name, len)); \
		return PRELOAD_HAND_ON(function, 0, name, len);                    \
	}
#define START_HANDLE(function)                                                       \
	f_handle_function function;                                                  \
	ASIDE(int, function, (const char *name, int *handle, size_t len))            \
	{                                                                            \
		int rc = PRELOAD_HAND_ON(function, 0, name, handle, len);            \
		struct preload_name text;                                            \
                                                                                     \
		if (started(rc))                                                     \
			preload_named_begin(&named, preload_name(&text, name, len)); \
		return rc;                                                           \
	}
#define STOP_HANDLE(function)                                                      \
	f_handle_function function;                                                \
	ASIDE(int, function, (const char *name, int *handle, size_t len))          \
	{                                                                          \
		struct preload_name text;                                          \
                                                                                   \
		if (mine())                                                        \
			preload_named_end(&named, preload_name(&text, name, len)); \
		return PRELOAD_HAND_ON(function, 0, name, handle, len);            \
	}
#define SWITCH(function, off)                              \
	switch_function function;                          \
	ASIDE(int, function, (void))                       \
	{                                                  \
		if (mine())                                \
			preload_named_switch(&named, off); \
		return PRELOAD_HAND_ON(function, 0);       \
	}

START(gptlstart)
START(gptlstart_)
START(gptlstart__)
STOP(gptlstop)
STOP(gptlstop_)
STOP(gptlstop__)
START_HANDLE(gptlstart_handle)
START_HANDLE(gptlstart_handle_)
START_HANDLE(gptlstart_handle__)
STOP_HANDLE(gptlstop_handle)
STOP_HANDLE(gptlstop_handle_)
STOP_HANDLE(gptlstop_handle__)
SWITCH(gptlenable, false)
SWITCH(gptlenable_, false)
SWITCH(gptlenable__, false)
SWITCH(gptldisable, true)
SWITCH(gptldisable_, true)
SWITCH(gptldisable__, true)
