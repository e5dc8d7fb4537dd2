/* SPDX-License-Identifier: BSD-3-Clause */
#include "bindings/command/roofline/labels.h"

#include <string.h>

#include "base/compiler.h"

#define ASCENT  10.0 /* of a text of 12 pixels */
#define DESCENT 3.0
#define NEAR    9.0 /* from a dot's middle to its label */
#define STEP    15.0
#define STEPS   14 /* away from the dot, up and down */

void pmu_labels_take(struct pmu_labels *labels, struct pmu_box box)
{
	if (labels->n < PMU_LABELS_MAX)
		labels->box[labels->n++] = box;
}

static bool overlap(const struct pmu_box *a, const struct pmu_box *b)
{
	return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

static struct pmu_box box_of_label(const struct pmu_label *label, double width)
{
	double left = label->x;

	if (!strcmp(label->anchor, "end"))
		left -= width;
	else if (!strcmp(label->anchor, "middle"))
		left -= width / 2;
	return (struct pmu_box){ left, label->y - ASCENT, left + width, label->y + DESCENT };
}

static bool is_free(const struct pmu_labels *labels, const struct pmu_box *box)
{
	const struct pmu_box *in = &labels->inside;

	if (box->left < in->left || box->right > in->right || box->top < in->top ||
	    box->bottom > in->bottom)
		return false;
	for (size_t i = 0; i < labels->n; i++)
		if (overlap(&labels->box[i], box))
			return false;
	return true;
}

bool pmu_labels_take_free(struct pmu_labels *labels, struct pmu_box box)
{
	if (!is_free(labels, &box))
		return false;
	pmu_labels_take(labels, box);
	return true;
}

static bool try(struct pmu_labels *labels, double width, const struct pmu_label *label)
{
	return pmu_labels_take_free(labels, box_of_label(label, width));
}

bool pmu_labels_place(struct pmu_labels *labels, double x, double y, double width,
		      struct pmu_label *label)
{
	const struct pmu_label near[] = {
		{ x + NEAR, y + 4, "start", false },
		{ x - NEAR, y + 4, "end", false },
		{ x, y - NEAR, "middle", false },
		{ x, y + NEAR + ASCENT, "middle", false },
	};

	for (size_t i = 0; i < PMU_ARRAY_LEN(near); i++) {
		*label = near[i];
		if (try(labels, width, label))
			return true;
	}
	for (int step = 1; step <= STEPS; step++)
		for (int side = 0; side < 4; side++) {
			double dy = side % 2 ? -STEP * step : STEP * step;

			*label = (struct pmu_label){ side < 2 ? x + 2 * NEAR : x - 2 * NEAR,
						     y + dy + 4, side < 2 ? "start" : "end", true };
			if (try(labels, width, label))
				return true;
		}
	return false;
}
