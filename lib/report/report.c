/* SPDX-License-Identifier: BSD-3-Clause */
/* Picks the writer. */
#include "report/report.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

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

int pmu_report_format_check(const char *path)
{
	static const char *const refused[] = {
		".xml",   ".html", ".htm", ".yaml",  ".yml", ".toml",    ".tsv", ".xls",
		".xlsx",  ".ods",  ".md",  ".tex",   ".pdf", ".parquet", ".db",  ".sqlite",
		".jsonl", ".jsn",  ".jso", ".jason", ".cvs", ".scv",     ".svg", ".png",
	};
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

	for (size_t i = 0; dot && i < PMU_ARRAY_LEN(refused); i++)
		if (same_letters(dot, refused[i]))
			return pmu_fail(
				EINVAL,
				"%s: no report is %s; a name that ends in .json or .csv gets that, others "
				"get text",
				path, dot);
	return 0;
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
