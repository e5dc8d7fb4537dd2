/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions by sys.monitoring (Doc/library/sys.monitoring.rst): for all threads at once, beside
 * whatever else watches the program.
 *
 * Where a function that is not chosen begins or ends, the event is switched off: each such place is
 * asked about once.  Events that cannot be (PY_THROW, PY_UNWIND) are told apart by their code.
 */
#include <errno.h>
#include <string.h>

#include "bindings/python/functions/code.h"
#include "bindings/python/functions/open.h"
#include "bindings/python/functions/ways.h"

/* Free ids: cProfile has 2, coverage 1 or 3, and the program's own use of them is to work. */
#define FIRST_ID 4
#define LAST_ID  3

static struct {
	struct py *module;
	struct py *disable;
	int id; /* 0: none */
	bool failed;
} monitoring;

static struct py *reference(struct py *object)
{
	py.Py_IncRef(object);
	return object;
}

static struct py *on_begin(struct py *self, struct py *const *arguments, intptr_t n)
{
	struct preload_name *name = n ? python_code_name(arguments[0]) : NULL;

	(void)self;
	if (!name)
		return reference(monitoring.disable);
	python_open_begin(arguments[0], name);
	return reference(py.none);
}

static struct py *on_end(struct py *self, struct py *const *arguments, intptr_t n)
{
	(void)self;
	if (!n || !python_code_known(arguments[0]))
		return reference(monitoring.disable);
	python_open_end(arguments[0]);
	return reference(py.none);
}

/* Not of a place: it cannot be switched off. */
static struct py *on_throw(struct py *self, struct py *const *arguments, intptr_t n)
{
	struct preload_name *name = n ? python_code_name(arguments[0]) : NULL;

	(void)self;
	if (name)
		python_open_begin(arguments[0], name);
	return reference(py.none);
}

static struct py *on_unwind(struct py *self, struct py *const *arguments, intptr_t n)
{
	(void)self;
	if (n && python_code_known(arguments[0]))
		python_open_end(arguments[0]);
	return reference(py.none);
}

static struct event {
	const char *name;
	struct py_method method;
} events[] = {
	{ "PY_START", { "pmu_begin", on_begin, PY_FASTCALL, NULL } },
	{ "PY_RESUME", { "pmu_begin", on_begin, PY_FASTCALL, NULL } },
	{ "PY_THROW", { "pmu_begin", on_throw, PY_FASTCALL, NULL } },
	{ "PY_RETURN", { "pmu_end", on_end, PY_FASTCALL, NULL } },
	{ "PY_YIELD", { "pmu_end", on_end, PY_FASTCALL, NULL } },
	{ "PY_UNWIND", { "pmu_end", on_unwind, PY_FASTCALL, NULL } },
};

static bool take_id(int id)
{
	struct py *taken = py.PyObject_CallMethod(monitoring.module, "get_tool", "i", id),
		  *used = NULL;

	if (taken == py.none)
		used = py.PyObject_CallMethod(monitoring.module, "use_tool_id", "is", id, "pmu");
	if (used)
		monitoring.id = id;
	py_forget(taken);
	py_forget(used);
	return monitoring.id != 0;
}

static bool listen_to(const struct event *event, struct py *numbers, long *mask)
{
	long number = py_attribute_long(numbers, event->name, 0);
	struct py *callback, *before = NULL;

	callback = py.PyCFunction_NewEx((struct py_method *)&event->method, NULL, NULL);
	if (callback && number > 0)
		before = py.PyObject_CallMethod(monitoring.module, "register_callback", "ilO",
						monitoring.id, number, callback);
	py_forget(callback);
	py_forget(before);
	*mask |= number;
	return before != NULL;
}

static bool set_events(long mask)
{
	struct py *done = py.PyObject_CallMethod(monitoring.module, "set_events", "il",
						 monitoring.id, mask);

	py_forget(done);
	return done != NULL;
}

static bool listen(void)
{
	struct py *numbers = py.PyObject_GetAttrString(monitoring.module, "events");
	bool all = numbers != NULL;
	long mask = 0;

	for (size_t i = 0; all && i < PRELOAD_ARRAY_LEN(events); i++)
		all = listen_to(&events[i], numbers, &mask);
	py_forget(numbers);
	return all && set_events(mask);
}

static void stop(void)
{
	if (monitoring.id) {
		set_events(0);
		py_forget(py.PyObject_CallMethod(monitoring.module, "free_tool_id", "i",
						 monitoring.id));
	}
	monitoring.id = 0;
	python_open_leave();
}

static int start(void)
{
	monitoring.module = py.PySys_GetObject("monitoring");
	if (!monitoring.module)
		return -ENOSYS;
	if (!monitoring.disable)
		monitoring.disable = py.PyObject_GetAttrString(monitoring.module, "DISABLE");
	monitoring.failed = !monitoring.disable || (!take_id(FIRST_ID) && !take_id(LAST_ID)) ||
			    !listen();
	py.PyErr_Clear();
	if (!monitoring.failed)
		return 0;
	stop();
	return -EBUSY;
}

static void thread(void)
{
}

static void audit(const char *event)
{
	(void)event;
}

static void note(void)
{
	if (monitoring.failed)
		pmu_note(
			"no Python function is a region: two other tools use sys.monitoring's ids 3 and 4");
}

const struct python_way python_monitoring = { start, stop, thread, audit, note };
