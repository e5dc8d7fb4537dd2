/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as a JSON report; what is read can be written, and read again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/json_read.h"
#include "report/report.h"
#include "tests/fuzz/fuzz.h"

/* What came from a file goes through the writers. */
static void check_again(const struct pmu_model *model)
{
	struct pmu_strbuf first = {0}, second = {0};
	struct pmu_model *again = NULL;

	pmu_report_json(&first, model);
	if (first.failed)
		abort();
	/* numbers beyond what the reader takes can come of sums alone */
	if (!pmu_json_read(pmu_strbuf_text(&first), first.len, &again)) {
		pmu_report_json(&second, again);
		if (second.failed)
			abort();
	}
	pmu_strbuf_free(&first);
	pmu_strbuf_free(&second);
	pmu_model_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmu_text_options options = {.threads = true};
	struct pmu_model *model = NULL;
	struct pmu_strbuf text = {0};
	int rc;

	pmu_error_clear();
	rc = pmu_json_read((const char *)data, size, &model);
	if ((rc && !pmu_error_text()[0]) || (rc && model) || (!rc && !model))
		abort();
	if (rc)
		return 0;
	pmu_report_text(&text, model, &options);
	pmu_strbuf_free(&text);
	check_again(model);
	pmu_model_free(model);
	return 0;
}
