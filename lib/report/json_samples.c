/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a row in the JSON report. */
#include "report/json.h"
#include "report/json_put.h"
#include "report/model/model.h"
#include "report/model/objects.h"
#include "report/model/samples.h"

static void put_json_lines(struct pmu_strbuf *out, const struct pmu_model_function *function)
{
	key(out, ", ", "lines");
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; i < function->n_lines; i++) {
		const struct pmu_model_line *line = &function->line[i];

		put_known_text(out, i ? ", {" : "{", "file", line->file);
		put_known(out, ", ", "line", line->line, line->line);
		put_u64(out, ", ", "n", line->n_samples);
		pmu_strbuf_add(out, "}");
	}
	pmu_strbuf_add(out, "]");
}

/* Pairs, as there may be many: from the function's start on, and how many. */
static void put_addresses(struct pmu_strbuf *out, const struct pmu_model_code *code)
{
	key(out, ", ", "addresses");
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; i < code->n_addresses; i++) {
		pmu_strbuf_add(out, i ? ",[" : "[");
		pmu_encode_u64(out, code->address[i].address - code->start);
		pmu_strbuf_add(out, ",");
		pmu_encode_u64(out, code->address[i].n_samples);
		pmu_strbuf_add(out, "]");
	}
	pmu_strbuf_add(out, "]");
}

static void put_json_code(struct pmu_strbuf *out, const struct pmu_model_function *function)
{
	key(out, ", ", "code");
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; i < function->n_codes; i++) {
		const struct pmu_model_code *code = &function->code[i];

		put_u64(out, i ? ", {" : "{", "object", code->object->number);
		put_u64(out, ", ", "start", code->start);
		put_known(out, ", ", "size", code->size, code->size);
		put_addresses(out, code);
		pmu_strbuf_add(out, "}");
	}
	pmu_strbuf_add(out, "]");
}

/* Triples, as there may be many: the caller's place in the list from 1 on, the function's, own samples. */
static void put_calls(struct pmu_strbuf *out, const struct pmu_model_samples *samples)
{
	key(out, ", ", "calls");
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; i < samples->n_calls; i++) {
		const struct pmu_model_call *call = &samples->call[i];

		pmu_strbuf_addf(out, i ? ",[%u,%u," : "[%u,%u,", call->caller, call->frame);
		pmu_encode_u64(out, call->n_samples);
		pmu_strbuf_add(out, "]");
	}
	pmu_strbuf_add(out, "]");
}

static void put_callers(struct pmu_strbuf *out, const struct pmu_model_samples *samples)
{
	key(out, ", ", "callers");
	key(out, "{", "functions");
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; i < samples->n_frames; i++) {
		put_text(out, i ? ", {" : "{", "name", samples->frame[i].name);
		put_known_text(out, ", ", "object", samples->frame[i].object);
		pmu_strbuf_add(out, "}");
	}
	pmu_strbuf_add(out, "]");
	put_calls(out, samples);
	pmu_strbuf_add(out, "}");
}

void pmu_json_objects(struct pmu_strbuf *out, const struct pmu_model *model)
{
	const struct pmu_model_object *object;

	if (!model->objects)
		return;
	pmu_strbuf_add(out, ",\n  \"objects\": [");
	for (size_t i = 0; (object = pmu_model_object_at(model, i)); i++) {
		next_line(out, !i, "    ");
		put_text(out, "{", "path", object->path);
		put_known_text(out, ", ", "build_id", object->build_id);
		pmu_strbuf_add(out, "}");
	}
	end_list(out, false, "  ");
}

static void put_unit(struct pmu_strbuf *out, const struct pmu_sample_unit *unit)
{
	if (pmu_sample_is_time(unit)) {
		put_u64(out, ", ", "period_ns", unit->period);
		return;
	}
	put_text(out, ", ", "event", unit->event);
	put_u64(out, ", ", "period", unit->period);
	put_u64(out, ", ", "precise", unit->precise);
}

void pmu_json_samples(struct pmu_strbuf *out, const struct pmu_model_samples *samples,
		      bool with_code)
{
	put_u64(out, "{", "n", samples->n);
	put_unit(out, &samples->unit);
	key(out, ", ", "functions");
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; i < samples->n_functions; i++) {
		const struct pmu_model_function *function = &samples->function[i];

		put_text(out, i ? ", {" : "{", "name", function->name);
		put_known_text(out, ", ", "object", function->object);
		put_u64(out, ", ", "n", function->n_samples);
		if (function->n_lines)
			put_json_lines(out, function);
		if (function->n_codes && with_code)
			put_json_code(out, function);
		pmu_strbuf_add(out, "}");
	}
	pmu_strbuf_add(out, "]");
	if (samples->n_calls)
		put_callers(out, samples);
	pmu_strbuf_add(out, "}");
}
