/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of NVTX 3 that is in each object of a program, as its public headers describe it: it asks
 * a library that a variable names to fill its tables.
 */
#ifndef PMU_TESTS_ANNOTATIONS_NVTX_OBJECT_H
#define PMU_TESTS_ANNOTATIONS_NVTX_OBJECT_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

typedef void (*any_function)(void);
typedef void *handle;

struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	double payload;
	int32_t message_type;
	union {
		const char *ascii;
		const wchar_t *unicode;
		handle registered;
	} message;
};

/* The first and the last are NULL in the tables. */
static any_function core[17], core2[17], sync_functions[8];
static any_function *core_table[17], *core2_table[17], *sync_table[8];

static int module_functions(int module, any_function ***table, unsigned int *n)
{
	*n = module == 6 ? 7 : 16;
	*table = module == 1 ? core_table : module == 5 ? core2_table : sync_table;
	return module == 1 || module == 5 || module == 6;
}

static const void *export_table(uint32_t id)
{
	static const struct {
		size_t size;
		int (*functions)(int, any_function ***, unsigned int *);
	} callbacks = { sizeof(callbacks), module_functions };

	return id == 1 ? &callbacks : NULL;
}

static void fill(any_function *functions, any_function **table, int n)
{
	for (int i = 1; i < n; i++) {
		functions[i] = NULL;
		table[i] = &functions[i];
	}
}

/* Whether there is a tool. */
static int nvtx_open(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*init)(const void *(*)(uint32_t));

	fill(core, core_table, 16);
	fill(core2, core2_table, 16);
	fill(sync_functions, sync_table, 7);
	init = library ? (int (*)(const void *(*)(uint32_t)))dlsym(library,
								   "InitializeInjectionNvtx2")
		       : NULL;
	return init && init(export_table);
}

#define PUSH(text)               ((int (*)(const char *))core[9])(text)
#define PUSH_WIDE(text)          ((int (*)(const wchar_t *))core[10])(text)
#define PUSH_EX(what)            ((int (*)(const struct attributes *))core[8])(what)
#define POP()                    ((int (*)(void))core[11])()
#define START(text)              ((uint64_t(*)(const char *))core[5])(text)
#define START_WIDE(text)         ((uint64_t(*)(const wchar_t *))core[6])(text)
#define START_EX(what)           ((uint64_t(*)(const struct attributes *))core[4])(what)
#define STOP(id)                 ((void (*)(uint64_t))core[7])(id)
#define CATEGORY(id, text)       ((void (*)(uint32_t, const char *))core[12])(id, text)
#define DOMAIN_CREATE(name)      ((handle(*)(const char *))core2[12])(name)
#define DOMAIN_CREATE_WIDE(name) ((handle(*)(const wchar_t *))core2[13])(name)
#define REGISTER(d, text)        ((handle(*)(handle, const char *))core2[10])(d, text)
#define REGISTER_WIDE(d, text)   ((handle(*)(handle, const wchar_t *))core2[11])(d, text)
#define DOMAIN_CATEGORY(d, id, text) \
	((void (*)(handle, uint32_t, const char *))core2[8])(d, id, text)
#define DOMAIN_PUSH(d, what)  ((int (*)(handle, const struct attributes *))core2[4])(d, what)
#define DOMAIN_POP(d)         ((int (*)(handle))core2[5])(d)
#define DOMAIN_START(d, what) ((uint64_t(*)(handle, const struct attributes *))core2[2])(d, what)
#define DOMAIN_STOP(d, id)    ((void (*)(handle, uint64_t))core2[3])(d, id)

#endif
