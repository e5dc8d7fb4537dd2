/* SPDX-License-Identifier: BSD-3-Clause */
/* A report's roofline, in the form that an output asks for. */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "bindings/command/roofline/roofline.h"

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
			pmu_roofline_write *picture, const struct pmu_text_options *options)
{
	static const struct pmu_text_options plain;
	char why[PMU_ERROR_MAX + 64] = "";
	struct pmu_ceilings ceilings;
	struct pmu_roofline roofline;
	int rc;

	rc = pmu_ceilings_find(model, file, &ceilings, why, sizeof(why));
	if (rc && !why[0])
		return rc;
	rc = pmu_roofline_make(model, rc ? NULL : &ceilings, &roofline);
	if (!rc && picture)
		rc = picture(out, &roofline, options ? options : &plain);
	else if (!rc)
		rc = pmu_roofline_write_text(out, &roofline, why, options ? options : &plain);
	pmu_roofline_free(&roofline);
	return rc;
}
