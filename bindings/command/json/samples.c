/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a row of a JSON report. */
#include "bindings/command/json/reader.h"

#include "report/model/fields.h"
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

static void read_function(struct pmu_json_reader *reader, const struct pmu_value *item,
			  uint64_t *left, struct pmu_model_function *function)
{
	function->name = pmu_json_text(reader, item, "name");
	function->object = read_known_text(reader, item, "object");
	function->n_samples = take_samples(reader, item, left);
	if (pmu_value_member(item, "lines"))
		read_lines(reader, pmu_json_list(reader, item, "lines"), function);
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
		.period_ns = pmu_json_u64(reader, from, "period_ns"),
		.n_functions = (unsigned int)n,
		.function = function,
	};
	const struct pmu_model_samples *sorted;
	uint64_t left = samples.n;

	for (size_t i = 0; i < n && !reader->rc; i++)
		read_function(reader, pmu_value_at(list, i), &left, &function[i]);
	if (reader->rc || !samples.n)
		return NULL;
	sorted = pmu_model_samples_add(reader->model, &samples, NULL);
	if (!sorted)
		pmu_json_no_memory(reader);
	return sorted;
}
