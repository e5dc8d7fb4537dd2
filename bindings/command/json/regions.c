/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of a JSON report: each thread's row, in its place in the thread's tree. */
#include "bindings/command/json/reader.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/index.h"
#include "report/json.h"
#include "report/model/fields.h"
#include "report/model/histogram.h"

/* --- rows --- */

static uint32_t get_flags(struct pmu_json_reader *reader, const struct pmu_value *object)
{
	const struct pmu_value *list = pmu_json_list(reader, object, "flags");
	uint32_t flags = 0;

	for (size_t i = 0; i < pmu_value_size(list); i++) {
		const char *name = pmu_value_text(pmu_value_at(list, i));

		flags |= name ? pmu_json_flag(name) : 0;
	}
	/* these follow from the rest */
	return flags & ~(uint32_t)(PMU_ROW_SHORT | PMU_ROW_INTERRUPTED);
}

/* Counts by name; one that is null or not there is missing. */
static void read_counts(struct pmu_json_reader *reader, const struct pmu_value *object,
			const char *name, const struct pmu_value *columns, uint64_t *value,
			uint32_t *missing)
{
	const struct pmu_value *counts = pmu_json_object(reader, object, name);
	const char *column;
	size_t i;

	for (i = 0; i < pmu_value_size(columns) && !reader->rc; i++) {
		column = pmu_value_text(pmu_value_member(pmu_value_at(columns, i), "name"));
		if (!pmu_value_member(counts, column) || pmu_json_is_null(counts, column))
			*missing |= 1u << i;
		else
			value[i] = pmu_json_u64(reader, counts, column);
	}
}

/* [[ns, calls], ...], shortest first. */
static const struct pmu_model_histogram *read_histogram(struct pmu_json_reader *reader,
							const struct pmu_value *item)
{
	const struct pmu_value *list = pmu_json_list(reader, item, "histogram");
	size_t n = pmu_value_size(list), i;
	struct pmu_model_histogram *histogram = pmu_json_alloc(
		reader, 1,
		sizeof(*histogram) + (n < PMU_LENGTH_BUCKETS ? n : PMU_LENGTH_BUCKETS) *
					     sizeof(histogram->bucket[0]));

	for (i = 0; i < n && histogram; i++) {
		const struct pmu_value *pair = pmu_value_at(list, i);
		int64_t ns = pmu_value_integer(pmu_value_at(pair, 0));
		int64_t calls = pmu_value_integer(pmu_value_at(pair, 1));
		uint32_t bucket = ns < 0 ? 0 : pmu_length_bucket((uint64_t)ns);

		if (pmu_value_size(pair) != 2 ||
		    !pmu_value_is(pmu_value_at(pair, 0), PMU_VALUE_INTEGER) || ns < 0 ||
		    calls < 1 || (i && bucket <= histogram->bucket[i - 1].bucket)) {
			pmu_json_complain(
				reader,
				"\"histogram\" is not a list of times and calls, shortest first");
			return NULL;
		}
		histogram->bucket[i] = (struct pmu_model_bucket){ bucket, (uint64_t)calls };
		histogram->n = (unsigned int)i + 1;
	}
	return histogram;
}

/* null: not known. */
static const struct pmu_model_least *read_least(struct pmu_json_reader *reader,
						const struct pmu_value *item,
						const struct pmu_value *columns)
{
	size_t n = pmu_value_size(columns);
	struct pmu_model_least *least = pmu_json_alloc(
		reader, 1, sizeof(*least) + n * sizeof(least->count[0]));
	uint32_t missing = 0;

	if (!least)
		return NULL;
	read_counts(reader, item, "least", columns, least->count, &missing);
	least->known = ~missing & (n < 32 ? (1u << n) - 1 : UINT32_MAX);
	return least;
}

