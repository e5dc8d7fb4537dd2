/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns the threads' rows into a finished model: order, paths, self values, sums. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/block.h"
#include "report/model.h"

/* What is known of a thread's row on the way to its self values. */
struct nested {
	uint32_t n;    /* rows nested directly in it */
	bool tangled;  /* it or a row around it was re-entered, maybe through others */
	bool negative; /* a self value came out below zero */
};

/* What is known of a sum on the way. */
struct summing {
	int parent;
	const char *name;
	uint64_t hash;	  /* of the names on its path, and whether it is flat */
	int last_thread;  /* that was added */
	bool indirect;	  /* some thread's row is recursive and not DIRECT */
	uint32_t n_timed; /* rows with calls */
	uint64_t span_ns; /* of the threads that have it */
	uint32_t n_negative;
	int negative_thread;
};

struct finishing {
	struct pmu_model *model;
	struct pmu_model_section *section;
	struct nested *nested;	 /* [n_thread_rows] */
	struct summing *summing; /* [n_rows] */
	int *table;		 /* open addressing: index of a sum + 1 */
	size_t table_mask;
};

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static const char *name_of(const struct pmu_model_row *row)
{
	return row->name ? row->name : "";
}

static uint64_t *zeros(struct pmu_model *model, unsigned int n)
{
	return pmu_block_array(&model->blocks, n, sizeof(uint64_t));
}

/* Order: siblings together, by thread where nothing is around them, longest first. */

static int by_place(const void *a, const void *b, void *rows)
{
	const int ia = *(const int *)a, ib = *(const int *)b;
	const struct pmu_model_row *ra = (struct pmu_model_row *)rows + ia;
	const struct pmu_model_row *rb = (struct pmu_model_row *)rows + ib;
	int names;

	if (ra->parent != rb->parent)
		return ra->parent < rb->parent ? -1 : 1;
	if (ra->thread != rb->thread)
		return ra->thread < rb->thread ? -1 : 1;
	if (ra->time_ns != rb->time_ns)
		return ra->time_ns > rb->time_ns ? -1 : 1;
	names = strcmp(name_of(ra), name_of(rb));
	if (names)
		return names;
	return ia < ib ? -1 : 1;
}

static void check_parents(struct pmu_model_row *row, int n)
{
	for (int i = 0; i < n; i++) {
		int parent = row[i].parent;

		if (parent < 0 || parent >= i || row[parent].thread != row[i].thread)
			row[i].parent = -1;
	}
}

/* Fills order[n] with a depth-first walk; start and stack are its working space. */
static void walk(const struct pmu_model_row *row, int n, const int *sorted, int *start,
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

/* moved[old index] becomes the new one; may be NULL. */
static int sort_rows(struct pmu_model_row *row, int n, int *moved)
{
	size_t rows = (size_t)n;
	int *work = calloc(5 * rows + 2, sizeof(int));
	struct pmu_model_row *old = malloc((rows + 1) * sizeof(*old));
	int *sorted = work, *order = work + n, *stack = work + 2 * n;
	int *place = work + 3 * n, *start = work + 4 * n;

	if (!work || !old || !n) {
		free(work);
		free(old);
		return n ? -ENOMEM : 0;
	}
	check_parents(row, n);
	for (int i = 0; i < n; i++)
		sorted[i] = i;
	qsort_r(sorted, rows, sizeof(*sorted), by_place, row);
	walk(row, n, sorted, start, stack, order);
	memcpy(old, row, rows * sizeof(*old));
	for (int i = 0; i < n; i++)
		place[order[i]] = i;
	for (int i = 0; i < n; i++) {
		row[i] = old[order[i]];
		row[i].parent = row[i].parent < 0 ? -1 : place[row[i].parent];
		row[i].depth = row[i].parent < 0 ? 0 : row[row[i].parent].depth + 1;
	}
	if (moved)
		memcpy(moved, place, rows * sizeof(*moved));
	free(work);
	free(old);
	return 0;
}

/* Arrays: what the maker of the model left out is missing, not 0. */

static int give_arrays(struct pmu_model *model, const struct pmu_model_section *s,
		       struct pmu_model_row *row)
{
	if (s->n_counts && (!row->raw || !row->net)) {
		row->raw = zeros(model, s->n_counts);
		row->net = zeros(model, s->n_counts);
		row->missing = UINT32_MAX;
	}
	if (!row->cost)
		row->cost = zeros(model, s->n_counts);
	row->self = zeros(model, s->n_counts);
	row->metric = pmu_block_array(&model->blocks, s->n_metrics, sizeof(double));
	if ((s->n_counts && (!row->raw || !row->net)) || !row->cost || !row->self ||
	    !row->metric)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->n_metrics; i++)
		row->metric[i] = NAN;
	return 0;
}

