/* SPDX-License-Identifier: BSD-3-Clause */
/* What a model of several processes brings along for the writers. */
#include "report/several.h"

#include "reports/combine/combine.h"
#include "reports/json_parts.h"
#include "reports/text_parts.h"

const struct pmu_several pmu_several = {
	.n_processes = pmu_parts_processes,
	.open = pmu_json_parts_open,
	.put_json = pmu_json_parts_put,
	.pick = pmu_parts_pick,
	.close = pmu_json_parts_close,
	.put_json_ranks = pmu_json_ranks,
	.word = pmu_text_parts_word,
	.title = pmu_text_parts_title,
	.missing = pmu_text_parts_missing,
	.put_over = pmu_text_over_parts,
	.put_table = pmu_text_parts_table,
	.end_text = pmu_text_parts_close,
};
