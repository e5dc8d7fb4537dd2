/* SPDX-License-Identifier: BSD-3-Clause */
/* How JSON is put together: members by name, null for what is not known. */
#ifndef PMU_REPORT_JSON_PUT_H
#define PMU_REPORT_JSON_PUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "report/encode.h"
#include "report/model/fields.h"

/* "name": - @before is ", ", a new line and its indentation, or nothing */
static inline void key(struct pmu_strbuf *out, const char *before, const char *name)
{
	pmu_strbuf_add(out, before);
	pmu_encode_json(out, name);
	pmu_strbuf_add_n(out, ": ", 2);
}

static inline void put_text(struct pmu_strbuf *out, const char *before, const char *name,
			    const char *text)
{
	key(out, before, name);
	pmu_encode_json(out, text);
}

static inline void put_null(struct pmu_strbuf *out, const char *before, const char *name)
{
	key(out, before, name);
	pmu_strbuf_add(out, "null");
}

/* NULL: null */
static inline void put_nullable(struct pmu_strbuf *out, const char *before, const char *name,
				const char *text)
{
	if (text)
		put_text(out, before, name, text);
	else
		put_null(out, before, name);
}

/* NULL and "": null, nothing to say or not known */
static inline void put_known_text(struct pmu_strbuf *out, const char *before, const char *name,
				  const char *text)
{
	put_nullable(out, before, name, text && *text ? text : NULL);
}

static inline void put_bool(struct pmu_strbuf *out, const char *before, const char *name,
			    bool value)
{
	key(out, before, name);
	pmu_strbuf_add(out, value ? "true" : "false");
}

/* @value: -1: null */
static inline void put_answer(struct pmu_strbuf *out, const char *before, const char *name,
			      int value)
{
	if (value < 0)
		put_null(out, before, name);
	else
		put_bool(out, before, name, value);
}

static inline void put_u64(struct pmu_strbuf *out, const char *before, const char *name,
			   uint64_t value)
{
	key(out, before, name);
	pmu_encode_u64(out, value);
}

static inline void put_known(struct pmu_strbuf *out, const char *before, const char *name,
			     bool known, uint64_t value)
{
	if (known)
		put_u64(out, before, name, value);
	else
		put_null(out, before, name);
}

/* -1 stands for unknown */
static inline void put_i64(struct pmu_strbuf *out, const char *before, const char *name,
			   int64_t value)
{
	put_known(out, before, name, value >= 0, (uint64_t)value);
}

static inline void put_double(struct pmu_strbuf *out, const char *before, const char *name,
			      double value)
{
	key(out, before, name);
	if (pmu_encode_double(out, value) < 0)
		pmu_strbuf_add(out, "null");
}

static inline void put_row_number(struct pmu_strbuf *out, const char *before, const char *name,
				  struct pmu_number number)
{
	if (number.is_double)
		put_double(out, before, name, number.real);
	else
		put_known(out, before, name, number.is_known, number.integer);
}

/* Between the elements of a list that has one a line. */
static inline void next_line(struct pmu_strbuf *out, bool first, const char *indent)
{
	pmu_strbuf_add(out, first ? "\n" : ",\n");
	pmu_strbuf_add(out, indent);
}

static inline void end_list(struct pmu_strbuf *out, bool empty, const char *indent)
{
	if (!empty) {
		pmu_strbuf_add(out, "\n");
		pmu_strbuf_add(out, indent);
	}
	pmu_strbuf_add(out, "]");
}

/* A list of a text's lines; NULL: an empty one */
static inline void put_lines(struct pmu_strbuf *out, const char *before, const char *name,
			     const char *text)
{
	struct pmu_strbuf line = { 0 };

	key(out, before, name);
	pmu_strbuf_add(out, "[");
	for (const char *at = text ? text : "", *end; *at; at = *end ? end + 1 : end) {
		end = at + strcspn(at, "\n");
		line.len = 0;
		pmu_strbuf_add_n(&line, at, (size_t)(end - at));
		pmu_strbuf_add(out, at == text ? "" : ", ");
		pmu_encode_json(out, pmu_strbuf_text(&line));
	}
	pmu_strbuf_add(out, "]");
	out->failed |= line.failed;
	pmu_strbuf_free(&line);
}

#endif
