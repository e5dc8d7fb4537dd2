/* SPDX-License-Identifier: BSD-3-Clause */
/* What all threads did for a region that some of them opened. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/finish.h"
#include "report/model/measure.h"
#include "report/model/rows.h"

/* What rounding may add to a share of the time that there was. */
#define ROUNDING 1e-3

/* A thread and a region. */
struct member {
	const struct pmu_model_thread *thread;
	uint64_t opened_ns; /* at work in calls of its own */
	uint64_t worked_ns; /* for those of others, at any depth */
	bool opens, works;
	bool is_opened_unknown, is_worked_unknown;
	int64_t start, stop;
	unsigned int place;
};

/* What a row has in waits, on a processor and altogether; or PMU_NOT_KNOWN. */
struct waits {
	uint64_t cpu_ns, time_ns;
};

struct teams {
	struct pmu_finishing *f;
	struct pmu_rows_by_sum rows;
	bool by_cpu; /* at work on a processor; else, where that is not known of all, for whatever time */
	uint64_t *worked_ns;     /* [n_thread_rows] of a team's row: with those in it */
	struct waits *waits;     /* [n_thread_rows] */
	struct waits *sum_waits; /* [n_rows] */
	bool *is_unknown;        /* [n_thread_rows] some of that is not known */
	/* of the region at hand */
	struct member *member;
	unsigned int n_members;
	struct member **by_start, **by_stop; /* those that are compared */
	unsigned int n;
	uint64_t *is_free;  /* bits by place */
	uint64_t *place_ns; /* by place */
};

static bool is_others(const struct pmu_model_row *row)
{
	return row->flags & PMU_ROW_TEAM;
}

bool pmu_section_has_teams(const struct pmu_model_section *section)
{
	for (unsigned int i = 0; i < section->n_thread_rows; i++)
		if (is_others(&section->thread_row[i]))
			return true;
	return false;
}

bool pmu_model_has_teams(const struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_sections; i++)
		if (pmu_section_has_teams(&model->section[i]))
			return true;
	return false;
}

/* --- time and counts --- */

static int give_team(struct teams *t, struct pmu_model_row *sum)
{
	struct pmu_model *model = t->f->model;
	const struct pmu_model_section *s = t->f->section;
	struct pmu_model_team *team;

	if (sum->team)
		return 0;
	team = pmu_model_alloc(model, sizeof(*team));
	if (!team)
		return -ENOMEM;
	*team = (struct pmu_model_team){
		.time_known = true,
		.all.raw = pmu_block_array(&model->blocks, s->n_counts, sizeof(uint64_t)),
		.all.net = pmu_block_array(&model->blocks, s->n_counts, sizeof(uint64_t)),
		.all.metric = pmu_block_array(&model->blocks, s->n_metrics, sizeof(double)),
		.imbalance = NAN,
		.efficiency = NAN,
	};
	if (!team->all.raw || !team->all.net || !team->all.metric)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->n_metrics; i++)
		team->all.metric[i] = NAN;
	sum->team = team;
	return 0;
}

void pmu_team_add(struct pmu_model_team *to, const struct pmu_model_row *row, bool is_known,
		  const struct pmu_columns *columns, uint32_t counts)
{
	to->time_known &= is_known;
	to->all.flags |= row->flags & PMU_ROW_UNTIMED;
	pmu_row_add(&to->all, NULL, row, PMU_OF_TEAM);
	to->all.missing |= is_known ? ~counts : UINT32_MAX;
	if (is_known)
		pmu_row_add_counts(&to->all, row, columns, counts);
}

