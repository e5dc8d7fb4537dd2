/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the store become rows of the model. */
#define PMU_STORE_READER 1
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pmu.h"
#include "report/model/least.h"
#include "report/model/turns.h"
#include "report/name.h"
#include "store/read/convert.h"

#define NO_PARENT SIZE_MAX

/** What follows from a thread's rows taken together; one element per row. */
struct row_extra {
	size_t parent; /* index in the thread, NO_PARENT */
	bool visible;
	unsigned int at; /* index in the section, once it is there */
	struct pmu_nested in;
};

static const struct {
	uint16_t store;
	uint32_t model;
} row_flag[] = {
	{ PMU_STORE_ROW_OVERLAP, PMU_ROW_OVERLAP }, { PMU_STORE_ROW_RECURSIVE, PMU_ROW_RECURSIVE },
	{ PMU_STORE_ROW_FLAT, PMU_ROW_FLAT },       { PMU_STORE_ROW_CROWDED, PMU_ROW_NO_SELF },
	{ PMU_STORE_ROW_TEAM, PMU_ROW_TEAM },
};

static const struct pmu_model_thread *model_thread(const struct pmu_convert *convert,
						   const struct pmu_raw_thread *thread)
{
	return &convert->model->thread[convert->thread_of[thread - convert->raw->thread]];
}

/* The thread that a doubt is about; a socket's doubts name the socket themselves. */
static int doubted_thread(const struct pmu_convert *convert, const struct pmu_raw_thread *thread)
{
	return pmu_raw_is_socket(thread) ? -1 : model_thread(convert, thread)->number;
}

/* "" of a thread */
static const char *socket_name(const struct pmu_convert *convert,
			       const struct pmu_raw_thread *thread)
{
	if (!pmu_raw_is_socket(thread))
		return "";
	return thread->record.flags & PMU_THREAD_PROCESS ? "the whole process"
							 : model_thread(convert, thread)->name;
}

/* --- doubts --- */

