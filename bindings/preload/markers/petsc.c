/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PETSc's events and stages in programs that are linked with libpetsc: they become regions here, and
 * PETSc's own logging (-log_view and its kin) has them as ever.
 *
 * PETSc tells of events by a pair of functions that may be set (PetscLogPLB and PetscLogPLE up to
 * 3.19), where they go on to those that were set before, or to any number of handlers (3.20 and
 * later, PetscLogLegacyCallbacksBegin()).  Which event has which name it says to
 * PetscLogEventRegister(), which its libraries call by way of the linker's table: here.
 *
 * Source: petsclog.h of PETSc 3.18.5; manual pages of 3.24.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "bindings/annotations/names.h"
#include "bindings/annotations/stack.h"
#include "bindings/preload/markers/both.h"
#include "bindings/preload/markers/named.h"

/* PetscErrorCode is an int, or an enum; 0 is success. */
typedef int event_function(int event, int unused, void *a, void *b, void *c, void *d);
typedef int register_function(const char *name, int class, int *event);
typedef int register_stage_function(const char *name, int *stage);
typedef int push_function(int stage);
typedef int pop_function(void);
typedef int set_function(event_function *begin, event_function *end);
typedef int view_function(void *viewer);
typedef int init_function(int *argc, char ***argv, const char *file, const char *help);
typedef int init_plain_function(void);
typedef int init_pointers_function(int argc, char **argv, const char *file, const char *help);
typedef void init_fortran_function(char *file, char *help, void *reads, int *error, size_t file_len,
				   size_t help_len);
typedef int legacy_function(event_function *begin, event_function *end, void *create,
			    void *destroy);

register_function PetscLogEventRegister;
register_stage_function PetscLogStageRegister;
push_function PetscLogStagePush;
pop_function PetscLogStagePop, PetscFinalize;
set_function PetscLogSet;
view_function PetscLogView;
init_function PetscInitialize;
init_plain_function PetscInitializeNoArguments;
init_pointers_function PetscInitializeNoPointers;
init_fortran_function petscinitializef_;

static struct preload_named named = { .tool = "petsc" };

static bool on(void)
{
	return preload_on(PRELOAD_PETSC);
}

/* --- names, by PETSc's numbers: it counts from 0 on --- */

#define N_EVENTS 4096
#define N_STAGES 256
static const char *events[N_EVENTS], *stages[N_STAGES];

static void know(const char **names, int n, int number, const char *name)
{
	if (number >= 0 && number < n && name && *name)
		__atomic_store_n(&names[number], annotation_name("", NULL, NULL, name),
				 __ATOMIC_RELEASE);
}

static const char *name_of(const char *const *names, int n, int number)
{
	return number >= 0 && number < n ? __atomic_load_n(&names[number], __ATOMIC_ACQUIRE) : NULL;
}

/* PetscLogEventGetName(), from 3.20 on */
static int (*get_event_name)(int event, const char **name);

/* PETSc's own registrations may not call our functions, depending on how it was compiled. */
static const char *event_name(int event)
{
	const char *name = name_of(events, N_EVENTS, event), *text = NULL;

	if (likely(name) || !get_event_name || event < 0 || event >= N_EVENTS)
		return name;
	if (get_event_name(event, &text) == 0)
		know(events, N_EVENTS, event, text);
	return name_of(events, N_EVENTS, event);
}

ASIDE(int, PetscLogEventRegister, (const char *name, int class, int *event))
{
	int error = PRELOAD_HAND_ON(PetscLogEventRegister, 0, name, class, event);

	if (!error && on())
		know(events, N_EVENTS, *event, name);
	return error;
}

ASIDE(int, PetscLogStageRegister, (const char *name, int *stage))
{
	int error = PRELOAD_HAND_ON(PetscLogStageRegister, 0, name, stage);

	if (!error && on())
		know(stages, N_STAGES, *stage, name);
	return error;
}

/* --- events --- */

/* Those of before: of -log_view, or the program's. */
static event_function *old_begin, *old_end;

static int begin(int event, int unused, void *a, void *b, void *c, void *d)
{
	int error = old_begin ? old_begin(event, unused, a, b, c, d) : 0;
	const char *name = event_name(event);

	if (name)
		preload_named_begin(&named, name);
	return error;
}

static int end(int event, int unused, void *a, void *b, void *c, void *d)
{
	const char *name = name_of(events, N_EVENTS, event);

	if (name)
		preload_named_end(&named, name);
	return old_end ? old_end(event, unused, a, b, c, d) : 0;
}

