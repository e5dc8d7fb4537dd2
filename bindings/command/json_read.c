/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a report that was written as JSON (the schema stands in lib/report/json.c).
 *
 * The threads' rows make the model, as they do when it comes from a store; of the sums
 * only what cannot be worked out again to the last digit is taken from the file.
 */
#include "bindings/command/json_read.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "group/metric.h"
#include "report/encode.h"

#define SCHEMA	    1
#define MAX_COUNTS  16u
#define MAX_METRICS 64u

struct reader {
	struct pmu_model *model;
	json_t *regions;
	int rc;		/* the first error; every function does nothing after it */
	char where[64]; /* "regions[3]" */
};

/* Says what is wrong and where, once. */
PMU_PRINTF(2, 3) static void complain(struct reader *reader, const char *fmt, ...)
{
	char text[256];
	va_list args;

	if (reader->rc)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	reader->rc = pmu_fail(EINVAL, "not a report of this library: %s%s%s",
			      reader->where, reader->where[0] ? ": " : "", text);
}

static void out_of_memory(struct reader *reader)
{
	if (!reader->rc)
		reader->rc = pmu_fail(ENOMEM, "no memory for the report");
}

static void *alloc(struct reader *reader, size_t n, size_t size)
{
	void *memory = reader->rc ? NULL : pmu_model_alloc(reader->model, n * size);

	if (!memory)
		out_of_memory(reader);
	return memory;
}

/* --- members, by type --- */

static json_t *get(struct reader *reader, json_t *object, const char *name)
{
	json_t *member = json_object_get(object, name);

	if (!member)
		complain(reader, "\"%s\" is missing", name);
	return member;
}

/* A copy with the bytes that the writer had to escape. */
static const char *copy_text(struct reader *reader, const char *text)
{
	char *copy = strdup(text);
	const char *kept;

	if (!copy) {
		out_of_memory(reader);
		return "";
	}
	pmu_decode(copy);
	kept = pmu_model_text(reader->model, copy, strlen(copy));
	free(copy);
	return kept;
}

static const char *get_text(struct reader *reader, json_t *object, const char *name)
{
	json_t *member = get(reader, object, name);

	if (!json_is_string(member)) {
		complain(reader, "\"%s\" is not a text", name);
		return "";
	}
	return copy_text(reader, json_string_value(member));
}

static bool is_null(json_t *object, const char *name)
{
	return json_is_null(json_object_get(object, name));
}

static int64_t get_int(struct reader *reader, json_t *object, const char *name,
		       int64_t most)
{
	json_t *member = get(reader, object, name);
	int64_t value = json_integer_value(member);

	if (json_is_integer(member) && value >= 0 && value <= most)
		return value;
	complain(reader, "\"%s\" is not a whole number from 0 to %" PRId64, name, most);
	return 0;
}

static uint64_t get_u64(struct reader *reader, json_t *object, const char *name)
{
	return (uint64_t)get_int(reader, object, name, INT64_MAX);
}

/* -1 for null */
static int64_t get_known(struct reader *reader, json_t *object, const char *name,
			 int64_t most)
{
	return is_null(object, name) ? -1 : get_int(reader, object, name, most);
}

/* NaN for null */
static double get_double(struct reader *reader, json_t *object, const char *name)
{
	json_t *member = get(reader, object, name);

	if (json_is_null(member))
		return NAN;
	if (!json_is_number(member))
		complain(reader, "\"%s\" is not a number", name);
	return json_number_value(member);
}

static json_t *get_object(struct reader *reader, json_t *object, const char *name)
{
	json_t *member = get(reader, object, name);

	if (!json_is_object(member))
		complain(reader, "\"%s\" is not an object", name);
	return member;
}

static json_t *get_list(struct reader *reader, json_t *object, const char *name)
{
	json_t *member = get(reader, object, name);

	if (!json_is_array(member))
		complain(reader, "\"%s\" is not a list", name);
	return member;
}

/* Element @i of a list called @name, which must be an object; errors name it from here
 * on. */
static json_t *element(struct reader *reader, json_t *list, size_t i, const char *name)
{
	json_t *object = json_array_get(list, i);

	snprintf(reader->where, sizeof(reader->where), "%s[%zu]", name, i);
	if (!json_is_object(object))
		complain(reader, "not an object");
	return object;
}

/* --- the head --- */

