/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages with the JSON as it is for data: repeated runs, and comparisons. */
#include "bindings/command/diff/diff.h"
#include "bindings/command/page/page.h"
#include "bindings/command/series/series.h"

int pmu_page_series(struct pmu_strbuf *out, const struct pmu_series *series)
{
	struct pmu_strbuf json = { 0 };
	int rc = pmu_series_write_json(&json, series);

	if (!rc)
		rc = pmu_page_write(out, "series", &json);
	pmu_strbuf_free(&json);
	return rc;
}

int pmu_page_diff(struct pmu_strbuf *out, const struct pmu_diff *diff,
		  const struct pmu_text_options *options)
{
	struct pmu_strbuf json = { 0 };
	int rc = pmu_diff_write_json(&json, diff, options);

	if (!rc)
		rc = pmu_page_write(out, "diff", &json);
	pmu_strbuf_free(&json);
	return rc;
}
