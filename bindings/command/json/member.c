/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of a JSON report by type, and what is wrong with them. */
#include "bindings/command/json/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/encode.h"

void pmu_json_complain(struct pmu_json_reader *reader, const char *fmt, ...)
{
	char text[256];
	va_list args;

	if (reader->rc)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	reader->rc = pmu_fail(EINVAL, "not a report of this library: %s%s%s", reader->where,
			      reader->where[0] ? ": " : "", text);
}

void pmu_json_no_memory(struct pmu_json_reader *reader)
{
	if (!reader->rc)
		reader->rc = pmu_fail(ENOMEM, "no memory for the report");
}

void *pmu_json_alloc(struct pmu_json_reader *reader, size_t n, size_t size)
{
	void *memory = reader->rc ? NULL : pmu_model_alloc(reader->model, n * size);

	if (!memory)
		pmu_json_no_memory(reader);
	return memory;
}

/* --- members, by type --- */

const struct pmu_value *pmu_json_get(struct pmu_json_reader *reader, const struct pmu_value *object,
				     const char *name)
{
	const struct pmu_value *member = pmu_value_member(object, name);

	if (!member)
		pmu_json_complain(reader, "\"%s\" is missing", name);
	return member;
}

const char *pmu_json_copy(struct pmu_json_reader *reader, const char *text)
{
	char *copy = strdup(text);
	const char *kept;

	if (!copy) {
		pmu_json_no_memory(reader);
		return "";
	}
	pmu_decode(copy);
	kept = pmu_model_text(reader->model, copy, strlen(copy));
	free(copy);
	return kept;
}

const char *pmu_json_text(struct pmu_json_reader *reader, const struct pmu_value *object,
			  const char *name)
{
	const struct pmu_value *member = pmu_json_get(reader, object, name);

	if (!pmu_value_is(member, PMU_VALUE_TEXT)) {
		pmu_json_complain(reader, "\"%s\" is not a text", name);
		return "";
	}
	return pmu_json_copy(reader, pmu_value_text(member));
}

bool pmu_json_is_null(const struct pmu_value *object, const char *name)
{
	return pmu_value_is(pmu_value_member(object, name), PMU_VALUE_NULL);
}

int64_t pmu_json_int(struct pmu_json_reader *reader, const struct pmu_value *object,
		     const char *name, int64_t most)
{
	const struct pmu_value *member = pmu_json_get(reader, object, name);
	int64_t value = pmu_value_integer(member);

	if (pmu_value_is(member, PMU_VALUE_INTEGER) && value >= 0 && value <= most)
		return value;
	pmu_json_complain(reader, "\"%s\" is not a whole number from 0 to %" PRId64, name, most);
	return 0;
}

uint64_t pmu_json_u64(struct pmu_json_reader *reader, const struct pmu_value *object,
		      const char *name)
{
	return (uint64_t)pmu_json_int(reader, object, name, INT64_MAX);
}

int64_t pmu_json_known(struct pmu_json_reader *reader, const struct pmu_value *object,
		       const char *name, int64_t most)
{
	return pmu_json_is_null(object, name) ? -1 : pmu_json_int(reader, object, name, most);
}

double pmu_json_double(struct pmu_json_reader *reader, const struct pmu_value *object,
		       const char *name)
{
	const struct pmu_value *member = pmu_json_get(reader, object, name);

	if (pmu_value_is(member, PMU_VALUE_NULL))
		return NAN;
	if (!pmu_value_is(member, PMU_VALUE_INTEGER) &&
	    !(pmu_value_is(member, PMU_VALUE_REAL) && isfinite(pmu_value_number(member))))
		pmu_json_complain(reader, "\"%s\" is not a number", name);
	return pmu_value_number(member);
}

const struct pmu_value *pmu_json_object(struct pmu_json_reader *reader,
					const struct pmu_value *object, const char *name)
{
	const struct pmu_value *member = pmu_json_get(reader, object, name);

	if (!pmu_value_is(member, PMU_VALUE_OBJECT))
		pmu_json_complain(reader, "\"%s\" is not an object", name);
	return member;
}

const struct pmu_value *pmu_json_list(struct pmu_json_reader *reader,
				      const struct pmu_value *object, const char *name)
{
	const struct pmu_value *member = pmu_json_get(reader, object, name);

	if (!pmu_value_is(member, PMU_VALUE_LIST))
		pmu_json_complain(reader, "\"%s\" is not a list", name);
	return member;
}

const struct pmu_value *pmu_json_element(struct pmu_json_reader *reader,
					 const struct pmu_value *list, size_t i, const char *name)
{
	const struct pmu_value *object = pmu_value_at(list, i);

	snprintf(reader->where, sizeof(reader->where), "%s[%zu]", name, i);
	if (!pmu_value_is(object, PMU_VALUE_OBJECT))
		pmu_json_complain(reader, "not an object");
	return object;
}