int pmu_convert_doubt(struct pmu_convert *convert, const char *text, const char *region, int thread,
		      uint64_t count)
{
	struct pmu_raw_doubt *grown;
	size_t room = convert->doubt_room ? 2 * convert->doubt_room : 16;

	if (convert->n_doubts == convert->doubt_room) {
		grown = reallocarray(convert->doubt, room, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		convert->doubt = grown;
		convert->doubt_room = room;
	}
	convert->doubt[convert->n_doubts++] = (struct pmu_raw_doubt){ text, region, thread, count };
	return 0;
}

/* What goes for whole threads comes first: it may be why there are many others. */
static int by_doubt_text(const void *a, const void *b)
{
	const struct pmu_raw_doubt *x = a, *y = b;
	int order = (x->region[0] != '\0') - (y->region[0] != '\0');

	if (!order)
		order = strcmp(x->text, y->text);
	if (!order)
		order = strcmp(x->region, y->region);
	return order ? order : (x->thread > y->thread) - (x->thread < y->thread);
}

int pmu_convert_doubts(struct pmu_convert *convert)
{
	struct pmu_raw_doubt *doubt = convert->doubt;
	size_t i, n = convert->n_doubts;
	int rc = 0;

	if (n)
		qsort(doubt, n, sizeof(*doubt), by_doubt_text);
	for (i = 0; i < n && !rc; i++) {
		if (i + 1 < n && !by_doubt_text(&doubt[i], &doubt[i + 1])) {
			doubt[i + 1].count = pmu_add_capped(doubt[i + 1].count, doubt[i].count);
			continue;
		}
		rc = pmu_model_add_doubt(convert->model, doubt[i].text, doubt[i].region,
					 doubt[i].thread, doubt[i].count);
	}
	return rc;
}

static bool is_unnamed(const struct pmu_raw *raw, uint32_t name)
{
	return name >= raw->n_names || !raw->name[name].len;
}

static const char *row_name(struct pmu_convert *convert, uint32_t id)
{
	const struct pmu_raw *raw = convert->raw;

	if (is_unnamed(raw, id))
		return "?";
	if (!convert->name[id])
		convert->name[id] = pmu_model_text(convert->model, raw->name[id].text,
						   raw->name[id].len);
	return convert->name[id];
}

/* Names from the outermost region to @at, as pmu_model_finish() joins them; far down just
 * the last ones. */
static const char *row_path(struct pmu_convert *convert, const struct pmu_raw_thread *thread,
			    const struct row_extra *extra, size_t at)
{
	char path[PMU_MODEL_DOUBT_NAMES * (2 * PMU_STORE_NAME_MAX + 2)];
	size_t chain[PMU_MODEL_DOUBT_NAMES], n = 0, len = 0;

	for (; at != NO_PARENT && n < PMU_MODEL_DOUBT_NAMES; at = extra[at].parent)
		chain[n++] = at;
	while (n-- > 0) {
		len += pmu_path_add(path + len, row_name(convert, thread->row[chain[n]].name));
		path[len++] = '/';
	}
	return pmu_model_text(convert->model, path, len - 1);
}

/*
 * Is the program's end its end, too?  So it is where its thread left by _exit() or exec in it, was
 * told to stop, or waited for work that never came.  One that is open at an end as usual was
 * forgotten.
 */
static bool is_cut(const struct pmu_convert *convert, const struct pmu_raw_thread *thread,
		   const struct pmu_raw_row *row)
{
	bool is_settled = thread->record.flags & PMU_THREAD_SETTLED;

	if (!row->open || !(row->flags & PMU_STORE_ROW_PARTIAL))
		return false;
	/* it slept when measuring was switched off, and has ended since */
	if (thread->record.state != PMU_THREAD_LIVE)
		return is_settled;
	if (convert->state != PMU_PROGRAM_ENDED)
		return false;
	return convert->next == PMU_NEXT_EXIT || convert->next == PMU_NEXT_EXEC ||
	       convert->next == PMU_NEXT_STOP || is_settled;
}

/* Why a region that is still open is a doubt; NULL where it is just running. */
static const char *open_text(const struct pmu_convert *convert, const struct pmu_raw_thread *thread)
{
	if (thread->record.state != PMU_THREAD_LIVE)
		return "still open when its thread ended";
	switch (convert->state) {
	case PMU_PROGRAM_RUNS:
		return NULL;
	case PMU_PROGRAM_ENDED:
		return "still open when the program ended";
	case PMU_PROGRAM_DIED:
		return "still open when the program died";
	case PMU_PROGRAM_UNKNOWN:
		break;
	}
	return "still open when the store was read";
}

/* Of a socket's row; other doubts are told of its threads' rows. */
static int doubt_socket_row(struct pmu_convert *convert, const struct pmu_raw_thread *thread,
			    const struct pmu_raw_row *row, const char *path)
{
	static const char unended[] =
		"was last left by a thread that never ended it: that time is not counted for ";
	static const char torn[] = "its totals changed at every look and could not be read for ";
	int rc = 0;

	if (row->unended)
		rc = pmu_convert_doubt(convert,
				       pmu_model_textf(convert->model, "%s%s", unended,
						       socket_name(convert, thread)),
				       path, -1, row->unended);
	if (!rc && row->torn)
		rc = pmu_convert_doubt(
			convert,
			pmu_model_textf(convert->model, "%s%s", torn, socket_name(convert, thread)),
			path, -1, 0);
	return rc;
}

static int doubt_slots(struct pmu_convert *convert, const struct pmu_raw_thread *thread,
		       const struct pmu_raw_row *row, const char *path, int number)
{
	const struct pmu_group_copy *group = &convert->raw->group[thread->group];
	uint32_t missing = row->missing & ~(group->absent | thread->record.missing), i;
	const struct pmu_store_slot *slot;
	const char *text;
	int rc = 0;

	for (i = 0; i < group->n_slots && !rc; i++) {
		if (!(missing & 1u << i))
			continue;
		slot = &group->group->slot[i];
		text = pmu_model_textf(convert->model, "%.*s could not be read at every call%s%s",
				       (int)pmu_text_field(slot->name, sizeof(slot->name)),
				       slot->name, pmu_raw_is_socket(thread) ? " for " : "",
				       socket_name(convert, thread));
		rc = pmu_convert_doubt(convert, text, path, number, 0);
	}
	return rc;
}

/* What may be doubted of a row. */
struct row_doubt {
	const char *text;
	uint64_t count;
	bool holds;
};

static int tell_row_doubts(struct pmu_convert *convert, const struct row_doubt *doubt, size_t n,
			   const char *path, int number)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		if (doubt[i].holds)
			rc = pmu_convert_doubt(convert, doubt[i].text, path, number,
					       doubt[i].count);
	return rc;
}

