/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a row in the JSON report. */
#include "report/json.h"
#include "report/json_put.h"
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

void pmu_json_samples(struct pmu_strbuf *out, const struct pmu_model_samples *samples)
{
	put_u64(out, "{", "n", samples->n);
	put_u64(out, ", ", "period_ns", samples->period_ns);
	key(out, ", ", "functions");
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; i < samples->n_functions; i++) {
		const struct pmu_model_function *function = &samples->function[i];

		put_text(out, i ? ", {" : "{", "name", function->name);
		put_known_text(out, ", ", "object", function->object);
		put_u64(out, ", ", "n", function->n_samples);
		if (function->n_lines)
			put_json_lines(out, function);
		pmu_strbuf_add(out, "}");
	}
	pmu_strbuf_add(out, "]}");
}
