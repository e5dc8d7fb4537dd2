/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's OpenMP parallel regions by address, and their names. */
#include "bindings/preload/openmp/parallel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/keep.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/symbols/imports.h"
#include "bindings/preload/symbols/symbols.h"

struct preload_parallel *preload_parallel_table[PRELOAD_PARALLEL_BUCKETS];

#define PREFIX   "parallel "
#define LEFTOVER " tasks"
#define OUTLINED ".omp_outlined"

/* What a name is made of. */
struct parts {
	const char *function;
	size_t len;
	long number; /* the compiler's; NONE, or COUNT: one more than the last of that function */
};
enum { NONE = -1, COUNT = -2 };

/* Room for the rest of a name: prefix, number, leftover. */
#define FUNCTION_MAX (PMU_NAME_MAX - 64)

/* --- from symbols to names --- */

/*
 * "solve._omp_fn.0", in C++ "solve(int) [clone ._omp_fn.0]"; what is not gcc's is named as it is.
 */
static struct parts parse_outlined(const char *symbol)
{
	static const char mark[] = "._omp_fn.", clone[] = " [clone ";
	const char *found = strstr(symbol, mark), *digit;
	struct parts parts = { symbol, strlen(symbol), NONE };

	if (!found)
		return parts;
	parts.len = (size_t)(found - symbol);
	if (parts.len > strlen(clone) && !strncmp(found - strlen(clone), clone, strlen(clone)))
		parts.len -= strlen(clone);
	digit = found + strlen(mark);
	for (parts.number = 0; *digit >= '0' && *digit <= '9' && parts.number < 1000000; digit++)
		parts.number = parts.number * 10 + (*digit - '0');
	return parts;
}

/* clang's ".omp_outlined.", ".omp_outlined..1", "solve.omp_outlined_debug__". */
static struct parts parse_caller(const char *symbol, const struct preload_parallel *around)
{
	const char *outlined = strstr(symbol, OUTLINED);
	struct parts parts = { symbol, strlen(symbol), COUNT };

	if (outlined == symbol && around && around->name && strlen(around->name) > strlen(PREFIX)) {
		parts.function = around->name + strlen(PREFIX);
		parts.len = strlen(parts.function);
	} else if (outlined && outlined != symbol) {
		parts.len = (size_t)(outlined - symbol);
	}
	return parts;
}

/* --- the table; from here on preload_lock() is held --- */

typedef bool match(const struct preload_parallel *parallel, const void *what);

static const struct preload_parallel *look_for(match *is, const void *what, unsigned int *n)
{
	const struct preload_parallel *found = NULL;

	*n = 0;
	for (unsigned int i = 0; i < PRELOAD_PARALLEL_BUCKETS; i++)
		for (const struct preload_parallel *parallel = preload_parallel_table[i]; parallel;
		     parallel = parallel->next)
			if (is(parallel, what)) {
				found = parallel;
				++*n;
			}
	return found;
}

/* The same piece of the same object, which has been loaded elsewhere before. */
static bool is_same_place(const struct preload_parallel *parallel, const void *what)
{
	const struct preload_parallel *draft = what;

	return parallel->file && draft->file && parallel->offset == draft->offset &&
	       !strcmp(parallel->file, draft->file);
}

static bool is_named(const struct preload_parallel *parallel, const void *name)
{
	return parallel->name && !strcmp(parallel->name, name);
}

static bool is_of_function(const struct preload_parallel *parallel, const void *what)
{
	const struct parts *parts = what;

	return parallel->function && !strncmp(parallel->function, parts->function, parts->len) &&
	       !parallel->function[parts->len];
}

/* Functions of one name in several files are several regions. */
static void make_unique(char *name, size_t size)
{
	size_t len = strlen(name);
	unsigned int n, other = 1;

	while (look_for(is_named, name, &n), n)
		snprintf(name + len, size - len, " (%u)", ++other);
}

static bool put_name(struct preload_parallel *parallel, const struct parts *parts)
{
	char name[PMU_NAME_MAX + 1];
	int len = parts->len < FUNCTION_MAX ? (int)parts->len : FUNCTION_MAX;
	long number = parts->number;
	unsigned int n;

	if (number == COUNT) {
		look_for(is_of_function, parts, &n);
		number = n;
	}
	len = snprintf(name, sizeof(name), PREFIX "%.*s", len, parts->function);
	if (number != NONE)
		snprintf(name + len, sizeof(name) - (size_t)len, ":%ld", number);
	make_unique(name, sizeof(name) - strlen(LEFTOVER));
	parallel->function = preload_keep_text(parts->function, parts->len);
	parallel->name = preload_keep_text(name, strlen(name));
	strcat(name, LEFTOVER);
	parallel->leftover = preload_keep_text(name, strlen(name));
	return parallel->function && parallel->name && parallel->leftover;
}