/* Other doubts are told of the row of the thread that opened the region. */
static int doubt_team_row(struct pmu_convert *convert, const struct pmu_raw_thread *thread,
			  const struct pmu_raw_row *row, const char *path, int number)
{
	const char *open = row->open && !is_cut(convert, thread, row) ? open_text(convert, thread)
								      : NULL;
	const struct row_doubt doubt[] = {
		{ "work for it was begun and never ended", row->unended, row->unended },
		{ open ? pmu_model_textf(convert->model, "work for it was %s", open) : NULL,
		  row->open, open },
		{ "work for it went on when it had ended", 0, row->flags & PMU_STORE_ROW_OUTLIVED },
		{ "changed processor during a call", row->moved, row->moved },
		{ "its totals changed at every look and could not be read", 0, row->torn },
	};

	return tell_row_doubts(convert, doubt, PMU_ARRAY_LEN(doubt), path, number);
}

static int doubt_own_row(struct pmu_convert *convert, const struct pmu_raw_thread *thread,
			 const struct pmu_raw_row *row, const char *path, int number)
{
	/* a forked child need not end what its parent had open */
	bool inherited = row->flags & PMU_STORE_ROW_INHERITED && !row->calls;
	const char *open = row->open && !inherited && !is_cut(convert, thread, row)
				   ? open_text(convert, thread)
				   : NULL;
	const struct row_doubt doubt[] = {
		{ "begun but never ended", row->unended, row->unended },
		{ "ended without a begin", row->unbegun, row->unbegun },
		{ open, row->open, open },
		{ "changed processor during a call", row->moved, row->moved },
		{ "overlaps: ended after the region it was begun in", 0,
		  row->flags & PMU_STORE_ROW_OVERLAP && row->calls },
		{ "its totals changed at every look and could not be read", 0, row->torn },
	};

	return tell_row_doubts(convert, doubt, PMU_ARRAY_LEN(doubt), path, number);
}

static int doubt_row(struct pmu_convert *convert, const struct pmu_raw_thread *thread,
		     const struct pmu_raw_row *row, const char *path, int number)
{
	int rc;

	if (pmu_raw_is_socket(thread))
		rc = doubt_socket_row(convert, thread, row, path);
	else if (row->flags & PMU_STORE_ROW_TEAM)
		rc = doubt_team_row(convert, thread, row, path, number);
	else
		rc = doubt_own_row(convert, thread, row, path, number);
	/* doubt_socket() tells of threads on no socket that is counted */
	if (rc || (pmu_raw_is_socket(thread) && model_thread(convert, thread)->number < 0))
		return rc;
	return doubt_slots(convert, thread, row, path, number);
}

/* --- a thread's rows taken together --- */

static bool is_team(const struct pmu_raw_row *row)
{
	return row->flags & PMU_STORE_ROW_TEAM;
}

static size_t parent_of(struct pmu_convert *convert, const struct pmu_raw_thread *thread,
			const struct pmu_raw_row *row)
{
	size_t parent = NO_PARENT;

	if (!row->parent)
		return NO_PARENT;
	if (row->parent < row->id)
		parent = pmu_raw_find_row(thread, row->parent);
	/* what is around a region of another thread is, too */
	if (parent != NO_PARENT && is_team(row) && !is_team(&thread->row[parent]))
		parent = NO_PARENT;
	convert->raw->damage[PMU_DAMAGE_PARENT] += parent == NO_PARENT;
	return parent;
}

/* Children stand behind their parents: one pass from the end reaches every ancestor. */
static void relate_rows(struct pmu_convert *convert, const struct pmu_raw_thread *thread,
			struct row_extra *extra)
{
	uint32_t n_slots = convert->raw->group[thread->group].n_slots;
	const struct pmu_raw_row *row;
	struct row_extra *parent;
	size_t i;

	for (i = thread->n_rows; i-- > 0;) {
		row = &thread->row[i];
		extra[i].parent = parent_of(convert, thread, row);
		if (pmu_convert_is_visible(row))
			extra[i].visible = true;
		if (extra[i].parent == NO_PARENT)
			continue;
		parent = &extra[extra[i].parent];
		parent->visible = parent->visible || extra[i].visible;
		/* a team's rows are in no other */
		if (!is_team(row))
			pmu_convert_nest(&parent->in, &extra[i].in, pmu_convert_pairs(row),
					 row->outer, n_slots);
	}
}

/* --- one row --- */

