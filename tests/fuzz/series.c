/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as a JSON report of repeated runs; what is read can be written, and is the same read again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/series/read.h"
#include "tests/fuzz/fuzz.h"

/* Return: whether it could be read. */
static bool read_text(char *text, size_t len, struct pmu_series *series)
{
	struct pmu_model_block *blocks = NULL;
	struct pmu_value root;
	int rc;

	pmu_error_clear();
	rc = pmu_value_parse(text, len, &blocks, &root);
	if (!rc)
		rc = pmu_series_read(&root, series);
	pmu_block_free(&blocks);
	if (rc && (!pmu_error_text()[0] || series->n_runs))
		abort();
	return !rc;
}

/* What was read can be written, and read back as the same. */
static void check_again(const struct pmu_series *series)
{
	struct pmu_strbuf first = { 0 }, second = { 0 };
	struct pmu_series again = { .n_runs = 0 };
	char *copy;

	if (pmu_series_write_json(&first, series))
		abort();
	copy = strdup(first.text);
	if (copy && !read_text(copy, first.len, &again))
		abort();
	if (copy && (pmu_series_write_json(&second, &again) || strcmp(first.text, second.text)))
		abort();
	free(copy);
	pmu_strbuf_free(&first);
	pmu_strbuf_free(&second);
	pmu_series_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmu_text_options options = { .all = true };
	struct pmu_series series = { .n_runs = 0 };
	struct pmu_strbuf out = { 0 };
	char *copy = malloc(size + 1);

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (read_text(copy, size, &series)) {
		if (pmu_series_write_text(&out, &series, &options) ||
		    pmu_series_write_json(&out, &series) || pmu_series_write_csv(&out, &series))
			abort();
		check_again(&series);
	}
	free(copy);
	pmu_strbuf_free(&out);
	pmu_series_free(&series);
	return 0;
}
