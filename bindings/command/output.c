/* SPDX-License-Identifier: BSD-3-Clause */
/* What an output's name asks for. */
#include "bindings/command/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "bindings/command/command.h"

const struct pmu_format pmu_formats[] = {
#define FORMAT(beginning, ending, library, why, ...) { beginning, ending, library, __VA_ARGS__ },
#include "report/formats.h"
	{ 0 },
};

static unsigned int written_of(const struct pmu_format *format)
{
	bool report = format->library != PMU_REPORT_TEXT || format->report || format->viewer;

	return (report ? PMU_OF_REPORT : 0u) | (format->picture ? PMU_OF_ROOFLINE : 0u) |
	       (format->series ? PMU_OF_SERIES : 0u) | (format->diff ? PMU_OF_DIFF : 0u) |
	       (format->trace ? PMU_OF_TRACE : 0u);
}

const struct pmu_format *pmu_output_format(const char *path, unsigned int of)
{
	const struct pmu_format *best = NULL;
	size_t len, plain;
	int most = -1;

	if (!path)
		return NULL;
	len = strlen(path);
	plain = pmu_viewer_plain_len(path);
	for (const struct pmu_format *format = pmu_formats; format->ending; format++) {
		int fit = pmu_format_fit(path, format->viewer ? plain : len, format->beginning,
					 format->ending);

		if (fit > most && written_of(format) & of) {
			best = format;
			most = fit;
		}
	}
	return best;
}

int pmu_output_check(const char *path, unsigned int of)
{
	const struct pmu_format *format = pmu_output_format(path, of);

	if (!format)
		return pmu_report_format_check(path);
	return format->viewer ? pmu_viewer_check(path) : 0;
}

void pmu_output_list(enum pmu_output_of of, char *list, size_t size)
{
	const char *last = NULL;
	int n = snprintf(list, size, "text");

	for (const struct pmu_format *format = pmu_formats; format->ending; format++) {
		if (!format->offered || !(written_of(format) & of))
			continue;
		if (last)
			n += snprintf(list + n, size - (size_t)n, ", %s", last);
		last = format->ending;
	}
	snprintf(list + n, size - (size_t)n, " or %s", last);
}

/* The report is worth having, whether there is something to be listed below it or not. */
static int annotate_text(struct pmu_strbuf *out, const struct pmu_model *model,
			 const struct pmu_annotate_request *request,
			 const struct pmu_text_options *options)
{
	int rc;

	if (!request->is_below)
		return pmu_annotate_text(out, model, request, options);
	pmu_report_render(out, model, PMU_REPORT_TEXT, options);
	pmu_strbuf_add(out, "\n");
	rc = pmu_annotate_text(out, model, request, options);
	if (!rc || rc == -ENOMEM)
		return rc;
	pmu_command_error("%s", pmu_error_text());
	return 0;
}

int pmu_output_report(struct pmu_strbuf *out, const struct pmu_model *model, const char *path,
		      const struct pmu_page_beside *beside, const struct pmu_text_options *options)
{
	const struct pmu_format *format = pmu_output_format(path,
							    pmu_output_of_report(beside->roofline));

	if (format && format->report)
		return format->report(out, model, beside);
	if (format && format->viewer)
		return pmu_viewer_render(out, model, format->viewer, path, options);
	if (beside->roofline && (!format || format->picture))
		return pmu_roofline_render(out, model, beside->ceilings,
					   format ? format->picture : NULL, options);
	if (beside->annotate && !format)
		return annotate_text(out, model, beside->annotate, options);
	pmu_report_render(out, model, format ? format->library : PMU_REPORT_TEXT, options);
	return 0;
}

int pmu_output_series(struct pmu_strbuf *out, const struct pmu_series *series, const char *path,
		      const struct pmu_text_options *options)
{
	const struct pmu_format *format = pmu_output_format(path, PMU_OF_SERIES);

	return format ? format->series(out, series) : pmu_series_write_text(out, series, options);
}

int pmu_output_diff(struct pmu_strbuf *out, const struct pmu_diff *diff, const char *path,
		    const struct pmu_text_options *options)
{
	const struct pmu_format *format = pmu_output_format(path, PMU_OF_DIFF);

	return format ? format->diff(out, diff, options) : pmu_diff_write_text(out, diff, options);
}

int pmu_output_path_of(const char *configured, const struct pmu_model *model, char *path,
		       size_t size)
{
	char rank[16] = "", host[256] = "";
	struct pmu_output_names names = { .pid = getpid(), .rank = rank, .host = host, .nth = 1 };

	if (model) {
		names.pid = (long)model->pid;
		names.nth = model->nth ? model->nth : 1;
		names.host = model->host;
		snprintf(rank, sizeof(rank), "%d", model->rank < 0 ? 0 : model->rank);
	} else {
		gethostname(host, sizeof(host) - 1);
	}
	return pmu_output_path(configured, &names, path, size);
}