static const struct pmu_model_histogram *make_histogram(struct pmu_convert *convert,
							const struct pmu_raw_row *from)
{
	struct pmu_histogram_sum *sum = convert->histogram;

	for (size_t i = 0; i < from->n_buckets; i++) {
		const struct pmu_raw_bucket *raw = &convert->raw->bucket[from->first_bucket + i];
		uint64_t ticks = pmu_bucket_middle(raw->bucket, PMU_HISTOGRAM_BITS);
		uint64_t *calls = &sum->calls[pmu_length_bucket(pmu_convert_ns(convert, ticks))];

		*calls = pmu_add_capped(*calls, raw->calls);
	}
	return pmu_histogram_make(convert->model, sum);
}

/*
 * Is what the library did in nested regions known to be in this row's counts?  Calls in one of its
 * own that is not counted are not.
 */
static bool is_mixed(const struct pmu_convert *convert, const struct pmu_raw_thread *thread,
		     const struct pmu_raw_row *row)
{
	return row->unended || row->flags & PMU_STORE_ROW_MIXED ||
	       (row->open && !is_cut(convert, thread, row));
}

/* 0 in the store: no call that it is known of. */
static int fill_least(struct pmu_convert *convert, const struct pmu_raw_row *from,
		      const struct pmu_model_section *section, struct pmu_model_row *to)
{
	struct pmu_model_least *least = pmu_model_least_new(convert->model, section->n_counts);

	for (unsigned int i = 0; least && i < section->n_counts; i++)
		if (from->least[i] && !(to->missing >> i & 1))
			pmu_model_least_keep(least, i, from->least[i] - 1);
	to->least = least;
	return least ? 0 : -ENOMEM;
}

static int fill_turns(struct pmu_convert *convert, const struct pmu_raw_row *from,
		      const struct pmu_model_section *section, struct pmu_model_row *to)
{
	const double *sum = convert->raw->turns[from->turns].sum;
	struct pmu_model_turns *turns = pmu_model_turns_new(convert->model, section->n_counts);

	to->turns = turns;
	if (!turns)
		return -ENOMEM;
	turns->n = sum[PMU_TURNS_N];
	turns->calls = sum[PMU_TURNS_CALLS];
	turns->calls_square = sum[PMU_TURNS_CALLS_SQUARE];
	for (unsigned int i = 0; i < section->n_counts; i++) {
		const double *count = &sum[PMU_TURNS_COUNTS + i * PMU_TURNS_PER_SLOT];

		turns->count[i].sum = count[PMU_TURNS_SUM];
		turns->count[i].square = count[PMU_TURNS_SQUARE];
		turns->count[i].product = count[PMU_TURNS_PRODUCT];
	}
	return 0;
}

static int alloc_row(struct pmu_model *model, const struct pmu_model_section *section,
		     struct pmu_model_row *row)
{
	uint64_t *counts = pmu_model_alloc(model, 3 * section->n_counts * sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	row->raw = counts;
	row->net = counts + section->n_counts;
	row->cost = counts + 2 * (size_t)section->n_counts;
	return 0;
}

/* Was anything of what was done in nested regions taken off a count? */
static bool has_nested_cost(const struct row_extra *extra, const struct pmu_model_section *section,
			    uint32_t missing)
{
	for (unsigned int i = 0; i < section->n_counts; i++)
		if (extra->in.cost[1 + i] && !(missing >> i & 1))
			return true;
	return false;
}

static int doubt_cost(struct pmu_convert *convert, const struct pmu_raw_thread *thread, size_t at,
		      const struct row_extra *extra, const struct pmu_model_section *section,
		      const struct pmu_model_row *row, bool too_much)
{
	const struct pmu_raw_row *from = &thread->row[at];
	const char *text = NULL;

	if (!pmu_convert_has_totals(from))
		return 0;
	if (is_mixed(convert, thread, from) && has_nested_cost(&extra[at], section, row->missing))
		text = "what is taken off its counts is not of the same calls: net counts are only about right";
	else if (too_much)
		text = "the library's own cost came out higher than what was measured: taken as 0";
	return text ? pmu_convert_doubt(convert, text, row_path(convert, thread, extra, at),
					doubted_thread(convert, thread), 0)
		    : 0;
}

/* What is known of a row beside its totals. */
static void fill_state(struct pmu_convert *convert, const struct pmu_raw_thread *thread,
		       const struct pmu_raw_row *from, struct pmu_model_row *to)
{
	to->name = row_name(convert, from->name);
	convert->raw->damage[PMU_DAMAGE_NAME] += is_unnamed(convert->raw, from->name);
	to->n_open = is_cut(convert, thread, from) ? 0 : from->open;
	to->open_at_exec = from->open && convert->next == PMU_NEXT_EXEC;
	to->flags = to->n_open ? PMU_ROW_OPEN : 0;
	for (unsigned int i = 0; i < PMU_ARRAY_LEN(row_flag); i++)
		if (from->flags & row_flag[i].store)
			to->flags |= row_flag[i].model;
	if (from->flags & PMU_STORE_ROW_RECURSIVE && !(from->flags & PMU_STORE_ROW_MUTUAL))
		to->flags |= PMU_ROW_DIRECT;
	if (from->torn)
		to->flags |= PMU_ROW_TORN;
	to->sd_ns = NAN;
	if (thread->record.state != PMU_THREAD_MERGED)
		to->who = (uint64_t)thread->serial << 32 | from->id;
}

static int fill_model_row(struct pmu_convert *convert, const struct pmu_raw_thread *thread,
			  size_t at, const struct row_extra *extra,
			  struct pmu_model_section *section, struct pmu_model_row *to)
{
	const struct pmu_raw_row *from = &thread->row[at];
	bool too_much = false;

