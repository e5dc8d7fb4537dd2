/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides about code objects.  The decision is kept in a place that code objects have for such
 * things, which ends with them: no table, and no object is kept alive.
 */
#include "bindings/python/functions/code.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/preload/functions/filter.h"
#include "bindings/preload/functions/names.h"
#include "bindings/preload/keep.h"

#define NOTE_MAX 255

/* Include/cpython/code.h: functions have both, modules and the bodies of classes have not. */
enum { CO_OPTIMIZED = 1, CO_NEWLOCALS = 2 };

struct decision {
	unsigned int turn; /* of the patterns that it was made by */
	struct preload_name *name;
};

static struct {
	const char *patterns;
	unsigned int turn; /* patterns so far */
	intptr_t index;    /* of our place in code objects */
	bool has_index, any;
	size_t n; /* code objects asked about in this turn */
} decided;

/* --- what a function is called --- */

/* Appends, as far as there is room: not in the middle of a character. */
static void append(char *text, struct py *string)
{
	const char *more = string ? py.PyUnicode_AsUTF8(string) : NULL;
	size_t len = strlen(text), n;

	if (!more)
		more = "?";
	n = strlen(more);
	if (n > PMU_NAME_MAX - len)
		for (n = PMU_NAME_MAX - len; n && (more[n] & 0xc0) == 0x80; n--)
			;
	memcpy(text + len, more, n);
	text[len + n] = '\0';
}

/* Comprehensions are functions of their own up to 3.11, and part of the one around from 3.12 on. */
static bool is_comprehension(struct py *code)
{
	static const char *const names[] = { "<listcomp>", "<setcomp>", "<dictcomp>" };
	struct py *name = py.PyObject_GetAttrString(code, "co_name");
	const char *text = name ? py.PyUnicode_AsUTF8(name) : NULL;
	bool found = false;

	for (size_t i = 0; text && i < PRELOAD_ARRAY_LEN(names); i++)
		found = found || !strcmp(text, names[i]);
	py_forget(name);
	return found;
}

static void describe(struct py *code, char *text)
{
	struct py *globals = py.PyEval_GetGlobals(), *name;

	*text = '\0';
	append(text, globals ? py.PyDict_GetItemString(globals, "__name__") : NULL);
	if (strlen(text) < PMU_NAME_MAX)
		strcat(text, ".");
	name = py.PyObject_GetAttrString(code, "co_qualname");
	if (!name) { /* before 3.11 */
		py.PyErr_Clear();
		name = py.PyObject_GetAttrString(code, "co_name");
	}
	append(text, name);
	py_forget(name);
}

/* One text for all functions of that name. */
static struct preload_name *name_of(const char *text)
{
	struct preload_name *name;

	if (!preload_lock())
		return NULL;
	name = preload_name_of(text, true);
	preload_unlock();
	return name;
}

static struct preload_name *choose(struct py *code)
{
	const int function = CO_OPTIMIZED | CO_NEWLOCALS;
	char text[PMU_NAME_MAX + 1];

	if ((py_attribute_long(code, "co_flags", 0) & function) != function ||
	    is_comprehension(code))
		return NULL;
	describe(code, text);
	decided.n++;
	if (!preload_filter_asks_for(decided.patterns, text))
		return NULL;
	decided.any = true;
	return name_of(text);
}

/* --- what was decided --- */

static struct decision *decision_of(struct py *code)
{
	void *extra = NULL;

	if (unlikely(py.code_get_extra(code, decided.index, &extra) < 0))
		py.PyErr_Clear();
	return extra;
}

static __attribute__((cold, noinline)) struct preload_name *decide(struct py *code,
								   struct decision *decision)
{
	struct py *type, *value, *trace;
	int saved = errno;
	struct preload_name *name;

	py.PyErr_Fetch(&type, &value, &trace);
	name = choose(code);
	if (decision) {
		*decision = (struct decision){ decided.turn, name };
	} else if ((decision = malloc(sizeof(*decision)))) {
		*decision = (struct decision){ decided.turn, name };
		if (py.code_set_extra(code, decided.index, decision) < 0)
			free(decision);
	}
	py.PyErr_Restore(type, value, trace);
	errno = saved;
	return name;
}

struct preload_name *python_code_known(struct py *code)
{
	struct decision *decision = decision_of(code);

	return decision && decision->turn == decided.turn ? decision->name : NULL;
}

struct preload_name *python_code_name(struct py *code)
{
	struct decision *decision = decision_of(code);

	if (likely(decision && decision->turn == decided.turn))
		return decision->name;
	return decide(code, decision);
}

int python_code_start(const char *patterns)
{
	if (!decided.has_index) {
		decided.index = py.code_request_extra(free);
		if (decided.index < 0)
			return -ENOSPC;
		decided.has_index = true;
	}
	if (!preload_lock())
		return -EBUSY;
	decided.patterns = preload_keep_text(patterns, strlen(patterns));
	preload_unlock();
	decided.turn++;
	decided.n = 0;
	decided.any = false;
	return decided.patterns ? 0 : -ENOMEM;
}

void python_code_note(void)
{
	char text[NOTE_MAX + 1];

	if (decided.any || !decided.n)
		return;
	snprintf(text, sizeof(text),
		 "PMU_FUNCTIONS=%.60s matches none of the %zu Python functions that were called; "
		 "names are module.name, in the program's own file __main__.name",
		 decided.patterns, decided.n);
	pmu_note(text);
}
