/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns the threads' rows into a finished model: their order and self values. */
#include "report/model/finish.h"
#include "report/model/all_calls.h"
#include "report/model/beside.h"
#include "report/model/least.h"
#include "report/model/measure.h"
#include "report/model/rows.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t *new_zeros(struct pmu_model *model, unsigned int n)
{
	return pmu_block_array(&model->blocks, n, sizeof(uint64_t));
}

/* Order: siblings together, outermost rows by thread, those with most first. */

struct sorting {
	const struct pmu_model_section *section;
	const struct pmu_model_row *row;
	enum pmu_model_measure measure;
};

/* Longest first where both have as much of it. */
static int compare_most(const struct sorting *by, const struct pmu_model_row *a,
			const struct pmu_model_row *b)
{
	uint64_t of_a = pmu_measure_of(by->section, a, by->measure),
		 of_b = pmu_measure_of(by->section, b, by->measure);

	if (of_a != of_b)
		return of_a < of_b ? 1 : -1;
	if (by->measure == PMU_BY_COUNT) /* a simulation's times say nothing */
		return 0;
	return (a->time_ns < b->time_ns) - (a->time_ns > b->time_ns);
}

static int by_tree_place(const void *a, const void *b, void *arg)
{
	const int ia = *(const int *)a, ib = *(const int *)b;
	const struct sorting *sorting = arg;
	const struct pmu_model_row *ra = sorting->row + ia, *rb = sorting->row + ib;
	int names, longer = compare_most(sorting, ra, rb);

	if (ra->parent != rb->parent)
		return ra->parent < rb->parent ? -1 : 1;
	if (ra->thread != rb->thread)
		return ra->thread < rb->thread ? -1 : 1;
	if (longer)
		return longer;
	names = strcmp(pmu_row_name(ra), pmu_row_name(rb));
	if (names)
		return names;
	return ia < ib ? -1 : 1;
}

/* What a row of a team is in: another one, or a program's. */
static bool is_around_team(const struct pmu_model_row *row)
{
	return row->flags & (PMU_ROW_TEAM | PMU_ROW_PROGRAM);
}

static void check_parents(struct pmu_model_row *row, int n)
{
	for (int i = 0; i < n; i++) {
		int parent = row[i].parent;

		if (parent < 0 || parent >= i || row[parent].thread != row[i].thread ||
		    (row[i].flags & PMU_ROW_TEAM && !is_around_team(&row[parent])))
			row[i].parent = -1;
	}
}

/* What follows from a row's parent. */
static void place_below_parent(struct pmu_model_row *rows, struct pmu_model_row *row)
{
	const struct pmu_model_row *parent = row->parent < 0 ? NULL : &rows[row->parent];
	bool team = row->flags & PMU_ROW_TEAM;

	row->depth = parent ? parent->depth + 1 : 0;
	row->team_depth = (parent ? parent->team_depth : 0) + team;
	row->holder = row->parent;
	if (team && parent && parent->flags & PMU_ROW_TEAM)
		row->holder = parent->holder;
}

/* Fills order[n] with a depth-first walk; start and stack are its working space. */
static void walk_depth_first(const struct pmu_model_row *row, int n, const int *sorted, int *start,
			     int *stack, int *order)
{
	int top = 0, n_ordered = 0;

	/* children of p: sorted[start[p + 1]] to sorted[start[p + 2] - 1] */
	for (int i = 0; i < n; i++)
		start[row[i].parent + 2]++;
	for (int i = 0; i <= n; i++)
		start[i + 1] += start[i];
	for (int i = start[1]; i-- > start[0];)
		stack[top++] = sorted[i];
	while (top) {
		int at = stack[--top];

		order[n_ordered++] = at;
		for (int i = start[at + 2]; i-- > start[at + 1];)
			stack[top++] = sorted[i];
	}
}

int pmu_rows_sort(const struct pmu_model_section *section, struct pmu_model_row *row, int n,
		  enum pmu_model_measure measure, int *moved)
{
	struct sorting sorting = { section, row, measure };
	size_t rows = (size_t)n;
	int *work = calloc(5 * rows + 2, sizeof(int));
	struct pmu_model_row *old = malloc((rows + 1) * sizeof(*old));
	int *sorted = work, *order = work + n, *stack = work + 2 * n;
	int *at = work + 3 * n, *start = work + 4 * n;

