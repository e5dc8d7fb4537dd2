/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a row of a JSON report. */
#include "bindings/command/json/reader.h"

#include <stdio.h>
#include <string.h>

#include "report/model/fields.h"
#include "report/model/objects.h"
#include "report/model/samples.h"

static const char *read_known_text(struct pmu_json_reader *reader, const struct pmu_value *object,
				   const char *name)
{
	return pmu_json_is_null(object, name) ? "" : pmu_json_text(reader, object, name);
}

/* Return: how many of @left there are then; more than that is complained of. */
static uint64_t take_samples(struct pmu_json_reader *reader, const struct pmu_value *object,
			     uint64_t *left)
{
	uint64_t n = pmu_json_u64(reader, object, "n");

	if (n > *left)
		pmu_json_complain(reader, "\"samples\" has more in a part than in all");
	*left -= n < *left ? n : *left;
	return n;
}

static void read_lines(struct pmu_json_reader *reader, const struct pmu_value *list,
		       struct pmu_model_function *function)
{
	uint64_t left = function->n_samples;
	size_t n = pmu_value_size(list);
	struct pmu_model_line *line = pmu_json_alloc(reader, n, sizeof(*line));

	for (size_t i = 0; i < n && !reader->rc; i++) {
		const struct pmu_value *item = pmu_value_at(list, i);

		line[i].file = read_known_text(reader, item, "file");
		if (!pmu_json_is_null(item, "line"))
			line[i].line = (uint32_t)pmu_json_int(reader, item, "line", UINT32_MAX);
		line[i].n_samples = take_samples(reader, item, &left);
	}
	function->line = line;
	function->n_lines = reader->rc ? 0 : (unsigned int)n;
}

/* --- code --- */

void pmu_json_read_objects(struct pmu_json_reader *reader, const struct pmu_value *root)
{
	const struct pmu_value *list;
	size_t n;

	reader->where[0] = '\0';
	if (reader->rc || !pmu_value_member(root, "objects"))
		return;
	list = pmu_json_list(reader, root, "objects");
	n = pmu_value_size(list);
	reader->object = pmu_json_alloc(reader, n, sizeof(*reader->object));
	for (size_t i = 0; i < n && !reader->rc; i++) {
		const struct pmu_value *item = pmu_json_element(reader, list, i, "objects");
		const char *path = pmu_json_text(reader, item, "path");
		const char *build_id = read_known_text(reader, item, "build_id");

		if (reader->rc)
			return;
		reader->object[i] = pmu_model_object(reader->model, path, build_id);
		if (!reader->object[i])
			pmu_json_no_memory(reader);
	}
	reader->n_objects = reader->rc ? 0 : n;
}

static void read_addresses(struct pmu_json_reader *reader, const struct pmu_value *list,
			   uint64_t *left, struct pmu_model_code *code)
{
	size_t n = pmu_value_size(list);
	struct pmu_model_address *address = pmu_json_alloc(reader, n, sizeof(*address));

	for (size_t i = 0; i < n && !reader->rc; i++) {
		const struct pmu_value *pair = pmu_value_at(list, i);
		int64_t offset = pmu_value_integer(pmu_value_at(pair, 0));
		int64_t samples = pmu_value_integer(pmu_value_at(pair, 1));

		if (pmu_value_size(pair) != 2 || offset < 0 || samples <= 0 ||
		    (uint64_t)offset > (uint64_t)INT64_MAX - code->start ||
		    (uint64_t)samples > *left) {
			pmu_json_complain(reader,
					  "\"addresses\" has what is no offset with its samples");
			return;
		}
		address[i] = (struct pmu_model_address){ code->start + (uint64_t)offset,
							 (uint64_t)samples };
		*left -= (uint64_t)samples;
	}
	code->address = address;
	code->n_addresses = reader->rc ? 0 : (unsigned int)n;
}

static void read_code(struct pmu_json_reader *reader, const struct pmu_value *list,
		      struct pmu_model_function *function)
{
	uint64_t left = function->n_samples;
	size_t n = pmu_value_size(list);
	struct pmu_model_code *code = pmu_json_alloc(reader, n, sizeof(*code));

	for (size_t i = 0; i < n && !reader->rc; i++) {
		const struct pmu_value *item = pmu_value_at(list, i);
		uint64_t object = pmu_json_u64(reader, item, "object");

		if (object >= reader->n_objects) {
			pmu_json_complain(reader, "\"code\" is of an object that is not there");
			return;
		}
		code[i].object = reader->object[object];
		code[i].start = pmu_json_u64(reader, item, "start");
		if (!pmu_json_is_null(item, "size"))
			code[i].size = pmu_json_u64(reader, item, "size");
		read_addresses(reader, pmu_json_list(reader, item, "addresses"), &left, &code[i]);
	}
	function->code = code;
	function->n_codes = reader->rc ? 0 : (unsigned int)n;
}

/* --- functions --- */

