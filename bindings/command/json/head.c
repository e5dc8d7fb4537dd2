/* SPDX-License-Identifier: BSD-3-Clause */
/* What a JSON report says beside its regions: head, remarks, doubts, threads, groups. */
#include "bindings/command/json/reader.h"
#include "report/several.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define MAX_COUNTS  PMU_MODEL_MAX_COUNTS
#define MAX_METRICS 256u

/* Not in the first reports of this schema.  Return: -1 where it is not there or null. */
static int64_t read_later(struct pmu_json_reader *reader, const struct pmu_value *object,
			  const char *name, int64_t most)
{
	return pmu_value_member(object, name) ? pmu_json_known(reader, object, name, most) : -1;
}

void pmu_json_read_end(struct pmu_json_reader *reader, const struct pmu_value *object,
		       struct pmu_model_run *run)
{
	int64_t start_unix_ns = read_later(reader, object, "start_unix_ns", INT64_MAX);

	run->status = (int)pmu_json_known(reader, object, "status", 255);
	run->signal = (int)pmu_json_known(reader, object, "signal", 127);
	if (run->signal < 0)
		run->signal = 0;
	run->start_unix_ns = start_unix_ns > 0 ? (uint64_t)start_unix_ns : 0;
	run->elapsed_ns = pmu_json_u64(reader, object, "elapsed_ns");
	run->user_ns = pmu_json_u64(reader, object, "user_ns");
	run->system_ns = pmu_json_u64(reader, object, "system_ns");
	run->max_rss = pmu_json_u64(reader, object, "max_rss_bytes");
}

/* Only where `pmu run` made the report. */
static void read_run(struct pmu_json_reader *reader, const struct pmu_value *root)
{
	struct pmu_model_run *run;

	if (!pmu_value_member(root, "run"))
		return;
	run = pmu_json_alloc(reader, 1, sizeof(*run));
	if (!run)
		return;
	pmu_json_read_end(reader, pmu_json_object(reader, root, "run"), run);
	reader->model->run = run;
}

static uint32_t read_nth(struct pmu_json_reader *reader, const struct pmu_value *object)
{
	int64_t nth = read_later(reader, object, "nth", UINT32_MAX);

	return nth > 0 ? (uint32_t)nth : 0;
}

void pmu_json_read_head(struct pmu_json_reader *reader, const struct pmu_value *root)
{
	struct pmu_model *model = reader->model;
	const struct pmu_value *part;
	double hz;

	model->version = pmu_json_text(reader, root, "version");
	model->program = pmu_json_text(reader, root, "program");
	model->command = pmu_json_text(reader, root, "command");
	model->host = pmu_json_text(reader, root, "host");
	model->pid = pmu_json_known(reader, root, "pid", INT32_MAX);
	model->rank = (int)read_later(reader, root, "rank", INT32_MAX);
	model->n_ranks = (int)read_later(reader, root, "ranks", INT32_MAX);
	if (model->n_ranks < 0)
		model->n_ranks = 0;
	model->nth = read_nth(reader, root);
	model->start_unix_ns = pmu_json_u64(reader, root, "start_unix_ns");
	model->duration_ns = pmu_json_u64(reader, root, "duration_ns");
	model->off_ns = pmu_value_member(root, "off_ns") ? pmu_json_u64(reader, root, "off_ns") : 0;
	model->is_attached = pmu_value_is(pmu_value_member(root, "attached"), PMU_VALUE_TRUE);
	part = pmu_json_object(reader, root, "machine");
	model->machine = pmu_json_text(reader, part, "description");
	model->cpu = pmu_json_text(reader, part, "cpu");
	part = pmu_json_object(reader, root, "clock");
	model->clock = pmu_json_text(reader, part, "name");
	hz = pmu_json_double(reader, part, "hz");
	model->clock_hz = isfinite(hz) && hz > 0 ? hz : 0;
	part = pmu_json_object(reader, root, "source");
	model->source = pmu_json_text(reader, part, "name");
	model->source_detail = pmu_json_text(reader, part, "detail");
	model->pinning = pmu_json_text(reader, root, "pinning");
	if (!pmu_json_is_null(root, "died"))
		model->died = pmu_json_text(reader, root, "died");
	read_run(reader, root);
}

