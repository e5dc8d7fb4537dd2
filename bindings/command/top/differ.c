/* SPDX-License-Identifier: BSD-3-Clause */
/* What the sums of two looks differ by, and what is open beside them. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "bindings/command/top/making.h"
#include "report/model/metric.h"

/* A time that is known to be in a range alone is told where that is so much of all. */
#define ABOUT 0.02

static void *room(struct pmu_top_making *m, size_t n, size_t size)
{
	void *memory = pmu_block_array(&m->scratch, n ? n : 1, size);

	m->failed |= !memory;
	return memory;
}

/* --- differences of totals --- */

static bool is_sum(const void *wanted, uintptr_t number)
{
	const struct pmu_model_row *const *w = wanted;

	return pmu_top_is_same_sum(w[0], &w[1][number - 1]);
}

static struct pmu_index_place *place_of_sum(const struct pmu_top_part *part,
					    const struct pmu_model_row *sum)
{
	const struct pmu_model_row *wanted[] = { sum, part->before->row };

	return pmu_index_find(&part->index, pmu_top_key(sum), is_sum, wanted);
}

static bool index_before(struct pmu_top_making *m, struct pmu_top_part *part)
{
	if (!part->before)
		return true;
	if (pmu_index_reserve(&part->index, part->before->n_rows + 1) < 0) {
		m->failed = true;
		return false;
	}
	for (unsigned int i = 0; i < part->before->n_rows; i++) {
		struct pmu_index_place *place = place_of_sum(part, &part->before->row[i]);

		if (!place->thing)
			pmu_index_take(&part->index, place, pmu_top_key(&part->before->row[i]),
				       i + 1);
	}
	return true;
}

/* Of a group with the same columns; a damaged store may look like another program's. */
static const struct pmu_model_section *section_before(const struct pmu_top_making *m,
						      const struct pmu_model_section *now)
{
	const struct pmu_model *model = m->before->model;

	for (unsigned int i = 0; i < model->n_sections; i++)
		if (model->section[i].index == now->index &&
		    model->section[i].n_counts == now->n_counts)
			return &model->section[i];
	return NULL;
}

/* Nothing had ended: it has counted nothing, whatever is missing. */
static bool is_blank_row(const struct pmu_model_row *row)
{
	return !row->calls && !row->time_ns && !row->socket_ns;
}

static void subtract_counts(const struct pmu_model_section *s, const struct pmu_model_row *was,
			    struct pmu_model_row *row, uint64_t *net)
{
	for (unsigned int c = 0; c < s->n_counts; c++) {
		bool backwards = was && was->net[c] > row->net[c];

		net[c] = row->net[c] - (was && !backwards ? was->net[c] : 0);
		if (backwards)
			row->missing |= 1u << c;
	}
	if (was && !is_blank_row(was))
		row->missing |= was->missing;
	row->net = net;
}

/*
 * Times are converted by a rate that each look takes anew, to a microsecond or so since the start: by as
 * much the same ticks may come out as more or less.
 */
static uint64_t rounding(uint64_t ns)
{
	return 1000 + ns / 100000;
}

static bool is_set_back(uint64_t was_ns, uint64_t ns)
{
	return was_ns > ns && was_ns - ns > rounding(was_ns);
}

/* Where no call has ended there is none but that. */
static uint64_t time_between(uint64_t was_ns, uint64_t ns, bool any_ended)
{
	if (ns <= was_ns || (!any_ended && ns - was_ns <= rounding(was_ns)))
		return 0;
	return ns - was_ns;
}

/* Return: whether it is one; sums that were set back have no difference. */
static bool subtract_row(struct pmu_top_making *m, const struct pmu_model_section *s,
			 const struct pmu_model_row *was, struct pmu_model_row *row)
{
	uint64_t *net = room(m, s->n_counts, sizeof(*net));

	if (m->failed || row->flags & PMU_ROW_TORN)
		return false;
	if (was && (was->flags & PMU_ROW_TORN || was->calls > row->calls ||
		    is_set_back(was->time_ns, row->time_ns) ||
		    is_set_back(was->socket_ns, row->socket_ns)))
		return false;
	subtract_counts(s, was, row, net);
	if (was) {
		row->calls -= was->calls;
		row->time_ns = time_between(was->time_ns, row->time_ns, row->calls);
		row->socket_ns = time_between(was->socket_ns, row->socket_ns, true);
	}
	return true;
}

