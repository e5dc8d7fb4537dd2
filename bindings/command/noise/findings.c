/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of sentences on what makes times vary. */
#include "bindings/command/noise/findings.h"

#include <stdlib.h>
#include <string.h>

const char *pmu_noise_severity_name(enum pmu_noise_severity severity)
{
	static const char *const names[] = { "quiet", "worth knowing", "disturbs" };

	return names[severity];
}

void pmu_noise_find_more(struct pmu_noise_findings *findings, enum pmu_noise_severity severity,
			 const char *name, const char *text, const char *mend)
{
	struct pmu_noise_finding *finding = &findings->finding[findings->n];

	if (findings->n == PMU_NOISE_FINDINGS)
		return;
	*finding = (struct pmu_noise_finding){
		.severity = severity,
		.name = name,
		.text = strdup(text),
		.mend = mend && mend[0] ? strdup(mend) : NULL,
	};
	findings->n++;
	if (!finding->text || (mend && mend[0] && !finding->mend)) {
		findings->no_memory = true;
		findings->n--;
		free(finding->text);
		free(finding->mend);
	}
}

void pmu_noise_findings_sort(struct pmu_noise_findings *findings)
{
	for (size_t i = 1; i < findings->n; i++) {
		struct pmu_noise_finding moved = findings->finding[i];
		size_t j = i;

		for (; j && findings->finding[j - 1].severity < moved.severity; j--)
			findings->finding[j] = findings->finding[j - 1];
		findings->finding[j] = moved;
	}
}

void pmu_noise_findings_free(struct pmu_noise_findings *findings)
{
	for (size_t i = 0; i < findings->n; i++) {
		free(findings->finding[i].text);
		free(findings->finding[i].mend);
	}
	*findings = (struct pmu_noise_findings){ .n = 0 };
}

static void add_number(struct pmu_strbuf *out, double percent)
{
	pmu_strbuf_addf(out, percent < 9.95 ? "%.2g" : "%.0f", percent);
}

void pmu_noise_add_percent(struct pmu_strbuf *out, double least, double most)
{
	struct pmu_strbuf a = { 0 }, b = { 0 };

	add_number(&a, 100 * least);
	add_number(&b, 100 * most);
	if (strcmp(pmu_strbuf_text(&a), pmu_strbuf_text(&b)) != 0)
		pmu_strbuf_addf(out, "%s to ", pmu_strbuf_text(&a));
	pmu_strbuf_addf(out, "%s %%", pmu_strbuf_text(&b));
	out->failed |= a.failed | b.failed;
	pmu_strbuf_free(&a);
	pmu_strbuf_free(&b);
}
