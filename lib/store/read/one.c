/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds one row by its path and converts it alone. */
#define PMU_STORE_READER 1
#include "store/read/one.h"

#include <errno.h>
#include <string.h>

#include "base/compiler.h"
#include "report/model/fields.h"
#include "store/read/convert.h"
#include "store/read/reader.h"

/** A row that was found, and where. */
struct found {
	const struct pmu_table_index_rows *rows;
	struct pmu_group_copy layout;
	struct pmu_store_thread record;
	uint32_t id;
	struct pmu_model_row all; /* of all rows, in the caller's arrays */
};

/* --- the path --- */

/*
 * The name that a path begins with, without what is written before '/' and '\' in it, and its
 * length.  Return: what follows it, NULL after the last one; @path where it is no name.
 */
static const char *next_name(const char *path, char name[PMU_STORE_NAME_MAX], size_t *len)
{
	const char *at = path;

	for (*len = 0; *at && *at != '/' && *len < PMU_STORE_NAME_MAX; at++) {
		if (*at == '\\' && *++at != '/' && *at != '\\')
			return path;
		name[(*len)++] = *at;
	}
	if (!*len || (*at && *at != '/'))
		return path;
	return *at ? at + 1 : NULL;
}

/*
 * The row of the first name of @path in @parent, and what follows that name in *rest.  Return: 0:
 * there is none.
 */
static uint32_t step_into(struct pmu_table *table, const struct pmu_table_index_rows *rows,
			  uint32_t parent, const char *path, uint16_t kind, const char **rest)
{
	char name[PMU_STORE_NAME_MAX];
	uint32_t id = 0;
	size_t len;

	*rest = next_name(path, name, &len);
	if (*rest != path)
		id = pmu_table_find_name(table, name, len);
	return id ? pmu_table_index_find(rows, parent, id, kind) : 0;
}

/* A thread's own row of a path that begins in @around; 0: there is none. */
static uint32_t find_path_row(struct pmu_table *table, const struct pmu_table_index_rows *rows,
			      uint32_t around, const char *path)
{
	do
		around = step_into(table, rows, around, path, 0, &path);
	while (around && path);
	return around;
}

/* --- what is nested in it --- */

/* The row after @id in the order of a tree below @top; 0 behind the last one. */
static uint32_t next_nested(const struct pmu_table_index_rows *rows, uint32_t top, uint32_t id)
{
	if (rows->row[id].first_child)
		return rows->row[id].first_child;
	while (id != top && !rows->row[id].next_sibling)
		id = rows->row[id].key.parent;
	return id == top ? 0 : rows->row[id].next_sibling;
}

/* Return: whether anything is known of one of them. */
static bool add_found_nested(const struct found *found, struct pmu_nested *in)
{
	static const struct pmu_nested none;
	struct pmu_group_copy layout = found->layout;
	uint32_t id = found->id;
	bool visible = false;

	layout.n_slots = 0; /* only its calls matter, and what they cost */
	while ((id = next_nested(found->rows, found->id, id))) {
		const struct pmu_store_row *row = found->rows->row[id].row;
		struct pmu_raw_row raw = { 0 };
		uint32_t outer[1 + PMU_MAX_SLOTS];

		/* of a team, which are in no other */
		if (found->rows->row[id].key.kind & PMU_STORE_ROW_TEAM)
			continue;
		pmu_reader_copy_row(row, &layout, &found->record, &raw);
		pmu_reader_copy_outer(row, found->layout.n_slots, &found->record, outer);
		pmu_convert_nest(in, &none, pmu_convert_pairs(&raw), outer, found->layout.n_slots);
		visible |= pmu_convert_is_visible(&raw);
	}
	return visible;
}

/* --- the row --- */

static double ns_per_tick(const struct pmu_table *table)
{
	struct pmu_clock_point now = pmu_clock_point_take(table->clock);
	struct pmu_convert convert = { 0 };

	pmu_convert_set_rate(&convert, table->clock, &table->start, &now);
	return convert.ns_per_tick;
}

static void tell_counts(const struct found *found, struct pmu_region_counts *counts)
{
	const struct pmu_model_row *all = &found->all;

	counts->calls = all->calls;
	counts->time_ns = all->time_ns;
	counts->net_time_ns = all->time_ns - all->cost_ns;
	counts->missing = pmu_model_time_known(all) ? all->missing : UINT32_MAX;
	counts->n_counts = found->layout.n_slots;
}

