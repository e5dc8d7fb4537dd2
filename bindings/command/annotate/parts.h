/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts that make listings share. */
#ifndef PMU_COMMAND_ANNOTATE_PARTS_H
#define PMU_COMMAND_ANNOTATE_PARTS_H

#include "bindings/command/annotate/listing.h"
#include "bindings/command/annotate/source.h"
#include "report/model/block.h"
#include "report/model/objects.h"

/** A program or library, as it is now. */
struct pmu_annotate_object {
	struct pmu_annotate_object *next;
	const struct pmu_model_object *of;
	struct pmu_code_object *code; /* NULL: it cannot be used: */
	const char *why;              /* a sentence; else "" */
	const char *doubt;            /* one on whether it is the same; else "" */
	struct timespec written;      /* 0: not known */
};

struct pmu_annotate {
	const struct pmu_model *model;
	const char *source_dir;
	struct pmu_annotate_object *objects;
	struct pmu_source *sources;
	struct pmu_model_block *blocks;
};

/** pmu_annotate_object() - opened once; NULL without memory */
const struct pmu_annotate_object *pmu_annotate_object(struct pmu_annotate *annotate,
						      const struct pmu_model_object *of);

/** pmu_annotate_is_after_run() - was a file written after what was measured had ended? */
bool pmu_annotate_is_after_run(const struct pmu_annotate *annotate, const struct timespec *written);

/** pmu_annotate_said() - a sentence that lives as long as @annotate; "" without memory */
const char *pmu_annotate_said(struct pmu_annotate *annotate, const char *fmt, ...) PMU_PRINTF(2, 3);

/** pmu_annotate_lines() - @listing's files and lines, of its instructions.  Return: 0 or -ENOMEM. */
int pmu_annotate_lines(struct pmu_annotate *annotate, struct pmu_listing *listing,
		       const struct pmu_annotate_object *object);

/** pmu_annotate_only_lines() - the same of what the report knows of the function's lines */
int pmu_annotate_only_lines(struct pmu_annotate *annotate, struct pmu_listing *listing);

#endif
