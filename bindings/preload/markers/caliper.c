/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Caliper's annotations in programs that are linked with libcaliper: they become regions here, and
 * Caliper has them as ever.  Regions, functions, loops, phases and attributes with a text are
 * regions; numbers, as those of a loop's iterations, are values beside them and are not.
 *
 * Source: cali.h and cali_macros.h of github.com/LLNL/Caliper, 2.0 to 2.14; the ABI is that of
 * libcaliper.so.2.
 */
#include <string.h>

#include "bindings/annotations/aside.h"
#include "bindings/annotations/handles.h"
#include "bindings/annotations/names.h"
#include "bindings/annotations/stack.h"
#include "bindings/preload/markers/caliper.h"

/* --- attributes --- */

static const char *const own[] = { "region",    "function", "loop",       "annotation",
				   "statement", "phase",    "comm.region" };

static bool is_own(const char *attribute)
{
	for (size_t i = 0; i < PRELOAD_ARRAY_LEN(own); i++)
		if (!strcmp(own[i], attribute))
			return true;
	return false;
}

/* Equal names are one attribute, and one address: without a prefix, as there is no tool. */
static const char *attribute_known(const char *name)
{
	return annotation_name("", NULL, NULL, name);
}

const char *preload_cali_keep(const char *text)
{
	return text ? attribute_known(text) : NULL;
}

const char *preload_cali_name(const char *attribute, const char *text)
{
	return text && *text ? annotation_name(CALI_TOOL, NULL, attribute, text) : NULL;
}

void preload_cali_begin(const char *attribute, const char *text)
{
	const char *name = text && *text && !is_own(attribute)
				   ? annotation_name(CALI_TOOL, attribute, NULL, text)
				   : preload_cali_name(attribute, text);

	annotation_push(attribute_known(attribute), name);
}

void preload_cali_begin_flag(const char *attribute)
{
	annotation_push(attribute_known(attribute),
			annotation_name(CALI_TOOL, NULL, NULL, attribute));
}

void preload_cali_end(const char *attribute)
{
	annotation_pop(attribute_known(attribute));
}

/* --- attributes' numbers: Caliper's, or without it ours --- */

/* Variables that macros use; Caliper writes them where it is there. */
#define OWN_ID(name) PRELOAD_STANDS_IN cali_id_t name = CALI_INV_ID;
extern cali_id_t cali_region_attr_id, cali_function_attr_id, cali_loop_attr_id,
	cali_annotation_attr_id, cali_statement_attr_id, cali_phase_attr_id;
OWN_ID(cali_region_attr_id)
OWN_ID(cali_function_attr_id)
OWN_ID(cali_loop_attr_id)
OWN_ID(cali_annotation_attr_id)
OWN_ID(cali_statement_attr_id)
OWN_ID(cali_phase_attr_id)

static struct annotation_handles names;

typedef const char *name_function(cali_id_t id);
typedef void init_function(void);
typedef cali_id_t create_function(const char *name, int type, int properties);
typedef cali_id_t find_function(const char *name);

name_function cali_attribute_name;
init_function cali_init;
create_function cali_create_attribute;
find_function cali_make_loop_iteration_attribute;

/* Those of ours count up. */
static cali_id_t make_id(const char *name)
{
	static cali_id_t last = 100;
	cali_id_t id = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);

	annotation_handle_set(&names, id, preload_cali_keep(name));
	return id;
}

/* Without Caliper; its own has set them. */
static void make_own(cali_id_t *id, const char *name)
{
	if (__atomic_load_n(id, __ATOMIC_RELAXED) == CALI_INV_ID)
		__atomic_store_n(id, make_id(name), __ATOMIC_RELAXED);
}

ASIDE(void, cali_init, (void))
{
	if (PRELOAD_HAND_ON_VOID(cali_init))
		return;
	make_own(&cali_region_attr_id, "region");
	make_own(&cali_function_attr_id, "function");
	make_own(&cali_loop_attr_id, "loop");
	make_own(&cali_annotation_attr_id, "annotation");
	make_own(&cali_statement_attr_id, "statement");
	make_own(&cali_phase_attr_id, "phase");
}

ASIDE(const char *, cali_attribute_name, (cali_id_t id))
{
	const char *name = PRELOAD_HAND_ON(cali_attribute_name, NULL, id);

	return name ? name : annotation_handle_name(&names, id);
}

ASIDE(cali_id_t, cali_create_attribute, (const char *name, int type, int properties))
{
	cali_id_t id = PRELOAD_HAND_ON(cali_create_attribute, CALI_INV_ID, name, type, properties);

	return id == CALI_INV_ID ? make_id(name) : id;
}

ASIDE(cali_id_t, cali_make_loop_iteration_attribute, (const char *name))
{
	cali_id_t id = PRELOAD_HAND_ON(cali_make_loop_iteration_attribute, CALI_INV_ID, name);

	return id == CALI_INV_ID ? make_id("iteration") : id;
}

/* What an attribute is called: Caliper is asked once. */
static const char *name_of(cali_id_t id)
{
	const char *name = annotation_handle_name(&names, id);

	if (name || id == CALI_INV_ID)
		return name;
	name = preload_cali_keep(cali_attribute_name(id));
	annotation_handle_set(&names, id, name);
	return name;
}