	if (alloc_row(convert->model, section, to))
		return -ENOMEM;
	fill_state(convert, thread, from, to);
	to->calls = pmu_convert_calls(from);
	to->cpu_ns = to->blocked_ns = to->queued_ns = PMU_NOT_KNOWN;
	if (!from->torn)
		pmu_convert_times(convert, &thread->record, from, &extra[at].in, to);
	if (from->has_histogram && convert->ns_per_tick) {
		to->histogram = make_histogram(convert, from);
		if (!to->histogram)
			return -ENOMEM;
	}
	pmu_convert_counts(&convert->raw->group[thread->group], &thread->record, from,
			   &extra[at].in, to, &too_much);
	if (from->has_least && fill_least(convert, from, section, to) < 0)
		return -ENOMEM;
	if (from->has_turns && fill_turns(convert, from, section, to) < 0)
		return -ENOMEM;
	return doubt_cost(convert, thread, at, extra, section, to, too_much);
}

static bool is_raw_doubtful(const struct pmu_raw_row *row)
{
	return row->unended || row->unbegun || row->open || row->moved ||
	       row->flags & ~PMU_STORE_ROW_KINDS || row->torn || row->missing;
}

static int convert_thread(struct pmu_convert *convert, size_t index,
			  struct pmu_model_section *section, struct pmu_fold *fold,
			  struct row_extra *extra)
{
	const struct pmu_raw_thread *thread = &convert->raw->thread[index];
	unsigned int number = convert->thread_of[index];
	size_t i;
	int rc;

	relate_rows(convert, thread, extra);
	for (i = 0; i < thread->n_rows; i++) {
		struct pmu_model_row row = { .thread = (int)number, .parent = -1 };

		rc = is_raw_doubtful(&thread->row[i])
			     ? doubt_row(convert, thread, &thread->row[i],
					 row_path(convert, thread, extra, i),
					 doubted_thread(convert, thread))
			     : 0;
		if (rc)
			return rc;
		if (!extra[i].visible)
			continue;
		if (extra[i].parent != NO_PARENT)
			row.parent = (int)extra[extra[i].parent].at;
		rc = fill_model_row(convert, thread, i, extra, section, &row);
		if (rc)
			return rc;
		extra[i].at = pmu_fold_add(fold, convert, section, &row);
	}
	return 0;
}

int pmu_convert_section(struct pmu_convert *convert, uint32_t group,
			struct pmu_model_section *section)
{
	const struct pmu_raw *raw = convert->raw;
	struct row_extra *extra;
	struct pmu_fold fold;
	size_t i, n_rows = 0;
	int rc;

	for (i = 0; i < raw->n_threads; i++)
		if (raw->thread[i].group == group)
			n_rows += raw->thread[i].n_rows;
	if (n_rows > INT32_MAX)
		return -ENOMEM;
	section->thread_row = pmu_model_alloc(convert->model,
					      n_rows * sizeof(*section->thread_row));
	if (!section->thread_row)
		return -ENOMEM;
	rc = pmu_fold_open(&fold, convert, group, n_rows);
	for (i = 0; i < raw->n_threads && !rc; i++) {
		if (raw->thread[i].group != group || !raw->thread[i].n_rows)
			continue;
		extra = calloc(raw->thread[i].n_rows, sizeof(*extra));
		rc = extra ? convert_thread(convert, i, section, &fold, extra) : -ENOMEM;
		free(extra);
	}
	pmu_fold_close(&fold);
	return rc;
}
