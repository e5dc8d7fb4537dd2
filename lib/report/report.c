/* SPDX-License-Identifier: BSD-3-Clause */
/* Picks the writer. */
#include "report/report.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"

static const struct {
	const char *beginning, *ending;
	enum pmu_report_format format;
	const char *why;
} formats[] = {
#define FORMAT(beginning, ending, library, why, ...) { beginning, ending, library, why },
#include "report/formats.h"
};

/* ASCII only: the program's locale has no say in file names. */
static bool same_letters(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = a[i] >= 'A' && a[i] <= 'Z' ? (char)(a[i] - 'A' + 'a') : a[i];

		if (c != b[i])
			return false;
	}
	return true;
}

int pmu_format_fit(const char *path, size_t len, const char *beginning, const char *ending)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t first = strlen(beginning), last = strlen(ending);

	if (len < last || !same_letters(path + len - last, ending, last))
		return -1;
	if (first && (len <= (size_t)(name - path) + first || strncmp(name, beginning, first)))
		return -1;
	return (int)last;
}

/* The row whose ending is the longest of those that the library writes or says why not; -1. */
static int row_of(const char *path)
{
	int row = -1, best = -1;

	for (int i = 0; i < (int)PMU_ARRAY_LEN(formats); i++) {
		int fit = pmu_format_fit(path, strlen(path), formats[i].beginning,
					 formats[i].ending);

		if (fit > best && (formats[i].why || formats[i].format != OTHER)) {
			row = i;
			best = fit;
		}
	}
	return row;
}

enum pmu_report_format pmu_report_format_of(const char *path)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(formats); i++)
		if (formats[i].format != OTHER &&
		    pmu_format_fit(path, strlen(path), "", formats[i].ending) >= 0)
			return formats[i].format;
	return PMU_REPORT_TEXT;
}

int pmu_report_format_check(const char *path)
{
	/* by which other formats go, and slips of ours */
	static const char *const refused[] = {
		".xml", ".yaml",  ".yml", ".toml",    ".tsv", ".xls",    ".xlsx",  ".ods",
		".md",  ".tex",   ".pdf", ".parquet", ".db",  ".sqlite", ".jsonl", ".jsn",
		".jso", ".jason", ".cvs", ".scv",     ".svg", ".png",    ".gz",
	};
	int row = row_of(path);

	if (row >= 0)
		return formats[row].why ? pmu_fail(EINVAL, "%s: %s", path, formats[row].why) : 0;
	for (size_t i = 0; i < PMU_ARRAY_LEN(refused); i++)
		if (pmu_format_fit(path, strlen(path), "", refused[i]) >= 0)
			return pmu_fail(
				EINVAL,
				"%s: no report is %s; a name that ends in .json or .csv gets that, others "
				"get text",
				path, path + strlen(path) - strlen(refused[i]));
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
