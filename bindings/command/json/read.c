/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a report that was written as JSON (the schema stands in lib/report/json.c).
 *
 * The threads' rows make the model, as they do when it comes from a store.
 */
#include "bindings/command/json/read.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/json/reader.h"
#include "report/model/metric.h"

#define SCHEMA 1

static void finish_report(struct pmu_json_reader *reader, const struct pmu_value *root)
{
	if (reader->rc)
		return;
	if (pmu_model_finish(reader->model)) {
		pmu_json_no_memory(reader);
		return;
	}
	/* the report has its doubts in it, also those that finishing it finds again */
	reader->model->n_doubts = 0;
	reader->model->doubt = NULL;
	pmu_json_read_doubts(reader, root);
	pmu_json_read_ranks(reader, root);
	if (!reader->rc)
		pmu_metric_fill(reader->model);
}

/* --- all of it --- */

static void check_report_schema(struct pmu_json_reader *reader, const struct pmu_value *root)
{
	const struct pmu_value *schema = pmu_value_member(root, "pmu_report");

	if (!pmu_value_is(schema, PMU_VALUE_INTEGER) || pmu_value_integer(schema) < 1)
		pmu_json_complain(reader, "\"pmu_report\" is missing");
	else if (pmu_value_integer(schema) > SCHEMA)
		reader->rc = pmu_fail(ENOTSUP,
				      "the report has schema %" PRId64
				      " and this version reads up to %d; use a newer pmu command",
				      (int64_t)pmu_value_integer(schema), SCHEMA);
}

static void read_report(struct pmu_json_reader *reader, const struct pmu_value *root)
{
	check_report_schema(reader, root);
	if (reader->rc)
		return;
	reader->regions = pmu_json_list(reader, root, "regions");
	pmu_json_read_head(reader, root);
	pmu_json_read_parts(reader, root);
	pmu_json_read_remarks(reader, root);
	pmu_json_read_threads(reader, root);
	pmu_json_read_groups(reader, root);
	pmu_json_read_objects(reader, root);
	pmu_json_read_regions(reader, root);
	finish_report(reader, root);
}

int pmu_json_read_value(const struct pmu_value *root, struct pmu_model **model)
{
	struct pmu_json_reader reader = { .model = pmu_model_new() };

	if (reader.model)
		read_report(&reader, root);
	else
		pmu_json_no_memory(&reader);
	if (reader.rc) {
		pmu_model_free(reader.model);
		return reader.rc;
	}
	*model = reader.model;
	return 0;
}

int pmu_json_read(char *text, size_t len, struct pmu_model **model)
{
	struct pmu_model_block *blocks = NULL;
	struct pmu_value root;
	int rc = pmu_value_parse(text, len, &blocks, &root);

	if (!rc)
		rc = pmu_json_read_value(&root, model);
	pmu_block_free(&blocks);
	return rc;
}
