/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What writers say only of a model of several processes.  The model brings it along: the library in
 * a measured program makes reports of one process, and has nothing of this.
 */
#ifndef PMU_REPORT_SEVERAL_H
#define PMU_REPORT_SEVERAL_H

#include "base/strbuf.h"
#include "report/model/model.h"

struct pmu_text;

/** How the regions of a section are spread over the parts of a model, ready to be asked. */
struct pmu_several_rows;

/** Numbers of a region that are spread over ranks. */
enum pmu_over_what {
	PMU_OVER_TIME_NS,
	PMU_OVER_CALLS,
	PMU_OVER_SELF_NS, /* of those ranks where it is known */
	PMU_OVER_COUNT,   /* and on: each count, net */
};

/** What is picked of a number that each rank has. */
enum pmu_pick { PMU_PICK_LEAST, PMU_PICK_MEAN, PMU_PICK_MOST };

/** model->several, of a combined model and of one that ranks made together. */
struct pmu_several {
	/* to how many processes the parts @at belong; NULL: the first @n */
	unsigned int (*n_processes)(const struct pmu_model_part *part, const unsigned int *at,
				    unsigned int n);

	/* @rows: NULL where there is nothing to say.  Return: 0 or -ENOMEM. */
	int (*open)(struct pmu_several_rows **rows, const struct pmu_model *model,
		    const struct pmu_model_section *section);
	/* members of a region in JSON, behind others; @sum: index into section->row */
	void (*put_json)(struct pmu_strbuf *out, const struct pmu_several_rows *rows,
			 unsigned int sum);
	/*
	 * of a sum, over ranks; @what: enum pmu_over_what; @rank: result: the rank that has it, -1
	 * for the mean.  Return: NaN where there is none.
	 */
	double (*pick)(const struct pmu_several_rows *rows, unsigned int sum, unsigned int what,
		       enum pmu_pick pick, int64_t *rank);
	void (*close)(struct pmu_several_rows *rows);
	/* a member of the JSON report: each rank as a whole */
	void (*put_json_ranks)(struct pmu_strbuf *out, const struct pmu_model *model);

	/* what the parts are called: "ranks", "processes" */
	const char *(*word)(const struct pmu_text *t);
	/* "(8 ranks on node1)" */
	void (*title)(struct pmu_text *t);
	/* "7 of 8: rank 3 has no report"; "" where none is missing; lives in scratch */
	const char *(*missing)(struct pmu_text *t);
	/* how the regions are spread; @at: [@n] the sums to be shown; NULL: the first */
	void (*put_over)(struct pmu_text *t, const struct pmu_model_section *section,
			 const unsigned int *at, unsigned int n);
	/* the ranks or processes */
	void (*put_table)(struct pmu_text *t);
	/* at the end of the text */
	void (*end_text)(struct pmu_text *t);
};

extern const struct pmu_several pmu_several;

#endif
