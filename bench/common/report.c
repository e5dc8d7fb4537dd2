/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/common/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "pmu.h"

int report_now(json_t **report)
{
	char *text;
	int rc = pmu_report_text("json", &text);

	if (rc < 0)
		return rc;
	*report = json_loads(text, JSON_ALLOW_NUL, NULL);
	free(text);
	return *report ? 0 : -EPROTO;
}

void report_text(char *text, size_t size, const json_t *value)
{
	snprintf(text, size, "%s", json_is_string(value) ? json_string_value(value) : "");
}
