/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of several processes as one: which region started a program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reports/combine/combining.h"

/** A process, and where it stands in the group at hand; rows are 1 + their index, 0: none. */
struct place {
	unsigned int program; /* its first thread's row for the program */
	unsigned int open;    /* the innermost in which it went on as another program */
	bool several;         /* there is more than one of these */
	unsigned int below;   /* what its program's rows are to stand below */
};

struct tree {
	const struct pmu_model *model;
	unsigned int *by_process; /* [n_parts] parts, the programs of a process in their order */
	struct place *place;      /* [n_parts] */
};

/* --- who started whom --- */

static int order_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_host_process(const void *a, const void *b, void *parts)
{
	const struct pmu_model_part *part = parts;
	const struct pmu_model_part *x = &part[*(const unsigned int *)a];
	const struct pmu_model_part *y = &part[*(const unsigned int *)b];
	int order = strcmp(x->host, y->host);

	if (!order)
		order = x->pid < y->pid ? -1 : x->pid > y->pid;
	if (!order)
		order = order_u64(x->start_unix_ns, y->start_unix_ns);
	return order ? order : order_u64(x->nth, y->nth);
}

/* The last program that began in process @pid no later than @of did; -1 for none. */
static int find_before(const struct tree *t, const struct pmu_model_part *of, int64_t pid)
{
	const struct pmu_model *model = t->model;
	unsigned int low = 0, high = model->n_parts;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;
		const struct pmu_model_part *part = &model->part[t->by_process[mid]];
		int order = strcmp(part->host, of->host);

		if (!order)
			order = part->pid < pid ? -1 : part->pid > pid;
		if (!order)
			order = order_u64(part->start_unix_ns, of->start_unix_ns);
		if (!order && pid == of->pid)
			order = order_u64(part->nth, of->nth) < 0 ? -1 : 1;
		if (order <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return -1;
	low = t->by_process[low - 1];
	if (strcmp(model->part[low].host, of->host) != 0 || model->part[low].pid != pid)
		return -1;
	return (int)low;
}

/* It may be another program by the time that its child is first seen. */
static int find_forker(const struct tree *t, const struct pmu_model_part *of)
{
	struct pmu_model_part upto = *of;
	int from;

	while ((from = find_before(t, &upto, of->forked_from)) >= 0) {
		if (!strcmp(t->model->part[from].program, of->program))
			break;
		upto = t->model->part[from];
	}
	return from;
}

/*
 * A process that went on as another program did so in the region that was open; a forked one stands
 * where the one does that forked it, as its open regions went on there.  Parts stand behind those
 * that started before them; in a job of ranks they may not.
 */
static unsigned int place_of_program(const struct tree *t, unsigned int at)
{
	const struct pmu_model_part *part = &t->model->part[at];
	bool is_next = part->nth > 1;
	int from;

	if (part->pid <= 0 || !part->start_unix_ns || (!is_next && part->forked_from <= 0))
		return 0;
	from = is_next ? find_before(t, part, part->pid) : find_forker(t, part);
	if (from < 0 || (unsigned int)from >= at)
		return 0;
	if (!is_next)
		return t->place[from].below;
	/* a number that is missing is that of a program of which nothing is known */
	if (t->model->part[from].nth != part->nth - 1)
		return 0;
	if (t->place[from].open && !t->place[from].several)
		return t->place[from].open;
	return t->place[from].program ? t->place[from].program : t->place[from].below;
}

/* --- the rows of a group --- */

/* Which of several threads it was, or of regions that overlap, is not known. */
static void look_at_row(struct tree *t, const struct pmu_model_section *s, unsigned int i)
{
	const struct pmu_model_row *row = &s->thread_row[i];
	struct place *place;

	if (row->thread < 0 || (unsigned int)row->thread >= t->model->n_threads)
		return;
	place = &t->place[t->model->thread[row->thread].part];
	if (row->flags & PMU_ROW_PROGRAM) {
		if (!place->program)
			place->program = i + 1;
		/* of an input that is such a tree */
		if (row->below)
			place->below = row->below;
		return;
	}
	if (!row->open_at_exec || row->flags & (PMU_ROW_FLAT | PMU_ROW_TEAM))
		return;
	if (place->open && (unsigned int)row->parent + 1 != place->open)
		place->several = true;
	place->open = i + 1;
}

static void place_programs(struct tree *t, struct pmu_model_section *s)
{
	memset(t->place, 0, t->model->n_parts * sizeof(*t->place));
	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		look_at_row(t, s, i);
	for (unsigned int i = 0; i < t->model->n_parts; i++)
		if (!t->place[i].below)
			t->place[i].below = place_of_program(t, i);
	for (unsigned int i = 0; i < s->n_thread_rows; i++) {
		struct pmu_model_row *row = &s->thread_row[i];

		if (row->flags & PMU_ROW_PROGRAM && row->parent < 0 && row->thread >= 0)
			row->below = t->place[t->model->thread[row->thread].part].below;
	}
}

int pmu_combining_tree(struct pmu_combining *c)
{
	struct pmu_model *model = c->model;
	struct tree t = { .model = model };
	int rc = -ENOMEM;

	t.by_process = calloc((size_t)model->n_parts + 1, sizeof(*t.by_process));
	t.place = calloc((size_t)model->n_parts + 1, sizeof(*t.place));
	if (t.by_process && t.place) {
		for (unsigned int i = 0; i < model->n_parts; i++)
			t.by_process[i] = i;
		qsort_r(t.by_process, model->n_parts, sizeof(*t.by_process), by_host_process,
			model->part);
		for (unsigned int i = 0; i < model->n_sections; i++)
			place_programs(&t, &model->section[i]);
		rc = 0;
	}
	free(t.by_process);
	free(t.place);
	return rc;
}
