/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up an interpreter's C interface. */
#include "bindings/python/functions/api.h"

#include <dlfcn.h>
#include <string.h>

struct py_api py;

static void *either(const char *name, const char *older)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	return found ? found : dlsym(RTLD_DEFAULT, older);
}

/* Python 3.8 has no function for it: PyObject_VAR_HEAD, f_back, f_code (Include/frameobject.h). */
static struct py *frame_code_38(struct py *frame)
{
	struct py *code;

	memcpy(&code, (const char *)frame + 3 * sizeof(void *) + sizeof(void *), sizeof(code));
	py.Py_IncRef(code);
	return code;
}

bool py_open(void)
{
	const char *(*version)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "Py_GetVersion");
	bool all = version != NULL;

#define PY_FIND(type, name, parameters)                            \
	py.name = (__typeof__(py.name))dlsym(RTLD_DEFAULT, #name); \
	all = all && py.name;
	PY_NEEDED(PY_FIND)
#undef PY_FIND
	py.code_request_extra = (__typeof__(py.code_request_extra))either(
		"PyUnstable_Eval_RequestCodeExtraIndex", "_PyEval_RequestCodeExtraIndex");
	py.code_get_extra = (__typeof__(py.code_get_extra))either("PyUnstable_Code_GetExtra",
								  "_PyCode_GetExtra");
	py.code_set_extra = (__typeof__(py.code_set_extra))either("PyUnstable_Code_SetExtra",
								  "_PyCode_SetExtra");
	py.frame_code = (__typeof__(py.frame_code))dlsym(RTLD_DEFAULT, "PyFrame_GetCode");
	if (!py.frame_code && all && !strncmp(version(), "3.8.", 4))
		py.frame_code = frame_code_38;
	py.none = dlsym(RTLD_DEFAULT, "_Py_NoneStruct");
	(void)dlerror(); /* what the program asks for is what it did itself */
	return all && py.code_request_extra && py.code_get_extra && py.code_set_extra &&
	       py.frame_code && py.none;
}

void py_forget(struct py *object)
{
	if (object)
		py.Py_DecRef(object);
	py.PyErr_Clear();
}

long py_attribute_long(struct py *object, const char *name, long otherwise)
{
	struct py *attribute = py.PyObject_GetAttrString(object, name);
	long value = attribute ? py.PyLong_AsLong(attribute) : otherwise;

	py_forget(attribute);
	return value;
}
