/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs and libraries that a model's samples are in, each once. */
#include "report/model/objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "report/model/model.h"

struct pmu_model_objects {
	struct pmu_index index; /* of all of them */
	const struct pmu_model_object **of;
	size_t n, room;
};

static bool is_object(const void *wanted, uintptr_t thing)
{
	const struct pmu_model_object *a = wanted, *b = (const void *)thing;

	return !strcmp(a->path, b->path) && !strcmp(a->build_id, b->build_id);
}

static bool make_objects_room(struct pmu_model_objects *objects)
{
	size_t room = objects->room ? 2 * objects->room : 16;
	const struct pmu_model_object **grown;

	if (objects->n < objects->room)
		return true;
	grown = reallocarray(objects->of, room, sizeof(*grown));
	if (!grown)
		return false;
	objects->of = grown;
	objects->room = room;
	return true;
}

static const struct pmu_model_object *copy_object(struct pmu_model *model,
						  const struct pmu_model_object *from)
{
	struct pmu_model_object *copy = pmu_model_alloc(model, sizeof(*copy));

	if (copy)
		*copy = (struct pmu_model_object){
			pmu_model_text(model, from->path, strlen(from->path)),
			pmu_model_text(model, from->build_id, strlen(from->build_id)),
			model->objects->n,
		};
	return copy;
}

const struct pmu_model_object *pmu_model_object(struct pmu_model *model, const char *path,
						const char *build_id)
{
	const struct pmu_model_object wanted = { path, build_id, 0 }, *made;
	uint32_t hash = pmu_hash_text(path, strlen(path)) ^
			2 * pmu_hash_text(build_id, strlen(build_id));
	struct pmu_model_objects *objects = model->objects;
	struct pmu_index_place *place;

	if (!objects)
		objects = model->objects = calloc(1, sizeof(*objects));
	if (!objects || pmu_index_reserve(&objects->index, 1) < 0 || !make_objects_room(objects))
		return NULL;
	place = pmu_index_find(&objects->index, hash, is_object, &wanted);
	if (place->thing)
		return (const void *)place->thing;
	made = copy_object(model, &wanted);
	if (!made)
		return NULL;
	objects->of[objects->n++] = made;
	pmu_index_take(&objects->index, place, hash, (uintptr_t)made);
	return made;
}

const struct pmu_model_object *pmu_model_object_at(const struct pmu_model *model, size_t number)
{
	const struct pmu_model_objects *objects = model->objects;

	return objects && number < objects->n ? objects->of[number] : NULL;
}

void pmu_model_objects_free(struct pmu_model_objects *objects)
{
	if (!objects)
		return;
	pmu_index_free(&objects->index);
	free(objects->of);
	free(objects);
}