static bool put_place(struct preload_parallel *parallel, const char *path)
{
	parallel->file = path ? preload_keep_text(path, strlen(path)) : NULL;
	return !path || parallel->file;
}

static struct preload_parallel *add(const struct preload_parallel *draft, const struct parts *parts,
				    const char *path)
{
	struct preload_parallel *parallel = preload_keep(sizeof(*parallel)), **bucket;
	const struct preload_parallel *before;
	unsigned int n;

	if (!parallel)
		return NULL;
	*parallel = *draft;
	if (!put_place(parallel, path))
		return NULL;
	before = parts ? look_for(is_same_place, parallel, &n) : NULL;
	if (before && before->name) {
		parallel->name = before->name;
		/* its function stays NULL: it is counted already */
		parallel->leftover = before->leftover;
	} else if (parts && !put_name(parallel, parts)) {
		return NULL;
	}
	bucket = preload_parallel_bucket(parallel->address);
	parallel->next = *bucket;
	/* pairs with the load in preload_parallel_find() */
	__atomic_store_n(bucket, parallel, __ATOMIC_RELEASE);
	return parallel;
}

/* --- new ones, and those that have been looked at before --- */

static struct preload_parallel *find_or_add(struct preload_parallel *draft,
					    const struct parts *parts)
{
	struct preload_parallel *parallel;
	const char *path = NULL;
	uintptr_t bias = 0;

	draft->seen = preload_seen_now();
	draft->seen.object = draft->address ? preload_place_object(draft->address) : NULL;
	if (draft->address)
		path = preload_object_path(draft->address, &bias);
	if (path)
		draft->offset = (uintptr_t)draft->address - bias;
	if (!preload_lock())
		return NULL;
	parallel = *preload_parallel_bucket(draft->address);
	while (parallel && parallel->address != draft->address)
		parallel = parallel->next;
	if (!parallel || parallel->seen.object != draft->seen.object)
		parallel = add(draft, parts, path);
	preload_unlock();
	return parallel;
}

/*
 * An outlined function whose symbol was stripped, by the function that has the call: that one is
 * exported, often.
 */
static bool is_in_caller(const struct preload_place *outlined, const void *from,
			 struct preload_place *caller)
{
	return from && !outlined->is_symbol &&
	       /* the byte before is inside, see below */
	       preload_place_find((const char *)from - 1, caller) == 0 && caller->is_symbol &&
	       caller->object == outlined->object;
}

struct preload_parallel *preload_parallel_outlined(const struct preload_parallel *draft, bool named)
{
	struct preload_parallel copy = *draft, *parallel;
	struct preload_place place, caller;
	struct parts parts;
	int saved = errno;

	named = named && preload_place_find(draft->address, &place) == 0;
	if (named && is_in_caller(&place, draft->from, &caller))
		parts = (struct parts){ caller.name, strlen(caller.name), COUNT };
	else if (named)
		parts = parse_outlined(place.name);
	parallel = find_or_add(&copy, named ? &parts : NULL);
	errno = saved;
	return parallel;
}

bool preload_is_llvm_runtime(const char *path)
{
	const char *file = preload_file_name(path);

	return !strncmp(file, "libomp.", 7) || !strncmp(file, "libiomp5.", 9);
}

static bool is_in_runtime(const void *code)
{
	const char *path = code ? preload_object_path(code, NULL) : NULL;

	return path && preload_is_llvm_runtime(path);
}

struct preload_parallel *preload_parallel_inside(const void *from,
						 const struct preload_parallel *around)
{
	/* no call returns to the byte behind where another has returned to */
	struct preload_parallel draft = { .address = (const char *)around->address + 1,
					  .from = from,
					  .has_tasks = around->has_tasks };
	struct preload_parallel *parallel = preload_parallel_find(draft.address);
	struct parts parts;
	int saved = errno;

	if (likely(parallel) || !around->name)
		return parallel;
	parts = parse_caller(OUTLINED, around);
	parallel = find_or_add(&draft, &parts);
	errno = saved;
	return parallel;
}

struct preload_parallel *preload_parallel_called(const void *from,
						 const struct preload_parallel *around)
{
	struct preload_parallel draft = { .address = from, .from = from }, *parallel;
	struct preload_place place = { .name = "unknown" };
	struct parts parts = { place.name, strlen(place.name), NONE };
	bool named = true;
	int saved = errno;

	draft.is_runtime = is_in_runtime(from);
	draft.has_tasks = draft.is_runtime ||
			  (from && preload_imports(from, "__kmpc_omp_task_alloc"));
	/* it may be a function's end that the call returns to: the byte before is inside */
	if (from && !draft.is_runtime)
		named = preload_place_find((const char *)from - 1, &place) == 0;
	if (named && place.is_symbol)
		parts = parse_caller(place.name, around);
	else if (named)
		parts = (struct parts){ place.name, strlen(place.name), NONE };
	parallel = find_or_add(&draft, named ? &parts : NULL);
	errno = saved;
	return parallel;
}
