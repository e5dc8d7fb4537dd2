/* SPDX-License-Identifier: BSD-3-Clause */
/* How JSON is put together: members by name, null for what is not known. */
#ifndef PMU_REPORT_JSON_PUT_H
#define PMU_REPORT_JSON_PUT_H

#include <stdbool.h>
#include <stdint.h>

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

static inline void put_u64(struct pmu_strbuf *out, const char *before, const char *name,
			   uint64_t value)
{
	key(out, before, name);
	pmu_encode_u64(out, value);
}

static inline void put_known(struct pmu_strbuf *out, const char *before, const char *name,
			     bool known, uint64_t value)
{
	key(out, before, name);
	if (known)
		pmu_encode_u64(out, value);
	else
		pmu_strbuf_add(out, "null");
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

#endif
