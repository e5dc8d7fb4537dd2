/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: any bytes as what ranks did; what is read can be merged, sent on and reported. */
#include <stdlib.h>

#include "base/error.h"
#include "report/model/metric.h"
#include "report/report.h"
#include "reports/ranks/ranks.h"
#include "tests/fuzz/fuzz.h"

static void report(struct pmu_ranks *ranks)
{
	struct pmu_text_options options = { .all = true };
	struct pmu_model *model = NULL;
	struct pmu_strbuf out = { 0 };

	if (pmu_ranks_model(ranks, &model))
		return;
	pmu_metric_fill(model);
	for (int format = PMU_REPORT_TEXT; format <= PMU_REPORT_CSV; format++)
		pmu_report_render(&out, model, (enum pmu_report_format)format, &options);
	if (out.failed)
		abort();
	pmu_strbuf_free(&out);
	pmu_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmu_ranks *ranks = NULL, *again = NULL;
	struct pmu_strbuf bytes = { 0 };

	pmu_error_clear();
	if (pmu_ranks_decode(data, size, &ranks))
		return 0;
	pmu_ranks_encode(ranks, &bytes);
	/* what was read is within all limits, and so are its bytes */
	if (bytes.failed || pmu_ranks_decode(bytes.text, bytes.len, &again))
		abort();
	pmu_strbuf_free(&bytes);
	if (pmu_ranks_merge(ranks, again))
		abort();
	pmu_ranks_free(again);
	report(ranks);
	return 0;
}