static void read_head(struct reader *reader, json_t *root)
{
	struct pmu_model *model = reader->model;
	json_t *part;
	double hz;

	model->version = get_text(reader, root, "version");
	model->program = get_text(reader, root, "program");
	model->command = get_text(reader, root, "command");
	model->host = get_text(reader, root, "host");
	model->pid = get_known(reader, root, "pid", INT32_MAX);
	model->start_unix_ns = get_u64(reader, root, "start_unix_ns");
	model->duration_ns = get_u64(reader, root, "duration_ns");
	part = get_object(reader, root, "machine");
	model->machine = get_text(reader, part, "description");
	model->cpu = get_text(reader, part, "cpu");
	part = get_object(reader, root, "clock");
	model->clock = get_text(reader, part, "name");
	hz = get_double(reader, part, "hz");
	model->clock_hz = isfinite(hz) && hz > 0 ? hz : 0;
	part = get_object(reader, root, "source");
	model->source = get_text(reader, part, "name");
	model->source_detail = get_text(reader, part, "detail");
	model->pinning = get_text(reader, root, "pinning");
	if (!is_null(root, "died"))
		model->died = get_text(reader, root, "died");
}

static void read_remarks(struct reader *reader, json_t *root)
{
	json_t *list = get_list(reader, root, "refused"), *item;
	size_t i;

	for (i = 0; i < json_array_size(list) && !reader->rc; i++) {
		item = element(reader, list, i, "refused");
		if (pmu_model_add_refusal(reader->model, get_text(reader, item, "source"),
					  get_text(reader, item, "why"),
					  get_text(reader, item, "mend")))
			out_of_memory(reader);
	}
	reader->where[0] = '\0';
	list = get_list(reader, root, "notes");
	for (i = 0; i < json_array_size(list) && !reader->rc; i++) {
		item = json_array_get(list, i);
		if (!json_is_string(item))
			complain(reader, "notes[%zu] is not a text", i);
		else if (pmu_model_add_note(reader->model,
					    copy_text(reader, json_string_value(item))))
			out_of_memory(reader);
	}
}

static void read_doubts(struct reader *reader, json_t *root)
{
	json_t *list = get_list(reader, root, "doubts"), *item;
	size_t i;

	for (i = 0; i < json_array_size(list) && !reader->rc; i++) {
		const char *region = "";
		int64_t count;

		item = element(reader, list, i, "doubts");
		if (!is_null(item, "region"))
			region = get_text(reader, item, "region");
		count = get_known(reader, item, "count", INT64_MAX);
		if (pmu_model_add_doubt(reader->model, get_text(reader, item, "text"),
					region,
					(int)get_known(reader, item, "thread", INT_MAX),
					count < 0 ? 0 : (uint64_t)count))
			out_of_memory(reader);
	}
	reader->where[0] = '\0';
}

static void read_thread(struct reader *reader, json_t *item,
			struct pmu_model_thread *thread)
{
	thread->number = (int)get_int(reader, item, "thread", INT_MAX);
	thread->name = get_text(reader, item, "name");
	thread->tid = get_known(reader, item, "tid", INT32_MAX);
	thread->cpu = (int)get_known(reader, item, "cpu", INT_MAX);
	thread->n_merged = (uint32_t)get_int(reader, item, "merged", UINT32_MAX);
	thread->finished = json_is_true(get(reader, item, "finished"));
	thread->time_ns = get_u64(reader, item, "time_ns");
	thread->minor_faults = get_known(reader, item, "minor_faults", INT64_MAX);
	thread->major_faults = get_known(reader, item, "major_faults", INT64_MAX);
	thread->voluntary_switches =
		get_known(reader, item, "voluntary_switches", INT64_MAX);
	thread->involuntary_switches =
		get_known(reader, item, "involuntary_switches", INT64_MAX);
}

static void read_threads(struct reader *reader, json_t *root)
{
	json_t *list = get_list(reader, root, "threads");
	struct pmu_model *model = reader->model;
	size_t i, n = json_array_size(list);

	model->thread = alloc(reader, n, sizeof(*model->thread));
	for (i = 0; i < n && !reader->rc; i++) {
		read_thread(reader, element(reader, list, i, "threads"),
			    &model->thread[i]);
		model->n_threads++;
	}
	reader->where[0] = '\0';
}

/* --- groups --- */

static void read_columns(struct reader *reader, json_t *item,
			 struct pmu_model_section *section)
{
	json_t *counts = get_list(reader, item, "counts"), *column;
	json_t *metrics = get_list(reader, item, "metrics");
	unsigned int i;