/* Self values. */

/* An overlap leaves no self values in anything around it. */
static void spread_overlap(struct pmu_model_row *row, int n)
{
	bool *below = calloc((size_t)n + 1, sizeof(*below));

	for (int i = n; i-- > 0;) {
		if (below && below[i])
			row[i].flags |= PMU_ROW_NO_SELF;
		if (row[i].parent < 0 || !below)
			continue;
		if (below[i] || (row[i].flags & PMU_ROW_OVERLAP))
			below[row[i].parent] = true;
	}
	/* without memory: nothing is known for sure */
	for (int i = 0; !below && i < n; i++)
		row[i].flags |= PMU_ROW_NO_SELF;
	free(below);
}

/* Until take_nested(), self values hold the sums of what is nested. */
static void add_nested(struct finishing *f)
{
	struct pmu_model_row *row = f->section->thread_row;
	int n = (int)f->section->n_thread_rows;

	for (int i = 0; i < n; i++) {
		row[i].self_ns = 0;
		row[i].self_missing = row[i].missing;
	}
	for (int i = 0; i < n; i++) {
		int p = row[i].parent;
		bool recursive = row[i].flags & PMU_ROW_RECURSIVE;

		f->nested[i].tangled = (recursive && !(row[i].flags & PMU_ROW_DIRECT)) ||
				       (p >= 0 && f->nested[p].tangled);
		if (p < 0)
			continue;
		f->nested[p].n++;
		row[p].self_ns = add(row[p].self_ns, row[i].time_ns);
		row[p].self_missing |= row[i].missing;
		for (unsigned int c = 0; c < f->section->n_counts; c++)
			row[p].self[c] = add(row[p].self[c], row[i].net[c]);
	}
}

static uint64_t less(uint64_t whole, uint64_t part, uint64_t slack, bool *negative)
{
	if (part <= whole)
		return whole - part;
	if (part - whole > slack)
		*negative = true;
	return 0;
}

static void take_nested(struct finishing *f)
{
	struct pmu_model_row *row = f->section->thread_row;
	int n = (int)f->section->n_thread_rows;

	for (int i = 0; i < n; i++) {
		struct nested *nested = &f->nested[i];
		bool outermost = row[i].parent < 0 || !f->nested[row[i].parent].tangled;

		if (nested->tangled && (nested->n || !outermost))
			row[i].flags |= PMU_ROW_NO_SELF;
		if (!pmu_model_self_known(&row[i])) {
			row[i].self_ns = 0;
			row[i].self_missing = UINT32_MAX;
		} else {
			row[i].self_ns = less(row[i].time_ns, row[i].self_ns,
					      (uint64_t)nested->n + 1, &nested->negative);
		}
		for (unsigned int c = 0; c < f->section->n_counts; c++) {
			if (row[i].self_missing & (1u << c))
				row[i].self[c] = 0;
			else
				row[i].self[c] = less(row[i].net[c], row[i].self[c], 0,
						      &nested->negative);
		}
	}
}

/* Sums over threads. */

static uint64_t hash_name(uint64_t hash, const char *name, bool flat)
{
	hash = (hash ^ (flat ? 0x9e3779b97f4a7c15u : '/')) * 0x100000001b3u;
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
	return hash;
}

