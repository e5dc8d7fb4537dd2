/* SPDX-License-Identifier: BSD-3-Clause */
/* One look at a store: sums over all threads that were in a region, and what is open. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "bindings/command/top/top.h"
#include "report/model/finish.h"
#include "report/model/metric.h"

uint32_t pmu_top_key(const struct pmu_model_row *sum)
{
	return pmu_hash_text(sum->path, strlen(sum->path)) ^ (sum->flags & PMU_ROW_FLAT);
}

bool pmu_top_is_same_sum(const struct pmu_model_row *a, const struct pmu_model_row *b)
{
	return !((a->flags ^ b->flags) & PMU_ROW_FLAT) && !strcmp(a->path, b->path);
}

/* --- sums --- */

/* What a thread did for another one's region; in the model it stands beside. */
static void add_team_row(const struct pmu_model_section *s, const struct pmu_model_row *row)
{
	const struct pmu_columns columns = { .n = s->n_counts };
	struct pmu_model_row *sum = &s->row[row->sum];

	sum->n_threads++;
	sum->n_open += row->n_open;
	sum->flags |= row->flags & PMU_ROW_TORN;
	if (!pmu_model_time_known(row) || row->flags & PMU_ROW_TORN)
		return;
	if (!sum->time_ns) /* only what was open has made them missing */
		sum->missing &= s->sockets;
	pmu_row_add(sum, NULL, row, PMU_OF_TEAM);
	pmu_row_add_counts(sum, row, &columns, ~s->sockets);
}

static void add_held_time(const struct pmu_model_section *s, const struct pmu_model_row *row,
			  uint64_t *held)
{
	const struct pmu_model_row *holder;

	if (row->holder < 0)
		return;
	holder = &s->thread_row[row->holder];
	held[holder->sum] = pmu_add_capped(held[holder->sum], row->time_ns);
}

static int sum_up(struct pmu_top_look *look, unsigned int section)
{
	struct pmu_model *model = look->model;
	const struct pmu_model_section *s = &model->section[section];
	uint64_t *held = pmu_model_alloc(model, s->n_rows * sizeof(*held));

	look->held[section] = held;
	if (!held)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->n_thread_rows; i++) {
		const struct pmu_model_row *row = &s->thread_row[i];

		if (pmu_model_is_socket(model, row))
			continue;
		if (row->flags & PMU_ROW_TEAM)
			add_team_row(s, row);
		add_held_time(s, row, held);
	}
	return 0;
}

/* --- what is open --- */

/* Of the thread, by number: an index may be another's after a while. */
static bool is_same_call(const struct pmu_model *a, const struct pmu_top_open *x,
			 const struct pmu_model *b, const struct pmu_top_open *y)
{
	return x->hash == y->hash && x->row->calls == y->row->calls &&
	       a->section[x->section].index == b->section[y->section].index &&
	       a->thread[x->row->thread].number == b->thread[y->row->thread].number &&
	       !((x->row->flags ^ y->row->flags) & (PMU_ROW_TEAM | PMU_ROW_FLAT)) &&
	       !strcmp(x->row->path, y->row->path);
}

struct wanted {
	const struct pmu_top_look *before, *now;
	const struct pmu_top_open *open;
};

static bool is_wanted_call(const void *wanted, uintptr_t number)
{
	const struct wanted *w = wanted;

	return is_same_call(w->before->model, &w->before->open[number - 1], w->now->model, w->open);
}

static int index_open(struct pmu_index *index, const struct pmu_top_look *look)
{
	if (pmu_index_reserve(index, look->n_open) < 0)
		return -ENOMEM;
	for (unsigned int i = 0; i < look->n_open; i++) {
		const struct wanted wanted = { look, look, &look->open[i] };
		struct pmu_index_place *place = pmu_index_find(index, look->open[i].hash,
							       is_wanted_call, &wanted);

		if (!place->thing)
			pmu_index_take(index, place, look->open[i].hash, i + 1);
	}
	return 0;
}

/* A region that the thread began itself, in none or in one of another thread's. */
static bool is_outermost(const struct pmu_model_section *s, const struct pmu_model_row *row)
{
	return !(row->flags & PMU_ROW_TEAM) &&
	       (row->parent < 0 || s->thread_row[row->parent].flags & PMU_ROW_TEAM);
}

/* Its first and only one of these, which began when the thread was first seen. */
static bool is_first_of_thread(const struct pmu_model *model, const struct pmu_top_open *open)
{
	const struct pmu_model_row *row = open->row;
	unsigned int n = 0;

	if (row->calls || !is_outermost(&model->section[open->section], row))
		return false;
	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int i = 0; i < model->section[s].n_thread_rows; i++)
			n += model->section[s].thread_row[i].thread == row->thread &&
			     is_outermost(&model->section[s], &model->section[s].thread_row[i]);
	return n == 1;
}

static void date_open_call(const struct pmu_top_look *look, const struct pmu_top_look *before,
			   struct pmu_top_open *open)
{
	const struct pmu_model *model = look->model;
	int64_t start_ns = model->thread[open->row->thread].start_ns;

	open->latest_ns = (double)model->duration_ns;
	open->earliest_ns = start_ns > 0 ? (double)start_ns : 0;
	if (start_ns >= 0 && is_first_of_thread(model, open))
		open->latest_ns = open->earliest_ns;
	else if (before && open->earliest_ns < (double)before->model->duration_ns)
		open->earliest_ns = (double)before->model->duration_ns;
	if (open->latest_ns < open->earliest_ns)
		open->latest_ns = open->earliest_ns;
}

