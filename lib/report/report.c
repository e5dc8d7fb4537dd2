/* SPDX-License-Identifier: BSD-3-Clause */
/* Picks the writer. */
#include "report/report.h"

#include <string.h>

static const struct {
	const char *ending;
	enum pmu_report_format format;
} endings[] = { { ".json", PMU_REPORT_JSON }, { ".csv", PMU_REPORT_CSV } };

/* ASCII only: the program's locale has no say in file names. */
static bool same_letters(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		char c = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;

		if (c != *b)
			return false;
	}
	return *a == *b;
}

enum pmu_report_format pmu_report_format_of(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < PMU_ARRAY_LEN(endings); i++) {
		size_t n = strlen(endings[i].ending);

		if (len >= n && same_letters(path + len - n, endings[i].ending))
			return endings[i].format;
	}
	return PMU_REPORT_TEXT;
}

void pmu_report_render(struct pmu_strbuf *out, const struct pmu_model *model,
		       enum pmu_report_format format, const struct pmu_text_options *options)
{
	if (format == PMU_REPORT_JSON)
		pmu_write_json(out, model);
	else if (format == PMU_REPORT_CSV)
		pmu_write_csv(out, model);
	else
		pmu_write_text(out, model, options);
}
