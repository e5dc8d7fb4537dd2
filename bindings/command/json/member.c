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

json_t *pmu_json_get(struct pmu_json_reader *reader, json_t *object, const char *name)
{
	json_t *member = json_object_get(object, name);

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

const char *pmu_json_text(struct pmu_json_reader *reader, json_t *object, const char *name)
{
	json_t *member = pmu_json_get(reader, object, name);

	if (!json_is_string(member)) {
		pmu_json_complain(reader, "\"%s\" is not a text", name);
		return "";
	}
	return pmu_json_copy(reader, json_string_value(member));
}

bool pmu_json_is_null(json_t *object, const char *name)
{
	return json_is_null(json_object_get(object, name));
}

int64_t pmu_json_int(struct pmu_json_reader *reader, json_t *object, const char *name, int64_t most)
{
	json_t *member = pmu_json_get(reader, object, name);
	int64_t value = json_integer_value(member);

	if (json_is_integer(member) && value >= 0 && value <= most)
		return value;
	pmu_json_complain(reader, "\"%s\" is not a whole number from 0 to %" PRId64, name, most);
	return 0;
}

uint64_t pmu_json_u64(struct pmu_json_reader *reader, json_t *object, const char *name)
{
	return (uint64_t)pmu_json_int(reader, object, name, INT64_MAX);
}

int64_t pmu_json_known(struct pmu_json_reader *reader, json_t *object, const char *name,
		       int64_t most)
{
	return pmu_json_is_null(object, name) ? -1 : pmu_json_int(reader, object, name, most);
}

double pmu_json_double(struct pmu_json_reader *reader, json_t *object, const char *name)
{
	json_t *member = pmu_json_get(reader, object, name);

	if (json_is_null(member))
		return NAN;
	if (!json_is_number(member))
		pmu_json_complain(reader, "\"%s\" is not a number", name);
	return json_number_value(member);
}

json_t *pmu_json_object(struct pmu_json_reader *reader, json_t *object, const char *name)
{
	json_t *member = pmu_json_get(reader, object, name);

	if (!json_is_object(member))
		pmu_json_complain(reader, "\"%s\" is not an object", name);
	return member;
}

json_t *pmu_json_list(struct pmu_json_reader *reader, json_t *object, const char *name)
{
	json_t *member = pmu_json_get(reader, object, name);

	if (!json_is_array(member))
		pmu_json_complain(reader, "\"%s\" is not a list", name);
	return member;
}

json_t *pmu_json_element(struct pmu_json_reader *reader, json_t *list, size_t i, const char *name)
{
	json_t *object = json_array_get(list, i);

	snprintf(reader->where, sizeof(reader->where), "%s[%zu]", name, i);
	if (!json_is_object(object))
		pmu_json_complain(reader, "not an object");
	return object;
}