/* What is nested in a region began after it.  @at: 1 + where each of the section's rows is */
static void nest_open(struct pmu_top_look *look, unsigned int first, const unsigned int *at)
{
	for (unsigned int i = look->n_open; i-- > first;) {
		struct pmu_top_open *open = &look->open[i], *outer;

		if (open->row->parent < 0 || !at[open->row->parent])
			continue;
		outer = &look->open[at[open->row->parent] - 1];
		if (outer->latest_ns > open->latest_ns)
			outer->latest_ns = open->latest_ns;
		if (outer->earliest_ns > outer->latest_ns)
			outer->earliest_ns = outer->latest_ns;
	}
}

static void add_open_call(struct pmu_top_look *look, const struct pmu_top_look *before,
			  const struct pmu_index *index, unsigned int section,
			  const struct pmu_model_row *row)
{
	const struct pmu_model *model = look->model;
	struct pmu_top_open open = { .row = row, .section = section };
	const struct wanted wanted = { before, look, &open };
	uintptr_t was;

	open.hash = pmu_top_key(&model->section[section].row[row->sum]) ^
		    pmu_hash_number((uint64_t)model->thread[row->thread].number);
	was = before ? pmu_index_find(index, open.hash, is_wanted_call, &wanted)->thing : 0;
	if (was) {
		open.earliest_ns = before->open[was - 1].earliest_ns;
		open.latest_ns = before->open[was - 1].latest_ns;
		open.is_same = true;
	} else {
		date_open_call(look, before, &open);
	}
	look->open[look->n_open++] = open;
}

/*
 * What one thread has done in a region, for itself or for another thread: so long has it been open where
 * none of its calls has ended.  @most: [n_rows] the most of any thread
 */
static int find_done(const struct pmu_model_section *s, uint64_t *most)
{
	uint64_t *done = calloc(s->n_thread_rows + 1, sizeof(*done));

	if (!done)
		return -ENOMEM;
	for (unsigned int i = s->n_thread_rows; i-- > 0;) {
		const struct pmu_model_row *row = &s->thread_row[i];

		if (pmu_model_time_known(row) && row->time_ns > done[i])
			done[i] = row->time_ns;
		if (most[row->sum] < done[i])
			most[row->sum] = done[i];
		if (row->holder >= 0)
			done[row->holder] = pmu_add_capped(done[row->holder], done[i]);
	}
	free(done);
	return 0;
}

static void date_by_work(const struct pmu_top_look *look, unsigned int first, const uint64_t *most)
{
	for (unsigned int i = first; i < look->n_open; i++) {
		struct pmu_top_open *open = &look->open[i];
		double latest = (double)look->model->duration_ns - (double)most[open->row->sum];

		/* what a checkpoint has published is a part of the call */
		if (open->row->calls || open->row->time_ns || open->is_same)
			continue;
		if (latest < open->earliest_ns)
			latest = open->earliest_ns;
		if (open->latest_ns > latest)
			open->latest_ns = latest;
	}
}

static int find_open_calls(struct pmu_top_look *look, const struct pmu_top_look *before,
			   const struct pmu_index *index, unsigned int section)
{
	const struct pmu_model_section *s = &look->model->section[section];
	unsigned int *at = calloc(s->n_thread_rows + 1, sizeof(*at)), first = look->n_open;
	uint64_t *most = calloc(s->n_rows + 1, sizeof(*most));

	if (!at || !most || find_done(s, most)) {
		free(at);
		free(most);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < s->n_thread_rows; i++) {
		if (!s->thread_row[i].n_open || pmu_model_is_socket(look->model, &s->thread_row[i]))
			continue;
		add_open_call(look, before, index, section, &s->thread_row[i]);
		at[i] = look->n_open;
	}
	date_by_work(look, first, most);
	nest_open(look, first, at);
	free(at);
	free(most);
	return 0;
}

static int find_all_open(struct pmu_top_look *look, const struct pmu_top_look *before)
{
	const struct pmu_model *model = look->model;
	struct pmu_index index = { 0 };
	unsigned int n = 0;
	int rc;

	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int i = 0; i < model->section[s].n_thread_rows; i++)
			n += model->section[s].thread_row[i].n_open > 0;
	look->open = calloc(n + 1, sizeof(*look->open));
	rc = look->open ? 0 : -ENOMEM;
	if (!rc && before)
		rc = index_open(&index, before);
	/* an empty index has no place to look at */
	if (!rc && before && !before->n_open)
		rc = pmu_index_reserve(&index, 1);
	for (unsigned int s = 0; !rc && s < model->n_sections; s++)
		rc = find_open_calls(look, before, &index, s);
	pmu_index_free(&index);
	return rc;
}

/* --- all of it --- */

struct pmu_top_look *pmu_top_look_new(struct pmu_model *model, const struct pmu_top_look *before)
{
	struct pmu_top_look *look = calloc(1, sizeof(*look));
	int rc = 0;

	if (!look) {
		pmu_model_free(model);
		return NULL;
	}
	look->model = model;
	look->threads_ns = pmu_model_span(model);
	look->held = pmu_model_alloc(model, (model->n_sections + 1) * sizeof(*look->held));
	if (!look->held)
		rc = -ENOMEM;
	for (unsigned int s = 0; !rc && s < model->n_sections; s++)
		rc = sum_up(look, s);
	if (!rc)
		rc = find_all_open(look, before);
	if (rc) {
		pmu_top_look_free(look);
		return NULL;
	}
	pmu_metric_fill(model);
	return look;
}

void pmu_top_look_free(struct pmu_top_look *look)
{
	if (!look)
		return;
	pmu_model_free(look->model);
	free(look->open);
	free(look);
}