/* Each row of a team, to its region's. */
static int add_others(struct teams *t)
{
	const struct pmu_model_section *s = t->f->section;
	const struct pmu_columns columns = { .n = s->n_counts };
	int rc = 0;

	for (unsigned int i = 0; i < s->n_thread_rows && !rc; i++) {
		const struct pmu_model_row *row = &s->thread_row[i];
		struct pmu_model_team *team;

		if (!is_others(row) || pmu_model_is_socket(t->f->model, row))
			continue;
		rc = give_team(t, &s->row[row->sum]);
		if (rc)
			break;
		team = s->row[row->sum].team;
		team->has_others = true;
		team->all.flags |= row->flags & (PMU_ROW_OPEN | PMU_ROW_INTERRUPTED);
		/* what a socket counted meanwhile is no single thread's */
		pmu_team_add(team, row, pmu_model_time_known(row), &columns, ~s->sockets);
	}
	return rc;
}

/* A program's row has everything of its process already. */
static bool is_region(const struct pmu_model_row *sum)
{
	return !(sum->flags & PMU_ROW_PROGRAM);
}

/* What others did in a region they also did for the one around it. */
static int propagate_work(struct teams *t, const struct pmu_model_row *sum)
{
	struct pmu_model_section *s = t->f->section;
	const struct pmu_columns columns = { .n = s->n_counts };
	const struct pmu_model_team *from = sum->team;
	struct pmu_model_team *to;

	if (!from || !from->has_others || sum->parent < 0 || !is_region(&s->row[sum->parent]))
		return 0;
	if (give_team(t, &s->row[sum->parent]) < 0)
		return -ENOMEM;
	to = s->row[sum->parent].team;
	to->has_others = true;
	to->all.flags |= from->all.flags;
	pmu_team_add(to, &from->all, from->time_known, &columns, UINT32_MAX);
	return 0;
}

/* Is what its openers did known, of all of them? */
static bool is_own_known(const struct teams *t, unsigned int at)
{
	const struct pmu_model_section *s = t->f->section;

	for (unsigned int k = t->rows.start[at]; k < t->rows.start[at + 1]; k++) {
		const struct pmu_model_row *row = &s->thread_row[t->rows.row[k]];

		if (!is_others(row) && !pmu_model_is_socket(t->f->model, row) &&
		    !pmu_model_time_known(row))
			return false;
	}
	return s->row[at].n_threads > 0;
}

static void add_own_work(struct teams *t, unsigned int at)
{
	const struct pmu_model_section *s = t->f->section;
	const struct pmu_model_row *sum = &s->row[at];
	const struct pmu_columns columns = { .n = s->n_counts };

	pmu_team_add(sum->team, sum, is_own_known(t, at), &columns, UINT32_MAX);
}

/* --- waits --- */

/*
 * Threads that wait for each other may spin: that takes a processor, and is no work.  Such are the
 * rows that pmu run makes of OpenMP's barriers, and what else a program calls so.
 */
static bool is_wait(const struct pmu_model_row *row)
{
	static const char start[] = "wait (";

	return !strncmp(row->name, start, strlen(start));
}

/* What is nested stands behind what is around it. */
static void find_waits(struct waits *waits, const struct pmu_model_row *row, unsigned int n)
{
	for (unsigned int i = n; i-- > 0;) {
		struct waits *around = row[i].holder >= 0 ? &waits[row[i].holder] : NULL;

		if (is_wait(&row[i]))
			waits[i] = (struct waits){ row[i].cpu_ns, row[i].time_ns };
		if (!around)
			continue;
		around->cpu_ns = pmu_add_capped(around->cpu_ns, waits[i].cpu_ns);
		around->time_ns = pmu_add_capped(around->time_ns, waits[i].time_ns);
	}
}

static uint64_t without_waits(uint64_t ns, uint64_t waits_ns)
{
	return ns > waits_ns ? ns - waits_ns : 0;
}

/* --- who they are --- */

static bool knows_cpu_times(const struct pmu_finishing *f)
{
	const struct pmu_model_section *s = f->section;

	for (unsigned int i = 0; i < s->n_thread_rows; i++) {
		const struct pmu_model_row *row = &s->thread_row[i];

		if (!pmu_model_is_socket(f->model, row) && pmu_model_time_known(row) &&
		    row->cpu_ns == PMU_NOT_KNOWN)
			return false;
	}
	return true;
}

