/* SPDX-License-Identifier: BSD-3-Clause */
/* What the JSON report of several processes says of each region beside the sums. */
#include <errno.h>
#include <stdlib.h>

#include "report/json_put.h"
#include "report/model/over_parts.h"
#include "report/several.h"

struct pmu_json_parts {
	struct pmu_over_parts over;
};

int pmu_json_parts_open(struct pmu_json_parts **parts, const struct pmu_model *model,
			const struct pmu_model_section *section)
{
	int rc;

	*parts = NULL;
	if (!model->n_parts)
		return 0;
	*parts = calloc(1, sizeof(**parts));
	if (!*parts)
		return -ENOMEM;
	rc = pmu_over_parts_open(&(*parts)->over, model, section);
	if (rc < 0) {
		free(*parts);
		*parts = NULL;
	}
	return rc;
}

void pmu_json_parts_close(struct pmu_json_parts *parts)
{
	if (parts)
		pmu_over_parts_close(&parts->over);
	free(parts);
}

/* @count: or PMU_OVER_TIME */
static void put_spread(struct pmu_strbuf *out, const struct pmu_over_parts *over, unsigned int sum,
		       int count)
{
	struct pmu_spread spread;

	if (!pmu_over_parts(over, sum, count, &spread)) {
		pmu_strbuf_add(out, "null");
		return;
	}
	put_u64(out, "{", "n", spread.n);
	put_double(out, ", ", "sum", spread.sum);
	put_double(out, ", ", "min", spread.min);
	put_double(out, ", ", "max", spread.max);
	put_double(out, ", ", "mean", spread.mean);
	put_double(out, ", ", "imbalance", spread.imbalance);
	put_u64(out, ", ", "min_part", spread.part_min);
	put_u64(out, ", ", "max_part", spread.part_max);
	pmu_strbuf_add(out, "}");
}

static void put_over_parts(struct pmu_strbuf *out, const struct pmu_over_parts *over,
			   unsigned int sum)
{
	const struct pmu_model_section *s = over->section;

	key(out, ",\n     ", "over_parts");
	key(out, "{", "time_ns");
	put_spread(out, over, sum, PMU_OVER_TIME);
	pmu_strbuf_add(out, ",\n        \"net\": {");
	for (unsigned int i = 0; i < s->n_counts; i++) {
		key(out, i ? ",\n          " : "", s->count[i].name);
		put_spread(out, over, sum, (int)i);
	}
	pmu_strbuf_add(out, "}}");
}

void pmu_json_parts_put(struct pmu_strbuf *out, const struct pmu_json_parts *parts,
			unsigned int sum)
{
	put_over_parts(out, &parts->over, sum);
}