static void fill_part(struct pmu_top_making *m, unsigned int at)
{
	struct pmu_top_part *part = &m->part[at];
	const struct pmu_model_section *s = &m->now->model->section[at];
	const uint64_t *held_before = NULL;

	*part = (struct pmu_top_part){
		.now = s,
		.before = m->has_last ? section_before(m, s) : NULL,
		.last = *s,
		.known = room(m, s->n_rows, sizeof(bool)),
		.about_last = room(m, s->n_rows, sizeof(bool)),
		.about_start = room(m, s->n_rows, sizeof(bool)),
		.more_last = room(m, s->n_rows, sizeof(double)),
		.more_start = room(m, s->n_rows, sizeof(double)),
		.held_last = room(m, s->n_rows, sizeof(double)),
		.held_start = room(m, s->n_rows, sizeof(double)),
		.was = room(m, s->n_rows, sizeof(const struct pmu_model_row *)),
		.row = room(m, s->n_rows, sizeof(unsigned int)),
	};
	part->last.row = room(m, s->n_rows, sizeof(*s->row));
	part->last.n_thread_rows = 0;
	if (m->failed || !index_before(m, part))
		return;
	if (part->before)
		held_before = m->before->held[part->before - m->before->model->section];
	for (unsigned int i = 0; i < s->n_rows; i++) {
		uintptr_t was = part->before ? place_of_sum(part, &s->row[i])->thing : 0;
		struct pmu_model_row *row = &part->last.row[i];
		uint64_t held = was ? held_before[was - 1] : 0;

		if (was)
			part->was[i] = &part->before->row[was - 1];
		*row = s->row[i];
		row->team = NULL;
		row->metric = room(m, s->n_metrics, sizeof(double));
		for (unsigned int k = 0; row->metric && k < s->n_metrics; k++)
			row->metric[k] = NAN;
		part->known[i] = m->has_last && subtract_row(m, s, part->was[i], row);
		part->held_start[i] = (double)m->now->held[at][i];
		part->held_last[i] = part->held_start[i] - (double)held;
	}
}

/* --- calls that have not ended --- */

/* What goes on was there between two looks, and is in no total. */
static void add_open_difference(struct pmu_top_making *m, const struct pmu_top_open *open)
{
	const struct pmu_model_section *s = &m->now->model->section[open->section];
	struct pmu_top_part *part = &m->part[open->section];
	const double now_ns = (double)m->now->model->duration_ns;
	const int holder = open->row->holder < 0 ? -1 : s->thread_row[open->row->holder].sum;
	const double least = now_ns - open->latest_ns, most = now_ns - open->earliest_ns;
	const unsigned int sum = (unsigned int)open->row->sum;

	part->more_start[sum] += least;
	part->about_start[sum] |= most - least > ABOUT * (double)m->now->threads_ns;
	if (holder >= 0)
		part->held_start[holder] += least;
	if (!open->is_same)
		return;
	part->more_last[sum] += m->last_ns;
	if (holder >= 0)
		part->held_last[holder] += m->last_ns;
}

static bool is_thread_row(const struct pmu_model *a, const struct pmu_top_open *open,
			  const struct pmu_model *b, const struct pmu_model_row *row)
{
	return a->thread[open->row->thread].number == b->thread[row->thread].number &&
	       !((open->row->flags ^ row->flags) & (PMU_ROW_TEAM | PMU_ROW_FLAT)) &&
	       !strcmp(open->row->path, row->path);
}

/*
 * A call that was open at the look before and has ended since brings all of its time at once: more
 * than there was between the looks is of before.
 */