/* A thread that sleeps, or waits for others, is not at work.  Context: @i is a thread's row. */
static uint64_t at_work(const struct teams *t, unsigned int i)
{
	const struct pmu_model_row *row = &t->f->section->thread_row[i];

	if (t->by_cpu && pmu_model_time_known(row))
		return without_waits(row->cpu_ns, t->waits[i].cpu_ns);
	return without_waits(row->time_ns, t->waits[i].time_ns);
}

/* A thread's rows of a team: each with what is in it. */
static void find_work(struct teams *t)
{
	const struct pmu_model_row *row = t->f->section->thread_row;

	for (unsigned int i = t->f->section->n_thread_rows; i-- > 0;) {
		int parent = row[i].parent;

		if (!is_others(&row[i]))
			continue;
		t->worked_ns[i] = pmu_add_capped(t->worked_ns[i], at_work(t, i));
		t->is_unknown[i] |= !pmu_model_time_known(&row[i]);
		if (parent < 0 || !is_others(&row[parent]))
			continue;
		t->worked_ns[parent] = pmu_add_capped(t->worked_ns[parent], t->worked_ns[i]);
		t->is_unknown[parent] |= t->is_unknown[i];
	}
}

/* Rows of one thread are neighbours. */
static void find_members(struct teams *t, unsigned int at)
{
	const struct pmu_model *model = t->f->model;

	t->n_members = 0;
	for (unsigned int k = t->rows.start[at]; k < t->rows.start[at + 1]; k++) {
		unsigned int i = t->rows.row[k];
		const struct pmu_model_row *row = &t->f->section->thread_row[i];
		struct member *member;

		if (row->thread < 0 || (unsigned int)row->thread >= model->n_threads)
			continue;
		if (!t->n_members ||
		    t->member[t->n_members - 1].thread != &model->thread[row->thread])
			t->member[t->n_members++] =
				(struct member){ .thread = &model->thread[row->thread] };
		member = &t->member[t->n_members - 1];
		if (is_others(row)) {
			member->works = true;
			member->worked_ns = pmu_add_capped(member->worked_ns, t->worked_ns[i]);
			member->is_worked_unknown |= t->is_unknown[i];
		} else {
			member->opens = true;
			member->opened_ns = pmu_add_capped(member->opened_ns, at_work(t, i));
			member->is_opened_unknown |= !pmu_model_time_known(row);
		}
	}
}

/* --- who was there at the same time --- */

static int compare_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_start(const void *a, const void *b)
{
	const struct member *const *x = a, *const *y = b;
	int order = compare_i64((*x)->thread->part, (*y)->thread->part);

	if (!order)
		order = compare_i64((*x)->start, (*y)->start);
	return order ? order : compare_i64((*x)->thread->number, (*y)->thread->number);
}

static int by_stop(const void *a, const void *b)
{
	const struct member *const *x = a, *const *y = b;
	int order = compare_i64((*x)->thread->part, (*y)->thread->part);

	return order ? order : compare_i64((*x)->stop, (*y)->stop);
}

/* Return: false: when some of them lived is not known. */
static bool choose_members(struct teams *t, bool opens, bool works)
{
	t->n = 0;
	for (unsigned int i = 0; i < t->n_members; i++) {
		struct member *member = &t->member[i];

		if (!(opens && member->opens) && !(works && member->works))
			continue;
		if (member->thread->n_merged || member->thread->start_ns < 0)
			return false;
		/* with a moment behind it */
		member->start = member->thread->start_ns;
		member->start -= member->start == INT64_MAX;
		member->stop = member->thread->stop_ns;
		if (member->stop <= member->start)
			member->stop = member->start + 1;
		t->by_start[t->n] = t->by_stop[t->n] = member;
		t->n++;
	}
	qsort(t->by_start, t->n, sizeof(struct member *), by_start);
	qsort(t->by_stop, t->n, sizeof(struct member *), by_stop);
	return true;
}