static const struct pmu_model_turns *read_turns(struct pmu_json_reader *reader,
						const struct pmu_value *item,
						const struct pmu_value *columns)
{
	const struct pmu_value *from = pmu_json_object(reader, item, "turns");
	const struct pmu_value *counts = pmu_json_object(reader, from, "counts");
	size_t n = pmu_value_size(columns);
	struct pmu_model_turns *turns = pmu_json_alloc(
		reader, 1, sizeof(*turns) + n * sizeof(turns->count[0]));

	if (!turns)
		return NULL;
	turns->n = pmu_json_double(reader, from, "n");
	turns->calls = pmu_json_double(reader, from, "calls");
	turns->calls_square = pmu_json_double(reader, from, "calls_square");
	for (size_t i = 0; i < n && !reader->rc; i++) {
		const char *column = pmu_value_text(
			pmu_value_member(pmu_value_at(columns, i), "name"));
		const struct pmu_value *count = pmu_json_object(reader, counts, column);

		turns->count[i].sum = pmu_json_double(reader, count, "sum");
		turns->count[i].square = pmu_json_double(reader, count, "square");
		turns->count[i].product = pmu_json_double(reader, count, "product");
	}
	return turns;
}

/*
 * A time may be null where none of its calls has ended, and of a simulation, which may be together with
 * reports that have times.
 */
static void read_number(struct pmu_json_reader *reader, const struct pmu_value *item,
			const struct pmu_field *field, struct pmu_model_row *row)
{
	bool may_lack = field->known != PMU_KNOWN_ALWAYS;
	uint64_t integer = 0;
	double real = 0;

	if (field->known == PMU_KNOWN_UNLESS &&
	    (!pmu_value_member(item, field->key) || pmu_json_is_null(item, field->key))) {
		pmu_field_set(field, row, PMU_NOT_KNOWN, 0);
		return;
	}
	if ((field->of & PMU_OF_OLD_REPORTS && !pmu_value_member(item, field->key)) ||
	    (field->known == PMU_KNOWN_CALLED && !row->calls))
		return;
	if (field->type == PMU_FIELD_DOUBLE)
		real = pmu_json_double(reader, item, field->key);
	else if (field->type == PMU_FIELD_U32)
		integer = (uint64_t)pmu_json_int(reader, item, field->key, UINT32_MAX);
	else if (!may_lack || !pmu_json_is_null(item, field->key))
		integer = pmu_json_u64(reader, item, field->key);
	else if (!row->n_open)
		row->flags |= PMU_ROW_UNTIMED;
	pmu_field_set(field, row, integer, real);
}

/* What is known of any row comes first: it tells what else there is.  The rest follows from these. */
static void read_numbers(struct pmu_json_reader *reader, const struct pmu_value *item, bool is_any,
			 struct pmu_model_row *row)
{
	for (size_t i = 0; i < pmu_n_fields; i++) {
		const struct pmu_field *field = &pmu_fields[i];

		if (field->of & PMU_OF_ROW && field->kind <= PMU_FIELD_POOLED &&
		    field->known != PMU_KNOWN_SELF && (field->known == PMU_KNOWN_ALWAYS) == is_any)
			read_number(reader, item, field, row);
	}
}

static void read_row(struct pmu_json_reader *reader, const struct pmu_value *item,
		     const struct pmu_value *columns, struct pmu_model_row *row)
{
	size_t n = pmu_value_size(columns), i;
	uint64_t *counts = pmu_json_alloc(reader, 3 * n, sizeof(*counts));

	if (!counts)
		return;
	row->raw = counts;
	row->net = counts + n;
	row->cost = counts + 2 * n;
	read_numbers(reader, item, true, row);
	row->flags = get_flags(reader, item);
	read_numbers(reader, item, false, row);
	if (pmu_value_member(item, "histogram"))
		row->histogram = read_histogram(reader, item);
	read_counts(reader, item, "raw", columns, row->raw, &row->missing);
	read_counts(reader, item, "net", columns, row->net, &row->missing);
	if (pmu_value_member(item, "turns"))
		row->turns = read_turns(reader, item, columns);
	if (pmu_value_member(item, "least"))
		row->least = read_least(reader, item, columns);
	if (pmu_value_member(item, "samples"))
		row->samples = pmu_json_read_samples(reader, item);
	for (i = 0; i < n; i++)
		row->cost[i] = row->raw[i] > row->net[i] ? row->raw[i] - row->net[i] : 0;
}