	if (json_array_size(counts) > MAX_COUNTS ||
	    json_array_size(metrics) > MAX_METRICS)
		complain(reader, "more than %u counts or %u metrics", MAX_COUNTS,
			 MAX_METRICS);
	section->count = alloc(reader, json_array_size(counts), sizeof(*section->count));
	section->metric =
		alloc(reader, json_array_size(metrics), sizeof(*section->metric));
	if (reader->rc)
		return;
	/* not in the first reports of this schema */
	section->read_ns = json_object_get(item, "read_ns")
				   ? get_double(reader, item, "read_ns")
				   : 0;
	if (!(section->read_ns > 0))
		section->read_ns = 0;
	section->n_counts = (unsigned int)json_array_size(counts);
	section->n_metrics = (unsigned int)json_array_size(metrics);
	for (i = 0; i < section->n_counts; i++) {
		column = json_array_get(counts, i);
		section->count[i].name = get_text(reader, column, "name");
		section->count[i].unit = get_text(reader, column, "unit");
	}
	for (i = 0; i < section->n_metrics; i++) {
		column = json_array_get(metrics, i);
		section->metric[i].name = get_text(reader, column, "name");
		section->metric[i].unit = get_text(reader, column, "unit");
		section->metric[i].formula = get_text(reader, column, "formula");
	}
}

/* Rows of all threads: how many a group's regions have. */
static size_t count_rows(struct reader *reader, const char *group)
{
	const char *name;
	json_t *region;
	size_t i, n = 0;

	json_array_foreach(reader->regions, i, region)
	{
		name = json_string_value(json_object_get(region, "group"));
		if (name && !strcmp(name, group))
			n += json_array_size(json_object_get(region, "threads"));
	}
	return n;
}

static void read_groups(struct reader *reader, json_t *root)
{
	json_t *list = get_list(reader, root, "groups"), *item;
	struct pmu_model *model = reader->model;
	struct pmu_model_section *section;
	size_t i, n = json_array_size(list), rows;

	model->section = alloc(reader, n, sizeof(*model->section));
	for (i = 0; i < n && !reader->rc; i++) {
		item = element(reader, list, i, "groups");
		section = &model->section[model->n_sections++];
		section->group = get_text(reader, item, "name");
		read_columns(reader, item, section);
		rows = reader->rc ? 0
				  : count_rows(reader, json_string_value(json_object_get(
							       item, "name")));
		if (rows > INT_MAX / 8)
			complain(reader, "too many rows");
		section->thread_row = alloc(reader, rows, sizeof(*section->thread_row));
	}
	reader->where[0] = '\0';
}

/* --- regions --- */

static const struct {
	const char *name;
	uint32_t flag;
} flag_names[] = {
	{"overlap", PMU_ROW_OVERLAP}, {"recursive", PMU_ROW_RECURSIVE},
	{"flat", PMU_ROW_FLAT},	      {"open", PMU_ROW_OPEN},
	{"no_self", PMU_ROW_NO_SELF}, {"direct", PMU_ROW_DIRECT},
};

static uint32_t get_flags(struct reader *reader, json_t *object)
{
	json_t *list = get_list(reader, object, "flags"), *item;
	uint32_t flags = 0;
	const char *name;
	size_t i, k;

	json_array_foreach(list, i, item)
	{
		name = json_string_value(item);
		for (k = 0; name && k < PMU_ARRAY_LEN(flag_names); k++)
			if (!strcmp(name, flag_names[k].name))
				flags |= flag_names[k].flag;
	}
	return flags;
}

/* Counts by name; one that is null or not there is missing. */
static void read_counts(struct reader *reader, json_t *object, const char *name,
			json_t *columns, uint64_t *value, uint32_t *missing)
{
	json_t *counts = get_object(reader, object, name);
	const char *column;
	size_t i;

	for (i = 0; i < json_array_size(columns) && !reader->rc; i++) {
		column = json_string_value(
			json_object_get(json_array_get(columns, i), "name"));
		if (!json_object_get(counts, column) || is_null(counts, column))
			*missing |= 1u << i;
		else
			value[i] = get_u64(reader, counts, column);
	}
}

static void read_row(struct reader *reader, json_t *item, json_t *columns,
		     struct pmu_model_row *row)
{
	size_t n = json_array_size(columns), i;
	uint64_t *counts = alloc(reader, 3 * n, sizeof(*counts));

