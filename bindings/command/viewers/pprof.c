/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pprof's profiles: a sample for each path of each thread, with a value of each measure.
 *
 * Source: google/pprof, proto/profile.proto
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/viewers/protobuf.h"
#include "bindings/command/viewers/viewers.h"
#include "report/encode.h"

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
enum mapping { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum location { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4 };
enum line { LINE_FUNCTION = 1 };
enum function { FUNCTION_ID = 1, FUNCTION_NAME = 2 };

/* Regions are the program's; functions are of what has their code. */
#define PROGRAM_MAPPING 1u

struct pprof {
	struct pmu_strbuf *out;
	struct pmu_stacks *stacks;
	uint64_t n_strings; /* so far */
	uint64_t key[2];    /* strings: "thread", "socket" */
	uint64_t *mapping;  /* [n_frames] */
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

/* What pprof calls the file: nothing has to be looked up in it. */
static void put_mapping(struct pprof *p, uint64_t id, const char *file)
{
	uint64_t name = add_string(p, file);
	size_t begun = pmu_protobuf_begin(p->out, PROFILE_MAPPING);

	pmu_protobuf_u64(p->out, MAPPING_ID, id);
	pmu_protobuf_u64(p->out, MAPPING_FILE, name);
	pmu_protobuf_u64(p->out, MAPPING_HAS_FUNCTIONS, 1);
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

static void put_mappings(struct pprof *p)
{
	uint64_t id = PROGRAM_MAPPING;

	put_mapping(p, id, p->stacks->model->program);
	for (unsigned int i = 0; i < p->stacks->n_frames; i++) {
		p->mapping[i] = find_mapping(p, i);
		if (!p->mapping[i])
			put_mapping(p, p->mapping[i] = ++id, p->stacks->frame[i].object);
	}
}

/*
 * A function and its only place: both have the frame's number.  Without a system_name its name stays as
 * it is: pprof leaves templates out of one that is the same.
 */
static void put_frame(struct pprof *p, unsigned int frame)
{
	uint64_t name = add_string(p, p->stacks->frame[frame].name), id = (uint64_t)frame + 1;
	size_t begun = pmu_protobuf_begin(p->out, PROFILE_FUNCTION), line;

	pmu_protobuf_u64(p->out, FUNCTION_ID, id);
	pmu_protobuf_u64(p->out, FUNCTION_NAME, name);
	pmu_protobuf_end(p->out, begun);
	begun = pmu_protobuf_begin(p->out, PROFILE_LOCATION);
	pmu_protobuf_u64(p->out, LOCATION_ID, id);
	pmu_protobuf_u64(p->out, LOCATION_MAPPING, p->mapping[frame]);
	line = pmu_protobuf_begin(p->out, LOCATION_LINE);
	pmu_protobuf_u64(p->out, LINE_FUNCTION, id);
	pmu_protobuf_end(p->out, line);
	pmu_protobuf_end(p->out, begun);
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

/* The innermost first. */
static void pprof_put_path(struct pprof *p, unsigned int node)
{
	size_t begun = pmu_protobuf_begin(p->out, SAMPLE_LOCATION);

	for (int at = (int)node; at >= 0; at = p->stacks->node[at].parent)
		pmu_protobuf_varint(p->out, (uint64_t)p->stacks->node[at].frame + 1);
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

int pmu_viewer_pprof(struct pmu_strbuf *out, struct pmu_stacks *stacks,
		     const struct pmu_text_options *options)
{
	struct pprof p = { .out = out, .stacks = stacks };
	int rc = 0;

	(void)options;
	p.mapping = calloc((size_t)stacks->n_frames + 1, sizeof(*p.mapping));
	if (!p.mapping)
		return -ENOMEM;
	/* the first has to be empty */
	add_string(&p, "");
	p.key[0] = add_string(&p, "thread");
	p.key[1] = add_string(&p, "socket");
	put_types(&p);
	put_mappings(&p);
	for (unsigned int i = 0; i < stacks->n_frames; i++)
		put_frame(&p, i);
	for (unsigned int lane = 0; lane < stacks->n_lanes && !rc; lane++)
		rc = pprof_put_lane(&p, lane);
	for (unsigned int i = 0; i < stacks->n_remarks; i++)
		pmu_protobuf_u64(out, PROFILE_COMMENT, add_string(&p, stacks->remark[i]));
	pmu_protobuf_u64(out, PROFILE_TIME_NS, stacks->model->start_unix_ns);
	pmu_protobuf_u64(out, PROFILE_DURATION_NS, stacks->model->duration_ns);
	free(p.mapping);
	return rc;
}
