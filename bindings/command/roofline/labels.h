/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in a picture that are not to lie on each other. */
#ifndef PMU_COMMAND_ROOFLINE_LABELS_H
#define PMU_COMMAND_ROOFLINE_LABELS_H

#include <stdbool.h>
#include <stddef.h>

/** Pixels; y grows downwards. */
struct pmu_box {
	double left, top, right, bottom;
};

#define PMU_LABELS_MAX 1024 /* boxes; what comes after is not looked at */

/** What is taken already. */
struct pmu_labels {
	struct pmu_box inside; /* where labels may be */
	size_t n;
	struct pmu_box box[PMU_LABELS_MAX];
};

/** Where a label stands. */
struct pmu_label {
	double x, y;        /* of the text's anchor, on its base line */
	const char *anchor; /* "start", "middle", "end" */
	bool is_far;        /* so far away that a line has to lead to it */
};

/** pmu_labels_take() - nothing else is to be here */
void pmu_labels_take(struct pmu_labels *labels, struct pmu_box box);
/** pmu_labels_take_free() - the same where nothing is yet, inside.  Return: whether that is so. */
bool pmu_labels_take_free(struct pmu_labels *labels, struct pmu_box box);

/**
 * pmu_labels_place() - a place for a text beside a dot, which is taken then
 * @width: of the text
 * Return: whether there is one near enough.
 */
bool pmu_labels_place(struct pmu_labels *labels, double x, double y, double width,
		      struct pmu_label *label);

#endif