	if (!counts)
		return;
	row->raw = counts;
	row->net = counts + n;
	row->cost = counts + 2 * n;
	row->calls = get_u64(reader, item, "calls");
	row->time_ns = get_u64(reader, item, "time_ns");
	if (row->calls) {
		row->min_ns = get_u64(reader, item, "time_min_ns");
		row->max_ns = get_u64(reader, item, "time_max_ns");
	}
	row->sd_ns = get_double(reader, item, "time_sd_ns");
	row->n_open = (uint32_t)get_int(reader, item, "open", UINT32_MAX);
	row->flags = get_flags(reader, item);
	read_counts(reader, item, "raw", columns, row->raw, &row->missing);
	read_counts(reader, item, "net", columns, row->net, &row->missing);
	for (i = 0; i < n; i++)
		row->cost[i] = row->raw[i] > row->net[i] ? row->raw[i] - row->net[i] : 0;
}

/** Where the regions are on the way through the tree. */
struct around {
	size_t n; /* regions around and including the last one */
	size_t room;
	size_t *region; /* [depth]: index in "regions" */
	int *last;	/* [thread]: its latest row in the section, -1 for none */
};

static int thread_index(struct reader *reader, json_t *item)
{
	int64_t number = get_int(reader, item, "thread", INT_MAX);
	unsigned int low = 0, high = reader->model->n_threads, middle;
	const struct pmu_model_thread *thread = reader->model->thread;

	/* written in order; a report in which they are not is looked through */
	while (low < high) {
		middle = low + (high - low) / 2;
		if (thread[middle].number == number)
			return (int)middle;
		if (thread[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	for (middle = 0; middle < reader->model->n_threads; middle++)
		if (thread[middle].number == number)
			return (int)middle;
	complain(reader, "thread %" PRId64 " is not in \"threads\"", number);
	return -1;
}

/* Nothing of one group is around a region of another. */
static void around_clear(const struct reader *reader, struct around *around)
{
	unsigned int i;

	around->n = 0;
	for (i = 0; i < reader->model->n_threads; i++)
		around->last[i] = -1;
}

/* Goes to region @index at @depth. */
static void around_enter(struct reader *reader, struct around *around, size_t index,
			 size_t depth)
{
	json_t *region = json_array_get(reader->regions, index), *outer;
	size_t *grown;

	if (depth > around->n) {
		complain(reader, "\"depth\" does not follow from the region before it");
		return;
	}
	if (depth) {
		outer = json_array_get(reader->regions, around->region[depth - 1]);
		if (!json_equal(json_object_get(region, "parent"),
				json_object_get(outer, "path"))) {
			complain(reader, "\"parent\" is not the region around it");
			return;
		}
	}
	if (depth == around->room) {
		grown = reallocarray(around->region, 2 * depth + 8, sizeof(*grown));
		if (!grown) {
			out_of_memory(reader);
			return;
		}
		around->region = grown;
		around->room = 2 * depth + 8;
	}
	around->n = depth + 1;
	around->region[depth] = index;
}

/* The row of @thread that a row at @depth is nested in; until the model is finished, sum
 * is its region. */
static int around_parent(struct reader *reader, const struct around *around,
			 const struct pmu_model_row *row, int thread, size_t depth)
{
	int at = around->last[thread];

	if (!depth)
		return -1;
	while (at >= 0 && row[at].depth >= (int)depth)
		at = row[at].parent;
	if (at < 0 || row[at].depth != (int)depth - 1 ||
	    row[at].sum != (int)around->region[depth - 1])
		complain(reader, "a thread is not in the region around it");
	return at;
}

static struct pmu_model_section *section_of(struct reader *reader, json_t *groups,
					    json_t *region, json_t **columns)
{
	const char *name = json_string_value(get(reader, region, "group")), *group;
	unsigned int i;

	for (i = 0; name && i < reader->model->n_sections; i++) {
		group = json_string_value(
			json_object_get(json_array_get(groups, i), "name"));
		if (group && !strcmp(group, name)) {
			*columns = json_object_get(json_array_get(groups, i), "counts");
			return &reader->model->section[i];
		}
	}
	complain(reader, "\"group\" is not one of \"groups\"");
	return NULL;
}

static void read_region(struct reader *reader, json_t *groups, size_t index,
			struct around *around)
{
	json_t *region = element(reader, reader->regions, index, "regions"),
	       *columns = NULL;
	json_t *threads = get_list(reader, region, "threads"), *item;
	struct pmu_model_section *section = section_of(reader, groups, region, &columns);
	size_t depth = (size_t)get_int(reader, region, "depth", INT_MAX - 1), i;
	const char *name = get_text(reader, region, "name");
	struct pmu_model_row *row;
	int thread;

	if (!json_is_string(get(reader, region, "path")))
		complain(reader, "\"path\" is not a text");
	if (!json_array_size(threads))
		complain(reader, "no thread has this region");
	if (!reader->rc)
		around_enter(reader, around, index, depth);
	for (i = 0; i < json_array_size(threads) && !reader->rc; i++) {
		item = json_array_get(threads, i);
		thread = thread_index(reader, item);
		if (reader->rc)
			return;
		row = &section->thread_row[section->n_thread_rows];
		row->name = name;
		row->thread = thread;
		row->depth = (int)depth;
		row->sum = (int)index;
		row->parent =
			around_parent(reader, around, section->thread_row, thread, depth);
		read_row(reader, item, columns, row);
		around->last[thread] = (int)section->n_thread_rows++;
	}
}

static void read_regions(struct reader *reader, json_t *root)
{
	json_t *groups = json_object_get(root, "groups"), *group, *last = NULL;
	size_t i, n = json_array_size(reader->regions);
	struct around around = {0};

	if (n > INT_MAX / 8)
		complain(reader, "too many regions");
	if (reader->rc)
		return;
	around.last = calloc(reader->model->n_threads + 1u, sizeof(*around.last));
	if (!around.last)
		out_of_memory(reader);
	for (i = 0; i < n && !reader->rc; i++) {
		group = json_object_get(json_array_get(reader->regions, i), "group");
		if (!last || !json_equal(group, last))
			around_clear(reader, &around);
		last = group;
		read_region(reader, groups, i, &around);
	}
	reader->where[0] = '\0';
	free(around.region);
	free(around.last);
}

/* --- sums --- */

/*
 * A sum's deviation comes from its threads', which the file has with fewer digits than
 * they had: what was written is better.  Sums of honest reports are in the order of
 * "regions".
 */
static void take_deviations(struct reader *reader)
{
	struct pmu_model *model = reader->model;
	unsigned int next[PMU_MODEL_MAX_COUNTS * 2] = {0}, s;
	struct pmu_model_row *row;
	json_t *region, *groups_name;
	char *path;
	size_t i;

	if (model->n_sections > PMU_ARRAY_LEN(next))
		return;
	json_array_foreach(reader->regions, i, region)
	{
		groups_name = json_object_get(region, "group");
		for (s = 0; s < model->n_sections; s++)
			if (!strcmp(model->section[s].group,
				    json_string_value(groups_name)))
				break;
		if (s == model->n_sections || next[s] == model->section[s].n_rows)
			continue;
		row = &model->section[s].row[next[s]++];
		path = strdup(json_string_value(json_object_get(region, "path")));
		if (!path)
			return;
		pmu_decode(path);
		if (!strcmp(path, row->path))
			row->sd_ns = get_double(reader, region, "time_sd_ns");
		free(path);
	}
}

static void finish(struct reader *reader, json_t *root)
{
	if (reader->rc)
		return;
	if (pmu_model_finish(reader->model)) {
		out_of_memory(reader);
		return;
	}
	/* the report has its doubts in it, also those that finishing it finds again */
	reader->model->n_doubts = 0;
	reader->model->doubt = NULL;
	read_doubts(reader, root);
	take_deviations(reader);
	if (!reader->rc)
		pmu_metric_fill(reader->model);
}

/* --- all of it --- */

static void check_schema(struct reader *reader, json_t *root)
{
	json_t *schema = json_object_get(root, "pmu_report");

	if (!json_is_integer(schema) || json_integer_value(schema) < 1)
		complain(reader, "\"pmu_report\" is missing");
	else if (json_integer_value(schema) > SCHEMA)
		reader->rc = pmu_fail(
			ENOTSUP,
			"the report has schema %" PRId64
			" and this version reads up to %d; use a newer pmu command",
			(int64_t)json_integer_value(schema), SCHEMA);
}

static void read_all(struct reader *reader, json_t *root)
{
	check_schema(reader, root);
	if (reader->rc)
		return;
	reader->regions = get_list(reader, root, "regions");
	read_head(reader, root);
	read_remarks(reader, root);
	read_threads(reader, root);
	read_groups(reader, root);
	read_regions(reader, root);
	finish(reader, root);
}

int pmu_json_read(const char *text, size_t len, struct pmu_model **model)
{
	struct reader reader = {0};
	json_error_t error;
	json_t *root;

	root = json_loadb(text, len, 0, &error);
	if (!root)
		return pmu_fail(EINVAL, "not JSON: line %d, column %d: %s", error.line,
				error.column, error.text);
	reader.model = pmu_model_new();
	if (reader.model)
		read_all(&reader, root);
	else
		out_of_memory(&reader);
	json_decref(root);
	if (reader.rc) {
		pmu_model_free(reader.model);
		return reader.rc;
	}
	*model = reader.model;
	return 0;
}
