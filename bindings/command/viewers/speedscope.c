/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * speedscope's own format: a profile of each measure of each thread.
 *
 * Source: jlfwong/speedscope, src/lib/file-format-spec.ts
 */
#include <stdio.h>
#include <string.h>

#include "bindings/command/viewers/viewers.h"
#include "report/encode.h"

static const char *speedscope_unit_of(const struct pmu_stack_measure *measure)
{
	static const char *const units[][2] = { { "ns", "nanoseconds" }, { "B", "bytes" } };

	for (size_t i = 0; i < PMU_ARRAY_LEN(units); i++)
		if (!strcmp(measure->unit, units[i][0]))
			return units[i][1];
	return "none";
}

static void put_title(struct pmu_strbuf *out, const struct pmu_stacks *stacks, unsigned int lane,
		      const struct pmu_stack_measure *measure)
{
	struct pmu_strbuf title = { 0 };

	pmu_strbuf_add(&title, measure->name);
	/* it says no more than the number does */
	if (measure->unit[0] && !strcmp(speedscope_unit_of(measure), "none"))
		pmu_strbuf_addf(&title, " [%s]", measure->unit);
	pmu_strbuf_addf(&title, ", %s", stacks->lane[lane].title);
	pmu_encode_json(out, pmu_strbuf_text(&title));
	out->failed |= title.failed;
	pmu_strbuf_free(&title);
}

static void speedscope_put_path(struct pmu_strbuf *out, const struct pmu_stacks *stacks,
				unsigned int node)
{
	int parent = stacks->node[node].parent;

	if (parent >= 0) {
		speedscope_put_path(out, stacks, (unsigned int)parent);
		pmu_strbuf_add(out, ",");
	}
	pmu_encode_u64(out, stacks->node[node].frame);
}

static void put_samples(struct pmu_strbuf *out, const struct pmu_stacks *stacks,
			const struct pmu_stack_values *values, unsigned int m)
{
	bool any = false;

	pmu_strbuf_add(out, ",\n   \"samples\": [");
	for (unsigned int i = 0; i < values->n; i++) {
		if (!pmu_stack_own(values, i, m))
			continue;
		pmu_strbuf_add(out, any ? ", [" : "[");
		speedscope_put_path(out, stacks, values->node[i]);
		pmu_strbuf_add(out, "]");
		any = true;
	}
	pmu_strbuf_add(out, "],\n   \"weights\": [");
	any = false;
	for (unsigned int i = 0; i < values->n; i++) {
		uint64_t own = pmu_stack_own(values, i, m);

		if (!own)
			continue;
		pmu_strbuf_add(out, any ? ", " : "");
		pmu_encode_u64(out, own);
		any = true;
	}
	pmu_strbuf_add(out, "]");
}

static uint64_t total_of(const struct pmu_stack_values *values, unsigned int m)
{
	uint64_t total = 0;

	for (unsigned int i = 0; i < values->n; i++)
		total += pmu_stack_own(values, i, m);
	return total;
}

/* @any: is there one before it?  What is 0 everywhere has nothing to show; one profile is needed. */
static void speedscope_put_lane(struct pmu_strbuf *out, const struct pmu_stacks *stacks,
				unsigned int lane, const struct pmu_stack_values *values, bool *any)
{
	for (unsigned int m = 0; m < stacks->n_measures; m++) {
		uint64_t total = total_of(values, m);

		if (!total && (lane || m))
			continue;
		pmu_strbuf_addf(out, "%s\n  {\"type\": \"sampled\", \"name\": ", *any ? "," : "");
		put_title(out, stacks, lane, &stacks->measure[m]);
		pmu_strbuf_addf(out, ", \"unit\": \"%s\", \"startValue\": 0, \"endValue\": ",
				speedscope_unit_of(&stacks->measure[m]));
		pmu_encode_u64(out, total);
		put_samples(out, stacks, values, m);
		pmu_strbuf_add(out, "}");
		*any = true;
	}
}

static void speedscope_put_remarks(struct pmu_strbuf *out, const struct pmu_stacks *stacks)
{
	for (unsigned int i = 0; i < stacks->n_remarks; i++) {
		pmu_strbuf_add(out, i ? ",\n  " : "\n  ");
		pmu_encode_json(out, stacks->remark[i]);
	}
}

static void put_frames(struct pmu_strbuf *out, const struct pmu_stacks *stacks)
{
	for (unsigned int i = 0; i < stacks->n_frames; i++) {
		pmu_strbuf_addf(out, "%s\n  {\"name\": ", i ? "," : "");
		pmu_encode_json(out, stacks->frame[i].name);
		pmu_strbuf_add(out, "}");
	}
}

/* Threads by themselves where there are several. */
static int put_profiles(struct pmu_strbuf *out, struct pmu_stacks *stacks)
{
	unsigned int n = stacks->n_lanes > 2 ? stacks->n_lanes : 1;
	bool any = false;
	int rc = 0;

	for (unsigned int lane = 0; lane < n && !rc; lane++) {
		struct pmu_stack_values values;

		rc = pmu_stacks_values(stacks, lane, &values);
		if (!rc)
			speedscope_put_lane(out, stacks, lane, &values, &any);
		pmu_stack_values_free(&values);
	}
	return rc;
}

int pmu_viewer_speedscope(struct pmu_strbuf *out, struct pmu_stacks *stacks,
			  const struct pmu_text_options *options)
{
	const char *program = stacks->model->program;
	int rc;

	(void)options;
	pmu_strbuf_add(out,
		       "{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n"
		       " \"exporter\": \"libpmu@" PACKAGE_VERSION "\", \"name\": ");
	pmu_encode_json(out, program[0] ? program : "libpmu");
	pmu_strbuf_add(out, ", \"activeProfileIndex\": 0,\n \"comments\": [");
	speedscope_put_remarks(out, stacks);
	pmu_strbuf_add(out, "],\n \"shared\": {\"frames\": [");
	put_frames(out, stacks);
	pmu_strbuf_add(out, "]},\n \"profiles\": [");
	rc = put_profiles(out, stacks);
	pmu_strbuf_add(out, "]}\n");
	return rc;
}
