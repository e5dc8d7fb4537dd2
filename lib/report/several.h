/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What writers say only of several processes.  The library in a measured program makes reports of
 * one process: it has nothing of this (alone.c); the command and what else makes one report of
 * several have all of it.
 */
#ifndef PMU_REPORT_SEVERAL_H
#define PMU_REPORT_SEVERAL_H

#include "base/strbuf.h"
#include "report/model/model.h"

/** How regions are spread over the parts of a model, on the way into a JSON report. */
struct pmu_json_parts;

/** pmu_json_parts_open() - @parts: NULL where there is nothing to say.  Return: 0 or -ENOMEM. */
int pmu_json_parts_open(struct pmu_json_parts **parts, const struct pmu_model *model,
			const struct pmu_model_section *section);
/** pmu_json_parts_put() - members of a region, behind others; @sum: index into section->row */
void pmu_json_parts_put(struct pmu_strbuf *out, const struct pmu_json_parts *parts,
			unsigned int sum);
void pmu_json_parts_close(struct pmu_json_parts *parts);

/** What is picked of a number that each rank has. */
enum pmu_pick { PMU_PICK_LEAST, PMU_PICK_MEAN, PMU_PICK_MOST };

/**
 * pmu_parts_pick() - of a sum, over ranks
 * @what: enum pmu_over_what
 * @rank: result: the rank that has it, -1 for the mean
 * Return: NaN where there is none.
 */
double pmu_parts_pick(const struct pmu_json_parts *parts, unsigned int sum, unsigned int what,
		      enum pmu_pick pick, int64_t *rank);

/** pmu_json_ranks() - a member of the report: each rank as a whole */
void pmu_json_ranks(struct pmu_strbuf *out, const struct pmu_model *model);

#endif
