/* SPDX-License-Identifier: BSD-3-Clause */
/* The report model's memory and lists. */
#include "report/model/model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/block.h"
#include "report/model/objects.h"

#define FIRST_ELEMENTS 4u
/* There are a handful of sources; a list from outside may be of any length. */
#define REFUSALS_COMPARED 64u

struct pmu_model *pmu_model_new(void)
{
	struct pmu_model *model = malloc(sizeof(*model));

	if (!model)
		return NULL;
	*model = (struct pmu_model){
		.program = "",
		.command = "",
		.host = "",
		.machine = "",
		.cpu = "",
		.source = "",
		.source_detail = "",
		.clock = "",
		.pinning = "",
		.version = "",
		.rank = -1,
	};
	return model;
}

void pmu_model_free(struct pmu_model *model)
{
	if (!model)
		return;
	pmu_model_objects_free(model->objects);
	pmu_block_free(&model->blocks);
	free(model);
}

void *pmu_model_alloc(struct pmu_model *model, size_t size)
{
	return pmu_block_alloc(&model->blocks, size);
}

const char *pmu_model_text(struct pmu_model *model, const char *text, size_t len)
{
	const char *copy = pmu_block_text(&model->blocks, text, len);

	return copy ? copy : "";
}

const char *pmu_model_textf(struct pmu_model *model, const char *fmt, ...)
{
	const char *copy;
	va_list args;

	va_start(args, fmt);
	copy = pmu_block_vtextf(&model->blocks, fmt, args);
	va_end(args);
	return copy ? copy : "";
}

/* Room for element @n: lists double when they are full. */
static void *list_room(struct pmu_model *model, void *list, unsigned int n, size_t size)
{
	void *more;

	if (n && (n < FIRST_ELEMENTS || (n & (n - 1))))
		return list;
	more = pmu_block_array(&model->blocks, n ? 2 * (size_t)n : FIRST_ELEMENTS, size);
	if (more && n)
		memcpy(more, list, n * size);
	return more;
}

static const char *copy_of(struct pmu_model *model, const char *text)
{
	return text ? pmu_block_text(&model->blocks, text, strlen(text)) : "";
}

bool pmu_model_is_simulated(const struct pmu_model *model)
{
	return model->source && !strcmp(model->source, "valgrind");
}

int pmu_model_add_note(struct pmu_model *model, const char *text)
{
	const char **list = list_room(model, model->note, model->n_notes, sizeof(*list));
	const char *copy = copy_of(model, text);

	if (!list || !copy)
		return -ENOMEM;
	model->note = list;
	list[model->n_notes++] = copy;
	return 0;
}

int pmu_model_add_doubt(struct pmu_model *model, const char *text, const char *region, int thread,
			uint64_t count)
{
	struct pmu_model_doubt doubt = {
		.text = copy_of(model, text),
		.region = copy_of(model, region),
		.thread = thread,
		.count = count,
		.part = -1,
	};
	struct pmu_model_doubt *list = list_room(model, model->doubt, model->n_doubts,
						 sizeof(*list));

	if (!list || !doubt.text || !doubt.region)
		return -ENOMEM;
	model->doubt = list;
	list[model->n_doubts++] = doubt;
	return 0;
}

static bool has_refusal(const struct pmu_model *model, const struct pmu_model_refusal *refusal)
{
	for (unsigned int i = 0; i < model->n_refusals && i < REFUSALS_COMPARED; i++) {
		const struct pmu_model_refusal *old = &model->refusal[i];

		if (!strcmp(old->source, refusal->source) && !strcmp(old->why, refusal->why) &&
		    !strcmp(old->mend, refusal->mend))
			return true;
	}
	return false;
}

int pmu_model_add_refusal(struct pmu_model *model, const char *source, const char *why,
			  const char *mend)
{
	struct pmu_model_refusal refusal = {
		.source = copy_of(model, source),
		.why = copy_of(model, why),
		.mend = copy_of(model, mend),
	};
	struct pmu_model_refusal *list = list_room(model, model->refusal, model->n_refusals,
						   sizeof(*list));

	if (!list || !refusal.source || !refusal.why || !refusal.mend)
		return -ENOMEM;
	if (has_refusal(model, &refusal))
		return 0;
	model->refusal = list;
	list[model->n_refusals++] = refusal;
	return 0;
}