	if (!work || !old || !n) {
		free(work);
		free(old);
		return n ? -ENOMEM : 0;
	}
	check_parents(row, n);
	for (int i = 0; i < n; i++)
		sorted[i] = i;
	qsort_r(sorted, rows, sizeof(*sorted), by_tree_place, &sorting);
	walk_depth_first(row, n, sorted, start, stack, order);
	memcpy(old, row, rows * sizeof(*old));
	for (int i = 0; i < n; i++)
		at[order[i]] = i;
	for (int i = 0; i < n; i++) {
		row[i] = old[order[i]];
		row[i].parent = row[i].parent < 0 ? -1 : at[row[i].parent];
		if (row[i].below)
			row[i].below = row[i].below <= rows ? (unsigned int)at[row[i].below - 1] + 1
							    : 0;
		place_below_parent(row, &row[i]);
	}
	if (moved)
		memcpy(moved, at, rows * sizeof(*moved));
	free(work);
	free(old);
	return 0;
}

/* Arrays: what was not filled in is missing, not 0. */

int pmu_rows_give_arrays(struct pmu_model *model, const struct pmu_model_section *s,
			 struct pmu_model_row *row)
{
	if (s->n_counts && (!row->raw || !row->net)) {
		row->raw = new_zeros(model, s->n_counts);
		row->net = new_zeros(model, s->n_counts);
		row->missing = UINT32_MAX;
	}
	if (!row->cost)
		row->cost = new_zeros(model, s->n_counts);
	row->self = new_zeros(model, s->n_counts);
	row->metric = pmu_block_array(&model->blocks, s->n_metrics, sizeof(double));
	if ((s->n_counts && (!row->raw || !row->net)) || !row->cost || !row->self || !row->metric)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->n_metrics; i++)
		row->metric[i] = NAN;
	return 0;
}

/* Self values. */

/* An overlap makes self values of all regions around it unknown. */
static void spread_overlap(struct pmu_model_row *row, int n)
{
	bool *below = calloc((size_t)n + 1, sizeof(*below));

	for (int i = n; i-- > 0;) {
		if (below && below[i])
			row[i].flags |= PMU_ROW_NO_SELF;
		if (row[i].holder < 0 || !below)
			continue;
		if (below[i] || (row[i].flags & PMU_ROW_OVERLAP))
			below[row[i].holder] = true;
	}
	/* without memory: nothing is known for sure */
	for (int i = 0; !below && i < n; i++)
		row[i].flags |= PMU_ROW_NO_SELF;
	free(below);
}

/* Until take_nested(), self values hold the sums of what is nested. */
static void add_nested_self(struct pmu_finishing *f)
{
	struct pmu_model_row *row = f->section->thread_row;
	int n = (int)f->section->n_thread_rows;

	for (int i = 0; i < n; i++) {
		row[i].self_ns = row[i].self_cpu_ns = 0;
		if (!pmu_model_time_known(&row[i]) && !pmu_model_is_socket(f->model, &row[i])) {
			row[i].missing = UINT32_MAX;
			row[i].least = NULL;
		}
		row[i].self_missing = row[i].missing;
	}
	for (int i = 0; i < n; i++) {
		int p = row[i].holder;
		bool recursive = row[i].flags & PMU_ROW_RECURSIVE;

		f->nested[i].tangled = (recursive && !(row[i].flags & PMU_ROW_DIRECT)) ||
				       (p >= 0 && f->nested[p].tangled);
		if (p < 0)
			continue;
		f->nested[p].n++;
		row[p].self_ns = pmu_add_capped(row[p].self_ns, row[i].time_ns);
		row[p].self_cpu_ns = pmu_add_capped(row[p].self_cpu_ns, row[i].cpu_ns);
		row[p].self_missing |= row[i].missing;
		for (unsigned int c = 0; c < f->section->n_counts; c++)
			row[p].self[c] = pmu_add_capped(row[p].self[c], row[i].net[c]);
	}
}

static uint64_t subtract_nested(uint64_t whole, uint64_t part, uint64_t slack, bool *negative)
{
	if (part <= whole)
		return whole - part;
	if (part - whole > slack)
		*negative = true;
	return 0;
}

