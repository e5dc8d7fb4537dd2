/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Caliper's C++ classes, by their names of the Itanium C++ ABI.  Objects are
 * Caliper's; here they are told apart by their address, and cali::Annotation, which can be copied,
 * by the pointer that it holds.  What one of them calls of another is no second region.
 */
#include <string.h>

#include "bindings/annotations/aside.h"
#include "bindings/annotations/handles.h"
#include "bindings/annotations/stack.h"
#include "bindings/preload/markers/caliper.h"
#include "pmu.h"

typedef void name_constructor(void *self, const char *name);
typedef void destructor(void *self);

/*
 * Objects that are a region as long as they live.  What has ended before, as by Loop::end(), does
 * not end again: nothing is open under its address.
 */
#define CONSTRUCTOR(function, attribute)                                           \
	name_constructor function;                                                 \
	ASIDE(void, function, (void *self, const char *name))                      \
	{                                                                          \
		(void)PRELOAD_HAND_ON_VOID(function, self, name);                  \
		if (cali_mine())                                                   \
			annotation_push(self, preload_cali_name(attribute, name)); \
	}
#define DESTRUCTOR(function)                                \
	destructor function;                                \
	ASIDE(void, function, (void *self))                 \
	{                                                   \
		if (cali_mine())                            \
			annotation_pop(self);               \
		(void)PRELOAD_HAND_ON_VOID(function, self); \
	}

CONSTRUCTOR(_ZN4cali8FunctionC1EPKc, "function")
CONSTRUCTOR(_ZN4cali8FunctionC2EPKc, "function")
DESTRUCTOR(_ZN4cali8FunctionD1Ev)
DESTRUCTOR(_ZN4cali8FunctionD2Ev)
CONSTRUCTOR(_ZN4cali15ScopeAnnotationC1EPKc, "region")
CONSTRUCTOR(_ZN4cali15ScopeAnnotationC2EPKc, "region")
DESTRUCTOR(_ZN4cali15ScopeAnnotationD1Ev)
DESTRUCTOR(_ZN4cali15ScopeAnnotationD2Ev)
CONSTRUCTOR(_ZN4cali4LoopC1EPKc, "loop")
CONSTRUCTOR(_ZN4cali4LoopC2EPKc, "loop")
DESTRUCTOR(_ZN4cali4LoopD1Ev)
DESTRUCTOR(_ZN4cali4LoopD2Ev)
DESTRUCTOR(_ZN4cali4Loop3endEv)

/* --- cali::Variant: a value --- */

/* cali_variant_t of cali_types.h and cali_variant.h */
struct variant {
	uint64_t type_and_size;
	union {
		bool flag;
		const char *text;
	} value;
};
#define VARIANT_TYPE(variant) ((variant)->type_and_size & 0xff)
#define VARIANT_TYPE_STRING   4
#define VARIANT_TYPE_BOOL     7

/* The upper half, above a hash; up to 2.9 all that is above the type.  Of "" the hash may be anything: it ends by itself. */
static size_t text_len(const struct variant *value)
{
	uint64_t size = value->type_and_size >> 32;

	if (!size)
		size = value->type_and_size >> 8;
	return strnlen(value->value.text, size < PMU_NAME_MAX ? size : PMU_NAME_MAX);
}

/* What cali_begin() begins is true. */
static void begin_value(const char *attribute, const struct variant *value)
{
	char text[PMU_NAME_MAX + 1];
	size_t len = 0;

	if (VARIANT_TYPE(value) == VARIANT_TYPE_BOOL && value->value.flag) {
		preload_cali_begin_flag(attribute);
		return;
	}
	if (VARIANT_TYPE(value) == VARIANT_TYPE_STRING && value->value.text) {
		len = text_len(value);
		memcpy(text, value->value.text, len);
	}
	text[len] = '\0';
	preload_cali_begin(attribute, text);
}

/* --- cali::Annotation: an attribute --- */

/* What an object holds: the attribute's name. */
static struct annotation_handles held;

static const char *attribute_of(void *const *self)
{
	return cali_mine() ? annotation_handle_name(&held, (uintptr_t)*self) : NULL;
}

typedef void annotation_constructor(void **self, const char *name, int properties);

/* Without Caliper there is nothing for it to point to but the name. */
#define ANNOTATION(function)                                                   \
	annotation_constructor function;                                       \
	ASIDE(void, function, (void **self, const char *name, int properties)) \
	{                                                                      \
		const char *kept = preload_cali_keep(name);                    \
                                                                               \
		if (!PRELOAD_HAND_ON_VOID(function, self, name, properties))   \
			memcpy(self, &kept, sizeof(kept));                     \
		if (cali_mine() && kept)                                       \
			annotation_handle_set(&held, (uintptr_t)*self, kept);  \
	}

ANNOTATION(_ZN4cali10AnnotationC1EPKci)
ANNOTATION(_ZN4cali10AnnotationC2EPKci)

typedef void *begin_function(void **self);
typedef void *begin_int_function(void **self, int value);
typedef void *begin_double_function(void **self, double value);
typedef void *begin_text_function(void **self, const char *value);

begin_function _ZN4cali10Annotation5beginEv;
begin_int_function _ZN4cali10Annotation5beginEi;
begin_double_function _ZN4cali10Annotation5beginEd;
begin_text_function _ZN4cali10Annotation5beginEPKc;

