/* SPDX-License-Identifier: BSD-3-Clause */
/* A series as CSV: one value a line, as other programs' tables like them. */
#include <errno.h>
#include <string.h>

#include "bindings/command/series/series.h"
#include "report/encode.h"

/* What it is called in a report's JSON, by share. */
static const char *prefix(const struct pmu_series_measure *measure, enum pmu_series_share share)
{
	switch (measure->kind) {
	case PMU_SERIES_CALLS:
		return "";
	case PMU_SERIES_TIME:
		return share == PMU_SERIES_OWN ? "self_" : "";
	case PMU_SERIES_COUNT:
		return share == PMU_SERIES_OWN ? "self:" : "net:";
	case PMU_SERIES_METRIC:
		return "metric:";
	}
	return "";
}

static void put_csv_name(struct pmu_strbuf *out, const struct pmu_series_measure *measure,
			 enum pmu_series_share share)
{
	struct pmu_strbuf name = { 0 };

	pmu_strbuf_addf(&name, "%s%s%s", prefix(measure, share), measure->name,
			measure->kind == PMU_SERIES_TIME ? "_ns" : "");
	pmu_encode_csv(out, pmu_strbuf_text(&name));
	out->failed |= name.failed;
	pmu_strbuf_free(&name);
}

static void put_csv_line(struct pmu_strbuf *out, const struct pmu_series_group *group, size_t run,
			 unsigned int region, unsigned int measure, enum pmu_series_share share)
{
	uint64_t value = pmu_series_value(group, run, region, measure, share);
	double number;

	if (value == PMU_SERIES_MISSING)
		return;
	pmu_encode_csv(out, group->name);
	pmu_strbuf_add(out, ",");
	pmu_encode_csv(out, group->region[region].path);
	pmu_strbuf_add(out, ",");
	put_csv_name(out, &group->measure[measure], share);
	pmu_strbuf_addf(out, ",%zu,", run + 1);
	memcpy(&number, &value, sizeof(number));
	if (group->measure[measure].kind == PMU_SERIES_METRIC)
		pmu_encode_double(out, number);
	else
		pmu_encode_u64(out, value);
	pmu_strbuf_add(out, "\n");
}

/* What is missing has no line. */
int pmu_series_write_csv(struct pmu_strbuf *out, const struct pmu_series *series)
{
	pmu_strbuf_add(out, "group,path,measure,run,value\n");
	for (unsigned int g = 0; g < series->n_groups; g++) {
		const struct pmu_series_group *group = &series->group[g];

		for (unsigned int i = 0; i < group->n_regions; i++)
			for (unsigned int m = 0; m < group->n_measures; m++)
				for (size_t run = 0; run < series->n_runs; run++)
					for (unsigned int s = 0; s < PMU_SERIES_SHARES; s++)
						put_csv_line(out, group, run, group->order[i], m,
							     (enum pmu_series_share)s);
	}
	return out->failed ? -ENOMEM : 0;
}
