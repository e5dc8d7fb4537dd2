/* SPDX-License-Identifier: BSD-3-Clause */
/* Picks the writer. */
#include "report/report.h"

#include <errno.h>
#include <stdbool.h>
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

static bool path_ends_with(const char *path, const char *ending)
{
	size_t len = strlen(path), n = strlen(ending);

	return len >= n && same_letters(path + len - n, ending);
}

enum pmu_report_format pmu_report_format_of(const char *path)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(endings); i++)
		if (path_ends_with(path, endings[i].ending))
			return endings[i].format;
	return PMU_REPORT_TEXT;
}

#define CALLGRIND "callgrind.out."

/* Another format's ending says more. */
static bool is_for_callgrind(const char *name)
{
	size_t len = strlen(CALLGRIND);

	return !strncmp(name, CALLGRIND, len) && name[len] &&
	       pmu_report_format_of(name) == PMU_REPORT_TEXT;
}

int pmu_report_format_check(const char *path)
{
	static const char *const refused[] = {
		".xml", ".yaml",  ".yml", ".toml",    ".tsv", ".xls",    ".xlsx",  ".ods",
		".md",  ".tex",   ".pdf", ".parquet", ".db",  ".sqlite", ".jsonl", ".jsn",
		".jso", ".jason", ".cvs", ".scv",     ".svg", ".png",    ".gz",
	};
	/* other programs' formats */
	static const char *const commands[] = { ".folded", ".pb", ".pb.gz", ".speedscope.json" };
	static const char *const traces[] = { ".pftrace", ".perfetto-trace", ".trace" };
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

	for (size_t i = 0; i < PMU_ARRAY_LEN(traces); i++)
		if (path_ends_with(path, traces[i]))
			return pmu_fail(
				EINVAL,
				"%s: a trace is made by 'pmu run --trace run%s', and no report is one",
				path, traces[i]);
	for (size_t i = 0; i < PMU_ARRAY_LEN(commands); i++)
		if (path_ends_with(path, commands[i]))
			return pmu_fail(
				EINVAL,
				"%s: only the pmu command writes %s; a name that ends in .json gets what "
				"'pmu report' makes it from",
				path, commands[i]);
	if (dot && (same_letters(dot, ".html") || same_letters(dot, ".htm")))
		return pmu_fail(
			EINVAL,
			"%s: pages are made by the pmu command: 'pmu run -o run.html', or of a "
			"report that ends in .json 'pmu report run.json -o run.html'",
			path);
	if (is_for_callgrind(slash ? slash + 1 : path))
		return pmu_fail(
			EINVAL,
			"%s: only the pmu command writes " CALLGRIND
			"NAME; a name that ends in .json gets what 'pmu report' makes it from",
			path);
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
