/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A JSON text as values in memory.
 *
 * Thousands of reports are merged at once: texts stay where they are in the file's own bytes,
 * lists and objects are arrays, and all of them go in one piece.
 */
#include "bindings/command/json/value.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>

#include "base/error.h"
#include "names/json.h"

/** On the way through the text. */
struct parse {
	struct pmu_json json;
	struct pmu_model_block **blocks;
	struct pmu_value *stack; /* of what is open, values that are read already */
	size_t n, room;
	int rc;
};

static void no_memory(struct parse *p)
{
	if (!p->rc)
		p->rc = pmu_fail(ENOMEM, "no memory for the report");
}

/* Undone in its place, where it ends before its last quote.  Return: its length. */
static size_t take_json_text(const char *raw, size_t len)
{
	char *text = (char *)(uintptr_t)raw;
	const struct pmu_json string = { .value = raw, .len = len };

	if (memchr(raw, '\\', len)) {
		pmu_json_string(&string, text, len + 1);
		return strlen(text);
	}
	text[len] = '\0';
	return len;
}

/* Whole numbers that do not fit are kept as they stand there. */
static void take_json_number(const char *text, size_t len, struct pmu_value *value)
{
	bool negative = *text == '-';
	int64_t integer = 0;

	value->kind = PMU_VALUE_REAL;
	value->text = text;
	for (size_t i = negative; i < len; i++)
		if (text[i] < '0' || text[i] > '9' ||
		    __builtin_mul_overflow(integer, 10, &integer) ||
		    __builtin_sub_overflow(integer, text[i] - '0', &integer))
			return;
	if (!negative && __builtin_sub_overflow(0, integer, &integer))
		return;
	value->kind = PMU_VALUE_INTEGER;
	value->integer = integer;
}

static struct pmu_value *push(struct parse *p)
{
	size_t room = p->room ? 2 * p->room : 256;
	struct pmu_value *grown;

	if (p->n == p->room) {
		grown = reallocarray(p->stack, room, sizeof(*grown));
		if (!grown) {
			no_memory(p);
			return NULL;
		}
		p->stack = grown;
		p->room = room;
	}
	return memset(&p->stack[p->n++], 0, sizeof(*p->stack));
}

/* What is behind @first on the stack is in @into. */
static void close_at(struct parse *p, size_t first, struct pmu_value *into)
{
	size_t n = p->n - first;
	struct pmu_value *inside = pmu_block_array(p->blocks, n, sizeof(*inside));

	if (!inside || n > UINT32_MAX) {
		no_memory(p);
		return;
	}
	if (n)
		memcpy(inside, &p->stack[first], n * sizeof(*inside));
	into->inside = inside;
	into->n = (uint32_t)n;
	p->n = first;
}

static void take_inside(struct parse *p, size_t at);

/* Return: false at the end of what it is in, and of the text. */
static bool take_value(struct parse *p)
{
	static const uint8_t words[] = {
		['n'] = PMU_VALUE_NULL, ['t'] = PMU_VALUE_TRUE, ['f'] = PMU_VALUE_FALSE
	};
	enum pmu_json_kind kind = pmu_json_next(&p->json);
	struct pmu_value *value;

	if (kind == PMU_JSON_END || kind == PMU_JSON_OBJECT_END || kind == PMU_JSON_ARRAY_END)
		return false;
	value = push(p);
	if (!value)
		return false;
	if (p->json.key) {
		size_t len = take_json_text(p->json.key, p->json.key_len);

		value->name = p->json.key;
		value->name_len = len < UINT16_MAX ? (uint16_t)len : UINT16_MAX;
	}
	if (kind == PMU_JSON_STRING) {
		value->kind = PMU_VALUE_TEXT;
		value->text = p->json.value;
		take_json_text(p->json.value, p->json.len);
	} else if (kind == PMU_JSON_NUMBER) {
		take_json_number(p->json.value, p->json.len, value);
	} else if (kind == PMU_JSON_WORD) {
		value->kind = words[(unsigned char)*p->json.value];
	} else {
		value->kind = kind == PMU_JSON_OBJECT ? PMU_VALUE_OBJECT : PMU_VALUE_LIST;
		take_inside(p, p->n - 1);
	}
	return !p->rc;
}

/* The walker allows a few levels only.  The stack may move meanwhile. */
static void take_inside(struct parse *p, size_t at)
{
	while (take_value(p))
		;
	if (!p->rc)
		close_at(p, at + 1, &p->stack[at]);
}

int pmu_value_parse(char *text, size_t len, struct pmu_model_block **blocks,
		    struct pmu_value *value)
{
	struct parse p = { .blocks = blocks };

	pmu_json_start(&p.json, text, len);
	if (take_value(&p))
		*value = p.stack[0];
	if (!p.rc)
		pmu_json_next(&p.json);
	if (!p.rc && p.json.error)
		p.rc = pmu_fail(EINVAL, "not JSON: line %u: %s", pmu_json_line(&p.json),
				p.json.error);
	free(p.stack);
	return p.rc;
}

double pmu_value_number(const struct pmu_value *value)
{
	static locale_t plain;
	locale_t made;

	if (!pmu_value_is(value, PMU_VALUE_REAL))
		return (double)pmu_value_integer(value);
	if (!__atomic_load_n(&plain, __ATOMIC_ACQUIRE)) {
		locale_t none = NULL;

		/* the program's own may have another decimal point */
		made = newlocale(LC_ALL_MASK, "C", NULL);
		if (made && !__atomic_compare_exchange_n(&plain, &none, made, false,
							 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			freelocale(made);
	}
	made = __atomic_load_n(&plain, __ATOMIC_ACQUIRE);
	return made ? strtod_l(value->text, NULL, made) : strtod(value->text, NULL);
}