static void cap_row(struct pmu_top_making *m, unsigned int section, const struct pmu_top_open *open,
		    const struct pmu_model_row *row)
{
	const struct pmu_model_section *s = &m->now->model->section[section];
	struct pmu_top_part *part = &m->part[section];
	const double excess = (double)row->time_ns - (double)open->row->time_ns - m->last_ns;

	if (excess <= 0)
		return;
	part->more_last[row->sum] -= excess;
	part->about_last[row->sum] |= excess > ABOUT * m->last_ns;
	if (row->holder >= 0)
		part->held_last[s->thread_row[row->holder].sum] -= excess;
}

/** Calls that were open at the look before, by what thread and path they are of. */
struct were_open {
	const struct pmu_top_look *before, *now;
	const struct pmu_model_row *row;
	unsigned int section;
};

static bool was_open(const void *wanted, uintptr_t number)
{
	const struct were_open *w = wanted;
	const struct pmu_top_open *open = &w->before->open[number - 1];

	return w->before->model->section[open->section].index ==
		       w->now->model->section[w->section].index &&
	       is_thread_row(w->before->model, open, w->now->model, w->row);
}

static uint32_t open_hash(const struct pmu_top_look *look, const struct pmu_model_section *s,
			  const struct pmu_model_row *row)
{
	return pmu_top_key(&s->row[row->sum]) ^
	       pmu_hash_number((uint64_t)look->model->thread[row->thread].number);
}

static void cap_ended(struct pmu_top_making *m)
{
	struct pmu_index index = { 0 };
	const struct pmu_model *model = m->now->model;

	if (!m->has_last || !m->before->n_open)
		return;
	m->failed |= pmu_index_reserve(&index, m->before->n_open + 1) < 0;
	for (unsigned int i = 0; i < m->before->n_open && !m->failed; i++) {
		const struct pmu_top_open *open = &m->before->open[i];
		const struct were_open wanted = { m->before, m->before, open->row, open->section };
		struct pmu_index_place *place = pmu_index_find(&index, open->hash, was_open,
							       &wanted);

		if (!place->thing)
			pmu_index_take(&index, place, open->hash, i + 1);
	}
	for (unsigned int s = 0; s < model->n_sections && !m->failed; s++)
		for (unsigned int i = 0; i < model->section[s].n_thread_rows; i++) {
			const struct pmu_model_row *row = &model->section[s].thread_row[i];
			const struct were_open wanted = { m->before, m->now, row, s };
			uintptr_t was;

			if (pmu_model_is_socket(model, row))
				continue;
			was = pmu_index_find(&index, open_hash(m->now, &model->section[s], row),
					     was_open, &wanted)
				      ->thing;
			if (was)
				cap_row(m, s, &m->before->open[was - 1], row);
		}
	pmu_index_free(&index);
}

/* --- all of it --- */

void pmu_top_differ(struct pmu_top_making *m)
{
	const struct pmu_top_look *before = m->before, *now = m->now;
	struct pmu_model last = *now->model;

	m->has_last = before && !before->model->is_damaged && !now->model->is_damaged &&
		      now->model->duration_ns > before->model->duration_ns &&
		      now->threads_ns >= before->threads_ns;
	if (m->has_last) {
		m->last_ns = (double)(now->model->duration_ns - before->model->duration_ns);
		m->threads_last_ns = (double)(now->threads_ns - before->threads_ns);
	}
	m->part = room(m, now->model->n_sections, sizeof(*m->part));
	last.section = room(m, now->model->n_sections, sizeof(*last.section));
	for (unsigned int s = 0; s < now->model->n_sections && !m->failed; s++) {
		fill_part(m, s);
		last.section[s] = m->part[s].last;
	}
	if (m->failed)
		return;
	pmu_metric_fill(&last);
	for (unsigned int i = 0; i < now->n_open; i++)
		add_open_difference(m, &now->open[i]);
	cap_ended(m);
}