static void read_part(struct pmu_json_reader *reader, const struct pmu_value *item,
		      struct pmu_model_part *part)
{
	part->label = pmu_json_text(reader, item, "label");
	part->program = pmu_json_text(reader, item, "program");
	part->command = pmu_json_text(reader, item, "command");
	part->host = pmu_json_text(reader, item, "host");
	part->pid = pmu_json_known(reader, item, "pid", INT32_MAX);
	part->rank = (int)pmu_json_known(reader, item, "rank", INT32_MAX);
	part->nth = read_nth(reader, item);
	part->start_unix_ns = pmu_json_u64(reader, item, "start_unix_ns");
	part->duration_ns = pmu_json_u64(reader, item, "duration_ns");
	if (!pmu_json_is_null(item, "died"))
		part->died = pmu_json_text(reader, item, "died");
}

void pmu_json_read_parts(struct pmu_json_reader *reader, const struct pmu_value *root)
{
	struct pmu_model *model = reader->model;
	const struct pmu_value *list;
	size_t n;

	if (!pmu_value_member(root, "parts"))
		return;
	list = pmu_json_list(reader, root, "parts");
	n = pmu_value_size(list);
	if (!n || n > INT_MAX / 8)
		pmu_json_complain(reader, "\"parts\" is empty, or too long");
	model->part = pmu_json_alloc(reader, n, sizeof(*model->part));
	for (size_t i = 0; i < n && !reader->rc; i++) {
		read_part(reader, pmu_json_element(reader, list, i, "parts"), &model->part[i]);
		model->n_parts++;
	}
	model->several = &pmu_several;
	reader->where[0] = '\0';
}

unsigned int pmu_json_read_part(struct pmu_json_reader *reader, const struct pmu_value *item)
{
	unsigned int n = reader->model->n_parts;

	return n ? (unsigned int)pmu_json_int(reader, item, "part", n - 1) : 0;
}

void pmu_json_read_remarks(struct pmu_json_reader *reader, const struct pmu_value *root)
{
	const struct pmu_value *list = pmu_json_list(reader, root, "refused"), *item;
	size_t i;

	for (i = 0; i < pmu_value_size(list) && !reader->rc; i++) {
		item = pmu_json_element(reader, list, i, "refused");
		if (pmu_model_add_refusal(reader->model, pmu_json_text(reader, item, "source"),
					  pmu_json_text(reader, item, "why"),
					  pmu_json_text(reader, item, "mend")))
			pmu_json_no_memory(reader);
	}
	reader->where[0] = '\0';
	list = pmu_json_list(reader, root, "notes");
	for (i = 0; i < pmu_value_size(list) && !reader->rc; i++) {
		item = pmu_value_at(list, i);
		if (!pmu_value_is(item, PMU_VALUE_TEXT))
			pmu_json_complain(reader, "notes[%zu] is not a text", i);
		else if (pmu_model_add_note(reader->model,
					    pmu_json_copy(reader, pmu_value_text(item))))
			pmu_json_no_memory(reader);
	}
}

/* Where a doubt is of several parts; reports from before they were listed have none. */
static void read_parts(struct pmu_json_reader *reader, const struct pmu_value *item,
		       struct pmu_model_doubt *doubt)
{
	const struct pmu_value *list = pmu_value_member(item, "parts");
	size_t n = pmu_value_size(list);
	unsigned int *parts;

	if (!n || n > reader->model->n_parts)
		return;
	parts = pmu_model_alloc(reader->model, n * sizeof(*parts));
	if (!parts) {
		pmu_json_no_memory(reader);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		int64_t part = pmu_value_integer(pmu_value_at(list, i));

		if (part < 0 || part >= (int64_t)reader->model->n_parts ||
		    (i && part <= (int64_t)parts[i - 1])) {
			pmu_json_complain(
				reader,
				"\"parts\" are not processes of this report in ascending order");
			return;
		}
		parts[i] = (unsigned int)part;
	}
	doubt->parts = parts;
	doubt->n_parts = (unsigned int)n;
}

void pmu_json_read_doubts(struct pmu_json_reader *reader, const struct pmu_value *root)
{
	const struct pmu_value *list = pmu_json_list(reader, root, "doubts"), *item;
	size_t i;

	for (i = 0; i < pmu_value_size(list) && !reader->rc; i++) {
		const char *region = "";
		int64_t count;

		item = pmu_json_element(reader, list, i, "doubts");
		if (!pmu_json_is_null(item, "region"))
			region = pmu_json_text(reader, item, "region");
		count = pmu_json_known(reader, item, "count", INT64_MAX);
		if (pmu_model_add_doubt(reader->model, pmu_json_text(reader, item, "text"), region,
					(int)pmu_json_known(reader, item, "thread", INT_MAX),
					count < 0 ? 0 : (uint64_t)count))
			pmu_json_no_memory(reader);
		else if (reader->model->n_parts) {
			reader->model->doubt[i].part = (int)pmu_json_known(
				reader, item, "part", reader->model->n_parts - 1);
			read_parts(reader, item, &reader->model->doubt[i]);
		}
	}
	reader->where[0] = '\0';
}