ASIDE(void *, _ZN4cali10Annotation5beginEv, (void **self))
{
	void *result = PRELOAD_HAND_ON(_ZN4cali10Annotation5beginEv, self, self);
	const char *attribute = attribute_of(self);

	if (attribute)
		preload_cali_begin_flag(attribute);
	return result;
}

ASIDE(void *, _ZN4cali10Annotation5beginEi, (void **self, int value))
{
	void *result = PRELOAD_HAND_ON(_ZN4cali10Annotation5beginEi, self, self, value);
	const char *attribute = attribute_of(self);

	if (attribute)
		preload_cali_begin(attribute, NULL);
	return result;
}

ASIDE(void *, _ZN4cali10Annotation5beginEd, (void **self, double value))
{
	void *result = PRELOAD_HAND_ON(_ZN4cali10Annotation5beginEd, self, self, value);
	const char *attribute = attribute_of(self);

	if (attribute)
		preload_cali_begin(attribute, NULL);
	return result;
}

ASIDE(void *, _ZN4cali10Annotation5beginEPKc, (void **self, const char *value))
{
	void *result = PRELOAD_HAND_ON(_ZN4cali10Annotation5beginEPKc, self, self, value);
	const char *attribute = attribute_of(self);

	if (attribute)
		preload_cali_begin(attribute, value);
	return result;
}

typedef void *begin_variant_function(void **self, const struct variant *value);
begin_variant_function _ZN4cali10Annotation5beginERKNS_7VariantE;

ASIDE(void *, _ZN4cali10Annotation5beginERKNS_7VariantE, (void **self, const struct variant *value))
{
	void *result = PRELOAD_HAND_ON(_ZN4cali10Annotation5beginERKNS_7VariantE, self, self,
				       value);
	const char *attribute = attribute_of(self);

	if (attribute)
		begin_value(attribute, value);
	return result;
}

static void end_held(void *const *self)
{
	const char *attribute = attribute_of(self);

	if (attribute)
		preload_cali_end(attribute);
}

/* Guard ends what its annotation has begun, and holds the same pointer. */
#define END(function)                                       \
	destructor function;                                \
	ASIDE(void, function, (void *self))                 \
	{                                                   \
		end_held(self);                             \
		(void)PRELOAD_HAND_ON_VOID(function, self); \
	}

END(_ZN4cali10Annotation3endEv)
END(_ZN4cali10Annotation5GuardD1Ev)
END(_ZN4cali10Annotation5GuardD2Ev)

/* --- cali::Caliper: what all of the above come to, and what programs call themselves --- */

/* The attribute's name is of a node of Caliper's, which stays. */
struct attribute {
	const void *node;
};
static struct annotation_handles nodes;

typedef const char *attribute_name_function(const struct attribute *self);

/* Caliper is asked once; @caller: as preload_other() has it */
static const char *name_of(const struct attribute *attribute, const void *caller)
{
	static struct preload_other other = { "_ZNK4cali9Attribute10name_c_strEv", NULL, 0 };
	const char *name = annotation_handle_name(&nodes, (uintptr_t)attribute->node);
	attribute_name_function *ask;

	if (name || !attribute->node)
		return name;
	ask = (attribute_name_function *)preload_other(&other, caller);
	name = ask ? preload_cali_keep(ask(attribute)) : NULL;
	if (name)
		annotation_handle_set(&nodes, (uintptr_t)attribute->node, name);
	return name;
}

/* Returns a cali_err from 2.3 to 2.9, else nothing. */
typedef int value_function(void *self, const struct attribute *attribute,
			   const struct variant *value);
typedef int attribute_function(void *self, const struct attribute *attribute);

value_function _ZN4cali7Caliper5beginERKNS_9AttributeERKNS_7VariantE,
	_ZN4cali7Caliper20end_with_value_checkERKNS_9AttributeERKNS_7VariantE;
attribute_function _ZN4cali7Caliper3endERKNS_9AttributeE;

ASIDE(int, _ZN4cali7Caliper5beginERKNS_9AttributeERKNS_7VariantE,
      (void *self, const struct attribute *attribute, const struct variant *value))
{
	int result = PRELOAD_HAND_ON(_ZN4cali7Caliper5beginERKNS_9AttributeERKNS_7VariantE, 0, self,
				     attribute, value);
	const char *name = cali_mine() ? name_of(attribute, ASIDE_CALLER()) : NULL;

	if (name)
		begin_value(name, value);
	return result;
}

static void end_named(const struct attribute *attribute, const void *caller)
{
	const char *name = cali_mine() ? name_of(attribute, caller) : NULL;

	if (name)
		preload_cali_end(name);
}

ASIDE(int, _ZN4cali7Caliper3endERKNS_9AttributeE, (void *self, const struct attribute *attribute))
{
	end_named(attribute, ASIDE_CALLER());
	return PRELOAD_HAND_ON(_ZN4cali7Caliper3endERKNS_9AttributeE, 0, self, attribute);
}

ASIDE(int, _ZN4cali7Caliper20end_with_value_checkERKNS_9AttributeERKNS_7VariantE,
      (void *self, const struct attribute *attribute, const struct variant *value))
{
	end_named(attribute, ASIDE_CALLER());
	return PRELOAD_HAND_ON(
		_ZN4cali7Caliper20end_with_value_checkERKNS_9AttributeERKNS_7VariantE, 0, self,
		attribute, value);
}