/* --- regions by name --- */

typedef void name_only_function(const char *name);

/* As attribute_known(), looked up once. */
static const void *own_known(const char **known, const char *name)
{
	const char *domain = __atomic_load_n(known, __ATOMIC_RELAXED);

	if (unlikely(!domain)) {
		domain = attribute_known(name);
		__atomic_store_n(known, domain, __ATOMIC_RELAXED);
	}
	return domain;
}

/* What Caliper does is not in the region, but for what it does in the one around. */
#define PAIR(begin, end, attribute, known)                                   \
	static const char *known;                                            \
	name_only_function begin, end;                                       \
	ASIDE(void, begin, (const char *name))                               \
	{                                                                    \
		(void)PRELOAD_HAND_ON_VOID(begin, name);                     \
		if (cali_mine())                                             \
			annotation_push(own_known(&(known), attribute),      \
					preload_cali_name(attribute, name)); \
	}                                                                    \
	ASIDE(void, end, (const char *name))                                 \
	{                                                                    \
		if (cali_mine())                                             \
			annotation_pop(own_known(&(known), attribute));      \
		(void)PRELOAD_HAND_ON_VOID(end, name);                       \
	}

PAIR(cali_begin_region, cali_end_region, "region", region)
PAIR(cali_begin_phase, cali_end_phase, "phase", phase)
PAIR(cali_begin_comm_region, cali_end_comm_region, "comm.region", comm_region)

/* --- by attribute --- */

typedef void id_function(cali_id_t id);
typedef void id_int_function(cali_id_t id, int value);
typedef void id_double_function(cali_id_t id, double value);
typedef void id_text_function(cali_id_t id, const char *value);

id_function cali_begin, cali_end;
id_int_function cali_begin_int;
id_double_function cali_begin_double;
id_text_function cali_begin_string, cali_safe_end_string;

/* A value is a text, or nothing here. */
static void begin_id(cali_id_t id, bool has_value, const char *text)
{
	const char *attribute = cali_mine() ? name_of(id) : NULL;

	if (!attribute)
		return;
	if (has_value)
		preload_cali_begin(attribute, text);
	else
		preload_cali_begin_flag(attribute);
}

static void end_id(cali_id_t id)
{
	const char *attribute = cali_mine() ? name_of(id) : NULL;

	if (attribute)
		preload_cali_end(attribute);
}

ASIDE(void, cali_begin, (cali_id_t id))
{
	(void)PRELOAD_HAND_ON_VOID(cali_begin, id);
	begin_id(id, false, NULL);
}

ASIDE(void, cali_begin_int, (cali_id_t id, int value))
{
	(void)PRELOAD_HAND_ON_VOID(cali_begin_int, id, value);
	begin_id(id, true, NULL);
}

ASIDE(void, cali_begin_double, (cali_id_t id, double value))
{
	(void)PRELOAD_HAND_ON_VOID(cali_begin_double, id, value);
	begin_id(id, true, NULL);
}

ASIDE(void, cali_begin_string, (cali_id_t id, const char *value))
{
	(void)PRELOAD_HAND_ON_VOID(cali_begin_string, id, value);
	begin_id(id, true, value);
}

ASIDE(void, cali_end, (cali_id_t id))
{
	end_id(id);
	(void)PRELOAD_HAND_ON_VOID(cali_end, id);
}

ASIDE(void, cali_safe_end_string, (cali_id_t id, const char *value))
{
	end_id(id);
	(void)PRELOAD_HAND_ON_VOID(cali_safe_end_string, id, value);
}

/* --- by an attribute's name --- */

typedef void byname_int_function(const char *attribute, int value);
typedef void byname_double_function(const char *attribute, double value);
typedef void byname_text_function(const char *attribute, const char *value);

name_only_function cali_begin_byname, cali_end_byname;
byname_int_function cali_begin_int_byname;
byname_double_function cali_begin_double_byname;
byname_text_function cali_begin_string_byname;

ASIDE(void, cali_begin_byname, (const char *attribute))
{
	(void)PRELOAD_HAND_ON_VOID(cali_begin_byname, attribute);
	if (cali_mine())
		preload_cali_begin_flag(attribute);
}

ASIDE(void, cali_begin_int_byname, (const char *attribute, int value))
{
	(void)PRELOAD_HAND_ON_VOID(cali_begin_int_byname, attribute, value);
	if (cali_mine())
		preload_cali_begin(attribute, NULL);
}

ASIDE(void, cali_begin_double_byname, (const char *attribute, double value))
{
	(void)PRELOAD_HAND_ON_VOID(cali_begin_double_byname, attribute, value);
	if (cali_mine())
		preload_cali_begin(attribute, NULL);
}

ASIDE(void, cali_begin_string_byname, (const char *attribute, const char *value))
{
	(void)PRELOAD_HAND_ON_VOID(cali_begin_string_byname, attribute, value);
	if (cali_mine())
		preload_cali_begin(attribute, value);
}

ASIDE(void, cali_end_byname, (const char *attribute))
{
	if (cali_mine())
		preload_cali_end(attribute);
	(void)PRELOAD_HAND_ON_VOID(cali_end_byname, attribute);
}