static unsigned int lowest_free(uint64_t *is_free, unsigned int n_places)
{
	for (unsigned int i = 0; i <= n_places / 64; i++) {
		unsigned int place;

		if (!is_free[i])
			continue;
		place = 64 * i + (unsigned int)__builtin_ctzll(is_free[i]);
		is_free[i] &= is_free[i] - 1;
		return place;
	}
	return n_places;
}

/*
 * Each of those that were chosen gets a place that no other one has while it lives, the lowest that
 * is free: that of a thread before it.  Processes have their own.  Return: how many places.
 */
static unsigned int take_places(struct teams *t)
{
	unsigned int first = 0, n_places = 0, n_gone = 0;

	for (unsigned int i = 0; i < t->n; i++) {
		struct member *member = t->by_start[i];

		if (i && member->thread->part != t->by_start[i - 1]->thread->part) {
			for (unsigned int k = 0; k <= n_places / 64; k++)
				t->is_free[k] = 0;
			first += n_places;
			n_places = 0;
			n_gone = i;
		}
		for (; n_gone < i && t->by_stop[n_gone]->stop <= member->start; n_gone++) {
			unsigned int place = t->by_stop[n_gone]->place - first;

			t->is_free[place / 64] |= UINT64_C(1) << place % 64;
		}
		member->place = first + lowest_free(t->is_free, n_places);
		if (member->place == first + n_places)
			n_places++;
	}
	for (unsigned int k = 0; k <= n_places / 64; k++)
		t->is_free[k] = 0;
	return first + n_places;
}

/* Those that worked for others, or its openers. */
static struct pmu_model_side side_of(struct teams *t, bool works)
{
	struct pmu_model_side side = { .is_known = choose_members(t, !works, works),
				       .is_timed = true };

	if (!side.is_known)
		return side;
	side.n = take_places(t);
	for (unsigned int i = 0; i < side.n; i++)
		t->place_ns[i] = 0;
	for (unsigned int i = 0; i < t->n; i++) {
		const struct member *member = t->by_start[i];
		uint64_t *ns = &t->place_ns[member->place];

		side.is_timed &= !(works ? member->is_worked_unknown : member->is_opened_unknown);
		*ns = pmu_add_capped(*ns, works ? member->worked_ns : member->opened_ns);
	}
	for (unsigned int i = 0; i < side.n; i++) {
		uint64_t ns = t->place_ns[i];

		side.sum_ns = pmu_add_capped(side.sum_ns, ns);
		side.most_ns = ns > side.most_ns ? ns : side.most_ns;
	}
	return side;
}

/* Threads that wait nearly all of their time have nothing that could be spread better. */
#define LEAST_WORK 100u /* a part of so many */

static double imbalance_of(const struct pmu_model_side *side, uint64_t time_ns)
{
	if (!side->is_known || !side->is_timed || side->n < 2 || !side->sum_ns ||
	    side->sum_ns < time_ns / LEAST_WORK)
		return NAN;
	return (double)side->most_ns * side->n / (double)side->sum_ns - 1;
}

/*
 * There was as much time as one opener took, on average of those at the same time, for each of its
 * threads; what of that they were on a processor, and not to wait, is what was made of it.  Openers
 * that took turns with the same threads show as more than there was: it is not known then.
 */
static double efficiency_of(const struct pmu_model_team *team, const struct pmu_model_row *sum)
{
	double there_was = (double)team->n_threads * (double)sum->time_ns, part;
	uint64_t used = team->all.cpu_ns != PMU_NOT_KNOWN
				? without_waits(team->all.cpu_ns, team->wait_cpu_ns)
				: without_waits(team->all.time_ns, team->wait_time_ns);

	if (!team->has_others || !team->time_known || !team->openers.is_known || !team->openers.n ||
	    there_was <= 0)
		return NAN;
	part = (double)used * team->openers.n / there_was;
	if (part > 1 + ROUNDING)
		return NAN;
	return part > 1 ? 1 : part;
}

