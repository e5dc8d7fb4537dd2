/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way into an interpreter: an audit hook, which may be there before it is, and is told when it
 * begins with the program (Doc/library/audit_events.rst).
 */
#include "bindings/python/functions/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/python/functions/api.h"
#include "bindings/python/functions/code.h"
#include "bindings/python/functions/open.h"
#include "bindings/python/functions/ways.h"

#define EXPORTED __attribute__((visibility("default")))

static const struct python_way *way; /* NULL: off */
static char *armed;                  /* patterns that the interpreter's start waits for */
static bool is_without_lock;         /* an interpreter that threads share */

/* cpython.run_command, run_file, run_module, run_stdin, run_interactivehook, run_startup */
static const char running[] = "cpython.run_";

static int on_audit(const char *event, struct py *arguments, void *data)
{
	struct py *type, *value, *trace;
	bool begins = armed && !strncmp(event, running, sizeof(running) - 1);

	(void)arguments;
	(void)data;
	if (!begins && !way)
		return 0;
	if (!strncmp(event, "cpython._PySys_ClearAuditHooks", 30)) {
		way = NULL; /* the interpreter is about to be gone */
		return 0;
	}
	py.PyErr_Fetch(&type, &value, &trace);
	if (begins) {
		char *patterns = armed;

		armed = NULL;
		pmu_python_start(patterns);
		free(patterns);
	} else {
		way->audit(event);
	}
	py.PyErr_Restore(type, value, trace);
	return 0;
}

/* Once: hooks cannot be taken away. */
static int add_hook(void)
{
	static bool is_there;

	if (!py_open())
		return -ENOSYS;
	if (!is_there && py.PySys_AddAuditHook(on_audit, NULL) < 0)
		return -EPERM;
	is_there = true;
	return 0;
}

EXPORTED int pmu_python_arm(const char *patterns)
{
	int rc = add_hook();

	if (rc < 0)
		return rc;
	armed = strdup(patterns);
	return armed ? 0 : -ENOMEM;
}

/* 3.13 and later may be built without the lock that all of this relies on. */
static bool has_lock(void)
{
	struct py *function = py.PySys_GetObject("_is_gil_enabled"), *enabled = NULL;

	if (function)
		enabled = py.PyObject_CallMethod(function, "__call__", NULL);
	is_without_lock = enabled && !py.PyLong_AsLong(enabled);
	py_forget(enabled);
	return !is_without_lock;
}

EXPORTED int pmu_python_start(const char *patterns)
{
	const struct python_way *next;
	int rc = add_hook();

	pmu_python_stop();
	if (rc < 0)
		return rc;
	if (!has_lock())
		return -ENOTSUP;
	rc = python_code_start(patterns);
	if (rc < 0)
		return rc;
	next = py.PySys_GetObject("monitoring") ? &python_monitoring : &python_profile;
	rc = next->start();
	if (rc == 0)
		way = next;
	return rc;
}

EXPORTED void pmu_python_stop(void)
{
	const struct python_way *old = way;

	way = NULL;
	if (old)
		old->stop();
}

EXPORTED void pmu_python_thread(void)
{
	struct py *type, *value, *trace;

	if (!way || !py.PyGILState_Check())
		return;
	py.PyErr_Fetch(&type, &value, &trace);
	way->thread();
	py.PyErr_Restore(type, value, trace);
}

EXPORTED void pmu_python_leave(void)
{
	python_open_leave();
}

EXPORTED void pmu_python_end(void)
{
	static bool said;

	python_open_leave();
	if (said)
		return;
	said = true;
	if (is_without_lock)
		pmu_note(
			"no Python function is a region: this interpreter runs without its global lock");
	python_code_note();
	python_open_note();
	python_profile.note();
	python_monitoring.note();
}
