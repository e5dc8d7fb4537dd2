/* SPDX-License-Identifier: BSD-3-Clause */
/* A JSON text as values in memory: what a report is read from. */
#ifndef PMU_COMMAND_JSON_VALUE_H
#define PMU_COMMAND_JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "report/model/block.h"

enum pmu_value_kind {
	PMU_VALUE_NULL,
	PMU_VALUE_TRUE,
	PMU_VALUE_FALSE,
	PMU_VALUE_INTEGER,
	PMU_VALUE_REAL, /* and integers beyond 64 bits */
	PMU_VALUE_TEXT,
	PMU_VALUE_LIST,
	PMU_VALUE_OBJECT,
};

struct pmu_value {
	const char *name; /* of a member; NULL elsewhere */
	union {
		int64_t integer;
		const char *text; /* of a number as it stands there */
		const struct pmu_value *inside;
	};
	uint32_t n; /* values inside */
	uint16_t name_len;
	uint8_t kind; /* enum pmu_value_kind */
};

/**
 * pmu_value_parse() - all of a text
 * @text: @len bytes, which become the values' texts; they are written to, and stay as long
 * @blocks: the values' memory
 * Return: 0; -EINVAL (no JSON: with a sentence that has the line), -ENOMEM.
 */
int pmu_value_parse(char *text, size_t len, struct pmu_model_block **blocks,
		    struct pmu_value *value);

/*
 * What a value is or has.  One that is NULL or of another kind is taken as empty, 0 or NULL: these
 * need no check before them.
 */

static inline bool pmu_value_is(const struct pmu_value *value, enum pmu_value_kind kind)
{
	return value && value->kind == kind;
}

static inline const char *pmu_value_text(const struct pmu_value *value)
{
	return pmu_value_is(value, PMU_VALUE_TEXT) ? value->text : NULL;
}

static inline int64_t pmu_value_integer(const struct pmu_value *value)
{
	return pmu_value_is(value, PMU_VALUE_INTEGER) ? value->integer : 0;
}

/** pmu_value_number() - an integer, too; an infinity where it is too large */
double pmu_value_number(const struct pmu_value *value);

/** pmu_value_size() - of a list */
static inline size_t pmu_value_size(const struct pmu_value *list)
{
	return pmu_value_is(list, PMU_VALUE_LIST) ? list->n : 0;
}

/** pmu_value_at() - an element; NULL behind the last one */
static inline const struct pmu_value *pmu_value_at(const struct pmu_value *list, size_t i)
{
	return i < pmu_value_size(list) ? &list->inside[i] : NULL;
}

/** pmu_value_member() - of an object, the first one of that name; NULL: there is none */
static inline const struct pmu_value *pmu_value_member(const struct pmu_value *object,
						       const char *name)
{
	size_t len = name ? strlen(name) : 0;

	for (uint32_t i = 0; name && pmu_value_is(object, PMU_VALUE_OBJECT) && i < object->n; i++)
		if (object->inside[i].name_len == len && !memcmp(object->inside[i].name, name, len))
			return &object->inside[i];
	return NULL;
}

/** pmu_value_same_text() - are both texts, and the same, or both null? */
static inline bool pmu_value_same_text(const struct pmu_value *a, const struct pmu_value *b)
{
	if (pmu_value_is(a, PMU_VALUE_NULL))
		return pmu_value_is(b, PMU_VALUE_NULL);
	return pmu_value_text(a) && pmu_value_text(b) && !strcmp(a->text, b->text);
}

#endif
