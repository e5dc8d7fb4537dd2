/* SPDX-License-Identifier: BSD-3-Clause */
/* A report's roofline, in the form that an output asks for. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "bindings/command/roofline/roofline.h"

static bool has_ending(const char *path, const char *ending)
{
	size_t len = path ? strlen(path) : 0, n = strlen(ending);

	return len > n && !strcasecmp(path + len - n, ending);
}

bool pmu_roofline_is_svg(const char *path)
{
	return has_ending(path, ".svg");
}

int pmu_ceilings_find(const struct pmu_model *model, const char *file,
		      struct pmu_ceilings *ceilings, char *why, size_t size)
{
	int rc = pmu_ceilings_read(file, model->host, model->cpu, ceilings);

	if (!rc || file || rc == -ENOMEM)
		return rc;
	if (rc == -ENOENT)
		snprintf(why, size,
			 "none of this machine: 'pmu-bench --ceilings' measures them, in 3 s");
	else
		snprintf(why, size, "%s; 'pmu-bench --ceilings' measures them again",
			 pmu_error_text());
	return -ENOENT;
}

int pmu_roofline_render(struct pmu_strbuf *out, const struct pmu_model *model, const char *file,
			const char *output, const struct pmu_text_options *options)
{
	static const struct pmu_text_options plain;
	enum pmu_report_format format = output ? pmu_report_format_of(output) : PMU_REPORT_TEXT;
	char why[PMU_ERROR_MAX + 64] = "";
	struct pmu_ceilings ceilings;
	struct pmu_roofline roofline;
	int rc;

	if (format != PMU_REPORT_TEXT) {
		pmu_report_render(out, model, format, options);
		return 0;
	}
	rc = pmu_ceilings_find(model, file, &ceilings, why, sizeof(why));
	if (rc && !why[0])
		return rc;
	rc = pmu_roofline_make(model, rc ? NULL : &ceilings, &roofline);
	if (!rc && pmu_roofline_is_svg(output))
		rc = pmu_roofline_write_svg(out, &roofline, options ? options : &plain);
	else if (!rc)
		rc = pmu_roofline_write_text(out, &roofline, why, options ? options : &plain);
	pmu_roofline_free(&roofline);
	return rc;
}