static bool same_sum(const struct summing *sum, int parent, uint64_t hash,
		     const char *name)
{
	return sum->hash == hash && sum->parent == parent &&
	       (sum->name == name || !strcmp(sum->name, name));
}

/* Index of the sum that a row belongs to; flat ones are told apart by the hash. */
static int find_sum(struct finishing *f, const struct pmu_model_row *row)
{
	const struct pmu_model_row *thread_row = f->section->thread_row;
	int parent = row->parent < 0 ? -1 : thread_row[row->parent].sum;
	uint64_t hash =
		hash_name(parent < 0 ? 0xcbf29ce484222325u : f->summing[parent].hash,
			  name_of(row), row->flags & PMU_ROW_FLAT);
	size_t at = (hash ^ (hash >> 32)) & f->table_mask;
	struct summing *sum;

	for (; f->table[at]; at = (at + 1) & f->table_mask)
		if (same_sum(&f->summing[f->table[at] - 1], parent, hash, name_of(row)))
			return f->table[at] - 1;
	sum = &f->summing[f->section->n_rows++];
	*sum = (struct summing){
		.parent = parent, .name = name_of(row), .hash = hash, .last_thread = -1};
	f->table[at] = (int)f->section->n_rows;
	return f->table[at] - 1;
}

static int make_sum_rows(struct finishing *f)
{
	struct pmu_model_section *s = f->section;

	s->row = pmu_block_array(&f->model->blocks, s->n_rows, sizeof(*s->row));
	if (!s->row)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->n_rows; i++) {
		struct pmu_model_row *row = &s->row[i];

		*row = (struct pmu_model_row){
			.name = f->summing[i].name,
			.parent = f->summing[i].parent,
			.thread = -1,
			.sum = -1,
			.raw = zeros(f->model, s->n_counts),
			.net = zeros(f->model, s->n_counts),
		};
		if (give_arrays(f->model, s, row) < 0 || !row->raw || !row->net)
			return -ENOMEM;
	}
	return 0;
}

static const struct pmu_model_thread *thread_of(const struct finishing *f, int thread)
{
	if (thread < 0 || (unsigned int)thread >= f->model->n_threads)
		return NULL;
	return &f->model->thread[thread];
}

static double share_of(uint64_t time_ns, uint64_t span_ns)
{
	return span_ns ? (double)time_ns / (double)span_ns : NAN;
}

static void add_counts(struct pmu_model_row *to, const struct pmu_model_row *row,
		       unsigned int n_counts)
{
	for (unsigned int c = 0; c < n_counts; c++) {
		to->raw[c] = add(to->raw[c], row->raw[c]);
		to->net[c] = add(to->net[c], row->net[c]);
		to->self[c] = add(to->self[c], row->self[c]);
		to->cost[c] = add(to->cost[c], row->cost[c]);
	}
	to->missing |= row->missing;
	to->self_missing |= row->self_missing;
}

static void add_times(struct pmu_model_row *to, const struct pmu_model_row *row,
		      uint32_t n_timed)
{
	to->calls = add(to->calls, row->calls);
	to->time_ns = add(to->time_ns, row->time_ns);
	to->self_ns = add(to->self_ns, row->self_ns);
	to->n_open += row->n_open;
	if (!row->calls)
		return;
	if (!n_timed || row->min_ns < to->min_ns)
		to->min_ns = row->min_ns;
	if (!n_timed || row->max_ns > to->max_ns)
		to->max_ns = row->max_ns;
	to->sd_ns = n_timed ? NAN : row->sd_ns; /* pool_sd() does more than one */
}