void pmu_team_rate(const struct pmu_finishing *f, const struct pmu_model_row *sum)
{
	struct pmu_model_team *team = sum->team;

	team->all.share = team->imbalance = team->efficiency = NAN;
	if (team->time_known)
		team->all.share = pmu_measure_share(f->section, &team->all, f->section->measure,
						    f->section->whole);
	if (team->all.flags & PMU_ROW_UNTIMED)
		return;
	/* openers wait for those that work for them */
	team->imbalance = imbalance_of(team->has_others ? &team->workers : &team->openers,
				       team->all.time_ns);
	team->efficiency = efficiency_of(team, sum);
}

static void fill_members(struct teams *t, unsigned int at)
{
	struct pmu_model_team *team = t->f->section->row[at].team;

	team->wait_cpu_ns = t->sum_waits[at].cpu_ns;
	team->wait_time_ns = t->sum_waits[at].time_ns;
	find_members(t, at);
	team->n_threads = choose_members(t, true, true) ? take_places(t) : 0;
	team->openers = side_of(t, false);
	team->workers = side_of(t, true);
	pmu_team_rate(t->f, &t->f->section->row[at]);
}

/* --- all of it --- */

static int make_section_teams(struct teams *t)
{
	struct pmu_model_section *s = t->f->section;
	int rc = add_others(t);

	find_waits(t->waits, s->thread_row, s->n_thread_rows);
	find_waits(t->sum_waits, s->row, s->n_rows);
	find_work(t);
	/* what is nested stands behind what is around it */
	for (unsigned int i = s->n_rows; i-- > 0 && !rc;) {
		if (!is_region(&s->row[i])) {
			s->row[i].team = NULL;
			continue;
		}
		rc = propagate_work(t, &s->row[i]);
		if (!rc && s->row[i].n_threads > 1)
			rc = give_team(t, &s->row[i]);
		if (rc || !s->row[i].team)
			continue;
		add_own_work(t, i);
		fill_members(t, i);
	}
	return rc;
}

int pmu_teams_make(struct pmu_finishing *f)
{
	size_t n = (size_t)f->section->n_thread_rows + 1;
	struct teams t = { .f = f, .by_cpu = knows_cpu_times(f) };
	int rc;

	if (!pmu_section_has_teams(f->section))
		return 0;
	rc = pmu_rows_by_sum(&t.rows, f->section);
	if (rc < 0)
		return rc;
	t.worked_ns = calloc(n, sizeof(*t.worked_ns));
	t.waits = calloc(n, sizeof(*t.waits));
	t.sum_waits = calloc((size_t)f->section->n_rows + 1, sizeof(*t.sum_waits));
	t.is_unknown = calloc(n, sizeof(*t.is_unknown));
	t.member = calloc(n, sizeof(*t.member));
	t.by_start = calloc(n, sizeof(struct member *));
	t.by_stop = calloc(n, sizeof(struct member *));
	t.is_free = calloc(n / 64 + 1, sizeof(*t.is_free));
	t.place_ns = calloc(n, sizeof(*t.place_ns));
	rc = -ENOMEM;
	if (t.worked_ns && t.waits && t.sum_waits && t.is_unknown && t.member && t.by_start &&
	    t.by_stop && t.is_free && t.place_ns)
		rc = make_section_teams(&t);
	free(t.worked_ns);
	free(t.waits);
	free(t.sum_waits);
	free(t.is_unknown);
	free(t.member);
	free(t.by_start);
	free(t.by_stop);
	free(t.is_free);
	free(t.place_ns);
	pmu_rows_by_sum_free(&t.rows);
	return rc;
}