/* Rounding may leave less than nothing: a wait is told to each region that is open, by its own clock. */
static uint64_t self_cpu(const struct pmu_model_row *row)
{
	if (!pmu_model_cpu_known(row) || row->self_cpu_ns == PMU_NOT_KNOWN)
		return PMU_NOT_KNOWN;
	return row->self_cpu_ns < row->cpu_ns ? row->cpu_ns - row->self_cpu_ns : 0;
}

static void take_nested(struct pmu_finishing *f)
{
	struct pmu_model_row *row = f->section->thread_row;
	int n = (int)f->section->n_thread_rows;

	for (int i = 0; i < n; i++) {
		struct pmu_nested *nested = &f->nested[i];
		bool outermost = row[i].holder < 0 || !f->nested[row[i].holder].tangled;

		if (nested->tangled && (nested->n || !outermost))
			row[i].flags |= PMU_ROW_NO_SELF;
		/* calls that have ended in one that has not: its total does not include them yet */
		if (row[i].n_open && nested->n)
			row[i].flags |= PMU_ROW_NO_SELF;
		if (!pmu_model_self_known(&row[i])) {
			row[i].self_ns = 0;
			row[i].self_cpu_ns = PMU_NOT_KNOWN;
			row[i].self_missing = UINT32_MAX;
		} else {
			row[i].self_cpu_ns = self_cpu(&row[i]);
			row[i].self_ns = subtract_nested(row[i].time_ns, row[i].self_ns,
							 (uint64_t)nested->n + 1,
							 &nested->negative);
		}
		for (unsigned int c = 0; c < f->section->n_counts; c++) {
			if (row[i].self_missing & (1u << c))
				row[i].self[c] = 0;
			else
				row[i].self[c] = subtract_nested(row[i].net[c], row[i].self[c], 0,
								 &nested->negative);
		}
	}
}

static void mark_short(const struct pmu_model_section *s, struct pmu_model_row *row, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		row[i].flags &= ~(uint32_t)PMU_ROW_SHORT;
		if (pmu_row_is_short(s, &row[i]))
			row[i].flags |= PMU_ROW_SHORT;
	}
}

static void mark_interrupted(const struct pmu_model_section *s, struct pmu_model_row *row,
			     unsigned int n)
{
	int at = pmu_section_interrupts(s);

	for (unsigned int i = 0; i < n; i++) {
		row[i].flags &= ~(uint32_t)PMU_ROW_INTERRUPTED;
		if (at >= 0 && !(row[i].missing >> at & 1) && row[i].raw[at])
			row[i].flags |= PMU_ROW_INTERRUPTED;
	}
}

void pmu_rows_mark(const struct pmu_model_section *s, struct pmu_model_row *row, unsigned int n)
{
	mark_short(s, row, n);
	mark_interrupted(s, row, n);
}

static int finish_rows(struct pmu_finishing *f)
{
	struct pmu_model_section *s = f->section;
	int rc = pmu_rows_sort(s, s->thread_row, (int)s->n_thread_rows, pmu_measure_of_threads(s),
			       NULL);

	for (unsigned int i = 0; !rc && i < s->n_thread_rows; i++)
		rc = pmu_rows_give_arrays(f->model, s, &s->thread_row[i]);
	if (rc < 0)
		return rc;
	spread_overlap(s->thread_row, (int)s->n_thread_rows);
	add_nested_self(f);
	take_nested(f);
	f->thread_whole = pmu_measure_wholes(f->model, s);
	rc = f->thread_whole ? pmu_sums_make(f) : -ENOMEM;
	if (rc < 0)
		return rc;
	pmu_rows_mark(s, s->thread_row, s->n_thread_rows);
	pmu_rows_mark(s, s->row, s->n_rows);
	rc = pmu_teams_make(f);
	return rc < 0 ? rc : pmu_besides_of_sums(f->model, s);
}

uint64_t pmu_model_span(const struct pmu_model *model)
{
	uint64_t span_ns = 0;

	for (unsigned int i = 0; i < model->n_threads; i++)
		span_ns = pmu_add_capped(span_ns, model->thread[i].time_ns);
	return span_ns;
}