static void add_row(struct finishing *f, int i)
{
	struct pmu_model_row *row = &f->section->thread_row[i];
	struct pmu_model_row *to = &f->section->row[row->sum];
	struct summing *sum = &f->summing[row->sum];
	const struct pmu_model_thread *thread = thread_of(f, row->thread);

	row->n_threads = 1;
	row->share = share_of(row->time_ns, thread ? thread->time_ns : 0);
	add_times(to, row, sum->n_timed);
	add_counts(to, row, f->section->n_counts);
	to->flags |= row->flags;
	sum->n_timed += row->calls > 0;
	sum->indirect |=
		(row->flags & (PMU_ROW_RECURSIVE | PMU_ROW_DIRECT)) == PMU_ROW_RECURSIVE;
	if (f->nested[i].negative) {
		sum->n_negative++;
		sum->negative_thread = thread ? thread->number : -1;
	}
	if (sum->last_thread == row->thread)
		return;
	sum->last_thread = row->thread;
	to->n_threads++;
	sum->span_ns = add(sum->span_ns, thread ? thread->time_ns : 0);
}

/*
 * The variance of all calls is the mean of the threads' variances plus the variance of
 * their means, weighted by calls.  A recursive row's calls are not those its deviation
 * speaks of.
 */
static void pool_sd(struct finishing *f)
{
	struct pmu_model_section *s = f->section;

	for (unsigned int i = 0; i < s->n_rows; i++) {
		if (!f->summing[i].n_timed)
			s->row[i].sd_ns = NAN;
		else if (f->summing[i].n_timed > 1)
			s->row[i].sd_ns = s->row[i].flags & PMU_ROW_RECURSIVE ? NAN : 0;
	}
	for (unsigned int i = 0; i < s->n_thread_rows; i++) {
		const struct pmu_model_row *row = &s->thread_row[i];
		struct pmu_model_row *to = &s->row[row->sum];
		double off;

		if (!row->calls || f->summing[row->sum].n_timed < 2)
			continue;
		off = (double)row->time_ns / (double)row->calls -
		      (double)to->time_ns / (double)to->calls;
		to->sd_ns += (double)row->calls / (double)to->calls *
			     (row->sd_ns * row->sd_ns + off * off);
	}
	for (unsigned int i = 0; i < s->n_rows; i++)
		if (f->summing[i].n_timed > 1)
			s->row[i].sd_ns = sqrt(s->row[i].sd_ns);
}

static void close_sums(struct finishing *f)
{
	pool_sd(f);
	for (unsigned int i = 0; i < f->section->n_rows; i++) {
		struct pmu_model_row *row = &f->section->row[i];

		row->share = share_of(row->time_ns, f->summing[i].span_ns);
		if (f->summing[i].indirect)
			row->flags &= ~(uint32_t)PMU_ROW_DIRECT;
		if (!pmu_model_self_known(row)) {
			row->self_ns = 0;
			row->self_missing = UINT32_MAX;
		}
	}
}

/* Paths: made once for a sum, shared with its threads' rows. */

static size_t escaped(char *out, const char *name)
{
	size_t n = 0;

	for (; *name; name++) {
		if (*name == '/' || *name == '\\')
			out[n++] = '\\';
		out[n++] = *name;
	}
	return n;
}

static int make_path(struct pmu_model *model, struct pmu_model_row *row,
		     const char *around, uint64_t hash)
{
	size_t n_name = strlen(row->name), n_around = around ? strlen(around) : 0;
	char *text = malloc(n_around + 2 * n_name + 32);
	size_t len = n_around;
	const char *path;

	if (!text)
		return -ENOMEM;
	memcpy(text, around ? around : "", n_around);
	if (around && n_around + n_name > PMU_MODEL_PATH_MAX) {
		/* what stands before an earlier hash is enough of a beginning */
		const char *cut = strstr(around, "/...");

		len = cut ? (size_t)(cut - around) : n_around;
		len += (size_t)sprintf(text + len, "/...%016llx",
				       (unsigned long long)hash);
	}
	if (around)
		text[len++] = '/';
	len += escaped(text + len, row->name);
	path = pmu_block_text(&model->blocks, text, len);
	free(text);
	if (!path)
		return -ENOMEM;
	row->path = path;
	return 0;
}