/* Return: whether it is a row that a report has. */
static PMU_COLD bool read_found_row(const struct pmu_table *table, struct found *found)
{
	const struct pmu_columns columns = { .n = found->layout.n_slots };
	uint64_t raw[PMU_MAX_SLOTS] = { 0 }, net[PMU_MAX_SLOTS] = { 0 };
	uint64_t cost[PMU_MAX_SLOTS] = { 0 };
	struct pmu_model_row row = { .raw = raw, .net = net, .cost = cost };
	struct pmu_convert convert = { .ns_per_tick = ns_per_tick(table) };
	struct pmu_raw_row from = { .id = found->id };
	struct pmu_nested in = { { 0 } };
	bool too_much, visible = add_found_nested(found, &in);

	pmu_reader_copy_row(found->rows->row[found->id].row, &found->layout, &found->record, &from);
	if (!visible && !pmu_convert_is_visible(&from))
		return false;
	row.n_open = from.open;
	row.calls = pmu_convert_calls(&from);
	if (!from.torn)
		pmu_convert_times(&convert, &found->record, &from, &in, &row);
	pmu_convert_counts(&found->layout, &found->record, &from, &in, &row, &too_much);
	pmu_row_add(&found->all, NULL, &row, PMU_OF_ROW);
	pmu_row_add_counts(&found->all, &row, &columns, UINT32_MAX);
	return true;
}

/* The row of a path that begins in @around.  Return: whether a report has it. */
static bool read_path_row(struct pmu_table *table, struct found *found, uint32_t around,
			  const char *path)
{
	found->id = find_path_row(table, found->rows, around, path);
	return found->id && read_found_row(table, found);
}

/* --- the thread --- */

static struct pmu_group_copy layout_of_copy(uint32_t n_slots, uint32_t absent)
{
	return (struct pmu_group_copy){
		.n_slots = n_slots,
		.row_size = pmu_row_size(n_slots),
		.bank_offset = pmu_row_bank_offset(n_slots),
		.bank_size = pmu_row_bank_size(n_slots),
		.absent = absent,
	};
}

/* Return: false: what is there is no thread's. */
static bool copy_record(const struct pmu_table_index_thread *thread, struct pmu_store_thread *copy)
{
	const struct pmu_store_thread *record = (const void *)(thread->chunk->at + 1);
	uint32_t state = __atomic_load_n(&record->state, __ATOMIC_ACQUIRE);

	pmu_reader_copy_record(record, state, copy);
	return state == PMU_THREAD_MERGED ||
	       (state != PMU_THREAD_FREE && !(copy->flags & PMU_THREAD_SOCKET));
}

/*
 * The row behind @id, from 0 on, that is there for the same region of another thread as @first: one
 * that the thread came to work for while it did so.  Return: 0: none.
 */
static uint32_t next_stay(const struct pmu_table_index_rows *rows, uint32_t first, uint32_t id)
{
	const struct pmu_row_key *key = &rows->row[first].key;

	if (!first)
		return 0;
	id = id ? rows->row[id].next_sibling : rows->row[key->parent].first_child;
	while (id && (rows->row[id].key.name != key->name ||
		      !(rows->row[id].key.kind & PMU_STORE_ROW_TEAM)))
		id = rows->row[id].next_sibling;
	return id;
}

/*
 * A path may begin with regions of other threads that this one worked for, and one may lead to
 * several rows then: all that it began itself are added up.  Return: whether there is any.
 */
static bool read_rows(struct pmu_table *table, struct found *found, const char *path)
{
	uint32_t around = 0, stay = 0;
	bool any = false;

	do {
		do {
			stay = next_stay(found->rows, around, stay);
			if (stay || !around)
				any |= read_path_row(table, found, stay, path);
		} while (stay);
		around = step_into(table, found->rows, around, path, PMU_STORE_ROW_TEAM, &path);
	} while (around && path);
	return any;
}

int pmu_store_read_one(struct pmu_table *table, uint32_t group, uint32_t n_slots, uint32_t absent,
		       uint32_t number, const char *path, struct pmu_region_counts *counts)
{
	struct found found = { .layout = layout_of_copy(n_slots, absent),
			       .all = { .raw = counts->count, .net = counts->net } };
	struct pmu_table_index_thread *thread = NULL;
	int rc = -ESRCH;

	while ((thread = pmu_table_index_next(&table->index, number, thread))) {
		if (!copy_record(thread, &found.record))
			continue;
		rc = rc == -ESRCH ? -ENOENT : rc;
		if (thread->group != group)
			continue;
		found.rows = pmu_table_index_rows(thread, found.layout.row_size);
		if (!found.rows)
			return -ENOMEM;
		if (read_rows(table, &found, path))
			rc = 0;
	}
	if (!rc)
		tell_counts(&found, counts);
	return rc;
}