/* Of the library that a function of PETSc's lies in: a program may have variables of its own copy. */
static void *find(const char *name, const void *of)
{
	void *found = dlsym(RTLD_DEFAULT, name), *library;
	Dl_info where;

	if (!found && dladdr(of, &where) && where.dli_fname) {
		library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
		found = library ? dlsym(library, name) : NULL;
		if (library)
			dlclose(library);
	}
	if (!found)
		(void)dlerror();
	return found;
}

static bool installed;
static event_function **variable_begin, **variable_end; /* up to 3.19 */

static void install(const void *of)
{
	legacy_function *legacy;

	if (installed || !on())
		return;
	variable_begin = (event_function **)find("PetscLogPLB", of);
	variable_end = (event_function **)find("PetscLogPLE", of);
	if (variable_begin && variable_end) {
		old_begin = *variable_begin;
		old_end = *variable_end;
		*variable_end = end;
		*variable_begin = begin;
		installed = true;
		return;
	}
	get_event_name = (__typeof__(get_event_name))find("PetscLogEventGetName", of);
	legacy = (legacy_function *)find("PetscLogLegacyCallbacksBegin", of);
	installed = legacy && !legacy(begin, end, NULL, NULL);
}

/* PETSc looks by which functions events are logged when it prints them. */
static bool uninstall(void)
{
	if (!installed || !variable_begin || *variable_begin != begin)
		return false;
	*variable_begin = old_begin;
	*variable_end = old_end;
	installed = false;
	return true;
}

ASIDE(int, PetscLogSet, (event_function * first, event_function *last))
{
	bool again = uninstall();
	int error = PRELOAD_HAND_ON(PetscLogSet, 0, first, last);

	if (again)
		install((const void *)first);
	return error;
}

ASIDE(int, PetscLogView, (void *viewer))
{
	bool again = uninstall();
	int error = PRELOAD_HAND_ON(PetscLogView, 0, viewer);

	if (again)
		install(__builtin_return_address(0));
	return error;
}

/* --- start and end --- */

static const void *petsc_itself(const void *caller)
{
	static struct preload_other finalize = { "PetscFinalize", NULL, 0 };
	const void *function = preload_other(&finalize, caller);

	return function ? function : caller;
}

ASIDE(int, PetscInitialize, (int *argc, char ***argv, const char *file, const char *help))
{
	int error = PRELOAD_HAND_ON(PetscInitialize, 0, argc, argv, file, help);

	if (!error && !preload_other_in)
		install(petsc_itself(__builtin_return_address(0)));
	return error;
}

ASIDE(int, PetscInitializeNoArguments, (void))
{
	int error = PRELOAD_HAND_ON(PetscInitializeNoArguments, 0);

	if (!error && !preload_other_in)
		install(petsc_itself(__builtin_return_address(0)));
	return error;
}

ASIDE(int, PetscInitializeNoPointers, (int argc, char **argv, const char *file, const char *help))
{
	int error = PRELOAD_HAND_ON(PetscInitializeNoPointers, 0, argc, argv, file, help);

	if (!error && !preload_other_in)
		install(petsc_itself(__builtin_return_address(0)));
	return error;
}

ASIDE(void, petscinitializef_,
      (char *file, char *help, void *reads, int *error, size_t file_len, size_t help_len))
{
	(void)PRELOAD_HAND_ON_VOID(petscinitializef_, file, help, reads, error, file_len, help_len);
	if (!preload_other_in)
		install(petsc_itself(__builtin_return_address(0)));
}

/* From 3.20 on PETSc lets go of its handlers, ours among them. */
ASIDE(int, PetscFinalize, (void))
{
	(void)uninstall();
	installed = false;
	return PRELOAD_HAND_ON(PetscFinalize, 0);
}

/* --- stages: they end without a name --- */

static const char domain;

ASIDE(int, PetscLogStagePush, (int stage))
{
	int error = PRELOAD_HAND_ON(PetscLogStagePush, 0, stage);
	const char *name = name_of(stages, N_STAGES, stage);

	if (!error && preload_mine(PRELOAD_PETSC))
		annotation_push(&domain,
				name ? annotation_name(named.tool, NULL, "stage", name) : NULL);
	return error;
}

ASIDE(int, PetscLogStagePop, (void))
{
	if (preload_mine(PRELOAD_PETSC))
		annotation_pop(&domain);
	return PRELOAD_HAND_ON(PetscLogStagePop, 0);
}
