/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of several processes as one: the threads' rows. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/block.h"
#include "report/model/finish.h"
#include "reports/combine/combining.h"

/* --- rows --- */

static bool stands_alone(const struct pmu_model_row *row)
{
	return row->parent < 0 && !(row->flags & PMU_ROW_PROGRAM);
}

/* A thread gets a row for its program where its first outermost one is. */
static bool begins_program(const struct pmu_joining *j, unsigned int i)
{
	const struct pmu_model_row *row = j->old->thread_row;

	if (j->c->how == PMU_COMBINE_RANKS || !stands_alone(&row[i]))
		return false;
	return !i || row[i - 1].thread != row[i].thread;
}

static int count_rows(struct pmu_joining *j)
{
	j->about->n_rows += j->old->n_thread_rows;
	for (unsigned int i = 0; i < j->old->n_thread_rows; i++)
		j->about->n_rows += begins_program(j, i);
	return j->about->n_rows > INT_MAX / 8 ? -E2BIG : 0;
}

static uint64_t *give_counts(struct pmu_joining *j, struct pmu_model_row *row)
{
	size_t n = j->into->n_counts;
	uint64_t *counts = pmu_block_array(&j->c->model->blocks, 3 * n, sizeof(*counts));

	row->raw = counts;
	row->net = counts ? counts + n : NULL;
	row->cost = counts ? counts + 2 * n : NULL;
	row->self = NULL;
	row->metric = NULL;
	return counts;
}

/* An input's columns may be in another order. */
static int join_row(struct pmu_joining *j, const struct pmu_model_row *old,
		    struct pmu_model_row *row)
{
	const struct pmu_columns columns = { j->old->n_counts, j->count_at };

	*row = *old;
	row->name = pmu_combining_text(j->c, old->name);
	row->path = NULL;
	row->missing = 0;
	row->estimate = NULL;
	row->who = 0;
	row->writers = NULL;
	if (!give_counts(j, row) || pmu_beside_add(&j->beside, old, &columns, false, false) < 0 ||
	    pmu_beside_make(&j->beside, j->c->model, j->into->n_counts, row) < 0)
		return -ENOMEM;
	row->histogram = pmu_histogram_copy(j->c->model, old->histogram);
	if (old->histogram && !row->histogram)
		return -ENOMEM;
	pmu_row_add_counts(row, old, &columns, UINT32_MAX);
	return 0;
}

/* The first of a process's threads stands for the process's one call. */
static int open_program(struct pmu_joining *j, int thread, bool first, struct pmu_model_row *row)
{
	const struct pmu_model *model = j->c->model;
	const char *program = model->part[model->thread[thread].part].program;

	*row = (struct pmu_model_row){
		.name = program[0] ? program : "(unknown program)",
		.parent = -1,
		.thread = thread,
		.flags = PMU_ROW_PROGRAM | PMU_ROW_NO_SELF,
		.calls = first && (unsigned int)thread < model->n_threads,
		.sd_ns = NAN,
		.missing = UINT32_MAX,
	};
	return give_counts(j, row) ? 0 : -ENOMEM;
}

/*
 * Flat rows (beyond the limit of regions) are part of outermost ones already.  Those of teams are
 * in no other row, however deep they are.
 */
static void add_to_program(const struct pmu_joining *j, struct pmu_model_row *program,
			   const struct pmu_model_row *row, bool first)
{
	const struct pmu_columns columns = { .n = j->into->n_counts };

	if (pmu_row_is_inside(row))
		return;
	pmu_row_add(program, NULL, row, PMU_OF_PROGRAM);
	if (program->calls)
		program->min_ns = program->max_ns = program->time_ns;
	if (!pmu_model_time_known(row))
		return;
	if (first)
		program->missing = 0;
	pmu_row_add_counts(program, row, &columns, UINT32_MAX);
}

/* State of the walk through an input's rows. */
struct programs {
	int *row_at; /* [old row] its index now */
	int program; /* index of the program's row of the thread at hand, -1 for none */
	bool empty;  /* nothing was added to it so far */
};