/* Not all reports have it: -1 where it is missing, or null. */
static int64_t known_if_there(struct pmu_json_reader *reader, const struct pmu_value *item,
			      const char *name)
{
	return pmu_value_member(item, name) ? pmu_json_known(reader, item, name, INT64_MAX) : -1;
}

static void read_thread(struct pmu_json_reader *reader, const struct pmu_value *item,
			struct pmu_model_thread *thread)
{
	thread->part = pmu_json_read_part(reader, item);
	thread->number = (int)pmu_json_int(reader, item, "thread", INT_MAX);
	thread->name = pmu_json_text(reader, item, "name");
	thread->tid = pmu_json_known(reader, item, "tid", INT32_MAX);
	thread->cpu = (int)pmu_json_known(reader, item, "cpu", INT_MAX);
	thread->core_type = pmu_value_member(item, "core_type")
				    ? pmu_json_text(reader, item, "core_type")
				    : "";
	thread->n_merged = (uint32_t)pmu_json_int(reader, item, "merged", UINT32_MAX);
	thread->finished = pmu_value_is(pmu_json_get(reader, item, "finished"), PMU_VALUE_TRUE);
	if (!pmu_model_is_simulated(reader->model) || !pmu_json_is_null(item, "time_ns"))
		thread->time_ns = pmu_json_u64(reader, item, "time_ns");
	thread->start_ns = known_if_there(reader, item, "start_ns");
	thread->stop_ns = known_if_there(reader, item, "stop_ns");
	thread->minor_faults = pmu_json_known(reader, item, "minor_faults", INT64_MAX);
	thread->major_faults = pmu_json_known(reader, item, "major_faults", INT64_MAX);
	thread->voluntary_switches = pmu_json_known(reader, item, "voluntary_switches", INT64_MAX);
	thread->involuntary_switches = pmu_json_known(reader, item, "involuntary_switches",
						      INT64_MAX);
	thread->cpu_ns = known_if_there(reader, item, "cpu_ns");
}

int pmu_json_read_socket(struct pmu_json_reader *reader, const struct pmu_value *item)
{
	const char *text = pmu_value_text(pmu_value_member(item, "socket"));

	if (text && !strcmp(text, "process"))
		return PMU_MODEL_PROCESS;
	return (int)pmu_json_known(reader, item, "socket", INT_MAX);
}

/* Behind the threads. */
static void read_sockets(struct pmu_json_reader *reader, const struct pmu_value *list)
{
	struct pmu_model *model = reader->model;
	size_t i, n = pmu_value_size(list);

	for (i = 0; i < n && !reader->rc; i++) {
		struct pmu_model_thread *socket = &model->thread[model->n_threads + i];
		const struct pmu_value *item = pmu_json_element(reader, list, i, "sockets");

		socket->part = pmu_json_read_part(reader, item);
		socket->number = pmu_json_read_socket(reader, item);
		socket->time_ns = pmu_json_u64(reader, item, "time_ns");
		socket->name = socket->number == PMU_MODEL_PROCESS ? "process"
			       : socket->number < 0
				       ? "unknown socket"
				       : pmu_model_textf(model, "socket %d", socket->number);
		socket->cpu = -1;
		model->n_sockets++;
	}
	reader->where[0] = '\0';
}

void pmu_json_read_threads(struct pmu_json_reader *reader, const struct pmu_value *root)
{
	const struct pmu_value *list = pmu_json_list(reader, root, "threads"), *sockets = NULL;
	struct pmu_model *model = reader->model;
	size_t i, n = pmu_value_size(list);

	/* only where there is something of them to tell */
	if (pmu_value_member(root, "sockets"))
		sockets = pmu_json_list(reader, root, "sockets");
	model->thread = pmu_json_alloc(reader, n + pmu_value_size(sockets), sizeof(*model->thread));
	for (i = 0; i < n && !reader->rc; i++) {
		read_thread(reader, pmu_json_element(reader, list, i, "threads"),
			    &model->thread[i]);
		model->n_threads++;
	}
	reader->where[0] = '\0';
	read_sockets(reader, sockets);
}