uint64_t pmu_model_cpu_time(const struct pmu_model *model)
{
	uint64_t sum_ns = 0;

	for (unsigned int i = 0; i < model->n_threads; i++) {
		if (model->thread[i].cpu_ns < 0)
			return PMU_NOT_KNOWN;
		sum_ns = pmu_add_capped(sum_ns, (uint64_t)model->thread[i].cpu_ns);
	}
	return sum_ns;
}

static int by_host(const void *a, const void *b, void *arg)
{
	const struct pmu_model *model = arg;
	const struct pmu_model_thread *x = &model->thread[*(const unsigned int *)a];
	const struct pmu_model_thread *y = &model->thread[*(const unsigned int *)b];
	int order = strcmp(model->part[x->part].host, model->part[y->part].host);

	return order ? order : x->number < y->number ? -1 : x->number > y->number;
}

bool pmu_model_shares_sockets(const struct pmu_model *model)
{
	unsigned int *socket = calloc((size_t)model->n_sockets + 1, sizeof(*socket));
	bool shared = !socket; /* without memory: nothing is known for sure */

	if (!model->n_parts || model->n_sockets < 2) {
		free(socket);
		return false;
	}
	for (unsigned int i = 0; socket && i < model->n_sockets; i++)
		socket[i] = model->n_threads + i;
	if (socket)
		qsort_r(socket, model->n_sockets, sizeof(*socket), by_host,
			(void *)(uintptr_t)model);
	for (unsigned int i = 1; socket && i < model->n_sockets; i++)
		shared |= !by_host(&socket[i - 1], &socket[i], (void *)(uintptr_t)model) &&
			  model->thread[socket[i]].number != PMU_MODEL_PROCESS &&
			  model->thread[socket[i - 1]].part != model->thread[socket[i]].part;
	free(socket);
	return shared;
}

static int finish_section(struct pmu_model *model, struct pmu_model_section *section)
{
	struct pmu_finishing f = {
		.model = model,
		.section = section,
		.shared_sockets = section->sockets && pmu_model_shares_sockets(model),
	};
	size_t n = section->n_thread_rows;
	int rc = -ENOMEM;

	if (section->n_counts > PMU_MODEL_MAX_COUNTS)
		return -E2BIG;
	if (n > INT_MAX / 8)
		return -ENOMEM;
	pmu_measure_rank(model, section);
	f.nested = calloc(n + 1, sizeof(*f.nested));
	f.summing = calloc(n + 1, sizeof(*f.summing));
	if (f.nested && f.summing && !pmu_index_reserve(&f.index, n))
		rc = finish_rows(&f);
	pmu_index_free(&f.index);
	free(f.nested);
	free(f.summing);
	free(f.thread_whole);
	return rc;
}

/* What a thread's outermost regions took of its time. */
static void add_outermost(struct pmu_model *model, const struct pmu_model_section *section)
{
	for (unsigned int i = 0; i < section->n_thread_rows; i++) {
		const struct pmu_model_row *row = &section->thread_row[i];
		struct pmu_model_thread *thread;

		if (row->thread < 0 || (unsigned int)row->thread >= model->n_threads ||
		    row->holder >= 0 || pmu_row_is_inside(row))
			continue;
		thread = &model->thread[row->thread];
		thread->in_regions_ns += row->time_ns;
		thread->in_part |= row->n_open || !pmu_model_time_known(row);
	}
}

/* What the kernel says of threads is of valgrind's work as well, which lets one of them run at a time. */
static void take_out_usage(struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_threads; i++) {
		struct pmu_model_thread *thread = &model->thread[i];

		thread->minor_faults = thread->major_faults = -1;
		thread->voluntary_switches = thread->involuntary_switches = -1;
		thread->start_ns = thread->stop_ns = thread->cpu_ns = -1;
	}
}

int pmu_model_finish(struct pmu_model *model)
{
	if (pmu_model_is_simulated(model))
		take_out_usage(model);
	model->written = NULL;
	for (unsigned int i = 0; i < model->n_threads; i++) {
		model->thread[i].in_regions_ns = 0;
		model->thread[i].in_part = false;
	}
	for (unsigned int i = 0; i < model->n_sections; i++) {
		int rc = finish_section(model, &model->section[i]);

		if (rc < 0)
			return rc;
		add_outermost(model, &model->section[i]);
	}
	return pmu_model_add_calls(model);
}