/* --- the tree --- */

/** The latest row of a thread in the section, of those with this team_depth. */
struct chain {
	int thread; /* or socket */
	int team_depth;
	int last;
};

/** Where the regions are on the way through the tree. */
struct around {
	size_t n; /* regions around and including the last one */
	size_t room;
	struct at {
		size_t region; /* index in "regions" */
		size_t row;    /* 1 + that of its first row, 0: none so far */
	} * at;                /* [depth] */
	/*
	 * A region that a thread began at work for another's may stand beside one that it began by
	 * itself: how many regions of its path are others' tells which row it is in.
	 */
	struct pmu_index chains; /* by thread and team_depth: their indices, from 1 on */
	struct chain *chain;     /* [n_chains] */
	size_t n_chains, chain_room;
};

/* Threads and sockets stand part after part, by number in each. */
static int compare_thread(const struct pmu_model_thread *thread, unsigned int part, int64_t number)
{
	if (thread->part != part)
		return thread->part < part ? -1 : 1;
	return thread->number < number ? -1 : thread->number > number;
}

/*
 * Index of the one among @end - @first, which stand in their order; a report in which they do not
 * is looked through.
 */
static int find_thread(const struct pmu_json_reader *reader, unsigned int first, unsigned int end,
		       unsigned int part, int64_t number)
{
	const struct pmu_model_thread *thread = reader->model->thread;
	unsigned int low = first, high = end;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;
		int order = compare_thread(&thread[middle], part, number);

		if (!order)
			return (int)middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (unsigned int i = first; i < end; i++)
		if (!compare_thread(&thread[i], part, number))
			return (int)i;
	return -1;
}

static int thread_index(struct pmu_json_reader *reader, const struct pmu_value *item)
{
	int64_t number = pmu_json_int(reader, item, "thread", INT_MAX);
	unsigned int part = pmu_json_read_part(reader, item);
	int at = find_thread(reader, 0, reader->model->n_threads, part, number);

	if (at < 0)
		pmu_json_complain(reader, "thread %" PRId64 " is not in \"threads\"", number);
	return at;
}

/* Behind the threads. */
static int socket_index(struct pmu_json_reader *reader, const struct pmu_value *item)
{
	int number = pmu_json_read_socket(reader, item);
	const struct pmu_model *model = reader->model;
	unsigned int part = pmu_json_read_part(reader, item);
	int at = find_thread(reader, model->n_threads, model->n_threads + model->n_sockets, part,
			     number);

	if (at < 0)
		pmu_json_complain(reader, "a region's socket is not in \"sockets\"");
	return at;
}

/* Nothing of one group is around a region of another. */
static void around_clear(struct around *around)
{
	around->n = 0;
	for (size_t i = 0; i < around->n_chains; i++)
		around->chain[i].last = -1;
}

struct wanted {
	const struct around *around;
	int thread, team_depth;
};

static bool is_wanted_chain(const void *arg, uintptr_t number)
{
	const struct wanted *wanted = arg;
	const struct chain *chain = &wanted->around->chain[number - 1];

	return chain->thread == wanted->thread && chain->team_depth == wanted->team_depth;
}

