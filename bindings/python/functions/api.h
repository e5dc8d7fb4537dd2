/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is used of an interpreter's C interface.  It is looked up in the process that it runs in:
 * one library for every version, and no header of theirs to build it.
 */
#ifndef PMU_PYTHON_API_H
#define PMU_PYTHON_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bindings/preload/inside.h"

#pragma GCC visibility push(hidden)

struct py; /* any object of theirs */

/* Doc/c-api/profiling.rst */
enum { PY_CALL = 0, PY_RETURN = 3 };
typedef int py_profile(struct py *object, struct py *frame, int what, struct py *argument);
/* Doc/c-api/sys.rst */
typedef int py_audit(const char *event, struct py *arguments, void *data);
/* Doc/c-api/structures.rst: METH_FASTCALL, and PyMethodDef, which is of the stable ABI */
enum { PY_FASTCALL = 0x80 };
typedef struct py *py_fastcall(struct py *self, struct py *const *arguments, intptr_t n);
struct py_method {
	const char *name;
	py_fastcall *function;
	int flags;
	const char *doc;
};

/* X(what it returns, its name, its parameters) */
#define PY_NEEDED(X)                                                                        \
	X(struct py *, PyObject_GetAttrString, (struct py *, const char *))                 \
	X(struct py *, PyObject_CallMethod, (struct py *, const char *, const char *, ...)) \
	X(int, PyObject_SetAttrString, (struct py *, const char *, struct py *))            \
	X(struct py *, PyDict_GetItemString, (struct py *, const char *))                   \
	X(struct py *, PySys_GetObject, (const char *))                                     \
	X(struct py *, PyImport_GetModuleDict, (void))                                      \
	X(struct py *, PyEval_GetGlobals, (void))                                           \
	X(struct py *, PyCFunction_NewEx, (struct py_method *, struct py *, struct py *))   \
	X(const char *, PyUnicode_AsUTF8, (struct py *))                                    \
	X(long, PyLong_AsLong, (struct py *))                                               \
	X(void, PyErr_Fetch, (struct py **, struct py **, struct py **))                    \
	X(void, PyErr_Restore, (struct py *, struct py *, struct py *))                     \
	X(void, PyErr_Clear, (void))                                                        \
	X(void, PyEval_SetProfile, (py_profile *, struct py *))                             \
	X(int, PySys_AddAuditHook, (py_audit *, void *))                                    \
	X(void, Py_IncRef, (struct py *))                                                   \
	X(void, Py_DecRef, (struct py *))                                                   \
	X(int, PyGILState_Check, (void))

struct py_api {
#define PY_MEMBER(type, name, parameters) type(*name) parameters;
	PY_NEEDED(PY_MEMBER)
#undef PY_MEMBER
	/* until 3.11 with an underscore, then PyUnstable_ */
	intptr_t (*code_request_extra)(void (*release)(void *));
	int (*code_get_extra)(struct py *code, intptr_t index, void **extra);
	int (*code_set_extra)(struct py *code, intptr_t index, void *extra);
	struct py *(*frame_code)(struct py *frame); /* a new reference */
	struct py *none;
};
extern struct py_api py;

/** py_open() - look it up.  Return: false where the process has no interpreter of 3.8 or later */
bool py_open(void);

/** py_attribute_long() - a number of an object's; @otherwise where it has none */
long py_attribute_long(struct py *object, const char *name, long otherwise);

/** py_forget() - drop a reference, which may be NULL, and whatever error there is */
void py_forget(struct py *object);

#pragma GCC visibility pop

#endif