static int place_row(struct pmu_joining *j, struct programs *p, unsigned int i)
{
	struct pmu_combining *c = j->c;
	const struct pmu_model_row *old = &j->old->thread_row[i];
	const struct pmu_model *from = c->from[j->from];
	struct pmu_model_row *row;
	int thread = -1, rc = 0;

	if (old->thread >= 0 && (unsigned int)old->thread < from->n_threads + from->n_sockets)
		thread = c->new_thread[c->first_thread[j->from] + (unsigned int)old->thread];
	if (old->parent < 0)
		p->program = stands_alone(old) && !begins_program(j, i) ? p->program : -1;
	if (begins_program(j, i) && thread >= 0) {
		unsigned int part = c->model->thread[thread].part;

		p->program = (int)j->into->n_thread_rows++;
		p->empty = true;
		rc = open_program(j, thread, j->seen[part] != j->nth,
				  &j->into->thread_row[p->program]);
		if ((unsigned int)thread < c->model->n_threads)
			j->seen[part] = j->nth;
	}
	p->row_at[i] = (int)j->into->n_thread_rows++;
	row = &j->into->thread_row[p->row_at[i]];
	if (!rc)
		rc = join_row(j, old, row);
	if (rc)
		return rc;
	row->thread = thread;
	row->below = old->below && old->below <= i ? (unsigned int)p->row_at[old->below - 1] + 1
						   : 0;
	row->parent = old->parent >= 0 && (unsigned int)old->parent < i ? p->row_at[old->parent]
									: p->program;
	if (p->program >= 0 && (row->parent == p->program || row->flags & PMU_ROW_TEAM)) {
		add_to_program(j, &j->into->thread_row[p->program], row, p->empty);
		p->empty &= row->flags & PMU_ROW_FLAT || !pmu_model_time_known(row);
	}
	return 0;
}

static int join_rows(struct pmu_joining *j)
{
	struct programs p = { .program = -1 };
	int rc = 0;

	for (unsigned int i = 0; i < j->old->n_counts; i++)
		j->count_at[i] = pmu_joining_count(j, i);
	p.row_at = calloc((size_t)j->old->n_thread_rows + 1, sizeof(*p.row_at));
	if (!p.row_at)
		return -ENOMEM;
	for (unsigned int i = 0; !rc && i < j->old->n_thread_rows; i++)
		rc = place_row(j, &p, i);
	free(p.row_at);
	return rc;
}

/* --- all groups of all inputs --- */

static int each_section(struct pmu_joining *j, int (*visit)(struct pmu_joining *j))
{
	struct pmu_combining *c = j->c;
	int rc = 0;

	j->nth = 0;
	for (j->from = 0; j->from < c->n_from; j->from++) {
		for (unsigned int i = 0; !rc && i < c->from[j->from]->n_sections; i++) {
			j->old = &c->from[j->from]->section[i];
			j->nth++;
			rc = pmu_joining_section(j);
			if (!rc)
				rc = visit(j);
		}
	}
	return rc;
}

static int join_sections(struct pmu_joining *j)
{
	struct pmu_model *model = j->c->model;
	int rc = each_section(j, pmu_joining_columns);

	if (!rc)
		rc = each_section(j, count_rows);
	for (unsigned int i = 0; !rc && i < model->n_sections; i++) {
		model->section[i].thread_row = pmu_block_array(&model->blocks, j->joined[i].n_rows,
							       sizeof(struct pmu_model_row));
		rc = model->section[i].thread_row ? 0 : -ENOMEM;
	}
	return rc ? rc : each_section(j, join_rows);
}

int pmu_combining_sections(struct pmu_combining *c)
{
	struct pmu_joining j = { .c = c };
	size_t n = 0;
	int rc = -ENOMEM;

	for (unsigned int i = 0; i < c->n_from; i++)
		n += c->from[i]->n_sections;
	c->model->section = pmu_block_array(&c->model->blocks, n, sizeof(*c->model->section));
	j.joined = calloc(n + 1, sizeof(*j.joined));
	j.seen = calloc((size_t)c->n_parts + 1, sizeof(*j.seen));
	if (c->model->section && j.joined && j.seen)
		rc = join_sections(&j);
	free(j.joined);
	free(j.seen);
	pmu_beside_free(&j.beside);
	return rc;
}