/* Return: NULL without memory. */
static struct chain *find_chain(struct pmu_json_reader *reader, struct around *around, int thread,
				int team_depth)
{
	const struct wanted wanted = { around, thread, team_depth };
	uint32_t hash = pmu_hash_number((uint64_t)(unsigned int)thread << 32 |
					(unsigned int)team_depth);
	size_t room = 2 * around->chain_room + 16;
	struct pmu_index_place *place;
	struct chain *grown;

	if (pmu_index_reserve(&around->chains, 1) < 0) {
		pmu_json_no_memory(reader);
		return NULL;
	}
	place = pmu_index_find(&around->chains, hash, is_wanted_chain, &wanted);
	if (place->thing)
		return &around->chain[place->thing - 1];
	if (around->n_chains == around->chain_room) {
		grown = reallocarray(around->chain, room, sizeof(*grown));
		if (!grown) {
			pmu_json_no_memory(reader);
			return NULL;
		}
		around->chain = grown;
		around->chain_room = room;
	}
	around->chain[around->n_chains++] = (struct chain){ thread, team_depth, -1 };
	pmu_index_take(&around->chains, place, hash, around->n_chains);
	return &around->chain[around->n_chains - 1];
}

/* Goes to region @index at @depth. */
static void around_enter(struct pmu_json_reader *reader, struct around *around, size_t index,
			 size_t depth)
{
	const struct pmu_value *region = pmu_value_at(reader->regions, index), *outer;
	struct at *grown;

	if (depth > around->n) {
		pmu_json_complain(reader, "\"depth\" does not follow from the region before it");
		return;
	}
	if (depth) {
		outer = pmu_value_at(reader->regions, around->at[depth - 1].region);
		if (!pmu_value_same_text(pmu_value_member(region, "parent"),
					 pmu_value_member(outer, "path"))) {
			pmu_json_complain(reader, "\"parent\" is not the region around it");
			return;
		}
	}
	if (depth == around->room) {
		grown = reallocarray(around->at, 2 * depth + 8, sizeof(*grown));
		if (!grown) {
			pmu_json_no_memory(reader);
			return;
		}
		around->at = grown;
		around->room = 2 * depth + 8;
	}
	around->n = depth + 1;
	around->at[depth] = (struct at){ .region = index };
}

/* The row that @in is nested in; until the model is finished, sum is its region. */
static int around_parent(struct pmu_json_reader *reader, struct around *around,
			 const struct pmu_model_row *row, const struct pmu_model_row *in)
{
	int team_depth = in->team_depth - !!(in->flags & PMU_ROW_TEAM);
	const struct chain *chain;
	int at;

	if (team_depth < 0 || in->team_depth > in->depth + 1)
		pmu_json_complain(reader, "\"team_depth\" is not that of the region");
	if (!in->depth || reader->rc)
		return -1;
	chain = find_chain(reader, around, in->thread, team_depth);
	if (in->below)
		return -1;
	at = chain ? chain->last : -1;
	while (at >= 0 && row[at].depth >= in->depth)
		at = row[at].parent;
	if (at < 0 || row[at].depth != in->depth - 1 || row[at].team_depth != team_depth ||
	    row[at].sum != (int)around->at[in->depth - 1].region)
		pmu_json_complain(reader, "a thread is not in the region around it");
	return at;
}

static void around_add(struct pmu_json_reader *reader, struct around *around,
		       const struct pmu_model_row *row, int at)
{
	struct chain *chain = find_chain(reader, around, row->thread, row->team_depth);

	if (chain)
		chain->last = at;
}

/* --- regions --- */

static struct pmu_model_section *section_of_region(struct pmu_json_reader *reader,
						   const struct pmu_value *groups,
						   const struct pmu_value *region,
						   const struct pmu_value **columns)
{
	const char *name = pmu_value_text(pmu_json_get(reader, region, "group")), *group;
	unsigned int i;

	for (i = 0; name && i < reader->model->n_sections; i++) {
		group = pmu_value_text(pmu_value_member(pmu_value_at(groups, i), "name"));
		if (group && !strcmp(group, name)) {
			*columns = pmu_value_member(pmu_value_at(groups, i), "counts");
			return &reader->model->section[i];
		}
	}
	pmu_json_complain(reader, "\"group\" is not one of \"groups\"");
	return NULL;
}