static int make_paths(struct finishing *f)
{
	struct pmu_model_section *s = f->section;

	for (unsigned int i = 0; i < s->n_rows; i++) {
		int p = s->row[i].parent; /* before it since the rows were sorted */

		if (make_path(f->model, &s->row[i], p < 0 ? NULL : s->row[p].path,
			      f->summing[i].hash) < 0)
			return -ENOMEM;
	}
	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		s->thread_row[i].path = s->row[s->thread_row[i].sum].path;
	return 0;
}

/* Sums into tree order; what points to them follows. */
static int sort_sums(struct finishing *f)
{
	struct pmu_model_section *s = f->section;
	struct summing *old = malloc((s->n_rows + 1) * sizeof(*old));
	int *moved = malloc((s->n_rows + 1) * sizeof(*moved));
	int rc = -ENOMEM;

	if (old && moved)
		rc = sort_rows(s->row, (int)s->n_rows, moved);
	if (!rc) {
		memcpy(old, f->summing, s->n_rows * sizeof(*old));
		for (unsigned int i = 0; i < s->n_rows; i++)
			f->summing[moved[i]] = old[i];
		for (unsigned int i = 0; i < s->n_thread_rows; i++)
			s->thread_row[i].sum = moved[s->thread_row[i].sum];
	}
	free(old);
	free(moved);
	return rc;
}

static int make_sums(struct finishing *f)
{
	struct pmu_model_section *s = f->section;
	int rc;

	s->n_rows = 0;
	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		s->thread_row[i].sum = find_sum(f, &s->thread_row[i]);
	rc = make_sum_rows(f);
	if (rc < 0)
		return rc;
	for (unsigned int i = 0; i < s->n_thread_rows; i++)
		add_row(f, (int)i);
	close_sums(f);
	rc = sort_sums(f);
	return rc < 0 ? rc : make_paths(f);
}

static int tell_negative(struct finishing *f)
{
	for (unsigned int i = 0; i < f->section->n_rows; i++) {
		const struct summing *sum = &f->summing[i];
		int rc;

		if (!sum->n_negative)
			continue;
		rc = pmu_model_add_doubt(f->model,
					 "self came out below zero and is shown as 0",
					 f->section->row[i].path,
					 sum->n_negative == 1 ? sum->negative_thread : -1,
					 sum->n_negative);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int finish_rows(struct finishing *f)
{
	struct pmu_model_section *s = f->section;
	int rc = sort_rows(s->thread_row, (int)s->n_thread_rows, NULL);

	for (unsigned int i = 0; !rc && i < s->n_thread_rows; i++)
		rc = give_arrays(f->model, s, &s->thread_row[i]);
	if (rc < 0)
		return rc;
	spread_overlap(s->thread_row, (int)s->n_thread_rows);
	add_nested(f);
	take_nested(f);
	rc = make_sums(f);
	return rc < 0 ? rc : tell_negative(f);
}

static int finish_section(struct pmu_model *model, struct pmu_model_section *section)
{
	struct finishing f = {.model = model, .section = section};
	size_t n = section->n_thread_rows, n_table = 16;
	int rc = -ENOMEM;

	if (section->n_counts > PMU_MODEL_MAX_COUNTS)
		return -E2BIG;
	if (n > INT_MAX / 8)
		return -ENOMEM;
	while (n_table < 2 * n)
		n_table *= 2;
	f.table_mask = n_table - 1;
	f.table = calloc(n_table, sizeof(*f.table));
	f.nested = calloc(n + 1, sizeof(*f.nested));
	f.summing = calloc(n + 1, sizeof(*f.summing));
	if (f.table && f.nested && f.summing)
		rc = finish_rows(&f);
	free(f.table);
	free(f.nested);
	free(f.summing);
	return rc;
}

int pmu_model_finish(struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_sections; i++) {
		int rc = finish_section(model, &model->section[i]);

		if (rc < 0)
			return rc;
	}
	return 0;
}
