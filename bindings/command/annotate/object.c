/* SPDX-License-Identifier: BSD-3-Clause */
/* Is a program or library still the one that was measured? */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bindings/command/annotate/parts.h"
#include "bindings/command/code/code.h"
#include "bindings/command/code/object.h"

#define SHOWN_ID 12 /* digits: they tell two builds apart */

const char *pmu_annotate_said(struct pmu_annotate *annotate, const char *fmt, ...)
{
	const char *copy;
	va_list args;

	va_start(args, fmt);
	copy = pmu_block_vtextf(&annotate->blocks, fmt, args);
	va_end(args);
	return copy ? copy : "";
}

bool pmu_annotate_is_after_run(const struct pmu_annotate *annotate, const struct timespec *written)
{
	uint64_t end_ns = annotate->model->start_unix_ns + annotate->model->duration_ns;

	return written->tv_sec > 0 &&
	       (uint64_t)written->tv_sec * 1000000000u + (uint64_t)written->tv_nsec > end_ns;
}

/* Without an id there is only the time at which it was written. */
static void check_time(struct pmu_annotate *annotate, struct pmu_annotate_object *object)
{
	if (pmu_annotate_is_after_run(annotate, &object->written))
		object->why = pmu_annotate_said(
			annotate,
			"%s was written after the run, and has no build-id: it may be another one; record again",
			object->of->path);
	else
		object->doubt = pmu_annotate_said(
			annotate,
			"%s has no build-id: that it is the file that was measured is not sure",
			object->of->path);
}

static void check_object(struct pmu_annotate *annotate, struct pmu_annotate_object *object)
{
	const char *now = pmu_code_object_build_id(object->code), *was = object->of->build_id;

	if (!now[0] && !was[0])
		check_time(annotate, object);
	else if (strcmp(now, was) != 0)
		object->why = pmu_annotate_said(
			annotate,
			"%s has changed since (its build-id was %.*s and is %.*s): there are no instructions; record again",
			object->of->path, SHOWN_ID, was[0] ? was : "none", SHOWN_ID,
			now[0] ? now : "none");
}

static void open_object(struct pmu_annotate *annotate, struct pmu_annotate_object *object)
{
	const char *path = object->of->path, *why = pmu_code_why();
	struct stat st;

	object->why = object->doubt = "";
	if (*why) {
		object->why = why;
		return;
	}
	if (path[0] == '/' && stat(path, &st)) {
		object->why = pmu_annotate_said(annotate,
						"cannot read %s: %s: there are no instructions",
						path, strerror(errno));
		return;
	}
	if (path[0] == '/')
		object->written = st.st_mtim;
	object->code = pmu_code_open(path);
	if (object->code)
		check_object(annotate, object);
	else
		object->why = pmu_annotate_said(
			annotate,
			"cannot read %s as a program or library: there are no instructions", path);
}

const struct pmu_annotate_object *pmu_annotate_object(struct pmu_annotate *annotate,
						      const struct pmu_model_object *of)
{
	struct pmu_annotate_object *object = annotate->objects;

	while (object && object->of != of)
		object = object->next;
	if (object)
		return object;
	object = calloc(1, sizeof(*object));
	if (!object)
		return NULL;
	object->of = of;
	open_object(annotate, object);
	object->next = annotate->objects;
	annotate->objects = object;
	return object;
}

struct pmu_annotate *pmu_annotate_new(const struct pmu_model *model, const char *source_dir)
{
	struct pmu_annotate *annotate = calloc(1, sizeof(*annotate));

	if (annotate) {
		annotate->model = model;
		annotate->source_dir = source_dir;
	}
	return annotate;
}

void pmu_annotate_free(struct pmu_annotate *annotate)
{
	struct pmu_annotate_object *object;

	if (!annotate)
		return;
	while ((object = annotate->objects)) {
		annotate->objects = object->next;
		pmu_code_object_close(object->code);
		free(object);
	}
	pmu_source_free(&annotate->sources);
	pmu_block_free(&annotate->blocks);
	free(annotate);
}
