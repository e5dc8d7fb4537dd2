/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as a JSON report; what is read can be written, and read again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/json/read.h"
#include "bindings/command/page/data.h"
#include "names/json.h"
#include "report/model/metric.h"
#include "report/report.h"
#include "reports/combine/combine.h"
#include "tests/fuzz/check_teams.h"
#include "tests/fuzz/fuzz.h"

/* What a page has of it is JSON. */
static void check_page(const struct pmu_model *model)
{
	struct pmu_strbuf out = { 0 };
	struct pmu_json json;

	pmu_strbuf_add(&out, "{\"first\": 0");
	pmu_page_sections(&out, model);
	pmu_strbuf_add(&out, "}");
	if (out.failed)
		abort();
	pmu_json_start(&json, out.text, out.len);
	while (pmu_json_next(&json) != PMU_JSON_END)
		;
	if (json.error)
		abort();
	pmu_strbuf_free(&out);
}

/* As two processes that look alike: what comes of it can be written, too. */
static void combine(struct pmu_model *model, enum pmu_combine how)
{
	struct pmu_model *part[] = { model, model }, *combined = NULL;
	struct pmu_text_options options = { .all = true };
	struct pmu_strbuf out = { 0 };

	if (!pmu_model_combine(part, 2, how, &combined)) {
		pmu_metric_fill(combined);
		check_teams(combined);
		check_page(combined);
		for (int format = PMU_REPORT_TEXT; format <= PMU_REPORT_CSV; format++)
			pmu_report_render(&out, combined, (enum pmu_report_format)format, &options);
		if (out.failed)
			abort();
	}
	pmu_strbuf_free(&out);
	pmu_model_free(combined);
}

static void gather(const struct pmu_model *model)
{
	struct pmu_gathering *gathering = pmu_gather_new(true);
	struct pmu_text_options options = { .all = true };
	struct pmu_model *combined = NULL;
	struct pmu_strbuf out = { 0 };

	if (!gathering)
		return;
	if (pmu_gather_add(gathering, model) || pmu_gather_add(gathering, model)) {
		pmu_gather_drop(gathering);
		return;
	}
	if (!pmu_gather_end(gathering, &combined)) {
		pmu_metric_fill(combined);
		for (int format = PMU_REPORT_TEXT; format <= PMU_REPORT_CSV; format++)
			pmu_report_render(&out, combined, (enum pmu_report_format)format, &options);
	}
	pmu_strbuf_free(&out);
	pmu_model_free(combined);
}

/* What came from a file goes through the writers. */
static void check_again(const struct pmu_model *model)
{
	struct pmu_strbuf first = { 0 }, second = { 0 };
	struct pmu_model *again = NULL;

	pmu_write_json(&first, model);
	if (first.failed)
		abort();
	/* numbers beyond what the reader takes can come of sums alone */
	if (!pmu_json_read(first.text, first.len, &again)) {
		pmu_write_json(&second, again);
		if (second.failed)
			abort();
	}
	pmu_strbuf_free(&first);
	pmu_strbuf_free(&second);
	pmu_model_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmu_text_options options = { .threads = true };
	struct pmu_model *model = NULL;
	struct pmu_strbuf text = { 0 };
	char *copy = malloc(size + 1);
	int rc;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	pmu_error_clear();
	rc = pmu_json_read(copy, size, &model);
	free(copy);
	if ((rc && !pmu_error_text()[0]) || (rc && model) || (!rc && !model))
		abort();
	if (rc)
		return 0;
	check_teams(model);
	pmu_write_text(&text, model, &options);
	pmu_strbuf_free(&text);
	check_again(model);
	check_page(model);
	combine(model, PMU_COMBINE_RANKS);
	combine(model, PMU_COMBINE_PROGRAMS);
	combine(model, PMU_COMBINE_TREE);
	gather(model);
	pmu_model_free(model);
	return 0;
}