/** What a region's rows have in common. */
struct region {
	size_t index, depth;
	const char *name;
	const struct pmu_value *columns;
};

/* The rows of its threads, of those that worked for it, or of its sockets. */
static void read_rows(struct pmu_json_reader *reader, struct pmu_model_section *section,
		      const struct region *region, const struct pmu_value *list, bool sockets,
		      struct around *around)
{
	struct pmu_model_row *row;
	const struct pmu_value *item;
	int thread;
	size_t i;

	for (i = 0; i < pmu_value_size(list) && !reader->rc; i++) {
		item = pmu_value_at(list, i);
		thread = sockets ? socket_index(reader, item) : thread_index(reader, item);
		if (reader->rc)
			return;
		row = &section->thread_row[section->n_thread_rows];
		row->name = region->name;
		row->thread = thread;
		row->depth = (int)region->depth;
		row->sum = (int)region->index;
		if (pmu_value_member(item, "team_depth"))
			row->team_depth = (int)pmu_json_int(reader, item, "team_depth", INT_MAX);
		read_row(reader, item, region->columns, row);
		/* a program stands below a region of the process that started it */
		if (row->flags & PMU_ROW_PROGRAM && region->depth)
			row->below = (unsigned int)around->at[region->depth - 1].row;
		row->parent = around_parent(reader, around, section->thread_row, row);
		around_add(reader, around, row, (int)section->n_thread_rows++);
		if (!around->at[region->depth].row)
			around->at[region->depth].row = section->n_thread_rows;
	}
}

static void read_report_region(struct pmu_json_reader *reader, const struct pmu_value *groups,
			       size_t index, struct around *around)
{
	const struct pmu_value *item = pmu_json_element(reader, reader->regions, index, "regions");
	const struct pmu_value *threads = pmu_json_list(reader, item, "threads"), *sockets = NULL;
	const struct pmu_value *workers = NULL;
	struct region region = { .index = index };
	struct pmu_model_section *section = section_of_region(reader, groups, item,
							      &region.columns);

	if (pmu_value_member(item, "sockets"))
		sockets = pmu_json_list(reader, item, "sockets");
	if (pmu_value_member(item, "team"))
		workers = pmu_json_list(reader, pmu_json_object(reader, item, "team"), "workers");
	region.depth = (size_t)pmu_json_int(reader, item, "depth", INT_MAX - 1);
	region.name = pmu_json_text(reader, item, "name");
	if (!pmu_value_is(pmu_json_get(reader, item, "path"), PMU_VALUE_TEXT))
		pmu_json_complain(reader, "\"path\" is not a text");
	if (!pmu_value_size(threads) && !pmu_value_size(sockets) && !pmu_value_size(workers))
		pmu_json_complain(reader, "no thread has this region");
	if (!reader->rc)
		around_enter(reader, around, index, region.depth);
	read_rows(reader, section, &region, threads, false, around);
	read_rows(reader, section, &region, workers, false, around);
	read_rows(reader, section, &region, sockets, true, around);
}

void pmu_json_read_regions(struct pmu_json_reader *reader, const struct pmu_value *root)
{
	const struct pmu_value *groups = pmu_value_member(root, "groups"), *group, *last = NULL;
	size_t i, n = pmu_value_size(reader->regions);
	struct around around = { 0 };

	if (n > INT_MAX / 8)
		pmu_json_complain(reader, "too many regions");
	if (reader->rc)
		return;
	for (i = 0; i < n && !reader->rc; i++) {
		group = pmu_value_member(pmu_value_at(reader->regions, i), "group");
		if (!last || !pmu_value_same_text(group, last))
			around_clear(&around);
		last = group;
		read_report_region(reader, groups, i, &around);
	}
	reader->where[0] = '\0';
	free(around.at);
	free(around.chain);
	pmu_index_free(&around.chains);
}
