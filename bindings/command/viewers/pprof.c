/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pprof's profiles: a sample for each path of each thread, with a value of each measure.
 *
 * Source: google/pprof, proto/profile.proto
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "bindings/command/viewers/protobuf.h"
#include "bindings/command/viewers/viewers.h"
#include "report/encode.h"
#include "report/model/objects.h"

/* Fields by their messages. */
enum profile {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS = 10,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT = 14
};
enum value_type { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum sample { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum label { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum mapping {
	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9
};
enum location { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4 };
enum line { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum function { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILE = 4 };

/* Regions are the program's; functions are of what has their code. */
#define PROGRAM_MAPPING 1u

/* Beside those of frames: a function as it is in another file, or a line of one. */
struct pprof_place {
	unsigned int frame;
	const char *file;
	uint32_t line;     /* 0: the function */
	uint64_t function; /* that the line is of */
};

struct pprof {
	struct pmu_strbuf *out;
	struct pmu_stacks *stacks;
	uint64_t n_strings; /* so far */
	uint64_t key[2];    /* strings: "thread", "socket" */
	uint64_t *mapping;  /* [n_frames] */
	const char **file;  /* [n_frames] of a function's line with most samples; NULL: not known */
	/* numbered behind the frames */
	struct pprof_place *place; /* [2 * n_nodes] room for so many */
	unsigned int n_places;
	struct pmu_index places; /* from 1 on */
	uint64_t *at;            /* [n_nodes] the location of a line; else 0 */
};

/* Return: its number. */
static uint64_t add_string(struct pprof *p, const char *text)
{
	struct pmu_strbuf line = { 0 };

	pmu_encode_line(&line, text);
	pmu_protobuf_bytes(p->out, PROFILE_STRING, pmu_strbuf_text(&line), line.len);
	p->out->failed |= line.failed;
	pmu_strbuf_free(&line);
	return p->n_strings++;
}

/* Units that pprof knows have long names. */
static const char *pprof_unit_of(const char *unit)
{
	static const char *const units[][2] = { { "", "count" },
						{ "ns", "nanoseconds" },
						{ "B", "bytes" } };

	for (size_t i = 0; i < PMU_ARRAY_LEN(units); i++)
		if (!strcmp(unit, units[i][0]))
			return units[i][1];
	return unit;
}

/* --- what there is --- */

static bool pprof_shows(const struct pprof *p, unsigned int m)
{
	const struct pmu_stack_measure *measure = &p->stacks->measure[m];

	return !m || measure->in_sums || measure->in_threads;
}

static uint64_t pprof_put_type(struct pprof *p, const char *name, const char *unit)
{
	uint64_t type = add_string(p, name), unit_at = add_string(p, unit);
	size_t begun = pmu_protobuf_begin(p->out, PROFILE_SAMPLE_TYPE);

	pmu_protobuf_u64(p->out, TYPE_TYPE, type);
	pmu_protobuf_u64(p->out, TYPE_UNIT, unit_at);
	pmu_protobuf_end(p->out, begun);
	return type;
}

static void put_types(struct pprof *p)
{
	pprof_put_type(p, "calls", "count");
	for (unsigned int m = 0; m < p->stacks->n_measures; m++) {
		const struct pmu_stack_measure *measure = &p->stacks->measure[m];
		uint64_t type;

		if (!pprof_shows(p, m))
			continue;
		type = pprof_put_type(p, measure->name, pprof_unit_of(measure->unit));
		if (!m)
			pmu_protobuf_u64(p->out, PROFILE_DEFAULT, type);
	}
}

/* The program or library of that name in which samples were; NULL: none is known, or which of several is not. */
static const struct pmu_model_object *pprof_object(const struct pprof *p, const char *name)
{
	const struct pmu_model_object *object, *found = NULL;

	for (size_t i = 0; (object = pmu_model_object_at(p->stacks->model, i)); i++) {
		const char *slash = strrchr(object->path, '/');

		if (strcmp(slash ? slash + 1 : object->path, name) != 0)
			continue;
		if (found)
			return NULL;
		found = object;
	}
	return found;
}

/* Nothing has to be looked up in it: that it has functions says so.  @has_files: some have the file of their source */
static void put_mapping(struct pprof *p, uint64_t id, const char *name, bool has_files)
{
	const struct pmu_model_object *object = pprof_object(p, name);
	uint64_t file = add_string(p, object ? object->path : name);
	uint64_t build_id = object && object->build_id[0] ? add_string(p, object->build_id) : 0;
	size_t begun = pmu_protobuf_begin(p->out, PROFILE_MAPPING);

	pmu_protobuf_u64(p->out, MAPPING_ID, id);
	pmu_protobuf_u64(p->out, MAPPING_FILE, file);
	if (build_id)
		pmu_protobuf_u64(p->out, MAPPING_BUILD_ID, build_id);
	pmu_protobuf_u64(p->out, MAPPING_HAS_FUNCTIONS, 1);
	if (has_files) {
		pmu_protobuf_u64(p->out, MAPPING_HAS_FILES, 1);
		pmu_protobuf_u64(p->out, MAPPING_HAS_LINES, 1);
	}
	pmu_protobuf_end(p->out, begun);
}

/* That of the first frame which has the same object, of which there are a few tens. */
static uint64_t find_mapping(const struct pprof *p, unsigned int frame)
{
	const struct pmu_stack_frame *frames = p->stacks->frame;

	if (!frames[frame].object || !strcmp(frames[frame].object, p->stacks->model->program))
		return PROGRAM_MAPPING;
	for (unsigned int i = 0; i < frame; i++)
		if (frames[i].object && !strcmp(frames[i].object, frames[frame].object))
			return p->mapping[i];
	return 0;
}

static bool mapping_has_files(const struct pprof *p, uint64_t id)
{
	for (unsigned int i = 0; i < p->stacks->n_frames; i++)
		if (p->mapping[i] == id && p->file[i])
			return true;
	return false;
}

static void put_mappings(struct pprof *p)
{
	unsigned int n = p->stacks->n_frames;
	uint64_t id = PROGRAM_MAPPING;

	for (unsigned int i = 0; i < n; i++) {
		const char *object = p->stacks->frame[i].object;

		/* of what is in no file that is known: none */
		if (object && !object[0])
			continue;
		p->mapping[i] = find_mapping(p, i);
		if (!p->mapping[i])
			p->mapping[i] = ++id;
	}
	put_mapping(p, PROGRAM_MAPPING, p->stacks->model->program,
		    mapping_has_files(p, PROGRAM_MAPPING));
	id = PROGRAM_MAPPING;
	for (unsigned int i = 0; i < n; i++) {
		if (p->mapping[i] <= id)
			continue;
		id = p->mapping[i];
		put_mapping(p, id, p->stacks->frame[i].object, mapping_has_files(p, id));
	}
}

/*
 * Without a system_name its name stays as it is: pprof leaves templates out of one that is the same.
 * @file: NULL: not known
 */
static void put_pprof_function(struct pprof *p, uint64_t id, unsigned int frame, const char *file)
{
	uint64_t name = add_string(p, p->stacks->frame[frame].name);
	uint64_t file_at = file ? add_string(p, file) : 0;
	size_t begun = pmu_protobuf_begin(p->out, PROFILE_FUNCTION);

	pmu_protobuf_u64(p->out, FUNCTION_ID, id);
	pmu_protobuf_u64(p->out, FUNCTION_NAME, name);
	if (file)
		pmu_protobuf_u64(p->out, FUNCTION_FILE, file_at);
	pmu_protobuf_end(p->out, begun);
}

/* @number: 0: not known */
static void put_location(struct pprof *p, uint64_t id, unsigned int frame, uint64_t function,
			 uint32_t number)
{
	size_t begun = pmu_protobuf_begin(p->out, PROFILE_LOCATION), line;

	pmu_protobuf_u64(p->out, LOCATION_ID, id);
	if (p->mapping[frame])
		pmu_protobuf_u64(p->out, LOCATION_MAPPING, p->mapping[frame]);
	line = pmu_protobuf_begin(p->out, LOCATION_LINE);
	pmu_protobuf_u64(p->out, LINE_FUNCTION, function);
	if (number)
		pmu_protobuf_u64(p->out, LINE_NUMBER, number);
	pmu_protobuf_end(p->out, line);
	pmu_protobuf_end(p->out, begun);
}

/* A function and its place of no line: both have the frame's number. */
static void put_frame(struct pprof *p, unsigned int frame)
{
	uint64_t id = (uint64_t)frame + 1;

	put_pprof_function(p, id, frame, p->file[frame]);
	put_location(p, id, frame, id, 0);
}

/* --- files and lines --- */

struct wanted_frame {
	const struct pprof *p;
	const char *name, *object;
};

static bool is_wanted_frame(const void *arg, uintptr_t number)
{
	const struct wanted_frame *wanted = arg;
	const struct pmu_stack_frame *frame = &wanted->p->stacks->frame[number - 1];

	return !strcmp(frame->name, wanted->name) && !strcmp(frame->object, wanted->object);
}

static struct pmu_index_place *find_frame(const struct pprof *p, const struct pmu_index *frames,
					  const char *name, const char *object, uint32_t *hash)
{
	const struct wanted_frame wanted = { p, name, object };

	*hash = pmu_hash_text(name, strlen(name));
	return pmu_index_find(frames, *hash, is_wanted_frame, &wanted);
}

static void find_row_files(struct pprof *p, const struct pmu_index *frames,
			   const struct pmu_model_samples *samples)
{
	for (unsigned int i = 0; samples && i < samples->n_functions; i++) {
		const struct pmu_model_function *function = &samples->function[i];
		const struct pmu_index_place *place;
		uint32_t hash;

		if (!function->n_lines || !function->line->file[0])
			continue;
		place = find_frame(p, frames, function->name, function->object, &hash);
		if (place->thing && !p->file[place->thing - 1])
			p->file[place->thing - 1] = function->line->file;
	}
}

/* A function's file is that of its line with most samples, in the first region that it is in. */
static int find_frame_files(struct pprof *p)
{
	const struct pmu_model *model = p->stacks->model;
	struct pmu_index frames = { 0 };
	int rc = pmu_index_reserve(&frames, (size_t)p->stacks->n_frames + 1);

	for (unsigned int i = 0; i < p->stacks->n_frames && !rc; i++) {
		const struct pmu_stack_frame *frame = &p->stacks->frame[i];
		struct pmu_index_place *place;
		uint32_t hash;

		if (!frame->object)
			continue;
		place = find_frame(p, &frames, frame->name, frame->object, &hash);
		pmu_index_take(&frames, place, hash, (uintptr_t)i + 1);
	}
	for (unsigned int s = 0; s < model->n_sections && !rc; s++)
		for (unsigned int i = 0; i < model->section[s].n_rows; i++)
			find_row_files(p, &frames, model->section[s].row[i].samples);
	pmu_index_free(&frames);
	return rc;
}

struct wanted_place {
	const struct pprof *p;
	const struct pprof_place *place;
};

static bool is_wanted_place(const void *arg, uintptr_t number)
{
	const struct wanted_place *wanted = arg;
	const struct pprof_place *place = &wanted->p->place[number - 1];

	return place->frame == wanted->place->frame && place->line == wanted->place->line &&
	       !strcmp(place->file, wanted->place->file);
}

/* Return: its number, as that of a location or a function; what is not there yet is written. */
static uint64_t put_line_place(struct pprof *p, const struct pprof_place *place)
{
	const struct wanted_place wanted = { p, place };
	uint32_t hash = pmu_hash_text(place->file, strlen(place->file)) ^
			pmu_hash_number((uint64_t)place->frame << 32 | place->line);
	struct pmu_index_place *found = pmu_index_find(&p->places, hash, is_wanted_place, &wanted);
	uint64_t id = (uint64_t)p->stacks->n_frames + p->n_places + 1;

	if (found->thing)
		return p->stacks->n_frames + found->thing;
	p->place[p->n_places++] = *place;
	pmu_index_take(&p->places, found, hash, p->n_places);
	if (place->line)
		put_location(p, id, place->frame, place->function, place->line);
	else
		put_pprof_function(p, id, place->frame, place->file);
	return id;
}

/* Return: a line's location; 0: it is that of the function. */
static uint64_t place_line(struct pprof *p, const struct pmu_stack_node *node)
{
	const char *file = p->file[node->frame];
	struct pprof_place place = { node->frame, node->line->file, 0, (uint64_t)node->frame + 1 };

	if (!node->line->line)
		return 0;
	/* inlined from there, of whatever function: it is one of the same name */
	if (!file || strcmp(file, place.file) != 0)
		place.function = put_line_place(p, &place);
	place.line = node->line->line;
	return put_line_place(p, &place);
}

static int place_lines(struct pprof *p)
{
	unsigned int n = p->stacks->n_nodes;

	/* of a line at most a function and a location */
	if (pmu_index_reserve(&p->places, 2 * (size_t)n + 1))
		return -ENOMEM;
	for (unsigned int i = 0; i < n; i++)
		if (p->stacks->node[i].line)
			p->at[i] = place_line(p, &p->stacks->node[i]);
	return 0;
}

/* --- samples --- */

/* Where groups took turns it is of all threads together, else of each. */
static bool is_of_lane(const struct pprof *p, unsigned int lane, unsigned int m)
{
	return p->stacks->n_lanes == 1 || p->stacks->measure[m].estimated == !lane;
}

static uint64_t pprof_value_of(const struct pprof *p, unsigned int lane,
			       const struct pmu_stack_values *values, unsigned int i,
			       unsigned int m)
{
	return is_of_lane(p, lane, m) ? pmu_stack_own(values, i, m) : 0;
}

static uint64_t calls_of(const struct pprof *p, unsigned int lane,
			 const struct pmu_stack_values *values, unsigned int i)
{
	return is_of_lane(p, lane, 0) ? values->calls[i] : 0;
}

static bool has_any(const struct pprof *p, unsigned int lane, const struct pmu_stack_values *values,
		    unsigned int i)
{
	uint64_t any = calls_of(p, lane, values, i);

	for (unsigned int m = 0; m < p->stacks->n_measures; m++)
		any |= pprof_value_of(p, lane, values, i, m);
	return any;
}

static void pprof_put_values(struct pprof *p, unsigned int lane,
			     const struct pmu_stack_values *values, unsigned int i)
{
	size_t begun = pmu_protobuf_begin(p->out, SAMPLE_VALUE);

	pmu_protobuf_varint(p->out, calls_of(p, lane, values, i));
	for (unsigned int m = 0; m < p->stacks->n_measures; m++)
		if (pprof_shows(p, m))
			pmu_protobuf_varint(p->out, pprof_value_of(p, lane, values, i, m));
	pmu_protobuf_end(p->out, begun);
}

static void put_label(struct pprof *p, unsigned int lane, uint64_t title)
{
	size_t begun = pmu_protobuf_begin(p->out, SAMPLE_LABEL);

	pmu_protobuf_u64(p->out, LABEL_KEY, p->key[p->stacks->lane[lane].is_socket]);
	pmu_protobuf_u64(p->out, LABEL_TEXT, title);
	pmu_protobuf_end(p->out, begun);
}

/* The innermost first; a line is a place of the function around it. */
static void pprof_put_path(struct pprof *p, unsigned int node)
{
	size_t begun = pmu_protobuf_begin(p->out, SAMPLE_LOCATION);
	const struct pmu_stack_node *nodes = p->stacks->node;
	int at = nodes[node].line ? nodes[node].parent : (int)node;

	pmu_protobuf_varint(p->out, p->at[node] ? p->at[node] : (uint64_t)nodes[at].frame + 1);
	while ((at = nodes[at].parent) >= 0)
		pmu_protobuf_varint(p->out, (uint64_t)nodes[at].frame + 1);
	pmu_protobuf_end(p->out, begun);
}

static int pprof_put_lane(struct pprof *p, unsigned int lane)
{
	struct pmu_stack_values values;
	int rc = pmu_stacks_values(p->stacks, lane, &values);
	uint64_t title = lane ? add_string(p, p->stacks->lane[lane].title) : 0;

	for (unsigned int i = 0; i < values.n && !rc; i++) {
		size_t begun;

		if (!has_any(p, lane, &values, i))
			continue;
		begun = pmu_protobuf_begin(p->out, PROFILE_SAMPLE);
		pprof_put_path(p, values.node[i]);
		pprof_put_values(p, lane, &values, i);
		if (lane)
			put_label(p, lane, title);
		pmu_protobuf_end(p->out, begun);
	}
	pmu_stack_values_free(&values);
	return rc;
}

static int put_profile(struct pprof *p)
{
	const struct pmu_stacks *stacks = p->stacks;
	int rc = find_frame_files(p);

	if (rc)
		return rc;
	/* the first has to be empty */
	add_string(p, "");
	p->key[0] = add_string(p, "thread");
	p->key[1] = add_string(p, "socket");
	put_types(p);
	put_mappings(p);
	for (unsigned int i = 0; i < stacks->n_frames; i++)
		put_frame(p, i);
	rc = place_lines(p);
	for (unsigned int lane = 0; lane < stacks->n_lanes && !rc; lane++)
		rc = pprof_put_lane(p, lane);
	for (unsigned int i = 0; i < stacks->n_remarks; i++)
		pmu_protobuf_u64(p->out, PROFILE_COMMENT, add_string(p, stacks->remark[i]));
	pmu_protobuf_u64(p->out, PROFILE_TIME_NS, stacks->model->start_unix_ns);
	pmu_protobuf_u64(p->out, PROFILE_DURATION_NS, stacks->model->duration_ns);
	return rc;
}

int pmu_viewer_pprof(struct pmu_strbuf *out, struct pmu_stacks *stacks,
		     const struct pmu_text_options *options)
{
	struct pprof p = { .out = out, .stacks = stacks };
	int rc = -ENOMEM;

	(void)options;
	p.mapping = calloc((size_t)stacks->n_frames + 1, sizeof(*p.mapping));
	p.file = calloc((size_t)stacks->n_frames + 1, sizeof(*p.file));
	p.place = calloc(2 * (size_t)stacks->n_nodes + 1, sizeof(*p.place));
	p.at = calloc((size_t)stacks->n_nodes + 1, sizeof(*p.at));
	if (p.mapping && p.file && p.place && p.at)
		rc = put_profile(&p);
	free(p.mapping);
	free(p.file);
	free(p.place);
	free(p.at);
	pmu_index_free(&p.places);
	return rc;
}
