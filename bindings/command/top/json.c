/* SPDX-License-Identifier: BSD-3-Clause */
/* What is looked at as JSON, an object a line: null is what is not known. */
#include "bindings/command/top/json.h"

#include <math.h>
#include <stdlib.h>

#include "report/json_put.h"

static const char *const states[] = {
	[PMU_TOP_RUNS] = "running",
	[PMU_TOP_ENDED] = "ended",
	[PMU_TOP_DIED] = "killed",
};

static void put_span_values(struct pmu_strbuf *out, const struct pmu_top_program *program,
			    const struct pmu_top_span *span, bool counts)
{
	bool any = false;

	key(out, ", ", counts ? "counts" : "metrics");
	pmu_strbuf_add(out, "{");
	for (unsigned int i = 0; i < program->n_values; i++) {
		if (program->value[i].is_count != counts)
			continue;
		put_double(out, any ? ", " : "", program->value[i].name, span->value[i]);
		any = true;
	}
	pmu_strbuf_add(out, "}");
}

/* Where its own time went: of functions those with most samples. */
static void put_span_samples(struct pmu_strbuf *out, const struct pmu_top_samples *samples)
{
	if (!samples->n)
		return;
	key(out, ", ", "samples");
	put_u64(out, "{", "n", samples->n);
	pmu_strbuf_add(out, ", \"functions\": [");
	for (unsigned int i = 0; i < samples->n_functions; i++) {
		put_text(out, i ? ", {" : "{", "name", samples->function[i].name);
		put_known_text(out, ", ", "object", samples->function[i].object);
		put_u64(out, ", ", "n", samples->function[i].n_samples);
		pmu_strbuf_add(out, "}");
	}
	pmu_strbuf_add(out, "]}");
}

static void put_span(struct pmu_strbuf *out, const struct pmu_top_program *program,
		     const char *name, const struct pmu_top_span *span, double seconds)
{
	key(out, ", ", name);
	if (!span->is_known) {
		pmu_strbuf_add(out, "null");
		return;
	}
	put_u64(out, "{", "calls", span->calls);
	if (seconds > 0)
		put_double(out, ", ", "calls_per_s", (double)span->calls / seconds);
	put_double(out, ", ", "time_ns", span->time_ns);
	put_double(out, ", ", "share", span->share);
	put_double(out, ", ", "self_share", span->self);
	if (span->is_about)
		pmu_strbuf_add(out, ", \"about\": true");
	put_span_values(out, program, span, false);
	put_span_values(out, program, span, true);
	put_span_samples(out, &span->samples);
	pmu_strbuf_add(out, "}");
}

static void put_top_row(struct pmu_strbuf *out, const struct pmu_top_program *program,
			const struct pmu_top_row *row)
{
	put_text(out, "{", "name", row->name);
	put_text(out, ", ", "path", row->path);
	put_u64(out, ", ", "depth", (uint64_t)row->depth);
	put_u64(out, ", ", "threads", row->n_threads);
	put_u64(out, ", ", "in", row->n_in);
	if (row->n_in) {
		put_double(out, ", ", "open_ns_least", row->in_ns);
		put_double(out, ", ", "open_ns_most", row->in_most_ns);
	}
	put_span(out, program, "last", &row->last, program->last_ns * 1e-9);
	put_span(out, program, "start", &row->start, 0);
	pmu_strbuf_add(out, "}");
}

/* What its counts and metrics are in. */
static void put_units(struct pmu_strbuf *out, const struct pmu_top_program *program)
{
	bool any = false;

	key(out, ", ", "units");
	pmu_strbuf_add(out, "{");
	for (unsigned int i = 0; i < program->n_values; i++)
		if (program->value[i].unit[0]) {
			put_text(out, any ? ", " : "", program->value[i].name,
				 program->value[i].unit);
			any = true;
		}
	pmu_strbuf_add(out, "}");
}

static void put_sampled(struct pmu_strbuf *out, const struct pmu_sample_unit *unit)
{
	if (!unit->period)
		return;
	if (pmu_sample_is_time(unit)) {
		put_u64(out, ", ", "sample_period_ns", unit->period);
		return;
	}
	put_text(out, ", ", "sample_event", unit->event);
	put_u64(out, ", ", "sample_period", unit->period);
	put_u64(out, ", ", "sample_precise", unit->precise);
}

static void put_top_program(struct pmu_strbuf *out, const struct pmu_top_program *program)
{
	pmu_strbuf_addf(out, "{\"pid\": %lld", (long long)program->pid);
	put_u64(out, ", ", "nth", program->nth);
	put_text(out, ", ", "program", program->program);
	put_text(out, ", ", "command", program->command);
	put_text(out, ", ", "host", program->host);
	put_text(out, ", ", "store", program->store);
	put_text(out, ", ", "state", states[program->state]);
	put_u64(out, ", ", "start_unix_ns", program->start_unix_ns);
	put_double(out, ", ", "running_ns", program->running_ns);
	put_double(out, ", ", "last_ns", program->last_ns > 0 ? program->last_ns : NAN);
	put_u64(out, ", ", "threads", program->n_threads);
	put_text(out, ", ", "source", program->source);
	put_text(out, ", ", "groups", program->groups);
	put_sampled(out, &program->unit);
	if (program->remark[0])
		put_text(out, ", ", "remark", program->remark);
	put_units(out, program);
	key(out, ", ", "regions");
	pmu_strbuf_add(out, "[");
}

void pmu_top_put_json(struct pmu_strbuf *out, const struct pmu_top_program *const *program,
		      size_t n, const struct pmu_top_order *order, uint64_t unix_ns)
{
	pmu_strbuf_add(out, "{\"pmu_top\": 1");
	put_u64(out, ", ", "time_unix_ns", unix_ns);
	key(out, ", ", "programs");
	pmu_strbuf_add(out, "[");
	for (size_t i = 0; i < n; i++) {
		size_t n_lines = 0;
		struct pmu_top_line *line = pmu_top_lines(&program[i], 1, order, &n_lines);

		pmu_strbuf_add(out, i ? ", " : "");
		put_top_program(out, program[i]);
		/* the first one is the program itself */
		for (size_t l = 1; l < n_lines; l++) {
			pmu_strbuf_add(out, l > 1 ? ", " : "");
			put_top_row(out, program[i], &program[i]->row[line[l].row]);
		}
		pmu_strbuf_add(out, "]}");
		out->failed |= !line;
		free(line);
	}
	pmu_strbuf_add(out, "]}\n");
}
