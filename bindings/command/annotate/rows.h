/* SPDX-License-Identifier: BSD-3-Clause */
/* A listing as it is shown: what is hot with what is around it, the rest folded. */
#ifndef PMU_COMMAND_ANNOTATE_ROWS_H
#define PMU_COMMAND_ANNOTATE_ROWS_H

#include "bindings/command/annotate/listing.h"
#include "report/model/block.h"

enum pmu_annotated_kind {
	PMU_ANNOTATED_REMARK,      /* text: a sentence */
	PMU_ANNOTATED_FILE,        /* text: its name; samples where there are several */
	PMU_ANNOTATED_LINE,        /* number, text: of source, "" it is not here */
	PMU_ANNOTATED_INSTRUCTION, /* number: its address; text, target; of the line above */
	PMU_ANNOTATED_FOLD,        /* of lines: what was sampled in these */
	PMU_ANNOTATED_FOLDED_IN,   /* the same of a line's instructions */
	PMU_ANNOTATED_OTHERS,      /* number of files that are not shown */
};

/** A row; texts may be anything. */
struct pmu_annotated {
	enum pmu_annotated_kind kind;
	uint64_t n_samples, number;
	const char *text, *target;
};

struct pmu_annotated_rows {
	struct pmu_model_block **blocks; /* given: its memory */
	bool all;                        /* given: nothing is folded */
	struct pmu_annotated *of;
	unsigned int n, room;
	bool failed; /* no memory */
};

/** pmu_annotated_add() - one more */
void pmu_annotated_add(struct pmu_annotated_rows *rows, const struct pmu_annotated *row);

/** pmu_annotated_lines() - a file's lines, with their instructions; of hot.c */
struct pmu_annotate_hot;
void pmu_annotated_lines(struct pmu_annotated_rows *rows, const struct pmu_listing *listing,
			 const struct pmu_listed_file *file, const struct pmu_annotate_hot *hot);

/** pmu_annotated_bare() - instructions of which no line is known */
void pmu_annotated_bare(struct pmu_annotated_rows *rows, const struct pmu_listing *listing,
			const struct pmu_annotate_hot *hot);

/** pmu_annotated_make() - all of a listing, which lives as long.  Return: 0 or -ENOMEM. */
int pmu_annotated_make(struct pmu_annotated_rows *rows, const struct pmu_listing *listing);

#endif
