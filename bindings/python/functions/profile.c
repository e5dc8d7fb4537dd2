/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions by the C profile function (Doc/c-api/profiling.rst).  Each thread has its own, and one
 * only: a program that sets another has taken ours away.
 *
 * A frame is the same object at its beginning and at its end; each stretch of a generator is both.
 */
#include <string.h>

#include "bindings/python/functions/code.h"
#include "bindings/python/functions/open.h"
#include "bindings/python/functions/ways.h"

static bool is_on;
static unsigned long n_taken; /* threads in which the program set its own */

/* Of the calling thread: it has had the function set; it is doing so. */
static __thread bool is_set __attribute__((tls_model("initial-exec")));
static __thread bool setting __attribute__((tls_model("initial-exec")));

static int profile(struct py *object, struct py *frame, int what, struct py *argument)
{
	struct preload_name *name;
	struct py *code;

	(void)object;
	(void)argument;
	if (what == PY_RETURN && python_open_is_top(frame)) {
		python_open_end(frame);
	} else if (what == PY_CALL || (what == PY_RETURN && python_thread)) {
		code = py.frame_code(frame);
		name = what == PY_CALL ? python_code_name(code) : python_code_known(code);
		if (name && what == PY_CALL)
			python_open_begin(frame, name);
		else if (name)
			python_open_end(frame);
		py.Py_DecRef(code);
	}
	return 0;
}

static void set(py_profile *function)
{
	setting = true;
	py.PyEval_SetProfile(function, NULL);
	setting = false;
	is_set = true;
}

/* --- other threads --- */

/* What `threading` calls in each thread that it starts: once, as it puts ours in its place. */
static struct py *in_new_thread(struct py *self, struct py *const *arguments, intptr_t n)
{
	const char *event = n == 3 ? py.PyUnicode_AsUTF8(arguments[1]) : NULL;

	(void)self;
	set(is_on ? profile : NULL);
	if (is_on && event && !strcmp(event, "call"))
		profile(NULL, arguments[0], PY_CALL, NULL);
	py.PyErr_Clear();
	py.Py_IncRef(py.none);
	return py.none;
}

static struct py *starter(void)
{
	static struct py_method method = { "pmu", in_new_thread, PY_FASTCALL, NULL };
	static struct py *made;

	if (!made)
		made = py.PyCFunction_NewEx(&method, NULL, NULL);
	return made;
}

static struct py *threading_hook(struct py **threading)
{
	*threading = py.PyDict_GetItemString(py.PyImport_GetModuleDict(), "threading");
	return *threading ? py.PyObject_GetAttrString(*threading, "_profile_hook") : NULL;
}

/* As threading.setprofile() does, but no function of Python's runs for it. */
static void replace_threading_hook(struct py *from, struct py *to)
{
	struct py *threading, *hook = threading_hook(&threading);

	if (hook && hook == from && to)
		py.PyObject_SetAttrString(threading, "_profile_hook", to);
	py_forget(hook);
}

/* `threading` may not have been there when we started.  The program's own function stays. */
static void thread(void)
{
	replace_threading_hook(py.none, starter());
}

static void audit(const char *event)
{
	if (setting || !is_on)
		return;
	if (!strcmp(event, "sys.setprofile")) {
		/* a thread's first may be that of `threading`, for us */
		if (is_set) {
			python_open_leave();
			__atomic_fetch_add(&n_taken, 1, __ATOMIC_RELAXED);
		}
	} else if (!is_set) {
		set(profile); /* a thread that `threading` did not start */
	}
}

/* --- on and off --- */

static int start(void)
{
	is_on = true;
	set(profile);
	thread();
	return 0;
}

static void stop(void)
{
	is_on = false;
	set(NULL);
	is_set = false;
	python_open_leave();
	replace_threading_hook(starter(), py.none);
}

static void note(void)
{
	if (__atomic_load_n(&n_taken, __ATOMIC_RELAXED))
		pmu_note(
			"the program set a profile function of its own (sys.setprofile, cProfile): "
			"Python functions after that are no regions there");
}

const struct python_way python_profile = { start, stop, thread, audit, note };