static void read_function(struct pmu_json_reader *reader, const struct pmu_value *item,
			  uint64_t *left, struct pmu_model_function *function)
{
	function->name = pmu_json_text(reader, item, "name");
	function->object = read_known_text(reader, item, "object");
	function->n_samples = take_samples(reader, item, left);
	if (pmu_value_member(item, "lines"))
		read_lines(reader, pmu_json_list(reader, item, "lines"), function);
	if (pmu_value_member(item, "code"))
		read_code(reader, pmu_json_list(reader, item, "code"), function);
}

static struct pmu_sample_unit read_unit(struct pmu_json_reader *reader,
					const struct pmu_value *from)
{
	struct pmu_sample_unit unit = { .period = 0 };
	const char *event;

	if (!pmu_value_member(from, "event")) {
		unit.period = pmu_json_u64(reader, from, "period_ns");
		return unit;
	}
	event = pmu_json_text(reader, from, "event");
	unit.period = pmu_json_u64(reader, from, "period");
	unit.precise = (uint32_t)pmu_json_int(reader, from, "precise", PMU_SAMPLE_PRECISE);
	if (!reader->rc && (!event[0] || strlen(event) >= sizeof(unit.event) || !unit.period))
		pmu_json_complain(reader, "\"samples\" are of what is no event");
	if (!reader->rc)
		snprintf(unit.event, sizeof(unit.event), "%s", event);
	return unit;
}

/* --- callers --- */

static void read_caller_functions(struct pmu_json_reader *reader, const struct pmu_value *list,
				  struct pmu_model_samples *samples)
{
	size_t n = pmu_value_size(list);
	struct pmu_model_frame *frame = pmu_json_alloc(reader, n, sizeof(*frame));

	for (size_t i = 0; i < n && !reader->rc; i++) {
		const struct pmu_value *item = pmu_value_at(list, i);

		frame[i].name = pmu_json_text(reader, item, "name");
		frame[i].object = read_known_text(reader, item, "object");
	}
	samples->frame = frame;
	samples->n_frames = reader->rc ? 0 : (unsigned int)n;
}

/* @depth: [@i] of those before it; gets its own.  Return: does it make sense? */
static bool read_sample_call(const struct pmu_value *triple,
			     const struct pmu_model_samples *samples, size_t i, uint64_t *left,
			     uint32_t *depth, struct pmu_model_call *call)
{
	int64_t caller = pmu_value_integer(pmu_value_at(triple, 0));
	int64_t frame = pmu_value_integer(pmu_value_at(triple, 1));
	int64_t n = pmu_value_integer(pmu_value_at(triple, 2));

	if (pmu_value_size(triple) != 3 || caller < 0 || (uint64_t)caller > i || frame < 0 ||
	    (uint64_t)frame >= samples->n_frames || n < 0 || (uint64_t)n > *left)
		return false;
	depth[i] = 1 + (caller ? depth[caller - 1] : 0);
	*left -= (uint64_t)n;
	*call = (struct pmu_model_call){ (unsigned int)caller, (unsigned int)frame, (uint64_t)n };
	return depth[i] <= PMU_SAMPLES_DEEPEST;
}

static void read_callers(struct pmu_json_reader *reader, const struct pmu_value *from,
			 struct pmu_model_samples *samples)
{
	const struct pmu_value *list = pmu_json_list(reader, from, "calls");
	size_t n = pmu_value_size(list);
	struct pmu_model_call *call = pmu_json_alloc(reader, n, sizeof(*call));
	uint32_t *depth = pmu_json_alloc(reader, n, sizeof(*depth));
	uint64_t left = samples->n;

	read_caller_functions(reader, pmu_json_list(reader, from, "functions"), samples);
	for (size_t i = 0; i < n && !reader->rc; i++)
		if (!read_sample_call(pmu_value_at(list, i), samples, i, &left, depth, &call[i]))
			pmu_json_complain(reader,
					  "\"calls\" has what is no caller, function and samples");
	if (n && left)
		pmu_json_complain(reader, "\"calls\" has fewer samples than there are");
	samples->call = call;
	samples->n_calls = reader->rc ? 0 : (unsigned int)n;
}

/* As they come they may be in any order, and a function may be there twice. */
const struct pmu_model_samples *pmu_json_read_samples(struct pmu_json_reader *reader,
						      const struct pmu_value *item)
{
	const struct pmu_value *from = pmu_json_object(reader, item, "samples");
	const struct pmu_value *list = pmu_json_list(reader, from, "functions");
	size_t n = pmu_value_size(list);
	struct pmu_model_function *function = pmu_json_alloc(reader, n, sizeof(*function));
	struct pmu_model_samples samples = {
		.n = pmu_json_u64(reader, from, "n"),
		.unit = read_unit(reader, from),
		.n_functions = (unsigned int)n,
		.function = function,
	};
	const struct pmu_model_samples *sorted;
	uint64_t left = samples.n;

	for (size_t i = 0; i < n && !reader->rc; i++)
		read_function(reader, pmu_value_at(list, i), &left, &function[i]);
	if (!reader->rc && pmu_value_member(from, "callers"))
		read_callers(reader, pmu_json_object(reader, from, "callers"), &samples);
	if (reader->rc || !samples.n)
		return NULL;
	sorted = pmu_model_samples_add(reader->model, &samples, NULL);
	if (!sorted)
		pmu_json_no_memory(reader);
	return sorted;
}
