/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs and libraries that a model's samples are in, each once. */
#ifndef PMU_REPORT_OBJECTS_H
#define PMU_REPORT_OBJECTS_H

#include <stddef.h>

struct pmu_model;

struct pmu_model_object {
	const char *path;     /* as it was mapped; "[vdso]" */
	const char *build_id; /* in hexadecimal; "" it has none */
	size_t number;        /* its place in the model's list */
};

/** A model's list. */
struct pmu_model_objects;

/** pmu_model_object() - the one that is that, made where there is none; NULL without memory */
const struct pmu_model_object *pmu_model_object(struct pmu_model *model, const char *path,
						const char *build_id);

/** pmu_model_object_at() - by its number; NULL behind the last one */
const struct pmu_model_object *pmu_model_object_at(const struct pmu_model *model, size_t number);

/** pmu_model_objects_free() - of model.c; @objects: may be NULL */
void pmu_model_objects_free(struct pmu_model_objects *objects);

#endif