/* --- groups --- */

static void read_scope(struct pmu_json_reader *reader, const struct pmu_value *column,
		       struct pmu_model_section *section, uint32_t count)
{
	const char *scope = pmu_value_member(column, "scope")
				    ? pmu_json_text(reader, column, "scope")
				    : "";

	if (!strcmp(scope, "process"))
		section->process |= count;
	if (!strcmp(scope, "socket") || !strcmp(scope, "process"))
		section->sockets |= count;
}

static void read_columns(struct pmu_json_reader *reader, const struct pmu_value *item,
			 struct pmu_model_section *section)
{
	const struct pmu_value *counts = pmu_json_list(reader, item, "counts"), *column;
	const struct pmu_value *metrics = pmu_json_list(reader, item, "metrics");
	unsigned int i;

	if (pmu_value_size(counts) > MAX_COUNTS || pmu_value_size(metrics) > MAX_METRICS)
		pmu_json_complain(reader, "more than %u counts or %u metrics", MAX_COUNTS,
				  MAX_METRICS);
	section->count = pmu_json_alloc(reader, pmu_value_size(counts), sizeof(*section->count));
	section->metric = pmu_json_alloc(reader, pmu_value_size(metrics), sizeof(*section->metric));
	if (reader->rc)
		return;
	/* not in the first reports of this schema */
	section->read_ns = pmu_value_member(item, "read_ns")
				   ? pmu_json_double(reader, item, "read_ns")
				   : 0;
	if (!(section->read_ns > 0))
		section->read_ns = 0;
	section->socket_read_ns = pmu_value_member(item, "socket_read_ns")
					  ? pmu_json_double(reader, item, "socket_read_ns")
					  : 0;
	if (!(section->socket_read_ns > 0))
		section->socket_read_ns = 0;
	section->in_turns = pmu_value_is(pmu_value_member(item, "in_turns"), PMU_VALUE_TRUE);
	section->n_counts = (unsigned int)pmu_value_size(counts);
	section->n_metrics = (unsigned int)pmu_value_size(metrics);
	for (i = 0; i < section->n_counts; i++) {
		column = pmu_value_at(counts, i);
		section->count[i].name = pmu_json_text(reader, column, "name");
		section->count[i].unit = pmu_json_text(reader, column, "unit");
		read_scope(reader, column, section, 1u << i);
	}
	for (i = 0; i < section->n_metrics; i++) {
		column = pmu_value_at(metrics, i);
		section->metric[i].name = pmu_json_text(reader, column, "name");
		section->metric[i].unit = pmu_json_text(reader, column, "unit");
		section->metric[i].formula = pmu_json_text(reader, column, "formula");
	}
}

/* Rows of all threads and sockets: how many a group's regions have. */
static size_t count_rows(struct pmu_json_reader *reader, const char *group)
{
	const char *name;
	size_t n = 0;

	for (size_t i = 0; i < pmu_value_size(reader->regions); i++) {
		const struct pmu_value *region = pmu_value_at(reader->regions, i);

		name = pmu_value_text(pmu_value_member(region, "group"));
		if (name && !strcmp(name, group))
			n += pmu_value_size(pmu_value_member(region, "threads")) +
			     pmu_value_size(pmu_value_member(region, "sockets")) +
			     pmu_value_size(
				     pmu_value_member(pmu_value_member(region, "team"), "workers"));
	}
	return n;
}

void pmu_json_read_groups(struct pmu_json_reader *reader, const struct pmu_value *root)
{
	const struct pmu_value *list = pmu_json_list(reader, root, "groups"), *item;
	struct pmu_model *model = reader->model;
	struct pmu_model_section *section;
	size_t i, n = pmu_value_size(list), rows;

	model->section = pmu_json_alloc(reader, n, sizeof(*model->section));
	for (i = 0; i < n && !reader->rc; i++) {
		item = pmu_json_element(reader, list, i, "groups");
		section = &model->section[model->n_sections++];
		section->group = pmu_json_text(reader, item, "name");
		read_columns(reader, item, section);
		rows = reader->rc
			       ? 0
			       : count_rows(reader, pmu_value_text(pmu_value_member(item, "name")));
		if (rows > INT_MAX / 8)
			pmu_json_complain(reader, "too many rows");
		section->thread_row = pmu_json_alloc(reader, rows, sizeof(*section->thread_row));
	}
	reader->where[0] = '\0';
}
